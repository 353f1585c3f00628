# SPDX-License-Identifier: Apache-2.0
"""MPE and GSE, the encapsulations to compare ULE with: everything comes back, and tshark reads every packet."""

import struct
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from headroom.core import engine, engine_result, replay, replay_options, tshark
from headroom.core.captures import engine_pcapng
from headroom.core.captures.dissection import Row
from headroom.core.implementations import find
from headroom.core.paths import build_folder
from headroom.core.replay import Replay, ReplayConfig
from headroom.core.run.run import Run
from headroom.core.scheme_registry import all_schemes
from headroom.core.settings import Settings
from headroom.schemes.ule.papers import ang_2016_channel
from headroom.schemes.ule.papers import ang_2016_model as model
from headroom.schemes.ule.papers.ang_2016_channel import Setup
from headroom.schemes.ule.scheme import SCHEME

LINKTYPE_MPEG_2_TS, LINKTYPE_RAW, LINKTYPE_IPV4 = 243, 101, 228
TS_PACKET, BBFRAME = 188, 384
ETHERNET_HEADER = 14  # of the engine's captures
PACKETS = 300
# All headers and payloads of streams over UDP.
FIELDS = (
    *("ip.dsfield", "ip.len", "ip.id", "ip.flags", "ip.ttl", "ip.proto", "ip.checksum", "ip.src", "ip.dst"),
    *("ipv6.tclass", "ipv6.flow", "ipv6.plen", "ipv6.nxt", "ipv6.hlim", "ipv6.src", "ipv6.dst"),
    *("udp.srcport", "udp.dstport", "udp.length", "udp.checksum", "udp.payload"),
)
SECTION_CRC, HEADER_CRC, PDU_CRC = "mpeg_sect.crc.status", "dvb-s2_bb.crc.status", "dvb-s2_gse.crc.status"
RIGHT = "1"
VERIFY_SECTIONS = ("-o", "mpeg_sect.verify_crc:TRUE")
READ_BBFRAMES = (
    *("--enable-heuristic", "dvb_s2_udp", "-o", "dvb-s2_modeadapt.try_all_modeadapt:FALSE"),
    *("-o", "dvb-s2_modeadapt.decode_df:TRUE", "-o", "dvb-s2_modeadapt.full_decode:TRUE"),
)

tshark_reads = pytest.mark.skipif(not tshark.is_available(), reason="tshark is not installed")


def send(folder: Path, source: str, **channel: object) -> tuple[Replay, list[bytes], list[bytes]]:
    """A replay, its link packets, and the packets that came back, which are those that were sent."""
    outputs = {"link": folder / "link.pcapng", "decompressed": folder / "back.pcapng"}
    found = find("reference")
    channel = {"mrru": 2000, "threshold_us": 20_000, **channel}
    config = ReplayConfig("ule", found, found, source=source, flows=6, packets=PACKETS, channel=channel)
    done = replay.run(replace(config, outputs=outputs))
    assert done.failures() == []
    assert done.count("identical") == done.sent == PACKETS
    link, back = ([one.octets for one in engine_pcapng.read(path)] for path in outputs.values())
    return done, link, back


def read(packets: list[bytes], link_type: int, *more: str, options: tuple[str, ...] = ()) -> list[Row]:
    rows = tshark.rows_of([(n, one, len(one)) for n, one in enumerate(packets)], link_type, (*FIELDS, *more), options)
    assert rows is not None
    return rows


def values(rows: list[Row], name: str, first: int = 0) -> list[str]:
    """The occurrences of a field in all packets, in their order, from one in each packet on."""
    return list(chain.from_iterable(row[name][first:] for row in rows))


@tshark_reads
@pytest.mark.engine
@pytest.mark.parametrize("packing", ["packing", "padding"])
@pytest.mark.parametrize("source", ["voip-mixed", "udp-690", "udp-1500"])
def test_tshark_reads_every_packet_of_mpe(tmp_path: Path, source: str, packing: str) -> None:
    _, link, back = send(tmp_path, source, encapsulation="mpe", packing=packing)
    assert {len(packet) for packet in link} == {TS_PACKET}
    found = read(link, LINKTYPE_MPEG_2_TS, SECTION_CRC, options=VERIFY_SECTIONS)
    expected = read([frame[ETHERNET_HEADER:] for frame in back], LINKTYPE_RAW)
    for name in FIELDS:
        assert values(found, name) == values(expected, name), name
    assert values(found, SECTION_CRC) == [RIGHT] * PACKETS


