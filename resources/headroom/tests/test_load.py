# SPDX-License-Identifier: Apache-2.0
"""Load trials: what the engine's document says, what spoils a trial, what is a failure, what is kept."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from robot.api import SkipExecution

from headroom.bench import capacity, codec_only, load
from headroom.bench.capacity_search import Capacity, Rules, Trial
from headroom.core.results import collector
from headroom.keywords import load as load_keywords
from headroom.keywords.load import note_churn, note_codec_only
from headroom.tests.runs import load_of, run_of

JIFFIES = {"user": 0, "nice": 0, "system": 0, "idle": 0, "iowait": 0, "irq": 0, "softirq": 0, "steal": 0}


def phase(name: str = "steady", **changes: Any) -> dict[str, Any]:
    stages = {
        stage: {"ns_per_packet": cost}
        for stage, cost in zip(load.STAGES, (5.0, 25.0, 1.0, 20.0, 0.5, 0.0, 0.0), strict=True)
    }
    plain = {
        "name": name, "packets": 100, "packets_decompressed": 99,
        "ticks": 50, "ticks_missed": 0, "wall_ns": 990_000_000, "thread_cpu_ns": 500_000_000,
        "involuntary_switches": 3, "busy_share": [0.5, 0.52], "verified": 100, "mismatched": 0, "wrong_length": 0,
        "statuses": {"compressor": {}, "decompressor": {}}, "stages": stages,
        "proc_stat": {"before": JIFFIES, "after": {**JIFFIES, "user": 48, "idle": 52}},
        "histograms": {"burst_latency_ns": {"buckets": [[100.0, 5]]}, "compress_ns": None},
    }  # fmt: skip
    return plain | changes


def document(**changes: Any) -> dict[str, Any]:
    return {
        "tick_ns": 20_000_000,
        "late_by_ns": 0,
        "memory": {"adapters_octets_per_flow_pair": 800.0},
        "phases": [phase("startup"), phase(**changes)],
    }


WANTED = load_of(profile="voip-amr-nb-ipv6")


def test_a_load_without_a_profile_has_none() -> None:
    assert load_of().profile == "" and load_of().channel == {}


def test_loads_from_three_sources() -> None:
    core = load.read(document(), 1, WANTED)
    assert core.load == pytest.approx(0.5), "over the time of the ticks, not of the work"
    assert core.loads == {
        "thread_cpu": pytest.approx(0.5),
        "tick": pytest.approx(0.51),
        "proc_stat": pytest.approx(0.48),
    }
    assert core.memory_per_flow == 400
    assert core.histograms == {"latency": [[100.0, 5]]}
    assert load.operation_ns([load.trial_of(100, [core])]) == [45.0]


def test_memory_that_an_adapter_does_not_know_is_not_none_at_all() -> None:
    loaded = document()
    for unknown in (0, 70):
        sides = {"compressor": {"memory_bytes": 90}, "decompressor": {"memory_bytes": unknown}}
        loaded["memory"]["statistics"] = {"forward": sides, "reverse": sides}
        assert load.memory_per_flow(loaded) == (400 if unknown else None)


def test_a_core_that_cannot_keep_up_is_loaded_beyond_its_time() -> None:
    late = document(wall_ns=3_000_000_000, thread_cpu_ns=1_500_000_000, ticks_missed=50)
    assert load.read(late, 1, WANTED).load == pytest.approx(1.5), "not half, although others had the other half"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"mismatched": 2}, "2 packets of reference → reference came out changed"),
        ({"wrong_length": 1}, "1 packets"),
        ({"lost": 8}, "8 packets of reference → reference never came out"),
        (
            {"other_threads_cpu_ns": 60_000_000},
            "other threads of reference → reference used 60.0 ms of processor time, beside 500.0 ms of the",
        ),
        (
            {"busy_ns": 470_000_000},
            "reference → reference used 30.0 ms of processor time between ticks, beside 470.0 ms in them",
        ),
        (
            {"statuses": {"compressor": {}, "decompressor": {"ERR_CRC": 7}}},
            "the decompressor of .* did not handle packets: 7 ERR_CRC",
        ),
    ],
)
def test_wrong_output_is_a_failure(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(load.WrongOutput, match=sentence) as caught:
        load.read(document(**changes), 1, WANTED)
    assert caught.value.verdict == "fail"


def test_sleeping_takes_a_little_and_other_programs_make_work_last() -> None:
    for busy in (485_000_000, 900_000_000):
        load.check_all(document(busy_ns=busy))


def test_few_packets_may_wait_in_adapters_at_the_end() -> None:
    load.check_all(document(packets_decompressed=20))
    with pytest.raises(load.WrongOutput, match="Under load, 99 of 200 packets of the adapters came out"):
        load.check_all(document(packets_decompressed=0))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ""),
        ({"involuntary_switches": 90}, "other processes took the core 90 times a second"),
        (
            {"proc_stat": {"before": JIFFIES, "after": {**JIFFIES, "user": 40, "idle": 55, "steal": 5}}},
            "the hypervisor took 5 % of the time",
        ),
    ],
)
def test_disturbed_trials(changes: dict[str, Any], words: str) -> None:
    trial = load.trial_of(100, [load.read(document(**changes), 1, WANTED)])
    assert trial.disturbed == words


def test_several_cores_are_one_trial() -> None:
    fast, slow = document(), document(thread_cpu_ns=700_000_000, ticks_missed=2)
    trial = load.trial_of(100, [load.read(fast, 0, WANTED), load.read(slow, 1, WANTED)])
    assert trial.load == pytest.approx(0.6)
    assert trial.ticks_missed == 2
    late = copy.deepcopy(fast) | {"late_by_ns": 5}
    assert load.trial_of(100, [load.read(late, 0, WANTED)]).disturbed == "the cores did not start at the same time"


def test_jobs_of_several_cores_start_together(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, Any]] = []

    def run_together(command: str, jobs: list[dict[str, Any]], **_: Any) -> list[dict[str, Any]]:
        seen.extend(jobs)
        return [document() for _ in jobs]

    monkeypatch.setattr(load.engine, "run_together", run_together)
    load.measure(load_of(profile="voip-amr-nb-ipv6", cores=(2, 3)), 1000)
    assert [job["core"] for job in seen] == [2, 3]
    assert seen[0]["start_at_ns"] == seen[1]["start_at_ns"]
    assert seen[0]["flow_pairs"] == 1000
    assert [entry["name"] for entry in seen[0]["phases"]] == ["startup", "warmup", "steady"]


# ---- points that a run shares


def measured(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Replaces the engine by a core whose load is 1e-5 for each flow pair; returns what was asked for."""
    asked: list[int] = []

    def measure(wanted: load.LoadConfig, flow_pairs: int) -> Trial:
        asked.append(flow_pairs)
        core = load.read(document(), 1, WANTED)
        return Trial(flow_pairs, min(1.0, flow_pairs * 1e-5), int(flow_pairs > 90_000), "", [core])

    monkeypatch.setattr(load, "measure", measure)
    return asked


