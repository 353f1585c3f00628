# SPDX-License-Identifier: Apache-2.0
"""Processes that run until they are stopped: nodes, the link, generators.

A `Crew` holds all processes of a measurement. If one of them ends that should not, or is stopped, a wait with `attend`
raises at once, with the cause. When the crew is left, for whatever reason, every process ends; the kernel ends them if
this process is killed (`process_group.words`).
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from headroom.core import engine_result, process_group, sandbox
from headroom.core.engine import MOST_STARTS
from headroom.core.engine_result import EngineExit, EngineFailure
from headroom.core.errors import EnvironmentLacks
from headroom.core.excess import excess
from headroom.core.machine.build import require_engine
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.sandbox import Walls
from headroom.testbed import stopped_process

READY_S = 20.0  # DPDK needs one to two seconds to start, more where cores are shared
STOP_S = 5.0  # seconds between SIGTERM and SIGKILL: results are written in between
ANSWER_S = 2.0  # seconds for a control socket
MOST_WAITING = 64  # clients of a control socket that its process has not answered yet
LEAST_DESCRIPTOR = 64  # of an inherited socket: shells on the way to the process use the first ones
GLANCE_S = 0.5  # seconds between two checks of a process's output and progress
SILENT_S = 1.0  # seconds without a round of its loop: the worker hangs, perhaps in an adapter
MAX_OUTPUT = 256 << 20  # most octets that a process may print: far above any result, far below the machine's memory
MAX_COMPLAINT = 1 << 16
PIPE_OCTETS = 1 << 16  # octets that a pipe takes before it is made larger: pipe(7)


@dataclass(frozen=True)
class Place:
    """The place of a process: the words before its program, such as `ip netns exec hr-1-a`.

    `engine` are the words of the engine there, if it is not the build on this machine.
    """

    name: str = "this machine"
    words: tuple[str, ...] = ()
    engine: tuple[str, ...] = ()


class Remote(Protocol):
    """A remote process, for which a process on this machine stands: that one ends when the remote one does."""

    def is_ready(self) -> bool:
        """True once it can be used."""

    def statistics(self) -> dict[str, Any]:
        """The statistics from its control socket. Raises OSError or ValueError if there are none."""

    def stop(self, service: Service, grace_s: float) -> tuple[int, bytes, bytes]:
        """Ends it, politely first. Returns its exit status (negative for a signal), its output, and its output to
        stderr.
        """

    def cause(self, service: Service) -> str:
        """The cause of its end, if its exit status does not show it; "" if it does."""

    def why_still(self) -> str:
        """The reason why it lives and does nothing, as far as that can be seen from here; "" if there is none."""


HERE = Place()


@dataclass(kw_only=True)
class Service(EngineExit):
    """A process of a crew. `command` is empty if it is not the engine."""

    name: str
    place: Place
    control: Path | None = None
    ready: Callable[[], bool] | None = None  # None: ready when its control socket answers, or at once without one
    remote: Remote | None = None
    remote_status: int | None = None  # exit status of the remote process
    ends_by_itself: bool = False
    stopping: bool = False
    still: bool = False  # no signal or request reaches it
    output: int = -1  # descriptors of files without a name: no reader is needed while the process prints
    errors: int = -1
    handle: int = -1  # pidfd_open(2): readable when the process has ended
    restart: Callable[[], tuple[Started, str]] | None = None  # starts it once more, with another seal
    starts: int = 1
    document: dict[str, Any] | None = field(default=None, repr=False)

    @property
    def who(self) -> str:
        """`the compressor (headroom-engine node in hr-1-a)`."""
        program = f"{self.program.name} {self.command}".strip()
        return f"the {self.name} ({program}{'' if self.place is HERE else f' in {self.place.name}'})"

    @property
    def code(self) -> int | None:
        return process_group.exit_code(self.process) if self.remote_status is None else self.remote_status

    def statistics(self) -> dict[str, Any]:
        """The JSON document of its control socket. Raises EngineFailure if there is none in time, or a forged one."""
        try:
            if self.remote is not None:
                return self.remote.statistics()
            assert self.control is not None, f"the {self.name} has no control socket"
            return engine_result.without_seal(ask(self.control), self.seal, _sentence(self.who))
        except (OSError, ValueError) as error:
            if process_group.exit_code(self.process) is not None:
                raise cause_of(self) from error
            raise EngineFailure("timeout", f"{_sentence(self.who)} gives no statistics: {error}.") from error


def ask(control: Path, timeout_s: float = ANSWER_S) -> dict[str, Any]:
    """The JSON document that a control socket gives. Raises OSError without an answer, ValueError if it is not JSON."""
    answer = bytearray()
    deadline = time.monotonic() + timeout_s
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(timeout_s)
        connection.connect(str(control))
        while chunk := connection.recv(1 << 16):
            answer += chunk
            if len(answer) > MAX_OUTPUT or time.monotonic() > deadline:
                raise ValueError("its answer does not end")
    return answer_of(answer)


def answer_of(answer: str | bytes | bytearray) -> dict[str, Any]:
    """The document of a control socket's answer. Raises ValueError if it is not a JSON object."""
    with contextlib.suppress(RecursionError):
        if isinstance(document := json.loads(answer), dict):
            return document
    raise ValueError("its answer is JSON, but not an object, or nests too deep")


