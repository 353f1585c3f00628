# SPDX-License-Identifier: Apache-2.0
"""TCP packets, what a compressor would know of them, and flows of them."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator

from headroom.schemes.rohc.judge.tcp.chains import Context, settle
from headroom.schemes.rohc.judge.tcp.headers import read_headers

INFERRED = ("payload_length", "data_offset")
CONSTANT = ("version", "hdr_length", "rf", "mf", "frag_offset", "r_flag", "reserved0")
TIMESTAMP = b"\x01\x01\x08\x0a"
HOPS, ROUTING, GRE, AH, MINE, DESTINATION = 0, 43, 47, 51, 55, 60


def checksum(octets: bytes) -> bytes:
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    total = (total & 0xFFFF) + (total >> 16)
    return ((total & 0xFFFF) + (total >> 16) ^ 0xFFFF).to_bytes(2, "big")


def ipv4(inner: bytes, identification: int = 77, *, ttl: int = 64, tos: int = 0, protocol: int = 6) -> bytes:
    fields = (0x45, tos, 20 + len(inner), identification, 0x4000, ttl, protocol, 0, b"\x0a\0\0\1", b"\x0a\0\0\2")
    header = struct.pack(">BBHHHBBH4s4s", *fields)
    return header[:10] + checksum(header) + header[12:] + inner


def ipv6(inner: bytes, *, hops: int = 64, traffic_class: int = 0, label: int = 0x12345, following: int = 6) -> bytes:
    first = 6 << 28 | traffic_class << 20 | label
    return struct.pack(">IHBB", first, len(inner), following, hops) + bytes(range(32)) + inner


def extension(inner: bytes, following: int, octets: int = 8) -> bytes:
    """Hop-by-hop or destination options, or a routing header."""
    return bytes([following, octets // 8 - 1]) + bytes(range(octets - 2)) + inner


def ah(inner: bytes, sequence: int, following: int = 6) -> bytes:
    return (
        bytes([following, 4, 0, 0])
        + struct.pack(">II", 0xABCD, sequence)
        + random.Random(sequence).randbytes(12)
        + inner
    )


def gre(inner: bytes, sequence: int, ethertype: int = 0x0800) -> bytes:
    """With checksum, key and sequence number."""
    return struct.pack(">HHHHII", 0xB000, ethertype, sequence * 7 & 0xFFFF, 0, 0x1234, sequence) + inner


def mine(inner: bytes, protocol: int = 6) -> bytes:
    """With the original source address."""
    header = bytes([protocol, 0x80, 0, 0]) + b"\x0a\0\0\3" + b"\x0a\0\0\4"
    return header[:2] + checksum(header) + header[4:] + inner


def tcp(
    seq: int,
    ack: int,
    *,
    flags: int = 0x10,
    window: int = 500,
    options: bytes = b"",
    check: int = 0x1234,
    urgent: int = 0,
) -> bytes:
    offset = 5 + len(options) // 4 << 4
    fields = (1000, 80, seq % (1 << 32), ack % (1 << 32), offset, flags, window, check, urgent)
    return struct.pack(">HHIIBBHHH", *fields) + options


def context_of(
    packet: bytes, msn: int, control: dict[str, int], before: Context | None = None
) -> tuple[Context, bytes]:
    """What a compressor knows behind this packet, and the packet's payload."""
    headers, options, payload = read_headers(packet)
    for header in headers:
        inferred = {"ipv4": ("checksum", "length"), "mine": ("checksum",)}.get(header.method, ())
        for name in (*INFERRED, *CONSTANT, *inferred):
            header.values.pop(name, None)
        if header.method == "gre":
            header.values.pop("version", None)
        if header.method == "ipv4":
            header.values["ip_id_behavior_outer"] = 2
    context = Context(headers, {**control, "msn": msn % (1 << 16)}, dict(before.table) if before else {})
    context.ip.values.pop("ip_id_behavior_outer", None)
    context.table.update({one.index: dict(one.values) for one in options})
    context.order = tuple(one.index for one in options)
    settle(context, len(payload))
    return context, payload


def flow(seed: int, packets: int) -> Iterator[bytes]:
    """A flow to which everything happens that base headers have a field for. Its IP-ID goes by (seed modulo 4) the
    constants of ip_id_behavior; every fifth flow is one of IPv6."""
    draw = random.Random(seed)
    seq, ack, window = draw.randrange(1 << 32), draw.randrange(1 << 32), draw.randrange(1 << 16)
    stamp, echo, counter = draw.randrange(1 << 32), draw.randrange(1 << 32), draw.randrange(1 << 16)
    ttl, tos, size = 64, 0, draw.choice((0, 100, 1460))
    for _ in range(packets):
        options = TIMESTAMP + struct.pack(">II", stamp % (1 << 32), echo % (1 << 32)) if seed % 3 else b""
        if seed % 3 == 2 and draw.random() < 0.3:
            options += b"\1\1" + sack(draw, ack)
        payload = draw.randbytes(size if draw.random() < 0.8 else draw.randrange(1460))
        flags = 0x10 | draw.choice((0,) * 8 + (8, 8)) | draw.choice((0,) * 60 + (1, 2, 4, 0x20))
        urgent = draw.randrange(1 << 16) if flags & 0x20 else 0
        segment = tcp(
            seq, ack, flags=flags, window=window, options=options, check=draw.randrange(1 << 16), urgent=urgent
        )
        identification = (counter, (counter & 0xFF) << 8 | counter >> 8, draw.randrange(1, 1 << 16), 0)[seed % 4]
        if seed % 5 == 4:
            yield ipv6(segment + payload, hops=ttl, traffic_class=tos)
        else:
            yield ipv4(segment + payload, identification, ttl=ttl, tos=tos)
        counter = (counter + 1) % (1 << 16)
        seq, ack = seq + len(payload), ack + draw.choice((0, 0, 1460, 2920, 100))
        stamp, echo = stamp + draw.choice((0, 1, 5, 200, 30_000)), echo + draw.choice((0, 1, 3))
        window = draw.choice((window,) * 9 + (draw.randrange(1 << 16),))
        ttl, tos = draw.choice(((ttl, tos),) * 60 + ((draw.randrange(1, 255), tos), (ttl, draw.randrange(0, 256, 4))))


def sack(draw: random.Random, ack: int) -> bytes:
    count, edge = draw.randrange(1, 4), ack
    edges = b""
    for _ in range(2 * count):
        edge += draw.choice((100, 40_000, 5_000_000, 600_000_000))
        edges += struct.pack(">I", edge % (1 << 32))
    return bytes([5, 2 + 8 * count]) + edges
