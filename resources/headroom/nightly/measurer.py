# SPDX-License-Identifier: Apache-2.0
"""The machine's part of a night: waiting for quiet, building, measuring, running conformance cases.

`Measurer` separates the decisions of a night from their execution; tests replace it.
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

from headroom.core import adapter_files, engine, implementations, sentinels
from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError, disk_error
from headroom.core.implementations import Implementation
from headroom.core.machine import build, environment, guard, topology
from headroom.core.machine.measuring import MachineBusy, measuring
from headroom.core.paths import DEFAULT_BUILD, build_folder, sha256_of, shown
from headroom.core.sentinels import Arm, Trials, Work
from headroom.nightly import bare_bridge, suite_runs
from headroom.nightly.binaries import Binary, BinaryStore
from headroom.nightly.checkout import Checkout
from headroom.nightly.suite_runs import CONFORMANCE, SEARCHES, SearchFigure

Say = Callable[[str], None]


@dataclass(frozen=True)
class Source:
    """The origin of an adapter: a file, with the commit that it was built from ("" if there is none)."""

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
    """An arm as a file; `engine` is the folder of another engine, or "". `is_null`: the null adapter, wherever
    it is.
    """

    path: Path = Path()
    engine: str = ""
    is_null: bool = False


class Measurer(Protocol):
    """Carries out the steps of a night. Names of sentinels are those of `sentinels`."""

    machine: str
    implementation: str
    build: str
    compiler: str

    def busy(self) -> str:
        """The reason why the machine cannot measure even after a wait, as a sentence; "" if it can."""

    def source(self) -> Source:
        """Tonight's adapter. Raises BuildFailed, EnvironmentLacks."""

    def source_of(self, commit: str) -> Source:
        """The adapter of a commit. Raises UsageError, BuildFailed."""

    def kept(self, commit: str) -> Binary:
        """The adapter of a commit, kept among the binaries. Raises UsageError, BuildFailed."""

    def relinked(self, binary: Binary, folder: Path) -> list[Path]:
        """A kept adapter in other layouts, below `folder`. Raises UsageError, BuildFailed."""

    def sentinels(self) -> Sequence[tuple[str, str, str]]:
        """The name, test and profile of each sentinel that the implementation can do."""

    def conditions(self, name: str) -> dict[str, str]:
        """All properties that must be equal for two nights of a sentinel, or of the bare bridge, to be comparable."""

    def version(self, adapter: Path) -> str:
        """The version of an adapter; "" if neither implementation.yaml nor the adapter gives one."""

    def engine(self) -> Path:
        """The engine's program."""

    def measure(self, name: str, arms: Mapping[str, ArmFile], trials: int, count: bool) -> dict[str, Trials]:
        """Interleaved trials of a sentinel by arm and metric. Raises HeadroomError if an arm fails."""

    def bare_bridge(self, trials: int) -> Trials:
        """Trials of the bare bridge by metric; none if there are no interfaces. Raises HeadroomError."""

    def cases(self, night: str, kept: Collection[str]) -> list[Case]:
        """Verdicts of the conformance cases, from a run that is kept under the night's name; runs of the nights `kept`
        stay. Raises HeadroomError.
        """

    def verdict(self, test: str, adapter: Path) -> str:
        """The verdict of one conformance case with an adapter."""

    def searches(self, night: str) -> list[SearchFigure]:
        """Figures of the searches, which are context; their run is kept, too. Raises HeadroomError."""


