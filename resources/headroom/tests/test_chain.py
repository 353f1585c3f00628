# SPDX-License-Identifier: Apache-2.0
"""The chain of records: whatever is changed, removed or added is named, and a writer that is killed at any instant
leaves a valid chain."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headroom.cli.app import _add_commands, app
from headroom.core.errors import UsageError
from headroom.core.results import chain, store
from headroom.core.results.chain import RUN
from headroom.core.run import session
from headroom.core.settings import Settings
from headroom.report import comparison, render
from headroom.tests import sample

pytestmark = pytest.mark.slow

SUITE = "*** Test Cases ***\nFirst\n    No Operation\nSecond\n    Fail    wrong octet\nThird\n    No Operation\n"
NAMES = ("one", "two", "three")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run with three records."""
    folder = tmp_path / "run"
    for name in NAMES:
        store.write(folder, sample.record(f"suite/{name}"))
    return folder


def path_of(run: Path, name: str) -> Path:
    return run / "results" / store.file_name(f"suite/{name}")


def problems(run: Path) -> list[tuple[str, str]]:
    return [(Path(one.file).name, one.what) for one in chain.verify(run, RUN).problems]


def test_records_as_they_were_written(run: Path) -> None:
    found = chain.verify(run, RUN)
    assert (list(found.files), found.problems) == ([f"results/{path_of(run, name).name}" for name in NAMES], [])
    last = (run / chain.FILE).read_bytes().splitlines()[-1]
    assert found.head == chain.head(run) == chain.digest(last)
    assert found.summary() == f"Chain of 3 records, head {found.head}"


def test_a_record_that_is_written_again_counts_as_it_is_now(run: Path) -> None:
    before = chain.head(run)
    store.write(run, sample.record("suite/one", "fail", "another octet"))
    assert problems(run) == [] and chain.head(run) != before


def test_processes_that_write_one_folder_take_turns(run: Path) -> None:
    script = f"""
import sys
from pathlib import Path
from headroom.core.results import chain
for number in range(300):
    chain.append(Path({str(run)!r}), f"results/{{sys.argv[1]}}-{{number}}.json", b"x")
"""
    writers = [subprocess.Popen([sys.executable, "-c", script, name]) for name in "abc"]
    assert [one.wait() for one in writers] == [0, 0, 0]
    lines = chain.verify(run, RUN).lines
    assert lines is not None and len(lines) == 3 + 3 * 300
    assert not [one for one in chain.verify(run, RUN).problems if one.file == chain.FILE]


def test_one_who_holds_the_lock_holds_nobody_up(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "PATIENCE_S", 0.05)
    with (run / chain.FILE).open() as held:  # for reading, as an adapter may
        fcntl.flock(held, fcntl.LOCK_EX)
        store.write(run, sample.record("suite/four"))
    assert problems(run) == [] and len(chain.verify(run, RUN).files) == 4


def _change(run: Path) -> None:
    path = path_of(run, "two")
    path.write_text(path.read_text().replace('"pass"', '"fail"'))


def _remove(run: Path) -> None:
    path_of(run, "one").unlink()


def _add(run: Path) -> None:
    path_of(run, "two").with_name("four.json").write_bytes(path_of(run, "two").read_bytes())


def _change_a_line(run: Path) -> None:
    path = run / chain.FILE
    lines = path.read_text().splitlines()
    _change(run)
    lines[1] = json.dumps(json.loads(lines[1]) | {"sha256": chain.digest_of(path_of(run, "two"))})
    path.write_text("\n".join(lines) + "\n")


def _remove_a_line(run: Path) -> None:
    path = run / chain.FILE
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + lines[2])


def _break_a_line(run: Path) -> None:
    (run / chain.FILE).write_text("[]\n" + (run / chain.FILE).read_text().partition("\n")[2])


