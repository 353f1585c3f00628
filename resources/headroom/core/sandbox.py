# SPDX-License-Identifier: Apache-2.0
"""Walls around processes that host code of others: bubblewrap(1).

Inside, a process sees its own processes alone, has no network, and reads all files but the user's secrets; it writes
to its own /tmp, which goes with it, and to the files of its job. It dies with its caller, and what it started with it.
Where bubblewrap does not work, Landlock keeps it from files alone: see `landlock`.
"""

import contextlib
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from headroom.core import landlock, syscall_filter
from headroom.core.paths import ROOT, octets_of

OFF = "HEADROOM_NO_SANDBOX"  # a variable of the environment: --no-sandbox sets it
LEFT_BEHIND = 124  # exit status of a process that ended in order, but left others behind
SCRATCH_OCTETS = 256 << 20  # of each file system in memory
MOST_PROCESSES = 2048  # the kernel does not limit those of root
MOST_LIBRARY = 4 << 30  # octets; a file of holes may have terabytes, of which a digest would take hours
FILE_OCTETS = 1 << 30  # of a file where a job has no outputs
PATIENCE_S = 20
PAUSES_S = (0.0, 0.2, 1.0)  # seconds before each try whether bubblewrap works
FOR_GOOD = ("not permitted", "ermission", "not found")  # in its complaints: trying again does not help
NAMED = ("HEADROOM_", "LD_LIBRARY_PATH")  # variables whose paths the adapters may open
# A port is opened and set up, and its rings are locked in memory.
PORT_RIGHTS = {"CAP_NET_RAW": 13, "CAP_NET_ADMIN": 12, "CAP_IPC_LOCK": 14}
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/hugepages", "/dev/net/tun")  # that Landlock leaves writable
# Names of the variables that a process gets. Any other may hold a secret of the user.
PASSED = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_\w+|TZ|TERM|TMPDIR|LD_\w+|GLIBC_TUNABLES|MALLOC_\w+"
    r"|\w+_NUM_THREADS|\w+SAN_OPTIONS|LLVM_PROFILE_FILE|GCOV_\w+|VALGRIND_\w+|HEADROOM_\w+"
)
SECRET_VARIABLES = re.compile("TOKEN|SECRET|PASSW|PASSPHRASE|_PASS$|CREDENTIAL|COOKIE|PRIVATE|(API|ACCESS)_?KEY|_AUTH")
SECRETS_OF_ROOT = ("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssh", "/etc/ssl/private")
MISSING = "bubblewrap is not installed (apt-get install bubblewrap)"

# The first process inside. It sets the limits there, where they cannot reach bubblewrap, and waits for the program, so
# that the memory which it used is known. Messages of the shell about the program's end go nowhere. An empty line comes
# first on standard error, so that nothing which a program says can be taken for a complaint of bubblewrap.
_FIRST = f"""
echo >&2
ulimit -c 0
ulimit -f "$1"
[ -z "$2" ] || ulimit -d "$2"
[ -z "$3" ] || ulimit -t "$3"
exec 9>&2 2>/dev/null
ulimit -u {MOST_PROCESSES} || ulimit -p {MOST_PROCESSES}
shift 3
(exec 2>&9 9>&-; exec "$@")
status=$?
[ $status != 0 ] || ! kill -s 0 -- -1 || status={LEFT_BEHIND}
exit $status
"""


COMPLAINT = b"bwrap: "  # begins the complaint of bubblewrap, which then has not started the program
# Before bubblewrap, behind which /proc can only be read. Where memory is short, the kernel ends what has this first.
FIRST_TO_END = 1000  # the highest oom_score_adj: proc(5)
_OUTER = ("/bin/sh", "-c", f'echo {FIRST_TO_END} > /proc/self/oom_score_adj; exec "$@"', "headroom")


