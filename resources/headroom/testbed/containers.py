# SPDX-License-Identifier: Apache-2.0
"""Docker and Compose: their detection, and the output of containers."""

import contextlib
import json
import os
import secrets
import shutil
import socket
import struct
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from headroom.core import process_group
from headroom.core.errors import EnvironmentLacks

ANSWER_S = 20.0
ALIVE_S = 5.0  # seconds for a daemon that only has to report its version
PROJECT = "com.docker.compose.project"  # the label by which Compose recognises its own
SERVICE = "com.docker.compose.service"
# The parts of a project, in the order in which they can be removed, and the commands that list them.
KINDS = {
    "container": ("docker", "container", "ls", "-aq", "--no-trunc"),
    "network": ("docker", "network", "ls", "-q", "--no-trunc"),
    "volume": ("docker", "volume", "ls", "-q"),
}
DOES_NOT = 127  # exit status of a container that does not know the test


# A container that only tells whether it supports a test needs nothing, and gets nothing.
NO_RIGHTS = (
    *("--network", "none", "--cap-drop", "ALL", "--security-opt", "no-new-privileges:true", "--read-only"),
    *("--tmpfs", "/tmp", "--init", "--pull", "never", "--log-driver", "json-file", "--log-opt", "max-size=1m"),
    *("--memory", "1g", "--pids-limit", "256"),
)


@dataclass(frozen=True)
class DockerInstallation:
    """The state of Docker: `compose` is the command of Compose; `reason` names the missing part, `remedy` the way to
    get it.
    """

    version: str = ""
    compose: tuple[str, ...] = ()
    reason: str = ""
    remedy: str = ""


def look() -> DockerInstallation:
    """Looks for Docker, its daemon, and Compose as a plugin (v2) or as a program (v1.29)."""
    if shutil.which("docker") is None:
        return DockerInstallation(reason="Docker is not installed", remedy="install Docker with its Compose plugin")
    server = _ask("docker", "info", "--format", "{{.ServerVersion}}")
    if not server:
        return DockerInstallation(
            reason="Docker is installed, but its daemon does not answer",
            remedy="start the daemon, or join the group docker",
        )
    if compose := _compose(os.environ.get("PATH", "")):
        command, version = compose
        return DockerInstallation(f"Docker {server}, Compose {version.removeprefix('v')}", command)
    return DockerInstallation(
        reason="Docker is installed, but without Compose", remedy="install the Compose plugin, or docker-compose"
    )


@cache
def _compose(path: str) -> tuple[tuple[str, ...], str] | None:
    """The command of Compose, and its version; looked for once on a PATH, because v1.29 takes a second to report it."""
    for command in (("docker", "compose"), ("docker-compose",)):
        if shutil.which(command[0], path=path) and (version := _ask(*command, "version", "--short")):
            return command, version
    return None


def _ask(*arguments: str, timeout_s: float = ANSWER_S) -> str:
    """The output of a command; "" if it fails or does not answer."""
    process = run(arguments, timeout_s)
    return process.stdout.strip() if process.returncode == 0 else ""


def is_daemon_up() -> bool:
    return bool(_ask("docker", "version", "--format", "{{.Server.Version}}", timeout_s=ALIVE_S))


def daemon_pid() -> int:
    """The process of the daemon, which the kernel knows as the listener at its socket; 0 if it is not on this machine.

    Source: unix(7), SO_PEERCRED. If systemd listens in its place, the daemon's own file has its number.
    """
    address = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    if not address.startswith("unix://"):
        return 0
    with contextlib.suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(ALIVE_S)
        connection.connect(address.removeprefix("unix://"))
        pid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        return int(Path("/run/docker.pid").read_text(encoding="ascii")) if pid == 1 else pid
    return 0


def inspect(container: str) -> dict[str, Any]:
    """Docker's data about a container; {} if it knows none, or does not answer."""
    return _first(_ask("docker", "container", "inspect", container))


def image(name: str) -> dict[str, Any]:
    """Docker's data about an image on this machine; {} if there is none."""
    return _first(_ask("docker", "image", "inspect", name))


def _first(output: str) -> dict[str, Any]:
    try:
        objects = json.loads(output or "[]")
    except ValueError:
        return {}
    return objects[0] if isinstance(objects, list) and objects and isinstance(objects[0], dict) else {}


