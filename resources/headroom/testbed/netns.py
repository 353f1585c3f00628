# SPDX-License-Identifier: Apache-2.0
"""Network namespaces and veth pairs on one machine: `--topology netns`.

Each run has namespaces of its own, such as `hr-<run>-gen`, `-a`, `-link` and `-b`; the next run removes the remains of
a killed one (`runs`). Source: ip-netns(8), veth(4), packet(7).
"""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from headroom.core import process_group
from headroom.core.engine_result import EngineFailure
from headroom.core.errors import EnvironmentLacks
from headroom.core.paths import DEFAULT_BUILD
from headroom.testbed import interfaces, runs
from headroom.testbed.interfaces import NAMESPACES
from headroom.testbed.processes import Crew, Place, Service
from headroom.testbed.topology import SHAPES, Port, Role, Seat, Topology, Wire, roles_of

# The names of a role's namespace and interfaces.
SUFFIX: dict[Role, str] = {
    "generator": "gen",
    "compressor": "a",
    "link": "link",
    "decompressor": "b",
    "encapsulator": "ea",
    "decapsulator": "eb",
    "sender": "tx",
    "wan": "wan",
    "receiver": "rx",
}
INTERFACES: dict[tuple[Role, str], str] = {
    ("generator", "0"): "g0",
    ("generator", "1"): "g1",
    ("sender", "0"): "host",
    ("receiver", "0"): "host",
}
# The same in every run, so that captures can be compared: locally administered, then "HR", role and port.
PORT_NUMBER = {"0": 0, "1": 1, "plain": 0, "link": 1, "a": 0, "b": 1}


@dataclass
class Netns(Topology):
    """A topology of network namespaces, which exists while its `with` block runs."""

    build: str = DEFAULT_BUILD
    queues: int = 1  # queues of each interface
    waits: bool = True  # waits until interfaces pass packets; otherwise the caller does, after starting slow processes
    run: str = field(default="", init=False)
    # States of the interfaces once they were up.
    states: dict[tuple[Role, str], interfaces.State] = field(default_factory=dict, init=False)

    name = "netns"

    def make(self) -> None:
        if reason := lacks():
            raise EnvironmentLacks(reason)
        remove_dead()
        # There is no safe moment to be ended between making a folder and its content.
        with process_group.uninterrupted():
            self.run, folder = runs.claim("netns", self._namespaces)
            self.crew = Crew(folder, self.build)
        self.seats = {role: self._seat(role) for role in roles_of(self.shape)}
        for seat in self.seats.values():
            run_ip(f"netns add {seat.place.name}")
            interfaces.inside(seat.place.name, interfaces.quieten)
        for wire in SHAPES[self.shape]:
            run_ip(self._veth(wire))
        for seat in self.seats.values():
            self._set_up(seat)
        if self.waits:
            self.wait_until_running()

    def wait_until_running(self) -> None:
        """Waits until all interfaces pass packets. Raises EnvironmentLacks if one does not in time."""
        for seat in self.seats.values():
            names = [port.interface for port in seat.ports.values()]
            interfaces.inside(seat.place.name, partial(interfaces.wait_until_running, names))
        self.states = self._states()

    def _seat(self, role: Role) -> Seat:
        namespace = _namespace(self.run, role)
        ends = [(end, wire.mtu) for wire in SHAPES[self.shape] for end in (wire.one, wire.other)]
        ports = {name: _port(role, name, mtu) for (owner, name), mtu in ends if owner == role}
        place = Place(namespace, ("ip", "netns", "exec", namespace))
        return Seat(role, place, ports, self.allotment.cores[role])

    def _veth(self, wire: Wire) -> str:
        def end(whose: tuple[Role, str]) -> str:
            seat = self.seats[whose[0]]
            port = seat.ports[whose[1]]
            queues = f"numtxqueues {self.queues} numrxqueues {self.queues}"
            return f"name {port.interface} address {port.mac} mtu {wire.mtu} {queues} netns {seat.place.name}"

        return f"link add {end(wire.one)} type veth peer {end(wire.other)}"

    def _set_up(self, seat: Seat) -> None:
        names = [port.interface for port in seat.ports.values()]
        interfaces.inside(seat.place.name, partial(interfaces.without_offloads, names))
        lines = [f"link set dev {name} up" for name in ("lo", *names)]
        run_ip("\n".join(lines), seat.place.name)

    def start(self, role: Role, command: str, job: dict[str, Any], ends_by_itself: bool = False) -> Service:
        """Starts a role. Raises EngineFailure as `look` does."""
        self.look()
        return super().start(role, command, job, ends_by_itself)

    def look(self) -> None:
        """Raises EngineFailure if a namespace of this run was removed, or an interface was set down, even for a
        while.
        """
        for seat in self.seats.values():
            path = NAMESPACES / seat.place.name
            if not path.exists():
                raise EngineFailure(
                    "input",
                    f"The network namespace {seat.place.name} of the {seat.role} no longer exists: it was removed "
                    "while it was needed.",
                )
        if self.states and (wrong := interfaces.gone_down(self.states, self._states())):
            (role, name), what = wrong
            where = f"The interface {name} of the {role}, in {self.seats[role].place.name},"
            raise EngineFailure("input", f"{where} {what} while it was needed.")

    def _states(self) -> dict[tuple[Role, str], interfaces.State]:
        return {
            (role, name): state
            for role, seat in self.seats.items()
            for name, state in interfaces.inside(seat.place.name, interfaces.states).items()
        }

    def remove(self) -> None:
        if self.run:
            with process_group.uninterrupted():
                if _remove(self.run, self._namespaces(self.run)):
                    runs.release(self.run)

    def _namespaces(self, run: str) -> list[str]:
        return [_namespace(run, role) for role in roles_of(self.shape)]


