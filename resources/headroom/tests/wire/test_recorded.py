# SPDX-License-Identifier: Apache-2.0
"""The driver and the generator against what a real TRex server answered.

`recordings/` holds the exchanges of trials on a loop, as the pipe had them (JSON-RPC, a request and its reply a line).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headroom.core import profiles
from headroom.core.paths import ROOT
from headroom.testbed.generator import TrexGenerator
from headroom.testbed.trex.client import Trex
from headroom.testbed.trex.pipe import Pipe, Refusal
from headroom.tests.wire import recorded_agent

RECORDINGS = Path(__file__).with_name("recordings")
Played = Callable[[str], Trex]
RECORDED = [("streams", "voip-amr-nb-ipv4", 4), ("users", "gtpu-imix", 600)]


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    pipes: list[Pipe] = []

    def played(name: str) -> Trex:
        recording = RECORDINGS / f"{name}.jsonl"
        command = [sys.executable, recorded_agent.__file__, str(recording), str(ROOT)]
        pipes.append(Pipe(command, "the recording", tmp_path / "log"))
        return Trex(pipes[-1], pipes[-1].call("connect", mode="astf" if name == "sessions" else "stl"))

    yield played
    for pipe in pipes:
        pipe.close()


def generator(trex: Trex, name: str, build: str, **options: object) -> TrexGenerator:
    options = {"flows": 4, "warmup_s": 0.2, "drain_s": 0.2} | options
    return TrexGenerator(trex, profiles.load(name), profiles.path_of(name), build=build, **options)  # type: ignore[arg-type]


def recorded(name: str, method: str) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in (RECORDINGS / f"{name}.jsonl").read_text().splitlines()]
    return [line["reply"].get("result") for line in lines if line["request"]["method"] == method]


def test_the_server_introduces_itself(played: Played) -> None:
    trex = played("streams")
    assert trex.version == "v3.08"
    assert [port["port"] for port in trex.ports] == [0, 1]


@pytest.mark.parametrize(("recording", "name", "flows"), RECORDED)
def test_a_trial_with_streams(played: Played, real_build: str, recording: str, name: str, flows: int) -> None:
    trial = generator(played(recording), name, real_build, flows=flows).trial(2000, 1)
    counters = recorded(recording, "stats")[-1]["ports"]
    assert trial.reverse is not None
    for one, port in ((trial.forward, "0"), (trial.reverse, "1")):
        assert one.sent == counters[port]["opackets"] == 2000  # type: ignore[index]
        assert (one.lost, one.unexpected) == (0, 0)  # whether it fell behind is a matter of this machine's clock
        assert one.latency is not None
        assert one.latency.count == 200
        assert one.latency.average_ns is not None
        assert one.latency.most_ns is not None
        assert one.latency.buckets[0][0] <= one.latency.average_ns <= one.latency.most_ns
        assert one.latency.most_ns <= one.latency.buckets[-1][0]


def test_a_trial_with_captures(played: Played, real_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []
    trex = played("captures")
    # The files are temporary, and have other names each time: what was pushed is looked at here.
    push = trex.push
    monkeypatch.setattr(
        trex, "push", lambda captures, gap_us: (sent.append((sorted(captures), gap_us)), push(captures, gap_us))
    )
    trial = generator(trex, "esp-ipv4", real_build).trial(1000, 1)
    assert sent == [([0, 1], 1000.0)] * 2
    assert [one.sent for one in trial.directions] == [1000, 1000]
    assert trial.lost == 0


def test_sessions(played: Played) -> None:
    trex = played("sessions")
    trex.astf_load(ROOT / "traffic-profiles" / "trex" / "sip_3gpp.py", {"sequence": "basic-voice-call", "cps": 20})
    trex.astf_start(duration_s=1)
    sessions = trex.stats()["sessions"]
    assert sessions["client"]["udps_connects"] == sessions["server"]["udps_accepts"] > 10


def test_what_the_server_refuses(played: Played) -> None:
    with pytest.raises(Refusal, match="RTP over UDP"):
        played("refusal").load(0, ROOT / "traffic-profiles" / "trex" / "voip_flow_pairs.py", {"profile": "esp-ipv4"})


def test_a_request_that_was_not_recorded_is_none(played: Played) -> None:
    with pytest.raises(Refusal, match="not as recorded"):
        played("streams").clear()
