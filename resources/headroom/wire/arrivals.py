# SPDX-License-Identifier: Apache-2.0
"""What arrives where a generator receives, and whether it is what was sent, octet by octet.

TRex counts packets and looks into none of them. So before trials some packets are caught beside it, at the interfaces
on which it receives (packet(7)), and compared with those that the engine has rendered.
"""

from __future__ import annotations

import select
import socket
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType

from headroom.errors import EnvironmentLacks, HeadroomError
from headroom.wire import interfaces

ETH_P_ALL = 3
SO_RCVBUFFORCE = 33  # socket(7): beyond net.core.rmem_max, which root may go
BUFFER = 64 << 20  # octets; the kernel counts about 2,300 for a packet of 1,400
LONGEST = 65536
LOOK_S = 0.05
ETHERNET = 14
IP_TYPES = (b"\x08\x00", b"\x86\xdd")
SHOWN = 3  # of the packets that came out otherwise


class NotAsSent(HeadroomError):
    """What came out is not what went in: the nodes' fault, and no loss."""


@dataclass(frozen=True)
class Proof:
    """Packets of one direction: `sent`, `equal` to one of those, `lost`, and `others`, which nobody has sent."""

    sent: int
    equal: int
    others: Sequence[bytes] = ()

    @property
    def lost(self) -> int:
        return max(0, self.sent - self.equal - len(self.others))


class Listener:
    """Catches what arrives on interfaces of a network namespace, as long as its block runs.

    `interfaces_` are names by a key of the caller's. Raises EnvironmentLacks where it may not listen.
    """

    def __init__(self, namespace: str, interfaces_: Mapping[int, str]) -> None:
        self._namespace, self._names = namespace, dict(interfaces_)
        self._sockets: dict[int, socket.socket] = {}
        self._frames: dict[int, list[bytes]] = {key: [] for key in interfaces_}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Listener:
        for key, name in self._names.items():
            self._sockets[key] = interfaces.inside(self._namespace, partial(_opened, name))
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        for one in self._sockets.values():
            one.close()

    def _listen(self) -> None:
        keys = {one.fileno(): key for key, one in self._sockets.items()}
        while not self._over.is_set():
            ready, _, _ = select.select(list(self._sockets.values()), [], [], LOOK_S)
            for one in ready:
                frame, address = one.recvfrom(LONGEST)
                if address[2] != socket.PACKET_OUTGOING:
                    self._frames[keys[one.fileno()]].append(frame)

    def packets(self, key: int) -> list[bytes]:
        """IP packets that have arrived so far, without what Ethernet fills short ones up with."""
        return [packet for frame in list(self._frames[key]) if (packet := ip_packet(frame))]


def _opened(interface: str) -> socket.socket:
    try:
        door = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        door.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
        door.bind((interface, 0))
        return door
    except OSError as error:
        raise EnvironmentLacks(f"The interface {interface} cannot be listened on: {error.strerror}.") from error


def ip_packet(frame: bytes) -> bytes:
    """The IP packet of an Ethernet frame, as long as it says that it is; empty where the frame carries none."""
    packet = frame[ETHERNET:]
    if frame[12:14] not in IP_TYPES or len(packet) < 20:
        return b""
    length = 40 + int.from_bytes(packet[4:6], "big") if packet[0] >> 4 == 6 else int.from_bytes(packet[2:4], "big")
    return packet[:length]


def compare(sent: Iterable[bytes], arrived: Iterable[bytes]) -> Proof:
    """Every packet that arrived must be one of those sent, and come as often."""
    wanted, found = Counter(sent), Counter(arrived)
    equal = sum((wanted & found).values())
    return Proof(sum(wanted.values()), equal, tuple((found - wanted).elements()))


def require(proofs: Mapping[str, Proof]) -> str:
    """A sentence about proofs by direction. Raises NotAsSent where something has come out that was not sent."""
    for direction, proof in proofs.items():
        if proof.others:
            shown = "; ".join(packet[:64].hex() for packet in proof.others[:SHOWN])
            raise NotAsSent(
                f"{direction.capitalize()}, {len(proof.others)} of {proof.sent} packets came out other than they went "
                f"in, the first ones beginning with {shown}."
            )
        if not proof.equal:
            raise NotAsSent(f"{direction.capitalize()}, none of {proof.sent} packets arrived.")
    told = ", ".join(f"{proof.equal} of {proof.sent} {direction}" for direction, proof in proofs.items())
    return f"TRex counts arrivals and does not compare them; before its trials {told} arrived octet by octet as sent."
