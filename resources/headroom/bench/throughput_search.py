# SPDX-License-Identifier: Apache-2.0
"""Searches for throughput. The rows of a run share one search for each configuration, and a resumed run continues it.

The run folder keeps each trial as it ends (`TrialLog`). An interrupted search is repeated over those trials: it asks
for the same rates in the same order, so it reaches its old state without sending anything. The trials of a search that
ended in an error are set aside: they stay in the folder, and a resumed run measures anew.

A control is the null codec or a bare bridge, which should be at least as fast as the nodes that are compared with it.
If its rate is lower, something disturbed its search, and another search is made, up to `SEARCHES` in all. If no search
reaches the rate of the nodes, the control has no rate.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from headroom.bench.load import WrongOutput, are_busy
from headroom.bench.throughput import GOALS, NDR, QUICK, Goal, Rate, Rules, Search, Throughput
from headroom.bench.trial_log import TrialLog
from headroom.core.errors import HeadroomError
from headroom.core.run.run import Run
from headroom.core.workload import COPIES, Channel
from headroom.testbed.carried import losses
from headroom.testbed.line import MALFORMED, Codec, Line, Load, line, line_with
from headroom.testbed.sender import traffic
from headroom.testbed.topology import Topology
from headroom.testbed.trial import Generator

FLOWS = 100
WATCHED_S = 2.0  # seconds of a trial in which the cores are looked at
SEARCHES = 3  # searches for a control in one run
CONTROLS = ("null", "bridge")

Callers = Callable[[Run, Topology, str], AbstractContextManager[Generator]]


@dataclass(frozen=True)
class SearchConfig:
    """The configuration of a measurement: the run, and the arguments of a row.

    `codec` is the codec of the case's nodes. `callers` sends calls over a topology, by the name of their sequence,
    which is then the profile, and rates are calls a second; None: packets of the profile are sent.
    """

    run: Run
    profile: str
    cpus: str
    cores: tuple[int, ...] = field(compare=False)
    flows: int = FLOWS
    channel: Channel = COPIES
    codec: Codec = "asked"
    callers: Callers | None = None

    def line(self, codec: Codec) -> AbstractContextManager[Line]:
        """The line of the measurement."""
        if callers := self.callers:
            return line_with(
                self.run, self.cores, codec, self.channel, lambda made: callers(self.run, made, self.profile)
            )
        return line(self.run, self.cores, codec, self.profile, self.flows, self.channel)

    @property
    def words(self) -> str:
        """The part of its files' names that other configurations lack."""
        return ""

    def of_controls(self) -> SearchConfig:
        """The configuration of the controls: they are the same beside any channel."""
        return replace(self, channel=COPIES)

    def conditions(self, codec: Codec) -> dict[str, Any]:
        """All conditions that trials depend on, as JSON. Controls do not depend on the implementations and their
        channel.
        """
        run = self.run.settings.as_json()
        fields_kept = (
            "build",
            "seed",
            "generator",
            "topology",
            "quick",
            *(IMPLEMENTATIONS if codec not in CONTROLS else ()),
        )
        return {
            "codec": codec,
            "profile": self.profile,
            "cpus": self.cpus,
            "cores": list(self.cores),
            "flows": self.flows,
            "channel": asdict(self.channel) if codec == "asked" else None,
            "calls": self.callers is not None,
            "rules": asdict(rules_of(self)),
            **{name: run[name] for name in fields_kept},
        }


IMPLEMENTATIONS = ("compressor", "decompressor")
CALL_RULES: dict[str, Any] = {"least_pps": 20.0, "most_pps": 200_000.0, "unit": "calls/s"}


@dataclass(frozen=True)
class Octets:
    """The mean octets of an IP packet, on the plain side and on the link, where headers are compressed."""

    plain: float
    link: float


@dataclass(frozen=True)
class MessageCounters:
    """The counters of two nodes with endpoints: messages that were compressed, that were restored, and that passed
    unchanged. `too_long` counts those of the last that would not have fitted the link.
    """

    compressed: int
    decompressed: int
    passed: int
    too_long: int
    compartments: int

    @property
    def left_alone(self) -> int:
        """The packets that both nodes forwarded uncompressed although they should have compressed them."""
        return max(0, self.passed - 2 * self.too_long)


