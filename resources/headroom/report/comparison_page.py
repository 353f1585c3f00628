# SPDX-License-Identifier: Apache-2.0
"""The comparison of two runs, as one HTML page."""

from __future__ import annotations

from pathlib import Path

from headroom.core.errors import disk_error
from headroom.core.results.store import write_atomically
from headroom.core.text import percent, shortened, shown
from headroom.report import render
from headroom.report.columns import Shown, table_of
from headroom.report.comparison import MISSING, Comparison, LoneMetric, MetricChange
from headroom.report.page import Cell, Column, Page, Section, cell, table, verdict_cell
from headroom.report.slowdown import Slowdown

MOST_REASON = 300  # most characters of a reason
TO_BE_SEEN = 40  # most metrics that stand open; more are folded away


def write(comparison: Comparison, target: Path) -> Path:
    """Writes the page. Raises EnvironmentLacks if it cannot be written."""
    try:
        write_atomically(target, render.html_of(page(comparison)).encode("utf-8", "replace"))
    except OSError as error:
        raise disk_error(error, f"writing {target}", resumable=False) from error
    return target


def page(comparison: Comparison) -> Page:
    """The content of the page."""
    sections = [_products(comparison), _differences(comparison)]
    if comparison.slower_than is not None:
        sections.append(_slowdowns(comparison))
    sections += [_verdicts(comparison), _metrics(comparison)]
    return Page(
        title="Two runs compared",
        subtitle=f"a: {comparison.a} · b: {comparison.b} · {comparison.common} cases in both",
        warnings=[],
        verdicts={},
        sections=sections,
        footer="Ratio: b over a. Spread: half of the range of a run's trials, the wider of both. A metric moved if no "
        "trial of one run lies within the range of the other's.",
    )


def _products(comparison: Comparison) -> Section:
    section = Section("products", "Products compared", "Compared")
    rows = [
        [product.role, Cell(product.a), Cell("the same" if product.is_same else product.b)]
        for product in comparison.products
    ]
    rows += [
        [difference.what, Cell(difference.a), Cell(difference.b)]
        for difference in comparison.differences
        if difference.is_of_products
    ]
    section.add("table", table("t-products", DIFFERENCES, rows))
    return section


DIFFERENCES = [Column("What", tight=True), Column("a", long=True), Column("b", long=True)]


def _differences(comparison: Comparison) -> Section:
    section = Section("differences", "Differences that make the runs incomparable", "Differences")
    rows = [
        [difference.what, Cell(difference.a), Cell(difference.b)]
        for difference in comparison.differences
        if not difference.is_of_products
    ]
    if rows:
        section.add("table", table("t-differences", DIFFERENCES, rows))
    else:
        section.intro = ["Machine, kernel, compiler, digests and settings are the same, as far as the records know."]
    return section


def _verdicts(comparison: Comparison) -> Section:
    section = Section("verdicts", "Verdicts that changed", "Verdicts")
    if not comparison.verdicts:
        section.intro = ["None."]
        return section
    rows = [
        [
            verdict.test,
            _verdict(verdict.a),
            _verdict(verdict.b),
            shortened(" ".join(verdict.reason.split()), MOST_REASON),
        ]
        for verdict in comparison.verdicts
    ]
    columns = [Column("Case"), Column("a"), Column("b"), Column("Reason", long=True, optional=True)]
    section.add("table", table("t-verdicts", columns, rows))
    return section


def _verdict(word: str) -> Cell:
    return Cell(word, 9, MISSING) if word == MISSING else verdict_cell(word)


SLOWDOWN_COLUMNS: list[Shown] = [
    (Column("Judgement", tight=True), lambda row: row.judgement),
    (Column("Metric", tight=True), lambda row: row.name),
    (Column("Case"), lambda row: row.where),
    (Column("a", number=True), lambda row: shown(float(row.a))),
    (Column("b", number=True), lambda row: shown(float(row.b))),
    (Column("Unit", tight=True), lambda row: row.metric.unit),
    (Column("b over a (99 % confidence)"), lambda row: row.figure),
    (Column("From"), lambda row: row.basis),
]


def _slowdowns(comparison: Comparison) -> Section:
    limit = f"{100 * (comparison.slower_than or 0.0):g} %"
    section = Section("slower", f"Worse by more than {limit}?", "Slower")
    groups: dict[str, list[Slowdown]] = {}
    for slowdown in comparison.slowdowns:
        groups.setdefault(slowdown.judgement, []).append(slowdown)
    counts = ", ".join(f"{len(groups.get(word, ()))} {word}" for word in ("worse", "cannot tell", "not worse"))
    section.intro = [
        f"Of {len(comparison.slowdowns)} metrics: {counts}. Worse: the whole interval is beyond the limit. Cannot "
        "tell: the interval covers the limit, or a single trial gives no interval. a and b are means of the trials."
    ]
    for word, slowdowns in groups.items():
        folded = f"{word}: {len(slowdowns)} metrics" if word != "worse" and len(slowdowns) > TO_BE_SEEN else ""
        section.add("table", table_of(f"t-{word.replace(' ', '-')}", SLOWDOWN_COLUMNS, slowdowns), title=folded)
    return section


COLUMNS: list[Shown] = [
    (Column("Case"), lambda row: row.test),
    (Column("Metric", tight=True), lambda row: name_of(row)),
    (Column("a", number=True), lambda row: cell(row.a)),
    (Column("b", number=True), lambda row: cell(row.b)),
    (Column("Unit", tight=True), lambda row: row.unit),
    (Column("Ratio", number=True), lambda row: ratio_of(row)),
    (Column("Spread", number=True), lambda row: spread_of(row)),
    (Column("Change"), lambda row: row.change),
]


def name_of(metric: MetricChange | LoneMetric) -> str:
    return metric.name if metric.core is None else f"{metric.name}, CPU {metric.core}"


def spread_of(change: MetricChange) -> Cell:
    return Cell("–", "") if change.spread is None else Cell(f"±{percent(change.spread, 1)}", change.spread)


def ratio_of(change: MetricChange) -> Cell:
    return Cell("–", "") if change.ratio is None else Cell(shown(change.ratio), change.ratio)


def _metrics(comparison: Comparison) -> Section:
    section = Section("metrics", "Metrics", "Metrics")
    moved = comparison.outside()
    section.add("heading", "Moved by more than the trials spread", id="moved")
    if moved:
        section.add("table", table_of("t-moved", COLUMNS, moved))
    else:
        section.add("text", "None.")
    rest = [metric for metric in comparison.metrics if metric.outside is False]
    for identity, title, changes in (
        ("few", "Changed, with too few trials to tell", comparison.undecided()),
        ("within", "Within the spread of the trials", rest),
    ):
        if changes:
            section.add("heading", title, id=identity)
            folded = f"{len(changes)} metrics" if len(changes) > TO_BE_SEEN else ""
            section.add("table", table_of(f"t-{identity}", COLUMNS, changes), title=folded)
    if lone := comparison.lone:
        section.add("heading", "In one run alone", id="lone")
        rows = [[metric.test, name_of(metric), cell(metric.a), cell(metric.b), metric.unit] for metric in lone]
        columns = [Column("Case"), Column("Metric", tight=True), Column("a", number=True), Column("b", number=True)]
        folded = f"{len(lone)} metrics" if len(lone) > TO_BE_SEEN else ""
        section.add("table", table("t-lone", [*columns, Column("Unit", tight=True)], rows), title=folded)
    return section
