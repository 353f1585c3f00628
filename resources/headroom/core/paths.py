# SPDX-License-Identifier: Apache-2.0
"""Where things are in the repository."""

import os
from pathlib import Path

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


def build_folder(build: str) -> Path:
    """Folder of a build. `build` names a CMake preset; a path is taken as it is, for builds made elsewhere."""
    return Path(build).resolve() if "/" in build else ROOT / "build" / build


def out_folder() -> Path:
    """Where runs are kept: `out/`, or $HEADROOM_OUT."""
    return Path(os.environ.get("HEADROOM_OUT") or ROOT / "out")


def output_file(path: Path) -> Path:
    """Where a file that a user named is written: links are followed. Raises UsageError where a folder, a device or a
    pipe is there: a file is renamed into its place, which would replace it."""
    if (
        path == Path("-")
        or path.absolute().is_relative_to("/proc")
        or str(path.absolute()).startswith(("/dev/fd/", "/dev/std"))
    ):
        raise UsageError(f"{path} is a stream of a process; name a file to write.")
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            what = "a folder" if target.is_dir() else "no regular file"
            raise UsageError(f"{path} is {what}; name a file to write.")
    except (OSError, RuntimeError) as error:  # a loop of links, a name that is too long
        raise UsageError(f"{path} cannot be written ({error}); name a file to write.") from error
    return target


def shown(path: Path) -> str:
    """A path as messages show it: relative to the repository when it lies inside."""
    try:
        return str(path.resolve().relative_to(ROOT))
    except ValueError:
        return str(path)
