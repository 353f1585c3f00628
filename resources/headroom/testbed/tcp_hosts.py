# SPDX-License-Identifier: Apache-2.0
"""Two hosts with the kernel's TCP, in the network namespaces of a topology of the shape `hosts`.

Sockets are opened inside the namespaces and used by threads of this process. Source: tcp(7), ip-route(8), ip-sysctl of
the kernel's documentation, and linux/tcp.h and snmp_counter of that documentation (TcpInCsumErrors).
"""

from __future__ import annotations

import contextlib
import random
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from headroom.core.engine_result import EngineFailure
from headroom.core.errors import EnvironmentLacks
from headroom.testbed import interfaces
from headroom.testbed.netns import run_ip
from headroom.testbed.topology import Role, Topology

SHAPE = "hosts"
ADDRESSES: dict[Role, str] = {"sender": "198.18.0.1", "receiver": "198.18.0.2"}  # RFC 2544, C.2.2: for benchmarks
PORT = 5001
FIRST_PORT = 20_000  # first port of the sender's ends
BLOCK = 4096  # octets that a sender draws at once
GLANCE_S = 0.05  # seconds between two looks at the processes while data flows
TCP_INFO_LENGTH, TOTAL_RETRANS = 104, 100  # linux/tcp.h, struct tcp_info
WINDOW = 20  # most segments that a receiver offers, as in ns-2
INITIAL_WINDOW = 2  # segments, RFC 2581, 3.1; many connections with larger ones would fill the queue at once
IP_AND_TCP = 40  # octets of headers without options


@dataclass(frozen=True)
class TcpSettings:
    """The TCP settings of both hosts. Without SACK, time stamps and the loss detection of RFC 8985, `reno` is that of
    RFC 5681.
    """

    mtu: int = 576
    congestion_control: str = "reno"
    quick_acks: bool = True
    sack: bool = False
    timestamps: bool = False

    def sysctls(self) -> dict[str, str]:
        return {
            "tcp_sack": str(int(self.sack)),
            "tcp_timestamps": str(int(self.timestamps)),
            "tcp_recovery": str(int(self.sack)),
            "tcp_early_retrans": "3" if self.sack else "0",
            "tcp_ecn": "0",
            "tcp_moderate_rcvbuf": "0",  # the receiver's window stays as the route sets it
            "tcp_no_metrics_save": "1",  # a connection starts like the first one
        }

    def route(self, role: Role, interface: str) -> str:
        """The route to the other host, for ip(8)."""
        other = next(address for host, address in ADDRESSES.items() if host != role)
        mss = self.mtu - IP_AND_TCP
        line = f"route replace {other}/32 dev {interface} src {ADDRESSES[role]} mtu {self.mtu} advmss {mss}"
        return f"{line} window {WINDOW * mss} quickack {int(self.quick_acks)} initcwnd {INITIAL_WINDOW}"


@dataclass
class Connection:
    """The transfer of a connection: octets sent and received, and the count of received octets at each moment."""

    sent: bytearray = field(default_factory=bytearray, repr=False)
    received: bytearray = field(default_factory=bytearray, repr=False)
    arrivals: list[tuple[float, int]] = field(default_factory=list, repr=False)
    retransmits: int = 0
    failure: str = ""

    def octets(self, begin: float, end: float) -> int:
        """The octets that arrived between two moments of `time.monotonic`."""
        return sum(count for moment, count in self.arrivals if begin <= moment < end)

    @property
    def first_difference(self) -> int | None:
        """The place of the first octet that differs from the sent one; None if there is none."""
        if self.sent.startswith(self.received):
            return None
        pairs = zip(self.received, self.sent, strict=False)
        return next((at for at, (sent_octet, other) in enumerate(pairs) if sent_octet != other), len(self.sent))


@dataclass(frozen=True)
class Transfer:
    """Parallel connections from sender to receiver, from `began` on for `seconds`."""

    connections: list[Connection]
    began: float
    seconds: float
    wrong_checksums: int  # segments that both hosts discarded for their checksum

    def goodput(self, begin_s: float = 0.0, end_s: float | None = None) -> float:
        """The octets a second that arrived, in order, of all connections."""
        end_s = self.seconds if end_s is None else end_s
        octets = sum(connection.octets(self.began + begin_s, self.began + end_s) for connection in self.connections)
        return octets / (end_s - begin_s)

    @property
    def retransmits(self) -> int:
        return sum(connection.retransmits for connection in self.connections)


def set_up(topology: Topology, settings: TcpSettings) -> None:
    """Gives both hosts their addresses, routes and settings; neither asks for the other's MAC address.

    Raises EnvironmentLacks if the kernel does not offer the congestion control.
    """
    for role, address in ADDRESSES.items():
        seat = topology.seats[role]
        other = next(address for address in ADDRESSES if address != role)
        name = seat.ports["0"].interface
        interfaces.inside(seat.place.name, partial(_write_settings, settings.sysctls()))
        lines = [
            f"address add {address}/32 dev {name}",
            f"neighbour replace {ADDRESSES[other]} lladdr {topology.mac(other, '0')} dev {name} nud permanent",
            settings.route(role, name),
        ]
        run_ip("\n".join(lines), seat.place.name)
    interfaces.inside(topology.seats["sender"].place.name, partial(_require_control, settings.congestion_control))


