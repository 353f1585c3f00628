# SPDX-License-Identifier: Apache-2.0
"""References with wrong outputs that end early: which ends, and what is too mild a verdict for one."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from robot.api import SkipExecution

from headroom.core.errors import EnvironmentLacks, HeadroomError
from headroom.core.mutation import sudden_ends
from headroom.core.mutation.campaign import Processes
from headroom.core.mutation.hunt import CaseResult, Outcome, Task
from headroom.core.mutation.sudden_ends import PLACES, WAYS, SuddenEnd, ask, choose
from headroom.core.mutation.wrong_outputs import WrongOutput
from headroom.core.paths import IMPLEMENTATIONS
from headroom.keywords import wrong_outputs
from headroom.keywords.wrong_outputs import WrongOutputKeywords

WRONG = WrongOutput("vj", "compressed", "altered")
CRASH = CaseResult("a/B", "error", [], "The engine died from SIGKILL.")


def test_each_place_comes_and_the_seed_chooses_the_ways() -> None:
    chosen = choose(WRONG, 1)
    assert [end.place for end in chosen] == list(PLACES)
    assert len({end.way for end in chosen} & set(WAYS)) == len(PLACES)
    assert chosen == choose(WRONG, 1) != choose(WRONG, 2)


def test_the_adapter_knows_places_and_ways() -> None:
    source = (IMPLEMENTATIONS / "reference/ending_adapter.cc").read_text()
    verbs = {way.rstrip("0123456789").rstrip("-") for way in WAYS}
    assert all(f'"{word}"' in source for word in (*PLACES, *verbs))


def test_the_library_of_an_end_has_its_name(real_build: str) -> None:
    tasks: list[Task] = []

    def hunt(task: Task) -> Outcome:
        assert Path(task.library).is_file()
        tasks.append(task)
        return Outcome(task.name)

    ask(SuddenEnd(WRONG, "created", "exits-0"), ["conformance/vj/compressor/One Slot"], hunt, real_build)
    (task,) = tasks
    assert Path(task.library).name == "created-exits-0.so"
    assert task.cases and task.options == {"wrong": {"output": "compressed", "change": "altered"}}


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (Outcome("a", cases=1, passed=["a/B"]), "a/B passes"),
        (Outcome("a", cases=2, errors=[CRASH]), "1 of 2 cases have no verdict"),
        (Outcome("a"), "0 of 0 cases have no verdict"),
        (Outcome("a", cases=1, found=[CaseResult("a/B", "non-strict", [], "late")]), "a/B is non-strict: late"),
        (Outcome("a", cases=1, errors=[CaseResult("a/B", "error", [], "a defect of the engine: x.")]), "a defect of"),
    ],
)
def test_ends_that_help(monkeypatch: pytest.MonkeyPatch, outcome: Outcome, sentence: str) -> None:
    monkeypatch.setattr(sudden_ends, "ask", lambda *_: outcome)
    monkeypatch.setattr(wrong_outputs, "current_run", lambda: SimpleNamespace(build="gcc-O2", seed=1))
    with pytest.raises(AssertionError, match=f"{len(PLACES)} of {len(PLACES)} ends .*{sentence}"):
        WrongOutputKeywords().no_end_should_help("vj", "compressed", "altered", "vj/compressor/One Slot")


def test_an_interrupted_table_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pool waits for its threads, and these for their processes, which must have ended."""
    asked: list[str] = []
    ran_on: list[bool] = []

    def ask(end: SuddenEnd, _: list[str], hunt: Any, build: str) -> Outcome:
        asked.append(end.name)
        if len(asked) == 1:
            raise EnvironmentLacks("It is not built.")
        deadline = time.monotonic() + 20
        while not hunt.__self__.over and time.monotonic() < deadline:
            time.sleep(0.01)
        ran_on.append(not hunt.__self__.over)
        raise HeadroomError("It was interrupted.")

    monkeypatch.setattr(sudden_ends, "ask", ask)
    monkeypatch.setattr(wrong_outputs, "current_run", lambda: SimpleNamespace(build="gcc-O2", seed=1))
    with pytest.raises(SkipExecution):
        WrongOutputKeywords().no_end_should_help("vj", "compressed", "altered", "vj/compressor/One Slot")
    assert ran_on and not any(ran_on)


@pytest.mark.long
@pytest.mark.parametrize(
    ("place", "way", "sentence"),
    [
        ("loaded", "throws", "broke a promise: it let an exception out"),
        ("extended", "throws", "broke a promise: it let an exception out"),
        ("exiting", "leaves-2", "exiting-leaves-2.so as compressor ended with exit status 2 behind its result"),
        ("called", "starves", "an adapter lowered a limit of its process"),
    ],
)
def test_what_an_adapter_does_is_its_own_fault(real_build: str, place: str, way: str, sentence: str) -> None:
    with Processes() as processes:
        outcome = ask(SuddenEnd(WRONG, place, way), ["conformance/vj/compressor/One Slot"], processes.hunt, real_build)
    assert [case.reason for case in outcome.errors if sentence in case.reason]
