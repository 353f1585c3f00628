# SPDX-License-Identifier: Apache-2.0
"""Classic pcap files as the engine writes them: cut in two, and read."""

import struct
from collections.abc import Iterator
from pathlib import Path

from headroom.core.engine_result import EngineFailure

PCAP_HEADER, PCAP_RECORD = 24, 16  # octets
MOST_OCTETS = 1 << 30  # octets of a capture: some ten million packets of voice


def split(whole: Path, first: int, head: Path, tail: Path) -> None:
    """Writes the first packets of a pcap file to one file and the others to another."""
    octets = read(whole)
    at = PCAP_HEADER
    for _ in range(first):
        at += PCAP_RECORD + struct.unpack_from("<I", octets, at + 8)[0]
    head.write_bytes(octets[:at])
    tail.write_bytes(octets[:PCAP_HEADER] + octets[at:])


def read(path: Path) -> bytes:
    """The octets of a capture. Raises EngineFailure if it is larger than memory should hold."""
    with path.open("rb") as file:
        octets = file.read(MOST_OCTETS + 1)
    if len(octets) > MOST_OCTETS:
        raise EngineFailure("garbage", f"{path.name} has more than {MOST_OCTETS} octets; ask for fewer packets.")
    return octets


def records(capture: bytes) -> Iterator[tuple[int, bytes]]:
    """(time in microseconds, octets) of the records of a pcap file."""
    at = PCAP_HEADER
    while at < len(capture):
        seconds, micros, length = struct.unpack_from("<III", capture, at)
        yield seconds * 1_000_000 + micros, capture[at + PCAP_RECORD : at + PCAP_RECORD + length]
        at += PCAP_RECORD + length
