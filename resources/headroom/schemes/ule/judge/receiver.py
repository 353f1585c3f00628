# SPDX-License-Identifier: Apache-2.0
"""A receiver of TS packets: RFC 4326, 7; and of the content of SNDUs: RFC 4326, 4 and 5, RFC 5163, 3.

It shares neither code nor structure with the reference: TS packets of a PID are first put in order by their continuity
counters, then joined to SNDUs, then opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

TS_OCTETS, TS_HEADER, SYNC = 188, 4, 0x47
LARGEST_POINTER = 181  # RFC 4326, 7
BROADCAST = b"\xff" * 6

# Events by what the RFC calls them; those in SILENT are no errors.
DUPLICATE, TEST_SNDU, UNMATCHED = "duplicate", "Test SNDU", "unmatched address"
SILENT = (DUPLICATE, TEST_SNDU, UNMATCHED)
SYNC_ERROR, TRANSMISSION_ERROR, CONTINUITY_ERROR = "sync error", "transmission error", "continuity counter error"
POINTER_ERROR, REASSEMBLY_ERROR, LENGTH_ERROR = "payload pointer error", "reassembly error", "SNDU length error"
CRC_ERROR, TYPE_ERROR, PADDING_ERROR = "CRC error", "SNDU type error", "octet after an SNDU is not 0xFF"
CONCAT_ERROR, FRAME_ERROR = "size mismatch error", "bridged frame shorter than its LLC length"


@dataclass(frozen=True)
class Unit:
    """A unit that the receiver passes on: an EtherType and a PDU; `type` 0x6558 for a whole MAC frame, 2 for a TS
    packet."""

    type: int
    octets: bytes


@dataclass
class Stream:
    """One TS Logical Channel, with the octets of the current SNDU; empty in the Idle State."""

    counter: int | None = None
    current: bytes = b""


@dataclass
class Receiver:
    """A receiver. `npa` is its own address. `bridged`: it removes the MAC headers of bridged frames. `reads_on`: it
    reads the rest of a TS packet after an SNDU with a wrong CRC, against a SHOULD of 7.2. `checks_errors`: it checks
    the transport error indicator, a SHOULD of 7.3.

    `events` counts what has happened; `take` returns what is passed on because of a TS packet.
    """

    npa: bytes | None = bytes([2, 0, 0, 0, 0, 1])  # None: that of every packet
    bridged: bool = False
    pids: frozenset[int] | None = None  # None: all but that of null packets
    reads_on: bool = False
    checks_errors: bool = True
    groups: frozenset[bytes] | None = None  # "any required multicast NPA addresses" (7.2); None: all
    events: dict[str, int] = field(default_factory=dict)
    streams: dict[int, Stream] = field(default_factory=dict)

    def _note(self, event: str) -> None:
        self.events[event] = self.events.get(event, 0) + 1

    def take(self, packet: bytes) -> list[Unit]:
        if len(packet) != TS_OCTETS or packet[0] != SYNC:
            self._note(SYNC_ERROR)
            return []
        flags, pid = packet[1] >> 5, int.from_bytes(packet[1:3]) & 0x1FFF
        if pid == 0x1FFF or (self.pids is not None and pid not in self.pids):
            return []
        stream = self.streams.setdefault(pid, Stream())
        if flags & 0b100 and self.checks_errors:  # transport_error_indicator: 7.3
            self._note(TRANSMISSION_ERROR)
            stream.current = b""
            return []
        if packet[3] >> 4 & 3 != 1:  # 3: "Receivers MUST discard TS Packets that carry other AFC values"
            self._note(SYNC_ERROR)
            return []
        if not self._is_to_be_read(stream, packet[3] & 15):
            return []
        if packet[3] & 0xC0:
            self._note(SYNC_ERROR)
            stream.current = b""
            return []
        return [
            unit for sndu in self._sndus(stream, packet[TS_HEADER:], bool(flags & 0b010)) for unit in self._units(sndu)
        ]

    def _is_to_be_read(self, stream: Stream, counter: int) -> bool:
        """7.3: whether a TS packet is to be read. After a gap the part of an SNDU that has come is discarded."""
        before, stream.counter = stream.counter, counter
        if before is None:
            return True
        if counter == before:
            self._note(DUPLICATE)
            return False
        if counter != (before + 1) % 16:
            self._note(CONTINUITY_ERROR)
            stream.current = b""
        return True

    def _sndus(self, stream: Stream, payload: bytes, starts: bool) -> Iterator[bytes]:
        """SNDUs with the right CRC that end in a payload: 7.1, 7.2."""
        rest = payload
        if starts:
            pointer, rest = payload[0], payload[1:]
            if pointer > LARGEST_POINTER or pointer + 2 > len(rest):
                self._note(POINTER_ERROR)
                stream.current = b""
                return
            if stream.current and pointer != _missing(stream.current):
                self._note(REASSEMBLY_ERROR)
                stream.current = b""
            if not stream.current:
                rest = rest[pointer:]
        elif not stream.current:
            return
        while rest:
            if not stream.current:
                length = int.from_bytes(rest[:2])
                if not starts:
                    self._note(REASSEMBLY_ERROR)  # 7.2 iii
                    return
                if length == 0xFFFF or length & 0x7FFF <= 4:
                    self._note(LENGTH_ERROR)
                    return
                stream.current, rest = rest[:2], rest[2:]
            missing = _missing(stream.current)
            stream.current, rest = stream.current + rest[:missing], rest[missing:]
            if _missing(stream.current):
                return
            sndu, stream.current = stream.current, b""
            is_wrong = crc(sndu) != 0
            if is_wrong:
                self._note(CRC_ERROR)
                if not self.reads_on:
                    return
            if len(rest) == 1 and rest != b"\xff":
                self._note(PADDING_ERROR)
            if len(rest) == 1 or rest[:2] == b"\xff\xff":
                rest = b""
            if not is_wrong:
                yield sndu

    def _units(self, sndu: bytes) -> Iterator[Unit]:
        type_, content = int.from_bytes(sndu[2:4]), sndu[4:-4]
        if not sndu[0] & 0x80:
            address, content = content[:6], content[6:]
            if len(address) < 6:
                self._note(LENGTH_ERROR)
                return
            if not self._is_accepted(address):
                self._note(UNMATCHED)
                return
        yield from self.open(type_, content)

    def open(self, type_: int, content: bytes) -> Iterator[Unit]:
        """The units after the base header of an SNDU, or after that of a GSE packet."""
        while 0x100 <= type_ < 0x600:  # optional extension headers: 5
            octets = 2 * (type_ >> 8)
            if len(content) < octets:
                self._note(LENGTH_ERROR)
                return
            type_, content = int.from_bytes(content[octets - 2 : octets]), content[octets:]
        if type_ >= 0x600:
            if not content:
                self._note(LENGTH_ERROR)
                return
            yield Unit(type_, content)
        elif type_ == 0:
            self._note(TEST_SNDU)
        elif type_ == 1:
            yield from self._frame(content)
        elif type_ == 2:
            if not content or len(content) % TS_OCTETS:
                self._note(CONCAT_ERROR)
                return
            yield from (Unit(2, content[at : at + TS_OCTETS]) for at in range(0, len(content), TS_OCTETS))
        elif type_ == 3:
            yield from self._pdus(content)
        else:
            self._note(TYPE_ERROR)

    def _is_accepted(self, address: bytes) -> bool:
        if self.npa is None or address in (self.npa, BROADCAST):
            return True
        return bool(address[0] & 1) and (self.groups is None or address in self.groups)

    def _frame(self, frame: bytes) -> Iterator[Unit]:
        if len(frame) < 14:
            self._note(LENGTH_ERROR)
            return
        type_ = int.from_bytes(frame[12:14])
        if type_ < 0x600 and type_ > len(frame) - 14:
            self._note(FRAME_ERROR)
        elif self.bridged and type_ >= 0x600 and len(frame) > 14:
            yield Unit(type_, frame[14:])
        else:
            yield Unit(0x6558, frame)

    def _pdus(self, content: bytes) -> Iterator[Unit]:
        """RFC 5163, 3.2: all of them, or none."""
        if len(content) < 2:
            self._note(LENGTH_ERROR)
            return
        type_, rest = int.from_bytes(content[:2]), content[2:]
        if type_ < 0x600 and type_ != 1:
            self._note(TYPE_ERROR)
            return
        pdus = []
        while rest:
            length = int.from_bytes(rest[:2]) & 0x7FFF
            pdu, rest = rest[2 : 2 + length], rest[2 + length :] if len(rest) > 1 else b""
            pdus.append(pdu)
            if not length or len(pdu) < length:
                pdus = []
                break
        if not pdus:
            self._note(CONCAT_ERROR)
        for pdu in pdus:
            if type_ == 1:
                yield from self._frame(pdu)
            else:
                yield Unit(type_, pdu)


def _missing(sndu: bytes) -> int:
    """Octets that an SNDU still lacks, of which at least the Length is there."""
    return 4 + (int.from_bytes(sndu[:2]) & 0x7FFF) - len(sndu)


def _table() -> list[int]:
    table = []
    for octet in range(256):
        register = octet << 24
        for _ in range(8):
            register = register << 1 ^ (0x104C11DB7 if register & 0x80000000 else 0)
        table.append(register)
    return table


_CRC = _table()


def crc(octets: bytes) -> int:
    """The CRC-32 of RFC 4326, 4.6; 0 over octets with their CRC after them."""
    register = 0xFFFFFFFF
    for octet in octets:
        register = (register << 8 & 0xFFFFFFFF) ^ _CRC[register >> 24 ^ octet]
    return register
