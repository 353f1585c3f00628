# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a traffic profile is said of its file and line, whoever finds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.bench import load
from headroom.core import profiles, replay
from headroom.core.engine import EngineFailure
from headroom.tests.command_line import start
from headroom.tests.runs import load_of, replay_of

GOOD = profiles.path_of("voip-amr-nb-ipv4").read_text(encoding="utf-8").replace("name: voip-amr-nb-ipv4", "name: mine")
NETWORK = ("10.0.0.0/8", "10.0.0.0/99", "an IPv4 network such as")
PORTS = ("[16384, 32766], dest", "[32766, 16384], dest", "an integer from 32766 to 65535 is expected here, not 16384")


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(GOOD.splitlines(), 1) if text in line)


@pytest.fixture(params=[NETWORK, PORTS], ids=["network", "ports"])
def wrong(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """A profile that only the engine can refuse, and how its complaint begins."""
    before, after, sentence = request.param
    path = tmp_path / "mine.yaml"
    assert GOOD.count(before) == 1
    path.write_text(GOOD.replace(before, after), encoding="utf-8")
    return str(path), f"mine.yaml:{line_of(before)}: /variants/0/headers/{{}}: {sentence}"


def complaint_of(wrong: tuple[str, str]) -> str:
    sentence = wrong[1]
    return sentence.format("0/source" if "network" in sentence else "1/source_ports/1")


def test_a_replay_tells_the_line(real_build: str, wrong: tuple[str, str]) -> None:
    with pytest.raises(EngineFailure) as caught:
        replay.run(replay_of(compressor="null", decompressor=None, source=wrong[0], packets=1, build=real_build))
    assert complaint_of(wrong) in str(caught.value) and "(at " not in str(caught.value)
    assert (caught.value.kind, caught.value.exit_code) == ("job", 2)


def test_a_load_tells_the_line(real_build: str, wrong: tuple[str, str]) -> None:
    with pytest.raises(EngineFailure) as caught:
        load.measure(load_of(compressor="null", decompressor="null", profile=wrong[0], build=real_build), 1)
    assert complaint_of(wrong) in str(caught.value)


def test_rendering_tells_the_line(real_build: str, wrong: tuple[str, str], tmp_path: Path) -> None:
    done = start("render", wrong[0], "-o", str(tmp_path / "x.pcap"), "--build", real_build)
    assert done.returncode == 2
    assert complaint_of(wrong) in " ".join(done.stderr.split())


def test_other_failures_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD, encoding="utf-8")
    for failure in (
        EngineFailure("job", "Wrong.", "/link/forward/loss"),
        EngineFailure("job", "Wrong.", "/source/profiles"),
        EngineFailure("crash", "Dead.", "/source/profile/title"),
    ):
        with pytest.raises(EngineFailure) as caught, profiles.located_by_line(str(path), "/source/profile"):
            raise failure
        assert caught.value is failure


def test_a_place_that_the_file_does_not_have_is_told_by_what_is_around_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD, encoding="utf-8")
    failure = EngineFailure("job", "Odd. (at …)", "/profile/variants/0/timing/no~1where", "Odd.")
    with pytest.raises(EngineFailure) as caught, profiles.located_by_line(str(path), "/profile"):
        raise failure
    assert str(caught.value).endswith(f"mine.yaml:{line_of('timing:')}: /variants/0/timing/no/where: Odd.")
