# SPDX-License-Identifier: Apache-2.0
"""IPHC in captures: the judge's reading of link packets, and tshark's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from headroom.core.captures import direction
from headroom.core.captures.dissection import LinkChannel, LinkDissector, LinkPacket, LinkReader, Ours, PlainChannel
from headroom.schemes.iphc import tshark_reading
from headroom.schemes.iphc.judge import chain as chains
from headroom.schemes.iphc.judge import link as formats
from headroom.schemes.iphc.judge.decompressor import Decompressor, Parameters

MOST = Parameters(tcp_space=255, non_tcp_space=65535)


class IphcDissector(LinkDissector):
    """Full and compressed headers on PPP."""

    hexadecimal: ClassVar = {"TCP checksum": 4}

    def channel(self, form: str, packets: Iterable[bytes], hints: None) -> LinkChannel:
        return PlainChannel(IphcReader, tshark_reading.read)

    def ends(self, link: LinkPacket) -> tuple[bytes, bytes] | None:
        """Returns the addresses of a full header; a compressed one has none."""
        return direction.ends_of(link.octets) if link.type == formats.FULL else None


class IphcReader(LinkReader):
    """Reads the packets of a line in their order. How large its spaces are is not in a capture: the largest there can
    be; and it has no packet sequence numbers."""

    def __init__(self) -> None:
        self.judge = Decompressor(MOST)

    def read(self, link: LinkPacket) -> Ours:
        if link.type == formats.CONTEXT_STATE:
            return self._context_state(link.octets)
        # Lengths count: octets that were not captured are there for the judge, and are taken away again.
        octets = link.octets + bytes(link.missing)
        outcome = self.judge.receive(link.type, octets)
        ours = Ours(formats.TYPE_NAMES.get(link.type, f"type 0x{link.type:04x}"))
        if outcome.cid is not None:
            ours.values["CID"] = outcome.cid
        if outcome.restored is None:
            ours.error = outcome.reason
            return ours
        chain = chains.read(outcome.restored, MOST.max_header)
        ours.restored = outcome.restored[: len(outcome.restored) - link.missing]
        if outcome.cid is not None:
            ours.payload_octets = len(outcome.restored) - chain.length
            ours.header_octets = len(octets) - ours.payload_octets
        if outcome.front is not None:
            flags = "".join(letter for letter in formats.FLAGS if letter in outcome.front.flags)
            ours.values |= {"flags": flags or "-", "TCP checksum": outcome.front.checksum}
        if chain.tcp is None and outcome.cid is not None and (context := self.judge.non_tcp[outcome.cid]):
            ours.values["generation"] = context.generation
            first = chain.parts[0]
            if link.type == formats.NON_TCP and first.kind == "IPv4":
                ours.values["IP-ID"] = first["Identification"]
        if chain.tcp is not None and not link.missing:
            ours.verified = chains.has_right_tcp_checksum(outcome.restored)
            if not ours.verified:
                ours.notes.append("the TCP checksum is wrong, as after a missing packet (RFC 2507, 10.1)")
        return ours

    def _context_state(self, octets: bytes) -> Ours:
        cids = formats.requested_cids(octets)
        if cids is None:
            return Ours("CONTEXT_STATE", error="its type is not 3, or its count not that of its CIDs (10.2)")
        return Ours("CONTEXT_STATE", {"requested CIDs": [*cids]}, is_feedback=True)
