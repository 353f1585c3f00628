# SPDX-License-Identifier: Apache-2.0
"""The sections about flow pairs: capacity of the cores, with the harness and codec only; latency and cost."""

from functools import partial
from typing import Any

from headroom.core import metrics
from headroom.core.scheme_registry import all_schemes
from headroom.core.text import percent, shown
from headroom.report import charts, data
from headroom.report.columns import Shown, figure, table_of
from headroom.report.data import Records
from headroom.report.page import Cell, Column, Section, Table, table

TARGETS: tuple[tuple[float | None, str], ...] = ((0.3, "30 % load"), (0.5, "50 % load"), (None, "no missed tick"))


COSTS = (
    figure("ns per operation", metrics.NS_PER_OPERATION),
    figure("Null adapter, ns", metrics.FLOOR_NS),
    figure("Octets per flow", metrics.MEMORY_PER_FLOW),
)
SHARES = (
    figure("Ratio to null", metrics.RATIO_TO_NULL),
    figure("Harness, ns per packet", metrics.HARNESS_NS),
)
PARTS = {  # stages of the time of a packet
    "generate": "generate",
    "compress": "compress",
    "handover": "hand-over",
    "decompress": "decompress",
    "verify": "verify",
    "feedback": "feedback",
}


def target_name(target: float | None) -> str:
    return "no missed tick" if target is None else f"{percent(target)} load"


def capacity(records: Records) -> Section | None:
    """The section with the flow pairs per CPU configuration, and the curves of load over flows that they are
    read from.
    """
    lines = data.capacity_lines(records)
    if not lines:
        return None
    section = Section("capacity", "How many flow pairs the cores carry", "Capacity")
    section.intro = [
        f"{' '.join(_flow_pairs_of_schemes(lines))} Each goes through compressor and decompressor; silence "
        "suppression is off. The load is the CPU time of the measuring thread; /proc/stat and the busy share of each "
        "tick are also in the records.",
    ]
    measured = [line for line in lines if line.main]
    names = _line_names(lines)
    bars = [
        {
            "CPUs": names[line.key],
            "flow pairs": capacity_at.flow_pairs,
            "target": target_name(target),
            "low": min(capacity_at.trials, default=capacity_at.flow_pairs),
            "high": max(capacity_at.trials, default=capacity_at.flow_pairs),
        }
        for line in measured
        for target, _ in TARGETS
        if (capacity_at := line.by_target.get(target)) and capacity_at.flow_pairs is not None
    ]
    if bars:
        caption = "All cores together. The thin line spans the trials; the bar is their median."
        draw = charts.grouped_bars(bars, "CPUs", "flow pairs", "target", "", "bidirectional flow pairs")
        section.add("figure", charts.figure("f-capacity", "Flow pairs by CPU configuration", caption, draw))
    if measured:
        section.add("table", _capacity_table(measured, names))
        section.add("heading", "With the harness, and codec only", id="codec-only")
        section.add("text", _harness_share(measured, names), style="soft small")
        section.add("table", _codec_only_table(measured, names))
    absent = data.absent_configurations(records)
    if absent:
        section.add("text", f"Not measured: {'; '.join(absent)}.", style="soft small")
    curve = _load_curve(measured, names)
    if curve:
        section.add("figure", curve)
    return section


def _line_names(lines: list[data.CapacityLine]) -> dict[tuple[str, ...], str]:
    """A name for each line: its CPU configuration, and any other property that tells it from the others."""
    parts = {line.key: (data.title_of_scheme(line.key[0]), *line.key[1:-1]) for line in lines}
    varying = [index for index in range(5) if len({part[index] for part in parts.values()}) > 1]
    return {line.key: " ".join([line.cpus, *(f"({parts[line.key][index]})" for index in varying)]) for line in lines}


def _flow_pairs_of_schemes(lines: list[data.CapacityLine]) -> list[str]:
    """A sentence for each scheme of some lines that explains its flow pair."""
    schemes = [all_schemes()[name] for name in dict.fromkeys(line.key[0] for line in lines) if name in all_schemes()]
    known = [scheme for scheme in schemes if scheme.workload]
    if not known:
        return ["A flow pair is a packet of each direction in every tick."]
    sentences = [
        (scheme_known.title, scheme_known.workload().flow_pair) for scheme_known in known if scheme_known.workload
    ]
    return [f"{title}: {sentence}" if len(known) > 1 else sentence for title, sentence in sentences]


def _capacity_table(lines: list[data.CapacityLine], names: dict[tuple[str, ...], str]) -> Table:
    shown: list[Shown] = [
        (Column("CPUs"), lambda line: names[line.key]),
        (Column("Cores"), lambda line: ", ".join(map(str, line.main.cores))),
        *((Column(name, number=True), partial(_flow_pairs, target)) for target, name in TARGETS),
        *((column, lambda line, of=of: of(line.main.record)) for column, of in COSTS),
        (Column("Remarks", long=True, optional=True), _remarks),
    ]
    caption = (
        "Flow pairs of all cores together. Cost of a packet: time to compress and decompress it, median at 50 % load."
    )
    if any(capacity.is_rough for line in lines for capacity in line.by_target.values()):
        caption += " ≈: the search ran out of time before it was exact."
    return table_of("t-capacity", shown, lines, caption)


def _flow_pairs(target: float | None, line: data.CapacityLine) -> Cell | None:
    capacity = line.by_target.get(target)
    return Cell(capacity.shown, capacity.flow_pairs) if capacity else None


def _remarks(line: data.CapacityLine) -> Cell | str:
    remarks = [
        f"{target_name(target)}: {note}"
        for target, capacity in line.by_target.items()
        for note in (*capacity.record["parameters"].get("notes", ()), *filter(None, [capacity.record["reason"]]))
    ]
    return Cell(f"{len(remarks)} on the trials", len(remarks), details=remarks) if remarks else ""


