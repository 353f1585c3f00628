# SPDX-License-Identifier: Apache-2.0
"""Charts of the TAROC draft (2000): throughput and gain over the bit error rate, for each of its links."""

from __future__ import annotations

from typing import Any

from headroom.report import charts, data
from headroom.report.data import Records

PLACES = {"1": "Appendix B.3.1", "2": "Appendix B.3.2", "3": "Appendix B.3.3", "4": "Appendix B.3.4"}


def figures(records: Records) -> dict[str, list[charts.Figure]]:
    """The charts by place."""
    drawn: dict[str, list[charts.Figure]] = {}
    for key, where in PLACES.items():
        for kind, title, unit, log_y in (
            ("throughput", "Throughput by bit error rate", "octets/s", True),
            ("gain", "Gain on NONE by bit error rate", "%", False),
        ):
            if rows := _rows(records, f"{kind}_{key}"):
                draw = charts.lines(rows, "bit error rate", unit, x_format=".0e", log_x=True, log_y=log_y)
                caption = "The lengths of compressed headers are those that the draft assumes."
                drawn.setdefault(where, []).append(charts.figure(f"f-taroc-2000-{kind}-{key}", title, caption, draw))
    return drawn


def _rows(records: Records, name: str) -> list[dict[str, Any]]:
    return [
        {"series": series.get("label", ""), **point}
        for series in data.series_named(records, name)
        for point in series["points"]
    ]