Started = tuple[subprocess.Popen[bytes], int, int]  # a process, and the descriptors of its output


class Crew:
    """The processes of a measurement. Use it with `with`; leaving it ends them all."""

    def __init__(self, folder: Path | None = None, build: str = DEFAULT_BUILD) -> None:
        """Makes a crew. `folder` holds the control sockets; by default a new one, which is removed with the crew."""
        self.build = build
        self.services: list[Service] = []
        # Checks of other things that have to live; each raises to end a wait.
        self.glances: list[Callable[[], None]] = []
        self._own_folder = folder is None
        self._glanced = 0.0
        self.folder = folder or Path(tempfile.mkdtemp(prefix="headroom-"))

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def engine(
        self, name: str, command: str, job: dict[str, Any], place: Place = HERE, ends_by_itself: bool = False
    ) -> Service:
        """Starts `headroom-engine COMMAND` with a job. Adds a control socket to the job, unless `place` has an engine
        of its own.

        `ends_by_itself` is True for a job with a duration. Raises EnvironmentLacks if there is no engine.
        """
        if place.engine:
            program, control, memory, seal, restart = Path("headroom-engine"), None, None, "", None
            started = _popen([*place.engine, command, "--job", "-"], json.dumps(job).encode(), place=place)
        else:
            program, control = require_engine(self.build), self.folder / f"{name}.sock"
            memory = process_group.memory_limit(program, 4)  # generator, two nodes, link
            restart = functools.partial(_start_engine, program, command, job, place, control, memory)
            started, seal = restart()
        return self._start(
            started,
            program=program,
            command=command,
            libraries=engine_result.libraries(job),
            seal=seal,
            memory=memory,
            name=name,
            place=place,
            control=control,
            ends_by_itself=ends_by_itself,
            restart=restart,
        )

    def program(
        self,
        name: str,
        words: Sequence[str | Path],
        place: Place = HERE,
        ready: Callable[[], bool] | None = None,
        folder: Path | None = None,
        environment: dict[str, str] | None = None,
        walls: Walls | None = None,
    ) -> Service:
        """Starts any other program in a working directory of its own choice; `ready` is true once it can be used.
        `walls` bound what it may reach, for other people's code."""
        for needed in (str(words[0]), *place.words[:1]):  # the words before it would only report that it failed
            if shutil.which(needed, path=(environment or {}).get("PATH")) is None:
                raise EnvironmentLacks(f"{needed} cannot be started: it does not exist, or is not a program.")
        command = [str(word) for word in words]
        return self._start(
            _popen(command, b"", folder, environment, walls, place),
            program=Path(words[0]),
            command="",
            libraries={},
            name=name,
            place=place,
            ready=ready,
        )

    def far(
        self,
        name: str,
        words: Sequence[str],
        job: bytes,
        place: Place,
        remote: Remote,
        command: str,
        ends_by_itself: bool = False,
    ) -> Service:
        """Starts a process that ends when a remote one of the engine does, such as `docker wait` or `ssh`."""
        return self._start(
            _popen(words, job),
            program=Path("headroom-engine"),
            command=command,
            libraries={},
            name=name,
            place=place,
            ready=remote.is_ready,
            remote=remote,
            ends_by_itself=ends_by_itself,
        )

    def adopt(
        self,
        name: str,
        process: subprocess.Popen[bytes],
        errors: int,
        command: str,
        place: Place,
        program: Path,
        memory: int | None = None,
    ) -> Service:
        """Watches from now on a process that the caller has started and talks to; `end` ends it.

        `errors` is a descriptor of the file for its stderr, which the crew owns from now on.
        """
        return self._start(
            (process, os.memfd_create("output"), errors),
            program=program,
            command=command,
            libraries={},
            memory=memory,
            name=name,
            place=place,
            ready=lambda: True,
        )

    def _start(self, started: Started, **about: Any) -> Service:
        process, output, errors = started
        service = Service(process=process, output=output, errors=errors, handle=os.pidfd_open(process.pid), **about)
        self.services.append(service)
        return service

    def wait_until_ready(self, timeout_s: float = READY_S) -> None:
        """Waits until every process can be used. Raises EngineFailure if one ends, or is not ready in time."""
        deadline = time.monotonic() + timeout_s
        waiting = [service for service in self.services if not _is_ready(service)]
        while waiting:
            if time.monotonic() > deadline:
                collect(waiting[0])
                raise EngineFailure(
                    "timeout",
                    f"{_sentence(waiting[0].who)} was not ready after {timeout_s:g} s."
                    f"{engine_result.last_words(waiting[0])}",
                )
            try:
                self.attend(0.02)
            except EngineFailure as failure:
                if failure.kind != "sandbox" or not self._begin_again():
                    raise
            waiting = [service for service in waiting if not _is_ready(service)]

    def _begin_again(self) -> bool:
        """Starts engines again that have no sandbox, as `engine.begin_again` does. Returns False if it starts none."""
        ended = [service for service in self.services if _has_no_sandbox(service)]
        for service in ended:
            if service.restart is None or service.starts == MOST_STARTS:
                return False
            process_group.stop(service.process)
            of_before = (service.output, service.errors, service.handle)
            (service.process, service.output, service.errors), service.seal = service.restart()
            service.handle = os.pidfd_open(service.process.pid)
            service.starts += 1
            for descriptor in of_before:  # not sooner: if it cannot be started again, `close` ends what was before
                os.close(descriptor)
        return bool(ended)

    def attend(self, seconds: float, descriptors: Iterable[int] = ()) -> list[int]:
        """Waits for some time, or until one of some descriptors can be read. Returns those that can.

        Raises EngineFailure as soon as a process ends that should not: the first of them, with the cause.
        """
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            for service in self.services:
                if service.handle >= 0:
                    selector.register(service.handle, selectors.EVENT_READ, service)
            for descriptor in descriptors:
                selector.register(descriptor, selectors.EVENT_READ)
            while True:
                left = deadline - time.monotonic()
                events = selector.select(max(0.0, min(left, GLANCE_S)))
                self.check()
                readable = [key.fd for key, _ in events if key.data is None]
                if readable or left <= 0:
                    return readable
                for key, _ in events:  # ended by itself, as it should: it would end every wait
                    selector.unregister(key.fileobj)

    def check(self) -> None:
        """Raises EngineFailure if a process has ended that should not have, floods its output, or stands still."""
        self._check_ends()
        if time.monotonic() - self._glanced >= GLANCE_S:
            self._glanced = time.monotonic()
            self._check_standstill()
            for glance in self.glances:
                glance()

    def _check_standstill(self) -> None:
        for service in self.services:
            if service.stopping or process_group.exit_code(service.process) is not None:
                continue
            why = service.remote.why_still() if service.remote else stopped_process.why_still(service.process.pid)
            if why:
                service.still = True
                raise EngineFailure("timeout", f"{_sentence(service.who)} does nothing any more: {why}.")
            if too_much := excess(service.process):
                service.still = True  # it is not asked to end
                raise EngineFailure("memory", f"{_sentence(service.who)} {too_much}.")

    def look(self, services: Iterable[Service]) -> None:
        """Checks some processes for responsiveness. Raises EngineFailure if one does not answer, or if one of its
        workers hangs.

        For trials that lose much: a process may be too slow, or do nothing at all.
        """
        self._check_ends()
        self._check_standstill()
        for service in services:
            workers = service.statistics().get("workers")
            for worker in workers if isinstance(workers, list) else ():
                silent_s = _number(worker, "silent_ns") / 1e9
                if silent_s > SILENT_S:
                    service.still = True
                    sentence = f"hangs: its worker on core {worker.get('core')} has been silent for {silent_s:.1f} s"
                    raise EngineFailure("timeout", f"{_sentence(service.who)} {sentence}: an adapter does not return.")

    def _check_ends(self) -> None:
        for service in self.services:
            if service.stopping or service.handle < 0:
                continue
            code = process_group.exit_code(service.process)
            if code is not None and not (service.ends_by_itself and code == 0):
                raise cause_of(service)
            if code is None and (os.fstat(service.output).st_size + os.fstat(service.errors).st_size) > MAX_OUTPUT:
                raise EngineFailure("garbage", f"{_sentence(service.who)} printed more than {MAX_OUTPUT} octets.")

    def finish(self, service: Service, timeout_s: float) -> dict[str, Any]:
        """Waits for a process that ends by itself, watching the others. Returns its document."""
        deadline = time.monotonic() + timeout_s
        while process_group.exit_code(service.process) is None:
            if time.monotonic() > deadline:
                raise EngineFailure("timeout", f"{_sentence(service.who)} was still busy after {timeout_s:g} s.")
            self.attend(min(0.1, max(0.0, deadline - time.monotonic())))
        return self._document(service)

    def stop(self, service: Service) -> dict[str, Any]:
        """Stops a process of the engine and returns its document. Raises EngineFailure if it gives none."""
        if not service.stopping and process_group.exit_code(service.process) is not None and not service.ends_by_itself:
            raise cause_of(service)
        return self._document(service)

    def _document(self, service: Service) -> dict[str, Any]:
        if service.document is None:
            service.stopping = True
            ran = process_group.exit_code(service.process) is None
            _end(service)
            if ran and service.code == -signal.SIGKILL:
                raise EngineFailure("timeout", f"{_sentence(service.who)} did not stop within {STOP_S:g} s.")
            service.document = _result(service)
            self._forget(service)
        return service.document

    def end(self, service: Service) -> None:
        """Ends a process without asking for its document."""
        service.stopping = True
        process_group.stop(service.process, 0.0 if service.still else STOP_S)  # a remote process ends with its topology
        self._forget(service)

    def _forget(self, service: Service) -> None:
        for descriptor in (service.output, service.errors, service.handle):
            if descriptor >= 0:
                os.close(descriptor)
        service.output = service.errors = service.handle = -1
        if service.control is not None:
            service.control.unlink(missing_ok=True)
        if service in self.services:
            self.services.remove(service)

    def close(self) -> None:
        """Ends every process, all at once, and removes the control sockets. Ctrl-C waits until that is done."""
        with process_group.uninterrupted():
            for service in self.services:
                service.stopping = True
                process_group.terminate(service.process)
            for service in list(self.services):
                self.end(service)
            if self._own_folder:
                shutil.rmtree(self.folder, ignore_errors=True)


