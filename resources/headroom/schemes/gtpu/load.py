# SPDX-License-Identifier: Apache-2.0
"""User planes under load: the engine's `load` with a user plane, as a configuration and a result.

The traffic model is that of "Implementation of ZTE's High-Performance 5G Core Network UPF" (Intel and ZTE, 2020),
section 4.1: 600,000 access users of which 6,000 send, 85 % HTTP and 15 % UDP, frames of 690 octets on average, and 45
static and 5 dynamic rules. Lengths are of frames with Ethernet header and FCS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, Literal

from headroom.bench.load import WrongOutput, are_busy
from headroom.core import engine, scratch
from headroom.core.implementations import Implementation
from headroom.core.machine.power import Power, PowerMeter
from headroom.core.paths import DEFAULT_BUILD
from headroom.schemes.gtpu import rule_files
from headroom.schemes.gtpu.conversation import N3_HOSTS, N4_HOST
from headroom.schemes.gtpu.rule_files import RuleFiles
from headroom.schemes.gtpu.user_plane import EngineUserPlane

Rules = Literal["basic", "rules", "dpi"]
Distribution = Literal["queues", "rx-cores"]

ETHERNET = 14 + 4  # octets around an IP packet in a frame: header and FCS
LAYER_1 = 8 + 12  # octets around a frame on layer 1: preamble and gap (IEEE 802.3)
# Share and octets of frames with data. With the short ones that open flows all frames are 690 on average.
FRAMES = ((260, 104), (100, 576), (236, 1402))
TIMEOUT_S = 900.0
READY_TRIALS = 3  # of making a user plane with rules of inspection
# Trials start threads, whose beginnings and ends they do not count: up to 2.2 ms have been seen on busy cores.
UNCOUNTED_NS = 5e6
SESSION = {"teid": 1, "user": "10.32.0.0", "access": "172.16.0.1", "access_teid": 1, "qfi": 9}


@dataclass(frozen=True)
class Traffic:
    """Users of a network and their traffic. `frames` are shares and octets of frames; the other shares are 0..1."""

    access_users: int = 600_000
    active_users: int = 6_000
    flows: int = 60_000
    packets_of_flow: int = 200
    uplink_share: float = 0.5
    http_share: float = 0.85
    hit_share: float = 0.1
    frames: tuple[tuple[int, int], ...] = FRAMES

    @property
    def frame_octets(self) -> float:
        """Mean octets of a frame."""
        return sum(share * octets for share, octets in self.frames) / sum(share for share, _ in self.frames)

    def as_job(self) -> dict[str, Any]:
        return {
            "access_users": self.access_users,
            "active_users": self.active_users,
            "flows": self.flows,
            "packets_of_flow": self.packets_of_flow,
            "uplink_share": self.uplink_share,
            "http_share": self.http_share,
            "hit_share": self.hit_share,
            "lengths": [[share, octets - ETHERNET] for share, octets in self.frames],
        }


@dataclass(frozen=True)
class LoadConfig:
    """The configuration of one load. Designs with `virtual_threads` are simulated with the measured times, at `loads`,
    which are shares of each design's capacity."""

    user_plane: Implementation
    rules: Rules = "basic"
    distribution: Distribution = "queues"
    workers: int = 1
    rx_cores: int = 1
    cpus: tuple[int, ...] = ()
    traffic: Traffic = field(default_factory=Traffic)
    packets: int = 1_000_000
    trials: int = 5
    seed: int = 1
    stages: bool = False
    virtual_threads: tuple[int, ...] = ()
    loads: tuple[float, ...] = ()
    baseline: Implementation | None = None
    build: str = DEFAULT_BUILD


@dataclass(frozen=True)
class Design:
    """A design in virtual time. `loads` are those of the configuration, in its order, as the engine describes them."""

    distribution: str
    workers: int
    rx_cores: int
    capacity_mpps: float
    worker_ns: float
    rx_ns: float | None
    loads: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class RulesReady:
    """Times to make a user plane with the rules of inspection, s: without a cache, and from the cache of an earlier
    start; one value for each trial."""

    compiled: tuple[float, ...] = ()
    cached: tuple[float, ...] = ()


