# SPDX-License-Identifier: Apache-2.0
"""Keywords that measure what nodes forward over interfaces: throughput, and latency below it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom import implementations, settings
from headroom.keywords.base import library
from headroom.keywords.measuring import configuration, target_of
from headroom.results import collector
from headroom.results.record import CoreLoad, Histogram, Series
from headroom.results.store import write_atomically
from headroom.settings import Settings
from headroom.wire import choice
from headroom.wire.line import CODECS, Codec, Line, Load, line
from headroom.wire.sender import traffic
from headroom.wire.throughput import (
    GOALS,
    QUICK,
    GeneratorFellBehind,
    Goal,
    NoThroughput,
    Rate,
    Rules,
    Search,
    Throughput,
    compact,
)
from headroom.wire.trial import Trial

FLOWS = 100
MISSING = "no packet flowed, or the kernel shows none"
PERCENTILES = (("p50", 0.5), ("p99", 0.99), ("p999", 0.999))


@dataclass(frozen=True)
class Found:
    """The throughput of one codec, the loads of the cores at each rate, and what records say of the traffic."""

    throughput: Throughput
    loads: dict[str, list[Load]]  # by goal
    traffic: dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """What is measured: the settings of the run, and the words of a row."""

    run: Settings
    profile: str
    cpus: str
    cores: tuple[int, ...] = field(compare=False)


_known: dict[tuple[Asked, Codec], Found] = {}  # rows share what was measured


@library
class Forwarding:
    """What two nodes and a link forward, over `--topology` and from `--generator`."""

    @keyword("Throughput Should Be Found")
    def throughput_should_be_found(self, profile: str, cpus: str, loss: str) -> None:
        """LOSS is `none` (NDR), or `0.5 %` (PDR). The null codec and a bare bridge are measured beside it."""
        goal = goal_of(loss)
        asked = asked_for(profile, cpus, kind="throughput", goal=goal.name, loss_ratio=goal.loss_ratio, flows=FLOWS)
        found = {codec: throughput(asked, codec) for codec in CODECS}
        note_throughput(found, goal)
        require_rate(found["asked"].throughput.rates[goal.name], goal)

    @keyword("Latency Should Be Measured")
    def latency_should_be_measured(self, profile: str, cpus: str, share: str) -> None:
        """SHARE, such as `50 %`, is of the PDR, which is looked for where no row has found it before.

        Where only the generator kept it from being found, it is of the highest rate without a fault, and says so."""
        part = target_of(share)
        if part is None:
            raise ValueError(f"'{share}' is no share of a rate, such as 50 %")
        asked = asked_for(profile, cpus, kind="wire_latency", share_of_pdr=part, flows=FLOWS)
        pdr = goal_of("0.5 %")
        rate = throughput(asked, "asked").throughput.rates[pdr.name]
        whole = rate.pps or rate.at_least_pps
        if whole is None:
            require_rate(rate, pdr)
        assert whole is not None
        with line(asked.run, asked.cores, "asked", asked.profile, FLOWS) as made:
            trials = steady_trials(made, part * whole, 1 if asked.run.quick else 3, 1.0 if asked.run.quick else 3.0)
            collector.current().traffic = traffic(made.made, trials[-1])
        note_latency(trials, rate)


def goal_of(text: str) -> Goal:
    """A goal from `none` or from the share of packets that may be lost. Raises ValueError where there is none such."""
    share = 0.0 if text.strip().lower() == "none" else target_of(text)
    for goal in GOALS:
        if goal.loss_ratio == share:
            return goal
    known = ", ".join(f"{100 * goal.loss_ratio:g} %" for goal in GOALS if goal.loss_ratio)
    raise ValueError(f"'{text}' is no loss that is looked for; there are none, {known}")


def asked_for(profile: str, cpus: str, **parameters: Any) -> Asked:
    """What a row asks for, noted; skips the case where this run, machine or implementation is not for it."""
    run = settings.from_robot()
    current = collector.current()
    current.parameters |= {
        "compressor": run.compressor,
        "decompressor": run.decompressor,
        "profile": profile or run.profile,
        "build": run.build,
        "cpus": cpus,
        "topology": run.topology,
        **parameters,
    }
    for name, role in ((run.compressor, "compressor"), (run.decompressor, "decompressor")):
        setattr(current, role, implementations.identity(implementations.find(name), run.build))
    choice.require(run.topology, run.build)
    for name, role in ((run.compressor, "compressor"), (run.decompressor, "decompressor")):
        if reason := implementations.find(name).lacks(role, modes=["U"], cids=["large"]):  # type: ignore[arg-type]
            raise SkipExecution(f"{reason}.")
    cores = configuration(cpus).cpus
    current.parameters["cores"] = list(cores)
    return Asked(run, profile or run.profile, cpus, cores)


def throughput(asked: Asked, codec: Codec) -> Found:
    """Searched for once in a run, then remembered; all trials are kept in the run's folder."""
    key = (asked, codec)
    if key not in _known:
        with line(asked.run, asked.cores, codec, asked.profile, FLOWS) as made:
            search = Search(made.trial, QUICK if asked.run.quick else Rules())
            try:
                found = search.run()
            finally:
                keep(asked, codec, search.trials)
            highest = {name: rate.pps or rate.at_least_pps for name, rate in found.rates.items()}
            loads = {
                name: made.loaded(pps, 2.0)[1] for name, pps in highest.items() if pps is not None and codec == "asked"
            }
            _known[key] = Found(found, loads, traffic(made.made, found.trials[-1]))
    return _known[key]


