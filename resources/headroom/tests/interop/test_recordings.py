# SPDX-License-Identifier: Apache-2.0
"""Capture files in place of an adapter, made here by the reference: as a compressor and as a decompressor."""

from __future__ import annotations

import os
import struct
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from headroom.core import implementations, matrix, replay
from headroom.core.captures import engine_pcapng
from headroom.core.matrix import Row
from headroom.core.scheme_kit import cells
from headroom.core.scheme_kit.minimise import minimise
from headroom.schemes.rohc.interop.matrix import channel_of, unsupported
from headroom.tests.decode.support import pcap
from headroom.tests.interop import support
from headroom.tests.oracle_rohc.support import with_ipv4_checksum
from headroom.tests.runs import REFERENCE, replay_of

CALL = """captures:
  - {{folder: call, profile: "0x0001", mode: U, cids: small, compressor: {compressor}}}"""
CHANNEL = {"mode": "U", "cids": "small", "max_cid": 15, "profiles": ["0x0000", "0x0001"]}


def recorded(root: Path, build: str, compressor: str = "theirs") -> str:
    """An implementation that is known by one recording of 80 packets."""
    name = support.implementation(
        root, "theirs", CALL.format(compressor=compressor), profiles='"0x0000", "0x0001"', wire=""
    )
    call = Path(name) / "call"
    call.mkdir()
    outputs = {
        part: call / f"{stem}.pcapng"
        for part, stem in (("source", "source"), ("link", "rohc"), ("decompressed", "uncompressed"))
    }
    replay.run(replay_of(source="voip-amr-nb-ipv4", packets=80, channel=dict(CHANNEL), outputs=outputs, build=build))
    return name


def one(row: Row, build: str, link: str = "clean") -> matrix.Cell:
    return matrix.cells(replace(row, links=(link,), build=build))[0]


def row_of(compressor: str, decompressor: str, mode: str = "U") -> Row:
    return support.row(compressor, decompressor, "0x0001", mode, "small")


def test_their_link_goes_to_every_decompressor(tmp_path: Path, real_build: str) -> None:
    theirs = recorded(tmp_path / "who", real_build)
    row = row_of(theirs, "reference")
    assert unsupported(replace(row, build=real_build)) == ""
    store = support.store(tmp_path / "run")
    result = support.result_of(one(row, real_build), store)
    assert result["verdict"] == "pass", result["reason"]
    assert (result["traffic"], result["packets"], result["delivered"]) == ("call", 80, 80)
    assert 1 <= result["header_bytes"] < 10
    lossy = support.result_of(one(row, real_build, "loss-1"), store)
    assert lossy["verdict"] in ("pass", "non-strict")
    assert lossy["delivered"] + lossy["lost"] <= 80


def test_a_damaged_recording_is_found_and_made_small(
    tmp_path: Path, real_build: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "minimise", partial(minimise, most_seconds=600.0))  # however busy the machine is
    theirs = recorded(tmp_path / "who", real_build)
    path = Path(theirs) / "call" / "rohc.pcapng"
    octets = [packet.octets for packet in engine_pcapng.read(path)]
    damaged = bytearray(octets[40])
    damaged[14] ^= 1  # the CRC of a UO-0 packet, behind the Ethernet header
    path.write_bytes(path.read_bytes().replace(octets[40], bytes(damaged)))
    result = support.result_of(one(row_of(theirs, "reference"), real_build), support.store(tmp_path / "run"))
    assert result["verdict"] == "fail"
    assert result["first"] == 40
    assert result["signature"].startswith("UO-0 does not come out · ERR_CRC · the judge refuses it")
    assert result["minimised"]["packets"] == 2  # one that sets the context up, and the damaged one
    assert result["minimised"]["command"].endswith("job.json")


