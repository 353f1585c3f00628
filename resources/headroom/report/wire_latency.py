# SPDX-License-Identifier: Apache-2.0
"""The section about latency over the line, with a bare bridge at the same rate beside it: percentiles, distribution,
figures.
"""

import math
from typing import Any

from headroom.core import metrics
from headroom.core.text import percent
from headroom.report import charts, data
from headroom.report.data import Records
from headroom.report.page import Column, Section, table
from headroom.report.wire_words import name_of

WAYS = ("forward", "reverse")
FIGURES = ("average", "jitter", "p50", "p90", "p99", "p999", "longest")
TITLES = ("average", "jitter", "50 %", "90 %", "99 %", "99.9 %", "longest")
CONTROLLED = {"asked": "", "bridge": "bridge, "}
PERCENTILES = slice(2, None)
BINS_OF_DECADE = 8  # bins of the distribution in each power of ten: a factor of 1.33 each


def show(section: Section, records: Records) -> None:
    section.add("heading", "Latency", id="wire-latency")
    section.add("text", _buckets_of(records), style="soft small")
    by_name: dict[str, Records] = {}
    for record in records:
        by_name.setdefault(name_of(record), []).append(record)
    for place, (name, ones) in enumerate(by_name.items()):
        if len(ones) == 1 < len(by_name):
            continue  # one share alone stands beside the others below
        if points := [point for nodes in CONTROLLED for one in ones for point in _percentiles(one, nodes)]:
            draw = charts.lines(points, "share of the packets", "µs (logarithmic)", x_sort=_titles(), log_y=True)
            caption = (
                "The share of the packets with at most this latency, from the generator's port 0 to its port 1; "
                "beside it, a bare bridge at the same rate."
            )
            section.add("figure", charts.figure(f"f-wire-latency-{place}", f"Latency of {name}", caption, draw))
    if points := _distributions(records):
        draw = charts.lines(points, "µs (logarithmic)", "packets", y_format=".0%", log_x=True)
        caption = f"Share of the packets by latency, forward, in {BINS_OF_DECADE} parts of each power of ten."
        section.add(
            "figure", charts.figure("f-wire-histogram", "Distribution of latency near half of the PDR", caption, draw)
        )
    columns = [
        Column("At"),
        Column("packets/s", number=True),
        *(Column(f"{title}, µs", number=True) for title in TITLES),
        Column("Remarks", long=True, optional=True),
    ]
    rows = [row for record in records for row in _rows(record)]
    section.add("table", table("t-wire-latency", columns, rows))


def _buckets_of(records: Records) -> str:
    """An explanation of percentiles, which depends on the generator that counted packets into buckets."""
    senders = {record.get("traffic", {}).get("generator", {}).get("name") for record in records}
    sentences = [
        ("A percentile is the upper edge of the bucket that holds its packet, but no more than the greatest latency.")
    ]
    if "trex" in senders:
        sentences.append(
            "TRex has one bucket below 10 µs and then nine in each power of ten, with edges at 10, 20 … 90, 100, 200 "
            "… µs. So its percentiles are up to twice the packet's latency (10 µs stands for anything below), and "
            "several may be equal."
        )
    return " ".join(sentences)


def _titles() -> list[str]:
    return list(TITLES[PERCENTILES])


def _share(record: dict[str, Any]) -> str:
    """The load as a share of the PDR. If the generator was the limit, it is a share of the rate that the PDR
    exceeds.
    """
    share = percent(record["parameters"]["share_of_pdr"])
    least = data.value(record, metrics.THROUGHPUT_AT_LEAST(goal="pdr"))
    return f"{share} of PDR" if least is None else f"{share} of {least:,.0f}/s, PDR is above"


def _percentiles(record: dict[str, Any], nodes: str) -> list[dict[str, Any]]:
    """Points of the percentiles of one kind of nodes, forward."""
    values = [data.value(record, metrics.LATENCY(figure=figure, nodes=nodes)) for figure in FIGURES[PERCENTILES]]
    return [
        {"series": f"{CONTROLLED[nodes]}{_share(record)}", "x": title, "y": value / 1000}
        for title, value in zip(_titles(), values, strict=True)
        if value
    ]


def _distributions(records: Records) -> list[dict[str, Any]]:
    """Points of the histograms of the rows nearest to half of the PDR, and of the bridge beside the first of them."""
    nearest = min(abs(record["parameters"]["share_of_pdr"] - 0.5) for record in records)
    chosen = [record for record in records if abs(record["parameters"]["share_of_pdr"] - 0.5) == nearest]
    points = []
    for record in chosen:
        points += _distribution(record, "wire_latency_forward", name_of(record))
    return points + _distribution(chosen[0], "wire_latency_bridge_forward", f"bridge beside {name_of(chosen[0])}")


def _distribution(record: dict[str, Any], histogram: str, series: str) -> list[dict[str, Any]]:
    bins: dict[int, float] = {}
    for edge, count in data.merged_histogram(record, histogram):
        number = math.ceil(BINS_OF_DECADE * math.log10(max(edge, 1.0) / 1000))
        bins[number] = bins.get(number, 0) + count
    total = sum(bins.values())
    if not total:
        return []
    # Empty bins between and beside are drawn as zero.
    whole = range(min(bins) - 1, max(bins) + 2)
    return [{"series": series, "x": 10 ** (n / BINS_OF_DECADE), "y": bins.get(n, 0) / total} for n in whole]


def _rows(record: dict[str, Any]) -> list[list[Any]]:
    """A row for each direction of the nodes, and one for each of the control."""
    rows = []
    name = f"{name_of(record)} at {_share(record)}"
    for nodes, called in (("asked", ""), ("bridge", "bare bridge, ")):
        for way in WAYS:
            values = [data.value(record, metrics.LATENCY(figure=figure, way=way, nodes=nodes)) for figure in FIGURES]
            median = data.measured(record, metrics.LATENCY(figure="p50", way=way, nodes=nodes))
            if not median:
                continue
            shown = [None if value is None else round(value / 1000, 1) for value in values]
            reason = median.get("reason", "") or (record["reason"] if nodes == "asked" else "")
            rows.append([f"{name}, {called}{way}", data.value(record, metrics.RATE), *shown, reason])
    return rows