@dataclass(frozen=True)
class Walls:
    """The rights of a process besides reading files.

    It may read `reads` even where they lie among hidden files, and write to `writes`, files or folders. `ports`: it
    keeps its network namespace, and may open interfaces. `memory` is in octets, `cpu_s` is processor time.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    ports: bool = False
    memory: int | None = None
    cpu_s: int | None = None
    at_once: int = 1


def of_job(
    job: dict[str, Any],
    text: bytes,
    ports: bool = False,
    folders: Sequence[Path] = (),
    at_once: int = 1,
    **limits: int | None,
) -> Walls:
    """The walls of a job of the engine, whose JSON is `text`: each path that it names can be read, and its outputs can
    be written, which are made for that where they do not exist. `at_once` and `limits` are as for Walls.

    Configurations and options do not count: they come from implementations, which would name secrets there. `folders`
    are those that the harness made for the files of a configuration; adapters may write there."""
    theirs = {quoted for part in _of_implementations(job) for quoted in _PATHS.findall(json.dumps(part).encode())}
    named = (quoted for quoted in _PATHS.findall(text) if quoted not in theirs)
    paths = {path for quoted in named if os.path.exists(path := json.loads(quoted))}
    # An implementation names its library, too: only to a library does that give a right.
    paths -= {path for path in _libraries(job) if not is_library(path)}
    if lacking(ports):
        writes = [os.path.dirname(os.path.abspath(path)) for path in outputs(job)]
    else:
        writes = [path for path in outputs(job) if _is_made(path)]
    return Walls(tuple(sorted(paths)), (*writes, *map(str, folders)), ports, at_once=at_once, **limits)


def is_library(path: str) -> bool:
    """True if a file can be a shared library: it begins as ELF files do, and is not too large to be read whole."""
    try:
        return octets_of(Path(path), 3)[:4] == b"\x7fELF" and os.stat(path).st_size <= MOST_LIBRARY
    except (OSError, ValueError):  # a name with a NUL
        return False


def _libraries(job: Any) -> Iterator[str]:
    """The libraries that a job names."""
    entries = job.items() if isinstance(job, dict) else enumerate(job) if isinstance(job, list) else ()
    for key, value in entries:
        if key == "library" and isinstance(value, str):
            yield value
        else:
            yield from _libraries(value)


_PATHS = re.compile(rb'"/(?:[^"\\]|\\.)+"')


def _of_implementations(job: Any) -> Iterator[Any]:
    """The parts of a job that implementations have a say in."""
    if isinstance(job, list):
        for item in job:
            yield from _of_implementations(item)
    elif isinstance(job, dict):
        for key, value in job.items():
            if key in ("config", "options"):
                yield value
            elif isinstance(value, (dict, list)):
                yield from _of_implementations(value)


def outputs(job: dict[str, Any]) -> list[str]:
    """The files that a job of the engine writes."""
    several = job.get("outputs")
    paths = [*(several.values() if isinstance(several, dict) else ()), job.get("output"), job.get("capture")]
    return [path for path in paths if isinstance(path, str) and not path.startswith(("/dev/", "/proc/"))]


def _is_made(path: str) -> bool:
    """Makes a file unless it exists. Returns False if that fails; the engine then says why."""
    with contextlib.suppress(OSError, ValueError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o666))
    return os.path.exists(path) and not os.path.isdir(path)


def words(walls: Walls, program: Sequence[str], filters: Sequence[int] = ()) -> list[str]:
    """The words that go before a program's own; none where there is no sandbox. `filters` as `open_filters` made
    them."""
    limits = {"CORE": 0, "FSIZE": _file_limit(walls), "DATA": walls.memory, "CPU": walls.cpu_s}
    if lacking(walls.ports):
        return _landlock(walls, program, limits) if has_landlock() else []
    units = {"FSIZE": 512, "DATA": 1024, "CPU": 1}
    given = [str(value // unit) if (value := limits[name]) else "" for name, unit in units.items()]
    filtered = [word for descriptor in filters for word in ("--seccomp", str(descriptor))]
    first = ("--", "/bin/sh", "-c", _FIRST, "headroom")
    return [*_OUTER, *_bubblewrap(walls.ports), *filtered, *_files(walls, program[0]), *first, *given]


def _file_limit(walls: Walls) -> int:
    """The most octets of a file, so that all outputs of all processes side by side leave half of each disk. The memory
    of ports is a file, too."""
    share = 2 * walls.at_once * max(1, len(walls.writes))
    free = [shutil.disk_usage(path).free // share for path in walls.writes if os.path.exists(path)]
    limit = min(free, default=FILE_OCTETS)
    return max(FILE_OCTETS, limit) if walls.ports else limit


def open_filters(ports: bool) -> tuple[int, ...]:
    """Descriptors of pipes with the filters of system calls that bubblewrap is to install: one at most."""
    program = b"" if lacking(ports) else syscall_filter.program(ports)
    if not program:
        return ()
    reader, writer = os.pipe()
    os.write(writer, program)
    os.close(writer)
    return (reader,)


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that a process in a sandbox gets: those in PASSED whose names do not speak of secrets."""
    if os.environ.get(OFF):
        return dict(environment)
    passed = filter(PASSED.fullmatch, environment)
    return {name: environment[name] for name in passed if not SECRET_VARIABLES.search(name)}


