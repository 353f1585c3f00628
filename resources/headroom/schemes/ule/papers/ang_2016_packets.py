# SPDX-License-Identifier: Apache-2.0
"""Packets that Ang, Sarwar and Wan (2016) send and no traffic profile has: UDP datagrams of every length in turn, RTP
streams that begin when others have ended, and pings at given times. Octets are right, checksums included."""

from __future__ import annotations

from collections.abc import Iterable

from headroom.core.replay import Packets
from headroom.schemes.ule.papers.ang_2016_channel import UDP, VOICE_PAYLOAD


def udp_packet(ip: str, payload: int, number: int) -> bytes:
    """A UDP datagram over IP with so many octets of payload; `number` is the IP-ID and the payload's first octets."""
    return _datagram(ip, (number.to_bytes(4) + bytes(at % 256 for at in range(payload)))[:payload], number)


def rtp_packet(ip: str, ssrc: int, number: int) -> bytes:
    """Packet `number` of an RTP stream with GSM frames."""
    rtp = bytes([0x80, 3]) + number.to_bytes(2) + (160 * number).to_bytes(4) + ssrc.to_bytes(4)
    return _datagram(ip, rtp + bytes(VOICE_PAYLOAD), number)


def _datagram(ip: str, body: bytes, number: int) -> bytes:
    source, target = (bytes([192, 0, 2, 10]), bytes([198, 51, 100, 20]))
    if ip == "IPv6":
        source, target = (bytes.fromhex(f"20010db8000{n}000000000000000000{n}0") for n in (0, 1))
    length = UDP + len(body)
    datagram = (5001).to_bytes(2) + (5001).to_bytes(2) + length.to_bytes(2) + bytes(2) + body
    pseudo = source + target + length.to_bytes(4) + bytes([0, 0, 0, 17])
    datagram = datagram[:6] + (_checksum(pseudo + datagram) or 0xFFFF).to_bytes(2) + datagram[8:]
    return _ip_header(ip, source, target, 17, len(datagram), number) + datagram


def ping(number: int) -> bytes:
    """An ICMP echo request over IPv4 with 56 octets of data."""
    source, target = bytes([192, 0, 2, 10]), bytes([198, 51, 100, 20])
    message = bytes([8, 0, 0, 0, 0, 1]) + (number % 65536).to_bytes(2) + bytes(range(56))
    message = message[:2] + _checksum(message).to_bytes(2) + message[4:]
    return _ip_header("IPv4", source, target, 1, len(message), number) + message


def pong(request: bytes) -> bytes:
    """The answer to an ICMP echo request over IPv4: RFC 792."""
    message = bytes([0, 0, 0, 0]) + request[24:]
    message = message[:2] + _checksum(message).to_bytes(2) + message[4:]
    number = int.from_bytes(request[4:6])
    return _ip_header("IPv4", request[16:20], request[12:16], 1, len(message), number) + message


def _ip_header(ip: str, source: bytes, target: bytes, protocol: int, length: int, number: int) -> bytes:
    if ip == "IPv6":
        return bytes([0x60, 0, 0, 0]) + length.to_bytes(2) + bytes([protocol, 64]) + source + target
    head = bytes([0x45, 0]) + (20 + length).to_bytes(2) + (number % 65536).to_bytes(2) + bytes([0x40, 0, 64, protocol])
    return head + _checksum(head + bytes(2) + source + target).to_bytes(2) + source + target


def _checksum(octets: bytes) -> int:
    total = sum(int.from_bytes(octets[at : at + 2].ljust(2, b"\0")) for at in range(0, len(octets), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def literal(packets: Iterable[tuple[float, bytes]]) -> Packets:
    """Packets for a job, from their times in ns and octets."""
    return [{"time_ns": round(time_ns), "hex": octets.hex()} for time_ns, octets in packets]