def _name(name: str) -> str:
    return store.file_name(f"suite/{name}")


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (_change, [(_name("two"), "changed")]),
        (_remove, [(_name("one"), "missing")]),
        (_add, [("four.json", "added")]),
        (_change_a_line, [(chain.FILE, "changed")]),
        (_remove_a_line, [(chain.FILE, "changed"), (_name("two"), "added")]),
        (_break_a_line, [(chain.FILE, "unreadable"), (chain.FILE, "changed"), (_name("one"), "added")]),
    ],
)
def test_what_is_changed_is_named(run: Path, act: Callable[[Path], None], expected: list[tuple[str, str]]) -> None:
    act(run)
    assert problems(run) == expected
    told: list[str] = []
    store.read_all(run, told.append)
    assert told == chain.verify(run, RUN).sentences()
    assert all(name in sentence for (name, _), sentence in zip(expected, told, strict=True))


def test_a_loop_of_links_is_no_record(run: Path) -> None:
    path_of(run, "one").unlink()
    path_of(run, "one").symlink_to(path_of(run, "one"))
    assert problems(run) == [(_name("one"), "missing")]
    told: list[str] = []
    assert len(store.read_all(run, told.append)) == 2
    assert len(told) == 2 and "Too many levels of symbolic links" in told[0]


def test_many_changes_are_a_few_sentences(run: Path) -> None:
    for number in range(20):
        path_of(run, "two").with_name(f"{number}.json").write_bytes(b"{}")
    told = chain.verify(run, RUN).sentences()
    assert len(told) == chain.MOST_TOLD + 1 and told[-1].startswith("12 more have changed")


def killed_at(step: int, act: Callable[[], object]) -> bool:
    """True if a child that acts was ended before it made its system call of this number; False if it came to its
    end."""
    child = os.fork()
    if child == 0:
        left = step

        def counted(name: str) -> Any:
            real = getattr(os, name)

            def call(*arguments: Any, **more: Any) -> Any:
                nonlocal left
                if left == 0:
                    os._exit(9)
                left -= 1
                return real(*arguments, **more)

            return call

        for name in ("open", "pwrite", "ftruncate", "truncate", "fsync", "replace", "unlink", "chmod"):
            setattr(os, name, counted(name))
        act()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def test_a_writer_that_is_killed_at_any_instant_leaves_a_valid_chain(tmp_path: Path) -> None:
    first, again = sample.record("suite/one", "error", "it hung"), sample.record("suite/one")

    def write(run: Path) -> None:
        for one in (first, sample.record("suite/two"), again):
            store.write(run, one)

    step = 0
    while killed_at(step, partial(write, run := tmp_path / str(step))):
        assert problems(run) == [], step
        chain.mend(run)
        assert not any("cut short there" in note for note in chain.verify(run, RUN).notes), step
        write(run)
        assert problems(run) == [], step
        step += 1
    assert step > 20


def test_a_line_that_was_cut_short_is_no_line(run: Path) -> None:
    whole = (run / chain.FILE).read_bytes()
    (run / chain.FILE).write_bytes(whole + whole[:50])
    assert problems(run) == []
    store.write(run, sample.record("suite/four"))
    assert problems(run) == [] and len((run / chain.FILE).read_bytes().splitlines()) == 4


def test_a_record_that_the_disk_does_not_take_has_no_line(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (run / chain.FILE).read_bytes()

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "write_atomically", refuse)
    with pytest.raises(store.HeadroomError, match="The disk is full"):
        store.write(run, sample.record("suite/four"))
    assert (run / chain.FILE).read_bytes() == before


@pytest.fixture
def plan(out: Path, tmp_path: Path) -> session.Plan:
    (tmp_path / "three.robot").write_text(SUITE)
    (out / "run").mkdir()
    settings = Settings(compressor="null", decompressor="null", folder=out / "run")
    made = session.Plan(settings, [str(tmp_path / "three.robot")])
    session.keep(made)
    session.run_robot(made)
    return made


def verified(*words: str) -> tuple[int, dict[str, Any]]:
    if not app.registered_commands:
        _add_commands()
    found = CliRunner().invoke(app, ["verify", *words, "--json"], catch_exceptions=False)
    return found.exit_code, json.loads(found.stdout)


