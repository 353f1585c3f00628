# SPDX-License-Identifier: Apache-2.0
"""A measurer without a machine: adapters are small files that say how fast they are, and noise is seeded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from headroom.core import metrics
from headroom.core.errors import EnvironmentLacks
from headroom.core.paths import sha256_of
from headroom.core.sentinels import ArmFailed, Trials
from headroom.nightly.binaries import Binary, BinaryStore
from headroom.nightly.checkout import BuildFailed
from headroom.nightly.measurer import ArmFile, Case, Source
from headroom.nightly.suite_runs import SearchFigure

COMPRESS = metrics.STAGE_NS(stage="compress")
DECOMPRESS = metrics.STAGE_NS(stage="decompress")
INSTRUCTIONS = metrics.INSTRUCTIONS(stage="compress")
TIMES = {COMPRESS: 40.0, DECOMPRESS: 25.0}


class Clock:
    """A clock that tests turn: nights are a day apart."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 1, 2, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def next_night(self) -> None:
        self.time += timedelta(days=1)


@dataclass
class FakeMeasurer:
    """Its adapters are text files: factor of compress time, and of its instructions, in percent of normal; a third word
    `layout` says that the time is the doing of the code's place, and goes where it is linked again.

    `machine_factor` slows all arms; `noise` is the spread of a trial; `commits` maps commits to adapters' text, "" for
    one that does not build.
    """

    folder: Path
    store: BinaryStore
    names: Sequence[str] = ("Calls", "PDUs")
    seed: int = 1
    noise: float = 0.004
    machine: str = "rack-1"
    implementation: str = "reference"
    build: str = "gcc-O2"
    compiler: str = "GNU 12.2.0"
    head: str = "c0"
    changed: bool = False
    machine_factor: float = 1.0
    busy_reason: str = ""
    failing: str = ""  # the sentinel that the new adapter fails
    commits: dict[str, str] = field(default_factory=lambda: {"c0": "100 100"})
    verdicts: dict[str, str] = field(default_factory=lambda: {"conformance/rohc/A": "pass"})
    kernel: str = "6.1"
    engine_text: str = "engine 1"
    relinks: bool = False
    has_interfaces: bool = False
    bridge_reason: str = ""
    cases_reason: str = ""
    kept_runs: list[str] = field(default_factory=list)  # nights whose runs have to stay
    measured: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def busy(self) -> str:
        return self.busy_reason

    def source(self) -> Source:
        found = self.source_of(self.head)
        return Source(found.path, found.commit, self.changed)

    def source_of(self, commit: str) -> Source:
        text = self.commits[commit]
        if not text:
            raise BuildFailed(f"The commit {commit} does not build.")
        path = self.folder / "built" / commit / "adapter.so"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return Source(path, commit)

    def kept(self, commit: str) -> Binary:
        source = self.source_of(commit)
        return self.store.keep(source.path, commit, False, self.compiler, "")

    def relinked(self, binary: Binary, folder: Path) -> list[Path]:
        if not self.relinks:
            raise BuildFailed("It cannot be linked again.")
        words = binary.path.read_text(encoding="utf-8").split()
        time = "100" if "layout" in words else words[0]
        made = []
        for layout in range(3):
            made.append(folder / str(layout))
            folder.mkdir(exist_ok=True)
            made[-1].write_text(f"{time} {words[1]} {layout}", encoding="utf-8")
        return made

    def sentinels(self) -> list[tuple[str, str, str]]:
        return [(name, f"performance/sentinels/{name}", "voip") for name in self.names]

    def conditions(self, name: str) -> dict[str, str]:
        return {"kernel": self.kernel, "engine": sha256_of(self.engine())}

    def version(self, adapter: Path) -> str:
        return "2.1"

    def engine(self) -> Path:
        path = self.folder / "engine"
        path.write_text(self.engine_text, encoding="utf-8")
        return path

    def measure(self, name: str, arms: Mapping[str, ArmFile], trials: int, count: bool) -> dict[str, Trials]:
        self.measured.append((name, tuple(arms)))
        night = 1 + 0.001 * self.random.standard_normal()  # what is common to all of a session
        found: dict[str, Trials] = {}
        for arm, file in arms.items():
            if arm == "new" and name == self.failing:
                raise ArmFailed(arm, "The adapter crashed.")
            words = ["10", "10"] if file.is_null else file.path.read_text(encoding="utf-8").split()
            time, instructions = (float(word) / 100 for word in words[:2])
            values: Trials = {}
            for metric, base in TIMES.items():
                factor = (time if metric is COMPRESS else 1.0) * night * self.machine_factor
                trial = np.abs(self.random.normal(0, self.noise, trials)) + self.random.exponential(0.02, trials)
                values[metric] = [float(base * factor * (1 + one)) for one in trial]
            if count:
                values[INSTRUCTIONS] = [500.0 * instructions]
            found[arm] = values
        return found

    def bare_bridge(self, trials: int) -> Trials:
        if self.bridge_reason:
            raise EnvironmentLacks(self.bridge_reason)
        return {metrics.LATENCY(nodes="bridge", figure="p50"): [30_000.0, 31_000.0]} if self.has_interfaces else {}

    def verdict(self, test: str, adapter: Path) -> str:
        return self.verdicts[test]

    def searches(self, night: str) -> list[SearchFigure]:
        return [SearchFigure("performance/voip_flow_pairs/1c", metrics.FLOW_PAIRS, 10_000.0, cpus="1c", load="0.3")]

    def cases(self, night: str, kept: Collection[str]) -> list[Case]:
        self.kept_runs = list(kept)
        if self.cases_reason:
            raise EnvironmentLacks(self.cases_reason)
        return [Case(test, verdict) for test, verdict in self.verdicts.items()]