def require_image(name: str, digest: str = "", obtain: str = "") -> None:
    """Raises EnvironmentLacks if an image is not on this machine, or has another digest.

    No image is ever pulled for a measurement: an image that runs was fetched on purpose.
    """
    properties = image(name)
    how = f" How to get it: {obtain.strip()}" if obtain else ""
    if not properties:
        raise EnvironmentLacks(f"The image {name} is not on this machine.{how}")
    digests = [digest.rpartition("@")[2] for digest in properties.get("RepoDigests") or ()]
    if digest and digest not in (*digests, properties.get("Id")):
        there = " or ".join(dict.fromkeys([*digests, str(properties.get("Id"))]))
        raise EnvironmentLacks(f"The image {name} is not the one with digest {digest}: here it is {there}.{how}")


def labelled(project: str, service: str = "") -> list[str]:
    """The containers of a Compose project, or of a service of it, whatever made them, running or not."""
    labels = [f"label={PROJECT}={project}", *([f"label={SERVICE}={service}"] if service else [])]
    filters = [word for label in labels for word in ("--filter", label)]
    return _ask("docker", "ps", "-aq", "--no-trunc", *filters).split()


def networks(project: str) -> list[str]:
    """The numbers of a project's networks."""
    return _ask(*KINDS["network"], "--filter", f"label={PROJECT}={project}").split()


def remove(project: str) -> bool:
    """Removes a project's containers, networks and volumes. Returns False if something is left, or Docker does not
    answer.

    They are found by their labels, and removed repeatedly: a signal may have ended Compose while the daemon was still
    making a container.
    """
    for _ in range(3):
        if not is_daemon_up():
            return False
        label = f"label={PROJECT}={project}"
        left = {kind: _ask(*command, "--filter", label).split() for kind, command in KINDS.items()}
        if not any(left.values()):
            return True
        for kind, names in left.items():  # a network can be removed when no container uses it
            if names:
                _ask("docker", kind, "rm", *(["--force"] if kind != "network" else []), *names)
    return False


def last_words(container: str) -> str:
    """The last line that a container has printed to stderr."""
    output = run(["docker", "logs", "--tail", "20", container]).stderr
    return next((line.strip()[:300] for line in reversed(output.splitlines()) if line.strip()), "")


def refuses_unknown_tests(image: str, project: str = "") -> str:
    """Runs an image with the name of a test that does not exist. Returns the defect of its answer, "" if there is none.

    An image that accepts any test for a known one would be measured while it does something else. The image gets no
    network, no capability, and no writable place but its own memory. `project` is that of the run, which removes the
    remains if this process is killed. Raises EnvironmentLacks if the image cannot be run.
    """
    test, name = f"unknown-{secrets.token_hex(4)}", f"{project or 'hr'}-probe-{secrets.token_hex(3)}"
    command = ["docker", "run", "--detach", "--name", name, "--label", f"{PROJECT}={project or name}", *NO_RIGHTS]
    try:
        started = run([*command, "--env", f"HEADROOM_TEST={test}", image])
        if started.returncode != 0:
            raise EnvironmentLacks(f"The image {image} cannot be run: {first_line(started.stderr)}")
        status = run(["docker", "wait", name]).stdout.strip()
    finally:
        with process_group.uninterrupted():
            _ask("docker", "rm", "--force", "--volumes", name)
    if status == str(DOES_NOT):
        return ""
    if not status:
        return f"{image} does not end within {ANSWER_S:g} s with the unknown test {test}"
    return (
        f"{image} ends with status {status} with the unknown test {test}; {DOES_NOT} would mean that it does not "
        "support the test"
    )


def run(
    command: Sequence[str],
    timeout_s: float = ANSWER_S,
    environment: Mapping[str, str] | None = None,
    tied: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Runs a command of Docker's. Returns status 1 with the reason as its complaint if it cannot be started or does not
    answer. `tied`: it ends when this process is killed.
    """
    try:
        return subprocess.run(
            [*(process_group.words() if tied else ()), *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            env={**os.environ, **(environment or {})},
            start_new_session=True,  # this process handles Ctrl-C
        )
    except subprocess.TimeoutExpired:
        complaint = f"{command[0]} does not answer within {timeout_s:g} s"
    except OSError as error:
        complaint = f"{command[0]} cannot be started: {error.strerror}"
    return subprocess.CompletedProcess(list(command), 1, "", complaint)


def first_line(output: str) -> str:
    return next((line.strip()[:300] for line in output.splitlines() if line.strip()), "no reason is given")
