# SPDX-License-Identifier: Apache-2.0
"""Implementations that are container images: over `--topology compose` such an image is a node of its own, by the
contract of docker/README.md."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

from headroom.core import implementations, scheme
from headroom.core.errors import EnvironmentLacks
from headroom.core.implementations import Implementation
from headroom.core.paths import ROOT
from headroom.core.settings import Settings
from headroom.testbed import containers
from headroom.testbed.channel import Channel

BUILD = ROOT / "docker" / "build"


def image_of(name: str, topology: str) -> Implementation | None:
    """An implementation by name, if it takes part as an image: over Compose, when it has one."""
    if topology != "compose":
        return None
    found = implementations.find(name)
    return found if found.image else None


def require(name: str, topology: str, build: str) -> None:
    """Raises EnvironmentLacks or UsageError where an implementation cannot be driven over a topology."""
    found = image_of(name, topology)
    if found is None:
        implementations.require_adapter(name, build)
    else:
        containers.require_image(found.image, found.digest, found.obtain)


def identity(name: str, topology: str, build: str) -> dict[str, Any]:
    """What result records say of an implementation; of an image, its name and digest."""
    found = image_of(name, topology)
    if found is None:
        return implementations.identity(implementations.find(name), build)
    digest = found.digest.removeprefix("sha256:")
    reason = "a container image does not say its version"
    return {"name": found.name, "version": None, "build": found.image, "sha256": digest, "reason": reason}


def profiles_of(asked: Settings) -> list[str]:
    """The profiles that both sides declare, where one of them is an image: it is told which may be used."""
    declared = []
    for name in (asked.compressor, asked.decompressor):
        entries = [one for one in implementations.find(name).capabilities if one["scheme"] == scheme.default().name]
        declared.append({profile for one in entries for profile in one.get("profiles", ())})
    return sorted(declared[0] & declared[1])


def has_image(asked: Settings) -> bool:
    """Whether one side takes part as an image."""
    return any(image_of(name, asked.topology) for name in (asked.compressor, asked.decompressor))


def words_of(asked: Settings, channel: Channel) -> dict[str, str]:
    """What an image is told of its channel, in the words of the contract."""
    return {
        "HEADROOM_TEST": "forward",
        "HEADROOM_SCHEME": scheme.default().name,
        "HEADROOM_PROFILES": ",".join(profiles_of(asked)),
        "HEADROOM_MODE": channel.mode,
        "HEADROOM_CIDS": "large",
        "HEADROOM_MAX_CID": str(channel.max_cid),
        "HEADROOM_FEEDBACK": channel.feedback,
    }


def build_ours(say: Callable[[str], None]) -> None:
    """Builds our images from this tree; what has not changed takes a second. Raises EnvironmentLacks where it fails."""
    say("images of this tree (docker/build)")
    try:
        done = subprocess.run([BUILD], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    except OSError as error:
        raise EnvironmentLacks(f"docker/build cannot be started: {error.strerror}.") from error
    if done.returncode != 0:
        said = "\n".join(done.stderr.strip().splitlines()[-16:])
        raise EnvironmentLacks(f"The images could not be built:\n{said}")
