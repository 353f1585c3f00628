# SPDX-License-Identifier: Apache-2.0
"""Keeps a worker on the CPU that measurements use last, and gives the commands of cells all CPUs.

Source: sched_setaffinity(2), taskset(1).
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

from headroom.core.machine import topology

_all: frozenset[int] = frozenset()  # the CPUs of this process before it was restricted to one


def keep_apart() -> None:
    """Restricts every thread of this process to one CPU. Does nothing on a machine with one, or without taskset."""
    global _all
    mask = frozenset(os.sched_getaffinity(0))
    cores = topology.read().physical_cores
    if len(mask) < 2 or not cores or shutil.which("taskset") is None:
        return
    _all = mask
    for thread in os.listdir("/proc/self/task"):
        with suppress(OSError, ValueError):
            os.sched_setaffinity(int(thread), {cores[-1].number})


def command_prefix() -> list[str]:
    """The beginning of a command that gets all CPUs; empty if this process has them."""
    return [shutil.which("taskset") or "taskset", "-c", ",".join(map(str, sorted(_all)))] if _all else []
