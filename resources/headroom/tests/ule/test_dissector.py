# SPDX-License-Identifier: Apache-2.0
"""`./headroom decode` of transport streams: TS packets, the SNDUs that end in them, and tshark beside the judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headroom.core import replay, tshark
from headroom.core.captures import engine_pcapng
from headroom.core.implementations import find
from headroom.core.replay import ReplayConfig
from headroom.decode import run, text
from headroom.decode.run import DecodedPacket, DecodeOptions
from headroom.schemes.ule.dissector import LINK_TYPE
from headroom.tests.decode.support import ethernet, pcap, udp
from headroom.tests.decode.support import ipv4 as datagram
from headroom.tests.ule.test_judge import A, B, ipv4, sndu, ts

with_tshark = pytest.mark.skipif(not tshark.is_available(), reason="tshark is not installed")
NULL = bytes([0x47, 0x1F, 0xFF, 0x10]) + b"\xff" * 184
ROHC = sndu(0x22F1, b"\xfd\x00\x04rest")


def decoded(tmp_path: Path, *packets: bytes, link_type: int = LINK_TYPE, **words: Any) -> list[DecodedPacket]:
    path = pcap(tmp_path / "x.pcap", link_type, *packets)
    return list(run.read(DecodeOptions(path, words, tshark=False)).decoded())


def notes(one: DecodedPacket) -> list[str]:
    assert one.ours is not None
    return one.ours.notes


def whole(*sndus: bytes, counter: int = 0, pid: int = 0x100) -> bytes:
    return ts(counter, True, b"\0" + b"".join(sndus), pid)


@pytest.mark.engine
@with_tshark
@pytest.mark.parametrize(
    "channel",
    [{}, {"packing": "padding", "address": "absent"}, {"bridged": True, "channels": 3, "max_cid": 1}],
    ids=["packing", "padding", "bridged"],
)
def test_judge_and_tshark_agree_on_every_header(channel: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "link.pcapng"
    done = replay.run(
        ReplayConfig(
            source="voip-mixed",
            flows=6,
            packets=400,
            scheme="ule",
            compressor=find("reference"),
            decompressor=find("reference"),
            channel={"mrru": 2000, "padding_words": 1, **channel},
            outputs={"link": path, "source": tmp_path / "source.pcapng"},
        )
    )
    capture = run.read(DecodeOptions(path))
    packets = list(capture.decoded())
    assert capture.faults == []
    assert capture.verdicts == {"agree": done.direction()["link"]["packets"]}
    for one in packets:
        assert {"PID", "PUSI", "CC", "TEI", "scrambling", "AFC"} <= set(one.compared.agreed)
        assert one.ours is not None and not one.ours.error
    restored = [
        packet
        for one in packets
        if one.ours is not None and one.ours.restored is not None
        for packet in (one.ours.restored, *one.ours.also_restored)
    ]
    sent = [one.octets[14:] for one in engine_pcapng.read(tmp_path / "source.pcapng")]
    assert len(restored) == 400
    assert sorted(restored) == sorted(sent)


def test_sndus_are_told_with_their_headers(tmp_path: Path) -> None:
    time_stamp = bytes.fromhex("0000002a") + (0x0800).to_bytes(2)
    first, second, third = decoded(
        tmp_path,
        whole(sndu(0x0301, time_stamp + A), sndu(0, b"test")),
        whole(sndu(0x0800, bytes.fromhex("0200000000ff") + B, absent=False), ROHC, counter=1),
        NULL,
    )
    assert notes(first) == [
        f"SNDU: D=1, Length {len(A) + 10}, Type 0x0800, CRC right",
        "TimeStamp of 6 octets, 0000002a, 0:00.000042 past the hour (UT)",
        "SNDU: D=1, Length 8, Test SNDU, CRC right",
        "Test SNDU",
    ]
    assert first.ours is not None and first.ours.restored == A and first.ours.also_restored == []
    assert notes(second)[0] == f"SNDU: D=0, Length {len(B) + 10}, NPA 02:00:00:00:00:ff, Type 0x0800, CRC right"
    assert notes(second)[-1] == "passed on: type 0x22f1, 7 octets"
    assert second.ours is not None and second.ours.restored == B
    assert third.ours is not None and third.ours.title == "null packet" and third.ours.notes == []


def test_several_packets_of_one_ts_packet_are_all_there(tmp_path: Path) -> None:
    (one,) = decoded(tmp_path, whole(sndu(0x0800, A), sndu(0x0800, B)))
    assert one.ours is not None
    assert [one.ours.restored, *one.ours.also_restored] == [A, B]
    assert text.ours_text(one).count("\n= ") == 2
    document = text.document(one)["judge"]
    assert document["restored"] == A.hex()
    assert [other["octets"] for other in document["also_restored"]] == [B.hex()]


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    damaged = bytearray(whole(sndu(0x0800, A)))
    damaged[20] ^= 1
    marked = bytearray(whole(sndu(0x0800, A), counter=1))
    marked[1] |= 0x80
    gap = whole(sndu(0x0800, A), counter=9)
    pointer = ts(10, True, b"\xb6")
    crc, error, missing, far, sync, short = decoded(
        tmp_path, bytes(damaged), bytes(marked), gap, pointer, b"\x48" + gap[1:], gap[:187]
    )
    assert notes(crc) == ["CRC error"]
    assert notes(error) == ["transmission error"]
    assert error.ours is not None and error.ours.values["TEI"] == 1
    assert notes(missing)[0] == "continuity counter error"
    assert far.ours is not None and far.ours.values["Payload Pointer"] == 182
    assert notes(far) == ["payload pointer error"]
    assert sync.ours is not None and sync.ours.error == "no TS packet: it begins with 0x48 instead of 0x47"
    assert short.ours is not None and short.ours.error == "no TS packet: it has 187 octets"


def test_a_pid_may_be_chosen(tmp_path: Path) -> None:
    other = ts(0, True, b"\0\x00\x01", pid=0x200)
    packets = (whole(sndu(0x0800, A)), other)
    assert [len(notes(one)) for one in decoded(tmp_path, *packets)] == [1, 1]
    assert [len(notes(one)) for one in decoded(tmp_path, *packets, pid=0x100)] == [1, 0]
    tables = ts(0, True, b"\0\x00\xb0", pid=0)
    assert notes(decoded(tmp_path, tables)[0]) == []


@pytest.mark.parametrize("with_others", [False, True])
def test_ts_packets_in_datagrams(with_others: bool, tmp_path: Path) -> None:
    long = ipv4(1300, 5)
    octets = sndu(0x0800, long)
    packets = [whole(octets[:183])]
    packets += [ts(n, False, octets[at : at + 184]) for n, at in enumerate(range(183, len(octets), 184), 1)]
    assert len(packets) == 8
    frames = [ethernet(0x0800, datagram(udp(b"".join(part), 5000, 1234))) for part in (packets[:7], [packets[7], NULL])]
    if with_others:  # between them, on the same ports
        frames.insert(1, ethernet(0x0800, datagram(udp(b"\x47" * 187, 5000, 1234))))
    readings = decoded(tmp_path, *frames, link_type=1)
    first, last = readings[0].ours, readings[-1].ours
    assert first is not None and first.title == "7 TS packets in UDP in IPv4"
    assert first.values["CC"] == list(range(7))
    assert last is not None and last.title == "2 TS packets in UDP in IPv4"
    assert last.notes == ["TS packet 1: SNDU: D=1, Length 1304, Type 0x0800, CRC right"]
    assert last.restored == long
    if with_others:
        between = readings[1].ours
        assert between is not None and between.title == "UDP in IPv4"


@with_tshark
def test_tshark_reads_ts_packets_in_datagrams(tmp_path: Path) -> None:
    frames = [
        ethernet(
            0x0800, datagram(udp(b"".join(whole(sndu(0x0800, A), counter=7 * n + i) for i in range(7)), 5000, 1234))
        )
        for n in range(3)
    ]
    capture = run.read(DecodeOptions(pcap(tmp_path / "x.pcap", 1, *frames)))
    for n, one in enumerate(capture.decoded()):
        assert one.ours is not None and one.ours.values["CC"] == [(7 * n + i) % 16 for i in range(7)]
        assert {"PID", "PUSI", "CC", "TEI"} <= set(one.compared.agreed), one.compared
        assert one.compared.verdict == "agree"
