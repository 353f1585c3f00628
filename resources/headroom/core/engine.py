# SPDX-License-Identifier: Apache-2.0
"""Runs jobs on headroom-engine: one process per job, several at once where several cores work.

The engine hosts code of others, so anything may happen to it: a crash, a hang, output that is no JSON, processes that
it leaves behind. Each becomes an `EngineFailure` with a sentence, which is a verdict on the implementation and not the
end of the run. No engine outlives this process, and nothing that an adapter started outlives its engine.
"""

import hashlib
import json
import math
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from headroom.core import process_group, sandbox
from headroom.core.engine_result import EngineExit, EngineFailure, check_outputs, document, libraries, sealed, who
from headroom.core.excess import GLANCE_S, excess
from headroom.core.machine.build import require_engine
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.process_group import memory_limit

__all__ = ["EngineFailure", "NothingRuns", "dry_run", "memory_limit", "run", "run_together", "take_link_digest"]

# Octets of one result. A replay with its records has 1.5 kB a packet: 2.3 MB where suites ask for most, and this is a
# hundred times as much.
MOST_STARTS = 3  # of a process whose sandbox could not be made
MAX_OUTPUT = 256 << 20
MAX_COMPLAINT = 1 << 16
LAST_WORDS_S = 0.5  # how long the pipes of an engine that has ended are still read when another process holds them open
CPU_MORE_S = 10  # processor time that an engine may have beyond its time on all cores: then its caller stands still


@dataclass(kw_only=True)
class _Child(EngineExit):
    job: bytes
    deadline: float
    timeout_s: float
    new_outputs: list[str]  # outputs that did not exist before
    files: dict[str, str]  # outputs by name, without those that are pipes or devices
    sent: int = 0
    overflow: bool = False
    excess: str = ""
    late: bool = False
    ended_at: float | None = None


# EXACT_HEAP turns off malloc's cache per thread, for jobs that count the memory that calls keep: a call that reuses
# memory which the engine has freed would not be counted.
EXACT_HEAP = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}


DESCRIBE = "describe"
_not_run: list[str] | None = None  # the commands of the jobs that were not run; None: jobs run
Begun = TypeVar("Begun")
_link_digests: list[str] = []  # of the jobs since take_link_digest was last called
_last_job: "Job | None" = None  # since take_last_job was last called
_patience_s = math.inf  # of `patience`


@dataclass(frozen=True)
class Job:
    """A job of the engine, and the command that it is for."""

    command: str
    document: dict[str, Any]
    build: str


class NothingRuns(Exception):
    """A dry run has come to where an engine would begin to work. It is not a HeadroomError, so that no handler of
    such errors continues the case."""


@contextmanager
def dry_run() -> Iterator[list[str]]:
    """Keeps jobs from running. A job that describes an adapter, as every record needs it, raises an EngineFailure of
    the kind `dry-run`; every other job raises NothingRuns.

    Gives the commands of those jobs, in order, in a list that may be cleared.
    """
    global _not_run
    before, _not_run = _not_run, []
    try:
        yield _not_run
    finally:
        _not_run = before


@contextmanager
def patience(most_s: float) -> Iterator[None]:
    """Ends jobs after so many seconds, even if their caller allows more."""
    global _patience_s
    before, _patience_s = _patience_s, most_s
    try:
        yield
    finally:
        _patience_s = before


def run(
    command: str,
    job: dict[str, Any],
    timeout_s: float = 120.0,
    build: str = DEFAULT_BUILD,
    folders: Sequence[Path] = (),
    under: Sequence[str] = (),
) -> dict[str, Any]:
    """Runs one job and returns the engine's document. Adapters may read and write in `folders`. `under` are words
    before the engine's own, such as `valgrind`: such a job is no part of what a case does.

    Raises EngineFailure, or EnvironmentLacks if there is no engine.
    """
    return run_together(command, [job], timeout_s, build, folders=folders, under=under)[0]


