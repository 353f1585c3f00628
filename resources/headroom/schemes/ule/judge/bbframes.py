# SPDX-License-Identifier: Apache-2.0
"""GSE packets in BBFRAMEs: ETSI EN 302 307-1, 5.1.4 to 5.1.6; TS 102 606-1, 4.2.

It shares no code with the reference, and none of its plan: fragments are kept as they come, and joined at the last one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from headroom.schemes.ule.judge.receiver import CRC_ERROR, Receiver, Unit, crc

HEADER = 10  # octets of a BBHEADER
GENERIC_CONTINUOUS = 0b01
KINDS = {0b00: "generic packetized", 0b10: "GSE-HEM", 0b11: "transport"}
BROADCAST, RE_USE = 2, 3  # label types
LABELS = {0: 6, 1: 3, BROADCAST: 0, RE_USE: 0}  # octets of a label, by its type
MOST_PARTS = 64  # PDUs that are not complete yet; one more replaces the oldest one
_MODE_ADAPTATION = {0xB8: (4, 2)}  # octets in front of a BBFRAME, by their first: L.3 and L.2 (EN 302 307-1, annex I)


def crc8(octets: bytes) -> int:
    """The CRC-8 of a BBHEADER (5.1.4): x^8 + x^7 + x^6 + x^4 + x^2 + 1, from 0."""
    register = 0
    for octet in octets:
        register ^= octet
        for _ in range(8):
            register = register << 1 & 0xFF ^ (0xD5 if register & 0x80 else 0)
    return register


def frame_in(octets: bytes) -> bytes | None:
    """The BBFRAME with GSE packets in some octets, with or without a mode adaptation header before it; None if the
    octets may be something else. The fields of the frame must fit each other, because a CRC of eight bits is often
    right by chance.
    """
    for front in (*_MODE_ADAPTATION.get(octets[0] if octets else 0, ()), 0, 3):
        frame = octets[front:]
        if len(frame) < HEADER or frame[0] & 0xCC != 0x40 or any(frame[2:4]) or any(frame[6:9]):
            continue
        bits = int.from_bytes(frame[4:6], "big")
        if bits % 8 == 0 and bits // 8 <= len(frame) - HEADER and crc8(frame[: HEADER - 1]) == frame[HEADER - 1]:
            return frame
    return None


@dataclass
class GsePacket:
    """A GSE packet: the fields of its header, and its data. Only a first fragment has `total`; only packets that begin
    a PDU have `type`.
    """

    start: bool
    end: bool
    label_type: int
    length: int
    frag_id: int = 0
    total: int = 0
    type: int = 0
    label: bytes = b""
    data: bytes = b""

    def __str__(self) -> str:
        what = {(1, 1): "whole PDU", (1, 0): "first fragment", (0, 1): "last fragment", (0, 0): "fragment"}
        parts = [what[self.start, self.end]]
        parts += [] if self.start and self.end else [f"Frag ID {self.frag_id}"]
        parts += [f"Total Length {self.total}"] if self.start and not self.end else []
        if self.start:
            label = {BROADCAST: "broadcast", RE_USE: "label re-used"}
            parts += [f"Type 0x{self.type:04x}", label.get(self.label_type, f"label {self.label.hex(':')}")]
        return ", ".join([*parts, f"{len(self.data)} octets"])


@dataclass
class _Part:
    """The fragments of a PDU that is not complete yet."""

    total: int
    covered: bytes  # octets that the CRC-32 covers before those of the PDU: Total Length, Protocol Type, label
    type: int
    pieces: list[bytes] = field(default_factory=list)
    octets: int = 0


@dataclass
class BbReading:
    """The content of a BBFRAME. `packets` are its GSE packets, `error` says why there are no more."""

    matype: tuple[int, int] = (0x20, 0)
    data_octets: int = 0
    packets: list[GsePacket] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    error: str = ""

    @property
    def stream(self) -> int | None:
        """Returns the input stream identifier, None if there is one stream."""
        return None if self.matype[0] & 0x20 else self.matype[1]


class GseReader:
    """Reads the BBFRAMEs of a carrier in their order; input streams are apart. It filters no label."""

    def __init__(self) -> None:
        self._parts: dict[tuple[int | None, int], _Part] = {}  # by input stream and Frag ID

    def read(self, frame: bytes) -> BbReading:
        reading = BbReading()
        if len(frame) < HEADER:
            reading.error = f"a BBFRAME of {len(frame)} octets, which is too short"
            return reading
        if crc8(frame[: HEADER - 1]) != frame[HEADER - 1]:
            reading.error = "the CRC-8 of the BBHEADER is wrong"
            return reading
        bits = int.from_bytes(frame[4:6], "big")
        reading.matype, reading.data_octets = (frame[0], frame[1]), bits // 8
        kind = frame[0] >> 6
        if kind != GENERIC_CONTINUOUS:
            reading.notes.append(f"a BBFRAME of a {KINDS[kind]} stream, which is not read here")
        elif bits % 8 or reading.data_octets > len(frame) - HEADER:
            reading.error = f"DFL says {bits} bits, and {8 * (len(frame) - HEADER)} are there"
        elif frame[0] & 0x0C:
            reading.error = "ISSY or null-packet deletion, which GSE is sent without"
        else:
            self._data_field(frame[HEADER : HEADER + reading.data_octets], reading)
        return reading

    def _data_field(self, rest: bytes, reading: BbReading) -> None:
        label: bytes | None = None  # what a re-used one stands for; it is none across BBFRAMEs
        while rest:
            if not rest[0] & 0xF0:  # Start, End and Label Type 00: padding up to the end
                return
            packet = _gse_packet(rest)
            if packet is None:
                reading.error = f"GSE Length is wrong: {len(rest)} octets are left"
                return
            rest = rest[2 + packet.length :]
            reading.packets.append(packet)
            if packet.start and packet.label_type == RE_USE:
                if label is None:
                    reading.notes.append("a label is re-used that there is not in this BBFRAME")
            elif packet.start:
                label = packet.label or None
            reading.units += self._pdus(packet, reading)

    def _pdus(self, packet: GsePacket, reading: BbReading) -> Iterator[Unit]:
        key = reading.stream, packet.frag_id
        if packet.start and packet.end:
            yield from _opened(packet.type, packet.data, reading)
            return
        if packet.start:
            if self._parts.pop(key, None):
                reading.notes.append(f"Frag ID {packet.frag_id} begins anew: a PDU is discarded")
            while len(self._parts) >= MOST_PARTS:
                del self._parts[next(iter(self._parts))]
            front = packet.type.to_bytes(2, "big") + packet.label
            self._parts[key] = _Part(packet.total - len(front), packet.total.to_bytes(2, "big") + front, packet.type)
        if (part := self._parts.get(key)) is None:
            reading.notes.append(f"Frag ID {packet.frag_id}: the first fragment is missing")
            return
        data, sent = (packet.data[:-4], packet.data[-4:]) if packet.end else (packet.data, b"")
        part.pieces.append(data)
        part.octets += len(data)
        if packet.end or part.octets > part.total or len(part.pieces) > part.total + 1:
            del self._parts[key]
            pdu = b"".join(part.pieces)
            if not packet.end or part.octets != part.total or len(sent) < 4:
                reading.notes.append(f"Frag ID {packet.frag_id}: Total Length is not that of the fragments")
            elif crc(part.covered + pdu) != int.from_bytes(sent, "big"):
                reading.notes.append(f"Frag ID {packet.frag_id}: {CRC_ERROR}")
            else:
                reading.notes.append(f"Frag ID {packet.frag_id}: a PDU is whole, CRC right")
                yield from _opened(part.type, pdu, reading)


def _gse_packet(rest: bytes) -> GsePacket | None:
    """The packet in front; None if it is cut short, or shorter than its header."""
    first = int.from_bytes(rest[:2], "big")
    packet = GsePacket(bool(first & 0x8000), bool(first & 0x4000), first >> 12 & 3, first & 0x0FFF)
    body, at = rest[2 : 2 + packet.length], 0
    is_fragment = not (packet.start and packet.end)
    label = LABELS[packet.label_type]
    needed = is_fragment + (2 * is_fragment + 2 + label if packet.start else 0)
    if len(rest) < 2 or len(body) < packet.length or len(body) < needed:
        return None
    if is_fragment:
        packet.frag_id, at = body[0], 1
    if packet.start:
        if is_fragment:
            packet.total, at = int.from_bytes(body[1:3], "big"), 3
        packet.type = int.from_bytes(body[at : at + 2], "big")
        packet.label = body[at + 2 : at + 2 + label]
    packet.data = body[needed:]
    return packet


def _opened(type_: int, content: bytes, reading: BbReading) -> list[Unit]:
    """The packets of a PDU, whose extension headers are those of ULE."""
    opener = Receiver(npa=None)
    units = list(opener.open(type_, content))
    reading.notes += [event.replace("SNDU ", "") for event in opener.events]
    return units
