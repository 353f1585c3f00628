# SPDX-License-Identifier: Apache-2.0
"""What a night asks of the machine: to be quiet, to build, to measure, to run conformance cases.

`Measurer` is the seam between the decisions of a night and what carries them out; tests put another one there.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import shutil
import socket
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from headroom.core import engine, implementations, sentinels
from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError, disk_error
from headroom.core.implementations import Implementation
from headroom.core.machine import build, environment, guard, topology
from headroom.core.machine.measuring import MachineBusy, measuring
from headroom.core.paths import DEFAULT_BUILD, build_folder, shown
from headroom.core.results.store import sha256_of
from headroom.core.sentinels import Arm, Trials, Work
from headroom.nightly import adapter_files, bare_bridge, suite_runs
from headroom.nightly.binaries import Binary, BinaryStore
from headroom.nightly.checkout import Checkout
from headroom.nightly.suite_runs import CONFORMANCE, SEARCHES, SearchFigure

Say = Callable[[str], None]


@dataclass(frozen=True)
class Source:
    """Where an adapter comes from: a file, with the commit that it was built from ("" where there is none)."""

    path: Path
    commit: str = ""
    changed: bool = False


@dataclass(frozen=True)
class Case:
    """The verdict of a conformance case."""

    test: str
    verdict: str
    reason: str = ""


@dataclass(frozen=True)
class ArmFile:
    """An arm as a file; `engine` is the folder of another engine, or "". `is_null`: the null adapter, wherever that
    is."""

    path: Path = Path()
    engine: str = ""
    is_null: bool = False


class Measurer(Protocol):
    """What carries out a night. Names of sentinels are those of `sentinels`."""

    machine: str
    implementation: str
    build: str
    compiler: str

    def busy(self) -> str:
        """Why the machine cannot measure, after having waited, as a sentence; "" where it can."""

    def source(self) -> Source:
        """Tonight's adapter. Raises BuildFailed, EnvironmentLacks."""

    def source_of(self, commit: str) -> Source:
        """The adapter of a commit. Raises UsageError, BuildFailed."""

    def kept(self, commit: str) -> Binary:
        """The adapter of a commit, kept among the binaries. Raises UsageError, BuildFailed."""

    def relinked(self, binary: Binary, folder: Path) -> list[Path]:
        """A kept adapter in other layouts, below `folder`. Raises UsageError, BuildFailed."""

    def sentinels(self) -> Sequence[tuple[str, str, str]]:
        """Name, test and profile of each sentinel that the implementation can do."""

    def conditions(self, name: str) -> dict[str, str]:
        """All that has to be equal for two nights of a sentinel, or of the bare bridge, to be comparable."""

    def version(self, adapter: Path) -> str:
        """The version of an adapter; "" where neither implementation.yaml nor the adapter tells one."""

    def engine(self) -> Path:
        """The engine's program."""

    def measure(self, name: str, arms: Mapping[str, ArmFile], trials: int, count: bool) -> dict[str, Trials]:
        """Interleaved trials of a sentinel by arm and metric. Raises HeadroomError where an arm fails."""

    def bare_bridge(self, trials: int) -> Trials:
        """Trials of the bare bridge by metric; none where there are no interfaces. Raises HeadroomError."""

    def cases(self, night: str, kept: Collection[str]) -> list[Case]:
        """Verdicts of the conformance cases, from a run that is kept under the night's name; those of the nights `kept`
        stay. Raises HeadroomError."""

    def verdict(self, test: str, adapter: Path) -> str:
        """The verdict of one conformance case with an adapter."""

    def searches(self, night: str) -> list[SearchFigure]:
        """Figures of the searches, which are context; their run is kept likewise. Raises HeadroomError."""


