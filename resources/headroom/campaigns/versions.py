# SPDX-License-Identifier: Apache-2.0
"""The versions of a product that a campaign measures: folders with an implementation.yaml, or libraries alone.

Each has the digest of its library from the campaign's beginning, and records have the digest of the library that ran:
so a cell demonstrably measured the version that it is called after.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headroom.core import implementations
from headroom.core.errors import HeadroomError, UsageError
from headroom.core.implementations import Implementation
from headroom.core.paths import IMPLEMENTATIONS, ROOT, shown
from headroom.core.results import store
from headroom.core.yamlfile import Document

SIDES = ("compressor", "decompressor")  # the options that a version takes the place of
OF_LIBRARY = ("name", "version", "recordings", "captures", "container", "program", "adapter")  # not taken over


@dataclass(frozen=True)
class Version:
    """A version. `word` is its argument of --compressor; `digest` is that of its library, "" where each build of the
    project makes another. `like` is whose declarations a library alone has."""

    name: str
    word: str
    product: str = ""
    digest: str = ""
    library: str = ""
    like: str = ""

    @property
    def place(self) -> str:
        """The path that the campaign's file names, for people."""
        return shown(Path(self.library)) if self.library else self.word


def load(document: Document, folder: Path, to_measure: bool) -> dict[str, Version]:
    """The versions of a campaign's file, by name. Libraries alone get a folder in `folder`, which `make` writes. Raises
    UsageError with file and line where `to_measure` and one cannot be measured here."""
    found = {}
    for name, value in document.data.get("implementations", {}).items():
        try:
            found[name] = _version(name, value, folder, to_measure)
        except HeadroomError as error:
            raise UsageError(document.complaint(("implementations", name), str(error))) from error
    return found


def _version(name: str, value: str | Mapping[str, str], folder: Path, to_measure: bool) -> Version:
    if isinstance(value, str):
        word = value if "/" not in value and (IMPLEMENTATIONS / value).is_dir() else str(_path(value))
        if not to_measure:
            return Version(name, word)
        found = implementations.find(word)
        return Version(name, word, found.name, _digest(found))
    library = _path(value["library"])
    of = value["like"] if "/" not in value["like"] else str(_path(value["like"]))
    made = folder / "implementations" / name
    if not to_measure:
        return Version(name, "", library=str(library), like=of)
    like = implementations.find(of)
    if not library.is_file():
        raise UsageError(f"there is no library {shown(library)}")
    return Version(name, str(made / like.name), like.name, store.sha256_of(library), str(library), of)


def _path(text: str) -> Path:
    """A path of a campaign's file: relative ones begin in the repository's root, where every worker runs."""
    return (ROOT / Path(text).expanduser()).resolve()


def _digest(found: Implementation) -> str:
    """SHA-256 of an adapter's file; "" of one that is built with the project."""
    if found.is_ours():
        return ""
    if reason := found.unusable():
        raise UsageError(reason)
    return store.sha256_of(found.library_path()) if found.library else ""


def make(versions: Iterable[Version]) -> None:
    """Writes the folder of each library alone: the declarations of the implementation that it is like, and its own
    library."""
    for one in versions:
        if not one.library:
            continue
        like = implementations.find(one.like)
        data = implementations.read_declarations(like.folder).data
        kept = {key: value for key, value in data.items() if key not in OF_LIBRARY}
        adapter = {"name": one.product, "adapter": {**data.get("adapter", {}), "library": one.library}}
        folder = Path(one.word)
        shutil.rmtree(folder, ignore_errors=True)
        text = json.dumps({**kept, **adapter}, indent=1, default=str)
        store.write_atomically(folder / "implementation.yaml", text.encode() + b"\n")


def contradiction(version: Version, sides: Iterable[str], records: Iterable[Mapping[str, Any]]) -> str:
    """Returns why records are not of a version, as the rest of a sentence; "" if they are."""
    if not version.digest:
        return ""
    matched, others = 0, set()
    for record in records:
        for side in (record[role] for role in sides):
            if not side or side["name"] not in (version.product, version.word):
                continue
            if side["sha256"] == version.digest:
                matched += 1
            else:
                others.add(str(side["sha256"])[:12])
    if others and version.product not in implementations.names():  # else cases may name the repository's own
        return (
            f"it loaded a library with SHA-256 {', '.join(sorted(others))}, and {version.name} is {version.digest[:12]}"
        )
    return "" if matched else f"no record says that the library of {version.name} ({version.digest[:12]}) was loaded"
