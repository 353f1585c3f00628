# SPDX-License-Identifier: Apache-2.0
"""One night: build, controls, sentinels, conformance, searches, and what is kept of them.

Everything that touches the machine goes through a `Measurer`; time is injected. What was measured is judged in
`headroom.nightly.judgement`.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from headroom.core.errors import (
    EXIT_ENVIRONMENT,
    EXIT_FAILED,
    EXIT_PASSED,
    EnvironmentLacks,
    HeadroomError,
    UsageError,
)
from headroom.core.metrics import Metric
from headroom.core.process_group import uninterrupted
from headroom.core.sentinels import ArmFailed, Trials, best
from headroom.history.alerts import Alert
from headroom.history.confirmation import COPY, NEW, NULL, OLD, PINNED, ratio_of_best
from headroom.history.events import Event, EventKind
from headroom.history.series import Point, Series, SeriesKey, changed_conditions, night_name
from headroom.history.store import History
from headroom.nightly import bare_bridge
from headroom.nightly.binaries import Binary, BinaryStore
from headroom.nightly.judgement import Judge, Measured
from headroom.nightly.measurer import ArmFile, Case, Measurer, copied

LAST_GOOD = "last-good"
TRIALS, QUICK_TRIALS = 30, 6
BRIDGE_TRIALS = 10
LEAST_BASELINE = 10  # nights: before them, old and new build are measured in turns every night
SEARCH_EVERY = timedelta(days=7) - timedelta(hours=6)  # nights begin now and then a little earlier

Status = Literal["measured", "measured in part", "not measured", "cannot tell"]
Say = Callable[[str], None]
Now = Callable[[], datetime]


@dataclass(frozen=True)
class NightOptions:
    """What a night is asked to do. `against` is `last-good` or a commit; `budget_s` bounds the measurements: what does
    not fit any more is not measured, and says so. `fail_while_open`: a night fails as long as a confirmed alert for the
    worse is open, and not only when it is told."""

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
    """How a night ended. `notes` are sentences; `opened` are the alerts that it is the first to tell; `failing` those
    that make it fail."""

    night: datetime
    status: Status
    commit: str = ""
    notes: list[str] = field(default_factory=list)
    opened: list[Alert] = field(default_factory=list)
    still_open: list[Alert] = field(default_factory=list)
    series: int = 0
    failing: list[Alert] = field(default_factory=list)
    undecided: int = 0

    @property
    def exit_status(self) -> int:
        if self.failing:
            return EXIT_FAILED
        return EXIT_PASSED if self.status == "measured" else EXIT_ENVIRONMENT

    def as_json(self) -> dict[str, Any]:
        return {
            "night": night_name(self.night),
            "status": self.status,
            "commit": self.commit or None,
            "series": self.series,
            "alerts": [one.opened() for one in self.opened],
            "open": [one.id for one in self.still_open],
            "notes": self.notes,
            "exit": self.exit_status,
        }


def run(
    history: History, store: BinaryStore, measurer: Measurer, options: NightOptions, now: Now, say: Say
) -> NightResult:
    """Runs a night and adds it to the history. REQUIRES: the history's lock is held. Raises UsageError for an unknown
    `against`; EnvironmentLacks where the clock went back or the disk does not take the night."""
    return _Night(history, store, measurer, options, now, say).run()


@dataclass
class _Sessions:
    """What the sentinels of a night measured: trials by sentinel, arm and metric; and why others have none."""

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
        self.stack = ExitStack()

    def run(self) -> NightResult:
        self._require_time()
        try:
            with self.stack:
                return self._run()
        except (KeyboardInterrupt, SystemExit):
            with uninterrupted():
                self._event("not measured", "The night was ended from outside (Ctrl-C or SIGTERM) before it was over.")
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
            self._note("The tree has changes that no commit holds: this build never becomes the last good one.")
        elif not source.commit:
            self._note("This build is of no commit, so that an alert of it cannot be bisected.")
        new = self.store.keep(
            source.path,
            self.measurer.implementation,
            source.commit,
            source.changed,
            self.measurer.build,
            night_name(self.night),
        )
        if self.store.marked("pinned") is None:
            self.store.mark("pinned", new)
            self._note("This build is pinned: every night measures it again, to see whether the machine has changed.")
        return self._measured(new, self._old())

    # ---- before anything is measured

    def _require_time(self) -> None:
        known = self.history.nights(self.measurer.machine)
        if known and known[-1] >= self.night:
            raise EnvironmentLacks(
                f"The clock says {night_name(self.night)}, but the history has a night of {night_name(known[-1])}: set "
                "the clock, or wait until that time is over. Nothing was measured."
            )

    def _not_measured(self, reason: str) -> NightResult:
        self._event("not measured", reason)
        self.result.status = "not measured"
        self._note(reason)
        return self.result

    def _old(self) -> Binary | None:
        """The binary that the new one is measured against. None where there is none yet, or none is wanted."""
        if not self.options.ab:
            return None
        if self.options.is_against_named:
            return self.measurer.kept(self.options.against)
        return self.store.marked("last-good")

    # ---- measuring

    def _measured(self, new: Binary, old: Binary | None) -> NightResult:
        series = self.history.series(self.measurer.machine)
        pinned = self.store.marked("pinned")
        sessions = self._sessions(self._arms(series.values(), new, old, pinned))
        points = self._points(sessions, series.values(), new, pinned)
        points += self._bare_bridge_points()
        points += self._verdict_points(new)
        points += self._searched(series.values(), new)
        if sessions.reasons:
            self.result.status = "measured in part"
            reasons = "; ".join(dict.fromkeys(sessions.reasons.values()))
            count = len(sessions.reasons) + len(sessions.trials)
            self._note(f"{len(sessions.reasons)} of {count} sentinels were not measured: {reasons}.")
        if not points:
            reason = next(iter(sessions.reasons.values()), "it can do none of the fixed work")
            return self._not_measured(f"Nothing of {new.implementation} was measured: {reason}.")
        self._bridge(series, points, pinned)
        self.history.add(points)
        self._judge(sessions, new, old)
        engines = {one.conditions["engine"] for one in points if "engine" in one.conditions}
        self.store.keep_engine(self.measurer.engine())
        self.store.prune(engines)
        return self.result

    def _arms(
        self, series: Iterable[Series], new: Binary, old: Binary | None, pinned: Binary | None
    ) -> dict[str, ArmFile]:
        """What every sentinel measures in turns. The old build is among them where there is no baseline yet, or the
        user named one."""
        arms = {NEW: ArmFile(new.path), COPY: ArmFile(self.stack.enter_context(copied(new.path)))}
        is_young = not any(one.kind == "sentinel" and len(one) >= LEAST_BASELINE for one in series)
        if old and old.digest != new.digest and (is_young or self.options.is_against_named):
            arms[OLD] = ArmFile(old.path)
        if pinned:
            arms[PINNED] = ArmFile(pinned.path)
        return {**arms, NULL: ArmFile(is_null=True)}

    def _sessions(self, files: Mapping[str, ArmFile]) -> _Sessions:
        found = _Sessions()
        names = [name for name, _, _ in self.measurer.sentinels()]
        for number, name in enumerate(names, 1):
            if self._time_is_up():
                found.reasons[name] = f"the budget of {self.options.budget_s:g} s was used up"
                continue
            self.say(f"[{number}/{len(names)}] {name}: {', '.join(files)}")
            try:
                found.trials[name] = self._session(name, files, self.options.trials)
            except HeadroomError as error:
                found.reasons[name] = str(error)
                self._note(f"{name}: {error}")
        return found

    def _session(self, name: str, files: Mapping[str, ArmFile], trials: int) -> dict[str, Trials]:
        """The trials of a sentinel. Arms other than the new one that fail are left out, with a note."""
        left = dict(files)
        while True:
            try:
                return self.measurer.measure(name, left, trials, count=True)
            except ArmFailed as error:
                if error.arm in (NEW, COPY) or error.arm not in left:
                    raise
                del left[error.arm]
                self._note(f"{name}: the {error.arm} build cannot be measured: {error}")

    def _time_is_up(self) -> bool:
        return (self.now() - self.began).total_seconds() > self.options.budget_s

    # ---- what is kept

    def _points(
        self, sessions: _Sessions, series: Collection[Series], new: Binary, pinned: Binary | None
    ) -> list[Point]:
        digests = {NEW: new.digest, COPY: new.digest, PINNED: pinned.digest if pinned else ""}
        points = []
        for name, test, profile in self.measurer.sentinels():
            conditions = self.measurer.conditions(name)
            for arm, trials in sessions.trials.get(name, {}).items():
                if arm == OLD:
                    continue
                who = new.implementation if arm == NEW else arm
                for metric, values in trials.items():
                    point = self._control(self._key(test, metric.name, who, profile), metric, values, conditions)
                    point = replace(point, digests={"adapter": digests.get(arm, "")})
                    if arm == NEW:
                        point = replace(point, kind="sentinel", commit=new.commit, changed=new.changed)
                    points.append(point)
            if name in sessions.reasons:
                known = [one for one in series if one.kind == "sentinel" and one.key.test == test]
                points += self._missing(known, sessions.reasons[name], new, conditions)
        return points

    def _missing(self, known: Iterable[Series], reason: str, new: Binary, conditions: Mapping[str, str]) -> list[Point]:
        """Gaps of the series that a sentinel has had so far."""
        return [
            Point(
                night=self.night,
                key=one.key,
                value=None,
                unit=one.unit,
                better=one.better,
                reason=reason,
                commit=new.commit,
                digests={"adapter": new.digest},
                conditions=conditions,
            )
            for one in known
        ]

    def _bare_bridge_points(self) -> list[Point]:
        if self._time_is_up():
            return []
        try:
            trials = self.measurer.bare_bridge(self.options.trials)
        except HeadroomError as error:
            self._note(f"The bare bridge was not measured: {error}")
            return []
        conditions = self.measurer.conditions(bare_bridge.NAME) if trials else {}
        return [
            self._control(
                replace(
                    self._key(bare_bridge.TEST, metric.name, bare_bridge.NAME, bare_bridge.PROFILE), topology="netns"
                ),
                metric,
                values,
                conditions,
            )
            for metric, values in trials.items()
        ]

    def _control(self, key: SeriesKey, metric: Metric, values: Sequence[float], conditions: Mapping[str, str]) -> Point:
        """What a control measured."""
        return Point(
            night=self.night,
            key=key,
            value=best(values, metric.better),
            unit=metric.unit,
            better=metric.better,
            trials=tuple(values),
            kind="control",
            conditions=conditions,
        )

    def _key(self, test: str, metric: str, who: str, profile: str) -> SeriesKey:
        return SeriesKey(
            machine=self.measurer.machine,
            test=test,
            metric=metric,
            compressor=who,
            decompressor=who,
            profile=profile,
            cpus="1c",
            build=self.measurer.build,
            generator="memory",
            topology="process",
        )

    def _verdict_points(self, new: Binary) -> list[Point]:
        if not self.options.cases or self._time_is_up():
            return []
        self.say("conformance cases")
        found: list[Case] = self.measurer.cases(night_name(self.night))
        return [
            Point(
                night=self.night,
                key=self._key(one.test, "verdict", new.implementation, ""),
                value=None,
                kind="verdict",
                text=one.verdict,
                reason=one.reason,
                commit=new.commit,
                digests={"adapter": new.digest},
            )
            for one in found
        ]

    def _searched(self, series: Iterable[Series], new: Binary) -> list[Point]:
        """Figures of searches, once a week."""
        last = max((one.nights[-1] for one in series if one.kind == "context"), default=None)
        due = last is None or self.night - last >= SEARCH_EVERY
        if not due or not self.options.searches or self.options.quick or self._time_is_up():
            return []
        self.say("searches, which are context")
        return [
            Point(
                night=self.night,
                key=replace(
                    self._key(one.test, one.metric.name, new.implementation, one.profile),
                    cpus=one.cpus,
                    load=one.load,
                ),
                value=one.value,
                unit=one.metric.unit,
                better=one.metric.better,
                trials=one.trials,
                kind="context",
                commit=new.commit,
                digests={"adapter": new.digest},
            )
            for one in self.measurer.searches(night_name(self.night))
        ]

    def _bridge(self, series: Mapping[SeriesKey, Series], points: Sequence[Point], pinned: Binary | None) -> None:
        """Where the engine is another one than last night's: the ratio of both, with the same adapter, in one
        session. It is shown beside the event and never folded into a series."""
        before = {key: one for key, one in series.items() if one.kind == "sentinel" and len(one)}
        changed = [one for one in points if one.key in before and one.kind == "sentinel"]
        sentences: dict[str, list[SeriesKey]] = {}
        engines = set()
        for one in changed:
            last = json.loads(before[one.key].conditions[-1])
            last = {name: value for name, value in last.items() if name not in ("unit", "better")}
            if found := changed_conditions(last, one.conditions):
                sentences.setdefault("; ".join(found), []).append(one.key)
                engines.add(last.get("engine", ""))
        if not sentences:
            return
        bridge = self._bridging_ratios(engines, pinned, {one.key for one in changed})
        for sentence, keys in sentences.items():
            about_all = len(keys) == len(changed)
            about = () if about_all else tuple(key.id for key in keys)
            ratios = {key.id: bridge[key] for key in keys if key in bridge}
            self._event("conditions", f"Conditions changed: {sentence}.", about, ratios)
            self._note(f"A new epoch begins for {len(keys)} series: {sentence}.")

    def _bridging_ratios(
        self, engines: set[str], pinned: Binary | None, keys: set[SeriesKey]
    ) -> dict[SeriesKey, float]:
        old_engine = self.store.engine(next(iter(engines))) if len(engines) == 1 else None
        if old_engine is None or pinned is None or self._time_is_up():
            return {}
        arms = {NEW: ArmFile(pinned.path), OLD: ArmFile(pinned.path, str(old_engine))}
        found: dict[SeriesKey, float] = {}
        for name, test, profile in self.measurer.sentinels():
            try:
                trials = self.measurer.measure(name, arms, BRIDGE_TRIALS, count=False)
            except HeadroomError as error:
                self._note(f"{name}: old and new engine cannot be measured side by side: {error}")
                continue
            for metric, values in trials[NEW].items():
                key = self._key(test, metric.name, self.measurer.implementation, profile)
                ratio = ratio_of_best(values, trials[OLD].get(metric, ()))
                if key in keys and math.isfinite(ratio):
                    found[key] = ratio
        return found

    # ---- judging

    def _judge(self, sessions: _Sessions, new: Binary, old: Binary | None) -> None:
        measured = Measured(
            night=self.night,
            machine=self.measurer.machine,
            new=new,
            old=old,
            named=self.options.is_against_named,
            sentinels=self.measurer.sentinels(),
            trials=sessions.trials,
            is_whole=not sessions.reasons,
        )

        def confirming(asked: Collection[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Trials]]:
            return self._confirming(asked, new)

        def relinking(asked: Collection[tuple[str, str]]) -> dict[tuple[str, str], list[dict[str, Trials]]]:
            return self._relinking(asked, new)

        done = Judge(self.history, self.store, measured, confirming, relinking, self._note, self.now).run()
        result = self.result
        result.series, result.opened, result.still_open = done.series, done.opened, done.still_open
        result.undecided = done.undecided
        told = done.still_open if self.options.fail_while_open else done.opened
        result.failing = [one for one in told if one.confirmed and one.is_worse]
        if done.undecided and not done.opened and result.status == "measured":
            result.status = "cannot tell"

    def _confirming(self, asked: Collection[tuple[str, str]], new: Binary) -> dict[tuple[str, str], dict[str, Trials]]:
        """Old and new build in turns, by test and digest of the old one."""
        again: dict[tuple[str, str], dict[str, Trials]] = {}
        with copied(new.path) as copy:
            for name, test, _ in self.measurer.sentinels():
                for digest in sorted(digest for one, digest in asked if one == test):
                    old = self.store.find(digest)
                    if old is None:
                        continue
                    if self._time_is_up():
                        self._note(f"{name}: the budget was used up before its change could be confirmed.")
                        continue
                    self.say(f"confirming {name}: old and new build in turns")
                    arms = {OLD: ArmFile(old.path), NEW: ArmFile(new.path), COPY: ArmFile(copy)}
                    try:
                        again[test, digest] = self._session(name, arms, self.options.trials)
                    except HeadroomError as error:
                        self._note(f"{name}: the change cannot be confirmed: {error}")
        return again

    def _relinking(
        self, asked: Collection[tuple[str, str]], new: Binary
    ) -> dict[tuple[str, str], list[dict[str, Trials]]]:
        """Old and new build in turns, both linked in other orders, by test and digest of the old one."""
        found: dict[tuple[str, str], list[dict[str, Trials]]] = {}
        for digest in sorted({digest for _, digest in asked}):
            old = self.store.find(digest)
            if old is None or self._time_is_up() or new.changed or not (new.commit and old.commit):
                continue
            self.say("linking old and new build in other orders")
            with tempfile.TemporaryDirectory(prefix="headroom-layouts-") as name:
                try:
                    files = {
                        arm: self.measurer.relinked(binary.commit, Path(name) / arm)
                        for arm, binary in ((OLD, old), (NEW, new))
                    }
                except HeadroomError as error:
                    self._note(f"The builds cannot be linked in other orders: {error}")
                    continue
                tests = {test for test, other in asked if other == digest}
                found |= {(test, digest): trials for test, trials in self._in_layouts(tests, files).items()}
        return found

    def _in_layouts(
        self, tests: Collection[str], files: Mapping[str, Sequence[Path]]
    ) -> dict[str, list[dict[str, Trials]]]:
        """Trials of old and new build in turns, by test, then layout and arm."""
        arms = {f"{arm} {number}": ArmFile(path) for arm in files for number, path in enumerate(files[arm])}
        count = min(map(len, files.values()))
        found: dict[str, list[dict[str, Trials]]] = {}
        for name, test, _ in self.measurer.sentinels():
            if test not in tests or self._time_is_up():
                continue
            self.say(f"confirming {name}: {count} other layouts of both builds in turns")
            try:
                trials = self.measurer.measure(name, arms, self.options.trials, count=False)
            except HeadroomError as error:
                self._note(f"{name}: the other layouts cannot be measured: {error}")
                continue
            found[test] = [{arm: trials[f"{arm} {number}"] for arm in files} for number in range(count)]
        return found

    # ---- notes and events

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