@dataclass
class EngineMeasurer:
    """A night on this machine, with this checkout's engine."""

    implementation: str
    build: str
    store: BinaryStore
    checkout: Checkout
    runs: Path
    seed: int = 1
    say: Say = lambda sentence: None
    wait_s: float = guard.WAIT_S
    _found: Implementation = field(init=False)
    _core: int = field(init=False)
    _lock: ExitStack = field(init=False, default_factory=ExitStack)

    def __post_init__(self) -> None:
        self._found = implementations.find(self.implementation)
        self._found.library_path(self.build)  # raises UsageError where there is no adapter
        if self.build not in build.MEASURED:
            known = ", ".join(build.MEASURED)
            raise UsageError(f"A night measures commits built by a preset, not '{self.build}'. Known: {known}.")
        self.machine = machine_name()
        one = topology.resolve(["1c"], topology.configurations(topology.read()))[0]
        self._core = one.cpus[0] if one.available else 0

    def busy(self) -> str:
        try:
            self._lock.enter_context(measuring(self.wait_s))  # until this process ends
        except MachineBusy as error:
            return f"This machine could not be measured: {error}."
        reasons = guard.look(self.store.folder)
        if not reasons:
            return ""
        self.say(f"waiting up to {self.wait_s:g} s for a quiet machine: {', and '.join(reasons)}")
        return guard.wait(lambda: guard.look(self.store.folder), most_s=self.wait_s)

    def source(self) -> Source:
        build.ensure(self.build, implementations.ninja_targets(), say=self.say)
        if not self._found.is_ours():
            return Source(self._existing())
        try:
            commit, changed = self.checkout.head()
        except EnvironmentLacks:
            return Source(self._existing())
        if changed:
            return Source(self._existing(), commit, changed=True)
        return self.source_of(commit)

    def source_of(self, commit: str) -> Source:
        full = self._commit(commit)
        if known := self.store.of_commit(full, self.compiler):
            return Source(known.path, full)
        return Source(self.checkout.build(full, self._target, self.build), full)

    def relinked(self, binary: Binary, folder: Path) -> list[Path]:
        commit = self._commit(binary.commit)
        return self.checkout.relinked(commit, binary.digest, self._target, self.build, folder)

    @property
    def compiler(self) -> str:
        return environment.read(self.build).compiler or ""

    def _commit(self, name: str) -> str:
        full = self.checkout.resolve(name)
        if not self._found.is_ours():
            raise UsageError(f"{self.implementation} is not built with the project, so that it has no commits.")
        return full

    @property
    def _target(self) -> str:
        return self._found.library.removeprefix("{build}/")

    def kept(self, commit: str) -> Binary:
        source = self.source_of(commit)
        return self.store.keep(source.path, source.commit, False, self.compiler, "")

    def _existing(self) -> Path:
        path = self._found.library_path(self.build)
        if not path.is_file():
            raise EnvironmentLacks(f"{self.implementation} has no adapter at {path}: {self._found.obtain}")
        return path

    def sentinels(self) -> list[tuple[str, str, str]]:
        arm = Arm(self._found, self._found)
        return [(name, one.test, one.profile) for name, one in sentinels.all_sentinels().items() if not one.lacks(arm)]

    def conditions(self, name: str) -> dict[str, str]:
        found = environment.read(self.build)
        known = {
            "cpu": found.cpu_model,
            "microcode": found.microcode,
            "kernel": found.kernel,
            "governor": found.governor,
            "smt": str(found.topology.get("smt")),
            "mitigations": found.mitigations,
            "compiler": found.compiler,
            "flags": found.flags,
            "engine": sha256_of(self.engine()),
            **self._work(name),
        }
        return {key: "none" if value is None else str(value) for key, value in known.items()}

    def _work(self, name: str) -> dict[str, str]:
        if name == bare_bridge.NAME:
            return {"case": _digest(bare_bridge.WORK)}
        job = sentinels.find(name).job(Work(Arm(self._found, self._found), self.build, self._core, self.seed))
        profile = job.pop("profile", None) or job.get("source", {}).pop("profile", None)
        counted = sentinels.find(name).job(
            Work(Arm(self._found, self._found), self.build, seed=self.seed, counted=True)
        )
        case = [without_libraries(job), without_libraries(counted), sentinels.METHOD]
        return {"profile": _digest(profile), "case": _digest(case)}

    def version(self, adapter: Path) -> str:
        if self._found.version:
            return self._found.version
        try:
            return str(engine.run("describe", {"library": str(adapter)}, timeout_s=20, build=self.build)["version"])
        except (HeadroomError, KeyError):
            return ""

    def engine(self) -> Path:
        return build.require_engine(self.build)

    def measure(self, name: str, arms: Mapping[str, ArmFile], trials: int, count: bool) -> dict[str, Trials]:
        sentinel = sentinels.find(name)
        made = {arm: self._arm(one) for arm, one in arms.items()}
        able = {arm: one for arm, one in made.items() if not sentinel.lacks(one)}
        return sentinels.measure(sentinel, able, trials, self.build, self._core, self.seed, count, self.say)

    def _arm(self, one: ArmFile) -> Arm:
        if one.is_null:
            null = implementations.null()
            return Arm(null, null)
        return Arm(self._found, self._found, one.engine).with_library(one.path)

    def bare_bridge(self, trials: int) -> Trials:
        if bare_bridge.lacking(self.build):
            return {}
        self.say("the bare bridge, which is a control")
        return bare_bridge.measure(self.build, self.seed, trials)

    def cases(self, night: str, kept: Collection[str]) -> list[Case]:
        records = self._suite(CONFORMANCE, night, kept)
        return [Case(one["test"]["id"], one["verdict"], one["reason"][:500]) for one in records]

    def verdict(self, test: str, adapter: Path) -> str:
        suite, _, name = test.rpartition("/")
        with tempfile.TemporaryDirectory(prefix="headroom-build-") as folder:
            made = Path(folder)
            for kind in ("bin", "lib"):
                (made / kind).mkdir()
                for path in (build_folder(self.build) / kind).iterdir():
                    (made / kind / path.name).symlink_to(path)
            own = made / self._target
            own.unlink(missing_ok=True)
            own.symlink_to(adapter)
            records = suite_runs.run(made / "run", self.implementation, folder, suite, [name])
        return next((one["verdict"] for one in records if one["test"]["id"] == test), "unsupported")

    def searches(self, night: str) -> list[SearchFigure]:
        return [found for one in self._suite(SEARCHES, night, ()) for found in suite_runs.figures_of(one)]

    def _suite(self, suite: str, night: str, kept: Collection[str]) -> suite_runs.Records:
        suite_runs.prune(self.runs, suite, kept)
        folder = suite_runs.folder_of(self.runs, suite, night)
        return suite_runs.run(folder, self.implementation, self.build, suite, say=self.say)


