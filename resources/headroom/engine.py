# SPDX-License-Identifier: Apache-2.0
"""Runs jobs on headroom-engine: one process per job, several at once where several cores work.

The engine hosts code of others, so anything may happen to it: a crash, a hang, output that is no JSON, processes that
it leaves behind. Each becomes an `EngineFailure` with a sentence, which is a verdict on the implementation and not the
end of the run. No engine outlives this process, and nothing that an adapter started outlives its engine.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import selectors
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from headroom.errors import EXIT_ENVIRONMENT, EXIT_FAILED, EXIT_USAGE, EnvironmentLacks, HeadroomError
from headroom.machine.build import engine_program
from headroom.paths import DEFAULT_BUILD, shown

Kind = Literal["refused", "job", "input", "output", "crash", "memory", "timeout", "left-behind", "garbage"]

MAX_OUTPUT = 1 << 30  # octets of one result; far above any, and below what would push a machine into swap
MAX_COMPLAINT = 1 << 16
GRACE_S = 2.0  # between SIGTERM and SIGKILL
LAST_WORDS_S = 0.5  # how long the pipes of an engine that has ended are still read when somebody else holds them open
GLANCE_S = 0.2  # between two looks at which engines have ended
MEMORY_SHARE = 0.75  # of the machine's memory, for all engines of one measurement together
LEAST_MEMORY = 1 << 30  # octets for each of them, however many there are
USED_UP = 0.8  # share of that memory from which on it, and nothing else, explains why an engine ended badly
DEADLY = ("SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE")  # what code that damages memory dies from


class EngineFailure(HeadroomError):
    """A job did not give a result. `kind` says how, `verdict` what that means for the implementation.

    refused ....... the engine said that it could not: the adapter does not load or refuses its configuration
    job ........... the job itself is wrong: an impossible value, a wrong profile, a defect of ours
    input, output . a file of the job cannot be read, cannot be written
    crash ......... the process died from a signal
    memory ........ it ended badly with the memory used up that it may have
    timeout ....... it was still busy when its time was up
    left-behind ... it ended, but a process that it had started held its output open
    garbage ....... what it printed, if anything, is not one JSON document
    """

    verdict = "error"

    def __init__(self, kind: Kind, sentence: str, where: str = "", said: str = "") -> None:
        super().__init__(sentence)
        self.said = said or sentence  # without the place in the job
        self.kind = kind
        self.where = where
        # What was asked for cannot be: the job, a file to read, or a configuration that the adapter does not take.
        asked = kind in ("job", "input") or (kind == "refused" and where.endswith("/config"))
        self.exit_code = EXIT_USAGE if asked else EXIT_ENVIRONMENT if kind == "output" else EXIT_FAILED


@dataclass
class _Running:
    process: subprocess.Popen[bytes]
    program: Path
    command: str
    libraries: dict[str, str]  # of the adapters, by side
    job: bytes
    deadline: float
    timeout_s: float
    memory: int | None = None  # octets that it may have; None: as many as there are
    sent: int = 0
    out: bytearray = field(default_factory=bytearray)
    complaint: bytearray = field(default_factory=bytearray)
    overflow: bool = False
    late: bool = False
    ended_at: float | None = None
    left_behind: bool = False


def run(command: str, job: dict[str, Any], timeout_s: float = 120.0, build: str = DEFAULT_BUILD) -> dict[str, Any]:
    """Runs one job and returns the engine's document.

    Raises EngineFailure, or EnvironmentLacks when there is no engine.
    """
    return run_together(command, [job], timeout_s, build)[0]


def run_together(
    command: str, jobs: Sequence[dict[str, Any]], timeout_s: float = 120.0, build: str = DEFAULT_BUILD
) -> list[dict[str, Any]]:
    """Runs several jobs at once, each in a process of its own, and returns their documents in order.

    When one fails, the others are stopped and its EngineFailure is raised. Ctrl-C stops them all.
    """
    program = engine_program(build)
    if not program.is_file():
        raise EnvironmentLacks(
            f"There is no engine at {shown(program)}: build it with `./headroom run`, or name a --build."
        )
    running: list[_Running] = []
    try:
        memory = memory_limit(program, len(jobs))
        for job in jobs:
            running.append(_start(program, command, job, timeout_s, memory))
        order = [id(one) for one in running]
        _attend(running)
        # The one that failed by itself explains why the others were stopped, so it comes first.
        running.sort(key=lambda one: not (one.late or one.left_behind or one.overflow or _died(one)))
        documents = {id(one): _document(one) for one in running}
        return [documents[key] for key in order]
    finally:
        for one in running:
            stop(one.process)


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
        settings = (program.parents[1] / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, IndexError):
        return False
    return any(line.startswith("HEADROOM_SANITIZERS:") and not line.endswith("=") for line in settings)


def _start(program: Path, command: str, job: dict[str, Any], timeout_s: float, memory: int | None) -> _Running:
    # A session, and with it a process group, of its own: Ctrl-C reaches us, and we stop the engine, so that its death
    # is never taken for a crash; and whatever an adapter starts can be found and ended.
    process = subprocess.Popen(
        [*_leash(), str(program), command, "--job", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    if memory is not None:  # before the job, and with it the adapter, comes in; what it starts inherits the limit
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(process.pid, resource.RLIMIT_DATA, (memory, memory))
    text = json.dumps(job).encode()
    return _Running(process, program, command, _libraries(job), text, time.monotonic() + timeout_s, timeout_s, memory)


def _libraries(job: dict[str, Any]) -> dict[str, str]:
    sides = {side: job.get(side) for side in ("compressor", "decompressor")} | {"": job}
    return {side: str(one["library"]) for side, one in sides.items() if isinstance(one, dict) and "library" in one}


@cache
def _leash() -> tuple[str, ...]:
    """Words before the program that make the kernel end the engine when we die, even from SIGKILL (setpriv(1))."""
    program = shutil.which("setpriv")
    return (program, "--pdeathsig", "KILL", "--") if program else ()


def _exit_code(process: subprocess.Popen[bytes]) -> int | None:
    """The exit status of a process, None while it runs.

    Unlike `poll` it leaves the process to be waited for: until then its number is that of its group and session, and
    nobody else's, so that what it left behind can be ended without hitting a stranger.
    """
    if process.returncode is not None:
        return process.returncode
    try:
        found = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return process.poll()
    if found is None:
        return None
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and everything that it started, politely first; closes its pipes."""
    if process.returncode is None:
        in_order = _exit_code(process) == 0
        if _exit_code(process) is None:
            _signal_group(process.pid, signal.SIGTERM)
            patience = time.monotonic() + GRACE_S
            while _exit_code(process) is None and time.monotonic() < patience:
                time.sleep(0.01)
        _signal_group(process.pid, signal.SIGKILL)
        if not in_order:
            _end_session(process.pid)
        _reap(process)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _reap(process: subprocess.Popen[bytes]) -> None:
    """Waits for a process that is about to end, and keeps how much memory it had at most: see `_most_memory`."""
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except ChildProcessError:
        process.wait()
        return
    process.returncode = os.waitstatus_to_exitcode(status)
    process.most_memory = usage.ru_maxrss * 1024  # type: ignore[attr-defined]