def _popen(
    words: Sequence[str],
    job: bytes,
    folder: Path | None = None,
    environment: dict[str, str] | None = None,
    walls: Walls | None = None,
    place: Place = HERE,
    passed: Sequence[int] = (),
) -> Started:
    """Starts a process in a session of its own, with its output in files in memory. It inherits the descriptors
    `passed`.

    Pipes would need a reader all the time, and stop the process when they are full.
    """
    output, errors = (os.memfd_create(name) for name in ("output", "errors"))
    given = _given(job)
    try:
        env = None if environment is None else {**os.environ, **environment}
        process = process_group.start(
            words, env, walls, place.words, passed, stdin=given, stdout=output, stderr=errors, cwd=folder
        )
    except OSError as error:
        os.close(output)
        os.close(errors)
        raise EnvironmentLacks(f"{words[0]} cannot be started: {error.strerror}.") from error
    finally:
        os.close(given)
    return process, output, errors


def _start_engine(
    program: Path, command: str, job: dict[str, Any], place: Place, control: Path, memory: int | None
) -> tuple[Started, str]:
    """Starts an engine of this machine in a sandbox, with a control socket. Returns it and the seal of its job."""
    with _listening(control) as listening:
        whole, seal = engine_result.sealed(job | {"control": listening})
        text = json.dumps(whole).encode()
        walls = sandbox.of_job(job, text, ports=True, memory=memory)
        command_line = [str(program), command, "--job", "-"]
        return _popen(command_line, text, walls=walls, place=place, passed=(listening,)), seal


