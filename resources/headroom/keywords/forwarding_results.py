# SPDX-License-Identifier: Apache-2.0
"""What keywords of forwarding leave for result records: rates with their controls, speed-ups, latencies, loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from headroom.bench.throughput import Goal, Rate, compact
from headroom.bench.throughput_search import Octets, SearchResult
from headroom.core.results import collector
from headroom.core.results.record import CoreLoad, Histogram, Series
from headroom.testbed.line import Codec, Load
from headroom.testbed.trial import Trial

MISSING = "no packet flowed, or the kernel shows none"
PERCENTILES = (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999))
WAYS = ("forward", "reverse")


def note_throughput(found: Mapping[Codec, SearchResult], goal: Goal) -> None:
    """Leaves the rate with its controls, all trials and the loads of the cores for the result record."""
    current = collector.current()
    current.traffic = found["asked"].traffic
    for codec, one in found.items():
        prefix = "" if codec == "asked" else f"{codec}_"
        _note_rate(f"{prefix}{goal.name}", one.throughput.rates[goal.name])
        current.parameters[f"{prefix}trials"] = [compact(trial) for trial in one.throughput.trials]
        current.parameters[f"{prefix}held_by_generator"] = one.throughput.held_by_generator
        if codec != "asked":
            current.parameters[f"{prefix}searches"] = list(one.searches)
        if not one.no_control:
            current.series.append(_losses(one, codec))
    unexpected = sum(way.unexpected for trial in found["asked"].throughput.trials for way in trial.directions)
    current.metric("unexpected", unexpected, "packets", "lower")
    note_octets(found["asked"].octets)
    note_loads(found["asked"].loads.get(goal.name, []))


def note_delivery(trials: Sequence[Trial], octets: Octets | None) -> None:
    """Leaves what became of the packets of trials at one rate for the result record."""
    current = collector.current()
    current.parameters["trials"] = [compact(trial) for trial in trials]
    current.parameters["compared"] = all(way.compared for trial in trials for way in trial.directions)
    best = min(trials, key=lambda trial: trial.lost)
    current.metric("rate", trials[0].rate_pps, "packets/s")
    current.metric("sent", best.sent, "packets")
    current.metric("lost", best.lost, "packets", "lower", None, [trial.lost for trial in trials])
    changed = [sum(way.unexpected for way in trial.directions) for trial in trials]
    current.metric("unexpected", sum(changed), "packets", "lower", None, [float(one) for one in changed])
    note_octets(octets)


def note_octets(octets: Octets | None) -> None:
    if octets is not None:
        current = collector.current()
        current.metric("plain_octets", octets.plain, "octets/packet")
        current.metric("link_octets", octets.link, "octets/packet", "lower")


def _note_rate(name: str, rate: Rate) -> None:
    current = collector.current()
    current.metric(name, rate.pps, "packets/s", "higher", reason=rate.reason)
    if rate.at_least_pps is not None:
        current.metric(f"{name}_at_least", rate.at_least_pps, "packets/s", "higher")


def _losses(found: SearchResult, codec: Codec) -> Series:
    """Loss over rate, of all trials in which the generator kept up."""
    counted = [trial for trial in found.throughput.trials if trial.sent and not trial.fell_behind]
    points = [{"x": trial.rate_pps, "y": trial.lost / trial.sent, "s": trial.duration_s} for trial in counted]
    return Series("loss_over_rate", "rate", "loss", "packets/s", "", points, codec)


def note_loads(loads: Sequence[Load]) -> None:
    """Leaves the busy shares of the cores for the result record."""
    current = collector.current()
    current.parameters["loads"] = [vars(load) for load in loads]
    current.core_load += [
        CoreLoad(load.core, f"{load.source} of the {load.role}", load.busy, _reason(load)) for load in loads
    ]


def _reason(load: Load) -> str:
    return "" if load.busy is not None else load.reason or MISSING


def note_scaling(found: Mapping[Codec, tuple[SearchResult, SearchResult]], goal: Goal, cores: int) -> None:
    """Leaves speed-up and efficiency for the result record: of each codec, on one core and on so many."""
    current = collector.current()
    current.traffic = found["asked"][1].traffic
    for codec, pair in found.items():
        prefix = "" if codec == "asked" else f"{codec}_"
        one, many = (each.throughput.rates[goal.name] for each in pair)
        _note_rate(f"{prefix}one_core_{goal.name}", one)
        _note_rate(f"{prefix}{goal.name}", many)
        speed_up, reason = speed_up_of(one, many)
        current.metric(f"{prefix}speed_up", speed_up, "times", "higher", reason=reason)
        efficiency = None if speed_up is None else speed_up / cores
        current.metric(f"{prefix}efficiency", efficiency, "share", "higher", reason=reason)
        current.parameters[f"{prefix}trials"] = [compact(trial) for each in pair for trial in each.throughput.trials]
        if codec != "asked":
            for place, each in zip(("one_core_", ""), pair, strict=True):
                current.parameters[f"{prefix}{place}searches"] = list(each.searches)
    current.parameters["number_of_cores"] = cores
    note_loads(found["asked"][1].loads.get(goal.name, []))


def speed_up_of(one: Rate, many: Rate) -> tuple[float | None, str]:
    """How many times the rate of one core is that of several; else None with the reason."""
    for rate, where in ((one, "on one core"), (many, "on these cores")):
        if rate.pps is None:
            return None, f"{where}, {rate.reason}"
    assert one.pps is not None and many.pps is not None
    return many.pps / one.pps, ""


def note_latency(trials: Sequence[Trial], pdr: Rate) -> None:
    """Leaves latencies of each direction for the result record; histograms are those of all trials together."""
    _note_rate("pdr", pdr)
    collector.current().metric("rate", trials[0].rate_pps, "packets/s")
    _note_latencies(trials, "")


def note_latency_control(trials: Sequence[Trial], reason: str) -> None:
    """Leaves the latencies of a bare bridge at the same rate; where there are none, `reason` says why."""
    if trials:
        _note_latencies(trials, "bridge_")
    else:
        collector.current().metric("bridge_forward_p50", None, "ns", "lower", reason=reason)


def _note_latencies(trials: Sequence[Trial], prefix: str) -> None:
    current = collector.current()
    current.parameters[f"{prefix}trials"] = [compact(trial) for trial in trials]
    current.metric(f"{prefix}lost", sum(trial.lost for trial in trials), "packets", "lower")
    for place, way in enumerate(WAYS[: len(trials[0].directions)]):
        _note_way(trials, place, f"{prefix}{way}")


def _note_way(trials: Sequence[Trial], place: int, name: str) -> None:
    """Latencies of one direction."""
    current = collector.current()
    told = [trial.directions[place].latency for trial in trials]
    known = [one for one in told if one is not None]
    missing = trials[-1].directions[place].latency_missing or "nobody measured it"
    figures: dict[str, list[float | None]] = {
        "average": [one.average_ns for one in known],
        "jitter": [one.jitter_ns for one in known],
        **{figure: [one.percentile(share) for one in known] for figure, share in PERCENTILES},
        "longest": [one.most_ns for one in known],
    }
    for figure, values in figures.items():
        numbers = [value for value in values if value is not None]
        value = median(numbers) if numbers else None
        current.metric(f"{name}_{figure}", value, "ns", "lower", None, values, "" if numbers else missing)
    counts: dict[float, int] = {}
    for one in known:
        for edge, count in one.buckets:
            counts[edge] = counts.get(edge, 0) + count
    if counts:
        buckets: list[list[float]] = [[edge, counts[edge]] for edge in sorted(counts) if counts[edge]]
        current.histograms.append(Histogram(f"wire_latency_{name}", "ns", buckets))
