# SPDX-License-Identifier: Apache-2.0
"""The section of the report that compares a paper's tables and figures with ours."""

from typing import Any

from headroom.core.papers.measured import all_papers
from headroom.core.results.agreement import agreement, basis, verdict_of
from headroom.core.results.record import VERDICTS
from headroom.core.text import shown
from headroom.report import charts, data
from headroom.report.columns import Shown, table_of
from headroom.report.data import Records
from headroom.report.page import Cell, Column, Section, Table, table, verdict_cell

MOST_TIGHT = 26  # most letters of a row's name that stays on one line
MOST_OPEN = 40  # most figures of a place whose tables stand open; more would make the page very long


def paper(records: Records) -> Section | None:
    """The section with a heading, tables and charts for each place of the paper."""
    places = data.items_by_place(records)
    if not places:
        return None
    about = next(iter(places.values()))[0]["record"]["parameters"].get("about", {})
    methods, titles, tables = (_of_parameters(records, name) for name in ("methods", "titles", "tables"))
    title = f"{about['title']} ({about['year']})" if about else "A paper's figures beside ours"
    section = Section("paper", title, "Paper")
    section.intro = [
        "Must-match: the figure follows from the protocol or the link, so it must agree. Shape: it must change in "
        "the same direction. Context: another machine and another year; shown without a verdict.",
        "Paper: a number that the paper prints. Model: a number that follows by calculation, from an equation or "
        "from other numbers of the paper. Bound: our own, from the paper's text or from the limits of the link.",
    ]
    section.add("table", agreement_table("t-agreement", [item for items in places.values() for item in items]))
    section.notes = list(about.get("notes", ()))
    drawn = _figures(records)
    order = about.get("places", [])
    for place in sorted(set(places) | set(drawn), key=lambda name: (order.index(name) if name in order else 99, name)):
        identity = place.lower().replace(" ", "-").replace(",", "")
        section.add("heading", f"{place}: {titles[place]}" if titles.get(place) else place, id=f"p-{identity}")
        if methods.get(place):
            section.add("text", methods[place], style="soft small")
        left = {item.get("id", ""): item for item in places.get(place, ())}
        for number, described in enumerate(tables.get(place, ())):
            folded = _counted(described, left) if len(left) > MOST_OPEN else ""
            section.add("table", _matrix(f"t-{identity}-{number}", described, left), title=folded)
        if rest := [item for item in places.get(place, ()) if item.get("id", "") in left]:
            section.add("table", _table(f"t-{identity}", rest))
        for figure in drawn.get(place, ()):
            section.add("figure", figure)
    return section


def _counted(described: dict[str, Any], left: dict[str, dict[str, Any]]) -> str:
    """The title of a table that is folded away: counts of its figures."""
    items = [left[identity] for _, identities in described["rows"] for identity in identities if identity in left]
    verdicts = [verdict for item in items if (verdict := verdict_of(item))]
    counts = [f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS if verdict in verdicts]
    measured = len(items) - len(verdicts)
    return f"{len(items)} figures: {', '.join([*counts, *([f'{measured} measured'] if measured else [])])}"


def _of_parameters(records: Records, name: str) -> dict[str, Any]:
    """The values of a parameter in the records, merged: each record describes its own places."""
    return {
        place: described
        for record in records
        for place, described in record["parameters"].get("about", {}).get(name, {}).items()
    }


def _matrix(identity: str, described: dict[str, Any], left: dict[str, dict[str, Any]]) -> Any:
    """A table with the paper's rows and columns: our figure, and the paper's behind it. Removes the figures that it
    shows from `left`.
    """
    rows, named = [], []
    for name, identities in described["rows"]:
        items = [left.pop(identity, None) for identity in identities]
        rows.append([Cell(name), *(_beside(item) for item in items)])
        named += [item for item in items if item]
    verdicts = [item["verdict"] for item in named]
    missing = [verdict for verdict in ("fail", "non-strict", "error") if verdict in verdicts]
    shown_beside = "Here (paper)" if all(item["paper"] is not None for item in named) else "Here (paper, or model)"
    caption = f"{shown_beside}; marked: {', '.join(missing)}." if missing else f"{shown_beside}."
    short = all(len(name) <= MOST_TIGHT for name, _ in described["rows"])
    columns = [Column("", tight=short), *(Column(title, number=True) for title in described["columns"])]
    return table(identity, columns, rows, caption)


