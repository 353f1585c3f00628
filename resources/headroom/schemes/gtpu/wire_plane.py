# SPDX-License-Identifier: Apache-2.0
"""A user plane on the wire: a node of the engine, or a container image, between two interfaces.

The process of the generator plays all peers through packet sockets: on one interface the base station, another user
plane and the control plane, on the other interface the data network. Time is real time.

A step ends when the node has answered address resolution twice on each interface. The node handles frames in order, and
sends the output of a packet before its second answer. A container may run any program, so its interfaces must also have
been quiet for a moment.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, Self

from headroom.core.engine_result import EngineFailure
from headroom.core.implementations import Implementation
from headroom.core.machine import topology as cpus
from headroom.core.paths import DEFAULT_BUILD
from headroom.schemes.gtpu import packets
from headroom.schemes.gtpu.conversation import N3_HOSTS
from headroom.schemes.gtpu.user_plane import N3, N6, N9, N4Sent, Outcome, Sent, Step
from headroom.testbed import choice, images
from headroom.testbed.compose import Compose
from headroom.testbed.packet_socket import LONGEST
from headroom.testbed.processes import Service
from headroom.testbed.topology import Role, Topology

SHAPE = "node"
TOPOLOGIES = ("netns", "compose")  # whose interfaces this process can send and receive on
ROLE: Role = "compressor"  # the seat of a node that stands alone: its port `plain` is N6, its port `link` is N3
OWN = {N3: N3_HOSTS[4], N6: "203.0.113.1"}  # of the node, for address resolution
NEXT_HOP = {N3: "172.17.0.254", N6: "203.0.113.2"}  # the other ends
PORTS = {N3: ("link", "1"), N6: ("plain", "0")}  # of the node, and of the generator's place
N4_PORT = 8805
ARP, IPV4, IPV6 = 0x0806, 0x0800, 0x86DD
ARP_REQUEST, ARP_REPLY = 1, 2
SETTLED = 2  # answers after which everything before has been handled
PATIENCE_S = 30.0
QUIET_S = 0.03  # in containers: what comes later belongs to no step
MEMORY_MB = 64
SECOND = 1_000_000_000
Distribution = Literal["queues", "rx-cores"]  # how a node with several cores uses them


class _End:
    """One interface of the other ends: its socket, both MAC addresses, and the packets that came."""

    def __init__(self, side: str, opened: socket.socket, own: bytes, node: bytes) -> None:
        self.side, self.socket, self.own, self.node = side, opened, own, node
        self.answers = 0  # of address resolution
        self.came: list[bytes] = []
        opened.settimeout(0)

    def send(self, packet: bytes) -> None:
        kind = IPV6 if packet[:1] and packet[0] >> 4 == 6 else IPV4
        self.socket.send(self.node + self.own + kind.to_bytes(2, "big") + packet)

    def ask(self) -> None:
        """Asks for the node's MAC address (RFC 826)."""
        target = packets.address(OWN[self.side])
        self._arp(ARP_REQUEST, b"\xff" * 6, packets.address(NEXT_HOP[self.side]), bytes(6), target)

    def _arp(self, kind: int, to: bytes, sender: bytes, target_mac: bytes, target: bytes) -> None:
        fixed = bytes.fromhex("000108000604") + kind.to_bytes(2, "big")
        body = fixed + self.own + sender + target_mac + target
        self.socket.send(to + self.own + ARP.to_bytes(2, "big") + body)

    def read(self) -> bool:
        """Reads the next frame; False if there is none."""
        try:
            frame, address = self.socket.recvfrom(LONGEST)
        except BlockingIOError:
            return False
        if address[2] == socket.PACKET_OUTGOING or len(frame) < 14:
            return True
        if frame[6:12] != self.node:  # a bridge's, which sends frames of its own
            return True
        kind, body = int.from_bytes(frame[12:14], "big"), frame[14:]
        if kind == ARP and len(body) >= 28:
            if body[7] == ARP_REPLY:
                self.answers += 1
            elif body[7] == ARP_REQUEST:  # whatever address the node looks for is here
                self._arp(ARP_REPLY, frame[6:12], body[24:28], body[8:14], body[14:18])
        elif kind in (IPV4, IPV6):
            self.came.append(unpadded(body))
        return True


