# SPDX-License-Identifier: Apache-2.0
"""Every traffic profile: valid against its schema, accepted by the engine, each packet correct as tshark sees it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from headroom.core import yamlfile

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
ENGINE = Path(os.environ.get("HEADROOM_ENGINE", ROOT / "build" / "gcc-O2" / "bin" / "headroom-engine"))
FOLDER = ROOT / "traffic-profiles"
PROFILES = sorted(path for path in FOLDER.rglob("*.yaml") if FOLDER / "sip" not in path.parents)
SCHEMA = yamlfile.schema("traffic-profile")

needs_engine = pytest.mark.skipif(not ENGINE.is_file(), reason=f"there is no engine at {ENGINE}; build it first")
needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


def profile_at(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text())


def run_engine(command: str, job: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    done = subprocess.run(
        [ENGINE, command, "--job", "-"], input=json.dumps(job), capture_output=True, text=True, check=False
    )
    return done.returncode, json.loads(done.stdout)


def fields(capture: Path, *names: str) -> list[list[str]]:
    """Fields of each packet, as tshark decodes them with checksums verified."""
    command = ["tshark", "-r", str(capture), "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"]
    command += ["-o", "udplite.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-T", "fields"]
    command += [word for name in names for word in ("-e", name)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_there_are_profiles() -> None:
    assert len(PROFILES) >= 40


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: path.stem)
def test_profile_is_valid_and_named_after_its_file(path: Path) -> None:
    profile = profile_at(path)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    errors = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(profile)]
    assert errors == []
    assert profile["name"] == path.stem


@needs_engine
@needs_tshark
@pytest.mark.parametrize("path", PROFILES, ids=lambda path: path.stem)
def test_every_packet_is_correct(path: Path, tmp_path: Path) -> None:
    capture = tmp_path / "rendered.pcap"
    job = {"profile": profile_at(path), "flows": 8, "packets": 2000, "seed": 3, "output": str(capture)}
    status, result = run_engine("render", job)
    assert status == 0, result
    assert result["packets"] == 2000
    protocols = ["ip", "udp", "tcp", "icmp", "icmpv6"]
    names = [f"{protocol}.checksum.status" for protocol in protocols]
    seen = {value for packet in fields(capture, *names) for field in packet for value in field.split(",") if value}
    assert seen <= {"1", "3"}, "0 is a wrong checksum, 1 a right one, 3 an absent one"


@needs_engine
@needs_tshark
@pytest.mark.parametrize(
    ("name", "field", "values"),
    [
        ("voip-amr-nb-ipv6", "udp.checksum.status", {"1"}),
        ("voip-amr-nb-ipv4", "udp.checksum.status", {"3"}),
        ("voip-amr-nb-ipv4-checksum", "udp.checksum.status", {"1"}),
        ("fragments", "ip.flags.mf", {"0", "1"}),
        ("ip-options", "ip.hdr_len", {"24"}),
        ("tunnel-ipv6-in-ipv4", "ip.proto", {"41"}),
        ("icmp-ipv6", "icmpv6.type", {"128"}),
        ("ip-only-ipv6", "ipv6.nxt", {"59"}),
        ("esp-ipv4", "ip.proto", {"50"}),
        ("esp-ipv6", "ipv6.nxt", {"50"}),
        ("esp-ipv6", "esp.sequence", {str(number) for number in range(1, 201)}),
        ("udplite-ipv6", "udp.checksum.status", {"1"}),
        ("udplite-rtp-ipv4", "udp.checksum.status", {"1"}),
        ("udplite-rtp-ipv4", "udp.checksum_coverage", {"32"}),
        ("udplite-rtp-ipv6-silence", "udp.checksum_coverage", {"27", "32"}),
        ("udplite-coverage-zero", "udp.checksum_coverage", {"0"}),
        ("udplite-coverage-random", "udp.checksum.status", {"1"}),
        ("tcp-ecn", "ip.dsfield.ecn", {"0", "1", "2", "3"}),
        ("tcp-ecn", "tcp.flags", {"0x0010", "0x0050", "0x0090"}),
        ("tcp-push", "tcp.flags", {"0x0010", "0x0018"}),
        ("tcp-windows", "tcp.window_size_value", {"64240", "62792", "61344", "1448", "0", "32768", "32767", "65535"}),
        ("tcp-sack", "tcp.options.sack.count", {"2"}),
        ("tcp-all-options", "tcp.option_kind", {"1", "2", "3", "4", "8"}),
        ("tcp-unknown-options", "tcp.option_kind", {"0", "19", "253"}),
        ("tcp-ip-id-zero", "ip.id", {"0x0000"}),
        ("tcp-behind-ah", "ip.proto", {"51"}),
        ("tcp-in-gre", "gre.flags.checksum", {"1"}),
        ("tcp-in-gre-ipv6", "gre.proto", {"0x86dd"}),
        ("tcp-minimal-encapsulation", "ip.proto", {"55"}),
        ("tcp-extension-headers", "ipv6.nxt", {"0"}),
        ("tcp-three-ip-headers", "ip.proto", {"41", "6"}),
        ("tcp-short-connections", "tcp.flags.syn", {"0", "1"}),
        ("gtpu-imix", "gtp.message", {"0xff"}),
        ("gtpu-imix", "gtp.ext_hdr.pdu_ses_con.pdu_type", {"1"}),
        ("gtpu-imix", "tcp.checksum.status", {"1"}),
        ("gtpu-imix", "ip.flags.mf", {"0"}),
        ("gtpu-imix", "frame.len", {"104", "576", "1402"}),
        ("gtpu-imix-classic", "frame.len", {"104", "576", "1500"}),
    ],
)
def test_profile_is_what_it_says(name: str, field: str, values: set[str], tmp_path: Path) -> None:
    capture = tmp_path / "rendered.pcap"
    profile = profile_at(ROOT / "traffic-profiles" / f"{name}.yaml")
    assert run_engine("render", {"profile": profile, "packets": 200, "output": str(capture)})[0] == 0
    assert {value for (packet,) in fields(capture, field) for value in packet.split(",") if value} == values


@needs_engine
@needs_tshark
def test_rtp_is_what_tshark_takes_for_rtp(tmp_path: Path) -> None:
    capture = tmp_path / "rendered.pcap"
    profile = profile_at(ROOT / "traffic-profiles" / "voip-amr-nb-ipv6-silence.yaml")
    assert run_engine("render", {"profile": profile, "packets": 500, "output": str(capture)})[0] == 0
    command = ["tshark", "-r", str(capture), "--enable-heuristic", "rtp_udp", "-T", "fields"]
    command += ["-e", "rtp.seq", "-e", "rtp.timestamp", "-e", "rtp.marker", "-e", "udp.length"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    packets = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(packets) == 500
    sequence = [int(packet[0]) for packet in packets]
    assert all((b - a) % 65536 == 1 for a, b in pairwise(sequence))
    marked = [packet for packet in packets if packet[2] in ("1", "True")]
    assert marked
    assert all(packet[3] == "51" for packet in marked), "silence frames have no marker"


def lengths_of(variant: dict[str, Any]) -> list[tuple[int, int]]:
    """The shares and octets of the IP packets of a GTP-U variant. Source: TS 29.281, 5.1; RFC 791, 2460, 768, 793."""
    octets = {"ipv4": 20, "ipv6": 40, "udp": 8, "gtpu": 16, "tcp": 20}
    headers = sum(octets[header["protocol"]] for header in variant["headers"])
    return [(share, headers + length) for share, length in variant["payload"]["length"]["mix"]]


@pytest.mark.parametrize(
    ("name", "mix"),
    [("gtpu-imix", [(26, 104), (10, 576), (23, 1402)]), ("gtpu-imix-classic", [(7, 104), (4, 576), (1, 1500)])],
)
def test_gtpu_imix_has_the_lengths_and_the_volume_it_promises(name: str, mix: list[tuple[int, int]]) -> None:
    variants = profile_at(ROOT / "traffic-profiles" / f"{name}.yaml")["variants"]
    assert all(lengths_of(variant) == mix for variant in variants)
    volume = {"tcp": 0, "udp": 0, "ipv4": 0, "ipv6": 0}
    for variant in variants:
        for protocol in (header["protocol"] for header in variant["headers"][-2:]):
            volume[protocol] += variant["share"]
    assert volume == {"tcp": 17, "udp": 3, "ipv4": 10, "ipv6": 10}, "85 % HTTP and 15 % UDP"
    if name == "gtpu-imix":
        assert sum(share * length for share, length in mix) == 690 * sum(share for share, _ in mix)


@needs_engine
@needs_tshark
def test_gtpu_imix_is_what_tshark_finds_in_it(tmp_path: Path) -> None:
    capture = tmp_path / "rendered.pcap"
    profile = profile_at(ROOT / "traffic-profiles" / "gtpu-imix.yaml")
    job = {"profile": profile, "flows": 6000, "packets": 40_000, "seed": 3, "output": str(capture)}
    assert run_engine("render", job)[0] == 0
    names = ["frame.len", "ip.len", "gtp.length", "gtp.teid", "ip.src", "ipv6.src"]
    packets = fields(capture, *names, "gtp.ext_hdr.pdu_ses_con.qos_flow_id")
    total = [int(packet[0]) for packet in packets]
    assert sum(total) / len(total) == pytest.approx(690, abs=4 * 593 / 200), "four standard deviations"
    ues: dict[str, set[str]] = {}
    for length, ip_length, gtp_length, teid, ipv4, ipv6, qfi in packets:
        outer, *inner = (int(value) for value in ip_length.split(","))
        assert int(length) == outer == 20 + 8 + 8 + int(gtp_length)
        assert inner in ([], [outer - 44]), "an IPv4 packet behind 44 octets"
        assert qfi in ("8", "9")
        ues.setdefault(teid, set()).add(ipv6 or ipv4.split(",")[1])
    assert len(ues) == 6000, "so many UEs, each with its tunnel"
    assert all(len(addresses) == 1 for addresses in ues.values())
    assert len(set.union(*ues.values())) == 6000


@needs_engine
def test_every_profile_replays_through_null(tmp_path: Path) -> None:
    null = {"library": str(ENGINE.parent.parent / "lib" / "null.so"), "config": {"scheme": "rohc"}}
    for path in PROFILES:
        source = {"profile": profile_at(path), "flows": 3, "packets": 300}
        status, result = run_engine("replay", {"compressor": null, "decompressor": null, "source": source})
        assert status == 0, (path, result)
        assert result["forward"]["verdicts"]["identical"] == 300, path
