# SPDX-License-Identifier: Apache-2.0
"""The driver, the profiles and the generator with a real TRex, where $TREX_ROOT names one."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from headroom.core import engine, profiles
from headroom.core.errors import HeadroomError
from headroom.core.machine.build import engine_program
from headroom.core.paths import ROOT
from headroom.testbed.captures import records
from headroom.testbed.generator import STREAMS, TrexGenerator
from headroom.testbed.trex import installation as trex_installation
from headroom.testbed.trex import server
from headroom.testbed.trex.client import Trex, running
from headroom.testbed.trex.home import PROFILES
from headroom.testbed.trex.pipe import Refusal
from headroom.testbed.trex.server import Port, TrexFailure, in_namespace
from headroom.tests.wire import sip
from headroom.tests.wire.namespaces import Sniffer, loop, needs_namespaces
from headroom.tests.wire.test_columns import GTPU_STREAMS

pytestmark = [
    needs_namespaces,
    pytest.mark.skipif(not os.environ.get("TREX_ROOT"), reason="TREX_ROOT names no TRex"),
]

PORTS = (Port("g0"), Port("g1"))
SIP = PROFILES / "sip_3gpp.py"
ETHERNET = 14


@pytest.fixture(scope="module")
def namespace() -> Iterator[str]:
    with loop() as name:
        yield name


@pytest.fixture(scope="module")
def driven(namespace: str, real_build: str) -> Iterator[Trex]:
    """One server for all tests that leave it alive."""
    os.environ["HEADROOM_ENGINE"] = str(engine_program(real_build))  # the agent's, and so the profiles'
    with running(in_namespace(namespace), PORTS) as found:
        yield found
    del os.environ["HEADROOM_ENGINE"]


@pytest.fixture
def namespace_of_its_own() -> Iterator[str]:
    with loop() as name:
        yield name


@pytest.fixture(scope="module")
def calling() -> Iterator[str]:
    with loop() as name:
        yield name


@pytest.fixture(scope="module")
def calls(calling: str) -> Iterator[Trex]:
    """A server for sessions."""
    with running(in_namespace(calling), PORTS, "astf") as found:
        yield found


def udp_by_flow(frames: list[bytes]) -> dict[bytes, list[bytes]]:
    """Payloads of UDP over IPv4, by addresses and ports."""
    found: dict[bytes, list[bytes]] = {}
    for frame in frames:
        packet = frame[ETHERNET:]
        if frame[12:14] == b"\x08\x00" and packet[9] == 17:
            length = int.from_bytes(packet[24:26], "big")
            found.setdefault(packet[12:24], []).append(packet[28 : 20 + length])
    return found


@contextlib.contextmanager
def listening(namespace: str) -> Iterator[dict[int, Sniffer]]:
    """Listeners where the packets of port 0 and of port 1 arrive."""
    sniffers = {0: Sniffer(namespace, "g1"), 1: Sniffer(namespace, "g0")}
    try:
        yield sniffers
    finally:
        for sniffer in sniffers.values():
            sniffer.close()


def rendered(
    build: str, folder: Path, name: str, flows: int, reverse: bool, pattern: bool, **limit: float
) -> list[bytes]:
    profile = profiles.load(name)
    if pattern:
        for variant in profile["variants"]:
            variant["payload"]["content"] = "pattern"
    output = folder / "rendered.pcap"
    job = {"profile": profile, "flows": flows, "seed": 1, "reverse": reverse, "output": str(output)}
    engine.run("render", job | limit, build=build)
    octets, at, found = output.read_bytes(), 24, []
    while at < len(octets):
        length = int.from_bytes(octets[at + 8 : at + 12], "little")
        found.append(octets[at + 16 : at + 16 + length])
        at += 16 + length
    return found


def ip_packets(frames: list[bytes]) -> list[bytes]:
    return [frame[ETHERNET:] for frame in frames]


def test_it_tells_its_version_and_ports(driven: Trex) -> None:
    assert driven.version == trex_installation.find().version
    assert [port["port"] for port in driven.ports] == [0, 1]
    assert all("net_af_packet" in port["driver"] for port in driven.ports)


@pytest.mark.parametrize(
    "name",
    [
        "voip-amr-nb-ipv4",
        "voip-amr-nb-ipv4-checksum",
        "voip-amr-nb-ipv6",
        "voip-g711-ipv6",
        "voip-amr-nb-ipv4-silence",
        "voip-mixed",
    ],
)
def test_the_packets_on_the_wire_are_those_of_the_memory_generator(
    driven: Trex, namespace: str, real_build: str, tmp_path: Path, name: str
) -> None:
    tunables = {"profile": name, "flows": 20, "duration": 3}
    with listening(namespace) as sniffers:
        for port in (0, 1):
            driven.load(port, STREAMS, tunables)
        driven.start([0, 1])
        assert driven.wait(20)
        for port, sniffer in sniffers.items():
            expected = rendered(real_build, tmp_path, name, 20, port == 1, True, duration_s=3)
            arrived = ip_packets(sniffer.frames())
            assert len(arrived) == len(expected) > 500
            assert Counter(arrived) == Counter(expected)
    driven.stop()


@pytest.mark.parametrize("name", ["gtpu-imix", "gtpu-imix-classic", "upf-carrier"])
def test_users_in_gtpu_on_the_wire_are_those_of_the_memory_generator(
    driven: Trex, namespace: str, real_build: str, tmp_path: Path, name: str
) -> None:
    tunables = {"profile": name, "flows": 6000, "duration": 2, "pps": 2000, "skip": 500}
    with listening(namespace) as sniffers:
        for port in (0, 1):
            assert driven.load(port, GTPU_STREAMS, tunables) == 4000
        driven.start([0, 1])
        assert driven.wait(20)
        for port, sniffer in sniffers.items():
            expected = rendered(real_build, tmp_path, name, 6000, port == 1, True, packets=4500)[500:]
            arrived = ip_packets(sniffer.frames())
            assert len({packet[32:36] for packet in arrived}) > 1500, "thousands of tunnels"
            assert Counter(arrived) == Counter(expected)
            for tunnel in {packet[32:36] for packet in expected[:200]}:
                assert [p for p in arrived if p[32:36] == tunnel] == [p for p in expected if p[32:36] == tunnel]
    driven.stop()


def test_users_in_gtpu_go_on_for_ever_and_at_an_even_pace(driven: Trex, namespace: str, real_build: str) -> None:
    with listening(namespace) as sniffers:
        driven.load(0, GTPU_STREAMS, {"flows": 100, "pps": 500})
        driven.start([0])
        time.sleep(3)
        assert driven.active() == [0]
        driven.stop()
        arrived = ip_packets(sniffers[0].frames())
    assert 1000 < len(arrived) < 2500
    assert max(Counter(arrived).values()) >= 2, "after two seconds the packets start over"


def test_each_flow_keeps_its_order(driven: Trex, namespace: str, real_build: str, tmp_path: Path) -> None:
    with listening(namespace) as sniffers:
        driven.load(0, STREAMS, {"profile": "voip-amr-nb-ipv4-silence", "flows": 10, "duration": 4})
        driven.start([0])
        assert driven.wait(20)
        arrived = ip_packets(sniffers[0].frames())
    expected = rendered(real_build, tmp_path, "voip-amr-nb-ipv4-silence", 10, False, True, duration_s=4)
    for ports in {packet[20:24] for packet in expected}:
        assert [p for p in arrived if p[20:24] == ports] == [p for p in expected if p[20:24] == ports]


def test_captures_go_octet_by_octet(driven: Trex, namespace: str, real_build: str, tmp_path: Path) -> None:
    name = "esp-ipv6"
    generator = TrexGenerator(driven, profiles.load(name), profiles.path_of(name), 10, build=real_build)
    with listening(namespace) as sniffers:
        trial = generator.trial(1000, 2)
        for port, sniffer in sniffers.items():
            expected = rendered(real_build, tmp_path, name, 10, port == 1, False, packets=2500)
            assert ip_packets(sniffer.frames()) == expected
    assert trial.lost == 0
    assert [one.sent for one in trial.directions] == [2000, 2000]


def test_a_trial_at_ten_thousand_loses_nothing_and_has_latencies(driven: Trex, real_build: str) -> None:
    name = "voip-amr-nb-ipv4"
    generator = TrexGenerator(driven, profiles.load(name), profiles.path_of(name), 100, build=real_build)
    for _ in range(5):  # what takes a core away for a moment costs packets, or makes the sender late
        trial = generator.trial(5000, 3)
        if trial.lost == 0 and not trial.fell_behind:
            break
    assert trial.lost == 0
    assert not trial.fell_behind
    for one in trial.directions:
        assert one.sent == pytest.approx(15000, rel=0.005)
        assert one.received == one.sent
        assert one.latency is not None
        assert one.latency.count == pytest.approx(1500, rel=0.02)
        assert one.latency.average_ns and one.latency.most_ns and one.latency.buckets
    assert server.LATENCY_NOTE in trial.notes


def test_too_much_is_told_and_not_taken_for_loss(driven: Trex, real_build: str) -> None:
    name = "voip-amr-nb-ipv4"
    generator = TrexGenerator(
        driven, profiles.load(name), profiles.path_of(name), 100, warmup_s=0, directions="forward", build=real_build
    )
    trial = generator.trial(1_000_000, 0.5)
    assert trial.fell_behind
    assert trial.forward.achieved_pps < 900_000


def test_a_profile_that_trex_cannot_send_is_refused(driven: Trex) -> None:
    with pytest.raises(Refusal, match="RTP over UDP"):
        driven.load(0, STREAMS, {"profile": "esp-ipv4"})
    with pytest.raises(Refusal, match=r"say a --duration|Say a --duration"):
        driven.load(0, STREAMS, {"profile": "voip-mixed"})


def test_killing_it_ends_the_trial_as_an_error(real_build: str) -> None:
    name = "voip-amr-nb-ipv4"
    with loop() as own, running(in_namespace(own), PORTS) as found:
        generator = TrexGenerator(found, profiles.load(name), profiles.path_of(name), 10, build=real_build)
        inside = subprocess.run(["ip", "netns", "pids", own], capture_output=True, text=True).stdout.split()
        servers = [int(pid) for pid in inside if "_t-rex-64" in Path("/proc", pid, "comm").read_text()]
        assert len(servers) == 1
        killed_at = []

        def kill() -> None:
            time.sleep(4)
            killed_at.append(time.monotonic())
            os.kill(servers[0], signal.SIGKILL)

        threading.Thread(target=kill, daemon=True).start()
        with pytest.raises(TrexFailure, match=r"SIGKILL.*not a limit"):
            generator.trial(1000, 20)
        assert time.monotonic() - killed_at[0] < 10


@pytest.mark.parametrize("start", [{"sequence_start": 65500}, {"timestamp_start": 0xFFFFFF00}])
def test_numbers_that_wrap(
    driven: Trex, namespace: str, real_build: str, tmp_path: Path, start: dict[str, int]
) -> None:
    profile = profiles.load("voip-amr-nb-ipv4")
    profile["variants"][0]["headers"][-1].update(start)
    path = tmp_path / "wraps.yaml"
    path.write_text(yaml.safe_dump(profile))
    with listening(namespace) as sniffers:
        driven.load(0, STREAMS, {"profile": path, "flows": 3, "duration": 2})
        driven.start([0])
        assert driven.wait(20)
        arrived = ip_packets(sniffers[0].frames())
    assert Counter(arrived) == Counter(rendered(real_build, tmp_path, str(path), 3, False, True, duration_s=2))


@pytest.mark.parametrize("sequence", sip.NAMES)
def test_calls_are_the_messages_of_their_sequence(calls: Trex, calling: str, sequence: str) -> None:
    with listening(calling) as sniffers:
        calls.astf_load(SIP, {"sequence": sequence, "cps": 20, "holding-time": 0.2})
        calls.astf_start(duration_s=2)
        calls.sleep(3.5)
        stats = calls.stats()
        calls.stop()
        arrived = {port: udp_by_flow(sniffer.frames()) for port, sniffer in sniffers.items()}
    expected = {0: [m for arrow, m in sip.messages(sequence) if arrow == ">"]}
    expected[1] = [m for arrow, m in sip.messages(sequence) if arrow == "<"]
    for port, messages in expected.items():
        assert len(arrived[port]) >= 30
        assert all(flow == messages for flow in arrived[port].values())
    assert stats["sessions"]["client"]["udps_connects"] == len(arrived[0])
    assert stats["sessions"]["client"].get("udps_keepdrops", 0) == 0


def test_after_a_failure_nothing_is_left(real_build: str) -> None:
    before = set(server.DPDK_STATE.glob(f"{server.LEFT}*"))
    with loop() as own:
        with pytest.raises(HeadroomError), running(in_namespace(own), PORTS):
            raise HeadroomError("something of the caller's")
        assert subprocess.run(["ip", "netns", "pids", own], capture_output=True, text=True).stdout == ""
        assert set(server.DPDK_STATE.glob(f"{server.LEFT}*")) <= before


def stl_sim(build: str, *words: str, program: Path = STREAMS) -> subprocess.CompletedProcess[str]:
    installation = trex_installation.find()
    return subprocess.run(
        [sys.executable, "-m", "trex.stl.trex_stl_sim", "-p", str(installation.folder), "-f", str(program), *words],
        cwd=installation.folder,
        env=installation.environment()
        | {"PYTHONPATH": str(installation.client), "HEADROOM_ENGINE": str(engine_program(build))},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("name", ["voip-amr-nb-ipv4", "voip-amr-nb-ipv6-silence", "voip-mixed"])
def test_stl_sim_takes_the_profile(real_build: str, name: str) -> None:
    done = stl_sim(real_build, "--json", "-t", "--profile", name, "--flows", "3", "--duration", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    streams = json.loads(done.stdout[done.stdout.index("[\n") :])
    assert len(streams) >= 3


def test_stl_sim_makes_the_same_packets(real_build: str, tmp_path: Path) -> None:
    if not (trex_installation.find().folder / "bp-sim-64").exists():
        pytest.skip("this TRex comes without bp-sim-64, with which stl-sim makes a capture")
    name, output = "voip-amr-nb-ipv4-silence", tmp_path / "sim.pcap"
    words = ["-o", str(output), "-l", "100000", "--release"]
    done = stl_sim(real_build, *words, "-t", "--profile", name, "--flows", "5", "--duration", "4")
    assert done.returncode == 0, done.stdout + done.stderr
    octets, at, arrived = output.read_bytes(), 24, []
    while at < len(octets):
        length = int.from_bytes(octets[at + 8 : at + 12], "little")
        arrived.append(octets[at + 16 + ETHERNET : at + 16 + length])
        at += 16 + length
    assert Counter(arrived) == Counter(rendered(real_build, tmp_path, name, 5, False, True, duration_s=4))


def test_stl_sim_makes_the_same_users_in_gtpu(real_build: str, tmp_path: Path) -> None:
    if not (trex_installation.find().folder / "bp-sim-64").exists():
        pytest.skip("this TRex comes without bp-sim-64, with which stl-sim makes a capture")
    output = tmp_path / "sim.pcap"
    words = ["-o", str(output), "-l", "100000", "--release", "-t", "--flows", "500", "--duration", "1", "--pps", "3000"]
    done = stl_sim(real_build, *words, program=GTPU_STREAMS)
    assert done.returncode == 0, done.stdout + done.stderr
    arrived = [frame[ETHERNET:] for _, frame in records(output.read_bytes())]
    expected = rendered(real_build, tmp_path, "gtpu-imix", 500, False, True, packets=3000)
    assert Counter(arrived) == Counter(expected)


def test_what_trex_is_told_stands_for_the_packets(real_build: str, tmp_path: Path) -> None:
    """Streams as JSON, as the client sends them to a server, carried out here: no server is needed for that."""
    words = ["--json", "-t", "--flows", "500", "--duration", "1", "--pps", "1000"]
    done = stl_sim(real_build, *words, program=GTPU_STREAMS)
    assert done.returncode == 0, done.stdout + done.stderr
    streams = json.loads(done.stdout[done.stdout.index("[\n") :])
    made = [packet for one in streams for packet in carried_out(one)]
    assert Counter(made) == Counter(rendered(real_build, tmp_path, "gtpu-imix", 500, False, True, packets=1000))


def carried_out(stream: dict[str, Any]) -> Iterator[bytes]:
    """The IP packets of a stream of lists: what each instruction of the field engine does, by TRex's description."""
    program = stream["vm"]["instructions"]
    lists = {one["name"]: one["value_list"] for one in program if one["type"] == "flow_var"}
    octets = {one["name"]: one["size"] for one in program if one["type"] == "flow_var"}
    for number in range(stream["mode"]["total_pkts"]):
        frame, length = bytearray(base64.b64decode(stream["packet"]["binary"])), None
        for one in program:
            if one["type"] == "write_flow_var":
                size, at = octets[one["name"]], one["pkt_offset"]
                value = (lists[one["name"]][number] + one["add_value"]) % (1 << 8 * size)
                frame[at : at + size] = value.to_bytes(size, "big")
            elif one["type"] == "fix_checksum_ipv4":
                at = one["pkt_offset"]
                frame[at + 10 : at + 12] = b"\0\0"
                total = sum(int.from_bytes(frame[at + n : at + n + 2], "big") for n in range(0, 20, 2))
                while total >> 16:
                    total = (total & 0xFFFF) + (total >> 16)
                frame[at + 10 : at + 12] = (0xFFFF - total).to_bytes(2, "big")
            elif one["type"] == "trim_pkt_size":
                length = lists[one["name"]][number]
            else:
                assert one["type"] == "flow_var"
        yield bytes(frame[ETHERNET:length])


