# SPDX-License-Identifier: Apache-2.0
"""`./headroom compare`: differences that matter are named, and a metric moves only where its trials say so."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headroom.cli.app import _add_commands, app
from headroom.core import metrics
from headroom.core.errors import UsageError
from headroom.core.results import store
from headroom.core.results.record import Measurement, Verdict
from headroom.core.run import session
from headroom.core.run.session import Plan
from headroom.core.settings import Settings
from headroom.report import comparison, comparison_page
from headroom.tests import sample

CASE = "performance/voip_flow_pairs/One"


def record(*trials: float, metric: Any = metrics.NS_PER_OPERATION, name: str = CASE, verdict: Verdict = "pass") -> Any:
    value = sorted(trials)[len(trials) // 2] if trials else None
    found = [Measurement(metric, value, list(trials))] if trials else []
    return sample.record(name, verdict, "a reason" if verdict != "pass" else "", metrics=found)


def compared(a: list[Any], b: list[Any], tmp_path: Path) -> comparison.Comparison:
    one, other = ([copy.deepcopy(item.as_json()) for item in items] for items in (a, b))
    return comparison.compare(tmp_path / "a", tmp_path / "b", one, other)


@pytest.mark.parametrize(
    ("a", "b", "outside", "change"),
    [
        ((40.0, 41.0, 42.0), (44.0, 45.0, 46.0), True, "worse"),
        ((44.0, 45.0, 46.0), (40.0, 41.0, 42.0), True, "better"),
        ((40.0, 41.0, 45.0), (44.0, 46.0, 47.0), False, "worse"),
        ((40.0, 41.0, 42.0), (42.0, 43.0, 44.0), False, "worse"),
        ((40.0, 41.0, 42.0), (45.0,), None, "worse"),
        ((40.0,), (40.0,), None, "same"),
    ],
)
def test_a_metric_moves_where_trials_do_not_overlap(
    tmp_path: Path, a: tuple[float, ...], b: tuple[float, ...], outside: bool | None, change: str
) -> None:
    (found,) = compared([record(*a)], [record(*b)], tmp_path).metrics
    assert (found.outside, found.change) == (outside, change)
    assert found.ratio == pytest.approx(sorted(b)[len(b) // 2] / sorted(a)[len(a) // 2])


def test_what_moved_stands_first_and_the_largest_change_before_others(tmp_path: Path) -> None:
    pairs = {"within": (1.0, 1.0, 1.05), "small": (1.1, 1.1, 1.1), "large": (0.5, 0.5, 0.5), "few": (9.0,)}
    a = [record(0.99, 1.0, 1.01, name=f"s/{name}") for name in pairs]
    b = [record(*trials, name=f"s/{name}") for name, trials in pairs.items()]
    found = compared(a, b, tmp_path)
    assert [one.test for one in found.metrics] == ["s/large", "s/small", "s/few", "s/within"]
    assert [one.test for one in found.outside()] == ["s/large", "s/small"]


def test_higher_may_be_better_and_a_missing_value_is_not_compared(tmp_path: Path) -> None:
    more = compared(
        [record(1.0, 1.1, metric=metrics.FLOW_PAIRS)], [record(2.0, 2.1, metric=metrics.FLOW_PAIRS)], tmp_path
    )
    assert [one.change for one in more.metrics] == ["better"]
    assert compared([record(1.0, 1.1)], [record()], tmp_path).metrics == []
    zero = compared([record(0.0, 0.0)], [record(1.0, 1.0)], tmp_path).metrics[0]
    assert (zero.ratio, zero.outside) == (None, True)


def test_a_metric_that_a_case_measures_several_times_is_compared_in_order(tmp_path: Path) -> None:
    def several(*values: float) -> Any:
        return sample.record(CASE, metrics=[Measurement(metrics.FLOW_PAIRS, value, []) for value in values])

    same = compared([several(1.0, 2.0, 3.0)], [several(1.0, 2.0, 3.0)], tmp_path)
    assert [(one.a, one.b) for one in same.metrics] == [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]
    assert (same.undecided(), same.lone) == ([], [])
    fewer = compared([several(1.0, 2.0)], [several(1.0)], tmp_path)
    assert [(one.a, one.b) for one in fewer.lone] == [(2.0, None)]


def test_a_metric_that_vanished_is_named(tmp_path: Path) -> None:
    found = compared([record(1.0, 1.1)], [record()], tmp_path)
    assert [(one.name, one.a, one.b) for one in found.lone] == [("ns_per_operation", 1.1, None)]
    assert found.as_json()["in_one_run"][0] | {"unit": "ns"} == {
        "test": CASE,
        "metric": "ns_per_operation",
        "unit": "ns",
        "core": None,
        "a": 1.1,
        "b": None,
    }
    assert "In one run alone" in comparison_page.write(found, tmp_path / "x.html").read_text()


@pytest.mark.parametrize(
    ("a", "b", "worse"),
    [
        ("pass", "non-strict", True),
        ("unsupported", "fail", True),
        ("unsupported", "non-strict", False),
        ("pass", "unsupported", True),  # of the same implementations
        ("fail", "unsupported", False),
        ("error", "fail", False),
    ],
)
def test_what_is_worse(tmp_path: Path, a: Verdict, b: Verdict, worse: bool) -> None:
    assert compared([record(verdict=a)], [record(verdict=b)], tmp_path).is_worse is worse


@pytest.mark.parametrize(
    ("row", "a", "b", "worse"),
    [
        ("pass", "pass", "unsupported", ["Row, bulk, clean"]),  # a new declaration
        ("fail", "pass", "fail", ["Row, bulk, clean"]),
        ("fail", "fail", "unsupported", []),
        ("fail", "fail", "pass", []),
    ],
)
def test_cells_count_where_their_row_hides_them(
    tmp_path: Path, row: Verdict, a: Verdict, b: Verdict, worse: list[str]
) -> None:
    """The verdict of a row of the matrix was the same, whatever became of its other cells."""
    rows = []
    for verdict in (a, b):
        cells = [{"traffic": name, "link": "clean", "reason": ""} for name in ("bulk", "others")]
        rows.append(record(name="Row", verdict=row))
        rows[-1].cells = [cells[0] | {"verdict": verdict}, cells[1] | {"verdict": row}]
    found = compared(rows[:1], rows[1:], tmp_path)
    assert [change.test for change in found.verdicts if change.is_worse] == worse
    assert found.is_worse is bool(worse)


def test_what_another_implementation_declares_is_no_worse(tmp_path: Path) -> None:
    other = record(verdict="unsupported")
    other.compressor = {**other.compressor, "name": "other"}
    assert not compared([record()], [other], tmp_path).is_worse


@pytest.mark.parametrize(
    ("a", "b", "worse"),
    [
        ((40.0, 41.0, 42.0), (44.0, 45.0, 46.0), False),  # less than a tenth
        ((40.0, 41.0, 42.0), (46.0, 47.0, 48.0), True),
        ((46.0, 47.0, 48.0), (40.0, 41.0, 42.0), False),  # better
        ((40.0, 41.0, 99.0), (90.0, 98.0, 99.0), False),  # the ranges overlap
        ((40.0,), (79.0,), False),
        ((40.0,), (23_400.0,), True),
        ((0.0, 0.0), (1.0, 1.0), True),
    ],
)
def test_a_slowdown_makes_b_worse(tmp_path: Path, a: tuple[float, ...], b: tuple[float, ...], worse: bool) -> None:
    found = compared([record(*a)], [record(*b)], tmp_path)
    assert found.is_worse is worse
    assert [one["significantly_worse"] for one in found.as_json()["metrics"]] == [worse]
    found.least = None
    assert not found.is_worse


def test_less_throughput_makes_b_worse_and_a_slower_machine_does_not(tmp_path: Path) -> None:
    pairs = [record(trial, metric=metrics.FLOW_PAIRS) for trial in (900.0, 400.0)]
    assert compared(pairs[:1], pairs[1:], tmp_path).worse_metrics()[0].factor == 2.25
    floor = [record(trial, metric=metrics.FLOOR_NS) for trial in (4.0, 12.0)]
    assert not compared(floor[:1], floor[1:], tmp_path).is_worse


def test_verdicts_that_changed(tmp_path: Path) -> None:
    a = [record(name=name, verdict=verdict) for name, verdict in (("s/1", "pass"), ("s/2", "fail"), ("s/3", "pass"))]
    b = [record(name=name, verdict=verdict) for name, verdict in (("s/1", "fail"), ("s/2", "pass"), ("s/4", "fail"))]
    found = compared(a, b, tmp_path)
    assert [(one.test, one.a, one.b, one.is_worse) for one in found.verdicts] == [
        ("s/1", "pass", "fail", True),
        ("s/2", "fail", "pass", False),
        ("s/4", "missing", "fail", False),
        ("s/3", "pass", "missing", False),
    ]
    assert found.is_worse
    assert not compared(b, b, tmp_path).is_worse


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"environment": {"kernel": "6.2"}}, "kernel"),
        ({"environment": {"microcode": "0x2"}}, "microcode"),
        ({"environment": {"governor": "performance"}}, "governor"),
        ({"environment": {"mitigations": "none"}}, "mitigations"),
        ({"environment": {"topology": {"smt": True, "physical_cores": 4}}}, "SMT"),
        ({"environment": {"compiler": "Clang 14"}}, "compiler"),
        ({"environment": {"flags": "-O3"}}, "flags"),
        ({"environment": {"build": "other"}}, "build"),
        ({"harness": {"engine_sha256": "c" * 64}}, "engine, SHA-256"),
        ({"harness": {"profile_sha256": "c" * 64}}, "profile, SHA-256"),
        ({"harness": {"commit": "f" * 40}}, "commit"),
        ({"compressor": {"sha256": "c" * 64}}, "compressor, SHA-256"),
        ({"seed": 7}, "seed"),
        ({"quick": True}, "quick"),
    ],
)
def test_what_makes_runs_incomparable_is_named(tmp_path: Path, change: dict[str, Any], what: str) -> None:
    one = record(1.0).as_json()
    other = copy.deepcopy(one)
    for key, value in change.items():
        if isinstance(value, dict):
            other[key] |= value
        else:
            other[key] = value
    assert comparison.differences([one], [one]) == []
    assert [found.what for found in comparison.differences([one], [other])] == [what]


def test_what_one_run_alone_has_makes_nothing_incomparable() -> None:
    one, other = record(1.0).as_json(), record(1.0, name="s/other").as_json()
    other["environment"] = other["environment"] | {"kernel": "6.2"}
    assert comparison.differences([one], [one, other]) == []


# ---- the command


@pytest.fixture(scope="module")
def runner() -> CliRunner:
    if not app.registered_commands:
        _add_commands()
    return CliRunner()


def run(out: Path, name: str, *records: Any, **settings: Any) -> str:
    folder = out / name
    folder.mkdir()
    session.keep(Plan(Settings(**settings, folder=folder), ["performance"]))
    for one in records:
        one.run = name
        store.write(folder, one)
    return name


def test_the_exit_status_says_that_b_is_slower(out: Path, runner: CliRunner) -> None:
    a = run(out, "20260101-000000-aaaa", record(40.0, 41.0))
    b = run(out, "20260102-000000-bbbb", record(50.0, 51.0))
    few = run(out, "20260103-000000-cccc", record(23_985.0))
    found = runner.invoke(app, ["compare", a, b], env={"COLUMNS": "200"})
    assert found.exit_code == 1
    assert f"b is significantly worse in 1 metric: ns_per_operation of {CASE} by a factor of 1.244." in found.output
    for words in ([b, a], [a, b, "--worse-by", "25"], [a, b, "--verdicts-only"]):
        assert runner.invoke(app, ["compare", *words]).exit_code == 0
    found = runner.invoke(app, ["compare", a, few], env={"COLUMNS": "200"})
    assert found.exit_code == 1
    assert "by a factor of 585 (by its size: too few trials for a spread)." in found.output
    assert json.loads(runner.invoke(app, ["compare", a, few, "--json"]).stdout)["worse"] is True


def test_the_exit_status_says_that_b_covers_less(out: Path, runner: CliRunner) -> None:
    both = [record(name=name) for name in ("s/1", "s/2")]
    a = run(out, "20260101-000000-aaaa", *both)
    fewer = run(out, "20260102-000000-bbbb", both[0])
    declared = run(out, "20260103-000000-cccc", both[0], record(name="s/2", verdict="unsupported"))
    other = run(out, "20260104-000000-dddd", both[0], compressor="null")
    for b, status in ((fewer, 1), (declared, 1), (other, 0)):
        assert runner.invoke(app, ["compare", a, b]).exit_code == status, b
    words = "b covers less by 1 case that passed in a: s/2 (missing)."
    assert words in runner.invoke(app, ["compare", a, fewer], env={"COLUMNS": "200"}).output
    assert runner.invoke(app, ["compare", fewer, a]).exit_code == 0


def test_two_runs(out: Path, runner: CliRunner, tmp_path: Path) -> None:
    a = run(out, "20260101-000000-aaaa", record(40.0, 41.0))
    b = run(out, "20260102-000000-bbbb", record(50.0, 51.0, verdict="fail"), profile="voip-g711-ipv4")
    found = runner.invoke(app, ["compare", a, "last", "--html", str(tmp_path / "both.html")])
    assert found.exit_code == 1, found.output
    for words in ("setting profile", "voip-g711-ipv4", "ns_per_operation", "metrics moved: 1", "Verdicts that changed"):
        assert words in found.output
    html = (tmp_path / "both.html").read_text()
    assert "Moved by more than the trials spread" in html and b in html
    document = json.loads(runner.invoke(app, ["compare", b, a, "--json"]).stdout)
    assert [one["what"] for one in document["incomparable"]] == ["setting profile"]
    assert [(one["metric"], one["change"], one["outside"]) for one in document["metrics"]] == [
        ("ns_per_operation", "better", True)
    ]
    assert [one["worse"] for one in document["verdicts"]] == [False]
    with pytest.raises(UsageError, match="name two"):
        runner.invoke(app, ["compare", a, a], catch_exceptions=False)
    run(out, "20260103-000000-cccc", record(1.0, name="s/other"))
    with pytest.raises(UsageError, match="no case in common"):
        runner.invoke(app, ["compare", a, "last"], catch_exceptions=False)


def test_what_too_few_trials_cannot_tell_is_shown(out: Path, runner: CliRunner) -> None:
    a, b = run(out, "20260101-000000-aaaa", record(40.0)), run(out, "20260102-000000-bbbb", record(50.0))
    found = runner.invoke(app, ["compare", a, b], env={"COLUMNS": "200"})
    assert found.exit_code == 0
    for words in ("too few trials to tell whether they moved", "ns_per_operation", "1.25", "to tell: 1"):
        assert words in found.output


def test_cells_of_a_campaign(out: Path, runner: CliRunner) -> None:
    for cell, time in (("epyc.gcc-O2.voip.1", 40.0), ("xeon.gcc-O2.voip.1", 50.0)):
        folder = out / "campaigns" / "two" / "cells" / cell
        folder.mkdir(parents=True)
        run(folder, "20251231-000000-bbbb", record(time + 99, time + 100))  # of a client that was killed
        name = run(folder, "20260101-000000-aaaa", record(time, time + 1))
        (folder / "cell.json").write_text(json.dumps({"run": name}), encoding="utf-8")
    words = ["compare", "two/epyc.gcc-O2.voip.1", "two/xeon.gcc-O2.voip.1", "--json"]
    document = json.loads(runner.invoke(app, words).stdout)
    assert [(one["a"], one["b"]) for one in document["metrics"]] == [(41.0, 51.0)]
    with pytest.raises(UsageError, match="There is no run 'two/riscv"):
        runner.invoke(app, ["compare", "two/riscv.gcc-O2.voip.1", "last"], catch_exceptions=False)


def test_a_page_of_equal_runs_says_so(tmp_path: Path) -> None:
    same = comparison.compare(tmp_path / "a", tmp_path / "b", sample.records(), sample.records())
    assert (same.differences, same.verdicts, same.outside(), same.is_worse) == ([], [], [], False)
    assert same.common == len(sample.records())
    html = comparison_page.write(same, tmp_path / "same.html").read_text()
    assert "are the same, as far as the records know" in html


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b'{"settings": 5}', None])
def test_a_run_json_that_cannot_be_read_makes_runs_incomparable(
    out: Path, runner: CliRunner, content: bytes | None
) -> None:
    a = run(out, "20260101-000000-aaaa", record(40.0))
    b = run(out, "20260102-000000-bbbb", record(40.0))
    path = out / b / "run.json"
    path.unlink() if content is None else path.write_bytes(content)
    document = json.loads(runner.invoke(app, ["compare", a, b, "--json"]).stdout)
    (found,) = document["incomparable"]
    assert (found["a"], found["b"]) == ("whole", "missing" if content is None else "broken")


def test_a_page_replaces_nothing_but_a_file(out: Path, runner: CliRunner, tmp_path: Path) -> None:
    names = [run(out, name, record(40.0)) for name in ("20260101-000000-aaaa", "20260102-000000-bbbb")]
    for words in (["compare", *names, "--html"], ["report", "-o"], ["report", "--parquet"]):
        with pytest.raises(UsageError, match="name a file to write"):
            runner.invoke(app, [*words, str(tmp_path)], catch_exceptions=False)


def test_parts_of_two_judgements_are_compared_part_by_part() -> None:
    """A case that both roles are asked has a record in both parts."""
    before = [sample.record("conformance/x/A", part=part).as_json() for part in ("one", "two")]
    after = [before[0], {**before[1], "verdict": "fail", "reason": "It is late."}]
    found = comparison.compare(Path("a"), Path("b"), before, after)
    assert found.common == 2
    assert [(one.test, one.a, one.b) for one in found.verdicts] == [("two/conformance/x/A", "pass", "fail")]
