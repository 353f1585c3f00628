# SPDX-License-Identifier: Apache-2.0
"""References with wrong outputs: which role has them, and when the suites do not notice them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace

import pytest

from headroom.core import replay
from headroom.core.errors import HeadroomError
from headroom.core.mutation.hunt import CaseResult, Outcome, Task
from headroom.core.mutation.wrong_outputs import LIBRARY, WrongOutput, ask
from headroom.core.paths import build_folder
from headroom.keywords import wrong_outputs
from headroom.keywords.wrong_outputs import WrongOutputKeywords
from headroom.tests.runs import REFERENCE, replay_of


@pytest.mark.parametrize(
    ("scheme", "output", "side"),
    [
        ("vj", "compressed", "compressor"),
        ("vj", "reverse", "decompressor"),
        ("sigcomp", "compressed", "endpoint"),
        ("gtpu", "n4", "user-plane"),
    ],
)
def test_the_role_that_has_an_output(scheme: str, output: str, side: str) -> None:
    assert WrongOutput(scheme, output, "altered").side == side


@pytest.mark.parametrize(("passed", "found"), [(2, 1), (1, 0)])
def test_suites_that_do_not_notice(monkeypatch: pytest.MonkeyPatch, passed: int, found: int) -> None:
    outcome = Outcome("a", cases=3, passed=["a/B"] * passed, found=[CaseResult("a/C", "fail", [], "")] * found)
    monkeypatch.setattr(wrong_outputs.wrong_outputs, "ask", lambda *_: outcome)
    monkeypatch.setattr(wrong_outputs, "keep_text", lambda *_: None)
    monkeypatch.setattr(wrong_outputs, "current_run", lambda: SimpleNamespace(build="gcc-O2"))
    with pytest.raises(AssertionError, match=f"Of 3 cases, {found} fail and {passed} pass, but at most 1 are about"):
        WrongOutputKeywords().suites_should_notice("vj", "compressed", "altered", 1)


def test_what_a_wrong_output_asks_of_the_suites(real_build: str) -> None:
    tasks: list[Task] = []

    def hunt(task: Task) -> Outcome:
        tasks.append(task)
        return Outcome(task.name)

    ask(WrongOutput("vj", "compressed", "doubled"), hunt, real_build, ["conformance/vj/compressor"])
    (task,) = tasks
    assert Path(task.library).is_file() and task.to_the_end
    assert task.options == {"wrong": {"output": "compressed", "change": "doubled"}}


def test_an_unknown_change_is_refused(real_build: str) -> None:
    wrong = dataclasses.replace(REFERENCE, library=str(build_folder(real_build) / LIBRARY))
    options = {"wrong": {"output": "compressed", "change": "turned"}}
    with pytest.raises(HeadroomError, match=r"has no change that wrong_output\.h"):
        replay.run(replay_of(wrong, source="voip-amr-nb-ipv4", packets=5, build=real_build, compressor_options=options))
