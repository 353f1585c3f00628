# SPDX-License-Identifier: Apache-2.0
"""The suites of the repository: every one can be read, every case has a name of its own and known requirements."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest

from headroom.core import requirements
from headroom.core.errors import UsageError
from headroom.core.paths import ROOT, SUITES
from headroom.core.run import coverage
from headroom.core.run.selection import cases, suite_files, suite_names

pytestmark = pytest.mark.slow


def test_identities_are_unique() -> None:
    counts = Counter(case.id for case in cases([SUITES]))
    assert [identity for identity, count in counts.items() if count > 1] == []
    assert len(counts) > 20


def test_every_requirement_that_a_case_names_is_known() -> None:
    known = requirements.load()
    named = {tag.removeprefix("req:") for case in cases([SUITES]) for tag in case.tags if tag.startswith("req:")}
    assert sorted(identity for identity in named if identity.upper().replace("REQ:", "") not in known) == []


def test_what_no_case_covers_has_a_reason_and_what_one_covers_has_none() -> None:
    covered = coverage.measure().by_requirement
    known = requirements.load().values()
    assert [one.id for one in known if one.id not in covered and not one.why_untested] == []
    assert [one.id for one in known if one.id in covered and one.untested] == [], "a case asks for it after all"


def test_nine_in_ten_musts_that_apply_are_covered() -> None:
    asked, rest = coverage.measure().of("must")
    assert len(asked) >= 9 * len(rest), [one.id for one in rest]


def test_every_suite_says_what_it_is_about() -> None:
    assert [case.suite for case in cases([SUITES]) if not case.documentation] == []


def test_every_keyword_is_known() -> None:
    command = [
        sys.executable,
        "-m",
        "robot",
        "--dryrun",
        "--output",
        "NONE",
        "--log",
        "NONE",
        "--report",
        "NONE",
        SUITES,
    ]
    environment = {"PYTHONPATH": str(ROOT / "resources"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout[-3000:]


def test_names_are_paths() -> None:
    assert "performance/voip_flow_pairs" in suite_names()
    assert "papers/effnet_2007" in suite_names()


def test_an_empty_word_is_no_suite() -> None:
    with pytest.raises(UsageError, match="'' names no suite"):
        suite_files([""])
