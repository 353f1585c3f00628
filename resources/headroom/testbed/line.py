# SPDX-License-Identifier: Apache-2.0
"""The line of a measurement: two nodes with the link between them, and the generator at both ends.

The nodes do the implementations' work (`run`), or that of a control: the null codec on both sides (`null`), or
forwarding of unchanged frames (`bridge`); or they host the endpoints of a scheme, by its name. A line is made once for
many trials.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from headroom.core.capabilities import adapter
from headroom.core.errors import HeadroomError
from headroom.core.implementations import Implementation, null
from headroom.core.machine import procstat
from headroom.core.run.run import Run
from headroom.core.scheme_registry import all_schemes
from headroom.core.workload import COPIES, Channel
from headroom.testbed import choice, images, testbed
from headroom.testbed.compose import Compose
from headroom.testbed.processes import Service
from headroom.testbed.sender import sender
from headroom.testbed.topology import Topology
from headroom.testbed.trial import ComparingGenerator, Generator, Trial

Codec = str  # asked, null, bridge, or the name of a scheme whose endpoints the nodes host
Sending = Callable[[Topology], AbstractContextManager[Generator]]
CODECS: tuple[Codec, ...] = ("asked", "null", "bridge")

LOOK_S = 0.1  # seconds between two looks at the processes while a trial runs
SUSPICIOUS = 0.5  # share of the packets: a node that loses more may have ended
FLOWING = 0.5  # share of the highest rate seen: below it, an interval between two looks was not part of the trial


@dataclass(frozen=True)
class Load:
    """The busy share of a core, 0..1, as `source` counts it.

    `busy_share`: rounds of the process with work, by the clock; `thread_cpu`: time that the kernel gave its thread;
    `proc_stat`: the kernel's count for the core as a whole.
    """

    role: str
    core: int
    source: str
    busy: float | None
    reason: str = ""


@dataclass
class Line:
    """A line that is ready. `watched` are its processes by role."""

    topology: Topology
    generator: Generator
    watched: dict[str, Service]
    capture: Path | None = None  # capture of the link: whole once `captured` has been called
    foreign: frozenset[str] = frozenset()  # roles of vendors' images, whose statistics are what the vendor says

    def trial(self, rate_pps: float, duration_s: float) -> Trial:
        """Makes a trial; a process that dies or is stopped ends it at once, with its cause.

        If packets are lost, the topology is checked: an interface that is down loses packets, too. If most are lost,
        every process is checked for responsiveness: a node that hangs loses all, and must not pass for a slow one.
        """
        trial = self.generator.trial(rate_pps, duration_s)
        if trial.lost or trial.fell_behind:
            self.topology.look()
        if any(way.lost > SUSPICIOUS * way.sent for way in trial.directions):
            self.topology.crew.look(self.watched.values())
        return trial

    def compared(self, rate_pps: float, duration_s: float) -> Trial:
        """A trial whose packets the generator compares where they arrive."""
        if isinstance(self.generator, ComparingGenerator):
            return self.generator.compared(rate_pps, duration_s)
        return self.trial(rate_pps, duration_s)

    def captured(self) -> Path:
        """The capture of the link, which ends here: nothing passes any more. Raises if a process fails."""
        assert self.capture is not None, "the line was made without a capture"
        self.topology.crew.stop(self.watched["link"])
        return self.capture

    def loaded(self, rate_pps: float, duration_s: float) -> tuple[Trial, list[Load]]:
        """A trial during which the processes are watched: only for loads, because watching costs time, too."""
        watch = _Watch(self)
        with watch:
            trial = self.trial(rate_pps, duration_s)
        return trial, watch.loads()


@contextmanager
def line(
    run: Run,
    cores: Sequence[int],
    codec: Codec,
    profile: str,
    flows: int,
    channel: Channel = COPIES,
    capture: Path | None = None,
) -> Iterator[Line]:
    """Makes a line, with the packets of a profile. Raises as `line_with` does."""

    def sending(topology: Topology) -> AbstractContextManager[Generator]:
        return sender(run, topology, profile, flows, True)

    with line_with(run, cores, codec, channel, sending, capture) as ready:
        yield ready


@contextmanager
def line_with(
    run: Run,
    cores: Sequence[int],
    codec: Codec,
    channel: Channel,
    sending: Sending,
    capture: Path | None = None,
) -> Iterator[Line]:
    """Makes a line, and the sender over it.

    Raises NotOnThisTopology or EnvironmentLacks if there are no interfaces (`choice.require`). `capture` is the file in
    which the link records passing packets, and what it did to each; it is a path of this machine, so only for `netns`.
    It costs the link time: not for a line that is measured.
    """
    with choice.make(run.topology, shape_of(run.topology), cores, run.build, run.generator) as topology:
        watched = {role: _node(run, topology, role, codec, channel) for role in ("compressor", "decompressor")}
        foreign = frozenset(role for role in watched if _image(run, topology, role, codec))
        if "link" in topology.seats:
            watched["link"] = _link(topology, capture)
        topology.crew.wait_until_ready()
        with sending(topology) as generator:
            yield Line(topology, generator, watched, capture, foreign)


def shape_of(topology: str) -> str:
    """The shape of the line: with a link between the nodes, unless a testbed has none."""
    return testbed.load(Path(topology)).shape if topology.endswith(choice.TESTBED_SUFFIXES) else "full"


def node_job(run: Run, codec: Codec, channel: Channel = COPIES, role: str = "compressor") -> dict[str, Any]:
    """A node's adapters in its job, and the path of feedback. Controls copy, and have no feedback.

    Opposite a container image, which does both directions by itself, a node also has one implementation for both.
    """
    sides = {"compressor": run.compressor, "decompressor": run.decompressor}
    if codec == "null":
        sides = dict.fromkeys(sides, null())
    if (scheme := all_schemes().get(codec)) and scheme.node_job:
        return _seeded(scheme.node_job(sides[role], run.build, role), run)
    config: Mapping[str, Any] = {}
    if codec != "asked":
        channel = COPIES
    elif images.has_image(run):
        sides = dict.fromkeys(sides, sides[role])
        config = channel.image_config
    adapters = {
        side: None if codec == "bridge" else adapter(implementation, run.build, {**channel.adapter_config(), **config})
        for side, implementation in sides.items()
    }
    return _seeded({**adapters, "feedback": channel.feedback, **channel.stream(role)}, run)


def _seeded(job: dict[str, Any], run: Run) -> dict[str, Any]:
    """The job with the run's seed for each adapter: without one, a node draws its own, and no run could be repeated."""
    for side in ("compressor", "decompressor", "endpoint"):
        if job.get(side):
            job[side]["config"] = {"seed": run.seed, **job[side]["config"]}
    return job


