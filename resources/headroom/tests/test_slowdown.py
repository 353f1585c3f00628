# SPDX-License-Identifier: Apache-2.0
"""`./headroom compare --slower-than`: a slowdown beyond the uncertainty of its trials, and what nothing can tell."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headroom.cli.compare import percent_of
from headroom.core import metrics, replay_metrics
from headroom.core.errors import UsageError
from headroom.core.metrics import Metric
from headroom.core.results.record import Measurement
from headroom.report import comparison, comparison_page, products, slowdown
from headroom.report.slowdown import Slowdown, estimate, t_quantile
from headroom.tests import sample
from headroom.tests.test_compare import app, run, runner

__all__ = ["runner"]  # a fixture
CASE = "performance/voip_flow_pairs/One"
NS, PAIRS, COUNTED = metrics.NS_PER_OPERATION, metrics.FLOW_PAIRS, metrics.INSTRUCTIONS(stage="compress")


def measured(*trials: float, metric: Metric = NS, name: str = CASE, **more: Any) -> Any:
    found = [Measurement(metric, sorted(trials)[len(trials) // 2], list(trials))]
    return sample.record(name, metrics=found, **more)


def judged(a: list[Any], b: list[Any], limit: float = 0.05) -> list[Slowdown]:
    pairs = [(one.as_json(), other.as_json()) for one, other in zip(a, b, strict=True)]
    return slowdown.judge(copy.deepcopy(pairs), limit)


@pytest.mark.parametrize(("freedom", "expected"), [(1, 63.657), (4, 4.604), (11, 3.106), (20, 2.845), (120, 2.617)])
def test_quantiles_of_t_are_those_of_tables(freedom: int, expected: float) -> None:
    assert t_quantile(freedom) == pytest.approx(expected, rel=0.005)


@pytest.mark.parametrize(
    ("metric", "a", "b", "judgement"),
    [
        (NS, (100, 101, 99), (112, 113, 111), "worse"),
        (NS, (112, 113, 111), (100, 101, 99), "not worse"),
        (NS, (100, 101, 99), (103, 104, 102), "cannot tell"),  # by 3 % ± 3.3 %
        (NS, (100, 100.1, 99.9), (102, 102.1, 101.9), "not worse"),
        (NS, (100, 130, 90), (112, 150, 95), "cannot tell"),
        (PAIRS, (1000, 1010, 990), (880, 890, 870), "worse"),
        (PAIRS, (880, 890, 870), (1000, 1010, 990), "not worse"),
        (NS, (100,), (150,), "cannot tell"),
        (NS, (100,), (250,), "worse"),  # whatever the spread
        (PAIRS, (250,), (100,), "worse"),
        (NS, (250,), (100,), "cannot tell"),
        (NS, (100, 101, 99, 100), (150,), "worse"),  # one trial, with the spread of the other run's
        (PAIRS, (30_250, 30_250), (28_000, 28_000), "cannot tell"),  # steps of a search, which hide the spread
        (NS, (100,), (100,), "not worse"),  # to the last digit
        (NS, (0.0, 1.0), (2.0, 3.0), "cannot tell"),
        (COUNTED, (1000,), (1056,), "worse"),
        (COUNTED, (1000,), (1052,), "cannot tell"),  # counts repeat within half a percent
        (replay_metrics.HEADER(), (3.0,), (3.2,), "worse"),
        (replay_metrics.HEADER(), (3.0,), (3.1,), "not worse"),
    ],
)
def test_a_metric_is_worse_where_its_whole_interval_is_beyond_the_limit(
    metric: Metric, a: tuple[float, ...], b: tuple[float, ...], judgement: str
) -> None:
    (found,) = judged([measured(*a, metric=metric)], [measured(*b, metric=metric)])
    assert found.judgement == judgement, found
    if found.interval:
        assert found.interval[0] <= found.change <= found.interval[1]
        assert found.b / found.a - 1 == pytest.approx(found.change), "the figures that are shown are those judged"


def test_the_interval_covers_the_true_change() -> None:
    """Of 2,000 pairs of runs with three trials each, about 99 % of the intervals hold the change that was made."""
    chance = random.Random(5)
    covered = 0
    for _ in range(2000):
        a, b = ([chance.gauss(mean, 0.02 * mean) for _ in range(3)] for mean in (100, 107))
        _, interval = estimate(a, b)
        assert interval is not None
        covered += interval[0] <= 0.07 <= interval[1]
    assert 0.98 <= covered / 2000 <= 1.0


def test_single_trials_are_judged_by_all_cases_together() -> None:
    before, after = (
        [measured(base * factor, name=f"s/{base}") for base in (100, 150, 220, 400)] for factor in (1.0, 1.1)
    )
    after[0].metrics[0].value = after[0].metrics[0].trials[0] = 100 * 1.105  # type: ignore[index]
    (found,) = judged(before, after)
    assert (found.judgement, found.where, found.basis) == ("worse", "4 cases together", "1 trial of each of 4 cases")
    assert found.change == pytest.approx(0.101, abs=0.002)
    (one,) = judged(before[:1], after[:1])
    assert (one.judgement, one.basis) == ("cannot tell", "1 trial in each run")
    assert one.figure == "+10.5 % (uncertainty not known)"


def test_what_the_machine_became_slower_by_is_allowed() -> None:
    def records(factor: float) -> list[Any]:
        found = []
        for number, name in enumerate(("s/1", "s/2", "s/3")):
            times = [Measurement(NS, 100 * factor, [99 * factor, 100 * factor, 101 * factor])]
            floor = (10 + number) * factor * (1 + number / 1000)
            found.append(sample.record(name, metrics=[*times, Measurement(metrics.FLOOR_NS, floor, [floor])]))
        return found

    found = judged(records(1.0), records(1.3))
    assert {(one.name, one.judgement) for one in found} == {("ns_per_operation", "not worse")}
    assert found[0].allowed == pytest.approx(1.3 * 1.05 - 1, abs=0.02)


def test_what_is_of_the_harness_or_has_no_direction_is_not_judged() -> None:
    stages = metrics.STAGE_NS
    silent = [metrics.RATE, metrics.HARNESS_NS, stages(stage="generate"), stages(stage="verify"), metrics.AA_DEVIATION]
    silent += [metrics.FLOOR_NS, metrics.THROUGHPUT(nodes="null")]
    for metric in silent:
        a, b = measured(1.0, 1.01, 1.02, metric=metric), measured(9.0, 9.1, 9.2, metric=metric)
        assert judged([a], [b]) == judged([b], [a]) == [], metric.name
    assert judged([measured(0.0)], [measured(0.0)]) == []


def test_counts_of_another_seed_do_not_repeat() -> None:
    (found,) = judged([measured(1000, metric=COUNTED)], [measured(1100, metric=COUNTED, seed=7)])
    assert found.judgement == "cannot tell"


@pytest.mark.parametrize(("text", "share"), [("5%", 0.05), ("5", 0.05), ("0.5 %", 0.005), ("0", 0.0)])
def test_a_percentage_is_read(text: str, share: float) -> None:
    assert percent_of(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["", "five", "-1%", "nan", "1e9"])
def test_what_is_no_percentage_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a percentage"):
        percent_of(text)


def test_the_command_fails_for_a_slowdown_alone(out: Path, runner: CliRunner) -> None:
    a = run(out, "20260101-000000-aaaa", measured(100, 101, 99))
    b = run(out, "20260102-000000-bbbb", measured(108, 109, 107))
    few = run(out, "20260103-000000-cccc", measured(104, 105, 103))
    found = runner.invoke(app, ["compare", a, b, "--slower-than", "3%"], env={"COLUMNS": "240"})
    assert found.exit_code == 1, found.output
    sentence = f"b is worse by more than 3 % in 1 metric: ns_per_operation, {CASE}: +8.0 % (+4."
    for words in (sentence, "3 and 3 trials", "Worse by more than 3 %: 1 of 1 metrics; cannot tell: 0"):
        assert words in found.output
    undecided = runner.invoke(app, ["compare", a, few, "--slower-than", "3%"], env={"COLUMNS": "240"})
    assert (undecided.exit_code, "cannot tell: 1" in undecided.output) == (0, True), undecided.output
    assert runner.invoke(app, ["compare", a, b, "--slower-than", "15%"]).exit_code == 0, "though it is worse by 8 %"
    document = json.loads(runner.invoke(app, ["compare", a, b, "--slower-than", "3%", "--json"]).stdout)
    assert [one["judgement"] for one in document["slowdowns"]] == ["worse"] and document["worse"] is True
    with pytest.raises(UsageError, match="leave out --worse-by"):
        runner.invoke(app, ["compare", a, b, "--slower-than", "5", "--worse-by", "10"], catch_exceptions=False)
    nothing = run(out, "20260104-000000-dddd", sample.record(CASE))
    with pytest.raises(UsageError, match="no metric in common that --slower-than could judge"):
        runner.invoke(app, ["compare", a, nothing, "--slower-than", "5"], catch_exceptions=False)


def test_two_versions_of_a_product_are_named_and_are_not_what_makes_runs_incomparable(
    out: Path, runner: CliRunner
) -> None:
    def version(folder: str, number: str, digest: str, *trials: float) -> str:
        one = measured(*trials)
        one.compressor = one.decompressor = {**sample.SIDE, "name": "codec", "version": number, "sha256": digest * 32}
        lost = [sample.record("s/lost")] if number == "2.0" else []
        return run(out, folder, one, *lost, compressor=f"/{number}/codec", decompressor=f"/{number}/codec")

    a = version("20260101-000000-aaaa", "2.0", "ab", 100, 101, 99)
    b = version("20260102-000000-bbbb", "2.1", "cd", 100, 101, 99)
    found = runner.invoke(app, ["compare", a, b], env={"COLUMNS": "240"})
    line = "both sides: a: codec 2.0 (SHA-256 abababababab)  b: codec 2.1 (SHA-256 cdcdcdcdcdcd)"
    assert line in found.output
    assert "incomparable" not in found.output and "Differences of the implementations" in found.output
    assert "b covers less by 1 case" in found.output, "a version that lacks a case of the same product"
    same = runner.invoke(app, ["compare", a, run(out, "20260103-000000-cccc", measured(1.0))])
    assert same.exit_code in (0, 1) and "codec 2.0" in same.output
    document = json.loads(runner.invoke(app, ["compare", a, b, "--json"]).stdout)
    assert document["incomparable"] == []
    assert {one["what"] for one in document["product_differences"]} >= {"compressor, SHA-256", "setting compressor"}


def test_an_implementation_is_described_with_what_it_opens() -> None:
    side = {"name": "codec", "version": None, "build": None, "sha256": "12" * 32}
    assert products.described(side) == "codec of unknown version (SHA-256 121212121212)"
    opens = {"path": "/usr/lib/libcodec.so.3", "sha256": "34" * 32}
    assert products.described({**side, "opens": opens}).endswith(" with libcodec.so.3 (SHA-256 343434343434)")
    assert "no digest: it does not load" in products.described({**side, "sha256": None, "reason": "it does not load"})


def test_the_page_shows_what_is_slower(tmp_path: Path) -> None:
    a, b = ([one.as_json()] for one in (measured(100, 101, 99), measured(120, 121, 119)))
    found = comparison.compare(tmp_path / "a", tmp_path / "b", a, b, slower_than=0.05)
    html = comparison_page.write(found, tmp_path / "slower.html").read_text()
    for words in ("Worse by more than 5 %?", "1 worse, 0 cannot tell", "+20.0 % (", "Products compared"):
        assert words in html


def test_runs_of_campaigns_are_found_by_name(out: Path, runner: CliRunner) -> None:
    names = {}
    for cell, time in (("local.v1.1", 100.0), ("local.v2.1", 130.0)):
        folder = out / "campaigns" / "two" / "cells" / cell
        folder.mkdir(parents=True)
        names[cell] = run(folder, f"20260101-000000-{cell[6:8]}", measured(time, time + 1, time - 1))
        (folder / "cell.json").write_text(json.dumps({"run": names[cell]}), encoding="utf-8")
    for words in (list(names.values()), list(names), [f"two/{cell}" for cell in names]):
        assert runner.invoke(app, ["compare", *words, "--slower-than", "5"]).exit_code == 1, words
    with pytest.raises(UsageError, match=r"There is no run 'two/other'.*cells of two: local\.v1\.1, local\.v2\.1"):
        runner.invoke(app, ["compare", "two/other", "last"], catch_exceptions=False)
    twin = out / "campaigns" / "three" / "cells" / "local.v1.1"
    twin.mkdir(parents=True)
    with pytest.raises(UsageError, match=r"several runs 'local\.v1\.1': name one as three/local\.v1\.1 or two/"):
        runner.invoke(app, ["compare", "local.v1.1", "local.v2.1"], catch_exceptions=False)
