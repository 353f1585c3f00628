# SPDX-License-Identifier: Apache-2.0
"""The agent behind its pipe, with a stand-in for TRex's client."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from headroom.testbed.trex.client import AGENT
from headroom.testbed.trex.installation import CLIENT, Installation
from headroom.testbed.trex.pipe import Pipe, Refusal
from headroom.tests.wire.fake_trex import install


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(install(tmp_path / "trex"), "v3.08")


@pytest.fixture
def agent(installation: Installation, tmp_path: Path) -> Iterator[Pipe]:
    command = [sys.executable, str(AGENT), str(installation.folder / CLIENT)]
    with Pipe(command, "the agent", tmp_path / "agent.log", installation.environment()) as pipe:
        yield pipe


def calls(installation: Installation) -> list[list[object]]:
    return [json.loads(line) for line in (installation.folder / "calls.jsonl").read_text().splitlines()]


def test_connecting_takes_the_ports_and_tells_of_the_server(agent: Pipe, installation: Installation) -> None:
    told = agent.call("connect", mode="stl")
    assert told["version"] == "v3.08"
    assert [port["src_mac"] for port in told["ports"]] == ["02:00:00:00:00:00", "02:00:00:00:00:01"]
    assert [name for name, _ in calls(installation)] == ["acquire", "reset"]


def test_what_the_client_and_profiles_print_is_no_answer(agent: Pipe, tmp_path: Path) -> None:
    agent.call("connect")
    assert agent.call("load", port=1, profile="a.py", tunables=["--flows", 3]) == {"streams": 3, "packets": 12}
    log = (tmp_path / "agent.log").read_text()
    assert "the client prints what it likes" in log
    assert "so do profiles" in log


@pytest.mark.parametrize(
    ("method", "parameters", "words", "exception"),
    [
        ("connect", {"server": "nowhere"}, "nobody is there", "TRexError"),
        ("connect", {"mode": "telnet"}, "'stl' or 'astf'", "WrongRequest"),
        ("load", {"port": 0, "profile": "no-such.py"}, "no such profile: no-such.py", "TRexError"),
        ("load", {"port": 0, "profile": "a.py", "tunables": ["--help"]}, "0", "SystemExit"),
        ("load", {"port": 0}, "profile is missing", "WrongRequest"),
        ("load", {"port": 0, "profile": "a.py", "color": 1}, "color is unknown", "WrongRequest"),
        ("astf_load", {"profile": "a.py"}, "astf mode", "WrongRequest"),
        ("__init__", {}, "there is no method", "WrongRequest"),
    ],
)
def test_everything_that_goes_wrong_is_an_answer(
    agent: Pipe, method: str, parameters: dict[str, object], words: str, exception: str
) -> None:
    agent.call("connect")
    with pytest.raises(Refusal) as refused:
        agent.call(method, **parameters)  # type: ignore[arg-type]
    assert words in str(refused.value)
    assert refused.value.exception == exception
    assert agent.call("ping" if method != "connect" else "connect")  # and it goes on


def test_without_a_connection_it_says_so(agent: Pipe) -> None:
    with pytest.raises(Refusal, match="connect to a server first"):
        agent.call("stats")


def test_statistics_are_json_whatever_trex_puts_into_them(agent: Pipe) -> None:
    agent.call("connect")
    stats = agent.call("stats")
    assert stats["ports"] == {"0": {"opackets": 10, "rate": None}, "1": {"opackets": None}}
    assert stats["streams"] == {"7": {"tx_pkts": {"total": 3}}}


def test_lines_that_are_no_requests_are_answered_in_the_numbers_of_json_rpc(installation: Installation) -> None:
    lines = [
        "{",
        "[]",
        '{"method": "ping", "params": [1]}',
        "",
        '{"id": 9, "method": "quit"}',
        '{"id": 10, "method": "ping"}',
    ]
    done = subprocess.run(
        [sys.executable, AGENT, installation.folder / CLIENT],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        env=installation.environment(),
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert [reply.get("error", {}).get("code") for reply in replies] == [-32700, -32600, -32602, None]
    assert replies[-1] == {"jsonrpc": "2.0", "id": 9, "result": {}}  # and nothing after that
    assert done.returncode == 0


def test_the_end_of_the_input_lets_go_of_the_server(installation: Installation) -> None:
    subprocess.run(
        [sys.executable, AGENT, installation.folder / CLIENT],
        input='{"id": 1, "method": "connect"}\n',
        text=True,
        env=installation.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    assert calls(installation)[-1] == ["disconnect", {"stop_traffic": True, "release_ports": True}]


def test_a_folder_without_a_client_is_a_wrong_use(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, AGENT, tmp_path], capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage" in done.stderr