@contextmanager
def copied(path: Path) -> Iterator[Path]:
    """A copy of an adapter in a place of its own, for the A/A control."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=".copy-", dir=path.parent))  # elsewhere may be noexec
        copy = adapter_files.copy(path, folder)
    except OSError as error:
        raise disk_error(error, f"copying {shown(path)}", resumable=False) from error
    try:
        yield copy
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def machine_name() -> str:
    """The name of this machine in the history: its host name and some digits of its machine-id(5)."""
    try:
        identity = Path("/etc/machine-id").read_text(encoding="ascii").strip()
    except OSError:
        identity = platform.node()
    host = re.sub(r"[^A-Za-z0-9.-]+", "-", socket.gethostname()).strip("-.")[:40] or "machine"
    return f"{host}-{hashlib.sha256(identity.encode()).hexdigest()[:6]}"


def without_libraries(job: Any) -> Any:
    """A job without the paths of libraries, which differ from arm to arm."""
    if isinstance(job, dict):
        return {key: without_libraries(value) for key, value in job.items() if key != "library"}
    if isinstance(job, list):
        return [without_libraries(value) for value in job]
    return job


def _digest(document: Any) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True, default=str).encode()).hexdigest()


def default_measurer(
    history: Path, implementation: str, preset: str = DEFAULT_BUILD, say: Say = print
) -> EngineMeasurer:
    """The measurer of this machine for a history folder."""
    history = history.resolve()
    checkout = Checkout(history / "checkout", say=say)
    runs = history / suite_runs.RUNS
    binaries = BinaryStore(history / "binaries" / machine_name())
    return EngineMeasurer(implementation, preset, binaries, checkout, runs, say=say)
