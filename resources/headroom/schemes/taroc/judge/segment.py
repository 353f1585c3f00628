# SPDX-License-Identifier: Apache-2.0
"""TCP packets as RFC 791, 3.1, RFC 2460, 3, and RFC 793, 3.1, lay them out, and the options of TCP."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

FIN, SYN, RST, PSH, ACK, URG = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
TCP = 6
END, NOP, SACK, TIMESTAMPS = 0, 1, 5, 8
LARGEST_OPTIONS = 40  # octets


@dataclass(frozen=True)
class Segment:
    """A TCP packet over IPv4 without options, or over IPv6 without extension headers. `ip` is the IP header, whose
    length field and checksum `octets` fills in; `reserved` are the 6 bits of RFC 793."""

    ip: bytes
    ports: bytes
    sequence: int
    acknowledgement: int
    reserved: int
    flags: int
    window: int
    checksum: int
    urgent: int
    options: bytes
    data: bytes

    @property
    def is_ipv4(self) -> bool:
        return self.ip[0] >> 4 == 4

    @property
    def identification(self) -> int:
        """The packet ID; 0 in IPv6."""
        return int.from_bytes(self.ip[4:6]) if self.is_ipv4 else 0

    @property
    def ecn(self) -> int:
        """Bits 6 and 7 of the type of service or traffic class."""
        return self.ip[1] & 3 if self.is_ipv4 else self.ip[1] >> 4 & 3

    @property
    def connection(self) -> bytes:
        return (self.ip[12:20] if self.is_ipv4 else self.ip[8:40]) + self.ports

    def unchanging(self) -> dict[str, object]:
        """Fields that a compressed header cannot change, by name: NOCHANGE in RFC 2507, 7.1 and 7.13 a."""
        if self.is_ipv4:
            return {"type of service": self.ip[1] >> 2, "flags": self.ip[6] >> 5, "time to live": self.ip[8]}
        first = int.from_bytes(self.ip[:4]) & ~(3 << 20)
        return {"traffic class or flow label": first, "hop limit": self.ip[7]}

    def with_ip(self, ecn: int, identification: int) -> Segment:
        if self.is_ipv4:
            ip = self.ip[:1] + bytes([self.ip[1] & ~3 | ecn]) + self.ip[2:4] + identification.to_bytes(2) + self.ip[6:]
        else:
            ip = self.ip[:1] + bytes([self.ip[1] & ~0x30 | ecn << 4]) + self.ip[2:]
        return replace(self, ip=ip)

    def octets(self) -> bytes:
        """The packet, with the right length and header checksum of IP."""
        tcp = self._tcp()
        if not self.is_ipv4:
            return self.ip[:4] + len(tcp).to_bytes(2) + self.ip[6:] + tcp
        ip = self.ip[:2] + (20 + len(tcp)).to_bytes(2) + self.ip[4:10]
        checksum = 0xFFFF - ones_sum(ip + self.ip[12:])
        return ip + checksum.to_bytes(2) + self.ip[12:] + tcp

    def _tcp(self) -> bytes:
        offset_and_flags = (20 + len(self.options)) // 4 << 12 | self.reserved << 6 | self.flags
        numbers = struct.pack("!IIHHHH", self.sequence, self.acknowledgement, offset_and_flags, self.window,
                              self.checksum, self.urgent)  # fmt: skip
        return self.ports + numbers + self.options + self.data

    def checksum_is_right(self) -> bool:
        """True if the receiving TCP accepts it."""
        tcp = self._tcp()
        pseudo = (self.ip[12:20] if self.is_ipv4 else self.ip[8:40]) + struct.pack("!HH", TCP, len(tcp) & 0xFFFF)
        return ones_sum(pseudo + tcp) == 0xFFFF


def ones_sum(octets: bytes) -> int:
    """The one's complement sum of RFC 1071."""
    padded = octets + b"\0" * (len(octets) % 2)
    total = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def read(packet: bytes) -> Segment | None:
    """The TCP packet, whatever its length field says; None if it is none, a fragment, or has other headers between
    IP and TCP."""
    if len(packet) < 40 or packet[0] not in (0x45, *range(0x60, 0x70)):
        return None
    ip_length = 20 if packet[0] == 0x45 else 40
    if len(packet) < ip_length + 20 or packet[9 if ip_length == 20 else 6] != TCP:
        return None
    if ip_length == 20 and int.from_bytes(packet[6:8]) & 0x3FFF:
        return None
    ip, tcp = packet[:ip_length], packet[ip_length:]
    sequence, acknowledgement, bits, window, checksum, urgent = struct.unpack_from("!IIHHHH", tcp, 4)
    offset = (bits >> 12) * 4
    if offset < 20 or offset > len(tcp):
        return None
    return Segment(ip, tcp[:4], sequence, acknowledgement, bits >> 6 & 63, bits & 63, window, checksum, urgent,
                   tcp[20:offset], tcp[offset:])  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """The TCP options of a header. `parts` are whole options; `sack` are the edges of SACK blocks. `place` is the index
    in `parts` at which the SACK option stands, after `nops` NOPs that belong to it; None if there is no SACK option.
    """

    parts: tuple[bytes, ...]
    sack: tuple[tuple[int, int], ...] = ()
    place: int | None = None
    nops: int = 2

    @property
    def timestamps(self) -> tuple[int, int] | None:
        for part in self.parts:
            if _is_timestamps(part):
                value, echo = struct.unpack("!II", part[2:])
                return value, echo
        return None

    @property
    def others(self) -> bytes:
        """Options other than time stamps and SACK, as they are."""
        return b"".join(part for part in self.parts if _is_other(part))

    @property
    def form(self) -> tuple[bytes, ...]:
        """Order, kinds and lengths."""
        return tuple(part[:2] if part[0] not in (END, NOP) else part for part in self.parts)

    def can_follow(self, context: Layout) -> bool:
        """True if a compressed header can make these options from those of a context."""
        if self.form != context.form:
            return False
        if self.place is None:
            return True
        place = len(context.parts) if context.place is None else context.place
        return len(self.sack) <= 3 and (self.place, self.nops) == (place, context.nops)

    def filled(self, stamps: tuple[int, int] | None, others: bytes, sack: tuple[tuple[int, int], ...]) -> bytes | None:
        """The options in this layout, with these values; None if a header has no room for them."""
        result, rest = [], others
        for part in self.parts:
            if stamps is not None and _is_timestamps(part):
                result.append(part[:2] + struct.pack("!II", *stamps))
            elif _is_other(part):
                result.append(rest[: len(part)])
                rest = rest[len(part) :]
            else:
                result.append(part)
        if sack:
            blocks = b"".join(struct.pack("!II", *edges) for edges in sack)
            place = len(result) if self.place is None else self.place
            result.insert(place, bytes([NOP] * self.nops + [SACK, 2 + len(blocks)]) + blocks)
        octets = b"".join(result)
        return octets if len(octets) <= LARGEST_OPTIONS and len(octets) % 4 == 0 else None


def _is_timestamps(part: bytes) -> bool:
    return part[0] == TIMESTAMPS and len(part) == 10


def _is_other(part: bytes) -> bool:
    return part[0] not in (END, NOP) and not _is_timestamps(part)


def layout_of(options: bytes) -> Layout | None:
    """Takes options apart; None if that cannot be done, or time stamps or SACK occur twice."""
    parts: list[bytes] = []
    at, sack, place, nops = 0, (), None, 2
    while at < len(options):
        kind = options[at]
        if kind == END:
            parts.append(options[at:])
            break
        length = 1 if kind == NOP else options[at + 1] if at + 1 < len(options) else 0
        part = options[at : at + length]
        if length < (1 if kind == NOP else 2) or len(part) < length:
            return None
        at += length
        if kind != SACK:
            parts.append(part)
            continue
        if place is not None or len(part) < 10 or len(part) % 8 != 2:
            return None
        nops = 0
        while parts and parts[-1] == bytes([NOP]):
            parts.pop()
            nops += 1
        place = len(parts)
        sack = tuple(struct.iter_unpack("!II", part[2:]))
    if sum(map(_is_timestamps, parts)) > 1:
        return None
    return Layout(tuple(parts), sack, place, nops)
