# SPDX-License-Identifier: Apache-2.0
"""Keywords that measure how much traffic the cores carry."""

from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Any

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.bench import capacity, codec_only, load
from headroom.bench.capacity_search import Capacity, Point, Trial
from headroom.core import metrics
from headroom.core.errors import HeadroomError
from headroom.core.machine import topology
from headroom.core.results import collector
from headroom.core.results.record import CoreLoad, Histogram, Series
from headroom.core.run.run import Run
from headroom.core.scheme_registry import workload_of
from headroom.keywords import verdicts
from headroom.keywords.base import current_run, library


class SearchOutOfTime(HeadroomError):
    """The search ran out of time before it had a result: an error of the measurement, never a limit."""

    verdict = "error"


@dataclass(frozen=True)
class CapacityResult:
    """A capacity with the point next to it, and pairs of trials there, with the implementation and with the null
    adapter.
    """

    cores: tuple[int, ...]
    points: capacity.Points
    capacity: Capacity
    point: Point
    pairs: list[codec_only.Pair]


@library
class LoadKeywords:
    """Measures how many bidirectional flow pairs some cores carry. SCHEME is the name of the scheme that is
    measured.
    """

    @keyword("Flow Pairs Should Be Found")
    def flow_pairs_should_be_found(self, scheme: str, profile: str, cpus: str, load: str) -> None:
        """Searches for the flow pairs at a load. LOAD is a percentage of each core (30 %), or `no missed tick`."""
        result = measure_capacity(current_run(), scheme, profile, cpus, target_of(load))
        note_capacity(result)
        if result.capacity.busy:
            raise SkipExecution(f"This machine was too busy with other work: {result.capacity.reason}.")
        if result.capacity.out_of_time:
            raise SearchOutOfTime(f"No number of flow pairs was found: {result.capacity.reason}.")
        if result.capacity.beyond:
            raise SkipExecution(
                f"The load limit lies below the capacity, so there is no figure: {result.capacity.reason}."
            )
        if result.capacity.flow_pairs is None:
            raise AssertionError(f"No number of flow pairs was found: {result.capacity.reason}.")

    @keyword("Flows Should Come And Go")
    def flows_should_come_and_go(self, scheme: str, profile: str, cpus: str, flow_pairs: int, replaced: str) -> None:
        """Measures start-up, with all flows new at once, steady state, and churn: REPLACED, such as `10 %`, of the flow
        pairs are replaced by new ones each second. Three trials. Packets must come out as they went in. The time is
        measured and not judged, because no rule sets a speed.
        """
        run = current_run()
        share = target_of(replaced)
        if share is None:
            raise ValueError(f"'{replaced}' is not a share of the flow pairs, such as 10 %")
        cores = configuration(cpus).cpus
        config = replace(
            config_for(run, scheme, profile, cores, flow_pairs=flow_pairs), churn_per_second=share, ticks=25
        )
        trials = [load.measure(config, flow_pairs) for _ in range(1 if run.quick else 3)]
        note_churn(run, trials, config, cpus)

    @keyword("Load Should Be Carried")
    def load_should_be_carried(self, scheme: str, profile: str, cpus: str, flow_pairs: int) -> None:
        """Runs one short trial: packets come out as they went in, and the core is not fully busy."""
        run = current_run()
        cores = configuration(cpus).cpus
        config = config_for(run, scheme, profile, cores, flow_pairs=flow_pairs)
        trial = load.measure(replace(config, ticks=10, warmup_ticks=5), flow_pairs)
        note_trial(run, trial, cpus)
        if trial.load > 0.9:
            raise AssertionError(f"{flow_pairs} flow pairs load the core to {trial.load:.0%}.")


def note_trial(run: Run, trial: Trial, cpus: str) -> None:
    """Writes one trial to the result record."""
    current = collector.current()
    current.parameters |= {"kind": "load", "cpus": cpus, "flow_pairs_per_core": trial.flow_pairs}
    verdicts.note_sides(run)
    current.metric(metrics.LOAD, trial.load, [trial.load])
    current.metric(metrics.TICKS_MISSED, trial.ticks_missed)
    note_costs([trial], "asked")