@pytest.mark.long
@pytest.mark.parametrize("link", ["loss-1", "burst-loss", "ber-1e-3", "reorder-1"])
def test_a_compressor_at_fault_is_no_milder_over_a_bad_link(tmp_path: Path, real_build: str, link: str) -> None:
    """One link packet in nine has its first octet damaged: too little comes out, and not because of the link."""
    theirs = recorded(tmp_path / "who", real_build)
    path = Path(theirs) / "call" / "rohc.pcapng"
    capture = path.read_bytes()
    for packet in list(engine_pcapng.read(path))[8::9]:
        damaged = bytearray(packet.octets)
        damaged[14] ^= 1
        capture = capture.replace(packet.octets, bytes(damaged))
    path.write_bytes(capture)
    result = support.result_of(one(row_of(theirs, "reference"), real_build, link), support.store(tmp_path / "run"))
    assert result["verdict"] == "fail", result["reason"]
    assert "The compressor caused" in result["reason"]
    assert "the judge refuses it" in result["signature"]


def test_what_their_decompressor_wrote_is_judged(tmp_path: Path, real_build: str) -> None:
    theirs = recorded(tmp_path / "who", real_build, compressor="reference")
    row = row_of("reference", theirs)
    assert unsupported(replace(row, build=real_build)) == ""
    assert [cell.link for cell in matrix.cells(row)] == ["clean"]
    store = support.store(tmp_path / "run")
    good = support.result_of(one(row, real_build), store)
    assert (good["verdict"], good["packets"], good["delivered"]) == ("pass", 80, 80)
    path = Path(theirs) / "call" / "uncompressed.pcapng"
    octets = [packet.octets for packet in engine_pcapng.read(path)]
    wrong = bytearray(octets[7])
    wrong[31] ^= 1
    path.write_bytes(path.read_bytes().replace(octets[7], bytes(wrong)))
    bad = support.result_of(one(row, real_build), store)
    assert bad["verdict"] == "fail"
    assert bad["first"] == 7
    assert bad["signature"] == "recorded packet comes out wrong · RTP sequence number"


def test_they_are_asked_for_nothing_else(tmp_path: Path, real_build: str) -> None:
    theirs = recorded(tmp_path / "who", real_build)
    reason = unsupported(replace(row_of("reference", theirs), build=real_build))
    assert reason == "theirs is known by its capture files alone, and has none for this."
    assert "none for this" in unsupported(replace(row_of(theirs, "reference", "O"), build=real_build))


def test_a_recording_without_files_is_none(tmp_path: Path, real_build: str) -> None:
    theirs = recorded(tmp_path / "who", real_build)
    (Path(theirs) / "call" / "rohc.pcapng").unlink()
    assert "none for this" in unsupported(replace(row_of(theirs, "reference"), build=real_build))


@pytest.mark.parametrize("stem", ["rohc", "source"])
def test_a_broken_capture_is_an_error_with_a_sentence(tmp_path: Path, real_build: str, stem: str) -> None:
    theirs = recorded(tmp_path / "who", real_build)
    (Path(theirs) / "call" / f"{stem}.pcapng").write_bytes(b"no capture at all")
    row = replace(row_of(theirs, "reference"), links=("clean",), build=real_build)
    found = matrix.run(row, support.store(tmp_path / "run"))
    assert [result["verdict"] for result in found] == ["error"]
    assert f"{stem}.pcapng" in found[0]["reason"]
    assert found[0]["signature"] == "harness · input"


def test_a_link_capture_that_is_cut_off(tmp_path: Path, real_build: str) -> None:
    theirs = recorded(tmp_path / "who", real_build)
    path = Path(theirs) / "call" / "rohc.pcapng"
    octets = path.read_bytes()
    at = octets.index(list(engine_pcapng.read(path))[50].octets)
    path.write_bytes(octets[: octets.rindex((6).to_bytes(4, "little"), 0, at)])  # to the end of a block
    row = replace(row_of(theirs, "reference"), links=("clean",), build=real_build)
    found = matrix.run(row, support.store(tmp_path / "run"))
    assert [result["verdict"] for result in found] == ["error"]
    assert "call/source.pcapng and " in found[0]["reason"]
    assert "call/rohc.pcapng do not fit each other: " in found[0]["reason"]
    assert "80 expected packets for 50 link packets." in found[0]["reason"]
    assert "(at " not in found[0]["reason"]


