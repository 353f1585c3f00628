# SPDX-License-Identifier: Apache-2.0
"""Paths of the repository and of results."""

import contextlib
import errno
import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Any

from headroom.core.errors import UsageError

ROOT = Path(__file__).resolve().parents[3]
SUITES = ROOT / "suites"
SCHEMAS = ROOT / "resources" / "schemas"
IMPLEMENTATIONS = ROOT / "implementations"
IMPLEMENTATIONS_PATH = "HEADROOM_IMPLEMENTATIONS_PATH"  # names more folders of implementations, separated by colons
PROFILES = ROOT / "traffic-profiles"
PAPERS = ROOT / "reports" / "papers"
TEMPLATES = ROOT / "reports" / "templates"
VECTORS = ROOT / "resources" / "vectors"

DEFAULT_BUILD = "gcc-O2"
MOST_TEXT = 64 << 20  # octets of a document of a run, such as run.json


def build_folder(build: str) -> Path:
    """The folder of a build. `build` names a CMake preset; a path is taken as it is, for builds made elsewhere."""
    return Path(build).resolve() if "/" in build else ROOT / "build" / build


def out_folder() -> Path:
    """The folder of runs: `out/`, or $HEADROOM_OUT."""
    return Path(os.environ.get("HEADROOM_OUT") or ROOT / "out")


def output_file(path: Path) -> Path:
    """The path for a file that a user named, with links followed. Raises UsageError for a folder, a device or a pipe: a
    file is renamed into its place, which would replace it.
    """
    if path == Path("-") or is_stream(path):
        raise UsageError(f"{path} is a stream of a process; name a file to write.")
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            what = "a folder" if target.is_dir() else "not a regular file"
            raise UsageError(f"{path} is {what}; name a file to write.")
    except (OSError, RuntimeError) as error:  # a loop of links, a name that is too long
        raise UsageError(f"{path} cannot be written ({error}); name a file to write.") from error
    return target


def below(folder: Path, name: str) -> Path:
    """The path below a folder that another product's file names. Raises UsageError if it leads out of the folder, also
    by a link.
    """
    path = folder / name
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise UsageError(f"'{name}' is not a path below {shown(folder)}; name one, without '..'")
    try:
        target = path.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a name that is too long, a NUL
        raise UsageError(f"'{name}' is not a path ({error}); name one below {shown(folder)}") from error
    if not target.is_relative_to(folder.resolve()):
        raise UsageError(
            f"'{name}' leads out of {shown(folder)} by a link, to {target}; put the files themselves there"
        )
    return path


def octets_of(path: Path, most: int) -> bytes:
    """The octets of a file; of a larger one, `most` and one more. Raises OSError if it is not a regular file, because a
    device or a pipe may have no end.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        octets = file.read(min(about.st_size, most) + 1)  # a read allocates all that it may return
        return octets + file.read(most + 1 - len(octets)) if about.st_size < len(octets) <= most else octets


def whole(path: Path, most: int) -> bytes:
    """The octets of a file. Raises OSError if it is not a regular file or has more than `most` octets."""
    octets = octets_of(path, most)
    if len(octets) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} octets", str(path))
    return octets


def text_of(path: Path) -> str:
    """The text of a document. Raises OSError if it is not a regular file or larger than MOST_TEXT, ValueError if it is
    not UTF-8.
    """
    return whole(path, MOST_TEXT).decode()


def document_of(path: Path) -> Any:
    """The value of a JSON document. Raises OSError as `text_of` does, ValueError if it is not JSON, or nested too deep
    to be read.
    """
    try:
        return json.loads(text_of(path))
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, as hexadecimal digits. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_stream(path: Path) -> bool:
    """True if a path names a stream that this process has open already."""
    return path.absolute().is_relative_to("/proc") or str(path.absolute()).startswith(("/dev/fd/", "/dev/std"))


def shown(path: Path) -> str:
    """The path for messages, in one line: relative to the repository if it lies inside."""
    with contextlib.suppress(OSError, RuntimeError, ValueError):  # it lies outside, or it is a loop of links
        path = path.resolve().relative_to(ROOT)
    return str(path).replace("\n", r"\n")