def test_cases_share_points_and_a_resumed_run_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = measured(monkeypatch)
    first = capacity.points(WANTED, Rules(most=123), tmp_path)
    assert capacity.points(WANTED, Rules(most=456), tmp_path) is first, "free memory is no condition"
    first.search.rules = Rules()
    found = first.for_target(0.5)
    assert found.flow_pairs == pytest.approx(50_000, rel=0.01)
    count = len(asked)
    assert first.for_target(0.5) is found
    capacity._known.clear()  # as in another process
    again = capacity.points(WANTED, Rules(), tmp_path)
    assert again.for_target(0.5).flow_pairs == found.flow_pairs
    assert len(asked) == count, "nothing is measured again"
    detail = again.search.known()[0].trials[0].detail[0]
    assert isinstance(detail, load.Core)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"points": {"x": []}, "pairs": {}}',
        '{"points": {"5": [{}]}, "pairs": {}}',
        '{"points": {}, "pairs": {"5": [{"codec": 1}]}}',
    ],
)
def test_kept_points_that_are_not_whole_count_for_nothing(
    tmp_path: Path, content: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured(monkeypatch)
    points = capacity.points(WANTED, Rules(), tmp_path)
    assert points.path is not None
    points.path.parent.mkdir(exist_ok=True)
    points.path.write_text(content)
    capacity._known.clear()
    assert capacity.points(WANTED, Rules(), tmp_path).search.points == {}


def test_pairs_of_trials_are_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = measured(monkeypatch)
    points = capacity.points(WANTED, Rules(), tmp_path)
    points.pairs_at(1000)
    found = points.pairs_at(1050)
    assert asked == [1000] * 2 * points.search.rules.trials, "the nearest within a tenth will do"
    capacity._known.clear()
    again = capacity.points(WANTED, Rules(), tmp_path).pairs
    assert again == {1000: found}, "kept for a run that goes on"


# ---- codec only


def trial(share: float, compress: float, flow_pairs: int = 1000, disturbed: str = "") -> Trial:
    stages = phase()["stages"] | {name: {"ns_per_packet": compress} for name in ("compress", "decompress")}
    core = load.read(document(stages=stages, thread_cpu_ns=round(share * 1e9)), 1, WANTED)
    return replace(load.trial_of(flow_pairs, [core]), disturbed=disturbed)


def test_trials_with_and_without_the_codec_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(
        load, "measure", lambda wanted, n: asked.append((wanted.compressor.name, n)) or trial(0.5, 20.0)
    )
    assert len(codec_only.measure(WANTED, 70, 2)) == 2
    assert asked == [("reference", 70), ("null", 70)] * 2


def test_disturbed_pairs_are_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    words = iter(["busy", "", "", "", "", ""])
    monkeypatch.setattr(load, "measure", lambda wanted, n: trial(0.5, 20.0, disturbed=next(words)))
    assert [pair.is_disturbed for pair in codec_only.measure(WANTED, 70, 2, extra=3)] == [True, False, False]
    monkeypatch.setattr(load, "measure", lambda wanted, n: trial(0.5, 20.0, disturbed="busy"))
    assert len(codec_only.measure(WANTED, 70, 2, extra=3)) == 5


def test_codec_only_is_less_what_the_same_load_costs_with_null() -> None:
    pairs = [codec_only.Pair(trial(0.50, 40.0), trial(0.10, 4.0)), codec_only.Pair(trial(0.60, 48.0), trial(0.20, 6.0))]
    assert codec_only.flow_pairs(1000, pairs) == [pytest.approx(1250), pytest.approx(1500)]
    assert codec_only.ratios_to_null(pairs) == [pytest.approx(10), pytest.approx(8)]
    assert codec_only.harness_ns([pair.codec for pair in pairs]) == [pytest.approx(6.5)] * 2, "5 + 1 + 0.5 + 0"


def test_a_pair_without_a_difference_has_no_value() -> None:
    assert codec_only.flow_pairs(1000, [codec_only.Pair(trial(0.1, 4.0), trial(0.1, 4.0))]) == []


def test_disturbed_pairs_count_only_where_there_are_no_others() -> None:
    quiet = codec_only.Pair(trial(0.5, 40.0), trial(0.1, 4.0))
    loud = codec_only.Pair(trial(0.5, 40.0), trial(0.1, 4.0, disturbed="other processes took the core"))
    assert codec_only.counted([loud, quiet]) == [quiet]
    assert codec_only.counted([loud]) == [loud]


@pytest.mark.parametrize(
    ("flow_pairs", "wanted", "values", "reason"),
    [
        (1000.0, WANTED, (2500.0, 10.0), ""),
        (None, WANTED, (None, 10.0), "no flow pairs were found"),
        (1000.0, None, (None, None), "the null adapter is the floor itself"),
    ],
)
def test_codec_only_is_noted_with_its_reason(
    flow_pairs: float | None, wanted: load.LoadConfig | None, values: tuple[float | None, ...], reason: str
) -> None:
    noted = collector.begin()
    wanted = wanted or load.with_null(WANTED)  # here, because an implementation is one object as long as it is cached
    note_codec_only(flow_pairs, 2, [codec_only.Pair(trial(0.5, 40.0), trial(0.1, 4.0))], wanted)
    found = {metric.name: metric for metric in noted.metrics}
    for name, value in zip(("flow_pairs_codec_only", "ratio_to_null"), values, strict=True):
        assert found[name].value == (value if value is None else pytest.approx(value))
        assert found[name].reason == (reason if value is None else "")


def test_never_more_flows_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "_free_memory", lambda: 8 << 30)
    assert capacity.rules_for(False, 2).most == (8 << 30) // 2 // 4096 // 2
    assert capacity.rules_for(True, 1).trials == 1