def _most_memory(process: subprocess.Popen[bytes]) -> int:
    """Octets of memory that a process had at most; 0 while it is not stopped, and where nobody knows."""
    return int(getattr(process, "most_memory", 0))


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _end_session(session: int) -> None:
    """Ends what has moved to another process group of an engine's session, such as a child of `check`."""
    for _ in range(10):  # One that is just starting another may hide that from a single look.
        found = [pid for pid in _processes() if _session_of(pid) == session]
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            return
        time.sleep(0.01)


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _session_of(pid: int) -> int | None:
    """Session of a process; None when it has ended (proc(5), fields 3 and 6 of stat)."""
    try:
        words = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return int(words[3]) if words[0] not in (b"Z", b"X") else None
    except (OSError, IndexError, ValueError):
        return None


def _attend(running: list[_Running]) -> None:
    """Feeds jobs and collects output until every process has closed its pipes, has ended or has run out of time."""
    with selectors.DefaultSelector() as selector:
        for one in running:
            for pipe, events in (
                (one.process.stdin, selectors.EVENT_WRITE),
                (one.process.stdout, selectors.EVENT_READ),
                (one.process.stderr, selectors.EVENT_READ),
            ):
                assert pipe is not None
                os.set_blocking(pipe.fileno(), False)
                selector.register(pipe, events, one)
        while selector.get_map():
            now = time.monotonic()
            reading = {id(key.data): key.data for key in selector.get_map().values()}
            for one in reading.values():
                if _gave_up(one, now):
                    stop(one.process)
                    return
            patience = min(one.deadline for one in running) - now
            for key, _ in selector.select(max(0.01, min(patience, GLANCE_S))):
                if not _transfer(key.fileobj, key.data):
                    selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]
                if key.data.overflow:
                    return
            if len(running) > 1 and any(_died(one) for one in running):
                return
    for one in running:
        while _exit_code(one.process) is None and time.monotonic() < one.deadline:
            time.sleep(0.001)
        if _exit_code(one.process) is None:
            one.late = True
            stop(one.process)


def _gave_up(one: _Running, now: float) -> bool:
    """Whether a process, some of whose pipes are still open, is not to be read any longer; notes why."""
    if _exit_code(one.process) is None:
        one.late = now >= one.deadline
        return one.late
    # It has ended, and what it wrote is read in an instant. Pipes that are open after that are held by another process.
    one.ended_at = one.ended_at or now
    one.left_behind = now >= one.ended_at + LAST_WORDS_S
    return one.left_behind


def _died(one: _Running) -> bool:
    """Whether a process has ended badly and said all it had to say, so that its companions need not be waited for."""
    pipes = (one.process.stdout, one.process.stderr)
    return _exit_code(one.process) not in (None, 0) and all(pipe is None or pipe.closed for pipe in pipes)


