# SPDX-License-Identifier: Apache-2.0
"""The stages of `./headroom test`: the programs that they run, and the totals that these print."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from headroom.core.errors import HeadroomError, UsageError
from headroom.core.machine import build
from headroom.core.mutation import campaign
from headroom.core.paths import DEFAULT_BUILD, ROOT, SUITES, build_folder, out_folder, shown
from headroom.core.results import golden, store
from headroom.core.scheme_registry import all_schemes
from headroom.selftest import fuzz_targets
from headroom.selftest.fuzz_targets import FuzzTarget

# clang-format's output differs between major versions; the tree follows the version of Debian 12.
CLANG_FORMAT_MAJOR = "14"
SUITES_THAT_PROVE = ("smoke", "conformance", "interop", "robustness")
USUAL_CASES = "headroom.selftest.usual_cases.UsualCases"
GOLDEN = ROOT / "resources/golden"
CTEST_PATIENCE_S = 900  # the longest test takes two minutes, and eight on a machine with five times the work
CTEST_TOTALS = r"tests passed.*out of \d+"

# Lines of a runner's output that name a failure (pytest, CTest, the comparison with the golden data), or its reason.
FAULTS = re.compile(
    r"^(FAILED|ERROR) \S+\.py|^\s*\d+ - \S+ \((Failed|Timeout|Not Run|SEGFAULT|.*exception.*)\)|^golden: \D"
)
REASONS = re.compile(r"^E   +\S*(Error|Exception|Failed|assert)")
MOST_FAULTS, MOST_REASONS = 30, 10

Run = Callable[[Path], bool]


@dataclass(frozen=True)
class Stage:
    """A stage. `run` writes all its output to a log and returns True if it passed; `totals` match the lines to show."""

    name: str
    about: str
    run: Run
    totals: str
    most: int = 4  # lines of totals to show
    preset: str = ""  # the build that the stage needs, if no other stage needs it


@dataclass
class Result:
    stage: str
    passed: bool
    seconds: float
    log: Path
    totals: list[str] = field(default_factory=list)
    last_lines: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.stage,
            "passed": self.passed,
            "seconds": round(self.seconds, 1),
            "totals": self.totals,
            "faults": self.faults,
            "log": str(self.log),
        }


def stages(
    fast: bool = False, everything: bool = False, fuzz: bool = False, fuzz_seconds: int = 60, only: Sequence[str] = ()
) -> list[Stage]:
    """The stages in order; if `only` names some, those alone. Raises UsageError if there is none of such a name.

    Stages that need a build of their own come last: BackgroundBuilds compiles it during the stages before them.
    """
    all_stages = _usual_stages(fast, benchmarks=everything, whole=everything or bool(only))
    if (everything or only) and not fast:
        all_stages += _further_stages()
    if fuzz:
        all_stages.append(
            Stage("fuzz", f"each fuzz target for {fuzz_seconds} s", _fuzz(fuzz_seconds), r"^fuzz: ", most=99)
        )
    names = [stage.name for stage in all_stages]
    if unknown := [name for name in only if name not in names]:
        raise UsageError(f"There is no stage '{unknown[0]}'. Stages: {', '.join(names)}.")
    return [stage for stage in all_stages if not only or stage.name in only]


def _usual_stages(fast: bool, benchmarks: bool, whole: bool) -> list[Stage]:
    """The stages without a build of their own; with `whole` including long Python tests and the cases that are not
    usual. `fast` leaves out what is not quick.
    """
    ruff = r"^(All checks passed|Found \d+ error|\d+ files? )"
    robocop = r"(No issues found|Found \d+ issue|\d+ files? )"
    ctest = _ctest(DEFAULT_BUILD, benchmarks, *(["-LE", "slow"] if fast else []))
    if fast:
        suites, pytest, about = ("smoke",), _pytest_fast, "quick unit tests of the Python package"
    else:
        suites, pytest = SUITES_THAT_PROVE, _pytest if whole else _pytest_without_long
        about = "unit tests of the Python package, and of everything together"
    return [
        Stage("ruff", "style and formatting of the Python code", _ruff, ruff),
        Stage("robocop", "style of the suites and keywords", _robocop, robocop),
        Stage("clang-format", "formatting of the C and C++ code", _clang_format, r"^clang-format: "),
        Stage("ctest", f"C++ unit tests, build {DEFAULT_BUILD}", ctest, CTEST_TOTALS),
        Stage("pytest", about, pytest, r"\d+ (passed|failed|error).* in "),
        Stage("robot-dryrun", "every suite can be read", _robot_dry_run, r"^\d+ tests?, "),
        Stage(
            "robot", f"suites: {', '.join(suites)}", _robot(suites, whole), r"^\d+ tests?, |^golden: \d+ cases", most=6
        ),
    ]


def _further_stages() -> list[Stage]:
    compose, mutants = "containers: the images, and trials over Docker Compose", "some defects on purpose are found"
    sanitized = _ctest("sanitized")
    return [
        Stage("compose", compose, _compose, r"^compose: |\d+ passed"),
        Stage("mutants", f"{mutants} (all: --mutants)", _mutants, r"^mutants: ", preset="mutants"),
        Stage("ctest-sanitized", "C++ unit tests under ASan and UBSan", sanitized, CTEST_TOTALS, preset="sanitized"),
        Stage("bench", "benchmarks can be built and run", _bench, r"^bench: ", most=99),
    ]


class BackgroundBuilds:
    """Compiles the builds of later stages, at the lowest priority, while earlier stages wait for processes.

    A context manager: leaving it ends the running build. A build that fails here fails again in its stage, which
    reports it.
    """

    def __init__(self, stages: list[Stage]) -> None:
        self._presets = [stage.preset for stage in stages if stage.preset]
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._ended = False
        self._thread = threading.Thread(target=self._build, daemon=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._ended = True
            if self._process is not None and self._process.poll() is None:
                self._process.terminate()
        if self._thread.is_alive():
            self._thread.join()

    def start(self) -> None:
        """Begins the builds, once."""
        if self._presets and self._thread.ident is None:
            self._thread.start()

    def _build(self) -> None:
        for preset in self._presets:
            try:
                _build_for_stage(preset, start=self._start)
            except HeadroomError:
                if self._ended:
                    return

    def _start(self, command: list[str], **more: Any) -> subprocess.Popen[str]:
        with self._lock:
            if self._ended:
                raise HeadroomError("The stages have ended.")
            self._process = subprocess.Popen(["nice", "-n", "19", *command], **more)
            return self._process


def _build_for_stage(preset: str, **more: Any) -> Path:
    """Builds what a stage needs of a preset."""
    if preset == campaign.PRESET:
        return build.ensure(preset, [campaign.LIBRARY], **more)
    return build.ensure(preset, tests=True, **more)


def run(stage: Stage) -> Result:
    """Runs a stage; its log is out/test/<stage>.log."""
    log = out_folder() / "test" / f"{stage.name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes(b"")
    began = time.monotonic()
    try:
        passed = stage.run(log)
    except HeadroomError as error:
        _note(log, str(error))
        passed = False
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip("= ") for line in lines]
    totals = [line for line in plain if re.search(stage.totals, line)]
    faults = [] if passed else _matching(FAULTS, plain, MOST_FAULTS) + _matching(REASONS, plain, MOST_REASONS)
    return Result(stage.name, passed, time.monotonic() - began, log, totals[-stage.most :], plain[-40:], faults)


def _matching(pattern: re.Pattern[str], lines: list[str], most: int) -> list[str]:
    return [line.strip()[:300] for line in lines if pattern.search(line)][:most]


def _note(log: Path, text: str) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(text + "\n")


def _command(log: Path, *arguments: str | Path, **environment: str) -> bool:
    """Runs a program in the repository's root with its output appended to the log."""
    with log.open("ab") as file:
        file.write(f"$ {' '.join(str(word) for word in arguments)}\n".encode())
        file.flush()
        try:
            process = subprocess.run(
                [str(word) for word in arguments],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=_environment() | environment,
            )
        except FileNotFoundError:
            file.write(f"{arguments[0]} is not installed; ./headroom test installs it if it may.\n".encode())
            return False
    return process.returncode == 0


