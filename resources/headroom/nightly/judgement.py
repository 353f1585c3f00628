# SPDX-License-Identifier: Apache-2.0
"""The judgement of a measured night: it opens and closes alerts, and decides if its build is the new last good one.

Nothing here touches the machine: `Confirming` and `Relinking` measure again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from statistics import median

from headroom.core.sentinels import Trials
from headroom.history import alerts as alert_log
from headroom.history import events as event_log
from headroom.history.alerts import Alert, AlertBook, ChangedCase
from headroom.history.assessment import (
    PASSING,
    Flag,
    Judged,
    deviations_of,
    failing_cases,
    is_restored,
    judge,
    machine_moved,
)
from headroom.history.code_drift import DriftBook, near, rows_back
from headroom.history.confirmation import LEAST_CHANGE, MOST_LIMIT, least_step
from headroom.history.detection import GAUSSIAN_MAD
from headroom.history.events import Event, EventKind
from headroom.history.series import Series
from headroom.history.store import History
from headroom.nightly.binaries import Binary, BinaryStore
from headroom.nightly.changes import (
    YOUNG_LIMIT,
    AlertChange,
    Decisions,
    Layouts,
    Question,
    Sessions,
    decide,
    session_flags,
    settle,
)
from headroom.nightly.log_entries import all_events, book

MOST_NAMED = 5  # most cases in a note

# Measures old builds, named by test and digest, in turns with tonight's.
Confirming = Callable[[Collection[tuple[str, str]]], Sessions]
# Measures old builds in turns with tonight's, both linked again in other orders; builds that cannot be linked again are
# left out.
Relinking = Callable[[Collection[tuple[str, str]]], Layouts]
Note = Callable[[str], None]


@dataclass(frozen=True)
class NightMeasurement:
    """The measurements of a night. `sentinels` are name, test and profile of each; `trials` are by name, arm and
    metric. `old` is the last good build, or the one that the user named (`is_named`); None if there is none, and unused
    unless `is_compared`. `pinned` is the build that never changes. `is_whole`: everything planned was measured.
    """

    night: datetime
    machine: str
    implementation: str
    build: str
    new: Binary
    old: Binary | None
    is_named: bool
    is_compared: bool
    sentinels: Sequence[tuple[str, str, str]]
    trials: Mapping[str, Mapping[str, Trials]]
    is_whole: bool
    pinned: Binary | None = None


@dataclass
class Judgement:
    """The judgement of a night. `opened` are the alerts that it is the first to report, in their state at its end.
    `moved`: the machine changed, and nothing was judged. `candidates` counts series that are off their baseline.
    `least_step` is the least step of time that the night's sessions can confirm, as a share, NaN if unknown.
    """

    series: int = 0
    opened: list[Alert] = field(default_factory=list)
    still_open: list[Alert] = field(default_factory=list)
    undecided: int = 0
    moved: bool = False
    candidates: int = 0
    least_step: float = math.nan


class Judge:
    """Judges one night against its history. REQUIRES: the night's rows are in the history."""

    def __init__(
        self,
        history: History,
        store: BinaryStore,
        measured: NightMeasurement,
        confirming: Confirming,
        relinking: Relinking,
        note: Note,
        now: Callable[[], datetime],
    ) -> None:
        self.history, self.store, self.measured = history, store, measured
        self.confirming, self.relinking, self.note, self.now = confirming, relinking, note, now
        self.series = list(history.series(measured.machine).values())
        self.events = all_events(history)
        self.book = self._own_book()
        self.opened: list[Alert] = []
        self.deviation = 0.0  # the typical deviation between two measurements of one build tonight

    def _own_book(self) -> AlertBook:
        return book(self.history).of(self.measured.machine)

    def run(self) -> Judgement:
        night, new = self.measured.night, self.measured.new
        self._close_restored()
        self._judge_cases()  # first, because it needs no measuring: a night that ends early has reported at least this
        judged = self._judged()
        deviations = deviations_of(self.series, night)
        self.deviation = GAUSSIAN_MAD * median(deviations) if deviations else 0.0
        least = least_step(deviations)
        moved = machine_moved(judged)
        if moved:
            self._machine_moved(moved)
        decisions = Decisions() if moved else self._decisions(judged)
        for sentence in decisions.notes:
            self.note(sentence)
        if least > MOST_LIMIT or (decisions.unconfirmed and least > LEAST_CHANGE):
            self.note(least_step_sentence(least))
        self._open(decisions)
        if decisions.undecided:
            self._event("cannot tell", f"{len(decisions.undecided)} series are undecided tonight.")
        known = self._own_book()
        regressed = any(entry.is_worse and entry.confirmed for entry in known.open)
        unsettled = moved or decisions.undecided or decisions.pending or not self.measured.is_whole
        may_be_good = self.measured.is_compared and not self.measured.is_named and not new.changed
        if may_be_good and not (regressed or unsettled):
            self.store.mark("last-good", new)
        return Judgement(
            series=sum(entry.series.kind == "sentinel" and entry.series.nights[-1] == night for entry in judged),
            opened=[known.alerts.get(entry.id, entry) for entry in self.opened],
            still_open=known.open,
            undecided=len(decisions.undecided),
            moved=bool(moved),
            candidates=sum(entry.series.kind == "sentinel" and entry.flag is not None for entry in judged),
            least_step=least,
        )

    def _judged(self) -> list[Judged]:
        """Every series as of this night. If a confirmed alert is open, a baseline begins with it for now, so that
        further changes are detected, too.
        """
        provisional = [
            Event(changed.first_night, entry.machine, "accepted", entry.id, (changed.id,))
            for entry in self.book.open
            if entry.confirmed and entry.drift_since is None
            for changed in entry.series
        ]
        events = [*self.events, *provisional]
        return [
            judge(entry, events, self.measured.night) for entry in self.series if entry.kind in ("sentinel", "control")
        ]

    # ---- series and cases that are back

    def _close_restored(self) -> None:
        by_identity = {series.key.id: series for series in self.series}
        drifts = DriftBook(self.series, self.book.alerts.values(), self.events)
        for alert in self.book.open:
            is_back = drifts.is_back(alert) if alert.drift_since else is_restored(alert, by_identity, self.events)
            if is_back:
                self._close(alert, "fixed", "three nights at the old baseline", "fixed: its series are back")
            elif alert.direction == "verdict" and _is_passing_again(alert, self.series, self.measured.night):
                self._close(alert, "fixed", "its cases pass", "fixed: its cases pass")
        self.book = self._own_book()

    def _close(self, alert: Alert, action: str, reason: str, sentence: str) -> None:
        self.history.append("alerts", [alert_log.closing(alert, action, reason, self.now())])
        self.note(f"The alert {alert.id} is {sentence}.")

    # ---- changes

    def _judge_cases(self) -> None:
        alerted = {
            case.test: alert.night
            for alert in self.book.alerts.values()
            if alert.direction == "verdict"
            for case in alert.cases
        }
        failing, other = failing_cases(self.series, self.measured.night, alerted)
        if failing:
            self._open_alert("verdict", True, (), failing)
        if other:
            named = "; ".join(map(str, other[:MOST_NAMED]))
            self.note(f"{len(other)} cases have another verdict, but none fails newly: {named}.")

    def _machine_moved(self, sentence: str) -> None:
        machine = self.measured.machine
        new_events = [Event(self.measured.night, machine, "machine", sentence)]
        self.note(f"{sentence} Alerts are held back.")
        known = [*all_events(self.history), *new_events]
        if event := event_log.lasting_change(known, self.history.nights(machine), machine):
            new_events.append(event)
            self.note(event.sentence)
        self.history.append("events", [new_event.as_json() for new_event in new_events])

    def _decisions(self, judged: Sequence[Judged]) -> Decisions:
        own = [entry for entry in judged if entry.series.kind == "sentinel"]
        questions = [Question(flag, self._old_of(flag)) for entry in own if (flag := self._unknown(entry))]
        old = self.measured.old
        if old is not None:
            limit = LEAST_CHANGE if self.measured.is_named else YOUNG_LIMIT
            flags = session_flags(own, self.measured.trials, self.measured.sentinels, limit, self._is_asked_of_session)
            known = {entry.flag.series.key.id for entry in questions}
            questions += [Question(flag, old) for flag in flags if flag.series.key.id not in known]
        questions += self._drifted()
        sessions = {entry.session for entry in questions if entry.digest not in ("", self.measured.new.digest)}
        again = self.confirming(sessions) if sessions else {}
        decisions = decide(questions, self.measured.new.digest, again, self.deviation)
        if decisions.time_only:
            settle(decisions, self.relinking({entry.question.session for entry in decisions.time_only}))
        self._begin_baselines(decisions.layout)
        return decisions

    def _drifted(self) -> list[Question]:
        """The series whose code has drifted from the pinned build; none if nothing is compared."""
        pinned = self.measured.pinned
        if pinned is None or pinned.digest == self.measured.new.digest or self.measured.is_named:
            return []
        if not self.measured.is_compared:
            return []
        drifts = DriftBook(self.series, self.book.alerts.values(), self.events).drifts(self.measured.night)
        return [Question(drift.flag, pinned, drift) for drift in drifts]

    def _unknown(self, judged: Judged) -> Flag | None:
        """The change that a series shows, unless a confirmed alert covers it: an open alert holds while the series is
        back at its old level, because `restored` closes it after three such nights.

        An ignored alert is about a step from one level to another, and holds while the series stays there. After a
        night back at the baseline a step is a new one, and it is compared only with builds since then.
        """
        flag = judged.flag
        if flag is None:
            return None
        series, usual = flag.series, flag.change.baseline.median
        for alert in self.book.alerts.values():
            changed = next((each for each in alert.series if each.id == series.key.id), None)
            if changed is None or not changed.baseline or not alert.confirmed or alert.drift_since is not None:
                continue
            if judged.epoch.start and series.nights[judged.epoch.start] > changed.first_night:
                continue  # the alert is about other conditions
            if alert.is_open and abs(flag.value / changed.baseline - 1) <= near(changed):
                return None
            is_there = changed.value and abs(flag.value / changed.value - 1) <= near(changed)
            if alert.state == "ignored" and is_there and abs(usual / changed.baseline - 1) <= near(changed):
                back = [row for row in rows_back(alert, changed, series) if series.nights[row] < flag.first_night]
                if not back:
                    return None
                since = tuple(row for row in flag.usual if row >= back[0])
                flag = replace(flag, usual=since or tuple(reversed(back)))
        return flag

    def _is_asked_of_session(self, entry: Judged) -> bool:
        """True if a series is compared with tonight's old build directly: all are if the user named it, else those
        without a baseline, unless a decision about the series came after that build.
        """
        if self.measured.is_named:
            return True
        old = self.measured.old
        if entry.baseline is not None or old is None:
            return False
        since = self._decided_since(entry)
        rows = range(since, len(entry.series) - 1)
        return since == 0 or any(entry.series.library(row).get("adapter") == old.digest for row in rows)

    def _decided_since(self, entry: Judged) -> int:
        """The row from which on a change of the series is accepted, due to the place of the code, or alerted; 0 if
        there is none.
        """
        nights = [
            event.night
            for event in self.events
            if event.kind in ("accepted", "layout") and event.is_about(entry.series)
        ]
        nights += [
            changed.first_night
            for alert in self.book.open
            if alert.confirmed and alert.drift_since is None
            for changed in alert.series
            if changed.id == entry.series.key.id
        ]
        last = max(nights, default=None)
        return 0 if last is None else sum(night < last for night in entry.series.nights)

    def _begin_baselines(self, flags: Sequence[Flag]) -> None:
        """Begins a new baseline for series that the place of the code has moved: they stay where they are until the
        code changes again.
        """
        by_night: dict[datetime, list[str]] = {}
        for flag in flags:
            by_night.setdefault(flag.first_night, []).append(flag.series.key.id)
        sentence = (
            "The time changed with the place of the code in memory, and the change disappears if the code is "
            "linked in other orders."
        )
        machine = self.measured.machine
        new_events = [Event(night, machine, "layout", sentence, tuple(series)) for night, series in by_night.items()]
        self.history.append("events", [event.as_json() for event in new_events])

    def _old_of(self, flag: Flag) -> Binary | None:
        """The build that a flagged series is compared with, from the nights of its baseline: the last good one if it is
        among them, else that of the latest night. Tonight's own build if one of those nights measured it.
        """
        if not self.measured.is_compared:
            return None
        if self.measured.is_named:
            return self.measured.old
        digests = dict.fromkeys(flag.series.library(row).get("adapter", "") for row in flag.usual)
        if self.measured.new.digest in digests:
            return self.measured.new
        if self.measured.old and self.measured.old.digest in digests:
            return self.measured.old
        return next((binary for digest in digests if (binary := self.store.find(digest))), None)

    # ---- alerts

    def _open(self, decisions: Decisions) -> None:
        """Opens the alerts of the night, one for each direction. An improvement is reported once: it is accepted at
        once, and a new baseline begins.
        """
        alerted = {*self.book.alerted(), *self._ignored()}
        for (direction, confirmed, _), decided in decisions.by_direction().items():
            changes = decided if confirmed else [change for change in decided if change.changed.id not in alerted]
            if not changes:
                continue
            self._open_alert(direction, confirmed, changes)

    def _ignored(self) -> set[str]:
        """The series of ignored unconfirmed alerts that still hold: the series were not back at the baseline since, and
        are at the alert's value.
        """
        by_identity = {entry.key.id: entry for entry in self.series}
        return {
            changed.id
            for alert in self.book.alerts.values()
            if alert.state == "ignored" and not alert.confirmed
            for changed in alert.series
            if (series := by_identity.get(changed.id)) and changed.value and not rows_back(alert, changed, series)
            if abs(series.values[-1] / changed.value - 1) <= near(changed)
        }

    def _superseded(self, alert: Alert) -> list[Alert]:
        """The open unconfirmed alerts about series of a confirmed one."""
        series = {entry.id for entry in alert.series} if alert.confirmed else set()
        unconfirmed = [entry for entry in self.book.open if not entry.confirmed]
        return [entry for entry in unconfirmed if series.intersection(changed.id for changed in entry.series)]

    def _open_alert(
        self,
        direction: alert_log.Direction,
        confirmed: bool,
        changes: Sequence[AlertChange],
        cases: Sequence[ChangedCase] = (),
    ) -> None:
        """Opens an alert, together with its consequences in one write: a night may be killed between two writes."""
        measured = self.measured
        olds = [change.question.old for change in changes if change.question.old] or (
            [measured.old] if measured.old else []
        )
        identities = {*book(self.history).alerts, *(older.id for older in self.opened)}
        drifts = [change.question.drift for change in changes if change.question.drift]
        oldest = min(drifts, key=lambda older: older.since, default=None)
        old_commit = min(olds, key=lambda older: older.last_used).commit if olds else ""
        alert = Alert(
            id=alert_log.identity(measured.night, direction, confirmed, identities, bool(drifts)),
            night=measured.night,
            machine=measured.machine,
            direction=direction,
            confirmed=confirmed,
            old_commit=(oldest.commit if oldest else "") or old_commit,
            new_commit="" if measured.new.changed else measured.new.commit,  # the commit does not hold the changes
            series=tuple(change.changed for change in changes),
            cases=tuple(cases),
            implementation=measured.implementation,
            build=measured.build,
            drift_since=oldest.since if oldest else None,
        )
        superseded = self._superseded(alert)
        entries = [alert.opened()]
        entries += [alert_log.closing(older, "superseded", alert.id, self.now()) for older in superseded]
        if direction == "improvement" and confirmed:
            entries.append(alert_log.closing(alert, "accepted", "an improvement", self.now()))
        self.history.append("alerts", entries)
        for older in superseded:
            self.note(f"The alert {older.id} is superseded by {alert.id}.")
        self.opened.append(alert)

    def _event(self, kind: EventKind, sentence: str) -> None:
        event = Event(self.measured.night, self.measured.machine, kind, sentence)
        self.history.append("events", [event.as_json()])


def least_step_sentence(least: float) -> str:
    return (
        f"Steps of time below {least:.1%} cannot be confirmed on this machine tonight, because two measurements of "
        "one build differ too much; instructions decide, provided that they are counted."
    ).replace("%", " %")


def _is_passing_again(alert: Alert, series: Iterable[Series], night: datetime) -> bool:
    """True if a night ran all cases of an alert, and all of them pass. An unsupported case does not pass."""
    by_test = {entry.key.test: entry for entry in series if entry.kind == "verdict"}
    return all(
        test in by_test and by_test[test].nights[-1] == night and by_test[test].texts[-1] in PASSING
        for test in (case.test for case in alert.cases)
    )