def in_datagram(frame: bytes) -> bytes:
    """A BBFRAME behind a mode adaptation header of four octets, in a datagram of UDP over IPv4."""
    payload = bytes.fromhex("b8000000") + frame
    udp = struct.pack(">HHHH", 50_000, 50_000, 8 + len(payload), 0) + payload
    return struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, 0x7F000001, 0x7F000001) + udp


@tshark_reads
@pytest.mark.engine
@pytest.mark.parametrize("address", ["present", "absent"])
@pytest.mark.parametrize("packing", ["packing", "padding"])
@pytest.mark.parametrize("source", ["voip-mixed", "udp-690", "udp-1500"])
def test_tshark_reads_every_packet_of_gse(tmp_path: Path, source: str, packing: str, address: str) -> None:
    done, link, back = send(tmp_path, source, encapsulation="gse", packing=packing, address=address)
    frames = [packet[ETHERNET_HEADER:] for packet in link]
    assert {len(frame) for frame in frames} == {BBFRAME}
    found = read([in_datagram(one) for one in frames], LINKTYPE_IPV4, HEADER_CRC, PDU_CRC, options=READ_BBFRAMES)
    expected = read(back, LINKTYPE_RAW)
    for name in FIELDS:
        outer = 1 if name.startswith(("ip.", "udp.")) else 0  # those of the datagram
        assert values(found, name, outer) == values(expected, name), name
    assert values(found, HEADER_CRC) == [RIGHT] * len(frames)
    fragmented = done.direction()["compressor"]["statistics"]["fragmented"]
    assert (fragmented > 0) is (source != "voip-mixed" or packing == "packing")
    assert values(found, PDU_CRC) == [RIGHT] * fragmented


@pytest.mark.engine
@pytest.mark.parametrize("frame_octets", [64, 200, 513])
def test_bbframes_have_the_length_that_is_configured(tmp_path: Path, frame_octets: int) -> None:
    _, link, _ = send(tmp_path, "voip-mixed", encapsulation="gse", frame_octets=frame_octets)
    assert {len(packet) - ETHERNET_HEADER for packet in link} == {frame_octets}


@pytest.mark.engine
@pytest.mark.parametrize(
    ("channel", "reason"),
    [
        ({"encapsulation": "atm"}, "encapsulation"),
        ({"encapsulation": "mpe", "bridged": True}, "are of ULE"),
        ({"encapsulation": "gse", "concat": 2}, "are of ULE"),
        ({"encapsulation": "mpe", "address": "absent"}, "always has an address"),
        ({"encapsulation": "gse", "frame_octets": 514}, "frame_octets"),
        ({"encapsulation": "gse", "channels": 257}, "at most 256 channels"),
    ],
)
def test_what_an_encapsulation_does_not_have_is_refused(tmp_path: Path, channel: dict, reason: str) -> None:
    with pytest.raises(engine_result.EngineFailure, match=reason):
        send(tmp_path, "voip-mixed", **channel)


@pytest.mark.engine
@pytest.mark.parametrize("key", ["npa", "mac"])
@pytest.mark.parametrize(
    "address",
    ["+2:00:00:00:00:01", " 2:00:00:00:00:01", "02:-1:00:00:00:01", "0x:00:00:00:00:01", "02-00-00-00-00-01", "02:00"]
    + ["02:00:00:00:00:0g", "02:00:00:00:00:01:", "02:00:00:00:00:001"],
)
def test_an_address_is_six_times_two_hexadecimal_digits(key: str, address: str) -> None:
    found = find("reference")
    config = ReplayConfig("ule", found, found, source="voip-mixed", packets=1, compressor_options={key: address})
    with pytest.raises(engine_result.EngineFailure, match="must be an address such as"):
        replay.run(config)


@pytest.mark.engine
def test_an_address_may_have_letters_of_either_case() -> None:
    found = find("reference")
    config = ReplayConfig("ule", found, found, source="voip-mixed", packets=100, channel={"mrru": 2000})
    own, same = {"npa": "02:aB:00:00:fF:9e"}, {"npa": "02:Ab:00:00:Ff:9E"}
    done = replay.run(replace(config, compressor_options=own, decompressor_options=same))
    assert done.count("identical") == done.sent == 100


