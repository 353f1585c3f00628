# SPDX-License-Identifier: Apache-2.0
"""Nights from end to end, with a faked clock and measurer."""

from __future__ import annotations

import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from headroom.core.errors import EnvironmentLacks
from headroom.history import events
from headroom.history.alerts import ChangedCase
from headroom.history.store import History
from headroom.nightly import log_entries
from headroom.tests.nightly import killed_night
from headroom.tests.nightly.nights import Nights, commit

pytestmark = pytest.mark.slow


@pytest.mark.long
def test_equal_nights_raise_nothing(nights: Nights) -> None:
    for number in range(30):
        commit(nights, f"c{number}", f"100 100 {number}")  # other octets, the same work
        found = nights.night()
        assert (found.exit_status, found.opened) == (0, []), found.notes


def test_a_step_is_seen_the_first_night_with_its_evidence(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "103 104")
    found = nights.night()
    assert found.exit_status == 1
    (alert,) = found.opened
    assert (alert.direction, alert.confirmed, alert.old_commit, alert.new_commit) == ("regression", True, "c0", "c1")
    assert {one.metric for one in alert.series} == {"compress_ns", "compress_instructions"}
    assert all(one.ratio is not None and one.ratio > 1.02 and "limit" in one.evidence for one in alert.series)


def test_a_regression_is_told_once_and_stays_open(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "103 104")
    nights.night()
    later = nights.many(3)
    assert [one.exit_status for one in later] == [0, 0, 0]
    assert all(len(one.still_open) == 1 for one in later)


def test_a_regression_fails_each_night_where_that_is_chosen(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "103 104")
    assert [nights.night(fail_while_open=True).exit_status for _ in range(3)] == [1, 1, 1]
    log_entries.accept(nights.history, "last", "", nights.clock())
    assert nights.night(fail_while_open=True).exit_status == 0


def test_alerts_are_closed_while_a_night_goes_on(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "103 104")
    nights.night()
    measure = nights.measurer.measure

    def meanwhile(name, arms, trials, count):
        if nights.book.open:
            log_entries.accept(nights.history, "last", "wanted", nights.clock())
            log_entries.note(nights.history, events.Event(nights.clock(), "", "user", "new memory"))
        return measure(name, arms, trials, count)

    nights.measurer.measure = meanwhile
    assert nights.night().still_open == []
    assert [one.sentence for one in nights.events("user")] == ["new memory"]


def test_an_accepted_alert_is_reopened_with_the_baseline_that_it_had(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "104 104")
    nights.night()
    log_entries.accept(nights.history, "last", "", nights.clock())
    assert nights.events("accepted")
    reopened = log_entries.reopen(nights.history, "last", "not wanted", nights.clock())
    assert nights.events("accepted") == []
    assert [one.id for one in nights.book.open] == [reopened.id]
    commit(nights, "c2", "100 100 fixed")
    nights.many(3)
    assert [one.state for one in nights.book.alerts.values()] == ["fixed"]


def test_ctrl_c_in_a_night_is_a_gap(nights: Nights) -> None:
    def interrupted(name, arms, trials, count):
        raise KeyboardInterrupt

    nights.measurer.measure = interrupted
    with pytest.raises(KeyboardInterrupt):
        nights.night()
    assert "Ctrl-C" in nights.events("not measured")[0].sentence
    assert nights.history.nights() == []


def test_a_regression_that_goes_is_fixed(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "103 104")
    nights.night()
    commit(nights, "c2", "100 100 fixed")
    nights.many(3)
    assert [one.state for one in nights.book.alerts.values()] == ["fixed"]


def test_time_alone_is_an_alert_the_second_night(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "103 100")
    first, second = nights.many(2)
    assert first.opened == [] and any("place of the code" in note for note in first.notes)
    assert second.exit_status == 1


def test_time_alone_is_an_alert_the_first_night_where_it_is_there_in_other_layouts(nights: Nights) -> None:
    nights.measurer.relinks = True
    nights.many(12)
    commit(nights, "c1", "103 100")
    found = nights.night()
    assert found.exit_status == 1
    evidence = [one.evidence for alert in found.opened for one in alert.series]
    assert evidence and all("linked in 3 other orders" in one for one in evidence)


def test_time_that_goes_with_the_place_of_the_code_begins_a_baseline(nights: Nights) -> None:
    nights.measurer.relinks = True
    nights.many(12)
    commit(nights, "c1", "103 100 layout")
    found = nights.night()
    assert (found.exit_status, found.opened) == (0, []), found.notes
    assert any("the place of the code" in note for note in found.notes)
    (event,) = nights.events("layout")
    assert event.night == found.night and len(event.series) == 2  # one of each sentinel
    for number in range(6):
        commit(nights, f"c{2 + number}", f"103 100 layout {number}")  # still there, in other octets
        assert nights.night().opened == []
    commit(nights, "c9", "106 103")
    assert nights.night().exit_status == 1


