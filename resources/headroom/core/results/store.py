# SPDX-License-Identifier: Apache-2.0
"""Records on disk: one JSON file per test in `<run>/results/`, written whole or not at all, read with suspicion."""

import contextlib
import hashlib
import json
import math
import os
import re
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from headroom.core import metric_registry
from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError, disk_error
from headroom.core.paths import document_of, octets_of, out_folder, sha256_of, shown
from headroom.core.results import chain
from headroom.core.results.record import Artefact, Record
from headroom.core.text import printable_json, shortened, some

MAX_RECORD = 64 << 20  # octets; our own records have well under one million
MOST_IN_LARGE = 4000  # most characters of a text in a record that would be larger

UMASK = os.umask(0o022)
os.umask(UMASK)

Warn = Callable[[str], None]


class UnregisteredMetric(HeadroomError):
    """Raised if a record has a metric that the registry lacks, or has in another unit."""


def write_atomically(path: Path, octets: bytes) -> None:
    """Writes a file whole or not at all: temporary name, fsync, rename, fsync of the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(octets)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~UMASK)  # mkstemp makes files for their owner alone
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_chained(folder: Path, file: str, octets: bytes) -> None:
    """Writes a file below a folder atomically, after its line in the folder's chain."""
    folder.mkdir(parents=True, exist_ok=True)
    chain.append(folder, file, octets)
    try:
        write_atomically(folder / file, octets)
    except BaseException:
        with contextlib.suppress(OSError):
            chain.mend(folder)
        raise


class RunFolder:
    """Guards the folder of a run: detects that it was removed, moved or replaced.

    The folder is held open, so that the file system gives its number to no other folder meanwhile.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        weakref.finalize(self, os.close, self._descriptor)

    def require(self) -> None:
        """Raises EnvironmentLacks if it was removed, moved or replaced."""
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(self.path), os.fstat(self._descriptor)):
                return
        raise EnvironmentLacks(
            f"The folder of the run, {shown(self.path)}, was removed or moved while the run went on, and its content "
            "is lost. Start the run again, and leave its folder alone until it has ended."
        )


def file_name(test_id: str, part: str = "") -> str:
    """The file name of a test's record: readable, with a digest that tells similar names apart. `part` is that of a
    judgement.
    """
    test_id = f"{part}/{test_id}" if part else test_id
    slug = re.sub(r"[^a-z0-9]+", "-", test_id.lower()).strip("-")[:120]
    return f"{slug}-{hashlib.sha256(test_id.encode()).hexdigest()[:8]}.json"


def write(run_folder: Path, record: Record) -> Path:
    """Writes a record. Raises UnregisteredMetric, HeadroomError if it is too large even with short texts, and
    EnvironmentLacks if it cannot be written.
    """
    file = f"results/{file_name(record.test.id, record.part)}"
    document = record.as_json()
    if unknown := metric_registry.unregistered(document["metrics"]):
        raise UnregisteredMetric(
            f"The result of '{record.test.id}' cannot be kept: the registry of metrics has no {', '.join(unknown)}. "
            "Declare it in core/metrics.py or in the metrics of its scheme."
        )
    try:
        octets = _octets(document)
        if len(octets) > MAX_RECORD:  # readers would leave it out, with its verdict
            octets = _octets(_with_short_texts(document))
        if len(octets) > MAX_RECORD:
            raise HeadroomError(f"The result of '{record.test.id}' cannot be kept: it has {len(octets):,} octets.")
        write_chained(run_folder, file, octets)
    except OSError as error:
        raise disk_error(error, f"writing the result of '{record.test.id}'") from error
    return run_folder / file


def _octets(document: dict[str, Any]) -> bytes:
    """A record as its file has it. UTF-8 has no halves of surrogate pairs."""
    return printable_json(json.dumps(document, indent=1, ensure_ascii=False)).encode() + b"\n"


def _with_short_texts(value: Any) -> Any:
    """A value of JSON with only the beginnings of long texts, which an adapter may have written."""
    if isinstance(value, dict):
        return {name: _with_short_texts(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_with_short_texts(entry) for entry in value]
    return shortened(value, MOST_IN_LARGE) if isinstance(value, str) else value


class StoredRecord(dict[str, Any]):
    """A record as it was read; `file` is its path below the run's folder."""

    file = ""


def name_of(record: dict[str, Any]) -> str:
    """The name of a record in sentences: its file, or its test if it was not read from a file."""
    return record.file if isinstance(record, StoredRecord) else str(record["test"]["id"])


def _unheard(sentence: str) -> None:
    pass


def read_all(run_folder: Path, warn: Warn = _unheard) -> list[dict[str, Any]]:
    """All valid records of a run, by their start times. Files that are not valid records are left out with a warning,
    and records that changed after they were written are named.

    Metrics of older versions stay in the records; one sentence names those that the registry lacks.
    """
    records = sorted(_records(run_folder, warn), key=lambda record: (record["started"], record["test"]["id"]))
    for sentence in chain.verify(run_folder, chain.RUN).sentences() if warn is not _unheard else ():
        warn(sentence)
    if unknown := sorted({name for record in records for name in metric_registry.unregistered(record["metrics"])}):
        warn(f"{shown(run_folder)} has metrics that this version does not show: {', '.join(unknown)}.")
    return records


