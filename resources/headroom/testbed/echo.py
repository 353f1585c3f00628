# SPDX-License-Identifier: Apache-2.0
"""Round trips over a topology: packets from the generator's port 0, which its port 1 answers.

Arrivals have the kernel's times, so that this process's time to answer does not count.
"""

import contextlib
import select
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from headroom.testbed import interfaces
from headroom.testbed.arrivals import IP_TYPES, ip_packet
from headroom.testbed.packet_socket import packet_socket, timed_frame
from headroom.testbed.topology import Topology

LOOK_S = 0.2
DRAIN_S = 1.0  # seconds after the last packet


@dataclass(frozen=True)
class RoundTrip:
    """The nanoseconds from sending to arriving, there and back; None if the packet or its answer did not arrive."""

    there_ns: int | None = None
    back_ns: int | None = None

    @property
    def whole_ns(self) -> int | None:
        """The time of both ways; None unless both arrived."""
        return None if self.there_ns is None or self.back_ns is None else self.there_ns + self.back_ns


def round_trips(
    topology: Topology, packets: Sequence[bytes], gaps_s: Sequence[float], answer: Callable[[bytes], bytes]
) -> list[RoundTrip]:
    """Sends IP packets, each a gap after the one before, and answers arrivals. No packet is sent twice.

    Only packets that arrive unchanged count. Raises EngineFailure if a process of the topology ends.
    """
    seat = topology.seats["generator"]
    ports = [seat.ports[name] for name in ("0", "1")]
    doors = [
        interfaces.inside(seat.place.name, partial(packet_socket, port.interface, timestamps=True)) for port in ports
    ]
    macs = [bytes.fromhex(port.mac.replace(":", "")) for port in ports]
    sent: dict[bytes, int] = {}
    answered: dict[bytes, tuple[bytes, int]] = {}  # by answer: the packet, and when the answer left
    there: dict[bytes, int] = {}
    back: dict[bytes, int] = {}

    def send(port: int, packet: bytes) -> int:
        """Sends a packet. Returns the time at which that began."""
        began = time.time_ns()
        doors[port].send(macs[1 - port] + macs[port] + IP_TYPES[packet[0] >> 4 == 6] + packet)
        return began

    def take(port: int) -> None:
        frame = timed_frame(doors[port])
        if frame is None:
            return
        time_ns, packet = frame[0], ip_packet(frame[1])
        if port == 1 and packet in sent and packet not in there:
            there[packet] = time_ns - sent[packet]
            reply = answer(packet)
            answered[reply] = packet, send(1, reply)
        elif port == 0 and packet in answered and answered[packet][0] not in back:
            request, left_ns = answered[packet]
            back[request] = time_ns - left_ns

    def attend(until: float) -> None:
        while (left := until - time.monotonic()) > 0 and not (len(sent) == len(packets) == len(back)):
            ready, _, _ = select.select(doors, [], [], min(left, LOOK_S))
            for door in ready:
                take(doors.index(door))
            topology.crew.check()

    with contextlib.ExitStack() as stack:
        for door in doors:
            stack.enter_context(door)
        due = time.monotonic()
        for packet, gap_s in zip(packets, gaps_s, strict=True):
            due += gap_s
            attend(due)
            sent[packet] = send(0, packet)
        attend(time.monotonic() + DRAIN_S)
    return [RoundTrip(there.get(packet), back.get(packet)) for packet in packets]
