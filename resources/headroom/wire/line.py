# SPDX-License-Identifier: Apache-2.0
"""The line of a measurement: two nodes with the link between them, and the generator at both ends.

What the nodes do is the implementations' work (`asked`), or one of the controls: the null codec on both sides
(`null`), or nothing at all, frames passed on untouched (`bridge`). A line is made once for many trials.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from headroom import implementations
from headroom.errors import HeadroomError
from headroom.machine import procstat
from headroom.settings import Settings
from headroom.wire import choice, testbed
from headroom.wire.calls import TrexCalls
from headroom.wire.channel import Channel
from headroom.wire.generator import TrexGenerator
from headroom.wire.processes import Service
from headroom.wire.sender import sender
from headroom.wire.topology import Topology
from headroom.wire.trial import Generator, Trial

Codec = Literal["asked", "null", "bridge"]
Sending = Callable[[Topology], AbstractContextManager[Generator]]
CODECS: tuple[Codec, ...] = ("asked", "null", "bridge")

U_MODE = Channel()  # as wherever load is measured: nothing is fed back

LOOK_S = 0.1  # between two looks at the processes while a trial runs
FLOWING = 0.5  # of the highest rate seen: below it, an interval between two looks was not of the trial


@dataclass(frozen=True)
class Load:
    """Busy share of a core, 0..1, as `source` counts it.

    `busy_share`: rounds of the process in which it had something to do, by the clock; `thread_cpu`: time that the
    kernel gave its thread; `proc_stat`: what the kernel says of the core as a whole.
    """

    role: str
    core: int
    source: str
    busy: float | None
    reason: str = ""


@dataclass
class Line:
    """A line that is ready. `watched` are its processes by role."""

    made: Topology
    generator: Generator
    watched: dict[str, Service]

    def trial(self, rate_pps: float, duration_s: float) -> Trial:
        """One trial; a process that dies ends it at once, with its cause."""
        return self.generator.trial(rate_pps, duration_s)

    def compared(self, rate_pps: float, duration_s: float) -> Trial:
        """A trial whose packets are compared where they arrive, by whoever sends."""
        if isinstance(self.generator, TrexGenerator | TrexCalls):
            return self.generator.compared(rate_pps, duration_s)
        return self.trial(rate_pps, duration_s)

    def loaded(self, rate_pps: float, duration_s: float) -> tuple[Trial, list[Load]]:
        """A trial during which the processes are looked at: for loads alone, for looking costs something, too."""
        watch = _Watch(self)
        with watch:
            trial = self.trial(rate_pps, duration_s)
        return trial, watch.loads()


@contextmanager
def line(
    asked: Settings, cores: Sequence[int], codec: Codec, profile: str, flows: int, channel: Channel = U_MODE
) -> Iterator[Line]:
    """Makes a line, with the packets of a profile. Raises as `line_with` does."""
    with line_with(asked, cores, codec, channel, lambda made: sender(asked, made, profile, flows, True)) as ready:
        yield ready


@contextmanager
def line_with(
    asked: Settings, cores: Sequence[int], codec: Codec, channel: Channel, sending: Sending
) -> Iterator[Line]:
    """Makes a line, and what sends over it.

    Raises NotOnThisTopology or EnvironmentLacks where there are no interfaces (`choice.require`)."""
    with choice.make(asked.topology, shape_of(asked.topology), cores, asked.build, asked.generator) as made:
        job = node_job(asked, codec, channel)
        watched = {role: _node(made, role, job) for role in ("compressor", "decompressor")}
        if "link" in made.seats:
            watched["link"] = _link(made)
        made.crew.wait_until_ready()
        with sending(made) as generator:
            yield Line(made, generator, watched)


def shape_of(topology: str) -> str:
    """With a link between the nodes, unless a testbed has none."""
    return testbed.load(Path(topology)).shape if topology.endswith(choice.TESTBED_SUFFIXES) else "full"


def node_job(asked: Settings, codec: Codec, channel: Channel = U_MODE) -> dict[str, Any]:
    """What both nodes have in common: their adapters, and the way of feedback. Controls have nothing to feed back."""
    sides = {"compressor": asked.compressor, "decompressor": asked.decompressor}
    if codec == "null":
        sides = dict.fromkeys(sides, "null")
    if codec != "asked":
        channel = U_MODE
    adapters = {
        side: None if codec == "bridge" else _adapter(name, asked.build, channel) for side, name in sides.items()
    }
    return {**adapters, "feedback": channel.feedback}


def _adapter(name: str, build: str, channel: Channel) -> dict[str, Any]:
    found = implementations.find(name)
    return {"library": str(found.library_path(build)), "config": {**found.config, **channel.config()}}


def _node(made: Topology, role: Any, job: dict[str, Any]) -> Service:
    seat = made.seats[role]
    ports = {name: seat.ports[name].as_job() for name in ("plain", "link")}
    mtu = {name: seat.ports[name].mtu for name in ("plain", "link")}
    return made.start(role, "node", {**ports, "mtu": mtu, "workers": list(seat.cores), **job})


def _link(made: Topology) -> Service:
    seat = made.seats["link"]
    ports = {name: seat.ports[name].as_job() for name in ("a", "b")}
    return made.start("link", "link", {**ports, "core": seat.cores[0]})


class _Watch:
    """Looks at the processes of a line, and at the kernel's view of the cores, while its block runs."""

    def __init__(self, watched: Line) -> None:
        self.line = watched
        self.looks: list[tuple[dict[str, Any], dict[int, procstat.CoreTimes]]] = []
        self.failure = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(LOOK_S):
            try:
                told = {role: service.statistics() for role, service in self.line.watched.items()}
            except HeadroomError as error:  # who died is told by the trial; here it is the loads that are missing
                self.failure = str(error)
                return
            self.looks.append((told, procstat.read()))

    def loads(self) -> list[Load]:
        """Loads over the time in which packets flowed at the trial's rate."""
        flowing = [pair for pair in pairwise(self.looks) if self._rate(pair) >= FLOWING * self._highest()]
        if not flowing:
            return []
        local = self.line.made.name == "netns"  # elsewhere, the cores are not ours to look at
        found = []
        for role in self.line.watched:
            for place, core in enumerate(self.line.made.seats[role].cores):  # type: ignore[index]
                shares = [_cycles(role, place, pair[0][0], pair[1][0]) for pair in flowing]
                found.append(Load(role, core, "busy_share", _ratio(shares)))
                given = [_cpu_time(role, place, pair[0][0], pair[1][0]) for pair in flowing]
                used = _ratio(given)
                found.append(Load(role, core, "thread_cpu", used, "" if used is not None else "the node does not say"))
                if local:
                    times = [procstat.busy_share(one[1][core], other[1][core]) for one, other in flowing]
                    known = [share for share in times if share is not None]
                    busy = sum(known) / len(known) if known else None
                    found.append(Load(role, core, "proc_stat", busy, "" if known else "the kernel shows none"))
        return found

    def _highest(self) -> float:
        return max((self._rate(pair) for pair in pairwise(self.looks)), default=0.0)

    @staticmethod
    def _rate(pair: Any) -> float:
        """Packets/s that the compressor's node received on its plain side between two looks."""
        before, after = (told["compressor"] for told, _ in pair)
        packets = [sum(one["plain"]["received"]["packets"] for one in told["workers"]) for told in (before, after)]
        return float((packets[1] - packets[0]) / max(1, after["uptime_ns"] - before["uptime_ns"]))


