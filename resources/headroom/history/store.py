# SPDX-License-Identifier: Apache-2.0
"""The history on disk: one Parquet file a night, written whole and never changed, and two logs of JSON lines.

    schema=1/machine=<id>/month=2026-11/20261124T013900Z.parquet     the measurements of a night
    events.jsonl                                                      beginnings of epochs, and reasons for gaps
    alerts.jsonl                                                      the actions on each alert
    binaries/<sha256>/                                                see `headroom.nightly.binaries`

Files may be broken or foreign. Each is validated before DuckDB reads it, because one broken file fails a whole query. A
warning names each file that is left out.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headroom.core import locks
from headroom.core.errors import EnvironmentLacks, UsageError, disk_error
from headroom.core.paths import octets_of, out_folder, shown
from headroom.core.results import chain
from headroom.core.results.store import UMASK
from headroom.history import parquet_files
from headroom.history.rows import COLUMNS, group, table_of
from headroom.history.series import KEY_NAMES, KINDS, Point, Series, SeriesKey, night_name

SCHEMA = 1
LOCKS = ("lock", "log-lock", "page-lock")
MOST_FILE_OCTETS = 1 << 30
MOST_LOG_OCTETS = 256 << 20
MOST_READINGS = 20  # tries to list files while others come and go
_MACHINE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
_PATH = re.compile(r"schema=(\d+)/machine=([A-Za-z0-9._-]+)/month=(\d{4}-\d{2})/([^/]+)\.parquet")

Warn = Callable[[str], None]
Table = pa.Table
# Migrations from one schema version of a table to the next.
MIGRATIONS: dict[int, Callable[[Table], Table]] = {}


@dataclass(frozen=True)
class NightFile:
    """A valid file of the history. `compacted`: it holds all nights of its month."""

    path: Path
    schema: int
    machine: str
    rows: int
    compacted: bool


def default_folder() -> Path:
    """The history of commands that name none."""
    return out_folder() / "history"


class History:
    """A history folder. Reading needs no lock; nights are written under `lock()`, entries of logs under `log_lock()` if
    they depend on the logs' content.
    """

    def __init__(self, folder: Path, warn: Warn = lambda sentence: None) -> None:
        self.folder = folder.resolve()
        self._warn = warn
        self._warned: set[str] = set()
        self._valid: dict[tuple[str, int, int], NightFile] = {}  # by path, octets and time: files never change

    def warn(self, sentence: str) -> None:
        """Warns once."""
        if sentence not in self._warned:
            self._warned.add(sentence)
            self._warn(sentence)

    def is_begun(self) -> bool:
        """True if a history was ever written here."""
        names = (*LOCKS, *LOGS)
        return any((self.folder / name).exists() for name in names) or any(self.folder.glob("schema=*"))

    # ---- writing

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keeps other nights out. Raises EnvironmentLacks if one is running."""
        with self._locked("lock", wait=False):
            self._begin_chain()
            yield

    def _begin_chain(self) -> None:
        try:
            chain.begin(self.folder, chain.HISTORY)
        except OSError as error:
            raise disk_error(error, f"writing {shown(self.folder / chain.FILE)}", resumable=False) from error

    @contextmanager
    def log_lock(self) -> Iterator[None]:
        """Keeps other writers of the logs waiting between a reading and the entry that depends on it. Held for moments,
        so that alerts can be closed while a night goes on.
        """
        with self._locked("log-lock"):
            yield

    @contextmanager
    def page_lock(self) -> Iterator[None]:
        """Keeps other writers of the page waiting, so that the page written last has the latest content."""
        with self._locked("page-lock"):
            yield

    @contextmanager
    def _locked(self, name: str, wait: bool = True) -> Iterator[None]:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.folder / name, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise disk_error(error, f"opening the history {shown(self.folder)}", resumable=False) from error
        try:
            if not locks.take(descriptor, wait=wait):
                raise EnvironmentLacks(
                    f"Another process works on the history {shown(self.folder)}; call again when it has ended."
                )
            yield
        finally:
            os.close(descriptor)

    def add(self, points: Sequence[Point]) -> Path:
        """Writes a night whole or not at all. REQUIRES: at least one point; all of one night and machine.

        Raises UsageError if the night exists already or the machine's name cannot be a folder's, EnvironmentLacks if
        the night cannot be written.
        """
        night, machine = points[0].night, points[0].key.machine
        if not _MACHINE.fullmatch(machine):
            raise UsageError(f"A machine cannot be named '{machine}': letters, digits, '.', '_' and '-' are allowed.")
        table = table_of(points)
        path = self._path(SCHEMA, machine, night)
        try:
            with contextlib.suppress(ValueError, pa.ArrowException):  # of a broken file, which no reader uses
                if path.with_name(COMPACTED).is_file() and night_name(night) in self._compacted_nights(path.parent):
                    raise FileExistsError
            parquet_files.write_new(self.folder, table, path)
        except FileExistsError:
            raise UsageError(
                f"The history has the night {night_name(night)} of {machine} already ({shown(path)}); a night is never "
                "written twice."
            ) from None
        except OSError as error:
            raise disk_error(error, f"writing {shown(path)}", resumable=False) from error
        return path

    def _path(self, schema: int, machine: str, night: datetime) -> Path:
        month = f"{night.astimezone(UTC):%Y-%m}"
        return (
            self.folder / f"schema={schema}" / f"machine={machine}" / f"month={month}" / f"{night_name(night)}.parquet"
        )

    # ---- reading

    def files(self) -> list[NightFile]:
        """The valid files; a compacted month comes before its nights. Warns of each file that is left out."""
        found = []
        for path in self._paths():
            try:
                about = path.stat()
                key = (str(path), about.st_size, about.st_mtime_ns)
                if key not in self._valid:
                    self._valid[key] = self._validated(path)
                found.append(self._valid[key])
            except (OSError, ValueError, OverflowError, pa.ArrowException) as error:
                if not _has_gone(path):  # a compaction removed it meanwhile: the reader lists the files again
                    self.warn(f"{shown(path)} is left out: {parquet_files.reason(path, error)}.")
        months: dict[Path, set[str]] = {}
        for file in found:
            if file.compacted:
                with contextlib.suppress(FileNotFoundError):  # it was removed meanwhile
                    months[file.path.parent] = self._compacted_nights(file.path.parent)
        return [file for file in found if file.compacted or file.path.stem not in months.get(file.path.parent, ())]

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob("schema=*/machine=*/month=*/*.parquet"))

    def _compacted_nights(self, folder: Path) -> set[str]:
        """The nights in the compacted file of a month."""
        whole = pq.read_table(folder / COMPACTED, columns=["night"], partitioning=None)["night"]
        return {night_name(night) for night in whole.unique().to_pylist()}

    def _validated(self, path: Path) -> NightFile:
        """Returns a file of the history. Raises ValueError, with half a sentence, if it is not one of ours."""
        match = _PATH.fullmatch(str(path.relative_to(self.folder)))
        if match is None:
            raise ValueError("its path is not that of a night")
        if not stat.S_ISREG(path.stat().st_mode):
            raise ValueError("it is not a regular file")  # a pipe would never end
        if path.stat().st_size > MOST_FILE_OCTETS:
            raise ValueError("it is larger than any night")
        schema, machine = int(match[1]), match[2]
        metadata = pq.read_metadata(path)
        columns = metadata.schema.to_arrow_schema()
        needed = COLUMNS if schema >= SCHEMA else None
        for column in needed or ():
            if column.name not in columns.names:
                raise ValueError(f"it has no column '{column.name}'")
            if not _is_same_type(columns.field(column.name).type, column.type):
                raise ValueError(f"its column '{column.name}' is {columns.field(column.name).type}, not {column.type}")
        if schema < SCHEMA and schema not in MIGRATIONS:
            raise ValueError(f"this version cannot read schema {schema}")
        compacted = path.name == COMPACTED
        if metadata.num_rows:
            table = parquet_files.whole(path)  # DuckDB compares no checksums
            if table["machine"].unique().to_pylist() != [machine]:
                raise ValueError("it belongs to another machine than its folder")
            if None in table["night"].unique().to_pylist():
                raise ValueError("it has rows without a night")
            if unknown := set(table["kind"].unique().to_pylist()) - set(KINDS):
                raise ValueError(f"it has rows of an unknown kind ({', '.join(map(str, unknown))})")
            nights = {night_name(night) for night in table["night"].unique().to_pylist()}
            if not compacted and nights != {path.stem}:
                raise ValueError("it holds another night than its name says")
        return NightFile(path, schema, machine, metadata.num_rows, compacted)

    def table(self, machine: str | None = None, columns: Sequence[str] = COLUMNS.names) -> Table:
        """All rows, of one machine or of all, by key and night. A compaction may replace files while they are read:
        then all are listed and read again.
        """
        for _ in range(MOST_READINGS):
            before = self._paths()
            rows = self._table(machine, columns)
            if self._paths() == before:
                break
        return rows

    def _table(self, machine: str | None, columns: Sequence[str]) -> Table:
        files = [file for file in self.files() if machine in (None, file.machine)]
        old = [file for file in files if file.schema < SCHEMA]
        current = [file.path for file in files if file.schema >= SCHEMA]
        parts = [
            table for old_file in old if (table := self._read(old_file.path, columns, old_file.schema)) is not None
        ]
        if current:
            parts += self._query(current, columns)
        if not parts:
            return pa.Table.from_pylist([], schema=pa.schema([COLUMNS.field(name) for name in columns]))
        return pa.concat_tables([part.cast(pa.schema([COLUMNS.field(name) for name in columns])) for part in parts])

    def _query(self, paths: Sequence[Path], columns: Sequence[str]) -> list[Table]:
        """The rows of files of today's schema or a later one. If the query fails, each file is read alone: the data
        after a sound footer may still be broken.
        """
        import duckdb

        try:
            return [_query(paths, columns)]
        except duckdb.Error:
            return [table for path in paths if (table := self._read(path, columns)) is not None]

    def _read(self, path: Path, columns: Sequence[str], schema: int = SCHEMA) -> Table | None:
        """The rows of one file; None, with a warning, if it is broken."""
        try:
            rows = migrated(parquet_files.whole(path), schema).select(list(columns))
            rows.validate(full=True)  # texts may be invalid UTF-8
            return rows
        except (OSError, ValueError, KeyError, OverflowError, pa.ArrowException) as error:
            if not _has_gone(path):
                self.warn(f"{shown(path)} is left out: {parquet_files.reason(path, error)}.")
            return None

    def verify(self) -> None:
        """Reads every file whole, and warns of content that no night writes: besides the files that `files` leaves out,
        rows that occur twice, values and trials that are negative or not finite, digests and conditions that are not
        objects.
        """
        verified: set[Path] = set()
        # Again, because a compaction may add files.
        while files := [file for file in self.files() if file.path not in verified]:
            verified.update(file.path for file in files)
            self._verify(files)

    def _verify(self, files: Sequence[NightFile]) -> None:
        for file in files:
            table = self._read(file.path, COLUMNS.names, file.schema)
            if table is None:
                continue
            rows = table.select([*KEY_NAMES, "night"]).group_by([*KEY_NAMES, "night"]).aggregate([]).num_rows
            if rows != table.num_rows:
                self.warn(f"{shown(file.path)} has {table.num_rows - rows} rows twice.")
            numbers = (table["value"], pc.list_flatten(table["trials"]))
            if any(pc.all(pc.is_finite(numbers_of_column)).as_py() is False for numbers_of_column in numbers):
                self.warn(f"{shown(file.path)} has values that are not finite numbers.")
            if any(pc.any(pc.less(numbers_of_column, 0)).as_py() for numbers_of_column in numbers):
                self.warn(f"{shown(file.path)} has negative values.")
            for name in ("digests", "conditions"):
                if not all(_is_object(text) for text in table[name].unique().to_pylist()):
                    self.warn(f"{shown(file.path)} has {name} that are not JSON objects.")

    def series(self, machine: str | None = None) -> dict[SeriesKey, Series]:
        """All series, of one machine or of all."""
        return group(self.table(machine))

    def nights(self, machine: str | None = None) -> list[datetime]:
        """The nights that were measured, oldest first."""
        return sorted(self.table(machine, ["night"])["night"].unique().to_pylist())

    # ---- removal

    def forget(self, machine: str, night: datetime) -> bool:
        """Removes a night of a machine. REQUIRES: the history's lock is held. Returns False if there is no such
        night.
        """
        name, is_found = night_name(night), False
        for folder in sorted(self.folder.glob(f"schema=*/machine={machine}/month=*")):
            whole = folder / COMPACTED
            try:
                if whole.is_file() and name in self._compacted_nights(folder):
                    table = parquet_files.whole(whole)
                    left = table.filter(pc.not_equal(table["night"], pa.scalar(night, table["night"].type)))
                    if left.num_rows:
                        parquet_files.write(self.folder, left, whole)
                    else:
                        parquet_files.remove(self.folder, whole)
                    is_found = True
                single = folder / f"{name}.parquet"
                if single.is_file():
                    parquet_files.remove(self.folder, single)
                    is_found = True
            except (ValueError, pa.ArrowException):  # a broken file, which stays
                continue
            except OSError as error:
                raise disk_error(error, f"writing {shown(folder)}", resumable=False) from error
        return is_found

    def sweep(self) -> None:
        """Removes files and folders that killed writers have left. REQUIRES: the history's lock is held."""
        binaries = self.folder / "binaries"
        left = [*self.folder.glob(f"schema=*/machine=*/month=*/{PART}"), *binaries.rglob(PART)]
        for path in left:
            with contextlib.suppress(OSError):
                path.unlink()
        for folder in [*binaries.rglob(".copy-*"), *binaries.rglob(".layouts-*")]:
            shutil.rmtree(folder, ignore_errors=True)
        with self.page_lock():
            for path in self.folder.glob(PART):
                with contextlib.suppress(OSError):
                    path.unlink()

    # ---- compaction and migration

    def compact(self, before: datetime) -> list[str]:
        """Puts the nights of each month that ended before a time into one file. The nights' own files are removed once
        the new one was read back and holds all their rows. Broken files stay, with a warning. Returns a sentence for
        each month.
        """
        sentences = []
        for folder in sorted({file.path.parent for file in self.files() if file.schema == SCHEMA}):
            if folder.name.removeprefix("month=") >= f"{before.astimezone(UTC):%Y-%m}":
                continue
            nights = [file for file in self.files() if file.path.parent == folder]
            if (folder / COMPACTED).exists() and not any(night.compacted for night in nights):
                continue  # broken or foreign, and perhaps all that is left of its nights: `files` has warned
            self._remove_held(folder)
            singles = [night.path for night in nights if not night.compacted]
            if not singles:
                continue
            tables = [table for night in nights if (table := self._read(night.path, COLUMNS.names)) is not None]
            if len(tables) < len(nights):
                continue
            whole = pa.concat_tables(tables)
            try:
                parquet_files.write(self.folder, whole, folder / COMPACTED)
            except OSError as error:
                raise disk_error(error, f"writing {shown(folder / COMPACTED)}", resumable=False) from error
            if not parquet_files.is_same(parquet_files.whole(folder / COMPACTED), whole.cast(COLUMNS)):
                raise EnvironmentLacks(
                    f"{shown(folder / COMPACTED)} does not hold the written rows; nothing is removed."
                )
            for path in singles:
                parquet_files.remove(self.folder, path)
            nights_held = len(whole["night"].unique())
            sentences.append(f"{shown(folder)}: {nights_held} nights in one file, {len(singles)} files less.")
        return sentences

    def _remove_held(self, folder: Path) -> None:
        """Removes the nights that a killed compaction has left beside its file."""
        used = {file.path for file in self.files()}
        if folder / COMPACTED not in used:
            return
        whole = self._read(folder / COMPACTED, COLUMNS.names)
        if whole is None:
            return
        for path in sorted({*folder.glob("*.parquet")} - used):
            with contextlib.suppress(OSError, ValueError, pa.ArrowException):  # broken or foreign: `files` has warned
                self._validated(path)
                single = parquet_files.whole(path).select(COLUMNS.names)
                held = whole.filter(pc.is_in(whole["night"], value_set=single["night"].unique()))
                if parquet_files.is_same(held, single.cast(COLUMNS)):
                    parquet_files.remove(self.folder, path)

    def migrate(self) -> list[str]:
        """Writes nights of earlier schemas in today's; the old files are removed once the new ones were read back.
        Returns a sentence for each file.
        """
        sentences = []
        for file in self.files():
            if file.schema >= SCHEMA:
                continue
            target = Path(str(file.path).replace(f"schema={file.schema}/", f"schema={SCHEMA}/", 1))
            table = migrated(parquet_files.whole(file.path), file.schema).select(COLUMNS.names).cast(COLUMNS)
            if target.exists():
                there = self._read(target, COLUMNS.names)
                if there is None:
                    continue
                table = _joined(table, there)
            try:
                parquet_files.write(self.folder, table, target)
            except OSError as error:
                raise disk_error(error, f"writing {shown(target)}", resumable=False) from error
            if not parquet_files.is_same(parquet_files.whole(target), table):
                raise EnvironmentLacks(f"{shown(target)} does not hold the written rows; {shown(file.path)} stays.")
            parquet_files.remove(self.folder, file.path)
            sentences.append(f"{shown(file.path)} is {shown(target)} now.")
        return sentences

    # ---- logs

    def log(self, name: str) -> list[dict[str, Any]]:
        """The entries of `events` or `alerts`, in order. An incomplete line is left out with a warning: its process was
        killed while it wrote.
        """
        path = self.folder / f"{name}.jsonl"
        try:
            about = path.stat()
            if not stat.S_ISREG(about.st_mode):
                self.warn(f"{shown(path)} is not a regular file; it is left out.")
                return []
            if about.st_size > MOST_LOG_OCTETS:
                self.warn(f"{shown(path)} is larger than any log of ours; it is left out.")
                return []
            lines = _log(path).split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise disk_error(error, f"reading {shown(path)}", resumable=False) from error
        entries: list[dict[str, Any]] = []
        before, is_chained = b"", False
        for number, line in enumerate(lines, 1):
            try:
                entry = json.loads(line.decode(errors="replace")) if line.strip() else {}
                if not isinstance(entry, dict):
                    raise ValueError("it is not an object")
            except (ValueError, RecursionError) as error:
                self.warn(f"{shown(path)}, line {number}, is left out: {error}.")
                entry = {}
            digest = entry.pop(BEFORE, None)
            if entry and digest != chain.digest(before) and (is_chained or digest is not None):
                self.warn(
                    f"{shown(path)}, line {number}, does not have the digest of the line before it: that one was "
                    "changed, or a line was added or removed."
                )
            if entry:
                entries.append(entry)
                is_chained = is_chained or digest is not None
            before = line
        return entries

    def head(self) -> str:
        """A digest that stands for all nights and all entries of the logs: of the head of the chain and the last line
        of each log. "" if there is no chain.
        """
        if not (head := chain.head(self.folder)):
            return ""
        digests = [head]
        for log in LOGS:
            octets = b""
            with contextlib.suppress(OSError):
                octets = octets_of(self.folder / log, MOST_LOG_OCTETS)
            digests.append(chain.digest(octets.rstrip(b"\n").rpartition(b"\n")[2]))
        return chain.digest(" ".join(digests).encode())

    def append(self, name: str, entries: Sequence[dict[str, Any]]) -> None:
        """Adds entries to `events` or `alerts`, with one write. Raises EnvironmentLacks if they cannot be
        written.
        """
        if not entries:
            return
        path = self.folder / f"{name}.jsonl"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666 & ~UMASK)
            try:
                locks.take(descriptor)  # readers of an incomplete line wait for its end
                octets = _log_octets(entries, os.pread(descriptor, os.fstat(descriptor).st_size, 0))
                if os.write(descriptor, octets) != len(octets):
                    raise OSError(28, os.strerror(28))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise disk_error(error, f"writing {shown(path)}", resumable=False) from error


