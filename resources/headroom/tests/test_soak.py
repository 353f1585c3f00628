# SPDX-License-Identifier: Apache-2.0
"""`./headroom test --soak`: turns, counts, going on, and each stage for a moment."""

from __future__ import annotations

import fcntl
import json
import os
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from headroom.cli.test import soak_command
from headroom.core.chance import poisson_limit
from headroom.core.errors import UsageError
from headroom.core.paths import IMPLEMENTATIONS
from headroom.core.scheme_registry import all_schemes
from headroom.selftest.fuzz_targets import FuzzTarget
from headroom.selftest.soak import kills, page, schedule, tally
from headroom.selftest.soak.fuzzing import LEAST, Fuzzing
from headroom.selftest.soak.kills import KilledCommand, Kills
from headroom.selftest.soak.links import Links
from headroom.selftest.soak.tally import Finding, Tally
from headroom.tests.command_line import call, start
from headroom.tests.sample import record

pytestmark = pytest.mark.slow

MOMENT = 1 / 3600  # hours of a second
DAMAGING = {name: scheme for name, scheme in all_schemes().items() if scheme.damaged_links}


@pytest.fixture
def made(tmp_path: Path) -> Tally:
    return Tally(tmp_path / "soak", hours=1.0)


@dataclass
class Counting:
    """A stage whose turns take no time, and count as if they had taken what they were given."""

    name: str
    share: float
    names: tuple[str, ...] = ("a", "b")
    turns: list[str] = field(default_factory=list)
    ends_at: int = 1000

    def parts(self) -> Sequence[str]:
        return self.names

    def run(self, part: str, seconds: float, tally: Tally) -> None:
        self.turns.append(part)
        tally.spent[self.name][part] += seconds
        tally.row(self.name, part).executions += 1
        if len(self.turns) == self.ends_at:
            raise KeyboardInterrupt


def quiet(sentence: str) -> None:
    pass


def test_every_part_of_every_stage_has_its_share(made: Tally) -> None:
    long, short = Counting("fuzz", 0.6), Counting("kills", 0.2, ("c",))
    schedule.run(made, [long, short, Counting("links", 0.2, ())], quiet)
    spent = {name: sum(parts.values()) for name, parts in made.spent.items()}
    assert spent["fuzz"] + spent["kills"] == pytest.approx(3600, abs=1)
    assert spent["fuzz"] == pytest.approx(3 * spent["kills"], rel=0.1)
    assert made.spent["fuzz"]["a"] == pytest.approx(made.spent["fuzz"]["b"], rel=0.1)


def test_a_soak_that_was_interrupted_goes_on(out: Path) -> None:
    began = schedule.begun(1.0, is_resumed=False)
    with pytest.raises(KeyboardInterrupt):
        schedule.run(began, [Counting("fuzz", 1.0, ends_at=3)], quiet)
    again = schedule.begun(1.0, is_resumed=True)
    assert (again.turns, again.seed, again.seconds) == (3, began.seed, pytest.approx(began.seconds))
    assert again.totals().executions == 3
    schedule.run(again, [Counting("fuzz", 1.0)], quiet)
    assert again.seconds == pytest.approx(3600, abs=1)
    assert schedule.begun(1.0, is_resumed=False).seconds == 0, "without --resume another soak begins"


