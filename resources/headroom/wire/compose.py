# SPDX-License-Identifier: Apache-2.0
"""Containers on one machine: `--topology compose`, the services of docker/compose.yaml.

Each run is a Compose project of its own, `hr-<run>`; what a killed one leaves, the next removes (`runs`). The
generator's container waits, and each trial is a process in it; nodes and the link run until they are stopped.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headroom import leash
from headroom.ending import EngineFailure
from headroom.errors import EnvironmentLacks
from headroom.paths import DEFAULT_BUILD, ROOT
from headroom.wire import containers, runs
from headroom.wire.processes import Crew, Place, Service
from headroom.wire.topology import SHAPES, Port, Role, Seat, Topology, roles_of

FILE = ROOT / "docker" / "compose.yaml"
LIBRARIES = "/opt/headroom/lib"  # of the adapters, in the image
UP_S = 60.0  # for a container to be made
DOWN_S = 30.0

# Which address of docker/compose.yaml each port has, below the project's own 10.<n>.
ADDRESSES: dict[tuple[Role, str], str] = {
    ("generator", "0"): "0.2",
    ("generator", "1"): "3.2",
    ("compressor", "plain"): "0.3",
    ("compressor", "link"): "1.2",
    ("link", "a"): "1.3",
    ("link", "b"): "2.2",
    ("decompressor", "link"): "2.3",
    ("decompressor", "plain"): "3.3",
}


@dataclass
class Compose(Topology):
    """A topology of containers, which lives as long as its `with` block. It has one shape, `full`."""

    build: str = DEFAULT_BUILD
    run: str = field(default="", init=False)
    found: containers.Found = field(default_factory=containers.Found, init=False)
    made: dict[Role, Container] = field(default_factory=dict, init=False)

    name = "compose"

    @property
    def project(self) -> str:
        return f"{runs.PREFIX}-{self.run}"

    @property
    def subnet(self) -> str:
        """The first half of all addresses: one of 128, so that projects can run side by side."""
        return f"10.{64 + int(self.run[:2], 16) % 128}"

    def make(self) -> None:
        if self.shape != "full":
            raise EnvironmentLacks(
                f"docker/compose.yaml is wired as 'full', not as '{self.shape}': use --topology netns."
            )
        if reason := lacks():
            raise EnvironmentLacks(reason)
        self.found = containers.look()
        remove_dead()
        with leash.uninterrupted():
            self.run, folder = runs.claim("compose", lambda run: [f"{runs.PREFIX}-{run}"])
            self.crew = Crew(folder, self.build)
        for role in roles_of(self.shape):
            self.seats[role] = Seat(role, Place(), self._ports(role), self.allotment.cores[role])
        generator = self._up("generator", {})
        words = ("docker", "exec", "-i", generator.id)
        place = Place(generator.name, words, ("start", "exec"))
        self.seats["generator"] = Seat("generator", place, self._ports("generator"), self.allotment.cores["generator"])
        self.crew.far("generator", generator.wait, b"", place, generator, "generate")
        self.crew.wait_until_ready()

    def _ports(self, role: Role) -> dict[str, Port]:
        mtu = {end: wire.mtu for wire in SHAPES[self.shape] for end in (wire.one, wire.other)}
        return {
            name: Port(name, interface=f"{self.subnet}.{address}", mtu=mtu[owner, name])
            for (owner, name), address in ADDRESSES.items()
            if owner == role
        }

    def start(self, role: Role, command: str, job: dict[str, Any], ends_by_itself: bool = False) -> Service:
        whole = {"idle": self.allotment.idle(role)} | _inside(job)
        if role == "generator":
            return self.crew.engine("trial", command, whole, self.seats[role].place, ends_by_itself)
        whole["control"] = f"/run/headroom/{role}.sock"
        container = self._up(role, {f"HEADROOM_{role.upper()}_JOB": json.dumps(whole)})
        place = Place(container.name)
        return self.crew.far(role, container.wait, b"", place, container, command)

    def start_image(self, role: Role, image: str, channel: dict[str, str]) -> Service:
        """Starts a node of somebody's own image by the contract of docker/README.md, and asks it beforehand for a test
        that nobody knows.

        `channel` holds variables such as HEADROOM_MODE. Raises EngineFailure where the image takes on any test.
        """
        if wrong := containers.refuses_unknown_tests(image):
            raise EngineFailure("refused", f"The {role} does not keep the contract of containers: {wrong}.")
        variables = {f"HEADROOM_{role.upper()}_IMAGE": image, "HEADROOM_IDLE": self.allotment.idle(role), **channel}
        container = self._up(role, variables)
        return self.crew.far(role, container.wait, b"", Place(container.name), container, "node")

    def _up(self, role: Role, environment: dict[str, str]) -> Container:
        words = [*self._compose, "up", "-d", "--no-deps", "--no-build", role]
        done = _run(words, UP_S, {"HEADROOM_SUBNET": self.subnet, **environment})
        if done.returncode != 0:
            raise EnvironmentLacks(f"The container of the {role} does not start: {_reason(done.stderr)}")
        found = _run([*self._compose, "ps", "-q", role], UP_S).stdout.split()
        if not found:
            raise EnvironmentLacks(f"The container of the {role} does not start: Compose knows none.")
        container = Container.of(found[0], f"{self.project}-{role}", role)
        self.made[role] = container
        self._quieten_bridges()
        return container

    def _quieten_bridges(self) -> None:
        """The host's own ends of the networks say nothing any more, as far as this user may decide that."""
        label = f"label=com.docker.compose.project={self.project}"
        for network in _run(["docker", "network", "ls", "-q", "--filter", label], containers.ANSWER_S).stdout.split():
            with contextlib.suppress(OSError):
                setting = Path(f"/proc/sys/net/ipv6/conf/br-{network[:12]}/disable_ipv6")
                setting.write_text("1\n", encoding="ascii")

    @property
    def _compose(self) -> list[str]:
        return [*self.found.compose, "-p", self.project, "-f", str(FILE)]

    def remove(self) -> None:
        if not self.run:
            return
        with leash.uninterrupted():
            if _down(self.found.compose, self.project):
                runs.release(self.run)
            else:  # the next run removes what Docker still knows then; nothing of it runs on
                for container in self.made.values():
                    container.kill()