@pytest.mark.engine
@pytest.mark.parametrize("octets", [40_000, 65_527])
def test_gse_carries_the_largest_pdu_that_a_replay_makes_room_for(octets: int) -> None:
    found = find("reference")
    (option,) = (one for one in SCHEME.replay_options if one.name == "largest_pdu")
    options = {"encapsulation": "gse", "largest_pdu": option.text(option.value(octets))}
    made = replay_options.config_of(SCHEME, "x", options, Run(found, found, Settings()))
    packet = bytes([0x45, *(at % 251 for at in range(1, octets))])
    source = [{"hex": packet.hex(), "time_ns": 0}]
    done = replay.run(replace(made, source=source, packets=None))
    assert done.failures() == []
    assert done.count("identical") == done.sent == 1


def test_a_replay_names_an_encapsulation() -> None:
    found = find("reference")
    run = Run(found, found, Settings())
    made = replay_options.config_of(SCHEME, "x", {"encapsulation": "gse", "frame_octets": "200"}, run)
    assert (made.channel, made.encapsulation) == ({"encapsulation": "gse", "frame_octets": 200}, "")
    carried = {"carrier": "ule", "carrier.encapsulation": "mpe"}
    carrier = replay_options.config_of(all_schemes()["rohc"], "x", carried, run).carrier
    assert carrier is not None
    assert carrier.config.channel["encapsulation"] == "mpe"


@pytest.mark.engine
@pytest.mark.parametrize("encapsulation", ["mpe", "gse"])
def test_each_encapsulation_keeps_the_promises_of_the_abi(real_build: str, encapsulation: str) -> None:
    library = str(build_folder(real_build) / "lib" / "reference.so")
    job = {"library": library, "config": {"scheme": "ule", "encapsulation": encapsulation, "mrru": 2000}}
    document = engine.run("check", job, timeout_s=300, build=real_build)
    assert {one["name"]: one["reason"] for one in document["checks"] if one["verdict"] == "fail"} == {}
    assert document["verdict"] == "pass"


@pytest.mark.engine
@pytest.mark.parametrize(
    ("encapsulation", "link"),
    [("mpe", {"loss": 0.05}), ("gse", {"loss": 0.05}), ("mpe", {"ber": 1e-4, "payload_errors": "deliver"})],
)
def test_damage_costs_packets_and_changes_none(encapsulation: str, link: dict) -> None:
    """Bit errors are for MPE alone: a GSE packet with a whole PDU has no CRC, for the FEC of DVB-S2 is below it."""
    found = find("reference")
    channel = {"mrru": 2000, "encapsulation": encapsulation}
    config = ReplayConfig("ule", found, found, source="udp-690", flows=6, packets=3000, channel=channel, forward=link)
    done = replay.run(config)
    assert done.count("mismatched") == 0
    assert 1000 < done.count("identical") < 3000


@pytest.mark.engine
def test_each_encapsulation_costs_what_its_fields_say() -> None:
    """Around an IPv6 packet there are 8 octets of ULE without an address, 16 of MPE without LLC/SNAP, 10 or 4 of GSE.
    A TS packet has 5 octets besides, a BBFRAME 10 and about 10 of a PDU whose fragments are in two of them."""
    found = find("reference")
    setup, flows = Setup(Run(found, found, Settings()), "IPv6", threshold_us=20_000), 150
    direct = next(one for one in ang_2016_channel.CARRIAGES if one.title == "direct, D 1")
    around = {}
    for name, way in {"ule": direct, **ang_2016_channel.OTHERS}.items():
        (share,) = ang_2016_channel.load(ang_2016_channel.carried_by(setup, way), [flows])
        besides = 5 if way.slot_octets == model.TS_PACKET else 20
        octets = share * ang_2016_channel.RATE / 8 / (flows * 50)
        around[name] = octets * (1 - besides / way.slot_octets) - setup.headers - ang_2016_channel.VOICE_PAYLOAD
    assert around == pytest.approx({"ule": 8, "mpe": 16, "gse-label": 10, "gse": 4}, abs=1)
