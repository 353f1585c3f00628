# SPDX-License-Identifier: Apache-2.0
"""The page's sections about flow pairs: per core at the same load, cycles, scaling, ratios to null and peers."""

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
SMT = "-smt"  # how CPU configurations end that take both threads of each core
NULL = "null"  # the adapter that copies

Of = Callable[[Cell, Capacity], float | None]


def cores_of(one: Capacity) -> int:
    """How many cores work: two hardware threads (`2c-smt`) are one."""
    return max(1, len(one.cores) // 2 if one.cpus.endswith(SMT) else len(one.cores))


def per_core(_: Cell, one: Capacity) -> float | None:
    return None if one.flow_pairs is None or not one.cores else one.flow_pairs / cores_of(one)


def nanoseconds(_: Cell, one: Capacity) -> float | None:
    return one.ns_per_operation


def ratio_to_null(_: Cell, one: Capacity) -> float | None:
    return one.ratio_to_null


def sections(data: CampaignData) -> list[Section]:
    """Those that have content."""
    found = all_capacities(data)
    if not found.by_key:
        return []
    made = [_flow_pairs(data, found), _cost(data, found), _scaling(data, found), _peers(data, found)]
    return [section for section in made if section is not None]


def cell_of(found: Values | None, more: str = "") -> blocks.Cell:
    return blocks.Cell("–", "") if found is None else blocks.Cell(found.text + more, found.median)


def _flow_pairs(data: CampaignData, found: Capacities) -> Section:
    section = Section("capacity", "Flow pairs per core at the same load", "Flow pairs")
    section.intro = [
        "A flow pair is a packet of each direction in every tick, as in a call. Each core has the same work on every "
        "machine, and the target is the same share of its time. Figures are medians over the repeats; ± is half of the "
        "range between the lowest and highest.",
    ]
    machines, called = data.campaign.machines, names(found.series())
    if bars := _bars(data, found, called):
        draw = charts.grouped_bars(bars, "CPUs", "flow pairs", "machine", "", "flow pairs per core", order=machines)
        caption = "At 50 % load where that was measured. The thin line spans the repeats; the bar is their median."
        section.add("figure", charts.figure("f-capacity", "Flow pairs per core, by machine", caption, draw))
    rows = []
    for key in found.by_key:
        mine = [found.values(key, machine, per_core) for machine in machines]
        best = max((one.median for one in mine if one), default=0.0)
        several = sum(one is not None for one in mine) > 1
        cells = [cell_of(one, f" ({percent(one.median / best)})" if one and several and best else "") for one in mine]
        rows.append([called[key[0]], target_name(key[1]), *cells])
    columns = [Column("CPUs"), Column("Load", tight=True), *(Column(name, number=True) for name in machines)]
    caption = "Flow pairs per core; in brackets, the share of the best machine's." if len(machines) > 1 else ""
    section.add("table", table("t-capacity", columns, rows, caption))
    return section


def _bars(data: CampaignData, found: Capacities, called: dict[Series, str]) -> list[dict[str, Any]]:
    bars = []
    for series in found.series():
        for machine in data.campaign.machines:
            if one := found.values(found.main_key(series), machine, per_core):
                bar = {"CPUs": called[series], "machine": machine, "flow pairs": one.median}
                bars.append(bar | {"low": min(one.of), "high": max(one.of)})
    return bars if len(bars) <= MOST_BARS else []


def _cost(data: CampaignData, found: Capacities) -> Section:
    section = Section("cost", "Cost of an operation", "Cost")
    section.intro = [
        "An operation compresses and decompresses one packet. Cycles are its time multiplied by the clock that the "
        "kernel shows in /proc/cpuinfo when the run begins; a processor that changes its clock under load had another "
        "one, and a virtual machine may show any. The ratio to null is the time of an operation over that in which "
        "null copies the packet twice: it compares processors.",
    ]

    def cycles(cell: Cell, one: Capacity) -> float | None:
        clock = data.clock_mhz(cell)
        return None if clock is None or one.ns_per_operation is None else one.ns_per_operation * clock / 1000

    def codec_only(_: Cell, one: Capacity) -> float | None:
        return None if one.codec_only is None else one.codec_only / cores_of(one)

    called = names(found.series())
    shown_of: tuple[tuple[str, Of], ...] = (
        ("ns per operation", nanoseconds),
        ("Cycles per operation", cycles),
        ("Ratio to null", ratio_to_null),
        ("Flow pairs per core, codec only", codec_only),
    )
    rows = [
        [called[series], machine, *(cell_of(found.values(key, machine, of)) for _, of in shown_of)]
        for series in found.series()
        for key in [found.main_key(series)]
        for machine in data.campaign.machines
        if found.by_key[key].get(machine)
    ]
    columns = [Column("CPUs"), Column("Machine"), *(Column(title, number=True) for title, _ in shown_of)]
    section.add("table", table("t-cost", columns, rows, "At 50 % load where that was measured."))
    return section


def _scaling(data: CampaignData, found: Capacities) -> Section | None:
    """Flow pairs of several cores over those of one, by machine."""
    machines, rows, called = data.campaign.machines, [], names(found.series())
    for key, by_machine in found.by_key.items():
        series, target = key
        one_core: Key = (Series(**{**vars(series), "cpus": ONE_CORE}), target)
        if series.cpus == ONE_CORE or one_core not in found.by_key:
            continue
        cells = []
        for machine in machines:
            one, many = found.values(one_core, machine, _all_cores), found.values(key, machine, _all_cores)
            if not one or not many or not one.median:
                cells.append(blocks.Cell("–", ""))
                continue
            times = many.median / one.median
            cores = cores_of(by_machine[machine][0][1])
            cells.append(blocks.Cell(f"×{times:.2f} ({percent(times / cores)})", times))
        if any(cell.sort != "" for cell in cells):
            rows.append([called[series], target_name(target), *cells])
    if not rows:
        return None
    section = Section("scaling", "Scaling over cores", "Scaling")
    section.intro = [
        "Flow pairs of all cores over those of one core, and in brackets the share of what so many would do."
    ]
    columns = [Column("CPUs"), Column("Load", tight=True), *(Column(name, number=True) for name in machines)]
    section.add("table", table("t-scaling", columns, rows))
    return section


def _all_cores(_: Cell, one: Capacity) -> float | None:
    return one.flow_pairs


def _peers(data: CampaignData, found: Capacities) -> Section | None:
    """Time of an operation over that of each other implementation with the same work, at the same load."""
    machines, rows = data.campaign.machines, []
    is_quick = {
        cell.configuration: any(record.get("quick") for record in records) for cell, records in data.records.items()
    }
    for series in found.series():
        for peer in found.series():
            same = (series.build, series.profile, series.cpus) == (peer.build, peer.profile, peer.cpus)
            key, other_key = found.main_key(series), found.main_key(peer)
            alike = same and key[1] == other_key[1] and is_quick[series.configuration] == is_quick[peer.configuration]
            if not alike or series.pair == peer.pair or NULL in (series.compressor, peer.compressor):
                continue
            cells = []
            for machine in machines:
                mine, other = (found.values(one, machine, nanoseconds) for one in (key, other_key))
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
