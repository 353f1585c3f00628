# SPDX-License-Identifier: Apache-2.0
"""The properties that all machines of a campaign must share: the commit, changes to it, the Python packages."""

from __future__ import annotations

import hashlib
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from headroom.core.errors import EnvironmentLacks
from headroom.core.git import git
from headroom.core.paths import ROOT, sha256_of

GIT_TIMEOUT_S = 60
SHOWN = 12  # digits of a digest in a sentence


@dataclass(frozen=True)
class Identity:
    """The identity of a checkout. `changes` is a digest of its differences from the commit, "" if there are none;
    `packages` is a digest of requirements.lock.
    """

    commit: str
    changes: str
    packages: str

    def as_json(self) -> dict[str, str]:
        return asdict(self)

    @classmethod
    def from_json(cls, document: Any) -> Identity:
        """The identity in a document. Raises ValueError, with half a sentence, if it is damaged."""
        names = [field.name for field in fields(cls)]
        if not isinstance(document, dict) or any(not isinstance(document.get(name), str) for name in names):
            raise ValueError(f"it has no {', '.join(names)}")
        return cls(**{name: document[name] for name in names})

    def differs(self, other: Identity) -> str:
        """The difference of another checkout, as the end of a sentence; "" if they are equal."""
        if other.commit != self.commit:
            return f"commit {other.commit[:SHOWN]}, but the campaign measures {self.commit[:SHOWN]}"
        if other.changes != self.changes:
            return f"other uncommitted changes to commit {self.commit[:SHOWN]}"
        if other.packages != self.packages:
            return "another requirements.lock"
        return ""


_at_start: Identity | None = None  # identity of a worker's code


def remember() -> None:
    """Keeps the checkout's present identity, when this process has just read its code from there."""
    global _at_start
    _at_start = here()


def running() -> Identity:
    """The identity of the code that this process runs: that of the checkout when a worker began, or else as it
    is now.
    """
    return _at_start or here()


def here(root: Path = ROOT) -> Identity:
    """The identity of this checkout, read anew. Raises EnvironmentLacks if it is not a git repository."""
    try:
        packages = (root / "requirements.lock").read_bytes()
    except OSError as error:
        raise EnvironmentLacks(f"{root} has no requirements.lock ({error.strerror}).") from error
    commit = _git(root, "rev-parse", "HEAD").strip()
    return Identity(commit, _changes(root), hashlib.sha256(packages).hexdigest())


def _changes(root: Path) -> str:
    """A digest of the names and contents of all files that differ from the commit, independent of git's configuration;
    "" if there are none.
    """
    tracked = _git(root, "diff", "--name-only", "--no-renames", "-z", "HEAD")
    others = _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    digest = hashlib.sha256()
    names = sorted(filter(None, (tracked + others).split("\0")))
    for name in names:
        path = root / name
        digest.update(name.encode(errors="surrogateescape") + b"\0")
        if path.is_symlink():
            digest.update(os.readlink(path).encode(errors="surrogateescape"))
        elif path.is_file():
            digest.update(sha256_of(path).encode())
    return digest.hexdigest() if names else ""


def _git(root: Path, *arguments: str) -> str:
    process = git(root, *arguments, timeout_s=GIT_TIMEOUT_S)
    if process.returncode != 0:
        reason = (process.stderr.strip().splitlines() or ["git gave no reason"])[-1]
        raise EnvironmentLacks(f"A campaign compares commits, but {root} has none ({reason}): use a git checkout.")
    return process.stdout
