# SPDX-License-Identifier: Apache-2.0
"""TS packets, SNDUs and IP packets made octet by octet, for vectors and tests: RFC 4326, 4 to 6, RFC 791 and RFC 8200.

It shares no code with the reference. What it makes may be wrong on purpose.
"""

from __future__ import annotations

import ipaddress

from headroom.schemes.ule.judge.receiver import crc

PAYLOAD = 184  # octets of a TS packet after its header
SOURCE4, TO4 = "192.0.2.1", "198.51.100.1"  # RFC 5737
SOURCE6, TO6 = "2001:db8::1", "2001:db8::2"  # RFC 3849


def filler(octets: int, mark: int) -> bytes:
    """Octets that differ from mark to mark, and none of them 0xFF."""
    return bytes((mark * 31 + at * 7) % 251 for at in range(octets))


def ipv4(octets: int, mark: int = 1, to: str = TO4) -> bytes:
    """An IPv4 packet of so many octets in all, at least 20."""
    header = bytearray(
        bytes([0x45, 0]) + octets.to_bytes(2) + bytes([mark >> 8 & 255, mark & 255, 0, 0, 64, 253, 0, 0])
    )
    header += ipaddress.IPv4Address(SOURCE4).packed + ipaddress.IPv4Address(to).packed
    total = sum(int.from_bytes(header[at : at + 2]) for at in range(0, 20, 2))
    total = (total & 0xFFFF) + (total >> 16)
    header[10:12] = ((total & 0xFFFF) + (total >> 16) ^ 0xFFFF).to_bytes(2)
    return bytes(header) + filler(octets - 20, mark)


def ipv6(octets: int, mark: int = 1, to: str = TO6) -> bytes:
    """An IPv6 packet of so many octets in all, at least 40."""
    header = b"\x60\0" + mark.to_bytes(2) + (octets - 40).to_bytes(2) + bytes([253, 64])
    header += ipaddress.IPv6Address(SOURCE6).packed + ipaddress.IPv6Address(to).packed
    return header + filler(octets - 40, mark)


def sndu(
    type_: int,
    content: bytes,
    npa: bytes | None = None,
    *,
    d_bit: int | None = None,
    length: int | None = None,
    trailer: bytes | None = None,
) -> bytes:
    """An SNDU: `content` is what stands after the NPA address, in front of the CRC. Without an address the D-bit is 1.

    `d_bit`, `length` and `trailer` (the CRC) take the place of the right ones.
    """
    rest = (npa or b"") + content
    first = (npa is None if d_bit is None else d_bit) << 15 | (len(rest) + 4 if length is None else length)
    octets = first.to_bytes(2) + type_.to_bytes(2) + rest
    return octets + (crc(octets).to_bytes(4) if trailer is None else trailer)


def ts_packet(
    payload: bytes,
    counter: int,
    *,
    pid: int = 0x100,
    pointer: int | None = None,
    starts: bool | None = None,
    error: bool = False,
    scrambling: int = 0,
    control: int = 1,
    fill: bytes = b"\xff",
) -> bytes:
    """A TS packet. A Payload Pointer, if there is one, stands in front of the payload and sets the PUSI, unless
    `starts` says otherwise; `control` is the adaptation field control."""
    begins = pointer is not None if starts is None else starts
    rest = (b"" if pointer is None else bytes([pointer])) + payload
    if len(rest) > PAYLOAD:
        raise ValueError(f"{len(rest)} octets do not fit into a TS packet, which takes {PAYLOAD}.")
    header = bytes(
        [0x47, error << 7 | begins << 6 | pid >> 8, pid & 255, scrambling << 6 | control << 4 | counter % 16]
    )
    return header + rest + fill * (PAYLOAD - len(rest))
