# SPDX-License-Identifier: Apache-2.0
"""What became of a process of the engine: the document that it printed, or why there is none, as a sentence."""

import json
import re
import secrets
import shlex
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from headroom.core import process_group, sandbox
from headroom.core.errors import EXIT_ENVIRONMENT, EXIT_FAILED, EXIT_USAGE, HeadroomError
from headroom.core.paths import shown
from headroom.core.text import nth

Kind = Literal["refused", "job", "input", "output", "crash", "memory", "timeout", "left-behind", "garbage", "rehearsal"]

LARGE = 1 << 20  # octets that no error has: a larger document is a result, and has a seal
USED_UP = 0.8  # share of the memory limit from which on it, and nothing else, explains why an engine ended badly
DIED_IN = "headroom-engine: died in "  # what an engine writes when it dies from its code, or an adapter's
WITHOUT_ADAPTERS = ("link", "generate", "call", "render")  # commands that load none
OURS = ("reference.so", "null.so")  # which are always loaded
DEADLY = ("SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE")  # what code that damages memory dies from


class EngineFailure(HeadroomError):
    """A job did not give a result. `kind` says how, `verdict` what that means for the implementation.

    refused ....... the engine could not do it: the adapter does not load or refuses its configuration
    job ........... the job itself is wrong: an impossible value, a wrong profile, a defect of ours
    input, output . a file of the job cannot be read, cannot be written
    crash ......... the process died from a signal
    memory ........ it ended badly with the memory used up that it may have, or took too much of the machine
    timeout ....... it was still busy when its time was up
    left-behind ... it ended, but a process that it had started did not
    garbage ....... what it printed, if anything, is not one JSON document
    rehearsal ..... nothing was to run: see `engine.rehearsal`
    """

    verdict = "error"

    def __init__(self, kind: Kind, sentence: str, where: str = "", message: str = "") -> None:
        super().__init__(sentence)
        self.message = message or sentence  # without the place in the job
        self.kind = kind
        self.where = where
        # The request is at fault: the job, a file to read, or a configuration that the adapter does not take.
        of_job = kind in ("job", "input") or (kind == "refused" and where.endswith("/config"))
        self.exit_code = EXIT_USAGE if of_job else EXIT_ENVIRONMENT if kind == "output" else EXIT_FAILED


@dataclass
class EngineExit:
    """A process of the engine, and what it has printed so far."""

    process: subprocess.Popen[bytes]
    program: Path
    command: str
    libraries: dict[str, str]  # of the adapters, by side
    seal: str = ""  # of its job: what its result must bear; "" where it has none
    memory: int | None = None  # octets that it may have; None: as many as there are
    out: bytearray = field(default_factory=bytearray)
    complaint: bytearray = field(default_factory=bytearray)
    left_behind: bool = False

    @property
    def code(self) -> int | None:
        """The exit status; None while it runs, negative for a signal."""
        return process_group.exit_code(self.process)


def libraries(job: dict[str, Any]) -> dict[str, str]:
    """Paths of the adapters that a job names, by the key of each, such as `compressor` or, of `user_plane`,
    `user plane`; also those inside another key, such as `codec`, or in a list."""
    found = {"": str(job["library"])} if "library" in job else {}
    for side, several in job.items():
        for one in several if isinstance(several, list) else [several]:
            if isinstance(one, dict) and side != "config":
                for inner, path in libraries(one).items():
                    found.setdefault(inner or side.replace("_", " "), path)
    return found


