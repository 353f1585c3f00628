# SPDX-License-Identifier: Apache-2.0
"""Implementation of ZTE's High-Performance 5G Core Network UPF (Intel and ZTE, 2020): its places, and how each is
measured. reports/papers/zte-2020.yaml has the figures and the methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from headroom.core.papers.measured import PaperMeasurement
from headroom.core.papers.paper import Paper, beside
from headroom.core.results.record import Series
from headroom.core.run.run import Run
from headroom.keywords.paper import note_tested
from headroom.schemes.gtpu import load, ownership
from headroom.schemes.gtpu.load import Design, LoadConfig, LoadResult, Rules, Traffic

RULES: tuple[Rules, ...] = ("basic", "rules")
THREADS = {"6230n": 48, "8280": 84}  # of workers: 2 x 12 and 2 x 21 cores with two threads each (section 5.1)
COMPARED = "6230n"
PAPER_LOAD = 0.83  # mean load of the workers in the paper's run at 30.6 Mpps
LOADS = tuple(round(0.1 + 0.04 * step, 2) for step in range(16)) + tuple(
    round(0.72 + 0.02 * step, 2) for step in range(15)
)  # shares of a design's capacity, close together where loss begins
STATIC_RULES, DYNAMIC_RULES = 45, 5  # of each user, as the engine's load has them


@dataclass(frozen=True)
class Measurements:
    """The load with a set of rules, and designs by server and distribution, all simulated with its times."""

    result: LoadResult
    designs: dict[tuple[str, str], Design]


@cache
def measurements(run: Run, rules: Rules) -> Measurements:
    """Measures a worker behind a receiving core, once a run: several places of the paper rest on it. Rules are with
    inspection where the user plane has it."""
    implementation = note_tested(run).compressor
    inspects = rules == "rules" and not implementation.lacks("user-plane", "gtpu", features=["inspection"])
    result = load.measure(
        LoadConfig(
            user_plane=implementation,
            rules="dpi" if inspects else rules,
            distribution="rx-cores",
            packets=400_000 if run.quick else 2_000_000,
            trials=3 if run.quick else 7,
            seed=run.seed,
            virtual_threads=tuple(THREADS.values()),
            loads=LOADS,
            build=run.build,
        )
    )
    servers = {threads: server for server, threads in THREADS.items()}
    designs = {(servers[design.workers + design.rx_cores], design.distribution): design for design in result.designs}
    return Measurements(result, designs)


def traffic_model(paper: Paper, run: Run) -> PaperMeasurement:
    result = measurements(run, "rules").result
    traffic = Traffic()
    octets = [trial["octets_n3"] + load.ETHERNET for trial in result.trials]
    values = {
        "access-users": result.sessions,
        "data-users": traffic.active_users,
        "http-share": 100 * traffic.http_share,
        "length": sum(octets) / len(octets),
        "static-rules": STATIC_RULES,
        "dynamic-rules": DYNAMIC_RULES,
    }
    return PaperMeasurement([beside(figure, values[figure.id.partition(".")[2]]) for figure in paper.of("Section 4.1")])


def performance(paper: Paper, run: Run) -> PaperMeasurement:
    by_rules = {rules: measurements(run, rules) for rules in RULES}
    costs = {rules: entry.result.ns for rules, entry in by_rules.items()}
    values: dict[str, float | None] = {f"cost.{rules}": cost for rules, cost in costs.items()}
    for rules, results in by_rules.items():
        frame = sum(trial["octets_n3"] for trial in results.result.trials) / len(results.result.trials) + load.ETHERNET
        for server in THREADS:
            mpps = results.designs[server, "queues"].capacity_mpps
            values[f"rate.{server}.{rules}"] = mpps
            values[f"volume.{server}.{rules}"] = volume = load.layer_1_gbit_s(mpps, frame)
            values[f"octets.{server}.{rules}"] = volume * 1000 / 8 / mpps
    design = by_rules["basic"].designs[COMPARED, "queues"]
    first = load.first_loss(design)
    values |= {
        "cost.ratio": costs["rules"] / costs["basic"],
        "fullest.share": load.at_load(design, 0.5)["fullest_to_mean"],
        "fullest.load": None if first is None else 100 * first,
    }
    points = [
        {"x": f"{server}, {name}", "series": rules, "y": by_rules[rules].designs[server, name].capacity_mpps}
        for server in THREADS
        for name in ("queues", "rx-cores")
        for rules in RULES
    ]
    items = [beside(figure, values[figure.id], note=_note(figure.id, by_rules)) for figure in paper.of("Section 5.1")]
    return PaperMeasurement(items, [Series("designs", "design", "rate", "", "Mpps", points)])


def _note(identity: str, by_rules: dict[Rules, Measurements]) -> str:
    """Returns the remark on a figure: how it came about, and its spread."""
    if identity.startswith("rate."):
        return "in memory, in virtual time: no network card is in it"
    rules: Rules | None = next((literal for literal in RULES if identity == f"cost.{literal}"), None)
    if rules is None:
        return ""
    costs = by_rules[rules].result.costs
    return f"{min(costs):.1f} to {max(costs):.1f} in {len(costs)} trials, the harness's own without"


def designs(paper: Paper, run: Run) -> PaperMeasurement:
    values = {}
    for rules, identity in (("basic", "designs.rate"), ("rules", "designs.rate.rules")):
        result = measurements(run, rules).designs
        queues, rx_cores = result[COMPARED, "queues"], result[COMPARED, "rx-cores"]
        values[identity] = queues.capacity_mpps / rx_cores.capacity_mpps
    rx = measurements(run, "basic").designs[COMPARED, "rx-cores"]
    note = f"{rx.rx_cores} receiving cores of {rx.rx_ns:.1f} ns a packet, and {rx.workers} workers"
    return PaperMeasurement([beside(figure, values[figure.id], note=note) for figure in paper.of("Figure 10")])


def latency(paper: Paper, run: Run) -> PaperMeasurement:
    result = measurements(run, "basic").designs
    series, means = [], {}
    for name in ("queues", "rx-cores"):
        design = result[COMPARED, name]
        first = load.first_loss(design) or 1.0
        means[name] = load.latency_us(load.at_load(design, PAPER_LOAD * first))
        points = [
            {"x": entry["mpps"], "y": load.latency_us(entry)} for entry in design.loads if entry["lost_share"] == 0
        ]
        series.append(Series("latency", "rate", "average latency", "Mpps", "µs", points, name))
    queues, rx_cores = means["queues"], means["rx-cores"]
    values = {
        "latency.queues": queues,
        "latency.rx-cores": rx_cores,
        "latency.ratio": queues / rx_cores if queues and rx_cores else None,
    }
    return PaperMeasurement([beside(figure, values[figure.id]) for figure in paper.of("Section 5.2")], series)


def servers(paper: Paper, run: Run) -> PaperMeasurement:
    costs = ownership.costs(ownership.load(ownership.PAPER_SERVERS))
    values = {f"servers.{cost.server.key}.{cost.need_gbit_s:g}": float(cost.servers) for cost in costs}
    return PaperMeasurement([beside(figure, values[figure.id]) for figure in paper.of("Section 5.3")])


def cost_of_ownership(paper: Paper, run: Run) -> PaperMeasurement:
    result = ownership.load(ownership.PAPER_SERVERS)
    costs = ownership.costs(result)
    totals = {(cost.server.key, cost.need_gbit_s): cost.total for cost in costs}
    items = []
    for figure in paper.of("Figure 12"):
        _, key, need = figure.id.split(".")
        items.append(beside(figure, totals[key, float(need)] / totals["6138", float(need)], note="prices are assumed"))
    points: list[dict[str, Any]] = [
        {"x": f"{cost.server.name}, {cost.need_gbit_s:g} Gbit/s", "y": amount, "part": part}
        for cost in costs
        for part, amount in (("devices", cost.devices), ("electricity", cost.electricity))
    ]
    return PaperMeasurement(items, [Series("ownership", "servers", "cost", "", result.currency, points)])


METHODS: dict[tuple[str, ...], Callable[[Paper, Run], PaperMeasurement]] = {
    ("Section 4.1",): traffic_model,
    ("Section 5.1",): performance,
    ("Figure 10",): designs,
    ("Section 5.2",): latency,
    ("Section 5.3",): servers,
    ("Figure 12",): cost_of_ownership,
}


def measure(paper: Paper, places: tuple[str, ...], run: Run) -> PaperMeasurement:
    """Measures a place of the paper."""
    if places not in METHODS:
        known = "; ".join(" and ".join(key) for key in METHODS)
        raise ValueError(f"{' and '.join(places)} cannot be measured; known: {known}")
    return METHODS[places](paper, run)
