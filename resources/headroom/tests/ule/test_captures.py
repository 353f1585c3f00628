# SPDX-License-Identifier: Apache-2.0
"""Captures of transport streams: a TS packet is a packet of the link type 243, which tshark reads."""

import struct
from pathlib import Path

import pytest

from headroom.core import engine, replay, tshark
from headroom.core.captures import engine_pcapng
from headroom.core.implementations import find
from headroom.core.paths import build_folder
from headroom.core.replay import ReplayConfig
from headroom.schemes.ule import builder, vectors
from headroom.schemes.ule.judge.receiver import Receiver

LINKTYPE_MPEG_2_TS = 243


def sent(path: Path, **channel: object) -> replay.Replay:
    return replay.run(
        ReplayConfig(
            source="voip-mixed",
            flows=6,
            packets=300,
            scheme="ule",
            compressor=find("reference"),
            decompressor=find("reference"),
            channel={"mrru": 2000, **channel},
            outputs={"link": path},
        )
    )


@pytest.mark.engine
def test_a_capture_of_the_link_is_one_of_ts_packets(tmp_path: Path) -> None:
    done = sent(tmp_path / "link.pcapng")
    packets = [one.octets for one in engine_pcapng.read(tmp_path / "link.pcapng")]
    assert {len(packet) for packet in packets} == {188}
    assert len(packets) == done.direction()["link"]["packets"]
    content = (tmp_path / "link.pcapng").read_bytes()
    (link_type,) = struct.unpack_from("=H", content, struct.unpack_from("=I", content, 4)[0] + 8)
    assert link_type == LINKTYPE_MPEG_2_TS
    judge = Receiver()
    assert sum(len(judge.take(packet)) for packet in packets) == 300
    assert judge.events == {}


@pytest.mark.engine
@pytest.mark.skipif(not tshark.is_available(), reason="tshark is not installed")
def test_tshark_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "link.pcapng"
    sent(path, channels=2, max_cid=2)
    packets = [one.octets for one in engine_pcapng.read(path)]
    fields = ("mp2t.pid", "mp2t.pusi", "mp2t.cc")
    rows = tshark.rows_of([(n, packet, 188) for n, packet in enumerate(packets)], LINKTYPE_MPEG_2_TS, fields, ())
    assert rows is not None
    seen = [tuple(tshark.numbers(row[name])[0] for name in fields) for row in rows]
    assert seen == [(int.from_bytes(packet[1:3]) & 0x1FFF, packet[1] >> 6 & 1, packet[3] & 15) for packet in packets]
    assert {pid for pid, _, _ in seen} == {0x100, 0x101}


@pytest.mark.engine
def test_a_capture_is_a_source_of_link_packets(tmp_path: Path) -> None:
    done = sent(tmp_path / "link.pcapng")
    again = replay.run(
        ReplayConfig(
            source=str(tmp_path / "link.pcapng"),
            scheme="ule",
            decompressor=find("reference"),
            channel={"mrru": 2000},
            outputs={"decompressed": tmp_path / "units.pcapng"},
        )
    )
    assert again.sent == done.direction()["link"]["packets"]
    assert sum(1 for _ in engine_pcapng.read(tmp_path / "units.pcapng")) == 300


@pytest.mark.engine
def test_captures_of_packets_have_frames_of_ethernet_with_their_types(tmp_path: Path) -> None:
    frame = bytes(12) + b"\x88\xb5" + b"frame"
    packets = [(0, builder.ipv4(60, 1)), (0x86DD, builder.ipv6(60, 2)), (0x22F1, b"rohc"), (0x6558, frame)]
    outputs = {name: tmp_path / f"{name}.pcapng" for name in ("source", "decompressed")}
    found = find("reference")
    source = [{"hex": octets.hex(), "type": type_, "time_ns": 0} for type_, octets in packets]
    done = replay.run(ReplayConfig("ule", found, found, source, channel={"mrru": 2000}, outputs=outputs, records="all"))
    assert done.count("identical") == len(packets)
    for path in outputs.values():
        captured = list(engine_pcapng.read(path))
        assert {one.link_type for one in captured} == {1}
        assert [one.octets[12:14].hex() for one in captured] == ["0800", "86dd", "22f1", "88b5"]
        assert [one.octets[14:] for one in captured[:3]] == [octets for _, octets in packets[:3]]
        assert captured[3].octets == frame
    assert [one["out_type"] for record in done.records for one in record["decompressor"] if one["status"] == "OK"] == [
        0x0800,
        0x86DD,
        0x22F1,
        0x6558,
    ]


@pytest.mark.engine
def test_a_type_that_ethernet_does_not_have_is_in_the_comment(tmp_path: Path) -> None:
    vector = vectors.load()["ts-concat"]
    path = tmp_path / "units.pcapng"
    source = [{"hex": one.octets.hex(), "time_ns": 0} for one in vector.arrivals]
    channel = {"mrru": 2000, "first_pid": vectors.FIRST_PID, **vector.channel}
    replay.run(
        ReplayConfig(
            "ule", decompressor=find("reference"), source=source, channel=channel, outputs={"decompressed": path}
        )
    )
    assert [one.octets for one in engine_pcapng.read(path)] == [
        bytes.fromhex("02000000000b02000000000a88b5") + one.octets for one in vector.out
    ]
    assert path.read_bytes().count(b"type 2") == len(vector.out)


@pytest.mark.engine
def test_the_reference_keeps_the_promises_of_the_abi(real_build: str) -> None:
    library = str(build_folder(real_build) / "lib" / "reference.so")
    job = {"library": library, "config": {"scheme": "ule", "mrru": 2000}}
    document = engine.run("check", job, timeout_s=300, build=real_build)
    assert {one["name"]: one["reason"] for one in document["checks"] if one["verdict"] == "fail"} == {}
    assert document["verdict"] == "pass"