def _image(run: Run, topology: Topology, role: str, codec: Codec) -> Implementation | None:
    """The vendor's image that works in a role; None if our engine does."""
    is_possible = codec == "asked" and isinstance(topology, Compose)
    return images.image_of(getattr(run, role), run.topology) if is_possible else None


def _node(run: Run, topology: Topology, role: Any, codec: Codec, channel: Channel) -> Service:
    if (image := _image(run, topology, role, codec)) and isinstance(topology, Compose):
        return images.start(topology, role, image, channel.image_environment(role))
    return topology.start_node(role, node_job(run, codec, channel, role))


def _link(topology: Topology, capture: Path | None) -> Service:
    seat = topology.seats["link"]
    ports = {name: seat.ports[name].as_job() for name in ("a", "b")}
    capture_job = {"capture": str(capture)} if capture else {}
    return topology.start("link", "link", {**ports, "core": seat.cores[0], **capture_job})


class _Watch:
    """Watches the processes of a line, and the kernel's counts for the cores, while its block runs."""

    def __init__(self, watched: Line) -> None:
        self.line = watched
        self.looks: list[tuple[dict[str, Any], dict[int, procstat.CoreTimes]]] = []
        self.failure = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(LOOK_S):
            try:
                statistics = {role: service.statistics() for role, service in self.line.watched.items()}
            except HeadroomError as error:  # the trial reports which process died; only the loads are missing here
                self.failure = str(error)
                return
            self.looks.append((statistics, procstat.read()))

    def loads(self) -> list[Load]:
        """The loads over the time in which packets flowed at the trial's rate, for the processes that report theirs."""
        flowing = [pair for pair in pairwise(self.looks) if _rate(pair) >= FLOWING * self._highest()]
        if not self._highest():
            return []
        local = self.line.topology.name == "netns"  # other topologies: the cores are not this process's to read
        result = []
        for role in self.line.watched:
            receiving = len(_listed(self.looks[-1][0].get(role), "rx_cores"))
            for place, core in enumerate(self.line.topology.seats[role].cores):  # type: ignore[index]
                name = f"{role}, receiving" if place < receiving else role
                for source, counted in (("busy_share", _cycles), ("thread_cpu", _cpu_time)):
                    share = _ratio([counted(role, place, pair[0][0], pair[1][0]) for pair in flowing])
                    reason = "" if share is not None else f"the {role} does not report it"
                    result.append(Load(name, core, source, share, reason))
                if local:
                    times = [procstat.busy_share(mine[1][core], other[1][core]) for mine, other in flowing]
                    known = [share for share in times if share is not None]
                    busy = sum(known) / len(known) if known else None
                    result.append(Load(name, core, "proc_stat", busy, "" if known else "the kernel reports none"))
        return result

    def _highest(self) -> float:
        return max((_rate(pair) for pair in pairwise(self.looks)), default=0.0)


