# SPDX-License-Identifier: Apache-2.0
"""Puts IP fragments together: RFC 791, 3.2; RFC 8200, 4.5; overlapping ones are discarded as RFC 5722, 4 has it."""

from bisect import bisect
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from headroom.core.captures import ip_headers

MOST_DATAGRAMS = 256  # that lack fragments at once; the oldest is given up
MOST_FRAGMENTS = 16_384  # of them all
LONGEST = 65_535  # octets behind the IP header
PATIENCE_NS = 60_000_000_000  # from the first fragment on (RFC 8200, 4.5)


class Fragment(NamedTuple):
    """A fragment: which datagram it is of, and what it has of it. `front` is the header of the whole datagram but for
    its length."""

    key: Hashable
    front: bytes
    offset: int
    octets: bytes
    is_last: bool


@dataclass
class _Datagram:
    begun_ns: int
    front: bytes = b""  # of the fragment with offset 0
    octets: int | None = None  # of all fragments
    starts: list[int] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)  # by `starts`
    numbers: list[int] = field(default_factory=list)  # of packets

    @property
    def is_whole(self) -> bool:
        return bool(self.front) and self.octets is not None and sum(map(len, self.pieces)) == self.octets

    @property
    def length(self) -> int:
        """Returns what the header says of the whole packet: IPv4 counts its header, IPv6 does not (REQUIRES: whole)."""
        return len(self.front) + (self.octets or 0) - (40 if self.front[0] >> 4 == 6 else 0)


def fragment_of(packet: bytes) -> Fragment | None:
    """The fragment that an IP packet is; None for a packet that is none, or has not all of its octets."""
    if len(packet) >= 20 and packet[0] >> 4 == 4:
        return _ipv4(packet)
    return _ipv6(packet) if len(packet) >= 40 and packet[0] >> 4 == 6 else None


def _ipv4(packet: bytes) -> Fragment | None:
    field_, header = int.from_bytes(packet[6:8], "big"), 4 * (packet[0] & 15)
    length = int.from_bytes(packet[2:4], "big")
    if not field_ & 0x3FFF or not 20 <= header < length <= len(packet):
        return None
    key = packet[12:20], packet[4:6], packet[9]
    front = packet[:6] + bytes(2) + packet[8:10] + bytes(2) + packet[12:header]
    return Fragment(key, front, 8 * (field_ & 0x1FFF), packet[header:length], not field_ & 0x2000)


def _ipv6(packet: bytes) -> Fragment | None:
    at, protocol, place = 40, packet[6], 6  # of the Next Header field that names what is at `at`
    while (one := ip_headers.extension_header(packet, at, protocol)) is not None and one.type != ip_headers.FRAGMENT:
        at, protocol, place = at + len(one.octets), one.following, at
    length = 40 + int.from_bytes(packet[4:6], "big")
    if one is None or not one.is_fragment or not at + 8 < length <= len(packet):
        return None
    front = packet[:place] + bytes([one.following]) + packet[place + 1 : at]
    offset = int.from_bytes(one.octets[2:4], "big")
    return Fragment((packet[8:40], one.octets[4:8]), front, offset & 0xFFF8, packet[at + 8 : length], not offset & 1)


def _whole(datagram: _Datagram) -> bytes:
    """The packet, with its length and, for IPv4, its header checksum."""
    octets = b"".join(datagram.pieces)
    front = bytearray(datagram.front)
    if front[0] >> 4 == 4:
        front[2:4] = datagram.length.to_bytes(2, "big")
        front[10:12] = ip_headers.checksum(bytes(front)).to_bytes(2, "big")
    else:
        front[4:6] = datagram.length.to_bytes(2, "big")
    return bytes(front) + octets


@dataclass
class Fragments:
    """The datagrams of a capture whose fragments come. `told` has a note on each packet that is a fragment."""

    told: dict[int, str] = field(default_factory=dict)
    _waiting: dict[Hashable, _Datagram] = field(default_factory=dict)
    _count: int = 0  # of fragments that are kept

    def take(self, channel: Hashable, number: int, time_ns: int, one: Fragment) -> bytes | None:
        """The packet that is whole by this fragment, of packet `number`. `channel` tells links apart."""
        key = channel, one.key
        datagram = self._waiting.get(key)
        if datagram and not 0 <= time_ns - datagram.begun_ns <= PATIENCE_NS:
            self._drop(key, "more than 60 s passed before the last one")
            datagram = None
        if datagram is None:
            while len(self._waiting) >= MOST_DATAGRAMS or self._count >= MOST_FRAGMENTS:
                self._drop(next(iter(self._waiting)), "too many others were waiting")
            datagram = self._waiting[key] = _Datagram(time_ns)
        datagram.numbers.append(number)
        self._count += 1
        self.told[number] = "a fragment: the others have not come"
        if reason := self._add(datagram, one):
            if reason != _REPEATED:
                self._drop(key, reason)
            self.told[number] = f"a fragment: {reason}"
            return None
        if not datagram.is_whole:
            return None
        self._drop(key, f"put together in packet {number}")
        if datagram.length > LONGEST:
            self.told[number] = "a fragment: the packet would be longer than IP allows"
            return None
        listed = ", ".join(map(str, datagram.numbers[:_MOST_NAMED]))
        more = f" and {len(datagram.numbers) - _MOST_NAMED} others" if len(datagram.numbers) > _MOST_NAMED else ""
        self.told[number] = f"put together from the fragments in packets {listed}{more}"
        return _whole(datagram)

    def _add(self, datagram: _Datagram, one: Fragment) -> str:
        """Keeps a fragment; returns why it cannot be of the datagram, or ""."""
        end = one.offset + len(one.octets)
        if end > LONGEST or (not one.is_last and len(one.octets) % 8):
            return "its place or its length cannot be"
        at = bisect(datagram.starts, one.offset)
        if at and datagram.starts[at - 1] == one.offset and datagram.pieces[at - 1] == one.octets:
            return _REPEATED
        before = at and datagram.starts[at - 1] + len(datagram.pieces[at - 1]) > one.offset
        if before or (at < len(datagram.starts) and datagram.starts[at] < end):
            return "it overlaps another one, and all are discarded (RFC 5722, 4)"
        last = datagram.starts[-1] + len(datagram.pieces[-1]) if datagram.starts else 0
        known = datagram.octets
        if (known is not None and (end > known or one.is_last)) or (one.is_last and last > end):
            return "it contradicts the fragment that is said to be the last"
        if one.is_last:
            datagram.octets = end
        if not one.offset:
            datagram.front = one.front
        datagram.starts.insert(at, one.offset)
        datagram.pieces.insert(at, one.octets)
        return ""

    def _drop(self, key: Hashable, why: str) -> None:
        datagram = self._waiting.pop(key)
        self._count -= len(datagram.numbers)
        self.told |= dict.fromkeys(datagram.numbers, f"a fragment: {why}")


_REPEATED = "the same one again"
_MOST_NAMED = 10
