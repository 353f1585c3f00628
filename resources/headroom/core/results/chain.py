# SPDX-License-Identifier: Apache-2.0
"""The chain of a folder's records: `chain.jsonl` has a line for each record, with the digests of the record and of the
line before. The digest of the last line, the head, stands for all of them.

A line is written before its record, and nothing is taken out of the file but a last line whose record was never
written. So a record without a line was added from outside, and a process that is killed at any instant leaves at most a
last line without its record. A record that is rewritten gets another line, and the later line counts. Processes that
write one folder take turns.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from headroom.core import locks
from headroom.core.paths import document_of, shown, whole
from headroom.core.text import some

FILE = "chain.jsonl"
HEAD = "head"  # the key of the head in a document
REMOVED = ""  # the digest of a file that is gone, or is about to go
MOST_OCTETS = 256 << 20  # of a chain that is read; a million records have as many
LONGEST = 1 << 16  # octets that hold any last line
PATIENCE_S = 10.0  # seconds to wait for other writers, which take milliseconds
MOST_TOLD = 8  # most problems that get a sentence each


@dataclass(frozen=True)
class Kind:
    """A kind of folder with a chain: the pattern of its records; the document that has the head, if any; its name in
    sentences.
    """

    pattern: str
    document: str
    name: str


RUN = Kind("results/*.json", "run.json", "run")
CAMPAIGN = Kind("cells/*/cell.json", "campaign.json", "campaign")
HISTORY = Kind("schema=*/machine=*/month=*/*.parquet", "", "history")


@dataclass(frozen=True)
class Line:
    """A line of the chain: a file, its digest, and the digest of the line before ("" in the first)."""

    file: str
    sha256: str
    before: str


@dataclass(frozen=True)
class Problem:
    """A file that changed after it was written: `what` is changed, missing, added or unreadable."""

    file: str
    what: str
    sentence: str


@dataclass
class Verification:
    """The result of comparing a folder with its chain. Without a chain, `lines` is None."""

    folder: Path
    kind: Kind
    lines: list[Line] | None
    head: str = ""
    is_closed: bool = False  # the document has the head: no more records were expected
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def files(self) -> dict[str, str]:
        """Files and their digests, by the last line of each."""
        digests = {line.file: line.sha256 for line in self.lines or ()}
        return {file: sha256 for file, sha256 in digests.items() if sha256 != REMOVED}

    def sentences(self) -> list[str]:
        """A sentence for each problem; if there are many, only for the first few."""
        result = [problem.sentence for problem in self.problems[:MOST_TOLD]]
        if (more := len(self.problems) - MOST_TOLD) > 0:
            result.append(f"{more:,} more have changed: `./headroom verify` names them.")
        return result

    def summary(self) -> str:
        """A line for a report: the number of records in the chain, its head, and the problems."""
        if self.lines is None:
            return ""
        wrong = f", {some([problem.file for problem in self.problems], 3)} changed" if self.problems else ""
        return f"Chain of {len(self.files):,} records{wrong}, head {self.head}"

    def add(self, file: str, what: str, sentence: str) -> None:
        self.problems.append(Problem(file, what, f"{shown(self.folder / file)} {sentence}"))


def digest_of(path: Path) -> str:
    """The SHA-256 of a file; REMOVED if it is not a regular file, or cannot be read."""
    try:
        if not path.is_file():  # a pipe would never end
            return REMOVED
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return REMOVED


def digest(line: bytes) -> str:
    """The SHA-256 of a line without its line end; "" if the line is empty."""
    return hashlib.sha256(line).hexdigest() if line else ""


def append(folder: Path, file: str, octets: bytes | None) -> None:
    """Adds the line of a file that is about to be written, or removed if `octets` is None. Raises OSError."""
    sha256 = REMOVED if octets is None else hashlib.sha256(octets).hexdigest()
    descriptor = os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _lock(descriptor)
        size = os.fstat(descriptor).st_size
        tail = os.pread(descriptor, LONGEST, max(0, size - LONGEST))
        lines = tail[: tail.rfind(b"\n") + 1]
        end = size - len(tail) + len(lines)  # the rest is a line that was cut short
        last = lines[:-1].rpartition(b"\n")[2]
        line = _octets(Line(file, sha256, digest(last)))
        os.ftruncate(descriptor, end)
        if os.pwrite(descriptor, line, end) != len(line):
            os.ftruncate(descriptor, end)
            raise OSError(28, os.strerror(28))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if not end:
        sync(folder)


def _lock(descriptor: int) -> None:
    """Waits for other writers, but not for long: any process that can read the file, such as an adapter, could hold its
    lock.
    """
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if locks.take(descriptor, wait=False):
            return
        time.sleep(0.002)


def begin(folder: Path, kind: Kind) -> str:
    """Prepares a chain for more lines: mends it, or begins one with the records of an earlier version. Returns the file
    whose line was removed, if any. Raises OSError.
    """
    if (folder / FILE).exists() or (kind.document and head_in(folder / kind.document)):
        return mend(folder)
    for path in sorted(folder.glob(kind.pattern)):
        append(folder, path.relative_to(folder).as_posix(), whole(path, MOST_OCTETS))
    return ""


def mend(folder: Path) -> str:
    """Removes the last line if its file was never written. Returns the file, "" if nothing was removed."""
    lines, _ = _read(folder)
    if not lines or not _is_cut_short(folder, lines):
        return ""
    path = folder / FILE
    octets = whole(path, MOST_OCTETS)
    octets = octets[: octets.rfind(b"\n") + 1]
    os.truncate(path, len(octets[:-1].rpartition(b"\n")[0]) + 1 if len(lines) > 1 else 0)
    return lines[-1].file


def head(folder: Path) -> str:
    """The digest of the last line; "" if there is no chain."""
    return _read(folder)[1] if (folder / FILE).is_file() else ""


def verify(folder: Path, kind: Kind) -> Verification:
    """Compares a folder with its chain."""
    document = head_in(folder / kind.document) if kind.document else ""
    if not (folder / FILE).is_file():
        verification = Verification(folder, kind, None)
        if document:
            verification.add(FILE, "missing", f"is missing, though {kind.document} has its head.")
        return verification
    # Read before the chain, so that each record that a run writes meanwhile has its line.
    there = {path.relative_to(folder).as_posix() for path in folder.glob(kind.pattern)}
    verification = Verification(folder, kind, [])
    verification.lines, verification.head = _read(folder, verification.add)
    verification.is_closed = bool(document)
    if kind.document and (wrong := _wrong_with(folder / kind.document)):
        verification.add(kind.document, "unreadable", wrong)
    if document and document != verification.head:
        verification.add(
            kind.document, "changed", "has the head of another chain: lines of it were changed or removed."
        )
    cut_short = (
        "" if verification.is_closed or not _is_cut_short(folder, verification.lines) else verification.lines[-1].file
    )
    for file, sha256 in verification.files.items():
        if Path(file).is_absolute() or ".." in Path(file).parts:
            verification.add(file, "unreadable", f"is outside the {kind.name}'s folder, and is not read.")
            continue
        actual = digest_of(folder / file)
        if actual == sha256 or (cut_short and file == cut_short):
            continue
        what = "changed" if actual else "missing"
        verification.add(file, what, "was changed after it was written." if actual else "is missing.")
    for file in sorted(there - verification.files.keys() - {cut_short}):
        verification.add(file, "added", "has no line in the chain: it was added, or its line was removed.")
    if kind.document and not verification.is_closed:
        verification.notes.append(f"{kind.document} has no head: the {kind.name} goes on, or was cut short.")
    if cut_short:
        verification.notes.append(f"{cut_short} was never written: the {kind.name} was cut short there.")
    return verification


def verify_artefacts(verification: Verification, record: dict[str, Any]) -> None:
    """Adds the artefacts that do not match their digests in a record of the run. A run that is not closed may be
    repeating a case that ended in an error, whose artefacts then differ.
    """
    if record["verdict"] == "error" and not verification.is_closed:
        return
    for artefact in record["artefacts"]:
        path = verification.folder / artefact["path"]
        if _leads_out(verification.folder, path):
            verification.add(
                artefact["path"], "unreadable", "is an artefact outside the run's folder, and is not read."
            )
        elif (actual := digest_of(path)) != artefact["sha256"]:
            by = f"an artefact of '{record['test']['id']}'."
            verification.add(
                artefact["path"], *(("changed", f"was changed: {by}") if actual else ("missing", f"is missing: {by}"))
            )


def _leads_out(folder: Path, path: Path) -> bool:
    """True if a path leads out of a folder, also by a link. A loop of links, or a NUL, leads nowhere."""
    try:
        return not path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return False


def unnamed_artefacts(folder: Path, records: Iterable[dict[str, Any]]) -> list[str]:
    """The files in a run's artefacts/ that no record names, so that nothing tells if they have changed."""
    named = {artefact["path"] for record in records for artefact in record["artefacts"]}
    files = (path for path in (folder / "artefacts").rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted({path.relative_to(folder).as_posix() for path in files} - named)


def head_in(path: Path) -> str:
    """The head that a document has; "" if it has none, or cannot be read."""
    try:
        value = document_of(path)[HEAD]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return value if isinstance(value, str) else ""


def _wrong_with(path: Path) -> str:
    """The end of a sentence if a document is there, but is not as it was written; "" otherwise."""
    if not path.exists():
        return ""
    if not path.is_file():
        return "is not a regular file, and is not read."
    try:
        document = document_of(path)
    except (OSError, ValueError):
        document = None
    if isinstance(document, dict) and isinstance(document.get(HEAD, ""), str):
        return ""
    return "cannot be read: it was changed after it was written."


def _octets(line: Line) -> bytes:
    return json.dumps(asdict(line)).encode() + b"\n"


def _read(folder: Path, add: Callable[[str, str, str], None] = lambda *_: None) -> tuple[list[Line], str]:
    """The whole lines of a chain, and its head. Lines that cannot be read or do not fit are reported through `add`."""
    try:
        octets = whole(folder / FILE, MOST_OCTETS)
    except OSError as error:
        add(FILE, "unreadable", f"cannot be read ({error.strerror}).")
        return [], ""
    lines, before = [], ""
    for number, text in enumerate(octets.split(b"\n")[:-1], 1):
        try:
            line = Line(**json.loads(text))
            if not all(isinstance(value, str) for value in vars(line).values()):
                raise ValueError
            lines.append(line)
            if line.before != before:
                add(FILE, "changed", f"was changed: line {number} does not have the digest of the line before it.")
        except (ValueError, TypeError, RecursionError):
            add(FILE, "unreadable", f"was changed: line {number} does not belong to a chain.")
        before = digest(text)
    return lines, before


def _is_cut_short(folder: Path, lines: list[Line]) -> bool:
    """True if the file of the last line still has the content from before that line."""
    if not lines:
        return False
    last = lines[-1]
    earlier = [line.sha256 for line in lines[:-1] if line.file == last.file]
    expected = earlier[-1] if earlier else REMOVED
    return expected != last.sha256 and digest_of(folder / last.file) == expected


def sync(folder: Path) -> None:
    """Flushes the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
