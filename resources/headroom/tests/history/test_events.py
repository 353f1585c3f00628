# SPDX-License-Identifier: Apache-2.0
"""Events and the epochs that they begin."""

from __future__ import annotations

from typing import Any

import pytest

from headroom.history.events import Event, epoch, parse
from headroom.tests.history.support import HOSTILE, grouped, night, point, series


def test_events_survive_the_log() -> None:
    events = [Event(night(i), "rack", "user", text, (text,), {text: 1.5}) for i, text in enumerate(HOSTILE)]
    assert parse(one.as_json() for one in events) == events


def test_events_stand_by_night() -> None:
    events = [Event(night(index), "", "user", str(index)) for index in (3, 1, 2)]
    assert [one.sentence for one in parse(one.as_json() for one in events)] == ["1", "2", "3"]


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"kind": "user"},
        {"kind": "riddle", "night": "20260901T020000Z"},
        {"kind": "user", "night": "tomorrow"},
        {"kind": "user", "night": 5},
        {"kind": "user", "night": "20260901T020000Z", "bridge": [1]},
        {"kind": "user", "night": "20260901T020000Z", "bridge": {"a": "b"}},
        {"kind": "user", "night": "20260901T020000Z", "series": 5},
    ],
)
def test_entries_that_are_no_events_are_left_out(entry: dict[str, Any]) -> None:
    known = Event(night(0), "", "user", "known")
    assert parse([entry, known.as_json()]) == [known]


def test_entries_that_are_no_events_are_named() -> None:
    warnings: list[str] = []
    parse(
        [{"kind": "riddle", "night": "20260901T020000Z"}, Event(night(0), "", "user", "known").as_json()],
        warnings.append,
    )
    (only,) = warnings
    assert "events.jsonl" in only and "riddle" in only


def test_an_event_is_withdrawn() -> None:
    events = [Event(night(index), "", "user", "new memory") for index in (1, 2)]
    entries = [one.as_json() for one in events]
    assert parse([*entries, events[0].withdrawn()]) == events[1:]
    assert parse([*entries, events[0].withdrawn(), entries[0]]) == events
    assert parse([events[0].withdrawn()]) == []


def test_an_event_of_the_user_begins_an_epoch() -> None:
    found = epoch(series([1.0] * 6), [Event(night(3), "rack", "user", "new memory")])
    assert (found.start, found.reason, found.is_after_change) == (3, "new memory", True)


def test_an_event_between_two_nights_begins_an_epoch_with_the_later_one() -> None:
    rows = [point(index).as_row() for index in (0, 1, 5, 6)]
    (only,) = grouped(rows).values()
    assert epoch(only, [Event(night(3), "", "user", "new memory")]).start == 2


def test_an_event_after_the_last_night_begins_nothing_yet() -> None:
    assert epoch(series([1.0] * 3), [Event(night(9), "", "user", "soon")]).start == 0


@pytest.mark.parametrize(
    "event",
    [
        Event(night(3), "lab", "user", "elsewhere"),
        Event(night(3), "rack", "accepted", "of another series", ("0123456789ab",)),
        Event(night(3), "rack", "not measured", "busy"),
        Event(night(3), "rack", "conditions", "read off the rows"),
    ],
)
def test_other_events_begin_no_epoch(event: Event) -> None:
    found = epoch(series([1.0] * 6), [event])
    assert (found.start, found.excluded) == (0, frozenset())


def test_a_machine_that_is_another_one_begins_an_epoch() -> None:
    rows = [point(index, conditions={"cpu_model": "old" if index < 4 else "new"}).as_row() for index in range(6)]
    (only,) = grouped(rows).values()
    found = epoch(only, [Event(night(2), "", "user", "before that")])
    assert (found.start, found.reason) == (4, "cpu_model: old → new")


def test_a_night_in_which_the_machine_moved_is_excluded() -> None:
    found = epoch(series([1.0] * 6), [Event(night(3), "rack", "machine", "moved")])
    assert (found.start, found.excluded) == (0, frozenset({3}))
    assert epoch(series([1.0] * 3), [Event(night(9), "rack", "machine", "moved")]).excluded == frozenset()


def test_a_series_without_nights_has_an_epoch() -> None:
    empty = series([1.0])
    empty.nights, empty.conditions = [], []
    assert epoch(empty, [Event(night(3), "rack", "user", "x")]).start == 0