# Statistics of another vendor's image may be malformed, or missing.
MALFORMED = (KeyError, TypeError, IndexError, AttributeError, ValueError)


def _rate(pair: Any) -> float:
    """The packets a nanosecond that a node has received on its plain side between two looks; 0 if none reports them."""
    for role in ("compressor", "decompressor"):
        with contextlib.suppress(*MALFORMED):
            before, after = (statistics[role] for statistics, _ in pair)
            packets = [
                sum(worker["plain"]["received"]["packets"] for worker in statistics["workers"])
                for statistics in (before, after)
            ]
            return float((packets[1] - packets[0]) / max(1, after["uptime_ns"] - before["uptime_ns"]))
    return 0.0


def _listed(statistics: Any, key: str) -> list[Any]:
    """A list in a process's statistics; [] if there is none."""
    value = statistics.get(key) if isinstance(statistics, dict) else None
    return value if isinstance(value, list) else []


def _threads(statistics: dict[str, Any]) -> list[Any]:
    """The statistics of a node's threads in the order of its cores: receiving cores first, then workers."""
    return [*_listed(statistics, "rx_cores"), *_listed(statistics, "workers")]


def _cycles(role: str, place: int, before: dict[str, Any], after: dict[str, Any]) -> tuple[float, float]:
    """The busy time and the total time of a thread between two looks, in a unit of its own; 0 if it does not report
    them.
    """
    with contextlib.suppress(*MALFORMED):
        earlier, other = before[role], after[role]
        if "workers" in other:
            earlier, other = _threads(earlier)[place], _threads(other)[place]
            return float(other["busy_cycles"] - earlier["busy_cycles"]), float(
                other["total_cycles"] - earlier["total_cycles"]
            )
        # The link reports the share of its whole time.
        busy = other["busy_share"] * other["uptime_ns"] - earlier["busy_share"] * earlier["uptime_ns"]
        return float(busy), float(other["uptime_ns"] - earlier["uptime_ns"])
    return 0.0, 0.0


def _cpu_time(role: str, place: int, before: dict[str, Any], after: dict[str, Any]) -> tuple[float, float]:
    """The time that the kernel gave a thread between two looks, and the time between them, in ns."""
    with contextlib.suppress(*MALFORMED):
        earlier, other = before[role], after[role]
        took = other["uptime_ns"] - earlier["uptime_ns"]
        if "workers" in other:
            earlier, other = _threads(earlier)[place], _threads(other)[place]
        return float(other["cpu_ns"] - earlier["cpu_ns"]), float(took)
    return 0.0, 0.0


def _ratio(shares: list[tuple[float, float]]) -> float | None:
    total = sum(whole for _, whole in shares)
    return min(1.0, max(0.0, sum(busy for busy, _ in shares) / total)) if total > 0 else None
