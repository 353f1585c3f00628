# SPDX-License-Identifier: Apache-2.0
"""Parquet files of a history: written whole after their lines in its chain, read with the checksums of their pages."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headroom.core.results import chain
from headroom.core.results.store import UMASK, write_chained
from headroom.history.rows import COLUMNS

Table = pa.Table


def whole(path: Path) -> Table:
    """The whole file, with the checksums of its pages compared, if it has them. Raises OSError, pa.ArrowException."""
    return pq.read_table(path, partitioning=None, page_checksum_verification=True)


def reason(path: Path, error: Exception) -> str:
    """The reason why a file cannot be read: the first line of the error, and the damaged rows and column."""
    text = (str(error).splitlines() or [type(error).__name__])[0][:200].rstrip(".")
    place = _broken_place(path) if isinstance(error, OSError | pa.ArrowException) else ""
    return f"{text} ({place})" if place else text


def _broken_place(path: Path) -> str:
    """The first rows and column of a file that cannot be read; "" if all can, or nothing."""
    with contextlib.suppress(OSError, pa.ArrowException):
        file, first = pq.ParquetFile(path, page_checksum_verification=True), 1
        for group in range(file.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            for name in file.schema_arrow.names:
                try:
                    file.read_row_group(group, columns=[name])
                except (OSError, pa.ArrowException):
                    return f"rows {first} to {first + rows - 1}, column '{name}'"
            first += rows
    return ""


def write(folder: Path, table: Table, path: Path) -> None:
    """Writes a file of the history in `folder`. REQUIRES: the history's lock is held. Raises OSError."""
    write_chained(folder, path.relative_to(folder).as_posix(), _octets(table))


def write_new(folder: Path, table: Table, path: Path) -> None:
    """Writes a file that must not exist yet. REQUIRES: the history's lock is held. Raises FileExistsError, OSError."""
    octets = _octets(table)
    path.parent.mkdir(parents=True, exist_ok=True)
    chain.append(folder, path.relative_to(folder).as_posix(), octets)
    try:
        _link_new(octets, path)
    except BaseException:
        with contextlib.suppress(OSError):
            chain.mend(folder)
        raise


def remove(folder: Path, path: Path) -> None:
    """Removes a file. REQUIRES: the history's lock is held. Raises OSError."""
    chain.append(folder, path.relative_to(folder).as_posix(), None)
    path.unlink()


def _link_new(octets: bytes, path: Path) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(octets)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~UMASK)
        os.link(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
    chain.sync(path.parent)


def is_same(table: Table, other: Table) -> bool:
    """True if two tables of today's columns hold the same rows, to the bit: a NaN is equal to itself."""
    return table.num_rows == other.num_rows and all(_bits(table[name]) == _bits(other[name]) for name in COLUMNS.names)


def _bits(column: pa.ChunkedArray) -> list[pa.Array]:
    chunk = column.combine_chunks()
    if pa.types.is_list(chunk.type):
        return [pc.list_value_length(chunk), *_bits(pa.chunked_array([chunk.flatten()]))]
    return [chunk.view(pa.int64()) if pa.types.is_floating(chunk.type) else chunk]


def _octets(table: Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    return bytes(sink.getvalue().to_pybytes())
