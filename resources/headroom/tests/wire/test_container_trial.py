# SPDX-License-Identifier: Apache-2.0
"""The trial that the service `harness` makes, with stand-ins for the others in a folder of their own."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headroom.core.errors import UsageError
from headroom.testbed import container_trial as trial
from headroom.testbed.bridge_noise import is_stray
from headroom.testbed.container_trial import TrialFailed, TrialOptions

SENT: dict[str, Any] = {
    "sent": 100,
    "received": 100,
    "lost": 0,
    "unexpected": 0,
    "unexpected_list": [],
    "fell_behind": False,
    "achieved_pps": 1000.0,
    "requested_pps": 1000.0,
}
SOLICITATION = (
    "6000000000103afffe8000000000000060be3ffffe04b850ff0200000000000000000000000000028500cb0700000000010162be3f04b850"
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """The harness's folder, in which compressor, link and decompressor answer in folders of their own."""
    servers = []
    for role in trial.WATCHED:
        server = socket.socket(socket.AF_UNIX)
        (tmp_path / role).mkdir()
        server.bind(str(tmp_path / role / f"{role}.sock"))
        server.listen()
        threading.Thread(target=answer, args=(server, role), daemon=True).start()
        servers.append(server)
    yield tmp_path
    for server in servers:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def answer(server: socket.socket, role: str) -> None:
    try:
        while True:
            connection, _ = server.accept()
            connection.sendall(json.dumps({"role": role}).encode())
            connection.close()
    except OSError:
        return


def generator(folder: Path, result: str, log: str = "") -> dict[str, Any]:
    """Serves one trial; returns what will hold its job."""
    os.mkfifo(folder / "trials")
    opened = os.open(folder / "trials", os.O_RDWR)  # as a reader that is there before anybody writes
    heard: dict[str, Any] = {}

    def serve() -> None:
        name = os.read(opened, 100).decode().strip()
        heard.update(json.loads((folder / f"{name}.job").read_text()))
        (folder / f"{name}.log").write_text(log)
        (folder / f"{name}.part").write_text(result)
        (folder / f"{name}.part").rename(folder / f"{name}.result")
        os.close(opened)

    threading.Thread(target=serve, daemon=True).start()
    return heard


def test_one_trial(folder: Path) -> None:
    heard = generator(folder, json.dumps({"forward": SENT, "reverse": SENT}))
    found = trial.run(TrialOptions(rate_pps=500, flows=3), folder)
    assert found["link"] == {"role": "link"}
    assert trial.shortcomings(found["generator"]) == []
    assert (heard["rate_pps"], heard["flows"], heard["ports"][1]) == (500, 3, {"interface": "10.77.3.2"})
    assert heard["profile"]["name"] == "voip-amr-nb-ipv6"
    assert not list(folder.glob("trial-*")), "no job and no result is left"


@pytest.mark.parametrize(
    ("result", "log", "sentence"),
    [
        ("", "headroom-engine: no memory", "The generator gave no result: headroom-engine: no memory"),
        (
            '{"error": {"message": "there is no interface g0 here."}}',
            "",
            "The generator: there is no interface g0 here",
        ),
        ("[1", "", "it gave no reason"),
    ],
)
def test_a_trial_without_result(folder: Path, result: str, log: str, sentence: str) -> None:
    generator(folder, result, log)
    with pytest.raises(TrialFailed, match=sentence):
        trial.run(TrialOptions(), folder)


def test_nobody_listens(folder: Path) -> None:
    with pytest.raises(TrialFailed, match=r"The generator does not listen at .*trials: No such file"):
        trial.run(TrialOptions(), folder)
    os.mkfifo(folder / "trials")
    with pytest.raises(TrialFailed, match=r"does not listen at .*trials: No such device"):
        trial.run(TrialOptions(), folder)


def test_one_that_dies_meanwhile_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "SILENT_S", 0.3)
    monkeypatch.setattr(trial, "LOOK_S", 0.05)
    os.mkfifo(folder / "trials")
    opened = os.open(folder / "trials", os.O_RDWR)
    (folder / "link" / "link.sock").unlink()
    with pytest.raises(TrialFailed, match="The link does not answer any more"):
        trial.run(TrialOptions(), folder)
    os.close(opened)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"lost": 3}, "forward: 3 of 100 packets did not arrive as they were sent."),
        ({"unexpected": 1, "unexpected_list": ["45000014"]}, "forward: 1 packets arrived that were never sent."),
        (
            {"unexpected": 20, "unexpected_list": [SOLICITATION] * 16},
            "forward: 4 packets arrived that were never sent.",
        ),
        ({"sent": 0}, "forward: nothing was sent."),
    ],
)
def test_what_keeps_a_trial_from_passing(change: dict[str, Any], sentence: str) -> None:
    assert trial.shortcomings({"forward": SENT | change, "reverse": SENT}) == [sentence]


@pytest.mark.parametrize(("achieved", "told"), [(7.0, "7"), (None, "0")])
def test_a_generator_that_falls_behind_is_an_error_and_no_limit(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], achieved: float | None, told: str
) -> None:
    late = SENT | {"fell_behind": True, "achieved_pps": achieved}
    monkeypatch.setattr(trial, "run", lambda asked: {"generator": {"forward": SENT, "reverse": late}})
    assert trial.main() == 1
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "error"
    assert document["reasons"] == [f"reverse: the generator sent {told} of 1000 packets/s."]
    late["lost"] = 50  # which is worse, and nothing makes it milder
    assert trial.main() == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "fail"


def test_what_a_bridge_says_of_its_own_is_nobodys_fault() -> None:
    told = {"forward": SENT | {"unexpected": 1, "unexpected_list": [SOLICITATION]}}
    assert trial.shortcomings(told) == []
    assert not is_stray(bytes.fromhex("60" + SOLICITATION[2:16] + "20" + SOLICITATION[18:])), "a routable source"
    assert trial.shortcomings({}) == ["There is no result of any direction."]


def test_what_the_environment_asks_for() -> None:
    asked = TrialOptions.of(
        {"HEADROOM_FLOWS": "7", "HEADROOM_RATE": "250.5", "HEADROOM_SEED": "", "HEADROOM_SUBNET": "10.9"}
    )
    assert (asked.flows, asked.rate_pps, asked.seed, asked.subnet) == (7, 250.5, 1, "10.9")
    with pytest.raises(UsageError, match="HEADROOM_FLOWS is 'many', which is not a number"):
        TrialOptions.of({"HEADROOM_FLOWS": "many"})
