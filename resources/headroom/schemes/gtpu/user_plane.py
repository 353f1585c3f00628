# SPDX-License-Identifier: Apache-2.0
"""A user plane that gets packets and N4 messages, one step at a time.

`UserPlane` is the interface that a conversation uses. `EngineUserPlane` is an adapter in the engine, on injected time:
its process answers each step with the forwarded packets, the packets of its own, and its N4 messages.

    with EngineUserPlane(library, config) as plane:
        step = plane.packets([(octets, "N3")])
        step.outcomes[0].side, step.outcomes[0].octets
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

from headroom.core import engine, engine_result, process_group, sandbox
from headroom.core.engine_result import EngineExit, EngineFailure
from headroom.core.errors import HeadroomError
from headroom.core.excess import GLANCE_S, excess
from headroom.core.implementations import Implementation
from headroom.core.paths import DEFAULT_BUILD

COMMAND = "user-plane"
# How long an adapter may take before it counts as hanging: to be made, with all its rules; for one step, which takes a
# small part of a second.
START_S, PATIENCE_S = 60.0, 20.0
SENT, NOT_SENT = "OK", "NOTHING"  # status of an outcome; any other says what is wrong with the packet
N3, N6, N9 = "N3", "N6", "N9"


@dataclass(frozen=True)
class Outcome:
    """The outcome of one packet. `octets` were sent on `side`, where the status is SENT."""

    status: str
    reason: str = ""
    side: str = ""
    octets: bytes = b""


@dataclass(frozen=True)
class Sent:
    """A packet that the user plane sent and that is none that it was given."""

    side: str
    octets: bytes
    time_ns: int = 0


@dataclass(frozen=True)
class N4Sent:
    """An N4 message that the user plane sent."""

    octets: bytes
    peer: str
    port: int
    time_ns: int = 0


@dataclass(frozen=True)
class Step:
    """The results of one step. `counts` are outcomes by status, of a packet that was sent many times, and `octets_out`
    the octets of those that went on."""

    outcomes: tuple[Outcome, ...] = ()
    taken: tuple[Sent, ...] = ()
    n4: tuple[N4Sent, ...] = ()
    time_ns: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    octets_out: int = 0

    def sent(self, side: str = "") -> list[bytes]:
        """All packets that were sent, on a side or on any."""
        results = [(outcome.side, outcome.octets) for outcome in self.outcomes if outcome.status == SENT]
        results += [(packet.side, packet.octets) for packet in self.taken]
        return [octets for where, octets in results if side in ("", where)]


class UserPlane(Protocol):
    """A user plane in the engine, or behind sockets. Times are nanoseconds and never decrease; None is the time of the
    step before."""

    def n4(self, octets: bytes, peer: str, port: int, time_ns: int | None = None) -> Step: ...

    def packets(self, packets: Sequence[tuple[bytes, str]], time_ns: int | None = None) -> Step:
        """Gives the user plane packets in one burst, each with the side on which it arrives."""

    def repeat(self, octets: bytes, side: str, count: int, interval_ns: int, time_ns: int | None = None) -> Step:
        """Gives the user plane the same packet many times."""

    def advance(self, time_ns: int) -> Step:
        """Lets time pass."""


class EngineUserPlane:
    """An adapter in a process of the engine. Use as a context manager.

    Each step raises EngineFailure when the process ends, as it does when the adapter breaks a promise of the ABI.
    `capture`, where given, gets all packets in both directions; it is removed if the session fails. `made_s` is the
    time to make its instances, s. It may read and write in `folders`. `asked_s` is when it was last asked something, on
    the monotonic clock.
    """

    def __init__(
        self,
        library: Path,
        config: dict[str, Any],
        *,
        workers: int = 1,
        capture: Path | None = None,
        build: str = DEFAULT_BUILD,
        folders: Sequence[Path] = (),
    ) -> None:
        self._folders = folders
        self._program = engine.program_for(COMMAND, build=build)
        self._job: dict[str, Any] = {"user_plane": {"library": str(library), "config": config}, "workers": workers}
        if capture is not None:
            self._job["capture"] = str(capture)
        self.description: dict[str, Any] = {}
        self.made_s = self.asked_s = 0.0
        self._is_ready = False
        self._seal, self._lines = "", 0  # lines of output so far
        self._new_outputs: list[str] = []  # that did not exist before
        self._rest = b""
        self._exit: EngineExit | None = None

    def __enter__(self) -> Self:
        return engine.begin_again(self._begin)

    def _begin(self) -> Self:
        memory = process_group.memory_limit(self._program, 1)
        job, self._seal = engine_result.sealed(self._job)
        self._rest, self._lines = b"", 0
        self._new_outputs = [path for path in sandbox.outputs(job) if not os.path.lexists(path)]
        process = process_group.start(
            [str(self._program), COMMAND],
            walls=sandbox.of_job(job, json.dumps(job).encode(), folders=self._folders, memory=memory),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        library = {"": str(self._job["user_plane"]["library"])}
        self._exit = EngineExit(process, self._program, COMMAND, library, memory=memory)
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
        try:
            greeting = self._exchange(job)
            self.description = greeting.get("description", {})
            self.made_s = greeting.get("made_ns", 0) / 1e9
            self._is_ready = True
        except BaseException:
            self._discard()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._discard()

    def _discard(self) -> None:
        """Ends the process of a session that failed, and removes what it wrote, which is not whole."""
        self.close()
        for path in self._new_outputs:
            with suppress(OSError):
                os.remove(path)

    def close(self) -> None:
        if self._exit is not None:
            process_group.stop(self._exit.process)
            for pipe in (self._exit.process.stdin, self._exit.process.stdout, self._exit.process.stderr):
                if pipe is not None:
                    try:
                        pipe.close()
                    except BrokenPipeError:
                        continue
            self._exit = None

    def n4(self, octets: bytes, peer: str, port: int, time_ns: int | None = None) -> Step:
        return self._step({"n4": octets.hex(), "peer": peer, "port": port}, time_ns)

    def packets(self, packets: Sequence[tuple[bytes, str]], time_ns: int | None = None, worker: int = 0) -> Step:
        if len(packets) == 1:
            octets, side = packets[0]
            return self._step({"packet": octets.hex(), "side": side, "worker": worker}, time_ns)
        burst = [{"packet": octets.hex(), "side": side} for octets, side in packets]
        return self._step({"burst": burst, "worker": worker}, time_ns)

    def repeat(self, octets: bytes, side: str, count: int, interval_ns: int, time_ns: int | None = None) -> Step:
        step = {"packet": octets.hex(), "side": side, "worker": 0, "count": count, "interval_ns": interval_ns}
        return self._step(step, time_ns)

    def advance(self, time_ns: int) -> Step:
        return self._step({"advance": True}, time_ns)

    def statistics(self) -> dict[str, Any]:
        result: dict[str, Any] = self._exchange({"statistics": True})
        return result

    def end(self) -> None:
        """Ends the session normally. The engine answers after it has destroyed the adapter, which may fail meanwhile,
        or change the capture: this raises the errors of a step."""
        answer = self._exchange({"end": True})
        exit_ = self._exit
        assert exit_ is not None
        self._await_end(exit_)
        if exit_.code is None:
            who = engine_result.who(exit_)
            raise EngineFailure("timeout", f"{who}: it had not ended {PATIENCE_S:g} s after the session: a hang.")
        if exit_.code != 0:  # its answer comes before it ends
            raise self._failure(exit_)
        process_group.stop(exit_.process)
        capture = self._job.get("capture")
        engine_result.check_outputs(exit_, {"capture": capture} if capture else {}, answer)

    def _step(self, step: dict[str, Any], time_ns: int | None) -> Step:
        return step_of(self._exchange(step if time_ns is None else {**step, "time_ns": time_ns}))

    def _exchange(self, line: dict[str, Any]) -> dict[str, Any]:
        exit_ = self._exit
        assert exit_ is not None, "The session is not open."
        self.asked_s = time.monotonic()
        answer = self._answer(exit_, json.dumps(line).encode() + b"\n")
        if answer is None:
            raise self._failure(exit_)
        seal = engine_result.seal_of_line(self._seal, self._lines)
        self._lines += 1
        if len(answer) > engine_result.LARGE and seal.encode() not in answer:  # parsing may take all memory
            raise engine_result.unsealed(exit_)
        try:
            document = json.loads(answer)
        except (ValueError, RecursionError) as error:
            raise EngineFailure("garbage", f"The output of {engine_result.who(exit_)} is no JSON: {error}") from error
        if not isinstance(document, dict):
            raise EngineFailure("garbage", f"The output of {engine_result.who(exit_)} is JSON, but not an object.")
        is_sealed, refusal = document.get("seal") == seal, document.get("error")
        if refusal and not is_sealed:  # the session is over
            exit_.out[:] = answer
            self._await_end(exit_)
            raise self._failure(exit_)
        if not is_sealed:
            raise engine_result.unsealed(exit_)
        if refusal:
            raise HeadroomError(f"The engine refuses a step: {refusal.get('message')}")
        result: dict[str, Any] = document
        return result

    def _answer(self, exit_: EngineExit, asked: bytes) -> bytes | None:
        """Gives the engine a line, and returns the next one that it prints; None if it has ended."""
        given, out, errors = exit_.process.stdin, exit_.process.stdout, exit_.process.stderr
        assert given is not None and out is not None and errors is not None
        patience_s = PATIENCE_S if self._is_ready else START_S
        deadline = time.monotonic() + patience_s
        with selectors.DefaultSelector() as selector:
            selector.register(out, selectors.EVENT_READ)
            selector.register(errors, selectors.EVENT_READ)
            selector.register(given, selectors.EVENT_WRITE)
            while b"\n" not in self._rest:
                if time.monotonic() >= deadline:
                    who = engine_result.who(exit_)
                    raise EngineFailure("timeout", f"{who}: it was busy with one step for {patience_s:g} s: a hang.")
                if too_much := excess(exit_.process):
                    process_group.stop(exit_.process, 0.0)
                    raise EngineFailure("memory", f"{engine_result.who(exit_)} {too_much}: it was stopped.")
                if len(self._rest) > engine.MAX_OUTPUT:
                    raise EngineFailure("garbage", f"{engine_result.who(exit_)} printed a line without an end.")
                for key, _ in selector.select(GLANCE_S):
                    if key.fileobj is given:
                        asked = _without_written(key.fd, asked)
                        if not asked:
                            selector.unregister(given)
                        continue
                    chunk = os.read(key.fd, 1 << 20)
                    if key.fileobj is errors:
                        exit_.complaint += chunk
                        del exit_.complaint[: -engine.MAX_COMPLAINT]
                        if not chunk:
                            selector.unregister(errors)
                    elif chunk:
                        self._rest += chunk
                    else:
                        self._await_end(exit_)
                        return None
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _await_end(self, exit_: EngineExit) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while exit_.code is None and time.monotonic() < deadline:
            time.sleep(0.001)
        if exit_.process.stderr is not None:
            try:
                while chunk := os.read(exit_.process.stderr.fileno(), 1 << 16):
                    exit_.complaint += chunk
            except BlockingIOError:
                return

    def _failure(self, exit_: EngineExit) -> HeadroomError:
        if exit_.code is None:
            return engine_result.unsealed(exit_)
        try:
            document = engine_result.document(exit_)
        except HeadroomError as failure:
            return failure
        return EngineFailure("garbage", f"{engine_result.who(exit_)} ended before the session did: {document}")


def _without_written(pipe: int, octets: bytes) -> bytes:
    """The octets that a pipe has not taken yet; none if its reader has ended, as what it printed says why."""
    try:
        return octets[os.write(pipe, octets) :]
    except BlockingIOError:
        return octets
    except BrokenPipeError:
        return b""


def step_of(document: dict[str, Any]) -> Step:
    """A step from the engine's answer."""
    return Step(
        tuple(
            Outcome(
                entry["status"], entry.get("reason", ""), entry.get("side", ""), bytes.fromhex(entry.get("octets", ""))
            )
            for entry in document.get("outcomes", ())
        ),
        tuple(
            Sent(entry["side"], bytes.fromhex(entry["octets"]), entry["time_ns"]) for entry in document.get("taken", ())
        ),
        tuple(
            N4Sent(bytes.fromhex(entry["octets"]), entry["peer"], entry["port"], entry["time_ns"])
            for entry in document.get("n4", ())
        ),
        document.get("time_ns", 0),
        document.get("counts", {}),
        document.get("octets_out", 0),
    )


def of_implementation(
    implementation: Implementation, config: dict[str, Any], build: str = DEFAULT_BUILD, capture: Path | None = None
) -> EngineUserPlane:
    """The user plane of an implementation. `config` goes over that of implementation.yaml."""
    whole = {**implementation.config, "scheme": "gtpu", **config}
    return EngineUserPlane(implementation.library_path(build), whole, capture=capture, build=build)