@pytest.mark.parametrize("is_resumed", [False, True])
def test_two_soaks_do_not_share_a_folder(out: Path, monkeypatch: pytest.MonkeyPatch, is_resumed: bool) -> None:
    schedule.begun(1.0, is_resumed=False).keep()
    monkeypatch.setattr(schedule, "stages", lambda say: [])
    monkeypatch.setattr(schedule, "run", lambda *_: None)
    descriptor = os.open(tally.soak_folder(), os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(UsageError, match="Another soak works on"):
        soak_command(1.0, is_resumed, False, False)
    os.close(descriptor)
    assert soak_command(1.0, is_resumed, False, False) == 0


@pytest.mark.parametrize("content", ["", "[]", '{"rows": []}', '{"rows": [{"stage": 1}]}', "[" * 100_000], ids=range(5))
def test_a_damaged_tally_is_refused(out: Path, content: str) -> None:
    with pytest.raises(UsageError, match="Leave out --resume"):
        tally.read(tally.soak_folder())
    tally.soak_folder().mkdir(parents=True)
    (tally.soak_folder() / tally.FILE).write_text(content)
    with pytest.raises(UsageError, match="Leave out --resume"):
        tally.read(tally.soak_folder())


def test_what_fails_a_soak(made: Tally) -> None:
    row = made.row("links", "one")
    row.expected, row.wrong = 1.0, poisson_limit(1.0)
    assert made.exit_status == 0
    row.wrong += 1
    assert made.exit_status == 1
    row.wrong, made.row("kills", "run").lost = 0, 1
    assert made.exit_status == 1
    made.row("kills", "run").lost = 0
    made.note(Finding("fuzz", "a", "It ended."))
    made.note(Finding("fuzz", "a", "It ended."))
    assert (made.exit_status, len(made.findings)) == (1, 1)


def test_the_page_shows_all_rows_and_no_markup_of_others(made: Tally) -> None:
    made.row("links", "UO-0 <b>").theory = "a CRC of 3 bits"
    made.row("calls", "one").calls = 1234567
    made.note(Finding("fuzz", "a", "<script>alert(1)</script>", "input", "command"))
    text = page.render(made)
    assert "UO-0 &lt;b&gt;" in text and "a CRC of 3 bits" in text and "1,234,567" in text
    assert "<script" not in text and "command" in text
    assert set(page.COLUMNS) == set(page.ABOUT)


FUZZER = """\
    #!{python}
    import pathlib, sys
    words = dict(one.lstrip("-").split("=", 1) for one in sys.argv[1:] if "=" in one)
    folders = [one for one in sys.argv[1:] if not one.startswith("-")]
    if "merge" in words:
        pathlib.Path(folders[0], "kept").write_bytes(b"kept")
        sys.exit()
    for number in range({files}):
        pathlib.Path(folders[0], f"found-{{number}}").write_bytes(b"x")
    print("calls of the ABI: 30\\nstat::number_of_executed_units: 70")
    if {crashes}:
        path = words["artifact_prefix"] + "crash-1"
        pathlib.Path(path).write_bytes(b"input")
        print("SUMMARY: AddressSanitizer: heap-buffer-overflow a.cc:1\\nTest unit written to " + path)
        sys.exit(77)
"""


def fuzzer(folder: Path, files: int = 1, crashes: bool = False) -> Fuzzing:
    program, seeds = folder / "one_fuzz", folder / "seeds"
    seeds.mkdir()
    text = textwrap.dedent(FUZZER).format(python=sys.executable, files=files, crashes=crashes)
    program.write_text(text)
    program.chmod(0o755)
    return Fuzzing("fuzz", 1.0, [FuzzTarget(program, seeds)])


def test_executions_and_calls_are_counted(made: Tally, tmp_path: Path) -> None:
    stage = fuzzer(tmp_path)
    for _ in range(2):
        stage.run("one", 1.0, made)
    row = made.row("fuzz", "one")
    assert (row.executions, row.calls, row.crashes, row.corpus) == (140, 60, 0, 1)


def test_a_crash_keeps_its_input_and_its_command(made: Tally, tmp_path: Path) -> None:
    stage = fuzzer(tmp_path, crashes=True)
    for _ in range(2):
        stage.run("one", 1.0, made)
    assert (made.row("fuzz", "one").crashes, made.exit_status) == (2, 1)
    (found,) = made.findings
    assert found.sentence == "AddressSanitizer: heap-buffer-overflow a.cc:1"
    assert Path(found.input).read_bytes() == b"input"
    assert found.command == f"{stage.targets[0].program} {found.input}"


def test_a_corpus_that_has_grown_is_minimised(made: Tally, tmp_path: Path) -> None:
    stage = fuzzer(tmp_path, files=LEAST)
    stage.run("one", 1.0, made)
    corpus = made.folder / "corpus" / "one"
    assert [path.name for path in corpus.iterdir()] == ["kept"]
    corpus.rename(corpus.with_name("one.old"))  # as where the soak was killed between two renames
    stage.run("one", 1.0, made)
    assert (corpus / "kept").exists()


# Writes a record each time that it goes on, and sleeps until it is killed; `harm` is done to the first record then.
COMMAND = """\
    import pathlib, sys, time, os
    out = pathlib.Path(os.environ["HEADROOM_OUT"], "run")
    records = out / "results"
    records.mkdir(parents=True, exist_ok=True)
    (out / "run.json").write_text("")
    before = sorted(records.glob("*.json"))
    if before:
        first = before[0]
        {harm}
    if len(before) == 2:
        sys.exit({status})
    (records / f"{{len(before)}}.json").write_text({record!r})
    time.sleep(60)
"""


def killing(folder: Path, monkeypatch: pytest.MonkeyPatch, harm: str = "pass", status: int = 0) -> Kills:
    monkeypatch.setattr(kills, "FIRST_S", 0.8)
    program = folder / "command.py"
    program.write_text(
        textwrap.dedent(COMMAND).format(harm=harm, status=status, record=json.dumps(record("smoke/one").as_json()))
    )
    victim = KilledCommand("run", lambda *_: ["run"], lambda _: ["again"], kills.RESULTS)
    return Kills(1.0, victims=(victim,), program=(sys.executable, str(program)))


def test_records_that_stay_are_none_lost(made: Tally, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = killing(tmp_path, monkeypatch)
    stage.run("run", 1.0, made)
    row = made.row("kills", "run")
    assert row.kills >= 1 and row.lost == 0 and made.exit_status == 0


def test_a_kill_can_await_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = killing(tmp_path, monkeypatch)
    awaited = partial(kills._has_new, stage.victims[0], tmp_path, {})
    assert stage._run(["run"], tmp_path, 600.0, awaited, 0.0) is None
    assert awaited()


@pytest.mark.parametrize(
    ("harm", "sentence"),
    [
        ("first.unlink()", "is gone"),
        ("first.write_text(first.read_text() + ' ')", "was changed"),
        ("first.write_text('{')", "is broken"),
    ],
)
def test_lost_records_are_counted(
    made: Tally, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str, sentence: str
) -> None:
    stage = killing(tmp_path, monkeypatch, harm)
    while not made.row("kills", "run").lost:
        stage.run("run", 2.0, made)
    assert made.exit_status == 1
    assert sentence in made.findings[0].sentence
    assert Path(made.findings[0].input).is_dir()


def test_a_command_that_cannot_go_on_is_found(made: Tally, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = killing(tmp_path, monkeypatch, status=1)
    while not made.findings:
        stage.run("run", 4.0, made)
    assert "status 1" in made.findings[0].sentence


def test_the_commands_of_the_soak_are_known(tmp_path: Path) -> None:
    import random

    for victim in kills.VICTIMS:
        words = victim.begin(tmp_path, random.Random(1))
        assert call(*words, "--dry-run", out=tmp_path / "out").returncode == 0, victim.name


@pytest.mark.long
@pytest.mark.engine
def test_a_run_is_killed_and_goes_on(made: Tally, real_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kills, "FIRST_S", 1.0)  # less than a run takes
    stage = Kills(1.0)
    stage.run("run", 15.0, made)
    row = made.row("kills", "run")
    assert row.kills and not row.lost and not made.findings, made.findings


@pytest.mark.engine
@pytest.mark.parametrize("name", DAMAGING)
def test_damaged_links_do_what_theory_says(made: Tally, name: str, real_build: str) -> None:
    Links(1.0).run(name, 0.0, made)
    assert made.rows and sum(row.damaged for row in made.rows) > 10
    assert made.exit_status == 0, [row for row in made.rows if row.is_bad] + made.findings
    assert all(row.theory for row in made.rows)


def test_every_scheme_of_the_reference_has_calls_for_the_soak() -> None:
    for scheme in all_schemes():
        folder = IMPLEMENTATIONS / "reference" / scheme / "fuzz"
        setups = json.loads((folder / "calls.json").read_text(encoding="utf-8"))
        assert {one["config"]["scheme"] for one in setups} == {scheme}
        assert any((folder / "corpus" / "calls").iterdir())


def test_the_command_ends_with_what_the_soak_found(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(schedule, "stages", lambda say: [Counting("fuzz", 1.0)])
    assert soak_command(MOMENT, False, False, False) == 0
    assert capsys.readouterr().out.strip().endswith(page.PAGE)
    (found := tally.read(tally.soak_folder())).note(Finding("fuzz", "a", "It ended.", "input", "the command"))
    found.keep()
    assert soak_command(2 * MOMENT, True, True, False) == 1
    said = capsys.readouterr()
    assert "It ended. Again: the command" in said.err
    assert json.loads(said.out)["passed"] is False


def test_ctrl_c_says_how_to_go_on(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(schedule, "stages", lambda say: [Counting("fuzz", 1.0, ends_at=1)])
    with pytest.raises(KeyboardInterrupt):
        soak_command(1.0, False, False, False)
    assert "--soak 1 --resume" in capsys.readouterr().err
    assert (tally.soak_folder() / page.PAGE).is_file()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--soak", "0"], "tests nothing"),
        (["--resume"], "give --soak HOURS"),
        (["--soak", "1", "--fast"], "runs instead of the stages"),
        (["--soak", "1", "--doubles"], "exclude each other"),
    ],
)
def test_wrong_words(out: Path, words: list[str], sentence: str) -> None:
    done = start("test", *words, out=out)
    assert done.returncode == 2
    assert sentence in done.stderr.replace("\n", " ")


def test_a_dry_run_names_the_stages(out: Path) -> None:
    done = start("test", "--soak", "1", "--dry-run", out=out)
    assert done.returncode == 0
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == list(page.ABOUT)
