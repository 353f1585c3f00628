# SPDX-License-Identifier: Apache-2.0
"""Whether a compressor follows the decision procedure of RFC 1144, 3.2.3: each packet, and what it became."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from headroom.schemes.vj.judge import header as headers
from headroom.schemes.vj.judge import packet
from headroom.schemes.vj.judge.decompressor import Decompressor
from headroom.schemes.vj.judge.header import ACK, FIN, RST, SYN, TCP, URG, Header
from headroom.schemes.vj.judge.packet import (
    ECHOED,
    IP,
    TYPE_NAMES,
    UNCOMPRESSED,
    UNIDIRECTIONAL,
    CompressedHeader,
    NotVj,
)

MUST, SHOULD = "must", "should"


@dataclass(frozen=True)
class Finding:
    """A finding about one link packet. `requirement` is that of resources/requirements/rfc1144.yaml."""

    packet: int
    requirement: str
    level: str
    sentence: str


@dataclass
class CompressorJudge:
    """Follows one line. `compress_slot_id`: whether Comp-Slot-Id allows the C bit to be clear (RFC 1332, 4.1)."""

    slots: int = 16
    compress_slot_id: bool = True
    line: Decompressor = field(init=False)
    used: list[int] = field(default_factory=list)  # connection numbers, the one used longest ago first
    count: int = 0

    def __post_init__(self) -> None:
        self.line = Decompressor(self.slots)

    def sent(self, source: bytes, type_: int, link: bytes) -> list[Finding]:
        """The findings about the link packet of a packet."""
        number, self.count = self.count, self.count + 1
        found = [Finding(number, *one) for one in self._judge(source, type_, link)]
        outcome = self.line.receive(type_, link)
        if outcome.restored is None:
            found.append(Finding(number, "RFC1144-3.2.3-1", MUST, f"no decompressor restores it: {outcome.reason}"))
        elif outcome.restored != source:
            where = next(
                (at for at, pair in enumerate(zip(source, outcome.restored, strict=False)) if pair[0] != pair[1]),
                min(len(source), len(outcome.restored)),
            )
            sentence = f"it is restored differently from octet {where} on"
            found.append(Finding(number, "RFC1144-3.2.3-1", MUST, sentence))
        if outcome.slot is not None:
            self.used = [one for one in self.used if one != outcome.slot] + [outcome.slot]
        return found

    def _judge(self, source: bytes, type_: int, link: bytes) -> Iterator[tuple[str, str, str]]:
        if type_ not in TYPE_NAMES:
            yield "RFC1332-3.2-1", MUST, f"its type is 0x{type_:04x}, which is none of the three"
            return
        if reason := not_compressible(source):
            if type_ != IP:
                yield reason[0], MUST, f"it goes as {TYPE_NAMES[type_]}, though {reason[1]}"
            elif link != source:
                yield "RFC1144-3.2.3-2", MUST, "a TYPE_IP packet is an unmodified copy of the input packet"
            return
        header = headers.read(source)
        assert header is not None
        if type_ == IP:
            if header.with_ip_checksum() == header:  # where it is wrong, only so does it come out as it is
                yield "RFC1144-3.2.3-6", MUST, "it goes as TYPE_IP, though it passes all checks of 3.2.3"
            return
        if type_ == UNCOMPRESSED:
            yield from self._uncompressed(header, source, link)
            return
        try:
            compressed = packet.read(link)
        except NotVj as error:
            yield "RFC1144-3.2.2-1", MUST, str(error)
            return
        yield from self._compressed(header, compressed)

    def _slot_of(self, header: Header) -> int | None:
        return next((n for n, one in self.line.saved.items() if one.connection == header.connection), None)

    def _uncompressed(self, header: Header, source: bytes, link: bytes) -> Iterator[tuple[str, str, str]]:
        """ "Identical to the input packet except the IP protocol field (byte 9)"."""
        if link[:9] + link[10:] != source[:9] + source[10:]:
            yield "RFC1144-3.2.3-3", MUST, "an UNCOMPRESSED_TCP packet differs from the input packet beyond byte 9"
            return
        slot, known = link[9], self._slot_of(header)
        if slot >= self.slots:
            yield (
                "RFC1144-5.1-1",
                MUST,
                f"connection number {slot} is beyond the {self.slots} slots of the decompressor",
            )
        elif known is None:
            yield from self._reclaimed(slot)
        elif slot != known:
            yield "RFC1144-3.2.3-7", MUST, f"its connection has the number {known}, not {slot}"
        elif expected(self.line.saved[known], header) is not None:
            why = "all fields that may not change are the same, and every change can be encoded"
            yield "RFC1144-3.2.3-8", SHOULD, f"it goes as UNCOMPRESSED_TCP, though {why}"

    def _reclaimed(self, slot: int) -> Iterator[tuple[str, str, str]]:
        if slot in self.line.saved and len(self.line.saved) < self.slots:
            yield "RFC1144-3.2.3-9", SHOULD, f"connection {slot} is replaced, though there are free slots"
        elif slot in self.line.saved and slot != self.used[0]:
            sentence = f"connection {slot} is replaced; that which was used longest ago is {self.used[0]}"
            yield "RFC1144-3.2.3-9", SHOULD, sentence

    def _compressed(self, header: Header, found: CompressedHeader) -> Iterator[tuple[str, str, str]]:
        slot = self._slot_of(header)
        if slot is None:
            yield "RFC1144-3.2.3-7", MUST, "it goes as COMPRESSED_TCP, though its connection has no state"
            return
        saved = self.line.saved[slot]
        changed = [name for name, was in saved.unchanging().items() if header.unchanging()[name] != was]
        if changed:
            yield "RFC1144-3.2.3-4", MUST, f"it is compressed, though {changed[0]} differs from the packet before"
            return
        if "C" in found.bits and self.compress_slot_id and self.line.last == slot:
            yield (
                "RFC1144-3.2.3-12",
                SHOULD,
                "its connection number is that of the packet before, and stands there all the same",
            )
        if "C" not in found.bits and (self.line.last != slot or not self.compress_slot_id):
            why = "differs from that of the packet before" if self.compress_slot_id else "must not be compressed"
            yield "RFC1144-3.2.3-12", MUST, f"its connection number {slot} {why}, but the C bit is clear"
        for letter, change in found.changes.items():
            if change.octets == 3 and 0 < change.value < 256:
                yield "RFC1144-3.2.2-2", SHOULD, f"the change of {letter}, {change.value}, takes three octets"
            if change.value == 0 and letter in "WAS":
                yield "RFC1144-3.2.2-3", MUST, f"the change of {letter} is zero, which is never sent"
            if change.value == 1 and letter == "I":
                yield "RFC1144-3.2.3-11", SHOULD, "the packet ID goes on by one, and the I bit is set"
        wanted = expected(saved, header)
        if wanted is None:
            yield "RFC1144-3.2.3-5", MUST, f"it is compressed, though {why_not(saved, header)}"
        elif wanted != found.bits & UNIDIRECTIONAL and not (saved.flags & URG and wanted in (ECHOED, UNIDIRECTIONAL)):
            names = "".join(sorted(wanted)) or "none"
            yield "RFC1144-3.2.3-10", SHOULD, f"of S, A, W and U its mask has {found.mask}, where {names} would do"


def not_compressible(source: bytes) -> tuple[str, str] | None:
    """Why a packet is to be sent as TYPE_IP: the requirement, and the reason; None where it passes the checks."""
    header = headers.read(source)
    if len(source) >= 20 and source[9] != TCP:
        return "RFC1144-3.2.3-13", "its protocol is not TCP"
    if header is None:
        return "RFC1144-3.2.3-13", "it is no whole TCP/IP packet"
    if header.fragment & 0x3FFF:
        return "RFC1144-3.2.3-14", "it is an IP fragment"
    if header.flags & (SYN | FIN | RST) or not header.flags & ACK:
        return "RFC1144-3.2.3-15", "SYN, FIN or RST is set, or ACK is clear"
    return None


def changes_of(saved: Header, header: Header) -> frozenset[str]:
    """The letters of S, A, W and U whose fields differ, before special cases are looked for."""
    letters = {
        "U": bool(header.flags & URG),
        "W": header.window != saved.window,
        "A": header.acknowledgement != saved.acknowledgement,
        "S": header.sequence != saved.sequence,
    }
    return frozenset(letter for letter, differs in letters.items() if differs)


def why_not(saved: Header, header: Header) -> str:
    """Why 3.2.3 has an UNCOMPRESSED_TCP packet for fields that all may change; "" where it has not."""
    if not header.flags & URG and header.urgent != saved.urgent:
        return "the urgent pointer differs and URG is clear"
    if (header.acknowledgement - saved.acknowledgement) & 0xFFFFFFFF > 0xFFFF:
        return "the acknowledgement number goes back, or on by more than 2^16 - 1"
    if (header.sequence - saved.sequence) & 0xFFFFFFFF > 0xFFFF:
        return "the sequence number goes back, or on by more than 2^16 - 1"
    changed = changes_of(saved, header)
    if changed >= ECHOED:
        return "U, S and W change, whose mask stands for a special case"
    if not changed and (header.data == 0 or saved.data > 0):
        return "nothing has changed, as in a retransmission"
    return ""


def expected(saved: Header, header: Header) -> frozenset[str] | None:
    """The letters of S, A, W and U that the mask should have; None where the packet is to be sent uncompressed."""
    if saved.unchanging() != header.unchanging() or why_not(saved, header):
        return None
    changed = changes_of(saved, header)
    sent = (header.sequence - saved.sequence) & 0xFFFFFFFF
    acknowledged = (header.acknowledgement - saved.acknowledgement) & 0xFFFFFFFF
    if changed == frozenset("S") and sent == saved.data:
        return UNIDIRECTIONAL
    if changed == frozenset("SA") and sent == acknowledged == saved.data:
        return ECHOED
    return changed


def judge(packets: Iterable[tuple[bytes, int, bytes]], slots: int = 16, compress_slot_id: bool = True) -> list[Finding]:
    """Findings on all packets of a line: the source, the type and the octets of what it became."""
    line = CompressorJudge(slots, compress_slot_id)
    return [finding for one in packets for finding in line.sent(*one)]
