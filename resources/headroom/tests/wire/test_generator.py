# SPDX-License-Identifier: Apache-2.0
"""What a trial asks of TRex and what it makes of the answers, with a stand-in that sends in no time."""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from headroom.core import profiles
from headroom.core.engine_result import EngineFailure
from headroom.core.errors import HeadroomError, UsageError
from headroom.core.machine.build import engine_program
from headroom.testbed import captures
from headroom.testbed.arrivals import ArrivalComparison
from headroom.testbed.captures import records, split
from headroom.testbed.generator import EmbeddedGenerator, TrexGenerator
from headroom.testbed.trex.server import TrexFailure, in_namespace
from headroom.testbed.trex.statistics import direction_of, latency_of, upper_edge
from headroom.testbed.trial import Latency
from headroom.testbed.tunnel_path import TunnelPath
from headroom.tests.wire.namespaces import loop, needs_namespaces


class FakeTrex:
    """Sends what it is told to, loses `loses` packets of port 0, and can fall behind."""

    version = "v3.08"

    def __init__(self, loses: int = 0, never_done: bool = False, sends: float = 1.0) -> None:
        self.loses, self.never_done, self.sends = loses, never_done, sends
        self.notes: list[str] = ["a note"]
        self.calls: list[tuple[str, Any]] = []
        self.wanted: dict[int, int] = {}
        self.counters = {port: {"opackets": 0, "ipackets": 0, "obytes": 0} for port in (0, 1)}

    def load(self, port: int, profile: Path, tunables: Mapping[str, object]) -> int:
        self.calls.append(("load", (port, dict(tunables))))
        pace = float(str(tunables["pps"])) if "pps" in tunables else 100 * float(str(tunables["speed"]))
        pace += float(str(tunables["latency-pps"]))
        self.wanted[port] = round(pace * float(str(tunables["duration"])))
        return self.wanted[port]

    def start(self, ports: Sequence[int], duration_s: float = -1) -> None:
        self.calls.append(("start", (list(ports), duration_s)))
        self._send({port: self.wanted[port] for port in ports})

    def push(self, captures: Mapping[int, Path], gap_us: float) -> None:
        packets = {port: count_of(path) for port, path in captures.items()}
        self.calls.append(("push", (packets, gap_us)))
        self._send(packets)

    def _send(self, packets: Mapping[int, int]) -> None:
        for port, count in packets.items():
            sent = int(count * self.sends)
            self.counters[port]["opackets"] += sent
            self.counters[port]["obytes"] += 100 * sent
            self.counters[1 - port]["ipackets"] += sent - (self.loses if port == 0 else 0)

    def clear(self) -> None:
        self.calls.append(("clear", None))
        for counters in self.counters.values():
            counters.update(dict.fromkeys(counters, 0))

    def wait(self, timeout_s: float) -> bool:
        return not self.never_done

    def sleep(self, seconds: float) -> None:
        self.calls.append(("sleep", seconds))

    def stop(self) -> None:
        self.calls.append(("stop", None))

    def stats(self) -> dict[str, Any]:
        histogram = {"0": 5, "10": 3, "200": 2}
        latency = {"latency": {"average": 12.5, "jitter": 3, "total_max": 230, "total_min": 4, "histogram": histogram}}
        return {"ports": {port: dict(one) for port, one in self.counters.items()}, "latency": {"0": latency}}

    def warnings(self) -> list[str]:
        return ["it rained"]

    def named(self, name: str) -> list[Any]:
        return [what for called, what in self.calls if called == name]


def count_of(path: Path) -> int:
    octets, at, count = path.read_bytes(), 24, 0
    while at < len(octets):
        at += 16 + struct.unpack_from("<I", octets, at + 8)[0]
        count += 1
    return count


def generator(trex: FakeTrex, build: str, name: str = "voip-amr-nb-ipv4", **options: Any) -> TrexGenerator:
    path = profiles.path_of(name)
    options = {"flows": 2, "warmup_s": 0.5, "drain_s": 0.25} | options
    return TrexGenerator(trex, profiles.load(name), path, build=build, **options)  # type: ignore[arg-type]


