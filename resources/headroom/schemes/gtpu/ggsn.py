# SPDX-License-Identifier: Apache-2.0
"""A GGSN as a user plane on the wire: a program in the place of the node, with sessions by GTPv1-C.

It has the kernel's routes: GTP-U by a socket on N3, users' packets by a tun device, and from there to N6. A step ends
when it has answered Echo Requests, by which it has read what came before from both.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from headroom.core import scratch
from headroom.core.engine_result import EngineFailure
from headroom.core.implementations import Implementation
from headroom.core.machine import topology as cpus
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.sandbox import Walls
from headroom.schemes.gtpu import gtpv1_c, judge, packets
from headroom.schemes.gtpu.conversation import CONTROL, N3_HOSTS, Session
from headroom.schemes.gtpu.user_plane import N3, N6
from headroom.schemes.gtpu.wire_plane import NEXT_HOP, OWN, PATIENCE_S, PORTS, ROLE, SETTLED, SHAPE, WireUserPlane
from headroom.testbed import choice, interfaces, netns
from headroom.testbed.processes import Service
from headroom.testbed.topology import Topology

ECHO_REQUEST = 1  # TS 29.281, 6.1
APN, USERS = "internet", "10.45.0.0/16"
WATCHER = ("172.17.0.250", 31000)  # sends the Echo Requests that end a step
CONFIGURATION = """\
log stderr
 logging level set-all error
ggsn ggsn0
 gtp state-dir {folder}
 gtp bind-ip {address}
 apn {apn}
  gtpu-mode tun
  tun-device tun4
  type-support v4
  ip prefix dynamic {users}
  ip dns 0 192.0.2.53
  ip ifconfig {users}
  no shutdown
 default-apn {apn}
 no shutdown ggsn
"""


class GgsnUserPlane(WireUserPlane):
    """A GGSN, as `UserPlane` describes it. It has no N4: `open_session` creates PDP contexts."""

    def __init__(self, made: Topology, program: Service) -> None:
        super().__init__(made, program, "")
        self._sequence = 0

    def end(self) -> None:
        """Raises EngineFailure if it has ended before."""
        self._made.crew.check()

    def open_session(self, session: Session) -> Session:
        """The session as the GGSN has made it. Raises GtpuError if it refuses, EngineFailure without an answer."""
        self._sequence += 1
        sequence = self._sequence
        request = gtpv1_c.create_request(session.number, sequence, CONTROL, session.access, session.access_teid, APN)
        self._ends[N3].send(packets.udp(CONTROL, N3_HOSTS[4], gtpv1_c.PORT, gtpv1_c.PORT, request))
        for sent in self._step(()).taken:
            datagram = packets.read_udp(sent.octets)
            if datagram.destination_port != gtpv1_c.PORT:
                continue
            if context := gtpv1_c.read_create_response(datagram.payload, sequence):
                return replace(session, user=context.user, teid=context.teid, host=context.host, qfi=None)
        raise EngineFailure("refused", "The GGSN does not answer a Create PDP Context Request.")

    def _settle(self) -> None:
        for _ in range(SETTLED):
            self._sequence += 1
            echo = packets.gtpu(ECHO_REQUEST, 0, b"", sequence=self._sequence)
            self._ends[N3].send(packets.udp(WATCHER[0], N3_HOSTS[4], WATCHER[1], judge.PORT, echo))
            deadline = time.monotonic() + PATIENCE_S
            while not self._is_echoed():
                if not self._read():
                    self._made.crew.check()
                    time.sleep(0.0002)
                if time.monotonic() > deadline:
                    raise EngineFailure("timeout", f"The GGSN answers no Echo Request for {PATIENCE_S:g} s.")
        while self._read():
            pass

    def _is_echoed(self) -> bool:
        came = self._ends[N3].came
        for octets in came:
            if octets[16:20] == packets.address(WATCHER[0]):
                came.remove(octets)
                return True
        return False


@contextmanager
def of_program(found: Implementation, build: str = DEFAULT_BUILD) -> Iterator[GgsnUserPlane]:
    """The GGSN of an implementation, in a topology of its own."""
    cores = cpus.resolve(["1c"], cpus.configurations(cpus.read()))[0].cpus
    with (
        scratch.folder("headroom-ggsn-") as folder,
        choice.make("netns", SHAPE, cores, build) as made,
    ):
        program = _start(made, found.program, folder)
        with GgsnUserPlane(made, program) as plane:
            yield plane


def _start(made: Topology, command: str, folder: Path) -> Service:
    """Starts the GGSN in the node's place, with addresses and routes of the kernel, and waits until it listens."""
    seat, other = made.seats[ROLE], made.seats["generator"]
    lines = []
    for side, (port, number) in PORTS.items():
        name = seat.ports[port].interface
        lines.append(f"address add {OWN[side]}/24 dev {name}")
        # Known from the start: what waits for address resolution would be late.
        lines.append(f"neighbour add {NEXT_HOP[side]} lladdr {other.ports[number].mac} dev {name}")
    lines += [f"route add {network} via {NEXT_HOP[N3]}" for network in ("172.16.0.0/16", "192.0.2.0/24")]
    lines.append(f"route add default via {NEXT_HOP[N6]}")
    netns.run_ip("\n".join(lines), seat.place.name)
    interfaces.inside(seat.place.name, partial(Path("/proc/sys/net/ipv4/ip_forward").write_text, "1"))
    configuration = folder / "osmo-ggsn.cfg"
    text = CONFIGURATION.format(folder=folder, address=N3_HOSTS[4], apn=APN, users=USERS)
    configuration.write_text(text, encoding="utf-8")
    ready = partial(interfaces.inside, seat.place.name, _is_listening)
    walls = Walls((str(folder),), (str(folder),), ports=True)
    program = made.crew.program("user plane", (command, "-c", configuration), seat.place, ready, folder, walls=walls)
    made.crew.wait_until_ready()
    return program


def _is_listening() -> bool:
    """True if a socket of this namespace has the port of GTP-U."""
    lines: Sequence[str] = Path("/proc/thread-self/net/udp").read_text(encoding="ascii").splitlines()[1:]
    return any(int(line.split()[1].rpartition(":")[2], 16) == judge.PORT for line in lines)