def _harness_share(lines: list[data.CapacityLine], names: dict[tuple[str, ...], str]) -> str:
    """The harness's part of a packet's time, as a sentence."""
    shares = []
    for line in lines:
        assert line.main is not None
        harness, operation = data.value(line.main.record, metrics.HARNESS_NS), line.main.ns_per_operation
        if harness is not None and operation is not None:
            shares.append(f"{shown(harness)} of {shown(harness + operation)} ns with {names[line.key]}")
    here = f" Here it is {'; '.join(shares)}." if shares else ""
    return (
        "Generator, hand-over and verification take time that is not the codec's."
        + here
        + " Codec only is the busy time less that of the same load with the null adapter; trials of both alternate. "
        "The ratio to null is the time of an operation over the time of copying the packets: it can be compared "
        "between processors."
    )


def _codec_only_table(lines: list[data.CapacityLine], names: dict[tuple[str, ...], str]) -> Table:
    shown: list[Shown] = [
        (Column("CPUs"), lambda capacity: names[capacity.series]),
        (Column("Load"), lambda capacity: target_name(capacity.target_load)),
        (Column("Flow pairs as measured", number=True), lambda capacity: Cell(capacity.shown, capacity.flow_pairs)),
        (Column("Codec only", number=True), lambda capacity: Cell(capacity.shown_codec_only, capacity.codec_only)),
        *((column, lambda capacity, of=of: of(capacity.record)) for column, of in (*COSTS[:2], *SHARES)),
    ]
    measured = [capacity for line in lines for target, _ in TARGETS if (capacity := line.by_target.get(target))]
    caption = (
        'The column "Codec only" leaves out the time of the harness, which includes the time that the null adapter '
        "takes to copy packets. It assumes that a packet costs as much as with the measured flow pairs; with more flow "
        "pairs, contexts no longer fit into the caches, and a packet costs more."
    )
    return table_of("t-codec-only", shown, measured, caption)


def _load_curve(lines: list[data.CapacityLine], names: dict[tuple[str, ...], str]) -> charts.Figure | None:
    points, trials = [], []
    for line in lines:
        seen: dict[float, dict[str, Any]] = {}
        for capacity in line.by_target.values():
            for series in capacity.record["series"]:
                if series["name"] == "load_over_flow_pairs":
                    seen |= {point["x"]: point for point in series["points"]}
        for x in sorted(seen):
            points.append({"series": names[line.key], "x": x, "y": seen[x]["y"]})
            trials += [{"series": names[line.key], "x": x, "y": load} for load in seen[x].get("trials", ())]
    if not points:
        return None
    draw = charts.lines(
        points,
        "bidirectional flow pairs per core",
        "load of a core",
        y_format=".0%",
        rules=[(0.3, "30 %"), (0.5, "50 %")],
        trials=trials,
    )
    caption = (
        "Points are medians, faint points are single trials. A straight line means that the cost of a packet does "
        "not grow with the flows."
    )
    return charts.figure("f-load", "Load over flows", caption, draw)


def latency_and_cost(records: Records) -> Section | None:
    """The section with latency percentiles and the time of a packet by stage."""
    lines = [line for line in data.capacity_lines(records) if line.main]
    names = _line_names(lines)
    points, rows, costs = [], [], []
    for line in lines:
        main = line.main
        assert main is not None
        buckets = data.merged_histogram(main.record, "latency")
        if buckets:
            values = [data.percentile(buckets, share) for _, share in data.PERCENTILES]
            rows.append([names[line.key], *values, buckets[-1][0]])
            points += [
                {"series": names[line.key], "x": name, "y": value}
                for (name, _), value in zip(data.PERCENTILES, values, strict=True)
                if value
            ]
        for adapters, label in (("asked", names[line.key]), ("null", f"{names[line.key]}, null adapter")):
            for stage, part in PARTS.items():
                amount = data.value(main.record, metrics.STAGE_NS(stage=stage, adapters=adapters))
                if amount is not None:
                    costs.append({"name": label, "part": part, "value": amount})
    if not points and not costs:
        return None
    section = Section("latency", "Latency, and where the time goes", "Latency")
    if points:
        section.intro = [
            "Latency is the time from handing a burst to the compressor until the decompressor has finished it, at "
            f"the 50 % point{_burst(lines)}."
        ]
        order = [name for name, _ in data.PERCENTILES]
        draw = charts.lines(points, "percentile", "ns (logarithmic)", x_sort=order, log_y=True)
        section.add(
            "figure", charts.figure("f-latency", "Latency percentiles", "One line per CPU configuration.", draw)
        )
        columns = [
            Column("CPUs"),
            *(Column(f"{name}, ns", number=True) for name in order),
            Column("longest, ns", number=True),
        ]
        section.add("table", table("t-latency", columns, rows))
    if costs:
        used = [part for part in PARTS.values() if any(cost["part"] == part for cost in costs)]
        caption = (
            "Medians. The null adapter copies octets: its bar is the cost of the harness itself, and the floor under "
            "every figure."
        )
        draw = charts.stacked_bars(costs, "ns per packet", "", used)
        section.add("figure", charts.figure("f-cost", "Where the time of a packet goes", caption, draw))
    return section


def _burst(lines: list[data.CapacityLine]) -> str:
    """A clause with the packets of a burst, if all lines have the same number: latency grows with it."""
    sizes = {line.main.record["parameters"].get("burst") for line in lines if line.main}
    return f"; a burst has up to {sizes.pop()} packets" if len(sizes) == 1 and None not in sizes else ""
