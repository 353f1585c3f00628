# SPDX-License-Identifier: Apache-2.0
"""Throughput and latency as cases: what they note, how they end, what the report shows of it; and a line for real."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headroom.bench import throughput_search
from headroom.bench.load import WrongOutput
from headroom.bench.throughput import NDR, PDR, GeneratorFellBehind, NoThroughput, Rate
from headroom.core import settings
from headroom.core.engine_result import EngineFailure
from headroom.core.results import collector
from headroom.core.results.record import Record
from headroom.core.scheme_registry import workload_of
from headroom.core.settings import Settings
from headroom.core.workload import COPIES, Channel
from headroom.core.yamlfile import violations
from headroom.keywords import forwarding, forwarding_results
from headroom.report.render import page
from headroom.testbed import choice
from headroom.testbed.line import Load, line, node_job
from headroom.testbed.topology import Topology
from headroom.testbed.trial import Direction, Latency, Trial
from headroom.tests.runs import run_of
from headroom.tests.sample import record
from headroom.tests.wire.test_netns import namespaces, root
from headroom.tests.wire.test_throughput import Line

TRAFFIC = {"generator": {"name": "memory", "version": "1"}, "topology": {"name": "netns"}}


class FakeLine:
    """A line whose nodes forward `limit` packets/s; the null codec twice as many, the bridge more than is sent."""

    topology, foreign = None, frozenset[str]()

    def __init__(self, limit: float, most: float = 1e9) -> None:
        self.line = Line(limit, most)
        plain, link = {"packets": 10, "octets": 740}, {"packets": 11, "octets": 404}
        told = {"workers": [{"compressed": 10, "plain": {"received": plain}, "link": {"sent": link}}]}
        self.watched = {"compressor": SimpleNamespace(statistics=lambda: told)}

    def trial(self, rate_pps: float, duration_s: float) -> Trial:
        told = self.line(rate_pps, duration_s)
        one = told.forward
        seen = Latency(one.received, 2e3, 1e2, 1e3, 9e3, ((2e3, one.received - 1), (9e3, 1)))
        way = Direction(**{**vars(one), "latency": seen})
        return Trial("embedded", "1", rate_pps, duration_s, way, way)

    compared = trial

    def loaded(self, rate_pps: float, duration_s: float) -> tuple[Trial, list[Load]]:
        return self.trial(rate_pps, duration_s), [Load("compressor", 0, "busy_share", 0.75)]


def rohc(words: str = "U", flows: int = 100, declared: Sequence[Mapping[str, Any]] = ()) -> Channel:
    return workload_of("rohc").channel(words, flows, declared)


LIMITS: dict[str, list[tuple[float, float]]] = {
    "asked": [(40_000.0, 1e9)],
    "null": [(80_000.0, 1e9)],
    "bridge": [(1e9, 150_000.0)],
}


@pytest.fixture
def limits() -> dict[str, list[tuple[float, float]]]:
    """What the nodes forward and the generator sends, by codec: one pair for each search, the last for all others."""
    return {codec: list(pairs) for codec, pairs in LIMITS.items()}


@pytest.fixture
def fake(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, limits: dict[str, list[tuple[float, float]]]
) -> Iterator[list[str]]:
    """Lines made up, and the codecs that were measured, in order."""
    made: list[str] = []

    @contextmanager
    def line_of(
        asked: Any, cores: Any, codec: str, profile: str, flows: int, channel: Channel = COPIES
    ) -> Iterator[FakeLine]:
        made.append(codec if channel.words in ("", "U") else f"{codec} {channel.words}")
        limit, most = limits[codec].pop(0) if len(limits[codec]) > 1 else limits[codec][0]
        yield FakeLine(limit * len(cores) ** 0.5, most)

    monkeypatch.setattr(throughput_search, "line", line_of)
    for module in (forwarding, throughput_search):
        monkeypatch.setattr(module, "traffic", lambda made, trial: TRAFFIC)
    monkeypatch.setattr(throughput_search, "_known", {})
    monkeypatch.setattr(choice, "require", lambda topology, build: None)
    monkeypatch.setattr(choice, "crowded", lambda topology, cores: "")  # whatever machine this is
    monkeypatch.setattr(forwarding, "configuration", lambda cpus: SimpleNamespace(cpus=tuple(range(int(cpus[0])))))
    run = Settings(topology="netns", quick=True, folder=tmp_path)
    monkeypatch.setattr(settings, "from_robot", lambda: run)
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
    words = forwarding.ForwardingKeywords()
    words.throughput_should_be_found("rohc", "", "1c", "none")
    assert 35_000 < (value("ndr") or 0) <= 40_000
    assert 70_000 < (value("null_ndr") or 0) <= 80_000
    assert value("bridge_ndr") is None and (value("bridge_ndr_at_least") or 0) > 80_000
    assert {(one.source, one.busy) for one in collector.current().core_load} == {("busy_share of the compressor", 0.75)}
    assert fake == ["asked", "null", "bridge"]
    first = noted("performance/throughput/One Core NDR").as_json()
    assert violations(first, "result") == []
    collector.begin()
    words.throughput_should_be_found("rohc", "", "1c", "0.5 %")
    assert fake == ["asked", "null", "bridge"], "rows share what was measured"
    collector.begin()
    words.latency_should_be_measured("rohc", "", "1c", "50 %")
    assert value("rate") == pytest.approx(0.5 * (value("pdr") or 0))
    assert (value("forward_p50"), value("reverse_longest")) == (2e3, 9e3)
    second = noted("performance/latency/One Core At 50 % Of PDR").as_json()
    assert violations(second, "result") == []
    assert value("bridge_forward_p50") == 2e3
    names = {f"wire_latency_{nodes}{way}" for nodes in ("", "bridge_") for way in ("forward", "reverse")}
    assert {one["name"] for one in second["histograms"]} == names
    shown = next(one for one in page([first, second], settings.from_robot().folder).sections if one.id == "wire")
    assert shown.parts


def test_modes_share_their_controls(fake: list[str]) -> None:
    words = forwarding.ForwardingKeywords()
    words.throughput_should_be_found("rohc", "", "1c", "none")
    words.throughput_should_be_found("rohc", "", "1c", "0.5 %", "O own")
    assert fake == ["asked", "null", "bridge", "asked O own"]
    kept = collector.current().parameters
    assert (kept["mode"], kept["feedback"], kept["max_cid"]) == ("O", "own", 16383)


# ---- a control below what it is a control of


def reason_of(name: str) -> str:
    return next(metric.reason for metric in collector.current().metrics if metric.name == name)


def shown_row(made: dict[str, Any], table: str) -> list[str]:
    """The first row of a table of the report's section about the wire."""
    wire = next(section for section in page([made], Path()).sections if section.id == "wire")
    found = next(part.content for part in wire.parts if part.kind == "table" and part.content.id == table)
    return [cell.text for cell in found.rows[0].cells]


