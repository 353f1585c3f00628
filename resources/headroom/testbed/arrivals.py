# SPDX-License-Identifier: Apache-2.0
"""Packets that arrive at a generator's receiving ports, compared octet by octet with those that were sent.

TRex counts packets and looks into none of them. So packets are captured beside it, at the interfaces on which it
receives (packet(7)), and compared with those that the engine has rendered.
"""

import select
import socket
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

from headroom.core.errors import EnvironmentLacks, HeadroomError
from headroom.testbed import interfaces
from headroom.testbed.bridge_noise import is_stray
from headroom.testbed.packet_socket import missed_by, packet_socket
from headroom.testbed.trial import Trial

LONGEST = 65536
LOOK_S = 0.05
ETHERNET = 14
IP_TYPES = (b"\x08\x00", b"\x86\xdd")
PROOF_PPS, PROOF_S = 1000.0, 1.0
UNCOMPARED = "TRex counts arrivals and does not compare them; no other program can listen on its network cards."


class NotAsSent(HeadroomError):
    """Raised if the output differs from the input: a fault of the nodes, not a loss."""


@dataclass(frozen=True)
class Tap:
    """The place for listening: a network namespace by its name or its file, and the names of its interfaces by number
    of the port. `bridged` if bridges send packets of their own, which do not count.
    """

    namespace: str
    interfaces: Mapping[int, str]
    bridged: bool = False


@dataclass(frozen=True)
class ArrivalComparison:
    """The comparison of arrivals: `equal` counts packets that were sent, `others` those that were not."""

    equal: int
    others: Sequence[bytes] = ()


class Listener:
    """Captures arrivals while its block runs. Raises EnvironmentLacks if it may not listen."""

    def __init__(self, tap: Tap) -> None:
        self._tap = tap
        self._sockets: dict[int, socket.socket] = {}
        self._frames: dict[int, list[bytes]] = {port: [] for port in tap.interfaces}
        self._failure = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Self:
        for port, name in self._tap.interfaces.items():
            self._sockets[port] = interfaces.inside(self._tap.namespace, partial(packet_socket, name))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        for opened in self._sockets.values():
            opened.close()

    def _listen(self) -> None:
        ports = {socket: port for port, socket in self._sockets.items()}
        while not self._over.is_set():
            ready, _, _ = select.select(list(ports), [], [], LOOK_S)
            for one in ready:
                try:
                    frame, address = one.recvfrom(LONGEST)
                except OSError as error:  # the interface has gone down
                    self._failure = f"{self._tap.interfaces[ports[one]]}: {error.strerror}"
                    return
                if address[2] != socket.PACKET_OUTGOING:
                    self._frames[ports[one]].append(frame)

    def forget(self) -> None:
        """Drops all arrivals so far."""
        for caught in self._frames.values():
            caught.clear()
        self.missed()

    def packets(self, port: int) -> list[bytes]:
        """The IP packets that have arrived at a port, without Ethernet's padding.

        Raises EnvironmentLacks if listening has ended meanwhile.
        """
        if self._failure:
            raise EnvironmentLacks(f"Capturing packets failed on the interface {self._failure}.")
        packets = [packet for frame in list(self._frames[port]) if (packet := ip_packet(frame))]
        return [packet for packet in packets if not (self._tap.bridged and is_stray(packet))]

    def missed(self) -> int:
        """The number of frames that could not be captured, since the last call."""
        return sum(missed_by(socket) for socket in self._sockets.values())


def ip_packet(frame: bytes) -> bytes:
    """The IP packet of an Ethernet frame, by the length in its header; empty if the frame carries none."""
    packet = frame[ETHERNET:]
    if frame[12:14] not in IP_TYPES or len(packet) < 20:
        return b""
    length = 40 + int.from_bytes(packet[4:6], "big") if packet[0] >> 4 == 6 else int.from_bytes(packet[2:4], "big")
    return packet[:length]


def compare(sent: Iterable[bytes], arrived: Iterable[bytes]) -> ArrivalComparison:
    """Compares arrivals with sent packets: every arrival must be one of those sent, and not arrive more often."""
    expected, received = Counter(sent), Counter(arrived)
    return ArrivalComparison(sum((expected & received).values()), tuple((received - expected).elements()))


def require(trial: Trial) -> str:
    """A sentence about a trial whose packets were compared. Raises NotAsSent if other packets came out than went in."""
    if not all(direction.compared for direction in trial.directions):
        return next((note for note in trial.notes if note.startswith("TRex counts")), UNCOMPARED)
    sentences = []
    for name, one in zip(("forward", "reverse"), trial.directions, strict=False):
        if one.unexpected or not one.received:
            what = f"{one.unexpected} of {one.sent} packets" if one.received else f"all of {one.sent} packets"
            raise NotAsSent(f"{name.capitalize()}, {what} came out changed, or not at all.")
        sentences.append(f"{one.received} of {one.sent} {name}")
    return (
        f"TRex counts arrivals and does not compare them; of the packets that were sent before its trials, "
        f"{' and '.join(sentences)} arrived, octet by octet as sent."
    )