def _environment() -> dict[str, str]:
    """The variables of a stage. Python keeps its bytecode even if they say otherwise: each worker and each command
    would compile every module again, which takes longer than many a test.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPATH": str(ROOT / "resources")}


def _tool(name: str) -> Path:
    """A program of the environment of this process."""
    return Path(sys.executable).parent / name


def _ruff(log: Path) -> bool:
    folders = ("resources", "traffic-profiles")
    return _command(log, _tool("ruff"), "check", *folders) & _command(log, _tool("ruff"), "format", "--check", *folders)


def _robocop(log: Path) -> bool:
    return _command(log, _tool("robocop"), "check", SUITES, "resources/keywords") & _command(
        log, _tool("robocop"), "format", "--check", "--no-overwrite", SUITES, "resources/keywords"
    )


def _clang_format(log: Path) -> bool:
    program = shutil.which(f"clang-format-{CLANG_FORMAT_MAJOR}") or shutil.which("clang-format")
    if program is None:
        _note(log, "clang-format: not installed; ./headroom test installs it if it may.")
        return False
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    major = re.search(r"version (\d+)", version)
    if not major or major[1] != CLANG_FORMAT_MAJOR:
        _note(
            log,
            f"clang-format: not judged, because version {major[1] if major else '?'} formats unlike version "
            f"{CLANG_FORMAT_MAJOR}",
        )
        return True
    folders = ("implementations", "resources/engine", "cmake")
    files = [
        path
        for folder in folders
        for suffix in ("cc", "h", "c")
        for path in sorted((ROOT / folder).rglob(f"*.{suffix}"))
    ]
    passed = _command(log, program, "--dry-run", "--Werror", *files)
    _note(log, f"clang-format: {len(files)} files, {'all formatted' if passed else 'some are not formatted'}")
    return passed


def _ctest(preset: str, benchmarks: bool = False, *arguments: str) -> Run:
    def stage(log: Path) -> bool:
        # The benchmarks of the stage `bench` use the objects of this build.
        build.ensure(preset, tests=True, benchmarks=benchmarks, say=lambda sentence: _note(log, sentence))
        return _command(
            log,
            "ctest",
            "--test-dir",
            build_folder(preset),
            "--output-on-failure",
            "--no-tests=error",
            "--timeout",
            str(CTEST_PATIENCE_S),
            "-j",
            str(os.cpu_count() or 1),
            *arguments,
        )

    return stage


def _pytest(log: Path, *arguments: str) -> bool:
    build.ensure(DEFAULT_BUILD, say=lambda sentence: _note(log, sentence))
    # Many tests wait for a process more than they compute: one worker more than cores keeps the cores busy.
    workers = min((os.cpu_count() or 1) + 1, 8)
    words = ["-q", "--color=no", "--durations", "50", "-n", str(workers), "--dist", "loadfile", *arguments]
    return _command(log, sys.executable, "-m", "pytest", *words)


def _pytest_without_long(log: Path) -> bool:
    return _pytest(log, "-m", "not long")


def _pytest_fast(log: Path) -> bool:
    return _pytest(log, "-m", "not engine and not launcher and not slow and not long")


def _robot_dry_run(log: Path) -> bool:
    return _command(
        log,
        sys.executable,
        "-m",
        "robot",
        "--dryrun",
        "--console",
        "quiet",
        "--output",
        "NONE",
        "--report",
        "NONE",
        "--log",
        "NONE",
        SUITES,
    ) and (_count_cases(log))


def _count_cases(log: Path) -> bool:
    from headroom.core.run.selection import cases

    all_cases = cases([SUITES])
    _note(log, f"{len(all_cases)} tests, read without an error")
    return bool(all_cases)


def _robot(suites: tuple[str, ...], whole: bool) -> Run:
    def stage(log: Path) -> bool:
        build.ensure(DEFAULT_BUILD, say=lambda sentence: _note(log, sentence))
        folder = out_folder() / "test" / "robot"
        shutil.rmtree(folder, ignore_errors=True)
        passed = _robots(log, folder, _groups(suites, whole))
        return passed & _same_as_golden(log, folder, suites, whole)

    return stage


@dataclass(frozen=True)
class Group:
    """Cases that run one after another, beside those of other groups: suites, and Robot's options that select cases."""

    name: str
    suites: tuple[str, ...]
    options: tuple[str, ...]


