# SPDX-License-Identifier: Apache-2.0
"""Campaigns compare commits: without a git repository none can be tested."""

from __future__ import annotations

import pytest

from headroom.campaigns import identity
from headroom.core.errors import EnvironmentLacks


@pytest.fixture(scope="session", autouse=True)
def checkout() -> None:
    try:
        identity.here()
    except EnvironmentLacks as error:
        pytest.skip(str(error))