@dataclass(frozen=True)
class LoadResult:
    """The result of a load. Times are nanoseconds for a packet; those without `floor` in their name hold the harness's
    own, which `floor_ns` is."""

    trials: tuple[Mapping[str, Any], ...]
    floor_ns: float
    set_up_s: float
    sessions: int
    stages: Mapping[str, float]
    designs: tuple[Design, ...]
    power: Power
    document: Mapping[str, Any] = field(repr=False)
    rules_ready: RulesReady = RulesReady()

    @property
    def costs(self) -> list[float]:
        """Time of the user plane for a packet in each trial, without the harness's own: that of the median block of
        packets, in which no other program ran, or processor time where most work is done in few blocks."""
        return [trial["median_ns"] - trial["loop_median_ns"] for trial in self.trials]

    @property
    def ns(self) -> float:
        return median(self.costs)

    def median_of(self, name: str) -> float | None:
        """The median of a figure of the trials; None if there is none."""
        values = [trial[name] for trial in self.trials if trial.get(name) is not None]
        return median(values) if values else None

    @property
    def rx_ns(self) -> float | None:
        """Time of a receiving core for a packet; None without any."""
        results = [core["ns"] for trial in self.trials for core in trial["rx_cores"] or () if core["ns"] is not None]
        return median(results) if results else None

    @property
    def unsent(self) -> int:
        """Packets of all trials that did not go on."""
        return sum(trial["outcomes"]["packets"] - trial["outcomes"]["sent"] for trial in self.trials)

    @property
    def wrong(self) -> int:
        """Packets of all trials that went on otherwise than their sessions say."""
        return sum(trial["outcomes"]["wrong"] for trial in self.trials)

    def reasons(self) -> dict[str, int]:
        """Packets that did not go on, by the adapter's reason or status."""
        result: dict[str, int] = {}
        for trial in self.trials:
            outcomes = trial["outcomes"]
            for name, count in (*outcomes["reasons"].items(), *outcomes["statuses"].items()):
                if count and name not in ("OK", "NOTHING"):
                    result[name] = result.get(name, 0) + count
        return result


def adapter_config(implementation: Implementation, traffic: Traffic, files: RuleFiles | None = None) -> dict[str, Any]:
    """The configuration of a user plane for a load: its addresses, its sessions if it has no N4, and the rules in
    `files` by which it inspects flows.
    """
    config: dict[str, Any] = {**implementation.config, "scheme": "gtpu", "n3": {"ipv4": N3_HOSTS[4]}}
    if files:
        config["inspection"] = files.as_config()
    if implementation.declared("gtpu").get("n4"):
        return config | {"n4": {"address": N4_HOST}}
    return config | {"session_range": {"count": traffic.access_users, **SESSION}}


def job(config: LoadConfig, files: RuleFiles | None = None) -> dict[str, Any]:
    """The engine's job. `files` are there where the rules are dpi."""

    def adapter(implementation: Implementation, files: RuleFiles | None = None) -> dict[str, Any]:
        return {
            "library": str(implementation.library_path(config.build)),
            "config": adapter_config(implementation, config.traffic, files),
        }

    return {
        "user_plane": adapter(config.user_plane, files),
        **({"baseline": adapter(config.baseline)} if config.baseline else {}),
        "rules": config.rules,
        "distribution": config.distribution,
        "workers": config.workers,
        **({"rx_cores": config.rx_cores} if config.distribution == "rx-cores" else {}),
        **({"cpus": list(config.cpus)} if config.cpus else {}),
        "traffic": config.traffic.as_job() | ({"hosts": list(files.hosts)} if files else {}),
        "packets": config.packets,
        "trials": config.trials,
        "seed": config.seed,
        "stages": config.stages,
        **(
            {"clock": "virtual", "virtual_threads": list(config.virtual_threads), "loads": list(config.loads)}
            if config.virtual_threads
            else {}
        ),
    }


