# SPDX-License-Identifier: Apache-2.0
"""What nodes forward over interfaces: throughput with its controls, its growth with the cores, loads; calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from headroom.bench.throughput import QUICK
from headroom.report import charts, data, wire_latency
from headroom.report.data import Records
from headroom.report.page import Column, Section, Table, table
from headroom.report.wire_words import GOALS, NODES, main_ones, name_of, names_of, share_shown, shared_cores

MOST_LINES = 6  # in one figure
KINDS = ("throughput", "scaling", "wire_latency", "delivery", "calls")


def on_the_wire(records: Records) -> Section | None:
    """None where no record says anything of it."""
    found = {
        kind: [one for one in records if one["parameters"].get("kind") == kind and one["metrics"]] for kind in KINDS
    }
    if not any(found.values()):
        return None
    section = Section("wire", "What nodes forward", "On the wire")
    section.intro = [
        "Two nodes with a link between them forward in both directions at once; a rate is packets a second of each. "
        "NDR is the highest without a loss, PDR with 0.5 % at most, both by MLRsearch. The null codec and the bare "
        "bridge are the same nodes without compression: what harness, link and kernel leave."
    ]
    rates = [one for kind in ("throughput", "scaling", "calls") for one in found[kind]]
    if any(one.get("quick") for one in rates):
        section.intro.append(QUICK_RATES)
    parts = {
        "throughput": (_throughput, _losses, _loads),
        "scaling": (_scaling,),
        "delivery": (_delivery,),
        "wire_latency": (wire_latency.show,),
        "calls": (_calls,),
    }
    for kind, functions in parts.items():
        for function in functions:
            if found[kind]:
                function(section, found[kind])
    if any(one["parameters"].get("loads") for ones in found.values() for one in ones):
        section.notes = list(WHY_LOADS_DIFFER)
    return section


QUICK_RATES = (
    f"Rates of a quick run rest on trials of {QUICK.trial_s:g} s, and are looked for in steps of "
    f"{QUICK.width:.0%}".replace("%", " %")
    + ". The queues of interfaces take a tenth of a second and more to fill, which hides for as long that a rate is "
    "too high: it may be found up to a step higher than without --quick."
)
WHY_LOADS_DIFFER = (
    "Three sources say how loaded a core is, and they differ for good reasons. The busy share is what a process says "
    "of its own loop: rounds in which there was something to do, by the clock, so time in which another process had "
    "the core counts as busy. The thread's CPU time is what the kernel gave that loop, with the rounds in which it "
    "polled in vain.",
    "/proc/stat is what the kernel says of the core as a whole, whoever used it. A loop that polls takes its core "
    "whole there, however little arrives; where processes share a core they sleep while nothing arrives, and the share "
    "is that of all of them together.",
)


def _throughput(section: Section, records: Records) -> None:
    section.add("heading", "Throughput", id="wire-throughput")
    names = names_of(records)
    for goal, title in GOALS.items():
        bars = [
            {"nodes": nodes, "rate": rate, "of": names[record["test"]["id"]]}
            for record in records
            if record["parameters"]["goal"] == goal
            for prefix, nodes in NODES
            if (rate := data.value(record, prefix + goal)) is not None
        ]
        if bars:
            draw = charts.grouped_bars(
                bars, "of", "rate", "nodes", "", "packets/s of each direction", order=[nodes for _, nodes in NODES]
            )
            caption = (
                "One bar for each kind of node; where there is none, the generator was the limit, or a control came "
                "out below what it is a control of."
            )
            section.add("figure", charts.figure(f"f-throughput-{goal}", title, caption, draw))
    shown: list[Shown] = [
        (Column("Nodes"), lambda record: names[record["test"]["id"]]),
        (Column("Rate"), lambda record: record["parameters"]["goal"].upper()),
        *((Column(f"{nodes}, packets/s", number=True), partial(_rate, prefix)) for prefix, nodes in NODES),
        *OCTETS,
        (REMARKS[0], lambda record: " ".join(filter(None, (record["reason"], *_of_controls(record))))),
    ]
    caption = "Octets are those of an average IP packet: plain, and as it goes over the link, feedback and the padding "
    caption += "of short packets included."
    section.add("table", _table("t-throughput", shown, records, caption))


Shown = tuple[Column, Callable[[dict[str, Any]], Any]]  # a column, and what of a record stands in it


def _table(identity: str, shown: Sequence[Shown], records: Records, caption: str = "") -> Table:
    """One row for each record."""
    rows = [[of(record) for _, of in shown] for record in records]
    return table(identity, [column for column, _ in shown], rows, caption)


def _figure(title: str, name: str, optional: bool = False) -> Shown:
    """A column with one figure of each record."""
    return Column(title, number=True, optional=optional), lambda record: data.value(record, name)


OCTETS = (_figure("Plain, octets", "plain_octets", True), _figure("On the link, octets", "link_octets", True))
REMARKS: Shown = (Column("Remarks", long=True, optional=True), lambda record: record["reason"])


def _rate(prefix: str, record: dict[str, Any]) -> Any:
    """A rate of the nodes that `prefix` names; where the generator was the limit, what it is above."""
    goal = record["parameters"]["goal"]
    least = data.value(record, f"{prefix}{goal}_at_least")
    return f"above {least:,.0f}" if least is not None else data.value(record, prefix + goal)


def _of_controls(record: dict[str, Any]) -> list[str]:
    """What a reader must know of each control: why it has no rate, or that it was measured again."""
    goal, found = record["parameters"]["goal"], []
    for prefix, nodes in NODES[1:]:
        metric = data.metric(record, prefix + goal)
        searches = record["parameters"].get(f"{prefix}searches", ())
        if not metric:
            continue
        if metric["value"] is None and data.value(record, f"{prefix}{goal}_at_least") is None:
            found.append(f"{nodes.capitalize()}: {metric['reason']}.")
        elif len(searches) > 1:
            rates = ", ".join("–" if one[goal] is None else f"{one[goal]:,.0f}" for one in searches)
            found.append(f"{nodes.capitalize()}: measured {len(searches)} times, for it came out too low: {rates}.")
    return found


def _losses(section: Section, records: Records) -> None:
    """Loss over rate: each thing that was asked of one profile, and the controls of the first."""
    shown = main_ones(records)
    names, points, seen = names_of(shown), list[dict[str, Any]](), set[str]()
    for record in shown:
        for series in record["series"]:
            if series["name"] != "loss_over_rate":
                continue
            nodes = dict(zip(("asked", "null", "bridge"), (title for _, title in NODES), strict=True))[series["label"]]
            if series["label"] != "asked" and record is not shown[0]:
                continue
            name = names[record["test"]["id"]] + ("" if series["label"] == "asked" else f", {nodes}")
            if name not in seen and len(seen) < MOST_LINES:
                seen.add(name)
                points += [{"series": name, **point} for point in _means(series["points"])]
    if points:
        draw = charts.lines(
            points, "packets/s of each direction (logarithmic)", "packets lost", y_format="%", log_x=True
        )
        caption = (
            f"{shown[0]['parameters']['profile']}: every trial of the searches in which the generator kept up; several "
            "at one rate are one point, their mean."
        )
        section.add("figure", charts.figure("f-loss", "Loss over rate", caption, draw))


def _means(points: list[dict[str, Any]]) -> list[dict[str, float]]:
    by_rate: dict[float, list[float]] = {}
    for point in points:
        by_rate.setdefault(point["x"], []).append(point["y"])
    return [{"x": rate, "y": sum(values) / len(values)} for rate, values in sorted(by_rate.items())]


SOURCES = {"busy_share": "busy share", "thread_cpu": "thread's CPU time", "proc_stat": "/proc/stat"}


def _loads(section: Section, records: Records) -> None:
    """Loads of the cores at the rates that were found, by role."""
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
            [at, role, core, *(share_shown(found.get(source)) for source in SOURCES)]
            for (role, core), found in by_place.items()
        ]
    caption = "Those at the NDR are in the records, where there is a PDR."
    section.add("table", table("t-loads", columns, rows, caption))


def _scaling(section: Section, records: Records) -> None:
    section.add("heading", "Growth with the cores", id="wire-scaling")
    bars = [
        {"CPUs": record["parameters"]["cpus"], "speed-up": grown, "nodes": nodes}
        for record in records
        for prefix, nodes in NODES[:2]
        if (grown := data.value(record, f"{prefix}speed_up")) is not None
    ]
    if len({bar["CPUs"] for bar in bars}) > 1:
        draw = charts.grouped_bars(bars, "CPUs", "speed-up", "nodes", "", "times the rate of one core", ".2f")
        caption = "Where the null codec does not grow either, harness, kernel or generator keep it from growing."
        section.add("figure", charts.figure("f-speed-up", "Speed-up by CPU configuration", caption, draw))
    shown: list[Shown] = [
        (Column("CPUs"), lambda record: record["parameters"]["cpus"]),
        (Column("Cores", number=True), lambda record: record["parameters"].get("number_of_cores")),
        (
            Column("One core, packets/s", number=True),
            lambda record: data.value(record, f"one_core_{record['parameters']['goal']}"),
        ),
        (Column("These, packets/s", number=True), lambda record: data.value(record, record["parameters"]["goal"])),
        (Column("Speed-up", number=True), lambda record: _times(data.value(record, "speed_up"))),
        (Column("Efficiency", number=True), lambda record: share_shown(data.value(record, "efficiency"))),
        (Column("Null codec: speed-up", number=True), lambda record: _times(data.value(record, "null_speed_up"))),
        (
            REMARKS[0],
            lambda record: " ".join(filter(None, (record["reason"], _no_growth(record), shared_cores(record)))),
        ),
    ]
    section.add("table", _table("t-scaling", shown, records))


def _no_growth(record: dict[str, Any]) -> str:
    """Why the null codec has no speed-up, where the nodes that it is a control of have one."""
    null = data.metric(record, "null_speed_up")
    if data.value(record, "speed_up") is None or not null or null["value"] is not None:
        return ""
    return f"Null codec: {null['reason']}."


def _times(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f}"


def _delivery(section: Section, records: Records) -> None:
    section.add("heading", "Delivery at a given rate", id="wire-delivery")
    figures = (("packets/s", "rate"), ("Sent", "sent"), ("Lost", "lost"), ("Changed", "unexpected"))
    shown: list[Shown] = [
        (Column("Traffic"), lambda record: f"{record['parameters']['profile']}, {name_of(record)}"),
        *(_figure(title, name) for title, name in figures),
        *OCTETS,
        REMARKS,
    ]
    caption = (
        "The best of up to three trials, both directions together; what arrived changed is counted in all of them."
    )
    section.add("table", _table("t-delivery", shown, records, caption))


def _calls(section: Section, records: Records) -> None:
    section.add("heading", "SIP calls", id="wire-calls")
    through: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}  # by sequence and nodes
    for record in records:
        asked = record["parameters"]
        kind = "rate" if "goal" in asked else "calls"
        through.setdefault((asked["sequence"], CALLED[asked.get("nodes", "null")]), {})[kind] = record
    bars = [
        {"sequence": sequence, "rate": rate, "nodes": nodes}
        for (sequence, nodes), found in through.items()
        if "rate" in found and (rate := data.value(found["rate"], "calls_per_s")) is not None
    ]
    if bars:
        draw = charts.grouped_bars(
            bars, "sequence", "rate", "nodes", "", "calls/s, every one completed", order=list(CALLED.values())
        )
        caption = (
            "The highest rate at which every call was completed; where there is none, the generator was the limit."
        )
        section.add("figure", charts.figure("f-calls", "Calls a second", caption, draw))
    columns = [
        Column("Sequence"),
        Column("Nodes"),
        Column("Messages", number=True),
        Column("Calls", number=True),
        Column("Failed", number=True),
        Column("Changed", number=True),
        Column("A call, µs", number=True),
        Column("Most calls/s", number=True),
        Column("messages/s", number=True),
        Column("Plain, octets", number=True, optional=True),
        Column("On the link, octets", number=True, optional=True),
        Column("Remarks", long=True, optional=True),
    ]
    caption = "How long a call took is the median of those at the lower rate, from its first message until its last "
    caption += "one had arrived; the parties answer at once, and nobody pauses."
    rows = [_call_row(sequence, nodes, found) for (sequence, nodes), found in through.items()]
    section.add("table", table("t-calls", columns, rows, caption))


CALLED = {"null": "null codec", "sigcomp": "SigComp"}  # what a row calls the nodes that calls go through


def _call_row(sequence: str, nodes: str, found: dict[str, dict[str, Any]]) -> list[Any]:
    calls, rate = found.get("calls"), found.get("rate")
    some = calls or rate
    assert some is not None
    counted = [data.value(calls, name) if calls else None for name in ("calls", "failed", "unexpected")]
    took = data.value(calls, "call_p50") if calls else None
    highest: Any = data.value(rate, "calls_per_s") if rate else None
    if rate and (least := data.value(rate, "calls_per_s_at_least")) is not None:
        highest = f"above {least:,.0f}"
    return [
        sequence,
        nodes,
        some["parameters"]["messages"],
        *counted,
        None if took is None else round(took / 1000),
        highest,
        data.value(rate, "messages_per_s") if rate else None,
        *(data.value(calls or some, name) for name in ("plain_octets", "link_octets")),
        " ".join(record["reason"] for record in (calls, rate) if record and record["reason"]),
    ]
