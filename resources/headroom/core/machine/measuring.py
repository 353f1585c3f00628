# SPDX-License-Identifier: Apache-2.0
"""The lock that allows one measurement at a time on a machine: nights and campaigns take it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from headroom.core import locks
from headroom.core.errors import EnvironmentLacks, disk_error
from headroom.core.paths import out_folder

POLL_S = 1.0
SHARED = Path("/run/lock")  # a folder in which every user may make files (FHS 3.0, 5.9; Debian's layout)


class MachineBusy(EnvironmentLacks):
    """Raised if the machine did not become free in time. The message has the reason."""


def lock_path() -> Path:
    """The lock's file: $HEADROOM_LOCK, or a file that all users and output folders of this machine share."""
    if named := os.environ.get("HEADROOM_LOCK"):
        return Path(named)
    return (SHARED if os.access(SHARED, os.W_OK) else out_folder()) / "headroom-measuring.lock"


@contextmanager
def measuring(patience_s: float) -> Iterator[None]:
    """Holds the machine's lock. Raises MachineBusy if another measurement has it for longer than `patience_s`."""
    path = lock_path()
    try:
        descriptor = _opened(path)
    except OSError as error:
        raise disk_error(error, f"opening {path}", resumable=False) from error
    try:
        until = time.monotonic() + patience_s
        while not _try(descriptor):
            if time.monotonic() >= until:
                raise MachineBusy(f"another measurement had {path} for {patience_s:g} s")
            time.sleep(min(POLL_S, max(0.01, until - time.monotonic())))
        yield
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    """A descriptor of the lock's file, which any user may have made."""
    flags = os.O_CLOEXEC | os.O_NOFOLLOW
    with suppress(FileNotFoundError, PermissionError):
        return os.open(path, os.O_RDWR | flags)
    with suppress(FileNotFoundError):
        return os.open(path, os.O_RDONLY | flags)  # another user's file: reading suffices to lock it
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o666)
    with suppress(OSError):
        os.fchmod(descriptor, 0o666)  # independent of this user's umask
    return descriptor


def _try(descriptor: int) -> bool:
    return locks.take(descriptor, wait=False)
