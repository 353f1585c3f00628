# SPDX-License-Identifier: Apache-2.0
"""Runs of small suites: verdicts, progress, going on after a run was cut short, a disk that fills up."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from headroom.core import locks
from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.implementations import Deviation
from headroom.core.paths import ROOT
from headroom.core.results import listener, store
from headroom.core.results.collector import Collected
from headroom.core.results.record import Test, Verdict
from headroom.core.run import session
from headroom.core.run.selection import Case, cases, has_interface_cases, requirement_tags, suite_files, why_untested
from headroom.core.settings import Settings
from headroom.core.yamlfile import violations

pytestmark = pytest.mark.slow

LISTENER = "headroom.core.results.listener.Listener"

SUITE = """
*** Settings ***
Documentation    Every way in which a case can end.
Library          {library}

*** Test Cases ***
Passes
    [Tags]    req:RFC9999-1-1    level:must
    Log    fine

Fails A Must
    [Tags]    req:RFC9999-1-2    level:must
    Should Be Equal    1    2

Fails A Should
    [Tags]    req:RFC9999-1-3    level:should
    Should Be Equal    1    2

Is Skipped
    Skip    the machine has one core

Has A Wrong Word
    There Is No Such Keyword

Breaks
    Break

Notes A Should
    Note A Should

Runs Too Long
    [Timeout]    0.2 s
    Sleep    5 s
"""

LIBRARY = """
from headroom.keywords.base import library
from headroom.core import metrics
from headroom.core.results import collector

@library
class words:
    def break_(self):
        raise ValueError("a defect of the harness")

    def note_a_should(self):
        collector.current().judge("non-strict", "the timer was late")
        collector.current().metric(metrics.TICKS_MISSED, 3.0)
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "words.py").write_text(LIBRARY)
    path = tmp_path / "every_way.robot"
    path.write_text(SUITE.format(library=tmp_path / "words.py"))
    return path


def plan(out: Path, *suites: Path, name: str = "run", **changes: object) -> session.Plan:
    folder = out / name
    folder.mkdir(exist_ok=True)
    settings = Settings(compressor="null", decompressor="null", folder=folder, seed=5)
    made = session.Plan(settings, [str(path) for path in suites])
    for key, value in changes.items():
        setattr(made, key, value)
    session.keep(made)
    return made


def test_every_way_to_end(out: Path, suite: Path) -> None:
    seen: list[str] = []
    totals: list[int] = []
    outcome = session.run_robot(
        plan(out, suite), on_end=lambda record: seen.append(record.verdict), on_total=totals.append
    )
    records = {document["test"]["name"]: document for document in store.read_all(out / "run")}
    verdicts = {name: document["verdict"] for name, document in records.items()}
    assert verdicts == {
        "Passes": "pass",
        "Fails A Must": "fail",
        "Fails A Should": "non-strict",
        "Is Skipped": "unsupported",
        "Has A Wrong Word": "error",
        "Breaks": "error",
        "Notes A Should": "non-strict",
        "Runs Too Long": "error",
    }
    assert outcome.verdicts == {"pass": 1, "non-strict": 2, "fail": 1, "unsupported": 1, "error": 3}
    assert not outcome.has_passed
    assert totals == [8]
    assert len(seen) == 8
    assert records["Is Skipped"]["reason"] == "the machine has one core"
    assert "1 != 2" in records["Fails A Must"]["reason"]
    assert "No keyword with name" in records["Has A Wrong Word"]["reason"]
    assert "a defect of the harness" in records["Breaks"]["reason"]
    assert "timeout" in records["Runs Too Long"]["reason"].lower()
    assert records["Notes A Should"]["metrics"][0]["value"] == 3.0
    assert records["Passes"]["command"] == (
        "./headroom run every_way --case Passes --compressor null --decompressor null --seed 5"
    )
    assert all(violations(document, "result") == [] for document in records.values())
    assert all(document["environment"]["kernel"] for document in records.values())
    assert all(len(document["machine"]["load_average"]) == 2 for document in records.values())
    assert {document["quick"] for document in records.values()} == {False}


