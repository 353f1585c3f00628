# SPDX-License-Identifier: Apache-2.0
"""The fields of an uncompressed packet by their place: RFC 791, 8200, 4302, 2784, 2004, 768, 3828, 3550, 4303, 9293.

They name the field in which two packets differ that should be equal.
"""

from dataclasses import dataclass

from headroom.core.captures.ip_headers import AH, IP_IN_IP, IPV6_IN_IP, NAMES, UDP, extension_header

TCP, UDP_LITE, ESP = 6, 136, 50
MOST_HEADERS = 16  # IP headers; deeper tunnels are payload here


@dataclass(frozen=True)
class Part:
    """A field: the offset of its first octet, its name, and the octets that it shares in."""

    offset: int
    name: str
    octets: bytes

    @property
    def length(self) -> int:
        return len(self.octets)

    @property
    def value(self) -> str:
        """The value as text; of many octets the first."""
        octets = self.octets
        return f"0x{octets.hex()}" if len(octets) <= 16 else f"0x{octets[:16].hex()}… ({len(octets)} octets)"


_IPV4 = (
    (0, 1, "version and IHL"),
    (1, 1, "TOS"),
    (2, 2, "total length"),
    (4, 2, "identification"),
    (6, 2, "flags and fragment offset"),
    (8, 1, "TTL"),
    (9, 1, "protocol"),
    (10, 2, "header checksum"),
    (12, 4, "source"),
    (16, 4, "destination"),
)
_IPV6 = (
    (0, 4, "version, traffic class, flow label"),
    (4, 2, "payload length"),
    (6, 1, "next header"),
    (7, 1, "hop limit"),
    (8, 16, "source"),
    (24, 16, "destination"),
)
_UDP = ((0, 2, "source port"), (2, 2, "destination port"), (4, 2, "length"), (6, 2, "checksum"))
_LITE = (*_UDP[:2], (4, 2, "checksum coverage"), _UDP[3])
_RTP = (
    (0, 1, "version, P, X, CC"),
    (1, 1, "M and payload type"),
    (2, 2, "sequence number"),
    (4, 4, "timestamp"),
    (8, 4, "SSRC"),
)
_TCP = (
    (0, 2, "source port"),
    (2, 2, "destination port"),
    (4, 4, "sequence number"),
    (8, 4, "acknowledgment number"),
    (12, 1, "data offset and reserved bits"),
    (13, 1, "flags"),
    (14, 2, "window"),
    (16, 2, "checksum"),
    (18, 2, "urgent pointer"),
)
_ESP = ((0, 4, "SPI"), (4, 4, "sequence number"))
_AH = ((0, 4, "next header and length"), (4, 4, "SPI"), (8, 4, "sequence number"))


def dissect(packet: bytes, rtp: bool) -> list[Part]:
    """All fields in order, and after the last known header `payload`. `rtp` is True if UDP carries RTP."""
    parts: list[Part] = []
    at, headers, protocol = 0, 0, None
    while at < len(packet) and headers < MOST_HEADERS and protocol in (None, IP_IN_IP, IPV6_IN_IP):
        version = packet[at] >> 4
        name = "inner " * headers
        if version == 4 and len(packet) >= at + 20:
            length = max(20, 4 * (packet[at] & 15))
            _add(parts, packet, at, _IPV4, f"{name}IPv4")
            if length > 20:
                _add(parts, packet, at + 20, ((0, length - 20, "options"),), f"{name}IPv4")
            whole = not (packet[at + 6] & 0x3F or packet[at + 7])
            protocol = packet[at + 9] if whole else -1
        elif version == 6 and len(packet) >= at + 40:
            length = 40
            _add(parts, packet, at, _IPV6, f"{name}IPv6")
            protocol = packet[at + 6]
        else:
            break
        at, protocol = _extension_headers(parts, packet, at + length, protocol, name)
        headers += 1
    if protocol in (UDP, UDP_LITE) and len(packet) >= at + 8:
        _add(parts, packet, at, _UDP if protocol == UDP else _LITE, "UDP" if protocol == UDP else "UDP-Lite")
        at += 8
        if rtp and len(packet) >= at + 12:
            _add(parts, packet, at, _RTP, "RTP")
            csrcs = 4 * (packet[at] & 15)
            at += 12
            if csrcs:
                _add(parts, packet, at, ((0, csrcs, "CSRC list"),), "RTP")
                at += csrcs
    elif protocol == TCP and len(packet) >= at + 20:
        _add(parts, packet, at, _TCP, "TCP")
        options = max(0, 4 * (packet[at + 12] >> 4) - 20)
        _add(parts, packet, at + 20, ((0, options, "options"),), "TCP")
        at = min(at + 20 + options, len(packet))
    elif protocol == ESP and len(packet) >= at + 8:
        _add(parts, packet, at, _ESP, "ESP")
        at += 8
    if at < len(packet):
        parts.append(Part(at, "payload", packet[at:]))
    return parts


def _extension_headers(parts: list[Part], packet: bytes, at: int, protocol: int, name: str) -> tuple[int, int]:
    """Adds the extension headers from `at` on. Returns their end, and the protocol after them."""
    while (header := extension_header(packet, at, protocol)) is not None and not header.is_fragment:
        called = f"{name}{NAMES[header.type]}"
        length = len(header.octets)
        if header.type == AH:
            _add(parts, packet, at, (*_AH, (12, length - 12, "data")), called)
        else:
            parts.append(Part(at, called, header.octets))
        at, protocol = at + length, header.following
    return at, protocol


def name_at(packet: bytes, offset: int, rtp: bool) -> str:
    """The name of the field that an octet belongs to; `its length` after the end."""
    for part in dissect(packet, rtp):
        if part.offset <= offset < part.offset + part.length:
            return part.name
    return "its length"


def _add(parts: list[Part], packet: bytes, at: int, layout: tuple[tuple[int, int, str], ...], header: str) -> None:
    for offset, length, name in layout:
        octets = packet[at + offset : at + offset + length]
        if octets:
            parts.append(Part(at + offset, f"{header} {name}", octets))
