# SPDX-License-Identifier: Apache-2.0
"""Metrics of forwarding for result records: rates with their controls, speed-ups, latencies, loads."""

from collections.abc import Mapping, Sequence
from statistics import median

from headroom.bench.throughput import Goal, Rate, compact
from headroom.bench.throughput_search import Octets, SearchResult
from headroom.core import metrics
from headroom.core.results import collector
from headroom.core.results.record import CoreLoad, Histogram, Series
from headroom.testbed.line import Codec, Load
from headroom.testbed.trial import Trial

MISSING = "no packet flowed, or the kernel reports none"
PERCENTILES = (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999))
WAYS = ("forward", "reverse")


def note_throughput(results: Mapping[Codec, SearchResult], goal: Goal) -> None:
    """Writes the rate with its controls, all trials and the loads of the cores to the result record."""
    current = collector.current()
    current.traffic = results["asked"].traffic
    for codec, search in results.items():
        prefix = "" if codec == "asked" else f"{codec}_"
        _note_rate(search.throughput.rates[goal.name], codec)
        current.parameters[f"{prefix}trials"] = [compact(trial) for trial in search.throughput.trials]
        current.parameters[f"{prefix}held_by_generator"] = search.throughput.held_by_generator
        if codec != "asked":
            current.parameters[f"{prefix}searches"] = list(search.searches)
        if not search.no_control:
            current.series.append(_losses(search, codec))
    unexpected = sum(way.unexpected for trial in results["asked"].throughput.trials for way in trial.directions)
    current.metric(metrics.UNEXPECTED, unexpected)
    current.parameters["losses"] = list(results["asked"].losses)
    note_octets(results["asked"].octets)
    note_loads(results["asked"].loads.get(goal.name, []))


def note_delivery(trials: Sequence[Trial], octets: Octets | None) -> None:
    """Writes the outcome of the packets of trials at one rate to the result record."""
    current = collector.current()
    current.parameters["trials"] = [compact(trial) for trial in trials]
    current.parameters["compared"] = all(way.compared for trial in trials for way in trial.directions)
    best = min(trials, key=lambda trial: trial.lost)
    current.metric(metrics.RATE, trials[0].rate_pps)
    current.metric(metrics.SENT, best.sent)
    current.metric(metrics.LOST(), best.lost, [trial.lost for trial in trials])
    changed = [sum(way.unexpected for way in trial.directions) for trial in trials]
    current.metric(metrics.UNEXPECTED, sum(changed), [float(count) for count in changed])
    note_octets(octets)


def note_octets(octets: Octets | None) -> None:
    if octets is not None:
        current = collector.current()
        current.metric(metrics.PLAIN_OCTETS, octets.plain)
        current.metric(metrics.LINK_OCTETS, octets.link)


def _note_rate(rate: Rate, nodes: str = "asked", cores: str = "these") -> None:
    current = collector.current()
    which = {"goal": rate.goal.name, "nodes": nodes, "cores": cores}
    current.metric(metrics.THROUGHPUT(**which), rate.pps, reason=rate.reason)
    if rate.at_least_pps is not None:
        current.metric(metrics.THROUGHPUT_AT_LEAST(**which), rate.at_least_pps)


def _losses(search: SearchResult, codec: Codec) -> Series:
    """Loss over rate, of all trials in which the generator kept up."""
    counted = [trial for trial in search.throughput.trials if trial.sent and not trial.fell_behind]
    points = [{"x": trial.rate_pps, "y": trial.lost / trial.sent, "s": trial.duration_s} for trial in counted]
    return Series("loss_over_rate", "rate", "loss", "packets/s", "", points, codec)


def note_loads(loads: Sequence[Load]) -> None:
    """Writes the busy shares of the cores to the result record."""
    current = collector.current()
    current.parameters["loads"] = [vars(load) for load in loads]
    current.core_load += [
        CoreLoad(load.core, f"{load.source} of the {load.role}", load.busy, _reason(load)) for load in loads
    ]


def _reason(load: Load) -> str:
    return "" if load.busy is not None else load.reason or MISSING


