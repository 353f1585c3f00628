# SPDX-License-Identifier: Apache-2.0
"""SLIP: packets of a serial line (RFC 1055), TCP headers compressed or not (RFC 1144, 3.2.2).

A record in a capture of the link type 8 holds one of three things: the 16 octets of BSD's header, and a packet that the
kernel has restored; a packet as it is between two END octets; or octets of the line, END octets among them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from headroom.core.captures.reading import CapturedPacket

SLIP = 8
END, ESC, ESC_END, ESC_ESC = 0xC0, 0xDB, 0xDC, 0xDD
BSD_HEADER = 16  # octets: direction, and the compressed header or its beginning
LONGEST = 1 << 16  # most octets of a packet; anything longer is discarded
COMPRESSED, UNCOMPRESSED, IP = "compressed", "uncompressed", "ip"


def has_bsd_header(octets: bytes) -> bool:
    """True if a record begins with BSD's header: no packet begins with 0 or 1."""
    return len(octets) >= BSD_HEADER and octets[0] <= 1


def packet_type(octets: bytes) -> tuple[str, bytes]:
    """The type of a packet, from its first octet, and the packet without it (RFC 1144, 3.2.2 and A)."""
    first = octets[:1]
    if first >= b"\x80":
        return COMPRESSED, bytes([first[0] & 0x7F]) + octets[1:]
    if first and first[0] >> 4 == 7:
        return UNCOMPRESSED, bytes([first[0] & 0x4F]) + octets[1:]
    return IP, octets


def unescape(octets: bytes) -> bytes:
    """Replaces the escape sequences of END and ESC. An ESC before any other octet stays (RFC 1055)."""
    if ESC not in octets:
        return octets
    result = bytearray()
    at = 0
    while at < len(octets):
        pair = octets[at + 1] if octets[at] == ESC and at + 1 < len(octets) else None
        if pair in (ESC_END, ESC_ESC):
            result.append(END if pair == ESC_END else ESC)
            at += 2
        else:
            result.append(octets[at])
            at += 1
    return bytes(result)


def _is_framed(octets: bytes) -> bool | None:
    """True if a record is octets of a line with END octets, False if it is a packet, None if neither is certain. A
    packet may end with an octet that looks like END: its IP header gives its length.
    """
    packet = packet_type(octets)[1]
    length = int.from_bytes(packet[2:4], "big") if packet[:1] < b"\x60" else 40 + int.from_bytes(packet[4:6], "big")
    if packet and packet[0] >> 4 in (4, 6) and length == len(packet):
        return False
    return True if END in (octets[:1] + octets[-1:]) else None


@dataclass
class _Line:
    """The octets of one direction since the last END."""

    begun: bytearray = field(default_factory=bytearray)
    is_framed: bool | None = None  # None: not decided yet


@dataclass
class Deframer:
    """Makes packets of records with octets of a line. `split` counts records that held no packet, or several."""

    lines: dict[tuple[int, str], _Line] = field(default_factory=dict)
    split: int = 0

    def packets(self, captured: CapturedPacket) -> Iterator[CapturedPacket]:
        """The packets that end in a record, all with the record's number."""
        octets = captured.octets
        line = self.lines.setdefault((captured.interface.number, captured.direction), _Line())
        if line.is_framed is None and not has_bsd_header(octets):
            line.is_framed = _is_framed(octets)
        if has_bsd_header(octets) or not line.is_framed:
            yield captured
            return
        count = at = 0
        while (end := octets.find(END, at)) >= 0:
            packet, line.begun = bytes(line.begun) + octets[at:end], bytearray()
            at = end + 1
            if packet:
                count += 1
                yield replace(captured, octets=(whole := unescape(packet)), length=len(whole))
        fits = not captured.missing and len(line.begun) + len(octets) - at <= LONGEST
        line.begun = line.begun + octets[at:] if fits else bytearray()
        self.split += count != 1