@contextlib.contextmanager
def _listening(control: Path) -> Iterator[int]:
    """The descriptor of a socket that listens at a path, for a process to inherit: so it needs no folder to write to,
    where an adapter could fill the disk, and plant links.

    Raises EnvironmentLacks if there can be none.
    """
    with socket.socket(socket.AF_UNIX) as server:
        try:
            control.unlink(missing_ok=True)
            server.bind(str(control))
            server.listen(MOST_WAITING)
            descriptor = fcntl.fcntl(server, fcntl.F_DUPFD_CLOEXEC, LEAST_DESCRIPTOR)
        except OSError as error:
            raise EnvironmentLacks(
                f"No control socket can listen at {control}: {error.strerror or error}. Let TMPDIR be a shorter path "
                "on a disk with room, and allow 256 open files at least (ulimit -n)."
            ) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _given(job: bytes) -> int:
    """A descriptor that a job can be read from. An adapter could read a file again, with the seal: a pipe is read once,
    and takes all jobs but huge ones.
    """
    reader, writer = os.pipe()
    try:
        if len(job) > PIPE_OCTETS:
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, len(job))
        os.set_blocking(writer, False)
        if os.write(writer, job) == len(job):
            return reader
    except OSError:  # larger than a pipe may be
        pass
    finally:
        os.close(writer)
    os.close(reader)
    file = os.memfd_create("job")
    os.write(file, job)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _end(service: Service) -> None:
    """Ends a process and reads its output."""
    if service.remote is not None:
        service.remote_status, out, complaint = service.remote.stop(service, STOP_S)
        service.out, service.complaint = bytearray(out), bytearray(complaint[-MAX_COMPLAINT:])
    process_group.stop(service.process, STOP_S)
    if service.remote is None:
        collect(service)


