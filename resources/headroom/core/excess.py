# SPDX-License-Identifier: Apache-2.0
"""Bounds for processes in a sandbox that no limit of the kernel gives: of root's processes, and of shared memory.

Memory that processes share, files in memory, and children each with a limit of their own count only here. Control
groups would bound them, but need a group in which the harness is alone, and a start would wait for each.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from headroom.core import process_group
from headroom.core.sandbox import MOST_PROCESSES, Walls

LEAST_LEFT = 1 / 32  # of the machine's memory
GLANCE_S = 0.2
MOST_HEARD = 1 << 20  # octets that `hear` takes
PARENT, THREADS = 1, 17  # among the fields of process_group.stat_of


class TakesTooMuch(subprocess.TimeoutExpired):
    """Raised if a program takes too much of the machine; `reason` is the end of a sentence about it."""

    def __init__(self, command: Sequence[str], patience_s: float, reason: str) -> None:
        super().__init__(list(command), patience_s)
        self.reason = reason


def hear(command: Sequence[str], walls: Walls, patience_s: float) -> tuple[int, str]:
    """The exit status of a program in the sandbox, negative for a signal, and the beginning of what it prints.

    It has no input and no terminal, into which it could type, and what it prints is not kept in our memory. Raises
    OSError, TimeoutExpired if it takes longer, and TakesTooMuch if it takes too much of the machine.
    """
    with tempfile.TemporaryFile() as printed:
        process = process_group.start(
            command, walls=walls, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.DEVNULL
        )
        code = wait(process, command, patience_s)
        return code, os.pread(printed.fileno(), MOST_HEARD, 0).decode(errors="replace")


def wait(process: subprocess.Popen[bytes], command: Sequence[str], patience_s: float) -> int:
    """Waits for the end of a process in the sandbox, and returns its exit status, negative for a signal. Raises as
    `hear` does; the process has ended in any case.
    """
    try:
        deadline = time.monotonic() + patience_s
        while (code := process_group.exit_code(process)) is None:
            if reason := excess(process):
                raise TakesTooMuch(command, patience_s, reason)
            if time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(list(command), patience_s)
            time.sleep(0.005)
        return code
    finally:
        process_group.stop(process, 0.0)


def excess(process: subprocess.Popen[bytes]) -> str:
    """Returns what a process in a sandbox takes too much of, with those that it started, as the end of a sentence; ""
    where it keeps within bounds. To be called all the time: it looks now and then."""
    now = time.monotonic()
    if not process_group.is_walled(process) or now < getattr(process, "looked_at", 0.0) + GLANCE_S:
        return ""
    process.looked_at = now  # type: ignore[attr-defined]
    before = getattr(process, "tasks_before", 0)
    if process_group.tasks() - before > MOST_PROCESSES and _threads(process) > MOST_PROCESSES:
        return f"has more than {MOST_PROCESSES} processes and threads"
    if _left() < LEAST_LEFT:
        return f"runs while less than {LEAST_LEFT:.0%} of the machine's memory is left"
    return ""


def _threads(process: subprocess.Popen[bytes]) -> int:
    """Threads of all processes in the PID namespace of a sandbox."""
    found = {
        pid: (_namespace(pid), fields) for pid in process_group.processes() if (fields := process_group.stat_of(pid))
    }
    inside = {namespace for namespace, fields in found.values() if int(fields[PARENT]) == process.pid}
    return sum(int(fields[THREADS]) for namespace, fields in found.values() if namespace and namespace in inside)


def _namespace(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}/ns/pid").st_ino
    except OSError:
        return 0


def _left() -> float:
    """The share of the machine's memory that is available. Source: proc(5), /proc/meminfo."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    octets = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    return octets.get("MemAvailable", octets["MemTotal"]) / octets["MemTotal"]
