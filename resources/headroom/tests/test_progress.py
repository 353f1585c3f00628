# SPDX-License-Identifier: Apache-2.0
"""Progress in a log counts every case, also those that are left out, and what a dry run leaves out is short."""

from __future__ import annotations

import pytest

from headroom.cli import dry_run
from headroom.cli.judge import PartProgress
from headroom.core.console import Progress
from headroom.core.run.dry_run import Foreseen
from headroom.core.run.selection import Case
from headroom.core.run.session import Plan
from headroom.core.settings import Settings
from headroom.tests.sample import capacity


def play(progress: Progress) -> None:
    progress.expect(12)
    for left_out in (2, 0, 1):
        for _ in range(left_out):
            progress.leave_out("conformance/a/One")
        progress.end(capacity("1c", [0], 0.5, 12345, []))


def test_the_total_stays_while_cases_are_left_out(capfd: pytest.CaptureFixture[str]) -> None:
    play(Progress())
    heads = [line.split("  ")[0].rstrip() for line in capfd.readouterr().err.splitlines()]
    assert heads == ["[ 2/12] left out", "[ 3/12] pass", "[ 4/12] pass", "[ 5/12] left out", "[ 6/12] pass"]


def test_a_judgement_counts_what_it_leaves_out(capfd: pytest.CaptureFixture[str]) -> None:
    progress = PartProgress("a part")
    play(progress)
    progress.said = 0.0
    progress.say_now_and_then()
    assert capfd.readouterr().err.splitlines() == ["a part", "      6 of 12 cases, 0 failed"]


@pytest.mark.parametrize(("count", "last"), [(20, "  conformance/a/19"), (21, "--json names each of them.")])
def test_many_cases_that_are_left_out_are_counted_by_suite(
    capfd: pytest.CaptureFixture[str], count: int, last: str
) -> None:
    cases = [Case(f"conformance/a/{name}", "conformance/a", str(name), "", ()) for name in range(count)]
    plan = Plan(Settings(subject="compressor"), ["conformance/a"])
    dry_run._say_what_is_foreseen(plan, Foreseen([case.id for case in cases]), cases)
    lines = capfd.readouterr().err.splitlines()
    assert lines[-1] == last
    assert (f"  conformance/a: {count}" in lines) == (count == 21)
