# SPDX-License-Identifier: Apache-2.0
"""Writes pcap files (draft-ietf-opsawg-pcap), for programs that read captures."""

import os
import struct
from collections.abc import Iterable
from pathlib import Path

from headroom.core.errors import disk_error

SNAP_LENGTH = 262_144  # octets; tshark reads no more
_HEADER = struct.Struct("<IHHiIII")
_RECORD = struct.Struct("<IIII")


def write(path: Path, link_type: int, packets: Iterable[tuple[int, bytes, int]]) -> int:
    """Writes packets given as (time in ns, octets, length on the wire). Returns how many. Times are kept in
    nanoseconds.

    The file is written whole or not at all. Raises EnvironmentLacks, which names it, if it cannot be written.
    """
    try:
        if not path.exists() or (path.is_file() and not path.is_symlink()):
            part = path.with_name(f".{path.name}.{os.getpid()}.part")
            try:
                count = _write(part, link_type, packets)
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
            return count
        return _write(path, link_type, packets)  # a device, a pipe
    except OSError as error:
        raise disk_error(error, f"writing {path}", resumable=False) from error


def _write(path: Path, link_type: int, packets: Iterable[tuple[int, bytes, int]]) -> int:
    count = 0
    with path.open("wb") as file:
        file.write(_HEADER.pack(0xA1B23C4D, 2, 4, 0, 0, SNAP_LENGTH, link_type))
        for time_ns, octets, length in packets:
            kept = octets[:SNAP_LENGTH]
            seconds, rest = divmod(max(0, time_ns), 1_000_000_000)
            file.write(_RECORD.pack(seconds & 0xFFFFFFFF, rest, len(kept), min(max(length, len(kept)), 0xFFFFFFFF)))
            file.write(kept)
            count += 1
    return count
