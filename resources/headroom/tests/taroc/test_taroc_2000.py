# SPDX-License-Identifier: Apache-2.0
"""The tables of the TAROC draft: figures, cells and their order, without measuring."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headroom.bench.transfer import TransferResult
from headroom.core.papers import paper
from headroom.core.results.record import Series
from headroom.schemes.taroc.papers import taroc_2000, taroc_2000_figures

DRAFT = paper.find("taroc-2000")
VISIBLE = ("Appendix B.3.1", "Appendix B.3.3")


def results_as_printed(where: str, standard_error: float = 0.001) -> dict[tuple[float, str], TransferResult]:
    return {
        cell: TransferResult(figure.paper, standard_error, 5, {})
        for figure in DRAFT.of(where)
        if ".ber-" in figure.id and figure.paper is not None
        for cell, is_gain in [taroc_2000._place(figure)]
        if not is_gain
    }


def test_every_cell_has_a_length_and_a_column() -> None:
    for where in taroc_2000.TABLES:
        cells = [taroc_2000._place(figure)[0] for figure in DRAFT.of(where) if ".ber-" in figure.id]
        assert {ber for ber, _ in cells} == set(taroc_2000.MTUS)
        assert {name for _, name in cells} == set(taroc_2000.COLUMNS | taroc_2000.MORE_COLUMNS)


@pytest.mark.parametrize("where", VISIBLE)
def test_gains_of_the_draft_follow_from_its_throughput(where: str) -> None:
    # 2.2 points: at 3e-4 the draft prints throughput of two digits.
    results = results_as_printed(where)
    for figure in DRAFT.of(where):
        if ".gain-" in figure.id:
            cell, _ = taroc_2000._place(figure)
            assert taroc_2000.gain(results, cell) == pytest.approx(figure.paper, abs=2.2)


@pytest.mark.parametrize("where", VISIBLE)
def test_rows_are_in_order_unless_two_schemes_are_clearly_reversed(where: str) -> None:
    figures, results = DRAFT.of(where), results_as_printed(where)
    assert taroc_2000.rows_in_order(figures, results) == 8
    taroc = results[1e-4, "taroc"]
    within = replace(taroc, throughput=results[1e-4, "ideal"].throughput * 1.001)
    assert taroc_2000.rows_in_order(figures, results | {(1e-4, "taroc"): within}) == 8
    beyond = replace(taroc, throughput=results[1e-4, "ideal"].throughput * 1.02)
    assert taroc_2000.rows_in_order(figures, results | {(1e-4, "taroc"): beyond}) == 7


def test_no_gain_on_nothing() -> None:
    nothing = TransferResult(0.0, 0.0, 5, {})
    assert taroc_2000.gain({(1e-3, "none"): nothing, (1e-3, "taroc"): nothing}, (1e-3, "taroc")) is None


def test_a_chart_of_each_table() -> None:
    series = [
        series
        for where in VISIBLE
        for series in taroc_2000._series(where.rpartition(".")[2], results_as_printed(where))
    ]
    assert all(isinstance(one, Series) for one in series)
    records = [{"series": [vars(one) for one in series], "parameters": {}, "verdict": "pass"}]
    assert {where: len(charts) for where, charts in taroc_2000_figures.figures(records).items()} == dict.fromkeys(
        VISIBLE, 2
    )