def programs_status(code: int) -> int:
    """The exit status of a program in a sandbox, negative for a signal: the sandbox ends with 128 and its number."""
    return 128 - code if code > 128 else code


def in_force(ports: bool = False) -> str:
    """The name of the sandbox; "none" where there is none."""
    name = "bubblewrap" if not lacking(ports) else "Landlock" if has_landlock() else "none"
    return f"{name} with seccomp" if name != "none" and syscall_filter.program(ports) else name


@cache
def has_landlock() -> bool:
    """True if Landlock takes bubblewrap's place."""
    return not os.environ.get(OFF) and landlock.version() > 0


def _landlock(walls: Walls, program: Sequence[str], limits: dict[str, int | None]) -> list[str]:
    needed = (path for path in _needed(walls, program[0]) if not _leads_to_a_home(path))
    given = {
        "reads": [*_visible("/"), *needed],
        "writes": [*DEVICES, *walls.writes],
        "net": walls.ports,
        "rights": [*PORT_RIGHTS.values()] if walls.ports else [],
        "oom_score_adj": FIRST_TO_END,
        "filter": syscall_filter.program(walls.ports, landlock=True).hex(),
        "limits": {f"RLIMIT_{name}": value for name, value in limits.items() if value is not None},
    }
    return [sys.executable, "-I", "-S", landlock.__file__, json.dumps(given)]


def _leads_to_a_home(path: str) -> bool:
    return any(home == path or home.startswith(f"{path}/") for home in _homes())


def _visible(folder: str) -> Iterator[str]:
    """The folders and files below a folder that together are all but hidden files of home folders, and for root all but
    its secrets."""
    homes, secrets = _homes(), SECRETS_OF_ROOT if os.geteuid() == 0 else ()
    for entry in os.scandir(folder):
        if entry.is_symlink() or entry.path in secrets:
            continue  # of a link, where it leads counts
        if _leads_to_a_home(entry.path) or any(secret.startswith(f"{entry.path}/") for secret in secrets):
            yield from _visible(entry.path)
        elif not (folder in homes and entry.name.startswith(".")):
            yield entry.path


@cache
def lacking(ports: bool = False) -> str:
    """Returns why there is no sandbox, or none around processes with ports; "" if there is one."""
    if os.environ.get(OFF):
        return "it is turned off (--no-sandbox)"
    if ports and os.geteuid() != 0:
        return "only root can keep a network namespace in it"
    if shutil.which("bwrap") is None:
        return MISSING
    reason = ""
    # A machine that is short of processes for a moment must not open the walls for a whole run.
    for pause_s in PAUSES_S:
        time.sleep(pause_s)
        reason = _why_not(ports)
        if not reason or any(words in reason for words in FOR_GOOD):
            break
    return reason


def _why_not(ports: bool) -> str:
    """Returns why bubblewrap does not start a program now; "" if it does."""
    try:
        command = [*_bubblewrap(ports), "--", "/bin/true"]
        tried = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=PATIENCE_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap cannot be started ({error})"
    why = tried.stderr.strip().splitlines() or [f"exit status {tried.returncode}"]
    return f"bubblewrap does not work here ({why[-1][:200]})" if tried.returncode else ""


