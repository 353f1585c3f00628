# SPDX-License-Identifier: Apache-2.0
"""Charts of the ZTE and Intel paper (2020): each series that its cases left, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headroom.report import charts, data
from headroom.report.data import Records

Rows = list[dict[str, Any]]


def figures(records: Records) -> dict[str, list[charts.Figure]]:
    """The charts by place."""
    drawn: dict[str, list[charts.Figure]] = {}
    for where, series, title, caption, draw in CHARTS:
        if rows := _rows(records, series):
            identity = f"f-zte-2020-{series}"
            drawn.setdefault(where, []).append(charts.figure(identity, title, caption, draw(rows)))
    return drawn


def _rows(records: Records, name: str) -> Rows:
    return [
        {"series": series.get("label", ""), **point}
        for series in data.series_named(records, name)
        for point in series["points"]
    ]


def _costs(rows: Rows) -> charts.Draw:
    bars = [{"name": row["x"], "part": row["part"], "value": row["y"]} for row in rows]
    return charts.stacked_bars(bars, "USD", "", ["devices", "electricity"])


CHARTS: tuple[tuple[str, str, str, str, Callable[[Rows], charts.Draw]], ...] = (
    (
        "Section 5.1",
        "designs",
        "Rate of each design, in virtual time",
        "As many threads as the paper's servers have, with the times of this machine, in memory.",
        lambda rows: charts.grouped_bars(rows, "x", "y", "series", "", "Mpps"),
    ),
    (
        "Section 5.2",
        "latency",
        "Average latency by rate",
        "48 threads in each design. With receiving cores a packet waits twice.",
        lambda rows: charts.lines(rows, "Mpps", "average latency, µs", x_format=".3~g", y_format=".3~g"),
    ),
    (
        "Figure 12",
        "ownership",
        "Device cost and ten years of electricity",
        "Prices and power are assumed (resources/ownership/zte-2020.yaml).",
        _costs,
    ),
)
