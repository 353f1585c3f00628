# SPDX-License-Identifier: Apache-2.0
"""Containers on one machine: `--topology compose`, the services of docker/compose.yaml.

Each run is a Compose project of its own, `hr-<run>`; the next run removes the remains of a killed one (`runs`). The
generator's container waits, and one process in it makes all trials of a line; nodes and the link run until they are
stopped.

The daemon may die at any time, and containers may be any vendor's: requests to Docker have a time limit, and containers
can be looked at and ended without it.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from functools import partial
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

from headroom.core import process_group
from headroom.core.engine_result import EngineFailure
from headroom.core.errors import EnvironmentLacks
from headroom.core.paths import DEFAULT_BUILD, ROOT
from headroom.testbed import bridges, containers, interfaces, runs, stopped_process
from headroom.testbed.packet_socket import packet_socket
from headroom.testbed.processes import Crew, Place, Service, answer_of
from headroom.testbed.topology import SHAPES, Port, Role, Seat, Topology, roles_of, with_libraries
from headroom.testbed.trex import container as trex_container

FILE = ROOT / "docker" / "compose.yaml"
LIBRARIES = "/opt/headroom/lib"  # folder of the adapters, in the image
OUR_IMAGE = "headroom/engine:latest"  # as docker/compose.yaml has it
UP_S = 60.0  # seconds for making a container
ASK_S = 5.0  # seconds for an answer of a control socket through Docker
ATTEMPTS = 3  # tries to find addresses that no other run takes meanwhile
FIRST_SUBNET, SUBNETS = 64, 128  # 10.64 to 10.191
_run = partial(containers.run, tied=True)  # Compose must not continue to make containers after this process was killed
SUBNET_VARIABLE = "HEADROOM_SUBNET"

GENERATOR: dict[tuple[Role, str], str] = {("generator", "0"): "0.2", ("generator", "1"): "3.2"}
# The address of each port in docker/compose.yaml, by shape, below the project's own 10.<n>.
ADDRESSES: dict[str, dict[tuple[Role, str], str]] = {
    "full": GENERATOR
    | {
        ("compressor", "plain"): "0.3",
        ("compressor", "link"): "1.2",
        ("link", "a"): "1.3",
        ("link", "b"): "2.2",
        ("decompressor", "link"): "2.3",
        ("decompressor", "plain"): "3.3",
    },
    "node": GENERATOR | {("compressor", "plain"): "0.4", ("compressor", "link"): "3.4"},
}
SERVICES: dict[str, dict[Role, str]] = {  # services of docker/compose.yaml, by shape
    "full": {role: role for role in roles_of("full")},
    "node": {"generator": "generator", "compressor": "user-plane"},
}


@dataclass
class Compose(Topology):
    """A topology of containers, which exists while its `with` block runs. Its shapes are `full` and `node`."""

    build: str = DEFAULT_BUILD
    with_trex: bool = False  # True if the generator's container runs TRex
    mounted: trex_container.Mount | None = field(default=None, init=False)
    run: str = field(default="", init=False)
    subnet: str = field(default="", init=False)  # the first half of all addresses
    found: containers.DockerInstallation = field(default_factory=containers.DockerInstallation, init=False)
    made: dict[Role, Container] = field(default_factory=dict, init=False)
    states: dict[tuple[Role, str], interfaces.State] = field(default_factory=dict, init=False)  # states of interfaces

    name = "compose"
    bridged = True

    @property
    def project(self) -> str:
        return f"{runs.PREFIX}-{self.run}"

    def make(self) -> None:
        if self.shape not in SERVICES:
            wired = " and ".join(f"'{shape}'" for shape in SERVICES)
            raise EnvironmentLacks(
                f"docker/compose.yaml is wired as {wired}, not as '{self.shape}': use --topology netns."
            )
        if reason := lacks():
            raise EnvironmentLacks(reason)
        self.found = containers.look()
        for image in (OUR_IMAGE, *([trex_container.IMAGE] if self.with_trex else ())):
            containers.require_image(image, obtain="docker/build")
        remove_dead()
        with process_group.uninterrupted():
            self.run, folder = runs.claim("compose", lambda run: [f"{runs.PREFIX}-{run}"])
            self.crew = Crew(folder, self.build)
            self.mounted = trex_container.mount() if self.with_trex else None
        self.crew.glances.append(partial(look_at_daemon, containers.daemon_pid()))
        generator = self._first()
        for role in roles_of(self.shape):
            self.seats[role] = Seat(role, Place(), self._ports(role), self.allotment.cores[role])
        serving = ("docker", "exec", "-i", generator.id)
        place = Place(generator.name, serving, ("start", "exec"))
        self.seats["generator"] = Seat("generator", place, self._ports("generator"), self.allotment.cores["generator"])
        self.crew.far("generator", generator.wait, b"", place, generator, "generate")
        self.crew.wait_until_ready()

    def _first(self) -> Container:
        """The generator's container, which is made first, with free addresses."""
        taken: set[str] = set()
        for attempt in range(ATTEMPTS):
            self.subnet = free_subnet(self.run, taken)
            try:
                return self._up("generator", {})
            except EnvironmentLacks as error:
                if "overlap" not in str(error) or attempt == ATTEMPTS - 1 or SUBNET_VARIABLE in os.environ:
                    raise
            taken.add(self.subnet)  # another run was quicker, or Docker knows of a network that this machine does not
            containers.remove(self.project)
        raise AssertionError("the last attempt returns or raises")

    def _ports(self, role: Role) -> dict[str, Port]:
        mtu = {end: wire.mtu for wire in SHAPES[self.shape] for end in (wire.one, wire.other)}
        return {
            name: Port(name, interface=f"{self.subnet}.{address}", mtu=mtu[owner, name])
            for (owner, name), address in ADDRESSES[self.shape].items()
            if owner == role
        }

    def start(self, role: Role, command: str, job: dict[str, Any], ends_by_itself: bool = False) -> Service:
        whole = {"idle": self.allotment.idle(role)} | with_libraries(job, in_image)
        if role == "generator":
            return self.crew.engine("trial", command, whole, self.seats[role].place, ends_by_itself)
        whole["control"] = f"/run/headroom/{SERVICES[self.shape][role]}.sock"
        container = self._up(role, {self._variable(role, "JOB"): json.dumps(whole)})
        place = Place(container.name)
        return self.crew.far(role, container.wait, b"", place, container, command)

    def start_image(self, role: Role, image: str, channel: dict[str, str]) -> Service:
        """Starts a node of a vendor's image by the contract of docker/README.md, after a run with a test that does not
        exist. Docker keeps it on the core that it is told.

        `channel` holds variables such as HEADROOM_MODE. Raises EngineFailure if the image accepts any test.
        """
        if wrong := containers.refuses_unknown_tests(image, self.project):
            raise EngineFailure("refused", f"The {role} breaks the contract of containers: {wrong}.")
        variables = {self._variable(role, "IMAGE"): image, "HEADROOM_IDLE": self.allotment.idle(role), **channel}
        core = str(self.allotment.cores[role][0])
        variables |= {self._variable(role, "CORE"): core, self._variable(role, "CPUSET"): core}
        container = self._up(role, variables)
        return self.crew.far(role, container.wait, b"", Place(container.name), container, "node")

    def _variable(self, role: Role, name: str) -> str:
        """The variable of docker/compose.yaml for a role's service."""
        return f"HEADROOM_{SERVICES[self.shape][role].upper().replace('-', '_')}_{name}"

    def _up(self, role: Role, environment: dict[str, str]) -> Container:
        service = SERVICES[self.shape][role]
        command = [*self._compose, "up", "-d", "--no-deps", "--no-build", service]
        shared = self.mounted.variables if self.mounted else {}
        process = _run(command, UP_S, {SUBNET_VARIABLE: self.subnet, **shared, **environment})
        if process.returncode != 0:
            raise EnvironmentLacks(f"The container of the {role} does not start: {_reason(process.stderr)}")
        found = containers.labelled(self.project, service)
        if not found:
            raise EnvironmentLacks(f"The container of the {role} does not start: Compose knows none.")
        asking = self.made["generator"].id if "generator" in self.made else found[0]
        container = Container.of(found[0], f"{self.project}-{service}", service, asking)
        self.made[role] = container
        container.without_offloads()
        self.states |= {(role, name): state for name, state in container.links().items()}
        notes = bridges.settle(self.project, containers.networks(self.project))
        self.notes = list(dict.fromkeys([*self.notes, *notes]))
        return container

    def packet_socket(self, role: Role, port: str) -> socket.socket:
        """A socket for all frames of a role's port. Raises EnvironmentLacks if this process may not enter the
        container's namespace.
        """
        return self.made[role].packet_socket(self.seats[role].ports[port].interface)

    def mac(self, role: Role, port: str) -> str:
        return self.made[role].mac(self.seats[role].ports[port].interface)

    def look(self) -> None:
        """Raises EngineFailure if an interface inside a container has been set down, even for a while; as far as this
        user may look into its namespace.
        """
        now = {role: container.links() for role, container in self.made.items()}
        flat = {(role, name): state for role, found in now.items() for name, state in found.items()}
        before = {key: state for key, state in self.states.items() if now.get(key[0])}
        if wrong := interfaces.gone_down(before, flat):
            (role, name), what = wrong
            where = f"The interface {name} of the {role}, in {self.made[role].name},"
            raise EngineFailure("input", f"{where} {what} while it was needed.")

    @property
    def _compose(self) -> list[str]:
        files = [FILE, *([trex_container.FILE] if self.with_trex else ())]
        return [*self.found.compose, "-p", self.project, *(word for file in files for word in ("-f", str(file)))]

    def trex_home(self) -> trex_container.InContainer:
        """The place of TRex, of a topology that has been made with it."""
        assert self.mounted is not None, "the topology was made without TRex"
        generator = self.made["generator"]
        return trex_container.InContainer(generator.id, generator.local_pid, self.mounted)

    def remove(self) -> None:
        if not self.run:
            return
        with process_group.uninterrupted():
            bridges.forget(self.project)
            for container in self.made.values():
                container.thaw()  # a paused container cannot be stopped
            if containers.remove(self.project):
                runs.release(self.run)
            else:  # the next run removes what Docker still lists then; none of it is running
                for container in self.made.values():
                    container.kill()
                runs.give_up(self.run)
            if self.mounted:
                trex_container.unmount(self.mounted)


