# SPDX-License-Identifier: Apache-2.0
"""VJ in captures: the judge's reading of link packets, and tshark's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from headroom.core.captures import direction
from headroom.core.captures.dissection import (
    LinkChannel,
    LinkDissector,
    LinkPacket,
    LinkReader,
    Ours,
    PlainChannel,
    Reading,
    ReadingComparison,
)
from headroom.schemes.vj import tshark_reading
from headroom.schemes.vj.judge import packet
from headroom.schemes.vj.judge.decompressor import Decompressor
from headroom.schemes.vj.judge.header import Header, has_right_tcp_checksum

WRONG_CHECKSUM = {
    packet.COMPRESSED: "the TCP checksum is wrong, as after a missing frame (RFC 1144, 4.1)",
    packet.UNCOMPRESSED: "the TCP checksum is wrong",
    packet.IP: "the TCP checksum is wrong",
}


class VjDissector(LinkDissector):
    """Compressed and uncompressed TCP packets on PPP."""

    hexadecimal: ClassVar = {"TCP checksum": 4}

    def channel(self, form: str, packets: Iterable[bytes], hints: None) -> LinkChannel:
        return PlainChannel(VjReader, tshark_reading.read)

    def ends(self, link: LinkPacket) -> tuple[bytes, bytes] | None:
        """Returns the addresses of an UNCOMPRESSED_TCP packet; a compressed one has none."""
        return direction.ends_of(link.octets) if link.type == packet.UNCOMPRESSED else None


class VjReader(LinkReader):
    """Reads the packets of a line in their order. How many slots it has is not in a capture: the most there can be."""

    def __init__(self) -> None:
        self.judge = Decompressor(slots=256)
        self.leaves_gap = False  # whether the last packet begins behind the end of the one before it

    def read(self, link: LinkPacket) -> Ours:
        known = {**self.judge.saved}
        # Lengths count: octets that were not captured are there for the judge, and are taken away again.
        outcome = self.judge.receive(link.type, link.octets + bytes(link.missing))
        last, before = self._last(), known.get(self.judge.last or 0)
        self.leaves_gap = (
            last is not None
            and before is not None
            and last.connection == before.connection
            and 0 < (last.sequence - before.sequence - before.data) & 0xFFFFFFFF < 1 << 31
        )
        ours = Ours(packet.TYPE_NAMES.get(link.type, f"type 0x{link.type:04x}"))
        ours.restored, ours.error = outcome.restored, outcome.reason
        if ours.restored is not None and link.missing:
            ours.restored = ours.restored[: -link.missing]
        elif ours.restored is not None:
            ours.verified = has_right_tcp_checksum(ours.restored)
            ours.notes += [] if ours.verified else [WRONG_CHECKSUM[link.type]]
        if outcome.slot is not None:
            ours.values["connection"] = outcome.slot
        if (header := outcome.header) is not None:
            ours.values |= tshark_reading.values_of(header)
            ours.header_octets = header.length
            ours.payload_octets = len(link.octets) + link.missing - header.length
        return ours

    def compare(self, ours: Ours, theirs: Reading | None) -> ReadingComparison:
        """Compares no refused packet: without a connection number, each may take it from another packet."""
        return ReadingComparison(silent="the judge refuses it") if ours.error else super().compare(ours, theirs)

    def is_plausible(self, peer: LinkReader) -> bool:
        assert isinstance(peer, VjReader)
        last = self._last()
        if last is None or self.leaves_gap:
            return last is None
        turned = last.addresses[4:] + last.addresses[:4], last.destination_port, last.source_port
        theirs = next((header for header in peer.judge.saved.values() if header.connection == turned), None)
        return theirs is None or (theirs.sequence + theirs.data - last.acknowledgement) & 0xFFFFFFFF < 1 << 31

    def _last(self) -> Header | None:
        return self.judge.saved.get(self.judge.last) if self.judge.last is not None else None

    def copy(self) -> VjReader:
        copy = VjReader()
        copy.judge = replace(self.judge, saved={**self.judge.saved}, urgent={*self.judge.urgent})
        copy.leaves_gap = self.leaves_gap
        return copy
