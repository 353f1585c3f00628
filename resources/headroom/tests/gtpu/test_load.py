# SPDX-License-Identifier: Apache-2.0
"""Loads of user planes: jobs, results, and what follows from them; the charts and the section of the report."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from robot.api import SkipExecution

from headroom.bench import throughput_search
from headroom.bench.load import WrongOutput
from headroom.bench.throughput import NDR, Rate, Throughput
from headroom.bench.throughput_search import SearchResult
from headroom.core import engine, reference
from headroom.core import metrics as wire
from headroom.core.implementations import find
from headroom.core.machine.power import Power
from headroom.core.metrics import Metric
from headroom.core.paths import ROOT
from headroom.core.results import collector
from headroom.schemes.gtpu import load, metrics, report_section, rule_files, sentinels, wire_load, wire_plane
from headroom.schemes.gtpu.keywords import load as keywords
from headroom.schemes.gtpu.keywords import wire as wire_keywords
from headroom.schemes.gtpu.keywords.wire import note_share
from headroom.schemes.gtpu.load import Design, LoadConfig, Traffic
from headroom.schemes.gtpu.papers import zte_2020_figures
from headroom.testbed import choice
from headroom.testbed.choice import NotOnThisTopology
from headroom.testbed.line import Load
from headroom.tests.runs import run_of


def trial(ns: float, sent: int = 100, wrong: int = 0, **reasons: int) -> dict[str, Any]:
    outcomes = {"packets": 100, "sent": sent, "taken": 0, "wrong": wrong, "statuses": {}, "reasons": reasons}
    return {
        "ns": ns + 5,
        "median_ns": ns,
        "loop_median_ns": 2.0,
        "baseline_median_ns": 3.0,
        "mpps": 1000 / ns,
        "rx_cores": [{"packets": 100, "ns": 15.0, "waiting_ns": 0.0}],
        "outcomes": outcomes,
    }


def document(*trials: dict[str, Any]) -> dict[str, Any]:
    point = {"load": 0.5, "lost_share": 0.0, "mpps": 5.0, "latency_ns": {"mean": 2500.0, "p99": 9000.0}}
    full = {"load": 0.9, "lost_share": 0.1, "mpps": 9.0, "latency_ns": None}
    design = {
        "distribution": "queues",
        "workers": 4,
        "rx_cores": 0,
        "capacity_mpps": 10.0,
        "worker_ns": 60.0,
        "rx_ns": None,
    }
    return {
        "trials": list(trials),
        "loop_median_ns": 2.0,
        "sessions": {"count": 600_000, "set_up_ns": 3_000_000_000},
        "stages": [{"stage": "parse", "ns": 10.0}],
        "virtual": [design | {"loads": [point, full]}],
    }


def test_the_frames_of_the_job_are_690_octets_with_the_packets_that_open_flows() -> None:
    """Data frames alone are longer: SYN, SYN-ACK and request are short, 3 of 200 packets of each HTTP flow."""
    traffic = Traffic()
    opening = 3 / traffic.packets_of_flow * traffic.http_share
    assert (1 - opening) * traffic.frame_octets + opening * 140 == pytest.approx(690, rel=0.003)
    lengths = traffic.as_job()["lengths"]
    assert [octets for _, octets in lengths] == [octets - load.ETHERNET for _, octets in traffic.frames]


def test_threads_that_are_not_measured_are_no_part_of_a_user_plane() -> None:
    load.result_of(document(trial(50.0)) | {"cpu_ns": 900_000_000, "other_threads_cpu_ns": 8_900_000}, Power(None))
    load.result_of(document(trial(50.0)) | {"cpu_ns": 10_000_000, "other_threads_cpu_ns": 4_000_000}, Power(None))
    helped = document(trial(50.0)) | {"cpu_ns": 900_000_000, "other_threads_cpu_ns": 300_000_000}
    for read in (lambda: load.result_of(helped, Power(None)), lambda: sentinels._read(helped)):
        with pytest.raises(WrongOutput, match=r"used 300\.0 ms of processor time, beside 900\.0 ms of the measured"):
            read()


def test_a_job_has_n4_or_a_range_of_sessions() -> None:
    reference, example = find("reference"), find("example-user-plane")
    job = load.job(LoadConfig(reference, baseline=example, virtual_threads=(48,), loads=(0.5,)))
    assert "session_range" not in job["user_plane"]["config"]
    assert job["baseline"]["config"]["session_range"]["count"] == 600_000
    assert (job["clock"], job["virtual_threads"]) == ("virtual", [48])
    assert "clock" not in load.job(LoadConfig(reference))


SMALL = Traffic(access_users=20, active_users=10, flows=40)


@pytest.mark.parametrize(
    "more",
    [
        {"rules": "rules", "stages": True},
        {"rules": "dpi", "stages": True},
        {"rules": "rules", "distribution": "rx-cores", "virtual_threads": (4,), "loads": (0.5,)},
    ],
)
def test_a_small_load_in_the_engine(more: dict[str, Any], real_build: str) -> None:
    """The job and the result are as their schemas say."""
    found = find("reference")
    config = LoadConfig(found, traffic=SMALL, packets=2000, trials=2, baseline=found, build=real_build, **more)
    result = load.measure(config)
    assert (result.sessions, result.unsent) == (20, 0)
    assert bool(result.stages) == ("stages" in more)
    assert ("dpi" in result.stages) == (more["rules"] == "dpi")
    for trials in (result.rules_ready.compiled, result.rules_ready.cached):
        assert len(trials) == (load.READY_TRIALS if more["rules"] == "dpi" else 0)
        assert all(seconds > 0 for seconds in trials)
    assert [one.distribution for one in result.designs] == (["queues", "rx-cores"] if "loads" in more else [])


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_rule_files_are_those_of_their_seed(tmp_path: Path) -> None:
    found = [rule_files.write(_made(tmp_path / name), seed, 2000, 300) for name, seed in (("a", 1), ("b", 1), ("c", 2))]
    first, again, other = ((one.l7.read_text(), one.l3.read_text(), one.hosts) for one in found)
    assert first == again != other
    kinds = [line.split()[0] for line in first[0].splitlines()]
    assert (len(kinds), first[1].count("\n")) == (2000, 300)
    assert {*kinds} == {"host", "sni", "url", "contains"}
    assert all(f"host {host}\n" in first[0] for host in first[2]), "their requests match a rule"


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("job", "workers", 65),
        ("job", "rules", "none"),
        ("job", "worker", 1),
        ("traffic", "uplink_share", 1.5),
        ("traffic", "lengths", [[1, 1973]]),
        ("traffic", "access_users", 0),
    ],
)
def test_jobs_that_the_engine_refuses_are_not_valid(part: str, key: str, value: Any, real_build: str) -> None:
    job = load.job(LoadConfig(find("reference"), traffic=SMALL, packets=100, trials=1, build=real_build))
    assert reference.violations("job-load-user-plane", job) == []
    (job["traffic"] if part == "traffic" else job)[key] = value
    assert reference.violations("job-load-user-plane", job)
    with pytest.raises(engine.EngineFailure) as caught:
        engine.run("load", job, build=real_build)
    assert caught.value.kind == "job"


def test_a_range_of_sessions_has_one_for_each_user(real_build: str) -> None:
    """More users than sessions made the engine read tunnel endpoints that are not there, and crash."""
    job = load.job(LoadConfig(find("reference"), traffic=SMALL, packets=100, trials=1, build=real_build))
    users = job["traffic"]["access_users"]
    job["user_plane"]["config"]["session_range"] = load.SESSION | {"count": users}
    engine.run("load", job, build=real_build)
    job["user_plane"]["config"]["session_range"]["count"] = users - 1
    with pytest.raises(engine.EngineFailure, match=f"has {users - 1} sessions") as caught:
        engine.run("load", job, build=real_build)
    assert caught.value.kind == "job"


def test_a_result_takes_the_harness_off_and_counts_what_did_not_go_on() -> None:
    result = load.result_of(document(trial(62), trial(72, 98, rate=2), trial(92)), Power(None, reason="none"))
    assert result.costs == [60, 70, 90]
    assert result.ns == 70
    assert result.rx_ns == 15
    assert result.set_up_s == 3
    assert result.unsent == 2
    assert result.reasons() == {"rate": 2}
    assert result.median_of("baseline_median_ns") == 3
    assert result.median_of("nothing") is None


def test_packets_that_went_on_wrong_fail_the_case() -> None:
    keywords.require_sent(load.result_of(document(trial(62)), Power(None)))
    with pytest.raises(AssertionError, match="3 packets went on with another tunnel"):
        keywords.require_sent(load.result_of(document(trial(62), trial(1, wrong=3)), Power(None)))


def test_loss_and_latency_of_a_design() -> None:
    (design,) = load.result_of(document(trial(62)), Power(None)).designs
    assert load.first_loss(design) == 0.9
    assert load.latency_us(load.at_load(design, 0.55)) == 2.5
    assert load.latency_us(load.at_load(design, 1.0)) is None
    assert load.first_loss(replace(design, loads=design.loads[:1])) is None


def test_layer_1_of_the_papers_rate() -> None:
    """30.6 Mpps of 690 octets with preamble and gap are the paper's 173 Gbit/s (section 5.1)."""
    assert load.layer_1_gbit_s(30.6, 690) == pytest.approx(173, rel=0.01)