@dataclass(frozen=True)
class Container:
    """A container that has been started, of a service of docker/compose.yaml. `pid` and `started` are those of its
    first process, for `kill`.

    `asking` is the container of ours that reads control sockets: a vendor's image has no program for that.
    """

    id: str
    name: str
    service: str
    asking: str
    pid: int
    started: int | None

    @staticmethod
    def of(identity: str, name: str, service: str, asking: str) -> Container:
        pid = int(containers.inspect(identity).get("State", {}).get("Pid", 0))
        return Container(identity, name, service, asking, pid, runs.start_time(pid) if pid else None)

    @property
    def wait(self) -> tuple[str, ...]:
        """A command that ends when the container does, or the daemon."""
        return ("docker", "wait", self.id)

    def is_ready(self) -> bool:
        state = containers.inspect(self.id).get("State", {})
        health = state.get("Health", {}).get("Status")
        return bool(state.get("Running")) and health in (None, "healthy")

    def statistics(self) -> dict[str, Any]:
        path = f"/run/headroom/{self.service}/{self.service}.sock"
        process = _run(["docker", "exec", self.asking, "ask", path], ASK_S)
        if process.returncode != 0:
            raise OSError(process.returncode, _reason(process.stderr))
        return answer_of(process.stdout)

    def stop(self, service: Service, grace_s: float) -> tuple[int, bytes, bytes]:
        _run(["docker", "stop", "-t", str(max(1, round(grace_s))), self.id], grace_s + containers.ANSWER_S)
        status = int(containers.inspect(self.id).get("State", {}).get("ExitCode", 1))
        printed = _run(["docker", "logs", self.id], containers.ANSWER_S)
        # The container's init reports a signal as 128 and more.
        return (128 - status if status > 128 else status), printed.stdout.encode(), printed.stderr.encode()

    def cause(self, service: Service) -> str:
        if not containers.is_daemon_up():
            return "the Docker daemon does not answer any more."
        state = containers.inspect(self.id).get("State")
        if state is None:
            return "its container no longer exists."
        if not state.get("Running") and state.get("ExitCode") == containers.DOES_NOT:
            return (
                f"it does not support this test (exit status {containers.DOES_NOT}): {containers.last_words(self.id)}"
            )
        if state.get("OOMKilled"):
            return "it was ended because its container had used up its memory."
        return ""

    def why_still(self) -> str:
        return stopped_process.why_still(self.pid) if self._is_ours() else ""

    @property
    def local_pid(self) -> int:
        """The number of its first process on this machine; 0 if it has ended."""
        return self.pid if self._is_ours() else 0

    @property
    def namespace(self) -> str:
        """The file of its network namespace; "" if it has ended, or this user may not enter it."""
        return f"/proc/{self.local_pid}/ns/net" if self.local_pid and os.geteuid() == 0 else ""

    def links(self) -> dict[str, interfaces.State]:
        """Its interfaces as they are now; {} without a namespace."""
        if namespace := self.namespace:
            with contextlib.suppress(EnvironmentLacks, OSError):
                return interfaces.inside(namespace, interfaces.states)
        return {}

    def without_offloads(self) -> None:
        """Turns offloads of its interfaces off, so that packets are as on the wire whatever its program is; as far as
        this user may.
        """
        if names := list(self.links()):
            with contextlib.suppress(EnvironmentLacks):
                interfaces.inside(self.namespace, partial(interfaces.without_offloads, names))

    def mac(self, address: str) -> str:
        """The MAC address of the interface to which Docker has given an IPv4 address; "" if there is none."""
        networks = containers.inspect(self.id).get("NetworkSettings", {}).get("Networks", {}).values()
        return next((str(network["MacAddress"]) for network in networks if network.get("IPAddress") == address), "")

    def packet_socket(self, address: str) -> socket.socket:
        """A socket for all frames of the interface to which Docker has given an address. Raises EnvironmentLacks."""
        mac = self.mac(address)
        for name, state in self.links().items():
            if mac and state.mac == mac:
                opened: Callable[[], socket.socket] = partial(packet_socket, name)
                return interfaces.inside(self.namespace, opened)
        raise EnvironmentLacks(
            f"The interface {address} of {self.name} cannot be listened on: only root may, as long as it runs."
        )

    def _is_ours(self) -> bool:
        """True if the number of its first process still belongs to that process."""
        return self.started is not None and runs.start_time(self.pid) == self.started

    def thaw(self) -> None:
        """Resumes a paused container, so that it can be ended."""
        if self.why_still():
            _run(["docker", "unpause", self.id], ASK_S)

    def kill(self) -> None:
        """Ends the container's first process, and with it all its processes, without the daemon's help."""
        if self._is_ours():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self.pid, signal.SIGKILL)


