# SPDX-License-Identifier: Apache-2.0
"""Implementations that are container images: over `--topology compose` such an image is a node of its own, by the
contract of docker/README.md."""

import subprocess
from collections.abc import Callable
from typing import Any

from headroom.core import capabilities, implementations
from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.implementations import Implementation
from headroom.core.paths import ROOT
from headroom.core.run.run import Run
from headroom.testbed import choice, containers
from headroom.testbed.compose import Compose
from headroom.testbed.processes import Service
from headroom.testbed.topology import Role

BUILD = ROOT / "docker" / "build"


def image_of(found: Implementation, topology: str) -> Implementation | None:
    """An implementation, if it takes part as an image: over Compose, when it has one."""
    return found if topology == "compose" and found.image else None


def require(name: str, topology: str, build: str) -> None:
    """Raises EnvironmentLacks or UsageError where an implementation cannot be driven over a topology."""
    named = implementations.find(name)
    if named.program:
        if topology != "netns":
            raise UsageError(f"{named.name} is a program of its own, which runs with --topology netns alone.")
        implementations.require_usable(name, build)
        return
    found = image_of(named, topology)
    if found is None:
        implementations.require_adapter(name, build)
    else:
        containers.require_image(found.image, found.digest, found.obtain)


def identity(found: Implementation, topology: str, build: str) -> dict[str, Any]:
    """What result records say of an implementation; of an image, its name and digest."""
    if image_of(found, topology) is None:
        return capabilities.identity(found, build)
    digest = found.digest.removeprefix("sha256:")
    named = {"name": found.name, "version": found.version or None, "build": found.image, "sha256": digest}
    return named if found.version else named | {"reason": "a container image does not say its version"}


def has_image(run: Run) -> bool:
    """Whether one side takes part as an image."""
    return any(image_of(found, run.topology) for _, found in run.sides)


def start(made: Compose, role: Role, found: Implementation, variables: dict[str, str]) -> Service:
    """Starts an implementation that is an image in a role. Raises NotOnThisTopology where it is asked for more than one
    core, EngineFailure as `start_image` does."""
    if (cores := len(made.seats[role].cores)) > 1:
        raise choice.NotOnThisTopology(
            f"{found.name} is a container image, which works on one core; this asks for {cores}."
        )
    return made.start_image(role, found.image, variables)


def build_ours(say: Callable[[str], None]) -> None:
    """Builds our images from this tree; what has not changed takes a second. Raises EnvironmentLacks where it fails."""
    say("images of this tree (docker/build)")
    try:
        done = subprocess.run([BUILD], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    except OSError as error:
        raise EnvironmentLacks(f"docker/build cannot be started: {error.strerror}.") from error
    if done.returncode != 0:
        output = "\n".join(done.stderr.strip().splitlines()[-16:])
        raise EnvironmentLacks(f"The images could not be built:\n{output}")
