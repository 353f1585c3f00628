# SPDX-License-Identifier: Apache-2.0
"""The result of a process of the engine: the document that it printed, or a sentence that says why there is none."""

import hashlib
import json
import os
import re
import secrets
import shlex
import signal
import stat
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from headroom.core import process_group, sandbox
from headroom.core.errors import EXIT_ENVIRONMENT, EXIT_FAILED, EXIT_USAGE, HeadroomError
from headroom.core.paths import shown
from headroom.core.text import nth, printable

Kind = Literal[
    "refused",
    "job",
    "input",
    "output",
    "sandbox",
    "crash",
    "memory",
    "timeout",
    "left-behind",
    "garbage",
    "tampered",
    "dry-run",
]

LARGE = 1 << 20  # no error has as many octets: a larger document is a result, and has a seal
USED_UP = 0.8  # least share of the memory limit that explains why an engine died
NOT_STARTED = (126, 127)  # exit statuses of a shell that could not start a program
DIED_IN = "headroom-engine: died in "  # written by an engine that dies from its own code, or an adapter's
# What the engine says of a file ends so if an adapter has shut it, or holds all descriptors: it has few itself.
OF_ADAPTERS = ("Bad file descriptor.", "Too many open files.")
WITHOUT_ADAPTERS = ("link", "generate", "call", "render")  # commands that load no adapter
OURS = ("reference.so", "null.so")  # libraries that are always loaded
DEADLY = ("SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE")  # signals of code that damages memory


class EngineFailure(HeadroomError):
    """Raised if a job gave no result. `kind` is one of those below, `verdict` its meaning for the implementation.

    refused ....... the adapter does not load, or refuses its configuration
    job ........... the job itself is wrong: an impossible value, a wrong profile, a defect of ours
    input, output . a file of the job cannot be read, cannot be written
    sandbox ....... the sandbox could not be made, so the process did not begin
    crash ......... a signal ended the process
    memory ........ the process ended after it had used up its memory, or took too much of the machine
    timeout ....... the process was still busy at the end of its time
    left-behind ... the process ended, but left one of its own processes running
    garbage ....... the output, if any, is not one JSON document
    tampered ...... an output is not what the engine wrote to it, or an adapter keeps it from its files
    dry-run ....... nothing was to run: see `engine.dry_run`
    """

    verdict = "error"

    def __init__(self, kind: Kind, sentence: str, where: str = "", message: str = "") -> None:
        super().__init__(sentence)
        self.message = message or sentence  # without the place in the job
        self.kind = kind
        self.where = where
        self.sides: tuple[str, ...] = ()  # of the adapters in the process
        # The request is at fault: the job, a file to read, or a configuration that the adapter refuses.
        of_job = kind in ("job", "input") or (kind == "refused" and where.endswith("/config"))
        self.exit_code = EXIT_USAGE if of_job else EXIT_ENVIRONMENT if kind == "output" else EXIT_FAILED


@dataclass
class EngineExit:
    """A process of the engine, and its output so far."""

    process: subprocess.Popen[bytes]
    program: Path
    command: str
    libraries: dict[str, str]  # paths of the adapters, by side
    seal: str = ""  # seal of its job, which its result must bear; "" if it has none
    memory: int | None = None  # memory limit in octets; None: no limit
    out: bytearray = field(default_factory=bytearray)
    complaint: bytearray = field(default_factory=bytearray)
    left_behind: bool = False

    @property
    def code(self) -> int | None:
        """The exit status; None while it runs, negative for a signal."""
        return process_group.exit_code(self.process)


def libraries(job: dict[str, Any]) -> dict[str, str]:
    """The paths of the adapters that a job names, by the key of each, such as `compressor` or, for `user_plane`, `user
    plane`; also those inside another key, such as `codec`, or in a list.
    """
    paths = {"": str(job["library"])} if "library" in job else {}
    for side, several in job.items():
        for part in several if isinstance(several, list) else [several]:
            if isinstance(part, dict) and side != "config":
                for inner, path in libraries(part).items():
                    paths.setdefault(inner or side.replace("_", " "), path)
    return paths