def _groups(suites: tuple[str, ...], whole: bool) -> list[Group]:
    """The groups of some suites, the longest first; unless `whole`, the usual cases alone."""
    from headroom.core.run.selection import has_suites
    from headroom.selftest.usual_cases import OF_SUITES

    usual = () if whole else ("--prerunmodifier", USUAL_CASES)
    others = tuple(word for tag in sorted(OF_SUITES) for word in ("--exclude", tag)) if whole else usual
    groups = [Group(tag, ("robustness",), ("--include", tag)) for tag in sorted(OF_SUITES) if whole]
    groups += [
        Group("interop", ("interop",), usual),
        Group("conformance", ("smoke", "conformance"), usual),
        Group("robustness", ("robustness",), others),
    ]
    groups = [
        replace(group, suites=tuple(name for name in group.suites if name in suites and has_suites(name)))
        for group in groups
    ]
    return [group for group in groups if group.suites]


def _robots(log: Path, folder: Path, groups: list[Group]) -> bool:
    """Runs Robot once for each group, a few at once, with one folder of records and one log of Robot's."""

    def one(group: Group) -> bool:
        part(group).write_bytes(b"")
        return _command(
            part(group),
            sys.executable, "-m", "robot",
            "--console", "dotted",
            *group.options,
            "--outputdir", folder,
            "--output", output(group).name, "--log", "NONE", "--report", "NONE",
            "--variable", f"RUN_FOLDER:{folder}",
            "--listener", f"headroom.core.results.listener.Listener:{folder}",
            *(SUITES / name for name in group.suites),
        )  # fmt: skip

    def part(group: Group) -> Path:
        return log.with_name(f"{log.stem}-{group.name}.log")

    def output(group: Group) -> Path:
        return folder / f"output-{group.name}.xml"

    # Cases wait for processes, as Python's tests do.
    with ThreadPoolExecutor(max_workers=(os.cpu_count() or 1) + 1) as pool:
        passed = all(list(pool.map(one, groups)))
    for group in groups:
        _note(log, part(group).read_text(encoding="utf-8", errors="replace"))
    outputs = [output(group) for group in groups]
    _command(log, sys.executable, "-m", "robot.rebot", "--outputdir", folder, "--output", "output.xml", *outputs)
    return passed