@dataclass(frozen=True)
class SearchResult:
    """The throughput of one codec, the loads of the cores at each rate, and the entries of records about the traffic.

    For a control, `searches` has the rates of each search by goal, and `no_control` is set if all were too low.
    """

    throughput: Throughput
    loads: dict[str, list[Load]]  # loads by goal
    octets: Octets | None
    traffic: dict[str, Any]
    spoken: MessageCounters | None = None  # counters of nodes with endpoints
    searches: tuple[dict[str, float | None], ...] = ()
    no_control: bool = False
    losses: tuple[str, ...] = ()  # packets that the nodes counted as lost in all trials, by cause


def rules_of(config: SearchConfig) -> Rules:
    rules = QUICK if config.run.quick else Rules()
    return replace(rules, **CALL_RULES) if config.callers else rules


_known: dict[tuple[SearchConfig, Codec], list[SearchResult]] = {}


def throughput(config: SearchConfig, codec: Codec) -> SearchResult:
    """Searches for the throughput once in a run, and remembers it. Raises as `Search.run` and `line` do."""
    known = _known.setdefault((config, codec), [])
    if not known:
        known.append(_searched(config, codec))
    return known[0]


def control(config: SearchConfig, codec: Codec, goal: Goal, judged: Rate) -> SearchResult:
    """The best result of the searches for a control. Another search is made while none reaches `judged`, the rate of
    the nodes that it controls. A control that never reaches it has no rate. Raises as `throughput` does.
    """
    shared = config.of_controls()
    throughput(shared, codec)
    known = _known[shared, codec]
    least = judged.pps or judged.at_least_pps or 0.0

    def highest(search: SearchResult) -> float:
        """The upper bound of its rate: infinite if only the measurement was the limit."""
        rate = search.throughput.rates[goal.name]
        return rate.pps or (math.inf if rate.error else 0.0)

    while max(map(highest, known)) < least and len(known) < SEARCHES:
        known.append(_searched(shared, codec, 1 + len(known)))
    best = max(known, key=highest)
    rates = dict(best.throughput.rates)
    if highest(best) < least:
        reached = ", ".join(f"{highest(candidate):,.0f}" for candidate in known)
        rates[goal.name] = Rate(
            goal,
            None,
            f"it came out at {reached} packets/s, below the {least:,.0f} of the nodes that it is compared with, "
            f"in {len(known)} searches: it is no control",
        )
    return replace(
        best,
        throughput=replace(best.throughput, rates=rates),
        searches=tuple({name: rate.pps for name, rate in candidate.throughput.rates.items()} for candidate in known),
        no_control=highest(best) < least,
    )


def _searched(config: SearchConfig, codec: Codec, number: int = 1) -> SearchResult:
    kept = TrialLog(path_of(config, codec, number), config.conditions(codec))
    with contextlib.ExitStack() as stack:
        lines: list[Line] = []

        def ready() -> Line:
            """The line, made when something has to be measured for the first time."""
            if not lines:
                lines.append(stack.enter_context(config.line(codec)))
            return lines[0]

        goals = (NDR,) if config.callers else GOALS
        search = Search(kept.answering(lambda rate, seconds: ready().trial(rate, seconds)), rules_of(config), goals)
        try:
            throughput_found = search.run()
            if not kept.ending:
                kept.end(ending(ready(), throughput_found, codec == config.codec))
        except HeadroomError:
            kept.set_aside()
            raise
    if codec == config.codec and any(rate.error for rate in throughput_found.rates.values()):
        kept.set_aside()  # the generator was the limit: an error, which a resumed run may overcome
    return SearchResult(throughput_found, **read_ending(kept.ending))


def ending(running_line: Line, throughput_found: Throughput, with_loads: bool) -> dict[str, Any]:
    """The last line of the trial log: core loads at the resulting rates, octets on the link, packets sent by each
    endpoint. Raises WrongOutput as `require_no_threads` does.
    """
    highest = {name: rate.pps or rate.at_least_pps for name, rate in throughput_found.rates.items()}
    loads = {
        name: [asdict(load) for load in running_line.loaded(pps, WATCHED_S)[1]]
        for name, pps in highest.items()
        if pps is not None and with_loads
    }
    require_no_threads(running_line)
    octets = octets_of(running_line)
    spoken = message_counters_of(running_line)
    return {
        "loads": loads,
        "octets": None if octets is None else asdict(octets),
        "traffic": traffic(running_line.topology, throughput_found.trials[-1]),
        "spoken": None if spoken is None else asdict(spoken),
        "losses": losses_of(running_line),
    }


