# SPDX-License-Identifier: Apache-2.0
"""Nights of code that drifts, of alerts that were ignored, and of machines that cannot tell small steps."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from headroom.core.errors import UsageError
from headroom.history import alerts
from headroom.history.alerts import Alert
from headroom.history.confirmation import Session, confirm, least_step
from headroom.history.events import Event
from headroom.history.series import night_name
from headroom.nightly import bisect, forgetting, log_entries
from headroom.nightly.bisect import task_of
from headroom.nightly.night import NightResult
from headroom.tests.history.support import FIRST
from headroom.tests.nightly import noise
from headroom.tests.nightly.nights import Nights, commit
from headroom.tests.nightly.simulation import LEARNT, night, simulated

pytestmark = pytest.mark.slow


def nights_at(nights: Nights, count: int, factor: float = 100.0) -> list[NightResult]:
    return [night(nights, factor) for _ in range(count)]


def ignore_all(nights: Nights) -> None:
    for one in nights.book.open:
        log_entries.ignore(nights.history, one.id, "a fan", nights.clock())


def drifting(nights: Nights, first: int, last: int, a_night: float = 0.1) -> list[NightResult]:
    return [night(nights, 100 * (1 + a_night / 100 * number)) for number in range(first, last)]


def drift_alerts(nights: Nights) -> list[Alert]:
    return [one for one in nights.book.alerts.values() if one.drift_since is not None]


# ---- ignored alerts


@pytest.mark.parametrize("back", [20, 3, 1])
def test_an_ignored_alert_ends_when_its_series_are_back(back: int) -> None:
    with simulated(1, noise.gaussian) as nights:
        nights_at(nights, LEARNT)
        assert night(nights, 105.0).exit_status == 1
        ignore_all(nights)
        assert not any(one.opened for one in nights_at(nights, back))
        assert 1 in [one.exit_status for one in nights_at(nights, 2, 104.0)]


def test_an_ignored_alert_holds_while_its_series_stay_there() -> None:
    with simulated(2, noise.gaussian) as nights:
        nights_at(nights, LEARNT)
        night(nights, 105.0)
        ignore_all(nights)
        assert [one.opened for one in nights_at(nights, 25, 105.0)] == [[]] * 25
        assert nights.book.open == []


def test_an_ignored_alert_is_about_its_baseline() -> None:
    """Once the level of an ignored alert is the baseline, a step from there is none that it told."""
    with simulated(3) as nights:
        nights_at(nights, LEARNT)
        night(nights, 105.0)
        ignore_all(nights)
        nights_at(nights, 32, 105.0)
        assert 1 in [one.exit_status for one in nights_at(nights, 2, 107.0)], "within half of the ignored step"


def test_an_ignored_alert_is_about_its_conditions() -> None:
    with simulated(4) as nights:
        nights_at(nights, LEARNT)
        night(nights, 105.0)
        ignore_all(nights)
        nights.measurer.kernel = "6.2"
        nights.measurer.levels = {key: 0.97 * one for key, one in nights.measurer.levels.items()}
        nights_at(nights, 6, 103.0)
        assert 1 in [one.exit_status for one in nights_at(nights, 2, 107.0)]


def test_an_ignored_alert_that_was_not_confirmed_holds_until_its_series_are_back() -> None:
    with simulated(5) as nights:
        nights_at(nights, LEARNT)
        found = [night(nights, 104.0, ab=False) for _ in range(3)]
        assert [len(one.opened) for one in found] == [0, 0, 1]
        ignore_all(nights)
        assert [night(nights, 104.0, ab=False).opened for _ in range(3)] == [[]] * 3
        nights_at(nights, 1)
        assert 1 in [len(night(nights, 104.0, ab=False).opened) for _ in range(4)]


# ---- drift of the code


def test_slow_drift_is_an_alert_with_its_date_and_its_range() -> None:
    with simulated(6, noise.gaussian) as nights:
        first = nights.clock() + timedelta(days=1)
        drifting(nights, 0, 32)
        (alert, *_) = drift_alerts(nights)
        assert (alert.direction, alert.confirmed, alert.drift_since) == ("regression", True, first)
        assert alert.old_commit == "c0" and alert.new_commit != "c0"
        assert f"drift since {first:%Y-%m-%d}" in alert.title
        assert all(0.02 <= one.step < 0.032 and (one.ratio or 0) >= 1.02 for one in alert.series)
        assert all("the pinned build" in one.evidence for one in alert.series)
        assert alerts.parse([alert.opened()]).alerts[alert.id].drift_since == first
        counted = [one for one in drift_alerts(nights) if any("instructions" in each.metric for each in one.series)]
        task = task_of(counted[0], nights.measurer, 20)
        assert task.what.startswith("compress_instructions") and task.least == bisect.LEAST_INSTRUCTIONS


def test_drift_is_told_once_and_again_when_it_goes_on() -> None:
    with simulated(7) as nights:
        drifting(nights, 0, 60)
        found = drift_alerts(nights)
        by_series = [one.id for alert in found for one in alert.series]
        times = {name: by_series.count(name) for name in by_series}
        assert times and set(times.values()) <= {1, 2, 3}, "each 2 % once, of about 6 %"
        assert all(one.is_open for one in found), "a drift that goes on is not back"
        last = found[-1]
        log_entries.accept(nights.history, last.id, "", nights.clock())
        assert not [one for one in nights.events("accepted") if one.night == last.night]


def test_drift_of_the_machine_is_none_of_the_code() -> None:
    def slower(random: np.random.Generator) -> noise.Values:
        return np.linspace(1, 1.06, noise.NIGHTS)

    with simulated(8, slower) as nights:
        nights_at(nights, 45)
        assert drift_alerts(nights) == []


@pytest.mark.parametrize("decision", ["accept", "open", "ignore"])
def test_what_a_decision_explains_is_no_drift(decision: str) -> None:
    with simulated(9) as nights:
        nights_at(nights, LEARNT)
        assert night(nights, 104.0).exit_status == 1
        for one in nights.book.open if decision != "open" else []:
            getattr(log_entries, decision)(nights.history, one.id, "a reason", nights.clock())
        nights_at(nights, 12, 104.0)
        assert drift_alerts(nights) == []


def test_a_step_that_never_was_an_alert_is_drift() -> None:
    """Where nothing compared old and new, the last good build moved along."""
    with simulated(10) as nights:
        nights_at(nights, LEARNT)
        for factor in (100.7, 101.4, 102.1, 102.8):
            nights_at(nights, 3, factor)
        assert any(one.direction == "regression" for one in drift_alerts(nights))


def test_a_drift_that_goes_back_is_fixed() -> None:
    with simulated(11) as nights:
        drifting(nights, 0, 30)
        assert [one for one in drift_alerts(nights) if one.is_open]
        nights_at(nights, 4)
        assert {one.state for one in drift_alerts(nights) if one.direction == "regression"} == {"fixed"}


def test_an_ignored_drift_holds_until_it_goes_on() -> None:
    with simulated(12) as nights:
        drifting(nights, 0, 30)
        ignore_all(nights)
        known = len(drift_alerts(nights))
        nights_at(nights, 6, 102.9)
        assert len(drift_alerts(nights)) == known
        nights_at(nights, 4, 106.0)
        assert 1 in [one.exit_status for one in nights_at(nights, 1, 106.0)] or len(nights.book.open) > 0


# ---- machines that cannot tell


def test_the_least_step_is_said_where_equal_builds_differ() -> None:
    with simulated(13, session=0.01) as nights:
        found = nights_at(nights, 6)
        assert all(one.least_step > 0.01 for one in found)
        said = [note for one in found for note in one.notes if "cannot be confirmed on this machine tonight" in note]
        assert said and "instructions decide" in said[0]
        assert found[-1].as_json()["least_step"] == found[-1].least_step
    with simulated(13, session=0.0005) as nights:
        (only,) = nights_at(nights, 1)
        assert only.least_step == 0.01 and not any("cannot be confirmed" in note for note in only.notes)
    assert np.isnan(least_step([]))


@pytest.mark.parametrize(
    ("new", "count", "decision"),
    [
        (99.0, 490.0, "confirmed"),  # time is within the noise, and instructions show the step
        (99.0, 500.0, "not confirmed"),
        (101.0, 490.0, "not confirmed"),  # time went the other way
    ],
)
def test_instructions_decide_what_time_cannot(new: float, count: float, decision: str) -> None:
    session = Session((100.0,), (new,), (new * 1.006,), instructions=(500.0, count))
    found = confirm(session, -0.02, 0.006)
    assert found.decision == decision
    assert (found.by == "instructions") == (decision == "confirmed")


def test_a_step_above_the_noise_is_confirmed_by_time_on_a_noisy_machine() -> None:
    found = confirm(Session((100.0,), (90.0,), (90.9,)), -0.1, 0.01)
    assert (found.decision, found.by) == ("confirmed", "time")
    assert confirm(Session((100.0,), (98.0,), (98.9,)), -0.02, 0.01).decision == "cannot tell"


def test_candidates_are_counted() -> None:
    def weekend(random: np.random.Generator) -> noise.Values:
        return 1 - 0.02 * (np.arange(noise.NIGHTS) % 7 >= 5)

    with simulated(14, weekend, session=0.0005) as nights:
        found = nights_at(nights, 21)
        assert [one.candidates > 0 for one in found[14:]] == [False] * 5 + [True] * 2
        assert found[20].as_json()["candidates"] == found[20].candidates


# ---- one write each


def test_a_night_killed_after_any_write_leaves_no_alert_without_its_baseline() -> None:
    """An accepted alert and its baseline are one entry, an improvement and its end are one write."""
    with simulated(15) as nights:
        nights_at(nights, LEARNT)
        writes: list[list[dict[str, object]]] = []
        append = nights.history.append
        nights.history.append = lambda name, entries: (writes.append(entries), append(name, entries))[1]  # type: ignore[method-assign]
        night(nights, 95.0)
        (write,) = [entries for entries in writes if entries and entries[0].get("action") == "opened"]
        assert [one["action"] for one in write] == ["opened", "accepted"]
        nights_at(nights, 6, 95.0)
        writes.clear()
        night(nights, 99.0)
        log_entries.accept(nights.history, "last", "wanted", nights.clock())
        assert [len(entries) for entries in writes if entries][-1] == 1
        assert [one.sentence for one in nights.events("accepted")][-1] == "accepted: wanted"


def test_a_baseline_that_an_earlier_version_logged_counts_once() -> None:
    with simulated(16) as nights:
        nights_at(nights, LEARNT)
        night(nights, 105.0)
        (alert,) = nights.book.open
        closed = log_entries.accept(nights.history, alert.id, "wanted", nights.clock())
        derived = nights.events("accepted")
        nights.history.append("events", [one.as_json() for one in derived])
        assert nights.events("accepted") == derived
        log_entries.reopen(nights.history, closed.id, "", nights.clock())
        assert nights.events("accepted") == []


# ---- times to come


def test_a_night_of_a_wrong_clock_is_forgotten(nights: Nights) -> None:
    nights.measurer.has_interfaces = False
    nights.many(2)
    right = nights.clock.time
    nights.clock.time = right.replace(year=2036)
    commit(nights, "c1", "106 106")
    nights.measurer.busy_reason = ""
    assert nights.night().exit_status == 1
    stamp = nights.clock.time
    nights.clock.time = right
    with pytest.raises(Exception, match=f"nightly forget {night_name(stamp)}"):
        nights.night()
    nights.clock.time = right
    log_entries.note(nights.history, Event(stamp, "rack-1", "not measured", "busy"))
    assert any(night_name(stamp) in one for one in forgetting.still_to_come(nights.history, right))
    with nights.history.lock():
        gone = forgetting.forget(nights.history, stamp, "", right)
        assert gone[0] == "its rows"
        with pytest.raises(UsageError, match="has no night"):
            forgetting.forget(nights.history, stamp, "", right)
    assert forgetting.still_to_come(nights.history, right) == []
    assert nights.book.alerts == {} and nights.events("not measured") == []
    assert all(one.last_used < "2036" for one in nights.store._all())
    assert nights.night().exit_status == 1, "a night of today finds the regression"


def test_an_event_of_all_machines_goes_with_the_last_of_them(nights: Nights) -> None:
    right = nights.clock.time
    stamp = right.replace(year=2031)
    log_entries.note(nights.history, Event(stamp, "", "user", "a new kernel"))
    log_entries.note(nights.history, Event(stamp, "rack-1", "not measured", "busy"))
    log_entries.note(nights.history, Event(stamp, "rack-2", "not measured", "busy"))
    with nights.history.lock():
        assert forgetting.forget(nights.history, stamp, "rack-1", right) == ["1 events"]
        assert len(nights.events("user")) == 1
        assert forgetting.forget(nights.history, stamp, "", right) == ["2 events"]
        assert forgetting.still_to_come(nights.history, right) == []
        log_entries.note(nights.history, Event(stamp, "", "user", "the clock was wrong"))
        assert forgetting.forget(nights.history, stamp, "", right) == ["1 events"]
    assert forgetting.still_to_come(nights.history, right) == []


def test_the_alert_that_was_closed_last_is_the_last_in_the_log() -> None:
    first = Alert("a", FIRST, "m", "regression", True, "", "")
    second = replace(first, id="b")
    later, now = FIRST.replace(year=2036), FIRST
    entries = [first.opened(), second.opened()]
    entries += [alerts.closing(first, "accepted", "", later), alerts.closing(second, "accepted", "", now)]
    assert alerts.parse(entries).last_closed().id == "b"
