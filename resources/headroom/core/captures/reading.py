# SPDX-License-Identifier: Apache-2.0
"""Reads pcap and pcapng files of any byte order, packet by packet, comments included.

Sources: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng. Every length in a file may be wrong, so it is compared with
the file before it is used. A fault ends the reading; the packets before it are kept.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from headroom.core.errors import UsageError
from headroom.core.paths import shown

MOST_ON_THE_WIRE = 1 << 20  # most octets of a packet: four times libpcap's MAXIMUM_SNAPLEN
MOST_PIPED = 1 << 29  # most octets of a capture from a pipe, which cannot seek
MOST_OCTETS = 16 << 20  # most octets of a block; a packet that claims more has a wrong length

_CLASSIC = {0xA1B2C3D4: 1_000, 0xA1B23C4D: 1}  # magic number -> nanoseconds of the fraction's unit
_SECTION, _INTERFACE, _OLD_PACKET, _SIMPLE_PACKET, _ENHANCED_PACKET = 0x0A0D0D0A, 1, 2, 3, 6
_BYTE_ORDER = 0x1A2B3C4D
_END, _COMMENT, _NAME, _FLAGS, _RESOLUTION, _OFFSET = 0, 1, 2, 2, 9, 14  # options; 2 is flags of a packet
_DIRECTIONS = {1: "received", 2: "sent"}  # bits 0 and 1 of a packet's flags
_OLD_LINK_TYPES = {14: 101}  # a number that some systems use for raw IP -> the link type


class BrokenCapture(UsageError):
    """Raised if the file ends, or is damaged, where a packet should be."""


@dataclass(frozen=True)
class Interface:
    """A file's description of an interface. `link_type` is the number of https://www.tcpdump.org/linktypes.html."""

    number: int
    link_type: int
    name: str = ""


@dataclass(frozen=True)
class CapturedPacket:
    """A captured packet. `number` counts from 1. `length` is that on the wire: more than `octets` if the packet was cut
    short. `direction` is "sent" or "received" by the interface, if the capture gives it; otherwise "".
    """

    number: int
    interface: Interface
    time_ns: int
    octets: bytes
    length: int
    comments: tuple[str, ...] = ()
    direction: str = ""

    @property
    def missing(self) -> int:
        """Octets at its end that were not captured."""
        return max(0, self.length - len(self.octets))

    @property
    def is_cut(self) -> bool:
        return self.missing > 0


def _length_on_the_wire(claimed: int, captured: int) -> int:
    """The length of a packet as it was sent. An impossible claim is ignored: decoding fills octets that were not
    captured, which could be 4 GiB.
    """
    return claimed if captured < claimed <= MOST_ON_THE_WIRE else captured


def is_capture(begun: bytes) -> bool:
    """True if the first octets of a file are those of a capture."""
    magics = (*_CLASSIC, _SECTION)
    return len(begun) >= 4 and any(int.from_bytes(begun[:4], order) in magics for order in ("little", "big"))


def read(path: Path) -> Iterator[CapturedPacket]:
    """All packets in order. Raises UsageError if the file is not a capture, BrokenCapture after the last sound
    packet.
    """
    try:
        with path.open("rb") as file:
            yield from _read(file if file.seekable() else BytesIO(file.read(MOST_PIPED)), path)
    except IsADirectoryError:
        raise UsageError(f"{shown(path)} is a folder, not a capture.") from None
    except FileNotFoundError:
        raise UsageError(f"There is no file {shown(path)}.") from None
    except PermissionError:
        raise UsageError(f"{shown(path)} may not be read by this user.") from None


def _read(file: BinaryIO, path: Path) -> Iterator[CapturedPacket]:
    magic = file.read(4)
    if len(magic) == 4:
        for order in "<", ">":
            number = struct.unpack(f"{order}I", magic)[0]
            if number in _CLASSIC:
                yield from _Classic(file, path, order, _CLASSIC[number]).packets()
                return
            if number == _SECTION:
                yield from _Blocks(file, path).packets(magic)
                return
    if magic[:2] == b"\x1f\x8b":
        raise UsageError(f"{shown(path)} is compressed: unpack it first (gunzip).")
    what = "is empty" if not magic else f"begins with {magic.hex()}"
    raise UsageError(f"{shown(path)} is neither a pcap nor a pcapng file: it {what}.")


