# SPDX-License-Identifier: Apache-2.0
"""The versions of a product that a campaign measures: folders with an implementation.yaml, or libraries alone.

Each has the digest of its library from the campaign's beginning, and records have the digest of the library that ran:
this proves that a cell measured the version that it names.
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
from headroom.core.paths import IMPLEMENTATIONS, ROOT, sha256_of, shown
from headroom.core.results import store
from headroom.core.sandbox import is_library
from headroom.core.yamlfile import Document

SIDES = ("compressor", "decompressor")  # the options that a version replaces
# Keys of the declarations that a library alone does not copy from its `like` implementation.
OF_LIBRARY = ("name", "version", "recordings", "captures", "container", "program", "adapter")


@dataclass(frozen=True)
class Version:
    """A version. `word` is its argument of --compressor. `digest` is that of its library, "" if each build of the
    project makes another. `like` is the implementation whose declarations a library alone uses.
    """

    name: str
    word: str
    product: str = ""
    digest: str = ""
    library: str = ""
    like: str = ""

    @property
    def place(self) -> str:
        """The path in the campaign's file, for the user."""
        return shown(Path(self.library)) if self.library else self.word


def load(document: Document, folder: Path, to_measure: bool) -> dict[str, Version]:
    """The versions of a campaign's file, by name. Libraries alone get a folder in `folder`, which `make` writes. Raises
    UsageError with file and line if `to_measure` is set and one cannot be measured here.
    """
    result = {}
    for name, value in document.data.get("implementations", {}).items():
        try:
            result[name] = _version(name, value, folder, to_measure)
        except HeadroomError as error:
            raise UsageError(document.complaint(("implementations", name), str(error))) from error
    return result


def _version(name: str, value: str | Mapping[str, str], folder: Path, to_measure: bool) -> Version:
    if isinstance(value, str):
        word = value if "/" not in value and (IMPLEMENTATIONS / value).is_dir() else str(_path(value))
        if not to_measure:
            return Version(name, word)
        implementation = implementations.find(word)
        return Version(name, word, implementation.name, _digest(implementation))
    library = _path(value["library"])
    of = value["like"] if "/" not in value["like"] else str(_path(value["like"]))
    target = folder / "implementations" / name
    if not to_measure:
        return Version(name, "", library=str(library), like=of)
    like = implementations.find(of)
    if not library.is_file():
        raise UsageError(f"there is no library {shown(library)}")
    if not is_library(str(library)):  # or it is too large to be read
        raise UsageError(f"{shown(library)} is not a shared library")
    return Version(name, str(target / like.name), like.name, sha256_of(library), str(library), of)


def _path(text: str) -> Path:
    """A path of a campaign's file: relative ones begin in the repository's root, where every worker runs."""
    return (ROOT / Path(text).expanduser()).resolve()


def _digest(implementation: Implementation) -> str:
    """The SHA-256 of an adapter's file; "" if it is built with the project."""
    if implementation.is_ours():
        return ""
    if reason := implementation.unusable():
        raise UsageError(reason)
    return sha256_of(implementation.library_path()) if implementation.library else ""


def make(versions: Iterable[Version]) -> None:
    """Writes the folder of each library alone: the declarations of its `like` implementation, and its own library."""
    for version in versions:
        if not version.library:
            continue
        like = implementations.find(version.like)
        data = implementations.read_declarations(like.folder).data
        copied = {key: value for key, value in data.items() if key not in OF_LIBRARY}
        adapter = {"name": version.product, "adapter": {**data.get("adapter", {}), "library": version.library}}
        folder = Path(version.word)
        shutil.rmtree(folder, ignore_errors=True)
        text = json.dumps({**copied, **adapter}, indent=1, default=str)
        store.write_atomically(folder / "implementation.yaml", text.encode() + b"\n")


def contradiction(version: Version, sides: Iterable[str], records: Iterable[Mapping[str, Any]]) -> str:
    """The reason why records do not belong to a version, as the end of a sentence; "" if they do."""
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
    if others and version.product not in implementations.names():  # otherwise cases may name the repository's own
        return (
            f"it loaded a library with SHA-256 {', '.join(sorted(others))}, but {version.name} is {version.digest[:12]}"
        )
    return "" if matched else f"no record says that the library of {version.name} ({version.digest[:12]}) was loaded"
