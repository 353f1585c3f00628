# SPDX-License-Identifier: Apache-2.0
"""Doubles of the reference: what uses each freedom of a specification, and what is wrong with a case that fails one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.mutation import doubles
from headroom.core.mutation.doubles import Double
from headroom.core.mutation.hunt import CaseResult, Outcome, Task
from headroom.core.paths import SUITES
from headroom.core.run.selection import cases
from headroom.core.scheme_registry import all_schemes

MAY, SHOULD, MUST = "RFC3095-5.7.6-5", "RFC3095-5.7.6-1", "RFC3095-5.9.2-1"


@pytest.mark.parametrize("scheme", all_schemes())
def test_every_freedom_is_used_or_has_a_reason(scheme: str) -> None:
    known = doubles.load()
    lacking = [one.id for one in doubles.freedoms(scheme) if not known.users(one.id) and one.id not in known.reasons]
    assert lacking == []


def test_no_reason_for_what_a_double_uses() -> None:
    known = doubles.load()
    assert [name for name in known.reasons if known.users(name)] == []


def test_every_double_has_its_case() -> None:
    suite = (SUITES / "robustness" / "freedoms.robot").read_text(encoding="utf-8")
    asked = [line.strip() for line in suite.splitlines() if line.strip() in doubles.load().doubles]
    assert asked == list(doubles.load().doubles)
    assert len(cases([SUITES / "robustness" / "freedoms.robot"])) == len(asked)


def write(folder: Path, text: str) -> Path:
    scheme = next(iter(all_schemes()))
    (folder / scheme).mkdir()
    (folder / scheme / "doubles.yaml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("freedom", "sentence"), [(MUST, "is a must: it leaves nothing open"), ("RFC3095-5.7.6-99", "is no requirement")]
)
def test_what_is_no_freedom_is_refused(tmp_path: Path, freedom: str, sentence: str) -> None:
    text = f"doubles: [{{name: a, side: compressor, uses: It does so., freedoms: [{freedom}], suites: [x]}}]\n"
    with pytest.raises(UsageError, match=sentence):
        doubles.load(write(tmp_path, text))


def test_a_double_that_is_not_there() -> None:
    with pytest.raises(UsageError, match=r"There is no double 'sparse-ack'\. Close to it: sparse-acks"):
        doubles.load().find("sparse-ack")


def double(*freedoms: str) -> Double:
    return Double("a", "rohc", "compressor", "It does so.", freedoms, ())


def outcome(*verdicts: str) -> Outcome:
    found = [CaseResult(f"x/{verdict}", verdict, [], "a reason") for verdict in verdicts]
    errors = [one for one in found if one.verdict == "error"]
    return Outcome("a", cases=len(found), found=[one for one in found if one not in errors], errors=errors)


@pytest.mark.parametrize(
    ("freedoms", "verdicts", "wrong"),
    [
        ([MAY], ["fail"], 1),
        ([MAY], ["non-strict"], 1),
        ([SHOULD], ["non-strict"], 0),
        ([SHOULD], ["non-strict", "fail", "error"], 2),
        ([], [], 0),
    ],
)
def test_what_does_a_double_wrong(freedoms: Sequence[str], verdicts: Sequence[str], wrong: int) -> None:
    assert len(doubles.wrongly_judged(double(*freedoms), outcome(*verdicts))) == wrong


def test_the_task_of_a_double(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All cases of its suites, to the end, with its options."""
    tasks: list[Task] = []

    def hunt(task: Task) -> Outcome:
        tasks.append(task)
        return outcome()

    one = doubles.load().find("sparse-acks")
    with pytest.raises(EnvironmentLacks, match="The doubles are not built"):
        doubles.ask(one, hunt, str(tmp_path))
    monkeypatch.setattr(Double, "library", lambda self, build: Path(__file__))
    doubles.ask(one, hunt, "b")
    doubles.ask(one, hunt, "b", every_suite=True)
    assert [(task.suites, task.to_the_end) for task in tasks] == [(list(one.suites), True), ([], True)]
    assert tasks[0].options == {"proxy": {"scheme": "rohc", "acks_one_of": 3}} and tasks[0].side == "decompressor"
