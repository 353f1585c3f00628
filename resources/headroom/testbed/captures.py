# SPDX-License-Identifier: Apache-2.0
"""Classic pcap files as the engine writes them: cut in two, and read."""

import struct
from collections.abc import Iterator
from pathlib import Path

PCAP_HEADER, PCAP_RECORD = 24, 16  # octets


def split(whole: Path, first: int, head: Path, tail: Path) -> None:
    """Writes the first packets of a pcap file to one file and the others to another."""
    octets = whole.read_bytes()
    at = PCAP_HEADER
    for _ in range(first):
        at += PCAP_RECORD + struct.unpack_from("<I", octets, at + 8)[0]
    head.write_bytes(octets[:at])
    tail.write_bytes(octets[:PCAP_HEADER] + octets[at:])


def records(capture: bytes) -> Iterator[tuple[int, bytes]]:
    """(time in microseconds, octets) of the records of a pcap file."""
    at = PCAP_HEADER
    while at < len(capture):
        seconds, micros, length = struct.unpack_from("<III", capture, at)
        yield seconds * 1_000_000 + micros, capture[at + PCAP_RECORD : at + PCAP_RECORD + length]
        at += PCAP_RECORD + length
