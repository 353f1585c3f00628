# SPDX-License-Identifier: Apache-2.0
"""Keywords that put a user plane under load.

The user plane under test is the implementation that --compressor names, as in the conformance suites.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import get_args

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core import implementations
from headroom.core.implementations import null
from headroom.core.results import collector
from headroom.core.results.record import Series
from headroom.core.run.run import Run
from headroom.keywords import verdicts
from headroom.keywords.base import current_run, library
from headroom.keywords.load import configuration
from headroom.schemes.gtpu import load, metrics
from headroom.schemes.gtpu.load import Distribution, LoadConfig, LoadResult, Rules, Traffic

ROLE = "user-plane"
LOADS = tuple(step / 20 for step in range(2, 21))  # shares of a design's capacity
HALF = 0.5
QUICK_PACKETS, PACKETS = 200_000, 1_000_000


@library
class UserPlaneLoadKeywords:
    """Packets must go on, all of them; what each takes is measured and not judged."""

    @keyword("User Plane Should Carry")
    def carries(self, rules: str, distribution: str, cpus: str, users: int = 6000) -> None:
        """RULES are basic, rules or dpi; DISTRIBUTION is queues or rx-cores. Workers have the cores of CPUS; with
        rx-cores the first core receives. USERS of 600,000 send."""
        run = current_run()
        cores = configuration(cpus).cpus
        config = config_of(run, rules, distribution)
        if config.distribution == "rx-cores":
            if len(cores) == 1:
                raise SkipExecution(f"A receiving core and a worker need two cores; {cpus} has one.")
            config = replace(config, rx_cores=1, workers=len(cores) - 1)
        else:
            config = replace(config, workers=len(cores))
        traffic = replace(Traffic(), active_users=int(users), flows=10 * int(users))
        config = replace(config, cpus=cores, traffic=traffic, stages=len(cores) == 1, baseline=null())
        result = load.measure(config)
        note(config, result, {"cpus": cpus})
        require_sent(result)

    @keyword("Designs Should Be Simulated")
    def simulated(self, rules: str, threads: int) -> None:
        """Two designs of THREADS in virtual time, with times that are measured in one run: workers that a hash feeds
        (queues), and receiving cores, as many as serve most, in front of workers (rx-cores). Latency is from 10 % of
        each design's rate on."""
        run = current_run()
        config = replace(config_of(run, rules, "rx-cores"), virtual_threads=(int(threads),), loads=LOADS)
        result = load.measure(config)
        note(config, result, {"threads": int(threads), "kind": "user-plane-design"})
        note_designs(config, result)
        require_sent(result)


def config_of(run: Run, rules: str, distribution: str) -> LoadConfig:
    """The configuration of a row. Skips the case if the implementation is no user plane."""
    if rules not in get_args(Rules) or distribution not in get_args(Distribution):
        known = ", ".join((*get_args(Rules), "and", *get_args(Distribution)))
        raise ValueError(f"There are no rules '{rules}' with the distribution '{distribution}'; known: {known}")
    implementation = run.compressor
    if reason := implementation.lacks(ROLE, "gtpu"):
        raise SkipExecution(f"{reason}.")
    if implementation.program:
        raise SkipExecution(f"{implementation.name} is a program of its own, and loads are in memory.")
    if rules != "basic" and not implementation.declared("gtpu").get("n4"):
        raise SkipExecution(f"{implementation.name} has no N4, by which rules come.")
    if rules == "dpi" and (reason := implementation.lacks(ROLE, "gtpu", features=["inspection"])):
        raise SkipExecution(f"{reason}.")
    implementations.require_adapter(implementation.word, run.build)
    verdicts.note("compressor", implementation, run.build)
    return LoadConfig(
        user_plane=implementation,
        rules=rules,  # type: ignore[arg-type]
        distribution=distribution,  # type: ignore[arg-type]
        packets=QUICK_PACKETS if run.quick else PACKETS,
        trials=3 if run.quick else 7,
        seed=run.seed,
        build=run.build,
    )


def note(config: LoadConfig, result: LoadResult, parameters: dict[str, object]) -> None:
    """Leaves a load for the result record."""
    current = collector.current()
    current.parameters |= {
        "kind": "user-plane",
        "rules": config.rules,
        "distribution": config.distribution,
        "workers": config.workers,
        "access_users": config.traffic.access_users,
        "active_users": config.traffic.active_users,
        **parameters,
    }
    current.metric(metrics.PACKET_NS, result.ns, result.costs)
    for way in ("uplink", "downlink"):
        current.metric(metrics.WAY_NS(way=way), result.median_of(f"{way}_ns"), reason="no packet went that way")
    current.metric(metrics.FLOOR_NS, result.floor_ns, [trial["loop_median_ns"] for trial in result.trials])
    if config.baseline:
        current.metric(metrics.BASELINE_NS, result.median_of("baseline_median_ns"))
    if config.distribution == "rx-cores":
        current.metric(metrics.RX_NS, result.rx_ns, reason="no core received a packet")
    for stage, ns in result.stages.items():
        if stage in metrics.STAGE_NS.parameters["stage"]:
            current.metric(metrics.STAGE_NS(stage=stage), ns)
    current.metric(metrics.MPPS, result.median_of("mpps"), [trial["mpps"] for trial in result.trials])
    for layer in ("1", "3"):
        current.metric(metrics.VOLUME(layer=layer), result.median_of(f"gbps_l{layer}"))
    current.metric(metrics.SET_UP_S, result.set_up_s)
    ready = result.rules_ready
    for metric, trials in ((metrics.RULES_READY_S, ready.compiled), (metrics.RULES_CACHED_S, ready.cached)):
        if trials:
            current.metric(metric, median(trials), list(trials))
    current.metric(metrics.UNSENT, result.unsent)
    current.metric(metrics.POWER, result.power.watts, reason=result.power.reason)


def note_designs(config: LoadConfig, result: LoadResult) -> None:
    """Leaves rate and latency of each design for the result record, and the points of its latency by rate."""
    current = collector.current()
    for design in result.designs:
        name = design.distribution
        current.parameters |= {f"{name}_workers": design.workers, f"{name}_receiving": design.rx_cores}
        current.metric(metrics.DESIGN_MPPS(design=name), design.capacity_mpps)
        half = load.at_load(design, HALF)
        for figure in ("mean", "p99"):
            value = load.latency_us(half, figure)
            metric = metrics.DESIGN_LATENCY(design=name, figure=figure)
            current.metric(metric, value, reason="no packet came through")
        points = [
            {"x": entry["mpps"], "y": load.latency_us(entry), "load": entry["load"], "lost": entry["lost_share"]}
            for entry in design.loads
            if load.latency_us(entry) is not None
        ]
        label = f"{config.rules}, {name}, {design.workers + design.rx_cores} threads"
        current.series.append(Series("design_latency", "rate", "average latency", "Mpps", "µs", points, label))


def require_sent(result: LoadResult) -> None:
    """Fails the case where packets did not go on, all of which match a rule that forwards, or went on wrong."""
    if result.unsent:
        reasons = ", ".join(f"{count} {name}" for name, count in result.reasons().items())
        raise AssertionError(f"{result.unsent} packets did not go on: {reasons}.")
    if result.wrong:
        raise AssertionError(
            f"{result.wrong} packets went on with another tunnel, user, length or interface than theirs."
        )
