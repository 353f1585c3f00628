# SPDX-License-Identifier: Apache-2.0
"""Nights one after the other, with a faked clock and measurer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headroom.history import alerts, events
from headroom.history.store import History
from headroom.nightly import log_entries
from headroom.nightly.binaries import BinaryStore
from headroom.nightly.night import NightOptions, NightResult, run
from headroom.tests.nightly.fake_measurer import Clock, FakeMeasurer


@dataclass
class Nights:
    """A history with its measurer and clock."""

    history: History
    store: BinaryStore
    measurer: FakeMeasurer
    clock: Clock

    def night(self, **options: object) -> NightResult:
        self.clock.next_night()
        with self.history.lock():
            return run(
                self.history, self.store, self.measurer, NightOptions(**options), self.clock, lambda sentence: None
            )

    def many(self, count: int) -> list[NightResult]:
        return [self.night() for _ in range(count)]

    def events(self, kind: str) -> list[events.Event]:
        return [one for one in log_entries.all_events(self.history) if one.kind == kind]

    @property
    def book(self) -> alerts.AlertBook:
        return alerts.parse(self.history.log("alerts"))


def of(folder: Path, machine: str = "rack-1") -> Nights:
    """The nights of a machine, with a history in a folder."""
    store = BinaryStore(folder / "history" / "binaries" / machine)
    return Nights(History(folder / "history"), store, FakeMeasurer(folder, store, machine=machine), Clock())


def commit(nights: Nights, name: str, text: str) -> None:
    nights.measurer.commits[name] = text
    nights.measurer.head = name
