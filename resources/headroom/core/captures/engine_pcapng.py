# SPDX-License-Identifier: Apache-2.0
"""Reads the pcapng files that the engine writes: enhanced packet blocks, in order, with their interface.

Only what the engine produces (draft-ietf-opsawg-pcapng: section header, interface description and enhanced packet
blocks in this machine's byte order); captures of others are the engine's to read.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from headroom.core.errors import UsageError
from headroom.core.paths import shown

SECTION_HEADER, ENHANCED_PACKET = 0x0A0D0D0A, 6
BYTE_ORDER_MAGIC = 0x1A2B3C4D


@dataclass(frozen=True)
class EnginePacket:
    """One packet; the engine's interface 0 is the forward direction, 1 the reverse one."""

    interface: int
    octets: bytes


def read(path: Path) -> Iterator[EnginePacket]:
    """All packets of a file. Raises UsageError when it is not a whole pcapng file of this machine's byte order."""
    content = path.read_bytes()
    if len(content) < 12 or struct.unpack_from("=I4xI", content) != (SECTION_HEADER, BYTE_ORDER_MAGIC):
        raise UsageError(f"{shown(path)} is no pcapng file of this machine's byte order.")
    at = 0
    while at < len(content):
        if at + 12 > len(content):
            raise UsageError(f"{shown(path)} ends in the middle of a block, at octet {at}.")
        kind, length = struct.unpack_from("=II", content, at)
        if length < 12 or length % 4 or at + length > len(content):
            raise UsageError(f"{shown(path)} has a block of {length} octets at octet {at}, which cannot be.")
        if kind == ENHANCED_PACKET:
            if length < 32:
                raise UsageError(f"{shown(path)} has a packet block that is too short, at octet {at}.")
            interface, _, _, captured, _ = struct.unpack_from("=IIIII", content, at + 8)
            if captured > length - 32:
                raise UsageError(f"{shown(path)} has a packet that is longer than its block, at octet {at}.")
            yield EnginePacket(interface, content[at + 28 : at + 28 + captured])
        at += length
