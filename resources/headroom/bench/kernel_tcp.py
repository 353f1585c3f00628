# SPDX-License-Identifier: Apache-2.0
"""The kernel's TCP over two nodes, with and without header compression, at the same time.

A fixed host sends over a network and a router to a mobile host, as in `bench.transfer`, but in real time and between
network namespaces. The router's queue is in front of its compressor.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import sqrt
from statistics import stdev
from typing import Any

from headroom.bench.transfer import DELAY_NS, NETWORK_BPS, SECOND
from headroom.core.engine_result import EngineFailure
from headroom.core.machine import topology as cpus
from headroom.core.run.run import Run
from headroom.core.workload import Channel
from headroom.testbed import tcp_hosts
from headroom.testbed.line import Codec, node_job
from headroom.testbed.netns import Netns
from headroom.testbed.processes import Service
from headroom.testbed.tcp_hosts import TcpSettings, Transfer
from headroom.testbed.topology import Role, Topology, roles_of, taking_turns

CODECS: tuple[Codec, Codec] = ("asked", "bridge")
EAL = {"huge": "never", "memory_mb": 128}  # memory of each engine (MB): eight of them are on one machine
ROUND_TRIP_NS = 4 * DELAY_NS
REVERSE_QUEUE_PACKETS = 1_000  # room for acknowledgements of all windows
SLICE_S = 0.5
NOISE = 2.0  # standard errors of a difference that is not significant
LARGEST_NOISE = 0.5  # share of the goodput without compression: larger noise hides everything
STALL_NS = 100_000_000  # ns, the delay of one hop: a link that is later than that has changed TCP's view
MEETING_S = 60.0  # seconds that a line that is ready waits for the other one


@dataclass(frozen=True)
class KernelTcpConfig:
    """The configuration of a comparison. `ber` is that of the link from the router to the mobile host. Arrivals count
    after `warm_up_s`.
    """

    rate_bps: int
    ber: float
    connections: int
    warm_up_s: float
    seconds: float
    tcp: TcpSettings
    seed: int = 1

    @property
    def queue_packets(self) -> int:
        """The length of the router's queue: the packets of the MTU that are on their way in a round trip, so that
        several connections keep the link busy.
        """
        return self.rate_bps * ROUND_TRIP_NS // (8 * SECOND * self.tcp.mtu)

    def node(self, role: Role) -> dict[str, Any]:
        queue = self.queue_packets if role == "compressor" else REVERSE_QUEUE_PACKETS
        return {"eal": EAL, "shaper": {"rate_bps": self.rate_bps, "queue_packets": queue}}

    def links(self) -> dict[Role, dict[str, Any]]:
        network = {"rate_bps": NETWORK_BPS, "delay_ns": DELAY_NS}
        link = {"delay_ns": DELAY_NS}
        return {
            "wan": {"eal": EAL, "seed": self.seed, "forward": network, "reverse": network},
            "link": {"eal": EAL, "seed": self.seed, "forward": {**link, "ber": self.ber}, "reverse": link},
        }


@dataclass(frozen=True)
class LineTransfer:
    """A transfer over one line. `statistics` are those of its processes, by role."""

    transfer: Transfer
    warm_up_s: float
    statistics: dict[str, dict[str, Any]] = field(repr=False)
    described: dict[str, Any] = field(repr=False)

    @property
    def goodput(self) -> float:
        return self.transfer.goodput(self.warm_up_s)

    def slices(self) -> list[float]:
        """The goodput in each piece of the time that counts."""
        count = max(2, round((self.transfer.seconds - self.warm_up_s) / SLICE_S))
        length = (self.transfer.seconds - self.warm_up_s) / count
        begins = [self.warm_up_s + number * length for number in range(count)]
        return [self.transfer.goodput(begin, begin + length) for begin in begins]

    @property
    def latest_ns(self) -> float:
        """The greatest delay of a frame by a link beyond its due time."""
        return max(float(self.statistics[role]["late_ns"]["max"] or 0) for role in ("wan", "link"))

    @property
    def restored(self) -> int:
        return int(self.statistics["decompressor"]["workers"][0]["decompressed"])

    @property
    def dropped(self) -> int:
        """The packets for which the router's queue had no room."""
        return int(self.statistics["compressor"]["workers"][0]["shaper"]["queue_full"])

    @property
    def damaged(self) -> int:
        return sum(self.statistics["link"]["forward"]["lost"].values())


