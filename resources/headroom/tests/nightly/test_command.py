# SPDX-License-Identifier: Apache-2.0
"""`./headroom nightly` on the command line, over the sample history."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from headroom.cli.nightly import nightly, seconds_of
from headroom.core.errors import UsageError
from headroom.history.store import History

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(sample: History, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sample.folder, tmp_path / "history"))


def call(folder: Path, command: str, *words: str) -> Result:
    return CliRunner().invoke(nightly, [command, *words, "--history", str(folder)])


def refused(folder: Path, command: str, *words: str) -> str:
    found = call(folder, command, *words).exception
    assert isinstance(found, UsageError), found
    return str(found)


def shown(folder: Path, *words: str) -> list[dict]:
    return json.loads(call(folder, "show", "--json", *words).stdout)["alerts"]


def test_alerts_are_shown_accepted_and_ignored(folder: Path) -> None:
    names = [one["alert"] for one in shown(folder)]
    assert len(names) == 3
    assert call(folder, "accept", names[0], "--reason", "wanted").exit_code == 0
    assert "Give a reason" in refused(folder, "ignore", names[1])
    assert call(folder, "ignore", names[1], "--reason", "a fan").exit_code == 0
    assert [one["alert"] for one in shown(folder)] == names[2:]
    assert "already" in refused(folder, "accept", names[0])
    assert (folder / "index.html").is_file()
    assert len(shown(folder, "--all")) > 3


def test_an_unknown_alert_is_refused(folder: Path) -> None:
    assert "Open alerts:" in refused(folder, "show", "nonsense")


def test_events_are_checked(folder: Path) -> None:
    assert call(folder, "event", "new memory").exit_code == 0
    assert "needs a sentence" in refused(folder, "event", "  ")
    assert "no machine 'nosuch'" in refused(folder, "event", "x", "--machine", "nosuch")
    assert "in the future" in refused(folder, "event", "x", "--night", "29991124T013900Z")
    assert "not a night" in refused(folder, "event", "x", "--night", "tomorrow")
    assert "20261199" in refused(folder, "event", "x", "--night", "20261199T013900Z")


def test_events_are_withdrawn(folder: Path) -> None:
    call(folder, "event", "new memory")
    assert call(folder, "event", "new memory", "--withdraw").exit_code == 0
    assert "no event 'new memory'" in refused(folder, "event", "new memory", "--withdraw")
    assert "takes only the sentence" in refused(folder, "event", "x", "--withdraw", "--machine", "rack")


def test_closed_alerts_are_reopened(folder: Path) -> None:
    name = shown(folder)[0]["alert"]
    call(folder, "accept", name, "--reason", "wanted")
    assert "reopen the alert" in refused(folder, "event", "accepted: wanted", "--withdraw")
    assert call(folder, "reopen", "last").exit_code == 0
    assert name in [one["alert"] for one in shown(folder)]
    assert "is open" in refused(folder, "reopen", name)


def test_alerts_are_closed_while_another_process_measures(folder: Path) -> None:
    with History(folder).lock():
        assert call(folder, "ignore", "last", "--reason", "a fan").exit_code == 0
        assert call(folder, "event", "a new fan").exit_code == 0


def test_entries_of_logs_that_are_none_are_named(folder: Path) -> None:
    History(folder).append("alerts", [{"alert": "unknown", "action": "ignored"}])
    History(folder).append("events", [{"kind": "riddle", "night": "20260901T020000Z"}])
    found = call(folder, "check", "--json")
    assert found.exit_code == 1
    warnings = json.loads(found.stdout)["warnings"]
    assert [name for name in ("riddle", "unknown") if any(name in one for one in warnings)] == ["riddle", "unknown"]


def test_a_sound_history_has_no_warnings(folder: Path) -> None:
    found = call(folder, "check", "--json")
    assert found.exit_code == 0
    assert json.loads(found.stdout)["warnings"] == []
    next(folder.glob("schema=*/**/*.parquet")).write_bytes(b"nothing")
    assert call(folder, "check").exit_code == 1


def test_past_months_are_compacted(folder: Path) -> None:
    before = History(folder).table().num_rows
    assert call(folder, "compact").exit_code == 0
    assert History(folder).table().num_rows == before
    assert "nothing to compact" in call(folder, "compact").stdout


def test_exports_need_a_path(folder: Path, tmp_path: Path) -> None:
    assert "--junit" in refused(folder, "export")
    assert call(folder, "export", "--junit", str(tmp_path / "nights.xml")).exit_code == 0
    assert (tmp_path / "nights.xml").is_file()


def test_exports_replace_nothing_but_files(folder: Path, tmp_path: Path) -> None:
    fifo, real, link = tmp_path / "fifo", tmp_path / "real.xml", tmp_path / "link.xml"
    os.mkfifo(fifo)
    real.write_text("old")
    link.symlink_to(real)
    for place, words in (
        (fifo, "not a regular file"),
        (tmp_path, "a folder"),
        ("", "a folder"),
        ("/dev/stdout", "stream"),
        ("-", "stream"),
    ):
        for option in ("--junit", "--openmetrics", "--sqlite"):
            assert words in refused(folder, "export", option, str(place))
    assert fifo.is_fifo()
    assert call(folder, "export", "--junit", str(link)).exit_code == 0
    assert link.is_symlink() and real.read_text().startswith("<?xml")
    assert "one file" in refused(folder, "export", "--junit", str(link), "--sqlite", str(real))


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("60m", 3600), ("2h", 7200), ("5", 5)])
def test_times(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "m", "-1s", "1d", "nan", "8000h"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a time"):
        seconds_of(text)


def test_a_file_is_no_history(tmp_path: Path) -> None:
    file = tmp_path / "history"
    file.write_text("mine")
    for command in ("show", "check", "compact"):
        assert "a history must be a folder" in refused(file, command)
    assert file.read_text() == "mine"


@pytest.mark.parametrize("command", [("show",), ("accept", "last"), ("event", "x"), ("check",), ("export",)])
def test_a_history_that_is_named_must_be_there(tmp_path: Path, command: tuple[str, ...]) -> None:
    mistyped = tmp_path / "histroy"
    assert "There is no history" in refused(mistyped, *command)
    found = CliRunner().invoke(nightly, ["--history", str(mistyped), *command]).exception
    assert isinstance(found, UsageError) and "There is no history" in str(found)
    assert not mistyped.exists()


@pytest.mark.parametrize("command", [("show",), ("event", "x"), ("check",), ("--dry-run",)])
def test_a_folder_of_other_things_is_no_history(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "mine").write_text("mine")
    found = CliRunner().invoke(nightly, ["--history", str(tmp_path), *command]).exception
    assert isinstance(found, UsageError) and "holds files that do not belong" in str(found)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_command_before_the_first_night_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_OUT", str(tmp_path))
    for _ in range(2):  # the first leaves a lock
        assert "There is no alert 'last'" in str(CliRunner().invoke(nightly, ["accept", "last"]).exception)
    shown = CliRunner().invoke(nightly, ["show"])
    assert (shown.exit_code, shown.stdout) == (0, "0 nights; open alerts: 0.\n"), "no share of none"


def test_an_implementation_without_sentinels_is_refused(tmp_path: Path) -> None:
    words = ["--history", str(tmp_path), "--implementation", "example", "--dry-run"]
    found = CliRunner().invoke(nightly, words).exception
    assert isinstance(found, UsageError) and "would measure nothing" in str(found)


@pytest.mark.parametrize("budget", ["0", "1e-9m"])
def test_a_budget_of_no_time_is_refused(tmp_path: Path, budget: str) -> None:
    found = CliRunner().invoke(nightly, ["--history", str(tmp_path), "--budget", budget, "--dry-run"]).exception
    assert isinstance(found, UsageError)
    assert "leaves no time to measure" in str(found)