def test_a_control_below_the_measured_nodes_is_measured_again(
    fake: list[str], limits: dict[str, list[tuple[float, float]]]
) -> None:
    limits["null"] = [(30_000.0, 1e9), (80_000.0, 1e9)]
    words = forwarding.ForwardingKeywords()
    words.throughput_should_be_found("rohc", "", "1c", "none")
    assert 70_000 < (value("null_ndr") or 0) <= 80_000
    assert fake == ["asked", "null", "null", "bridge"]
    first, second = collector.current().parameters["null_searches"]
    assert 25_000 < first["ndr"] <= 30_000 < 70_000 < second["ndr"]
    assert len(collector.current().parameters["bridge_searches"]) == 1
    made = noted("performance/throughput/One Core NDR").as_json()
    assert (
        "Null codec: measured 2 times, because it was lower than the nodes that it controls: "
        in shown_row(made, "t-throughput")[-1]
    )
    collector.begin()
    words.throughput_should_be_found("rohc", "", "1c", "0.5 %")
    assert fake == ["asked", "null", "null", "bridge"], "rows share what was measured again"
    assert 70_000 < (value("null_pdr") or 0) <= 81_000


def test_a_control_that_stays_below_has_no_figure(
    fake: list[str], limits: dict[str, list[tuple[float, float]]]
) -> None:
    limits["null"], limits["bridge"] = [(30_000.0, 1e9)], [(35_000.0, 1e9)]
    words = forwarding.ForwardingKeywords()
    words.throughput_should_be_found("rohc", "", "1c", "none")
    assert fake == ["asked", *["null"] * 3, *["bridge"] * 3], "three times and no more"
    assert (value("null_ndr"), value("bridge_ndr")) == (None, None)
    assert "below the " in reason_of("null_ndr") and "in 3 searches: it is no control" in reason_of("null_ndr")
    assert [series.label for series in collector.current().series] == ["asked"]
    assert len(collector.current().parameters["null_searches"]) == 3
    made = noted("performance/throughput/One Core NDR").as_json()
    assert violations(made, "result") == []
    assert made["verdict"] == "pass", "the control falls short, not the implementation"
    texts = shown_row(made, "t-throughput")
    assert sum(text == "–" for text in texts) == 2, texts
    assert "Null codec: it came out at " in texts[-1] and "Bare bridge: it came out at " in texts[-1]
    collector.begin()
    words.throughput_should_be_found("rohc", "", "1c", "0.5 %", "O own")
    assert fake[7:] == ["asked O own"], "a run does not go on measuring it"


