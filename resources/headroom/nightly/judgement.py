# SPDX-License-Identifier: Apache-2.0
"""The judgement of a measured night: alerts that open and close, and whether its build is the new last good one.

Nothing here touches the machine: what has to be measured again is asked of `Confirming` and `Relinking`.
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
    judge,
    machine_moved,
    restored,
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
    Decided,
    Decisions,
    Layouts,
    Question,
    Sessions,
    decide,
    session_flags,
    settle,
)
from headroom.nightly.log_entries import all_events, book

MOST_NAMED = 5  # cases in a note

# Measures old builds, named by test and digest, in turns with tonight's.
Confirming = Callable[[Collection[tuple[str, str]]], Sessions]
# Likewise, both linked again in other orders; what cannot be is left out.
Relinking = Callable[[Collection[tuple[str, str]]], Layouts]
Note = Callable[[str], None]


@dataclass(frozen=True)
class NightMeasurement:
    """A night as it was measured. `sentinels` are name, test and profile of each; `trials` are by name, arm and metric.
    `old` is the last good build, or the one that the user chose, as `is_named` says; None where there is none, and not
    used unless `is_compared`. `pinned` is the build that never changes. `is_whole`: all that was to be measured was."""

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
    """What became of a night. `opened` are the alerts that it is the first to tell, as they are at its end. `moved`:
    the machine did, and nothing was judged. `candidates` counts series that are off their baseline; `least_step` is the
    least step of time that the night's sessions can confirm, as a share, NaN where that is not known."""

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
        self.deviation = 0.0  # typical one of two measurements of one build tonight

    def _own_book(self) -> AlertBook:
        return book(self.history).of(self.measured.machine)

    def run(self) -> Judgement:
        night, new = self.measured.night, self.measured.new
        self._close_restored()
        self._judge_cases()  # first, for it needs no measuring: a night that ends early has told at least this
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
            self._event("cannot tell", f"Tonight cannot tell of {len(decisions.undecided)} series.")
        known = self._own_book()
        regressed = any(one.is_worse and one.confirmed for one in known.open)
        unsettled = moved or decisions.undecided or decisions.pending or not self.measured.is_whole
        may_be_good = self.measured.is_compared and not self.measured.is_named and not new.changed
        if may_be_good and not (regressed or unsettled):
            self.store.mark("last-good", new)
        return Judgement(
            series=sum(one.series.kind == "sentinel" and one.series.nights[-1] == night for one in judged),
            opened=[known.alerts.get(one.id, one) for one in self.opened],
            still_open=known.open,
            undecided=len(decisions.undecided),
            moved=bool(moved),
            candidates=sum(one.series.kind == "sentinel" and one.flag is not None for one in judged),
            least_step=least,
        )

    def _judged(self) -> list[Judged]:
        """Every series as of this night. Where a confirmed alert is open, a baseline begins with it for now: what
        changes further is seen, too."""
        provisional = [
            Event(changed.first_night, one.machine, "accepted", one.id, (changed.id,))
            for one in self.book.open
            if one.confirmed and one.drift_since is None
            for changed in one.series
        ]
        events = [*self.events, *provisional]
        return [judge(one, events, self.measured.night) for one in self.series if one.kind in ("sentinel", "control")]

    # ---- what is back

    def _close_restored(self) -> None:
        by_identity = {one.key.id: one for one in self.series}
        drifts = DriftBook(self.series, self.book.alerts.values(), self.events)
        for alert in self.book.open:
            is_back = drifts.is_back(alert) if alert.drift_since else restored(alert, by_identity, self.events)
            if is_back:
                self._close(alert, "fixed", "three nights at the old baseline", "fixed: its series are back")
            elif alert.direction == "verdict" and _pass_again(alert, self.series, self.measured.night):
                self._close(alert, "fixed", "its cases pass", "fixed: its cases pass")
        self.book = self._own_book()

    def _close(self, alert: Alert, action: str, reason: str, sentence: str) -> None:
        self.history.append("alerts", [alert_log.closing(alert, action, reason, self.now())])
        self.note(f"The alert {alert.id} is {sentence}.")

    # ---- what changed

    def _judge_cases(self) -> None:
        alerted = {
            case.test: one.night
            for one in self.book.alerts.values()
            if one.direction == "verdict"
            for case in one.cases
        }
        failing, other = failing_cases(self.series, self.measured.night, alerted)
        if failing:
            self._open_alert("verdict", True, (), failing)
        if other:
            named = "; ".join(map(str, other[:MOST_NAMED]))
            self.note(f"{len(other)} cases have another verdict, none of them newly failing: {named}.")

    def _machine_moved(self, sentence: str) -> None:
        machine = self.measured.machine
        found = [Event(self.measured.night, machine, "machine", sentence)]
        self.note(f"{sentence} Alerts are held back.")
        known = [*all_events(self.history), *found]
        if event := event_log.lasting_change(known, self.history.nights(machine), machine):
            found.append(event)
            self.note(event.sentence)
        self.history.append("events", [one.as_json() for one in found])

    def _decisions(self, judged: Sequence[Judged]) -> Decisions:
        own = [one for one in judged if one.series.kind == "sentinel"]
        asked = [Question(flag, self._old_of(flag)) for one in own if (flag := self._unknown(one))]
        old = self.measured.old
        if old is not None:
            limit = LEAST_CHANGE if self.measured.is_named else YOUNG_LIMIT
            flags = session_flags(own, self.measured.trials, self.measured.sentinels, limit, self._is_asked_of_session)
            known = {one.flag.series.key.id for one in asked}
            asked += [Question(one, old) for one in flags if one.series.key.id not in known]
        asked += self._drifted()
        sessions = {one.session for one in asked if one.digest not in ("", self.measured.new.digest)}
        again = self.confirming(sessions) if sessions else {}
        done = decide(asked, self.measured.new.digest, again, self.deviation)
        if done.time_only:
            settle(done, self.relinking({one.question.session for one in done.time_only}))
        self._begin_baselines(done.layout)
        return done

    def _drifted(self) -> list[Question]:
        """The series whose code has drifted from the pinned build. Where nothing is compared, nothing is asked."""
        pinned = self.measured.pinned
        if pinned is None or pinned.digest == self.measured.new.digest or self.measured.is_named:
            return []
        if not self.measured.is_compared:
            return []
        drifts = DriftBook(self.series, self.book.alerts.values(), self.events).drifts(self.measured.night)
        return [Question(one.flag, pinned, one) for one in drifts]

    def _unknown(self, judged: Judged) -> Flag | None:
        """The change that a series shows, unless a confirmed alert has told it: an open one holds while the series is
        back where it was, for `restored` closes it after three such nights.

        An ignored one is about a step from one level to another. It holds while the series stays there. After a night
        back at the baseline a step is a new one, and only builds since then are what it is compared with.
        """
        flag = judged.flag
        if flag is None:
            return None
        series, usual = flag.series, flag.change.baseline.median
        for one in self.book.alerts.values():
            changed = next((each for each in one.series if each.id == series.key.id), None)
            if changed is None or not changed.baseline or not one.confirmed or one.drift_since is not None:
                continue
            if judged.epoch.start and series.nights[judged.epoch.start] > changed.first_night:
                continue  # what it says is of other conditions
            if one.is_open and abs(flag.value / changed.baseline - 1) <= near(changed):
                return None
            is_there = changed.value and abs(flag.value / changed.value - 1) <= near(changed)
            if one.state == "ignored" and is_there and abs(usual / changed.baseline - 1) <= near(changed):
                back = [row for row in rows_back(one, changed, series) if series.nights[row] < flag.first_night]
                if not back:
                    return None
                since = tuple(row for row in flag.usual if row >= back[0])
                flag = replace(flag, usual=since or tuple(reversed(back)))
        return flag

    def _is_asked_of_session(self, one: Judged) -> bool:
        """Whether a series is compared with tonight's old build directly: all are where the user named it, else those
        without a baseline, unless a decision about the series came after that build."""
        if self.measured.is_named:
            return True
        old = self.measured.old
        if one.baseline is not None or old is None:
            return False
        since = self._decided_since(one)
        rows = range(since, len(one.series) - 1)
        return since == 0 or any(one.series.library(row).get("adapter") == old.digest for row in rows)

    def _decided_since(self, one: Judged) -> int:
        """The row from which on a change of the series is accepted, due to the place of the code, or alerted; 0 where
        there is none."""
        nights = [
            event.night for event in self.events if event.kind in ("accepted", "layout") and event.is_about(one.series)
        ]
        nights += [
            changed.first_night
            for alert in self.book.open
            if alert.confirmed and alert.drift_since is None
            for changed in alert.series
            if changed.id == one.series.key.id
        ]
        last = max(nights, default=None)
        return 0 if last is None else sum(night < last for night in one.series.nights)

    def _begin_baselines(self, flags: Sequence[Flag]) -> None:
        """Begins a new baseline for series that the place of the code has moved: they stay where they are until the
        code changes again."""
        by_night: dict[datetime, list[str]] = {}
        for one in flags:
            by_night.setdefault(one.first_night, []).append(one.series.key.id)
        sentence = "The time changed with the place of the code in memory, and goes where it is linked in other orders."
        machine = self.measured.machine
        found = [Event(night, machine, "layout", sentence, tuple(series)) for night, series in by_night.items()]
        self.history.append("events", [one.as_json() for one in found])

    def _old_of(self, flag: Flag) -> Binary | None:
        """The build that a flagged series is compared with, one of the nights that are its baseline: the last good one
        where it is among them, else that of the latest. Tonight's own where one of those nights measured it."""
        if not self.measured.is_compared:
            return None
        if self.measured.is_named:
            return self.measured.old
        digests = dict.fromkeys(flag.series.library(row).get("adapter", "") for row in flag.usual)
        if self.measured.new.digest in digests:
            return self.measured.new
        if self.measured.old and self.measured.old.digest in digests:
            return self.measured.old
        return next((found for digest in digests if (found := self.store.find(digest))), None)

    # ---- alerts

    def _open(self, decisions: Decisions) -> None:
        """Opens the alerts of the night, one for each direction. An improvement is told once: it is accepted at once,
        and a new baseline begins."""
        told = {*self.book.alerted(), *self._ignored()}
        for (direction, confirmed, _), found in decisions.by_direction().items():
            changes = found if confirmed else [one for one in found if one.changed.id not in told]
            if not changes:
                continue
            self._open_alert(direction, confirmed, changes)

    def _ignored(self) -> set[str]:
        """Series of which an unconfirmed alert is ignored that still holds: they were not back at the baseline since,
        and stand where it says."""
        by_identity = {one.key.id: one for one in self.series}
        return {
            changed.id
            for alert in self.book.alerts.values()
            if alert.state == "ignored" and not alert.confirmed
            for changed in alert.series
            if (series := by_identity.get(changed.id)) and changed.value and not rows_back(alert, changed, series)
            if abs(series.values[-1] / changed.value - 1) <= near(changed)
        }

    def _superseded(self, alert: Alert) -> list[Alert]:
        """Open alerts that were not confirmed, about series of a confirmed one."""
        series = {one.id for one in alert.series} if alert.confirmed else set()
        unconfirmed = [one for one in self.book.open if not one.confirmed]
        return [one for one in unconfirmed if series.intersection(changed.id for changed in one.series)]

    def _open_alert(
        self,
        direction: alert_log.Direction,
        confirmed: bool,
        changes: Sequence[Decided],
        cases: Sequence[ChangedCase] = (),
    ) -> None:
        """Opens an alert. What follows from it is one write with it: a night may be killed between two."""
        measured = self.measured
        olds = [one.question.old for one in changes if one.question.old] or ([measured.old] if measured.old else [])
        taken = {*book(self.history).alerts, *(one.id for one in self.opened)}
        drifts = [one.question.drift for one in changes if one.question.drift]
        oldest = min(drifts, key=lambda one: one.since, default=None)
        old_commit = min(olds, key=lambda one: one.last_used).commit if olds else ""
        alert = Alert(
            id=alert_log.identity(measured.night, direction, confirmed, taken, bool(drifts)),
            night=measured.night,
            machine=measured.machine,
            direction=direction,
            confirmed=confirmed,
            old_commit=(oldest.commit if oldest else "") or old_commit,
            new_commit="" if measured.new.changed else measured.new.commit,  # which does not hold the changes
            series=tuple(one.changed for one in changes),
            cases=tuple(cases),
            implementation=measured.implementation,
            build=measured.build,
            drift_since=oldest.since if oldest else None,
        )
        superseded = self._superseded(alert)
        entries = [alert.opened()]
        entries += [alert_log.closing(one, "superseded", alert.id, self.now()) for one in superseded]
        if direction == "improvement" and confirmed:
            entries.append(alert_log.closing(alert, "accepted", "an improvement", self.now()))
        self.history.append("alerts", entries)
        for one in superseded:
            self.note(f"The alert {one.id} is superseded by {alert.id}.")
        self.opened.append(alert)

    def _event(self, kind: EventKind, sentence: str) -> None:
        event = Event(self.measured.night, self.measured.machine, kind, sentence)
        self.history.append("events", [event.as_json()])


def least_step_sentence(least: float) -> str:
    return (
        f"Steps of time below {least:.1%} cannot be confirmed on this machine tonight, for two measurements of one "
        "build differ too much; instructions decide where they are counted."
    ).replace("%", " %")


def _pass_again(alert: Alert, series: Iterable[Series], night: datetime) -> bool:
    """Whether a night ran all cases of an alert, and all of them pass. One that is unsupported by now does not."""
    found = {one.key.test: one for one in series if one.kind == "verdict"}
    return all(
        test in found and found[test].nights[-1] == night and found[test].texts[-1] in PASSING
        for test in (one.test for one in alert.cases)
    )