def test_a_real_trial(real_build: str) -> None:
    wanted = load_of(profile="voip-amr-nb-ipv6", cores=(0,), build=real_build, ticks=10, warmup_ticks=3)
    trial = load.measure(wanted, 200)
    core = trial.detail[0]
    assert 0 < trial.load < 0.5
    assert set(core.ns_per_packet) == set(load.STAGES)
    assert core.ns_per_packet["compress"] > 1
    assert core.memory_per_flow > 50
    assert core.histograms["latency"]
    assert set(core.loads) == {"thread_cpu", "tick", "proc_stat"}


def test_each_phase_is_noted_apart() -> None:
    def stages(compress: float, decompress: float) -> dict[str, Any]:
        return {"compress": {"ns_per_packet": compress}, "decompress": {"ns_per_packet": decompress}}

    def measured(name: str, cost: float) -> dict[str, Any]:
        return phase(name, stages=phase()["stages"] | stages(cost, cost))

    phases = [measured("startup", 250.0), measured("warmup", 1.0), measured("steady", 30.0), measured("churn", 40.0)]
    core = load.read(document() | {"phases": phases}, 1, WANTED)
    wanted = replace(WANTED, churn_per_second=0.1)
    noted = collector.begin()
    note_churn(run_of(compressor="null", decompressor="null"), [load.trial_of(100, [core])] * 3, wanted, "1c")
    found = {metric.name: (metric.value, len(metric.trials)) for metric in noted.metrics}
    assert found == {"load": (0.5, 3), "startup_ns": (500.0, 3), "steady_ns": (60.0, 3), "churn_ns": (80.0, 3)}
    assert [one["name"] for one in load.job(wanted, 100, 1)["phases"]] == ["startup", "warmup", "steady", "churn"]
    assert [one["name"] for one in load.job(WANTED, 100, 1)["phases"]] == ["startup", "warmup", "steady"]


def test_a_load_that_ends_below_the_capacity_fails_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """An implementation with few channels may be fast."""
    capacity = Capacity(0.5, None, reason="even 64 flow pairs per core do not load it to 50%", beyond=True)
    monkeypatch.setattr(load_keywords, "current_run", run_of)
    monkeypatch.setattr(load_keywords, "measure_capacity", lambda *words: SimpleNamespace(capacity=capacity))
    monkeypatch.setattr(load_keywords, "note_capacity", lambda found: None)
    with pytest.raises(SkipExecution, match="The load limit lies below the capacity"):
        load_keywords.LoadKeywords().flow_pairs_should_be_found("rohc", "", "1c", "50 %")