def look_at_daemon(pid: int) -> None:
    """Raises EngineFailure if the daemon has been stopped: it would not report the end of any container."""
    if pid and (why := stopped_process.why_still(pid)):
        raise EngineFailure("timeout", f"The Docker daemon does nothing any more: {why}.")


def lacks() -> str:
    """The reason why this machine cannot use containers, as a sentence with a way out; empty if it can, as far as is
    known.
    """
    docker = containers.look()
    return f"{docker.reason}: {docker.remedy}." if docker.reason else ""


def remove_dead() -> list[str]:
    """Removes the containers and networks of runs whose process is dead. Returns their names."""

    def remove(run: str, projects: list[str]) -> bool:
        for project in projects:
            bridges.forget(project)
        return all(containers.remove(project) for project in projects)

    return runs.remove_dead("compose", remove)


def commands(with_trex: bool = False) -> list[str]:
    """The commands that a run would give to Docker, for a dry run."""
    compose_command = " ".join(containers.look().compose or ("docker", "compose"))
    file = " -f ".join(str(one.relative_to(ROOT)) for one in (FILE, *([trex_container.FILE] if with_trex else ())))
    up = f"{compose_command} -p hr-<run> -f {file} up -d --no-deps --no-build"
    return [
        "docker/build",
        *(f"{up} {name}" for name in SERVICES["full"].values()),
        f"{up} {SERVICES['node']['compressor']}  # in rows of user planes, beside the generator alone",
        *(trex_container.COMMANDS if with_trex else ["docker exec -i hr-<run>-generator start exec serve"]),
        "docker rm --force --volumes …, docker network rm …, docker volume rm …  # all that is labelled hr-<run>",
    ]


