# SPDX-License-Identifier: Apache-2.0
"""What nodes forward over interfaces: throughput with its controls, loads of the cores, latency below it."""

from __future__ import annotations

from typing import Any

from headroom.report import charts, data
from headroom.report.data import Records
from headroom.report.page import Column, Section, table

NODES = (("", "as asked"), ("null_", "null codec"), ("bridge_", "bare bridge"))
GOALS = {"ndr": "NDR", "pdr": "PDR (0.5 % lost)"}
WAYS = ("forward", "reverse")
FIGURES = ("average", "jitter", "p50", "p99", "p999", "longest")
TITLES = ("average", "jitter", "p50", "p99", "p99.9", "longest")


def on_the_wire(records: Records) -> Section | None:
    """None where no record says anything of it."""
    rates = [record for record in records if record["parameters"].get("kind") == "throughput" and record["metrics"]]
    delays = [record for record in records if record["parameters"].get("kind") == "wire_latency" and record["metrics"]]
    if not rates and not delays:
        return None
    section = Section("wire", "What nodes forward", "On the wire")
    section.intro = [
        "Two nodes with a link between them forward in both directions at once; a rate is packets a second of each. "
        "NDR is the highest without a loss, PDR with 0.5 % at most, both by MLRsearch. The null codec and the bare "
        "bridge are the same nodes without compression: what harness, link and kernel leave."
    ]
    if rates:
        _throughput(section, rates)
    if delays:
        _latency(section, delays)
    section.notes = [
        "The busy share is what a process says of its own loop, waiting for a core that others use included; "
        "/proc/stat is what the kernel says of the core, whoever used it. A loop that polls takes its core whole there."
    ]
    return section


def _throughput(section: Section, records: Records) -> None:
    bars = [
        {"CPUs": _name(record), "rate": rate, "nodes": nodes, "low": rate, "high": rate}
        for record in records
        for prefix, nodes in NODES
        if (rate := data.value(record, prefix + record["parameters"]["goal"])) is not None
    ]
    if bars:
        draw = charts.grouped_bars(bars, "CPUs", "rate", "nodes", "", "packets/s of each direction")
        caption = "One bar for each kind of node; where there is none, the generator was the limit."
        section.add("figure", charts.figure("f-throughput", "Throughput by CPU configuration", caption, draw))
    columns = [Column("CPUs and goal"), *(Column(f"{nodes}, packets/s", number=True) for _, nodes in NODES)]
    columns += [Column("Load of the cores", long=True, optional=True), Column("Remarks", long=True, optional=True)]
    rows = [[_name(record), *_rates(record), _loads(record), record["reason"]] for record in records]
    section.add("table", table("t-throughput", columns, rows))


def _name(record: dict[str, Any]) -> str:
    asked = record["parameters"]
    return f"{asked['cpus']} {GOALS.get(asked['goal'], asked['goal'])}"


def _rates(record: dict[str, Any]) -> list[Any]:
    goal = record["parameters"]["goal"]
    found = []
    for prefix, _ in NODES:
        least = data.value(record, f"{prefix}{goal}_at_least")
        found.append(f"above {least:,.0f}" if least is not None else data.value(record, prefix + goal))
    return found


def _loads(record: dict[str, Any]) -> str:
    loads = record["parameters"].get("loads", ())
    shown = [
        f"{load['role']} {load['core']}: {load['busy']:.0%} ({load['source']})"
        for load in loads
        if load["busy"] is not None
    ]
    return "; ".join(shown) or "–"


def _latency(section: Section, records: Records) -> None:
    rows, points = [], []
    for record in records:
        asked = record["parameters"]
        for way in WAYS:
            values = [data.value(record, f"{way}_{figure}") for figure in FIGURES]
            name = f"{asked['cpus']} at {asked['share_of_pdr']:.0%}"
            rows.append([f"{name}, {way}", data.value(record, "rate"), *values])
            points += [
                {"series": name, "x": title, "y": value}
                for title, value in zip(TITLES[2:], values[2:], strict=True)
                if value and way == "forward"
            ]
    if points:
        draw = charts.lines(points, "percentile", "ns (logarithmic)", x_sort=list(TITLES[2:]), log_y=True)
        caption = (
            "From the generator's port 0 to its port 1, at shares of the PDR, or, where the generator was the limit, "
            "of the highest rate without a fault."
        )
        section.add("figure", charts.figure("f-wire-latency", "Latency over the line", caption, draw))
    columns = [
        Column("At"),
        Column("packets/s", number=True),
        *(Column(f"{title}, ns", number=True) for title in TITLES),
    ]
    section.add("table", table("t-wire-latency", columns, rows))