def record(kind: str, values: dict[Metric, float], series: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "test": {"name": kind},
        "compressor": {"name": "mine"},
        "verdict": "pass",
        "reason": "",
        "parameters": {"kind": kind, "rules": "basic", "distribution": "queues", "threads": 16},
        "metrics": [
            {"name": metric.name, "unit": metric.unit, "core": None, "value": value, "trials": [value]}
            for metric, value in values.items()
        ],
        "series": series,
    }


def test_the_section_has_loads_stages_and_designs() -> None:
    points = [{"x": 5.0, "y": 2.5, "load": 0.5, "lost": 0.0}, {"x": 9.0, "y": 80.0, "load": 0.9, "lost": 0.1}]
    designs = {"name": "design_latency", "label": "basic, queues", "points": points}
    carried = record("user-plane", {metrics.PACKET_NS: 60.0, metrics.STAGE_NS(stage="parse"): 10.0}, [])
    section = report_section.loads([carried, record("user-plane-design", {metrics.DESIGN_MPPS(): 10.0}, [designs])])
    assert section is not None
    assert [part.kind for part in section.parts] == ["table", "table", "figure", "table", "figure"]
    assert report_section.loads([record("other", {}, [])]) is None
    inspecting = record("user-plane", {metrics.RULES_READY_S: 0.2, metrics.RULES_CACHED_S: 0.1}, [])
    section = report_section.loads([carried, inspecting])
    assert section is not None
    assert [part.kind for part in section.parts] == ["table", "table", "table", "figure"]
    assert [show(inspecting) for _, show in report_section.READY] == ["mine", 40_000, 10_000, 0.2, 0.1]


