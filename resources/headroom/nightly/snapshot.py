# SPDX-License-Identifier: Apache-2.0
"""What a history holds as of the last night of each machine, for the page and the exports."""

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
    """A case whose verdict of a night is not the one that it had before. `before` is its last known one."""

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
    """An alert as an argument of `./headroom nightly`, for a shell, with its history where that is another one."""
    name = shlex.quote(alert.id)
    if history.resolve() != default_folder().resolve():
        name += f" --history {shlex.quote(str(history.resolve()))}"
    return name


def show_command(alert: Alert, history: Path) -> str:
    return f"./headroom nightly show {named(alert, history)}"


@dataclass(frozen=True)
class Snapshot:
    """`judged` holds series with values, `cases` those of verdicts. `nights` are the measured ones, by machine, oldest
    first. `folder` is that of the history."""

    judged: tuple[Judged, ...]
    cases: tuple[Series, ...]
    events: tuple[Event, ...]
    book: AlertBook
    nights: dict[str, tuple[datetime, ...]]
    folder: Path

    def last(self, machine: str) -> datetime:
        return self.nights[machine][-1]

    def is_of_last_night(self, series: Series) -> bool:
        """Whether the last night of its machine has a row of it."""
        return series.nights[-1] == self.last(series.key.machine)

    def has_value(self, series: Series) -> bool:
        """Whether that row has a value."""
        return self.is_of_last_night(series) and bool(np.isfinite(series.values[-1]))

    def unmeasured(self, machine: str) -> list[Event]:
        """Events that say why the machine measured nothing, since its last night."""
        found = (one for one in self.events if one.kind == "not measured" and one.machine in ("", machine))
        return [one for one in found if one.night > self.last(machine)]

    def alerts_by_series(self) -> dict[str, list[Alert]]:
        """All alerts of each series, the open ones and the closed ones, by its identity."""
        found: dict[str, list[Alert]] = {}
        for alert in self.book.alerts.values():
            for one in alert.series:
                found.setdefault(one.id, []).append(alert)
        return found

    def verdict_changes(self) -> list[VerdictChange]:
        """Changes of verdicts, the newest first."""
        found = [change for case in self.cases for change in _changes(case)]
        return sorted(found, key=lambda one: one.night, reverse=True)


def take(history: History) -> Snapshot:
    """Reads a history and judges each series as of its machine's last night. Raises what `History.series` does."""
    series = history.series().values()
    known = tuple(all_events(history))
    nights = _nights(series)
    judged = [
        assessment.judge(one, known, nights[one.key.machine][-1])
        for one in series
        if one.kind != "verdict" and len(one)
    ]
    return Snapshot(
        judged=tuple(judged),
        cases=tuple(one for one in series if one.kind == "verdict"),
        events=known,
        book=book(history),
        nights=nights,
        folder=history.folder,
    )


def _nights(series: Iterable[Series]) -> dict[str, tuple[datetime, ...]]:
    found: dict[str, set[datetime]] = {}
    for one in series:
        found.setdefault(one.key.machine, set()).update(one.nights)
    return {machine: tuple(sorted(nights)) for machine, nights in sorted(found.items())}


def _changes(case: Series) -> Iterable[VerdictChange]:
    before = ""
    for index, after in enumerate(case.texts):
        if after and before and after != before:
            yield VerdictChange(case.nights[index], case, before, after, case.reasons[index], case.commits[index])
        before = after or before
