# SPDX-License-Identifier: Apache-2.0
"""Segments of TCP put in order (RFC 9293, 3.4), and SigComp messages in the streams (RFC 3320, 4.2.2)."""

from __future__ import annotations

import random
import struct
from itertools import pairwise
from pathlib import Path

import pytest

from headroom.core.captures import tcp_streams
from headroom.core.captures.dissection import Segment
from headroom.core.captures.tcp_streams import FIN, RST, SYN, Streams
from headroom.decode.run import DecodedPacket
from headroom.tests.decode.support import decoded, ipv4, pcap, with_tshark

FLOW = (b"\x0a\0\0\1", b"\x0a\0\0\2", 40000, 5060)
FIRST = 0xFFFFFFF0  # sequence number of SYN: the numbers begin anew soon
OPTIONS, BYE = b"OPTIONS sip:a@b SIP/2.0\r\n\r\n", b"BYE sip:\xff@b SIP/2.0\r\n\r\n"


def message(text: bytes) -> bytes:
    """A SigComp message that brings bytecode for address 128 (RFC 3320, 7 and 9.4): OUTPUT (22) of what stands at 140
    (a08c), END-MESSAGE (23) with seven zeros, and the text. The stream has 00 behind each FF (4.2.2)."""
    code = b"\x22\xa0\x8c" + bytes([len(text)]) + b"\x23" + bytes(7) + text
    return (b"\xf8" + (len(code) << 4 | 1).to_bytes(2) + code).replace(b"\xff", b"\xff\0")


STREAM = b"\xff\xff".join([message(OPTIONS), message(BYE), message(OPTIONS), b""])


def segment(octets: bytes, at: int, flags: int = 0x10) -> bytes:
    """An IPv4 packet with octets from place `at` of the stream on."""
    sequence = (FIRST + 1 + at) & 0xFFFFFFFF
    return ipv4(struct.pack("!HHIIBBHHH", 40000, 5060, sequence, 1, 0x50, flags, 65535, 0, 0) + octets, 6)


def cut(octets: bytes, *places: int) -> list[bytes]:
    edges = [0, *places, len(octets)]
    return [segment(octets[a:b], a) for a, b in pairwise(edges)]


BEGIN = segment(b"", -1, SYN)


def texts(found: list[DecodedPacket]) -> list[str]:
    """The messages of each packet."""
    read = []
    for one in found:
        assert one.ours is not None
        first = [f"decompressed {one.ours.values['decompressed']}"] if "decompressed" in one.ours.values else []
        read += [text.split(" (")[0] for text in [*first, *one.ours.notes] if "decompressed" in text]
    return [text.rpartition("decompressed ")[2].split(" ")[0] for text in read]


@with_tshark
@pytest.mark.parametrize("places", [(), (50,), (1, 2, 3, 44, 45, 46), (44, 89), (10, 100)])
def test_messages_of_a_stream(tmp_path: Path, places: tuple[int, ...]) -> None:
    found = decoded(pcap(tmp_path / "x.pcap", 101, BEGIN, *cut(STREAM, *places)), ask=True)
    assert texts(found) == ["OPTIONS", "BYE", "OPTIONS"]
    assert {one.compared.verdict for one in found} == {"agree"}
    assert found[-1].ours is not None and found[-1].ours.title == "SigComp in TCP in IPv4"


@with_tshark
def test_segments_out_of_order_and_twice(tmp_path: Path) -> None:
    a, b, c, d = cut(STREAM, 20, 60, 100)
    found = decoded(pcap(tmp_path / "x.pcap", 101, BEGIN, a, c, b, b, d, c), ask=True)
    assert texts(found) == ["OPTIONS", "BYE", "OPTIONS"]
    assert not any(one.compared.differences for one in found)


