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


def image_of(implementation: Implementation, topology: str) -> Implementation | None:
    """The implementation if it takes part as an image: over Compose, if it has one; else None."""
    return implementation if topology == "compose" and implementation.image else None


def require(name: str, topology: str, build: str) -> None:
    """Raises EnvironmentLacks or UsageError if an implementation cannot be driven over a topology."""
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


def identity(implementation: Implementation, topology: str, build: str) -> dict[str, Any]:
    """The entry of result records for an implementation; for an image, its name and digest."""
    if image_of(implementation, topology) is None:
        return capabilities.identity(implementation, build)
    digest = implementation.digest.removeprefix("sha256:")
    named = {
        "name": implementation.name,
        "version": implementation.version or None,
        "build": implementation.image,
        "sha256": digest,
    }
    return named if implementation.version else named | {"reason": "a container image does not report its version"}


def has_image(run: Run) -> bool:
    """True if one side takes part as an image."""
    return any(image_of(implementation, run.topology) for _, implementation in run.sides)


def start(made: Compose, role: Role, found: Implementation, variables: dict[str, str]) -> Service:
    """Starts an implementation that is an image in a role. Raises NotOnThisTopology if more than one core is asked of
    it, EngineFailure as `start_image` does.
    """
    if (cores := len(made.seats[role].cores)) > 1:
        raise choice.NotOnThisTopology(
            f"{found.name} is a container image, which works on one core; this asks for {cores}."
        )
    return made.start_image(role, found.image, variables)


def build_ours(say: Callable[[str], None]) -> None:
    """Builds our images from this tree; unchanged images take a second. Raises EnvironmentLacks if it fails."""
    say("images of this tree (docker/build)")
    try:
        process = subprocess.run([BUILD], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    except OSError as error:
        raise EnvironmentLacks(f"docker/build cannot be started: {error.strerror}.") from error
    if process.returncode != 0:
        output = "\n".join(process.stderr.strip().splitlines()[-16:])
        raise EnvironmentLacks(f"The images could not be built:\n{output}")
