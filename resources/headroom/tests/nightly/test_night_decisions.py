# SPDX-License-Identifier: Apache-2.0
"""What a night decides where not all goes well: no build to compare with, no time left, alerts that are open."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from headroom.core.errors import UsageError
from headroom.core.sentinels import ArmFailed
from headroom.history import events
from headroom.history.alerts import ChangedCase
from headroom.nightly import log_entries
from headroom.tests.nightly import nights as nights_module
from headroom.tests.nightly.nights import Nights, commit

pytestmark = pytest.mark.long

CASE = "conformance/rohc/A"


def good(nights: Nights) -> str:
    found = nights.store.marked("last-good")
    return found.commit if found else ""


def states(nights: Nights) -> list[tuple[str, str]]:
    return [(one.direction, one.state) for one in nights.book.alerts.values()]


# ---- changes that cannot be compared


def test_a_candidate_without_time_to_confirm_is_undecided(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "104 104")
    measure = nights.measurer.measure

    def slow(name: str, *words: Any) -> Any:
        if name == nights.measurer.names[-1]:
            nights.clock.time += timedelta(hours=1)
        return measure(name, *words)

    nights.measurer.measure = slow
    found = nights.night(budget_s=1800.0, cases=False, searches=False)
    assert (found.status, found.exit_status, good(nights)) == ("cannot tell", 3, "c0")
    assert any("the budget was used up before its change could be confirmed" in note for note in found.notes)
    nights.measurer.measure = measure
    assert nights.night().exit_status == 1, "the next night tells"


def test_an_old_build_that_crashes_leaves_a_candidate_undecided(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "104 104")
    measure = nights.measurer.measure

    def crash(name: str, arms: Any, trials: int, count: bool) -> Any:
        if "old" in arms:
            raise ArmFailed("old", "It crashed.")
        return measure(name, arms, trials, count)

    nights.measurer.measure = crash
    found = nights.night()
    assert (found.status, found.exit_status) == ("cannot tell", 3)
    assert any("the builds were not compared" in note for note in found.notes)
    assert nights.events("cannot tell") and good(nights) == "c0"


def test_without_comparison_a_step_becomes_an_unconfirmed_alert(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "104 104")
    found = [nights.night(ab=False) for _ in range(4)]
    assert [one.exit_status for one in found] == [0] * 4
    assert [len(one.opened) for one in found] == [0, 0, 1, 0], "told once"
    (alert,) = nights.book.open
    assert not alert.confirmed and good(nights) == "c0"
    compared = nights.night()
    assert compared.exit_status == 1, "what was not confirmed is judged on"
    assert states(nights) == [("regression", "superseded"), ("regression", "open")]


def test_a_fence_is_confirmed_after_a_night_that_could_not_tell(nights: Nights) -> None:
    nights.many(12)
    measure = nights.measurer.measure

    def noisy(name: str, arms: Any, trials: int, count: bool) -> Any:
        found = measure(name, arms, trials, False)
        if "old" in found:
            for metric, values in found["copy"].items():
                found["copy"][metric] = [1.1 * one for one in values]
        return found

    nights.measurer.measure = noisy
    for number in range(5):
        commit(nights, f"c{number + 1}", f"104 100 {number}")
        assert nights.night().exit_status == 3
    nights.measurer.measure = measure
    assert good(nights) == "c0"
    commit(nights, "c9", "104 104 9")
    found = nights.night()
    assert found.exit_status == 1
    assert found.opened[0].old_commit == "c0", "the last build of the baseline"


def test_a_pinned_build_that_is_lost_begins_an_epoch_of_its_controls(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "90 90")
    nights.night()
    pinned = nights.store.marked("pinned")
    assert pinned is not None
    pinned.path.unlink()
    results = nights.many(3)
    assert nights.events("machine") == [] and all(one.exit_status == 0 for one in results)
    series = [one for one in nights.history.series().values() if one.key.compressor == "pinned"]
    assert all(len(list(one.condition_changes())) == 1 for one in series)


# ---- a named commit


def test_a_named_commit_is_compared_directly(nights: Nights) -> None:
    commit(nights, "v1", "100 100")
    commit(nights, "c1", "104 104")
    nights.many(12)
    found = nights.night(against="v1")
    assert found.exit_status == 1
    assert (found.opened[0].old_commit, found.opened[0].new_commit) == ("v1", "c1")


def test_a_night_against_a_named_commit_makes_no_good_build(nights: Nights) -> None:
    commit(nights, "v1", "110 110")
    commit(nights, "c1", "100 100")
    nights.many(12)
    commit(nights, "c2", "103 103")
    assert nights.night(against="v1").exit_status == 0, "it is faster than that"
    assert good(nights) == "c1"
    assert nights.night().exit_status == 1


# ---- alerts that are open, ignored, or of another machine


def test_what_changes_further_is_seen_while_an_alert_is_open(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "104 104")
    assert nights.night().exit_status == 1
    assert [one.exit_status for one in nights.many(6)] == [0] * 6
    commit(nights, "c2", "115 115")
    found = nights.night()
    assert found.exit_status == 1
    assert found.opened[0].old_commit == "c1"
    commit(nights, "c3", "100 100 mended")
    nights.many(4)
    assert states(nights) == [("regression", "fixed")] * 2


def test_an_ignored_alert_does_not_come_back(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "104 104")
    nights.night()
    log_entries.ignore(nights.history, "last", "another cooler", nights.clock())
    assert [one.exit_status for one in nights.many(4)] == [0] * 4
    assert good(nights) == "c1"
    commit(nights, "c2", "112 112")
    assert nights.night().exit_status == 1


@pytest.mark.long
def test_an_alert_is_accepted_reopened_and_accepted_again(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "104 104")
    nights.night()
    for _ in range(2):
        log_entries.accept(nights.history, nights.book.open[0].id, "", nights.clock())
        assert nights.many(1)[0].exit_status == 0
        log_entries.reopen(nights.history, "last", "", nights.clock())
    log_entries.accept(nights.history, "last", "", nights.clock())
    assert len(nights.events("accepted")) == 1
    assert [one.exit_status for one in nights.many(6)] == [0] * 6


def test_machines_of_one_history_have_alerts_of_their_own(nights: Nights, tmp_path: Path) -> None:
    other = nights_module.of(tmp_path, "rack-2")
    nights.many(12)
    other.clock.time = nights.clock.time
    nights.measurer.verdicts[CASE] = "fail"
    assert nights.night().exit_status == 1
    for _ in range(3):
        found = other.night(fail_while_open=True)
        assert (found.exit_status, found.still_open) == (0, [])
    assert good(other) == "c0"
    (alert,) = nights.book.open
    assert alert.machine == "rack-1", "the other machine passes the case, and fixes nothing"


def test_another_implementation_needs_another_history(nights: Nights) -> None:
    nights.night()
    nights.measurer.implementation = "librohc"
    with pytest.raises(UsageError, match=r"belongs to reference \(gcc-O2\), not to librohc \(gcc-O2\)"):
        nights.night()


# ---- series without a baseline


@pytest.mark.long
def test_a_step_is_seen_though_another_kernel_took_the_baseline(nights: Nights) -> None:
    nights.many(12)
    nights.measurer.kernel = "6.2"
    nights.many(2)
    commit(nights, "c1", "105 105")
    assert nights.night().exit_status == 1


@pytest.mark.long
def test_a_step_is_seen_two_nights_after_one_of_the_place_of_the_code(nights: Nights) -> None:
    nights.measurer.relinks = True
    nights.many(12)
    commit(nights, "c1", "103 100 layout")
    nights.night()
    assert nights.events("layout")
    commit(nights, "c2", "103 100 layout other")
    assert nights.night().opened == []
    commit(nights, "c3", "110 100")
    assert nights.night().exit_status == 1


def test_an_accepted_change_is_not_seen_again_by_builds_before_it(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "104 104")
    nights.night()
    log_entries.accept(nights.history, "last", "", nights.clock())
    for number in range(8):
        commit(nights, f"d{number}", f"104 104 {number}")
        found = nights.night()
        assert (found.exit_status, found.opened) == (0, []), found.notes


def test_time_alone_without_a_baseline_is_an_alert_the_second_night(nights: Nights) -> None:
    nights.many(3)
    commit(nights, "c1", "106 100")
    first, second = nights.many(2)
    assert (first.exit_status, second.exit_status) == (0, 1), first.notes


# ---- cases


def test_cases_that_cannot_run_leave_what_was_measured(nights: Nights) -> None:
    nights.night()
    nights.measurer.cases_reason = "Robot Framework could not run the suites."
    found = nights.night()
    assert (found.status, found.exit_status) == ("measured in part", 3)
    assert len(nights.history.nights()) == 2
    assert nights.events("not measured") == []


def test_cases_that_do_not_fit_into_the_budget_are_said(nights: Nights) -> None:
    nights.night()
    measure = nights.measurer.measure

    def slow(*words: Any) -> Any:
        nights.clock.time = nights.clock.time.replace(minute=nights.clock.time.minute + 10)
        return measure(*words)

    nights.measurer.measure = slow
    found = nights.night(budget_s=900.0)
    assert found.exit_status == 3
    assert any("conformance cases were not run: the budget of 900 s" in note for note in found.notes)


def test_a_case_that_is_not_supported_any_more_fixes_nothing(nights: Nights) -> None:
    nights.night()
    nights.measurer.verdicts[CASE] = "fail"
    assert nights.night().opened[0].cases == (ChangedCase(CASE, "pass", "fail"),)
    nights.measurer.verdicts[CASE] = "unsupported"
    nights.night()
    assert len(nights.book.open) == 1
    assert nights.measurer.kept_runs == [nights.book.open[0].id.removesuffix("-verdict")], "its run is kept"
    nights.measurer.verdicts[CASE] = "non-strict"
    nights.night()
    assert nights.book.open == []


def test_an_improvement_is_told_as_what_it_is(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "95 95")
    (alert,) = nights.night().opened
    assert (alert.direction, alert.state) == ("improvement", "accepted")


def test_a_build_of_a_changed_tree_names_no_commit_to_look_for(nights: Nights) -> None:
    nights.many(12)
    commit(nights, "c1", "104 104")
    nights.measurer.changed = True
    (alert,) = nights.night().opened
    assert (alert.old_commit, alert.new_commit) == ("c0", "")


def test_an_entry_of_the_future_is_no_decision(nights: Nights) -> None:
    """An event that a user noted for a later night begins nothing yet."""
    nights.many(12)
    later = replace(events.Event(nights.clock(), "", "user", "new memory"), night=nights.clock().replace(month=12))
    log_entries.note(nights.history, later)
    commit(nights, "c1", "104 104")
    assert nights.night().exit_status == 1
