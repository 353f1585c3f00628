# SPDX-License-Identifier: Apache-2.0
"""Implementations that are container images: found, checked, and told of their channel in the words of the contract."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headroom.bench.throughput_search import Octets, octets_of
from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.implementations import find
from headroom.core.paths import ROOT
from headroom.keywords.forwarding import channel_of
from headroom.testbed import choice, containers, images
from headroom.testbed.compose import Compose
from headroom.testbed.line import Line, _Watch, line, node_job
from headroom.testbed.topology import Seat, allot, roles_of
from headroom.tests.runs import run_of

DIGEST = f"sha256:{'cd' * 32}"
YAML = f"""
name: acme
vendor: Acme
licence: proprietary
obtain: docker pull registry.example.com/acme/rohc-node
container: {{image: acme/rohc-node, digest: "{DIGEST}"}}
capabilities:
  - scheme: rohc
    roles: [compressor, decompressor]
    profiles: ["0x0000", "0x0001"]
    modes: [U, O]
    cids: [small, large]
    max_cid: 16383
"""


@pytest.fixture
def acme(tmp_path: Path) -> str:
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / "implementation.yaml").write_text(YAML)
    return str(folder)


@pytest.mark.long
def test_the_sources_that_the_engine_s_image_copies_can_be_configured(tmp_path: Path) -> None:
    """As Docker has them: without the tests and documents that .dockerignore leaves out."""
    left_out = shutil.ignore_patterns("*.md", "__pycache__", "corpus", "tests")
    stage = (ROOT / "docker" / "engine" / "Dockerfile").read_text().partition("RUN cmake")[0]
    for copied in re.findall(r"^COPY (.+)$", stage, re.MULTILINE):
        *sources, target = copied.split()
        place = tmp_path / target.removeprefix("/headroom/")
        for source in (ROOT / one for one in sources):
            if source.is_dir():
                shutil.copytree(source, place, ignore=left_out)
            else:
                place.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, place)
    words = ["cmake", "--preset", "gcc-O2", "-DHEADROOM_TESTS=OFF", "-DHEADROOM_WIRE=OFF"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_over_compose_it_is_an_image_and_elsewhere_it_cannot_be_driven(
    acme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert images.image_of(find("reference"), "compose") is None
    assert images.image_of(find(acme), "netns") is None
    found = images.image_of(find(acme), "compose")
    assert found is not None and (found.image, found.digest) == ("acme/rohc-node", DIGEST)
    with pytest.raises(EnvironmentLacks, match="acme is a container image, driven over --topology compose alone"):
        images.require(acme, "process", "gcc-O2")
    told: list[tuple[str, ...]] = []
    monkeypatch.setattr(containers, "require_image", lambda *words: told.append(words))
    images.require(acme, "compose", "gcc-O2")
    assert told == [("acme/rohc-node", DIGEST, "docker pull registry.example.com/acme/rohc-node")]
    with pytest.raises(UsageError, match="There is no implementation"):
        images.require("nobody", "compose", "gcc-O2")


def test_records_say_which_image_it_was(acme: str) -> None:
    said = images.identity(find(acme), "compose", "gcc-O2")
    assert (said["name"], said["version"], said["build"]) == ("acme", None, "acme/rohc-node")
    assert (said["sha256"], bool(said["reason"])) == ("cd" * 32, True)


def test_both_sides_are_told_of_the_same_profiles(acme: str) -> None:
    asked = run_of(compressor=acme, decompressor="reference", topology="compose")
    channel = channel_of(asked, "rohc", "O own", 101)
    words = channel.image_environment("compressor")
    assert words["HEADROOM_PROFILES"] == "0x0000,0x0001"
    assert (words["HEADROOM_MODE"], words["HEADROOM_CIDS"], words["HEADROOM_MAX_CID"]) == ("O", "large", "16383")
    assert json.loads(words["HEADROOM_CONFIG"]) == {
        "cids": "large",
        "max_cid": 16383,
        "mode": "O",
        "profiles": ["0x0000", "0x0001"],
    }
    assert (words["HEADROOM_FEEDBACK"], words["HEADROOM_TEST"]) == ("own", "forward")
    job = node_job(asked, "asked", channel, "decompressor")
    assert job["compressor"] == job["decompressor"], "it does both directions, as the image does"
    assert job["compressor"]["library"].endswith("reference.so")
    assert job["compressor"]["config"]["profiles"] == ["0x0000", "0x0001"]
    assert node_job(asked, "null")["compressor"]["library"].endswith("null.so"), "controls are ours"
    ours = run_of(topology="compose")
    assert "profiles" not in node_job(ours, "asked", channel_of(ours, "rohc", "U", 1))["compressor"]["config"]


class Made(Compose):
    """Containers that are not made: what would be started is noted."""

    def make(self) -> None:
        self.started: list[tuple[Any, ...]] = []
        for role in roles_of("full"):
            self.seats[role] = Seat(role, None, self._ports(role), self.allotment.cores[role])  # type: ignore[arg-type]

        class NobodyHere:
            def wait_until_ready(self) -> None: ...
            def close(self) -> None: ...

        self.crew = NobodyHere()  # type: ignore[assignment]

    def start(self, role: Any, command: str, job: dict[str, Any], ends_by_itself: bool = False) -> Any:
        self.started.append((role, command))

    def start_image(self, role: Any, image: str, channel: dict[str, str]) -> Any:
        self.started.append((role, image, channel["HEADROOM_MODE"]))


def test_an_image_takes_the_place_of_a_node(acme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Made] = []

    def make(topology: str, shape: str, cores: list[int], *rest: object) -> Made:
        made.append(Made("full", allot(roles_of("full"), cores, cores)))
        return made[-1]

    @contextmanager
    def nobody(*words: object) -> Any:
        yield None

    monkeypatch.setattr(choice, "make", make)
    monkeypatch.setattr("headroom.testbed.line.sender", nobody)
    asked = run_of(compressor="reference", decompressor=acme, topology="compose")
    with line(asked, [0], "asked", "voip-amr-nb-ipv6", 10, channel_of(asked, "rohc", "U", 10)):
        assert made[0].started == [("compressor", "node"), ("decompressor", "acme/rohc-node", "U"), ("link", "link")]
    with line(asked, [0], "null", "voip-amr-nb-ipv6", 10):
        assert [one[0:2] for one in made[1].started] == [
            ("compressor", "node"),
            ("decompressor", "node"),
            ("link", "link"),
        ]
    with (
        pytest.raises(choice.NotOnThisTopology, match=r"acme is a container image, which works on one core; .* for 2"),
        line(asked, [0, 1], "asked", "voip-amr-nb-ipv6", 10, channel_of(asked, "rohc", "U", 10)),
    ):
        pytest.fail("it has one core")


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"workers": None},
        {"workers": [], "rx_cores": 3},
        {"workers": [{"plain": 7}]},
        {"workers": [{"busy_cycles": "many"}], "uptime_ns": {}},
    ],
)
def test_an_image_that_tells_nothing_of_use_has_no_loads(odd: dict[str, Any]) -> None:
    """A wrong answer of a control socket costs the loads, and nothing else."""
    with Made("full", allot(roles_of("full"), [0], [0])) as made:
        watch = _Watch(Line(made, None, {"compressor": None, "decompressor": None}))  # type: ignore[arg-type,dict-item]
        for number in range(3):
            well = {"workers": [{"plain": {"received": {"packets": 50 * number}}, "busy_cycles": number,
                                 "total_cycles": 2 * number}], "uptime_ns": 100 * number}  # fmt: skip
            watch.looks.append(({"compressor": odd, "decompressor": well}, {}))
        found = {(load.role, load.source): (load.busy, load.reason) for load in watch.loads()}
        assert found["compressor", "busy_share"] == (None, "the compressor does not report it")
        assert found["decompressor", "busy_share"] == (0.5, "")
        assert found["decompressor", "thread_cpu"] == (None, "the decompressor does not report it")
        watch.looks = [({"compressor": odd, "decompressor": odd}, {})] * 3
        assert watch.loads() == []


def test_an_image_is_not_believed_how_well_it_compresses() -> None:
    counted = {"packets": 100, "octets": 6_000}
    worker = {"compressed": 100, "plain": {"received": counted}, "link": {"sent": counted | {"octets": 2_000}}}
    node: Any = SimpleNamespace(statistics=lambda: {"workers": [worker]})
    with Made("full", allot(roles_of("full"), [0], [0])) as made:
        line = Line(made, None, {"compressor": node})  # type: ignore[arg-type]
        assert octets_of(line) == Octets(46, 6)
        assert octets_of(replace(line, foreign=frozenset({"compressor"}))) is None


def test_a_receiving_core_has_a_load_of_its_own() -> None:
    with Made("full", allot(roles_of("full"), [1, 2], list(range(8)))) as made:
        watch = _Watch(Line(made, None, {"compressor": None}))  # type: ignore[arg-type,dict-item]
        for number in range(3):
            worker = {"plain": {"received": {"packets": 50 * number}}, "cpu_ns": 50 * number}
            told = {"rx_cores": [{"cpu_ns": 20 * number}], "workers": [worker], "uptime_ns": 100 * number}
            watch.looks.append(({"compressor": told}, {}))
        found = {(load.role, load.core): load.busy for load in watch.loads() if load.source == "thread_cpu"}
    assert found == {("compressor, receiving", 1): 0.2, ("compressor", 2): 0.5}
