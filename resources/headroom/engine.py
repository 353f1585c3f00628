# SPDX-License-Identifier: Apache-2.0
"""Runs jobs on headroom-engine: one process per job, several at once where several cores work.

The engine hosts code of others, so anything may happen to it: a crash, a hang, output that is no JSON. Each becomes an
`EngineFailure` with a sentence, which is a verdict on the implementation and not the end of the run. No engine outlives
this process.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from headroom.errors import EnvironmentLacks, HeadroomError
from headroom.machine.build import engine_program
from headroom.paths import DEFAULT_BUILD, shown

Kind = Literal["refused", "job", "crash", "timeout", "garbage"]

MAX_OUTPUT = 1 << 30  # octets of one result; far above any, and below what would push a machine into swap
MAX_COMPLAINT = 1 << 16
GRACE_S = 2.0  # between SIGTERM and SIGKILL


class EngineFailure(HeadroomError):
    """A job did not give a result. `kind` says how, `verdict` what that means for the implementation.

    refused ... the engine said that it could not (exit 1): the adapter does not load, a capture cannot be read
    job ....... the job itself is wrong (exit 2): a defect of ours or a wrong profile
    crash ..... the process died from a signal
    timeout ... it was still busy when its time was up
    garbage ... it ended well but its output is not one JSON document
    """

    verdict = "error"

    def __init__(self, kind: Kind, sentence: str, where: str = "") -> None:
        super().__init__(sentence)
        self.kind = kind
        self.where = where


@dataclass
class _Running:
    process: subprocess.Popen[bytes]
    job: bytes
    deadline: float
    timeout_s: float
    sent: int = 0
    out: bytearray = field(default_factory=bytearray)
    complaint: bytearray = field(default_factory=bytearray)
    overflow: bool = False
    late: bool = False


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
        for job in jobs:
            running.append(_start(program, command, job, timeout_s))
        order = [id(one) for one in running]
        _attend(running)
        # The one that failed by itself explains why the others were stopped, so it comes first.
        running.sort(key=lambda one: not (one.late or one.overflow or _died(one)))
        documents = {id(one): _document(one) for one in running}
        return [documents[key] for key in order]
    finally:
        for one in running:
            stop(one.process)


def _start(program: Path, command: str, job: dict[str, Any], timeout_s: float) -> _Running:
    # A process group of its own: Ctrl-C reaches us, and we stop the engine, so that its death is never taken for a
    # crash.
    process = subprocess.Popen(
        [*_leash(), str(program), command, "--job", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    return _Running(process, json.dumps(job).encode(), time.monotonic() + timeout_s, timeout_s)


@cache
def _leash() -> tuple[str, ...]:
    """Words before the program that make the kernel end the engine when we die, even from SIGKILL (setpriv(1))."""
    program = shutil.which("setpriv")
    return (program, "--pdeathsig", "KILL", "--") if program else ()


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and everything in its group, politely first; closes its pipes."""
    if process.poll() is None:
        for number, patience in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, None)):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)
            try:
                process.wait(patience)
                break
            except subprocess.TimeoutExpired:
                continue
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _attend(running: list[_Running]) -> None:
    """Feeds jobs and collects output until every process has closed its pipes or run out of time."""
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
            for one in running:
                if now >= one.deadline and one.process.poll() is None:
                    one.late = True
                    stop(one.process)
                    return
            patience = min(one.deadline for one in running) - now
            for key, _ in selector.select(max(0.01, min(patience, 1.0))):
                if not _transfer(key.fileobj, key.data):
                    selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]
                if key.data.overflow:
                    return
            if len(running) > 1 and any(_died(one) for one in running):
                return
    for one in running:
        try:
            one.process.wait(max(0.01, one.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            one.late = True
            stop(one.process)


def _died(one: _Running) -> bool:
    """Whether a process has ended badly and said all it had to say, so that its companions need not be waited for."""
    code = one.process.poll()
    pipes = (one.process.stdout, one.process.stderr)
    return code not in (None, 0) and all(pipe is None or pipe.closed for pipe in pipes)


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
    code = one.process.poll()
    if code is None:
        raise EngineFailure("crash", "It was stopped because another engine of the same measurement failed.")
    if code < 0 or code > 128:
        name = _signal_name(-code if code < 0 else code - 128)
        raise EngineFailure("crash", f"The engine died from {name} while it ran the adapter.{_last_words(one)}")
    try:
        document = json.loads(one.out.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        start = bytes(one.out[:60])
        raise EngineFailure(
            "garbage", f"What it printed is not one JSON document ({error}); it begins {start!r}.{_last_words(one)}"
        ) from error
    if not isinstance(document, dict):
        raise EngineFailure("garbage", "What it printed is JSON, but not an object.")
    if code != 0 or set(document) == {"error"}:
        error = document.get("error")
        error = error if isinstance(error, dict) else {}
        sentence = str(
            error.get("message") or f"It ended with exit status {code} and gave no reason.{_last_words(one)}"
        )
        where = str(error.get("where") or "")
        kind: Kind = "job" if code == 2 else "refused"
        raise EngineFailure(kind, f"{sentence}{f' (at {where} of the job)' if where else ''}", where)
    return document


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