def test_rates_on_the_wire_stand_beside_those_of_the_bridge() -> None:
    rate = record(
        "user-plane-throughput", {wire.THROUGHPUT(): 3000.0, wire.THROUGHPUT_AT_LEAST(nodes="bridge"): 4e3}, []
    )
    rate["parameters"] |= {
        "goal": "ndr",
        "users": 600,
        "cpus": "1c",
        "profile": "gtpu-imix",
        "losses": ["node: 3 lost"],
    }
    latency = record("user-plane-wire-latency", {wire.LATENCY(figure="p50"): 2000.0}, [])
    latency["parameters"] |= {"users": 600, "cpus": "1c"}
    section = report_section.loads([rate, latency])
    assert section is not None
    assert [part.kind for part in section.parts] == ["table", "table"]
    cells = {column.title: show(rate) for column, show in report_section.RATES}
    assert (cells["Packets/s"], cells["Bare bridge, packets/s"]) == (3000.0, "above 4,000")
    assert cells["Lost in all trials"] == "node: 3 lost"


def test_the_share_of_the_bridge_and_the_time_of_a_packet() -> None:
    rates = {"ndr": Rate(NDR, 50_000.0)}
    busy = [Load("compressor", 0, "busy_share", 0.2), Load("compressor", 0, "thread_cpu", None)]
    found = SearchResult(Throughput(rates, [], 1e5, False), {"ndr": busy}, None, {})
    collector.begin()
    note_share(Rate(NDR, 62_500.0), found, "ndr")
    values = {one.metric.name: one.value for one in collector.current().metrics}
    assert values["user_plane_share_of_bridge"] == pytest.approx(0.8)
    assert values["user_plane_node_ns_busy_share"] == pytest.approx(2000)  # 0.2 s, 100,000 packets
    assert values["user_plane_node_ns_thread_cpu"] is None


