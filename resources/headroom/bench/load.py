# SPDX-License-Identifier: Apache-2.0
"""Load trials: one engine on each core, N flow pairs each, for some ticks.

The job and the document are the engine's `load`.

The method is that of the Effnet paper (2007), "Test Methodology". The load of a core is the CPU time that the work of
its ticks takes over the time that these ticks are given: beyond 1 it cannot keep up, and others who use the same core
do not make it look less. /proc/stat, which the paper reads, and the busy share of each tick stand beside it.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from headroom.bench.capacity_search import Trial
from headroom.core import engine, profiles, scheme_registry
from headroom.core.errors import HeadroomError
from headroom.core.implementations import Implementation, null
from headroom.core.machine import procstat
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.workload import COPY

STAGES = ("generate", "compress", "handover", "decompress", "verify", "feedback", "replace")

MOST_STEAL = 0.01  # share of a trial's time; the trial is repeated if the hypervisor took more
# Processor time of other threads that does not count: where a process has a limit of it, the kernel tells the process's
# time as of the last timer interrupt, 10 ms ago at most.
OTHER_THREADS_NS, OTHER_THREADS_SHARE = 20e6, 0.01
EXACT_NS = 2e6  # instead, where the engine has the kernel bring that time up to date
MOST_SWITCHES_PER_S = 25.0  # involuntary context switches a second: other work had the core


class WrongOutput(HeadroomError):
    """Raised if packets came out changed under load, were not handled, or were handled by threads that are not
    measured: a failure of the implementation."""

    verdict = "fail"


@dataclass(frozen=True)
class LoadConfig:
    """The configuration of a load. `channel` is the configuration of both sides; empty: that of the scheme's
    workload.
    """

    scheme: str
    compressor: Implementation
    decompressor: Implementation
    profile: str = ""
    cores: tuple[int, ...] = ()
    build: str = DEFAULT_BUILD
    seed: int = 1
    tick_ms: float = 20.0
    burst: int = 128
    order: str = "random"
    pacing: str = "timer"
    verify_every: int = 64
    warmup_ticks: int = 12
    ticks: int = 50
    churn_per_second: float = 0.0  # share of the flows that is replaced each second while measuring
    channel: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """All conditions that the load depends on."""
        return vars(self) | {"compressor": self.compressor.word, "decompressor": self.decompressor.word}


@dataclass(frozen=True)
class Core:
    """The results of one core in the measured phase."""

    core: int
    load: float
    loads: dict[str, float | None]  # by source: thread_cpu, tick, proc_stat
    ticks_missed: int
    ns_per_packet: dict[str, float]
    involuntary_switches: float
    steal: float | None
    late_ns: int
    memory_per_flow: float | None
    histograms: dict[str, list[list[float]]] = field(repr=False)
    phases: dict[str, dict[str, float]] = field(repr=False, default_factory=dict)  # costs of the other phases


def job(config: LoadConfig, flow_pairs: int, core: int | None, start_at_ns: int | None = None) -> dict[str, Any]:
    """The engine's job for one core."""
    churn = {"name": "churn", "ticks": config.ticks, "replaced_per_second": config.churn_per_second}
    steady = {"name": "steady", "ticks": config.ticks}
    measured = [steady, churn] if config.churn_per_second else [steady]
    channel = config.channel or (
        {} if config.scheme == COPY else scheme_registry.workload_of(config.scheme).load(flow_pairs).config
    )
    result: dict[str, Any] = {
        "compressor": _side(config, config.compressor, channel),
        "decompressor": _side(config, config.decompressor, channel),
        "profile": profiles.load(config.profile),
        "flow_pairs": flow_pairs,
        "tick_ms": config.tick_ms,
        "burst": config.burst,
        "order": config.order,
        "pacing": config.pacing,
        "verify_every": config.verify_every,
        "seed": config.seed,
        "phases": [
            {"name": "startup"},
            {"name": "warmup", "ticks": config.warmup_ticks},
            *measured,
        ],
    }
    if core is not None:
        result["core"] = core
    if start_at_ns is not None:
        result["start_at_ns"] = start_at_ns
    return result


