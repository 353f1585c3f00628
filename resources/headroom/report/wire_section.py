# SPDX-License-Identifier: Apache-2.0
"""The section about forwarding over interfaces: throughput with its controls, its growth with the cores, loads."""

from functools import partial
from typing import Any

from headroom.bench.throughput import QUICK
from headroom.core import metrics
from headroom.core.text import percent
from headroom.report import charts, data, wire_latency
from headroom.report.columns import REASON, Shown, figure, parameter, table_of
from headroom.report.data import Records
from headroom.report.page import Column, Section, table
from headroom.report.wire_words import GOALS, NODES, main_ones, name_of, names_of, shared_cores

MOST_LINES = 6  # most series in one figure
KINDS = ("throughput", "scaling", "wire_latency", "delivery", "kernel_tcp")


def on_the_wire(records: Records) -> Section | None:
    """The section, or None if no record is about forwarding."""
    by_kind = {kind: data.of_kind(records, kind) for kind in KINDS}
    if not any(by_kind.values()):
        return None
    section = begin([one for ones in by_kind.values() for one in ones], [*by_kind["throughput"], *by_kind["scaling"]])
    parts = {
        "throughput": (_throughput, _losses, _loads),
        "scaling": (_scaling,),
        "delivery": (_delivery,),
        "kernel_tcp": (_kernel_tcp,),
        "wire_latency": (wire_latency.show,),
    }
    for kind, functions in parts.items():
        for function in functions:
            if by_kind[kind]:
                function(section, by_kind[kind])
    return section


def begin(records: Records, rates: Records) -> Section:
    """The beginning of the section for some records; `rates` are those with a search for a rate."""
    section = Section("wire", "Forwarding rates of nodes", "On the wire")
    section.intro = [
        "Two nodes with a link between them forward in both directions at once; a rate is packets a second in each. "
        "NDR is the highest rate without a loss, PDR that with a loss of 0.5 % at most, both by MLRsearch. The null "
        "codec and the bare bridge are the same nodes without compression: they show the limits of harness, link and "
        "kernel."
    ]
    if any(rate.get("quick") for rate in rates):
        section.intro.append(QUICK_RATES)
    if any(record["parameters"].get("loads") for record in records):
        section.notes = list(WHY_LOADS_DIFFER)
    return section


QUICK_RATES = (
    f"Rates of a quick run rest on trials of {QUICK.trial_s:g} s, in steps of {percent(QUICK.width)}. The queues of "
    "interfaces take a tenth of a second and more to fill, which hides for that time that a rate is too high. The "
    "result may therefore be up to a step higher than without --quick."
)
WHY_LOADS_DIFFER = (
    "Three sources tell the load of a core, and they differ for good reasons. The busy share is counted by a process "
    "in its own loop: rounds with work, by the clock, so time in which another process had the core counts as busy. "
    "The thread's CPU time is the kernel's count for that loop, including the rounds in which it polled in vain.",
    "/proc/stat is the kernel's count for the whole core, all processes together. A polling loop occupies its whole "
    "core there, however few packets arrive. Processes that share a core sleep while nothing arrives; the share is "
    "then that of all of them together.",
)


def _throughput(section: Section, records: Records) -> None:
    section.add("heading", "Throughput", id="wire-throughput")
    names = names_of(records)
    for goal, title in GOALS.items():
        bars = [
            {"nodes": nodes, "rate": rate, "of": names[record["test"]["id"]]}
            for record in records
            if record["parameters"]["goal"] == goal
            for kind, nodes in NODES.items()
            if (rate := data.value(record, metrics.THROUGHPUT(goal=goal, nodes=kind))) is not None
        ]
        if bars:
            draw = charts.grouped_bars(
                bars, "of", "rate", "nodes", "", "packets/s of each direction", order=list(NODES.values())
            )
            caption = (
                "One bar for each kind of node. A missing bar means that the generator was the limit, or that a "
                "control came out below the nodes that it controls."
            )
            section.add("figure", charts.figure(f"f-throughput-{goal}", title, caption, draw))
    shown: list[Shown] = [
        (Column("Nodes"), lambda record: names[record["test"]["id"]]),
        (Column("Rate"), lambda record: record["parameters"]["goal"].upper()),
        *((Column(f"{nodes}, packets/s", number=True), partial(_rate, kind)) for kind, nodes in NODES.items()),
        *OCTETS,
        (REASON[0], lambda record: " ".join(filter(None, (record["reason"], *_of_controls(record))))),
    ]
    caption = (
        "Octets are those of an average IP packet: plain, and on the link, including feedback and the padding of "
        "short packets."
    )
    section.add("table", table_of("t-throughput", shown, records, caption))