def test_a_control_above_what_the_generator_sends_is_not_below(
    fake: list[str], limits: dict[str, list[tuple[float, float]]]
) -> None:
    limits["null"] = [(1e9, 30_000.0)]  # above 30,000: nothing says that it is below
    forwarding.ForwardingKeywords().throughput_should_be_found("rohc", "", "1c", "none")
    assert fake == ["asked", "null", "bridge"]
    assert value("null_ndr_at_least") is not None


def test_growth_of_a_control_that_is_none_has_no_figure(
    fake: list[str], limits: dict[str, list[tuple[float, float]]]
) -> None:
    limits["null"] = [(30_000.0, 1e9)]
    forwarding.ForwardingKeywords().throughput_should_grow_with_the_cores("rohc", "", "4c", "0.5 %")
    assert value("speed_up") == pytest.approx(2.0, rel=0.15)
    assert value("null_speed_up") is None
    assert "no control" in reason_of("null_speed_up")
    remark = shown_row(noted("performance/scaling/Four Cores").as_json(), "t-scaling")[-1]
    assert "Null codec: on one core, it came out at " in remark
    assert len(collector.current().parameters["null_searches"]) == 3


def test_a_resumed_run_measures_no_control_again(
    fake: list[str], limits: dict[str, list[tuple[float, float]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits["null"] = [(30_000.0, 1e9), (80_000.0, 1e9)]
    words = forwarding.ForwardingKeywords()
    words.throughput_should_be_found("rohc", "", "1c", "none")
    before = [vars(one) for one in collector.current().metrics]
    monkeypatch.setattr(throughput_search, "_known", {})  # another process
    collector.begin()
    words.throughput_should_be_found("rohc", "", "1c", "none")
    assert [vars(one) for one in collector.current().metrics] == before
    assert fake == ["asked", "null", "null", "bridge"]


def test_feedback_that_an_implementation_does_not_declare_is_unsupported() -> None:
    from robot.api import SkipExecution

    run = run_of(compressor="null")
    forwarding.require_declared(run, forwarding.channel_of(run, "rohc", "U", 100))
    with pytest.raises(SkipExecution, match="null does not declare feedback piggybacked"):
        forwarding.require_declared(run, forwarding.channel_of(run, "rohc", "O piggybacked", 100))
    with pytest.raises(SkipExecution, match="declares max_cid 16383; 19999 is needed"):
        forwarding.require_declared(run_of(), rohc("U", 20_000))
    with pytest.raises(SkipExecution, match="null does not declare the scheme vj"):
        forwarding.require_declared(run, forwarding.channel_of(run, "vj", "", 10))


def test_a_resumed_run_sends_nothing_again(fake: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    words = forwarding.ForwardingKeywords()
    words.throughput_should_be_found("rohc", "", "1c", "none")
    before = [vars(one) for one in collector.current().metrics]
    monkeypatch.setattr(throughput_search, "_known", {})  # another process
    collector.begin()
    words.throughput_should_be_found("rohc", "", "1c", "none")
    assert [vars(one) for one in collector.current().metrics] == before
    assert collector.current().core_load
    assert fake == ["asked", "null", "bridge"]


def test_octets_on_the_link_are_those_behind_ethernet(fake: list[str]) -> None:
    forwarding.ForwardingKeywords().throughput_should_be_found("rohc", "", "1c", "none")
    assert (value("plain_octets"), value("link_octets")) == (60.0, 25.0)


def test_growth_is_measured_beside_one_core(fake: list[str]) -> None:
    forwarding.ForwardingKeywords().throughput_should_grow_with_the_cores("rohc", "", "4c", "0.5 %")
    assert value("speed_up") == pytest.approx(2.0, rel=0.15)
    assert value("efficiency") == pytest.approx((value("speed_up") or 0) / 4)
    assert value("null_speed_up") == pytest.approx(2.0, rel=0.15)
    assert violations(noted("performance/scaling/Four Cores").as_json(), "result") == []
    assert fake == ["asked", "null"] * 2


def test_growth_without_a_rate_has_a_reason() -> None:
    found, missing = Rate(PDR, 5.0), Rate(PDR, None, "it is above 1 packets/s, and the generator cannot send more")
    assert forwarding_results.speed_up_of(found, Rate(PDR, 15.0)) == (3.0, "")
    assert forwarding_results.speed_up_of(missing, found)[1].startswith("on one core, it is above")
    assert forwarding_results.speed_up_of(found, missing)[1].startswith("on these cores, it is above")


def test_packets_that_all_arrive(fake: list[str]) -> None:
    forwarding.ForwardingKeywords().every_packet_should_arrive("rohc", "", "1c", 10_000)
    assert (value("lost"), value("unexpected")) == (0, 0)
    collector.begin()
    with pytest.raises(AssertionError, match=r"lost in every trial at 50,000 packets/s: 20,000, 20,000, 20,000"):
        forwarding.ForwardingKeywords().every_packet_should_arrive("rohc", "", "1c", 50_000)
    assert violations(noted("performance/gtpu_imix/At 50,000").as_json(), "result") == []


def test_a_packet_that_came_out_changed_is_never_excused() -> None:
    trial = FakeLine(1e9).trial(1000, 1.0)
    changed = Trial("embedded", "1", 1000, 1.0, replace(trial.forward, unexpected=1), trial.reverse)
    with pytest.raises(AssertionError, match="1 packets arrived that were never sent"):
        forwarding.require_delivery([changed, trial])


@pytest.mark.parametrize(
    ("scheme", "words", "config", "feedback"),
    [
        ("rohc", "", {"cids": "large", "max_cid": 16383, "mode": "U", "feedback": False}, "none"),
        ("rohc", " O  piggybacked", {"cids": "large", "max_cid": 16383, "mode": "O"}, "piggybacked"),
        ("rohc", "R own, small CIDs", {"cids": "small", "max_cid": 15, "mode": "R"}, "own"),
        ("vj", "", {"max_slot_id": 99, "slot_ids": "compressed"}, "none"),
        ("vj", "explicit", {"max_slot_id": 99, "slot_ids": "explicit"}, "none"),
        ("ule", "", {"packing": "packing", "address": "present", "mrru": 2000, "threshold_us": 500}, "none"),
        (
            "ule",
            "padding absent",
            {"packing": "padding", "address": "absent", "mrru": 2000, "threshold_us": 500},
            "none",
        ),
    ],
)
def test_words_for_channels(scheme: str, words: str, config: dict[str, Any], feedback: str) -> None:
    channel = workload_of(scheme).channel(words, 100, [])
    assert (channel.config, channel.feedback) == (config, feedback)


@pytest.mark.parametrize("scheme", ["rohc", "vj", "ule"])
@pytest.mark.parametrize("words", ["O", "X own", "U own", "R none", "O sideways", "packing nowhere"])
def test_words_that_are_no_channel(scheme: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"'{words}'")):
        workload_of(scheme).channel(words, 100, [])


def test_a_channel_is_as_large_as_both_sides_declare() -> None:
    assert workload_of("rohc").channel("U", 10, [{"max_cid": 500}, {"max_cid": 70}]).config["max_cid"] == 70
    assert workload_of("vj").channel("", 300, [{}, {"max_slot_id": 63}]).config["max_slot_id"] == 63
    assert workload_of("vj").channel("", 10, [{}, {"max_slot_id": 63}]).config["max_slot_id"] == 9


def test_a_load_has_no_more_channels_than_both_sides_declare() -> None:
    vj = workload_of("vj")
    assert vj.most_flow_pairs([{"max_channels": 1024}, {"max_channels": 4}]) == 64
    assert (vj.most_flow_pairs([{}, {}]), workload_of("rohc").most_flow_pairs([{"max_channels": 1}])) == (None, None)
    assert vj.load(65).needs == {"max_slot_id": 15, "max_channels": 5}


def test_an_image_without_profiles_is_told_of_none() -> None:
    environment = workload_of("rohc").channel("U", 1, [{}, {"profiles": ["0x0001"]}]).image_environment("compressor")
    assert "profiles" not in json.loads(environment["HEADROOM_CONFIG"])


def test_nodes_of_link_packets_in_datagrams_send_to_each_other() -> None:
    channel = workload_of("ule").channel("padding", 100, [])
    near, far = (node_job(run_of(), "asked", channel, role)["stream"] for role in ("compressor", "decompressor"))
    for one, other in ((near, far), (far, near)):
        assert {key: one["send"][key] for key in ("address", "port")} == other["receive"]
    assert near["receive"] != far["receive"]
    assert "stream" not in node_job(run_of(), "null", channel), "controls copy, frame by frame"


def test_what_kept_a_rate_from_being_found_decides_the_verdict() -> None:
    with pytest.raises(GeneratorFellBehind, match="The NDR was not found: it is above") as limit:
        forwarding.require_rate(Rate(NDR, None, "it is above 1 packets/s", 1.0, True), NDR)
    assert limit.value.verdict == "unsupported", "the nodes did all that was asked of them"
    with pytest.raises(NoThroughput, match="The NDR was not found: the search") as short:
        forwarding.require_rate(Rate(NDR, None, "the search did not end", None, True), NDR)
    assert short.value.verdict == "error"
    with pytest.raises(AssertionError, match="There is no PDR: packets are lost"):
        forwarding.require_rate(Rate(PDR, None, "packets are lost already at 2,000 packets/s"), PDR)


def test_a_generator_that_does_not_keep_up_measures_no_latency() -> None:
    with pytest.raises(GeneratorFellBehind, match="does not keep up with 5,000"):
        forwarding.steady_trials(FakeLine(1e9, most=100), 5000, 2, 1.0)  # type: ignore[arg-type]


class Stumbling(FakeLine):
    """Loses a tenth in the first `stumbles` trials, then nothing."""

    def __init__(self, stumbles: int) -> None:
        super().__init__(1e9)
        self.stumbles = stumbles

    def trial(self, rate_pps: float, duration_s: float) -> Trial:
        self.line.share = 0.1 if self.stumbles > 0 else 0.0
        self.stumbles -= 1
        return super().trial(rate_pps, duration_s)


def test_a_trial_that_loses_too_much_makes_way_for_another() -> None:
    def lost(stumbles: int) -> list[int]:
        made: Any = Stumbling(stumbles)
        return [one.lost for one in forwarding.steady_trials(made, 1000, 2, 1.0, tolerance=PDR.loss_ratio)]

    assert lost(4) == [0, 0]
    assert lost(5) == [0, 200]
    assert lost(9) == [200, 200]


def test_latencies_of_full_queues_say_so(fake: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    forwarding.ForwardingKeywords().latency_should_be_measured("rohc", "", "1c", "50 %")
    assert (collector.current().verdict, value("lost")) == (None, 0)
    collector.begin()
    share_of = forwarding.target_of
    monkeypatch.setattr(forwarding, "target_of", lambda share: 1.25 if share == "125 %" else share_of(share))
    forwarding.ForwardingKeywords().latency_should_be_measured("rohc", "", "1c", "125 %")
    told = collector.current()
    assert told.verdict == "non-strict"
    assert "packets were lost, more than the 0.5 % that it allows: these latencies are those of full" in told.reason
    assert "At 125 % of the PDR" in told.reason
    assert "The bare bridge lost 0." in told.reason


def test_words_that_are_no_loss() -> None:
    assert (forwarding.goal_of("none"), forwarding.goal_of("0.5 %")) == (NDR, PDR)
    with pytest.raises(ValueError, match=r"give 'none' or one of 0\.5 %"):
        forwarding.goal_of("3 %")


def test_without_interfaces_it_is_unsupported() -> None:
    from robot.api import SkipExecution

    collector.begin()
    with pytest.raises(SkipExecution, match="--topology process has none"):
        forwarding.ForwardingKeywords().throughput_should_be_found("rohc", "", "1c", "none")
    assert collector.current().parameters["kind"] == "throughput"


def test_a_case_that_sent_nothing_names_the_topology_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from robot.api import SkipExecution

    def no_core(cpus: str) -> Any:
        raise SkipExecution("this machine has fewer cores")

    run = Settings(topology="netns", generator="trex")
    monkeypatch.setattr(settings, "from_robot", lambda: run)
    monkeypatch.setattr(choice, "require", lambda topology, build: None)
    monkeypatch.setattr(forwarding, "configuration", no_core)
    collector.begin()
    with pytest.raises(SkipExecution, match="fewer cores"):
        forwarding.ForwardingKeywords().throughput_should_be_found("rohc", "", "4c", "none")
    made = noted("performance/throughput/Four Cores NDR").as_json()
    assert violations(made, "result") == []
    assert made["traffic"] == {
        "generator": {"name": "trex", "version": None, "reason": "nothing was sent"},
        "topology": {"name": "netns"},
    }
    shown = next(one for one in page([made], run.folder).sections if one.id == "traffic")
    row = [cell.text for cell in shown.parts[0].content.rows[0].cells]
    assert row[:2] == ["trex", "not known: nothing was sent"] and row[2].startswith("netns: ")
    bed = choice.traffic(run_of(topology="resources/testbeds/example.yaml"))
    assert bed["topology"] == {"name": "rack-1"}
    collector.begin()


def test_the_nodes_of_the_controls() -> None:
    asked = run_of()
    assert node_job(asked, "bridge")["compressor"] is None
    assert node_job(asked, "null")["decompressor"]["library"].endswith("null.so")
    assert node_job(asked, "asked", rohc())["compressor"]["library"].endswith("reference.so")


def test_the_nodes_that_speak_sigcomp() -> None:
    theirs, proxy = (node_job(run_of(), "sigcomp", role=role) for role in ("compressor", "decompressor"))
    assert (theirs["users"], proxy["users"]) == ("plain", "link"), "callers are behind the compressor's node"
    assert theirs["endpoint"]["config"]["scheme"] == "sigcomp"
    assert "compressor" not in theirs


def test_nodes_get_the_seed_of_the_run() -> None:
    asked = run_of()
    config = node_job(asked, "asked", rohc())["compressor"]["config"]
    assert config["seed"] == asked.seed, "else the node draws one, and the run cannot be repeated"
    assert node_job(asked, "sigcomp")["endpoint"]["config"]["seed"] == asked.seed


def test_the_nodes_of_a_mode() -> None:
    fed_back = node_job(run_of(), "asked", rohc("O piggybacked", declared=[{"max_cid": 99}]))
    config = fed_back["compressor"]["config"]
    assert (fed_back["feedback"], config["mode"], config["max_cid"], "feedback" in config) == (
        "piggybacked",
        "O",
        99,
        False,
    )
    assert node_job(run_of(), "asked", rohc())["compressor"]["config"]["feedback"] is False
    null = node_job(run_of(), "null", rohc("O own"))
    assert (null["feedback"], null["compressor"]["config"]["scheme"]) == ("none", "copy")


def made_line(build: str, channel: Channel | None = None, profile: str = "voip-amr-nb-ipv6") -> Any:
    if reason := choice.build_lacks(build):
        pytest.skip(reason)
    return line(run_of(build=build, topology="netns"), (0,), "asked", profile, 16, channel or rohc())


def undisturbed(made: Any, rate: float, seconds: float) -> Trial:
    """A trial without a loss, or the last of three: what takes the cores away for a moment costs packets, too."""
    for _ in range(3):
        trial: Trial = made.trial(rate, seconds)
        if not (trial.lost or trial.fell_behind):
            break
    return trial


@root
def test_a_line_for_real(real_build: str) -> None:
    with made_line(real_build) as made:
        for _ in range(3):  # what takes the cores away for a second costs packets, too
            trial, loads = made.loaded(1000, 1.0)
            if not (trial.lost or trial.fell_behind):
                break
        assert trial.sent >= 1800
        assert (trial.lost, [one.unexpected for one in trial.directions]) == (0, [0, 0])
        busy = {(load.role, load.source): load.busy for load in loads}
        for role in ("compressor", "decompressor", "link"):
            assert 0 < (busy[role, "busy_share"] or 0) <= 1
            assert 0 < (busy[role, "thread_cpu"] or 0) <= 1
            assert 0 <= (busy[role, "proc_stat"] or 0) <= 1
        assert sum(busy[role, "thread_cpu"] or 0 for role in made.watched) <= len(made.watched)
        compressed = made.watched["compressor"].statistics()["workers"][0]["compressed"]
        assert compressed >= trial.forward.sent


@pytest.mark.long
@root
@pytest.mark.parametrize("path", ["own", "piggybacked"])
def test_feedback_travels_in_o_mode(real_build: str, path: str) -> None:
    with made_line(real_build, rohc(f"O {path}")) as made:
        trial = undisturbed(made, 1000, 0.5)
        assert (trial.lost, [one.unexpected for one in trial.directions]) == (0, [0, 0])
        told = made.watched["decompressor"].statistics()["workers"][0]["feedback"]
        assert told["piggybacked" if path == "piggybacked" else "sent"] > 0
        assert made.watched["compressor"].statistics()["workers"][0]["feedback"]["received"] > 0


@pytest.mark.long
@root
@pytest.mark.parametrize(
    ("scheme", "mode", "profile"),
    [("vj", "compressed", "tcp-bulk-data"), ("vj", "explicit", "tcp-interactive"), ("ule", "padding", "udp-690")],
)
def test_each_scheme_with_a_measurement_is_forwarded(real_build: str, scheme: str, mode: str, profile: str) -> None:
    channel = workload_of(scheme).channel(mode, 16, [])
    with made_line(real_build, channel, profile) as made:
        trial = undisturbed(made, 1000, 0.5)
        assert (trial.lost, [one.unexpected for one in trial.directions]) == (0, [0, 0])
        worker = made.watched["compressor"].statistics()["workers"][0]
        assert worker["compressed"] >= trial.forward.sent


@pytest.mark.long
@root
def test_a_node_that_dies_ends_a_trial_and_leaves_nothing(real_build: str) -> None:
    with made_line(real_build) as made:
        topology: Topology = made.topology
        os.kill(made.watched["decompressor"].process.pid, signal.SIGKILL)
        with pytest.raises(EngineFailure, match=r"^The decompressor .* died from SIGKILL"):
            made.trial(1000, 5.0)
    assert namespaces(topology.run) == []  # type: ignore[attr-defined]


def test_losses_are_told_by_their_cause() -> None:
    worker = {"errors": {"compressor": {"BAD": 2}, "too_long": 0, "send_queue_full": 3}}
    ports = {"plain": {"missed": 4}, "link": {"missed": 0}}
    receiving = [{"errors": {"hand_over_full": 5}}]
    node = SimpleNamespace(statistics=lambda: {"workers": [worker], "rx_cores": receiving, "ports": ports})
    silent = SimpleNamespace(statistics=dict)  # another vendor's
    made: Any = SimpleNamespace(watched={"compressor": node, "decompressor": silent})
    assert throughput_search.losses_of(made) == [
        "compressor: 2 compressor",
        "compressor: 3 send_queue_full",
        "compressor, receiving: 5 hand_over_full",
        "compressor: 4 missed at its port plain",
    ]


def test_threads_that_are_no_workers_fail_a_search() -> None:
    told = {"workers": [{"cpu_ns": 700_000_000}], "rx_cores": [{"cpu_ns": 200_000_000}], "other_threads_cpu_ns": 0}
    node = SimpleNamespace(statistics=lambda: told)
    made: Any = SimpleNamespace(watched={"link": SimpleNamespace(statistics=dict), "compressor": node})
    throughput_search.require_no_threads(made)
    told["other_threads_cpu_ns"] = 50_000_000
    with pytest.raises(WrongOutput, match=r"the compressor, other threads used 50\.0 ms .* beside 900\.0 ms"):
        throughput_search.require_no_threads(made)