@dataclass(frozen=True)
class Comparison:
    """Transfers with and without compression, at the same time on the same machine."""

    compressed: LineTransfer
    uncompressed: LineTransfer

    @property
    def gain(self) -> float:
        """The octets a second beyond those without compression."""
        return self.compressed.goodput - self.uncompressed.goodput

    @property
    def noise(self) -> float:
        """The difference that chance makes, estimated from differences in pieces of the time."""
        pairs = zip(self.compressed.slices(), self.uncompressed.slices(), strict=True)
        differences = [mine - other for mine, other in pairs]
        return NOISE * stdev(differences) / sqrt(len(differences))

    @property
    def is_slower(self) -> bool:
        return self.gain + self.noise < 0

    @property
    def doubt(self) -> str:
        """The reason why the comparison decides nothing, as a sentence; "" if it does: a faster result is never
        doubted.
        """
        if not self.uncompressed.goodput:
            return "Nothing arrives without header compression."
        if self.gain >= 0:
            return ""
        late_ns = max(self.compressed.latest_ns, self.uncompressed.latest_ns)
        if late_ns > STALL_NS:
            return f"The machine stood still: a link was {late_ns / 1e6:.0f} ms late."
        if self.noise > max(LARGEST_NOISE * self.uncompressed.goodput, -self.gain):
            return f"Chance makes a difference of {self.noise:,.0f} octets/s: the time is too short for these losses."
        return ""


def side_by_side(run: Run, config: KernelTcpConfig, channel: Channel) -> Comparison:
    """Runs a comparison. Raises EngineFailure as the processes do, and EnvironmentLacks if namespaces cannot be
    made.
    """
    together = threading.Barrier(len(CODECS))
    with ThreadPoolExecutor(len(CODECS)) as lines:
        futures = [lines.submit(_carry, run, config, codec, channel, together) for codec in CODECS]
        failures = [failure for future in futures if (failure := future.exception())]
    causes = [failure for failure in failures if not isinstance(failure, threading.BrokenBarrierError)]
    if causes:  # the other line only missed this one
        raise causes[0]
    if failures:
        raise EngineFailure("timeout", f"The lines were not both ready within {MEETING_S:g} s.")
    return Comparison(*(future.result() for future in futures))


def _carry(
    run: Run, config: KernelTcpConfig, codec: Codec, channel: Channel, together: threading.Barrier
) -> LineTransfer:
    try:
        usable = [core.number for core in cpus.read().physical_cores]
        with Netns(
            tcp_hosts.SHAPE, taking_turns(roles_of(tcp_hosts.SHAPE), usable), run.build, waits=False
        ) as topology:
            services = _start(run, topology, config, codec, channel)
            topology.wait_until_running()
            topology.crew.wait_until_ready()
            tcp_hosts.set_up(topology, config.tcp)
            together.wait(MEETING_S)
            seconds = config.warm_up_s + config.seconds
            transfer = tcp_hosts.transfer(topology, config.tcp, config.connections, seconds, config.seed)
            topology.look()
            statistics = {role: service.statistics() for role, service in services.items()}
            return LineTransfer(transfer, config.warm_up_s, statistics, topology.describe())
    except BaseException:
        together.abort()
        raise


def _start(
    run: Run, topology: Topology, config: KernelTcpConfig, codec: Codec, channel: Channel
) -> dict[Role, Service]:
    services: dict[Role, Service] = {}
    for role, job in config.links().items():
        seat = topology.seats[role]
        ports = {name: seat.ports[name].as_job() for name in ("a", "b")}
        services[role] = topology.start(role, "link", {**ports, "core": seat.cores[0], **job})
    sides: Sequence[Role] = ("compressor", "decompressor")
    for role in sides:
        services[role] = topology.start_node(role, {**node_job(run, codec, channel, role), **config.node(role)})
    return services
