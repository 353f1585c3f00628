# SPDX-License-Identifier: Apache-2.0
"""SLIP: packets of a serial line (RFC 1055), TCP headers compressed or not (RFC 1144, 3.2.2).

Captures of the link type 8 have one of three things in a record: the 16 octets of BSD's header, and a packet that the
kernel has restored; a packet as it is between two END octets; or octets of the line, END octets among them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from headroom.core.captures.reading import CapturedPacket

SLIP = 8
END, ESC, ESC_END, ESC_ESC = 0xC0, 0xDB, 0xDC, 0xDD
BSD_HEADER = 16  # octets: direction, and the compressed header or what there is of it
LONGEST = 1 << 16  # octets of a packet; what is longer is none, and is not kept
COMPRESSED, UNCOMPRESSED, IP = "compressed", "uncompressed", "ip"


def has_bsd_header(octets: bytes) -> bool:
    """True if a record begins with BSD's header: no packet begins with 0 or 1."""
    return len(octets) >= BSD_HEADER and octets[0] <= 1


def packet_type(octets: bytes) -> tuple[str, bytes]:
    """The type of a packet that its first octet says, and the packet without it (RFC 1144, 3.2.2 and A)."""
    first = octets[:1]
    if first >= b"\x80":
        return COMPRESSED, bytes([first[0] & 0x7F]) + octets[1:]
    if first and first[0] >> 4 == 7:
        return UNCOMPRESSED, bytes([first[0] & 0x4F]) + octets[1:]
    return IP, octets


def unescape(octets: bytes) -> bytes:
    """The octets that stand for END and ESC put right. An ESC that nothing of that follows stays (RFC 1055)."""
    if ESC not in octets:
        return octets
    found = bytearray()
    at = 0
    while at < len(octets):
        pair = octets[at + 1] if octets[at] == ESC and at + 1 < len(octets) else None
        if pair in (ESC_END, ESC_ESC):
            found.append(END if pair == ESC_END else ESC)
            at += 2
        else:
            found.append(octets[at])
            at += 1
    return bytes(found)


def _is_framed(octets: bytes) -> bool | None:
    """True if a record is one of a line with END octets, False if it is a packet; None where neither is sure. A packet
    may end with an octet that looks like END: it has the length that its IP header says."""
    packet = packet_type(octets)[1]
    length = int.from_bytes(packet[2:4], "big") if packet[:1] < b"\x60" else 40 + int.from_bytes(packet[4:6], "big")
    if packet and packet[0] >> 4 in (4, 6) and length == len(packet):
        return False
    return True if END in (octets[:1] + octets[-1:]) else None


@dataclass
class _Line:
    """The octets of one direction since the last END."""

    begun: bytearray = field(default_factory=bytearray)
    is_framed: bool | None = None  # None: nothing tells yet


@dataclass
class Deframer:
    """Makes packets of records with octets of a line. `split` counts records that held no packet, or several."""

    lines: dict[tuple[int, str], _Line] = field(default_factory=dict)
    split: int = 0

    def packets(self, captured: CapturedPacket) -> Iterator[CapturedPacket]:
        """The packets that end in a record, all with its number."""
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
