# SPDX-License-Identifier: Apache-2.0
"""The sandbox keeps code of others from the machine around it, and its verdict says what it did to itself."""

from __future__ import annotations

import json
import os
import platform
import pwd
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from headroom.core import engine, excess, instructions, landlock, process_group, sandbox, syscall_filter
from headroom.core.machine import environment, libraries
from headroom.core.paths import ROOT
from headroom.core.sandbox import Walls
from headroom.report import render
from headroom.schemes.rohc.conformance import faulty_adapters
from headroom.tests import sample

pytestmark = pytest.mark.slow

ATTACKS = (
    *("reads_a_file", "writes_a_file", "makes_a_file", "fills_the_disk"),
    *("traces_its_caller", "opens_its_callers_memory", "writes_its_callers_output", "signals_its_caller"),
    *("connects_to_loopback", "listens_on_loopback"),
    *("reaches_the_hypervisor", "uses_keys"),
)
walled = pytest.mark.skipif(bool(sandbox.lacking()), reason="bubblewrap does not work here")
landlocked = pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")


@pytest.fixture
def without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "lacking", lambda ports=False: "it is not there")


@pytest.mark.parametrize(
    ("complaints", "reason", "tries"),
    [
        (["Creating new namespace failed: No space left on device", ""], "", 2),
        (["Can't fork: Resource temporarily unavailable"] * 9, "unavailable", 3),
        (["No permissions to create new namespace"] * 9, "No permissions", 1),
    ],
)
def test_it_is_tried_again(monkeypatch: pytest.MonkeyPatch, complaints: list[str], reason: str, tries: int) -> None:
    """Without it a whole run has weaker walls."""
    left = iter(complaints)

    def start(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        complaint = next(left)
        return subprocess.CompletedProcess(command, bool(complaint), "", f"bwrap: {complaint}\n")

    monkeypatch.setattr(sandbox.time, "sleep", lambda _: None)
    monkeypatch.setattr(sandbox.shutil, "which", lambda _: "/bwrap")
    monkeypatch.setattr(sandbox.subprocess, "run", start)
    found = sandbox.lacking.__wrapped__()
    assert reason in found and bool(reason) == bool(found)
    assert len(complaints) - len(list(left)) == tries


def run(program: str, walls: Walls | None = None) -> tuple[int | None, str]:
    """The exit status of a shell's program in a sandbox, and its output without the empty line in front of it."""
    process = process_group.start(
        ["/bin/sh", "-c", program], walls=walls or Walls(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    out, _ = process.communicate(timeout=60)
    return process_group.exit_code(process), out.decode().removeprefix("\n")


@walled
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_comes_to_nothing(real_build: str, out: Path, attack: str) -> None:
    assert faulty_adapters.intrude(faulty_adapters.folder(real_build), attack, real_build, out) == ""


@pytest.mark.parametrize("attack", ["sleeps_when_loaded", "works_when_loaded", "sleeps_when_unloaded"])
def test_there_is_a_deadline_for_loading(real_build: str, attack: str) -> None:
    said = faulty_adapters.provoke(faulty_adapters.folder(real_build), attack, real_build)
    assert "it was still busy after 3 s and was stopped" in said


@pytest.mark.parametrize("name", ["source", "link", "decompressed"])
def test_a_capture_that_an_adapter_changed_is_an_error(real_build: str, tmp_path: Path, name: str) -> None:
    libraries = faulty_adapters.folder(real_build)
    outputs = {"outputs": {name: str(tmp_path / name)}}
    engine.run("replay", faulty_adapters.job(libraries / "intruder_none.so") | outputs, build=real_build)
    assert (tmp_path / name).stat().st_size > 40 * 60
    with pytest.raises(
        engine.EngineFailure, match="is not what headroom-engine replay with intruder_changes_an"
    ) as caught:
        engine.run(
            "replay", faulty_adapters.job(libraries / "intruder_changes_an_output.so") | outputs, build=real_build
        )
    assert caught.value.kind == "tampered"


def test_secrets_in_variables_stay_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI_JOB_TOKEN", "MYSQL_PWD", "SIGNING_KEY", "DATABASE_URL", "BACKUP_PASSPHRASE", "HEADROOM_MY_TOKEN"):
        monkeypatch.setenv(name, "a secret")
    for name in ("HEADROOM_MY_CODEC", "LC_TIME", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE"):
        monkeypatch.setenv(name, "no secret")
    _, said = run("env")
    assert "a secret" not in said and said.count("=no secret") == 4 and f"PATH={os.environ['PATH']}" in said


@walled
def test_a_daemon_is_told_of_and_does_not_survive(real_build: str) -> None:
    said = faulty_adapters.provoke(faulty_adapters.folder(real_build), "leaves_a_daemon", real_build)
    assert "left a process behind (it was ended): an adapter must not fork." in said
    assert not [pid for pid in process_group.processes() if process_group.stat_of(pid) and named(pid) == "intruder"]


def named(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
    except OSError:
        return ""


@walled
@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("exit 0", 0),
        ("exit 7", 7),
        ("kill -SEGV $$", -signal.SIGSEGV),
        ("kill -ABRT $$", -signal.SIGABRT),
        ("setsid sleep 600 > /dev/null 2>&1 &", sandbox.LEFT_BEHIND),
        ("setsid sleep 600 > /dev/null 2>&1 & exit 3", 3),
    ],
)
def test_the_exit_status_is_the_programs(program: str, status: int) -> None:
    assert run(program) == (status, "")


@walled
def test_a_program_sees_itself_alone_and_has_no_rights() -> None:
    assert run("ls -d /proc/[0-9]* | wc -l; ls /proc/net/dev /sys/class/net")[1].split()[0] in ("3", "4")
    assert run("grep CapEff /proc/self/status")[1].split() == ["CapEff:", "0" * 16]
    assert run("cat /proc/net/dev | grep -c :") == (0, "1\n"), "loopback alone"
    assert run("unshare -U true")[0] == 1
    settings = "/proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/kernel/mm/transparent_hugepage/enabled"
    for ports in (False, True):
        assert run(f"for file in {settings}; do test -w $file && echo $file; done", Walls(ports=ports))[1] == ""


@walled
def test_its_files_in_memory_have_a_size() -> None:
    for folder in ("/tmp", "/run", "/dev/shm"):
        status, said = run(f"df --output=size -B1 {folder} | tail -n 1; touch {folder}/mine")
        assert status == 0 and int(said) <= sandbox.SCRATCH_OCTETS
    assert run("touch /dev/x")[0] != 0


@walled
def test_limits_hold_inside() -> None:
    assert run("ulimit -c; ulimit -d; ulimit -t", Walls(memory=1 << 30, cpu_s=77))[1].split() == ["0", "1048576", "77"]
    assert int(run("ulimit -f")[1]) * 512 == sandbox.FILE_OCTETS


@pytest.mark.parametrize("ports", [False, True])
def test_the_kernel_ends_it_first_where_memory_is_short(ports: bool) -> None:
    if sandbox.in_force(ports) == "none":
        pytest.skip("there is no sandbox")
    program = (
        "cat /proc/self/oom_score_adj; (echo 0 > /proc/self/oom_score_adj) 2> /dev/null; cat /proc/self/oom_score_adj"
    )
    assert run(program, Walls(ports=ports))[1].split() == ["1000", "1000"]


@walled
def test_too_many_processes_of_root_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excess, "MOST_PROCESSES", 40)
    program = "i=0; while [ $i -lt 50 ]; do setsid sleep 600 & i=$((i + 1)); done; echo ready; wait"
    process = process_group.start(["/bin/sh", "-c", program], walls=Walls(), stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    assert excess.excess(process) == "has more than 40 processes and threads"
    process_group.stop(process, 0.0)


def test_an_engine_that_takes_too_much_is_stopped(fake_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excess, "_left", lambda: 0.02)
    if sandbox.lacking():
        pytest.skip("bubblewrap does not work here")
    with pytest.raises(engine.EngineFailure, match=r"less than 3% of the machine's memory is left") as caught:
        engine.run("replay", {"fake": "hang"}, build=fake_build)
    assert caught.value.kind == "memory"


@walled
def test_outputs_together_leave_half_of_a_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=64 << 20))
    files = [tmp_path / name for name in "abcd"]
    for path in files:
        path.touch()
    for at_once in (1, 2):
        limit = int(run("ulimit -f", Walls(writes=tuple(map(str, files)), at_once=at_once))[1]) * 512
        assert at_once * 4 * limit == 32 << 20


@walled
def test_hidden_files_of_the_user_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    for name in (".ssh/key", ".cache/adapters/mine.so", ".netrc", "library/mine.so"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("x")
    (home / "keys").symlink_to(".ssh")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home)
    shown = Walls(reads=(str(home / ".cache/adapters/mine.so"),))
    found = run("cd $HOME; find -L . -type f | sort", shown)[1]
    assert found.split() == ["./.cache/adapters/mine.so", "./library/mine.so"]


@walled
def test_an_output_alone_can_be_written(tmp_path: Path) -> None:
    walls = sandbox.of_job({"output": str(tmp_path / "mine")}, json.dumps({"input": str(tmp_path)}).encode())
    assert walls == Walls(reads=(str(tmp_path),), writes=(str(tmp_path / "mine"),))
    assert run(f"echo yes > {tmp_path}/mine", walls) == (0, "")
    assert (tmp_path / "mine").read_text() == "yes\n"
    assert run(f"echo no > {tmp_path}/other; rm {tmp_path}/mine", walls)[0] != 0
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@walled
def test_an_implementation_names_no_secret_in_its_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".ssh").mkdir()
    key = tmp_path / ".ssh/key"
    key.write_text("x")
    monkeypatch.setenv("HOME", str(tmp_path))
    for job in ({"compressor": {"config": {"licence": str(key)}}}, {"peers": [{"options": [str(key)]}]}):
        assert run(f"cat {key}", sandbox.of_job(job, json.dumps(job).encode()))[0] != 0