def _transfer(pipe: Any, one: _Running) -> bool:
    """Moves what can be moved through one pipe; False when the pipe is done."""
    try:
        if pipe is one.process.stdin:
            one.sent += os.write(pipe.fileno(), one.job[one.sent : one.sent + 65536])
            return one.sent < len(one.job)
        chunk = os.read(pipe.fileno(), 1 << 20)
    except BlockingIOError:
        return True
    except BrokenPipeError:
        return False  # It has ended, or wants no more: what it printed and its exit status tell the rest.
    if pipe is one.process.stderr:
        one.complaint += chunk
        del one.complaint[:-MAX_COMPLAINT]
    else:
        one.out += chunk
        one.overflow = len(one.out) > MAX_OUTPUT
    return bool(chunk)


def _document(one: _Running) -> dict[str, Any]:
    """The document of a process that has been attended to, or the failure that it ended with."""
    if one.late:
        raise EngineFailure(
            "timeout", f"It was still busy after {one.timeout_s:g} s and was stopped: a hang, or too much work."
        )
    if one.overflow:
        raise EngineFailure("garbage", f"It printed more than {MAX_OUTPUT} octets and was stopped.")
    code = _exit_code(one.process)
    if code is None:
        raise EngineFailure("crash", "It was stopped because another engine of the same measurement failed.")
    if code != 0:
        _complain_of_memory(one)
    if code < 0 or code > 128:
        name = _signal_name(-code if code < 0 else code - 128)
        raise EngineFailure(
            "crash", f"The engine died from {name} while it ran the adapter.{_last_words(one)}{_advice(one, name)}"
        )
    if one.left_behind:
        raise EngineFailure(
            "left-behind",
            f"{_who(one)} left a process behind that kept its output open (it was ended): an adapter must not fork.",
        )
    if not one.out.strip():
        raise EngineFailure(
            "garbage",
            f"{_who(one)} ended with exit status {code} and printed no result: most likely an adapter ended the "
            f"process (exit), or closed descriptors that are not its own.{_last_words(one)}{_advice(one)}",
        )
    try:
        document = json.loads(one.out.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        start = bytes(one.out[:60])
        raise EngineFailure(
            "garbage",
            f"What {_who(one)} printed is not one JSON document ({error}); it begins {start!r}: most likely an adapter "
            f"writes to descriptors that are not its own, or ended the process early.{_last_words(one)}{_advice(one)}",
        ) from error
    if not isinstance(document, dict):
        raise EngineFailure("garbage", f"What {_who(one)} printed is JSON, but not an object.")
    if code != 0 or set(document) == {"error"}:
        error = document.get("error")
        error = error if isinstance(error, dict) else {}
        sentence = str(
            error.get("message") or f"It ended with exit status {code} and gave no reason.{_last_words(one)}"
        )
        where = str(error.get("where") or "")
        said = error.get("kind")
        kind: Kind = "job" if code == 2 else said if said in ("input", "output") else "refused"
        raise EngineFailure(kind, f"{sentence}{f' (at {where} of the job)' if where else ''}", where, sentence)
    return document


def _complain_of_memory(one: _Running) -> None:
    """Raises EngineFailure when an engine that ended badly had used up its memory. Ends what is left of it."""
    stop(one.process)
    most = _most_memory(one.process)
    if one.memory is None or most < USED_UP * one.memory:
        return
    gib = 1 << 30
    raise EngineFailure(
        "memory",
        f"{_who(one)} used {most / gib:.2f} of the {one.memory / gib:.2f} GiB of memory that it may have, and ended "
        f"for want of more: an adapter that leaks, or too large a job.{_last_words(one)}",
    )


def _who(one: _Running) -> str:
    """The engine with its adapters, such as `headroom-engine replay with mine.so as compressor`."""
    adapters = [f"{Path(path).name}{f' as {side}' if side else ''}" for side, path in one.libraries.items()]
    return f"headroom-engine {one.command}{' with ' if adapters else ''}{' and '.join(adapters)}"


def _advice(one: _Running, signal_name: str = DEADLY[0]) -> str:
    """How to find out what an adapter does that it should not; "" where that is what was being done, or no help."""
    if one.command == "check" or signal_name not in DEADLY or not one.libraries:
        return ""
    calls = [
        f"echo {shlex.quote(json.dumps({'library': shown(Path(path))}))} | {shown(one.program)} check --job -"
        for path in dict.fromkeys(one.libraries.values())
    ]
    return f" `headroom-engine check` finds such things, writes out of bounds among them: {'; '.join(calls)}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _last_words(one: _Running) -> str:
    """What it wrote to stderr, shortened to the line that tells most: a sanitizer's summary, else the last one."""
    lines = [line.strip() for line in one.complaint.decode("utf-8", "replace").splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith("SUMMARY:") or "runtime error:" in line] or lines[-1:]
    return f" Its last words: {telling[0][:300]}" if telling else ""
