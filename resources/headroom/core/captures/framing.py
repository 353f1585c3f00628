# SPDX-License-Identifier: Apache-2.0
"""The content of a captured frame: a packet of a scheme, an IP packet, or something else.

Reads Ethernet with VLAN tags (IEEE 802.3, 802.1Q), PPP (RFC 1661; in HDLC-like framing RFC 1662; on Ethernet RFC 2516),
Linux' cooked captures, loopback, SLIP and raw IP. The types and protocols of schemes are theirs (`Scheme.framing`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from headroom.core.captures import ip_headers, serial_line
from headroom.core.contract import Scheme
from headroom.core.scheme_registry import all_schemes

IP, OTHER = "ip", "other"  # kinds of frames without a packet of a scheme

NULL, ETHERNET, PPP, OLD_RAW, PPP_HDLC, RAW, LOOP = 0, 1, 9, 12, 50, 101, 108
LINUX_SLL, PPP_PPPD, PPP_DIRECTION, IPV4, IPV6, LINUX_SLL2 = 113, 166, 204, 228, 229, 276
SENT, RECEIVED = "sent", "received"
_OUTGOING = 4  # type of a sent packet in a cooked capture

TYPE_IPV4, TYPE_IPV6 = 0x0800, 0x86DD
TYPE_EXPERIMENTAL = 0x88B5  # an Ethernet type for local experiments (IEEE 802, 9.2.3)
TYPE_PPPOE = 0x8864  # the session stage; the discovery stage carries no packets
# Version and type in one octet, the code, octets of the header (RFC 2516, 4)
PPPOE_VERSION_TYPE, PPPOE_SESSION, PPPOE_HEADER = 0x11, 0, 6
VLAN_TAGS = (0x8100, 0x88A8, 0x9100)
MOST_TAGS = 8  # most VLAN tags; no real frame has more
LONGEST_ETHERNET_HEADER = 14 + 4 * MOST_TAGS  # octets
_HEADERS = {4: 20, 6: 40}  # octets of an IP header without options, by version
PPP_IPV4, PPP_IPV6 = 0x0021, 0x0057
# RFC 1332, 4: SLIP tells a packet's type by its first octet (RFC 1144, 3.2.2), PPP by a protocol.
_PPP_OF_SLIP = {serial_line.COMPRESSED: 0x002D, serial_line.UNCOMPRESSED: 0x002F}


@dataclass(frozen=True)
class Frame:
    """The content of a frame. `kind` is IP, OTHER or the name of a scheme, and `what` describes the frame in words.
    `form` is the format of a scheme's packet, as the frame gives it. `padding` counts octets after an IP packet, which
    Ethernet adds.
    """

    kind: str
    octets: bytes
    what: str
    vlans: tuple[int, ...] = ()  # VIDs, outermost first
    source: bytes = b""  # MAC addresses, if there are any
    destination: bytes = b""
    form: str = ""
    padding: int = 0
    type: int = 0  # type of the link layer, for schemes that have several
    direction: str = ""  # "sent" or "received" by the capturing end, if the link type tells it
    duplex: bool = False  # on a line whose two ends have no addresses
    bearer: str = ""  # channel of a packet, if a line carries several
    notes: tuple[str, ...] = ()
    is_fragment: bool = False
    is_derived: bool = False  # the captured octets lack the packet, or tshark does not find it there


@cache
def _schemes(numbers: Literal["ether_types", "ppp_protocols", "link_types"]) -> Mapping[int, tuple[Scheme, str]]:
    """Schemes by the numbers of one kind, with the packet format that each number gives."""
    return {
        number: (scheme, form)
        for scheme in all_schemes().values()
        for number, form in getattr(scheme.framing, numbers).items()
    }


def unwrap(link_type: int, octets: bytes) -> Frame:
    """The content of a frame of a link type; OTHER if it is foreign, too short, or of an unknown type."""
    if link_type == ETHERNET:
        return _ethernet(octets)
    if link_type in (PPP, PPP_HDLC):
        return _ppp(octets)
    if link_type in (PPP_DIRECTION, PPP_PPPD):
        # pppd puts the direction in the place of the address field, in front of the control field.
        frame = _ppp(octets[2 if link_type == PPP_PPPD and octets[1:2] == b"\x03" else 1 :])
        return replace(frame, direction=SENT if octets[:1] > b"\0" else RECEIVED)
    if link_type in (RAW, OLD_RAW, IPV4, IPV6):
        return _ip(octets, "raw IP")
    if link_type in (NULL, LOOP):
        return _ip(octets[4:], "loopback")
    if link_type == LINUX_SLL and len(octets) >= 16:
        kind, payload = int.from_bytes(octets[14:16], "big"), octets[16:]
        return _cooked(kind, payload, int.from_bytes(octets[:2], "big"), octets[6 : 6 + octets[5]])
    if link_type == LINUX_SLL2 and len(octets) >= 20:
        return _cooked(int.from_bytes(octets[:2], "big"), octets[20:], octets[10], octets[12 : 12 + octets[11]])
    if link_type == serial_line.SLIP:
        return _slip(octets)
    if registered := _schemes("link_types").get(link_type):
        scheme, name = registered
        return Frame(scheme.name, octets, f"link type {link_type} ({name}), taken for {scheme.title}")
    if link_type in (LINUX_SLL, LINUX_SLL2):
        return Frame(OTHER, octets, f"a cooked frame of {len(octets)} octets, which is too short")
    return Frame(OTHER, octets, f"link type {link_type}, which decode does not read")


def title_of_link_type(link_type: int) -> str:
    """The title of the scheme with this link type; "" if it belongs to none."""
    registered = _schemes("link_types").get(link_type)
    return registered[0].title if registered else ""


def of_scheme(name: str, octets: bytes, where: str, form: str = "", bearer: str = "") -> Frame:
    """A packet of a scheme that has no frame of its own."""
    scheme = all_schemes()[name]
    return Frame(name, octets, _place(scheme, where, form), form=form, bearer=bearer)


def in_pdcp(octets: bytes, large_cids: bool | None, where: str) -> Frame:
    """A packet with compressed headers in PDCP; `large_cids` is None if the size of CIDs is unknown."""
    carried = [scheme for scheme in all_schemes().values() if scheme.framing.pdcp]
    if not carried:
        return Frame(OTHER, octets, f"{where}, with compressed headers")
    form = "" if large_cids is None else carried[0].framing.pdcp[large_cids]
    return of_scheme(carried[0].name, octets, where, form)


def is_surely_ip(octets: bytes) -> bool:
    """True if octets are certainly an IP packet: an IPv4 header with its checksum, or IPv6 of the right length."""
    if ip_headers.has_right_checksum(octets):
        return ip_length(octets) == len(octets)
    return octets[:1] != b"" and octets[0] >> 4 == 6 and ip_length(octets) == len(octets) and not has_no_length(octets)


def _slip(octets: bytes) -> Frame:
    if serial_line.has_bsd_header(octets):
        frame = _ip(octets[serial_line.BSD_HEADER :], "SLIP")
        return replace(frame, direction=SENT if octets[0] else RECEIVED, is_derived=True)
    kind, inside = serial_line.packet_type(octets)
    if kind == serial_line.IP:
        return replace(_ip(inside, "SLIP"), is_derived=True)
    protocol = _PPP_OF_SLIP[kind]
    if registered := _schemes("ppp_protocols").get(protocol):
        return Frame(registered[0].name, inside, _place(registered[0], "SLIP", ""), type=protocol, duplex=True)
    return Frame(OTHER, inside, f"SLIP with a packet of the type {kind}")


def _ethernet(octets: bytes) -> Frame:
    if len(octets) < 14:
        return Frame(OTHER, octets, f"an Ethernet frame of {len(octets)} octets, which is too short")
    destination, source, at = octets[:6], octets[6:12], 12
    vlans: list[int] = []
    while (kind := int.from_bytes(octets[at : at + 2], "big")) in VLAN_TAGS:
        if len(vlans) == MOST_TAGS or len(octets) < at + 6:
            return Frame(OTHER, octets, "an Ethernet frame that ends in its VLAN tags", tuple(vlans), source)
        vlans.append(int.from_bytes(octets[at + 2 : at + 4], "big") & 0x0FFF)
        at += 4
    return _typed(kind, octets[at + 2 :], "Ethernet", tuple(vlans), source, destination)


def _cooked(kind: int, payload: bytes, packet_type: int, source: bytes) -> Frame:
    """The content of a cooked frame. For devices without link-layer addresses, such as those of PPP, only the direction
    names the sender.
    """
    frame = _typed(kind, payload, "cooked capture", source=source[:6])
    return replace(frame, direction=SENT if packet_type == _OUTGOING else RECEIVED)


def _typed(
    kind: int, octets: bytes, where: str, vlans: tuple[int, ...] = (), source: bytes = b"", destination: bytes = b""
) -> Frame:
    if registered := _schemes("ether_types").get(kind):
        scheme, form = registered
        return Frame(scheme.name, octets, _place(scheme, where, form), vlans, source, destination, form)
    if kind in (TYPE_IPV4, TYPE_IPV6):
        return _ip(octets, where, vlans, source, destination)
    if kind == TYPE_PPPOE:
        return replace(_pppoe(octets), vlans=vlans, source=source, destination=destination, duplex=False)
    what = f"{where} type 0x{kind:04x}" if kind >= 0x0600 else f"{where} with a length instead of a type"
    return Frame(OTHER, octets, what, vlans, source, destination, type=kind)


def _pppoe(octets: bytes) -> Frame:
    """The content of a session's frame: its length tells where the PPP frame ends and Ethernet's padding begins (RFC
    2516, 4).
    """
    if len(octets) < PPPOE_HEADER or (octets[0], octets[1]) != (PPPOE_VERSION_TYPE, PPPOE_SESSION):
        return Frame(OTHER, octets, "Ethernet type 0x8864 with something that is no frame of a PPPoE session")
    return _ppp(octets[PPPOE_HEADER : PPPOE_HEADER + int.from_bytes(octets[4:6], "big")])


def _ppp(octets: bytes) -> Frame:
    """The content of a PPP frame. Address and control field, and the protocol's first octet, may be left out (RFC 1662,
    3.2; RFC 1661, 6.5).
    """
    at = 2 if octets[:2] == b"\xff\x03" else 0
    width = 1 if at < len(octets) and octets[at] & 1 else 2
    if len(octets) < at + width:
        return Frame(OTHER, octets, f"a PPP frame of {len(octets)} octets, which is too short")
    protocol = int.from_bytes(octets[at : at + width], "big")
    inside = octets[at + width :]
    if protocol in (PPP_IPV4, PPP_IPV6):
        return _ip(inside, "PPP")
    if registered := _schemes("ppp_protocols").get(protocol):
        scheme, form = registered
        if scheme.framing.typed:
            return Frame(scheme.name, inside, _place(scheme, "PPP", form), type=protocol, duplex=True)
        return Frame(scheme.name, inside, _place(scheme, "PPP", form), form=form, duplex=True)
    return Frame(OTHER, inside, f"PPP protocol 0x{protocol:04x}")


def _place(scheme: Scheme, where: str, form: str) -> str:
    return f"{scheme.title} on {where}{', ' if form else ''}{form}"


def _ip(octets: bytes, where: str, vlans: tuple[int, ...] = (), source: bytes = b"", destination: bytes = b"") -> Frame:
    length = ip_length(octets)
    if length is None:
        what = f"{where} with something that is no IP packet"
        if not octets or len(octets) < _HEADERS.get(octets[0] >> 4, 0):
            what = f"{where} with an IP header that is cut short"
        return Frame(OTHER, octets, what, vlans, source, destination)
    whole = octets[:length]
    return Frame(IP, whole, f"IP on {where}", vlans, source, destination, padding=len(octets) - len(whole))


def ip_length(octets: bytes) -> int | None:
    """The length of the IP packet in front, from its header; None if it is not an IP packet. More octets may be claimed
    than captured.

    A packet that has_no_length is as long as its frame.
    """
    if len(octets) >= 20 and octets[0] >> 4 == 4:
        length = int.from_bytes(octets[2:4], "big") or len(octets)
        return length if length >= 20 and octets[0] & 0x0F >= 5 else None
    if len(octets) >= 40 and octets[0] >> 4 == 6:
        return len(octets) if has_no_length(octets) else 40 + int.from_bytes(octets[4:6], "big")
    return None


def missing_octets(octets: bytes, cut: int) -> int:
    """The number of octets of the IP packet in front that were not captured, if `cut` octets are missing at the end of
    its frame: padding of the frame does not count.
    """
    length = ip_length(octets)
    return cut if length is None or has_no_length(octets) else min(cut, max(0, length - len(octets)))


def has_no_length(octets: bytes) -> bool:
    """True if the length field of an IP packet is 0 though it is not empty: it was captured before segmentation
    offload.
    """
    if len(octets) >= 20 and octets[0] >> 4 == 4:
        return not any(octets[2:4])
    # A header alone means that nothing follows (RFC 8200, 4.7).
    is_ipv6 = len(octets) > 40 and octets[0] >> 4 == 6
    return is_ipv6 and not any(octets[4:6]) and octets[6] != ip_headers.NOTHING