@pytest.mark.parametrize(
    ("program", "name", "limit"),
    [(STREAMS, "voip-amr-nb-ipv4", {"duration_s": 1}), (GTPU_STREAMS, "gtpu-imix", {"packets": 10_000})],
)
def test_the_console_starts_the_profile(
    namespace_of_its_own: str, real_build: str, tmp_path: Path, program: Path, name: str, limit: dict[str, int]
) -> None:
    installation, place = trex_installation.find(), in_namespace(namespace_of_its_own)
    with server.Server(installation, place, PORTS):
        sniffer = Sniffer(namespace_of_its_own, "g1")
        done = subprocess.run(
            [*place, sys.executable, "-m", "trex.console.trex_console"],
            input=f"start -f {program} -p 0 1 -t --flows 5 --duration 1\nquit\n",
            cwd=installation.folder,
            env=installation.environment()
            | {"PYTHONPATH": str(installation.client), "HEADROOM_ENGINE": str(engine_program(real_build))},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        time.sleep(2)
        arrived = ip_packets(sniffer.frames())
    # The console's leaving stops what it has started, so not all need have been sent.
    expected = Counter(rendered(real_build, tmp_path, name, 5, False, True, **limit))
    assert arrived
    assert not Counter(arrived) - expected


def test_the_repository_is_where_the_profiles_look(driven: Trex) -> None:
    assert (ROOT / "traffic-profiles" / "trex" / "rendered.py").is_file()
    assert driven.load(0, STREAMS, {"flows": 1, "duration": 1}) == 50