def _side(config: LoadConfig, implementation: Implementation, channel: Mapping[str, Any]) -> dict[str, Any]:
    if not implementation.declared(config.scheme) and implementation.declared(COPY):
        return {"library": str(implementation.library_path(config.build)), "config": {"scheme": COPY}}
    configuration = {"scheme": config.scheme, **channel, **implementation.config}
    return {"library": str(implementation.library_path(config.build)), "config": configuration}


def measure(config: LoadConfig, flow_pairs: int) -> Trial:
    """Makes a trial: `flow_pairs` on every core of `config.cores`, all at the same time.

    Raises EngineFailure if an adapter crashes or hangs, WrongOutput if packets come out wrong.
    """
    cores: tuple[int | None, ...] = config.cores or (None,)
    start_at = time.monotonic_ns() + round(0.4e9 + 8e3 * flow_pairs) if len(cores) > 1 else None
    jobs = [job(config, flow_pairs, core, start_at) for core in cores]
    seconds = (config.warmup_ticks + config.ticks + 5) * config.tick_ms / 1000
    with profiles.located_by_line(config.profile, "/profile"):
        documents = engine.run_together(
            "load", jobs, timeout_s=30 + 10 * seconds + flow_pairs * 1e-4, build=config.build
        )
    core_results = [read(document, core, config) for document, core in zip(documents, cores, strict=True)]
    return trial_of(flow_pairs, core_results)


def trial_of(flow_pairs: int, cores: list[Core]) -> Trial:
    """The trial of several cores: mean load, all missed ticks, the worst disturbance."""
    return Trial(
        flow_pairs=flow_pairs,
        load=fmean(core.load for core in cores),
        ticks_missed=sum(core.ticks_missed for core in cores),
        disturbed=next((disturbed_by for core in cores if (disturbed_by := disturbance(core))), ""),
        detail=cores,
    )


def disturbance(core: Core) -> str:
    """The external disturbance of a trial; "" if there was none."""
    if core.steal is not None and core.steal > MOST_STEAL:
        return f"the hypervisor took {core.steal:.0%} of the time".replace("%", " %")
    if core.involuntary_switches > MOST_SWITCHES_PER_S:
        return f"other processes took the core {core.involuntary_switches:.0f} times a second"
    if core.late_ns > 0:
        return "the cores did not start at the same time"
    return ""


def read(document: dict[str, Any], core: int | None, config: LoadConfig) -> Core:
    """The last phase in the engine's document. Raises WrongOutput."""
    phases = {phase["name"]: phase for phase in document["phases"]}
    last = document["phases"][-1]
    check_all(document, f"{config.compressor.name} → {config.decompressor.name}")
    ticks_ns = last["ticks"] * document["tick_ns"]
    wall_ns = max(last["wall_ns"], ticks_ns) if config.pacing == "timer" else last["wall_ns"]
    before, after = (_times(last["proc_stat"][when]) for when in ("before", "after"))
    proc_stat = procstat.busy_share(before, after) if before and after else None
    load = last["thread_cpu_ns"] / ticks_ns
    return Core(
        core=core if core is not None else -1,
        load=load,
        loads={
            "thread_cpu": load,
            "tick": fmean(last["busy_share"]) if last["busy_share"] else None,
            "proc_stat": proc_stat,
        },
        ticks_missed=last["ticks_missed"] or 0,
        ns_per_packet=costs(last),
        involuntary_switches=last["involuntary_switches"] / (wall_ns / 1e9),
        steal=procstat.steal_share(before, after) if before and after else None,
        late_ns=document.get("late_by_ns") or 0,
        memory_per_flow=memory_per_flow(document),
        histograms={
            name: histogram["buckets"]
            for name, key in (
                ("compress", "compress_ns"),
                ("decompress", "decompress_ns"),
                ("latency", "burst_latency_ns"),
                ("time in tick", "time_in_tick_ns"),
            )
            if (histogram := last["histograms"].get(key))
        },
        phases={name: costs(phase) for name, phase in phases.items() if phase is not last},
    )


def costs(phase: dict[str, Any]) -> dict[str, float]:
    """Nanoseconds per packet of each stage of a phase."""
    return {
        name: phase["stages"][name]["ns_per_packet"]
        for name in STAGES
        if phase["stages"].get(name, {}).get("ns_per_packet") is not None
    }


