# SPDX-License-Identifier: Apache-2.0
"""Uncompressed headers: IPv4 (RFC 791), IPv6 (RFC 2460), UDP (RFC 768), UDP-Lite (RFC 3828), ESP (RFC 4303) and RTP
(RFC 3550), and what a CRC covers of them. Extension headers are in `extension_headers`.

`parse` reads an original packet; `ipv4`, `ipv6`, `udp` and `rtp` write one header each.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from headroom.schemes.rohc.judge.v1 import extension_headers
from headroom.schemes.rohc.judge.v1.extension_headers import ExtensionHeader, Shape

IPV4, IPV6, UDP, ESP, UDP_LITE = 4, 41, 17, 50, 136  # protocol numbers
PROTOCOL_OF = {"UDP": UDP, "UDP-Lite": UDP_LITE, "ESP": ESP}
IP_VERSION_OF = {IPV4: 4, IPV6: 6}
Kind = int | str | Shape  # of a header: 4, 6, "UDP", "UDP-Lite", "ESP", "RTP", or an extension header


@dataclass(slots=True)
class IpHeader:
    """One IPv4 or IPv6 header of an original packet. `tos` is also the traffic class, `ttl` the hop limit.

    `following` is what comes behind the extension headers, those that were looked for.
    """

    version: int
    start: int
    tos: int
    ttl: int
    protocol: int
    source: bytes
    destination: bytes
    flow_label: int = 0
    identification: int = 0
    df: int = 0
    fragment: int = 0  # reserved flag, MF and fragment offset: zero if compressible
    options: bool = False
    length_matches: bool = True  # of total length or payload length with the octets that are there
    extensions: list[ExtensionHeader] = field(default_factory=list)
    following: int = 0


@dataclass(slots=True)
class Original:
    """An original packet's headers, as far as they go: the IP headers, UDP, UDP-Lite or ESP, and RTP on request.

    `udp` is the offset of the header that `transport` names, be it UDP, UDP-Lite or ESP.
    """

    packet: bytes
    ips: list[IpHeader] = field(default_factory=list)
    udp: int = -1  # offset; -1 if absent
    transport: str = "UDP"
    rtp: int = -1
    csrc_count: int = 0
    end: int = 0  # where the payload begins after IP headers (and UDP, RTP where `upper` includes them)

    @property
    def udp_checksum(self) -> int:
        return int.from_bytes(self.packet[self.udp + 6 : self.udp + 8], "big")

    @property
    def ports(self) -> tuple[int, int]:
        return struct.unpack_from("!HH", self.packet, self.udp)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The headers for `crc_input`."""
        kinds: list[Kind] = []
        for ip in self.ips:
            kinds += [ip.version, *[extension.shape for extension in ip.extensions]]
        return (*kinds, *self._behind_ip)

    @property
    def core(self) -> tuple[Kind, ...]:
        """The headers for `crc_input` without extension headers."""
        return (*[ip.version for ip in self.ips], *self._behind_ip)

    @property
    def _behind_ip(self) -> tuple[str, ...]:
        return ((self.transport,) if self.udp >= 0 else ()) + (("RTP",) if self.rtp >= 0 else ())


def parse(
    packet: bytes, after_ip: tuple[str, ...] = (), ip_headers: int = 0, protocols: Sequence[int] | None = None
) -> Original | None:
    """Headers of an original packet that a profile with `after_ip` behind the IP headers would see.

    `ip_headers` stops after so many IP headers; 0 takes all. Extension headers are looked for if `protocols` is given:
    what follows those of each IP header, where that is known; an IP header beyond has as many as there are. None when
    the packet is too short or other headers follow.
    """
    original = Original(packet)
    at = 0
    following = IP_VERSION_OF.get(IPV4 if packet[:1] and packet[0] >> 4 == 4 else IPV6)
    while True:
        ip = _parse_ip(packet, at)
        if ip is None or ip.version != following:
            return None
        at += 4 * (packet[at] & 0x0F) if ip.version == 4 else 40
        number = len(original.ips)
        original.ips.append(ip)
        ip.following = ip.protocol
        if protocols is not None:
            at = _parse_extensions(packet, at, ip, protocols[number] if number < len(protocols) else None)
        following = IP_VERSION_OF.get(ip.following)
        if following is None or len(original.ips) == ip_headers:
            break
    if after_ip:
        original.transport = after_ip[0]
        if original.ips[-1].following != PROTOCOL_OF[after_ip[0]] or len(packet) < at + 8:
            return None
        original.udp = at
        at += 8
    if "RTP" in after_ip:
        if len(packet) < at + 12 or packet[at] >> 6 != 2:
            return None
        original.rtp = at
        original.csrc_count = packet[at] & 0x0F
        at += 12 + 4 * original.csrc_count
        if len(packet) < at:
            return None
    original.end = at
    return original


def _parse_extensions(packet: bytes, at: int, ip: IpHeader, until: int | None) -> int:
    """Reads the extension headers of an IP header, up to protocol `until` or as far as they can be items of a list.
    Returns the offset behind them.
    """
    while ip.following != until:
        extension = extension_headers.parse(packet, at, ip.following)
        if extension is None:
            break
        ip.extensions.append(extension)
        ip.following = extension.following
        at += len(extension.octets)
    return at