def document(process: EngineExit) -> dict[str, Any]:
    """The document of a process that has ended. Raises EngineFailure if it ended without one."""
    code = process.code
    if code is None:
        raise EngineFailure("crash", "It was stopped because another engine of the same measurement failed.")
    if code != 0:
        _complain_of_memory(process)
    if code < 0 or code > 128:
        name = signal_name(-code if code < 0 else code - 128)
        ran = "" if process.command in WITHOUT_ADAPTERS else f" while it ran {_adapters(process)}"
        raise EngineFailure("crash", f"The engine died from {name}{ran}.{last_words(process)}{_advice(process, name)}")
    if process.left_behind or code == sandbox.LEFT_BEHIND:
        raise EngineFailure(
            "left-behind", f"{who(process)} left a process behind (it was ended): an adapter must not fork."
        )
    if not process.out.strip():
        raise _without_output(process, code)
    # Parsing may take all memory.
    if len(process.out) > LARGE and process.seal and process.seal.encode() not in process.out:
        raise unsealed(process)
    try:
        document = json.loads(process.out.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        start = bytes(process.out[:60])
        raise EngineFailure(
            "garbage",
            f"What {who(process)} printed is not one JSON document ({error}); it begins {start!r}: most likely "
            "an adapter writes to descriptors that are not its own, or ended the process "
            f"early.{last_words(process)}{_advice(process)}",
        ) from error
    if not isinstance(document, dict):
        raise EngineFailure("garbage", f"What {who(process)} printed is JSON, but not an object.")
    # An error of the engine is an object; an error that is a text is the answer of an adapter's tool.
    # An adapter may choose the exit status: its destructors run after the engine has printed.
    if code != 0 or (set(document) <= {"error", "seal"} and isinstance(document.get("error"), dict)):
        error = document.get("error")
        error = error if isinstance(error, dict) else {}
        cause = ": most likely an adapter ended the process (exit)" if process.libraries else ""
        ended = f"{who(process)} ended with exit status {code} behind its result{cause}."
        reason = error.get("message") or f"{ended}{last_words(process)}{_advice(process)}"
        sentence = printable(str(reason))  # half of a surrogate pair would end the run, which could not log it
        # An error without the seal may be an adapter's: it must not say what the error is about, of several adapters
        # which one, and of one that ends the process, that it refuses a step.
        is_sealed = not process.seal or document.get("seal") == process.seal
        where = str(error.get("where") or "") if is_sealed or not process.libraries else ""
        if not is_sealed:  # these words come first, so that what follows is no markup for Robot, such as *HTML*
            sentence = f"An error without the seal of its job, which an adapter may have written: {sentence}"
        kind: Kind = "refused"
        if is_sealed or not process.libraries:  # an adapter must not lay the blame on the job, or on files
            kind = _kind(error.get("kind"), sentence, process)
        if DIED_IN.encode() in process.complaint:  # a process that the engine had for its own
            kind, sentence = "crash", f"{sentence}{last_words(process)}"
        raise EngineFailure(kind, f"{sentence}{f' (at {place(where)})' if where else ''}", where, sentence)
    if process.seal and document.pop("seal", None) != process.seal:
        raise unsealed(process)
    return document


def _kind(given: Any, sentence: str, process: EngineExit) -> Kind:
    """The kind of an error that the engine calls `given`."""
    if given in ("input", "output") and process.libraries and sentence.endswith(OF_ADAPTERS):
        return "tampered"
    return given if given in ("job", "input", "output") else "refused"


def _without_output(process: EngineExit, code: int) -> EngineFailure:
    """The failure of a process that printed nothing."""
    if process_group.is_walled(process.process) and process.complaint.startswith(sandbox.COMPLAINT):
        return EngineFailure("sandbox", f"The sandbox of {who(process)} could not be made.{last_words(process)}")
    cause = "most likely an adapter ended the process (exit), or closed descriptors that are not its own."
    if code in NOT_STARTED:
        cause = "it could not be started, as while it is being built, or an adapter ended the process (exit)."
    return EngineFailure(
        "garbage",
        f"{who(process)} ended with exit status {code} and printed no result: {cause}"
        f"{last_words(process)}{_advice(process)}",
    )


def unsealed(process: EngineExit) -> EngineFailure:
    """The failure of a process whose output does not bear the seal that it must bear."""
    return EngineFailure(
        "garbage",
        f"What {who(process)} printed is no result of this job: it does not bear its seal. Most likely an adapter "
        f"wrote to a descriptor that is not its own, and ended the process.{last_words(process)}{_advice(process)}",
    )


def check_outputs(process: EngineExit, outputs: dict[str, str], document: dict[str, Any]) -> None:
    """Compares the files that a job had under `outputs` with the digests in its result. Raises EngineFailure if one
    has changed: an adapter runs in the process that writes them. REQUIRES: nothing of that process runs any more."""
    for name, path in outputs.items():
        if not _is_as_written(path, document.get("outputs", {}).get(name, {})):
            raise EngineFailure(
                "tampered",
                f"The file {Path(path).name} is not what {who(process)} wrote to it, and was not read: an adapter "
                "changed it, or another program that writes the same file.",
            )


def _is_as_written(path: str, written: dict[str, Any]) -> bool:
    """True if a file has the size and the digest that a result says. The size comes first: a file without content may
    be larger than a disk."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size != written.get("octets"):
                return False
            return hashlib.file_digest(file, "sha256").hexdigest() == written.get("sha256")
    except OSError:
        return False


def place(where: str) -> str:
    """A place in a job, given as a JSON pointer, in words for readers who have not written the job."""
    if match := re.fullmatch(r"/endpoints/([ab])/config", where):
        return f"the configuration of endpoint {match[1].upper()}"
    if match := re.fullmatch(r"/messages/([0-9]{1,9})", where):
        return nth("message", int(match[1]))
    parts = where.removeprefix("/").split("/")
    return ".".join(part.replace("~1", "/").replace("~0", "~") for part in parts)


def sealed(job: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """A job with a seal, an unpredictable random number, and the seal.

    The engine removes the seal before it opens an adapter, and puts it on the result.
    """
    seal = secrets.token_hex(16)
    return {**job, "seal": seal}, seal


def seal_of_line(seal: str, number: int) -> str:
    """The seal of a line, counted from 0, of a session whose job has this seal."""
    return hashlib.sha256(f"{seal} {number}".encode()).hexdigest()


def without_seal(answer: dict[str, Any], seal: str, named: str) -> dict[str, Any]:
    """Returns an answer of an engine's control socket without its seal, which is made of that of the job ("": the job
    has none). Raises EngineFailure if an adapter answered.
    """
    if seal and answer.pop("seal", None) != hashlib.sha256(f"{seal} control".encode()).hexdigest():
        raise EngineFailure("tampered", f"{named} answers without the seal of its job: an adapter did so in its place.")
    return answer


def _complain_of_memory(process: EngineExit) -> None:
    """Raises EngineFailure if an engine that died had used up its memory. Ends its remaining processes."""
    process_group.stop(process.process)
    most = process_group.most_memory(process.process)
    if process.memory is None or most < USED_UP * process.memory:
        return
    if most > process.memory and (process.code == -signal.SIGKILL or process.out.strip()):
        # The peak may exceed the limit: Linux also counts the memory of the process that started it. An engine that was
        # killed from outside, or gives the reason, did not end for want of memory.
        return
    gib = 1 << 30
    raise EngineFailure(
        "memory",
        f"{who(process)} used {most / gib:.2f} of the {process.memory / gib:.2f} GiB of memory that it may "
        f"have, and ended for want of more: an adapter that leaks, or too large a job.{last_words(process)}",
    )


def who(process: EngineExit) -> str:
    """The engine with its adapters, such as `headroom-engine replay with mine.so as compressor`."""
    return (
        "headroom-engine "
        f"{process.command}{' with ' if process.libraries else ''}{_adapters(process) if process.libraries else ''}"
    )


def _adapters(process: EngineExit) -> str:
    """Its adapters, such as `mine.so as compressor and reference.so as decompressor`."""
    adapters = [f"{Path(path).name}{f' as {side}' if side else ''}" for side, path in process.libraries.items()]
    return " and ".join(adapters) or "the adapter"


def _advice(process: EngineExit, signal_name: str = DEADLY[0]) -> str:
    """Advice on how to find an adapter's defect; "" if a check is already running, or would not help."""
    if process.command == "check" or signal_name not in DEADLY or not process.libraries:
        return ""
    suspects = sorted(dict.fromkeys(process.libraries.values()), key=lambda path: Path(path).name in OURS)
    calls = [
        f"echo {shlex.quote(json.dumps({'library': shown(Path(path))}))} | {shown(process.program)} check --job -"
        for path in suspects
    ]
    return f" `headroom-engine check` finds such things, writes out of bounds among them: {'; '.join(calls)}"


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def last_words(process: EngineExit) -> str:
    """The last words of a process on stderr: the place where it died, and the most telling line, which is a sanitizer's
    summary or else the last line. The engine names the place as it dies, so an earlier line about it is an adapter's.
    """
    lines = [line.strip() for line in process.complaint.decode("utf-8", "replace").splitlines() if line.strip()]
    places = [line.removeprefix(DIED_IN)[:300] for line in lines if line.startswith(DIED_IN)]
    died = f" It died in {places[-1]}" if places else ""
    lines = [line for line in lines if not line.startswith(DIED_IN)]
    telling = [line for line in lines if line.startswith("SUMMARY:") or "runtime error:" in line] or lines[-1:]
    return died + (f" Its last words: {telling[0][:300]}" if telling else "")
