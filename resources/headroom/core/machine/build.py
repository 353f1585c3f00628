# SPDX-License-Identifier: Apache-2.0
"""Builds of the engine and our adapters: one per CMake preset, in build/<preset>/."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from headroom.core import locks
from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.paths import DEFAULT_BUILD, ROOT, build_folder, shown

# The paper's compiler matrix (Figures 5 and 6), with today's compilers.
MEASURED = ("gcc-O2", "gcc-O3-native", "clang-O2", "clang-O3-native", "gcc-m32-O2")

Say = Callable[[str], None]
Start = Callable[..., "subprocess.Popen[str]"]


@dataclass(frozen=True)
class Preset:
    """A configure preset of CMakePresets.json."""

    name: str
    title: str
    compiler: str


def presets() -> dict[str, Preset]:
    described = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]
    return {
        entry["name"]: Preset(
            entry["name"],
            entry.get("displayName", entry["name"]),
            entry.get("cacheVariables", {}).get("CMAKE_CXX_COMPILER", "c++"),
        )
        for entry in described
        if not entry.get("hidden")
    }


def present(names: Iterable[str] = MEASURED) -> list[str]:
    """The builds, of the given ones, that have an engine, in the given order."""
    return [name for name in names if engine_program(name).is_file()]


def engine_program(build: str) -> Path:
    return build_folder(build) / "bin" / "headroom-engine"


def require_engine(build: str) -> Path:
    """The engine of a build. Raises EnvironmentLacks if it does not exist."""
    program = engine_program(build)
    if not program.is_file():
        raise EnvironmentLacks(
            f"There is no engine at {shown(program)}: build it with `./headroom run`, or name another by --build."
        )
    return program


def require(build: str) -> None:
    """Raises UsageError if a build is neither a preset nor a folder with an engine."""
    if build not in presets() and not engine_program(build).is_file():
        raise UsageError(f"There is no build '{build}'. Presets: {', '.join(presets())}; or the path of a folder.")


def ensure(
    preset: str = DEFAULT_BUILD,
    targets: Iterable[str] = (),
    tests: bool = False,
    benchmarks: bool = False,
    say: Say | None = None,
    start: Start = subprocess.Popen,
) -> Path:
    """Configures and builds a preset, doing only the steps that are needed. Returns its folder.

    `targets` are ninja targets, all if empty. `tests` and `benchmarks` also configure the unit tests and the
    benchmarks. `start` starts cmake and ninja, as Popen does. If two processes or threads call it at once, the second
    waits. A folder that cannot be written is used as it is if it is complete. Raises EnvironmentLacks with the
    compiler's last lines if the build fails; the whole log is in the build folder.
    """
    require(preset)
    known = presets()
    if preset not in known:
        return build_folder(preset)  # A build from elsewhere, made by other means.
    for program in ("cmake", "ninja", known[preset].compiler):
        if shutil.which(program) is None:
            raise EnvironmentLacks(f"The build {preset} needs {program}, which is not installed.")
    folder = build_folder(preset)
    names = list(targets)
    options = [name for name, on in (("HEADROOM_TESTS", tests), ("HEADROOM_BENCHMARKS", benchmarks)) if on]
    if _is_read_only(folder) and names and not options and all((folder / target).is_file() for target in names):
        if say:
            say(f"{shown(folder)} cannot be written; its build is used as it is.")
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder, say):
        log = folder / "headroom-build.log"
        if origin := _made_elsewhere(folder):
            # All of its files have the other place's paths: configuring and building there would change that place.
            if not folder.resolve().is_relative_to(ROOT.resolve()):
                raise EnvironmentLacks(
                    f"{shown(folder)} leads to {folder.resolve()}, the build of another checkout ({origin}), which "
                    "nothing here may change; remove the link and call again."
                )
            if say:
                say(f"{shown(folder)} was made as {origin} and has been copied or moved, so it is made again")
            _empty(folder)
        if not (folder / "build.ninja").is_file() or not _has_options(folder, options) or _can_have_ports(folder):
            if say:
                say(f"configuring {preset} ({known[preset].title})")
            flags = [f"-D{option}=ON" for option in options]
            _step(["cmake", "--preset", preset, *flags], log, "w", f"Configuring the build {preset}", None, start)
        _step(["ninja", "-C", str(folder), *names], log, "a", f"Building {preset}", say, start)
    return folder


def _is_read_only(folder: Path) -> bool:
    """True if the folder has a build that this process may not change, as in a checkout that is mounted read-only."""
    return (folder / "build.ninja").is_file() and not os.access(folder, os.W_OK)


def _has_options(folder: Path, options: Iterable[str]) -> bool:
    """True if CMake options are on in a build."""
    cache = _cache(folder)
    return all(f"{option}:BOOL=ON" in cache for option in options)


def _can_have_ports(folder: Path) -> bool:
    """True if DPDK was missing when the build was configured, and is installed now."""
    if "HEADROOM_PORTS:INTERNAL=absent" not in _cache(folder) or shutil.which("pkg-config") is None:
        return False
    return subprocess.run(["pkg-config", "--exists", "libdpdk >= 22.11"], check=False).returncode == 0


def _made_elsewhere(folder: Path) -> Path | None:
    """The place where the build in a folder was configured, if it was copied or moved from there; else None.

    CMake writes the folders of sources and build into its cache. They may be named by way of a link.
    """
    entries = dict(line.partition("=")[::2] for line in _cache(folder).splitlines() if ":INTERNAL=" in line)
    for key, here in (("CMAKE_CACHEFILE_DIR:INTERNAL", folder), ("CMAKE_HOME_DIRECTORY:INTERNAL", ROOT)):
        there = entries.get(key)
        if there is not None and Path(there).resolve() != here.resolve():
            return Path(entries.get("CMAKE_CACHEFILE_DIR:INTERNAL", there))
    return None


def _empty(folder: Path) -> None:
    """Removes the content of a folder; the folder stays, because other processes may wait for its lock."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _cache(folder: Path) -> str:
    try:
        return (folder / "CMakeCache.txt").read_text(encoding="utf-8")
    except OSError:
        return ""