@dataclass
class _File:
    """A cursor that knows its offset, for messages."""

    file: BinaryIO
    path: Path

    def take(self, count: int, what: str) -> bytes:
        """Reads exactly so many octets; b"" if the file ends in front of them."""
        at = self.file.tell()
        octets = self.file.read(count)
        if octets and len(octets) < count:
            raise self.broken(f"it ends in the middle of {what} at octet {at}")
        return octets

    def need(self, count: int, what: str) -> bytes:
        octets = self.take(count, what)
        if len(octets) < count:
            raise self.broken(f"it ends where {what} should be, at octet {self.file.tell()}")
        return octets

    def broken(self, sentence: str) -> BrokenCapture:
        return BrokenCapture(f"{shown(self.path)} is damaged: {sentence}.")


class _Classic(_File):
    """Reads pcap. The magic number has been read; `unit_ns` is that of the fraction of a second."""

    def __init__(self, file: BinaryIO, path: Path, order: str, unit_ns: int) -> None:
        super().__init__(file, path)
        self.order, self.unit_ns = order, unit_ns

    def packets(self) -> Iterator[CapturedPacket]:
        *_, link_type = struct.unpack(f"{self.order}HHiIII", self.need(20, "the file's header")[:20])
        link_type &= 0xFFFF  # the upper half is about frame check sequences
        interface = Interface(0, _OLD_LINK_TYPES.get(link_type, link_type))
        number = 0
        while head := self.take(16, "a packet's header"):
            at = self.file.tell() - 16
            seconds, fraction, captured, length = struct.unpack(f"{self.order}IIII", head)
            if captured > MOST_OCTETS:
                raise self.broken(f"the packet at octet {at} claims {captured} octets")
            octets = self.need(captured, "a packet") if captured else b""
            number += 1
            time_ns = seconds * 1_000_000_000 + fraction * self.unit_ns
            yield CapturedPacket(number, interface, time_ns, octets, _length_on_the_wire(length, captured))


@dataclass
class _Section:
    """The state of a section of pcapng: byte order, and interfaces with the unit of their times."""

    order: str = "<"
    interfaces: list[Interface] = field(default_factory=list)
    units: list[tuple[int, int, int]] = field(default_factory=list)  # ticks per second, offset in s, snap length


