# SPDX-License-Identifier: Apache-2.0
"""Whether a machine is quiet enough to be measured, and the lock that lets one measurement at a time work on it."""

from __future__ import annotations

import fcntl
import json
import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from headroom.core.errors import HeadroomError, disk_error
from headroom.core.machine import pressure
from headroom.core.paths import out_folder

LOOK_S = 1.0  # over which stolen time is counted
LOAD_DECAY_S = 60.0  # the kernel's load average over one minute: what it was counts 1/e of that a minute later
POLL_S = 1.0


class MachineBusy(HeadroomError):
    """The machine did not become free in time. The message says why."""


def guard(load: float = 0.5, steal: float = 0.01, own_load: float = 0.0) -> str:
    """Why the machine is busy, as a sentence; "" when it is quiet.

    `load` is the highest load average for each CPU, `steal` the highest share of the CPUs' time that a hypervisor takes
    for others; `own_load` is the part of the load average that the caller's own work left there.
    """
    before = pressure.read()
    time.sleep(LOOK_S)
    after = pressure.read()
    if before is None or after is None:
        return ""
    found = max(0.0, after.load_average - own_load)
    if found > load * after.cpus:
        return f"the load average is {found:.1f} on {after.cpus} CPUs, without what was measured last"
    stolen = pressure.between(before, after)["steal"] or 0.0
    if stolen > steal:
        return f"a hypervisor gives {stolen:.1%} of the CPUs' time to others".replace("%", " %")
    return ""


def lock_path() -> Path:
    return out_folder() / "measuring.lock"


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
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise disk_error(error, f"making {path}", resumable=False) from error
    try:
        until = time.monotonic() + patience_s
        while not _try(descriptor):
            if time.monotonic() >= until:
                raise MachineBusy(f"another measurement had {path} for {patience_s:g} s")
            time.sleep(min(POLL_S, max(0.01, until - time.monotonic())))
        yield Lock(descriptor)
    finally:
        os.close(descriptor)


def _try(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_until_quiet(lock: Lock, patience_s: float, load: float, steal: float) -> None:
    """Raises MachineBusy where the machine is not quiet within `patience_s`."""
    until = time.monotonic() + patience_s
    while reason := guard(load, steal, lock.own_load()):
        if time.monotonic() >= until:
            raise MachineBusy(f"{reason}, still after {patience_s:g} s")
        time.sleep(POLL_S)
