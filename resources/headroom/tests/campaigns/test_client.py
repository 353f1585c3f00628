# SPDX-License-Identifier: Apache-2.0
"""Campaigns on this machine: what comes back is kept, and nothing else; what is whole is not repeated."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headroom.campaigns import archive, client, identity, progress
from headroom.campaigns.campaign import Campaign, Timeouts
from headroom.campaigns.identity import Identity
from headroom.campaigns.task import request_of, run_cell
from headroom.core import process_group
from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.machine import guard, measuring
from headroom.core.paths import ROOT
from headroom.core.results import store
from headroom.tests.campaigns.helpers import campaign, configuration, program

pytestmark = pytest.mark.slow


def reply_of(one: Campaign, *behaviour: str, number: int = 0) -> dict[str, Any]:
    """The reply of a worker to a cell, in this process."""
    return run_cell(request_of(one, one.cells()[number], identity.here()), program(*behaviour))


def accepted(one: Campaign, reply: Any, number: int = 0) -> progress.Result:
    return progress.accept(one, one.cells()[number], reply, identity.here())


# ---- one cell


def test_a_whole_cell_is_kept_with_its_run(out: Path) -> None:
    one = campaign()
    result = accepted(one, reply_of(one, "fail"))
    assert (result.state, result.status, result.verdicts and result.verdicts["fail"]) == ("whole", "fail", 1)
    folder = progress.cell_folder(one, one.cells()[0])
    assert sorted(path.name for path in folder.iterdir()) == sorted(["cell.json", result.run])
    assert [record["run"] for record in store.read_all(folder / result.run)] == [result.run]
    assert progress.results(one) == {one.cells()[0]: result}
    assert [path.name for path in out.iterdir() if path.name.startswith(".cell-")] == []


@pytest.mark.parametrize("kind", ["run.json", "results/*.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"[" * 100_000], ids=range(5))
def test_a_kept_run_that_is_damaged_is_not_whole(out: Path, kind: str, content: bytes) -> None:
    one = campaign()
    result = accepted(one, reply_of(one))
    cell = one.cells()[0]
    (path,) = (progress.cell_folder(one, cell) / result.run).glob(kind)
    path.write_bytes(content)
    warnings: list[str] = []
    assert progress.read(one, cell, warnings.append) is None
    assert len(warnings) == 1 and "is incomplete" in warnings[0]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b'{"state": "fine", "words": []}', b"[" * 100_000], ids=range(6)
)
def test_a_damaged_cell_json_is_named(out: Path, content: bytes) -> None:
    one = campaign()
    accepted(one, reply_of(one))
    (progress.cell_folder(one, one.cells()[0]) / "cell.json").write_bytes(content)
    warnings: list[str] = []
    assert progress.results(one, warnings.append) == {}
    assert len(warnings) == 1 and "cell.json is damaged" in warnings[0]


@pytest.mark.parametrize(
    "damage",
    [{"run": ["x"]}, {"reason": 7}, {"began": 7}, {"verdict": []}, {"verdict": "gold"}, {"verdicts": [1]},
     {"deaths": "x"}, {"words": [7]}, {"head": None}],
    ids=str,
)  # fmt: skip
def test_a_cell_json_with_a_value_of_another_type_is_named(out: Path, damage: dict[str, Any]) -> None:
    one = campaign()
    accepted(one, reply_of(one))
    path = progress.cell_folder(one, one.cells()[0]) / "cell.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | damage))
    warnings: list[str] = []
    assert progress.results(one, warnings.append) == {}
    assert len(warnings) == 1 and "cell.json is damaged" in warnings[0]


def test_what_the_command_says_is_the_reason_of_an_error(out: Path) -> None:
    result = accepted(campaign(), reply_of(campaign(), "refuse"))
    assert (result.status, result.reason) == (
        "unusable",
        "its command ended with status 2: this machine has no such thing.",
    )


def test_a_command_that_hangs_is_ended(out: Path) -> None:
    one = campaign(timeouts=Timeouts(quiet_s=0, cell_s=0.5))
    result = accepted(one, reply_of(one, "hang"))
    assert (result.status, result.reason) == ("unusable", "its command took longer than 0.5 s and was ended")


def test_a_busy_machine_measures_nothing(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "look", lambda *limits: ["other work takes 80 % of the CPUs"])
    note = out / "note"
    result = accepted(campaign(), reply_of(campaign(), f"note={note}"))
    assert result.status == "busy"
    assert result.reason == "This machine was not fit to measure: other work takes 80 % of the CPUs."
    assert not note.exists()


def test_a_machine_that_measures_already_is_busy(out: Path) -> None:
    one = campaign(timeouts=Timeouts(lock_s=0))
    with measuring.measuring(0):
        assert accepted(one, reply_of(one)).status == "busy"
    assert accepted(one, reply_of(one)).status == "pass"


def test_another_commit_is_refused_by_the_worker(out: Path) -> None:
    one = campaign()
    request = request_of(one, one.cells()[0], Identity("1" * 40, "", "2" * 64))
    reply = run_cell(request, program())
    assert reply["state"] == "unusable"
    assert f"has commit {identity.here().commit[:12]}, but the campaign measures 111111111111" in reply["reason"]


# ---- replies that are not those of the cell


def repacked(reply: dict[str, Any], change: Any, folder: Path) -> dict[str, Any]:
    """A reply whose run was changed by `change(folder)`."""
    run = archive.unpack(reply["archive"], reply["sha256"], reply["files"], folder)
    change(run)
    packed = archive.pack(run)
    return reply | {"archive": packed.octets, "sha256": packed.sha256, "files": packed.files}


def edit(name: str, **values: Any) -> Any:
    def change(run: Path) -> None:
        for path in run.glob(name):
            path.write_text(json.dumps(json.loads(path.read_text()) | values))

    return change


def settings(**values: Any) -> Any:
    def change(run: Path) -> None:
        document = json.loads((run / "run.json").read_text())
        document["settings"] |= values
        (run / "run.json").write_text(json.dumps(document))

    return change


REFUSED = {
    "another build": (settings(build="clang-O2"), "another cell: build clang-O2"),
    "another seed": (settings(seed=2), "another cell: build gcc-O2, seed 2"),
    "another compressor": (settings(compressor="null"), "compressor is null"),
    "not quick": (settings(quick=False), "quick is False"),
    "another suite": (edit("run.json", suites=["interop"]), "another cell: suites interop"),
    "another section": (edit("run.json", tags=["req:RFC3095-5.7"]), "another cell: tags req:RFC3095-5.7"),
    "another case": (edit("run.json", cases=["Two"]), "another cell: cases Two"),
    "fewer cases": (edit("run.json", excluded=["smoke"]), "another cell: excluded smoke"),
    "no settings": (edit("run.json", settings=None), "its run.json is damaged"),
    "a record of another run": (edit("results/*.json", run="other"), "belongs to another run"),
    "a record of another commit": (
        edit("results/*.json", harness={"version": "1", "commit": "f" * 40, "changed": False}),
        "its records are of commit ffffffffffff",
    ),
    "a record that is none": (edit("results/*.json", verdict="fine"), "its records are not whole"),
    "no record": (lambda run: [path.unlink() for path in run.glob("results/*.json")], "it has none"),
}


@pytest.fixture(scope="module")
def reply(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEADROOM_OUT", str(tmp_path_factory.mktemp("out")))
        return reply_of(campaign())


@pytest.mark.parametrize("kind", REFUSED)
def test_a_run_of_something_else_is_an_error(out: Path, tmp_path: Path, kind: str, reply: dict[str, Any]) -> None:
    one = campaign()
    change, sentence = REFUSED[kind]
    result = accepted(one, repacked(reply, change, tmp_path / "changed"))
    assert result.status == "unusable"
    assert result.reason.startswith("The archive of its worker is refused: ")
    assert sentence in result.reason
    assert [path.name for path in progress.cell_folder(one, one.cells()[0]).iterdir()] == ["cell.json"]


def test_another_cells_result_is_an_error(out: Path) -> None:
    one = campaign(repeats=2)
    first = reply_of(one)
    assert accepted(one, first).status == "pass"
    assert "it belongs to the cell" in accepted(one, first, number=1).reason
    renamed = first | {"cell": one.cells()[1].id}
    assert f"the cell {one.cells()[0].id} has the run" in accepted(one, renamed, number=1).reason
    assert accepted(one, reply_of(one, number=1), number=1).status == "pass"


def test_records_that_its_command_did_not_count_are_refused(out: Path) -> None:
    one = campaign()
    reply = reply_of(one)
    assert "counted 2 pass, but its records give 1 pass" in accepted(one, reply | {"verdicts": {"pass": 2}}).reason
    assert accepted(one, reply).status == "pass"


@pytest.mark.parametrize(("behaviour", "status"), [("cut-short=1", 1), ("cut-short=3", 3)])
def test_a_run_that_was_cut_short_is_not_whole(out: Path, behaviour: str, status: int) -> None:
    one = campaign()
    result = accepted(one, reply_of(one, behaviour))
    assert result.status == "unusable"
    assert result.reason == f"its command ended with status {status}: the disk is full."


@pytest.mark.parametrize("size", [float("inf"), float("nan"), "x", None, -1])
def test_any_list_of_files_is_an_error_of_its_cell(out: Path, size: Any) -> None:
    one = campaign()
    reply = reply_of(one)
    name = next(iter(reply["files"]))
    assert accepted(one, reply | {"files": {name: (size, "x")}}).status == "unusable"


def test_a_run_json_without_end_is_an_error_of_its_cell(out: Path, tmp_path: Path) -> None:
    one = campaign()

    def nest(run: Path) -> None:
        (run / "run.json").write_text("[" * 100_000)

    assert accepted(one, repacked(reply_of(one), nest, tmp_path / "changed")).status == "unusable"


@pytest.mark.parametrize("reply", [None, [], {"state": "lost"}, {"state": "whole"}, {"state": "fine", "cell": "x"}])
def test_a_reply_that_is_none_is_an_error(out: Path, reply: Any) -> None:
    one = campaign()
    found = reply | {"cell": one.cells()[0].id} if isinstance(reply, dict) else reply
    assert accepted(one, found).status == "unusable"


def test_a_hostile_archive_is_an_error_of_its_cell(out: Path) -> None:
    from headroom.tests.campaigns.test_archive import file, listed, tar

    one, member = campaign(), file("run/../../../escaped")
    octets = tar(member)
    hostile = {"archive": octets, "sha256": hashlib.sha256(octets).hexdigest(), "files": listed(member)}
    result = accepted(one, {"state": "whole", "cell": one.cells()[0].id, **hostile})
    assert (result.status, "is not a path below its folder" in result.reason) == ("unusable", True)
    assert not list(out.rglob("escaped"))


def test_names_and_contents_of_all_changes_are_compared(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        named = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", str(tmp_path), *named, *words], check=True, capture_output=True)

    git("init", "--quiet")
    for name in ("requirements.lock", "kept"):
        (tmp_path / name).write_text("1")
    git("add", "-A")
    git("commit", "--quiet", "-m", "one")
    found = [identity.here(tmp_path).changes]
    for name, text in (("kept", "2"), ("new", "1"), ("new", "2"), ("other", "2")):
        (tmp_path / name).write_text(text)
        found.append(identity.here(tmp_path).changes)
    (tmp_path / "kept").unlink()
    found.append(identity.here(tmp_path).changes)
    assert found[0] == ""
    assert len(set(found)) == len(found)
    git("config", "diff.noprefix", "true")
    git("config", "status.showUntrackedFiles", "no")
    assert identity.here(tmp_path).changes == found[-1], "however git is configured"


def test_a_worker_runs_the_code_that_it_began_with(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "_at_start", replace(identity.here(), commit="1" * 40))
    reply = reply_of(campaign())
    assert reply["state"] == "unusable"
    assert "has commit 111111111111" in reply["reason"]


def test_packages_and_changes_are_compared() -> None:
    one = Identity("1" * 40, "", "2" * 64)
    assert one.differs(one) == ""
    assert one.differs(replace(one, packages="3" * 64)) == "another requirements.lock"
    assert "uncommitted changes" in one.differs(replace(one, changes="4" * 64))


# ---- the lock


def test_the_lock_is_the_machines(out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADROOM_LOCK")
    monkeypatch.setattr(measuring, "SHARED", tmp_path / "shared")
    assert measuring.lock_path().parent == out  # a machine without such a folder
    measuring.SHARED.mkdir()
    with measuring.measuring(0):
        assert measuring.lock_path().stat().st_mode & 0o777 == 0o666
        monkeypatch.setenv("HEADROOM_OUT", str(tmp_path / "other"))
        with pytest.raises(measuring.MachineBusy, match="another measurement had"), measuring.measuring(0):
            pass
    measuring.lock_path().chmod(0o444)  # that of another user
    with measuring.measuring(0):
        pass


def test_the_lock_is_no_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_LOCK", str(tmp_path / "link"))
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EnvironmentLacks), measuring.measuring(0):
        pass
    assert not (tmp_path / "elsewhere").exists()


# ---- a whole campaign, with a worker of its own


@pytest.fixture
def three(out: Path) -> Iterator[Campaign]:
    yield campaign(repeats=3)


def test_a_campaign_runs_once_and_goes_on_where_it_stopped(out: Path, three: Campaign) -> None:
    seen: list[str] = []
    note = out / "note"
    words = program(f"note={note}", f"cpus={out / 'cpus'}")
    outcome = client.run_campaign(
        three, b"name: test\n", program=words, on_end=lambda cell, result: seen.append(cell.id)
    )
    assert seen == [cell.id for cell in three.cells()], "the order follows from the seed"
    assert {result.status for result in outcome.results.values()} == {"pass"}
    assert [line.split()[0] for line in note.read_text().splitlines()] == ["begin", "end"] * 3
    cpus, mine = json.loads((out / "cpus").read_text()), sorted(os.sched_getaffinity(0))
    assert cpus["own"] == mine
    assert len(cpus["worker"]) == 1 or len(mine) == 1, "the worker is apart from what it measures"
    assert client.run_campaign(three, b"", program=words).results == outcome.results
    assert len(note.read_text().splitlines()) == 6, "what is whole is not repeated"
    lost = three.cells()[1]
    progress.write(three, lost, progress.Result("lost", "no worker"))
    more = replace(three, repeats=4)
    assert len(client.run_campaign(more, b"", program=words).results) == 4
    assert len(note.read_text().splitlines()) == 10
    assert progress.find("last") == three.folder / "campaign.yaml"


def test_an_interrupt_on_the_terminal_ends_everything_quietly(out: Path) -> None:
    """Ctrl-C reaches every process of the terminal's group."""
    note = out / "note"
    described = json.dumps({"machines": ["local"], "behaviour": [f"note={note}", "hang"]})
    process = subprocess.Popen(
        [sys.executable, "-P", str(Path(__file__).with_name("client_program.py")), "", "", described],
        env={**os.environ, "PYTHONPATH": str(ROOT / "resources")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 60
        while not note.exists():
            assert time.monotonic() < until and process.poll() is None
            time.sleep(0.05)
        pid = int(note.read_text().split()[1])
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "interrupted\n"
        assert not process_group.stat_of(pid)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.mark.long
def test_a_cell_that_kills_its_worker_is_lost_alone(out: Path, three: Campaign) -> None:
    first, *rest = three.cells()
    outcome = client.run_campaign(three, b"", program=program(f"kill-worker-of={first.id}"))
    lost = outcome.results[first]
    assert (lost.status, lost.deaths) == ("lost", 3)
    assert "died 3 times while it measured this" in lost.reason
    assert [outcome.results[cell].status for cell in rest] == ["pass", "pass"]


def test_cells_that_the_file_does_not_name_any_more_are_of_the_commit_too(out: Path) -> None:
    one, mine = campaign(), identity.here()
    with progress.begin(one, b"", mine):
        assert accepted(one, reply_of(one)).status == "pass"
    other = replace(one, configurations={"other": configuration("other")})
    with pytest.raises(UsageError, match="was begun with commit"):
        begin(other, replace(mine, commit="0" * 40))
    begin(other, mine)


def test_a_campaign_is_not_mixed(out: Path, three: Campaign) -> None:
    one, mine = replace(three, repeats=1), identity.here()
    with progress.begin(one, b"", mine):
        assert accepted(one, reply_of(one)).status == "pass"
        with pytest.raises(UsageError, match="Another process works on the campaign"):
            begin(one, mine)
    with pytest.raises(UsageError, match="was begun with commit"):
        begin(one, replace(mine, commit="0" * 40))
    other = replace(one, configurations={"one": configuration(suite="smoke/judges")})
    with pytest.raises(UsageError, match=r"smoke/first_load .* but campaign\.yaml now gives .* smoke/judges"):
        begin(other, mine)


@pytest.mark.parametrize(
    "state",
    [b"", b"[]", b"{}", b'{"identity": 5}', b'{"identity": {"commit": 5, "changes": "", "packages": ""}}', b"\xff"],
)
def test_a_campaign_json_that_is_none_is_named(out: Path, state: bytes) -> None:
    one, mine = campaign(), identity.here()
    with progress.begin(one, b"", mine):
        assert accepted(one, reply_of(one)).status == "pass"
    (one.folder / "campaign.json").write_bytes(state)
    with pytest.raises(UsageError, match=r"campaign\.json cannot be read .*: begin a campaign with another name"):
        begin(one, mine)


def begin(one: Campaign, mine: Identity) -> None:
    with progress.begin(one, b"", mine):
        pass


def test_machines_need_a_scheduler(out: Path) -> None:
    with pytest.raises(UsageError, match="needs epyc, but without a scheduler"):
        client.run_campaign(campaign(machines=("local", "epyc")), b"")
    assert not list(out.iterdir())
