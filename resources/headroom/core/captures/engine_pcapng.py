# SPDX-License-Identifier: Apache-2.0
"""Reads the pcapng files that the engine writes: enhanced packet blocks, in order, with their interface.

It reads only the engine's own format (draft-ietf-opsawg-pcapng: section header, interface description and enhanced
packet blocks in this machine's byte order); the engine reads other captures.
"""

import mmap
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from headroom.core.errors import UsageError
from headroom.core.paths import shown

SECTION_HEADER, INTERFACE_DESCRIPTION, ENHANCED_PACKET = 0x0A0D0D0A, 1, 6
BYTE_ORDER_MAGIC = 0x1A2B3C4D


@dataclass(frozen=True)
class EnginePacket:
    """A packet of the engine's capture; interface 0 is the forward direction, 1 the reverse one. `link_type` is a
    LINKTYPE of pcap, 1 for Ethernet; 0 if the file does not describe the interface.
    """

    interface: int
    octets: bytes
    time_ns: int = field(default=0, compare=False)
    link_type: int = field(default=0, compare=False)


def read(path: Path) -> Iterator[EnginePacket]:
    """All packets of a file. Raises UsageError if it is not a whole pcapng file of this machine's byte order."""
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            raise UsageError(f"{shown(path)} is not a pcapng file of this machine's byte order.")
        # An adapter may have made it larger than our memory, and empty.
        try:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            octets = os.fstat(file.fileno()).st_size
            raise OSError(error.errno, f"its {octets:,} octets do not fit into memory", str(path)) from error
        with mapped as content:
            yield from _packets(content, path)


def _packets(content: mmap.mmap, path: Path) -> Iterator[EnginePacket]:
    if len(content) < 12 or struct.unpack_from("=I4xI", content) != (SECTION_HEADER, BYTE_ORDER_MAGIC):
        raise UsageError(f"{shown(path)} is not a pcapng file of this machine's byte order.")
    at = 0
    link_types: list[int] = []
    while at < len(content):
        if at + 12 > len(content):
            raise UsageError(f"{shown(path)} ends in the middle of a block, at octet {at}.")
        kind, length = struct.unpack_from("=II", content, at)
        if length < 12 or length % 4 or at + length > len(content):
            raise UsageError(f"{shown(path)} has a block of {length} octets at octet {at}, which is impossible.")
        if kind == INTERFACE_DESCRIPTION:
            link_types += struct.unpack_from("=H", content, at + 8)
        if kind == ENHANCED_PACKET:
            if length < 32:
                raise UsageError(f"{shown(path)} has a packet block that is too short, at octet {at}.")
            interface, high, low, captured, _ = struct.unpack_from("=IIIII", content, at + 8)
            if captured > length - 32:
                raise UsageError(f"{shown(path)} has a packet that is longer than its block, at octet {at}.")
            octets = content[at + 28 : at + 28 + captured]
            link_type = link_types[interface] if interface < len(link_types) else 0
            yield EnginePacket(interface, octets, high << 32 | low, link_type)
        at += length
