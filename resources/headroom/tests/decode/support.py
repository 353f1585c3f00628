# SPDX-License-Identifier: Apache-2.0
"""Captures made octet by octet."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from headroom.core import tshark
from headroom.decode import run
from headroom.decode.run import DecodedPacket, DecodeOptions

with_tshark = pytest.mark.skipif(not tshark.is_available(), reason="tshark is not installed")

# RTP 192.0.2.1:5004 -> 198.51.100.2:5006, SSRC 0x11223344, in profile 0x0001 for CID 0 (small CIDs): an IR packet (RFC
# 3095, 5.7.7.1) and the UO-0 (5.7.1) behind it, each with four octets of payload.
IR = bytes.fromhex(
    "fd013f"  # IR with D; Profile 1; CRC-8 of the header, this field taken as zero
    "4011c0000201c6336402"  # static IPv4: version 4, protocol 17, addresses
    "138c138e"  # static UDP: ports
    "11223344"  # static RTP: SSRC
    "00402000a000"  # dynamic IPv4: TOS 0, TTL 64, IP-ID 8192, DF and NBO, no list
    "0000"  # dynamic UDP: no checksum
    "900003e80002715000"  # dynamic RTP: RX, PT 0, SN 1000, TS 160080, no CSRC list
    "0580a0"  # X 0, mode U, TSS; TS_STRIDE 160
    "a0b0c000"  # payload
)
UO_0 = bytes.fromhex("4ca0b0c001")  # SN bits 9, CRC 4: SN 1001, TS 160240, IP-ID 8193
RESTORED = bytes.fromhex("4500002c2001400040112e89c0000201c6336402138c138e00180000800003e9000271f011223344a0b0c001")
# The same with large CIDs, for CID 100 behind the first octet: another CRC-8 in the IR packet, the same CRC-3.
LARGE_IR = bytes.fromhex("fd6401df") + IR[3:]
LARGE_UO_0 = bytes.fromhex("4c64a0b0c001")
# The IR packet as three segments (5.2.5): type octet fe, and ff for the last one, at whose end CRC-32 stands.
SEGMENTS = (b"\xfe" + IR[:20], b"\xfe" + IR[20:37], b"\xff" + IR[37:] + bytes.fromhex("cf78cf8d"))
ACK = bytes.fromhex("f22005")  # feedback of two octets: FEEDBACK-2, ACK, mode O is 2, SN 5


def ethernet(kind: int, payload: bytes, *vids: int, source: int = 10) -> bytes:
    """A frame from 02:00:00:00:00:0a with 802.1Q tags, the outermost first."""
    tags = b"".join(struct.pack("!HH", 0x8100, vid) for vid in vids)
    return bytes([2, 0, 0, 0, 0, 11, 2, 0, 0, 0, 0, source]) + tags + struct.pack("!H", kind) + payload


def pcap(path: Path, link_type: int, *frames: bytes, order: str = "<", magic: int = 0xA1B2C3D4, cut: int = 0) -> Path:
    """A pcap file: version 2.4, frame n at n seconds; the last one has `cut` octets less than it claims on the wire."""
    octets = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, link_type)
    for number, frame in enumerate(frames):
        length = len(frame) + (cut if number == len(frames) - 1 else 0)
        octets += struct.pack(f"{order}IIII", number, 0, len(frame), length) + frame
    path.write_bytes(octets)
    return path


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    """A block of pcapng: type, length, body, length again."""
    length = 12 + len(body)
    return struct.pack(f"{order}II", kind, length) + body + struct.pack(f"{order}I", length)


def option(code: int, value: bytes, order: str = "<") -> bytes:
    return struct.pack(f"{order}HH", code, len(value)) + value + bytes(-len(value) % 4)


def section(order: str = "<") -> bytes:
    """A section header: byte-order magic, version 1.0, length not known."""
    return block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1), order)


def interface(link_type: int, *options: bytes, order: str = "<") -> bytes:
    return block(1, struct.pack(f"{order}HHI", link_type, 0, 0) + b"".join(options), order)


def enhanced(
    frame: bytes, *options: bytes, place: int = 0, ticks: int = 0, order: str = "<", length: int | None = None
) -> bytes:
    """An enhanced packet block; `length` is that on the wire."""
    wire = len(frame) if length is None else length
    head = struct.pack(f"{order}IIIII", place, ticks >> 32, ticks & 0xFFFFFFFF, len(frame), wire)
    return block(6, head + frame + bytes(-len(frame) % 4) + b"".join(options), order)


def ipv4(payload: bytes, protocol: int = 17, source: str = "0a000001", destination: str = "0a000002") -> bytes:
    """An IPv4 packet: no options, IP-ID 7, TTL 64; its checksum is 0, which nobody looks at here."""
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(payload), 7, 0x4000, 64, protocol, 0)
    return head + bytes.fromhex(source) + bytes.fromhex(destination) + payload


def udp(payload: bytes, source: int = 2152, destination: int = 2152) -> bytes:
    """A UDP datagram without checksum."""
    return struct.pack("!HHHH", source, destination, 8 + len(payload), 0) + payload


def rtp(sequence: int, ssrc: int = 0x11223344) -> bytes:
    """An RTP packet of payload type 96 with four octets of payload."""
    return struct.pack("!BBHII", 0x80, 96, sequence, 160 * sequence, ssrc) + b"abcd"


def g_pdu(inner: bytes, qfi: int | None = 9, sequence: int | None = None) -> bytes:
    """A G-PDU for TEID 0x01020304 (TS 29.281, 5.1), uplink."""
    flags = 0x30 | (0x04 if qfi is not None else 0) | (0x02 if sequence is not None else 0)
    more = b""
    if flags & 7:
        more = struct.pack("!HBB", sequence or 0, 0, 0x85 if qfi is not None else 0)
    if qfi is not None:
        more += bytes([1, 0x10, qfi, 0])  # one word; uplink; QFI; no more extension headers
    return struct.pack("!BBHI", flags, 255, len(more) + len(inner), 0x01020304) + more + inner


def ipv6(payload: bytes, following: int = 17, length: int | None = None) -> bytes:
    head = (0x60000000).to_bytes(4) + (len(payload) if length is None else length).to_bytes(2)
    return head + bytes([following, 64]) + bytes(15) + b"\x01" + bytes(15) + b"\x02" + payload


def decoded(
    path: Path, ask: bool = False, words: dict[str, object] | None = None, **more: object
) -> list[DecodedPacket]:
    capture = run.read(DecodeOptions(path, words or {}, tshark=ask, **more))  # type: ignore[arg-type]
    assert capture.faults == []
    return list(capture.decoded())
