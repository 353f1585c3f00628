# SPDX-License-Identifier: Apache-2.0
"""Hosts that commands run on, this machine or by ssh, and processes of the engine there."""

import json
import os
import shlex
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import Any

from headroom.core import process_group
from headroom.core.errors import EnvironmentLacks
from headroom.testbed.processes import MAX_COMPLAINT, MAX_OUTPUT, Crew, Place, Service, answer_of

# No questions, and a host that has gone is noticed within some seconds.
OPTIONS = ("BatchMode=yes", "ConnectTimeout=5", "ServerAliveInterval=2", "ServerAliveCountMax=2")
SSH = ("ssh", *(word for option in OPTIONS for word in ("-o", option)))
FOLDER = (
    "/run/headroom"  # folder of a host, for sockets and process numbers: root's, so that no other user makes it first
)
LOCKS = "/tmp"  # folder of a host, in which every user can reserve it for a run
COMMAND_S = 60.0
LOST = 255  # exit status of ssh if the connection failed


@dataclass(frozen=True)
class Host:
    """A machine of a testbed. Without an address it is this one."""

    name: str
    address: str = ""
    user: str = ""
    sudo: bool = False
    headroom: str = ""  # folder of the repository
    driver: str = "vfio-pci"
    hugepages: int = 0
    hugepage_kb: int = 2048

    @property
    def shown(self) -> str:
        """Its name in a dry run: `ssh root@node-a.example.net`, or `here`."""
        return f"ssh {self.target}" if self.address else "here"

    @property
    def target(self) -> str:
        return f"{self.user}@{self.address}" if self.user else self.address

    @property
    def words(self) -> tuple[str, ...]:
        """The words before a line of shell."""
        return (*SSH, self.target) if self.address else ("sh", "-c")

    def root(self, *words: str) -> str:
        """Some words as a command of root on that host."""
        return shlex.join(["sudo", "-n", *words] if self.sudo else words)

    def engine(self, build: str) -> str:
        return f"{self.headroom}/build/{build}/bin/headroom-engine"

    def do(self, line: str, timeout_s: float = COMMAND_S) -> str:
        """Runs a line of shell there and returns its output. Raises EnvironmentLacks if it fails."""
        try:
            done = subprocess.run(
                [*self.words, line],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout_s,
                start_new_session=True,
            )
        except subprocess.TimeoutExpired:
            raise EnvironmentLacks(f"{self.name}: `{line}` was still busy after {timeout_s:g} s.") from None
        except OSError as error:
            raise EnvironmentLacks(f"{self.words[0]} cannot be started: {error.strerror}.") from error
        if done.returncode == 0:
            return done.stdout
        complaint = next((text.strip() for text in reversed(done.stderr.splitlines()) if text.strip()), "")
        if self.address and done.returncode == LOST:
            raise EnvironmentLacks(
                f"{self.name} cannot be reached by ssh ({self.target}): {complaint or 'no reason given'}."
            )
        raise EnvironmentLacks(
            f"{self.name}: `{line}` failed with status {done.returncode}{f': {complaint}' if complaint else ''}."
        )


def control(role: str) -> str:
    """The control socket of a role on its host."""
    return f"{FOLDER}/headroom-{role}.sock"


def _number(role: str) -> str:
    """The file that holds the process number of a role on its host."""
    return f"{FOLDER}/headroom-{role}.pid"


def lock_line(host: Host) -> str:
    """A command that reserves a host for one run while the connection lasts, and reports success or the reason. It
    writes nothing to the file.
    """
    refusal = 'echo "another run works on this host" >&2; exit 1'
    hold = "echo locked; exec setpriv --pdeathsig TERM sleep infinity"
    return f"exec 9>> {LOCKS}/headroom-{host.address or 'here'}.lock; flock -n 9 || {{ {refusal}; }}; {hold}"


def lock(crew: Crew, host: Host) -> Service:
    """Reserves a host until the crew ends."""
    held: list[Service] = []
    command = [*host.words, lock_line(host)]
    name = f"lock of {host.name}"
    service = crew.program(name, command, Place(host.name), lambda: os.fstat(held[0].output).st_size > 0)
    held.append(service)
    return service


def start_line(host: Host, role: str, command: str, build: str) -> str:
    """A command that starts the engine, so that it can be stopped, and ends it when the connection ends."""
    engine = shlex.join(["setpriv", "--pdeathsig", "TERM", host.engine(build), command, "--job", "-"])
    return host.root("sh", "-c", f"mkdir -p {FOLDER}; echo $$ > {_number(role)}; exec {engine}")


def stop_line(host: Host, role: str) -> str:
    return host.root("sh", "-c", f'{_runs(role)} && kill -TERM "$p"; rm -f {_number(role)}')


def _runs(role: str) -> str:
    """A condition of the shell: the process that a role has noted is an engine, not a later process with its number."""
    return f"p=$(cat {_number(role)} 2> /dev/null) && grep -qa -e --job /proc/$p/cmdline"


def place(host: Host) -> Place:
    """The place of programs of a host."""
    return Place(host.name, (*SSH, host.target) if host.address else ())


def start(
    crew: Crew, host: Host, role: str, command: str, job: dict[str, Any], build: str, ends_by_itself: bool
) -> Service:
    """Starts a process of the engine on a host."""
    line = start_line(host, role, command, build)
    far = SshProcess(host, role)
    return crew.far(role, [*host.words, line], json.dumps(job).encode(), place(host), far, command, ends_by_itself)


@dataclass(frozen=True)
class SshProcess:
    """A process of the engine at the other end of an ssh connection, whose output comes through it."""

    host: Host
    role: str

    def is_ready(self) -> bool:
        try:
            return bool(self.statistics())
        except (OSError, ValueError):
            return False

    def statistics(self) -> dict[str, Any]:
        try:
            answer = self.host.do(self.host.root(f"{self.host.headroom}/docker/engine/ask", control(self.role)))
        except EnvironmentLacks as error:
            raise OSError(str(error)) from error
        return answer_of(answer)

    def stop(self, service: Service, grace_s: float) -> tuple[int, bytes, bytes]:
        if process_group.exit_code(service.process) is None:
            try:
                self.host.do(stop_line(self.host, self.role))
            except EnvironmentLacks:
                process_group.terminate(service.process)
            deadline = time.monotonic() + grace_s
            while process_group.exit_code(service.process) is None and time.monotonic() < deadline:
                time.sleep(0.02)
        code = process_group.exit_code(service.process)
        size = os.fstat(service.errors).st_size
        complaint = os.pread(service.errors, MAX_COMPLAINT, max(0, size - MAX_COMPLAINT))
        return (-signal.SIGKILL if code is None else code), os.pread(service.output, MAX_OUTPUT, 0), complaint

    def why_still(self) -> str:
        return ""  # a question to the host would cost more than a trial; `Crew.look` asks if there is reason to

    def cause(self, service: Service) -> str:
        if self.host.address and process_group.exit_code(service.process) == LOST:
            return f"the connection to {self.host.name} ({self.host.target}) was lost."
        return ""