def test_a_gap_is_said_and_the_next_message_read(tmp_path: Path) -> None:
    stream = STREAM + b"".join(message(OPTIONS) + b"\xff\xff" for _ in range(2000))
    packets = cut(stream, 20, 60, *range(1000, len(stream), 1000))
    found = decoded(pcap(tmp_path / "x.pcap", 101, BEGIN, packets[0], *packets[2:]))
    said = [note for one in found if one.ours for note in one.ours.notes if "are missing" in note]
    assert said == ["40 octets of the stream are missing: it is read from the next delimiter on"]
    assert len(texts(found)) == 2001


def test_a_capture_that_begins_within_a_stream(tmp_path: Path) -> None:
    found = decoded(pcap(tmp_path / "x.pcap", 101, *cut(STREAM, 20, 30, 60)[1:]))
    assert texts(found) == ["BYE", "OPTIONS"]


def test_plain_sip_is_left_alone(tmp_path: Path) -> None:
    found = decoded(pcap(tmp_path / "x.pcap", 101, BEGIN, segment(OPTIONS, 0), segment(OPTIONS, len(OPTIONS))))
    assert [one.ours.title for one in found if one.ours] == ["TCP in IPv4"] * 3
    assert not any(one.ours.notes for one in found if one.ours)


def test_a_reserved_code_ends_the_stream(tmp_path: Path) -> None:
    stream = message(OPTIONS) + b"\xff\xff\xf8\xff\x80" + STREAM
    found = decoded(pcap(tmp_path / "x.pcap", 101, BEGIN, *cut(stream, 60)))
    assert texts(found) == ["OPTIONS"]
    assert all(one.ours and "reserved" in one.ours.notes[-1] for one in found[1:])


def test_a_message_without_an_end_is_not_kept(tmp_path: Path) -> None:
    pieces = [segment(b"\xf8" + bytes(59_999), 60_000 * number) for number in range(4)]
    found = decoded(pcap(tmp_path / "x.pcap", 101, BEGIN, *pieces))
    assert found[-1].ours is not None and "reserved" in found[-1].ours.notes[-1]


def put(*segments: Segment) -> tuple[bytes, int]:
    """The octets of a stream in order, and how many were given up."""
    streams, octets, lost = Streams(), b"", 0
    for one in segments:
        for piece in streams.take(FLOW, one):
            octets += piece.octets
            lost += piece.lost
    return octets, lost


def test_sequence_numbers_begin_anew() -> None:
    text = bytes(range(64))
    parts = [Segment((FIRST + 1 + at) & 0xFFFFFFFF, 0x10, text[at : at + 8]) for at in range(0, 64, 8)]
    for order in (parts, [parts[0], *parts[:0:-1]], [*parts, *parts]):
        assert put(Segment(FIRST, SYN, b""), *order) == (text, 0)


def test_overlaps_are_taken_once() -> None:
    assert put(Segment(0, SYN, b""), Segment(1, 0, b"abcd"), Segment(3, 0, b"cdef"), Segment(2, 0, b"bc")) == (
        b"abcdef",
        0,
    )


def test_octets_that_were_not_captured_are_lost() -> None:
    assert put(Segment(1, 0, b"ab", 3), Segment(6, 0, b"fg")) == (b"abfg", 3)


def test_a_reset_forgets() -> None:
    streams = Streams()
    streams.take(FLOW, Segment(1, 0, b"a"))
    assert streams.take(FLOW, Segment(2, RST, b"")) == []
    assert streams.flows == {}
    assert streams.take(FLOW, Segment(900, FIN, b"z"))[0].octets == b"z"


def test_memory_has_an_end() -> None:
    random.seed(1)
    streams = Streams()
    for number in range(20_000):
        flow = (b"a", b"b", number % 700, 5060)
        streams.take(flow, Segment(random.randrange(1 << 32), 0, bytes(random.randrange(1500))))
        if not number % 500:
            held = [one for stream in streams.flows.values() for one in stream.held.values()]
            assert len(streams.flows) <= tcp_streams.MOST_FLOWS
            assert sum(len(one.octets) for one in held) <= tcp_streams.MOST_HELD * tcp_streams.MOST_FLOWS
            assert all(len(stream.held) <= tcp_streams.MOST_SEGMENTS for stream in streams.flows.values())