def document(one: EngineExit) -> dict[str, Any]:
    """The document of a process that has been attended to, or the failure that it ended with."""
    code = one.code
    if code is None:
        raise EngineFailure("crash", "It was stopped because another engine of the same measurement failed.")
    if code != 0:
        _complain_of_memory(one)
    if code < 0 or code > 128:
        name = signal_name(-code if code < 0 else code - 128)
        ran = "" if one.command in WITHOUT_ADAPTERS else f" while it ran {_adapters(one)}"
        raise EngineFailure("crash", f"The engine died from {name}{ran}.{last_words(one)}{_advice(one, name)}")
    if one.left_behind or code == sandbox.LEFT_BEHIND:
        raise EngineFailure(
            "left-behind", f"{who(one)} left a process behind (it was ended): an adapter must not fork."
        )
    if not one.out.strip():
        raise EngineFailure(
            "garbage",
            f"{who(one)} ended with exit status {code} and printed no result: most likely an adapter ended the "
            f"process (exit), or closed descriptors that are not its own.{last_words(one)}{_advice(one)}",
        )
    if len(one.out) > LARGE and one.seal and one.seal.encode() not in one.out:  # it may take all memory to parse
        raise _unsealed(one)
    try:
        document = json.loads(one.out.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        start = bytes(one.out[:60])
        raise EngineFailure(
            "garbage",
            f"What {who(one)} printed is not one JSON document ({error}); it begins {start!r}: most likely an adapter "
            f"writes to descriptors that are not its own, or ended the process early.{last_words(one)}{_advice(one)}",
        ) from error
    if not isinstance(document, dict):
        raise EngineFailure("garbage", f"What {who(one)} printed is JSON, but not an object.")
    # An error of the engine is an object; an error that is a text is the answer of an adapter's tool.
    if code != 0 or (set(document) == {"error"} and isinstance(document["error"], dict)):
        error = document.get("error")
        error = error if isinstance(error, dict) else {}
        sentence = str(error.get("message") or f"It ended with exit status {code} and gave no reason.{last_words(one)}")
        where = str(error.get("where") or "")
        given = error.get("kind")
        kind: Kind = "job" if code == 2 else given if given in ("input", "output") else "refused"
        if DIED_IN.encode() in one.complaint:  # a process that the engine had for its own
            kind, sentence = "crash", f"{sentence}{last_words(one)}"
        raise EngineFailure(kind, f"{sentence}{f' (at {place(where)})' if where else ''}", where, sentence)
    if one.seal and document.pop("seal", None) != one.seal:
        raise _unsealed(one)
    return document


def _unsealed(one: EngineExit) -> EngineFailure:
    return EngineFailure(
        "garbage",
        f"What {who(one)} printed is no result of this job: it does not bear its seal. Most likely an adapter "
        f"wrote to a descriptor that is not its own, and ended the process.{last_words(one)}{_advice(one)}",
    )


def place(where: str) -> str:
    """A place in a job, given as a JSON pointer, in words for readers who have not written the job."""
    if found := re.fullmatch(r"/endpoints/([ab])/config", where):
        return f"the configuration of endpoint {found[1].upper()}"
    if found := re.fullmatch(r"/messages/([0-9]{1,9})", where):
        return nth("message", int(found[1]))
    parts = where.removeprefix("/").split("/")
    return ".".join(part.replace("~1", "/").replace("~0", "~") for part in parts)


def sealed(job: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """A job with a seal, an unpredictable random number, and the seal.

    The engine takes it out before it opens an adapter, and puts it on the result.
    """
    seal = secrets.token_hex(16)
    return {**job, "seal": seal}, seal


def _complain_of_memory(one: EngineExit) -> None:
    """Raises EngineFailure when an engine that ended badly had used up its memory. Ends what is left of it."""
    process_group.stop(one.process)
    most = process_group.most_memory(one.process)
    if one.memory is None or most < USED_UP * one.memory:
        return
    if most > one.memory and (one.code == -signal.SIGKILL or one.out.strip()):
        # More than its limit lets it have: Linux counts what the process that started it had, too. An engine that was
        # killed from outside, or says why it ended, did not end for want of memory.
        return
    gib = 1 << 30
    raise EngineFailure(
        "memory",
        f"{who(one)} used {most / gib:.2f} of the {one.memory / gib:.2f} GiB of memory that it may have, and ended "
        f"for want of more: an adapter that leaks, or too large a job.{last_words(one)}",
    )


def who(one: EngineExit) -> str:
    """The engine with its adapters, such as `headroom-engine replay with mine.so as compressor`."""
    return f"headroom-engine {one.command}{' with ' if one.libraries else ''}{_adapters(one) if one.libraries else ''}"


def _adapters(one: EngineExit) -> str:
    """The adapters that it ran, such as `mine.so as compressor and reference.so as decompressor`."""
    adapters = [f"{Path(path).name}{f' as {side}' if side else ''}" for side, path in one.libraries.items()]
    return " and ".join(adapters) or "the adapter"


def _advice(one: EngineExit, signal_name: str = DEADLY[0]) -> str:
    """How to find out what an adapter does that it should not; "" where that is what was being done, or no help."""
    if one.command == "check" or signal_name not in DEADLY or not one.libraries:
        return ""
    suspects = sorted(dict.fromkeys(one.libraries.values()), key=lambda path: Path(path).name in OURS)
    calls = [
        f"echo {shlex.quote(json.dumps({'library': shown(Path(path))}))} | {shown(one.program)} check --job -"
        for path in suspects
    ]
    return f" `headroom-engine check` finds such things, writes out of bounds among them: {'; '.join(calls)}"


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def last_words(one: EngineExit) -> str:
    """What it wrote to stderr, shortened to where it died and to the line that tells most: a sanitizer's summary, else
    the last one."""
    lines = [line.strip() for line in one.complaint.decode("utf-8", "replace").splitlines() if line.strip()]
    died = next((f" It died in {line.removeprefix(DIED_IN)[:300]}" for line in lines if line.startswith(DIED_IN)), "")
    lines = [line for line in lines if not line.startswith(DIED_IN)]
    telling = [line for line in lines if line.startswith("SUMMARY:") or "runtime error:" in line] or lines[-1:]
    return died + (f" Its last words: {telling[0][:300]}" if telling else "")
