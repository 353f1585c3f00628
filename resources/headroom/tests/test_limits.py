# SPDX-License-Identifier: Apache-2.0
"""A machine or a process that has no more of something: a sentence, exit status 3, and nothing that is kept is lost."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import pytest

from headroom.core import clock
from headroom.core.errors import EnvironmentLacks, disk_error, exhaustion
from headroom.core.machine import build
from headroom.core.paths import ROOT
from headroom.core.results import store
from headroom.core.run import session
from headroom.tests import sample

# With root's rights to files, and none to exceed limits.
AS_NOBODY = ("setpriv", "--ruid", "65534", "--bounding-set=-sys_resource,-sys_admin")
SUITE = """
*** Settings ***
Library    {library}

*** Test Cases ***
First
    No Operation

Second
    Exhaust

Third
    No Operation
"""
KEYWORDS = {
    "files": "while True: kept.append(open('/dev/null'))",
    "processes": "resource.setrlimit(resource.RLIMIT_NPROC, (0, 0)); import numpy; subprocess.run(['true'])",
    "threads": "resource.setrlimit(resource.RLIMIT_NPROC, (0, 0)); threading.Thread(target=print).start()",
}
RUN = """
import resource, sys
from pathlib import Path
from headroom.cli import app
from headroom.core.run import session
from headroom.core.settings import Settings
folder = Path({folder!r})
plan = session.Plan(Settings(compressor="null", decompressor="null", folder=folder), [{suite!r}])
session.keep(plan)
app._add_commands = lambda: None
app.app = lambda words, prog_name: session.run_robot(plan)
app.main()
"""


@pytest.mark.parametrize("what", KEYWORDS)
def test_a_run_that_may_have_no_more_ends_with_a_sentence(tmp_path: Path, what: str) -> None:
    command = [sys.executable, "-P", "-c"]
    if what != "files":
        if os.geteuid() != 0 or shutil.which("setpriv") is None:
            pytest.skip("becoming another user needs root and setpriv")
        command = [*AS_NOBODY, *command]  # the kernel limits root's processes to no number
    folder = tmp_path / "run"
    folder.mkdir()
    (tmp_path / "words.py").write_text(
        "import resource, subprocess, threading\nfrom headroom.keywords.base import library\nkept = []\n\n"
        f"@library\nclass words:\n    def exhaust(self):\n        {KEYWORDS[what]}\n"
    )
    suite = tmp_path / "limited.robot"
    suite.write_text(SUITE.format(library=tmp_path / "words.py"))
    done = subprocess.run(
        [*command, RUN.format(folder=str(folder), suite=str(suite))],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT / "resources")},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200)),
    )
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert ("ulimit -n" if what == "files" else "ulimit -u") in done.stderr and "--resume" in done.stderr
    assert [one["test"]["name"] for one in store.read_all(folder)] == ["First"]


@pytest.fixture
def mounted(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A file system with some options of its own."""
    if os.geteuid() != 0:
        pytest.skip("mounting a file system needs root")
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", request.param, "none", folder], capture_output=True).returncode:
        pytest.skip("this container may not mount a tmpfs")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.parametrize("mounted", ["nr_inodes=4"], indirect=True)
def test_a_file_system_without_inodes(mounted: Path) -> None:
    one = sample.record("smoke/first/One")
    store.write(mounted, one)
    with pytest.raises(EnvironmentLacks, match=r"no inodes left for more files: writing .* --resume") as lacks:
        for number in range(4):
            store.write(mounted, sample.record(f"smoke/first/{number}"))
    assert "disk is full" not in str(lacks.value)


@pytest.mark.parametrize("mounted", ["ro"], indirect=True)
def test_an_output_folder_that_cannot_be_written(mounted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_OUT", str(mounted))
    with pytest.raises(EnvironmentLacks, match=r"Read-only file system .*HEADROOM_OUT") as lacks:
        session.new_folder()
    assert "--resume" not in str(lacks.value)


def test_the_error_of_a_thread_that_cannot_start_is_known() -> None:
    lacking = exhaustion(RuntimeError("can't start new thread"))
    assert lacking is not None and "ulimit -u" in str(disk_error(lacking, "starting a thread"))
    assert exhaustion(RuntimeError("something else")) is None and exhaustion(FileNotFoundError(2, "no")) is None


def test_a_command_without_memory_ends_with_a_sentence() -> None:
    script = "from headroom.cli import app\napp._add_commands = lambda: bytes(1 << 62)\napp.main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], cwd=ROOT / "resources", capture_output=True, text=True, check=False
    )
    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    assert "Cannot allocate memory" in done.stderr and "ulimit -v" in done.stderr


def test_a_path_that_is_a_loop_of_links_ends_with_a_sentence(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    command = [sys.executable, "-P", "-m", "headroom", "nightly", "show", "--history", str(loop)]
    done = subprocess.run(command, cwd=ROOT / "resources", capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    assert f"Too many levels of symbolic links ({loop})" in done.stderr


def test_a_clock_that_is_set_back_makes_no_time_negative(monkeypatch: pytest.MonkeyPatch) -> None:
    class Jumping:
        jump = timedelta()

        @classmethod
        def now(cls, zone: tzinfo) -> datetime:
            return datetime.now(zone) + cls.jump

    monkeypatch.setattr(clock, "datetime", Jumping)
    now = clock.steady()
    first = now()
    Jumping.jump = timedelta(days=-1)
    assert timedelta() <= now() - first < timedelta(hours=1)
    assert clock.steady()() < first, "a new clock has the new time"


def test_a_second_build_of_one_folder_says_that_it_waits(tmp_path: Path) -> None:
    said: list[str] = []
    code = textwrap.dedent(f"""
        import fcntl, os, sys
        descriptor = os.open({str(tmp_path)!r}, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        print("locked", flush=True)
        sys.stdin.read()
    """)
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout and other.stdin and other.stdout.readline() == b"locked\n"

        def say(sentence: str) -> None:
            said.append(sentence)
            assert other.stdin
            other.stdin.close()

        with build._locked(tmp_path, say):
            assert said == [f"another command builds {tmp_path}; this one waits for it"]