def measure(config: LoadConfig) -> LoadResult:
    """Runs a load. Raises EngineFailure as `engine.run` does, WrongOutput as `result_of` does."""
    with scratch.folder("headroom-rules-") as folder:
        files = rule_files.write(folder, config.seed) if config.rules == "dpi" else None
        ready = _rules_ready(config, files) if files else RulesReady()
        meter = PowerMeter()
        folders = [files.folder] if files else []
        document = engine.run("load", job(config, files), TIMEOUT_S, config.build, folders)
        return replace(result_of(document, meter.read()), rules_ready=ready)


def _rules_ready(config: LoadConfig, files: RuleFiles) -> RulesReady:
    """Makes the user plane without a cache and with one, in turns. Leaves the cache behind. It has room for a few
    sessions and flows only, for the time to reserve memory is not that of the rules."""
    whole = adapter_config(config.user_plane, config.traffic, files) | {"max_sessions": 16, "flows": 16}

    def made_s() -> float:
        library = config.user_plane.library_path(config.build)
        with EngineUserPlane(library, whole, build=config.build, folders=[files.folder]) as plane:
            plane.end()
            return plane.made_s

    compiled, cached = [], []
    for _ in range(READY_TRIALS):
        scratch.remove(files.cache)
        compiled.append(made_s())
        cached.append(made_s())
    return RulesReady(tuple(compiled), tuple(cached))


def require_no_threads(document: Mapping[str, Any]) -> None:
    """Raises WrongOutput if threads that are not measured used processor time."""
    others = document.get("other_threads_cpu_ns", 0)  # the kept engines of earlier nights do not report it
    measured = document.get("cpu_ns", 0)
    if are_busy(others, measured, UNCOUNTED_NS):
        raise WrongOutput(
            f"Under load, other threads of the user plane used {others / 1e6:.1f} ms of processor time, beside "
            f"{measured / 1e6:.1f} ms of the measured ones: adapters must not start threads."
        )


def result_of(document: Mapping[str, Any], power: Power) -> LoadResult:
    """Raises WrongOutput as `require_no_threads` does."""
    require_no_threads(document)
    sessions = document["sessions"]
    return LoadResult(
        trials=tuple(document["trials"]),
        floor_ns=document["loop_median_ns"],
        set_up_s=sessions["set_up_ns"] / 1e9,
        sessions=sessions["count"],
        stages={entry["stage"]: entry["ns"] for entry in document.get("stages") or ()},
        designs=tuple(_design(entry) for entry in document.get("virtual") or ()),
        power=power,
        document=document,
    )


def _design(entry: Mapping[str, Any]) -> Design:
    return Design(
        distribution=entry["distribution"],
        workers=entry["workers"],
        rx_cores=entry["rx_cores"],
        capacity_mpps=entry["capacity_mpps"],
        worker_ns=entry["worker_ns"],
        rx_ns=entry["rx_ns"],
        loads=tuple(entry["loads"]),
    )


def layer_1_gbit_s(mpps: float, frame_octets: float) -> float:
    """Rate on layer 1 of so many frames, Gbit/s."""
    return mpps * (frame_octets + LAYER_1) * 8e-3


def first_loss(design: Design) -> float | None:
    """The least load, a share of capacity, at which packets are lost; None if none are."""
    return next((load["load"] for load in design.loads if load["lost_share"] > 0), None)


def at_load(design: Design, load: float) -> Mapping[str, Any]:
    """Returns the design's figures at the load of the configuration that is closest to `load`."""
    return min(design.loads, key=lambda entry: abs(entry["load"] - load))


def latency_us(point: Mapping[str, Any], figure: str = "mean") -> float | None:
    """A figure of the latency, µs; None if no packet came through."""
    value = (point["latency_ns"] or {}).get(figure)
    return None if value is None else value / 1000