def test_streams_go_on_where_the_warm_up_ended(real_build: str) -> None:
    trex = FakeTrex()
    trial = generator(trex, real_build).trial(1000, 2)
    loads = [tunables for port, tunables in trex.named("load") if port == 0]
    # Two flows are 100 packets a second; 100 of the 1,000 are for latency.
    assert [float(one["speed"]) for one in loads] == [9.0, 9.0]
    assert [float(one["start"]) for one in loads] == [0.0, 4.5]
    assert [float(one["latency-pps"]) for one in loads] == [0.0, 100.0]
    assert [name for name, _ in trex.calls if name in ("load", "clear", "start", "stop")] == [
        "load", "load", "start", "stop", "load", "load", "clear", "start", "stop",
    ]  # fmt: skip
    assert [seconds for _, seconds in trex.named("start")] == [1.5, 3.0], "streams end by themselves before"
    assert (trial.forward.sent, trial.forward.lost, trial.lost) == (2000, 0, 0)
    assert trial.forward.octets_sent == 2000 * (100 - 18)
    assert trial.notes == ("a note", "it rained")
    assert not trial.forward.compared


def test_users_in_gtpu_go_as_streams_that_count_packets(real_build: str) -> None:
    trex = FakeTrex()
    trial = generator(trex, real_build, "gtpu-imix", flows=60).trial(1000, 2)
    loads = [tunables for port, tunables in trex.named("load") if port == 0]
    assert [(float(one["pps"]), one["skip"]) for one in loads] == [(900.0, 0), (900.0, 450)]
    assert [float(one["latency-pps"]) for one in loads] == [0.0, 100.0]
    assert trial.forward.sent == 2000
    assert trial.forward.latency is not None
    generator(trex, real_build, "gtpu-imix", flows=60).trial(101_000, 1)
    warm, counted = [tunables for port, tunables in trex.named("load") if port == 0][2:]
    assert (float(warm["duration"]), counted["skip"]) == (0.1, 10_000), "no more packets than it takes"


def test_losses_are_of_their_direction(real_build: str) -> None:
    trial = generator(FakeTrex(loses=7), real_build).trial(1000, 1)
    assert trial.reverse is not None
    assert (trial.forward.lost, trial.reverse.lost, trial.lost) == (7, 0, 7)


def test_one_direction_alone(real_build: str) -> None:
    trex = FakeTrex()
    trial = generator(trex, real_build, directions="forward").trial(1000, 1)
    assert trial.reverse is None
    assert {port for port, _ in trex.named("load")} == {0}


def test_a_sender_that_falls_behind_is_stopped_and_told(real_build: str) -> None:
    trex = FakeTrex(never_done=True, sends=0.7)
    trial = generator(trex, real_build, warmup_s=0).trial(1000, 1)
    assert trial.fell_behind
    assert trial.forward.achieved_pps < 800
    assert trial.forward.lost == 0  # what was not sent was not lost
    assert trex.calls[-3][0] == "stop"


def test_trex_that_sends_nothing_is_an_error(real_build: str) -> None:
    with pytest.raises(TrexFailure, match="sent nothing"):
        generator(FakeTrex(sends=0), real_build).trial(1000, 1)


def test_other_profiles_go_as_captures(real_build: str) -> None:
    trex = FakeTrex()
    trial = generator(trex, real_build, "esp-ipv4", flows=5).trial(1000, 2)
    assert trex.named("push") == [({0: 500, 1: 500}, 1000.0), ({0: 2000, 1: 2000}, 1000.0)]
    assert trial.forward.sent == 2000
    assert trial.forward.latency is None
    assert "capture" in trial.forward.latency_missing
    with pytest.raises(UsageError, match="neither voice nor users"):
        generator(trex, real_build, "esp-ipv4", packets="streams")


ENDED = TunnelPath("ended", ((7, 8),), lambda packet: packet[32:36] + packet[44:])


