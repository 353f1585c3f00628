# SPDX-License-Identifier: Apache-2.0
"""Runs of suites in a night: where they are kept, how long, and how far they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headroom.core.results import store
from headroom.core.run import session
from headroom.core.run.session import Outcome, Plan
from headroom.nightly import suite_runs
from headroom.tests import sample

SUITE, NIGHT = "conformance", "20260201T000000Z"


@pytest.fixture
def robot(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Robot Framework's place is taken by 25 equal cases; `interrupted` has Ctrl-C end them."""
    ends: dict[str, Any] = {"interrupted": False}

    def run_robot(plan: Plan, on_end: Any, on_total: Any) -> Outcome:
        record = sample.record("conformance/rohc/A", "pass", "")
        store.write(plan.folder, record)
        on_total(25)
        for _ in range(25):
            on_end(record)
        return Outcome({}, ends["interrupted"])

    monkeypatch.setattr(session, "run_robot", run_robot)
    return ends


def test_a_run_is_kept_under_its_nights_name(robot: dict[str, Any], tmp_path: Path) -> None:
    said: list[str] = []
    folder = suite_runs.folder_of(tmp_path, SUITE, NIGHT)
    (record,) = suite_runs.run(folder, "reference", "gcc-O2", SUITE, say=said.append)
    assert record["test"]["id"] == "conformance/rohc/A"
    assert folder == tmp_path / SUITE / NIGHT
    assert session.recall(folder).suites == [SUITE]
    assert len(said) == 10 and said[-1] == "conformance: 25 of 25 cases"


def test_there_is_room_for_the_runs_of_fourteen_nights(tmp_path: Path) -> None:
    nights = [f"202601{day:02}T000000Z" for day in range(1, 18)]
    search = "performance/voip_flow_pairs"
    for suite, night in [*((SUITE, night) for night in nights), (search, nights[0])]:
        suite_runs.folder_of(tmp_path, suite, night).mkdir(parents=True)
    for suite in (SUITE, search, "smoke"):
        suite_runs.prune(tmp_path, suite, kept=nights[1:2])
    left = {path.parent.name: [] for path in tmp_path.glob("*/*")}
    for path in sorted(tmp_path.glob("*/*")):
        left[path.parent.name].append(path.name)
    assert left == {SUITE: [nights[1], *nights[4:]], "performance-voip_flow_pairs": nights[:1]}


def test_ctrl_c_ends_more_than_the_suite(robot: dict[str, Any], tmp_path: Path) -> None:
    robot["interrupted"] = True
    with pytest.raises(KeyboardInterrupt):
        suite_runs.run(tmp_path / "run", "reference", "gcc-O2", SUITE)