def _outcomes(folder: Path) -> dict[str, golden.Outcome]:
    outcomes = golden.of_records(store.read_all(folder))
    return {case: outcome for case, outcome in outcomes.items() if outcome.verdict != golden.UNSUPPORTED}


def _same_as_golden(log: Path, folder: Path, suites: tuple[str, ...], whole: bool) -> bool:
    """True if every case of some suites, or unless `whole` every usual one, gave the recorded verdict, cells and link
    octets.
    """
    from headroom.selftest.usual_cases import usual_cases

    outcomes = _outcomes(folder)
    on_file = {case: outcome for case, outcome in golden.read(GOLDEN).items() if case.partition("/")[0] in suites}
    if not whole:
        usual = usual_cases(suites)
        on_file = {case: outcome for case, outcome in on_file.items() if case in usual}
    wrong = golden.differences(on_file, outcomes)
    for sentence in wrong:
        _note(log, f"golden: {sentence}")
    _note(log, f"golden: {len(outcomes)} cases, {len(wrong)} differ from {shown(GOLDEN)}")
    return not wrong


def update_golden() -> int:
    """Writes the outcomes of the last robot stage as golden data. Returns how many."""
    outcomes = _outcomes(out_folder() / "test" / "robot")
    golden.write(GOLDEN, outcomes)
    return len(outcomes)


def _compose(log: Path) -> bool:
    """Runs the containers' tests; skipped with the reason if no Docker answers."""
    from headroom.testbed import compose

    if reason := compose.lacks():
        _note(log, f"compose: skipped. {reason}")
        return True
    if not _command(log, ROOT / "docker" / "build"):
        _note(log, "compose: the images could not be built")
        return False
    folder = ROOT / "resources/headroom/tests/wire"
    names = ("test_compose.py", "test_trex_container.py", "test_user_plane_in_containers.py", "test_cli_image.py")
    tests = [folder / name for name in names]  # with TRex, if there is one
    tests.append(folder.parent / "test_toy_scheme.py::test_it_is_measured_as_an_image")
    words = [sys.executable, "-m", "pytest", "-q", "--color=no", *tests]
    passed = _command(log, *words, HEADROOM_CONTAINERS="yes")
    _note(log, f"compose: trials over {compose.containers.look().version} {'passed' if passed else 'FAILED'}")
    return passed


def _mutants(log: Path) -> bool:
    from headroom.core.mutation import catalogue

    chosen = [mutant for mutant in catalogue.load() if mutant.quick]
    rows = campaign.run(chosen, say=lambda sentence: _note(log, sentence))
    caught = sum(row.verdict == "caught" for row in rows)
    _note(log, f"mutants: {caught} of {len(rows)} are found by the conformance suites")
    return campaign.exit_code(rows) == 0


def _bench(log: Path) -> bool:
    folder = build.ensure(DEFAULT_BUILD, benchmarks=True, say=lambda sentence: _note(log, sentence))
    results = []
    for name, *arguments in (arguments for scheme in all_schemes().values() for arguments in scheme.benchmarks):
        arguments = [word.replace("LIB", str(folder / "lib")) for word in arguments]
        results.append(_command(log, folder / "bin" / name, *arguments))
        _note(log, f"bench: {name} {'runs' if results[-1] else 'FAILED'} (its figures are no measurement here)")
    return all(results)


def _fuzz(seconds: int) -> Run:
    def stage(log: Path) -> bool:
        targets = fuzz_targets.built(say=lambda sentence: _note(log, sentence))
        if not targets:
            _note(log, "fuzz: there is no fuzz target")
        results = [_fuzz_one(log, target, seconds) for target in targets]
        return bool(results) and all(results)

    return stage


def _fuzz_one(log: Path, target: FuzzTarget, seconds: int) -> bool:
    """Runs one target, from the corpus of the tree and the inputs of earlier runs. New inputs stay in the build."""
    corpus = target.program.parents[1] / "corpus" / target.name
    corpus.mkdir(parents=True, exist_ok=True)
    passed = _command(log, *target.words(corpus, seconds, f"{corpus.parent}/{target.name}-"))
    what = "found nothing" if passed else f"FOUND A DEFECT; the input is {shown(corpus.parent)}/{target.name}-…"
    _note(log, f"fuzz: {target.name}: {what} ({seconds} s, from {sum(1 for _ in target.seeds.iterdir())} files)")
    return passed