COMPACTED = "month.parquet"
PART = ".*.part"  # temporary names of files that are being written
LOGS = ("events.jsonl", "alerts.jsonl")
BEFORE = "before"  # the key for the digest of the line before in an entry of a log


def migrated(table: Table, schema: int, migrations: dict[int, Callable[[Table], Table]] | None = None) -> Table:
    """Migrates a table of an earlier schema to today's."""
    steps = MIGRATIONS if migrations is None else migrations
    while schema < SCHEMA:
        table = steps[schema](table)
        schema += 1
    return table


def _has_gone(path: Path) -> bool:
    """True if the entry no longer exists; a link that leads nowhere exists."""
    return not os.path.lexists(path)


@cache
def _database(process: int) -> Any:
    """The database in memory of a process; a fork has none of its threads. To make one takes as long as a query."""
    import duckdb

    return duckdb.connect(config={"threads": 2})


def _query(paths: Sequence[Path], columns: Sequence[str]) -> Table:
    names = ", ".join(f'"{name}"' for name in columns)
    with _database(os.getpid()).cursor() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return connection.sql(
            f"SELECT {names} FROM read_parquet(?, hive_partitioning = false, union_by_name = true)",
            params=[[_literal(path) for path in paths]],
        ).to_arrow_table()


def _log(path: Path) -> bytes:
    """The octets of a log. If its last line is incomplete, another process may be writing it, so its end is awaited."""
    octets = path.read_bytes()
    if not octets or octets.endswith(b"\n"):
        return octets
    with path.open("rb") as file, contextlib.suppress(OSError):
        locks.take(file.fileno(), shared=True)
        return file.read()
    return octets


