# SPDX-License-Identifier: Apache-2.0
"""Processes that live and do nothing, because they were stopped: in a measurement, they look like a link that loses
everything.

Source: proc(5), /proc/<pid>/stat and /proc/<pid>/cgroup; the kernel's freezer of cgroups, version 1 and 2.
"""

import contextlib
from pathlib import Path

from headroom.core.process_group import stat_of

CGROUPS = Path("/sys/fs/cgroup")
STOPPED = b"T"  # not "t": a debugger stops its process on purpose


def why_still(pid: int) -> str:
    """The reason why a process, or one that it has started, does nothing: the end of a sentence; "" if there is
    none.
    """
    if any(stat_of(descendant)[:1] == [STOPPED] for descendant in (pid, *_descendants(pid))):
        return "it has been stopped (SIGSTOP)"
    return "it has been frozen (paused)" if _is_frozen(pid) else ""


def _descendants(pid: int) -> list[int]:
    """The processes that a process has started and not yet waited for, such as the program behind a sandbox or a
    container's init.

    [] if the kernel does not report them.
    """
    with contextlib.suppress(OSError, ValueError):
        children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_bytes().split()]
        return [*children, *(descendant for child in children for descendant in _descendants(child))]
    return []


def _is_frozen(pid: int) -> bool:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/cgroup").read_text(encoding="utf-8", errors="replace").splitlines():
            _, controllers, path = line.split(":", 2)
            group = CGROUPS / ("freezer" if controllers else "") / path.lstrip("/")
            if controllers == "freezer" and (group / "freezer.state").read_text().strip() != "THAWED":
                return True
            if not controllers and "frozen 1" in _text(group / "cgroup.events"):
                return True
    return False


def _text(path: Path) -> str:
    with contextlib.suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace")
    return ""