def _write_settings(settings: dict[str, str]) -> None:
    for name, value in settings.items():
        path = Path("/proc/sys/net/ipv4") / name
        if path.exists():  # other kernels have other settings
            path.write_text(f"{value}\n", encoding="ascii")


def _require_control(name: str) -> None:
    with socket.socket() as any_socket:
        try:
            any_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
        except OSError as error:
            raise EnvironmentLacks(f"This kernel has no congestion control '{name}': {error.strerror}.") from error


def transfer(topology: Topology, settings: TcpSettings, connections: int, seconds: float, seed: int) -> Transfer:
    """Sends over some connections at once, for a time that begins before they are established; then they are aborted.

    Raises EngineFailure if a process of the topology ends meanwhile, or if no connection is established.
    """
    before = _wrong_checksums(topology)
    over, threads = threading.Event(), list[threading.Thread]()
    carried = [Connection() for _ in range(connections)]
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(_socket_of(topology, "receiver"))
        listening.bind((ADDRESSES["receiver"], PORT))
        listening.listen(connections)
        sending = [stack.enter_context(_sender(topology, settings, number)) for number in range(connections)]
        ends = [listening, *sending]

        def start(work: Callable[..., None], *arguments: Any) -> None:
            threads.append(threading.Thread(target=work, args=(*arguments, over), daemon=True))
            threads[-1].start()

        began = time.monotonic()
        try:
            for number, (end, connection) in enumerate(zip(sending, carried, strict=True)):
                start(_send, end, connection, random.Random(f"{seed}/{number}"))
            while (left := began + seconds - time.monotonic()) > 0 and not any(
                connection.failure for connection in carried
            ):
                if topology.crew.attend(min(GLANCE_S, left), [listening.fileno()]):
                    end, (_, port) = listening.accept()
                    ends.append(stack.enter_context(end))
                    if (connection := _connection_of(port, carried)) is not None:
                        start(_receive, end, connection)
            for end, connection in zip(sending, carried, strict=True):
                connection.retransmits = _retransmits(end)
        finally:
            over.set()
            for end in ends:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join()
    if len(ends) == 1 + connections:
        raise EngineFailure("timeout", f"None of {connections} connections was established in {seconds:g} s.")
    return Transfer(carried, began, seconds, _wrong_checksums(topology) - before)


def _sender(topology: Topology, settings: TcpSettings, number: int) -> socket.socket:
    """The sender's end of a connection, which its port tells from others at the receiver."""
    end = _socket_of(topology, "sender")
    end.bind((ADDRESSES["sender"], FIRST_PORT + number))
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, settings.congestion_control.encode())
    # Unsent data waits here and not in the kernel.
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, settings.mtu)
    return end


def _connection_of(port: int, carried: list[Connection]) -> Connection | None:
    """The connection whose sender has a port. None, and a failure, if there is none: a decompressor made the
    segment.
    """
    if FIRST_PORT <= port < FIRST_PORT + len(carried):
        return carried[port - FIRST_PORT]
    carried[0].failure = f"A connection begins from port {port}, from which no host has sent."
    return None


def _socket_of(topology: Topology, role: Role) -> socket.socket:
    return interfaces.inside(topology.seats[role].place.name, _tcp_socket)


def _tcp_socket() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM)


def _send(end: socket.socket, connection: Connection, chance: random.Random, over: threading.Event) -> None:
    try:
        end.connect((ADDRESSES["receiver"], PORT))
        while not over.is_set():
            block = chance.randbytes(BLOCK)
            connection.sent += block
            end.sendall(block)
    except OSError as error:
        if not over.is_set():
            connection.failure = f"The sender's connection ended: {error.strerror}."


def _receive(end: socket.socket, connection: Connection, over: threading.Event) -> None:
    try:
        while octets := end.recv(1 << 16):
            connection.arrivals.append((time.monotonic(), len(octets)))
            connection.received += octets
        if not over.is_set():
            connection.failure = "The sender's connection ended before its time."
    except OSError as error:
        if not over.is_set():
            connection.failure = f"The receiver's connection ended: {error.strerror}."


def _retransmits(end: socket.socket) -> int:
    info = end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_LENGTH)
    return int(struct.unpack_from("=I", info, TOTAL_RETRANS)[0])


def _wrong_checksums(topology: Topology) -> int:
    """The segments that the hosts have discarded for their checksum since they were made."""
    return sum(interfaces.inside(topology.seats[role].place.name, _in_checksum_errors) for role in ADDRESSES)


def _in_checksum_errors() -> int:
    lines = [line.split() for line in Path("/proc/thread-self/net/snmp").read_text(encoding="ascii").splitlines()]
    names, values = (columns for columns in lines if columns[0] == "Tcp:")
    return int(dict(zip(names, values, strict=True)).get("InCsumErrors", 0))
