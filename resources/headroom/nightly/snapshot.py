# SPDX-License-Identifier: Apache-2.0
"""The state of a history as of the last night of each machine, for the page and the exports."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from headroom.history import assessment
from headroom.history.alerts import Alert, AlertBook
from headroom.history.assessment import FAILING, Judged
from headroom.history.events import Event
from headroom.history.series import Series
from headroom.history.store import History, default_folder
from headroom.nightly.log_entries import all_events, book


@dataclass(frozen=True)
class VerdictChange:
    """A case whose verdict changed in a night. `before` is its last known verdict."""

    night: datetime
    series: Series
    before: str
    after: str
    reason: str
    commit: str

    @property
    def is_failing(self) -> bool:
        return self.after in FAILING and self.before not in FAILING


def named(alert: Alert, history: Path) -> str:
    """An alert as an argument of `./headroom nightly`, for a shell, with its history unless it is the default."""
    name = shlex.quote(alert.id)
    if history.resolve() != default_folder().resolve():
        name += f" --history {shlex.quote(str(history.resolve()))}"
    return name


def show_command(alert: Alert, history: Path) -> str:
    return f"./headroom nightly show {named(alert, history)}"


@dataclass(frozen=True)
class Snapshot:
    """The state of a history. `judged` holds series with values, `cases` those of verdicts. `nights` are the measured
    ones, by machine, oldest first. `folder` is that of the history.
    """

    judged: tuple[Judged, ...]
    cases: tuple[Series, ...]
    events: tuple[Event, ...]
    book: AlertBook
    nights: dict[str, tuple[datetime, ...]]
    folder: Path

    def last(self, machine: str) -> datetime:
        return self.nights[machine][-1]

    def is_of_last_night(self, series: Series) -> bool:
        """True if the last night of its machine has a row of the series."""
        return series.nights[-1] == self.last(series.key.machine)

    def has_value(self, series: Series) -> bool:
        """True if that row has a value."""
        return self.is_of_last_night(series) and bool(np.isfinite(series.values[-1]))

    def unmeasured(self, machine: str) -> list[Event]:
        """The events since the machine's last night that explain why it measured nothing."""
        missed = (event for event in self.events if event.kind == "not measured" and event.machine in ("", machine))
        return [entry for entry in missed if entry.night > self.last(machine)]

    def alerts_by_series(self) -> dict[str, list[Alert]]:
        """All alerts of each series, open and closed, by its identity."""
        alerts: dict[str, list[Alert]] = {}
        for alert in self.book.alerts.values():
            for changed in alert.series:
                alerts.setdefault(changed.id, []).append(alert)
        return alerts

    def verdict_changes(self) -> list[VerdictChange]:
        """Changes of verdicts, the newest first."""
        changes = [change for case in self.cases for change in _changes(case)]
        return sorted(changes, key=lambda verdict_change: verdict_change.night, reverse=True)


def take(history: History) -> Snapshot:
    """Reads a history and judges each series as of its machine's last night. Raises as `History.series` does."""
    series = history.series().values()
    known = tuple(all_events(history))
    nights = _nights(series)
    judged = [
        assessment.judge(entry, known, nights[entry.key.machine][-1])
        for entry in series
        if entry.kind != "verdict" and len(entry)
    ]
    return Snapshot(
        judged=tuple(judged),
        cases=tuple(entry for entry in series if entry.kind == "verdict"),
        events=known,
        book=book(history),
        nights=nights,
        folder=history.folder,
    )


def _nights(series: Iterable[Series]) -> dict[str, tuple[datetime, ...]]:
    by_machine: dict[str, set[datetime]] = {}
    for entry in series:
        by_machine.setdefault(entry.key.machine, set()).update(entry.nights)
    return {machine: tuple(sorted(nights)) for machine, nights in sorted(by_machine.items())}


def _changes(case: Series) -> Iterable[VerdictChange]:
    before = ""
    for index, after in enumerate(case.texts):
        if after and before and after != before:
            yield VerdictChange(case.nights[index], case, before, after, case.reasons[index], case.commits[index])
        before = after or before