def _parse_ip(packet: bytes, at: int) -> IpHeader | None:
    if len(packet) < at + 20:
        return None
    version = packet[at] >> 4
    if version == 4:
        first, tos, total, identification, fragment, ttl, protocol = struct.unpack_from("!BBHHHBB", packet, at)
        if first & 0x0F < 5 or len(packet) < at + 4 * (first & 0x0F):
            return None
        header = IpHeader(4, at, tos, ttl, protocol, packet[at + 12 : at + 16], packet[at + 16 : at + 20])
        header.identification = identification
        header.df = fragment >> 14 & 1
        header.fragment = fragment & 0xBFFF
        header.options = first & 0x0F != 5
        header.length_matches = total == len(packet) - at
        return header
    if version == 6 and len(packet) >= at + 40:
        word, length, protocol, hop_limit = struct.unpack_from("!IHBB", packet, at)
        header = IpHeader(
            6, at, word >> 20 & 0xFF, hop_limit, protocol, packet[at + 8 : at + 24], packet[at + 24 : at + 40]
        )
        header.flow_label = word & 0xFFFFF
        header.length_matches = length == len(packet) - at - 40
        return header
    return None


def ipv4(tos: int, total: int, identification: int, df: int, ttl: int, protocol: int, addresses: bytes) -> bytes:
    """An IPv4 header without options, its checksum computed (RFC 791). `addresses`: source, destination; 8 octets."""
    words = struct.unpack("!4H", addresses)
    first = 0x4500 | tos
    fragment = df << 14
    last = ttl << 8 | protocol
    checksum = first + total + identification + fragment + last + sum(words)
    checksum = (checksum & 0xFFFF) + (checksum >> 16)
    checksum = (checksum & 0xFFFF) + (checksum >> 16)
    return struct.pack("!6H", first, total, identification, fragment, last, checksum ^ 0xFFFF) + addresses


def checksum_is_right(header: bytes) -> bool:
    """True if the checksum of an IPv4 header of 20 octets is right (RFC 791, 3.1)."""
    total = sum(struct.unpack("!10H", header))
    return total % 0xFFFF == 0 and total > 0


def ipv6(tos: int, flow_label: int, payload_length: int, next_header: int, hop_limit: int, addresses: bytes) -> bytes:
    """An IPv6 header (RFC 2460). `addresses`: source and destination, 32 octets."""
    word = 6 << 28 | tos << 20 | flow_label
    return struct.pack("!IHBB", word, payload_length, next_header, hop_limit) + addresses


def udp(ports: bytes, length: int, checksum: int) -> bytes:
    """A UDP header (RFC 768), or one of UDP-Lite (RFC 3828) with the checksum coverage in place of the length.

    `ports`: source and destination, 4 octets.
    """
    return ports + struct.pack("!HH", length, checksum)


def rtp(flags: int, marker_and_type: int, sequence: int, timestamp: int, ssrc: bytes, csrcs: bytes) -> bytes:
    """An RTP header (RFC 3550). `flags` is V, P, X and CC; `csrcs` the CSRC list as octets."""
    return struct.pack("!BBHI", flags, marker_and_type, sequence, timestamp) + ssrc + csrcs


# Octets of each header that are CRC-STATIC and CRC-DYNAMIC, as (from, to), and its length: RFC 3095, 5.7.7.3-5.7.7.6.
# RTP's CSRC list is static and follows.
_COVERAGE: dict[int | str, tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...], int]] = {
    4: (((0, 2), (6, 10), (12, 20)), ((2, 6), (10, 12)), 20),
    6: (((0, 4), (6, 40)), ((4, 6),), 40),
    "UDP": (((0, 4),), ((4, 8),), 8),
    "UDP-Lite": (((0, 4),), ((4, 8),), 8),  # RFC 4019, 5.2.1
    "ESP": (((0, 4),), ((4, 8),), 8),  # RFC 3095, 5.7.7.7
    "RTP": (((0, 1), (8, 12)), ((1, 8),), 12),
}


@lru_cache(maxsize=256)
def _slices(kinds: tuple[Kind, ...], csrc_count: int) -> tuple[slice, ...]:
    static: list[slice] = []
    dynamic: list[slice] = []
    at = 0
    for kind in kinds:
        fixed, moving, length = (kind.static, kind.dynamic, kind.octets) if isinstance(kind, Shape) else _COVERAGE[kind]
        static += [slice(at + a, at + b) for a, b in fixed]
        dynamic += [slice(at + a, at + b) for a, b in moving]
        at += length
        if kind == "RTP" and csrc_count:
            static.append(slice(at, at + 4 * csrc_count))
            at += 4 * csrc_count
    return (*static, *dynamic)


def crc_input(header: bytes, kinds: tuple[Kind, ...], csrc_count: int = 0) -> bytes:
    """Octets of an original header in the order of RFC 3095, 5.9.2: the CRC-STATIC ones, then the CRC-DYNAMIC ones."""
    return b"".join([header[part] for part in _slices(kinds, csrc_count)])
