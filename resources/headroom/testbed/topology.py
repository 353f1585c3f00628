# SPDX-License-Identifier: Apache-2.0
"""Topologies: the place, the interfaces and the cores of each role.

The roles are wired in one of a few shapes. The generator's port 0 is at the compressor's end, its port 1 at the
decompressor's; a node has a `plain` and a `link` port, the link on the wire has `a` and `b`:

generator 0 -- plain compressor link -- a link b -- link decompressor plain -- 1 generator

An encapsulator and a decapsulator are nodes, too. They carry the link packets of the other two. A sender and a receiver
are hosts of the kernel's, with the network `wan`, another link, between the sender and the compressor.
"""

import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Self, get_args

from headroom.testbed import interfaces
from headroom.testbed.packet_socket import packet_socket
from headroom.testbed.processes import Crew, Place, Service

Role = Literal[
    "generator", "sender", "wan", "compressor", "encapsulator", "link", "decapsulator", "decompressor", "receiver"
]
Idle = Literal["poll", "sleep"]
ROLES: tuple[Role, ...] = get_args(Role)

PLAIN_MTU = 1500
LINK_MTU = 1500


@dataclass(frozen=True)
class Port:
    """An interface of a role: a network interface, a NIC by PCI address, or a vdev of DPDK."""

    name: str
    mac: str = ""
    interface: str = ""
    pci: str = ""
    vdev: str = ""
    driver: str = "af_packet"
    mtu: int = PLAIN_MTU

    def as_job(self) -> dict[str, Any]:
        """The port in a job of the engine."""
        if self.pci:
            return {"pci": self.pci}
        if self.vdev:
            return {"vdev": self.vdev}
        return {"interface": self.interface, "driver": self.driver}


@dataclass(frozen=True)
class Seat:
    """The place of a role. A core occurs twice in `cores` if two of its threads have to share it."""

    role: Role
    place: Place
    ports: dict[str, Port]
    cores: tuple[int, ...]


@dataclass(frozen=True)
class Wire:
    """Two ports that are connected, each as (role, name of the port)."""

    one: tuple[Role, str]
    other: tuple[Role, str]
    mtu: int = PLAIN_MTU


SHAPES: dict[str, tuple[Wire, ...]] = {
    "full": (
        Wire(("generator", "0"), ("compressor", "plain")),
        Wire(("compressor", "link"), ("link", "a"), LINK_MTU),
        Wire(("link", "b"), ("decompressor", "link"), LINK_MTU),
        Wire(("decompressor", "plain"), ("generator", "1")),
    ),
    "nodes": (  # no link between them: the limit of the nodes alone
        Wire(("generator", "0"), ("compressor", "plain")),
        Wire(("compressor", "link"), ("decompressor", "link"), LINK_MTU),
        Wire(("decompressor", "plain"), ("generator", "1")),
    ),
    "carried": (  # link packets of two nodes travel in those of another scheme between the other two
        Wire(("generator", "0"), ("compressor", "plain")),
        Wire(("compressor", "link"), ("encapsulator", "plain"), LINK_MTU),
        Wire(("encapsulator", "link"), ("decapsulator", "link"), LINK_MTU),
        Wire(("decapsulator", "plain"), ("decompressor", "link"), LINK_MTU),
        Wire(("decompressor", "plain"), ("generator", "1")),
    ),
    "hosts": (  # the kernel's TCP from a fixed host to a mobile one
        Wire(("sender", "0"), ("wan", "a")),
        Wire(("wan", "b"), ("compressor", "plain")),
        Wire(("compressor", "link"), ("link", "a"), LINK_MTU),
        Wire(("link", "b"), ("decompressor", "link"), LINK_MTU),
        Wire(("decompressor", "plain"), ("receiver", "0")),
    ),
    "node": (  # a node that forwards both ways: a user plane, or a bare bridge, the floor of a node
        Wire(("generator", "0"), ("compressor", "plain")),
        Wire(("compressor", "link"), ("generator", "1"), LINK_MTU),
    ),
    "link": (Wire(("generator", "0"), ("link", "a")), Wire(("link", "b"), ("generator", "1"))),
    "loop": (Wire(("generator", "0"), ("generator", "1")),),  # the control of every latency
}


def roles_of(shape: str) -> tuple[Role, ...]:
    """The roles of a shape, in the order of `ROLES`."""
    there = {role for wire in SHAPES[shape] for role, _ in (wire.one, wire.other)}
    return tuple(role for role in ROLES if role in there)


@dataclass(frozen=True)
class Allotment:
    """The cores of each role; `shared` are those of more than one role or worker, and `note` names the sharers."""

    cores: dict[Role, tuple[int, ...]]
    shared: frozenset[int] = frozenset()
    note: str = ""

    def idle(self, role: Role) -> Idle:
        """The behaviour of a role while nothing arrives: a role that shares a core must let the others work."""
        return "sleep" if self.shared.intersection(self.cores.get(role, ())) else "poll"


