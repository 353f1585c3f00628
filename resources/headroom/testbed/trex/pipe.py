# SPDX-License-Identifier: Apache-2.0
"""A program that answers requests over a pipe: JSON-RPC 2.0, one object a line (resources/trex/agent.py is one).

While waiting for an answer, it watches the processes that it depends on, so that the death of one of them is reported
at once and with its cause. Every exchange can be written to a file, from which tests play it back.
"""

import contextlib
import json
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TextIO

from headroom.core import process_group
from headroom.core.errors import HeadroomError
from headroom.core.sandbox import Walls
from headroom.testbed import stopped_process

MOST_ANSWER = 64 << 20  # most octets of an answer; the largest there is, 20,000 streams' statistics, is far below
LAST_WORDS = 400  # characters


class PipeFailure(HeadroomError):
    """Raised if the program did not answer: it died, hung, or wrote anything else."""

    verdict = "error"


class Refusal(HeadroomError):
    """Raised if the program answered with an error. `method` is the request, `exception` the name of the program's
    exception.
    """

    verdict = "error"

    def __init__(self, method: str, message: str, exception: str = "") -> None:
        super().__init__(f"{method}: {message}")
        self.method, self.exception = method, exception


class Pipe:
    """A pipe to a program. Use it as a context manager: at the end the program and all its processes are stopped.

    `name` is what messages call the program; `log` takes what it prints to stderr; `watched` are functions that raise
    when something that the program depends on has died; `record`, where given, gets every exchange as a line. `walls`
    and `place` are as for `process_group.start`.
    """

    def __init__(
        self,
        command: Sequence[str],
        name: str,
        log: Path,
        environment: Mapping[str, str] | None = None,
        watched: Sequence[Callable[[], None]] = (),
        record: TextIO | None = None,
        walls: Walls | None = None,
        place: Sequence[str] = (),
    ) -> None:
        self.name, self.log, self._watched, self._record = name, log, tuple(watched), record
        self._number = 0
        self._rest = b""
        with log.open("ab") as complaints:
            # A session of its own: Ctrl-C reaches this process, which stops the program.
            self._process = process_group.start(
                command,
                environment,
                walls,
                place,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
            )
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def process(self) -> subprocess.Popen[bytes]:
        return self._process

    def finish(self) -> None:
        """Ends the program's input: no more requests will come."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def close(self) -> None:
        process_group.stop(self._process)

    def call(self, method: str, timeout_s: float = 30.0, **parameters: Any) -> Any:
        """The result of a method. Raises Refusal, PipeFailure, and the errors of watched processes."""
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters}
        self._send(json.dumps(request).encode() + b"\n", method)
        reply = self._parse(self._line(method, timeout_s), method)
        if self._record is not None:
            self._record.write(json.dumps({"request": request, "reply": reply}) + "\n")
            self._record.flush()
        if "error" in reply:
            error = reply["error"]
            raise Refusal(method, str(error.get("message")), str((error.get("data") or {}).get("exception", "")))
        return reply.get("result")

    def _send(self, line: bytes, method: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            self._look_at_watched()
            raise PipeFailure(f"{self.name} ended before the request to {method}.{self._last_words()}") from None

    def _line(self, method: str, timeout_s: float) -> bytes:
        assert self._process.stdout is not None
        deadline = time.monotonic() + timeout_s
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                self._look_at_watched()
                if why := stopped_process.why_still(self._process.pid):
                    raise PipeFailure(f"{self.name} does nothing any more: {why}.")
                patience = deadline - time.monotonic()
                if patience <= 0:
                    raise PipeFailure(f"{self.name} did not answer to {method} within {timeout_s:g} s.")
                if selector.select(min(patience, 0.2)) and not self._read():
                    self._look_at_watched(patience_s=1.0)
                    raise PipeFailure(f"{self.name} ended while it was to {method}.{self._last_words()}")
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _read(self) -> bool:
        """Reads the available octets. Returns False at the end of the pipe."""
        assert self._process.stdout is not None
        with contextlib.suppress(BlockingIOError):
            chunk = os.read(self._process.stdout.fileno(), 1 << 20)
            self._rest += chunk
            if len(self._rest) > MOST_ANSWER:
                raise PipeFailure(f"{self.name} wrote more than {MOST_ANSWER} octets in one line.")
            return bool(chunk)
        return True

    def _look_at_watched(self, patience_s: float = 0.0) -> None:
        """Raises the error of a watched process that has died; waits a little for a process that is just dying."""
        deadline = time.monotonic() + patience_s
        while True:
            for look in self._watched:
                look()
            if time.monotonic() >= deadline:
                return
            time.sleep(0.05)

    def _parse(self, line: bytes, method: str) -> dict[str, Any]:
        try:
            reply = json.loads(line)
        except ValueError:
            reply = None
        if not isinstance(reply, dict) or reply.get("id") != self._number or not ({"result", "error"} & set(reply)):
            raise PipeFailure(f"{self.name} answered to {method} with something else than JSON-RPC: {line[:80]!r}")
        return reply

    def _last_words(self) -> str:
        return last_words(self.log)


def last_words(log: Path, telling: Callable[[list[str]], list[str]] = lambda lines: lines, skip: int = 0) -> str:
    """The last telling line of a log, as the end of a sentence; empty if there is none.

    `telling` selects the lines that are messages, if a program prints more than that; the first `skip` octets are
    skipped.
    """
    try:
        lines = log.read_bytes()[skip:].decode("utf-8", errors="replace").split("\n")
    except OSError:
        return ""
    messages = telling([line.strip() for line in lines if any(letter.isalnum() for letter in line)])
    return f" Its last words: {messages[-1][:LAST_WORDS]}" if messages else ""