def are_busy(others_ns: float, measured_ns: float, error_ns: float = OTHER_THREADS_NS) -> bool:
    """True if other threads used more processor time, beside that of the measured ones, than a clock may err."""
    return others_ns > max(error_ns, OTHER_THREADS_SHARE * measured_ns)


def check_all(document: dict[str, Any], pair: str = "the adapters") -> None:
    """Raises WrongOutput as `check` does for one of the phases, or if most packets never came out: of an adapter that
    packs, few may wait at the end."""
    for phase in document["phases"]:
        check(phase, pair)
    made, came = (sum(phase[name] for phase in document["phases"]) for name in ("packets", "packets_decompressed"))
    if came < made / 2:
        raise WrongOutput(f"Under load, {came} of {made} packets of {pair} came out.")


def check(phase: dict[str, Any], pair: str = "the adapters") -> None:
    """Raises WrongOutput if packets of `pair` came out wrong in a phase or were not handled, or if processor time was
    used by threads that are not measured, or between ticks."""
    others = phase.get("other_threads_cpu_ns", 0)  # the kept engines of earlier nights do not report it
    if are_busy(others, phase["thread_cpu_ns"]):
        raise WrongOutput(
            f"Under load (phase {phase['name']}), other threads of {pair} used {others / 1e6:.1f} ms of processor "
            f"time, beside {phase['thread_cpu_ns'] / 1e6:.1f} ms of the measured thread: adapters must not start "
            "threads."
        )
    busy = phase.get("busy_ns")  # longer than the work's processor time, if others had the core meanwhile
    if busy is not None and are_busy(between := phase["thread_cpu_ns"] - busy, busy):
        raise WrongOutput(
            f"Under load (phase {phase['name']}), {pair} used {between / 1e6:.1f} ms of processor time between ticks, "
            f"beside {busy / 1e6:.1f} ms in them: adapters must not work outside of calls, such as on signals."
        )
    if phase["mismatched"] or phase["wrong_length"]:
        wrong = phase["mismatched"] + phase["wrong_length"]
        raise WrongOutput(
            f"Under load (phase {phase['name']}), {wrong} packets of {pair} came out changed; {phase['verified']} "
            "were verified."
        )
    if lost := phase.get("lost", 0):  # the kept engines of earlier nights do not report it
        raise WrongOutput(f"Under load (phase {phase['name']}), {lost} packets of {pair} never came out.")
    for side in ("compressor", "decompressor"):
        statuses = phase["statuses"][side]
        if statuses:
            counts = ", ".join(f"{count} {status}" for status, count in statuses.items())
            raise WrongOutput(
                f"Under load (phase {phase['name']}), the {side} of {pair} did not handle packets: {counts}."
            )


def _times(jiffies: dict[str, int] | None) -> procstat.CoreTimes | None:
    return procstat.CoreTimes(**jiffies) if jiffies else None


def memory_per_flow(document: dict[str, Any]) -> float | None:
    """The octets of one flow, compressor and decompressor together, as the adapters count them; None if one of them
    does not know its own, for which it says 0."""
    memory = document["memory"]
    said = [side["memory_bytes"] for way in memory.get("statistics", {}).values() for side in way.values()]
    per_pair = memory.get("adapters_octets_per_flow_pair")
    return per_pair / 2 if per_pair is not None and 0 not in said else None


def costs_of(trials: list[Trial]) -> dict[str, list[float]]:
    """Nanoseconds per packet of each stage, one value per trial (mean over its cores)."""
    result: dict[str, list[float]] = {}
    for trial in trials:
        for stage in STAGES:
            values = [core.ns_per_packet[stage] for core in trial.detail if stage in core.ns_per_packet]
            if values:
                result.setdefault(stage, []).append(fmean(values))
    return result


def operation_ns(trials: list[Trial]) -> list[float]:
    """Nanoseconds to compress and decompress a packet, one value per trial."""
    costs = costs_of(trials)
    return [a + b for a, b in zip(costs.get("compress", ()), costs.get("decompress", ()), strict=False)]


def with_null(config: LoadConfig) -> LoadConfig:
    """The load with the null adapter, which copies: the cost of the harness itself."""
    floor = null()
    if floor.declared(config.scheme):
        return replace(config, compressor=floor, decompressor=floor)
    return replace(config, scheme=COPY, compressor=floor, decompressor=floor, channel={})