def _records(run_folder: Path, warn: Warn) -> Iterator[StoredRecord]:
    from headroom.core.yamlfile import violations

    for path in sorted((run_folder / "results").glob("*.json")):
        try:
            octets = octets_of(path, MAX_RECORD)
            if len(octets) > MAX_RECORD:
                warn(f"{shown(path)} is larger than any record of ours; it is left out.")
                continue
            record = _parsed(octets.decode())
        except (OSError, ValueError, RecursionError) as error:
            warn(f"{shown(path)} is not a record ({error}); it is left out.")
            continue
        wrong = violations(record, "result")
        if wrong:
            where = "/".join(str(part) for part in wrong[0][0])
            warn(f"{shown(path)} is not a valid record (/{where}: {wrong[0][1][:200]}); it is left out.")
            continue
        stored = StoredRecord(record)
        stored.file = f"results/{path.name}"
        yield stored


def _parsed(text: str) -> Any:
    """The value of a JSON text. Halves of surrogate pairs, which no file and no chart can hold, are spelled out. Raises
    ValueError.
    """
    numbers: dict[str, Any] = {"parse_int": _integer, "parse_float": _float, "parse_constant": _float}
    value = json.loads(text, object_pairs_hook=_object, **numbers)
    if "\\ud" not in text.lower():
        return value
    spelled = _SURROGATE.sub(lambda match: f"\\\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))
    return json.loads(spelled, parse_int=_integer)


_SURROGATE = re.compile("[\ud800-\udfff]")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. Raises ValueError if it has a key twice: readers differ in the value that they take."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("an object has a key twice")
    return value


def _integer(text: str) -> float:
    """An integer within the range of a float, which every calculation and every column of a table can take. Raises
    ValueError beyond it.
    """
    value = int(text)
    if abs(value) > sys.float_info.max:
        raise ValueError("it has an impossibly large integer")
    return value if abs(value) < 1 << 63 else float(value)


def _float(text: str) -> float:
    """A finite number. Raises ValueError also for numbers that JSON lacks, such as NaN."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("it has an impossibly large number")
    return value


def artefact(run_folder: Path, path: Path, kind: str) -> Artefact:
    """The entry of a record for a file of the run, with its digest."""
    return Artefact(str(path.resolve().relative_to(run_folder.resolve())), kind, path.stat().st_size, sha256_of(path))


LAST = "last"  # stands for the newest run


def find_run(name: str | None) -> Path:
    """The folder of a run: by name, also of campaigns and nights; by path; by a campaign's cell (`CAMPAIGN/CELL`, or
    `CELL` if only one campaign has it); or the newest if `name` is None or `last`. Raises UsageError if there is none,
    or more than one.
    """
    folder = out_folder()
    if name and name != LAST:
        for candidate in (folder / name, Path(name), *_run_of_cell(folder, name), *_run_below(folder, name)):
            if (candidate / "run.json").is_file() or (candidate / "results").is_dir():
                return candidate.resolve()
        if Path(name).is_dir():
            raise UsageError(f"The folder {name} is not a run: it has neither run.json nor results.")
        newest = some(run_names()[::-1]) if run_names() else "none yet"
        raise UsageError(
            f"There is no run '{name}' in {shown(folder)}. Runs, the newest first: {newest}{_campaigns(folder, name)}."
        )
    known = run_names()
    if not known:
        raise UsageError(f"There is no run in {shown(folder)} yet: `./headroom run` makes one.")
    return (folder / known[-1]).resolve()


def _run_of_cell(folder: Path, name: str) -> list[Path]:
    """The run of a campaign's cell, from its cell.json."""
    campaign, _, cell = name.partition("/")
    place = folder / "campaigns" / campaign / "cells" / cell
    try:
        run = document_of(place / "cell.json")["run"] if cell else ""
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [place / run] if isinstance(run, str) and is_name(run) else []


def is_name(text: str) -> bool:
    """True if a text can be the name of a run's folder, rather than a path."""
    return text not in ("", ".", "..") and "/" not in text


def _campaigns(folder: Path, name: str) -> str:
    """The end of a sentence that lists the cells of a campaign, or the campaigns; "" if there are none."""
    campaign = name.partition("/")[0]
    known = sorted(folder.glob("campaigns/*/cells/*/cell.json"))
    if cells := [path.parent.name for path in known if path.parents[2].name == campaign]:
        return f"; cells of {campaign}: {some(cells)}"
    names = sorted(path.parent.name for path in folder.glob("campaigns/*/campaign.yaml"))
    return f"; of the campaigns {some(names)}, name CAMPAIGN/CELL" if names else ""


NESTED = ("campaigns/*/cells/*/", "history/runs/*/")  # patterns below the folder of runs: runs of campaigns and nights


def _run_below(folder: Path, name: str) -> list[Path]:
    """The run of a campaign or a night with this name, or the run of the cell with this name."""
    if "/" in name:
        return []
    folders = [path for place in NESTED for path in folder.glob(place) if path.is_dir() and (path / name).is_dir()]
    runs = [path / name for path in sorted(folders)]
    cells = [path.parents[1].name for path in sorted(folder.glob("campaigns/*/cells/*")) if path.name == name]
    if len(runs) + len(cells) > 1:
        places = [*map(shown, runs), *(f"{campaign}/{name}" for campaign in cells)]
        raise UsageError(f"There are several runs '{name}': name one as {' or '.join(places)}.")
    return runs or [run for campaign in cells for run in _run_of_cell(folder, f"{campaign}/{name}")]


def run_names() -> list[str]:
    """The names of all runs, oldest first: a name begins with the time."""
    return sorted(path.parent.name for path in out_folder().glob("*/run.json"))
