# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from headroom.core.machine import procstat

TEXT = """cpu  10 0 5 100 0 0 0 0 0 0
cpu0 5 0 3 50 2 1 1 3 0 0
cpu12 5 0 2 50

intr 12345 0 0
ctxt 99
"""


def test_each_core_and_not_the_sum() -> None:
    found = procstat.parse(TEXT)
    assert sorted(found) == [0, 12]
    assert found[0].steal == 3
    assert found[0].total == 65
    assert found[12].irq == 0, "fields that an old kernel lacks are 0"


def test_busy_share_leaves_idle_and_stolen_time_out() -> None:
    before = procstat.CoreTimes(user=100, idle=100)
    after = procstat.CoreTimes(user=130, system=10, idle=150, iowait=5, steal=5)
    assert procstat.busy_share(before, after) == pytest.approx(0.4)
    assert procstat.steal_share(before, after) == pytest.approx(0.05)


def test_no_time_has_passed() -> None:
    times = procstat.CoreTimes(user=1)
    assert procstat.busy_share(times, times) is None
    assert procstat.steal_share(times, times) is None


def test_this_machine() -> None:
    assert all(times.total > 0 for times in procstat.read().values())