def unpadded(packet: bytes) -> bytes:
    """An IP packet without the padding of a short frame."""
    if packet[0] >> 4 == 4:
        return packet[: int.from_bytes(packet[2:4], "big")]
    return packet[: 40 + int.from_bytes(packet[4:6], "big")]


class WireUserPlane:
    """A node with a user plane in a topology, as `UserPlane` describes it. Use as a context manager.

    `n9_peers` are the addresses of other user planes: a tunnel to one is on N9. Each step raises EngineFailure where
    the node has ended, with the cause.
    """

    def __init__(self, topology: Topology, node: Service, n4_host: str, n9_peers: Sequence[str] = ()) -> None:
        self._made, self._node = topology, node
        self._n9_peers = frozenset(n9_peers)
        self._n4_host = n4_host
        self._ends: dict[str, _End] = {}
        self._start_ns = 0
        self._given_ns = 0  # time of the last step, as the caller counts it
        self.statistics: dict[str, Any] = {}  # of the node, once it has ended

    def __enter__(self) -> Self:
        try:
            for side, (port, number) in PORTS.items():
                own, node = _mac(self._made.mac("generator", number)), _mac(self._made.mac(ROLE, port))
                self._ends[side] = _End(side, self._made.packet_socket("generator", number), own, node)
            self._start_ns = time.monotonic_ns()
            self._settle()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def place(self) -> dict[str, Any]:
        """Its topology, for result records."""
        return self._made.describe()

    def end(self) -> None:
        """Ends the node in good order. Raises EngineFailure if it fails as it ends."""
        self.statistics = (self._made.crew.stop(self._node).get("workers") or [{}])[0]

    def close(self) -> None:
        for end in self._ends.values():
            end.socket.close()
        self._ends = {}

    def n4(self, octets: bytes, peer: str, port: int, time_ns: int | None = None) -> Step:
        self._wait(time_ns)
        return self.n4_burst([octets], peer, port)

    def n4_burst(self, messages: Sequence[bytes], peer: str, port: int) -> Step:
        """Sends messages one after the other, without waiting for their answers."""
        for octets in messages:
            self._ends[N3].send(packets.udp(peer, self._n4_host, port, N4_PORT, payload=octets))
        return self._step(())

    def packets(self, packets: Sequence[tuple[bytes, str]], time_ns: int | None = None) -> Step:
        self._wait(time_ns)
        for octets, side in packets:
            self._ends[N6 if side == N6 else N3].send(octets)
        return self._step([octets for octets, _ in packets])

    def repeat(self, octets: bytes, side: str, count: int, interval_ns: int, time_ns: int | None = None) -> Step:
        """Sends the same packet so often. All that went on is in `taken`."""
        self._wait(time_ns)
        end, begin = self._ends[N6 if side == N6 else N3], time.monotonic_ns()
        for number in range(count):
            while time.monotonic_ns() < begin + number * interval_ns:
                self._read()
            end.send(octets)
        step = self._step(())
        self._given_ns = max(self._given_ns + count * interval_ns, step.time_ns)
        return Step((), step.taken, step.n4, step.time_ns, {"NOTHING": count})

    def advance(self, time_ns: int) -> Step:
        self._wait(time_ns)
        return self._step(())

    def _now(self) -> int:
        return time.monotonic_ns() - self._start_ns

    def _wait(self, time_ns: int | None) -> None:
        """Waits as long as the caller has let pass since the last step: a step takes time of its own, and a period that
        began in one would still last."""
        if time_ns is None:
            return
        until = self._now() + max(0, time_ns - self._given_ns)
        self._given_ns = max(self._given_ns, time_ns)
        while (left := until - self._now()) > 0:
            self._read()
            time.sleep(min(0.01, left / SECOND))

    def _step(self, given: Sequence[bytes]) -> Step:
        """The outcome of a step: all that the node sent is in `taken` and `n4`, because nothing tells for which packet
        it sent one."""
        self._settle()
        taken, n4 = [], []
        for end in self._ends.values():
            for octets in end.came:
                datagram = packets.read_udp(octets)
                if not datagram.problem and datagram.source_port == N4_PORT and self._is_n4(datagram):
                    n4.append(
                        N4Sent(datagram.payload, datagram.packet.destination, datagram.destination_port, self._now())
                    )
                else:
                    taken.append(Sent(self._side(end, datagram), octets, self._now()))
            end.came.clear()
        return Step(tuple(Outcome("NOTHING") for _ in given), tuple(taken), tuple(n4), self._now())

    def _is_n4(self, datagram: packets.UdpDatagram) -> bool:
        return datagram.packet.source == self._n4_host

    def _side(self, end: _End, datagram: packets.UdpDatagram) -> str:
        return N9 if end.side == N3 and datagram.packet.destination in self._n9_peers else end.side

    def _settle(self) -> None:
        """Waits until the node has handled everything that was sent."""
        for _ in range(SETTLED):
            wanted = {}
            for end in self._ends.values():
                wanted[end.side] = end.answers + 1
                end.ask()
            deadline = time.monotonic() + PATIENCE_S
            while any(end.answers < wanted[end.side] for end in self._ends.values()):
                if not self._read():
                    self._made.crew.check()
                    time.sleep(0.0002)
                if time.monotonic() > deadline:
                    raise EngineFailure("timeout", f"The node does not answer for {PATIENCE_S:g} s.")
        quiet_s = QUIET_S if self._made.bridged else 0
        until = time.monotonic() + quiet_s
        while self._read() or time.monotonic() < until:
            pass

    def _read(self) -> bool:
        return sum(end.read() for end in self._ends.values()) > 0