def test_a_run_that_ended_has_its_head_in_run_json_and_in_the_report(plan: session.Plan) -> None:
    head = json.loads((plan.folder / "run.json").read_text())["head"]
    status, document = verified("run", "--head", head)
    assert (status, document["well"], document["head"], document["records"]) == (0, True, head, 3)
    assert document["notes"] == [] and document["problems"] == []
    assert session.recall(plan.folder) == plan, "the head is no part of the plan"
    assert f"Chain of 3 records, head {head}." in render.render(store.read_all(plan.folder), plan.folder)


def test_a_run_that_was_cut_short_is_mended_when_it_goes_on(
    plan: session.Plan, capsys: pytest.CaptureFixture[str]
) -> None:
    session._keep_head(plan.folder, "")
    lost = plan.folder / "results" / store.file_name("three/Third")
    lost.unlink()
    status, document = verified("run")
    assert (status, len(document["notes"])) == (0, 2)
    assert session.run_robot(plan, resume=True).cases == 3
    assert f"cut short before results/{lost.name} was written" in capsys.readouterr().err
    assert verified("run")[1]["notes"] == []


def test_after_its_end_a_run_is_not_cut_short(plan: session.Plan) -> None:
    lost = plan.folder / "results" / store.file_name("three/Third")
    lost.unlink()
    status, document = verified("run")
    assert (status, [one["what"] for one in document["problems"]]) == (1, ["missing"])


@pytest.mark.parametrize("how", ["another head", "no chain", "no chain and no head"])
def test_a_chain_that_is_another_or_gone(plan: session.Plan, how: str) -> None:
    if how == "another head":
        lines = (plan.folder / chain.FILE).read_bytes().splitlines(keepends=True)
        (plan.folder / "results" / store.file_name("three/Third")).unlink()
        (plan.folder / chain.FILE).write_bytes(b"".join(lines[:-1]))
    else:
        (plan.folder / chain.FILE).unlink()
    if how == "no chain and no head":
        session._keep_head(plan.folder, "")
    status, document = verified("run")
    assert (status, len(document["problems"])) == (1, 1)
    told: list[str] = []
    store.read_all(plan.folder, told.append)
    assert len(told) == (0 if how == "no chain and no head" else 1), "runs of earlier versions have no chain"


def test_report_and_comparison_name_a_changed_record(plan: session.Plan) -> None:
    name = store.file_name("three/First")
    path = plan.folder / "results" / name
    path.write_text(path.read_text().replace('"pass"', '"fail"'))
    records = store.read_all(plan.folder)
    html = render.render(records, plan.folder)
    assert f"results/{name} was changed after it was written." in html and f"results/{name} changed" in html
    compared = comparison.compare(plan.folder, plan.folder.parent, records, records)
    (told,) = [one for one in compared.differences if one.what == "records"]
    assert (told.a, told.b) == (f"changed since they were written: results/{name}", "as written")


@pytest.mark.parametrize("what", ["changed", "missing"])
def test_artefacts_are_verified(plan: session.Plan, what: str) -> None:
    path = plan.folder / "artefacts" / "link.pcapng"
    path.parent.mkdir()
    path.write_bytes(b"octets")
    record = sample.record("suite/one", artefacts=[store.artefact(plan.folder, path, "capture: link")])
    store.write(plan.folder, record)
    session._keep_head(plan.folder, chain.head(plan.folder))
    assert verified("run")[1] | {"folder": ""} == {
        "kind": "run", "folder": "", "records": 4, "artefacts": 1, "head": chain.head(plan.folder),
        "problems": [], "notes": [], "well": True,
    }  # fmt: skip
    path.unlink() if what == "missing" else path.write_bytes(b"others")
    status, document = verified("run")
    assert (status, [(one["file"], one["what"]) for one in document["problems"]]) == (
        1,
        [("artefacts/link.pcapng", what)],
    )
    assert "an artefact of 'suite/one'" in document["problems"][0]["sentence"]


def test_artefacts_that_no_record_names_are_listed(plan: session.Plan) -> None:
    (plan.folder / "artefacts").mkdir()
    (plan.folder / "artefacts" / "mine.pcapng").write_bytes(b"octets")
    status, document = verified("run")
    assert (status, document["notes"]) == (
        0,
        ["run: not verified, because no record names them: artefacts/mine.pcapng."],
    )


