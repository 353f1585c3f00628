# SPDX-License-Identifier: Apache-2.0
"""Schemes are found by their folders."""

from __future__ import annotations

import pytest

from headroom.core import scheme
from headroom.core.errors import UsageError
from headroom.core.paths import ROOT


def test_every_folder_is_a_scheme() -> None:
    folders = {path.parent.name for path in (ROOT / "resources/headroom/schemes").glob("*/scheme.py")}
    assert set(scheme.all_schemes()) == folders
    assert "rohc" in folders


def test_an_unknown_scheme_is_refused_with_those_known() -> None:
    with pytest.raises(UsageError, match=r"There is no scheme 'morse'\. Known: .*rohc"):
        scheme.find("morse")
