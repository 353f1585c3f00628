# SPDX-License-Identifier: Apache-2.0
"""The section of the report that puts a paper's tables and figures beside ours."""

from typing import Any

from headroom.bench.papers.measured import all_papers
from headroom.core.results.record import VERDICTS
from headroom.core.text import shown
from headroom.report import charts, data
from headroom.report.columns import Shown, table_of
from headroom.report.data import Records
from headroom.report.page import Cell, Column, Section, Table, table, verdict_cell

MOST_TIGHT = 26  # letters of a row's name that is never broken into two lines
MOST_OPEN = 40  # figures of a place whose tables stand open; the rest would make the page very long


def paper(records: Records) -> Section | None:
    """One heading, and tables and charts below it, for each place of the paper."""
    places = data.items_by_place(records)
    if not places:
        return None
    about = next(iter(places.values()))[0]["record"]["parameters"].get("about", {})
    methods, titles, tables = (_of_parameters(records, name) for name in ("methods", "titles", "tables"))
    title = f"{about['title']} ({about['year']})" if about else "A paper's figures beside ours"
    section = Section("paper", title, "Paper")
    section.intro = [
        "Must-match: it follows from the protocol or from the link, so it has to agree. "
        "Shape: it has to point the same way. Context: another "
        "machine, another year; shown side by side, without a verdict.",
    ]
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
    """What a table that is folded away holds."""
    items = [left[identity] for _, identities in described["rows"] for identity in identities if identity in left]
    verdicts = [item["verdict"] for item in items if item["kind"] != "context" or item["verdict"] != "pass"]
    counts = [f"{verdicts.count(one)} {one}" for one in VERDICTS if one in verdicts]
    measured = len(items) - len(verdicts)
    return f"{len(items)} figures: {', '.join([*counts, *([f'{measured} measured'] if measured else [])])}"


def _of_parameters(records: Records, name: str) -> dict[str, Any]:
    """What the records say about their places under this name."""
    return {
        place: described
        for record in records
        for place, described in record["parameters"].get("about", {}).get(name, {}).items()
    }


def _matrix(identity: str, described: dict[str, Any], left: dict[str, dict[str, Any]]) -> Any:
    """A table as the paper has it, ours with the paper's behind it. Takes its figures out of `left`."""
    rows, verdicts = [], []
    for name, identities in described["rows"]:
        items = [left.pop(one, None) for one in identities]
        rows.append([Cell(name), *(_beside(item) for item in items)])
        verdicts += [item["verdict"] for item in items if item]
    missing = [one for one in ("fail", "non-strict", "error") if one in verdicts]
    caption = f"Here (paper); marked: {', '.join(missing)}." if missing else "Here (paper)."
    short = all(len(name) <= MOST_TIGHT for name, _ in described["rows"])
    columns = [Column("", tight=short), *(Column(title, number=True) for title in described["columns"])]
    return table(identity, columns, rows, caption)


def _beside(item: dict[str, Any] | None) -> Cell:
    """A cell of a matrix: ours, the paper's, and for times how many times as fast ours is."""
    if item is None:
        return Cell("")
    theirs = "–" if item["paper"] is None else shown(item["paper"])
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
    judged = item["kind"] != "context" or item["verdict"] != "pass"
    return verdict_cell(item["verdict"]) if judged else Cell("measured", 8)


def _paper(item: dict[str, Any]) -> Any:
    """The paper's number, or what it says in words."""
    return item["paper"] if item["paper"] is not None else item.get("expected")


FIGURES: list[Shown] = [
    (Column("Quantity"), lambda item: item["quantity"]),
    (Column("Paper", number=True), _paper),
    (Column("Here", number=True), lambda item: item["measured"]),
    (Column("±", number=True, optional=True), lambda item: item.get("spread")),
    (Column("Here / paper", number=True), _ratio),
    (Column("Unit", tight=True), lambda item: item["unit"]),
    (Column("Kind", tight=True), lambda item: item["kind"]),
    (Column("Verdict"), _verdict),
    (Column("Remark", long=True, optional=True), lambda item: item.get("note", "")),
]


def _table(identity: str, items: list[dict[str, Any]]) -> Table:
    spread = any(item.get("spread") is not None for item in items)
    caption = "±: standard deviation of single runs of the paper's size." if spread else ""
    return table_of(identity, FIGURES, items, caption)


def _figures(records: Records) -> dict[str, list[charts.Figure]]:
    """Charts by place, from the series that the cases of papers left."""
    drawn: dict[str, list[charts.Figure]] = {}
    for measured in all_papers().values():
        drawn |= measured.figures(records)
    return drawn