def test_charts_of_the_paper_are_drawn_from_series_with_and_without_a_label() -> None:
    costs = [
        {"x": "one", "y": 1.0, "part": "devices"},
        {"x": "one", "y": 2.0, "part": "electricity"},
    ]
    latency = [{"x": 1.0, "y": 2.0}, {"x": 2.0, "y": 3.0}]
    series = [{"name": "ownership", "points": costs}, {"name": "latency", "label": "queues", "points": latency}]
    drawn = zte_2020_figures.figures([record("paper", {}, series)])
    assert {where: len(charts) for where, charts in drawn.items()} == {"Section 5.2": 1, "Figure 12": 1}


def test_a_design_without_receiving_cores_has_none() -> None:
    (design,) = load.result_of(document(trial(62)), Power(None)).designs
    assert design == Design("queues", 4, 0, 10.0, 60.0, None, design.loads)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"topology": "process"}, "needs interfaces"),
        ({"topology": "compose", "generator": "trex"}, "name --topology netns"),
        ({"topology": str(ROOT / "resources/testbeds/example.yaml")}, "name --topology netns or compose"),
    ],
)
def test_sessions_come_from_a_namespace(
    settings: dict[str, str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire_keywords, "current_run", lambda: run_of(**settings))
    collector.begin()
    with pytest.raises(NotOnThisTopology, match=sentence):
        wire_keywords.config_of("gtpu-imix", "1c", "queues", 0, kind="user-plane-throughput")


def test_a_receiving_core_needs_a_worker_on_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_keywords, "current_run", lambda: run_of(topology="netns"))
    monkeypatch.setattr(choice, "require", lambda topology, build: None)
    monkeypatch.setattr(choice, "crowded", lambda topology, cores: "")
    collector.begin()
    with pytest.raises(SkipExecution, match="A receiving core and a worker need two cores; 1c has one"):
        wire_keywords.config_of("gtpu-imix", "1c", "rx-cores", 0, kind="user-plane-throughput")
    with pytest.raises(ValueError, match="'hand-over' is no distribution; known: queues, rx-cores"):
        wire_keywords.config_of("gtpu-imix", "1c", "hand-over", 0, kind="user-plane-throughput")


def test_the_bridge_beside_a_receiving_core_is_the_one_of_all_rows(tmp_path: Path) -> None:
    run = run_of(topology="netns", folder=tmp_path)
    queues, receiving = (
        wire_load.UserPlaneSearch(run, "gtpu-imix", "2c-l3", (0, 1), 600, distribution=name)
        for name in ("queues", "rx-cores")
    )
    assert queues.of_controls() == receiving.of_controls() == queues
    assert throughput_search.path_of(receiving, "asked") != throughput_search.path_of(queues, "asked")
    assert receiving.conditions("asked") != queues.conditions("asked")
    assert wire_plane.threads("rx-cores", (4, 5, 6)) == {"distribution": "rx-cores", "rx_cores": [4], "workers": [5, 6]}


def test_trex_measures_no_latency_of_a_capture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_keywords, "current_run", lambda: run_of(topology="netns", generator="trex"))
    with pytest.raises(SkipExecution, match="TRex sends esp-ipv4 as a capture, and measures no latency"):
        wire_keywords.UserPlaneWireKeywords().latency("esp-ipv4", "1c", "50 %")
