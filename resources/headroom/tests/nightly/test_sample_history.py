# SPDX-License-Identifier: Apache-2.0
"""The sample history shows to the rules what it was drawn to show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headroom.core.sentinels import all_sentinels
from headroom.history import alerts
from headroom.history.store import History
from headroom.nightly import snapshot
from headroom.tests.nightly import sample_history as drawn


def test_it_has_all_sentinels_on_two_machines(sample: History) -> None:
    keys = sample.series()
    for machine in (drawn.RACK, drawn.LAB):
        tests = {key.test for key in keys if key.machine == machine}
        assert {one.test for one in all_sentinels().values()} <= tests
        assert drawn.OLD_NAME in tests
    assert len(sample.nights(drawn.RACK)) == drawn.NIGHTS - 3
    assert len(sample.nights(drawn.LAB)) == drawn.NIGHTS - 4


@pytest.mark.long
def test_it_is_the_same_each_time(tmp_path: Path, sample: History) -> None:
    again = drawn.write(tmp_path, nights=5)
    for key, series in again.series().items():
        first = sample.series()[key].values[: len(series)]
        assert np.array_equal(series.values, first, equal_nan=True)


def test_the_planted_changes_are_found_and_no_others(sample: History) -> None:
    found = snapshot.take(sample)
    flagged = {one.series.key for one in found.judged if one.flag}
    planted = {
        work.key.metric for work in drawn.works() if drawn._is_of(work, 0) and work.key.metric.startswith("compress")
    }
    assert {key.metric for key in flagged} == planted
    assert {key.test for key in flagged} == {drawn.sentinels()[0].test}
    assert {key.machine for key in flagged} == {drawn.RACK, drawn.LAB}
    assert all(one.epoch.start > 0 for one in found.judged if one.flag), "after the change of the harness"


def test_alerts_name_series_that_are_there(sample: History) -> None:
    known = {key.id for key in sample.series()}
    book = alerts.parse(sample.log("alerts"))
    assert [one.state for one in book.alerts.values()] == ["accepted", "ignored", "open", "open", "open"]
    assert {series.id for one in book.alerts.values() for series in one.series} <= known
    assert book.precision == (1, 2)


def test_what_drifts_is_the_series_that_was_drawn_to(sample: History) -> None:
    found = [one for one in snapshot.take(sample).judged if one.drift is not None and abs(one.drift) > 0.01]
    assert {one.series.key.test for one in found} == {drawn.sentinels()[3].test}


def test_verdict_changes_come_newest_first(sample: History) -> None:
    changes = snapshot.take(sample).verdict_changes()
    assert [one.night for one in changes] == sorted((one.night for one in changes), reverse=True)
    assert sum(one.is_failing for one in changes) == 2
    assert (changes[0].before, changes[0].after, changes[0].reason) == ("pass", "fail", drawn.CRC)
