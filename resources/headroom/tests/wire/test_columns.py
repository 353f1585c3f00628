# SPDX-License-Identifier: Apache-2.0
"""Users' packets in GTP-U as lists for a field engine: the lists stand for exactly the packets that the engine renders.

`traffic-profiles/trex/columns.py` is under the GPL, as TRex's profiles are, and is run as the program that it is too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from headroom.core import engine, profiles
from headroom.core.machine.build import engine_program
from headroom.core.paths import ROOT
from headroom.core.scheme_registry import find
from headroom.testbed.arrivals import ip_packet
from headroom.testbed.captures import records
from headroom.testbed.generator import streams_for
from headroom.testbed.trex.home import PROFILES as PROGRAMS
from headroom.testbed.tunnel_path import WHOLE, TunnelPath

COLUMNS = ROOT / "traffic-profiles" / "trex" / "columns.py"
GTPU_STREAMS = PROGRAMS / find("gtpu").streams.program  # type: ignore[union-attr]
USERS = [name for name in profiles.names() if streams_for(profiles.load(name)) == GTPU_STREAMS]
MOST_OCTETS = 64  # of a stream's variables
MOST_OF_A_REQUEST = 490_000  # characters of JSON, beside the 500,000 of streams that go before


def columns(build: str, *words: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HEADROOM_ENGINE": str(engine_program(build))}
    return subprocess.run([sys.executable, COLUMNS, *map(str, words)], capture_output=True, text=True, env=environment)


def told(build: str, *words: object) -> Any:
    done = columns(build, *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def engines(
    build: str, folder: Path, name: str, flows: int, packets: int, reverse: bool, tunnels: TunnelPath = WHOLE
) -> list[str]:
    """The packets that `headroom-engine render` makes with payloads that are its pattern."""
    profile = profiles.load(name)
    for variant in profile["variants"]:
        variant["payload"]["content"] = "pattern"
    output = folder / "rendered.pcap"
    job = {"profile": profile, "flows": flows, "packets": packets, "seed": 3, "reverse": reverse, "frames": "ethernet"}
    engine.run("render", job | tunnels.as_job() | {"output": str(output)}, build=build)
    return [ip_packet(frame).hex() for _, frame in records(output.read_bytes())]


def changed(folder: Path, change: dict[str, Any], header: int) -> Path:
    """gtpu-imix with keys of one of its headers changed, as a file."""
    profile = profiles.load("gtpu-imix")
    for variant in profile["variants"]:
        variant["headers"][header].update(change)
    path = folder / "changed.yaml"
    path.write_text(yaml.safe_dump(profile))
    return path


def test_there_are_profiles_of_users() -> None:
    assert {"gtpu-imix", "gtpu-imix-classic", "upf-carrier"} <= set(USERS)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", USERS)
def test_batches_are_the_packets_of_the_engine(real_build: str, tmp_path: Path, name: str, reverse: bool) -> None:
    words = ["--flows", 6000, "--packets", 5000, "--seed", 3, *(["--reverse"] if reverse else [])]
    made = told(real_build, name, "--hex", *words)
    expected = engines(real_build, tmp_path, name, 6000, 5000, reverse)
    assert len({packet[64:72] for packet in made}) > 2500, "thousands of tunnels"
    assert Counter(made) == Counter(expected)
    # Of each kind they come in the order in which they are due, and so do those of each flow.
    for one in {kind(packet) for packet in expected}:
        ours, theirs = ([packet for packet in some if kind(packet) == one] for some in (made, expected))
        assert ours == theirs


def teid(packet: str) -> int:
    return int(packet[64:72], 16)


@pytest.mark.parametrize("text", ["", "[]", '{"teids": []}', None])
def test_a_file_without_tunnels_is_refused(real_build: str, tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "tunnels.json"
    if text is not None:
        file.write_text(text)
    done = columns(real_build, USERS[0], "--tunnels", file)
    assert done.returncode == 1
    assert str(file) in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", USERS)
def test_a_user_plane_that_ends_tunnels_is_sent_its_teids_and_plain_packets(
    real_build: str, tmp_path: Path, name: str, reverse: bool
) -> None:
    of_profile = {teid(packet) for packet in engines(real_build, tmp_path, name, 300, 4000, False)}
    path = TunnelPath("ended", tuple((one, 0xC0000000 + number) for number, one in enumerate(of_profile)))
    file = tmp_path / "tunnels.json"
    file.write_text(json.dumps(path.as_job()))
    words = ["--flows", 300, "--packets", 4000, "--seed", 3, "--tunnels", file, *(["--reverse"] if reverse else [])]
    made = told(real_build, name, "--hex", *words)
    assert Counter(made) == Counter(engines(real_build, tmp_path, name, 300, 4000, reverse, path))
    if reverse:
        whole = engines(real_build, tmp_path, name, 300, 4000, True)
        assert Counter(made) == Counter(packet[88:] for packet in whole)
    else:
        assert {teid(packet) for packet in made} == {chosen for _, chosen in path.endpoints}


def header_octets(packet: str) -> int:
    """Octets of all headers, by version and protocol of the user's packet (44 octets of tunnel in front of it)."""
    octets = bytes.fromhex(packet)[44:]
    version, protocol = octets[0] >> 4, octets[9] if octets[0] >> 4 == 4 else octets[6]
    return 44 + (20 if version == 4 else 40) + (20 if protocol == 6 else 8)


