# SPDX-License-Identifier: Apache-2.0
"""The section of the report that puts a paper's tables and figures beside ours."""

from __future__ import annotations

from typing import Any

from headroom.report import charts, data
from headroom.report.data import Records
from headroom.report.page import Cell, Column, Section, table, verdict_cell


def paper(records: Records) -> Section | None:
    """One heading, table and, where the paper draws, chart for each place of the paper."""
    places = data.items_by_place(records)
    if not places:
        return None
    about = next(iter(places.values()))[0]["record"]["parameters"].get("about", {})
    methods = {
        place: text
        for record in records
        for place, text in record["parameters"].get("about", {}).get("methods", {}).items()
    }
    title = f"{about['title']} ({about['year']})" if about else "A paper's figures beside ours"
    section = Section("paper", title, "Paper")
    section.intro = [
        "Must-match: it follows from the protocol or from the link, so it has to agree. "
        "Shape: it has to point the same way. Context: another "
        "machine, another year; shown side by side, judged by nobody.",
    ]
    section.notes = list(about.get("notes", ()))
    drawn = _figures(records)
    order = about.get("places", [])
    for place in sorted(set(places) | set(drawn), key=lambda name: (order.index(name) if name in order else 99, name)):
        identity = place.lower().replace(" ", "-").replace(",", "")
        section.add("heading", place, id=f"p-{identity}")
        if methods.get(place):
            section.add("text", methods[place], style="soft small")
        if place in places:
            section.add("table", _table(f"t-{identity}", places[place]))
        for figure in drawn.get(place, ()):
            section.add("figure", figure)
    return section


def _table(identity: str, items: list[dict[str, Any]]) -> Any:
    columns = [
        Column("Quantity"),
        Column("Paper", number=True),
        Column("Here", number=True),
        Column("±", number=True, optional=True),
        Column("Here / paper", number=True),
        Column("Unit", tight=True),
        Column("Kind", tight=True),
        Column("Verdict"),
        Column("Remark", long=True, optional=True),
    ]
    rows = []
    for item in items:
        judged = item["verdict"] if item["kind"] != "context" or item["verdict"] != "pass" else ""
        verdict = verdict_cell(judged) if judged else Cell("measured", 8)
        rows.append(
            [
                item["quantity"],
                item["paper"],
                item["measured"],
                item.get("spread"),
                Cell("–", "") if item["ratio"] is None else Cell(f"{item['ratio']:.3g}", item["ratio"]),
                item["unit"],
                item["kind"],
                verdict,
                item.get("note", ""),
            ]
        )
    spread = any(item.get("spread") is not None for item in items)
    caption = "±: standard deviation of single runs of the paper's size." if spread else ""
    return table(identity, columns, rows, caption)


def _figures(records: Records) -> dict[str, list[charts.Figure]]:
    """Charts by place, from the series that the paper's cases left."""
    drawn: dict[str, list[charts.Figure]] = {}
    makers = (
        ("Table 2", "table_2_runs", _runs),
        ("Figure 3", "digits", _digits),
        ("Figure 4", "packet_sizes", _packet_sizes),
        ("Figures 5 and 6", "load_by_build", _load_by_build),
        ("Figure 7", "load_by_cpus", _load_by_cpus),
    )
    for place, name, make in makers:
        found = data.series_named(records, name)
        if found:
            drawn[place] = make(found)
    return drawn


def _runs(found: list[dict[str, Any]]) -> list[charts.Figure]:
    rows, references = [], []
    for series in found:
        for point in series["points"]:
            (references if point.get("paper") else rows).append({"name": point["x"], "value": point["y"]})
    caption = "Each dot is one run of 6,000 packets with a seed of its own; the diamond is the paper's single run."
    return [charts.figure("f-table-2", "The spread of such runs", caption, charts.strip(rows, references, ""))]


def _digits(found: list[dict[str, Any]]) -> list[charts.Figure]:
    points = [
        {"series": series["label"], "x": point["x"], "y": point["y"]} for series in found for point in series["points"]
    ]
    draw = charts.lines(points, "year", "digits sent", x_format="d", y_format="d", from_zero=False, legend=False)
    caption = (
        "The first year establishes the context with four digits, every tenth year the "
        "next one with two; one digit does for the rest."
    )
    return [charts.figure("f-figure-3", "Digits sent for each year", caption, draw)]


def _packet_sizes(found: list[dict[str, Any]]) -> list[charts.Figure]:
    caption = "Header octets of each packet by its type, on a logarithmic scale. IR packets establish the context."
    result = []
    for index, series in enumerate(found):
        points = [{"x": p["x"], "y": p["y"], "kind": p["kind"]} for p in series["points"] if "kind" in p]
        spans = [{"from": p["x"], "to": p["to"], "what": p["what"]} for p in series["points"] if "to" in p]
        draw = charts.packet_sizes(points, spans)
        result.append(charts.figure(f"f-figure-4-{index}", series["label"], caption, draw))
    return result


def _load_by_build(found: list[dict[str, Any]]) -> list[charts.Figure]:
    caption = (
        "One core, trials of all builds interleaved. The paper's Figures 5 and 6 draw "
        "the same for the compilers of 2006."
    )
    return [charts.figure("f-figures-5-6", "Load over flows by compiler", caption, _load(found, "flow pairs"))]


def _load_by_cpus(found: list[dict[str, Any]]) -> list[charts.Figure]:
    caption = (
        "Average load of the cores in use over the flow pairs of each core: lines on top "
        "of each other mean perfect scaling."
    )
    return [
        charts.figure(
            "f-figure-7", "Load per core over flow pairs per core", caption, _load(found, "flow pairs per core")
        )
    ]


def _load(found: list[dict[str, Any]], x_title: str) -> charts.Draw:
    points, trials = [], []
    for series in found:
        for point in series["points"]:
            points.append({"series": series["label"], "x": point["x"], "y": point["y"]})
            trials += [{"series": series["label"], "x": point["x"], "y": load} for load in point.get("trials", ())]
    rules = [(0.3, "30 %"), (0.5, "50 %")]
    return charts.lines(points, x_title, "load of a core", y_format=".0%", rules=rules, trials=trials)