def require_no_threads(running_line: Line) -> None:
    """Raises WrongOutput if threads that are no worker's and no receiving core's used processor time in a node."""
    for role, service in running_line.watched.items():
        try:
            statistics = service.statistics()
            others = statistics["other_threads_cpu_ns"]
            measured = sum(thread["cpu_ns"] for thread in (*statistics["workers"], *statistics["rx_cores"]))
        except MALFORMED:  # the link, or another vendor's node
            continue
        if are_busy(others, measured):  # those of libraries for ports have a little to do, too
            raise WrongOutput(
                f"In the node of the {role}, other threads used {others / 1e6:.1f} ms of processor time, beside "
                f"{measured / 1e6:.1f} ms of the workers: adapters must not start threads."
            )


def losses_of(running_line: Line) -> list[str]:
    """The losses of workers, receiving cores and ports of the nodes, by cause; none for a node that does not report
    them.
    """
    sentences: list[str] = []
    for role, service in running_line.watched.items():
        with contextlib.suppress(*MALFORMED):
            statistics = service.statistics()
            for worker in statistics["workers"]:
                sentences += losses({role: worker})
            for core in statistics.get("rx_cores", ()):
                sentences += losses({f"{role}, receiving": core})
            for side, port in statistics["ports"].items():  # if the driver reports it
                sentences += [f"{role}: {port['missed']} missed at its port {side}"] if port["missed"] else []
    return sentences


def message_counters_of(running_line: Line) -> MessageCounters | None:
    """The counters of nodes with endpoints; None if they have none."""
    nodes = [running_line.watched[role] for role in IMPLEMENTATIONS if role in running_line.watched]
    try:
        workers = [worker for node in nodes for worker in node.statistics()["workers"]]
        return MessageCounters(
            compressed=sum(worker["compressed"] for worker in workers),
            decompressed=sum(worker["decompressed"] for worker in workers),
            passed=sum(worker["passed"] for worker in workers),
            too_long=sum(worker["passed_too_long"] for worker in workers),
            compartments=sum(worker["compartments"]["opened"] for worker in workers),
        )
    except MALFORMED:  # another vendor's node
        return None


def octets_of(running_line: Line) -> Octets | None:
    """The mean octets of an IP packet on either side of the compressor's node; None if nothing was compressed, or if a
    vendor's image would be believed.

    Both come from the node's own counters of frames, without Ethernet's header; on the link, feedback and the padding
    of short packets count, too.
    """
    node = None if "compressor" in running_line.foreign else running_line.watched.get("compressor")
    workers = node.statistics().get("workers") if node is not None else []
    try:
        return _octets(workers)
    except MALFORMED:  # another vendor's node
        return None


def _octets(workers: Any) -> Octets | None:
    packets = sum(worker["plain"]["received"]["packets"] for worker in workers)
    if not packets or not any(worker["compressed"] for worker in workers):
        return None
    tag = VLAN_TAG if len(workers) > 1 else 0  # distinguishes several channels
    plain = sum(_behind_ethernet(worker["plain"]["received"], 0) for worker in workers)
    link = sum(_behind_ethernet(worker["link"]["sent"], tag) for worker in workers)
    return Octets(plain / packets, link / packets)


def _behind_ethernet(counted: Mapping[str, int], tag: int) -> int:
    return counted["octets"] - (ETHERNET + tag) * counted["packets"]


ETHERNET, VLAN_TAG = 14, 4  # octets


def read_ending(
    document: Mapping[str, Any],
) -> dict[str, Any]:
    """The fields of a SearchResult at the end of a trial log."""
    loads = {name: [Load(**load) for load in entries] for name, entries in document["loads"].items()}
    octets, spoken = document["octets"], document.get("spoken")
    return {
        "loads": loads,
        "octets": None if octets is None else Octets(**octets),
        "traffic": dict(document["traffic"]),
        "spoken": None if spoken is None else MessageCounters(**spoken),
        "losses": tuple(document.get("losses", ())),
    }


def path_of(config: SearchConfig, codec: Codec, number: int = 1) -> Path | None:
    """The file of a search, the `number`th for the same conditions, in the run's folder, if the run has one."""
    if not config.run.folder.name:
        return None
    channel = f"{config.channel.scheme} {config.channel.words}".strip().replace(" ", "-")
    parts = [config.cpus, Path(config.profile).stem, str(config.flows), channel, codec]
    parts += [config.words] if config.words else []
    parts += [str(number)] if number > 1 else []
    return config.run.folder / "measurements" / f"throughput-{'-'.join(parts)}.jsonl"