def _is_ready(service: Service) -> bool:
    if service.ends_by_itself:
        return True
    if service.ready is not None:
        return service.ready()
    if service.control is None:
        return True
    with contextlib.suppress(OSError, ValueError):
        return bool(ask(service.control, GLANCE_S))
    return False


def _has_no_sandbox(service: Service) -> bool:
    """True if a process has ended because its sandbox could not be made."""
    ended = service.handle >= 0 and process_group.exit_code(service.process) is not None
    return ended and cause_of(service).kind == "sandbox"


def collect(service: Service) -> None:
    """Reads the output of a process so far."""
    if service.output >= 0 and service.remote is None:
        service.out = bytearray(os.pread(service.output, MAX_OUTPUT, 0))
        size = os.fstat(service.errors).st_size
        service.complaint = bytearray(os.pread(service.errors, MAX_COMPLAINT, max(0, size - MAX_COMPLAINT)))


def cause_of(service: Service) -> EngineFailure:
    """The error for a process that ended and should not have."""
    if service.remote is not None:
        if why := service.remote.cause(service):
            return EngineFailure("crash", f"{_sentence(service.who)}: {why}")
        _end(service)
    else:
        collect(service)
    code = service.code
    if not service.command:
        how = f"died from {engine_result.signal_name(-code)}" if code and code < 0 else f"ended with exit status {code}"
        last_words = engine_result.last_words(service)
        return EngineFailure("crash", f"{_sentence(service.who)} {how} while it was needed.{last_words}")
    try:
        engine_result.document(service)
    except EngineFailure as failure:
        return EngineFailure(failure.kind, f"{_sentence(service.who)}: {failure}", failure.where, failure.message)
    return EngineFailure("crash", f"{_sentence(service.who)} ended although it had not been stopped.")


def _result(service: Service) -> dict[str, Any]:
    try:
        return engine_result.document(service)
    except EngineFailure as failure:
        where = f"{_sentence(service.who)}, when it was stopped: "
        raise EngineFailure(failure.kind, f"{where}{failure}", failure.where, failure.message) from failure


def _number(document: Any, name: str) -> float:
    """A number in a process's statistics; 0 if there is none."""
    value = document.get(name) if isinstance(document, dict) else None
    return float(value) if isinstance(value, int | float) and abs(value) < 1e300 else 0.0


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
