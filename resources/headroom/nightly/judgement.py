# SPDX-License-Identifier: Apache-2.0
"""The judgement of a measured night: alerts that open and close, and whether its build is the new last good one.

Nothing here touches the machine: what has to be measured again is asked of `Confirming`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from headroom.core.sentinels import Trials
from headroom.history import alerts as alert_log
from headroom.history import events as event_log
from headroom.history.alerts import Alert, ChangedCase, ChangedSeries
from headroom.history.assessment import FAILING, Flag, Judged, changed_verdicts, judge, machine_moved, restored
from headroom.history.events import Event
from headroom.history.series import Series
from headroom.history.store import History
from headroom.nightly.binaries import Binary, BinaryStore
from headroom.nightly.changes import Decisions, Layouts, Question, Sessions, decide, settle, young_flags
from headroom.nightly.log_entries import all_events, book, close_as_accepted

MOST_NAMED = 5  # cases in a note

# Measures old builds, named by test and digest, in turns with tonight's.
Confirming = Callable[[Collection[tuple[str, str]]], Sessions]
# Likewise, both linked again in other orders; what cannot be is left out.
Relinking = Callable[[Collection[tuple[str, str]]], Layouts]
Note = Callable[[str], None]


@dataclass(frozen=True)
class Measured:
    """A night as it was measured. `sentinels` are name, test and profile of each; `trials` are by name, arm and metric.
    `old` is the build that changes are confirmed against, which `named` says that the user chose; None where there is
    none. `is_whole`: every sentinel was measured."""

    night: datetime
    machine: str
    new: Binary
    old: Binary | None
    named: bool
    sentinels: Sequence[tuple[str, str, str]]
    trials: Mapping[str, Mapping[str, Trials]]
    is_whole: bool


@dataclass
class Judgement:
    """What became of a night. `opened` are the alerts that it is the first to tell."""

    series: int = 0
    opened: list[Alert] = field(default_factory=list)
    still_open: list[Alert] = field(default_factory=list)
    undecided: int = 0


class Judge:
    """Judges one night against its history. REQUIRES: the night's rows are in the history."""

    def __init__(
        self,
        history: History,
        store: BinaryStore,
        measured: Measured,
        confirming: Confirming,
        relinking: Relinking,
        note: Note,
        now: Callable[[], datetime],
    ) -> None:
        self.history, self.store, self.measured = history, store, measured
        self.confirming, self.relinking, self.note, self.now = confirming, relinking, note, now
        self.series = list(history.series(measured.machine).values())
        self.events = all_events(history)
        self.book = book(history)

    def run(self) -> Judgement:
        night, new = self.measured.night, self.measured.new
        judged = [judge(one, self.events, night) for one in self.series if one.kind in ("sentinel", "control")]
        self._close_restored()
        moved = machine_moved(judged)
        if moved:
            self._machine_moved(moved)
        decisions = Decisions() if moved else self._decisions(judged)
        failing, other = changed_verdicts(self.series, night)
        for sentence in decisions.notes:
            self.note(sentence)
        if other:
            named = "; ".join(map(str, other[:MOST_NAMED]))
            self.note(f"{len(other)} cases have another verdict, none of them newly failing: {named}.")
        opened = self._open(decisions, failing)
        still_open = book(self.history).open
        regressed = any(one.is_worse for one in still_open)
        unsettled = moved or decisions.undecided or decisions.pending or not self.measured.is_whole
        if not (new.changed or regressed or unsettled):
            self.store.mark("last-good", new)
        return Judgement(
            series=sum(one.series.kind == "sentinel" for one in judged),
            opened=opened,
            still_open=still_open,
            undecided=len(decisions.undecided),
        )

    # ---- what is back

    def _close_restored(self) -> None:
        by_identity = {one.key.id: one for one in self.series}
        for alert in self.book.open:
            if restored(alert, by_identity, self.events):
                self._fixed(alert, "three nights at the old baseline", "its series are back")
            elif alert.direction == "verdict" and _pass_again(alert, self.series, self.measured.night):
                self._fixed(alert, "its cases pass", "its cases pass")

    def _fixed(self, alert: Alert, reason: str, sentence: str) -> None:
        self.history.append("alerts", [alert_log.closing(alert, "fixed", reason, self.now())])
        self.note(f"The alert {alert.id} is fixed: {sentence}.")

    # ---- what changed

    def _machine_moved(self, sentence: str) -> None:
        night, machine = self.measured.night, self.measured.machine
        self.history.append("events", [Event(night, machine, "machine", sentence).as_json()])
        self.note(f"{sentence} Alerts are held back.")
        if event := event_log.lasting_change(all_events(self.history), self.history.nights(machine), machine):
            self.history.append("events", [event.as_json()])
            self.note(event.sentence)

    def _decisions(self, judged: Sequence[Judged]) -> Decisions:
        measured = self.measured
        alerted = self.book.alerted()
        own = [one for one in judged if one.series.kind == "sentinel" and one.series.key.id not in alerted]
        flags = [flag for one in own if (flag := one.flag)]
        flags += young_flags(own, measured.trials, measured.sentinels)
        questions = [Question(flag, found.digest if (found := self._old_of(flag)) else "") for flag in flags]
        asked = {one.session for one in questions if one.old not in ("", measured.new.digest)}
        done = decide(questions, measured.new.digest, self.confirming(asked) if asked else {})
        if done.time_only:
            settle(done, self.relinking({one.question.session for one in done.time_only}))
        self._begin_baselines(done.layout)
        return done

    def _begin_baselines(self, flags: Sequence[Flag]) -> None:
        """Begins a new baseline for series that the place of the code has moved: they stay where they are until the
        code changes again."""
        by_night: dict[datetime, list[str]] = {}
        for one in flags:
            by_night.setdefault(one.first_night, []).append(one.series.key.id)
        sentence = "The time changed with the place of the code in memory, and goes where it is linked in other orders."
        for night, series in by_night.items():
            event = Event(night, self.measured.machine, "layout", sentence, tuple(series))
            self.history.append("events", [event.as_json()])

    def _old_of(self, flag: Flag) -> Binary | None:
        """The build that a flagged series is compared with: that of the night before a fence, else the last good one.
        The last good one may have been taken from nights that showed too little."""
        old = self.measured.old
        if old is None or self.measured.named or flag.change.kind != "fence":
            return old
        index = flag.series.index(flag.first_night)
        digest = flag.series.library(index - 1).get("adapter", "") if index else ""
        return self.store.find(digest) or old

    # ---- alerts

    def _open(self, decisions: Decisions, failing: Sequence[ChangedCase]) -> list[Alert]:
        """Opens the alerts of the night: one for each direction, and one for verdicts. An improvement is told once: it
        is accepted at once, and a new baseline begins."""
        opened = [
            self._alert(direction, confirmed, changed, ())
            for (direction, confirmed), changed in decisions.by_direction().items()
        ]
        if failing:
            opened.append(self._alert("verdict", True, (), failing))
        self.history.append("alerts", [one.opened() for one in opened])
        for one in opened:
            if one.direction == "improvement":
                close_as_accepted(self.history, one, "an improvement", self.now())
        return opened

    def _alert(
        self,
        direction: alert_log.Direction,
        confirmed: bool,
        changed: Sequence[ChangedSeries],
        cases: Sequence[ChangedCase],
    ) -> Alert:
        measured = self.measured
        identity = alert_log.identity(measured.night, direction, confirmed, self.book.alerts)
        return Alert(
            id=identity,
            night=measured.night,
            machine=measured.machine,
            direction=direction,
            confirmed=confirmed,
            old_commit=measured.old.commit if measured.old else "",
            new_commit=measured.new.commit,
            series=tuple(changed),
            cases=tuple(cases),
        )


def _pass_again(alert: Alert, series: Iterable[Series], night: datetime) -> bool:
    """Whether a night ran all cases of an alert, and none of them fails."""
    found = {one.key.test: one for one in series if one.kind == "verdict"}
    return all(
        test in found and found[test].nights[-1] == night and found[test].texts[-1] not in FAILING
        for test in (one.test for one in alert.cases)
    )
