# SPDX-License-Identifier: Apache-2.0
"""Machines with network cards: `--topology FILE.yaml`.

A testbed file says which hosts there are, which role works on which, with which network cards and cores. Everything is
done by shell commands, on the machine itself or by ssh, and each of them can be seen beforehand (`--dry-run`).
"""

import contextlib
import shutil
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.paths import DEFAULT_BUILD, ROOT
from headroom.core.yamlfile import Document, Pointer, check, read
from headroom.testbed import remote
from headroom.testbed.processes import Crew, Service
from headroom.testbed.remote import Host
from headroom.testbed.sender import trex_takes
from headroom.testbed.topology import Port, Role, Seat, Topology, roles_of, with_libraries
from headroom.testbed.trex import server

SYSFS = "/sys/bus/pci/devices"
HUGEPAGES = "/sys/kernel/mm/hugepages"


@dataclass(frozen=True)
class Bed:
    """A testbed file that makes sense."""

    name: str
    hosts: dict[str, Host]
    roles: dict[Role, dict[str, Any]]

    @property
    def shape(self) -> str:
        return "full" if "link" in self.roles else "nodes"

    def host_of(self, role: Role) -> Host:
        return self.hosts[self.roles[role]["host"]]

    @property
    def used(self) -> list[Host]:
        """The hosts that some role works on."""
        return list({role["host"]: self.hosts[role["host"]] for role in self.roles.values()}.values())

    def cards(self, host: Host) -> list[str]:
        """PCI addresses of a host's network cards, in the order of the file."""
        return [pci for role in self.roles for pci in self.roles[role]["ports"].values() if self.host_of(role) is host]


def load(path: Path) -> Bed:
    """Reads a testbed file. Raises UsageError with file and line where it is not valid or contradicts itself."""
    if not path.is_file():
        raise UsageError(f"There is no testbed file at {path}.")
    document = check(read(path), "testbed")
    complaints = _contradictions(document)
    if complaints:
        raise UsageError("\n".join(document.complaint(*one) for one in complaints))
    data = document.data
    hosts = {name: _host(name, one) for name, one in data["hosts"].items()}
    roles = {role: data["roles"][role] for role in roles_of("full") if role in data["roles"]}
    return Bed(data["name"], hosts, roles)


def _host(name: str, one: dict[str, Any]) -> Host:
    return Host(
        name=name,
        address=one.get("address", ""),
        user=one.get("user", ""),
        sudo=one.get("sudo", False),
        headroom=one.get("headroom", str(ROOT)),
        driver=one.get("driver", "vfio-pci"),
        hugepages=one.get("hugepages", {}).get("count", 0),
        hugepage_kb=one.get("hugepages", {}).get("size_kb", 2048),
    )


def _contradictions(document: Document) -> list[tuple[Pointer, str]]:
    """What no schema can say: hosts that are not there or there twice, cards and cores that two roles claim."""
    found: list[tuple[Pointer, str]] = []
    used = {one["host"] for one in document.data["roles"].values()}
    machines: dict[str, str] = {}
    for name, host in document.data["hosts"].items():
        address = host.get("address", "")
        if name in used and (first := machines.setdefault(address, name)) != name:
            what = f"the address {address}" if address else "the machine of the harness (no address)"
            found.append((("hosts", name), f"{what} is that of {first} already; one host may have many roles"))
    owners: dict[tuple[str, str], str] = {}
    for role, one in document.data["roles"].items():
        host = one["host"]
        if host not in document.data["hosts"]:
            known = ", ".join(document.data["hosts"])
            found.append((("roles", role, "host"), f"there is no host '{host}'; there are {known}"))
            continue
        claims = [(("ports", name), f"the card {pci}") for name, pci in one["ports"].items()]
        claims += [(("cores", index), f"core {core}") for index, core in enumerate(one["cores"])]
        for where, what in claims:
            if owner := owners.get((host, what)):
                found.append((("roles", role, *where), f"{what} of {host} is that of the {owner} already"))
            owners[host, what] = role
    nodes = [len(document.data["roles"][role]["cores"]) for role in ("compressor", "decompressor")]
    if nodes[0] != nodes[1]:
        sentence = f"{nodes[1]} cores, but the compressor has {nodes[0]}: each of its workers is a channel of its own"
        found.append((("roles", "decompressor", "cores"), sentence))
    return found


def lacks() -> str:
    """Why this machine cannot drive a testbed; empty where it can."""
    return "" if shutil.which("ssh") else "A testbed needs ssh: apt-get install openssh-client."


@dataclass(frozen=True)
class Command:
    """Something done on a host; `undo` is what takes it back, later and in the opposite order."""

    host: Host
    line: str
    undo: str = ""


def preparations(bed: Bed, build: str) -> list[Command]:
    """What is done on each host before anything starts: the engine is there, hugepages, drivers of the cards."""
    found = []
    for host in bed.used:
        found.append(Command(host, f"test -x {host.engine(build)}-wire"))
        if host.hugepages:
            pool = f"{HUGEPAGES}/hugepages-{host.hugepage_kb}kB/nr_hugepages"
            found.append(Command(host, f"echo {host.hugepages} | {host.root('tee', pool)} > /dev/null"))
            found.append(Command(host, f'test "$(cat {pool})" -ge {host.hugepages}'))
        found.append(Command(host, host.root("modprobe", host.driver)))
        found += [_binding(host, pci) for pci in bed.cards(host)]
    return found