def _beside(item: dict[str, Any] | None) -> Cell:
    """A cell of a matrix: our figure, the paper's and, for times, the speed-up of ours."""
    if item is None:
        return Cell("")
    theirs = f"model {shown(item['model'])}" if item.get("model") is not None else shown(item["paper"])
    text = f"{shown(item['measured'])} ({theirs})"
    if (
        item["unit"] in ("µs", "ms")
        and item["ratio"]
        and item["paper"]
        and "standard deviation" not in item["quantity"]
    ):
        text += f", {_times(item['ratio'])}"
    judged = item["verdict"] if item["verdict"] in ("fail", "non-strict", "error") else ""
    return Cell(text, item["measured"] if item["measured"] is not None else "", judged)


def _times(ratio: float) -> str:
    return f"1/{1 / ratio:.3g}" if ratio < 1 else f"×{ratio:.3g}"


def _ratio(item: dict[str, Any]) -> Cell:
    return Cell("–", "") if item["ratio"] is None else Cell(f"{item['ratio']:.3g}", item["ratio"])


def _verdict(item: dict[str, Any]) -> Cell:
    if verdict := verdict_of(item):
        return verdict_cell(verdict)
    return Cell("–" if item["measured"] is None else "measured", 8)


def _remark(item: dict[str, Any]) -> str:
    says = f"the paper: “{item['says']}”" if item.get("says") else ""
    return "; ".join(filter(None, (says, item.get("note", ""))))


FIGURES: list[Shown] = [
    (Column("Quantity"), lambda item: item["quantity"]),
    (Column("Paper", number=True), lambda item: item["paper"]),
    (Column("Model", number=True, optional=True), lambda item: item.get("model")),
    (Column("Bound", optional=True), lambda item: item.get("expected")),
    (Column("Here", number=True), lambda item: item["measured"]),
    (Column("±", number=True, optional=True), lambda item: item.get("spread")),
    (Column("Here / paper", number=True, optional=True), _ratio),
    (Column("Unit", tight=True), lambda item: item["unit"]),
    (Column("Kind", tight=True), lambda item: item["kind"]),
    (Column("Verdict"), _verdict),
    (Column("Remark", long=True, optional=True), _remark),
]

AGREEMENT = [
    Column("Compared with"),
    Column("Kind", tight=True),
    Column("Figures", number=True),
    *(Column(verdict, number=True, optional=verdict != "pass") for verdict in VERDICTS),
]


def agreement_table(identity: str, items: list[dict[str, Any]]) -> Table:
    """The numbers of figures that agree: printed figures, statements in words, and our own models and bounds, apart."""
    rows: list[list[Any]] = [
        [about, kind, counts.total(), *(counts[verdict] or None for verdict in VERDICTS)]
        for (about, kind), counts in agreement(items).items()
    ]
    rest = sum(1 for item in items if not basis(item))
    if rest:
        rows.append(
            ["No comparison: context, or a cell that the paper does not give", None, rest, *[None] * len(VERDICTS)]
        )
    return table(identity, AGREEMENT, rows)


def _table(identity: str, items: list[dict[str, Any]]) -> Table:
    spread = any(item.get("spread") is not None for item in items)
    caption = "±: standard deviation of single runs of the paper's size." if spread else ""
    return table_of(identity, FIGURES, items, caption)


def _figures(records: Records) -> dict[str, list[charts.Figure]]:
    """Charts by place, from the series in the records of papers."""
    drawn: dict[str, list[charts.Figure]] = {}
    for measured in all_papers().values():
        drawn |= measured.figures(records)
    return drawn
