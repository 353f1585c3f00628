# SPDX-License-Identifier: Apache-2.0
"""Alerts: one for each night, range of commits and direction, with the series that changed and its evidence.

The log is a list of actions: an alert is opened once, and stays open until it is accepted (the change is wanted: a new
baseline begins), ignored with a reason (a false alarm), fixed (its series are back where they were), or, where it was
not confirmed, superseded by one that is. What was closed by mistake is reopened. An alert of a night that is
forgotten goes with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from typing import Any, Literal, cast, get_args

from headroom.core.errors import UsageError
from headroom.core.text import shortened
from headroom.history.series import night_name, night_of

Direction = Literal["regression", "improvement", "change", "verdict"]
State = Literal["open", "accepted", "fixed", "ignored", "superseded"]
CLOSING: tuple[State, ...] = ("accepted", "fixed", "ignored", "superseded")  # actions, and the states that they lead to
Warn = Callable[[str], None]
_SENTENCE = re.compile(r"(.*): (\S+) → (\S+)(?: \((.*)\))?", re.DOTALL)


@dataclass(frozen=True)
class ChangedSeries:
    """A series of an alert. `step` is the share of the baseline by which it changed; `baseline` and `value` are in
    `unit`. `ratio` is that of the interleaved measurement (new over old), None if there was none; `evidence` is a
    sentence. `first_night` is the first night that differs.
    """

    id: str
    label: str
    test: str
    metric: str
    unit: str
    baseline: float
    value: float
    step: float
    first_night: datetime
    ratio: float | None = None
    evidence: str = ""

    def as_json(self) -> dict[str, Any]:
        return {**vars(self), "first_night": night_name(self.first_night)}


@dataclass(frozen=True)
class ChangedCase:
    """A case whose verdict changed."""

    test: str
    before: str
    after: str
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.test}: {self.before} → {self.after}" + (f" ({self.reason})" if self.reason else "")


@dataclass(frozen=True)
class Alert:
    """An alert as the log shows it. `confirmed`: an interleaved measurement, a count of instructions, or a verdict has
    proved it; only such alerts make the exit status 1. `cases` are those whose verdict changed. `implementation` and
    `build` are what was measured; "" in logs of earlier versions. `drift_since` is the night since which the code has
    drifted, against the pinned build; None if the alert is about a step.
    """

    id: str
    night: datetime
    machine: str
    direction: Direction
    confirmed: bool
    old_commit: str
    new_commit: str
    series: tuple[ChangedSeries, ...] = ()
    cases: tuple[ChangedCase, ...] = ()
    implementation: str = ""
    build: str = ""
    drift_since: datetime | None = None
    state: State = "open"
    reason: str = ""
    closed: str = ""  # time of the closing

    @property
    def is_open(self) -> bool:
        return self.state == "open"

    @property
    def is_worse(self) -> bool:
        return self.direction in ("regression", "verdict")

    def commits(self, digits: int = 12) -> str:
        """The commits between which it began, such as `0f3a..9c41`; "" if the builds have no commit."""
        old, new = self.old_commit[:digits], self.new_commit[:digits]
        return f"{old}..{new}" if old and new else f"since {new}" if new else f"after {old}" if old else ""

    @property
    def title(self) -> str:
        cases = f"{len(self.cases)} case{'' if len(self.cases) == 1 else 's'}"
        what = f"{len(self.series)} series" if self.series else cases
        since = f" (drift since {self.drift_since:%Y-%m-%d})" if self.drift_since else ""
        return f"{'' if self.confirmed else 'unconfirmed '}{self.direction}{since}: {what}"

    def opened(self) -> dict[str, Any]:
        """The log entry that opens it."""
        return {
            "alert": self.id,
            "action": "opened",
            "night": night_name(self.night),
            "machine": self.machine,
            "direction": self.direction,
            "confirmed": self.confirmed,
            "old_commit": self.old_commit,
            "new_commit": self.new_commit,
            "series": [changed.as_json() for changed in self.series],
            "cases": [dict(vars(case)) for case in self.cases],
            "implementation": self.implementation,
            "build": self.build,
            **({"drift_since": night_name(self.drift_since)} if self.drift_since else {}),
        }


@dataclass
class AlertBook:
    """All alerts, by identity, in the order in which they were opened. `closings` are the identities of closed alerts,
    in the order of the log, because a wrong clock would give a wrong order.
    """

    alerts: dict[str, Alert] = field(default_factory=dict)
    closings: list[str] = field(default_factory=list)

    @property
    def open(self) -> list[Alert]:
        return [alert for alert in self.alerts.values() if alert.is_open]

    def find(self, name: str) -> Alert:
        """An alert by its identity, or by a beginning that no other identity has; `last` is the newest open one. Raises
        UsageError.
        """
        matching = [alert for alert in self.alerts.values() if alert.id.startswith(name)]
        if name == "last":
            matching = self.open[-1:]
        if name in self.alerts:
            return self.alerts[name]
        if len(matching) == 1:
            return matching[0]
        known = ", ".join(open_alert.id for open_alert in self.open) or "none"
        what = f"Several alerts begin with '{name}'" if matching else f"There is no alert '{name}'"
        raise UsageError(f"{what}. Open alerts: {known}.")

    def last_closed(self) -> Alert:
        """The alert that was closed last. Raises UsageError if none is closed."""
        closed = [alert for name in self.closings if (alert := self.alerts.get(name)) and not alert.is_open]
        if not closed:
            raise UsageError("No alert is closed.")
        return closed[-1]

    def alerted(self) -> dict[str, Alert]:
        """The open alert of each series, by its identity. A confirmed alert takes precedence over others."""
        ordered = sorted(self.open, key=lambda alert: alert.confirmed)
        return {series.id: alert for alert in ordered for series in alert.series}

    def of(self, machine: str) -> AlertBook:
        """The alerts of a machine."""
        return AlertBook({alert.id: alert for alert in self.alerts.values() if alert.machine == machine}, self.closings)

    @property
    def precision(self) -> tuple[int, int]:
        """The number of closed alerts that were right (accepted or fixed), and of all closed alerts."""
        closed = [alert for alert in self.alerts.values() if not alert.is_open and alert.confirmed]
        return sum(one.state != "ignored" for one in closed), len(closed)


def parse(entries: Iterable[dict[str, Any]], warn: Warn = lambda sentence: None) -> AlertBook:
    """The alerts of a log. Invalid entries are left out with a warning. The first action that closes an alert counts,
    until it is reopened.
    """
    book = AlertBook()
    for entry in entries:
        identity, action = str(entry.get("alert", "")), str(entry.get("action", ""))
        known = book.alerts.get(identity)
        if action == "opened" and known is None:
            try:
                book.alerts[identity] = _opened(identity, entry)
            except (KeyError, TypeError, ValueError) as error:
                warn(f"An entry of alerts.jsonl is not an alert ({type(error).__name__}: {error}): {_shown(entry)}.")
        elif known is None or action not in ("opened", "reopened", "forgotten", *CLOSING):
            warn(f"An entry of alerts.jsonl names no known alert: {_shown(entry)}.")
        elif action == "forgotten":
            del book.alerts[identity]
        elif action == "reopened":
            book.alerts[identity] = replace(known, state="open", reason="", closed="")
        elif action in CLOSING and known.is_open:
            state = cast(State, action)
            reason, closed = (str(entry.get(name, "")) for name in ("reason", "at"))
            book.alerts[identity] = replace(known, state=state, reason=reason, closed=closed)
            book.closings.append(identity)
    return book


def _shown(entry: dict[str, Any]) -> str:
    return shortened(json.dumps(entry), 120)


def _opened(identity: str, entry: dict[str, Any]) -> Alert:
    direction = str(entry["direction"])
    if direction not in get_args(Direction):
        raise ValueError(direction)
    return Alert(
        id=identity,
        night=night_of(entry["night"]),
        machine=str(entry["machine"]),
        direction=cast(Direction, direction),
        confirmed=bool(entry["confirmed"]),
        old_commit=str(entry.get("old_commit", "")),
        new_commit=str(entry.get("new_commit", "")),
        series=tuple(_changed_series(changed) for changed in entry.get("series", ())),
        cases=tuple(_changed_case(case) for case in entry.get("cases", ())),
        implementation=str(entry.get("implementation", "")),
        build=str(entry.get("build", "")),
        drift_since=night_of(entry["drift_since"]) if entry.get("drift_since") else None,
    )


def _changed_series(entry: dict[str, Any]) -> ChangedSeries:
    """The series of an entry. Names that a later version added are left out."""
    texts = {name: str(entry[name]) for name in ("id", "label", "test", "metric", "unit")}
    numbers = {name: float(entry[name]) for name in ("baseline", "value", "step")}
    ratio = entry.get("ratio")
    return ChangedSeries(
        **texts,
        **numbers,
        first_night=night_of(entry["first_night"]),
        ratio=None if ratio is None else float(ratio),
        evidence=str(entry.get("evidence", "")),
    )


def _changed_case(entry: dict[str, Any] | str) -> ChangedCase:
    """The case of an entry; in earlier versions, a sentence such as `test: pass → fail (reason)`."""
    if isinstance(entry, str):
        match = _SENTENCE.fullmatch(entry)
        if match is None:
            raise ValueError(f"'{entry}' is not a changed case")
        return ChangedCase(match[1], match[2], match[3], match[4] or "")
    return ChangedCase(*(str(entry[name]) for name in ("test", "before", "after")), str(entry.get("reason", "")))


def closing(alert: Alert, action: str, reason: str, now: datetime) -> dict[str, Any]:
    """The entry that closes an alert. Raises UsageError if it is closed already, or if an ignored one has no reason."""
    if not alert.is_open:
        raise UsageError(f"The alert {alert.id} is {alert.state} already.")
    if action == "ignored" and not reason.strip():
        raise UsageError("Give a reason to ignore an alert: --reason '…'.")
    return _action(alert, action, reason, now)


def forgetting(alert: Alert, now: datetime) -> dict[str, Any]:
    """The entry that removes an alert from the book, when its night is removed from the history."""
    return _action(alert, "forgotten", "", now)


def reopening(alert: Alert, reason: str, now: datetime) -> dict[str, Any]:
    """The entry that opens an alert again. Raises UsageError if it is open."""
    if alert.is_open:
        raise UsageError(f"The alert {alert.id} is open.")
    return _action(alert, "reopened", reason, now)


def _action(alert: Alert, action: str, reason: str, now: datetime) -> dict[str, Any]:
    return {
        "alert": alert.id,
        "action": action,
        "reason": reason,
        "at": now.astimezone(UTC).isoformat(timespec="seconds"),
    }


def identity(
    night: datetime, direction: Direction, confirmed: bool, known: Collection[str], is_drift: bool = False
) -> str:
    """A new alert's identity: night, direction, and a number if there are several."""
    base = f"{night_name(night)}-{'' if confirmed else 'unconfirmed-'}{'drift-' if is_drift else ''}{direction}"
    numbered = (base if number == 1 else f"{base}-{number}" for number in count(1))
    return next(candidate for candidate in numbered if candidate not in known)
