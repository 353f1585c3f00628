# SPDX-License-Identifier: Apache-2.0
"""A compressor beside the decision procedure of RFC 1144, 3.2.3: each packet, and what it became.

The judge keeps what a compressor keeps: "a copy of the input packet's IP and TCP headers" of each connection.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from headroom.core.finding import Finding
from headroom.schemes.vj.judge import header as headers
from headroom.schemes.vj.judge import packet
from headroom.schemes.vj.judge.header import ACK, FIN, PSH, RST, SYN, TCP, URG, Header
from headroom.schemes.vj.judge.packet import (
    ECHOED,
    IP,
    TYPE_NAMES,
    UNCOMPRESSED,
    UNIDIRECTIONAL,
    CompressedHeader,
    NotVj,
)

FIELDS = {"U": "urgent pointer", "W": "window", "A": "acknowledgement number", "S": "sequence number", "I": "packet ID"}

Remark = tuple[str, str]  # a requirement and a sentence


@dataclass
class CompressorJudge:
    """Follows one line. `compress_slot_id`: whether Comp-Slot-Id allows the C bit to be clear (RFC 1332, 4.1).

    `unnoticed` counts compressed packets in which bits have changed that 3.2.3 does not list, so that they are lost.
    """

    slots: int = 16
    compress_slot_id: bool = True
    saved: dict[int, Header] = field(default_factory=dict)
    last: int | None = None  # "the last connection sent on this serial line"
    used: list[int] = field(default_factory=list)  # connection numbers, the one used longest ago first
    count: int = 0
    unnoticed: int = 0
    blind: bool = False  # something was sent of which the RFC does not say what a compressor saves

    def sent(self, source: bytes, type_: int, link: bytes) -> list[Finding]:
        """The findings about the link packet of a packet."""
        number, self.count = self.count, self.count + 1
        return [Finding(sentence, broken, number) for broken, sentence in self._judge(source, type_, link)]

    def _judge(self, source: bytes, type_: int, link: bytes) -> Iterator[Remark]:
        if type_ not in TYPE_NAMES:
            yield "RFC1332-4-1", f"its type is 0x{type_:04x}, which is none of the three"
            return
        if self.blind:
            return
        if type_ == IP and link != source:
            yield "RFC1144-3.2.3-2", "a TYPE_IP packet is no unmodified copy of the input packet"
            return
        if reason := not_compressible(source):
            if type_ != IP:
                yield reason[0], f"it goes as {TYPE_NAMES[type_]}, though {reason[1]}"
            return
        header = headers.read(source)
        if type_ == IP:
            # Note 35: with one slot "compressor implementations may disable compression".
            if headers.is_sound(source) and self.slots > 1:
                yield "RFC1144-3.2.3-6", "it goes as TYPE_IP, though it passes all checks of 3.2.3"
        elif header is None:
            self.blind = True
        elif type_ == UNCOMPRESSED:
            yield from self._uncompressed(header, source, link)
        else:
            try:
                compressed = packet.read(link)
            except NotVj as error:
                yield "RFC1144-3.2.2-1", str(error)
                return
            yield from self._compressed(header, compressed, _data_of(header, source), link[compressed.length :])

    def _save(self, slot: int, header: Header) -> None:
        self.saved[slot], self.last = header, slot
        self.used = [number for number in self.used if number != slot] + [slot]

    def _uncompressed(self, header: Header, source: bytes, link: bytes) -> Iterator[Remark]:
        """ "Identical to the input packet except the IP protocol field (byte 9)"."""
        if link[:9] + link[10:] not in (source[:9] + source[10:], source[:9] + source[10 : header.total_length]):
            yield "RFC1144-3.2.3-3", "an UNCOMPRESSED_TCP packet differs from the input packet beyond byte 9"
            return
        slot = link[9]
        if slot >= self.slots:
            sentence = f"connection number {slot} is beyond the {self.slots} slots of the decompressor"
            yield "RFC1144-5.1-1", sentence
            return
        before = self.saved.get(slot)
        if before is None or before.connection != header.connection:
            yield from self._reclaimed(slot)
        elif expected(before, header) is not None:
            why = "all fields that may not change are the same, and every change can be encoded"
            yield "RFC1144-3.2.3-8", f"it goes as UNCOMPRESSED_TCP, though {why}"
        self._save(slot, header)

    def _reclaimed(self, slot: int) -> Iterator[Remark]:
        if slot in self.saved and len(self.saved) < self.slots:
            yield "RFC1144-3.2.3-9", f"connection {slot} is replaced, though there are free slots"
        elif slot in self.saved and slot != self.used[0]:
            yield (
                "RFC1144-3.2.3-9",
                f"connection {slot} is replaced; that which was used longest ago is {self.used[0]}",
            )

    def _compressed(
        self, header: Header, compressed_header: CompressedHeader, data: tuple[bytes, ...], sent: bytes
    ) -> Iterator[Remark]:
        slot = self.last if compressed_header.connection is None else compressed_header.connection
        if slot is not None and slot >= self.slots:
            sentence = f"connection number {slot} is beyond the {self.slots} slots of the decompressor"
            yield "RFC1144-5.1-1", sentence
            return
        saved = None if slot is None else self.saved.get(slot)
        if slot is None or saved is None or saved.connection != header.connection:
            if any(entry.connection == header.connection for entry in self.saved.values()):
                yield "RFC1144-3.2.3-12", f"its connection is not that of number {slot}"
            else:
                yield "RFC1144-3.2.3-7", "it goes as COMPRESSED_TCP, though its connection has no state"
            return
        if compressed_header.connection is None and not self.compress_slot_id:
            yield "RFC1332-4.1-2", "its connection number must not be compressed, but the C bit is clear"
        if compressed_header.connection is not None and self.compress_slot_id and self.last == slot:
            sentence = "its connection number is that of the packet before, and stands there all the same"
            yield "RFC1144-3.2.3-17", sentence
        self._save(slot, header)
        self.unnoticed += header.unlisted() != saved.unlisted()
        changed = [name for name, was in saved.unchanging().items() if header.unchanging()[name] != was]
        if changed:
            yield "RFC1144-3.2.3-4", f"it is compressed, though {changed[0]} differs from the packet before"
            return
        yield from self._encoding(compressed_header)
        if reason := why_not(saved, header):
            yield "RFC1144-3.2.3-5", f"it is compressed, though {reason}"
            return
        yield from self._changes(saved, header, compressed_header)
        if sent not in data:
            yield "RFC1144-3.2.3-16", f"{len(sent)} octets of data follow, which are not those of the packet"

    def _encoding(self, header: CompressedHeader) -> Iterator[Remark]:
        for letter, change in header.changes.items():
            if change.octets == 3 and 0 < change.value < 256:
                yield "RFC1144-3.2.2-2", f"the change of {letter}, {change.value}, takes three octets"
            if change.value == 0 and letter in "WAS":
                yield "RFC1144-3.2.2-3", f"the change of {letter} is zero, which is never sent"
            if change.value == 1 and letter == "I":
                yield "RFC1144-3.2.3-11", "the packet ID goes on by one, and the I bit is set"

    def _changes(self, saved: Header, header: Header, compressed_header: CompressedHeader) -> Iterator[Remark]:
        """Compares the changes in the compressed header with the real changes."""
        changed, special = changes_of(saved, header), special_of(saved, header)
        if compressed_header.special:
            if compressed_header.special != special:
                yield (
                    "RFC1144-3.2.2-4",
                    f"its mask is {compressed_header.mask}, and the changes are not those of the special case",
                )
        else:
            said = {letter: change.value for letter, change in compressed_header.changes.items() if letter != "I"}
            for letter in "UWAS":
                if said.get(letter) != changed.get(letter) and not (
                    letter in said and said[letter] == 0 and letter != "U"
                ):
                    yield "RFC1144-3.2.2-6", f"the {FIELDS[letter]} is encoded as {_change(said, changed, letter)}"
            # After an urgent packet a compressor may do without: by 3.2.4 a decompressor leaves URG set there.
            if special and not saved.flags & URG:
                names = "".join(letter for letter in "SAWU" if letter in special)
                yield (
                    "RFC1144-3.2.3-10",
                    f"of S, A, W and U its mask has {compressed_header.mask}, where {names} would do",
                )
        step = (header.identification - saved.identification) & 0xFFFF
        if (compressed_header.changes["I"].value if "I" in compressed_header.bits else 1) != step:
            yield "RFC1144-3.2.2-6", f"the packet ID goes on by {step}, and the header says otherwise"
        if ("P" in compressed_header.bits) != bool(header.flags & PSH):
            yield "RFC1144-3.2.2-6", "the P bit is no copy of PUSH"
        if compressed_header.checksum != header.tcp_checksum:
            yield (
                "RFC1144-3.2.2-6",
                f"the TCP checksum is 0x{compressed_header.checksum:04x}, not 0x{header.tcp_checksum:04x}",
            )


def _change(said: dict[str, int], changed: dict[str, int], letter: str) -> str:
    before, after = (str(entry[letter]) if letter in entry else "unchanged" for entry in (said, changed))
    return f"{before}, not {after}"


def _data_of(header: Header, source: bytes) -> tuple[bytes, ...]:
    """The data of a packet: with, and without, octets after its total length."""
    return source[header.length :], source[header.length : header.total_length]


def not_compressible(source: bytes) -> Remark | None:
    """Returns why a packet is to be sent as TYPE_IP: the requirement, and the reason; None if it passes the checks,
    or where they cannot be made."""
    if len(source) < 20:
        return None
    protocol = source[9] if source[0] >> 4 == 4 else source[6]
    if protocol != TCP:
        return "RFC1144-3.2.3-13", "its protocol is not TCP"
    if source[0] >> 4 == 4 and int.from_bytes(source[6:8]) & 0x3FFF:
        return "RFC1144-3.2.3-14", "it is an IP fragment"
    header = headers.read(source)
    if header is not None and (header.flags & (SYN | FIN | RST) or not header.flags & ACK):
        return "RFC1144-3.2.3-15", "SYN, FIN or RST is set, or ACK is clear"
    return None


def changes_of(saved: Header, header: Header) -> dict[str, int]:
    """The changes of U, W, A and S, by letter, before special cases are looked for. That of U is the urgent pointer."""
    changes = {
        "W": (header.window - saved.window) & 0xFFFF,
        "A": (header.acknowledgement - saved.acknowledgement) & 0xFFFFFFFF,
        "S": (header.sequence - saved.sequence) & 0xFFFFFFFF,
    }
    urgent = {"U": header.urgent} if header.flags & URG else {}
    return urgent | {letter: change for letter, change in changes.items() if change}


def special_of(saved: Header, header: Header) -> frozenset[str] | None:
    """The special case that the changes are; None if they are none."""
    changed = changes_of(saved, header)
    if changed == {"S": saved.data}:
        return UNIDIRECTIONAL
    return ECHOED if changed == {"S": saved.data, "A": saved.data} else None


def why_not(saved: Header, header: Header) -> str:
    """The reason for which 3.2.3 requires an UNCOMPRESSED_TCP packet though only fields that may change differ; "" if
    none."""
    if not header.flags & URG and header.urgent != saved.urgent:
        return "the urgent pointer differs and URG is clear"
    changed = changes_of(saved, header)
    if changed.get("A", 0) > 0xFFFF:
        return "the acknowledgement number goes back, or on by more than 2^16 - 1"
    if changed.get("S", 0) > 0xFFFF:
        return "the sequence number goes back, or on by more than 2^16 - 1"
    if changed.keys() >= ECHOED:
        return "U, S and W change, whose mask stands for a special case"
    if not changed and (header.data == 0 or saved.data > 0):
        return "nothing has changed, as in a retransmission"
    return ""


def expected(saved: Header, header: Header) -> frozenset[str] | None:
    """The letters of S, A, W and U that the mask should have; None if the packet is to be sent uncompressed, or
    where changes would be lost."""
    if saved.unchanging() != header.unchanging() or saved.unlisted() != header.unlisted() or why_not(saved, header):
        return None
    return special_of(saved, header) or frozenset(changes_of(saved, header))


def judge(packets: Iterable[tuple[bytes, int, bytes]], slots: int = 16, compress_slot_id: bool = True) -> list[Finding]:
    """Findings on all packets of a line: the source, and the type and octets of its link packet."""
    line = CompressorJudge(slots, compress_slot_id)
    return [finding for entry in packets for finding in line.sent(*entry)]