class KeepingTrex(FakeTrex):
    """Keeps the packets of captures, and the tunnels of streams, that it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.packets: dict[int, list[bytes]] = {}
        self.tunnels: list[Any] = []

    def load(self, port: int, profile: Path, tunables: Mapping[str, object]) -> int:
        self.tunnels.append(json.loads(Path(str(tunables["tunnels"])).read_text()))
        return super().load(port, profile, tunables)

    def push(self, captures: Mapping[int, Path], gap_us: float) -> None:
        self.packets = {
            port: [frame[14:] for _, frame in records(path.read_bytes())] for port, path in captures.items()
        }
        super().push(captures, gap_us)


def test_a_program_of_streams_is_given_the_tunnels(real_build: str) -> None:
    trex = KeepingTrex()
    generator(trex, real_build, "gtpu-imix", flows=20, tunnel_path=ENDED).trial(1000, 1)
    assert trex.tunnels == [{"tunnels": "ended", "endpoints": [[7, 8]]}] * 4


def test_a_user_plane_is_sent_the_teids_that_it_chose_and_plain_packets(real_build: str) -> None:
    """From a capture: what arrives is then known by the packet of the user and, downlink, by the profile's TEID."""
    trex, whole = KeepingTrex(), KeepingTrex()
    generator(whole, real_build, "gtpu-imix", flows=1, packets="capture").trial(100, 1)
    up, down = whole.packets[0], whole.packets[1]
    teid = int.from_bytes(up[0][32:36], "big")
    path = TunnelPath("ended", ((teid, 0xC0FFEE),), ENDED.endpoint_and_user)
    ending = generator(trex, real_build, "gtpu-imix", flows=1, packets="capture", tunnel_path=path)
    ending.trial(100, 1)
    assert trex.packets[0] == [one[:32] + (0xC0FFEE).to_bytes(4, "big") + one[36:] for one in up]
    assert trex.packets[1] == [one[44:] for one in down]

    assert ending._expected(0, 100, 1) == [one[44:] for one in up]
    sent = ending._expected(1, 100, 1)
    assert [path.known_by(one, True) for one in sent] == [one[32:36] + one[44:] for one in down]
    other_path = [bytes(32) + one[32:] for one in down]
    assert ending._compare(1, sent, other_path) == ArrivalComparison(100)
    elsewhere = [*other_path[:-1], other_path[-1][:35] + bytes([other_path[-1][35] ^ 1]) + other_path[-1][36:]]
    assert ending._compare(1, sent, elsewhere).equal == 99


def test_a_bare_bridge_gets_tunnels_on_one_side_and_passes_them_on(real_build: str) -> None:
    trex, whole = KeepingTrex(), KeepingTrex()
    generator(whole, real_build, "gtpu-imix", flows=5, packets="capture").trial(100, 1)
    bridged = generator(trex, real_build, "gtpu-imix", flows=5, packets="capture", tunnel_path=TunnelPath("kept"))
    bridged.trial(100, 1)
    assert trex.packets == {0: whole.packets[0], 1: [one[44:] for one in whole.packets[1]]}
    assert [bridged._expected(port, 100, 1) for port in (0, 1)] == [trex.packets[0], trex.packets[1]]


def test_a_capture_that_would_not_fit_is_refused(real_build: str) -> None:
    with pytest.raises(UsageError, match="too many"):
        generator(FakeTrex(), real_build, packets="capture").trial(1e6, 60)


@pytest.mark.parametrize(("rate", "duration"), [(0, 1), (-5, 1), (10, 0), (float("nan"), 1)])
def test_rates_and_durations_that_are_none(real_build: str, rate: float, duration: float) -> None:
    with pytest.raises(UsageError, match="above 0"):
        generator(FakeTrex(), real_build).trial(rate, duration)


def test_a_capture_that_fills_memory_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captures, "MOST_OCTETS", 1000)
    whole = tmp_path / "whole.pcap"
    with whole.open("wb") as file:
        file.truncate(1001)
    with pytest.raises(EngineFailure, match="has more than 1000 octets; ask for fewer packets") as caught:
        captures.split(whole, 1, tmp_path / "head", tmp_path / "tail")
    assert caught.value.kind == "garbage"


def test_a_capture_is_split_between_packets(tmp_path: Path) -> None:
    records = [struct.pack("<IIII", 0, 0, length, length) + bytes(length) for length in (5, 9, 60)]
    whole = tmp_path / "whole.pcap"
    whole.write_bytes(bytes(24) + b"".join(records))
    split(whole, 2, tmp_path / "head", tmp_path / "tail")
    assert (tmp_path / "head").read_bytes() == bytes(24) + records[0] + records[1]
    assert (tmp_path / "tail").read_bytes() == bytes(24) + records[2]


