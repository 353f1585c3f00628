# SPDX-License-Identifier: Apache-2.0
"""Reassembles IP fragments: RFC 791, 3.2; RFC 8200, 4.5. Overlapping fragments are discarded, see RFC 5722, 4."""

from bisect import bisect
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from headroom.core.captures import ip_headers

MOST_DATAGRAMS = 256  # most incomplete datagrams at once; the oldest is given up
MOST_FRAGMENTS = 16_384  # most fragments of all these datagrams together
LONGEST = 65_535  # most octets after the IP header
PATIENCE_NS = 60_000_000_000  # from the first fragment on (RFC 8200, 4.5)


class Fragment(NamedTuple):
    """A fragment: the datagram's identity, and its part. `front` is the header of the whole datagram except for its
    length.
    """

    key: Hashable
    front: bytes
    offset: int
    octets: bytes
    is_last: bool


@dataclass
class _Datagram:
    begun_ns: int
    front: bytes = b""  # header of the fragment with offset 0
    octets: int | None = None  # length given by the last fragment
    starts: list[int] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)  # fragments by `starts`
    numbers: list[int] = field(default_factory=list)  # numbers of the packets that held them

    @property
    def is_whole(self) -> bool:
        return bool(self.front) and self.octets is not None and sum(map(len, self.pieces)) == self.octets

    @property
    def length(self) -> int:
        """The value of the length field for the whole packet: IPv4 counts its header, IPv6 does not (REQUIRES:
        whole).
        """
        return len(self.front) + (self.octets or 0) - (40 if self.front[0] >> 4 == 6 else 0)


def fragment_of(packet: bytes) -> Fragment | None:
    """The fragment in an IP packet; None if the packet is not a fragment, or was not captured whole."""
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
    at, protocol, place = 40, packet[6], 6  # offset of the Next Header field that names the header at `at`
    while (
        header := ip_headers.extension_header(packet, at, protocol)
    ) is not None and header.type != ip_headers.FRAGMENT:
        at, protocol, place = at + len(header.octets), header.following, at
    length = 40 + int.from_bytes(packet[4:6], "big")
    if header is None or not header.is_fragment or not at + 8 < length <= len(packet):
        return None
    front = packet[:place] + bytes([header.following]) + packet[place + 1 : at]
    offset = int.from_bytes(header.octets[2:4], "big")
    return Fragment((packet[8:40], header.octets[4:8]), front, offset & 0xFFF8, packet[at + 8 : length], not offset & 1)


def _whole(datagram: _Datagram) -> bytes:
    """The whole packet, with its length and, for IPv4, its header checksum."""
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
    """The datagrams of a capture that arrive in fragments. `told` has a note on each packet that is a fragment."""

    told: dict[int, str] = field(default_factory=dict)
    _waiting: dict[Hashable, _Datagram] = field(default_factory=dict)
    _count: int = 0  # number of the fragments that are kept

    def take(self, channel: Hashable, number: int, time_ns: int, fragment: Fragment) -> bytes | None:
        """The packet that this fragment, in packet `number`, completes. `channel` tells links apart."""
        key = channel, fragment.key
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
        if reason := self._add(datagram, fragment):
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

    def _add(self, datagram: _Datagram, fragment: Fragment) -> str:
        """Keeps a fragment. Returns the reason if it cannot belong to the datagram, or ""."""
        end = fragment.offset + len(fragment.octets)
        if end > LONGEST or (not fragment.is_last and len(fragment.octets) % 8):
            return "its offset or its length is impossible"
        at = bisect(datagram.starts, fragment.offset)
        if at and datagram.starts[at - 1] == fragment.offset and datagram.pieces[at - 1] == fragment.octets:
            return _REPEATED
        before = at and datagram.starts[at - 1] + len(datagram.pieces[at - 1]) > fragment.offset
        if before or (at < len(datagram.starts) and datagram.starts[at] < end):
            return "it overlaps another fragment, and all are discarded (RFC 5722, 4)"
        last = datagram.starts[-1] + len(datagram.pieces[-1]) if datagram.starts else 0
        known = datagram.octets
        if (known is not None and (end > known or fragment.is_last)) or (fragment.is_last and last > end):
            return "it contradicts the last fragment"
        if fragment.is_last:
            datagram.octets = end
        if not fragment.offset:
            datagram.front = fragment.front
        datagram.starts.insert(at, fragment.offset)
        datagram.pieces.insert(at, fragment.octets)
        return ""

    def _drop(self, key: Hashable, why: str) -> None:
        datagram = self._waiting.pop(key)
        self._count -= len(datagram.numbers)
        self.told |= dict.fromkeys(datagram.numbers, f"a fragment: {why}")


_REPEATED = "a repetition"
_MOST_NAMED = 10
