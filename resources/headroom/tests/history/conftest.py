# SPDX-License-Identifier: Apache-2.0
"""A history in a folder of its own, and what it warns of."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.history.store import History


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def history(tmp_path: Path, warnings: list[str]) -> History:
    return History(tmp_path / "history", warnings.append)
