# SPDX-License-Identifier: Apache-2.0
"""The real engine on a topology of namespaces: frames arrive, and a death is told with its cause."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import Any

import pytest

import headroom
from headroom.core import profiles
from headroom.core.engine_result import EngineFailure
from headroom.core.yamlfile import violations
from headroom.testbed import choice
from headroom.testbed.sender import sender, traffic
from headroom.testbed.topology import Topology
from headroom.tests.runs import run_of
from headroom.tests.sample import record
from headroom.tests.wire.test_netns import namespaces, root


def on_the_wire(build: str) -> Topology:
    if reason := choice.build_lacks(build):
        pytest.skip(reason)
    return choice.make("netns", "link", [0], build)


def start_link(made: Topology, **more: Any) -> Any:
    ports = made.seats["link"].ports
    job = {"a": ports["a"].as_job(), "b": ports["b"].as_job(), "core": made.seats["link"].cores[0]}
    return made.start("link", "link", job | more)


def generate(made: Topology, seconds: float) -> Any:
    seat = made.seats["generator"]
    job = {
        "ports": [port.as_job() for port in seat.ports.values()],
        "profile": profiles.load("voip-amr-nb-ipv6"),
        "flows": 10,
        "rate_pps": 1000,
        "duration_s": seconds,
        "core": seat.cores[0],
    }
    return made.start("generator", "generate", job, ends_by_itself=True)


@root
def test_packets_arrive_as_they_were_sent(real_build: str) -> None:
    with on_the_wire(real_build) as made:
        link = start_link(made)
        made.crew.wait_until_ready()
        result = made.crew.finish(generate(made, 1.0), 30)
        for direction in ("forward", "reverse"):
            found = result[direction]
            assert found["sent"] >= 900
            assert (found["lost"], found["unexpected"], found["others"]) == (0, 0, 0), "and nobody else speaks"
        assert link.statistics()["forward"]["packets"] >= 900
        assert made.crew.stop(link)["command"] == "link"


@root
def test_what_the_link_loses_is_missed(real_build: str) -> None:
    with on_the_wire(real_build) as made:
        start_link(made, forward={"loss": 0.2}, seed=7)
        made.crew.wait_until_ready()
        result = made.crew.finish(generate(made, 1.0), 30)
        assert 0.1 < result["forward"]["lost"] / result["forward"]["sent"] < 0.3
        assert result["reverse"]["lost"] == 0


@root
def test_a_link_that_is_killed_ends_the_trial_with_the_cause(real_build: str) -> None:
    with on_the_wire(real_build) as made:
        link = start_link(made)
        made.crew.wait_until_ready()
        trial = generate(made, 60)
        made.crew.attend(1.0)
        os.kill(link.process.pid, signal.SIGKILL)
        began = time.monotonic()
        with pytest.raises(
            EngineFailure, match=r"^The link \(headroom-engine link in hr-.*-link\): .* died from SIGKILL"
        ):
            made.crew.finish(trial, 90)
        assert time.monotonic() - began < 1.0
        run = made.run  # type: ignore[attr-defined]
    assert namespaces(run) == []


@root
def test_an_interface_that_goes_away_is_told(real_build: str) -> None:
    with on_the_wire(real_build) as made:
        start_link(made)
        made.crew.wait_until_ready()
        subprocess.run([*made.seats["link"].place.words, "ip", "link", "del", "dev", "a"], check=True)
        with pytest.raises(EngineFailure, match=r"^The link .* port a has gone") as caught:
            made.crew.attend(10)
        assert caught.value.kind == "input"


@root
def test_the_generator_that_a_run_asks_for_and_what_its_record_says(real_build: str) -> None:
    asked = run_of(build=real_build, topology="netns")
    with on_the_wire(real_build) as made:
        start_link(made)
        made.crew.wait_until_ready()
        with sender(asked, made, "voip-amr-nb-ipv6", 10) as generator:
            trial = generator.trial(500, 1.0)
        assert trial.sent >= 900
        assert trial.lost == 0
        document = record("a/One", traffic=traffic(made, trial)).as_json()
        assert violations(document, "result") == []
        told = document["traffic"]
        assert told["generator"]["version"] == headroom.__version__
        assert (told["generator"]["name"], told["topology"]["name"], told["topology"]["shape"]) == (
            "memory",
            "netns",
            "link",
        )