@contextmanager
def _locked(folder: Path, say: Say | None) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if not locks.take(descriptor, wait=False):
            if say:
                say(f"another command builds {shown(folder)}; this one waits for it")
            locks.take(descriptor)
        yield
    finally:
        os.close(descriptor)


def _step(command: list[str], log: Path, mode: str, doing: str, say: Say | None, start: Start) -> None:
    """Runs one command, all its output to the log; `say` receives ninja's progress."""
    last: list[str] = []
    environment = {**os.environ, **_launchers(), "NINJA_STATUS": "[%f/%t] "}
    with log.open(mode, encoding="utf-8") as out, _Steps(f"{doing[0].lower()}{doing[1:]}", say) as steps:
        process = start(
            command,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        try:
            assert process.stdout is not None
            for line in process.stdout:
                out.write(line)
                last = [*last[-25:], line.rstrip()]
                if step := _work(line):
                    steps.done(step)
            code = process.wait()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if code != 0:
        tail = "\n".join(f"  {line}" for line in last)
        raise EnvironmentLacks(f"{doing} failed; the whole log is {shown(log)}. Its last lines:\n{tail}")


def _launchers() -> dict[str, str]:
    """Variables that make CMake compile with ccache, if it is installed and no launcher is chosen yet. CMake reads them
    when it configures a build for the first time.
    """
    names = ("CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER")
    if shutil.which("ccache") is None or any(name in os.environ for name in names):
        return {}
    return dict.fromkeys(names, "ccache")


class _Steps:
    """Reports ninja's steps: in place on a terminal, else at once and then every 20 s, also while no step ends."""

    def __init__(self, doing: str, say: Say | None) -> None:
        self.doing = doing
        in_place: Say | None = getattr(say, "in_place", None)  # `console.say` has one: console.say_in_place
        self.in_place = in_place if sys.stderr.isatty() else None
        self.write = self.in_place or say
        self.pause_s = 1.0 if self.in_place else 20.0
        self.latest = ""
        self.began = time.monotonic()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._tell, daemon=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        if self.latest and self.write:
            self.thread.join()
        if self.in_place:
            self.in_place("")

    def done(self, step: str) -> None:
        """Records a step that has ended."""
        first = not self.latest
        self.latest = step
        if self.write and first:
            self.thread.start()

    def _tell(self) -> None:
        assert self.write
        while True:
            self.write(f"{self.doing}, {time.monotonic() - self.began:.0f} s: {self.latest}")
            if self.over.wait(self.pause_s):
                return


def _work(line: str) -> str | None:
    """The step of ninja's in a line, such as `[12/80] lib/null.so`; None if the line reports no step."""
    step = re.match(r"(\[\d+/(\d+)\]) (?!Re-).*?(\S+)$", line)
    if step is None or int(step[2]) < 2:
        return None
    return f"{step[1]} {re.sub(r'CMakeFiles/|[.]dir(?=/)|[.]o$', '', step[3])}"