def test_what_came_out_is_cut_off(tmp_path: Path, real_build: str) -> None:
    theirs = recorded(tmp_path / "who", real_build, compressor="reference")
    call = Path(theirs) / "call"
    (call / "source.pcapng").write_bytes((call / "uncompressed.pcapng").read_bytes())
    path = call / "uncompressed.pcapng"
    octets = path.read_bytes()
    at = octets.index(list(engine_pcapng.read(path))[50].octets)
    path.write_bytes(octets[: octets.rindex((6).to_bytes(4, "little"), 0, at)])
    result = support.result_of(one(row_of("reference", theirs), real_build), support.store(tmp_path / "run"))
    assert result["verdict"] == "fail"
    assert "30 of 80 packets of " in result["reason"]
    assert "call/uncompressed.pcapng" in result["reason"]


@pytest.mark.parametrize(
    ("gone", "compressor", "sentence"),
    [
        ("", "theirs", "has no folder: .*call does not exist"),
        ("source", "theirs", "has no source.pcap"),
        ("rohc", "theirs", "has no rohc.pcap"),
        ("uncompressed", "reference", "has no uncompressed.pcap"),
    ],
)
def test_a_recording_whose_files_are_gone_is_refused(
    tmp_path: Path, real_build: str, gone: str, compressor: str, sentence: str
) -> None:
    from headroom.cli import interop
    from headroom.core.errors import UsageError

    theirs = recorded(tmp_path, real_build, compressor)
    call = Path(theirs) / "call"
    if gone:
        (call / f"{gone}.pcapng").unlink()
    else:
        call.rename(call.with_name("elsewhere"))
    lists = ("compressors", "decompressors", "traffic", "links")
    with pytest.raises(UsageError, match=f"The recording call of theirs {sentence}"):
        interop.plan_of({name: (theirs, "reference") if name.endswith("compressors") else () for name in lists})


def test_a_recording_of_holes_is_refused(tmp_path: Path, real_build: str) -> None:
    """A judge read its terabytes of packets without octets for ever."""
    theirs = recorded(tmp_path, real_build, "theirs")
    (call,) = implementations.find(theirs).recordings
    assert not call.lacks("theirs")
    os.truncate(call.folder / "rohc.pcapng", implementations.MOST_RECORDED + 1)
    assert call.lacks("theirs") == "The recording call of theirs is too large: rohc.pcapng has more than 256 MiB."


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("mode: U", "mode: R", r"captures/0/mode: R is not among the declared modes: U, O"),
        ("cids: small, comp", "cids: large, comp", r""),
        ('profile: "0x0001"', 'profile: "0x0002"', r"0x0002 is not among the declared profiles: 0x0000, 0x0001"),
    ],
)
def test_a_recording_of_what_is_not_declared_is_refused(tmp_path: Path, before: str, after: str, sentence: str) -> None:
    from headroom.core import implementations
    from headroom.core.errors import UsageError

    text = CALL.format(compressor="theirs").replace(before, after)
    name = support.implementation(tmp_path, "theirs", text, profiles='"0x0000", "0x0001"', wire="")
    if not sentence:
        assert implementations.find(name).recordings[0].axes["cids"] == "large"
        return
    with pytest.raises(UsageError, match=rf"implementation.yaml:\d+: .*{sentence}"):
        implementations.find(name)


# RTP with SSRC 7, UDP and ICMP by turns: profiles 0x0001, 0x0002 and 0x0004 on one channel (RFC 5795, 5.1.2).
SEVERAL = ["0x0000", "0x0001", "0x0002", "0x0004"]


