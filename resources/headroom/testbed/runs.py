# SPDX-License-Identifier: Apache-2.0
"""Things that runs have made on this machine and that outlive a process: namespaces, containers. They are noted before
they are made.

Each run has a folder that lists its things, and the process that made it. A killed run leaves both; the next run finds
that the owner is dead, and removes the listed things. The things of a living run are never touched.
"""

import contextlib
import json
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from headroom.core import locks, process_group
from headroom.core.errors import EnvironmentLacks, disk_error

NO_OWNER = -1  # as the start time of an owner
PREFIX = "hr"  # beginning of every name that a run gives: hr-<run>-…


def state_folder() -> Path:
    """The folder of the notes: removed by a boot, as the things are."""
    if os.geteuid() == 0:
        return Path("/run/headroom")
    return Path(os.environ.get("XDG_RUNTIME_DIR") or f"/tmp/headroom-{os.getuid()}") / "headroom"


@dataclass(frozen=True)
class Owner:
    """An owner: a process, identified by its number and its start time since the machine's boot."""

    pid: int
    started: int  # clock ticks after boot
    boot: str
    kind: str  # kind of the things: netns, compose
    things: list[str]

    def is_alive(self) -> bool:
        return self.boot == _boot() and start_time(self.pid) == self.started


def claim(kind: str, things: Callable[[str], list[str]]) -> tuple[str, Path]:
    """A new run's name and folder, which lists the things that are about to be made: `things(run)`."""
    with locked() as state:
        run = secrets.token_hex(3)
        folder = state / run
        document = {
            "pid": os.getpid(),
            "started": start_time(os.getpid()),
            "boot": _boot(),
            "kind": kind,
            "things": things(run),
        }
        try:
            folder.mkdir()
            (folder / "state.json").write_text(json.dumps(document), encoding="utf-8")
        except OSError as error:
            raise disk_error(error, f"writing {folder}", resumable=False) from error
        return run, folder


def give_up(run: str) -> None:
    """Marks a run as dead whose things could not be removed, so that the next run, also one of this process, tries
    again.
    """
    path = state_folder() / run / "state.json"
    with locked(), contextlib.suppress(OSError, ValueError):
        document = json.loads(path.read_text(encoding="utf-8")) | {"started": NO_OWNER}
        path.with_suffix(".new").write_text(json.dumps(document), encoding="utf-8")
        path.with_suffix(".new").replace(path)


def release(run: str) -> None:
    """Removes the notes of a run, whose things are gone."""
    shutil.rmtree(state_folder() / run, ignore_errors=True)


def remove_dead(kind: str, remove: Callable[[str, list[str]], bool]) -> list[str]:
    """Calls `remove(run, things)` for each run of a kind whose owner is dead. Returns the names of these runs.

    A run whose things could not be removed stays noted.
    """
    removed = []
    with locked() as state:
        for folder in sorted(path for path in state.iterdir() if path.is_dir()):
            owner = owner_of(folder)
            if owner is not None and (owner.kind != kind or owner.is_alive()):
                continue
            if owner is None or remove(folder.name, owner.things):
                release(folder.name)
                removed.append(folder.name)
    return removed


def owner_of(folder: Path) -> Owner | None:
    """The owner in a run's folder; None if it is incomplete: it is written under the lock, so its writer was killed."""
    try:
        document = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        things = [str(name) for name in document["things"] if str(name).startswith(f"{PREFIX}-{folder.name}")]
        return Owner(
            int(document["pid"]), int(document["started"]), str(document["boot"]), str(document["kind"]), things
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextlib.contextmanager
def locked() -> Iterator[Path]:
    """Holds the lock, so that a search for dead runs never sees half a new one. Gives the folder of all runs."""
    state = state_folder()
    try:
        state.mkdir(mode=0o755, parents=True, exist_ok=True)
        above = state.parent.lstat()
        if not stat.S_ISDIR(above.st_mode) or above.st_uid != os.geteuid() or above.st_mode & stat.S_IWOTH:
            reason = "belongs to another user, is a link, or can be written by everyone"
            raise EnvironmentLacks(f"{state.parent} {reason}: remove it, or set XDG_RUNTIME_DIR.")
        # A link could lead to any folder of the user's, whose folders would be taken for dead runs, and removed.
        descriptor = os.open(state, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise disk_error(error, f"making {state}", resumable=False) from error
    try:
        if os.fstat(descriptor).st_uid != os.geteuid():  # its content would be trusted
            raise EnvironmentLacks(f"{state} belongs to another user: remove it.")
        locks.take(descriptor)
        yield state
    finally:
        os.close(descriptor)


def start_time(pid: int) -> int | None:
    """The start time of a process, in clock ticks after boot (field 22 of stat); None if it has ended."""
    fields = process_group.stat_of(pid)
    return int(fields[19]) if fields else None


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
