# SPDX-License-Identifier: Apache-2.0
"""The charts of the Effnet paper (2007): what each series that its cases left is drawn as, and where."""

from typing import Any

from headroom.report import charts, data
from headroom.report.data import Records


def figures(records: Records) -> dict[str, list[charts.Figure]]:
    """Charts by place."""
    makers = (
        ("Table 2", "table_2_runs", _runs),
        ("Figure 3", "digits", _digits),
        ("Figure 4", "packet_sizes", _packet_sizes),
        ("Figures 5 and 6", "load_by_build", _load_by_build),
        ("Figure 7", "load_by_cpus", _load_by_cpus),
    )
    return {place: make(results) for place, name, make in makers if (results := data.series_named(records, name))}


def _runs(results: list[dict[str, Any]]) -> list[charts.Figure]:
    rows, references = [], []
    for series in results:
        for point in series["points"]:
            (references if point.get("paper") else rows).append({"name": point["x"], "value": point["y"]})
    caption = "Each dot is one run of 6,000 packets with a seed of its own; the diamond is the paper's single run."
    return [charts.figure("f-table-2", "The spread of such runs", caption, charts.strip(rows, references, ""))]


def _digits(results: list[dict[str, Any]]) -> list[charts.Figure]:
    points = [
        {"series": series["label"], "x": point["x"], "y": point["y"]}
        for series in results
        for point in series["points"]
    ]
    draw = charts.lines(points, "year", "digits sent", x_format="d", y_format="d", from_zero=False, legend=False)
    caption = (
        "The first year establishes the context with four digits, every tenth year the "
        "next one with two; one digit does for the rest."
    )
    return [charts.figure("f-figure-3", "Digits sent for each year", caption, draw)]


def _packet_sizes(results: list[dict[str, Any]]) -> list[charts.Figure]:
    caption = "Header octets of each packet by its type, on a logarithmic scale. IR packets establish the context."
    result = []
    for index, series in enumerate(results):
        points = [{"x": p["x"], "y": p["y"], "kind": p["kind"]} for p in series["points"] if "kind" in p]
        spans = [{"from": p["x"], "to": p["to"], "what": p["what"]} for p in series["points"] if "to" in p]
        draw = charts.packet_sizes(points, spans)
        result.append(charts.figure(f"f-figure-4-{index}", series["label"], caption, draw))
    return result


def _load_by_build(results: list[dict[str, Any]]) -> list[charts.Figure]:
    caption = (
        "One core, trials of all builds interleaved. The paper's Figures 5 and 6 draw "
        "the same for the compilers of 2006."
    )
    return [charts.figure("f-figures-5-6", "Load over flows by compiler", caption, _load(results, "flow pairs"))]


def _load_by_cpus(results: list[dict[str, Any]]) -> list[charts.Figure]:
    caption = (
        "Average load of the cores in use over the flow pairs of each core: lines on top "
        "of each other mean perfect scaling."
    )
    return [
        charts.figure(
            "f-figure-7", "Load per core over flow pairs per core", caption, _load(results, "flow pairs per core")
        )
    ]


def _load(results: list[dict[str, Any]], x_title: str) -> charts.Draw:
    points, trials = [], []
    for series in results:
        for point in series["points"]:
            points.append({"series": series["label"], "x": point["x"], "y": point["y"]})
            trials += [{"series": series["label"], "x": point["x"], "y": load} for load in point.get("trials", ())]
    rules = [(0.3, "30 %"), (0.5, "50 %")]
    return charts.lines(points, x_title, "load of a core", y_format=".0%", rules=rules, trials=trials)