def _binding(host: Host, pci: str) -> Command:
    """Binds a card to its driver, and later back to the one that it had, which a file remembers.

    All of it as root: the file's folder is root's, and after a boot of the host it does not exist yet.
    """
    kept = f"{remote.FOLDER}/headroom-{pci}"
    remember = f'readlink {SYSFS}/{pci}/driver | sed "s,.*/,," > {kept}'  # nothing, where it has none
    make = f"test -e {SYSFS}/{pci} && mkdir -p {remote.FOLDER} && {{ test -e {kept} || {remember}; }}"
    again, free = f'dpdk-devbind.py --bind="$(cat {kept})" {pci}', f"dpdk-devbind.py --unbind {pci}"
    back = f"if [ -s {kept} ]; then {again}; else {free}; fi; rm -f {kept}"
    bind = f"{make} && dpdk-devbind.py --bind={host.driver} {pci}"
    return Command(host, host.root("sh", "-c", bind), host.root("sh", "-c", back))


def commands(bed: Bed, build: str = DEFAULT_BUILD, generator: str = "memory") -> list[str]:
    """Every command of a run with its host, in order, for a dry run; `…` stands for the job of the moment."""
    prepared = preparations(bed, build)
    lines = [f"{host.shown}: {remote.lock_line(host)}" for host in bed.used]
    lines += [f"{one.host.shown}: {one.line}" for one in prepared]
    for role in bed.roles:
        host = bed.host_of(role)
        cards, cores = bed.roles[role]["ports"], bed.roles[role]["cores"]
        about = f"  # {role}: {', '.join(f'{name} {pci}' for name, pci in cards.items())}; cores {cores}"
        if role == "generator" and generator == "trex":
            lines += [f"{host.shown}: {line}" for line in _trex(bed, about)]
        else:
            command = {"generator": "generate", "link": "link"}.get(role, "node")
            lines.append(f"{host.shown}: {remote.start_line(host, role, command, build)} <<< …{about}")
    engines = [role for role in bed.roles if role != "generator" or generator != "trex"]
    lines += [f"{bed.host_of(role).shown}: {remote.stop_line(bed.host_of(role), role)}" for role in engines]
    if generator == "trex":
        lines.append(f"{bed.host_of('generator').shown}: ip netns del {TREX_NAMESPACE}")
    return lines + [f"{one.host.shown}: {one.undo}" for one in reversed(prepared) if one.undo]


TREX_NAMESPACE = "hr-<run>-gen"  # of its own, for its ports are bound on every address


def _trex(bed: Bed, about: str) -> list[str]:
    """The commands of TRex's life: its configuration in full, the server, and who drives it."""
    one = bed.roles["generator"]
    ports, cores = trex_takes([Port(name, pci=one["ports"][name]) for name in ("0", "1")], one["cores"])
    made = f"ip netns add {TREX_NAMESPACE} && ip -n {TREX_NAMESPACE} link set lo up"
    planned = server.plan(ports, cores, ("ip", "netns", "exec", TREX_NAMESPACE))
    return [made, planned[0], f"{planned[1]}{about}", *planned[2:]]


def on_host(host: Host, path: str) -> str:
    """The path of a file as it is on a host, for one of this repository."""
    return host.headroom + path.removeprefix(str(ROOT)) if path.startswith(f"{ROOT}/") else path


@dataclass
class Testbed(Topology):
    """A topology of machines. `bed` says which; its shape follows from the cabling."""

    bed: Bed = field(kw_only=True)
    build: str = DEFAULT_BUILD
    undo: list[Command] = field(default_factory=list, init=False)
    started: set[Role] = field(default_factory=set, init=False)

    __test__ = False  # pytest: this is no test class

    def make(self) -> None:
        if reason := lacks():
            raise EnvironmentLacks(reason)
        if self.shape != self.bed.shape:
            raise EnvironmentLacks(
                f"The testbed {self.bed.name} is cabled as '{self.bed.shape}', not as '{self.shape}'."
            )
        self.name = self.bed.name
        self.crew = Crew(build=self.build)
        for role, one in self.bed.roles.items():
            host = self.bed.host_of(role)
            ports = {name: Port(name, pci=pci) for name, pci in one["ports"].items()}
            self.seats[role] = Seat(role, remote.place(host), ports, tuple(one["cores"]))
        for host in self.bed.used:
            remote.lock(self.crew, host)
        self.crew.wait_until_ready()
        for command in preparations(self.bed, self.build):
            if command.undo:  # before it is done: half of it may be, when it fails
                self.undo.append(command)
            command.host.do(command.line)

    def start(self, role: Role, command: str, job: dict[str, Any], ends_by_itself: bool = False) -> Service:
        host = self.bed.host_of(role)
        job = {"idle": self.allotment.idle(role)} | job | {"control": remote.control(role)}
        job = with_libraries(job, partial(on_host, host))
        self.started.add(role)
        return remote.start(self.crew, host, role, command, job, self.build, ends_by_itself)

    def remove(self) -> None:
        for role in self.started:  # sudo keeps a process alive whose connection has gone
            host = self.bed.host_of(role)
            with contextlib.suppress(EnvironmentLacks):
                host.do(remote.stop_line(host, role))
        while self.undo:
            command = self.undo.pop()
            with contextlib.suppress(EnvironmentLacks):  # what cannot be undone here, the next run finds as it is
                command.host.do(command.undo)
