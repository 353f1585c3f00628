# SPDX-License-Identifier: Apache-2.0
"""`./headroom campaign`: a file or a command, and what is refused before anything is measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headroom.campaigns import campaign as campaigns
from headroom.campaigns import identity, progress
from headroom.campaigns.progress import Result
from headroom.cli.app import _add_commands, app
from headroom.core.errors import EnvironmentLacks, UsageError

TEXT = "name: two\nrepeats: 2\nconfigurations: {one: {suites: [smoke/first_load]}}\n"


@pytest.fixture(scope="module")
def runner() -> CliRunner:
    if not app.registered_commands:
        _add_commands()
    return CliRunner()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "campaign.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize("words", [[], ["run"]])
def test_a_file_is_run(out: Path, runner: CliRunner, file: Path, words: list[str]) -> None:
    found = runner.invoke(app, ["campaign", *words, str(file), "--dry-run", "--json"], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    document = json.loads(found.stdout)
    assert [cell["id"] for cell in document["cells"]] == [cell.id for cell in campaigns.load(file).cells()]
    assert document["cells"][0]["command"][:3] == ["./headroom", "run", "smoke/first_load"]
    assert not (out / "campaigns").exists(), "a dry run writes nothing"


def test_a_dry_run_needs_no_scheduler(out: Path, runner: CliRunner, file: Path) -> None:
    file.write_text(TEXT + "machines: [epyc, xeon]\n")
    found = runner.invoke(app, ["campaign", str(file), "--dry-run"], catch_exceptions=False)
    assert found.exit_code == 0 and "two: 4 cells" in found.output


def test_options_may_stand_before_the_file(out: Path, runner: CliRunner, file: Path) -> None:
    found = runner.invoke(app, ["campaign", "--dry-run", str(file)], catch_exceptions=False)
    assert "two: 2 cells" in found.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["campaign", "run"], "Name a campaign's file"),
        (["campaign", "nothing.yaml"], "`./headroom reference campaign` explains the keys"),
        (["campaign", "--resume", "nothing"], "There is no campaign 'nothing'"),
        (["campaign", "FILE", "--resume", "last"], "leave out either the file"),
        (["campaign", "FILE", "--keys", "keys"], "--keys belong to a scheduler"),
        (["campaign", "FILE", "--scheduler", "tcp://10.0.0.1"], "without TLS"),
        (["campaign", "page", "nothing"], "There is no campaign 'nothing'"),
        (["campaign", "worker", "tls://10.0.0.1", "--machine", "../a"], "A machine's name has letters"),
        (["campaign", "worker", "tls://10.0.0.1", "--machine", "a"], "needs keys"),
        (["campaign", "scheduler", "--listen", "tcp://0.0.0.0"], "without TLS"),
    ],
)
def test_wrong_words(out: Path, runner: CliRunner, file: Path, words: list[str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        runner.invoke(app, [str(file) if word == "FILE" else word for word in words], catch_exceptions=False)


def test_a_scheduler_that_is_not_there(
    out: Path, runner: CliRunner, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headroom.campaigns.cluster.CONNECT_S", 0.2)
    with pytest.raises(EnvironmentLacks, match=r"No scheduler answers at tcp://127\.0\.0\.1:1: start one"):
        runner.invoke(app, ["campaign", str(file), "--scheduler", "tcp://127.0.0.1:1"], catch_exceptions=False)


def test_a_page_is_written_again(out: Path, runner: CliRunner, file: Path) -> None:
    one = campaigns.load(file)
    with progress.begin(one, TEXT.encode(), identity.here()):
        pass
    with pytest.raises(UsageError, match="has no result yet"):
        runner.invoke(app, ["campaign", "page", "two"], catch_exceptions=False)
    progress.write(one, one.cells()[0], Result("lost", "gone"))
    found = runner.invoke(app, ["campaign", "page"], catch_exceptions=False)
    assert found.exit_code == 0
    assert "0 of 2" in (one.folder / "campaign.html").read_text()
