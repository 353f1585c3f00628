# SPDX-License-Identifier: Apache-2.0
"""The stages of `./headroom test`: their order, what --fast leaves out, and the builds in the background."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import robot.api

from headroom.core.errors import EnvironmentLacks
from headroom.core.machine import build
from headroom.core.paths import SUITES
from headroom.core.results import golden
from headroom.core.results.listener import test_id as id_of
from headroom.core.run.selection import cases, suite_files
from headroom.selftest import stages as proving
from headroom.selftest import usual_cases


def names(**extent: Any) -> list[str]:
    return [stage.name for stage in proving.stages(**extent)]


def test_fast_leaves_out_what_needs_another_build() -> None:
    assert names(fast=True) == names()
    for extent in ({"fast": True}, {}):
        assert not any(stage.preset for stage in proving.stages(**extent))
    assert set(names(everything=True)) - set(names()) == {"ctest-sanitized", "compose", "mutants", "bench"}
    assert names(only=["bench", "ruff"]) == ["ruff", "bench"]


@pytest.mark.parametrize(
    ("extent", "marks"),
    [
        ({}, ["-m", "not long"]),
        ({"fast": True}, ["-m", "not engine and not launcher and not slow and not long"]),
        ({"everything": True}, []),
        ({"only": ["pytest"]}, []),
    ],
)
def test_all_runs_the_long_tests(
    extent: dict[str, Any], marks: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(proving.build, "ensure", lambda *_, **__: tmp_path)
    monkeypatch.setattr(proving, "_command", lambda log, *words: not commands.append(list(words)))
    next(stage for stage in proving.stages(**extent) if stage.name == "pytest").run(tmp_path / "log")
    assert commands[0][commands[0].index("loadfile") + 1 :] == marks


def test_stages_with_a_build_of_their_own_come_after_those_that_wait() -> None:
    order = names(everything=True)
    assert order.index("ctest") < order.index("pytest") < order.index("robot")
    assert order.index("robot") < order.index("mutants") < order.index("ctest-sanitized")


def stage(preset: str) -> proving.Stage:
    return proving.Stage(f"stage-{preset}", "", lambda log: True, "", preset=preset)


def test_a_stage_that_fails_names_what_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        "99% tests passed, 1 tests failed out of 92",
        "\t 12 - rohc.feedback (Failed)",
        "\t 13 - ule.receiver (SEGFAULT)",
        "FAILED resources/headroom/tests/test_text.py::test_it[a] - AssertionError: no",
        "FAILED to say anything",
        "golden: smoke/x/Y: pass, was fail",
        "E       assert 1 == 2",
        "E         +1",
        "golden: 1550 cases, 1 differ from resources/golden",
    ]

    def run(log: Path) -> bool:
        log.write_text("\n".join(lines), encoding="utf-8")
        return len(lines) == 1

    monkeypatch.setattr(proving, "out_folder", lambda: tmp_path)
    result = proving.run(proving.Stage("ctest", "", run, "tests passed"))
    assert result.faults == [lines[1].strip(), lines[2].strip(), lines[3], lines[5], "E       assert 1 == 2"]
    assert result.as_json()["faults"] == result.faults
    del lines[1:]
    assert proving.run(proving.Stage("ctest", "", run, "tests passed")).faults == []


def test_golden_data_of_unusual_cases_is_left_out_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = golden.Outcome("pass")
    usual = usual_cases.usual_cases(["robustness", "interop"])
    rows = [case for case in usual if case.startswith("interop/rohc/")]
    unusual = ["robustness/freedoms/C", "interop/rohc/Uncompressed, U-Mode, Large CIDs"]
    on_file = dict.fromkeys([*usual, *unusual], outcome)
    monkeypatch.setattr(golden, "read", lambda _: on_file)
    monkeypatch.setattr(proving, "_outcomes", lambda _: dict.fromkeys(usual, outcome))
    log = tmp_path / "log"
    assert proving._same_as_golden(log, tmp_path, ("robustness", "interop"), whole=False)
    assert not proving._same_as_golden(log, tmp_path, ("robustness", "interop"), whole=True)
    assert all(case in log.read_text(encoding="utf-8") for case in unusual)
    monkeypatch.setattr(proving, "_outcomes", lambda _: dict.fromkeys(usual - {rows[0]}, outcome))
    assert not proving._same_as_golden(log, tmp_path, ("robustness", "interop"), whole=False), "a usual one is missing"


def test_robot_runs_the_usual_cases() -> None:
    suite = robot.api.TestSuite.from_file_system(SUITES, included_files=["*.robot"])
    suite.visit(usual_cases.UsualCases())
    kept = {id_of(test.source, test.name) for test in suite.all_tests}
    folders = sorted(path.name for path in SUITES.iterdir() if path.is_dir())
    assert kept == usual_cases.usual_cases(folders)
    rows = [case for case in kept if case.startswith("interop/")]
    assert {case.split("/")[1] for case in rows} == {path.stem for path in (SUITES / "interop").glob("*.robot")}
    assert not any(case.startswith("robustness/freedoms/") for case in kept)


def test_each_case_is_in_one_group() -> None:
    everything = {case.id for case in cases(suite_files(proving.SUITES_THAT_PROVE))}
    groups = proving._groups(proving.SUITES_THAT_PROVE, whole=True)
    found = [case for group in groups for case in _cases_of(group)]
    assert sorted(found) == sorted(everything)
    assert {case.split("/")[1] for case in _cases_of(groups[0])} == {"freedoms"}
    usual = [group.suites for group in proving._groups(("smoke",), whole=False)]
    assert usual == [("smoke",)]


def _cases_of(group: proving.Group) -> list[str]:
    suite = robot.api.TestSuite.from_file_system(*(SUITES / name for name in group.suites), included_files=["*.robot"])
    tags: dict[str, list[str]] = {"--include": [], "--exclude": []}
    for option, tag in zip(group.options[::2], group.options[1::2], strict=True):
        tags[option].append(tag)
    suite.filter(included_tags=tags["--include"] or None, excluded_tags=tags["--exclude"] or None)
    return [id_of(test.source, test.name) for test in suite.all_tests]


def test_builds_in_the_background_go_on_after_one_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []
    done = threading.Event()

    def ensure(preset: str, *_: Any, **__: Any) -> Path:
        built.append(preset)
        if preset == "mutants":
            raise EnvironmentLacks("it does not compile")
        done.set()
        return Path()

    monkeypatch.setattr(build, "ensure", ensure)
    with proving.BackgroundBuilds([stage("mutants"), stage(""), stage("sanitized")]) as builds:
        assert built == [], "nothing before start"
        builds.start()
        builds.start()
        assert done.wait(10)
    assert built == ["mutants", "sanitized"]


def test_leaving_ends_the_build_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[str]] = []
    built: list[str] = []

    def ensure(preset: str, *_: Any, start: build.Start, **__: Any) -> Path:
        built.append(preset)
        process = start(["sleep", "600"])
        started.append(process)
        process.wait()
        raise EnvironmentLacks("it was interrupted")

    monkeypatch.setattr(build, "ensure", ensure)
    with proving.BackgroundBuilds([stage("sanitized"), stage("mutants")]) as builds:
        builds.start()
        patience = time.monotonic() + 10
        while not started and time.monotonic() < patience:
            time.sleep(0.01)
    assert started[0].returncode is not None
    assert built == ["sanitized"], "no further build"