def _cycles(role: str, place: int, before: dict[str, Any], after: dict[str, Any]) -> tuple[float, float]:
    """Busy time and time of one worker between two looks, in a unit of its own."""
    one, other = before[role], after[role]
    if "workers" in other:
        one, other = one["workers"][place], other["workers"][place]
        return other["busy_cycles"] - one["busy_cycles"], other["total_cycles"] - one["total_cycles"]
    # The link says its share of all its time.
    busy = other["busy_share"] * other["uptime_ns"] - one["busy_share"] * one["uptime_ns"]
    return busy, other["uptime_ns"] - one["uptime_ns"]


def _cpu_time(role: str, place: int, before: dict[str, Any], after: dict[str, Any]) -> tuple[float, float]:
    """Time that the kernel gave one worker between two looks, and the time between them, in ns."""
    one, other = before[role], after[role]
    took = other["uptime_ns"] - one["uptime_ns"]
    if "workers" in other:
        one, other = one["workers"][place], other["workers"][place]
    return (
        (other["cpu_ns"] - one["cpu_ns"], took) if "cpu_ns" in one else (0.0, 0.0)
    )  # somebody else's node may not say


def _ratio(shares: list[tuple[float, float]]) -> float | None:
    total = sum(whole for _, whole in shares)
    return min(1.0, max(0.0, sum(busy for busy, _ in shares) / total)) if total > 0 else None