@dataclass
class EngineMeasurer:
    """Measures a night on this machine, with this checkout's engine."""

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
        self._found.library_path(self.build)  # raises UsageError if there is no adapter
        if self.build not in build.MEASURED:
            known = ", ".join(build.MEASURED)
            raise UsageError(f"A night measures commits, which need a preset, not '{self.build}'. Known: {known}.")
        self.machine = machine_name()
        configuration = topology.resolve(["1c"], topology.configurations(topology.read()))[0]
        self._core = configuration.cpus[0] if configuration.is_available else 0

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
            raise UsageError(
                f"{self.implementation} is no part of this repository, so no commit names a version of it."
            )
        return full

    @property
    def _target(self) -> str:
        return self._found.library.removeprefix("{build}/")

    def kept(self, commit: str) -> Binary:
        source = self.source_of(commit)
        return self.store.keep(source.path, source.commit, False, self.compiler, "")

    def _existing(self) -> Path:
        path = self._found.library_path(self.build)
        reason = self._found.unusable(self.build)  # a file too large to be read, too
        if reason or not path.is_file():
            reason = reason or f"{self.implementation} has no adapter at {path}"
            raise EnvironmentLacks(f"{reason}. How to get it: {self._found.obtain.strip()}")
        return path

    def sentinels(self) -> list[tuple[str, str, str]]:
        arm = Arm(self._found, self._found)
        return [
            (name, sentinel.test, sentinel.profile)
            for name, sentinel in sentinels.all_sentinels().items()
            if not sentinel.lacks(arm)
        ]

    def conditions(self, name: str) -> dict[str, str]:
        facts = environment.read(self.build)
        known = {
            "cpu": facts.cpu_model,
            "microcode": facts.microcode,
            "kernel": facts.kernel,
            "governor": facts.governor,
            "smt": str(facts.topology.get("smt")),
            "mitigations": facts.mitigations,
            "compiler": facts.compiler,
            "flags": facts.flags,
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
        prepared = {arm: self._arm(arm_file) for arm, arm_file in arms.items()}
        able = {arm: arm_file for arm, arm_file in prepared.items() if not sentinel.lacks(arm_file)}
        return sentinels.measure(sentinel, able, trials, self.build, self._core, self.seed, count, self.say)

    def _arm(self, arm_file: ArmFile) -> Arm:
        if arm_file.is_null:
            null = implementations.null()
            return Arm(null, null)
        return Arm(self._found, self._found, arm_file.engine).with_library(arm_file.path)

    def bare_bridge(self, trials: int) -> Trials:
        if bare_bridge.lacking(self.build):
            return {}
        self.say("the bare bridge, which is a control")
        return bare_bridge.measure(self.build, self.seed, trials)

    def cases(self, night: str, kept: Collection[str]) -> list[Case]:
        records = self._suite(CONFORMANCE, night, kept)
        return [Case(record["test"]["id"], record["verdict"], record["reason"][:500]) for record in records]

    def verdict(self, test: str, adapter: Path) -> str:
        suite, _, name = test.rpartition("/")
        with tempfile.TemporaryDirectory(prefix="headroom-build-") as folder:
            scratch = Path(folder)
            for kind in ("bin", "lib"):
                (scratch / kind).mkdir()
                for path in (build_folder(self.build) / kind).iterdir():
                    (scratch / kind / path.name).symlink_to(path)
            own = scratch / self._target
            own.unlink(missing_ok=True)
            own.symlink_to(adapter)
            records = suite_runs.run(scratch / "run", self.implementation, folder, suite, [name])
        return next((record["verdict"] for record in records if record["test"]["id"] == test), "unsupported")

    def searches(self, night: str) -> list[SearchFigure]:
        return [figure for record in self._suite(SEARCHES, night, ()) for figure in suite_runs.figures_of(record)]

    def _suite(self, suite: str, night: str, kept: Collection[str]) -> suite_runs.Records:
        suite_runs.prune(self.runs, suite, kept)
        folder = suite_runs.folder_of(self.runs, suite, night)
        return suite_runs.run(folder, self.implementation, self.build, suite, say=self.say)


@contextmanager
def copied(path: Path) -> Iterator[Path]:
    """A copy of an adapter in a place of its own, for the A/A control."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=".copy-", dir=path.parent))  # other places may be noexec
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
    """A job without the paths of libraries, which differ between arms."""
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