def test_an_improvement_begins_a_new_baseline(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "95 95")
    found = nights.night()
    assert found.exit_status == 0
    assert [(one.direction, one.state) for one in nights.book.alerts.values()] == [("improvement", "accepted")]
    nights.many(6)
    commit(nights, "c2", "98 99")
    assert nights.night().exit_status == 1


def test_an_accepted_change_is_the_new_baseline(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "104 104")
    (alert,) = nights.night().opened
    log_entries.accept(nights.history, alert.id, "wanted", nights.clock())
    assert all(one.opened == [] for one in nights.many(8))


def test_two_nights_suffice_for_a_large_step(nights: Nights) -> None:
    nights.night()
    commit(nights, "c1", "105 105")
    found = nights.night()
    assert found.exit_status == 1
    assert found.opened[0].old_commit == "c0"


def test_a_dip_of_the_machine_is_no_alert(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "100 100 other")
    nights.measurer.machine_factor = 1.03
    found = nights.night()
    assert (found.opened, found.status, found.exit_status) == ([], "cannot tell", 3)
    assert len(nights.events("machine")) == 1
    nights.measurer.machine_factor = 1.0
    assert nights.night().opened == []


def test_a_machine_that_stays_slower_begins_an_epoch(nights: Nights) -> None:
    nights.many(12)
    nights.measurer.machine_factor = 1.05
    nights.many(6)
    assert len(nights.events("machine")) == 3
    assert [event.night.day for event in nights.events("machine changed")] == [nights.events("machine")[0].night.day]
    nights.many(2)
    commit(nights, "c1", "104 104")
    assert nights.night().exit_status == 1


def test_the_same_binary_is_never_blamed(nights: Nights) -> None:
    nights.many(12)
    nights.measurer.noise = 0.05
    assert all(one.opened == [] for one in nights.many(5))


def test_another_kernel_begins_an_epoch(nights: Nights) -> None:
    nights.many(12)
    nights.measurer.kernel = "6.2"
    nights.measurer.machine_factor = 0.9
    found = nights.night()
    assert found.opened == []
    (event,) = nights.events("conditions")
    assert "kernel: 6.1 → 6.2" in event.sentence
    nights.many(5)
    commit(nights, "c1", "103 103")
    assert nights.night().exit_status == 1


def test_another_harness_is_bridged(nights: Nights) -> None:
    nights.many(3)
    nights.measurer.engine_text = "engine 2"
    nights.night()
    bridged = [event for event in nights.events("conditions") if event.bridge]
    assert bridged
    assert all(0.9 < ratio < 1.1 for event in bridged for ratio in event.bridge.values())


def test_a_busy_machine_is_a_gap(nights: Nights) -> None:
    nights.measurer.busy_reason = "This machine was not fit to measure for 15 minutes: other work takes 60 %."
    found = nights.night()
    assert (found.status, found.exit_status) == ("not measured", 3)
    assert nights.history.nights() == []
    assert nights.events("not measured")[0].sentence == nights.measurer.busy_reason


def test_a_commit_that_does_not_build_is_a_gap(nights: Nights) -> None:
    nights.night()
    commit(nights, "c1", "")
    assert nights.night().exit_status == 3
    commit(nights, "c2", "100 100")
    assert nights.night().exit_status == 0


def test_a_newly_failing_case_ends_with_one(nights: Nights) -> None:
    nights.night()
    nights.measurer.verdicts["conformance/rohc/A"] = "fail"
    found = nights.night()
    assert found.exit_status == 1
    assert found.opened[0].cases == (ChangedCase("conformance/rohc/A", "pass", "fail"),)
    assert nights.night().exit_status == 0
    nights.measurer.verdicts["conformance/rohc/A"] = "pass"
    nights.night()
    assert nights.book.open == []


def test_a_sentinel_that_fails_is_a_gap_of_its_series_alone(nights: Nights) -> None:
    nights.many(2)
    nights.measurer.failing = "PDUs"
    nights.night()
    series = nights.history.series().values()
    gaps = [one for one in series if one.key.test.endswith("PDUs") and one.kind == "sentinel"]
    assert not any(list(one.condition_changes()) for one in gaps)
    assert gaps and all(one.reasons[-1] == "The adapter crashed." for one in gaps)


def test_what_does_not_fit_into_the_budget_is_not_measured(nights: Nights) -> None:
    nights.night()
    found = nights.night(budget_s=-1.0)
    assert (found.status, found.exit_status) == ("measured in part", 3)
    assert any("2 of 2 sentinels were not measured" in note for note in found.notes)
    gaps = [one for one in nights.history.series().values() if one.kind == "sentinel"]
    assert all("budget" in one.reasons[-1] for one in gaps)


def test_a_clock_that_goes_back_measures_nothing(nights: Nights) -> None:
    nights.night()
    nights.clock.time = nights.clock.time.replace(year=2025)
    with pytest.raises(EnvironmentLacks, match="clock"):
        nights.night()


def test_a_changed_tree_is_never_the_last_good_one(nights: Nights) -> None:
    nights.night()
    commit(nights, "c1", "100 100 mine")
    nights.measurer.changed = True
    nights.night()
    good = nights.store.marked("last-good")
    assert good is not None and good.commit == "c0"