def test_latency_is_in_nanoseconds_with_upper_edges() -> None:
    found = latency_of(FakeTrex().stats(), 0)
    assert found == Latency(10, 12500.0, 3000.0, 4000.0, 230000.0, ((10000.0, 5), (20000.0, 3), (300000.0, 2)))
    assert [found.percentile(share) for share in (0.0, 0.5, 0.8, 0.81, 1.0)] == [
        10000.0,
        10000.0,
        20000.0,
        2.3e5,
        2.3e5,
    ]
    stats = FakeTrex().stats()
    stats["latency"]["0"]["latency"]["total_max"] = 15  # of the periods that are over
    assert (found := latency_of(stats, 0)) is not None
    assert found.most_ns == 200_000.0
    stats["latency"]["0"]["latency"]["last_max"] = 250
    assert (found := latency_of(stats, 0)) is not None
    assert found.most_ns == 250_000.0
    assert latency_of({"latency": {"global": {}}}, 0) is None
    assert [upper_edge(lower) for lower in (0, 10, 90, 100, 900, 1000)] == [10, 20, 100, 200, 1000, 2000]


def test_stray_packets_are_unexpected_and_hide_nothing_below_zero() -> None:
    stats = {"ports": {0: {"opackets": 10, "obytes": 1000}, 1: {"ipackets": 12}}}
    found = direction_of(stats, 0, 1, 10.0, 1.0, "none asked for")
    assert (found.lost, found.unexpected) == (0, 2)


def test_the_embedded_generator_is_a_job_of_the_engine() -> None:
    jobs = []
    direction = {
        "requested_pps": 1000, "achieved_pps": 999.5, "sent": 1000, "received": 997, "lost": 3, "unexpected": 1,
        "duplicated": 1, "octets_sent": 71000, "fell_behind": False,
        "latency_ns": {"count": 997, "average": 5.0, "jitter": 1.0, "max": 9.0, "buckets": [[8.0, 900], [10.0, 97]]},
    }  # fmt: skip

    def run(command: str, job: dict[str, Any]) -> dict[str, Any]:
        jobs.append((command, job))
        return {"engine": {"version": "0.1.0"}, "forward": direction, "complete": job["rate_pps"] < 5000}

    ports = [{"interface": "g0"}, {"interface": "g1"}]
    embedded = EmbeddedGenerator(ports, {"name": "p"}, 5, directions="forward", common={"core": 1}, run=run)
    trial = embedded.trial(1000, 1)
    command, job = jobs[0]
    assert command == "generate"
    assert job["ports"] == ports
    assert (job["core"], job["rate_pps"], job["flows"], job["directions"]) == (1, 1000, 5, "forward")
    assert trial.forward.compared
    assert (trial.lost, trial.forward.unexpected, trial.reverse) == (3, 2, None)
    assert trial.forward.latency is not None
    assert trial.forward.latency.percentile(0.99) == 9.0
    assert trial.as_json()["forward"]["latency"]["most_ns"] == 9.0
    with pytest.raises(HeadroomError, match="before its time"):
        embedded.trial(5000, 1)


@needs_namespaces
def test_the_embedded_generator_on_a_real_loop(real_build: str) -> None:
    program = engine_program(real_build)
    if not program.with_name(f"{program.name}-wire").is_file():
        pytest.skip("this build has no DPDK ports")
    with loop() as namespace:

        def run(command: str, job: dict[str, Any]) -> dict[str, Any]:
            words = [*in_namespace(namespace), str(program), command, "--job", "-"]
            done = subprocess.run(words, input=json.dumps(job), capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done.stdout + done.stderr
            return json.loads(done.stdout)

        ports = [{"interface": "g0"}, {"interface": "g1"}]
        common = {"idle": "sleep", "eal": {"huge": "never", "memory_mb": 128}}
        embedded = EmbeddedGenerator(ports, profiles.load("voip-amr-nb-ipv4"), 10, common=common, run=run)
        trial = embedded.trial(1000, 1)
    assert [one.sent for one in trial.directions] == [1000, 1000]
    assert trial.lost == 0
    assert all(one.compared and one.unexpected == 0 and one.latency for one in trial.directions)
