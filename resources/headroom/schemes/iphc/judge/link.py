# SPDX-License-Identifier: Apache-2.0
"""Link packets: types (RFC 3544, section 4), and the fronts and changes of RFC 2507, 5.3 and 6."""

from __future__ import annotations

from dataclasses import dataclass, field

IPV4, IPV6, FULL, TCP, NODELTA, NON_TCP = 0x0021, 0x0057, 0x0061, 0x0063, 0x2063, 0x0065
CONTEXT_STATE = 0x2065  # goes back
TYPE_NAMES = {
    IPV4: "IPv4",
    IPV6: "IPv6",
    FULL: "FULL_HEADER",
    TCP: "COMPRESSED_TCP",
    NODELTA: "COMPRESSED_TCP_NODELTA",
    NON_TCP: "COMPRESSED_NON_TCP",
}

TCP_HEADER_REQUEST = 3  # the type code of a CONTEXT_STATE packet for TCP (10.2)
FLAGS = "ROIPSAWU"  # from the highest bit on
ECHOED = frozenset("SWU")  # the special cases of RFC 1144, 3.2.2
UNIDIRECTIONAL = frozenset("SAWU")


class NotIphc(Exception):
    """Octets that cannot be what their type says; the text is a sentence with its section."""


class Octets:
    """Octets that are taken from the front."""

    def __init__(self, octets: bytes) -> None:
        self.octets, self.at = octets, 0

    def take(self, count: int, what: str) -> bytes:
        octets = self.octets[self.at : self.at + count]
        if len(octets) < count:
            raise NotIphc(f"the packet ends before {what} does (section 6)")
        self.at += count
        return octets

    def number(self, count: int, what: str) -> int:
        return int.from_bytes(self.take(count, what))

    @property
    def rest(self) -> bytes:
        return self.octets[self.at :]


@dataclass
class TcpFront:
    """The fields of COMPRESSED_TCP: CID, flags as letters, checksum and packet sequence number; and the fields after
    the RANDOM fields: the R-octet, and the changes by letter, each with its number of octets.
    """

    cid: int
    flags: frozenset[str]
    checksum: int
    number: int | None = None
    r_octet: int | None = None
    changes: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def special(self) -> frozenset[str] | None:
        sawu = self.flags & UNIDIRECTIONAL
        return sawu if sawu in (ECHOED, UNIDIRECTIONAL) else None


def tcp_front(octets: Octets, numbered: bool = False) -> TcpFront:
    """Reads the front of COMPRESSED_TCP. `numbered`: a packet sequence number stands "immediately after the TCP
    Checksum" (11.2).
    """
    cid, flags = octets.take(2, "CID and flags")
    letters = frozenset(letter for bit, letter in enumerate(FLAGS) if flags & 0x80 >> bit)
    checksum = octets.number(2, "the TCP checksum")
    return TcpFront(cid, letters, checksum, octets.number(2, "the packet sequence number") if numbered else None)


def tcp_number(packet: bytes, places: list[int]) -> tuple[int, int]:
    """The packet sequence number of a full header, as many bits as it carries, and the number of values that they can
    have (5.3.1).
    """
    low = packet[places[0]]
    return (packet[places[1]] << 8 | low, 1 << 16) if len(places) > 1 else (low, 1 << 8)


def tcp_changes(octets: Octets, front: TcpFront) -> None:
    """ "The order between delta fields specified here is exactly as in [RFC-1144]"."""
    if "R" in front.flags:
        front.r_octet = octets.number(1, "the R-octet")
    for letter in "UWASI":
        if letter not in front.flags or (front.special and letter != "I"):
            continue
        first = octets.number(1, f"the change of {letter}")
        front.changes[letter] = (first, 1) if first else (octets.number(2, f"the change of {letter}"), 3)


@dataclass(frozen=True)
class NonTcpFront:
    cid: int
    generation: int


def non_tcp_front(octets: Octets) -> NonTcpFront:
    """Reads the front of COMPRESSED_NON_TCP (6 c and d). The data field, present if D is set, is for a scheme on top of
    UDP (section 12).
    """
    cid, second = octets.take(2, "CID and generation")
    if second & 0x80:
        cid = cid << 8 | octets.number(1, "the CID")
    if second & 0x40:
        octets.take(1, "the data octet")
    return NonTcpFront(cid, second & 0x3F)


def non_tcp_fields(packet: bytes, places: list[int]) -> NonTcpFront:
    """The CID and the generation in the length fields of a full non-TCP header (5.3.2)."""
    octet, cid = packet[places[0]], packet[places[0] + 1]
    if octet & 0x80:
        if len(places) < 2:
            raise NotIphc("a CID of 16 bits needs a second length field (5.3.2)")
        cid = int.from_bytes(packet[places[1] : places[1] + 2])
    return NonTcpFront(cid, octet & 0x3F)


def requested_cids(octets: bytes) -> bytes | None:
    """The CIDs of a TCP header request (10.2); None if the type or the count of CIDs is another."""
    if len(octets) < 2 or octets[0] != TCP_HEADER_REQUEST or octets[1] != len(octets) - 2:
        return None
    return octets[2:]