def test_words_of_robot_from_an_adapter_do_not_end_a_run(out: Path, tmp_path: Path) -> None:
    suite = tmp_path / "words_of_robot.robot"
    suite.write_text(
        "*** Test Cases ***\nOne\n    Fail    it says: Execution terminated by signal\nTwo\n    No Operation\n",
        encoding="utf-8",
    )
    outcome = session.run_robot(plan(out, suite))
    assert not outcome.interrupted
    assert [record["verdict"] for record in store.read_all(out / "run")] == ["fail", "pass"]


def test_a_run_that_was_cut_short_goes_on(out: Path, suite: Path) -> None:
    made = plan(out, suite)
    session.run_robot(made)
    results = out / "run" / "results"
    kept = {path.name: path.stat().st_mtime_ns for path in results.iterdir()}
    (results / store.file_name("every_way/Passes")).unlink()
    again: list[str] = []
    session.run_robot(session.recall(out / "run"), on_end=lambda record: again.append(record.test.name), resume=True)
    assert set(again) == {"Passes", "Has A Wrong Word", "Breaks", "Runs Too Long"}, (
        "what is missing, and what was an error"
    )
    unchanged = [path for path in results.iterdir() if kept.get(path.name) == path.stat().st_mtime_ns]
    assert len(unchanged) == 4


def test_a_template_says_why_its_rows_were_skipped(out: Path, tmp_path: Path) -> None:
    suite = tmp_path / "templates.robot"
    suite.write_text(
        "*** Test Cases ***\n"
        "Rows\n    [Template]    Skip\n    one core\n    no disk\n    one core\n"
        "Loop\n    [Template]    Skip\n"
        "    FOR    ${lack}    IN    one core    no disk\n        ${lack}\n    END\n    one core\n",
        encoding="utf-8",
    )
    session.run_robot(plan(out, suite))
    reasons = {document["test"]["name"]: document["reason"] for document in store.read_all(out / "run")}
    assert reasons == {"Rows": "one core no disk", "Loop": "one core no disk"}


def test_a_run_that_goes_on_is_left_alone(out: Path, suite: Path) -> None:
    made = plan(out, suite)
    descriptor = os.open(made.folder, os.O_RDONLY)
    try:
        assert locks.take(descriptor, wait=False)
        with pytest.raises(UsageError, match="Another process works on the run run: wait for its end"):
            session.run_robot(made, resume=True)
    finally:
        os.close(descriptor)
    assert not (made.folder / "results").exists()
    assert session.run_robot(made, resume=True).cases == 8


def test_settings_survive_in_run_json(out: Path, suite: Path) -> None:
    made = plan(out, suite, tags=["smoke"])
    assert session.recall(out / "run") == made


@pytest.mark.parametrize("content", ["", "{}", '{"settings": {}}', "[1]", '{"settings": 5, "suites": [], "tags": []}'])
def test_a_broken_run_json(out: Path, content: str) -> None:
    (out / "run").mkdir()
    (out / "run" / "run.json").write_text(content)
    from headroom.core.errors import UsageError

    with pytest.raises(UsageError, match="start a new"):
        session.recall(out / "run")


SLOW = """
*** Test Cases ***
First
    Log    done

Second
    Sleep    60 s

Third
    Log    never
"""


