# SPDX-License-Identifier: Apache-2.0
"""`./headroom talk`: what it prints, what it writes, and when it fails."""

from __future__ import annotations

import json
import random
import shlex
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from headroom.schemes.sigcomp.judge import tshark
from headroom.tests.command_line import call


def test_a_call_is_shown_message_by_message(real_build: str, tmp_path: Path) -> None:
    capture = tmp_path / "link.pcapng"
    done = call("talk", "basic-voice-call", "mechanism=dynamic", "--link", str(capture), "--repeats", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("identical") == 7
    assert "→ INVITE" in done.stdout and "← 180 Ringing" in done.stdout
    assert "decompress µs" in done.stdout
    assert "3522 octets became " in done.stderr
    assert capture.stat().st_size > 1000
    shown = f"tshark shows the messages: tshark -n -r {capture} -o sigcomp.decomp.msg:TRUE\n"
    assert shown in done.stderr
    assert _as_tshark_says(capture) == [True] * 7


def test_what_tshark_cannot_show_is_told(real_build: str, tmp_path: Path) -> None:
    capture = tmp_path / "link.pcapng"
    done = call("talk", "basic-voice-call", "mechanism=shared", "--link", str(capture))
    assert "tshark shows the messages, except where they rest on shared state" in done.stderr
    shown = _as_tshark_says(capture)
    assert shown[0] and not all(shown)


def _as_tshark_says(capture: Path) -> list[bool]:
    """Which messages the command that `talk` prints shows as SIP. Skips where there is no tshark."""
    if not tshark.is_available():
        pytest.skip("tshark is not installed")
    done = subprocess.run(shlex.split(tshark.command(capture)), capture_output=True, text=True, timeout=60)
    lines = [line.split() for line in done.stdout.splitlines()]
    times = [float(line[1]) for line in lines]
    assert all(one < other for one, other in pairwise(times))
    return [line[5].startswith("SIGCOMP/SIP") for line in lines]


def test_what_the_link_did_is_excused_and_nothing_else(real_build: str) -> None:
    words = ["talk", "basic-voice-call", "mechanism=stateful-basic", "acknowledgement=transport", "nacks=no"]
    done = call(*words, "drop=0", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["a_to_b"]["verdicts"]["lost_on_link"] == 1


@pytest.mark.long
@pytest.mark.parametrize(("kind", "fits"), [("same", True), ("random", False)])
def test_the_limit_of_a_datagram_is_that_of_the_link(real_build: str, tmp_path: Path, kind: str, fits: bool) -> None:
    """Over TCP there is none; over UDP the octets on the link count, not those of the message."""
    line = "abcdefghij " * 6
    chance = random.Random(7)
    body = [line if kind == "same" else chance.randbytes(33).hex() for _ in range(60)]
    lines = [">>> INVITE", "INVITE sip:bob@example.org SIP/2.0", "Content-Length: {length}", "", *body]
    path = tmp_path / "long.txt"
    path.write_text("\n".join([*lines, "<<< 200 OK", "SIP/2.0 200 OK", "Content-Length: 0", "", ""]))
    over_udp = call("talk", str(path), "--transport", "udp")
    assert over_udp.returncode == (0 if fits else 2), over_udp.stderr
    assert ("Message 1 has " in over_udp.stderr and "transport=tcp" in over_udp.stderr) != fits
    for words in (["--transport", "tcp"], ["transport=tcp"]):  # Random text does not get shorter, and goes through
        assert call("talk", str(path), *words).returncode == 0
    twice = call("talk", str(path), "--transport", "tcp", "transport=udp")
    assert twice.returncode == 2 and "transport" in twice.stderr


def test_a_dry_run_prints_the_job(real_build: str) -> None:
    words = ["state_memory_size=4096", "transport=tcp", 'guard={"verify": false}', "drop=0,2"]
    done = call("talk", "basic-voice-call", *words, "--dry-run")
    assert done.returncode == 0, done.stderr
    job = json.loads(done.stdout)
    config = job["endpoints"]["a"]["config"]
    assert config["options"]["guard"] == {"verify": False}
    assert job["link"]["a_to_b"]["drop"] == [0, 2]
    assert (config["state_memory_size"], config["transport"]) == (4096, "tcp")
