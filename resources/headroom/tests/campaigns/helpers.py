# SPDX-License-Identifier: Apache-2.0
"""Campaigns of tests."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from headroom.campaigns.campaign import Campaign, Configuration, Timeouts
from headroom.core.machine.guard import QuietLimits

FAKE = Path(__file__).with_name("fake_run.py")


def program(*behaviour: str) -> tuple[str, ...]:
    """The fake program, behaving so."""
    return (sys.executable, "-P", str(FAKE), *behaviour, "--")


def configuration(name: str = "one", suite: str = "smoke/first_load") -> Configuration:
    options = {"quick": True, "compressor": "reference"}
    expected = {"suites": [suite], "tags": [], "excluded": [], "cases": [], "options": options}
    return Configuration(name, (suite,), words=("--quick",), expected=expected)


def campaign(**more: Any) -> Campaign:
    """A campaign of one machine and one cell, for which no machine is too busy."""
    values: dict[str, Any] = {
        "name": "test",
        "machines": ("local",),
        "builds": ("gcc-O2",),
        "configurations": {"one": configuration()},
        "timeouts": Timeouts(join_s=60, quiet_s=0, lock_s=60, cell_s=60, lost_s=60),
        "quiet": QuietLimits(busy=1, steal=1),
    }
    return Campaign(**(values | more))
