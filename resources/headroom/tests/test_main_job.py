# SPDX-License-Identifier: Apache-2.0
"""The main job: what comes first, that nothing is lost or repeated, and what it says."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from robot.api import TestSuite

from headroom.cli import main_job, run
from headroom.cli.run_options import RunOptions
from headroom.core.results import store
from headroom.core.results.listener import test_id as identity_of
from headroom.core.results.record import Record
from headroom.core.run import session
from headroom.core.run.selection import Selection, suite_files
from headroom.core.settings import Settings
from headroom.tests.sample import capacity


class Heard:
    """Progress that is heard and not shown."""

    def __init__(self) -> None:
        self.ended: list[str] = []
        self.omitted: list[str] = []
        self.said: list[str] = []

    def end(self, record: Record) -> None:
        self.ended.append(record.test.id)

    def leave_out(self, identity: str) -> None:
        self.omitted.append(identity)

    def say(self, sentence: str) -> None:
        self.said.append(sentence)


def arranged(selection: Selection) -> tuple[main_job.FirstMinute, Heard, list[str], list[str]]:
    """The cases of the main job in the order of files, and as they are arranged."""
    suite = TestSuite.from_file_system(*suite_files(main_job.suites()))
    suite.visit(selection)
    before = [identity_of(test.source, test.name) for test in suite.all_tests]
    heard = Heard()
    order = main_job.FirstMinute(heard)  # type: ignore[arg-type]
    suite.visit(order)
    return order, heard, before, [identity_of(test.source, test.name) for test in suite.all_tests]


def test_first_comes_a_little_of_everything_and_no_case_twice() -> None:
    order, _, before, after = arranged(Selection())
    assert sorted(after) == sorted(before) and len(set(after)) == len(after)
    first = after[: len(order.waiting)]
    left_out = {"One Core At No Missed Tick", "Figures 5 And 6: Compilers"}
    assert left_out <= {name.rpartition("/")[2] for name in after[len(first) :]}, "Robot leaves them out"
    assert set(first) == order.waiting and len(first) + order.rest < len(after) - len(left_out)
    suites = [name.rpartition("/")[0] for name in first]
    assert {one for one in suites if one.startswith("conformance/")} == {
        name.rpartition("/")[0] for name in before if name.startswith("conformance/")
    }
    assert suites[0].startswith("smoke/") and first[-1] == "performance/voip_flow_pairs/One Core At 50 %"
    assert len(first) < len(after) / 10
    rest = [name for name in before if name not in order.waiting]
    assert after[len(first) :] == rest, "what follows keeps its order"


def test_what_is_done_and_other_cores_are_not_waited_for() -> None:
    order, _, before, after = arranged(Selection(["2c-l3"], {"smoke/adapters/Null"}))
    assert sorted(after) == sorted(before) and "smoke/adapters/Null" not in order.waiting
    assert after[len(order.waiting) - 1] == "performance/voip_flow_pairs/Two Cores Sharing A Cache At 50 %"


SUITE = """
*** Test Cases ***
One
    Log    1

Two
    Fail    too slow
"""


@pytest.mark.parametrize("tags", [[], ["level:must"]])
def test_records_are_those_of_any_order(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tags: list[str]
) -> None:
    for name in ("smoke/a", "conformance/b", "conformance/c"):
        path = tmp_path / "suites" / f"{name}.robot"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(SUITE))
    monkeypatch.setattr("headroom.core.results.listener.SUITES", tmp_path / "suites")
    monkeypatch.setattr(
        main_job, "suites", lambda: [str(tmp_path / "suites" / name) for name in ("smoke", "conformance")]
    )
    folder = out / "run"
    folder.mkdir()
    plan = session.Plan(Settings(folder=folder), main_job.suites(), tags=tags, excluded=[main_job.THOROUGH])
    heard = Heard()
    order = main_job.order_of(plan, heard)  # type: ignore[arg-type]
    assert (order is None) == bool(tags), "cases that are chosen need no order"
    if order is None:
        return
    outcome = session.run_robot(plan, on_end=order.end, on_left_out=order.leave_out, order=order)
    assert outcome.cases == 6 and outcome.verdicts["fail"] == 3
    assert [name.rpartition("/")[2] for name in heard.ended] == ["One", "Two", "One", "One", "Two", "Two"]
    assert {record["test"]["suite"] for record in store.read_all(folder)} == {
        f"Headroom.{name}" for name in ("Smoke.A", "Conformance.B", "Conformance.C")
    }
    (said,) = heard.said
    assert said.endswith(" s: 3 pass, 1 fail, from 3 suites. 2 cases follow.")


def test_the_first_capacity_is_said() -> None:
    heard = Heard()
    order = main_job.FirstMinute(heard)  # type: ignore[arg-type]
    record = capacity("1c", [0], 0.5, 12345, [])
    order.waiting = {record.test.id, "smoke/x"}
    order.leave_out("smoke/x")
    order.end(record)
    assert heard.omitted == ["smoke/x"] and heard.ended == [record.test.id]
    (said,) = heard.said
    assert "At 50% load 1c carries 12,345 flow pairs of voip-amr-nb-ipv6." in said


def test_what_is_left_to_other_commands_is_named() -> None:
    said = main_job.left_to_others(run.plan_of(RunOptions([])))
    assert "`./headroom run interop papers performance robustness`" in said
    assert "`./headroom run --tag thorough`" in said
    assert main_job.left_to_others(session.Plan(Settings(), ["smoke"])) == ""


def test_its_longest_cases_run_where_they_are_asked_for() -> None:
    assert run.plan_of(RunOptions([])).excluded == ["thorough"]
    for chosen in (RunOptions(["papers"]), RunOptions([], case=["One*"]), RunOptions([], tag=["thorough"])):
        assert run.plan_of(chosen).excluded == []
