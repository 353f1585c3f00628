# SPDX-License-Identifier: Apache-2.0
"""Throughput and latency as cases: what they note, how they end, what the report shows of it; and a line for real."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from headroom.ending import EngineFailure
from headroom.keywords import forwarding
from headroom.report.render import page
from headroom.results import collector
from headroom.results.record import Record
from headroom.settings import Settings
from headroom.tests.sample import record
from headroom.tests.wire.test_netns import namespaces, root
from headroom.tests.wire.test_throughput import Line
from headroom.wire import choice
from headroom.wire.line import Load, line, node_job
from headroom.wire.throughput import NDR, PDR, GeneratorFellBehind, NoThroughput, Rate
from headroom.wire.topology import Topology
from headroom.wire.trial import Direction, Latency, Trial
from headroom.yamlfile import violations

TRAFFIC = {"generator": {"name": "memory", "version": "1"}, "topology": {"name": "netns"}}


class FakeLine:
    """A line whose nodes forward `limit` packets/s; the null codec twice as many, the bridge more than is sent."""

    made = None

    def __init__(self, limit: float, most: float = 1e9) -> None:
        self.line = Line(limit, most)

    def trial(self, rate_pps: float, duration_s: float) -> Trial:
        told = self.line(rate_pps, duration_s)
        one = told.forward
        seen = Latency(one.received, 2e3, 1e2, 1e3, 9e3, ((2e3, one.received - 1), (9e3, 1)))
        way = Direction(**{**vars(one), "latency": seen})
        return Trial("embedded", "1", rate_pps, duration_s, way, way)

    def loaded(self, rate_pps: float, duration_s: float) -> tuple[Trial, list[Load]]:
        return self.trial(rate_pps, duration_s), [Load("compressor", 0, "busy_share", 0.75)]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Lines made up, and the codecs that were measured, in order."""
    made: list[str] = []
    limits = {"asked": (40_000.0, 1e9), "null": (80_000.0, 1e9), "bridge": (1e9, 150_000.0)}

    @contextmanager
    def line_of(asked: Any, cores: Any, codec: str, profile: str, flows: int) -> Iterator[FakeLine]:
        made.append(codec)
        yield FakeLine(*limits[codec])

    monkeypatch.setattr(forwarding, "line", line_of)
    monkeypatch.setattr(forwarding, "traffic", lambda made, trial: TRAFFIC)
    monkeypatch.setattr(forwarding, "_known", {})
    monkeypatch.setattr(choice, "require", lambda topology, build: None)
    monkeypatch.setattr(forwarding.settings, "from_robot", lambda: Settings(topology="netns", quick=True))
    collector.begin()
    yield made
    collector.begin()


def noted(identity: str) -> Record:
    current = collector.current()
    names = ("parameters", "metrics", "histograms", "core_load", "series", "traffic")
    return record(identity, **{name: getattr(current, name) for name in names})


def value(name: str) -> float | None:
    return next(metric.value for metric in collector.current().metrics if metric.name == name)


def test_a_rate_its_controls_and_its_loads_are_noted(fake: list[str]) -> None:
    words = forwarding.Forwarding()
    words.throughput_should_be_found("", "1c", "none")
    assert 35_000 < (value("ndr") or 0) <= 40_000
    assert 70_000 < (value("null_ndr") or 0) <= 80_000
    assert value("bridge_ndr") is None and (value("bridge_ndr_at_least") or 0) > 80_000
    assert {(one.source, one.busy) for one in collector.current().core_load} == {("busy_share of the compressor", 0.75)}
    assert fake == ["asked", "null", "bridge"]
    first = noted("performance/throughput/One Core NDR").as_json()
    assert violations(first, "result") == []
    collector.begin()
    words.throughput_should_be_found("", "1c", "0.5 %")
    assert fake == ["asked", "null", "bridge"], "rows share what was measured"
    collector.begin()
    words.latency_should_be_measured("", "1c", "50 %")
    assert value("rate") == pytest.approx(0.5 * (value("pdr") or 0))
    assert (value("forward_p50"), value("reverse_longest")) == (2e3, 9e3)
    second = noted("performance/latency/One Core At 50 % Of PDR").as_json()
    assert violations(second, "result") == []
    assert {one["name"] for one in second["histograms"]} == {"wire_latency_forward", "wire_latency_reverse"}
    shown = next(
        one for one in page([first, second], forwarding.settings.from_robot().folder).sections if one.id == "wire"
    )
    rates, delays = (part.content for part in shown.parts if part.kind == "table")
    assert rates.rows[0].cells[3].text.startswith("above ")
    assert "compressor 0: 75%" in rates.rows[0].cells[4].text
    assert [row.cells[0].text for row in delays.rows] == ["1c at 50%, forward", "1c at 50%, reverse"]
    assert sum(part.kind == "figure" for part in shown.parts) == 2


