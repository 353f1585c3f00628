# SPDX-License-Identifier: Apache-2.0
"""The lock that lets one measurement at a time work on a machine: nights and campaigns take it."""

from __future__ import annotations

import fcntl
import json
import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from headroom.core.errors import EnvironmentLacks, disk_error
from headroom.core.paths import out_folder

LOAD_DECAY_S = 60.0  # the kernel's load average over one minute: what it was counts 1/e of that a minute later
POLL_S = 1.0
SHARED = Path("/run/lock")  # a folder in which every user may make files (FHS 3.0, 5.9, as Debian has it)


class MachineBusy(EnvironmentLacks):
    """The machine did not become free in time. The message says why."""


def lock_path() -> Path:
    """The lock's file: $HEADROOM_LOCK, or one that all users and output folders of this machine share."""
    if named := os.environ.get("HEADROOM_LOCK"):
        return Path(named)
    return (SHARED if os.access(SHARED, os.W_OK) else out_folder()) / "headroom-measuring.lock"


class Lock:
    """The machine's lock while it is held. Its file keeps when the last measurement ended, and the load average
    then."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def own_load(self) -> float:
        """What the last measurement under this lock left in the load average: it decays. 0 where none is known."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            kept = json.loads(os.pread(self.descriptor, 4096, 0))
            age = time.clock_gettime(time.CLOCK_BOOTTIME) - float(kept["ended"])
            if age >= 0:
                return float(kept["load"]) * math.exp(-age / LOAD_DECAY_S)
        return 0.0

    def note_end(self) -> None:
        """Notes the end of a measurement for `own_load`."""
        document = {"ended": time.clock_gettime(time.CLOCK_BOOTTIME), "load": os.getloadavg()[0]}
        with suppress(OSError):
            os.ftruncate(self.descriptor, 0)
            os.pwrite(self.descriptor, json.dumps(document).encode(), 0)


@contextmanager
def measuring(patience_s: float) -> Iterator[Lock]:
    """Holds the machine's lock. Raises MachineBusy when another measurement has it for longer than `patience_s`."""
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
        yield Lock(descriptor)
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    """A descriptor of the lock's file, which any user may have made."""
    flags = os.O_CLOEXEC | os.O_NOFOLLOW
    with suppress(FileNotFoundError, PermissionError):
        return os.open(path, os.O_RDWR | flags)
    with suppress(FileNotFoundError):
        return os.open(path, os.O_RDONLY | flags)  # another user's: enough to lock it
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o666)
    with suppress(OSError):
        os.fchmod(descriptor, 0o666)  # whatever this user's umask is
    return descriptor


def _try(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
