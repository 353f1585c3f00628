# SPDX-License-Identifier: Apache-2.0
"""Docker and Compose: whether they are here, and what a container says of itself."""

from __future__ import annotations

import json
import secrets
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headroom.errors import EnvironmentLacks

ANSWER_S = 20.0
DOES_NOT = 127  # exit status of a container that does not do the test it was asked for


@dataclass(frozen=True)
class Found:
    """What there is of Docker: `compose` is how Compose is called; `reason` says what lacks, `remedy` what to do."""

    version: str = ""
    compose: tuple[str, ...] = ()
    reason: str = ""
    remedy: str = ""


def look() -> Found:
    """Looks for Docker, its daemon, and Compose as a plugin (v2) or as a program (v1.29)."""
    if shutil.which("docker") is None:
        return Found(reason="Docker is not installed", remedy="install Docker with its Compose plugin")
    server = _ask("docker", "info", "--format", "{{.ServerVersion}}")
    if not server:
        return Found(
            reason="Docker is installed, but its daemon does not answer",
            remedy="start the daemon, or join the group docker",
        )
    for words in (("docker", "compose"), ("docker-compose",)):
        if shutil.which(words[0]) and (version := _ask(*words, "version", "--short")):
            return Found(f"Docker {server}, Compose {version.removeprefix('v')}", words)
    return Found(reason="Docker is there, but without Compose", remedy="install the Compose plugin, or docker-compose")


def _ask(*words: str) -> str:
    """What a command prints; "" where it fails or does not answer."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=ANSWER_S, errors="replace")
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def daemon_answers() -> bool:
    return bool(_ask("docker", "version", "--format", "{{.Server.Version}}"))


def inspect(container: str) -> dict[str, Any]:
    """What Docker knows of a container; nothing where it knows none, or does not answer."""
    try:
        found = json.loads(_ask("docker", "inspect", container) or "[]")
    except ValueError:
        return {}
    return found[0] if found else {}


def last_words(container: str) -> str:
    """The last line that a container has printed to stderr."""
    try:
        done = subprocess.run(
            ["docker", "logs", "--tail", "20", container],
            capture_output=True,
            text=True,
            timeout=ANSWER_S,
            errors="replace",
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return next((line.strip()[:300] for line in reversed(done.stderr.splitlines()) if line.strip()), "")


def refuses_unknown_tests(image: str, words: Sequence[str] = ()) -> str:
    """Asks an image for a test that nobody has ever heard of; returns what is wrong with its answer.

    An image that takes any test for one that it knows would be measured doing something else.
    """
    name = f"unknown-{secrets.token_hex(4)}"
    try:
        done = subprocess.run(
            ["docker", "run", "--rm", "--network", "none", "--env", f"HEADROOM_TEST={name}", image, *words],
            capture_output=True,
            text=True,
            timeout=ANSWER_S,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return f"{image} does not end within {ANSWER_S:g} s when it is asked for the unknown test {name}"
    except OSError as error:
        raise EnvironmentLacks(f"docker cannot be started: {error.strerror}.") from error
    if done.returncode == DOES_NOT:
        return ""
    if done.returncode == 125:  # docker's own: the image does not exist, the daemon refuses
        raise EnvironmentLacks(f"{image} cannot be run: {(done.stderr.strip().splitlines() or ['no reason given'])[0]}")
    return (
        f"{image} ends with status {done.returncode} when it is asked for the unknown test {name}; {DOES_NOT} says "
        "that it does not do a test"
    )
