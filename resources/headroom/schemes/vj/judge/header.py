# SPDX-License-Identifier: Apache-2.0
"""The TCP/IP header as RFC 791, 3.1, and RFC 793, 3.1, lay it out; figure 3 of RFC 1144 says which fields change."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

FIN, SYN, RST, PSH, ACK, URG = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
TCP = 6


@dataclass(frozen=True)
class Header:
    """All fields of a TCP/IP header, and `data`: the octets of user data after it."""

    tos: int
    total_length: int
    identification: int
    fragment: int  # flags and offset, as one number
    ttl: int
    protocol: int
    ip_checksum: int
    addresses: bytes
    ip_options: bytes
    source_port: int
    destination_port: int
    sequence: int
    acknowledgement: int
    reserved: int
    flags: int
    window: int
    tcp_checksum: int
    urgent: int
    tcp_options: bytes

    @property
    def ip_length(self) -> int:
        return 20 + len(self.ip_options)

    @property
    def length(self) -> int:
        return self.ip_length + 20 + len(self.tcp_options)

    @property
    def data(self) -> int:
        return self.total_length - self.length

    @property
    def connection(self) -> tuple[bytes, int, int]:
        """ "The 96-bit tuple <src address, dst address, src port, dst port>" (note 8)."""
        return self.addresses, self.source_port, self.destination_port

    def unchanging(self) -> dict[str, object]:
        """The fields that are to be compared with those of the packet before, by the names of 3.2.3. "Protocol version"
        is always 4."""
        return {
            "header length": self.ip_length,
            "type of service": self.tos,
            "don't fragment": self.fragment & 0x4000,
            "time-to-live": self.ttl,
            "data offset": self.length - self.ip_length,
            "IP options": self.ip_options,
            "TCP options": self.tcp_options,
        }

    def unlisted(self) -> tuple[int, int]:
        """Bits that a compressed header cannot change, and that 3.2.3 does not list: reserved ones of IP and TCP, and
        TCP's flags of later RFCs, ECE and CWR."""
        return self.fragment & 0x8000, self.reserved << 8 | self.flags & ~(FIN | SYN | RST | PSH | ACK | URG)

    def octets(self) -> bytes:
        """The header, its checksums as they are."""
        ip = struct.pack(
            "!BBHHHBBH",
            0x40 | self.ip_length // 4,
            self.tos,
            self.total_length,
            self.identification,
            self.fragment,
            self.ttl,
            self.protocol,
            self.ip_checksum,
        )
        tcp = struct.pack(
            "!HHIIBBHHH",
            self.source_port,
            self.destination_port,
            self.sequence,
            self.acknowledgement,
            (self.length - self.ip_length) // 4 << 4 | self.reserved,
            self.flags,
            self.window,
            self.tcp_checksum,
            self.urgent,
        )
        return ip + self.addresses + self.ip_options + tcp + self.tcp_options

    def with_ip_checksum(self) -> Header:
        """The header with the right checksum of the IP header (RFC 791, 3.1)."""
        blank = replace(self, ip_checksum=0).octets()[: self.ip_length]
        total = sum(struct.unpack(f"!{len(blank) // 2}H", blank))
        while total > 0xFFFF:
            total = (total & 0xFFFF) + (total >> 16)
        return replace(self, ip_checksum=~total & 0xFFFF)


def is_sound(packet: bytes) -> bool:
    """True if a packet has a whole TCP/IP header, is as long as its total length says, and has the right checksum of
    the IP header. RFC 1144 says nothing of others."""
    header = read(packet)
    return header is not None and header.total_length == len(packet) and header.with_ip_checksum() == header


def read(packet: bytes) -> Header | None:
    """The header at the front of a packet, whatever its protocol field and its total length are. None if there is no
    whole one."""
    if len(packet) < 40 or packet[0] >> 4 != 4:
        return None
    ip_length = (packet[0] & 15) * 4
    if ip_length < 20 or len(packet) < ip_length + 20:
        return None
    offset = (packet[ip_length + 12] >> 4) * 4
    if offset < 20 or len(packet) < ip_length + offset:
        return None
    _, tos, total, identification, fragment, ttl, protocol, ip_checksum = struct.unpack_from("!BBHHHBBH", packet)
    tcp = struct.unpack_from("!HHIIBBHHH", packet, ip_length)
    source, destination, sequence, acknowledgement, offsets, flags, window, checksum, urgent = tcp
    return Header(
        tos,
        total,
        identification,
        fragment,
        ttl,
        protocol,
        ip_checksum,
        packet[12:20],
        packet[20:ip_length],
        source,
        destination,
        sequence,
        acknowledgement,
        offsets & 15,
        flags,
        window,
        checksum,
        urgent,
        packet[ip_length + 20 : ip_length + offset],
    )


def has_right_tcp_checksum(packet: bytes) -> bool:
    """True if the receiving TCP accepts a packet (RFC 793, 3.1)."""
    header = read(packet)
    if header is None:
        return False
    segment = packet[header.ip_length :]
    pseudo = header.addresses + bytes([0, header.protocol]) + len(segment).to_bytes(2)
    octets = pseudo + segment + b"\0" * (len(segment) % 2)
    total = sum(int.from_bytes(octets[at : at + 2]) for at in range(0, len(octets), 2))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total == 0xFFFF
