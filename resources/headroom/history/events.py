# SPDX-License-Identifier: Apache-2.0
"""Events: they begin an epoch of a series, or explain a gap.

Conditions that changed are read off the rows themselves. The log has the rest: a note of the user, an accepted change,
a night in which the machine moved, or a night that was not measured, or undecided.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, cast, get_args

from headroom.core.text import shortened
from headroom.history.series import Series, night_name, night_of

EventKind = Literal[
    "user", "accepted", "conditions", "layout", "machine", "machine changed", "not measured", "in part", "cannot tell"
]
# Kinds of events that begin a new series; changed conditions are read off the rows.
EPOCH_KINDS = ("user", "accepted", "layout", "machine changed")
Warn = Callable[[str], None]
LASTING = 3  # nights in a row in which the machine moved: then it has changed


@dataclass(frozen=True)
class Event:
    """An event. `series` holds the identities of its series; () means all of the machine. `bridge` holds, by series,
    the ratio of the new harness over the old one if both were measured in one session: it is shown, never applied.
    """

    night: datetime
    machine: str
    kind: EventKind
    sentence: str
    series: tuple[str, ...] = ()
    bridge: dict[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "night": night_name(self.night),
            "machine": self.machine,
            "kind": self.kind,
            "sentence": self.sentence,
            **({"series": list(self.series)} if self.series else {}),
            **({"bridge": self.bridge} if self.bridge else {}),
        }

    def withdrawn(self) -> dict[str, Any]:
        """The entry that withdraws it."""
        return {**self.as_json(), "withdrawn": True}

    def is_about(self, series: Series) -> bool:
        return self.machine in ("", series.key.machine) and (not self.series or series.key.id in self.series)


def parse(entries: Iterable[dict[str, Any]], warn: Warn = lambda sentence: None) -> list[Event]:
    """Events of the log, oldest first, without withdrawn ones. Invalid entries are left out with a warning."""
    events: list[Event] = []
    for entry in entries:
        try:
            event = _event(entry)
        except (KeyError, TypeError, ValueError) as error:
            text = shortened(json.dumps(entry), 120)
            warn(f"An entry of events.jsonl is not an event ({type(error).__name__}: {error}): {text}.")
            continue
        if entry.get("withdrawn") is not True:
            events.append(event)
        elif event in events:
            events.remove(event)
    return sorted(events, key=lambda event: event.night)


def _event(entry: dict[str, Any]) -> Event:
    kind = str(entry["kind"])
    if kind not in get_args(EventKind):
        raise ValueError(f"there is no kind '{kind}'")
    return Event(
        night_of(str(entry["night"])),
        str(entry.get("machine", "")),
        cast(EventKind, kind),
        str(entry.get("sentence", "")),
        tuple(map(str, entry.get("series", ()))),
        {str(name): float(ratio) for name, ratio in dict(entry.get("bridge", {})).items()},
    )


@dataclass(frozen=True)
class Epoch:
    """The nights of a series that may be compared: from `start` on, without `excluded`. `after_change`: another epoch
    was before it. `reason` tells why it began.
    """

    start: int
    excluded: frozenset[int] = frozenset()
    reason: str = ""

    @property
    def is_after_change(self) -> bool:
        return self.start > 0


def epoch(series: Series, events: Sequence[Event]) -> Epoch:
    """The current epoch of a series: since its conditions last changed, and since the last event that begins one.
    Nights in which the machine itself moved are excluded.
    """
    start, reason = 0, ""
    for index, changes in series.condition_changes():
        start, reason = index, "; ".join(changes)
    excluded = set()
    about = [event for event in events if event.is_about(series)]
    lasting = _lasting(about)
    for event in about:
        first = next((index for index, night in enumerate(series.nights) if night >= event.night), None)
        if event.kind in EPOCH_KINDS and first is not None and first >= start:
            start, reason = first, event.sentence
        if event.kind == "machine" and event.night in series.nights and event.night not in lasting:
            excluded.add(series.nights.index(event.night))
    return Epoch(start, frozenset(excluded), reason)


def _lasting(events: Sequence[Event]) -> set[datetime]:
    """The nights in which the machine moved for good: they belong to the epoch that began with the first of them."""
    nights: set[datetime] = set()
    for changed in events:
        if changed.kind == "machine changed":
            moved = [event.night for event in events if event.kind == "machine" and event.night >= changed.night]
            nights.update(moved[:LASTING])
    return nights


def lasting_change(events: Sequence[Event], nights: Sequence[datetime], machine: str) -> Event | None:
    """The event that a machine has changed for good: it moved in all of its last three measured nights, and no such
    event is known for them.
    """
    last = list(nights)[-LASTING:]
    moved = {event.night for event in events if event.kind == "machine" and event.machine == machine}
    known = any(
        event.kind == "machine changed" and event.machine == machine and event.night in last for event in events
    )
    if len(last) < LASTING or known or not moved.issuperset(last):
        return None
    return Event(last[0], machine, "machine changed", "The machine has changed for three nights: a new epoch begins.")
