# SPDX-License-Identifier: Apache-2.0
"""Extension headers as they stand in packets and as items of compressed lists: RFC 3095, 5.8.4, 5.8.5.1 and 5.8.7; RFC
4815, 5.4 to 5.8 and 8.9.

The headers are those of RFC 2460 (hop-by-hop options, routing, fragment, destination options), AH (RFC 4302), GRE (RFC
2784, 2890) and minimal encapsulation (RFC 2004). A null ESP header is refused as a feature that is not there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from headroom.schemes.rohc.judge.framework.bits import NO_BITS, Bits, Reader
from headroom.schemes.rohc.judge.framework.errors import MalformedPacket, Unsupported
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.v1.lists import CompressedList, Entries, ListKind, ListState, read_list

HOP_BY_HOP, ROUTING, FRAGMENT, GRE, ESP, AH, MINIMAL, DESTINATION = 0, 43, 44, 47, 50, 51, 55, 60
NAMES = {
    HOP_BY_HOP: "hop-by-hop options",
    ROUTING: "routing header",
    FRAGMENT: "fragment header",
    GRE: "GRE header",
    AH: "AH",
    MINIMAL: "minimal encapsulation header",
    DESTINATION: "destination options",
}
IPV4, IPV6 = 4, 41
ETHER_TYPES = {IPV4: 0x0800, IPV6: 0x86DD}  # "only GRE headers with Ether types that correspond to an IP protocol"
C, K, S = 0x80, 0x20, 0x10  # flags of GRE: checksum, key and sequence number are there
AH_SEQUENCE, AH_DATA = 8, 12  # offsets in AH: RFC 4302, 2
_SEQUENCE = 1 << 32


class Shape(NamedTuple):
    """Properties of an extension header that the CRC depends on: type, number of octets, and the flags of GRE."""

    type: int
    octets: int
    flags: int = 0

    @property
    def dynamic(self) -> tuple[tuple[int, int], ...]:
        """The octets that are CRC-DYNAMIC, as (from, to); all others are CRC-STATIC (RFC 3095, 5.8.7)."""
        if self.type == AH:
            return ((0, self.octets),)
        if self.type != GRE:
            return ()
        checksum = ((4, 6),) if self.flags & C else ()
        return (*checksum, (self.octets - 4, self.octets)) if self.flags & S else checksum

    @property
    def static(self) -> tuple[tuple[int, int], ...]:
        at, parts = 0, []
        for start, end in (*self.dynamic, (self.octets, self.octets)):
            parts += [(at, start)] if start > at else []
            at = end
        return tuple(parts)


@dataclass(frozen=True, slots=True)
class ExtensionHeader:
    """An extension header of an original packet: where it is, its type and octets, and the type of what follows it."""

    start: int
    type: int
    octets: bytes
    following: int

    @property
    def shape(self) -> Shape:
        return Shape(self.type, len(self.octets), self.octets[0] if self.type == GRE else 0)

    @property
    def item(self) -> bytes:
        """The header as an uncompressed item of a list (RFC 3095, 5.8.4.1 and 5.8.4.4)."""
        if self.type != GRE:
            return bytes([self.type]) + self.octets[1:]
        flags = self.octets[0]
        checksum = self.octets[4:6] if flags & C else b""
        return bytes([GRE, flags | self.octets[1]]) + checksum + self.octets[8 if flags & C else 4 :]


def parse(packet: bytes, at: int, kind: int) -> ExtensionHeader | None:
    """The extension header of type `kind` at `at`; None if it is truncated or cannot be an item of a list."""
    if kind == GRE:
        return _parse_gre(packet, at)
    if kind not in NAMES or len(packet) < at + 8:
        return None
    length = _length(kind, packet[at + 1])
    if length is None or len(packet) < at + length:
        return None
    return ExtensionHeader(at, kind, packet[at : at + length], packet[at])


def _length(kind: int, second: int) -> int | None:
    """Octets of a header, or of the item that stands for it, by its second octet; None of an impossible one."""
    if kind == AH:  # "uses a different notion of length than other IPv6 extension headers": RFC 4302, 2.2
        return 4 * (second + 2) if second >= 1 else None
    if kind == MINIMAL:  # RFC 2004, 3.1: with or without the original source address
        return 12 if second & 0x80 else 8
    if kind == FRAGMENT:
        return 8
    return 8 * (second + 1)


def _parse_gre(packet: bytes, at: int) -> ExtensionHeader | None:
    """A GRE header of which 5.8.4.4 can say everything: no Reserved0 and Reserved1, an Ether type of IPv4 or IPv6."""
    fixed = packet[at : at + 4]
    if len(fixed) < 4 or fixed[0] & ~(C | K | S) or fixed[1] & ~7:
        return None
    flags, ether = fixed[0], int.from_bytes(fixed[2:4], "big")
    length = 4 + sum(4 for flag in (C, K, S) if flags & flag)
    octets = packet[at : at + length]
    following = next((protocol for protocol, value in ETHER_TYPES.items() if value == ether), None)
    if following is None or len(octets) < length or (flags & C and octets[6:8] != b"\0\0"):
        return None
    return ExtensionHeader(at, GRE, octets, following)


# --- Items -----------------------------------------------------------------------------------------------------------


def read_item(reader: Reader, name: str, encoding: int) -> bytes:
    """One uncompressed item, which tells its type in its first octet (5.8.4.1).

    GRE in a generic list may have the type of the IP header that follows instead (5.8.4.4): no other item is called so.
    """
    kind, second = reader.peek(name=name), reader.peek(1, name)
    if kind == ESP:
        raise Unsupported("RFC3095-5.8.4.3-2", "A null ESP header is an item of an extension header list.", "null-esp")
    if kind == GRE or (encoding == 0 and kind in ETHER_TYPES):
        length = 2 + (2 if second & C else 0) + (4 if second & K else 0) + (4 if second & S else 0)
        return bytes([GRE]) + reader.take(name, length)[1:]
    length = _length(kind, second) if kind in NAMES else None
    if length is None:
        raise MalformedPacket(
            "RFC3095-5.8.6.1-1",
            f"An item of an extension header list begins with 0x{kind:02x}{second:02x}: that is no extension header.",
        )
    return reader.take(name, length)


HEADERS = ListKind("extension header list", "extension header", 15, "RFC3095-5.7.7.3-1", read_item)


def shape_of(item: bytes) -> Shape:
    """The shape of the header that an item stands for."""
    if item[0] != GRE:
        return Shape(item[0], len(item))
    flags = item[1] & (C | K | S)
    return Shape(GRE, len(item) + (4 if flags & C else 2), flags)


def _sequence_at(item: bytes) -> int | None:
    """Offset of the sequence number in an item; None if it has none."""
    if item[0] == AH:
        return AH_SEQUENCE
    return len(item) - 4 if item[0] == GRE and item[1] & S else None


def sequence_of(item: bytes) -> int | None:
    at = _sequence_at(item)
    return None if at is None else int.from_bytes(item[at : at + 4], "big")


def _as_is(item: bytes) -> slice:
    """Octets of an item that follow each compressed header as they are: AH data and the checksum of GRE (5.7)."""
    if item[0] == AH:
        return slice(AH_DATA, len(item))
    return slice(2, 4) if item[0] == GRE and item[1] & C else slice(0, 0)


def as_is_octets(item: bytes) -> int:
    part = _as_is(item)
    return part.stop - part.start


def identity(item: bytes) -> bytes:
    """An item without what may change while it "is not considered as changed" (5.8.4.2 and 5.8.4.4)."""
    return with_values(item, 0 if _sequence_at(item) is not None else None, bytes(as_is_octets(item)))


def with_values(item: bytes, sequence: int | None, as_is: bytes | None) -> bytes:
    """An item with another sequence number and other octets that are sent as they are; None leaves either."""
    octets = bytearray(item)
    at = _sequence_at(item)
    if sequence is not None and at is not None:
        octets[at : at + 4] = sequence.to_bytes(4, "big")
    if as_is is not None:
        octets[_as_is(item)] = as_is
    return bytes(octets)


def header_of(item: bytes, following: int) -> bytes:
    """The header that an item stands for, with the type of what follows it in the Next Header field (5.8.4.1)."""
    if item[0] != GRE:
        return bytes([following]) + item[1:]
    if following not in ETHER_TYPES:
        raise MalformedPacket(
            "RFC3095-5.8.4.4-5", f"A GRE header is followed by protocol {following}: there is no Ether type for it."
        )
    flags = item[1] & (C | K | S)
    checksum = item[2:4] + b"\0\0" if flags & C else b""
    fixed = bytes([flags, item[1] & 7]) + ETHER_TYPES[following].to_bytes(2, "big")
    return fixed + checksum + item[4 if flags & C else 2 :]


def restore(items: Sequence[bytes], following: int) -> list[bytes]:
    """The headers of a list, the last of which is followed by protocol `following`."""
    types = [item[0] for item in items[1:]] + [following]
    return [header_of(item, kind) for item, kind in zip(items, types, strict=True)] if items else []


# --- What extension 3 says -------------------------------------------------------------------------------------------


class HeaderChanges(NamedTuple):
    """The field "IP extension headers" of extension 3 (5.8.5.1). No bits: no compressed sequence number is there."""

    ah: Bits = NO_BITS
    gre: Bits = NO_BITS
    compressed: CompressedList | None = None


def read_changes(reader: Reader, state: ListState, mode: str, remarks: list[Remark]) -> HeaderChanges:
    cl, ah, esp, gre, reserved = reader.split(("CL", 1), ("ASeq", 1), ("ESeq", 1), ("GSeq", 1), ("res", 4))
    if reserved:
        remarks.append(
            Remark(
                "RFC3095-5.8.5.1-1", f"The reserved bits of the IP extension headers field are {reserved}, not zero."
            )
        )
    if esp:
        raise MalformedPacket(
            "RFC3095-5.8.5.1-2", "ESeq is 1, but no null ESP header is in the list: none was ever sent."
        )
    ah_bits = _read_sequence(reader, "AH") if ah else NO_BITS
    gre_bits = _read_sequence(reader, "GRE") if gre else NO_BITS
    compressed = read_list(reader, HEADERS, state, state.references(mode), remarks) if cl else None
    entries = compressed.entries if compressed else state.entries
    for kind, bits in ((AH, ah_bits), (GRE, gre_bits)):
        if bits.width and _numbered(entries, kind) is None:
            name = NAMES[kind]
            remarks.append(
                Remark("RFC3095-5.8.5.1-2", f"Extension 3 has a number for the {name} of a list without one.")
            )
    return HeaderChanges(ah_bits, gre_bits, compressed)


def _read_sequence(reader: Reader, name: str) -> Bits:
    """7 or 31 bits of a sequence number itself (RFC 4815, 8.9)."""
    if reader.peek(name=f"{name} sequence number") >> 7:
        _, high = reader.split((f"{name} sequence number format", 1), (f"{name} sequence number", 7))
        return Bits(high << 24 | reader.number(f"{name} sequence number", 3), 31)
    return Bits(reader.split((f"{name} sequence number format", 1), (f"{name} sequence number", 7))[1], 7)


def _numbered(entries: Entries, kind: int) -> int | None:
    """The index of the one header of a type with a sequence number, which a field of extension 3 is about; None if
    there is none."""
    indexes = {entry.index for entry in entries if entry.item[0] == kind and _sequence_at(entry.item) is not None}
    if not indexes:
        return None
    if len(indexes) > 1:
        raise Unsupported(
            "RFC3095-5.8.5.1-2", f"Extension 3 carries one sequence number for {len(indexes)} headers.", "several-ah"
        )
    return indexes.pop()


# --- The list in the context -----------------------------------------------------------------------------------------


def entered(state: ListState, compressed: CompressedList) -> ListState:
    """The state with the list of a packet, and the sequence numbers that its items brought."""
    brought = {index: number for index, item in compressed.pairs.items() if (number := sequence_of(item)) is not None}
    return replace(state.updated(compressed), sequences={**state.sequences, **brought})


def advanced(state: ListState, change: int) -> ListState:
    """The state after the SN of the packet has grown by `change`: sequence numbers of AH and GRE keep their offset from
    the SN (RFC 4815, 5.8).
    """
    if not state.sequences or not change:
        return state
    return replace(state, sequences={index: (n + change) % _SEQUENCE for index, n in state.sequences.items()})


def changed(state: ListState, changes: HeaderChanges) -> ListState:
    """The state with what extension 3 says; it has been advanced to the packet's SN.

    Where fewer bits than 32 are sent, the others are those of the number that was to be expected.
    """
    if changes.compressed is not None:
        state = entered(state, changes.compressed)
    for kind, bits in ((AH, changes.ah), (GRE, changes.gre)):
        index = _numbered(state.entries, kind) if bits.width else None
        if index is not None:
            number = state.sequences[index] >> bits.width << bits.width | bits.value
            state = replace(state, sequences={**state.sequences, index: number})
    return state


def believed(state: ListState, items: Sequence[bytes]) -> ListState:
    """The state of a compressor whose list has these items: whatever was sent for them, this was meant."""
    if len(items) != len(state.entries):
        return state
    entries = tuple(entry._replace(item=item) for entry, item in zip(state.entries, items, strict=True))
    brought = {entry.index: entry.item for entry in entries}
    return entered(state, CompressedList(entries, brought, None))


def awaited(entries: Entries, compressed: CompressedList | None) -> list[tuple[int, int]]:
    """(position, octets) of the list's headers whose data is behind the compressed header: of all that did not come as
    items of the same packet (5.8.4.2 and 5.8.4.4)."""
    whole = compressed.pairs if compressed is not None else {}
    octets = [(n, as_is_octets(entry.item)) for n, entry in enumerate(entries) if entry.index not in whole]
    return [(n, count) for n, count in octets if count]


def present(state: ListState, as_is: dict[int, bytes]) -> list[bytes]:
    """The items as they are in the packet: with sequence numbers, and what was sent as it is, by position."""
    return [
        with_values(entry.item, state.sequences.get(entry.index), as_is.get(n)) for n, entry in enumerate(state.entries)
    ]
