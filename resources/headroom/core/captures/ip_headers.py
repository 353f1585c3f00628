# SPDX-License-Identifier: Apache-2.0
"""IP headers and their extension headers in captured packets: RFC 791, 8200, 4302, 2784, 2890, 2004.

This reader is for captures. Judges of header compression have readers of their own.
"""

from dataclasses import dataclass
from typing import NamedTuple

IP_IN_IP, IPV6_IN_IP, UDP = 4, 41, 17  # protocol numbers
HOP_BY_HOP, ROUTING, FRAGMENT, GRE, AH, MINIMAL, NOTHING, DESTINATION = 0, 43, 44, 47, 51, 55, 59, 60
NAMES = {
    HOP_BY_HOP: "hop-by-hop options",
    ROUTING: "routing header",
    FRAGMENT: "fragment header",
    GRE: "GRE header",
    AH: "AH",
    MINIMAL: "minimal encapsulation header",
    DESTINATION: "destination options",
}
VERSIONS = {IP_IN_IP: 4, IPV6_IN_IP: 6}
_ETHER_TYPES = {0x0800: IP_IN_IP, 0x86DD: IPV6_IN_IP}


class ExtensionHeader(NamedTuple):
    """An extension header: its protocol number and octets, and the protocol number of what follows it."""

    type: int
    octets: bytes
    following: int

    @property
    def is_fragment(self) -> bool:
        """True for a fragment. False for an atomic fragment: offset and M flag are 0, and the packet is whole (RFC
        6946).
        """
        return self.type == FRAGMENT and (self.is_later_fragment or bool(self.octets[3] & 1))

    @property
    def is_later_fragment(self) -> bool:
        return self.type == FRAGMENT and bool(self.octets[2] or self.octets[3] & 0xF8)


@dataclass(frozen=True)
class IpHeader:
    """An IPv4 or IPv6 header. `end` is the end of its extension headers, before protocol `following`. After the header
    of a fragment other than the first there is payload (RFC 791, 2.3; RFC 8200, 4.5): `is_later_fragment`.
    """

    version: int
    source: bytes
    destination: bytes
    identification: int
    is_fragment: bool
    is_later_fragment: bool
    length: int  # total length or payload length as in the header; 0: length of the frame, before segmentation offload
    length_matches: bool  # True if it fits the captured and the missing octets together
    following: int
    end: int

    @property
    def has_no_length(self) -> bool:
        return not self.length and not self.length_matches


def read(packet: bytes, missing: int = 0) -> list[IpHeader]:
    """The IP headers of a packet, outermost first; [] if there is none or it is cut short. If an inner header cannot be
    read, only the outermost is returned. `missing` counts the octets at the end that were not captured.
    """
    headers: list[IpHeader] = []
    at = 0
    while True:
        header = _ip(packet, at, missing)
        if header is None or (headers and header.version != VERSIONS[headers[-1].following]):
            return headers[:1]
        headers.append(header)
        if header.is_later_fragment or header.following not in VERSIONS:
            return headers
        at = header.end


def has_right_checksum(packet: bytes) -> bool:
    """True if the packet begins with a whole IPv4 header with the right checksum (RFC 791, 3.1)."""
    octets = 4 * (packet[0] & 0x0F) if packet and packet[0] >> 4 == 4 else 0
    return 20 <= octets <= len(packet) and sum(_words(packet[:octets])) % 0xFFFF == 0


def checksum(header: bytes) -> int:
    """The checksum of an IPv4 header whose checksum field is 0 (RFC 791, 3.1)."""
    return (0xFFFF - sum(_words(header)) % 0xFFFF) % 0xFFFF


def _words(octets: bytes) -> list[int]:
    return [int.from_bytes(octets[at : at + 2], "big") for at in range(0, len(octets), 2)]


def _ip(packet: bytes, at: int, missing: int) -> IpHeader | None:
    left = len(packet) - at
    version = packet[at] >> 4 if left > 0 else 0
    if version == 4 and left >= 20:
        octets = 4 * (packet[at] & 0x0F)
        if octets < 20 or left < octets:
            return None
        offset = int.from_bytes(packet[at + 6 : at + 8], "big") & 0x1FFF
        end, following = at + octets, packet[at + 9]
        if not offset:
            end, following, _ = _behind_extensions(packet, end, following)
        return IpHeader(
            version=4,
            source=packet[at + 12 : at + 16],
            destination=packet[at + 16 : at + 20],
            identification=int.from_bytes(packet[at + 4 : at + 6], "big"),
            is_fragment=bool(offset or packet[at + 6] & 0x20),
            is_later_fragment=bool(offset),
            length=(length := int.from_bytes(packet[at + 2 : at + 4], "big")),
            length_matches=length == left + missing,
            following=following,
            end=end,
        )
    if version == 6 and left >= 40:
        end, following, fragment = _behind_extensions(packet, at + 40, packet[at + 6])
        length = int.from_bytes(packet[at + 4 : at + 6], "big")
        return IpHeader(
            version=6,
            source=packet[at + 8 : at + 24],
            destination=packet[at + 24 : at + 40],
            identification=0,
            is_fragment=fragment is not None,
            is_later_fragment=fragment is not None and fragment.is_later_fragment,
            length=length,
            length_matches=length == left - 40 + missing,
            following=following,
            end=end,
        )
    return None


def _behind_extensions(packet: bytes, at: int, protocol: int) -> tuple[int, int, ExtensionHeader | None]:
    """The end of the extension headers, the protocol after them, and the fragment header among them, if the packet is
    a fragment. Headers after that of a later fragment are not read.
    """
    fragment = None
    while (header := extension_header(packet, at, protocol)) is not None:
        at, protocol = at + len(header.octets), header.following
        if header.is_fragment:
            fragment = header
        if header.is_later_fragment:
            break
    return at, protocol, fragment


def extension_header(packet: bytes, at: int, protocol: int) -> ExtensionHeader | None:
    """The extension header at an offset; None if there is none, or it is cut short."""
    if protocol == GRE:
        return _gre(packet, at)
    if protocol not in NAMES or len(packet) < at + 8:
        return None
    second = packet[at + 1]
    length = {AH: 4 * (second + 2), MINIMAL: 12 if second & 0x80 else 8, FRAGMENT: 8}.get(protocol, 8 * (second + 1))
    if (protocol == AH and not second) or len(packet) < at + length:
        return None
    return ExtensionHeader(protocol, packet[at : at + length], packet[at])


def _gre(packet: bytes, at: int) -> ExtensionHeader | None:
    """A GRE header of version 0 that carries IPv4 or IPv6; its checksum, key and sequence number are optional."""
    fixed = packet[at : at + 4]
    if len(fixed) < 4 or fixed[0] & ~0xB0 or fixed[1] & ~7:
        return None
    length = 4 * (1 + (fixed[0] & 0xB0).bit_count())
    octets = packet[at : at + length]
    following = _ETHER_TYPES.get(int.from_bytes(fixed[2:], "big"))
    if following is None or len(octets) < length or (fixed[0] & 0x80 and octets[6:8] != b"\0\0"):
        return None
    return ExtensionHeader(GRE, octets, following)
