# SPDX-License-Identifier: Apache-2.0
"""Second measurements of a night: flagged series with old and new build in turns, both in other layouts, and the pinned
build with the engine of the night before and with today's.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from headroom.core.errors import HeadroomError
from headroom.core.sentinels import ArmFailed, Trials
from headroom.history.confirmation import COPY, NEW, OLD, ratio_of_best
from headroom.nightly.binaries import Binary, BinaryStore
from headroom.nightly.measurer import ArmFile, Measurer, copied

CONFIRMING = 2  # multiple of a night's trials: only flagged series are measured again, and the result decides
BRIDGE_TRIALS = 10
Say = Callable[[str], None]


def session(
    measurer: Measurer, name: str, files: Mapping[str, ArmFile], trials: int, note: Say, count: bool = True
) -> dict[str, Trials]:
    """The trials of a sentinel by arm. Arms that fail are left out, with a note, except the new one. Raises
    HeadroomError.
    """
    left = dict(files)
    while True:
        try:
            return measurer.measure(name, left, trials, count)
        except ArmFailed as error:
            if error.arm in (NEW, COPY) or error.arm not in left:
                raise
            del left[error.arm]
            note(f"{name}: the {error.arm} build cannot be measured: {error}")


@dataclass(frozen=True)
class Remeasuring:
    """Measures again, until `is_time_up`. `trials` are those of the night."""

    store: BinaryStore
    measurer: Measurer
    new: Binary
    trials: int
    is_time_up: Callable[[], bool]
    note: Say
    say: Say

    def confirming(self, asked: Collection[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Trials]]:
        """Measures an old and the new build in turns. The result is by test and digest of the old build, then by
        build.
        """
        again: dict[tuple[str, str], dict[str, Trials]] = {}
        with copied(self.new.path) as copy:
            for name, test, _ in self.measurer.sentinels():
                for digest in sorted(digest for one, digest in asked if one == test):
                    old = self.store.find(digest)
                    if old is None:
                        continue
                    if self.is_time_up():
                        self.note(f"{name}: the budget was used up before its change could be confirmed.")
                        continue
                    self.say(f"confirming {name}: old and new build in turns")
                    arms = {OLD: ArmFile(old.path), NEW: ArmFile(self.new.path), COPY: ArmFile(copy)}
                    try:
                        again[test, digest] = session(self.measurer, name, arms, CONFIRMING * self.trials, self.note)
                    except HeadroomError as error:
                        self.note(f"{name}: the change cannot be confirmed: {error}")
        return again

    def relinking(self, asked: Collection[tuple[str, str]]) -> dict[tuple[str, str], list[dict[str, Trials]]]:
        """Measures old and new build in turns, both linked in other orders, by test and digest of the old one, then by
        layout. Builds without a commit cannot be linked again.
        """
        result: dict[tuple[str, str], list[dict[str, Trials]]] = {}
        for digest in sorted({digest for _, digest in asked}):
            old = self.store.find(digest)
            builds = {OLD: old, NEW: self.new}
            if self.is_time_up() or not all(build and build.commit and not build.changed for build in builds.values()):
                continue
            self.say("linking old and new build in other orders")
            with tempfile.TemporaryDirectory(prefix=".layouts-", dir=self.store.folder) as name:
                try:
                    files = {
                        arm: self.measurer.relinked(build, Path(name) / arm) for arm, build in builds.items() if build
                    }
                except HeadroomError as error:
                    self.note(f"The builds cannot be linked in other orders: {error}")
                    continue
                tests = {test for test, other in asked if other == digest}
                result |= {(test, digest): trials for test, trials in self._in_layouts(tests, files).items()}
        return result

    def _in_layouts(
        self, tests: Collection[str], files: Mapping[str, Sequence[Path]]
    ) -> dict[str, list[dict[str, Trials]]]:
        """Trials of old and new build in turns, by test, then layout and arm. The new one is measured twice in the
        first layout, to show how far equal builds differ.
        """
        count = min(map(len, files.values()))
        arms = {(arm, number): ArmFile(paths[number]) for arm, paths in files.items() for number in range(count)}
        result: dict[str, list[dict[str, Trials]]] = {}
        with copied(files[NEW][0]) as copy:
            arms[COPY, 0] = ArmFile(copy)
            for name, test, _ in self.measurer.sentinels():
                if test not in tests or self.is_time_up():
                    continue
                self.say(f"confirming {name}: {count} other layouts of both builds in turns")
                named = {f"{arm} {number}": file for (arm, number), file in arms.items()}
                try:
                    trials = self.measurer.measure(name, named, self.trials, count=False)
                except HeadroomError as error:
                    self.note(f"{name}: the other layouts cannot be measured: {error}")
                    continue
                result[test] = [
                    {arm: trials[f"{arm} {number}"] for arm, other in arms if other == number}
                    for number in range(count)
                ]
        return result

    def bridging(self, engine: str, pinned: Binary) -> dict[tuple[str, str], float]:
        """The ratio of today's engine to another one, both with the pinned build in one session, by test and metric.
        `engine` is the digest of the other one; {} if it was not kept.
        """
        folder = self.store.engine(engine)
        if folder is None or self.is_time_up():
            return {}
        arms = {NEW: ArmFile(pinned.path), OLD: ArmFile(pinned.path, str(folder))}
        ratios: dict[tuple[str, str], float] = {}
        for name, test, _ in self.measurer.sentinels():
            try:
                trials = self.measurer.measure(name, arms, BRIDGE_TRIALS, count=False)
            except HeadroomError as error:
                self.note(f"{name}: old and new engine cannot be measured side by side: {error}")
                continue
            for metric, values in trials[NEW].items():
                ratio = ratio_of_best(values, trials[OLD].get(metric, ()))
                if math.isfinite(ratio):
                    ratios[test, metric.name] = ratio
        return ratios