def kind(packet: str) -> tuple[int, bytes]:
    """Octets of all headers, and the text of a request."""
    octets = header_octets(packet)
    payload = bytes.fromhex(packet)[octets:]
    return octets, payload if payload.startswith(b"GET ") else b""


def test_a_request_is_a_kind_of_its_own(real_build: str) -> None:
    """Connections have other ports, servers and flags in each packet; the text of a request is no list."""
    words = ["upf-carrier", "--flows", 60, "--packets", 8000]
    found = told(real_build, *words)
    texts = [batch for batch in found if bytes.fromhex(batch["packet"])[84:].startswith(b"GET ")]
    assert len(texts) > 15
    assert all(batch["count"] == 1 and batch["columns"] == [] for batch in texts)
    assert len(texts) == sum(kind(packet)[1] != b"" for packet in told(real_build, *words, "--hex"))
    assert len({batch["kind"] for batch in found}) == 2 + len(texts)
    for batch in found:
        assert len(json.dumps(batch["columns"])) < MOST_OF_A_REQUEST
        assert 2 + sum(column["octets"] for column in batch["columns"]) <= MOST_OCTETS


def test_the_mix_is_that_of_the_profile(real_build: str) -> None:
    packets = [
        bytes.fromhex(one) for one in told(real_build, "gtpu-imix", "--hex", "--flows", 6000, "--packets", 20000)
    ]
    assert sum(map(len, packets)) / len(packets) == pytest.approx(690, rel=0.02)
    http = sum(len(one) for one in packets if header_octets(one.hex()) in (84, 104))
    assert http / sum(map(len, packets)) == pytest.approx(0.85, abs=0.02)
    assert {one[20:24] for one in packets} == {bytes.fromhex("08680868")}  # both ports 2152
    assert {(one[40], one[41], one[42], one[43]) for one in packets} == {(1, 16, 9, 0), (1, 16, 8, 0)}  # uplink, QFI


def test_a_part_goes_on_where_the_earlier_one_ended(real_build: str) -> None:
    def part(skip: int, packets: int) -> list[str]:
        return told(real_build, "gtpu-imix", "--hex", "--flows", 50, "--packets", packets, "--skip", skip)

    assert Counter(part(0, 400) + part(400, 600)) == Counter(part(0, 1000))