def lacks() -> str:
    """The reason why this machine cannot use namespaces, as a sentence with a way out; empty if it can, as far as is
    known.
    """
    if os.geteuid() != 0:
        return "Network namespaces need root: run it as root (sudo), or use --topology process."
    if shutil.which("ip") is None:
        return "Network namespaces need the program ip: apt-get install iproute2."
    return ""


def probe() -> str:
    """The reason why this machine cannot use namespaces, after an attempt to make one with a veth pair."""
    if reason := lacks():
        return reason
    try:
        with _noted("probe") as name:
            run_ip(f"netns add {name}")
            run_ip("link add one type veth peer name other", name)
            return ""
    except EnvironmentLacks as error:
        return str(error)


@contextlib.contextmanager
def alone() -> Iterator[Place]:
    """A namespace with only its loopback, for a program that needs its ports to itself.

    Raises EnvironmentLacks if the machine cannot make one.
    """
    if reason := lacks():
        raise EnvironmentLacks(reason)
    remove_dead()
    with _noted(SUFFIX["generator"]) as name:
        run_ip(f"netns add {name}")
        run_ip("link set dev lo up", name)
        yield Place(name, ("ip", "netns", "exec", name))


@contextlib.contextmanager
def _noted(suffix: str) -> Iterator[str]:
    """The name of a namespace that is about to be made, noted so that it is removed in any case: at the end of the
    block, or with the next removal of dead runs' remains.
    """
    run, name = "", ""
    try:
        with process_group.uninterrupted():
            run, _ = runs.claim("netns", lambda run: [f"{runs.PREFIX}-{run}-{suffix}"])
            name = f"{runs.PREFIX}-{run}-{suffix}"
        yield name
    finally:
        with process_group.uninterrupted():
            if run and _remove(run, [name]):
                runs.release(run)


def remove_dead() -> list[str]:
    """Removes the namespaces of runs whose process is dead. Returns their names."""
    return runs.remove_dead("netns", _remove)


def _namespace(run: str, role: Role) -> str:
    return f"{runs.PREFIX}-{run}-{SUFFIX[role]}"


def _port(role: Role, name: str, mtu: int) -> Port:
    mac = f"02:48:52:00:{list(SUFFIX).index(role):02x}:{PORT_NUMBER[name]:02x}"
    return Port(name, mac, INTERFACES.get((role, name), name), mtu=mtu)


def _remove(run: str, namespaces: list[str]) -> bool:
    """Ends the processes in a run's namespaces, and removes the namespaces. Returns True if they are gone. The veth
    pairs go with them.
    """
    for name in namespaces:
        if (NAMESPACES / name).exists():
            _end_processes(name)
            _delete(name)
    return not any((NAMESPACES / name).exists() for name in namespaces)


def _end_processes(namespace: str) -> None:
    """Ends processes that still run in a namespace, which they would keep; our own processes have ended, so these are
    left-overs.
    """
    for _ in range(50):
        listing = subprocess.run(["ip", "netns", "pids", namespace], capture_output=True, text=True).stdout.split()
        if not listing:
            return
        for pid in listing:
            with contextlib.suppress(ProcessLookupError, PermissionError, ValueError):
                os.kill(int(pid), signal.SIGKILL)
        time.sleep(0.02)


def _delete(namespace: str) -> None:
    subprocess.run(["ip", "netns", "del", namespace], capture_output=True)


def run_ip(lines: str, namespace: str = "") -> None:
    """Runs lines of ip(8), in a namespace if one is named. Raises EnvironmentLacks with ip's message."""
    where = ["-n", namespace] if namespace else []
    process = subprocess.run(["ip", *where, "-batch", "-"], input=lines + "\n", capture_output=True, text=True)
    if process.returncode != 0:
        complaint = next((line.strip() for line in process.stderr.splitlines() if line.strip()), "it gave no reason")
        first = lines.splitlines()[0]
        raise EnvironmentLacks(f"`ip {' '.join([*where, first])}` failed: {complaint}. {_advice(complaint)}")


def _advice(complaint: str) -> str:
    if "Operation not permitted" in complaint:
        return "Root alone is not enough: a container needs the capabilities NET_ADMIN and SYS_ADMIN."
    if "Unknown device type" in complaint or "not supported" in complaint:
        return "This kernel has no veth interfaces (module veth)."
    return "See ip-netns(8)."
