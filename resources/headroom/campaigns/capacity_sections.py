# SPDX-License-Identifier: Apache-2.0
"""The page's sections about flow pairs: flow pairs per core at the same load, cycles, scaling, ratios to null and
peers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headroom.campaigns.campaign import Cell
from headroom.campaigns.measured import CampaignData, Capacities, Key, Series, Values, all_capacities, names
from headroom.core.text import percent, shown
from headroom.report import charts
from headroom.report import page as blocks
from headroom.report.capacity_section import target_name
from headroom.report.data import Capacity
from headroom.report.page import Column, Section, table

MOST_BARS = 24
ONE_CORE = "1c"
SMT = "-smt"  # ending of CPU configurations with both threads of each core
NULL = "null"  # the adapter that copies

Of = Callable[[Cell, Capacity], float | None]


def cores_of(capacity: Capacity) -> int:
    """The number of cores: two hardware threads (`2c-smt`) are one."""
    return max(1, len(capacity.cores) // 2 if capacity.cpus.endswith(SMT) else len(capacity.cores))


def per_core(_: Cell, capacity: Capacity) -> float | None:
    return None if capacity.flow_pairs is None or not capacity.cores else capacity.flow_pairs / cores_of(capacity)


def nanoseconds(_: Cell, capacity: Capacity) -> float | None:
    return capacity.ns_per_operation


def ratio_to_null(_: Cell, capacity: Capacity) -> float | None:
    return capacity.ratio_to_null


def sections(data: CampaignData) -> list[Section]:
    """The sections that are not empty."""
    capacities = all_capacities(data)
    if not capacities.by_key:
        return []
    all_sections = [
        _flow_pairs(data, capacities),
        _cost(data, capacities),
        _scaling(data, capacities),
        _peers(data, capacities),
    ]
    return [section for section in all_sections if section is not None]


def cell_of(values_of_cell: Values | None, more: str = "") -> blocks.Cell:
    return (
        blocks.Cell("–", "")
        if values_of_cell is None
        else blocks.Cell(values_of_cell.text + more, values_of_cell.median)
    )


def _flow_pairs(data: CampaignData, capacities: Capacities) -> Section:
    section = Section("capacity", "Flow pairs per core at the same load", "Flow pairs")
    section.intro = [
        "A flow pair is a packet of each direction in every tick, as in a call. Each core has the same work on every "
        "machine, and the target is the same share of its time. Figures are medians over the repeats; ± is half of the "
        "range between the lowest and highest.",
    ]
    machines, called = data.campaign.machines, names(capacities.series())
    if bars := _bars(data, capacities, called):
        draw = charts.grouped_bars(bars, "CPUs", "flow pairs", "machine", "", "flow pairs per core", order=machines)
        caption = "At 50 % load if that was measured. The thin line spans the repeats; the bar is their median."
        section.add("figure", charts.figure("f-capacity", "Flow pairs per core, by machine", caption, draw))
    rows = []
    for key in capacities.by_key:
        mine = [capacities.values(key, machine, per_core) for machine in machines]
        best = max(
            (flow_pairs_of_machine.median for flow_pairs_of_machine in mine if flow_pairs_of_machine), default=0.0
        )
        several = sum(flow_pairs_of_machine is not None for flow_pairs_of_machine in mine) > 1
        cells = [
            cell_of(
                flow_pairs_of_machine,
                f" ({percent(flow_pairs_of_machine.median / best)})"
                if flow_pairs_of_machine and several and best
                else "",
            )
            for flow_pairs_of_machine in mine
        ]
        rows.append([called[key[0]], target_name(key[1]), *cells])
    columns = [Column("CPUs"), Column("Load", tight=True), *(Column(name, number=True) for name in machines)]
    caption = "Flow pairs per core; the share of the best machine's in brackets." if len(machines) > 1 else ""
    section.add("table", table("t-capacity", columns, rows, caption))
    return section


def _bars(data: CampaignData, capacities: Capacities, called: dict[Series, str]) -> list[dict[str, Any]]:
    bars = []
    for series in capacities.series():
        for machine in data.campaign.machines:
            if flow_pairs := capacities.values(capacities.main_key(series), machine, per_core):
                bar = {"CPUs": called[series], "machine": machine, "flow pairs": flow_pairs.median}
                bars.append(bar | {"low": min(flow_pairs.of), "high": max(flow_pairs.of)})
    return bars if len(bars) <= MOST_BARS else []


def _cost(data: CampaignData, capacities: Capacities) -> Section:
    section = Section("cost", "Cost of an operation", "Cost")
    section.intro = [
        "An operation compresses and decompresses one packet. Cycles are its time multiplied by the clock that the "
        "kernel shows in /proc/cpuinfo when the run begins. A processor that changes its clock under load had "
        "another one, and a virtual machine may show any. The ratio to null is the time of an operation over the "
        "time in which null copies the packet twice: it compares processors.",
    ]

    def cycles(cell: Cell, capacity: Capacity) -> float | None:
        clock = data.clock_mhz(cell)
        return None if clock is None or capacity.ns_per_operation is None else capacity.ns_per_operation * clock / 1000

    def codec_only(_: Cell, capacity: Capacity) -> float | None:
        return None if capacity.codec_only is None else capacity.codec_only / cores_of(capacity)

    called = names(capacities.series())
    shown_of: tuple[tuple[str, Of], ...] = (
        ("ns per operation", nanoseconds),
        ("Cycles per operation", cycles),
        ("Ratio to null", ratio_to_null),
        ("Flow pairs per core, codec only", codec_only),
    )
    rows = [
        [called[series], machine, *(cell_of(capacities.values(key, machine, of)) for _, of in shown_of)]
        for series in capacities.series()
        for key in [capacities.main_key(series)]
        for machine in data.campaign.machines
        if capacities.by_key[key].get(machine)
    ]
    columns = [Column("CPUs"), Column("Machine"), *(Column(title, number=True) for title, _ in shown_of)]
    section.add("table", table("t-cost", columns, rows, "At 50 % load if that was measured."))
    return section


def _scaling(data: CampaignData, capacities: Capacities) -> Section | None:
    """The section with flow pairs of several cores over those of one, by machine."""
    machines, rows, called = data.campaign.machines, [], names(capacities.series())
    for key, by_machine in capacities.by_key.items():
        series, target = key
        one_core: Key = (Series(**{**vars(series), "cpus": ONE_CORE}), target)
        if series.cpus == ONE_CORE or one_core not in capacities.by_key:
            continue
        cells = []
        for machine in machines:
            single, many = capacities.values(one_core, machine, _all_cores), capacities.values(key, machine, _all_cores)
            if not single or not many or not single.median:
                cells.append(blocks.Cell("–", ""))
                continue
            times = many.median / single.median
            cores = cores_of(by_machine[machine][0][1])
            cells.append(blocks.Cell(f"×{times:.2f} ({percent(times / cores)})", times))
        if any(cell.sort != "" for cell in cells):
            rows.append([called[series], target_name(target), *cells])
    if not rows:
        return None
    section = Section("scaling", "Scaling over cores", "Scaling")
    section.intro = ["Flow pairs of all cores over those of one core; the share of ideal scaling in brackets."]
    columns = [Column("CPUs"), Column("Load", tight=True), *(Column(name, number=True) for name in machines)]
    section.add("table", table("t-scaling", columns, rows))
    return section


def _all_cores(_: Cell, capacity: Capacity) -> float | None:
    return capacity.flow_pairs


def _peers(data: CampaignData, capacities: Capacities) -> Section | None:
    """The section with the time of an operation over that of each other implementation with the same work, at the same
    load.
    """
    machines, rows = data.campaign.machines, []
    is_quick = {
        cell.configuration: any(record.get("quick") for record in records) for cell, records in data.records.items()
    }
    for series in capacities.series():
        for peer in capacities.series():
            same = (series.build, series.profile, series.cpus) == (peer.build, peer.profile, peer.cpus)
            key, other_key = capacities.main_key(series), capacities.main_key(peer)
            alike = same and key[1] == other_key[1] and is_quick[series.configuration] == is_quick[peer.configuration]
            if not alike or series.pair == peer.pair or NULL in (series.compressor, peer.compressor):
                continue
            cells = []
            for machine in machines:
                mine, other = (capacities.values(series_key, machine, nanoseconds) for series_key in (key, other_key))
                ratio = mine.median / other.median if mine and other and other.median else None
                cells.append(blocks.Cell("–", "") if ratio is None else blocks.Cell(shown(ratio), ratio))
            both = " / ".join(dict.fromkeys((series.configuration, peer.configuration)))
            rows.append([series.pair, peer.pair, both, series.cpus, series.profile, series.build, *cells])
    if not rows:
        return None
    section = Section("peers", "Ratio to a peer", "Peers")
    section.intro = [
        "Time of an operation over that of another implementation on the same machine: below 1, it is faster."
    ]
    titles = ("Implementation", "Peer", "Configuration", "CPUs", "Profile", "Build")
    columns = [*map(Column, titles), *(Column(name, number=True) for name in machines)]
    section.add("table", table("t-peers", columns, rows))
    return section
