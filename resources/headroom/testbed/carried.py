# SPDX-License-Identifier: Apache-2.0
"""Four nodes in a row: the link packets of two travel in those of another scheme between the other two.

    generator 0 -- compressor -- encapsulator == decapsulator -- decompressor -- 1 generator

All nodes forward both ways. Between encapsulator and decapsulator there are UDP datagrams with several link packets of
one length, at a constant bit rate in each direction (`stream` in the job of a node).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from headroom.testbed.processes import Service
from headroom.testbed.topology import Role, Topology

SHAPE = "carried"
UDP_IN_ETHERNET = 14 + 20 + 8  # octets of headers in front of the link packets
PORT = 5000
# Multicast addresses at which each of them receives.
GROUPS: dict[Role, str] = {"encapsulator": "239.1.1.1", "decapsulator": "239.1.1.2"}
ENDS: dict[Role, str] = {"encapsulator": "10.9.0.1", "decapsulator": "10.9.0.2"}
STREAM_LOSSES = ("late", "wrong_length", "lost_sync", "other_frames", "other_types", "uncarried", "queue_full")
MEMORY_MB = 64  # MB of a node: four and a generator are on one machine


@dataclass(frozen=True)
class CarriedJobs:
    """The adapters of both kinds of nodes, as jobs of nodes have them. `packets` are link packets of a datagram;
    `rate_bps` counts them including idle ones, and is 0 if there are none.
    """

    carried: Mapping[str, Any]
    carrier: Mapping[str, Any]
    packets: int = 7
    rate_bps: int = 0
    common: Mapping[str, Any] = field(default_factory=dict)

    def of(self, role: Role) -> dict[str, Any]:
        """The job of a role, without its place."""
        job = {"feedback": "none", "eal": {"huge": "never", "memory_mb": MEMORY_MB}, **self.common}
        if role not in GROUPS:
            # A carrier sends short frames as they are: Ethernet's padding would only make them longer.
            return {**job, "pad": False, **self.carried}
        other = next(group for group in GROUPS if group != role)
        send = {
            "address": GROUPS[other],
            "port": PORT,
            "source": ENDS[role],
            "packets": self.packets,
            "rate_bps": self.rate_bps,
        }
        stream = {"send": send, "receive": {"address": GROUPS[role], "port": PORT}}
        return {**job, **self.carrier, "stream": stream}


def start(topology: Topology, jobs: CarriedJobs) -> dict[Role, Service]:
    """Starts the nodes of a topology of the shape `carried`, and waits until they forward."""
    nodes: dict[Role, Service] = {
        role: topology.start_node(role, jobs.of(role)) for role in topology.seats if role != "generator"
    }
    topology.crew.wait_until_ready()
    return nodes


def stop(topology: Topology, nodes: Mapping[Role, Service]) -> dict[Role, dict[str, Any]]:
    """Stops the nodes. Returns the counters of their workers, by role."""
    return {role: topology.crew.stop(node)["workers"][0] for role, node in nodes.items()}


def losses(workers: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The losses of workers: `decapsulator: 3 queue_full` for each of their counters that is not 0."""
    return [f"{role}: {count} {cause}" for role, worker in workers.items() for cause, count in _counts(worker) if count]


def _counts(worker: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for cause, count in worker["errors"].items():
        yield cause, sum(count.values()) if isinstance(count, dict) else count
    yield from ((cause, worker["stream"][cause]) for cause in STREAM_LOSSES if worker.get("stream"))


def link_packets(frame: bytes, length: int) -> list[bytes]:
    """The link packets of one length in a datagram between encapsulator and decapsulator; none in any other frame."""
    packets = frame[UDP_IN_ETHERNET:]
    if frame[12:14] != b"\x08\0" or frame[23] != 17 or len(packets) % length:
        return []
    return [packets[at : at + length] for at in range(0, len(packets), length)]
