# SPDX-License-Identifier: Apache-2.0
"""The files of an adapter: the adapter itself, and the libraries beside it that the loader takes from there.

Vendors deliver adapters with the codec in a library of its own, found through a RUNPATH of `$ORIGIN`. A copy of such an
adapter needs copies of its libraries, and its digest covers them all.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import string
import subprocess
from collections.abc import Sequence
from pathlib import Path

from headroom.core import excess
from headroom.core.paths import sha256_of
from headroom.core.sandbox import Walls, is_library

_TAKEN = re.compile(r"\S.* => (/.*) \(0x[0-9a-f]+\)")  # a line of ldd(1)
_PATIENCE_S = 20


def beside(adapter: Path) -> tuple[str, ...]:
    """The libraries that an adapter needs and that lie in its folder or below, relative to it; none if the loader
    cannot list the file as a library.
    """
    adapter = Path(os.path.abspath(adapter))  # the loader takes its folder for $ORIGIN, even if the adapter is a link
    loader = ["ldd", str(adapter)]  # it may run code of the adapter
    try:
        _, listing = excess.hear(loader, Walls(reads=(str(adapter),), cpu_s=_PATIENCE_S), _PATIENCE_S)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    lines = (_TAKEN.fullmatch(line.strip()) for line in listing.split("\n"))
    paths = [Path(os.path.normpath(match[1])) for match in lines if match]
    mine = {path for path in paths if path.is_relative_to(adapter.parent)}
    # The adapter can add lines to the listing, and links to files that it could not read until they are copied.
    return tuple(sorted(str(path.relative_to(adapter.parent)) for path in mine if is_library(str(path))))


def name_beside(libraries: Sequence[str]) -> str:
    """A file name for an adapter that none of its libraries has; always of the same length."""
    names = ("adapter.so", *(f"adapte{letter}.so" for letter in string.ascii_lowercase))
    return next((name for name in names if name not in libraries), names[0])


def link(adapter: Path, folder: Path) -> Path:
    """Makes links to an adapter and its libraries in a folder; returns that to the adapter. Raises OSError."""
    libraries = beside(adapter)
    linked = folder / name_beside(libraries)
    for path, name in ((adapter, linked.name), *((adapter.parent / name, name) for name in libraries)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(path.resolve())
    return linked


def digest(adapter: Path, libraries: Sequence[str]) -> str:
    """The SHA-256 of an adapter, or of it and its libraries. Raises OSError."""
    own = sha256_of(adapter)
    if not libraries:
        return own
    if missing := [name for name in libraries if not (adapter.parent / name).is_file()]:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), missing[0])  # reading a device would never end
    parts = [own, *((name, sha256_of(adapter.parent / name)) for name in sorted(libraries))]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def copy(adapter: Path, folder: Path) -> Path:
    """Copies an adapter, and its libraries with it, into a folder. Raises OSError."""
    for name in beside(adapter):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(adapter.parent / name, folder / name)
    return Path(shutil.copy(adapter, folder))