def run_together(
    command: str,
    jobs: Sequence[dict[str, Any]],
    timeout_s: float = 120.0,
    build: str = DEFAULT_BUILD,
    at_once: int | None = None,
    folders: Sequence[Path] = (),
    under: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Runs several jobs at once, each in a process of its own, and returns their documents in order. With `at_once` no
    more run at a time, and the next begins when one has ended. `folders` and `under` are as for run.

    When one fails, the others are stopped and its EngineFailure is raised. Ctrl-C stops them all.
    """
    return begin_again(lambda: _run_once(command, jobs, timeout_s, build, at_once, folders, under))


def begin_again(begin: Callable[[], Begun]) -> Begun:
    """Returns the result of `begin`, which is called again if a sandbox could not be made: bubblewrap copies all
    mounts, and gives up if one of them goes meanwhile, such as the network namespace of another run.
    """
    for _ in range(MOST_STARTS - 1):
        try:
            return begin()
        except EngineFailure as failure:
            if failure.kind != "sandbox":
                raise
    return begin()


def _run_once(
    command: str,
    jobs: Sequence[dict[str, Any]],
    timeout_s: float,
    build: str,
    at_once: int | None,
    folders: Sequence[Path],
    under: Sequence[str],
) -> list[dict[str, Any]]:
    global _last_job
    program = program_for(command, len(jobs), build)
    timeout_s = min(timeout_s, _patience_s)
    if command != DESCRIBE and jobs and not under:
        _last_job = Job(command, jobs[0], build)
    running: list[_Child] = []
    try:
        most = min(at_once or len(jobs), len(jobs))
        memory = memory_limit(program, most)
        _attend(running, (_start(program, command, job, timeout_s, memory, folders, under, most) for job in jobs), most)
        order = [id(child) for child in running]
        # The process that failed by itself explains why the others were stopped, so it comes first.
        running.sort(key=lambda child: not _has_failed(child))
        documents = {id(child): _document(child) for child in running}
        if not under:
            _link_digests.extend(
                digest for result in documents.values() if isinstance(digest := result.get("link_sha256"), str)
            )
        return [documents[key] for key in order]
    except BaseException:
        for child in running:
            process_group.stop(child.process)
            for path in child.new_outputs:  # not whole, or empty
                with suppress(OSError):
                    os.remove(path)
        raise
    finally:
        for child in running:
            process_group.stop(child.process)


def program_for(command: str, jobs: int = 1, build: str = DEFAULT_BUILD) -> Path:
    """The engine that is to run some jobs of a command. Within a dry run the jobs are noted instead, and NothingRuns
    is raised. Raises EnvironmentLacks if there is no engine."""
    if _not_run is not None:
        _not_run.extend(command for _ in range(jobs))
        if command == DESCRIBE:
            raise EngineFailure("dry-run", "Nothing runs in a dry run.")
        raise NothingRuns
    return require_engine(build)


def take_link_digest() -> str:
    """SHA-256 over the digests of all that jobs have put on links since the last call; "" if there were none.

    Jobs may run side by side, so their order does not count.
    """
    digests = sorted(_link_digests)
    _link_digests.clear()
    return hashlib.sha256("\n".join(digests).encode()).hexdigest() if digests else ""


def take_last_job() -> Job | None:
    """The last job since the last call that did more than describe an adapter; the first of several at once."""
    global _last_job
    last, _last_job = _last_job, None
    return last


def _start(
    program: Path,
    command: str,
    job: dict[str, Any],
    timeout_s: float,
    memory: int | None,
    folders: Sequence[Path],
    under: Sequence[str],
    at_once: int,
) -> _Child:
    # A session, and with it a process group, of its own: Ctrl-C reaches us, and we stop the engine, so that its death
    # is never taken for a crash; and whatever an adapter starts can be found and ended.
    whole, seal = sealed(job)
    text = json.dumps(whole).encode()
    created = [path for path in sandbox.outputs(job) if not os.path.lexists(path)]
    outputs: dict[str, str] = job.get("outputs") or {}
    files = {name: path for name, path in outputs.items() if os.path.isfile(path) or not os.path.exists(path)}
    cpu_s = int(timeout_s * (os.cpu_count() or 1)) + CPU_MORE_S
    walls = sandbox.of_job(job, text, folders=folders, at_once=at_once, memory=memory, cpu_s=cpu_s)
    process = process_group.start(
        [*under, str(program), command, "--job", "-"],
        env=os.environ | EXACT_HEAP if job.get("costs") else None,
        walls=replace(walls, reads=(*walls.reads, str(program))) if under else walls,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    return _Child(
        process=process,
        program=program,
        command=command,
        libraries=libraries(job),
        memory=memory,
        seal=seal,
        job=text,
        new_outputs=created,
        files=files,
        deadline=time.monotonic() + timeout_s,
        timeout_s=timeout_s,
    )


def _attend(running: list[_Child], to_start: Iterator[_Child], at_once: int) -> None:
    """Starts processes, so many at once, and adds them to `running`; feeds jobs and collects output until every one
    has closed its pipes, has ended or has run out of time."""
    with selectors.DefaultSelector() as selector:
        while True:
            now = time.monotonic()
            reading = {id(key.data): key.data for key in selector.get_map().values()}
            while len(reading) < at_once and (child := next(to_start, None)):
                running.append(child)
                _register(child, selector)
                reading[id(child)] = child
            if not reading:
                break
            for child in reading.values():
                if _is_over(child, now):
                    process_group.stop(child.process, 0.0 if child.excess else None)
                    return
            patience = min(child.deadline for child in reading.values()) - now
            for key, _ in selector.select(max(0.01, min(patience, GLANCE_S))):
                if not _transfer(key.fileobj, key.data):
                    selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]
                if key.data.overflow:
                    return
            if len(running) > 1 and any(_has_died(child) for child in running):
                return
    for child in running:
        while process_group.exit_code(child.process) is None and not _is_over(child, time.monotonic()):
            time.sleep(0.001)
        if child.late or child.excess:
            process_group.stop(child.process, 0.0 if child.excess else None)


def _register(child: _Child, selector: selectors.BaseSelector) -> None:
    for pipe, events in (
        (child.process.stdin, selectors.EVENT_WRITE),
        (child.process.stdout, selectors.EVENT_READ),
        (child.process.stderr, selectors.EVENT_READ),
    ):
        assert pipe is not None
        os.set_blocking(pipe.fileno(), False)
        selector.register(pipe, events, child)


def _is_over(child: _Child, now: float) -> bool:
    """True if the output of a process, some of whose pipes are open, must not be read any longer; notes why."""
    if process_group.exit_code(child.process) is None:
        child.late = now >= child.deadline
        child.excess = excess(child.process)
        return child.late or bool(child.excess)
    # It has ended, and what it wrote is read in an instant. Pipes that are open after that are held by another process.
    child.ended_at = child.ended_at or now
    child.left_behind = now >= child.ended_at + LAST_WORDS_S
    return child.left_behind


def _has_died(child: _Child) -> bool:
    """True if a process has failed and closed its output, so its companions need not be awaited."""
    pipes = (child.process.stdout, child.process.stderr)
    return process_group.exit_code(child.process) not in (None, 0) and all(
        pipe is None or pipe.closed for pipe in pipes
    )


def _has_failed(child: _Child) -> bool:
    return bool(child.late or child.left_behind or child.overflow or child.excess or _has_died(child))


def _transfer(pipe: Any, child: _Child) -> bool:
    """Moves what can be moved through one pipe; False if the pipe is done."""
    try:
        if pipe is child.process.stdin:
            child.sent += os.write(pipe.fileno(), child.job[child.sent : child.sent + 65536])
            return child.sent < len(child.job)
        chunk = os.read(pipe.fileno(), 1 << 20)
    except BlockingIOError:
        return True
    except BrokenPipeError:
        return False  # It has ended, or wants no more: what it printed and its exit status tell the rest.
    if pipe is child.process.stderr:
        child.complaint += chunk
        del child.complaint[:-MAX_COMPLAINT]
    else:
        child.out += chunk
        child.overflow = len(child.out) > MAX_OUTPUT
    return bool(chunk)


def _document(child: _Child) -> dict[str, Any]:
    """The document of a process that has been attended to, or the failure that it ended with."""
    try:
        return _whole_document(child)
    except EngineFailure as failure:
        failure.sides = tuple(child.libraries)
        raise


def _whole_document(child: _Child) -> dict[str, Any]:
    if child.late:
        raise EngineFailure(
            "timeout",
            f"{who(child)}: it was still busy after {child.timeout_s:g} s and was stopped: a hang, or too much work.",
        )
    if child.excess:
        raise EngineFailure("memory", f"{who(child)} {child.excess}: it was stopped.")
    if child.overflow:
        raise EngineFailure(
            "garbage",
            f"It printed more than {MAX_OUTPUT} octets and was stopped: ask for fewer packets, or an adapter prints.",
        )
    result = document(child)
    process_group.stop(child.process)
    check_outputs(child, child.files, result)
    return result