@walled
def test_only_a_library_gets_a_right_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".ssh").mkdir()
    key, library = tmp_path / ".ssh/key", tmp_path / ".ssh/mine.so"
    key.write_text("x")
    shutil.copy(sys.executable, library)
    monkeypatch.setenv("HOME", str(tmp_path))
    jobs = [{"compressor": {"library": str(path)}} for path in (key, library)]
    for_key, for_library = (sandbox.of_job(job, json.dumps(job).encode()) for job in jobs)
    assert run(f"cat {key}", for_key)[0] != 0
    assert run(f"ls {tmp_path}/.ssh", for_library) == (0, "mine.so\n")


@walled
@pytest.mark.skipif(os.geteuid() != 0, reason="others' files are closed to a user")
def test_hidden_files_of_every_account_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as home:
        for name in (".pgpass", "data"):
            Path(home, name).write_text("x")
        account = pwd.struct_passwd(("service", "x", 123, 123, "", home, "/bin/false"))
        system = pwd.struct_passwd(("bin", "x", 2, 2, "", "/usr/bin", "/bin/false"))
        monkeypatch.setattr(pwd, "getpwall", lambda: [account, system])
        sandbox._with_others.cache_clear()
        try:
            assert run(f"ls -A {home}") == (0, "data\n")
            assert home in sandbox._homes() and "/usr/bin" not in sandbox._homes()
        finally:
            sandbox._with_others.cache_clear()