def packet_of(number: int) -> bytes:
    """Packet `number` of three flows from 192.0.2.1 to 198.51.100.2, each with its own IP-ID."""
    turn, kind = divmod(number, 3)
    rtp = struct.pack("!BBHII", 0x80, 0, turn, 160 * turn, 7)
    udp = (struct.pack("!HHHH", 5004, 5006, 24, 0) + rtp, struct.pack("!HHHH", 53, 4000, 12, 0))
    behind = (*udp, b"\x08\x00\x00\x00\x00\x07" + turn.to_bytes(2, "big"))[kind] + b"data"
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(behind), turn, 0x4000, 64, (17, 17, 1)[kind], 0)
    return with_ipv4_checksum(head + bytes([192, 0, 2, 1, 198, 51, 100, 2]) + behind)


def recorded_with_several(root: Path, build: str, declared: str = '"0x0000", "0x0001", "0x0002", "0x0004"') -> str:
    """A recording of the RTP profile whose channel had others, too."""
    name = support.implementation(root, "several", CALL.format(compressor="several"), profiles=declared, wire="")
    call = Path(name) / "call"
    call.mkdir()
    outputs = {part: call / f"{stem}.pcapng" for part, stem in (("source", "source"), ("link", "rohc"))}
    source = [{"time_ns": 20_000_000 * number, "channel": 0, "hex": packet_of(number).hex()} for number in range(60)]
    replay.run(replay_of(source=source, channel={**CHANNEL, "profiles": SEVERAL}, outputs=outputs, build=build))
    return name


@pytest.mark.parametrize("declared", ['"0x0000", "0x0001", "0x0002", "0x0004"', '"0x0001"'])
def test_a_recording_has_several_profiles(tmp_path: Path, real_build: str, declared: str) -> None:
    """Which ones it had, its packets say, whatever is declared beside the one that it is called after."""
    theirs = recorded_with_several(tmp_path / "who", real_build, declared)
    store = support.store(tmp_path / "run")
    for link in ("clean", "loss-1"):
        result = support.result_of(one(row_of(theirs, "reference"), real_build, link), store)
        assert result["verdict"] in ("pass", "non-strict"), result["reason"]
    clean = support.result_of(one(row_of(theirs, "reference"), real_build), store)
    assert (clean["verdict"], clean["packets"], clean["delivered"]) == ("pass", 60, 60)
    assert clean["header_bytes"] is not None


def test_a_decompressor_is_not_held_to_profiles_that_it_does_not_declare(tmp_path: Path, real_build: str) -> None:
    theirs = recorded_with_several(tmp_path / "who", real_build)
    few = support.implementation(
        tmp_path / "who", "few", f"adapter: {{library: '{REFERENCE.library_path(real_build)}'}}", '"0x0001"', wire=""
    )
    result = support.result_of(one(row_of(theirs, few), real_build), support.store(tmp_path / "run"))
    assert result["verdict"] == "unsupported"
    assert "0x0002 (UDP) or 0x0102 (ROHCv2 UDP, RFC 5225)" in result["reason"]
    assert result["reason"].endswith("which few does not declare.")


def test_profiles_of_a_recording_never_share_an_octet(tmp_path: Path) -> None:
    """RFC 5795, 5.1.2: of 0x0001 and 0x0101 a channel has one, that which the recording is called after first."""
    how = CALL.format(compressor="theirs").replace("U,", 'U, profiles: ["0x0001", "0x0102", "0x0003"],')
    theirs = support.implementation(tmp_path, "theirs", how, profiles='"0x0001"', wire="")
    (Path(theirs) / "call").mkdir()
    for stem in ("source", "rohc"):
        pcap(Path(theirs) / "call" / f"{stem}.pcap", 1)
    names = '"0x0001", "0x0101", "0x0002", "0x0102"'
    decompressor = support.implementation(tmp_path, "both", "adapter: {library: none.so}", names, wire="")
    cell = matrix.cells(row_of(theirs, decompressor))[0]
    assert channel_of(cell)["profiles"] == ["0x0001", "0x0102"]