def test_what_a_field_engine_has_to_do_is_little(real_build: str) -> None:
    found = told(real_build, "gtpu-imix", "--flows", 6000, "--packets", 8000)
    assert len({batch["kind"] for batch in found}) == 4
    assert sum(batch["count"] for batch in found) == 8000
    for batch in found:
        assert len(json.dumps(batch["columns"])) < MOST_OF_A_REQUEST
        assert 2 + sum(column["octets"] for column in batch["columns"]) <= MOST_OCTETS
        assert len(batch["lengths"]["places"]) >= 3, "of the outer packet, of UDP, of GTP-U"
        assert batch["headers"][0] == 0
        assert {at for column in batch["columns"] for at, _ in column["places"]}.isdisjoint({10, 54})  # checksums


@pytest.mark.parametrize(
    ("header", "change"),
    [
        (0, {"identification": "random"}),
        (1, {"checksum": True}),
        (2, {"sequence": True}),
        (2, {"sequence": True, "sequence_start": 65500}),
    ],
)
def test_other_tunnels(real_build: str, tmp_path: Path, header: int, change: dict[str, Any]) -> None:
    path = changed(tmp_path, change, header)
    made = told(real_build, path, "--hex", "--flows", 30, "--packets", 1000, "--seed", 3)
    assert Counter(made) == Counter(engines(real_build, tmp_path, str(path), 30, 1000, False))


def test_more_packets_than_a_list_has_values_are_several_batches(real_build: str) -> None:
    words = ["--flows", 100, "--packets", 1500]
    found = told(real_build, "gtpu-imix", "--most-values", 300, *words)
    counts = [batch["count"] for batch in found if batch["kind"] == 0]
    assert len(counts) > 2
    assert set(counts[:-1]) == {300}
    parts = told(real_build, "gtpu-imix", "--hex", "--most-values", 300, *words)
    assert parts == told(real_build, "gtpu-imix", "--hex", *words)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["voip-amr-nb-ipv4"], "TCP or UDP over IP in GTP-U"),
        (["no-such"], "there is no traffic profile"),
        (["gtpu-imix", "--flows", 0], "headroom-engine render"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_a_reason(real_build: str, words: list[object], sentence: str) -> None:
    done = columns(real_build, *words)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


AGAIN = """
import json, sys
sys.path.insert(0, sys.argv[1])
import columns, prepared, rendered
profile = rendered.read_profile("gtpu-imix")
renders = []
render = rendered.render
rendered.render = lambda *words: renders.append(words) or render(*words)
same = []
for count, skip, reverse in json.loads(sys.argv[2]):
    made = prepared.streams(profile, count, 50, 3, reverse, skip, most=100)
    wanted = columns.streams(profile, count, 50, 3, reverse, skip, most=100)
    renders.pop()  # the one of what is wanted
    same.append([batch.as_json() for batch in made] == [batch.as_json() for batch in wanted])
more = [prepared.one_more_flow(profile, 50, 3, False) for _ in range(2)]
in_tunnel, plain = (prepared.one_more_flow(profile, 50, 3, True, tunnels=one) for one in (None, {"tunnels": "kept"}))
print(json.dumps({"same": same, "renders": len(renders), "once": more[0] is more[1], "kept": len(prepared._sources),
                  "plain": in_tunnel.packet[44:].hex() == plain.packet.hex()}))
"""


def test_one_trial_after_the_other_has_the_same_batches(real_build: str) -> None:
    """Whatever was asked for before: fewer packets, more, others; rendered anew only where there are too few."""
    asked = [(700, 0, False), (300, 0, False), (1000, 0, False), (1, 0, False), (700, 0, True), (700, 100, False)]
    asked += [(2000, 0, False), (999, 0, False)]
    done = subprocess.run(
        [sys.executable, "-c", AGAIN, str(COLUMNS.parent), json.dumps(asked)],
        capture_output=True,
        text=True,
        env={**os.environ, "HEADROOM_ENGINE": str(engine_program(real_build))},
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["same"] == [True] * len(asked)
    assert found["once"]
    assert found["kept"] == 3
    assert found["renders"] <= 4 + 3 * 2 * 3, "four of batches, and those of one more flow"
    assert found["plain"], "the one more flow of the downlink, too, goes without its tunnel"
