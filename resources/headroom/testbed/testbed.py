# SPDX-License-Identifier: Apache-2.0
"""Machines with network cards: `--topology FILE.yaml`.

A testbed file lists the hosts, the roles that work on each, and their network cards and cores. All steps are shell
commands, on the machine itself or by ssh, and `--dry-run` prints them beforehand.
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
class TestbedFile:
    """A valid testbed file."""

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
        """The hosts of some role."""
        return list({role["host"]: self.hosts[role["host"]] for role in self.roles.values()}.values())

    def cards(self, host: Host) -> list[str]:
        """The PCI addresses of a host's network cards, in the order of the file."""
        return [pci for role in self.roles for pci in self.roles[role]["ports"].values() if self.host_of(role) is host]


def load(path: Path) -> TestbedFile:
    """Reads a testbed file. Raises UsageError with file and line if it is not valid or contradicts itself."""
    if not path.is_file():
        raise UsageError(f"There is no testbed file at {path}.")
    document = check(read(path), "testbed")
    complaints = _contradictions(document)
    if complaints:
        raise UsageError("\n".join(document.complaint(*complaint) for complaint in complaints))
    data = document.data
    hosts = {name: _host(name, host) for name, host in data["hosts"].items()}
    roles = {role: data["roles"][role] for role in roles_of("full") if role in data["roles"]}
    return TestbedFile(data["name"], hosts, roles)


def _host(name: str, entry: dict[str, Any]) -> Host:
    return Host(
        name=name,
        address=entry.get("address", ""),
        user=entry.get("user", ""),
        sudo=entry.get("sudo", False),
        headroom=entry.get("headroom", str(ROOT)),
        driver=entry.get("driver", "vfio-pci"),
        hugepages=entry.get("hugepages", {}).get("count", 0),
        hugepage_kb=entry.get("hugepages", {}).get("size_kb", 2048),
    )


def _contradictions(document: Document) -> list[tuple[Pointer, str]]:
    """Contradictions that no schema can find: hosts that do not exist or exist twice, cards and cores of two roles."""
    complaints: list[tuple[Pointer, str]] = []
    used = {role["host"] for role in document.data["roles"].values()}
    machines: dict[str, str] = {}
    for name, host in document.data["hosts"].items():
        address = host.get("address", "")
        if name in used and (first := machines.setdefault(address, name)) != name:
            what = f"the address {address}" if address else "the machine of the harness (no address)"
            complaints.append((("hosts", name), f"{what} is that of {first} already; one host may have many roles"))
    owners: dict[tuple[str, str], str] = {}
    for role, entry in document.data["roles"].items():
        host = entry["host"]
        if host not in document.data["hosts"]:
            known = ", ".join(document.data["hosts"])
            complaints.append((("roles", role, "host"), f"there is no host '{host}'; there are {known}"))
            continue
        claims = [(("ports", name), f"the card {pci}") for name, pci in entry["ports"].items()]
        claims += [(("cores", index), f"core {core}") for index, core in enumerate(entry["cores"])]
        for where, what in claims:
            if owner := owners.get((host, what)):
                complaints.append((("roles", role, *where), f"{what} of {host} is that of the {owner} already"))
            owners[host, what] = role
    nodes = [len(document.data["roles"][role]["cores"]) for role in ("compressor", "decompressor")]
    if nodes[0] != nodes[1]:
        sentence = f"{nodes[1]} cores, but the compressor has {nodes[0]}: each of its workers is a channel of its own"
        complaints.append((("roles", "decompressor", "cores"), sentence))
    return complaints


def lacks() -> str:
    """The reason why this machine cannot drive a testbed; empty if it can."""
    return "" if shutil.which("ssh") else "A testbed needs ssh: apt-get install openssh-client."


@dataclass(frozen=True)
class Command:
    """A command on a host; `undo` reverts it, later and in the opposite order."""

    host: Host
    line: str
    undo: str = ""


def preparations(bed: TestbedFile, build: str) -> list[Command]:
    """The preparations of each host: a check for the engine, hugepages, drivers of the cards."""
    result = []
    for host in bed.used:
        result.append(Command(host, f"test -x {host.engine(build)}-wire"))
        if host.hugepages:
            pool = f"{HUGEPAGES}/hugepages-{host.hugepage_kb}kB/nr_hugepages"
            result.append(Command(host, f"echo {host.hugepages} | {host.root('tee', pool)} > /dev/null"))
            result.append(Command(host, f'test "$(cat {pool})" -ge {host.hugepages}'))
        result.append(Command(host, host.root("modprobe", host.driver)))
        result += [_binding(host, pci) for pci in bed.cards(host)]
    return result


def _binding(host: Host, pci: str) -> Command:
    """Binds a card to its driver, and later back to its former one, which a file remembers.

    All of it as root: the file's folder is root's, and after a boot of the host it does not exist yet.
    """
    kept = f"{remote.FOLDER}/headroom-{pci}"
    remember = f'readlink {SYSFS}/{pci}/driver | sed "s,.*/,," > {kept}'  # nothing, if it has none
    make = f"test -e {SYSFS}/{pci} && mkdir -p {remote.FOLDER} && {{ test -e {kept} || {remember}; }}"
    again, free = f'dpdk-devbind.py --bind="$(cat {kept})" {pci}', f"dpdk-devbind.py --unbind {pci}"
    back = f"if [ -s {kept} ]; then {again}; else {free}; fi; rm -f {kept}"
    bind = f"{make} && dpdk-devbind.py --bind={host.driver} {pci}"
    return Command(host, host.root("sh", "-c", bind), host.root("sh", "-c", back))


def commands(bed: TestbedFile, build: str = DEFAULT_BUILD, generator: str = "memory") -> list[str]:
    """Every command of a run with its host, in order, for a dry run; `…` stands for the job of the moment."""
    prepared = preparations(bed, build)
    lines = [f"{host.shown}: {remote.lock_line(host)}" for host in bed.used]
    lines += [f"{command.host.shown}: {command.line}" for command in prepared]
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
    return lines + [f"{command.host.shown}: {command.undo}" for command in reversed(prepared) if command.undo]


TREX_NAMESPACE = "hr-<run>-gen"  # a namespace of its own, because its ports are bound on every address


def _trex(bed: TestbedFile, about: str) -> list[str]:
    """The commands of TRex's life: its whole configuration, the server, and its client."""
    generator = bed.roles["generator"]
    ports, cores = trex_takes([Port(name, pci=generator["ports"][name]) for name in ("0", "1")], generator["cores"])
    made = f"ip netns add {TREX_NAMESPACE} && ip -n {TREX_NAMESPACE} link set lo up"
    planned = server.plan(ports, cores, ("ip", "netns", "exec", TREX_NAMESPACE))
    return [made, planned[0], f"{planned[1]}{about}", *planned[2:]]


def on_host(host: Host, path: str) -> str:
    """The path of a file of this repository on a host."""
    return host.headroom + path.removeprefix(str(ROOT)) if path.startswith(f"{ROOT}/") else path


@dataclass
class Testbed(Topology):
    """A topology of machines. `bed` is the testbed file; its shape follows from the cabling."""

    bed: TestbedFile = field(kw_only=True)
    build: str = DEFAULT_BUILD
    undo: list[Command] = field(default_factory=list, init=False)
    started: set[Role] = field(default_factory=set, init=False)

    __test__ = False  # tells pytest that this is not a test class

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
            if command.undo:  # before it runs: it may have done half its work when it fails
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
            with contextlib.suppress(EnvironmentLacks):  # the next run finds what cannot be reverted here
                command.host.do(command.undo)
