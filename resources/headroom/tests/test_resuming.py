# SPDX-License-Identifier: Apache-2.0
"""`--resume`: a run goes on as it was asked for, where the machine still can, and nothing contradicts it in silence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from headroom.cli import resuming, run
from headroom.cli.run import execute, run_document
from headroom.cli.run_options import RunOptions
from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.run import session
from headroom.core.settings import Settings
from headroom.testbed import choice
from headroom.tests.command_line import start

TREX = Settings(generator="trex", topology="netns", cpus=("1c", "2c-l3"), seed=7)


def plan(out: Path, **changes: object) -> session.Plan:
    folder = out / "20260102-030405-abcd"
    folder.mkdir(exist_ok=True)
    made = session.Plan(replace(TREX, folder=folder), ["performance"], ["smoke", "req:X", "req:X-*", "req:X.*"])
    for key, value in changes.items():
        setattr(made, key, value)
    session.keep(made)
    return made


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (RunOptions([], generator="memory"), "--generator was trex in that run, and cannot become memory"),
        (RunOptions([], topology="compose"), "--topology was netns in that run, and cannot become compose"),
        (RunOptions([], cpus="1c"), "--cpus was 1c, 2c-l3 in that run, and cannot become 1c"),
        (RunOptions([], seed=8), "--seed was 7 in that run, and cannot become 8"),
        (RunOptions([], calls=500), "--calls was not given in that run, and cannot become 500"),
        (RunOptions([], quick=True), "--quick was no in that run, and cannot become yes"),
        (RunOptions([], builds="gcc-O3"), "--builds was not given in that run, and cannot become gcc-O3"),
        (RunOptions([], case=["One*"]), r"--case was not given in that run, and cannot become One\*"),
        (RunOptions([], tag=["slow"]), "--tag was smoke in that run, and cannot become slow"),
        (
            RunOptions(["performance/latency"]),
            "the suite was performance, .* in that run, and cannot become performance/latency",
        ),
        (
            RunOptions(["papers/effnet_2007"], paper=True),
            "the paper was performance, .* in that run, and cannot become papers/effnet_2007",
        ),
    ],
)
def test_what_contradicts_a_run_is_refused(out: Path, asked: RunOptions, sentence: str) -> None:
    with pytest.raises(UsageError, match=f"continues the run 20260102-030405-abcd with its own options: {sentence}"):
        resuming.refuse_contradictions(asked, plan(out))


@pytest.mark.parametrize(
    "asked",
    [
        RunOptions([], generator="trex"),
        RunOptions([], topology="netns"),
        RunOptions([], cpus="1c, 2c-l3"),
        RunOptions([], seed=7),
        RunOptions([], compressor="reference"),
        RunOptions([], tag=["smoke"]),
        RunOptions([], json=True, resume="last"),
        RunOptions([], dry_run=True),
        RunOptions([]),
    ],
)
def test_what_says_the_same_again_is_taken(out: Path, asked: RunOptions) -> None:
    resuming.refuse_contradictions(asked, plan(out))


def test_a_run_goes_on_only_where_it_could_begin(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = plan(out)
    monkeypatch.setattr(choice, "_lacks", lambda topology: "")
    monkeypatch.delenv("TREX_ROOT", raising=False)
    monkeypatch.setattr(run, "build_what_is_needed", lambda settings: pytest.fail("it must not come that far"))
    with pytest.raises(EnvironmentLacks, match="TREX_ROOT is not set"):
        execute(RunOptions([], resume="last"), run_document)
    assert made.folder.is_dir(), "its results stay for when TRex is back"


def test_the_command_line_refuses_and_takes(out: Path) -> None:
    plan(out, settings=Settings(folder=out / "20260102-030405-abcd"), suites=["smoke"], tags=[])
    done = start("run", "--resume", "last", "--topology", "netns", out=out)
    assert done.returncode == 2, done.stderr
    assert "--topology was process in that run, and cannot become netns" in done.stderr.replace("\n", " ")
    done = start("run", "smoke", "--resume", "last", "--topology", "process", "--seed", "1", "--dry-run", out=out)
    assert done.returncode == 0, done.stderr
    done = start("reproduce", "effnet-2007", "--resume", "last", out=out)
    assert done.returncode == 2, done.stderr
    assert "the paper was smoke in that run" in done.stderr.replace("\n", " ")