@dataclass(frozen=True)
class Container:
    """A container that has been started. `pid` and `started` are those of its first process, for `kill`."""

    id: str
    name: str
    role: Role
    pid: int
    started: int | None

    @staticmethod
    def of(identity: str, name: str, role: Role) -> Container:
        pid = int(containers.inspect(identity).get("State", {}).get("Pid", 0))
        return Container(identity, name, role, pid, runs.start_time(pid) if pid else None)

    @property
    def wait(self) -> tuple[str, ...]:
        """What ends when the container does, or the daemon."""
        return ("docker", "wait", self.id)

    def ready(self) -> bool:
        state = containers.inspect(self.id).get("State", {})
        health = state.get("Health", {}).get("Status")
        return bool(state.get("Running")) and health in (None, "healthy")

    def statistics(self) -> dict[str, Any]:
        done = _run(["docker", "exec", self.id, "ask", f"/run/headroom/{self.role}.sock"], containers.ANSWER_S)
        if done.returncode != 0:
            raise OSError(done.returncode, _reason(done.stderr))
        document = json.loads(done.stdout)
        if not isinstance(document, dict):
            raise ValueError("its answer is JSON, but not an object")
        return document

    def stop(self, service: Service, grace_s: float) -> tuple[int, bytes, bytes]:
        _run(["docker", "stop", "-t", str(max(1, round(grace_s))), self.id], grace_s + containers.ANSWER_S)
        status = int(containers.inspect(self.id).get("State", {}).get("ExitCode", 1))
        printed = _run(["docker", "logs", self.id], containers.ANSWER_S)
        # 128 and more is how the container's init tells of a signal.
        return (128 - status if status > 128 else status), printed.stdout.encode(), printed.stderr.encode()

    def cause(self, service: Service) -> str:
        if not containers.daemon_answers():
            return "the Docker daemon does not answer any more."
        state = containers.inspect(self.id).get("State")
        if state is None:
            return "its container is not there any more."
        if not state.get("Running") and state.get("ExitCode") == containers.DOES_NOT:
            return f"it does not do this test (exit status {containers.DOES_NOT}): {containers.last_words(self.id)}"
        if state.get("OOMKilled"):
            return "it was ended because its container had used up its memory."
        return ""

    def kill(self) -> None:
        """Ends the container's first process, and with it all others, without the daemon's help."""
        if self.started is not None and runs.start_time(self.pid) == self.started:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self.pid, signal.SIGKILL)


def lacks() -> str:
    """Why this machine cannot do it, as a sentence with a way out; empty where it can, as far as can be told."""
    found = containers.look()
    return f"{found.reason}: {found.remedy}." if found.reason else ""


def remove_dead() -> list[str]:
    """Removes what runs have left whose process is dead; returns their names."""
    compose = containers.look().compose
    return runs.remove_dead("compose", lambda run, projects: all(_down(compose, one) for one in projects))


def commands() -> list[str]:
    """What a run would say to Docker, for a dry run."""
    words = " ".join(containers.look().compose or ("docker", "compose"))
    file = FILE.relative_to(ROOT)
    return [
        "docker/build",
        *(f"{words} -p hr-<run> -f {file} up -d --no-deps --no-build {role}" for role in roles_of("full")),
        "docker exec -i hr-<run>-generator start exec generate --job -",
        f"{words} -p hr-<run> -f {file} down --volumes --remove-orphans",
    ]


def _inside(job: dict[str, Any]) -> dict[str, Any]:
    """A job with the paths of adapters as they are in the image."""
    inside = dict(job)
    for side in ("compressor", "decompressor"):
        if isinstance(job.get(side), dict) and "library" in job[side]:
            inside[side] = job[side] | {"library": f"{LIBRARIES}/{Path(job[side]['library']).name}"}
    return inside


def _down(compose: tuple[str, ...], project: str) -> bool:
    """Removes a project's containers, networks and volumes; False where Docker does not answer."""
    if not compose:
        return False
    words = [*compose, "-p", project, "-f", str(FILE), "down", "--volumes", "--remove-orphans", "-t", "2"]
    return _run(words, DOWN_S).returncode == 0


def _run(words: list[str], timeout_s: float, environment: dict[str, str] | None = None) -> Any:
    try:
        return subprocess.run(
            words,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            env={**os.environ, **(environment or {})},
            start_new_session=True,  # Ctrl-C is ours to handle
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 1, "", f"{words[0]} does not answer within {timeout_s:g} s")
    except OSError as error:
        return subprocess.CompletedProcess(words, 1, "", f"{words[0]} cannot be started: {error.strerror}")


def _reason(said: str) -> str:
    """The line of what a command said that tells most."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if "rror" in line] or lines[-1:]
    return (telling[0] if telling else "it gave no reason")[:400]