def keep(asked: Asked, codec: Codec, trials: Sequence[Trial]) -> None:
    """Writes every raw trial, whatever became of the search."""
    if asked.run.folder.name:
        name = f"throughput-{asked.cpus}-{asked.profile.replace('/', '_')}-{codec}.json"
        document = {"codec": codec, "trials": [trial.as_json() for trial in trials]}
        write_atomically(asked.run.folder / "measurements" / name, json.dumps(document).encode())


def require_rate(rate: Rate, goal: Goal) -> None:
    """Ends the case where there is no rate: an error where the measurement fell short, a failure where nodes lose."""
    if rate.pps is not None:
        return
    if rate.error:
        raise NoThroughput(f"The {goal.name.upper()} was not found: {rate.reason}.")
    raise AssertionError(f"There is no {goal.name.upper()}: {rate.reason}.")


def steady_trials(made: Line, rate_pps: float, count: int, duration_s: float) -> list[Trial]:
    """Trials at a rate. Raises GeneratorFellBehind where the generator keeps up with too few of three times as many."""
    trials: list[Trial] = []
    for _ in range(3 * count):
        trial = made.trial(rate_pps, duration_s)
        if not trial.fell_behind:
            trials.append(trial)
        if len(trials) == count:
            return trials
    raise GeneratorFellBehind(f"The generator does not keep up with {rate_pps:,.0f} packets/s.")


def note_throughput(found: dict[Codec, Found], goal: Goal) -> None:
    """Leaves the rate with its controls, all trials and the loads of the cores for the result record."""
    current = collector.current()
    current.traffic = found["asked"].traffic
    for codec, one in found.items():
        rate = one.throughput.rates[goal.name]
        prefix = "" if codec == "asked" else f"{codec}_"
        current.metric(f"{prefix}{goal.name}", rate.pps, "packets/s", "higher", reason=rate.reason)
        if rate.at_least_pps is not None:
            current.metric(f"{prefix}{goal.name}_at_least", rate.at_least_pps, "packets/s", "higher")
        current.parameters[f"{prefix}trials"] = [compact(trial) for trial in one.throughput.trials]
        current.parameters[f"{prefix}held_by_generator"] = one.throughput.held_by_generator
        counted = [trial for trial in one.throughput.trials if trial.sent and not trial.fell_behind]
        points = [{"x": trial.rate_pps, "y": trial.lost / trial.sent} for trial in counted]
        current.series.append(Series("loss_over_rate", "rate", "loss", "packets/s", "", points, codec))
    unexpected = sum(way.unexpected for trial in found["asked"].throughput.trials for way in trial.directions)
    current.metric("unexpected", unexpected, "packets", "lower")
    loads = found["asked"].loads.get(goal.name, [])
    current.parameters["loads"] = [vars(load) for load in loads]
    current.core_load += [
        CoreLoad(load.core, f"{load.source} of the {load.role}", load.busy, "" if load.busy is not None else MISSING)
        for load in loads
    ]


def note_latency(trials: list[Trial], pdr: Rate) -> None:
    """Leaves latencies of each direction for the result record; histograms are those of all trials together."""
    current = collector.current()
    current.parameters["trials"] = [compact(trial) for trial in trials]
    current.metric("pdr", pdr.pps, "packets/s", "higher", reason=pdr.reason)
    if pdr.at_least_pps is not None:
        current.metric("pdr_at_least", pdr.at_least_pps, "packets/s", "higher")
    current.metric("rate", trials[0].rate_pps, "packets/s")
    current.metric("lost", sum(trial.lost for trial in trials), "packets", "lower")
    for place, way in enumerate(("forward", "reverse")[: len(trials[0].directions)]):
        told = [trial.directions[place].latency for trial in trials]
        known = [one for one in told if one is not None]
        missing = trials[-1].directions[place].latency_missing or "nobody measured it"
        figures: dict[str, list[float | None]] = {
            "average": [one.average_ns for one in known],
            "jitter": [one.jitter_ns for one in known],
            **{name: [one.percentile(share) for one in known] for name, share in PERCENTILES},
            "longest": [one.most_ns for one in known],
        }
        for name, values in figures.items():
            numbers = [value for value in values if value is not None]
            value = median(numbers) if numbers else None
            current.metric(f"{way}_{name}", value, "ns", "lower", None, values, "" if numbers else missing)
        counts: dict[float, int] = {}
        for one in known:
            for edge, count in one.buckets:
                counts[edge] = counts.get(edge, 0) + count
        if counts:
            buckets: list[list[float]] = [[edge, counts[edge]] for edge in sorted(counts) if counts[edge]]
            current.histograms.append(Histogram(f"wire_latency_{way}", "ns", buckets))