def _log_octets(entries: Sequence[dict[str, Any]], log: bytes) -> bytes:
    """Lines for the end of a log, each with the digest of the line before."""
    octets = b"\n" if log and not log.endswith(b"\n") else b""  # after a line that was cut short
    before = (log + octets)[:-1].rpartition(b"\n")[2]
    for entry in entries:
        text = json.dumps({**entry, BEFORE: chain.digest(before)}, ensure_ascii=False, sort_keys=True)
        before = text.encode("utf-8", "backslashreplace")  # an argument may hold invalid Unicode
        octets += before + b"\n"
    return octets


def _is_object(text: str | None) -> bool:
    try:
        return isinstance(json.loads(text or "{}"), dict)
    except (ValueError, RecursionError):
        return False


def _literal(path: Path) -> str:
    """A path in which DuckDB takes no character for a pattern."""
    return re.sub(r"[*?\[]", lambda match: f"[{match[0]}]", str(path))


def _joined(old: Table, new: Table) -> Table:
    """All nights of two tables; for a night in both, the rows of the new one."""
    only_old = old.filter(pc.invert(pc.is_in(old["night"], value_set=new["night"].unique())))
    return pa.concat_tables([only_old, new.cast(COLUMNS)])


def _is_same_type(actual: pa.DataType, needed: pa.DataType) -> bool:
    if pa.types.is_large_string(actual):
        return pa.types.is_string(needed)
    if pa.types.is_list(actual) and pa.types.is_list(needed):
        return bool(actual.value_type == needed.value_type)
    if pa.types.is_timestamp(actual):
        return pa.types.is_timestamp(needed) and actual.tz == needed.tz
    return bool(actual == needed)