class _Blocks(_File):
    """Reads pcapng. The type of the first block has been read."""

    def packets(self, first: bytes) -> Iterator[CapturedPacket]:
        section = _Section()
        number, known, kind_octets = 0, 0, first
        while kind_octets:
            at = self.file.tell() - 4
            kind, body = self._block(kind_octets, section, at)
            if kind == _INTERFACE:
                section.interfaces.append(self._interface(body, section, known, at))
                known += 1
            elif kind in (_ENHANCED_PACKET, _SIMPLE_PACKET, _OLD_PACKET):
                number += 1
                yield self._packet(kind, body, section, number, at)
            kind_octets = self.take(4, "a block's type")

    def _block(self, kind_octets: bytes, section: _Section, at: int) -> tuple[int, bytes]:
        """The type and body of the block at octet `at`; a section header begins `section` anew."""
        length_octets = self.need(4, "a block's length")
        begun = b""
        if kind_octets == _SECTION.to_bytes(4, "big"):  # a palindrome, equal in both byte orders
            begun = self.need(4, "a section's byte order")
            orders = [order for order in "<>" if struct.unpack(f"{order}I", begun)[0] == _BYTE_ORDER]
            if not orders:
                raise self.broken(f"the section at octet {at} has an unknown byte order, {begun.hex()}")
            section.order = orders[0]
            section.interfaces, section.units = [], []
        kind = struct.unpack(f"{section.order}I", kind_octets)[0]
        length = struct.unpack(f"{section.order}I", length_octets)[0]
        least = 12 + len(begun)
        if length < least or length % 4 or length > MOST_OCTETS:
            raise self.broken(f"the block at octet {at} claims {length} octets, which is impossible")
        rest = self.need(length - 8 - len(begun), "the rest of a block")
        if struct.unpack(f"{section.order}I", rest[-4:])[0] != length:
            raise self.broken(f"the block at octet {at} has two different lengths")
        return kind, begun + rest[:-4]

    def _interface(self, body: bytes, section: _Section, number: int, at: int) -> Interface:
        if len(body) < 8:
            raise self.broken(f"the interface at octet {at} is too short")
        link_type, _, snap = struct.unpack_from(f"{section.order}HHI", body)
        options = self._options(body[8:], section, at)
        resolution = next((value[0] for code, value in options if code == _RESOLUTION and value), 6)
        ticks = 1 << (resolution & 0x7F) if resolution & 0x80 else 10**resolution
        if ticks > 10**18:
            raise self.broken(f"the interface at octet {at} has a time resolution of {ticks} ticks a second")
        offset = next((v for code, v in options if code == _OFFSET and len(v) == 8), bytes(8))
        section.units.append((ticks, struct.unpack(f"{section.order}q", offset)[0], snap))
        name = next((value for code, value in options if code == _NAME), b"")
        return Interface(number, _OLD_LINK_TYPES.get(link_type, link_type), _text(name))

    def _packet(self, kind: int, body: bytes, section: _Section, number: int, at: int) -> CapturedPacket:
        order = section.order
        head = {_ENHANCED_PACKET: 20, _OLD_PACKET: 20, _SIMPLE_PACKET: 4}[kind]
        if len(body) < head:
            raise self.broken(f"the packet block at octet {at} is too short")
        place, high, low = 0, 0, 0
        if kind == _ENHANCED_PACKET:
            place, high, low, captured, length = struct.unpack_from(f"{order}IIIII", body)
        elif kind == _OLD_PACKET:
            place, _, high, low, captured, length = struct.unpack_from(f"{order}HHIIII", body)
        else:
            length = captured = struct.unpack_from(f"{order}I", body)[0]
        if place >= len(section.interfaces):
            raise self.broken(f"the packet at octet {at} names interface {place}, which has not been described")
        ticks, offset_s, snap = section.units[place]
        if kind == _SIMPLE_PACKET:
            captured = min(length, snap or length)
        if captured > len(body) - head:
            raise self.broken(f"the packet at octet {at} claims {captured} octets, but its block has fewer")
        options = b"" if kind == _SIMPLE_PACKET else body[head + captured + -captured % 4 :]
        options_read = self._options(options, section, at)
        comments = tuple(_text(value) for code, value in options_read if code == _COMMENT)
        flags = next((v for code, v in options_read if code == _FLAGS and len(v) == 4), bytes(4))
        direction = _DIRECTIONS.get(struct.unpack(f"{order}I", flags)[0] & 3, "")
        time_ns = (high << 32 | low) * 1_000_000_000 // ticks + offset_s * 1_000_000_000
        octets = body[head : head + captured]
        interface = section.interfaces[place]
        on_the_wire = _length_on_the_wire(length, captured)
        return CapturedPacket(number, interface, time_ns, octets, on_the_wire, comments, direction)

    def _options(self, octets: bytes, section: _Section, at: int) -> list[tuple[int, bytes]]:
        result = []
        while len(octets) >= 4:
            code, length = struct.unpack_from(f"{section.order}HH", octets)
            if code == _END:
                break
            if length > len(octets) - 4:
                raise self.broken(f"an option of the block at octet {at} claims {length} octets, but fewer are left")
            result.append((code, octets[4 : 4 + length]))
            octets = octets[4 + length + -length % 4 :]
        return result


def _text(octets: bytes) -> str:
    """The text of a file, without characters that move a terminal's cursor."""
    text = octets.decode("utf-8", errors="replace")
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()
