# SPDX-License-Identifier: Apache-2.0
"""Outcomes of cases against those on file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headroom.core.errors import UsageError
from headroom.core.results import golden
from headroom.core.results.golden import Outcome
from headroom.core.run.selection import cases, suite_files
from headroom.selftest.stages import GOLDEN, SUITES_THAT_PROVE

# Unsupported where the golden data are made: the project installs no other implementation, and the reference takes
# two IP headers.
UNSUPPORTED = {
    "conformance/rohc/profile_udp_lite/Three IP Headers",
    "interop/adapters/Librohc",
    "interop/adapters/Open SigComp",
}


def record(case: str, verdict: str, octets: str = "", cells: tuple[str, ...] = ()) -> dict[str, Any]:
    made: dict[str, Any] = {"test": {"id": case}, "verdict": verdict, "cells": [{"verdict": one} for one in cells]}
    return made | ({"link_sha256": octets} if octets else {})


def test_outcomes_survive_the_file(tmp_path: Path) -> None:
    first = record("a/b/c/d", "pass", "0" * 64, ("pass", "fail", "pass"))
    found = golden.of_records([first, record("a/b/e", "fail"), record("a/f/g", "fail")])
    assert found["a/b/c/d"] == Outcome("pass", "fail:1,pass:2", "0" * 16) and found["a/b/e"] == Outcome("fail")
    golden.write(tmp_path, found)
    assert golden.read(tmp_path) == found
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["b.tsv", "f.tsv"]
    del found["a/f/g"]
    golden.write(tmp_path, found)
    assert golden.read(tmp_path) == found


def test_a_line_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "suites.tsv").write_text("# comment\npass\t-\n")
    with pytest.raises(UsageError, match=r"suites\.tsv:2: verdict, cells"):
        golden.read(tmp_path)


def test_every_difference_is_a_sentence() -> None:
    before = {name: Outcome("pass", "pass:1", "00") for name in "abcde"}
    now = dict(before) | {
        "b": Outcome("fail", "pass:1", "00"),
        "c": Outcome("pass", "fail:1", "01"),
        "d": Outcome("unsupported"),
        "f": Outcome("pass"),
    }
    del now["e"]
    assert golden.differences(before, before) == []
    assert golden.differences(before, now) == [
        "e: it did not run.",
        "f: it is new.",
        "b: verdict fail, was pass.",
        "c: cells fail:1, was pass:1.",
        "c: octets 01, was 00.",
    ]


def test_every_case_is_on_file() -> None:
    """A suite that only --all runs is missed there alone, an hour after its commit."""
    on_file, written = set(golden.read(GOLDEN)), {case.id for case in cases(suite_files(SUITES_THAT_PROVE))}
    assert written - on_file == UNSUPPORTED and on_file <= written