def note_churn(run: Run, trials: list[Trial], config: load.LoadConfig, cpus: str) -> None:
    """Writes the cost of an operation in each phase to the result record."""
    current = collector.current()
    current.parameters |= {
        "kind": "churn",
        "cpus": cpus,
        "profile": config.profile,
        "flow_pairs_per_core": trials[0].flow_pairs,
        "replaced_per_second": config.churn_per_second,
    }
    verdicts.note_sides(run)
    loads = [trial.load for trial in trials]
    current.metric(metrics.LOAD, median(loads), loads)
    for phase in ("startup", "steady", "churn"):
        phases_costs = [
            costs["compress"] + costs["decompress"]
            for trial in trials
            for core in trial.detail
            if (costs := core.ns_per_packet if phase == "churn" else core.phases.get(phase))
        ]
        if phases_costs:
            current.metric(metrics.PHASE_NS(phase=phase), median(phases_costs), phases_costs)


def target_of(text: str) -> float | None:
    """A target load, 0..1, from `30 %`; None from `no missed tick`."""
    if text.strip().lower() == "no missed tick":
        return None
    number = text.replace("%", "").strip()
    try:
        target = float(number) / 100
    except ValueError:
        raise ValueError(f"'{text}' is neither a load such as '30 %' nor 'no missed tick'") from None
    if not 0 < target < 1:
        raise ValueError(f"a load of {text} cannot be searched for; it lies between 1 and 99 %")
    return target


def configuration(name: str) -> topology.CpuConfiguration:
    """A CPU configuration of this machine. Skips the case with the reason if the machine has none of that name."""
    known = topology.resolve([name], topology.configurations(topology.read()))[0]
    if not known.is_available:
        raise SkipExecution(f"This machine has no {name} ({known.description}): {known.reason}.")
    return known


def config_for(
    run: Run, scheme: str, profile: str, cores: tuple[int, ...], build: str = "", flow_pairs: int = 1
) -> load.LoadConfig:
    """The load to measure. Skips the case if an implementation does not declare what it needs."""
    channel = workload_of(scheme).load(flow_pairs)
    for role, implementation in run.sides:
        if reason := implementation.lacks(role, scheme, **channel.needs):
            raise SkipExecution(f"{reason}.")
    collector.current().parameters |= {"scheme": scheme, **channel.parameters}
    return load.LoadConfig(
        scheme=scheme,
        compressor=run.compressor,
        decompressor=run.decompressor,
        profile=profile or run.profile,
        cores=cores,
        build=build or run.build,
        seed=run.seed,
        ticks=25 if run.quick else 50,
    )


def measure_capacity(run: Run, scheme: str, profile: str, cpus: str, target: float | None) -> CapacityResult:
    """Searches for a capacity, and measures the harness's part there."""
    note_parameters(run, scheme, profile, cpus, target)
    cores = configuration(cpus).cpus
    collector.current().parameters["cores"] = list(cores)
    config = config_for(run, scheme, profile, cores)
    rules = capacity.rules_for(run.quick, len(cores))
    most = workload_of(scheme).most_flow_pairs([result.declared(scheme) for _, result in run.sides])
    rules = rules if most is None else replace(rules, most=min(rules.most, most))
    points = capacity.points(config, rules, run.folder if run.folder.name else None)
    result = points.for_target(target)
    point = points.nearest(result.flow_pairs or 0)
    return CapacityResult(cores, points, result, point, points.pairs_at(point.flow_pairs))


def note_parameters(run: Run, scheme: str, profile: str, cpus: str, target: float | None) -> None:
    """Writes the parameters of a measurement before it begins, so that the record of a skipped case has them, too."""
    current = collector.current()
    current.parameters |= {
        "kind": "capacity",
        "scheme": scheme,
        "compressor": run.settings.compressor,
        "decompressor": run.settings.decompressor,
        "profile": profile or run.profile,
        "build": run.build,
        "cpus": cpus,
        "target_load": target,
    }
    verdicts.note_sides(run)