def test_what_kept_a_rate_from_being_found_decides_the_verdict() -> None:
    with pytest.raises(NoThroughput, match="The NDR was not found: it is above"):
        forwarding.require_rate(Rate(NDR, None, "it is above 1 packets/s", 1.0, True), NDR)
    with pytest.raises(AssertionError, match="There is no PDR: packets are lost"):
        forwarding.require_rate(Rate(PDR, None, "packets are lost at 2,000 packets/s already"), PDR)


def test_a_generator_that_does_not_keep_up_measures_no_latency() -> None:
    with pytest.raises(GeneratorFellBehind, match="does not keep up with 5,000"):
        forwarding.steady_trials(FakeLine(1e9, most=100), 5000, 2, 1.0)  # type: ignore[arg-type]


def test_words_that_are_no_loss() -> None:
    assert (forwarding.goal_of("none"), forwarding.goal_of("0.5 %")) == (NDR, PDR)
    with pytest.raises(ValueError, match=r"there are none, 0\.5 %"):
        forwarding.goal_of("3 %")


def test_without_interfaces_it_is_unsupported() -> None:
    from robot.api import SkipExecution

    collector.begin()
    with pytest.raises(SkipExecution, match="--topology process has none"):
        forwarding.Forwarding().throughput_should_be_found("", "1c", "none")
    assert collector.current().parameters["kind"] == "throughput"


def test_the_nodes_of_the_controls() -> None:
    asked = Settings()
    assert node_job(asked, "bridge")["compressor"] is None
    assert node_job(asked, "null")["decompressor"]["library"].endswith("null.so")
    assert node_job(asked, "asked")["compressor"]["library"].endswith("reference.so")


def made_line(build: str) -> Any:
    if reason := choice.build_lacks(build):
        pytest.skip(reason)
    return line(Settings(build=build, topology="netns"), (0,), "asked", "voip-amr-nb-ipv6", 20)


@root
def test_a_line_for_real(real_build: str) -> None:
    with made_line(real_build) as made:
        trial, loads = made.loaded(1000, 1.0)
        assert trial.sent >= 1800
        assert (trial.lost, [one.unexpected for one in trial.directions]) == (0, [0, 0])
        busy = {(load.role, load.source): load.busy for load in loads}
        for role in ("compressor", "decompressor", "link"):
            assert 0 < (busy[role, "busy_share"] or 0) <= 1
            assert 0 <= (busy[role, "proc_stat"] or 0) <= 1
        compressed = made.watched["compressor"].statistics()["workers"][0]["compressed"]
        assert compressed >= trial.forward.sent


@root
def test_a_node_that_dies_ends_a_trial_and_leaves_nothing(real_build: str) -> None:
    with made_line(real_build) as made:
        topology: Topology = made.made
        os.kill(made.watched["decompressor"].process.pid, signal.SIGKILL)
        with pytest.raises(EngineFailure, match=r"^The decompressor .* died from SIGKILL"):
            made.trial(1000, 5.0)
    assert namespaces(topology.run) == []  # type: ignore[attr-defined]
