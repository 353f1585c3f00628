# SPDX-License-Identifier: Apache-2.0
"""Phase three of the thesis of J. Mäenpää (2005): what rows of its tables ask for, and what is made of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headroom.core.papers import paper
from headroom.schemes.sigcomp import call_load
from headroom.schemes.sigcomp.papers import maenpaa_2005_load
from headroom.schemes.sigcomp.papers.maenpaa_2005_load import VIDEO, VOICE, CallLoadRow


@pytest.fixture(scope="module")
def thesis() -> paper.Paper:
    return paper.load("maenpaa-2005")


def made_up(asked: CallLoadRow) -> call_load.CallLoadResult:
    """A run in which everything grows with the number of calls."""
    share = asked.simultaneous / 1e5
    times = {"in_system": 30e3, "in_buffer": 10e3, "processing": 20e3}
    return call_load.CallLoadResult(
        calls_in_progress=asked.simultaneous,
        calls_per_s=asked.simultaneous / 185,
        messages_per_s=100.0,
        sip_mbit_s=0.3,
        link_mbit_s=0.1,
        loads=[share] * asked.workers,
        most_load=share,
        times={name: {"mean": mean, "count": 1} for name, mean in times.items()},
        active={"mean": share, "seen": 1 + share, "most": float(asked.workers)},
        unserved=0,
        memory_per_call=15000.0 if asked.sequence == VOICE else 50000.0,
        adapter_memory_per_compartment=None,
        samples=[
            {
                "at_ns": 60_000_000_000 * minute,
                "resident": 1_000_000 * minute,
                "busy_share": [share * minute / (2 + worker) for worker in range(asked.workers)],
            }
            for minute in range(3)
        ],
        document={
            "calls_per_s": asked.simultaneous / 185,
            "duration_ns": 30_000_000_000,
            "memory": {"resident_at_end": 30e6 if asked.sequence == VOICE else 80e6},
            "consecutive_in_system_ns": [30_000, 45_000],
        },
    )


def test_what_rows_ask_for(thesis: paper.Paper) -> None:
    asked: list[CallLoadRow] = []

    def run(one: CallLoadRow) -> call_load.CallLoadResult:
        asked.append(one)
        return made_up(one)

    maenpaa_2005_load.measure(thesis, "Table 17", run)
    hyper_threading = {CallLoadRow(VIDEO, 1500, 2), CallLoadRow(VOICE, 1500, 2)}
    assert {one for one in asked if one.simultaneous == 1500} == hyper_threading | {CallLoadRow(VOICE, 1500)}
    asked.clear()
    maenpaa_2005_load.measure(thesis, "Appendix M 14.13", run)
    assert {one.simultaneous for one in asked} == {5000}
    assert sorted({one.workers for one in asked}) == [1, 2, 3, 5, 7, 10, 11, 12, 15, 25, 50, 100, 250, 500]
    asked.clear()
    maenpaa_2005_load.measure(thesis, "Appendix N 14.14.2.2", run)
    assert set(asked) == {CallLoadRow(VIDEO, count) for count in (50, 100, 250, 375, 500)}


def test_every_figure_has_a_value_or_a_reason(thesis: paper.Paper) -> None:
    for where in filter(maenpaa_2005_load.is_load, thesis.methods):
        measured = maenpaa_2005_load.measure(thesis, where, made_up)
        assert {item.id for item in measured.items} == {figure.id for figure in thesis.of(where)}, where
        assert [item.id for item in measured.items if item.measured is None and not item.note] == []


def test_values_of_a_run(thesis: paper.Paper) -> None:
    items = {item.id: item for item in maenpaa_2005_load.measure(thesis, "Appendix N 14.14.1.1", made_up).items}
    row = {name.rpartition(".")[2]: item.measured for name, item in items.items() if ".1500-calls." in name}
    assert row == {
        "interval": pytest.approx(185 / 1500),
        "in-system": 30.0,
        "in-processing": 20.0,
        "in-buffer": 10.0,
        "load-1": pytest.approx(1.5),
        "load-2": pytest.approx(1.0),
        "packet-rate": 200.0,
        "packet-size": pytest.approx(0.4e6 / 8 / 200),
        "traffic": pytest.approx(0.4),
        "sigcomp-traffic": 0.1,
        "sip-traffic": 0.3,
        "messages": 6000.0,
        "duration": 30.0,
    }
    assert items["n.14.1.1.1500-calls.load-2"].verdict is None, "context"


def test_messages_in_a_row(thesis: paper.Paper) -> None:
    series = maenpaa_2005_load.measure(thesis, "Appendix N 14.14.1.1", made_up).series
    (row,) = [one for one in series if one.name.endswith("figure-66")]
    assert row.points == [{"x": 1, "y": 30.0}, {"x": 2, "y": 45.0}], "µs"


def test_processing_over_active_workers(thesis: paper.Paper) -> None:
    series = maenpaa_2005_load.measure(thesis, "Appendix M 14.13", made_up).series
    theirs, ours = [one for one in series if one.name.endswith("figure-61")]
    assert [point["x"] for point in ours.points] == [1, 2, 3, 5, 7, 10, 11, 12, 15, 25, 50, 100, 250, 500]
    assert ours.points[0]["y"] == pytest.approx(20 / 1.05)
    told = {
        name.rpartition(".")[2]: item.paper for name, item in thesis.items.items() if ".50-workers-average." in name
    }
    assert {point["x"]: point["y"] for point in theirs.points}[50] == pytest.approx(
        told["in-processing"] / told["active"]
    )


def test_active_workers_are_drawn_where_messages_meet(thesis: paper.Paper) -> None:
    def names(of: paper.Paper, load: float) -> set[tuple[str, str]]:
        def run(asked: CallLoadRow) -> call_load.CallLoadResult:
            return replace(made_up(asked), most_load=load)

        places = ("Appendix M 14.13", "Appendix N 14.14.1.2")
        series = [one for place in places for one in maenpaa_2005_load.measure(of, place, run).series]
        return {(one.name.rpartition(" ")[2], one.label) for one in series}

    assert names(thesis, 0.05) - names(thesis, 0.049) == {
        ("figures-59-60", "in buffer, here"),
        ("figure-62", "here"),
        ("figure-65", "video calls, here, at most"),
    }
    without = names(thesis, 0.0)
    assert ("figure-65", "video calls, here") in without, "no chart of the thesis is missing"


def test_memory_of_calls(thesis: paper.Paper) -> None:
    measured = maenpaa_2005_load.measure(thesis, "Section 11.6", made_up)
    assert [item.measured for item in measured.items] == [30.0, 80.0, pytest.approx(80 / 30), 15.0]
    assert [point["x"] for point in measured.series[0].points] == [0, 1, 2], "minutes"
