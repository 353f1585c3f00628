# SPDX-License-Identifier: Apache-2.0
"""VJ in captures: the judge's reading of link packets, and tshark's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from headroom.core.captures.dissection import (
    LinkChannel,
    LinkDissector,
    LinkPacket,
    LinkReader,
    Ours,
    Reading,
    ReadingComparison,
)
from headroom.schemes.vj import tshark_reading
from headroom.schemes.vj.judge import packet
from headroom.schemes.vj.judge.decompressor import Decompressor


class VjDissector(LinkDissector):
    """Compressed and uncompressed TCP packets on PPP."""

    hexadecimal: ClassVar = {"TCP checksum": 4}

    def hints(self, words: Mapping[str, Any]) -> None:
        return None

    def channel(self, form: str, packets: Iterable[bytes], hints: None) -> VjChannel:
        return VjChannel()


class VjChannel(LinkChannel):
    """One direction of a line. How many slots it has is not in a capture: the most there can be."""

    def reader(self) -> VjReader:
        return VjReader()

    def tshark(self, packets: Sequence[LinkPacket]) -> list[Reading]:
        return tshark_reading.read(packets)


class VjReader(LinkReader):
    """Reads the packets of a line in their order."""

    def __init__(self) -> None:
        self.judge = Decompressor(slots=256)

    def read(self, link: LinkPacket) -> Ours:
        outcome = self.judge.receive(link.type, link.octets)
        ours = Ours(packet.TYPE_NAMES.get(link.type, f"type 0x{link.type:04x}"))
        ours.restored, ours.error = outcome.restored, outcome.reason
        if outcome.slot is not None:
            ours.values["connection"] = outcome.slot
        if (header := outcome.header) is not None:
            ours.values |= tshark_reading.values_of(header)
            ours.header_octets, ours.payload_octets = header.length, len(link.octets) - header.length
        return ours

    def compare(self, ours: Ours, theirs: Reading | None) -> ReadingComparison:
        compared = ReadingComparison()
        if theirs is None:
            return compared
        for name, value in theirs.values.items():
            if name in ours.values:
                compared.hold(name, ours.values[name], value)
        return compared
