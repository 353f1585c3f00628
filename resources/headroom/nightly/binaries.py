# SPDX-License-Identifier: Apache-2.0
"""Adapters and engines of earlier nights, kept by digest, so that old and new can be measured side by side.

binaries/<machine>/
  <sha256>/adapter.so, about.json        an adapter, and which commits it is of; libraries that lie beside it
  <sha256>/bin/headroom-engine           an engine; the folder is a build, as jobs name builds
  marks.json                             pinned, last-good
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from headroom.core import adapter_files
from headroom.core.errors import disk_error
from headroom.core.paths import document_of, sha256_of, shown
from headroom.core.results.store import write_atomically

Mark = Literal["pinned", "last-good"]
KEPT_NIGHTS = 14
ABOUT, ENGINE = "about.json", "bin/headroom-engine"
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Binary:
    """An adapter. `commits` are those that it was built from, because many commits change nothing of it; the last one
    is that of the last night. `changed`: the tree had uncommitted changes. `last_used` is the name of a night. `beside`
    are libraries that it needs, by their paths relative to its folder.
    """

    digest: str
    path: Path
    commits: tuple[str, ...] = ()
    changed: bool = False
    compiler: str = ""
    last_used: str = ""
    beside: tuple[str, ...] = ()

    @property
    def commit(self) -> str:
        return self.commits[-1] if self.commits else ""

    def as_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "path"}


class BinaryStore:
    """The binaries of one implementation and build that one machine has measured."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, path: Path, commit: str, changed: bool, compiler: str, night: str) -> Binary:
        """Keeps a copy of an adapter; `night` is "" outside a night. Raises EnvironmentLacks if that cannot be
        written.
        """
        beside = adapter_files.beside(path)
        digest = self._digest(path, beside)
        known = self.find(digest)
        commits = known.commits if known and not known.changed else ()
        changed = changed and not commits  # if a commit gives the same octets, they belong to the commit
        if commit and (changed or not commits or night):
            commits = (*(other for other in commits if other != commit), commit)
        elif commit and commit not in commits:
            commits = (commit, *commits)
        last_used = max(night, known.last_used if known else "")
        binary = Binary(digest, self._path(digest, beside), commits, changed, compiler, last_used, beside)
        for name in beside:
            self._copy(path.parent / name, binary.path.parent / name)
        self._copy(path, binary.path)
        self._write(self.folder / digest / ABOUT, binary.as_json())
        return binary

    def keep_engine(self, program: Path) -> Path:
        """Keeps a copy of an engine. Returns its folder, which serves as a build."""
        folder = self.folder / sha256_of(program)
        self._copy(program, folder / ENGINE)
        return folder

    def engine(self, digest: str) -> Path | None:
        """The folder of a kept engine, which serves as a build."""
        folder = self.folder / digest
        return folder if _DIGEST.fullmatch(digest) and (folder / ENGINE).is_file() else None

    def find(self, digest: str) -> Binary | None:
        """The kept adapter with a digest; None unless it is whole."""
        try:
            about = document_of(self.folder / digest / ABOUT)
            beside = tuple(map(str, about.get("beside", ())))
            path = self._path(digest, beside)
            if about["digest"] != digest or adapter_files.digest(path, beside) != digest:
                return None
            texts = {name: str(about[name]) for name in ("compiler", "last_used")}
            commits = tuple(map(str, about["commits"]))
            return Binary(digest, path, changed=bool(about["changed"]), commits=commits, beside=beside, **texts)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def of_commit(self, commit: str, compiler: str) -> Binary | None:
        """The kept adapter of a commit, made by a compiler."""
        known = (binary for binary in self._all() if not binary.changed and binary.compiler == compiler)
        return next((binary for binary in known if commit in binary.commits), None)

    def marked(self, mark: Mark) -> Binary | None:
        digest = self._marks().get(mark, "")
        return self.find(digest) if _DIGEST.fullmatch(digest) else None

    def mark(self, mark: Mark, binary: Binary) -> None:
        self._write(self.folder / "marks.json", {**self._marks(), mark: binary.digest})

    def forget(self, night: str) -> None:
        """Removes a night from the binaries that were last used in it."""
        for binary in self._all():
            if binary.last_used == night:
                self._write(self.folder / binary.digest / ABOUT, replace(binary, last_used="").as_json())

    def prune(self, engines: Collection[str]) -> list[str]:
        """Removes all binaries but the marked ones, those of the last 14 nights, and the engines of `engines`
        (digests). Returns the removed digests.
        """
        nights = sorted({binary.last_used for binary in self._all()})[-KEPT_NIGHTS:]
        digests = {binary.digest for binary in self._all() if binary.last_used in nights} | set(self._marks().values())
        gone = []
        for folder in self.folder.iterdir() if self.folder.is_dir() else ():
            if not _DIGEST.fullmatch(folder.name) or folder.name in digests | set(engines):
                continue
            shutil.rmtree(folder, ignore_errors=True)
            gone.append(folder.name)
        return gone

    def _all(self) -> list[Binary]:
        names = sorted(path.name for path in self.folder.glob("*") if _DIGEST.fullmatch(path.name))
        return [binary for name in names if (binary := self.find(name))]

    def _marks(self) -> dict[str, str]:
        try:
            marks = document_of(self.folder / "marks.json")
            return {str(name): str(digest) for name, digest in marks.items()}
        except (OSError, ValueError, AttributeError):
            return {}

    def _path(self, digest: str, beside: Sequence[str]) -> Path:
        return self.folder / digest / adapter_files.name_beside(beside)

    def _digest(self, path: Path, beside: Sequence[str]) -> str:
        try:
            return adapter_files.digest(path, beside)
        except OSError as error:
            raise disk_error(error, f"reading {shown(path)}", resumable=False) from error

    def _copy(self, path: Path, to: Path) -> None:
        if to.is_file() and sha256_of(to) == sha256_of(path):
            return
        try:
            write_atomically(to, path.read_bytes())
            to.chmod(0o755)
        except OSError as error:
            raise disk_error(error, f"keeping {shown(path)}", resumable=False) from error

    def _write(self, path: Path, document: dict[str, Any]) -> None:
        try:
            write_atomically(path, json.dumps(document, indent=1, sort_keys=True).encode() + b"\n")
        except OSError as error:
            raise disk_error(error, f"writing {shown(path)}", resumable=False) from error
