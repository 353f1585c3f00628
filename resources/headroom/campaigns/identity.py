# SPDX-License-Identifier: Apache-2.0
"""What machines of a campaign must have in common: the commit, changes to it, the Python packages."""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from headroom.core.errors import EnvironmentLacks
from headroom.core.paths import ROOT

SHOWN = 12  # digits of a digest in a sentence


@dataclass(frozen=True)
class Identity:
    """Of a checkout. `changes` is a digest of what differs from the commit, "" where nothing does; `packages` one of
    requirements.lock."""

    commit: str
    changes: str
    packages: str

    def as_json(self) -> dict[str, str]:
        return asdict(self)

    def differs(self, other: Identity) -> str:
        """What another checkout has that this one lacks, as the rest of a sentence; "" where they are the same."""
        if other.commit != self.commit:
            return f"commit {other.commit[:SHOWN]}, where {self.commit[:SHOWN]} is measured"
        if other.changes != self.changes:
            return f"other uncommitted changes to commit {self.commit[:SHOWN]}"
        if other.packages != self.packages:
            return "another requirements.lock"
        return ""


def here(root: Path = ROOT) -> Identity:
    """Of this checkout, read anew. Raises EnvironmentLacks where it is no git repository."""

    def git(*words: str) -> bytes:
        return subprocess.run(["git", "-C", str(root), *words], capture_output=True, timeout=60, check=True).stdout

    try:
        commit = git("rev-parse", "HEAD").decode().strip()
        changes = git("status", "--porcelain") + git("diff", "HEAD", "--binary")
        packages = (root / "requirements.lock").read_bytes()
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentLacks(
            f"A campaign compares commits, and {root} shows none ({error}): use a git checkout, and install git."
        ) from error
    digest = hashlib.sha256(changes).hexdigest() if changes else ""
    return Identity(commit, digest, hashlib.sha256(packages).hexdigest())
