# SPDX-License-Identifier: Apache-2.0
"""The steps of a night: build, controls, sentinels, conformance, searches, and the records of them.

Everything that touches the machine goes through a `Measurer`; time is injected. Measurements become rows in `points`,
are judged in `judgement`, and measured again by `remeasuring`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from headroom.core.errors import (
    EXIT_ENVIRONMENT,
    EXIT_FAILED,
    EXIT_PASSED,
    EnvironmentLacks,
    HeadroomError,
    UsageError,
)
from headroom.core.paths import shown
from headroom.core.process_group import uninterrupted
from headroom.core.sentinels import Trials
from headroom.history.alerts import Alert
from headroom.history.assessment import has_baseline
from headroom.history.confirmation import COPY, NEW, NULL, OLD, PINNED
from headroom.history.events import Event, EventKind
from headroom.history.series import Point, Series, SeriesKey, changed_conditions, night_name
from headroom.history.store import History
from headroom.nightly.binaries import Binary, BinaryStore
from headroom.nightly.judgement import Judge, NightMeasurement
from headroom.nightly.log_entries import all_events, book
from headroom.nightly.measurer import ArmFile, Measurer, copied
from headroom.nightly.points import PointMaker
from headroom.nightly.remeasuring import Remeasuring, session

LAST_GOOD = "last-good"
TRIALS, QUICK_TRIALS = 30, 6
SEARCH_EVERY = timedelta(days=7) - timedelta(hours=6)  # nights sometimes begin a little earlier

Status = Literal["measured", "measured in part", "not measured", "cannot tell", "regression"]
Say = Callable[[str], None]
Now = Callable[[], datetime]


@dataclass(frozen=True)
class NightOptions:
    """The options of a night. `against` is `last-good` or a commit. `budget_s` bounds the measurements: anything beyond
    it is not measured, with a note. `fail_while_open`: a night fails as long as a confirmed alert for the worse is
    open, and not only when it is first reported.
    """

    against: str = LAST_GOOD
    budget_s: float = 3600.0
    ab: bool = True
    quick: bool = False
    cases: bool = True
    searches: bool = True
    fail_while_open: bool = False

    @property
    def is_against_named(self) -> bool:
        return self.against != LAST_GOOD

    @property
    def trials(self) -> int:
        return QUICK_TRIALS if self.quick else TRIALS


@dataclass
class NightResult:
    """The result of a night; `regression`: one is confirmed, and other series are undecided.

    `notes` are sentences; `opened` are the alerts that the night is the first to report; `failing` those that make it
    fail. `candidates` and `least_step` are those of a `Judgement`.
    """

    night: datetime
    status: Status
    commit: str = ""
    notes: list[str] = field(default_factory=list)
    opened: list[Alert] = field(default_factory=list)
    still_open: list[Alert] = field(default_factory=list)
    series: int = 0
    failing: list[Alert] = field(default_factory=list)
    undecided: int = 0
    candidates: int = 0
    least_step: float = math.nan

    @property
    def exit_status(self) -> int:
        if self.failing:
            return EXIT_FAILED
        return EXIT_PASSED if self.status == "measured" else EXIT_ENVIRONMENT

    def as_json(self) -> dict[str, Any]:
        """The result for scripts: `status` tells how the measurements went; `failing` are the alerts that make `exit`
        1.
        """
        return {
            "night": night_name(self.night),
            "status": self.status,
            "commit": self.commit or None,
            "series": self.series,
            "candidates": self.candidates,
            "least_step": self.least_step if math.isfinite(self.least_step) else None,
            "alerts": [alert.opened() for alert in self.opened],
            "open": [alert.id for alert in self.still_open],
            "failing": [alert.id for alert in self.failing],
            "notes": self.notes,
            "exit": self.exit_status,
        }


def run(
    history: History, store: BinaryStore, measurer: Measurer, options: NightOptions, now: Now, say: Say
) -> NightResult:
    """Runs a night and adds it to the history. REQUIRES: the history's lock is held. Raises UsageError for an unknown
    `against`; EnvironmentLacks if the clock went back or the night cannot be written.
    """
    return _Night(history, store, measurer, options, now, say).run()


@dataclass
class _Sessions:
    """The measurements of a night's sentinels: trials by sentinel, arm and metric; and the reasons why some
    sentinels have none.
    """

    trials: dict[str, dict[str, Trials]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)


class _Night:
    """The steps of a night, in their order in `run`."""

    def __init__(
        self, history: History, store: BinaryStore, measurer: Measurer, options: NightOptions, now: Now, say: Say
    ) -> None:
        self.history, self.store, self.measurer, self.options = history, store, measurer, options
        self.now, self.say = now, say
        self.began = now()
        self.night = self.began.astimezone(UTC).replace(microsecond=0)
        self.result = NightResult(self.night, "measured")
        self.is_kept = False  # written into the history
        self.stack = ExitStack()

    def run(self) -> NightResult:
        self._require_time()
        self._require_implementation()
        self.history.sweep()
        try:
            with self.stack:
                return self._run()
        except (KeyboardInterrupt, SystemExit):
            phase = "judged" if self.is_kept else "over"
            with uninterrupted():
                self._event(
                    "not measured", f"The night was ended from outside (Ctrl-C or SIGTERM) before it was {phase}."
                )
            raise

    def _run(self) -> NightResult:
        if reason := self.measurer.busy():
            return self._not_measured(reason)
        try:
            source = self.measurer.source()
        except UsageError:
            raise
        except HeadroomError as error:
            return self._not_measured(str(error))
        self.result.commit = source.commit
        if source.changed:
            self._note("The tree has uncommitted changes: this build never becomes the last good one.")
        elif not source.commit:
            self._note("This build has no commit, so an alert about it cannot be bisected.")
        compiler, name = self.measurer.compiler, night_name(self.night)
        new = self.store.keep(source.path, source.commit, source.changed, compiler, name)
        if self.store.marked("pinned") is None:
            self.store.mark("pinned", new)
            self._note("This build is pinned: every night measures it again, to detect changes of the machine.")
        return self._measured(new, self._old())

    # ---- before anything is measured

    def _require_time(self) -> None:
        known = self.history.nights(self.measurer.machine)
        if known and known[-1] >= self.night:
            raise EnvironmentLacks(
                f"The clock says {night_name(self.night)}, but the history has a night of {night_name(known[-1])}: "
                "set the clock, or wait until that time is over. If the clock of that night was wrong, `./headroom "
                f"nightly forget {night_name(known[-1])}` removes that night. Nothing was measured."
            )

    def _require_implementation(self) -> None:
        """Raises UsageError if the history has another implementation or build on this machine: its binaries and
        baselines belong to one.
        """
        mine = (self.measurer.implementation, self.measurer.build)
        table = self.history.table(self.measurer.machine, ["compressor", "build", "kind"]).to_pandas()
        known = table[table["kind"] == "sentinel"].drop_duplicates()
        others = [
            f"{row.compressor} ({row.build})" for row in known.itertuples() if (row.compressor, row.build) != mine
        ]
        if others:
            raise UsageError(
                f"The history {shown(self.history.folder)} belongs to {', '.join(others)}, not to {mine[0]} "
                f"({mine[1]}): name another folder with --history."
            )

    def _not_measured(self, reason: str) -> NightResult:
        self._event("not measured", reason)
        self.result.status = "not measured"
        self._note(reason)
        return self.result

    def _old(self) -> Binary | None:
        """The binary that the new one is compared with; None if there is none yet."""
        if self.options.is_against_named:
            return self.measurer.kept(self.options.against)
        return self.store.marked("last-good")

    # ---- measuring

    def _measured(self, new: Binary, old: Binary | None) -> NightResult:
        series = self.history.series(self.measurer.machine)
        make = PointMaker(self.night, self.measurer, new, self.store.marked("pinned"), self.options.quick)
        again = Remeasuring(self.store, self.measurer, new, self.options.trials, self._is_time_up, self._note, self.say)
        sessions = self._sessions(self._arms(series.values(), make, old))
        points = self._sentinel_points(sessions, series.values(), make)
        points += self._bare_bridge_points(make)
        points += self._case_points(make)
        points += self._search_points(series.values(), make)
        if sessions.reasons:
            reasons = "; ".join(dict.fromkeys(sessions.reasons.values()))
            count = len(sessions.reasons) + len(sessions.trials)
            self._in_part(f"{len(sessions.reasons)} of {count} sentinels were not measured: {reasons}.")
        if not points:
            reason = next(iter(sessions.reasons.values()), "it supports none of the fixed work")
            return self._not_measured(f"Nothing of {self.measurer.implementation} was measured: {reason}.")
        self._note_conditions(series, points, again, make)
        self.history.add(points)
        self.is_kept = True
        self._judge(sessions, again, old)
        self._keep_house({point.conditions["engine"] for point in points if "engine" in point.conditions})
        return self.result

    def _arms(self, series: Iterable[Series], make: PointMaker, old: Binary | None) -> dict[str, ArmFile]:
        """The arms that every sentinel measures in turns. The old build is among them if a series has no baseline yet,
        or if the user named it.
        """
        new = make.new
        arms = {NEW: ArmFile(new.path), COPY: ArmFile(self.stack.enter_context(copied(new.path)))}
        is_compared = self.options.is_against_named or (self.options.ab and self._is_young(series))
        if old and old.digest != new.digest and is_compared:
            arms[OLD] = ArmFile(old.path)
        if make.pinned:
            arms[PINNED] = ArmFile(make.pinned.path)
        return {**arms, NULL: ArmFile(is_null=True)}

    def _is_young(self, series: Iterable[Series]) -> bool:
        """True if a sentinel has no baseline yet, because it is new or its conditions changed."""
        tests = {test for _, test, _ in self.measurer.sentinels()}
        known = [entry for entry in series if entry.kind == "sentinel" and entry.key.test in tests]
        events = all_events(self.history)
        return {entry.key.test for entry in known} != tests or any(not has_baseline(entry, events) for entry in known)

    def _sessions(self, files: Mapping[str, ArmFile]) -> _Sessions:
        sessions = _Sessions()
        names = [name for name, _, _ in self.measurer.sentinels()]
        for number, name in enumerate(names, 1):
            if self._is_time_up():
                sessions.reasons[name] = self._used_up
                continue
            self.say(f"[{number}/{len(names)}] {name}: {', '.join(files)}")
            try:
                sessions.trials[name] = session(self.measurer, name, files, self.options.trials, self._note)
            except HeadroomError as error:
                sessions.reasons[name] = str(error)
                self._note(f"{name}: {error}")
        return sessions

    def _sentinel_points(self, sessions: _Sessions, series: Collection[Series], make: PointMaker) -> list[Point]:
        points = []
        for name, test, profile in self.measurer.sentinels():
            points += make.of_sentinel(name, test, profile, sessions.trials.get(name, {}))
            if name in sessions.reasons:
                known = [entry for entry in series if entry.kind == "sentinel" and entry.key.test == test]
                points += make.missing(name, known, sessions.reasons[name])
        return points

    def _bare_bridge_points(self, make: PointMaker) -> list[Point]:
        if self._is_time_up():
            return []
        try:
            return make.of_bare_bridge(self.measurer.bare_bridge(self.options.trials))
        except HeadroomError as error:
            self._note(f"The bare bridge was not measured: {error}")
            return []

    def _case_points(self, make: PointMaker) -> list[Point]:
        if not self.options.cases:
            return []
        if self._is_time_up():
            self._in_part(f"The conformance cases were not run: {self._used_up}.")
            return []
        self.say("conformance cases")
        alerts = book(self.history).of(self.measurer.machine).open
        try:
            cases = self.measurer.cases(night_name(self.night), [night_name(alert.night) for alert in alerts])
        except HeadroomError as error:
            self._in_part(f"The conformance cases were not run: {error}")
            return []
        return [make.of_case(case) for case in cases]

    def _search_points(self, series: Iterable[Series], make: PointMaker) -> list[Point]:
        """Figures of searches, once a week, if half of the budget remains."""
        last = max((entry.nights[-1] for entry in series if entry.kind == "context"), default=None)
        is_due = last is None or self.night - last >= SEARCH_EVERY
        if not is_due or not self.options.searches or self.options.quick:
            return []
        if self._used_s() > self.options.budget_s / 2:
            self._note("The searches, which are context, were left out: half of the budget was used up.")
            return []
        self.say("searches, which are context")
        try:
            return [make.of_search(search) for search in self.measurer.searches(night_name(self.night))]
        except HeadroomError as error:
            self._note(f"The searches, which are context, failed: {error}")
            return []

    def _note_conditions(
        self,
        series: Mapping[SeriesKey, Series],
        points: Sequence[Point],
        again: Remeasuring,
        make: PointMaker,
    ) -> None:
        """Records the changes since the night before. If the engine changed, the ratio of both engines, with the same
        adapter in one session, is shown beside the event, and never applied to a series.
        """
        before = {key: entry for key, entry in series.items() if entry.kind == "sentinel" and len(entry)}
        known = [point for point in points if point.key in before and point.kind == "sentinel"]
        sentences: dict[str, list[SeriesKey]] = {}
        engines = set()
        for entry in known:
            last = json.loads(before[entry.key].conditions[-1])
            last = {name: value for name, value in last.items() if name not in ("unit", "better")}
            if differences := changed_conditions(last, entry.conditions):
                sentences.setdefault("; ".join(differences), []).append(entry.key)
                engines.add(last.get("engine", ""))
        if not sentences:
            return
        ratios = again.bridging(next(iter(engines)), make.pinned) if len(engines) == 1 and make.pinned else {}
        for sentence, keys in sentences.items():
            about = () if len(keys) == len(known) else tuple(key.id for key in keys)
            bridge = {key.id: ratios[key.test, key.metric] for key in keys if (key.test, key.metric) in ratios}
            self._event("conditions", f"Conditions changed: {sentence}.", about, bridge)
            self._note(f"A new epoch begins for {len(keys)} series: {sentence}.")

    # ---- judging and its consequences

    def _judge(self, sessions: _Sessions, again: Remeasuring, old: Binary | None) -> None:
        measured = NightMeasurement(
            night=self.night,
            machine=self.measurer.machine,
            implementation=self.measurer.implementation,
            build=self.measurer.build,
            new=again.new,
            old=old,
            is_named=self.options.is_against_named,
            is_compared=self.options.ab,
            sentinels=self.measurer.sentinels(),
            trials=sessions.trials,
            is_whole=self.result.status == "measured",
            pinned=self.store.marked("pinned"),
        )
        judgement = Judge(
            self.history, self.store, measured, again.confirming, again.relinking, self._note, self.now
        ).run()
        result = self.result
        result.series, result.opened, result.still_open = judgement.series, judgement.opened, judgement.still_open
        result.undecided = judgement.undecided
        result.candidates, result.least_step = judgement.candidates, judgement.least_step
        reported = judgement.still_open if self.options.fail_while_open else judgement.opened
        result.failing = [alert for alert in reported if alert.confirmed and alert.is_worse]
        if (judgement.undecided or judgement.moved) and result.status == "measured":
            known = any(alert.confirmed and alert.is_worse for alert in judgement.still_open)
            result.status = "regression" if known else "cannot tell"

    def _keep_house(self, engines: Collection[str]) -> None:
        """Keeps today's engine, and everything that the next nights need. A failure here does not affect the night's
        result.
        """
        try:
            self.store.keep_engine(self.measurer.engine())
            self.store.prune(engines)
        except HeadroomError as error:
            self._note(f"Binaries could not be kept or removed: {error}")

    # ---- time, notes and events

    def _used_s(self) -> float:
        return (self.now() - self.began).total_seconds()

    def _is_time_up(self) -> bool:
        return self._used_s() > self.options.budget_s

    @property
    def _used_up(self) -> str:
        return f"the budget of {self.options.budget_s:g} s was used up"

    def _in_part(self, sentence: str) -> None:
        self.result.status = "measured in part"
        self._event("in part", sentence)
        self._note(sentence)

    def _note(self, sentence: str) -> None:
        self.result.notes.append(sentence)
        self.say(sentence)

    def _event(
        self,
        kind: EventKind,
        sentence: str,
        series: tuple[str, ...] = (),
        bridge: dict[str, float] | None = None,
    ) -> None:
        event = Event(self.night, self.measurer.machine, kind, sentence, series, bridge or {})
        self.history.append("events", [event.as_json()])
