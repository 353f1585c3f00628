# SPDX-License-Identifier: Apache-2.0
"""Commands whose reader goes away, as in `./headroom list suites | head -1`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from headroom.core.paths import ROOT
from headroom.core.results import store
from headroom.tests.command_line import start


def piped_away(*words: str, out: Path, reads: int = 0, stderr: bool = False) -> tuple[int, str]:
    """Exit status of a command whose reader takes `reads` octets and goes, and what it said on standard error.

    With `stderr` the same reader has both, as in `2>&1 | head`.
    """
    ours, theirs = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "headroom", *words],
        stdout=theirs,
        stderr=theirs if stderr else subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "resources"), "HEADROOM_OUT": str(out)},
    )
    os.close(theirs)
    if reads:
        os.read(ours, reads)
    os.close(ours)
    _, said = process.communicate(timeout=300)
    return process.returncode, (said or b"").decode()


@pytest.mark.long
@pytest.mark.parametrize("stderr", [False, True], ids=["stdout", "both"])
@pytest.mark.parametrize(
    "words",
    [
        ("list", "suites"),
        ("list", "profiles", "--json"),
        ("--help",),
        ("run", "--help"),
        ("doctor",),
        ("run", "smoke", "--dry-run"),
        ("interop", "--dry-run", "--json"),
        ("reproduce", "effnet-2007", "--dry-run"),
        ("test", "--dry-run"),
    ],
    ids=" ".join,
)
def test_a_reader_that_goes_away_changes_no_exit_status(words: tuple[str, ...], stderr: bool, out: Path) -> None:
    expected = start(*words, out=out).returncode
    assert expected == 0
    code, said = piped_away(*words, out=out, stderr=stderr)
    assert (code, "Traceback" in said, "Broken pipe" in said) == (expected, False, False), said


@pytest.mark.long
@pytest.mark.parametrize("suite", ["passes", "fails"])
def test_the_status_of_a_run_that_nobody_reads_is_that_of_its_verdicts(
    suite: str, out: Path, tmp_path: Path, real_build: str
) -> None:
    path = tmp_path / "read.robot"
    step = "No Operation" if suite == "passes" else "Fail    no"
    path.write_text(f"*** Test Cases ***\nOne\n    {step}\nTwo\n    No Operation\n")
    for stderr in (False, True):
        code, said = piped_away("run", str(path), "--build", real_build, out=out, stderr=stderr)
        assert code == (0 if suite == "passes" else 1), said
        assert "Traceback" not in said
    assert [document["verdict"] for document in store.read_all(store.find_run("last"))][1] == "pass"
    code, said = piped_away("report", out=out)
    assert (code, said) == (0, "")
