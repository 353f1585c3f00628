# SPDX-License-Identifier: Apache-2.0
"""How busy the machine was: read, kept in records, and said at the head of the report where it was not quiet."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from robot.api import SkipExecution
from robot.api import TestSuite as Suite

from headroom.bench.throughput import GeneratorFellBehind, NoThroughput
from headroom.core.errors import EnvironmentLacks
from headroom.core.machine import pressure
from headroom.core.machine.pressure import Reading, Summary
from headroom.core.machine.procstat import CoreTimes
from headroom.core.results import collector, listener
from headroom.core.settings import Settings
from headroom.keywords import base
from headroom.report import render, sections
from headroom.tests import sample

pytestmark = pytest.mark.slow


def reading(load: float, **times: int) -> Reading:
    return Reading(load, 2, CoreTimes(**times))


def machine_record(load: tuple[float, float], steal: float | None, seconds: float) -> dict[str, Any]:
    machine = {"cpus": 2, "load_average": list(load), "busy": 0.5, "steal": steal}
    return {"machine": machine, "duration_s": seconds}


def test_between_two_readings() -> None:
    found = pressure.between(reading(0.5, user=100, idle=100), reading(1.5, user=150, idle=140, steal=10))
    assert found == {
        "cpus": 2,
        "load_average": [0.5, 1.5],
        "busy": pytest.approx(0.5),
        "steal": pytest.approx(0.1),
    }
    assert pressure.between(None, reading(1.0)) == {}, "a kernel that shows nothing"


def test_this_machine() -> None:
    now = pressure.read()
    assert now is not None
    assert now.cpus > 0 and now.load_average >= 0 and now.times.total > 0
    assert pressure.between(now, now)["steal"] is None, "the clock did not advance"


def test_of_a_run() -> None:
    records = [
        {"duration_s": 1.0},  # of an earlier version
        machine_record((0.25, 0.5), 0.0, 3.0),
        machine_record((0.5, 3.0), 0.04, 1.0),
        machine_record((3.0, 2.0), 1.0, 0.02),  # a jiffy or two
        machine_record((2.0, 2.0), None, 0.0),
    ]
    found = pressure.summary(records)
    assert found == Summary(2, 0.25, 3.0, pytest.approx(0.06 / 4.02), 0.04)
    assert pressure.summary([{"duration_s": 1.0}]) is None


def test_a_quiet_machine_needs_no_sentence() -> None:
    assert Summary(2, 0.4, 1.9, 0.001, 0.01).sentences() == []


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (Summary(2, 1.5, 1.6, 0.0, 0.0), "not quiet when the run began: a load average of 1.5 on 2 CPUs"),
        (
            Summary(2, 0.1, 7.25, 0.0, 0.0),
            "More processes were ready than CPUs: the load average was up to 7.2",
        ),
        (
            Summary(2, 0.1, 0.2, 0.02, 0.03),
            "gave 2.0 % of the CPUs' time to other guests (steal), up to 3.0 % within a case",
        ),
        (Summary(2, 0.1, 0.2, 0.001, 0.08), "gave 0.1 % of the CPUs' time to other guests (steal), up to 8.0 %"),
    ],
)
def test_a_machine_that_was_not_quiet(found: Summary, sentence: str) -> None:
    assert [sentence in said for said in found.sentences()] == [True]


def test_the_head_of_a_report(tmp_path: Path) -> None:
    records = sample.records()
    plain = render.warnings(records)
    assert plain == []
    busy = [{**record, "quick": True, **machine_record((9.0, 9.0), 0.1, 5.0)} for record in records]
    first, second = render.warnings(busy)
    assert first.startswith("Run with --quick: fewer and shorter trials")
    assert "load average of 9.0" in second and "10.0 %" in second
    html = render.render(busy, tmp_path)
    assert html.index("Run with --quick") < html.index("<nav"), "before anything else"
    facts = dict(sections.environment(busy).parts[0].content)
    assert facts["Load average"] == "9.0 at the start, at most 9.0, on 2 CPUs"
    assert facts["Time given to other guests (steal)"] == "10.0 %, at most 10.0 % in a case"
    assert "for 1 of" in render.warnings([busy[0], *records[1:]])[0]
    nothing = [{**record, "metrics": [], "items": []} for record in busy]
    assert render.warnings(nothing) == [first], "a busy machine spoils figures, and there are none"


@pytest.mark.parametrize(
    ("machine", "sentence"),
    [
        ({}, ""),
        ({"cpus": 2, "load_average": [1.0, 2.0], "busy": 0.9, "steal": None}, ""),
        ({"cpus": 2, "load_average": [1.0, 2.0], "busy": 0.9, "steal": 0.004}, ""),
        (
            {"cpus": 2, "load_average": [14.61, 3.0], "busy": 1.0, "steal": 0.0},
            "Other work may have taken the processors: the load average was up to 14.6 on 2 CPUs, including the "
            "measurement itself.",
        ),
        (
            {"cpus": 2, "load_average": [14.6, 3.0], "busy": 1.0, "steal": 0.034},
            "Other work may have taken the processors: the load average was up to 14.6 on 2 CPUs, including the "
            "measurement itself, and a hypervisor gave 3.4 % of the CPUs' time to other guests.",
        ),
    ],
)
def test_what_may_have_kept_a_generator_from_keeping_up(machine: dict[str, Any], sentence: str) -> None:
    assert pressure.excuse(machine) == sentence


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (NoThroughput("It lags."), "FAIL", True),
        (GeneratorFellBehind("It lags."), "SKIP", True),
        (EnvironmentLacks("No."), "FAIL", False),
    ],
)
def test_the_record_of_a_generator_that_fell_behind_tells_who_else_worked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception, status: str, told: bool
) -> None:
    monkeypatch.setattr(pressure, "read", lambda: reading(50.0, idle=1))
    monkeypatch.setattr(listener.Listener, "environment_of", lambda *_: sample.ENVIRONMENT)

    @base.library
    class Words:
        def fail(self) -> None:
            raise error

    kept = listener.Listener(str(tmp_path), settings=Settings())
    test = Suite("One").tests.create("Two")
    kept.start_test(test, SimpleNamespace())
    with pytest.raises(SkipExecution if status == "SKIP" else type(error)):
        Words().fail()
    result = SimpleNamespace(status=status, message=str(error), parent=None, doc="", tags=[])
    reason = kept.record(test, result).reason
    assert reason.startswith(str(error))
    assert ("Other work may have taken the processors: the load average was up to 50.0 on 2 CPUs" in reason) is told
    collector.begin()