def start_slow_run(out: Path, suite: Path) -> subprocess.Popen[str]:
    """Runs the slow suite in a process of its own and returns once its first result is there."""
    made = plan(out, suite)
    code = textwrap.dedent(f"""
        from pathlib import Path
        from headroom.core.run import session
        outcome = session.run_robot(session.recall(Path({str(made.folder)!r})))
        print("interrupted" if outcome.interrupted else "whole", sum(outcome.verdicts.values()))
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "resources")},
    )
    deadline = time.monotonic() + 30
    while not list(made.folder.glob("results/*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)  # into the second case
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_finished_results_survive_signals(out: Path, tmp_path: Path, number: signal.Signals) -> None:
    suite = tmp_path / "slow.robot"
    suite.write_text(SLOW)
    process = start_slow_run(out, suite)
    process.send_signal(number)
    said, _ = process.communicate(timeout=30)
    if number != signal.SIGKILL:
        assert said.strip() == "interrupted 1"
    assert [document["test"]["name"] for document in store.read_all(out / "run")] == ["First"]
    suite.write_text(SLOW.replace("60 s", "0 s"))
    ran: list[str] = []
    outcome = session.run_robot(
        session.recall(out / "run"), on_end=lambda record: ran.append(record.test.name), resume=True
    )
    assert ran == ["Second", "Third"]
    assert outcome.has_passed
    assert outcome.verdicts["pass"] == 3


CRASHING = """
from headroom.core.engine_result import EngineFailure
from headroom.keywords.base import library

@library
class Crashing:
    def crash(self):
        raise EngineFailure("crash", "The engine died from SIGSEGV.")
"""


@pytest.mark.parametrize(("verdict", "then"), [("pass", "remove the declaration"), ("fail", "declared deviation")])
def test_a_deviation_of_the_other_side_is_not_about_a_case(
    monkeypatch: pytest.MonkeyPatch, verdict: Verdict, then: str
) -> None:
    named = SimpleNamespace(name="theirs", deviations=(Deviation("It never did.", cases=("suite/One",)),))
    found = {"theirs": named, "null": SimpleNamespace(name="null", deviations=())}
    monkeypatch.setattr(listener.implementations, "find", found.__getitem__)
    settings, test = Settings(compressor="theirs", decompressor="null"), Test("suite/One", "One", "Suite")
    its, ours = Collected(compressor={"name": "theirs"}), Collected(decompressor={"name": "null"})
    assert then in listener.after_deviations(verdict, "", test, settings, its)[1]
    assert listener.after_deviations(verdict, "", test, settings, ours) == (verdict, "")


def test_declared_deviations(out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "implementations" / "theirs"
    folder.mkdir(parents=True)
    (folder / "implementation.yaml").write_text(
        textwrap.dedent("""
        name: theirs
        vendor: Them
        licence: proprietary
        obtain: Ask them.
        adapter: {library: theirs.so}
        capabilities: [{scheme: rohc, roles: [compressor, decompressor]}]
        deviations:
          - {requirement: RFC3095-5.9.1-1, reason: It never did that.}
          - {cases: [deviating/Still Fails, deviating/Crashes Too], reason: It will be mended in the next version.}
          - {case: deviating/Crashes, crashes: true, reason: It ends the process.}
          - {case: deviating/Passes Today, by_chance: true, reason: It reads what lies beyond a buffer.}
        """)
    )
    suite = tmp_path / "deviating.robot"
    (tmp_path / "Crashing.py").write_text(CRASHING)
    suite.write_text(
        f"*** Settings ***\nLibrary    {tmp_path / 'Crashing.py'}\n"
        "*** Test Cases ***\nPasses After All\n    [Tags]    req:RFC3095-5.9.1-1\n    No Operation\n"
        "Still Fails\n    Fail    wrong octet\nOf Others\n    [Tags]    req:RFC9999-1-2\n    No Operation\n"
        "Passes Today\n    No Operation\nCrashes\n    Crash\nCrashes Too\n    Crash\n"
    )
    made = plan(out, suite)
    made.settings = Settings(compressor=str(folder), decompressor="null", folder=made.folder)
    session.run_robot(made)
    found = {
        document["test"]["name"]: (document["verdict"], document["reason"]) for document in store.read_all(out / "run")
    }
    assert found["Of Others"][0] == "pass"
    assert found["Passes After All"][0] == "fail"
    assert "remove the declaration" in found["Passes After All"][1]
    assert found["Still Fails"][0] == "unsupported"
    assert "wrong octet" in found["Still Fails"][1]
    assert found["Crashes"][0] == "unsupported"
    assert "died from SIGSEGV" in found["Crashes"][1]
    assert found["Crashes Too"][0] == "error", "a crash is no deviation unless it is declared as one"
    assert found["Passes Today"][0] == "pass"


@pytest.mark.parametrize("when", ["in a case", "behind the last", "as the log is made"])
def test_full_disk_ends_the_run_and_keeps_results(tmp_path: Path, when: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", folder], capture_output=True).returncode != 0:
        pytest.skip("this container may not mount a tmpfs")
    try:
        fill = f"Run    dd if=/dev/zero of={folder}/fill bs=1k count=1000"
        filling = removing(tmp_path, **{"second" if when == "in a case" else "teardown": fill})
        if when == "as the log is made":  # which takes more than a case does
            filling = removing(tmp_path)
            (folder / "taken").write_bytes(bytes(136 << 10))
        code = textwrap.dedent(f"""
            import sys
            from pathlib import Path
            from headroom.core.errors import HeadroomError
            from headroom.core.run import session
            from headroom.core.settings import Settings
            run = Path({str(folder)!r}) / "run"
            run.mkdir()
            settings = Settings(compressor="null", decompressor="null", folder=run)
            plan = session.Plan(settings, [{str(filling)!r}])
            session.keep(plan)
            try:
                session.run_robot(plan)
            except HeadroomError as error:
                print(error)
                sys.exit(error.exit_code)
        """)
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
            env={**os.environ, "PYTHONPATH": str(ROOT / "resources")},
        )  # fmt: skip
        assert done.returncode == 3, done.stderr
        assert "The disk is full" in done.stdout
        assert "--resume" in done.stdout
        names = [document["test"]["name"] for document in store.read_all(folder / "run")]
        assert names == (["First"] if when == "in a case" else ["First", "Second", "Third"])
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


REMOVING = """
*** Settings ***
Library    OperatingSystem
Suite Teardown    {teardown}

*** Test Cases ***
First
    No Operation

Second
    {second}

Third
    No Operation
"""


def removing(tmp_path: Path, second: str = "No Operation", teardown: str = "No Operation") -> Path:
    suite = tmp_path / "removing.robot"
    suite.write_text(REMOVING.format(second=second, teardown=teardown))
    return suite


@pytest.mark.parametrize(
    "how",
    ["Remove Directory    {}    recursive=True", "Move Directory    {}    {}-elsewhere"],
    ids=["removed", "moved"],
)
@pytest.mark.parametrize("when", ["second", "teardown"])
def test_a_runs_folder_that_vanishes_ends_the_run(out: Path, tmp_path: Path, how: str, when: str) -> None:
    suite = removing(tmp_path, **{when: how.format(out / "run", out / "run")})
    ended: list[str] = []
    with pytest.raises(EnvironmentLacks, match=r"The folder of the run, .*run, was removed or moved .* Start the run"):
        session.run_robot(plan(out, suite), on_end=lambda record: ended.append(record.test.name))
    assert ended == (["First"] if when == "second" else ["First", "Second", "Third"])
    assert not (out / "run" / "results").exists(), "half a run is no run"


def test_robots_log_that_vanishes_leaves_the_results(out: Path, tmp_path: Path) -> None:
    suite = removing(tmp_path, f"Remove Directory    {out / 'run' / 'robot'}    recursive=True")
    with pytest.raises(
        EnvironmentLacks, match=r"(?s)Robot's log could not be written.*result is kept \(3 .*report run"
    ):
        session.run_robot(plan(out, suite))
    assert [document["verdict"] for document in store.read_all(out / "run")] == ["pass"] * 3


def test_rows_of_cpu_configurations(out: Path, tmp_path: Path) -> None:
    suite = tmp_path / "rows.robot"
    suite.write_text(
        "*** Test Cases ***\n"
        + "".join(
            f"{title} At 30 %\n    Should Be Equal    {name}    {name}\n"
            for title, name in (("One Core", "1c"), ("Two Cores Sharing A Cache", "2c-l3"))
        )
        + "Calls\n    Should Be Equal    1c    1c\n"
        + "Other\n    No Operation\n"
    )
    made = plan(out, suite)
    made.settings = Settings(compressor="null", decompressor="null", folder=made.folder, cpus=("1c", "8c"))
    session.run_robot(made)
    names = [document["test"]["name"] for document in store.read_all(out / "run")]
    assert sorted(names) == ["8 Cores At 30 %", "Calls", "Calls On 8c", "One Core At 30 %", "Other"]


def test_cases_are_listed_without_running(suite: Path) -> None:
    found = cases([suite])
    assert len(found) == 8
    assert found[0] == Case(
        "every_way/Passes",
        "every_way",
        "Passes",
        "Every way in which a case can end.",
        ("level:must", "req:RFC9999-1-1"),
        words=("log",),
    )


def test_requirements_select_by_tag() -> None:
    suites, tags = requirement_tags(["RFC3095-5.3.1", "smoke"])
    assert suites == ["smoke"]
    assert tags == ["req:RFC3095-5.3.1", "req:RFC3095-5.3.1-*", "req:RFC3095-5.3.1.*"]
    assert requirement_tags(["RFC4077"]) == ([], ["req:RFC4077", "req:RFC4077-*", "req:RFC4077.*"])
    with pytest.raises(UsageError, match=r"no document 'RFC407'\. Is RFC4077 or"):
        requirement_tags(["RFC407"])


def test_requirements_without_a_case_say_why() -> None:
    shown_by_unit_tests = "What a compressor estimates does not show on the link; unit tests show it."
    assert why_untested(requirement_tags(["TAROC-6.2"])[1]) == [shown_by_unit_tests]
    assert why_untested(requirement_tags(["TAROC"])[1]) == [], "others have cases"
    assert why_untested(["level:may"]) == []


def test_the_beginning_of_a_suite_names_those_that_begin_so() -> None:
    with pytest.raises(UsageError, match=r"Close to it: conformance/rohc/profile_tcp_feedback, .*/profile_tcp_states"):
        suite_files(["conformance/rohc/profile_tcp"])


def test_what_is_no_suite_and_no_requirement(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="There is no suite"):
        suite_files([str(tmp_path / "empty")])
    with pytest.raises(UsageError, match="no document 'RFC9999-1'"):
        requirement_tags(["RFC9999-1"])
    with pytest.raises(UsageError, match=r"'RFC3095-5\.3\.' is no reference"):
        requirement_tags(["RFC3095-5.3."])


def test_the_count_knows_names_and_tags(out: Path, suite: Path) -> None:
    expected: list[int] = []
    made = plan(out, suite, cases=["*Should", "*Must"], excluded=["level:must"])
    outcome = session.run_robot(made, on_total=expected.append)
    assert expected == [outcome.cases] == [2]


def test_plain_robot_with_the_listener(out: Path, suite: Path) -> None:
    folder = out / "plain"
    done = subprocess.run(
        [sys.executable, "-m", "robot", "--outputdir", folder, "--listener", f"{LISTENER}:{folder}", suite],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "resources")},
    )  # fmt: skip
    assert "8 tests" in done.stdout, done.stdout + done.stderr
    assert len(store.read_all(folder)) == 8
    assert json.loads((folder / "results" / store.file_name("every_way/Passes")).read_text())["verdict"] == "pass"


def test_robots_words_about_signals_are_ours() -> None:
    said = io.StringIO()
    ending = session._SignalMessages(said)
    for text in ("a word\n", "Second signal will force exit.\n", "Execution forcefully stopped.\n"):
        ending.write(text)
    first, second = said.getvalue().splitlines()
    assert first == "a word"
    assert second.startswith("headroom: stopping")
    ending.flush()
    session._SignalMessages(None).write("Second signal will force exit.\n")


def test_which_suites_use_interfaces() -> None:
    assert has_interface_cases(suite_files(["performance"]))
    assert has_interface_cases(suite_files(["smoke", "performance/throughput"]))
    assert has_interface_cases(suite_files(["conformance/gtpu"]))
    assert not has_interface_cases(suite_files(["conformance/rohc", "smoke", "interop"]))


@pytest.mark.parametrize(
    ("message", "verdict"),
    [
        ("No keyword with name 'x' found.", "error"),
        ("Several failures occurred:\n\n1) 3 differ.\n\n2) Variable '${x}' not found.", "error"),
        ("Test timeout 2 minutes exceeded.", "error"),
        ("Packets of No keyword with name 'x' come, but only UO-0 may.", "fail"),
        ("2) 3 differ: Test timeout 2 minutes exceeded.", "fail"),
    ],
)
def test_a_sentence_of_robot_is_none_where_an_adapter_says_it(message: str, verdict: str) -> None:
    """Names of packet types come from an adapter, and stand in failures."""
    case = Test("conformance/rohc/crc/CRC-3", "CRC-3", "conformance/rohc/crc", tags=["level:must"])
    assert listener.verdict_of("FAIL", message, case, Collected()) == (verdict, message)