def _mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


def threads(distribution: Distribution, cores: Sequence[int]) -> dict[str, Any]:
    """The part of a node's job that says which cores receive and which forward: all do both (queues), or the first one
    receives for the others (rx-cores)."""
    if distribution == "queues":
        return {"workers": list(cores)}
    return {"distribution": distribution, "rx_cores": [cores[0]], "workers": list(cores[1:])}


def start(
    topology: Topology, implementation: Implementation, config: dict[str, Any], build: str, **more: Any
) -> Service:
    """Starts a node with a user plane, or its image, and waits until it forwards. `config` goes over that of
    implementation.yaml, `more` is the rest of the node's job."""
    if images.image_of(implementation, topology.name) and isinstance(topology, Compose):
        node = images.start(topology, ROLE, implementation, image_environment(topology, config))
    else:
        whole = {**implementation.config, "scheme": "gtpu", **config}
        sides = {side.lower(): {"ipv4": OWN[side], "next_hop": NEXT_HOP[side]} for side in (N3, N6)}
        endpoint = {"library": str(implementation.library_path(build)), "config": whole}
        node = topology.start_node(ROLE, {"endpoint": endpoint, "user_plane": sides, **more})
    topology.crew.wait_until_ready()
    return node


def image_environment(topology: Topology, config: dict[str, Any]) -> dict[str, str]:
    """The variables of a container image that is a user plane (docker/README.md)."""
    fields = {
        "HEADROOM_SCHEME": "gtpu",
        "HEADROOM_CONFIG": json.dumps(config),
        "HEADROOM_N4_ADDRESS": config.get("n4", {}).get("address", ""),
        "HEADROOM_N9_ADDRESS": config.get("n9", {}).get("ipv4", ""),
    }
    for side, (_, number) in PORTS.items():
        fields[f"HEADROOM_{side}_ADDRESS"] = OWN[side]
        fields[f"HEADROOM_{side}_NEXT_HOP"] = NEXT_HOP[side]
        fields[f"HEADROOM_{side}_NEXT_HOP_MAC"] = topology.mac("generator", number)
    return fields


@contextmanager
def of_implementation(
    implementation: Implementation,
    config: dict[str, Any],
    n9_peers: Sequence[str] = (),
    build: str = DEFAULT_BUILD,
    topology: str = "netns",
) -> Iterator[WireUserPlane]:
    """The user plane of an implementation on the wire, in a topology of its own."""
    cores = cpus.resolve(["1c"], cpus.configurations(cpus.read()))[0].cpus
    with choice.make(topology, SHAPE, cores, build) as result:
        node = start(result, implementation, config, build, eal={"huge": "never", "memory_mb": MEMORY_MB})
        with WireUserPlane(result, node, str(config.get("n4", {}).get("address", "")), n9_peers) as plane:
            yield plane
