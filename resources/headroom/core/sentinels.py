# SPDX-License-Identifier: Apache-2.0
"""Sentinels: fixed work of which each night measures the same, so that only code or machine can change it.

A sentinel runs one engine job again and again without pauses, with the adapters of several *arms* in turn: a new
build, an old one, a copy, `null`. Arms take turns in the order ABBA, so that what changes from minute to minute is in
all of them. The best trials are compared (`best`), for other work only ever makes one longer. Instructions are counted
once for each arm.
"""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from headroom.core import engine, instructions, metrics
from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError
from headroom.core.implementations import Implementation
from headroom.core.machine.build import require_engine
from headroom.core.metrics import Metric
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.scheme_registry import all_schemes

SUITE = "performance/sentinels"
METHOD = "mean of the best sixth of trials; paths of one length"  # of values: another one makes other levels
BEST_SHARE = 6  # of the trials: one of so many is among the best

Values = dict[Metric, float]
Trials = dict[Metric, list[float]]


def best(trials: Sequence[float], better: str | None = "lower") -> float:
    """The mean of the best sixth of some trials, of one at least; NaN of none.

    A single best trial owes too much to luck: in interleaved trials of equal binaries, thirty of each, the ratio of
    such means was off by 0.36 % (root mean square), that of minima by 0.46 %, that of medians by 0.56 %.
    """
    known = sorted((value for value in trials if math.isfinite(value)), reverse=better == "higher")
    return statistics.fmean(known[: max(1, len(known) // BEST_SHARE)]) if known else math.nan


class ArmFailed(HeadroomError):
    """The adapters of one arm crashed, hung, or gave wrong packets. A failure of the implementation."""

    verdict = "fail"

    def __init__(self, arm: str, sentence: str) -> None:
        super().__init__(sentence)
        self.arm = arm


@dataclass(frozen=True)
class Arm:
    """The adapters that one turn measures, and the build whose engine hosts them; "" for that of all arms."""

    compressor: Implementation
    decompressor: Implementation
    engine: str = ""

    def with_library(self, path: Path) -> Arm:
        """Both adapters from another file."""
        compressor, decompressor = (replace(one, library=str(path)) for one in (self.compressor, self.decompressor))
        return Arm(compressor, decompressor, self.engine)

    def linked(self, folder: Path, build: str) -> Arm:
        """The same adapters and engine by links in a new folder. Raises UsageError, EnvironmentLacks."""
        program = folder / "bin" / "headroom-engine"
        program.parent.mkdir(parents=True)
        program.symlink_to(require_engine(self.engine or build).resolve())
        links: dict[Path, Path] = {}
        for path in self.libraries(build):
            if not path.is_file():
                raise EnvironmentLacks(f"There is no adapter at {path}.")
            links[path] = folder / f"adapter-{len(links)}.so"
            links[path].symlink_to(path.resolve())
        sides = (
            replace(one, library=str(links[one.library_path(build)])) for one in (self.compressor, self.decompressor)
        )
        return Arm(*sides, engine=str(folder))

    def libraries(self, build: str) -> list[Path]:
        sides = (self.compressor, self.decompressor)
        return list(dict.fromkeys(one.library_path(build) for one in sides))


@dataclass(frozen=True)
class Work:
    """What a job is made for. `counted`: for Valgrind, which takes fifty times as long, so that less work will do."""

    arm: Arm
    build: str = DEFAULT_BUILD
    core: int | None = None
    seed: int = 1
    counted: bool = False


@dataclass(frozen=True)
class Sentinel:
    """One piece of fixed work of a scheme.

    `job` makes the engine's job, for `command`; `read` gives the values of its document, and raises where packets came
    out wrong. `operations` gives how many operations of a document the instructions are for.
    """

    name: str
    scheme: str
    profile: str
    command: str
    job: Callable[[Work], dict[str, Any]]
    read: Callable[[dict[str, Any]], Values]
    operations: Callable[[dict[str, Any]], int]
    timeout_s: float = 120.0

    @property
    def test(self) -> str:
        """The identity of its test case, which series carry."""
        return f"{SUITE}/{self.name}"

    def lacks(self, arm: Arm) -> str:
        """Why an arm cannot do this work, as declared; "" when it can."""
        return arm.compressor.lacks("compressor", self.scheme) or arm.decompressor.lacks("decompressor", self.scheme)

    def measure(self, work: Work) -> Values:
        """One trial. Raises EngineFailure, or what `read` raises."""
        return self.read(engine.run(self.command, self.job(work), timeout_s=self.timeout_s, build=work.build))

    def count(self, work: Work) -> Values:
        """Instructions of an operation, by stage. Raises CountFailed, EnvironmentLacks."""
        counted = replace(work, counted=True, core=None)
        found, document = instructions.count(
            self.command, self.job(counted), work.arm.libraries(work.build), work.build, timeout_s=300
        )
        self.read(document)
        operations = max(1, self.operations(document))
        return {
            metrics.INSTRUCTIONS(stage=stage): found[caller] / operations
            for stage, caller in instructions.CALLERS.items()
            if caller in found
        }


def turns(arms: Sequence[str], trials: int) -> Iterator[str]:
    """The order in which arms are measured, `trials` times each: forward, then backward, and so on (ABBA)."""
    for trial in range(trials):
        yield from arms if trial % 2 == 0 else reversed(arms)


def measure(
    sentinel: Sentinel,
    arms: Mapping[str, Arm],
    trials: int,
    build: str,
    core: int | None,
    seed: int,
    count: bool,
    say: Callable[[str], None] = lambda sentence: None,
) -> dict[str, Trials]:
    """All trials of each arm by metric, taken in turns. With `count`, instructions too: one value for each arm, or none
    of any where Valgrind cannot run one of them, as it cannot with AVX-512; `say` then has the reason. Raises
    ArmFailed."""
    found: dict[str, Trials] = {name: {} for name in arms}
    with _linked(arms, build) as linked:
        for name in turns(list(arms), trials):
            arm = linked[name]
            try:
                values = sentinel.measure(Work(arm, arm.engine, core, seed))
            except HeadroomError as error:
                sentence = str(error)
                for link, library in zip(arm.libraries(build), arms[name].libraries(build), strict=True):
                    sentence = sentence.replace(str(link), str(library))
                raise ArmFailed(name, sentence) from error
            for metric, value in values.items():
                found[name].setdefault(metric, []).append(value)
        if count and not instructions.lacking():
            try:
                counts = {name: sentinel.count(Work(arm, arm.engine, core, seed)) for name, arm in linked.items()}
            except HeadroomError as error:
                say(f"{sentinel.name}: instructions are not counted: {error}")
                return found
            for name, values in counts.items():
                for metric, value in values.items():
                    found[name].setdefault(metric, []).append(value)
    return found


@contextmanager
def _linked(arms: Mapping[str, Arm], build: str) -> Iterator[dict[str, Arm]]:
    """The arms by links whose paths have one length: the length of a path moves what lies behind it in memory, which
    made 2.5 % in the time to receive PDUs of 690 octets."""
    with tempfile.TemporaryDirectory(prefix="headroom-arms-") as name:
        linked: dict[str, Arm] = {}
        for number, (arm, one) in enumerate(arms.items()):
            try:
                linked[arm] = one.linked(Path(name) / f"{number:02}", build)
            except HeadroomError as error:
                raise ArmFailed(arm, str(error)) from error
        yield linked


@cache
def all_sentinels() -> dict[str, Sentinel]:
    """The sentinels of all schemes by name."""
    return {one.name: one for scheme in all_schemes().values() for one in scheme.sentinels()}


def find(name: str) -> Sentinel:
    """A sentinel by name. Raises UsageError when there is none."""
    known = {one.lower(): sentinel for one, sentinel in all_sentinels().items()}
    if name.lower() not in known:
        raise UsageError(f"There is no sentinel '{name}'. Known: {', '.join(all_sentinels())}.")
    return known[name.lower()]
