# SPDX-License-Identifier: Apache-2.0
"""Voice profiles as runs for a field engine: the runs stand for exactly the packets that the engine renders.

`traffic-profiles/trex/rendered.py` is under the GPL, as TRex's profiles are, and is run as the program that it is too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from headroom.core import engine, profiles
from headroom.core.machine.build import engine_program
from headroom.core.paths import ROOT
from headroom.testbed.generator import is_voice

RENDERED = ROOT / "traffic-profiles" / "trex" / "rendered.py"
VOICE = [name for name in profiles.names() if is_voice(profiles.load(name))]


def rendered(build: str, *words: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HEADROOM_ENGINE": str(engine_program(build))}
    return subprocess.run([sys.executable, RENDERED, *map(str, words)], capture_output=True, text=True, env=environment)


def packets(build: str, profile: object, *words: object) -> list[str]:
    done = rendered(build, profile, "--packets", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def runs(build: str, profile: object, *words: object) -> list[dict[str, Any]]:
    done = rendered(build, profile, *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def engines(build: str, folder: Path, profile: dict[str, Any], flows: int, seconds: float, reverse: bool) -> list[str]:
    """The packets that `headroom-engine render` makes with payloads that are its pattern, as replay reads them."""
    for variant in profile["variants"]:
        variant["payload"]["content"] = "pattern"
    output = folder / "rendered.pcap"
    job = {"profile": profile, "flows": flows, "duration_s": seconds, "seed": 3, "reverse": reverse}
    engine.run("render", job | {"output": str(output)}, build=build)
    octets, at, found = output.read_bytes(), 24, []
    while at < len(octets):
        length = int.from_bytes(octets[at + 8 : at + 12], "little")
        found.append(octets[at + 16 : at + 16 + length].hex())
        at += 16 + length
    return found


def written(folder: Path, name: str, **rtp: object) -> Path:
    """A profile with RTP's keys changed, as a file."""
    profile = profiles.load(name)
    for variant in profile["variants"]:
        variant["headers"][-1].update(rtp)
    path = folder / "changed.yaml"
    path.write_text(yaml.safe_dump(profile))
    return path


def test_there_are_voice_profiles() -> None:
    assert {"voip-amr-nb-ipv4", "voip-amr-nb-ipv6", "voip-g711-ipv4-silence", "voip-mixed"} <= set(VOICE)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", [name for name in VOICE if name.startswith("voip")])
def test_runs_are_the_packets_of_the_engine(real_build: str, tmp_path: Path, name: str, reverse: bool) -> None:
    words = ["--flows", 12, "--duration", 6, "--seed", 3, *(["--reverse"] if reverse else [])]
    made = packets(real_build, name, *words)
    expected = engines(real_build, tmp_path, profiles.load(name), 12, 6.0, reverse)
    assert len(made) > 1000
    assert Counter(made) == Counter(expected)


def test_the_time_of_every_packet_is_that_of_the_engine(real_build: str) -> None:
    found = runs(real_build, "voip-amr-nb-ipv4-silence", "--flows", 3, "--duration", 20)
    for flow in range(3):
        at = 0
        for run in (one for one in found if one["flow"] == flow):
            at += run["gap_us"] + (run["count"] - 1) * run["interval_us"]
            assert run["count"] == 1 or run["interval_us"] in (20_000, 160_000) or run["count"] == 2
        assert 18_000_000 < at < 20_000_000


@pytest.mark.parametrize(
    ("name", "lists"), [("voip-amr-nb-ipv4", 0), ("voip-amr-nb-ipv4-checksum", 1), ("voip-amr-nb-ipv6", 1)]
)
def test_without_talk_spurts_a_flow_is_one_run_of_few_rules(real_build: str, name: str, lists: int) -> None:
    found = runs(real_build, name, "--flows", 4, "--duration", 10)
    assert [run["count"] for run in found] == [500] * 4
    assert [sum(field["kind"] == "list" for field in run["fields"]) for run in found] == [lists] * 4


def test_a_field_that_wraps_is_still_counted(real_build: str, tmp_path: Path) -> None:
    path = written(tmp_path, "voip-amr-nb-ipv4", timestamp_start=0xFFFFFF00, sequence_start=65530)
    kinds = {field["offset"]: field["kind"] for field in runs(real_build, path, "--duration", 1)[0]["fields"]}
    assert kinds == {4: "step", 30: "step", 32: "step"}


def test_a_step_that_would_wrap_the_variable_is_a_list(real_build: str, tmp_path: Path) -> None:
    path = written(tmp_path, "voip-amr-nb-ipv4", timestamp_step=3_000_000_000)
    assert runs(real_build, path, "--duration", 1)[0]["fields"][2]["kind"] == "list"


@pytest.mark.parametrize(
    ("name", "rtp"),
    [
        ("voip-amr-nb-ipv4", {"sequence_start": 65500}),
        ("voip-amr-nb-ipv4", {"timestamp_start": 0xFFFFFF00}),
        ("voip-amr-nb-ipv6", {"sequence_start": 65500}),  # the UDP checksum leaves its line where the number wraps
        ("voip-amr-nb-ipv6", {"timestamp_start": 0xFFFFFF00}),
        ("voip-amr-nb-ipv4", {"marker_every": 7}),
    ],
)
def test_wraps_and_markers(real_build: str, tmp_path: Path, name: str, rtp: dict[str, object]) -> None:
    path = written(tmp_path, name, **rtp)
    made = packets(real_build, path, "--flows", 2, "--duration", 5, "--seed", 3)
    assert Counter(made) == Counter(engines(real_build, tmp_path, profiles.load(str(path)), 2, 5.0, False))


def test_a_later_start_goes_on_where_the_earlier_part_ended(real_build: str) -> None:
    whole = packets(real_build, "voip-amr-nb-ipv4", "--flows", 5, "--duration", 4)
    parts = [packets(real_build, "voip-amr-nb-ipv4", "--flows", 5, "--duration", 2, "--start", at) for at in (0, 2)]
    assert Counter(parts[0] + parts[1]) == Counter(whole)


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["esp-ipv4"], "RTP over UDP"),
        (["no-such"], "there is no traffic profile"),
        (["voip-amr-nb-ipv4-silence", "--flows", 3000, "--duration", 10], "TRex takes 20000 a port"),
        (["voip-amr-nb-ipv4", "--flows", 0], "headroom-engine render"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_a_reason(real_build: str, words: list[object], sentence: str) -> None:
    done = rendered(real_build, *words)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