OCTETS = (
    figure("Plain, octets", metrics.PLAIN_OCTETS, optional=True),
    figure("On the link, octets", metrics.LINK_OCTETS, optional=True),
)


def _rate(nodes: str, record: dict[str, Any]) -> Any:
    """A rate of some nodes; if the generator was the limit, the rate that it exceeds."""
    which = {"goal": record["parameters"]["goal"], "nodes": nodes}
    return rate_shown(record, metrics.THROUGHPUT(**which), metrics.THROUGHPUT_AT_LEAST(**which))


def rate_shown(record: dict[str, Any], rate: metrics.Metric, at_least: metrics.Metric) -> Any:
    least = data.value(record, at_least)
    return f"above {least:,.0f}" if least is not None else data.value(record, rate)


def _of_controls(record: dict[str, Any]) -> list[str]:
    """Remarks on each control: the reason for a missing rate, or that it was measured again."""
    goal, remarks = record["parameters"]["goal"], []
    for nodes in ("null", "bridge"):
        rate = data.measured(record, metrics.THROUGHPUT(goal=goal, nodes=nodes))
        least = data.value(record, metrics.THROUGHPUT_AT_LEAST(goal=goal, nodes=nodes))
        searches = record["parameters"].get(f"{nodes}_searches", ())
        if not rate:
            continue
        if rate["value"] is None and least is None:
            remarks.append(f"{NODES[nodes].capitalize()}: {rate['reason']}.")
        elif len(searches) > 1:
            rates = ", ".join("–" if search[goal] is None else f"{search[goal]:,.0f}" for search in searches)
            remarks.append(
                f"{NODES[nodes].capitalize()}: measured {len(searches)} times, because it was lower than the nodes "
                f"that it controls: {rates}."
            )
    return remarks


def _losses(section: Section, records: Records) -> None:
    """Adds the chart of loss over rate: each configuration of one profile, and the controls of the first."""
    shown = main_ones(records)
    names, points, seen = names_of(shown), list[dict[str, Any]](), set[str]()
    for record in shown:
        for series in record["series"]:
            if series["name"] != "loss_over_rate":
                continue
            nodes = series["label"]
            if nodes != "asked" and record is not shown[0]:
                continue
            name = names[record["test"]["id"]] + ("" if nodes == "asked" else f", {NODES[nodes]}")
            if name not in seen and len(seen) < MOST_LINES:
                seen.add(name)
                points += [{"series": name, **point} for point in _means(series["points"])]
    if points:
        draw = charts.lines(
            points, "packets/s of each direction (logarithmic)", "packets lost", y_format="%", log_x=True
        )
        caption = (
            f"{shown[0]['parameters']['profile']}: every trial of the searches in which the generator kept up. "
            "Several trials at one rate are one point, their mean."
        )
        section.add("figure", charts.figure("f-loss", "Loss over rate", caption, draw))


def _means(points: list[dict[str, Any]]) -> list[dict[str, float]]:
    by_rate: dict[float, list[float]] = {}
    for point in points:
        by_rate.setdefault(point["x"], []).append(point["y"])
    return [{"x": rate, "y": sum(values) / len(values)} for rate, values in sorted(by_rate.items())]


SOURCES = {"busy_share": "busy share", "thread_cpu": "thread's CPU time", "proc_stat": "/proc/stat"}


def _loads(section: Section, records: Records) -> None:
    """Adds the loads of the cores at the resulting rates, by role."""
    names = names_of(records)
    shown = [record for record in records if record["parameters"].get("loads")]
    if not shown:
        return
    section.add("heading", "Load of the cores at these rates", id="wire-loads")
    ones = main_ones(shown)
    first = next((record for record in ones if record["parameters"]["goal"] == "pdr"), ones[0])
    bars = [
        {"of": f"{load['role']}, core {load['core']}", "load": load["busy"], "source": SOURCES[load["source"]]}
        for load in first["parameters"]["loads"]
        if load["busy"] is not None and load["source"] in SOURCES
    ]
    if bars:
        title = f"{names[first['test']['id']]} at its {first['parameters']['goal'].upper()}"
        draw = charts.grouped_bars(bars, "of", "load", "source", "", "share of the time", ".0%")
        section.add("figure", charts.figure("f-loads", title, "Measured in a trial of its own at that rate.", draw))
    columns = [Column("At"), Column("Role"), Column("Core", number=True)]
    columns += [Column(title, number=True) for title in SOURCES.values()]
    rows = []
    found_pdr = {names[record["test"]["id"]] for record in shown if record["parameters"]["goal"] == "pdr"}
    for record in shown:
        if record["parameters"]["goal"] != "pdr" and names[record["test"]["id"]] in found_pdr:
            continue
        at = f"{names[record['test']['id']]}, {record['parameters']['goal'].upper()}"
        by_place: dict[tuple[str, int], dict[str, float | None]] = {}
        for load in record["parameters"]["loads"]:
            by_place.setdefault((load["role"], load["core"]), {})[load["source"]] = load["busy"]
        rows += [
            [at, role, core, *(percent(loads.get(source)) for source in SOURCES)]
            for (role, core), loads in by_place.items()
        ]
    caption = "Loads at the NDR are in the records, if there is a PDR."
    section.add("table", table("t-loads", columns, rows, caption))