def allot(roles: Sequence[Role], measured: Sequence[int], usable: Sequence[int], senders: int = 1) -> Allotment:
    """Gives the measured cores to the compressor, as many to the decompressor, one to the link, some to the generator.

    The decompressor has as many workers as the compressor, because each compressor's worker is a channel of its own.
    `senders` is the number of cores that the generator can use. If there are too few cores for all, the generator keeps
    one as long as there is one, because a generator that falls behind measures nothing. Link and decompressor share the
    remaining cores, or the measured ones if none remain. If there are only the measured cores, all roles share all.
    """
    rest = [core for core in usable if core not in measured]
    counts: dict[Role, int] = {
        role: len(measured) if role == "decompressor" else 1 for role in roles if role != "compressor"
    }
    cores: dict[Role, tuple[int, ...]] = {"compressor": tuple(measured)} if "compressor" in roles else {}
    if sum(counts.values()) <= len(rest):
        spare = len(rest) - sum(counts.values())
        if "generator" in counts:
            counts["generator"] += min(spare, senders - 1)
        for role, count in counts.items():
            cores[role], rest = tuple(rest[:count]), rest[count:]
        return Allotment(cores)
    if "generator" in counts and rest:
        cores["generator"] = (rest.pop(0),)
        del counts["generator"]
    pool = rest or list(measured)
    for role, count in counts.items():
        cores[role] = tuple(pool[index % len(pool)] for index in range(count))
    return Allotment(cores, *_sharing(cores))


def taking_turns(roles: Sequence[Role], usable: Sequence[int]) -> Allotment:
    """Gives each role a core, in turn, for work that no core limits: all roles sleep while nothing arrives."""
    cores = {role: (usable[number % len(usable)],) for number, role in enumerate(roles)}
    return Allotment(cores, frozenset(usable), "all roles take turns on the cores")


def _sharing(cores: dict[Role, tuple[int, ...]]) -> tuple[frozenset[int], str]:
    """The cores on which more than one thread works, and a sentence that names the roles."""
    used = sorted({core for cores_of_role in cores.values() for core in cores_of_role})
    users = {core: [role for role in ROLES for other in cores.get(role, ()) if other == core] for core in used}
    shared = {core: list(dict.fromkeys(names)) for core, names in users.items() if len(names) > 1}
    sentences = [
        f"{_and(names)} share core {core}" if len(names) > 1 else f"all workers of the {names[0]} share core {core}"
        for core, names in shared.items()
    ]
    return frozenset(shared), "; ".join(sentences)


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def with_libraries(job: dict[str, Any], there: Callable[[str], str]) -> dict[str, Any]:
    """A job with the paths of its adapters in another place."""
    moved = {
        side: adapter | {"library": there(str(adapter["library"]))}
        for side in ("compressor", "decompressor", "endpoint")
        if isinstance(adapter := job.get(side), dict) and "library" in adapter
    }
    return job | moved


@dataclass
class Topology(ABC):
    """The topology of a measurement. Use it with `with`: entering makes it, leaving removes every trace."""

    shape: str
    allotment: Allotment
    seats: dict[Role, Seat] = field(default_factory=dict, init=False)
    crew: Crew = field(init=False)
    notes: list[str] = field(default_factory=list, init=False)  # remarks for readers of results

    name = ""  # its word on the command line
    bridged = False  # True if bridges of this machine are between the roles, which send packets by themselves

    @abstractmethod
    def make(self) -> None:
        """Makes the places of the roles, sets `seats` and `crew`. Raises EnvironmentLacks if the machine cannot."""

    @abstractmethod
    def remove(self) -> None:
        """Removes everything that `make` has made, even if it failed; the crew's processes have ended."""

    def start(self, role: Role, command: str, job: dict[str, Any], ends_by_itself: bool = False) -> Service:
        """Starts the engine in the place of a role; `idle` is added to the job. The crew watches it from then on."""
        whole = {"idle": self.allotment.idle(role)} | job
        return self.crew.engine(role, command, whole, self.seats[role].place, ends_by_itself)

    def start_node(self, role: Role, job: dict[str, Any]) -> Service:
        """Starts a node on the ports and cores of a role. `job` is the rest of its job."""
        seat = self.seats[role]
        ports = {name: seat.ports[name].as_job() for name in ("plain", "link")}
        mtu = {name: seat.ports[name].mtu for name in ("plain", "link")}
        return self.start(role, "node", {**ports, "mtu": mtu, "workers": list(seat.cores), **job})

    def packet_socket(self, role: Role, port: str) -> socket.socket:
        """A socket for all frames of a role's port. Raises EnvironmentLacks if this process cannot open one."""
        seat = self.seats[role]
        opened: Callable[[], socket.socket] = partial(packet_socket, seat.ports[port].interface)
        return interfaces.inside(seat.place.name, opened)

    def mac(self, role: Role, port: str) -> str:
        """The MAC address of a role's port, once the role has started; "" if it is not known."""
        return self.seats[role].ports[port].mac

    def look(self) -> None:  # noqa: B027 (there need not be anything to see)
        """Raises EngineFailure if a part of the topology is gone, or down; as far as can be seen."""

    def describe(self) -> dict[str, Any]:
        """The place of a run, for result records."""
        return {
            "name": self.name,
            "shape": self.shape,
            "cores": {role: list(seat.cores) for role, seat in self.seats.items()},
            "idle": {role: self.allotment.idle(role) for role in self.seats},
            "note": self.allotment.note,
            **({"notes": self.notes} if self.notes else {}),
        }

    def __enter__(self) -> Self:
        try:
            self.make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if hasattr(self, "crew"):
                self.crew.close()
        finally:
            self.remove()
