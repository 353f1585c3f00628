# SPDX-License-Identifier: Apache-2.0
"""Packets that no traffic profile has: lengths and checksums that cannot be inferred, chains that change, fragments of
IPv6."""

from __future__ import annotations

import struct

from headroom.core.replay import Packets
from headroom.schemes.iphc.judge.chain import checksum

UDP, FRAGMENT, DESTINATION_OPTIONS = 17, 44, 60
INTERVAL_NS = 20_000_000
ROUNDS = 12  # of all packets, in 9 s: MIN_WRAP (RFC 2507, 3.3) has passed in a third of them


def udp(data: bytes = b"reading", length: int = 0, check: int = 0x1234) -> bytes:
    return struct.pack("!HHHH", 5000, 9, length or 8 + len(data), check) + data


def ipv4(carried: bytes, protocol: int = UDP, more: int = 0, wrong: int = 0) -> bytes:
    """`more` octets than there are stand in the total length; the checksum is `wrong` in these bits."""
    addresses = bytes([192, 0, 2, 1, 198, 51, 100, 1])
    header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(carried) + more, 7, 0x4000, 64, protocol, 0) + addresses
    return header[:10] + (checksum(header) ^ wrong).to_bytes(2) + header[12:] + carried


def ipv6(carried: bytes, protocol: int = UDP) -> bytes:
    addresses = bytes.fromhex("20010db8000000000000000000000001") + bytes.fromhex("20010db8000000000000000000000002")
    return struct.pack("!IHBB", 6 << 28, len(carried), protocol, 64) + addresses + carried


def options(upper: int, padding: int) -> bytes:
    """Destination options of so many times 8 octets, with PadN alone."""
    length = 8 * padding
    return bytes([upper, padding - 1, 1, length - 4]) + bytes(length - 4)


def fragment(offset: int, more: bool, carried: bytes) -> bytes:
    """A fragment header of IPv6, with `offset` in 8 octets."""
    return struct.pack("!BBHI", UDP, 0, offset << 3 | more, 4711) + carried


def packets() -> Packets:
    """Each odd packet in turn, an ordinary one of the same addresses in front of it."""
    odd = [
        ipv4(udp() + b"padding"),  # after UDP
        ipv4(udp(length=9)),
        ipv4(udp(length=200)),
        ipv4(udp(), wrong=0x0101),
        ipv4(ipv4(udp()) + b"padding", protocol=4),  # in a tunnel
        ipv6(ipv4(udp(), more=4), protocol=4),
        ipv6(fragment(0, True, udp(b"12345678")), FRAGMENT),
        ipv6(fragment(2, False, b"9"), FRAGMENT),
        ipv6(options(UDP, 1) + udp(), DESTINATION_OPTIONS),
        ipv6(options(UDP, 2) + udp(), DESTINATION_OPTIONS),
        ipv6(options(DESTINATION_OPTIONS, 1) + options(UDP, 1) + udp(), DESTINATION_OPTIONS),
        ipv6(options(DESTINATION_OPTIONS, 20) + options(UDP, 1) + udp(), DESTINATION_OPTIONS),
    ]
    in_turn = [octets for strange in odd for octets in (ipv4(udp()), ipv6(udp()), strange)]
    return [
        {"time_ns": number * INTERVAL_NS, "channel": 0, "hex": octets.hex()}
        for number, octets in enumerate(in_turn * ROUNDS)
    ]