@walled
def test_an_output_becomes_no_program_of_root(tmp_path: Path) -> None:
    output = tmp_path / "mine"
    output.touch(mode=0o640)
    program = f"chmod 6777 {output}"
    process = process_group.start(["/bin/sh", "-c", program], walls=Walls(writes=(str(output),)))
    assert process.wait(60) == 0 or os.geteuid() != 0
    process.returncode = None  # as it is where nobody has waited
    process_group.stop(process)
    assert output.stat().st_mode & 0o7777 == 0o640


@walled
def test_what_is_heard_has_no_terminal_and_an_end() -> None:
    said = excess.hear(["/bin/sh", "-c", "wc -c; tty; head -c 3000000 /dev/zero"], Walls(), 20)[1]
    assert said.startswith("0\nnot a tty\n") and len(said) == excess.MOST_HEARD
    program = "import os\ntry: os.open('/dev/tty', os.O_RDWR)\nexcept OSError: print('none')"
    assert excess.hear([sys.executable, "-I", "-c", program], Walls(), 20) == (0, "none\n")
    with pytest.raises(subprocess.TimeoutExpired):
        excess.hear(["sleep", "60"], Walls(), 0.2)


@walled
def test_what_is_heard_takes_no_more_processes_than_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excess, "MOST_PROCESSES", 40)
    program = "i=0; while [ $i -lt 50 ]; do setsid sleep 600 & i=$((i + 1)); done; wait"
    begun = time.monotonic()
    with pytest.raises(excess.TakesTooMuch) as raised:
        excess.hear(["/bin/sh", "-c", program], Walls(), 30)
    assert "processes and threads" in raised.value.reason
    assert time.monotonic() < begun + 15


