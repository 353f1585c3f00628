# SPDX-License-Identifier: Apache-2.0
"""Two runs side by side, as one HTML page."""

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

MOST_REASON = 300  # characters
TO_BE_SEEN = 40  # metrics that stand open; more are folded away


def write(comparison: Comparison, target: Path) -> Path:
    """Writes the page. Raises EnvironmentLacks when the disk does not take it."""
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
        title="Two runs side by side",
        subtitle=f"a: {comparison.a} · b: {comparison.b} · {comparison.common} cases in both",
        warnings=[],
        verdicts={},
        sections=sections,
        footer="Ratio: b over a. Spread: half of the range of a run's trials, the wider one of both. A metric moved "
        "where no trial of one run lies within the range of the other's.",
    )


def _products(comparison: Comparison) -> Section:
    section = Section("products", "What was compared", "Compared")
    rows = [[one.role, Cell(one.a), Cell("the same" if one.is_same else one.b)] for one in comparison.products]
    rows += [[one.what, Cell(one.a), Cell(one.b)] for one in comparison.differences if one.is_of_products]
    section.add("table", table("t-products", DIFFERENCES, rows))
    return section


DIFFERENCES = [Column("What", tight=True), Column("a", long=True), Column("b", long=True)]


def _differences(comparison: Comparison) -> Section:
    section = Section("differences", "What makes them incomparable", "Differences")
    rows = [[one.what, Cell(one.a), Cell(one.b)] for one in comparison.differences if not one.is_of_products]
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
        [one.test, _verdict(one.a), _verdict(one.b), shortened(" ".join(one.reason.split()), MOST_REASON)]
        for one in comparison.verdicts
    ]
    columns = [Column("Case"), Column("a"), Column("b"), Column("Reason", long=True, optional=True)]
    section.add("table", table("t-verdicts", columns, rows))
    return section


def _verdict(word: str) -> Cell:
    return Cell(word, 9, MISSING) if word == MISSING else verdict_cell(word)


SLOWDOWN_COLUMNS: list[Shown] = [
    (Column("Judgement", tight=True), lambda one: one.judgement),
    (Column("Metric", tight=True), lambda one: one.name),
    (Column("Case"), lambda one: one.where),
    (Column("a", number=True), lambda one: shown(float(one.a))),
    (Column("b", number=True), lambda one: shown(float(one.b))),
    (Column("Unit", tight=True), lambda one: one.metric.unit),
    (Column("b over a (99 % confidence)"), lambda one: one.figure),
    (Column("From"), lambda one: one.basis),
]


def _slowdowns(comparison: Comparison) -> Section:
    limit = f"{100 * (comparison.slower_than or 0.0):g} %"
    section = Section("slower", f"Worse by more than {limit}?", "Slower")
    groups: dict[str, list[Slowdown]] = {}
    for one in comparison.slowdowns:
        groups.setdefault(one.judgement, []).append(one)
    told = ", ".join(f"{len(groups.get(word, ()))} {word}" for word in ("worse", "cannot tell", "not worse"))
    section.intro = [
        f"Of {len(comparison.slowdowns)} metrics: {told}. Worse: the whole interval is beyond the limit. Cannot "
        "tell: the interval covers the limit, or a single trial tells no interval. a and b are means of the trials."
    ]
    for word, found in groups.items():
        folded = f"{word}: {len(found)} metrics" if word != "worse" and len(found) > TO_BE_SEEN else ""
        section.add("table", table_of(f"t-{word.replace(' ', '-')}", SLOWDOWN_COLUMNS, found), title=folded)
    return section


COLUMNS: list[Shown] = [
    (Column("Case"), lambda one: one.test),
    (Column("Metric", tight=True), lambda one: name_of(one)),
    (Column("a", number=True), lambda one: cell(one.a)),
    (Column("b", number=True), lambda one: cell(one.b)),
    (Column("Unit", tight=True), lambda one: one.unit),
    (Column("Ratio", number=True), lambda one: ratio_of(one)),
    (Column("Spread", number=True), lambda one: spread_of(one)),
    (Column("Change"), lambda one: one.change),
]


def name_of(one: MetricChange | LoneMetric) -> str:
    return one.name if one.core is None else f"{one.name}, CPU {one.core}"


def spread_of(one: MetricChange) -> Cell:
    return Cell("–", "") if one.spread is None else Cell(f"±{percent(one.spread, 1)}", one.spread)


def ratio_of(one: MetricChange) -> Cell:
    return Cell("–", "") if one.ratio is None else Cell(shown(one.ratio), one.ratio)


def _metrics(comparison: Comparison) -> Section:
    section = Section("metrics", "Metrics", "Metrics")
    moved = comparison.outside()
    section.add("heading", "Moved by more than the trials spread", id="moved")
    if moved:
        section.add("table", table_of("t-moved", COLUMNS, moved))
    else:
        section.add("text", "None.")
    rest = [one for one in comparison.metrics if one.outside is False]
    for identity, title, found in (
        ("few", "Changed, with too few trials to tell", comparison.undecided()),
        ("within", "Within the spread of the trials", rest),
    ):
        if found:
            section.add("heading", title, id=identity)
            folded = f"{len(found)} metrics" if len(found) > TO_BE_SEEN else ""
            section.add("table", table_of(f"t-{identity}", COLUMNS, found), title=folded)
    if lone := comparison.lone:
        section.add("heading", "In one run alone", id="lone")
        rows = [[one.test, name_of(one), cell(one.a), cell(one.b), one.unit] for one in lone]
        columns = [Column("Case"), Column("Metric", tight=True), Column("a", number=True), Column("b", number=True)]
        folded = f"{len(lone)} metrics" if len(lone) > TO_BE_SEEN else ""
        section.add("table", table("t-lone", [*columns, Column("Unit", tight=True)], rows), title=folded)
    return section