def _scaling(section: Section, records: Records) -> None:
    section.add("heading", "Growth with the cores", id="wire-scaling")
    bars = [
        {"CPUs": record["parameters"]["cpus"], "speed-up": grown, "nodes": NODES[nodes]}
        for record in records
        for nodes in metrics.CODEC_NODES
        if (grown := data.value(record, metrics.SPEED_UP(nodes=nodes))) is not None
    ]
    if len({bar["CPUs"] for bar in bars}) > 1:
        draw = charts.grouped_bars(bars, "CPUs", "speed-up", "nodes", "", "times the rate of one core", ".2f")
        caption = "If the null codec does not grow either, harness, kernel or generator limit the growth."
        section.add("figure", charts.figure("f-speed-up", "Speed-up by CPU configuration", caption, draw))
    shown: list[Shown] = [
        parameter("CPUs", "cpus"),
        parameter("Cores", "number_of_cores", number=True),
        (Column("One core, packets/s", number=True), lambda record: _highest(record, "one")),
        (Column("These, packets/s", number=True), lambda record: _highest(record, "these")),
        figure("Speed-up", metrics.SPEED_UP(), _times),
        figure("Efficiency", metrics.EFFICIENCY(), percent),
        figure("Null codec: speed-up", metrics.SPEED_UP(nodes="null"), _times),
        (
            REASON[0],
            lambda record: " ".join(filter(None, (record["reason"], _no_growth(record), shared_cores(record)))),
        ),
    ]
    section.add("table", table_of("t-scaling", shown, records))


def _highest(record: dict[str, Any], cores: str) -> float | None:
    return data.value(record, metrics.THROUGHPUT(goal=record["parameters"]["goal"], cores=cores))


def _no_growth(record: dict[str, Any]) -> str:
    """The reason why the null codec has no speed-up although the nodes that it controls have one."""
    null = data.measured(record, metrics.SPEED_UP(nodes="null"))
    if data.value(record, metrics.SPEED_UP()) is None or not null or null["value"] is not None:
        return ""
    return f"Null codec: {null['reason']}."


def _times(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f}"


def _kernel_tcp(section: Section, records: Records) -> None:
    section.add("heading", "The kernel's TCP, with and without header compression", id="wire-kernel-tcp")
    shown: list[Shown] = [
        (Column("Scheme"), lambda record: data.title_of_scheme(record["parameters"]["scheme"])),
        (Column("BER", number=True), lambda record: f"{record['parameters']['ber']:g}"),
        parameter("MTU", "mtu"),
        parameter("Connections", "connections"),
        figure("Goodput, octets/s", metrics.GOODPUT),
        figure("Without compression", metrics.GOODPUT_UNCOMPRESSED),
        figure("Chance", metrics.GOODPUT_NOISE),
        figure("Sent again", metrics.RETRANSMITS),
        figure("Without compression", metrics.RETRANSMITS_UNCOMPRESSED),
        figure("Wrong checksum", metrics.WRONG_CHECKSUMS, optional=True),
        REASON,
    ]
    caption = (
        "Both columns of a row were measured at the same time. The figures depend on the kernel and on chance: "
        "compare which is larger."
    )
    section.add("table", table_of("t-kernel-tcp", shown, records, caption))


def _delivery(section: Section, records: Records) -> None:
    section.add("heading", "Delivery at a given rate", id="wire-delivery")
    shown: list[Shown] = [
        (Column("Traffic"), lambda record: f"{record['parameters']['profile']}, {name_of(record)}"),
        figure("packets/s", metrics.RATE),
        figure("Sent", metrics.SENT),
        figure("Lost", metrics.LOST()),
        figure("Changed", metrics.UNEXPECTED),
        *OCTETS,
        REASON,
    ]
    caption = (
        "The best of up to three trials, both directions together; packets that arrived changed are counted in all "
        "of them."
    )
    section.add("table", table_of("t-delivery", shown, records, caption))
