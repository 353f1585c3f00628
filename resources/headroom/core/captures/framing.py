# SPDX-License-Identifier: Apache-2.0
"""What a captured frame carries: a ROHC packet, an IP packet, or something else.

Ethernet with VLAN tags (IEEE 802.3, 802.1Q; ROHC has type 0x22F1), PPP (RFC 1661; in HDLC-like framing RFC 1662; ROHC:
RFC 3241, 4), Linux' cooked captures, loopback and raw IP.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["rohc", "ip", "other"]

NULL, ETHERNET, PPP, OLD_RAW, PPP_HDLC, RAW, LOOP = 0, 1, 9, 12, 50, 101, 108
LINUX_SLL, USER_0, PPP_DIRECTION, IPV4, IPV6, LINUX_SLL2 = 113, 147, 204, 228, 229, 276

TYPE_IPV4, TYPE_IPV6, TYPE_ROHC = 0x0800, 0x86DD, 0x22F1
VLAN_TAGS = (0x8100, 0x88A8, 0x9100)
MOST_TAGS = 8  # more are no frame that anybody sends
PPP_IPV4, PPP_IPV6, PPP_ROHC_SMALL, PPP_ROHC_LARGE = 0x0021, 0x0057, 0x0003, 0x0005
_PPP_TYPES = {PPP_IPV4: TYPE_IPV4, PPP_IPV6: TYPE_IPV6, PPP_ROHC_SMALL: TYPE_ROHC, PPP_ROHC_LARGE: TYPE_ROHC}


@dataclass(frozen=True)
class Frame:
    """`what` says in words what the frame is. `padding` counts octets behind an IP packet, which Ethernet adds."""

    kind: Kind
    octets: bytes
    what: str
    vlans: tuple[int, ...] = ()  # VIDs, outermost first
    source: bytes = b""  # MAC addresses, where there are any
    destination: bytes = b""
    large_cids: bool | None = None  # of a ROHC packet, where the frame says it
    padding: int = 0


def unwrap(link_type: int, octets: bytes) -> Frame:
    """What a frame of a link type carries; kind "other" where it is none of ours, too short, or of an unknown type."""
    if link_type == ETHERNET:
        return _ethernet(octets)
    if link_type in (PPP, PPP_HDLC):
        return _ppp(octets)
    if link_type == PPP_DIRECTION:
        frame = _ppp(octets[1:])
        return Frame(frame.kind, frame.octets, frame.what, (), octets[:1], b"", frame.large_cids, frame.padding)
    if link_type in (RAW, OLD_RAW, IPV4, IPV6):
        return _ip(octets, "raw IP")
    if link_type in (NULL, LOOP):
        return _ip(octets[4:], "loopback")
    if link_type == LINUX_SLL and len(octets) >= 16:
        return _typed(int.from_bytes(octets[14:16], "big"), octets[16:], "cooked capture", source=octets[6:12])
    if link_type == LINUX_SLL2 and len(octets) >= 20:
        return _typed(int.from_bytes(octets[:2], "big"), octets[20:], "cooked capture", source=octets[12:18])
    if link_type == USER_0:
        return Frame("rohc", octets, "link type 147 (user 0), taken for ROHC")
    if link_type in (LINUX_SLL, LINUX_SLL2):
        return Frame("other", octets, f"a cooked frame of {len(octets)} octets, which is too short")
    return Frame("other", octets, f"link type {link_type}, which is not read here")


def _ethernet(octets: bytes) -> Frame:
    if len(octets) < 14:
        return Frame("other", octets, f"an Ethernet frame of {len(octets)} octets, which is too short")
    destination, source, at = octets[:6], octets[6:12], 12
    vlans: list[int] = []
    while (kind := int.from_bytes(octets[at : at + 2], "big")) in VLAN_TAGS:
        if len(vlans) == MOST_TAGS or len(octets) < at + 6:
            return Frame("other", octets, "an Ethernet frame that ends in its VLAN tags", tuple(vlans), source)
        vlans.append(int.from_bytes(octets[at + 2 : at + 4], "big") & 0x0FFF)
        at += 4
    return _typed(kind, octets[at + 2 :], "Ethernet", tuple(vlans), source, destination)


def _typed(
    kind: int, octets: bytes, where: str, vlans: tuple[int, ...] = (), source: bytes = b"", destination: bytes = b""
) -> Frame:
    if kind == TYPE_ROHC:
        return Frame("rohc", octets, f"ROHC on {where}", vlans, source, destination)
    if kind in (TYPE_IPV4, TYPE_IPV6):
        return _ip(octets, where, vlans, source, destination)
    what = f"{where} type 0x{kind:04x}" if kind >= 0x0600 else f"{where} with a length instead of a type"
    return Frame("other", octets, what, vlans, source, destination)


def _ppp(octets: bytes) -> Frame:
    """Address and control field, and the protocol's first octet, may be left out (RFC 1662, 3.2; RFC 1661, 6.5)."""
    at = 2 if octets[:2] == b"\xff\x03" else 0
    width = 1 if at < len(octets) and octets[at] & 1 else 2
    if len(octets) < at + width:
        return Frame("other", octets, f"a PPP frame of {len(octets)} octets, which is too short")
    protocol = int.from_bytes(octets[at : at + width], "big")
    inside = octets[at + width :]
    kind = _PPP_TYPES.get(protocol)
    if kind is None:
        return Frame("other", inside, f"PPP protocol 0x{protocol:04x}")
    if kind == TYPE_ROHC:
        large = protocol == PPP_ROHC_LARGE
        return Frame("rohc", inside, f"ROHC on PPP, {'large' if large else 'small'} CIDs", large_cids=large)
    return _ip(inside, "PPP")


def _ip(octets: bytes, where: str, vlans: tuple[int, ...] = (), source: bytes = b"", destination: bytes = b"") -> Frame:
    length = ip_length(octets)
    if length is None:
        return Frame("other", octets, f"{where} with something that is no IP packet", vlans, source, destination)
    whole = octets[:length]
    return Frame("ip", whole, f"IP on {where}", vlans, source, destination, padding=len(octets) - len(whole))


def ip_length(octets: bytes) -> int | None:
    """Octets of the IP packet in front, as it says itself; None when it is none. It may be more than there are."""
    if len(octets) >= 20 and octets[0] >> 4 == 4:
        length = int.from_bytes(octets[2:4], "big")
        return length if length >= 20 and octets[0] & 0x0F >= 5 else None
    if len(octets) >= 40 and octets[0] >> 4 == 6:
        return 40 + int.from_bytes(octets[4:6], "big")
    return None