def note_scaling(pairs: Mapping[Codec, tuple[SearchResult, SearchResult]], goal: Goal, cores: int) -> None:
    """Writes speed-up and efficiency of each codec, from one core to the given number, to the result record."""
    current = collector.current()
    current.traffic = pairs["asked"][1].traffic
    for codec, pair in pairs.items():
        prefix = "" if codec == "asked" else f"{codec}_"
        single, many = (each.throughput.rates[goal.name] for each in pair)
        _note_rate(single, codec, "one")
        _note_rate(many, codec)
        speed_up, reason = speed_up_of(single, many)
        current.metric(metrics.SPEED_UP(nodes=codec), speed_up, reason=reason)
        efficiency = None if speed_up is None else speed_up / cores
        current.metric(metrics.EFFICIENCY(nodes=codec), efficiency, reason=reason)
        current.parameters[f"{prefix}trials"] = [compact(trial) for each in pair for trial in each.throughput.trials]
        if codec != "asked":
            for place, each in zip(("one_core_", ""), pair, strict=True):
                current.parameters[f"{prefix}{place}searches"] = list(each.searches)
    current.parameters["number_of_cores"] = cores
    note_loads(pairs["asked"][1].loads.get(goal.name, []))


def speed_up_of(single: Rate, many: Rate) -> tuple[float | None, str]:
    """The rate of several cores as a multiple of that of one core; else None with the reason."""
    for rate, where in ((single, "on one core"), (many, "on these cores")):
        if rate.pps is None:
            return None, f"{where}, {rate.reason}"
    assert single.pps is not None and many.pps is not None
    return many.pps / single.pps, ""


def note_latency(trials: Sequence[Trial], pdr: Rate) -> None:
    """Writes latencies of each direction to the result record; histograms are those of all trials together."""
    _note_rate(pdr)
    collector.current().metric(metrics.RATE, trials[0].rate_pps)
    _note_latencies(trials, "asked")


def note_latency_control(trials: Sequence[Trial], reason: str) -> None:
    """Writes the latencies of a bare bridge at the same rate to the result record; if there are none, `reason` is the
    reason.
    """
    if trials:
        _note_latencies(trials, "bridge")
    else:
        collector.current().metric(metrics.LATENCY(figure="p50", nodes="bridge"), None, reason=reason)


def _note_latencies(trials: Sequence[Trial], nodes: str) -> None:
    current = collector.current()
    prefix = "" if nodes == "asked" else f"{nodes}_"
    current.parameters[f"{prefix}trials"] = [compact(trial) for trial in trials]
    current.metric(metrics.LOST(nodes=nodes), sum(trial.lost for trial in trials))
    for place, way in enumerate(WAYS[: len(trials[0].directions)]):
        _note_way(trials, place, nodes, way, f"wire_latency_{prefix}{way}")


def _note_way(trials: Sequence[Trial], place: int, nodes: str, way: str, histogram: str) -> None:
    """Writes the latencies of one direction."""
    current = collector.current()
    latencies = [trial.directions[place].latency for trial in trials]
    known = [latency for latency in latencies if latency is not None]
    missing = trials[-1].directions[place].latency_missing or "it was not measured"
    figures: dict[str, list[float | None]] = {
        "average": [one.average_ns for one in known],
        "jitter": [one.jitter_ns for one in known],
        **{figure: [one.percentile(share) for one in known] for figure, share in PERCENTILES},
        "longest": [one.most_ns for one in known],
    }
    for figure, values in figures.items():
        numbers = [value for value in values if value is not None]
        value = median(numbers) if numbers else None
        metric = metrics.LATENCY(figure=figure, way=way, nodes=nodes)
        current.metric(metric, value, values, reason="" if numbers else missing)
    counts: dict[float, int] = {}
    for one in known:
        for edge, count in one.buckets:
            counts[edge] = counts.get(edge, 0) + count
    if counts:
        buckets: list[list[float]] = [[edge, counts[edge]] for edge in sorted(counts) if counts[edge]]
        current.histograms.append(Histogram(histogram, "ns", buckets))