@pytest.mark.parametrize("name", ["run.json", chain.FILE])
@pytest.mark.parametrize("what", ["pipe", "device"])
def test_a_document_without_an_end_is_not_read(plan: session.Plan, name: str, what: str) -> None:
    path = plan.folder / name
    path.unlink()
    os.mkfifo(path) if what == "pipe" else path.symlink_to("/dev/zero")
    status, document = verified("run")
    assert (status, [one["file"] for one in document["problems"]]) == (1, [name])
    with pytest.raises(UsageError, match="does not describe the run") if name == "run.json" else nullcontext():
        session.recall(plan.folder)


def test_a_document_has_a_bound(plan: session.Plan) -> None:
    os.truncate(plan.folder / "run.json", 1 << 33)
    with pytest.raises(UsageError, match="it has more than 67,108,864 octets"):
        session.recall(plan.folder)
    os.truncate(plan.folder / chain.FILE, 1 << 33)
    status, document = verified("run")
    assert status == 1 and "cannot be read (it has more than" in document["problems"][0]["sentence"]


def test_an_artefact_outside_the_folder_is_not_read(plan: session.Plan) -> None:
    found = chain.verify(plan.folder, RUN)
    outside = [{"path": "../../etc/passwd", "sha256": "0" * 64}]
    chain.verify_artefacts(found, {"verdict": "pass", "artefacts": outside, "test": {"id": "suite/one"}})
    assert [one.what for one in found.problems] == ["unreadable"]


@pytest.mark.parametrize("name", ["a\0b", "loop"])
def test_an_artefact_whose_name_is_no_path_is_missing(plan: session.Plan, name: str) -> None:
    (plan.folder / "loop").symlink_to("loop")
    found = chain.verify(plan.folder, RUN)
    chain.verify_artefacts(
        found, {"verdict": "pass", "artefacts": [{"path": name, "sha256": "0" * 64}], "test": {"id": "suite/one"}}
    )
    assert [one.what for one in found.problems] == ["missing"]


@pytest.mark.parametrize("file", ["/etc/passwd", "../../secret", ""])
def test_a_line_for_a_file_outside_the_folder_is_a_problem(run: Path, file: str) -> None:
    octets = Path(run / file).read_bytes() if file == "/etc/passwd" else b""
    chain.append(run, file, octets)
    store.write_atomically(run / "run.json", json.dumps({"head": chain.head(run)}).encode())
    (problem,) = chain.verify(run, RUN).problems
    assert (problem.file, problem.what) == (file, "unreadable" if file else "missing")
    assert "is outside the run's folder, and is not read." in problem.sentence or not file


@pytest.mark.parametrize(
    "octets",
    [b"", b"\xff", b"[]", b"[" * 100_000, b'{"head": 7}'],
    ids=["empty", "no text", "a list", "nested", "a number"],
)
def test_a_damaged_document_is_a_problem(plan: session.Plan, octets: bytes) -> None:
    (plan.folder / "run.json").write_bytes(octets)
    status, document = verified("run")
    assert (status, [(one["file"], one["what"]) for one in document["problems"]]) == (1, [("run.json", "unreadable")])


def test_the_name_of_a_file_makes_no_line(run: Path) -> None:
    path_of(run, "one").with_name("four\nAll are unchanged..json").write_bytes(b"{}")
    (sentence,) = chain.verify(run, RUN).sentences()
    assert "\n" not in sentence


@pytest.mark.parametrize("head", ["", "0" * 64, "not a digest"])
def test_another_head_than_was_published(plan: session.Plan, head: str) -> None:
    status, document = verified("run", "--head", head)
    assert (status, len(document["problems"])) == (1, 1)


def test_half_a_surrogate_pair_is_kept_and_spelled_out(tmp_path: Path) -> None:
    store.write(tmp_path, sample.record("suite/one", "fail", "odd \udcff name"))
    (record,) = store.read_all(tmp_path)
    assert record["reason"] == r"odd \udcff name"
    assert problems(tmp_path) == []
