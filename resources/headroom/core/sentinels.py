# SPDX-License-Identifier: Apache-2.0
"""Sentinels: fixed work that each night measures, so that only changes of code or machine can change the result.

A sentinel runs one engine job repeatedly without pauses, with the adapters of several *arms* in turn: a new build, an
old one, a copy of the new one (to see the noise), `null`. Arms take turns in the order ABBA, so that slow changes
affect all of them. The best trials are compared (`best`), because other work only ever makes a trial longer.
Instructions are counted once for each arm.
"""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from headroom.core import adapter_files, engine, instructions, metrics
from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError
from headroom.core.implementations import Implementation
from headroom.core.machine.build import require_engine
from headroom.core.metrics import Metric
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.scheme_registry import all_schemes

SUITE = "performance/sentinels"
# The version of the values: another one makes other levels.
METHOD = "mean of the best sixth of trials, calls for feedback included; paths of one length"
BEST_SHARE = 6  # a sixth of the trials are the best

Values = dict[Metric, float]
Trials = dict[Metric, list[float]]


def best(trials: Sequence[float], better: str | None = "lower") -> float:
    """The mean of the best sixth of some trials, but of at least one; NaN for none.

    A single best trial depends too much on luck: in interleaved trials of equal binaries, thirty of each, the ratio of
    such means was off by 0.36 % (root mean square), that of minima by 0.46 %, that of medians by 0.56 %.
    """
    known = sorted((value for value in trials if math.isfinite(value)), reverse=better == "higher")
    return statistics.fmean(known[: max(1, len(known) // BEST_SHARE)]) if known else math.nan


class ArmFailed(HeadroomError):
    """Raised if the adapters of one arm crashed, hung, or gave wrong packets: a failure of the implementation."""

    verdict = "fail"

    def __init__(self, arm: str, sentence: str) -> None:
        super().__init__(sentence)
        self.arm = arm


@dataclass(frozen=True)
class Arm:
    """The adapters that are measured in one turn, and the build whose engine hosts them; "" for the build of
    all arms.
    """

    compressor: Implementation
    decompressor: Implementation
    engine: str = ""

    def with_library(self, path: Path) -> Arm:
        """The arm with both adapters from another file."""
        compressor, decompressor = (
            replace(implementation, library=str(path)) for implementation in (self.compressor, self.decompressor)
        )
        return Arm(compressor, decompressor, self.engine)

    def linked(self, folder: Path, build: str) -> Arm:
        """The arm by links to its adapters, with their libraries, and its engine in a new folder. Raises UsageError,
        EnvironmentLacks."""
        program = folder / "bin" / "headroom-engine"
        program.parent.mkdir(parents=True)
        program.symlink_to(require_engine(self.engine or build).resolve())
        links: dict[Path, Path] = {}
        for path in self.libraries(build):
            if not path.is_file():
                raise EnvironmentLacks(f"There is no adapter at {path}.")
            links[path] = adapter_files.link(path, folder / str(len(links)))
        sides = (
            replace(implementation, library=str(links[implementation.library_path(build)]))
            for implementation in (self.compressor, self.decompressor)
        )
        return Arm(*sides, engine=str(folder))

    def libraries(self, build: str) -> list[Path]:
        sides = (self.compressor, self.decompressor)
        return list(dict.fromkeys(side.library_path(build) for side in sides))


@dataclass(frozen=True)
class Work:
    """The parameters of a job. `counted`: for Valgrind, which takes fifty times as long, so the job may do less."""

    arm: Arm
    build: str = DEFAULT_BUILD
    core: int | None = None
    seed: int = 1
    counted: bool = False


@dataclass(frozen=True)
class Sentinel:
    """A piece of fixed work of a scheme.

    `job` makes the engine's job, for `command`; `read` gives the values of its document, and raises if packets came out
    wrong. `operations` gives the number of operations in a document, to divide the instructions by. `needs` are the
    capabilities that both sides must declare.
    """

    name: str
    scheme: str
    profile: str
    command: str
    job: Callable[[Work], dict[str, Any]]
    read: Callable[[dict[str, Any]], Values]
    operations: Callable[[dict[str, Any]], int]
    timeout_s: float = 120.0
    needs: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def test(self) -> str:
        """The identity of its test case, which series carry."""
        return f"{SUITE}/{self.name}"

    def lacks(self, arm: Arm) -> str:
        """The reason why an arm cannot do this work, as declared; "" if it can."""
        return arm.compressor.lacks("compressor", self.scheme, **self.needs) or arm.decompressor.lacks(
            "decompressor", self.scheme, **self.needs
        )

    @contextmanager
    def prepared(self, work: Work) -> Iterator[dict[str, Any]]:
        """The job, with the files that it needs. Raises EngineFailure."""
        yield self.job(work)

    def measure(self, work: Work) -> Values:
        """Runs one trial. Raises EngineFailure, or any exception of `read`."""
        with self.prepared(work) as job:
            return self.read(engine.run(self.command, job, timeout_s=self.timeout_s, build=work.build))

    def count(self, work: Work) -> Values:
        """The instructions of an operation, by stage. Raises CountFailed, EnvironmentLacks."""
        counted = replace(work, counted=True, core=None)
        libraries = work.arm.libraries(work.build)
        with self.prepared(counted) as job:
            counts, document = instructions.count(self.command, job, libraries, work.build, timeout_s=300)
        self.read(document)
        operations = max(1, self.operations(document))
        return {
            metrics.INSTRUCTIONS(stage=stage): counts[caller] / operations
            for stage, caller in instructions.CALLERS.items()
            if caller in counts
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
    """All trials of each arm by metric, taken in turns. With `count`, also the instructions: one value for each arm, or
    none for any if Valgrind cannot run one of them, such as one with AVX-512; `say` then gets the reason. Raises
    ArmFailed.
    """
    trials_by_arm: dict[str, Trials] = {name: {} for name in arms}
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
                trials_by_arm[name].setdefault(metric, []).append(value)
        if count and not instructions.lacking():
            try:
                counts = {name: sentinel.count(Work(arm, arm.engine, core, seed)) for name, arm in linked.items()}
            except HeadroomError as error:
                say(f"{sentinel.name}: instructions are not counted: {error}")
                return trials_by_arm
            for name, values in counts.items():
                for metric, value in values.items():
                    trials_by_arm[name].setdefault(metric, []).append(value)
    return trials_by_arm


@contextmanager
def _linked(arms: Mapping[str, Arm], build: str) -> Iterator[dict[str, Arm]]:
    """The arms by links whose paths have one length. The length of a path shifts the memory after it, which made a
    difference of 2.5 % in the time to receive PDUs of 690 octets.
    """
    with tempfile.TemporaryDirectory(prefix="headroom-arms-") as name:
        linked: dict[str, Arm] = {}
        for number, (arm, arm_to_link) in enumerate(arms.items()):
            try:
                linked[arm] = arm_to_link.linked(Path(name) / f"{number:02}", build)
            except (HeadroomError, OSError) as error:
                raise ArmFailed(arm, str(error)) from error
        yield linked


@cache
def all_sentinels() -> dict[str, Sentinel]:
    """The sentinels of all schemes by name."""
    return {sentinel.name: sentinel for scheme in all_schemes().values() for sentinel in scheme.sentinels()}


def find(name: str) -> Sentinel:
    """The sentinel of a name. Raises UsageError if there is none."""
    known = {known_name.lower(): sentinel for known_name, sentinel in all_sentinels().items()}
    if name.lower() not in known:
        raise UsageError(f"There is no sentinel '{name}'. Known: {', '.join(all_sentinels())}.")
    return known[name.lower()]