def note_capacity(capacity_result: CapacityResult) -> None:
    """Writes a capacity with its raw trials, costs, latency and curve to the result record."""
    current = collector.current()
    config, result = capacity_result.points.config, capacity_result.capacity
    count = len(capacity_result.cores)
    current.parameters |= {
        "tick_ms": config.tick_ms,
        "burst": config.burst,
        "order": config.order,
        "verify_every": config.verify_every,
        "ticks": config.ticks,
        "warmup_ticks": config.warmup_ticks,
        "trials": [_raw(point) for point in result.points],
        "notes": result.notes,
        "rough": result.rough,
    }
    total = None if result.flow_pairs is None else result.flow_pairs * count
    current.metric(metrics.FLOW_PAIRS, total, [value * count for value in result.per_trial], reason=result.reason)
    current.metric(metrics.FLOW_PAIRS_PER_CORE, result.flow_pairs, result.per_trial, reason=result.reason)
    note_costs(capacity_result.point.counted, "asked")
    pairs = codec_only.counted(capacity_result.pairs)
    note_costs([pair.null for pair in pairs], "null")
    note_codec_only(result.flow_pairs, count, pairs, config)
    memory = [
        core.memory_per_flow
        for trial in capacity_result.point.counted
        for core in trial.detail
        if core.memory_per_flow is not None
    ]
    if memory:
        current.metric(metrics.MEMORY_PER_FLOW, median(memory))
    last = capacity_result.point.counted[-1]
    for core in last.detail:
        current.core_load += [
            CoreLoad(core.core, source, busy, "" if busy is not None else "the kernel reports none")
            for source, busy in core.loads.items()
        ]
        current.histograms += [Histogram(name, "ns", buckets, core.core) for name, buckets in core.histograms.items()]
    everything = sorted(capacity_result.points.search.points.values(), key=lambda point: point.flow_pairs)
    current.series.append(curve(everything, "load_over_flow_pairs", current.parameters["cpus"]))


def note_costs(trials: list[Trial], adapters: str) -> None:
    """Writes the costs of a packet by stage, and of an operation (compress and decompress), with the adapters `asked`
    or the `null` adapter.
    """
    current = collector.current()
    operation = load.operation_ns(trials)
    if operation:
        metric = metrics.FLOOR_NS if adapters == "null" else metrics.NS_PER_OPERATION
        current.metric(metric, median(operation), operation)
    for stage, values in load.costs_of(trials).items():
        current.metric(metrics.STAGE_NS(stage=stage, adapters=adapters), median(values), values)
    startup = [core.phases["startup"] for trial in trials for core in trial.detail if "startup" in core.phases]
    new = [costs["compress"] + costs["decompress"] for costs in startup if {"compress", "decompress"} <= set(costs)]
    if new:
        current.metric(metrics.NEW_FLOW_NS(adapters=adapters), median(new), new)


def note_codec_only(
    flow_pairs: float | None, cores: int, pairs: list[codec_only.Pair], config: load.LoadConfig
) -> None:
    """Writes the flow pairs without the harness, and the implementation's cost as a multiple of null's; `flow_pairs`
    are those of each core.
    """
    current = collector.current()
    reason = ""
    if config == load.with_null(config):
        reason, pairs = "the null adapter is the floor itself", []
    elif flow_pairs is None:
        reason = "no flow pairs were found"
    carried = [] if flow_pairs is None else codec_only.flow_pairs(flow_pairs * cores, pairs)
    _note_median(metrics.FLOW_PAIRS_CODEC_ONLY, carried, reason)
    _note_median(metrics.RATIO_TO_NULL, codec_only.ratios_to_null(pairs), reason)
    harness = codec_only.harness_ns([pair.codec for pair in pairs])
    if harness:
        current.metric(metrics.HARNESS_NS, median(harness), harness)


def _note_median(metric: metrics.Metric, values: list[float], reason: str) -> None:
    why = "" if values else reason or "the null adapter took no less time"
    collector.current().metric(metric, median(values) if values else None, values, reason=why)


def curve(points: list[Point], name: str, label: str) -> Series:
    """Load over flow pairs per core, medians with their raw trials. Points that miss ticks lie beyond the curve."""
    data = [
        {"x": point.flow_pairs, "y": point.load, "trials": [trial.load for trial in point.counted]}
        for point in points
        if not point.has_missed_ticks
    ]
    return Series(name, "flow pairs per core", "load", "flow pairs", "", data, label)


def _raw(point: Point) -> dict[str, Any]:
    """Every raw trial of a point: load by each source (mean over the cores), missed ticks, disturbance."""
    return {
        "flow_pairs_per_core": point.flow_pairs,
        "load": [trial.load for trial in point.trials],
        "load_proc_stat": [_mean(trial, "proc_stat") for trial in point.trials],
        "load_tick": [_mean(trial, "tick") for trial in point.trials],
        "ticks_missed": [trial.ticks_missed for trial in point.trials],
        "disturbed": [trial.disturbed for trial in point.trials],
    }


def _mean(trial: Trial, source: str) -> float | None:
    values = [core.loads.get(source) for core in trial.detail]
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
