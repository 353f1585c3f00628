# SPDX-License-Identifier: Apache-2.0
"""Packets of a user plane's interfaces: IPv4, IPv6, UDP and TCP, and GTP-U with any flags and extension headers.

Each length, flag and checksum can be given, so that a packet can be wrong on purpose. `read_ip` and `read_udp` read the
packets that a user plane sends. The reader of GTP-U is `judge`.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, replace

TCP, UDP, ICMP, ICMPV6, FRAGMENT = 6, 17, 1, 58, 44  # protocol numbers
VERSION_1, PROTOCOL_TYPE, SPARE, E, S, PN = 0x20, 0x10, 0x08, 0x04, 0x02, 0x01  # of the first octet: 29.281, 5.1
MORE_FRAGMENTS = 0x2000


def address(text: str) -> bytes:
    """The octets of an IPv4 or IPv6 address."""
    return ipaddress.ip_address(text).packed


def checksum(octets: bytes) -> int:
    """The Internet checksum: RFC 1071."""
    padded = octets + b"\0" * (len(octets) % 2)
    total = sum(int.from_bytes(padded[at : at + 2], "big") for at in range(0, len(padded), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def ipv4(
    source: str,
    destination: str,
    protocol: int,
    payload: bytes,
    *,
    identification: int = 0,
    fragment: int = 0,
    ttl: int = 64,
    tos: int = 0,
    options: bytes = b"",
    total_length: int | None = None,
) -> bytes:
    """An IPv4 packet. `fragment` are the flags and the offset as they are sent; `options` whole words."""
    size = 20 + len(options)
    length = size + len(payload) if total_length is None else total_length
    head = bytearray(size)
    head[0:2] = bytes([0x40 | size // 4, tos])
    head[2:4] = length.to_bytes(2, "big")
    head[4:6] = identification.to_bytes(2, "big")
    head[6:8] = fragment.to_bytes(2, "big")
    head[8:10] = bytes([ttl, protocol])
    head[12:16], head[16:20] = address(source), address(destination)
    head[20:] = options
    head[10:12] = checksum(head).to_bytes(2, "big")
    return bytes(head) + payload


def ipv6(
    source: str,
    destination: str,
    protocol: int,
    payload: bytes,
    *,
    ttl: int = 64,
    tos: int = 0,
    payload_length: int | None = None,
) -> bytes:
    length = len(payload) if payload_length is None else payload_length
    head = (6 << 28 | tos << 20).to_bytes(4, "big") + length.to_bytes(2, "big") + bytes([protocol, ttl])
    return head + address(source) + address(destination) + payload


def ip(source: str, destination: str, protocol: int, payload: bytes, **more: int) -> bytes:
    """An IP packet of the version of its source address. `more` is `ttl` and `tos`."""
    build = ipv6 if ":" in source else ipv4
    return build(source, destination, protocol, payload, **more)  # type: ignore[arg-type]


def _pseudo_header(source: str, destination: str, protocol: int, length: int) -> bytes:
    ends = address(source) + address(destination)
    if ":" in source:
        return ends + length.to_bytes(4, "big") + bytes([0, 0, 0, protocol])
    return ends + bytes([0, protocol]) + length.to_bytes(2, "big")


def udp(
    source: str,
    destination: str,
    source_port: int,
    destination_port: int,
    payload: bytes,
    *,
    checksum_value: int | None = None,
    length: int | None = None,
    **more: int,
) -> bytes:
    """An IP packet with a UDP datagram. `checksum_value` and `length` replace the right ones."""
    size = 8 + len(payload) if length is None else length
    head = source_port.to_bytes(2, "big") + destination_port.to_bytes(2, "big") + size.to_bytes(2, "big")
    if checksum_value is None:
        whole = _pseudo_header(source, destination, UDP, 8 + len(payload)) + head + b"\0\0" + payload
        checksum_value = checksum(whole) or 0xFFFF
    return ip(source, destination, UDP, head + checksum_value.to_bytes(2, "big") + payload, **more)


def tcp(
    source: str,
    destination: str,
    source_port: int,
    destination_port: int,
    payload: bytes,
    *,
    sequence: int = 1,
    acknowledgement: int = 1,
    flags: int = 0x18,
    **more: int,
) -> bytes:
    """An IP packet with a TCP segment without options; its flags are PSH and ACK."""
    head = source_port.to_bytes(2, "big") + destination_port.to_bytes(2, "big")
    head += sequence.to_bytes(4, "big") + acknowledgement.to_bytes(4, "big") + bytes([0x50, flags]) + b"\xff\xff"
    whole = _pseudo_header(source, destination, TCP, 20 + len(payload)) + head + b"\0\0\0\0" + payload
    return ip(source, destination, TCP, head + checksum(whole).to_bytes(2, "big") + b"\0\0" + payload, **more)


def fragments(packet: bytes, size: int, identification: int = 0x4711) -> list[bytes]:
    """The fragments of an IP packet with at most `size` octets of payload each. REQUIRES: no options, and `size` is a
    multiple of 8."""
    head = 40 if packet[0] >> 4 == 6 else 20
    payload = packet[head:]
    pieces = [(at, payload[at : at + size]) for at in range(0, len(payload), size)]
    result = []
    for at, piece in pieces:
        more = at + size < len(payload)
        if head == 40:
            inner = bytes([packet[6], 0]) + (at | more).to_bytes(2, "big") + identification.to_bytes(4, "big") + piece
            result.append(packet[:4] + len(inner).to_bytes(2, "big") + bytes([FRAGMENT]) + packet[7:40] + inner)
        else:
            ends = (str(ipaddress.IPv4Address(packet[12:16])), str(ipaddress.IPv4Address(packet[16:20])))
            where = at // 8 | (MORE_FRAGMENTS if more else 0)
            octets = ipv4(*ends, packet[9], piece, identification=identification, fragment=where, ttl=packet[8])
            result.append(octets)
    return result


# ---- GTP-U


@dataclass(frozen=True)
class Extension:
    """An extension header to send: its type and content. `length` in words of four octets replaces the right one; the
    content is padded to whole words."""

    type: int
    content: bytes = b"\0\0"
    length: int | None = None

    def octets(self, following: int) -> bytes:
        padded = self.content + b"\0" * (-(len(self.content) + 2) % 4)
        words = (len(padded) + 2) // 4 if self.length is None else self.length
        return bytes([words]) + padded + bytes([following])


def container(pdu_type: int, qfi: int, flags: int = 0) -> Extension:
    """A PDU session container: TS 38.415, 5.5.2. `flags` are the bits above the QFI."""
    return Extension(0x85, bytes([pdu_type << 4, flags | qfi]))


def gtpu(
    kind: int,
    teid: int,
    payload: bytes = b"",
    *,
    sequence: int | None = None,
    npdu: int | None = None,
    extensions: Sequence[Extension] = (),
    first: int | None = None,
    length: int | None = None,
    unused: int = 0,
) -> bytes:
    """A GTP-U message, without UDP and IP. `first` is the first octet and `length` the Length field, where they are
    not to be right; `unused` fills optional fields without a flag."""
    flags = VERSION_1 | PROTOCOL_TYPE
    flags |= (S if sequence is not None else 0) | (PN if npdu is not None else 0) | (E if extensions else 0)
    first = flags if first is None else first
    optional = b""
    if flags & (E | S | PN):
        types = [entry.type for entry in extensions]
        optional = (unused * 0x0101 if sequence is None else sequence).to_bytes(2, "big")
        optional += bytes([unused if npdu is None else npdu, types[0] if types else unused])
        for extension, following in zip(extensions, [*types[1:], 0], strict=False):
            optional += extension.octets(following)
    size = len(optional) + len(payload) if length is None else length
    return bytes([first, kind]) + size.to_bytes(2, "big") + teid.to_bytes(4, "big") + optional + payload


# ---- what was sent


@dataclass(frozen=True)
class IpPacket:
    """An IP packet as it was sent. `payload` has the length that the header gives; `problem` says why it is invalid."""

    version: int
    source: str
    destination: str
    protocol: int
    payload: bytes
    ttl: int
    tos: int
    is_fragment: bool = False
    problem: str = ""


@dataclass(frozen=True)
class UdpDatagram:
    packet: IpPacket
    source_port: int
    destination_port: int
    payload: bytes
    checksum: int
    problem: str = ""


def read_ip(octets: bytes) -> IpPacket:
    """Reads an IP packet. If it is not valid, `problem` says why."""
    version = octets[0] >> 4 if octets else 0
    nothing = IpPacket(version, "", "", -1, b"", 0, 0)
    if version == 4 and len(octets) >= 20:
        return _read_ipv4(octets)
    if version == 6 and len(octets) >= 40:
        size, protocol, start = 40 + int.from_bytes(octets[4:6], "big"), octets[6], 40
        is_fragment = protocol == FRAGMENT and len(octets) >= 48
        if is_fragment:
            protocol, start = octets[40], 48
        return IpPacket(
            6,
            str(ipaddress.IPv6Address(octets[8:24])),
            str(ipaddress.IPv6Address(octets[24:40])),
            protocol,
            octets[start:size],
            octets[7],
            int.from_bytes(octets[:2], "big") >> 4 & 0xFF,
            is_fragment,
            "" if size == len(octets) else f"its header says {size} octets, and it has {len(octets)}",
        )
    return replace(nothing, problem=f"{len(octets)} octets of version {version} are no IP packet")


def _read_ipv4(octets: bytes) -> IpPacket:
    head, size = 4 * (octets[0] & 15), int.from_bytes(octets[2:4], "big")
    problem = ""
    if checksum(octets[:head]):
        problem = "its header checksum is wrong"
    if not 20 <= head <= size == len(octets):
        problem = f"its header says {size} octets, and it has {len(octets)}"
    ends = (str(ipaddress.IPv4Address(octets[12:16])), str(ipaddress.IPv4Address(octets[16:20])))
    is_fragment = bool(int.from_bytes(octets[6:8], "big") & 0x3FFF)
    return IpPacket(4, *ends, octets[9], octets[head:size], octets[8], octets[1], is_fragment, problem)


def read_udp(octets: bytes) -> UdpDatagram:
    """Reads an IP packet with a UDP datagram. If one of them is not valid, `problem` says why."""
    packet = read_ip(octets)
    inner = packet.payload
    if packet.protocol != UDP or len(inner) < 8 or packet.is_fragment:
        return UdpDatagram(packet, 0, 0, b"", 0, packet.problem or "it is no UDP datagram")
    ports = (int.from_bytes(inner[:2], "big"), int.from_bytes(inner[2:4], "big"))
    size, summed = int.from_bytes(inner[4:6], "big"), int.from_bytes(inner[6:8], "big")
    problem = packet.problem
    if size != len(inner):
        problem = problem or f"the UDP length is {size}, and {len(inner)} octets are there"
    elif summed and checksum(_pseudo_header(packet.source, packet.destination, UDP, size) + inner):
        problem = problem or "the UDP checksum is wrong"
    return UdpDatagram(packet, *ports, inner[8:size], summed, problem)


def differences(sent: bytes, came: bytes) -> str:
    """Returns how a user's packet differs from the one that was sent, as a sentence without its full stop; "" if it is
    the same. A hop may be counted: TTL or hop limit may be one less, with the checksum of the header to match."""
    if sent == came:
        return ""
    if len(sent) != len(came):
        return f"{len(sent)} octets were sent, and {len(came)} came"
    reading = read_ip(came)
    counted = bytearray(sent)
    at = 7 if sent[0] >> 4 == 6 else 8
    counted[at] = (counted[at] - 1) & 0xFF
    ignored = {at, 10, 11} if at == 8 else {at}
    if reading.problem:
        return reading.problem
    if came[at] == counted[at] and all(came[i] == sent[i] for i in range(len(sent)) if i not in ignored):
        return ""
    places = [i for i in range(len(sent)) if came[i] != sent[i]]
    return f"octet {places[0]} is {came[places[0]]:02x}, and {sent[places[0]]:02x} was sent"