def in_image(library: str) -> str:
    """The path of an adapter in our image."""
    return f"{LIBRARIES}/{Path(library).name}"


def free_subnet(run: str, taken: Set[str] = frozenset(), routes: Path = Path("/proc/net/route")) -> str:
    """The first half of addresses that this machine has no route to, such as `10.77`; $HEADROOM_SUBNET if it is set.

    The search begins at a place that depends on the run's name, so that parallel runs seldom meet. Raises
    EnvironmentLacks if there are none.
    """
    if given := os.environ.get(SUBNET_VARIABLE):
        return given
    used = _routed(routes)
    for offset in range(SUBNETS):
        second = FIRST_SUBNET + (int(run[:2], 16) + offset) % SUBNETS
        network = IPv4Network(f"10.{second}.0.0/22")
        if f"10.{second}" not in taken and not any(network.overlaps(one) for one in used):
            return f"10.{second}"
    raise EnvironmentLacks(
        f"This machine has routes to all of 10.{FIRST_SUBNET} to 10.{FIRST_SUBNET + SUBNETS - 1}: set "
        f"{SUBNET_VARIABLE} to the first half of addresses that are free here, such as 172.30."
    )


def _routed(routes: Path) -> list[IPv4Network]:
    """The networks that this machine has a route to, without the default route (proc(5), /proc/net/route)."""
    networks = []
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in routes.read_text(encoding="ascii").splitlines()[1:]:
            columns = line.split()
            address, mask = (int.from_bytes(bytes.fromhex(columns[place]), "little") for place in (1, 7))
            if mask:
                networks.append(IPv4Network((address, mask.bit_count())))
    return networks


def _reason(output: str) -> str:
    """The most telling line of a command's output."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if "rror" in line] or lines[-1:]
    return (telling[0] if telling else "it gave no reason")[:400]