def test_two_nights_at_once(nights: Nights) -> None:
    with nights.history.lock(), pytest.raises(EnvironmentLacks, match="Another process"), nights.history.lock():
        pass


def test_a_noisy_session_cannot_tell(nights: Nights) -> None:
    nights.measurer.names = ("Calls",)
    nights.many(12)
    commit(nights, "c1", "110 100")
    measure = nights.measurer.measure

    def noisy(name, arms, trials, count):
        found = measure(name, arms, trials, count)
        if "copy" in found and "old" in found:
            for metric in list(found["copy"]):
                if metric.unit == "ns":
                    found["copy"][metric] = [1.1 * one for one in found["copy"][metric]]
        return found

    nights.measurer.measure = noisy
    found = nights.night()
    assert (found.status, found.exit_status) == ("cannot tell", 3)


def test_a_night_that_cannot_tell_hides_no_confirmed_regression(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "103 104")
    assert nights.night().status == "measured"
    nights.measurer.machine_factor = 1.3
    found = nights.night()
    assert (found.status, found.exit_status, len(found.still_open)) == ("regression", 3, 1)


def test_rows_name_version_digest_and_a_first_look(nights: Nights) -> None:
    nights.night(quick=True)
    (found, *_) = [one for one in nights.history.series().values() if one.kind == "sentinel"]
    digest = nights.store.marked("pinned").digest  # type: ignore[union-attr]
    assert found.library(-1) == {"adapter": digest, "version": "2.1", "quick": "yes"}


def test_searches_are_weekly_context(nights: Nights) -> None:
    nights.many(9)
    (found,) = [one for one in nights.history.series().values() if one.kind == "context"]
    assert len(found) == 2
    assert (found.key.cpus, found.key.load, found.unit) == ("1c", "0.3", "flow pairs")


def test_the_bare_bridge_is_a_control_where_there_are_interfaces(nights: Nights) -> None:
    nights.measurer.has_interfaces = True
    nights.night()
    (found,) = [one for one in nights.history.series().values() if one.key.compressor == "bridge"]
    assert (found.kind, found.key.topology, found.unit) == ("control", "netns", "ns")
    assert (found.values.tolist(), found.commits) == ([30_000.0], [""])
    nights.measurer.bridge_reason = "A node ended."
    result = nights.night()
    assert result.exit_status == 0
    assert result.notes == ["The bare bridge was not measured: A node ended."]


def test_a_renamed_test_is_another_series(nights: Nights) -> None:
    nights.many(12)
    nights.measurer.names = ("Voice", "PDUs")
    commit(nights, "c1", "100 100 other")
    assert nights.night().opened == []
    tests = {one.key.test for one in nights.history.series().values() if one.kind == "sentinel"}
    assert tests == {f"performance/sentinels/{name}" for name in ("Calls", "Voice", "PDUs")}


@pytest.mark.long
def test_sixty_nights(nights: Nights) -> None:
    """A planted step, a dip of the machine, another kernel, another harness, missing nights: one true alert."""
    for number in range(60):
        commit(nights, f"c{number}", f"{103 if number >= 40 else 100} {102 if number >= 40 else 100} {number}")
        nights.measurer.machine_factor = 1.04 if number == 20 else 1.0
        nights.measurer.kernel = "6.2" if number >= 25 else "6.1"
        nights.measurer.engine_text = "engine 2" if number >= 32 else "engine 1"
        nights.measurer.busy_reason = "This machine was not fit to measure." if number in (10, 11, 50) else ""
        found = nights.night()
        assert found.exit_status == {40: 1, 10: 3, 11: 3, 20: 3, 50: 3}.get(number, 0), (number, found.notes)
    (alert,) = nights.book.alerts.values()
    assert (alert.old_commit, alert.new_commit, alert.is_open) == ("c39", "c40", True)
    assert len(nights.history.nights()) == 57
    kinds = [event.kind for event in events.parse(nights.history.log("events"))]
    assert kinds.count("not measured") == 3
    assert kinds.count("machine") == 1
    assert kinds.count("conditions") >= 2


@pytest.mark.long
def test_a_night_that_is_killed_at_any_write_harms_no_later_one(nights: Nights, tmp_path: Path) -> None:
    nights.many(11)
    statuses = []
    while 0 not in statuses:
        number = 12 + len(statuses)
        words = [str(tmp_path), str(number), str(len(statuses))]
        done = subprocess.run([sys.executable, "-m", killed_night.__name__, *words], capture_output=True, timeout=120)
        statuses.append(done.returncode)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    assert len(statuses) > 5
    (alert,) = nights.book.open
    assert alert.cases == (ChangedCase("conformance/rohc/A", "pass", "fail"),), "told once, whichever night was killed"
    nights.clock.time += timedelta(days=len(statuses) + 1)
    assert nights.night().exit_status == 0
    warnings: list[str] = []
    again = History(nights.history.folder, warnings.append)
    assert len(again.nights()) >= 12
    again.log("events")
    again.log("alerts")
    assert warnings == []
