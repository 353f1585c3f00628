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

from headroom.campaigns import archive, client, guard, identity, progress
from headroom.campaigns.campaign import Campaign, Timeouts
from headroom.campaigns.identity import Identity
from headroom.campaigns.task import request_of, run_cell
from headroom.core import process_group
from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.machine import measuring
from headroom.core.paths import ROOT
from headroom.core.results import store
from headroom.tests.campaigns.helpers import campaign, configuration, program


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


def test_what_the_command_says_is_the_reason_of_an_error(out: Path) -> None:
    result = accepted(campaign(), reply_of(campaign(), "refuse"))
    assert (result.status, result.reason) == (
        "error",
        "its command ended with status 2: this machine has no such thing.",
    )


def test_a_command_that_hangs_is_ended(out: Path) -> None:
    one = campaign(timeouts=Timeouts(quiet_s=0, cell_s=0.5))
    result = accepted(one, reply_of(one, "hang"))
    assert (result.status, result.reason) == ("error", "its command took longer than 0.5 s and was ended")


def test_a_busy_machine_measures_nothing(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "guard", lambda *limits: "the load average is 3.0 on 2 CPUs")
    note = out / "note"
    result = accepted(campaign(), reply_of(campaign(), f"note={note}"))
    assert (result.status, result.reason) == ("busy", "the load average is 3.0 on 2 CPUs, still after 0 s")
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
    assert reply["state"] == "error"
    assert f"has commit {identity.here().commit[:12]}, where 111111111111 is measured" in reply["reason"]


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
    "no settings": (edit("run.json", settings=None), "its run.json is none"),
    "a record of another run": (edit("results/*.json", run="other"), "is of another run"),
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
    assert result.status == "error"
    assert result.reason.startswith("The archive of its worker is refused: ")
    assert sentence in result.reason
    assert [path.name for path in progress.cell_folder(one, one.cells()[0]).iterdir()] == ["cell.json"]


def test_another_cells_result_is_an_error(out: Path) -> None:
    one = campaign(repeats=2)
    first = reply_of(one)
    assert accepted(one, first).status == "pass"
    assert "it is of the cell" in accepted(one, first, number=1).reason
    renamed = first | {"cell": one.cells()[1].id}
    assert f"the cell {one.cells()[0].id} has the run" in accepted(one, renamed, number=1).reason
    assert accepted(one, reply_of(one, number=1), number=1).status == "pass"


@pytest.mark.parametrize("reply", [None, [], {"state": "lost"}, {"state": "whole"}, {"state": "fine", "cell": "x"}])
def test_a_reply_that_is_none_is_an_error(out: Path, reply: Any) -> None:
    one = campaign()
    found = reply | {"cell": one.cells()[0].id} if isinstance(reply, dict) else reply
    assert accepted(one, found).status == "error"


def test_a_hostile_archive_is_an_error_of_its_cell(out: Path) -> None:
    from headroom.tests.campaigns.test_archive import file, listed, tar

    one, member = campaign(), file("run/../../../escaped")
    octets = tar(member)
    hostile = {"archive": octets, "sha256": hashlib.sha256(octets).hexdigest(), "files": listed(member)}
    result = accepted(one, {"state": "whole", "cell": one.cells()[0].id, **hostile})
    assert (result.status, "is no path below its folder" in result.reason) == ("error", True)
    assert not list(out.rglob("escaped"))


def test_packages_and_changes_are_compared() -> None:
    one = Identity("1" * 40, "", "2" * 64)
    assert one.differs(one) == ""
    assert one.differs(replace(one, packages="3" * 64)) == "another requirements.lock"
    assert "uncommitted changes" in one.differs(replace(one, changes="4" * 64))


# ---- the guard


def test_the_lock_remembers_the_load_that_was_measured(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "clock_gettime", lambda clock: now[0])
    monkeypatch.setattr(measuring.os, "getloadavg", lambda: (2.0, 0.0, 0.0))
    with measuring.measuring(0) as lock:
        assert lock.own_load() == 0
        lock.note_end()
    now[0] += measuring.LOAD_DECAY_S
    with measuring.measuring(0) as lock:
        assert lock.own_load() == pytest.approx(2.0 / 2.718281828)
    measuring.lock_path().write_text("no JSON")
    with measuring.measuring(0) as lock:
        assert lock.own_load() == 0


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
    with measuring.measuring(0) as lock:
        lock.note_end()


def test_the_lock_is_no_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_LOCK", str(tmp_path / "link"))
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EnvironmentLacks), measuring.measuring(0):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_the_guard_names_load_and_steal(monkeypatch: pytest.MonkeyPatch) -> None:
    from headroom.core.machine.procstat import CoreTimes

    monkeypatch.setattr(guard, "LOOK_S", 0)
    load = [1.5]
    stolen = [0]

    def read() -> Any:
        stolen[0] += 5
        return guard.pressure.Reading(
            load[0],
            2,
            CoreTimes(**dict.fromkeys(vars(CORE), 0) | {"idle": 20 * stolen[0], "steal": stolen[0] * share[0]}),
        )

    CORE = CoreTimes(*([0] * len(CoreTimes.__dataclass_fields__)))
    share = [0]
    monkeypatch.setattr(guard.pressure, "read", read)
    assert "load average is 1.5 on 2 CPUs" in guard.guard()
    assert guard.guard(own_load=0.7) == ""
    load[0], share[0] = 0.1, 1
    assert "% of the CPUs' time to others" in guard.guard()
    monkeypatch.setattr(guard.pressure, "read", lambda: None)
    assert guard.guard() == ""


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


def test_a_campaign_is_not_mixed(out: Path, three: Campaign) -> None:
    one, mine = replace(three, repeats=1), identity.here()
    with progress.begin(one, b"", mine):
        assert accepted(one, reply_of(one)).status == "pass"
        with pytest.raises(UsageError, match="Another process works on the campaign"):
            begin(one, mine)
    with pytest.raises(UsageError, match="was begun with commit"):
        begin(one, replace(mine, commit="0" * 40))
    other = replace(one, configurations={"one": configuration(suite="smoke/judges")})
    with pytest.raises(UsageError, match=r"smoke/first_load .* and campaign\.yaml now says .* smoke/judges"):
        begin(other, mine)


def begin(one: Campaign, mine: Identity) -> None:
    with progress.begin(one, b"", mine):
        pass


def test_machines_need_a_scheduler(out: Path) -> None:
    with pytest.raises(UsageError, match="is about epyc, and without a scheduler"):
        client.run_campaign(campaign(machines=("local", "epyc")), b"")
    assert not list(out.iterdir())
