# SPDX-License-Identifier: Apache-2.0
"""TRex in the generator's container: what is mounted, which paths it sees, how it ends; and a real one over Compose."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from headroom.core.engine_result import EngineFailure
from headroom.core.errors import EnvironmentLacks, HeadroomError
from headroom.core.paths import ROOT
from headroom.testbed import choice, containers
from headroom.testbed.compose import Compose, commands
from headroom.testbed.generator import STREAMS, TrexGenerator
from headroom.testbed.sender import sender, traffic
from headroom.testbed.topology import Role, allot, roles_of
from headroom.testbed.trex import container as trex_container
from headroom.testbed.trex.container import InContainer, mount, source_of, unmount
from headroom.testbed.trex.home import AGENT
from headroom.testbed.trex.installation import find
from headroom.testbed.trex.server import TrexFailure
from headroom.tests.runs import run_of
from headroom.tests.wire.fake_trex import install
from headroom.tests.wire.test_compose import cannot, docker, left, node

HELD = ROOT / "docker" / "engine" / "held"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return install(tmp_path / "src" / "scripts")


def services() -> dict[str, Any]:
    return yaml.safe_load(trex_container.FILE.read_text())["services"]


# -- what is mounted ---------------------------------------------------------------------------------------------------


def test_it_adds_to_the_generator_what_can_be_read_only() -> None:
    found = services()
    assert set(found) == {"generator"}
    generator = found["generator"]
    assert set(generator) == {"image", "volumes"}, "and no right more"
    assert generator["image"] == trex_container.IMAGE
    assert {one["target"] for one in generator["volumes"]} == {
        str(trex_container.MOUNTED),
        str(trex_container.EXCHANGE),
    }
    assert all(one["type"] == "bind" and one["read_only"] is True for one in generator["volumes"])


def test_a_release_is_mounted_by_itself(root: Path) -> None:
    mounted = mount({"TREX_ROOT": str(root)})
    try:
        assert (mounted.source, str(mounted.inside.folder)) == (root.resolve(), "/opt/trex")
        assert mounted.inside.version == "v3.08"
        assert mounted.variables == {"HEADROOM_TREX": str(root), "HEADROOM_EXCHANGE": str(mounted.exchange)}
        assert mounted.exchange.is_dir()
    finally:
        unmount(mounted)
    assert not mounted.exchange.exists()


def test_of_a_source_tree_what_its_links_name_is_mounted_too(root: Path) -> None:
    built = root.parent / "linux_dpdk" / "_t-rex-64"
    built.parent.mkdir()
    (root / "_t-rex-64").rename(built)
    (root / "_t-rex-64").symlink_to("../linux_dpdk/_t-rex-64")
    mounted = mount({"TREX_ROOT": str(root)})
    unmount(mounted)
    assert (mounted.source, str(mounted.inside.folder)) == (root.parent, "/opt/trex/scripts")


def test_links_that_lead_anywhere_are_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = root.parent.parent / "_t-rex-64"
    (root / "_t-rex-64").rename(elsewhere)
    (root / "_t-rex-64").symlink_to(elsewhere)
    with pytest.raises(EnvironmentLacks, match="Set TREX_ROOT to an unpacked release"):
        source_of(find({"TREX_ROOT": str(root)}))
    monkeypatch.setenv("TREX_ROOT", str(root))
    assert choice.trex_lacks() == ""
    assert "links that lead out" in choice.trex_lacks("compose")


def test_files_are_handed_over(root: Path, tmp_path: Path) -> None:
    mounted = mount({"TREX_ROOT": str(root)})
    try:
        home = InContainer("nobody", 0, mounted)
        ours = trex_container.OURS
        assert home.seen(AGENT) == str(ours / "resources/trex/agent.py")
        assert home.seen(STREAMS) == str(ours / "traffic-profiles/trex/voip_flow_pairs.py")
        assert home.seen(tmp_path / "build" / "bin" / "headroom-engine") == str(ours / "bin/headroom-engine")
        theirs = tmp_path / "mine.yaml"
        for text in ("one", "two"):
            theirs.unlink(missing_ok=True)
            theirs.write_text(text)
            assert home.seen(theirs) == "/exchange/mine.yaml"
            assert (mounted.exchange / "mine.yaml").read_text() == text
        assert [path.name for path in mounted.exchange.iterdir()] == ["mine.yaml"]
    finally:
        unmount(mounted)


def test_a_dry_run_says_what_is_added() -> None:
    plain, with_trex = commands(), commands(True)
    assert not any("trex" in line for line in plain)
    assert any("-f docker/compose.yaml -f docker/compose.trex.yaml up" in line for line in with_trex)
    assert any("_t-rex-64" in line for line in with_trex)


def test_the_image_is_needed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from headroom.testbed import compose

    monkeypatch.setattr(compose, "lacks", lambda: "")
    monkeypatch.setattr(containers, "image", lambda name: {} if name == trex_container.IMAGE else {"Id": "sha256:1"})
    made = Compose("full", allot(roles_of("full"), [0], [0]), with_trex=True)
    with pytest.raises(EnvironmentLacks, match=r"headroom/generator:latest is not on this machine.*docker/build"):
        made.make()


# -- how it ends -------------------------------------------------------------------------------------------------------

has_perl = pytest.mark.skipif(shutil.which("perl") is None, reason="there is no perl here")


def held(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([HELD, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@has_perl
@pytest.mark.parametrize(
    ("script", "status"), [("exit 0", 0), ("exit 7", 7), ("kill -SEGV $$", 139), ("kill -KILL $$", 137)]
)
def test_who_is_held_ends_as_the_program_does(script: str, status: int) -> None:
    process = held("/bin/sh", "-c", script)
    assert process.wait(20) == status
    process.communicate()


@has_perl
def test_who_is_let_go_of_is_asked_to_end() -> None:
    process = held("/bin/sh", "-c", "trap 'echo closed; exit 3' INT; echo ready; while :; do sleep 0.05; done")
    assert process.stdout is not None and process.stdin is not None
    assert process.stdout.readline() == b"ready\n"
    assert process.poll() is None
    process.stdin.close()
    assert process.stdout.read() == b"closed\n"
    assert process.wait(20) == 3
    process.stdout.close()


@has_perl
def test_who_does_not_hear_is_killed() -> None:
    process = held("/bin/sh", "-c", "trap '' INT; echo ready; while :; do sleep 0.05; done")
    assert process.stdout is not None and process.stdin is not None
    assert process.stdout.readline() == b"ready\n"
    process.stdin.close()
    assert process.wait(40) == 128 + signal.SIGKILL
    process.stdout.close()


@has_perl
def test_who_is_not_there_is_named() -> None:
    process = held("/nowhere/_t-rex-64")
    assert process.stderr is not None
    assert b"/nowhere/_t-rex-64 cannot be started: No such file" in process.stderr.read()
    assert process.wait(20) not in (0, None)
    process.communicate()


@pytest.mark.parametrize(
    ("code", "sentence"),
    [(0, "ended with exit status 0"), (3, "ended with exit status 3"), (139, "died from SIGSEGV"), (-9, "SIGKILL")],
)
def test_how_a_server_ended(root: Path, monkeypatch: pytest.MonkeyPatch, code: int, sentence: str) -> None:
    state = {"State": {"Running": True}}
    monkeypatch.setattr(containers, "is_daemon_up", lambda: True)
    monkeypatch.setattr(containers, "inspect", lambda container: state)
    mounted = mount({"TREX_ROOT": str(root)})
    unmount(mounted)
    home = InContainer("nobody", 0, mounted)
    assert sentence in home.how_it_ended(code)
    state["State"]["Running"] = False
    assert "the generator's container does not run any more" in home.how_it_ended(code)
    monkeypatch.setattr(containers, "is_daemon_up", lambda: False)
    assert "the Docker daemon does not answer" in home.how_it_ended(code)


# -- a real one --------------------------------------------------------------------------------------------------------

lacking = cannot or choice.trex_lacks("compose")
with_both = pytest.mark.skipif(bool(lacking), reason=lacking or "Docker and TRex")
ASKED = run_of(generator="trex", topology="compose")


@contextmanager
def wired(nodes: tuple[Role, ...] = ()) -> Iterator[Compose]:
    """The link in a container, nodes in others, and a generator with TRex. Without both nodes, nothing arrives."""
    with choice.make("compose", "full", [0], "gcc-O2", "trex") as made:
        assert isinstance(made, Compose)
        ports = made.seats["link"].ports
        made.start("link", "link", {"a": ports["a"].as_job(), "b": ports["b"].as_job(), "core": 0})
        for role in nodes:
            node(made, role)
        made.crew.wait_until_ready(60)
        yield made
    assert left(made.project) == []
    assert made.mounted is not None and not made.mounted.exchange.exists()


def servers(made: Compose) -> list[int]:
    """TRex's processes in the generator's container, by the numbers that they have on this machine."""
    lines = docker("top", made.made["generator"].id, "-o", "pid,comm").splitlines()[1:]
    return [int(line.split()[0]) for line in lines if line.split()[1].startswith("_t-rex-64")]


@with_both
def test_what_trex_sends_over_containers_arrives_as_rendered(real_build: str) -> None:
    nodes: tuple[Role, ...] = ("compressor", "decompressor")
    with wired(nodes) as made, sender(ASKED, made, "voip-amr-nb-ipv6", flows=5) as generator:
        assert isinstance(generator, TrexGenerator)
        trial = generator.compared(200, 1.0)
        assert all(way.compared and way.unexpected == 0 and way.received > 0 for way in trial.directions)
        assert generator.trial(200, 1.0).forward.latency is not None
        said = traffic(made, trial)
        assert (said["generator"]["name"], said["generator"]["version"]) == ("trex", find().version)
        assert said["topology"]["name"] == "compose"
        pids = servers(made)
        assert pids
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


FAULTS: dict[str, tuple[str, str]] = {
    "the server dies": ("", "The TRex server died from SIGKILL"),
    "the server stands still": ("", "The TRex server does nothing any more: it has been stopped"),
    "the container dies": (
        "generator",
        r"The TRex server is gone: the generator's container|The generator \(.*SIGKILL",
    ),
    "the link dies": ("link", r"The link \(.*SIGKILL"),
}


@with_both
@pytest.mark.parametrize("fault", FAULTS)
def test_what_ends_a_trial_is_an_error_with_its_cause(real_build: str, fault: str) -> None:
    role, sentence = FAULTS[fault]
    with (
        pytest.raises(HeadroomError, match=sentence) as caught,
        wired() as made,
        sender(ASKED, made, "voip-amr-nb-ipv6", flows=5) as generator,
    ):
        if role:
            subprocess.Popen(["docker", "kill", made.made[role].id], stdout=subprocess.DEVNULL)  # type: ignore[index]
        else:
            os.kill(servers(made)[0], signal.SIGSTOP if "still" in fault else signal.SIGKILL)
        generator.trial(200, 120.0)  # which nobody waits for
    assert isinstance(caught.value, (EngineFailure, TrexFailure))
    assert caught.value.verdict == "error"