@cache
def _bubblewrap(ports: bool) -> tuple[str, ...]:
    separate = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL"]
    if ports:  # in a user namespace of its own it could not open interfaces of this one
        separate += [word for right in PORT_RIGHTS for word in ("--cap-add", right)]
        devices = [
            word for name in ("hugepages", "vfio", "net/tun") for word in ("--dev-bind-try", *[f"/dev/{name}"] * 2)
        ]
    else:
        separate += ["--unshare-net", "--unshare-user", "--disable-userns"]
        devices = []
    devices += ["--size", str(SCRATCH_OCTETS), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    # Settings of the kernel belong to root, and root's processes could change them without any right.
    processes = ["--proc", "/proc", "--remount-ro", "/proc"]
    files = ["--ro-bind", "/", "/", *processes, "--dev", "/dev", *devices]
    return (shutil.which("bwrap") or "bwrap", "--die-with-parent", "--as-pid-1", *separate, *files)


def _files(walls: Walls, program: str) -> Iterator[str]:
    """Words that hide folders, the outer ones first, bring back what is needed of each, and open files to write."""
    writes = list(dict.fromkeys(map(os.path.realpath, walls.writes)))
    beside = {os.path.dirname(path) for path in writes if not os.path.isdir(path)}
    needed = _needed(walls, program) | beside
    homes, bind = _homes(), ("--ro-bind-try",)
    for top in sorted({*homes, *_scratch()}, key=len):
        yield from ("--size", str(SCRATCH_OCTETS), "--tmpfs", top)
        for path in sorted(set(_brought_back(top, top in homes, needed)), key=len):
            with contextlib.suppress(OSError):  # a link that has gone
                yield from ("--symlink", os.readlink(path), path) if os.path.islink(path) else (*bind, path, path)
    if os.geteuid() == 0:
        for path in filter(os.path.exists, SECRETS_OF_ROOT):
            is_folder = os.path.isdir(path)
            yield from (("--size", "4096", "--tmpfs", path) if is_folder else ("--ro-bind", "/dev/null", path))
    for path in writes:
        yield from ("--bind", path, path)
    for top in beside & (homes | _scratch()):  # where the engine finds no room beside its output, it writes it in place
        yield from ("--remount-ro", top)


def _needed(walls: Walls, program: str) -> set[str]:
    """Paths that have to be visible, also where they lead."""
    named = [value for name, value in os.environ.items() if name.startswith(NAMED)]
    paths = {path for value in named for path in value.split(":") if path.startswith("/")}
    with contextlib.suppress(FileNotFoundError):  # a folder that has been removed
        paths.add(os.getcwd())
    paths |= {str(ROOT), sys.prefix, sys.base_prefix, program, *walls.reads}
    paths = {os.path.abspath(path) for path in paths if os.path.exists(path)}
    return paths | {os.path.realpath(path) for path in paths}


@cache
def _scratch() -> frozenset[str]:
    return frozenset(map(os.path.realpath, ("/tmp", "/run", tempfile.gettempdir())))


# Folders of the system, which passwd(5) names as homes of its services.
_OF_SYSTEM = re.compile("/(usr|s?bin|lib[0-9x]*|etc|dev|proc|sys|run|boot)(/|$)|/tmp$|/var/tmp$")


def _homes() -> frozenset[str]:
    """Home folders of this user, and for root of all users, where their hidden files are secrets."""
    return _with_others(os.environ.get("HOME", ""))


@cache
def _with_others(home: str) -> frozenset[str]:
    folders = {home, "/root"}
    accounts = [user for user in pwd.getpwall() if os.geteuid() == 0 or user.pw_uid == os.getuid()]
    folders |= {user.pw_dir for user in accounts if not _OF_SYSTEM.match(os.path.realpath(user.pw_dir))}
    if os.geteuid() == 0:
        folders |= set(map(str, Path("/home").glob("*")))
    real = {os.path.realpath(path) for path in folders if path and os.path.isdir(path)}
    return frozenset(path for path in real if path != "/" and os.access(path, os.R_OK | os.X_OK))


def _brought_back(top: str, is_home: bool, needed: Iterable[str]) -> Iterator[str]:
    """Paths directly below a hidden folder that are shown nevertheless: those that contain a needed path, and of a home
    folder all but its hidden files, of which only the needed folders are shown."""
    if is_home:
        yield from (entry.path for entry in os.scandir(top) if not entry.name.startswith("."))
    for path in needed:
        first, _, rest = path.removeprefix(f"{top}/").partition("/")
        if not path.startswith(f"{top}/"):
            continue
        if rest and is_home and first.startswith("."):
            folder = os.path.dirname(path)
            if os.path.isdir(path) or not os.path.basename(folder).startswith("."):
                yield path if os.path.isdir(path) else folder
            else:  # a hidden folder may hold secrets, too
                yield path
                yield from (entry.path for entry in os.scandir(folder) if is_library(entry.path))
        else:
            yield f"{top}/{first}"
        if not rest and ".so" in first:  # libraries that it may need lie beside it
            yield from (entry.path for entry in os.scandir(top) if ".so" in entry.name)
