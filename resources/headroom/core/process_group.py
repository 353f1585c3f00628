# SPDX-License-Identifier: Apache-2.0
"""Processes that host code of others: each ends with this one, with all it started, and keeps to a memory limit."""

import contextlib
import itertools
import os
import resource
import shutil
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from headroom.core import sandbox
from headroom.core.sandbox import Walls

GRACE_S = 2.0  # between SIGTERM and SIGKILL
MEMORY_SHARE = 0.75  # of the machine's memory, for all engines of one measurement together
MARK = "HEADROOM_LEASH"  # a variable of the environment
LEAST_MEMORY = 1 << 30  # octets for each of them, however many there are

_numbers = itertools.count()


def memory_limit(program: Path, engines: int) -> int | None:
    """Octets of memory that each of some engines may have, so that an adapter that leaks ends before the machine does.

    None for builds with sanitizers, which reserve terabytes that they never use.
    """
    if _is_sanitized(program):
        return None
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(LEAST_MEMORY, int(MEMORY_SHARE * whole) // max(1, engines))


@cache
def _is_sanitized(program: Path) -> bool:
    try:
        settings = (
            (program.resolve().parents[1] / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace").splitlines()
        )
    except (OSError, IndexError):
        return False
    return any(line.startswith("HEADROOM_SANITIZERS:") and not line.endswith("=") for line in settings)


def start(
    command: Sequence[str],
    env: Mapping[str, str] | None = None,
    walls: Walls | None = None,
    place: Sequence[str] = (),
    passed: Sequence[int] = (),
    **more: Any,
) -> subprocess.Popen[bytes]:
    """Starts such a process in a session of its own; `more` is as for Popen. `walls` are those of the sandbox for code
    of others, `place` are words that go before it, such as `ip netns exec hr-1-a`, and `passed` are descriptors that it
    inherits.

    The process carries a mark in its environment, as do only its descendants: by that, `stop` finds what has left
    its process group and session.
    """
    mark = f"{os.getpid()}.{time.monotonic_ns()}.{next(_numbers)}"
    given = os.environ if env is None else env
    environment = {**(sandbox.without_secrets(given) if walls else given), MARK: mark}
    outputs = _modes(walls.writes) if walls else {}
    walled = walls is not None and not sandbox.lacking(walls.ports)
    tied = () if walled and not place else words()  # bubblewrap does that itself
    filters = sandbox.open_filters(walls.ports) if walls else ()
    tasks_before = tasks() if walled else 0
    try:
        around = sandbox.words(walls, command, filters) if walls else []
        process: subprocess.Popen[bytes] = subprocess.Popen(
            [*tied, *place, *around, *command],
            env=environment,
            start_new_session=True,
            pass_fds=(*filters, *passed),
            **more,
        )
    finally:
        for descriptor in filters:
            os.close(descriptor)
    process.mark, process.is_walled = mark, walled  # type: ignore[attr-defined]
    process.outputs = outputs  # type: ignore[attr-defined]
    process.tasks_before = tasks_before  # type: ignore[attr-defined]
    if walls and walls.memory and not around:
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(process.pid, resource.RLIMIT_DATA, (walls.memory, walls.memory))
    return process


def is_walled(process: subprocess.Popen[bytes]) -> bool:
    """True if a process is in bubblewrap's sandbox."""
    return bool(getattr(process, "is_walled", False))


@cache
def words() -> tuple[str, ...]:
    """Words before the program that make the kernel end the engine when we die, even from SIGKILL (setpriv(1))."""
    program = shutil.which("setpriv")
    return (program, "--pdeathsig", "KILL", "--") if program else ()


def exit_code(process: subprocess.Popen[bytes]) -> int | None:
    """The exit status of a process, None while it runs, negative for a signal.

    Unlike `poll` it leaves the process to be waited for: until then its number is that of its group and session, and
    no other's, so that what it left behind can be ended without hitting a stranger.
    """
    code = process.returncode
    if code is None:
        try:
            status = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            code = process.poll()
        else:
            if status is None:
                return None
            code = status.si_status if status.si_code == os.CLD_EXITED else -status.si_status
    return code if code is None or not is_walled(process) else sandbox.programs_status(code)


def stop(process: subprocess.Popen[bytes], grace_s: float | None = None) -> None:
    """Ends a process and everything that it started, politely first; closes its pipes."""
    if process.returncode is None:
        in_order = exit_code(process) == 0
        if exit_code(process) is None:
            _ask_to_end(process)
            patience = time.monotonic() + (GRACE_S if grace_s is None else grace_s)
            while exit_code(process) is None and time.monotonic() < patience:
                time.sleep(0.01)
        _signal_group(process.pid, signal.SIGKILL)
        if not in_order and not is_walled(process):
            _end_all(lambda pid: session_of(pid) == process.pid)
        if (mark := getattr(process, "mark", "")) and not is_walled(process):  # all in a sandbox ends with it
            _end_all(lambda pid: pid != process.pid and has_mark(pid, mark))
        _reap(process)
    for path, mode in getattr(process, "outputs", {}).items():
        _give_back(path, mode)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _modes(paths: Sequence[str]) -> dict[str, int]:
    """The modes of those paths that are files."""
    modes = {}
    for path in paths:
        with contextlib.suppress(OSError):
            if stat.S_ISREG(mode := os.stat(path).st_mode):
                modes[path] = stat.S_IMODE(mode)
    return modes


def _give_back(path: str, mode: int) -> None:
    """Gives a file the mode that it had: its writer could make it a program that runs with our rights."""
    with contextlib.suppress(OSError):
        if stat.S_IMODE(os.stat(path).st_mode) != mode:
            os.chmod(path, mode)


def _reap(process: subprocess.Popen[bytes]) -> None:
    """Waits for a process that is about to end, and keeps how much memory it had at most: see `most_memory`."""
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except ChildProcessError:
        process.wait()
        return
    process.returncode = os.waitstatus_to_exitcode(status)
    process.most_memory = usage.ru_maxrss * 1024  # type: ignore[attr-defined]


def most_memory(process: subprocess.Popen[bytes]) -> int:
    """Octets of memory that a process had at most; 0 while it is not stopped, and where that is unknown."""
    return int(getattr(process, "most_memory", 0))


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _end_all(is_one: Callable[[int], bool]) -> None:
    """Ends what has moved to another process group, such as a child of `check`, or to another session."""
    for _ in range(10):  # One that is just starting another may hide that from a single look.
        pids = [pid for pid in processes() if is_one(pid)]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not pids:
            return
        time.sleep(0.01)


def processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def tasks() -> int:
    """Threads of all processes of the machine. Source: proc(5), /proc/loadavg."""
    return int(Path("/proc/loadavg").read_bytes().split()[3].rpartition(b"/")[2])


def stat_of(pid: int) -> list[bytes]:
    """Fields of /proc/<pid>/stat from the third on, the state; none of a process that has ended. Source: proc(5)."""
    with contextlib.suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return fields if fields[0] not in (b"Z", b"X") else []
    return []


def group_of(pid: int) -> int | None:
    """Process group of a process, field 5; None if it has ended."""
    fields = stat_of(pid)
    return int(fields[2]) if fields else None


def session_of(pid: int) -> int | None:
    """Session of a process, field 6; None if it has ended."""
    fields = stat_of(pid)
    return int(fields[3]) if fields else None


def has_mark(pid: int, mark: str) -> bool:
    """True if a running process has a mark; a process that has ended has none."""
    try:
        return f"{MARK}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def terminate(process: subprocess.Popen[bytes]) -> None:
    """Asks a process to end, and does not wait."""
    if process.returncode is None and exit_code(process) is None:
        _ask_to_end(process)


def _ask_to_end(process: subprocess.Popen[bytes]) -> None:
    """Sends SIGTERM to a process's group: in a sandbox not to what makes it, with which the program would be killed."""
    group = process.pid
    if is_walled(process) and (inside := [pid for pid in processes() if pid != group and group_of(pid) == group]):
        for pid in inside:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGTERM)
        return
    _signal_group(group, signal.SIGTERM)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C and SIGTERM wait until a piece of work is done: for tidying up, which takes seconds at most."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def tidy_when_terminated() -> Iterator[None]:
    """SIGTERM becomes SystemExit, so that `with` blocks are left in order; as it was afterwards.

    Nothing changes where SIGTERM has a handler already, as under Robot Framework, or beside the main thread.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