@walled
def test_there_is_no_room_beside_an_output() -> None:
    with tempfile.TemporaryDirectory(prefix="headroom-") as folder, tempfile.NamedTemporaryFile(dir="/tmp") as file:
        for path in (f"{folder}/mine", file.name):
            walls = sandbox.of_job({"output": path}, b"")
            assert run(f"echo yes > {path}", walls) == (0, "")
            assert "Read-only file system" in run(f"echo no > {path}.part", walls)[1]
            assert Path(path).read_text() == "yes\n"


def test_a_failed_job_leaves_no_output(fake_build: str, tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    for name in ("new", "old"):
        with pytest.raises(engine.EngineFailure):
            engine.run("replay", {"fake": "crash", "outputs": {"link": str(tmp_path / name)}}, build=fake_build)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["old"]


@walled
def test_sigterm_reaches_the_program_which_ends_in_order() -> None:
    program = "trap 'echo result; exit 0' TERM; echo ready; while :; do sleep 0.01; done"
    process = process_group.start(["/bin/sh", "-c", program], walls=Walls(), stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process_group.terminate(process)
    assert process.stdout.read() == b"result\n"
    process_group.stop(process, 20.0)
    assert process.returncode == 0


@walled
def test_all_ends_with_the_caller() -> None:
    program = (
        "import time\nfrom headroom.core import process_group, sandbox\n"
        "process_group.start(['sh', '-c', 'echo started; sleep 4321'], walls=sandbox.Walls())\ntime.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as caller:
        assert caller.stdout is not None
        assert caller.stdout.readline() == b"started\n"
        caller.kill()
    deadline = time.monotonic() + 20
    while any(b"4321" in command_line(pid) for pid in process_group.processes()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@walled
def test_the_memory_that_a_program_used_is_known() -> None:
    program = [sys.executable, "-c", "x = bytearray(200 << 20)"]
    process = process_group.start(program, walls=Walls())
    while process_group.exit_code(process) is None:
        time.sleep(0.01)
    process_group.stop(process)
    own = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # which a process has until it begins its program
    assert 200 << 20 < process_group.most_memory(process) < max(400 << 20, own + (100 << 20))


@walled
def test_a_library_is_opened_inside(tmp_path: Path) -> None:
    source, library = tmp_path / "x.c", tmp_path / "libx.so"
    source.write_text(
        "#include <fcntl.h>\n__attribute__((constructor)) void f(void) "
        f'{{ open("{tmp_path}/was-here", O_CREAT | O_WRONLY, 0600); }}\n'
    )
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    assert libraries.look_for(libraries.Requirement(str(library))).path == str(library)
    assert not (tmp_path / "was-here").exists()


# Calls as they are refused, and as they work, by the numbers of this processor.
CALLS = """
import ctypes, errno, json, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def failed(*words):
    return errno.errorcode[ctypes.get_errno()] if libc.syscall(*words) < 0 else ""
print(json.dumps([failed(*words) for words in json.loads(sys.argv[1])]))
"""


def calls(walls: Walls, *wanted: tuple[int, ...]) -> list[str]:
    """The error of each call in a sandbox, "" for a call that succeeds."""
    status, said = excess.hear([sys.executable, "-I", "-c", CALLS, json.dumps(wanted)], walls, 20)
    assert status == 0
    found: list[str] = json.loads(said)
    return found


filtered = pytest.mark.skipif(not syscall_filter.program(), reason="there is no filter of system calls here")


def refusals_hold(walls: Walls) -> None:
    column = list(syscall_filter.NATIVE).index(platform.machine())
    refused = [(numbers[column],) for numbers in syscall_filter.REFUSED.values() if numbers[column]]
    assert (467,) in refused  # open_tree_attr, which does all that open_tree does
    assert calls(walls, *refused) == ["EPERM"] * len(refused)
    socket, clone = syscall_filter.SOCKET[column], syscall_filter.CLONE[column]
    assert calls(walls, (syscall_filter.CLONE3[column],)) == ["ENOSYS"]
    new_user = 0x10000000  # CLONE_NEWUSER
    unix, internet = (socket, 1, 1, 0), (socket, 2, 2, 0)
    assert calls(walls, (clone, new_user, 0), (socket, 40, 1, 0), unix) == ["EPERM"] * 3
    for_ports_alone = [internet, (syscall_filter.FLOCK[column], 1, 8)]  # LOCK_UN
    assert calls(walls, *for_ports_alone) == (["", ""] if walls.ports else ["EPERM"] * 2)
    fcntl, read_lock = syscall_filter.FCNTL[column], [6, 37]  # F_SETLK, F_OFD_SETLK, of no file
    assert calls(walls, (fcntl, 1, syscall_filter.LEASE, 1), (fcntl, 1, 3)) == ["EPERM", ""]  # F_GETFL
    assert (
        calls(walls, *((fcntl, -1, command, 0) for command in read_lock)) == ["EBADF" if walls.ports else "EPERM"] * 2
    )
    limit = syscall_filter.PRLIMIT64[column]
    assert calls(walls, (limit, 0, 1, 0, 0), (limit, 1, 1, 0, 0)) == ["", "EPERM"]
    assert calls(walls, (syscall_filter.BPF[column], 0, 0, 0)) == ["EINVAL" if walls.ports else "EPERM"]


@walled
@filtered
@pytest.mark.parametrize("ports", [False, True])
def test_calls_that_no_codec_needs_are_refused(ports: bool) -> None:
    if reason := sandbox.lacking(ports):
        pytest.skip(reason)
    refusals_hold(Walls(ports=ports))
    assert "seccomp" in sandbox.in_force(ports)


@walled
@filtered
def test_no_process_waits_for_a_file_that_can_be_read(tmp_path: Path) -> None:
    """A process that opens a file waits until the holder of a lease gives it back, or for fs.lease-break-time."""
    record = tmp_path / "record.json"
    record.touch()
    program = f"""
import fcntl, os
try:
    fcntl.fcntl(os.open({str(record)!r}, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_WRLCK)
except PermissionError:
    print("refused")
"""
    walls = Walls(reads=(str(tmp_path),))
    assert excess.hear([sys.executable, "-I", "-c", program], walls, 20) == (0, "refused\n")


@walled
def test_a_leak_is_found_inside(tmp_path: Path) -> None:
    """LeakSanitizer stops the threads of its process by ptrace."""
    (tmp_path / "x.c").write_text("#include <stdlib.h>\nint main() { return malloc(8) == (void *)1; }\n")
    subprocess.run(["gcc", "-fsanitize=address", "-o", tmp_path / "x", tmp_path / "x.c"], check=True)
    assert "LeakSanitizer: detected memory leaks" in run(str(tmp_path / "x"), Walls(reads=(str(tmp_path),)))[1]


@landlocked
@filtered
def test_landlock_refuses_the_same_calls(without_bubblewrap: None) -> None:
    refusals_hold(Walls())
    column = list(syscall_filter.NATIVE).index(platform.machine())
    more = [(numbers[column],) for numbers in syscall_filter.BY_LANDLOCK.values() if numbers[column]]
    assert calls(Walls(), *more) == ["EPERM"] * len(more)


@landlocked
@filtered
def test_landlock_leaves_files_and_processes_of_the_user_as_they_are(without_bubblewrap: None, tmp_path: Path) -> None:
    (tmp_path / "record.json").touch()
    attempts = (
        f"os.chmod({str(tmp_path / 'record.json')!r}, 0)",
        f"os.utime({str(tmp_path / 'record.json')!r}, (0, 0))",
        f"os.setpriority(os.PRIO_PROCESS, {os.getpid()}, os.getpriority(os.PRIO_PROCESS, {os.getpid()}))",
        f"os.sched_setaffinity({os.getpid()}, os.sched_getaffinity({os.getpid()}))",
        "os.sched_setaffinity(0, os.sched_getaffinity(0))",
    )
    tries = "".join(f"try:\n    {one}\n    print(1)\nexcept PermissionError:\n    print(0)\n" for one in attempts)
    walls = Walls(reads=(str(tmp_path),))
    status, said = excess.hear([sys.executable, "-I", "-c", f"import os\n{tries}"], walls, 20)
    assert (status, said.split()) == (0, ["0", "0", "0", "0", "1"])


@pytest.mark.parametrize(
    ("column", "name"),
    [(0, "x86_64-linux-gnu/asm/unistd_64.h"), (1, "asm-generic/unistd.h"), (2, "x86_64-linux-gnu/asm/unistd_32.h")],
)
def test_numbers_of_calls_are_those_of_the_kernel(column: int, name: str) -> None:
    text = Path("/usr/include", name).read_text() if Path("/usr/include", name).exists() else ""
    found = {call: int(number) for call, number in re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", text, re.M)}
    if not found:
        pytest.skip("the kernel's headers are not installed")
    more = {
        name: getattr(syscall_filter, name.upper())
        for name in ("bpf", "clone", "clone3", "fcntl", "fcntl64", "flock", "prlimit64", "socket")
    }
    refused = syscall_filter.REFUSED | syscall_filter.BY_LANDLOCK | syscall_filter.SCHEDULING
    for call, numbers in {**refused, **more}.items():
        newer = numbers[column] if numbers[column] > max(found.values()) else 0  # than these headers
        assert found.get(call, newer) == numbers[column], call


def test_no_filter_where_it_would_slow_adapters_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels before 5.16 turn speculation off in processes with a filter, which changes what is measured."""
    about = tmp_path / "spec_store_bypass"
    about.write_text("Mitigation: Speculative Store Bypass disabled via prctl and seccomp\n")
    monkeypatch.setattr(syscall_filter, "VULNERABILITY", about)
    assert syscall_filter.program.__wrapped__() == b""


@landlocked
def test_landlock_takes_bubblewraps_place(
    without_bubblewrap: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "key").write_text("x")
    (tmp_path / "output").mkdir()
    monkeypatch.setenv("HOME", str(home))
    assert sandbox.in_force().startswith("Landlock")
    assert environment.read().missing["sandbox"] == "it is not there"
    walls = Walls(writes=(str(tmp_path / "output"),))
    assert run(f"cat {home}/.ssh/key", walls)[0] == 1
    assert run(f"cat {ROOT}/README.md > /dev/null; echo x > {tmp_path}/output/x", walls) == (0, "")
    assert run(f"echo x > {tmp_path}/x", walls)[0] != 0
    assert not (tmp_path / "x").exists()
    assert run("kill -SEGV $$", walls)[0] == -signal.SIGSEGV


@landlocked
@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
def test_rights_of_root_are_given_up_under_landlock_too(without_bubblewrap: None) -> None:
    program = "grep CapEff /proc/self/status; (: <> /dev/net/tun) && echo opened"
    assert run(program)[1].split() == ["CapEff:", "0" * 16, "opened"]
    assert run(program, Walls(ports=True))[1].split() == ["CapEff:", "0" * 12 + "7000", "opened"]


@landlocked
@pytest.mark.parametrize("attack", ["reads_a_file", "writes_a_file", "makes_a_file", "traces_its_caller"])
def test_an_attack_on_files_comes_to_nothing_by_landlock(
    without_bubblewrap: None, real_build: str, out: Path, attack: str
) -> None:
    assert faulty_adapters.intrude(faulty_adapters.folder(real_build), attack, real_build, out) == ""


def test_the_report_begins_with_what_lacks() -> None:
    records = sample.records()
    assert not any("sandbox" in sentence for sentence in render.warnings(records))
    for record in records[:2]:
        record["environment"] = {"missing": {"sandbox": "it is turned off"}}
    assert "Other people's code ran without the whole sandbox: it is turned off." in render.warnings(records)


def test_no_sandbox_turns_it_off() -> None:
    program = "from headroom.core import sandbox; print(sandbox.in_force(), sandbox.words(sandbox.Walls(), ['x']))"
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, sandbox.OFF: "1"}, capture_output=True, text=True
    )
    assert done.stdout == "none []\n"
    command = [sys.executable, "-P", "-m", "headroom", "doctor", "--no-sandbox", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    found = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert found["sandbox"]["status"] == "lacking"
    assert "it is turned off (--no-sandbox)" in found["sandbox"]["value"]
    assert found["sandbox"]["remedy"] == "leave out --no-sandbox"


def test_a_profile_is_a_file(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    profile.symlink_to("/dev/zero")
    with pytest.raises(OSError):
        instructions._text(profile)
    profile.unlink()
    os.mkfifo(profile)
    with pytest.raises(instructions.CountFailed, match="is no file"):
        instructions._text(profile)


@walled
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.parametrize(
    ("fault", "kind"), [("forged", "garbage"), ("forks-silently", "left-behind"), ("flood", "garbage")]
)
def test_an_engine_under_valgrind_is_believed_no_more_than_another(
    fake_build: str, monkeypatch: pytest.MonkeyPatch, fault: str, kind: str
) -> None:
    monkeypatch.setattr(engine, "MAX_OUTPUT", 1 << 20)
    engine.take_last_job()
    with pytest.raises(engine.EngineFailure) as caught:
        instructions.count("replay", {"fake": fault, "marker": "/tmp/marker"}, [], fake_build)
    assert caught.value.kind == kind
    assert engine.take_last_job() is None
