# SPDX-License-Identifier: Apache-2.0
"""Frames that arrive at several interfaces of a topology, with the times of their arrival."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

from headroom.core.errors import HeadroomError
from headroom.testbed import interfaces
from headroom.testbed.packet_socket import missed_by, packet_socket, timed_frame
from headroom.testbed.topology import Role, Topology

Point = tuple[Role, str]  # a role and the name of its port
DRAIN_S = (
    0.1  # seconds; the kernel keeps frames in between: a process that waits for each of them would take time from nodes
)


@dataclass(frozen=True)
class Arrival:
    """A frame, and the kernel's time stamp of its arrival: nanoseconds of the real-time clock."""

    time_ns: int
    frame: bytes


class RecordingGap(HeadroomError):
    """Raised if frames passed that were not recorded, so that nothing is known of all of them."""

    verdict = "error"


class Recorder:
    """Records arrivals at some ports while its block runs; `arrivals` are complete after it.

    For topologies whose places are network namespaces of this machine. Raises EnvironmentLacks if the ports cannot be
    listened on, RecordingGap at the end of the block if frames came too fast.
    """

    def __init__(self, topology: Topology, points: Sequence[Point]) -> None:
        self._made = topology
        self.arrivals: dict[Point, list[Arrival]] = {point: [] for point in points}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._record, daemon=True)

    def __enter__(self) -> Self:
        self._sockets = {}
        for role, name in self.arrivals:
            seat = self._made.seats[role]
            work = partial(packet_socket, seat.ports[name].interface, timestamps=True)
            self._sockets[role, name] = interfaces.inside(seat.place.name, work)
            self._sockets[role, name].setblocking(False)
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._over.set()
        self._thread.join()
        missed = sum(missed_by(socket) for socket in self._sockets.values())
        for socket in self._sockets.values():
            socket.close()
        if missed and kind is None:
            raise RecordingGap(
                f"{missed} frames came too fast to be recorded: repeat it with fewer packets, or at a lower rate."
            )

    def _record(self) -> None:
        while not self._over.wait(DRAIN_S):
            self._drain()
        self._drain()

    def _drain(self) -> None:
        for point, socket in self._sockets.items():
            try:
                while True:
                    if frame := timed_frame(socket):
                        self.arrivals[point].append(Arrival(*frame))
            except OSError:  # no more frames, or the interface is gone: the topology reports that
                continue
