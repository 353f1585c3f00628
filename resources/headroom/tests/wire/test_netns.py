# SPDX-License-Identifier: Apache-2.0
"""Namespaces and veth pairs: what they carry, and that they go, whatever ends the run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from headroom.core.engine_result import EngineFailure
from headroom.core.errors import EnvironmentLacks
from headroom.testbed import interfaces, netns, runs
from headroom.testbed.netns import Netns
from headroom.testbed.topology import SHAPES, allot, roles_of
from headroom.tests.wire.conftest import remove_left
from headroom.tests.wire.test_processes import gone

cannot = netns.probe()
root = pytest.mark.skipif(bool(cannot), reason=cannot or "root")
HEADROOM_TYPE = b"\x22\xf1"  # what nothing else on a machine sends


pytestmark = pytest.mark.usefixtures("state")  # of conftest.py


def topology(shape: str = "full", build: str = "gcc-O2") -> Netns:
    return Netns(shape, allot(roles_of(shape), [0], [0]), build)


def namespaces(run: str) -> list[str]:
    return sorted(path.name for path in interfaces.NAMESPACES.glob(f"hr-{run}-*"))


def listen(namespace: str, name: str) -> socket.socket:
    def work() -> socket.socket:
        found = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0003))
        found.bind((name, 0))
        found.settimeout(30)
        return found

    return interfaces.inside(namespace, work)


@root
@pytest.mark.parametrize("shape", SHAPES)
def test_each_wire_carries_frames_both_ways_and_nothing_else(shape: str) -> None:
    with topology(shape) as made:
        sockets = {
            (role, name): listen(seat.place.name, port.interface)
            for role, seat in made.seats.items()
            for name, port in seat.ports.items()
        }
        for wire in SHAPES[shape]:
            for sender, receiver in ((wire.one, wire.other), (wire.other, wire.one)):
                frame = b"\xff" * 6 + b"\x02\x48\x52\x00\x00\x09" + HEADROOM_TYPE + os.urandom(wire.mtu)
                sockets[sender].send(frame)
                assert sockets[receiver].recv(4096) == frame, f"{sender} to {receiver}"
        for end in sockets.values():
            end.settimeout(0)
            strays = []
            try:
                while True:
                    strays.append(end.recv(4096))
            except BlockingIOError:
                pass
            assert [frame for frame in strays if frame[12:14] != HEADROOM_TYPE] == []
            end.close()


@root
def test_interfaces_are_the_same_in_every_run() -> None:
    with topology() as made:
        seat = made.seats["compressor"]
        names = {name: (port.interface, port.mac) for name, port in seat.ports.items()}
        assert names == {"plain": ("plain", "02:48:52:00:01:00"), "link": ("link", "02:48:52:00:01:01")}
        assert not any(interfaces.inside(seat.place.name, lambda: interfaces.offloads("plain")).values())
        conf = Path("/proc/sys/net/ipv6/conf/plain/disable_ipv6")
        forwarding = Path("/proc/sys/net/ipv4/conf/plain/forwarding")
        assert interfaces.inside(seat.place.name, forwarding.read_text).strip() == "0"
        if conf.parent.parent.exists():
            assert interfaces.inside(seat.place.name, conf.read_text).strip() == "1"


@root
def test_nothing_is_left(state: Path) -> None:
    with topology() as made:
        assert namespaces(made.run) == sorted(f"hr-{made.run}-{name}" for name in ("gen", "a", "link", "b"))
        run = made.run
    assert namespaces(run) == []
    assert list(state.iterdir()) == []


@root
def test_an_error_leaves_nothing_either(state: Path) -> None:
    with pytest.raises(ZeroDivisionError), topology() as made:
        run = made.run
        raise ZeroDivisionError
    assert namespaces(run) == []
    assert list(state.iterdir()) == []


@root
def test_a_making_that_fails_leaves_nothing(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(names: object) -> None:
        raise EnvironmentLacks("no more of that")

    monkeypatch.setattr(interfaces, "without_offloads", fail)
    made = topology()
    with pytest.raises(EnvironmentLacks, match="no more of that"), made:
        pytest.fail("it cannot be made")
    assert made.run
    assert namespaces(made.run) == []
    assert list(state.iterdir()) == []


@root
def test_what_still_runs_in_a_namespace_is_ended() -> None:
    with topology("loop") as made:
        words = made.seats["generator"].place.words
        stray = subprocess.Popen([*words, "sleep", "600"], start_new_session=True)
        time.sleep(0.2)
    assert stray.wait(5) == -signal.SIGKILL
    assert namespaces(made.run) == []


@root
def test_a_node_runs_in_its_namespace_and_its_death_is_heard(node_build: str) -> None:
    with topology("full", node_build) as made:
        node = made.start("compressor", "node", {})
        other = made.start("decompressor", "node", {})
        made.crew.wait_until_ready()
        assert node.statistics()["statistics"] is True
        inode = (interfaces.NAMESPACES / made.seats["compressor"].place.name).stat().st_ino
        assert Path(f"/proc/{node.process.pid}/ns/net").stat().st_ino == inode
        os.kill(node.process.pid, signal.SIGKILL)
        began = time.monotonic()
        with pytest.raises(EngineFailure, match=rf"compressor .* in hr-{made.run}-a\): .* died from SIGKILL"):
            made.crew.attend(30)
        assert time.monotonic() - began < 1.0
    assert gone([other.process.pid])
    assert namespaces(made.run) == []


def caller(state: Path, build: str) -> tuple[subprocess.Popen[str], str, list[int]]:
    """Another process that has made a topology and waits; its run, and the processes that it has started."""
    code = textwrap.dedent(f"""
        from pathlib import Path
        from headroom.core import process_group
        from headroom.testbed import netns, runs
        from headroom.testbed.topology import allot, roles_of
        runs.state_folder = lambda: Path({str(state)!r})
        allotted = allot(roles_of("full"), [0], [0])
        with process_group.tidy_when_terminated(), netns.Netns("full", allotted, {build!r}) as made:
            pids = [made.start(role, "node", {{}}).process.pid for role in ("compressor", "decompressor")]
            made.crew.wait_until_ready()
            print(made.run, *pids, flush=True)
            made.crew.attend(60)
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
    )
    assert process.stdout is not None
    run, *pids = process.stdout.readline().split()
    process.stdout.close()
    return process, run, [int(pid) for pid in pids]


@pytest.fixture
def another(state: Path, node_build: str) -> Iterator[tuple[subprocess.Popen[str], str, list[int]]]:
    process, run, pids = caller(state, node_build)
    yield process, run, pids
    process.kill()
    process.wait(20)
    netns.remove_dead()


@root
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_interrupted_leaves_nothing(
    another: tuple[subprocess.Popen[str], str, list[int]], number: signal.Signals
) -> None:
    process, run, pids = another
    assert len(namespaces(run)) == 4
    process.send_signal(number)
    process.wait(20)
    assert namespaces(run) == []
    assert gone(pids)


@root
def test_a_second_run_removes_what_a_killed_one_left_and_nothing_else(
    another: tuple[subprocess.Popen[str], str, list[int]], state: Path
) -> None:
    process, run, pids = another
    with topology() as mine:
        assert len(namespaces(run)) == 4, "their owner runs"
        assert len(namespaces(mine.run)) == 4
        process.kill()
        process.wait(20)
        assert gone(pids), "the kernel has ended its processes"
        assert len(namespaces(run)) == 4, "nobody was left to remove them"
        with topology("loop"):
            assert namespaces(run) == []
            assert len(namespaces(mine.run)) == 4
    assert list(state.iterdir()) == []


@root
def test_what_a_killed_session_of_tests_left_goes_with_the_next_one(
    another: tuple[subprocess.Popen[str], str, list[int]], state: Path
) -> None:
    process, run, _ = another
    remove_left(state.parent)
    assert len(namespaces(run)) == 4, "their owner runs"
    process.kill()
    process.wait(20)
    remove_left(state.parent)
    assert namespaces(run) == []
    assert state.is_dir(), "this session goes on"


@root
def test_a_reused_process_id_does_not_protect(state: Path) -> None:
    with topology("loop") as made:
        path = state / made.run / "state.json"
        said = json.loads(path.read_text())
        assert netns.remove_dead() == []
        path.write_text(json.dumps(said | {"started": said["started"] - 1}))
        assert netns.remove_dead() == [made.run]
        assert namespaces(made.run) == []


@root
@pytest.mark.parametrize("text", ["", "{", '{"pid": 1}', "[]"])
def test_a_state_that_is_not_whole_is_that_of_a_dead_run(state: Path, text: str) -> None:
    (state / "abcdef").mkdir(parents=True)
    (state / "abcdef" / "state.json").write_text(text)
    assert netns.remove_dead() == ["abcdef"]


@root
def test_a_state_names_only_namespaces_of_its_own_run(state: Path) -> None:
    with topology("loop") as made:
        (state / "abcdef").mkdir()
        said = {"pid": 1, "started": -1, "boot": "", "kind": "netns", "things": [f"hr-{made.run}-gen", "../../etc"]}
        (state / "abcdef" / "state.json").write_text(json.dumps(said))
        assert netns.remove_dead() == ["abcdef"]
        assert namespaces(made.run) == [f"hr-{made.run}-gen"]


@root
def test_a_folder_of_another_user_is_not_trusted(state: Path) -> None:
    state.mkdir()
    os.chown(state, 12345, 12345)
    with pytest.raises(EnvironmentLacks, match="belongs to another user"):
        netns.remove_dead()


def test_without_root_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(EnvironmentLacks, match="need root: run it as root"), topology():
        pytest.fail("it cannot be made")


def test_without_ip_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert netns.lacks() == "Network namespaces need the program ip: apt-get install iproute2."


@root
def test_what_ip_says_is_told() -> None:
    with pytest.raises(EnvironmentLacks, match=r"`ip link add x type frobnicate` failed: .*Unknown device type"):
        netns.run_ip("link add x type frobnicate")
    with pytest.raises(EnvironmentLacks, match="cannot be entered: No such file"):
        interfaces.inside("hr-nobody", lambda: None)


@root
def test_a_namespace_alone_has_its_loopback_and_nothing_else() -> None:
    with netns.alone() as place:
        name = place.name
        shown = subprocess.run([*place.words, "ip", "-j", "link"], capture_output=True, text=True, check=True).stdout
        assert [(one["ifname"], "UP" in one["flags"]) for one in json.loads(shown)] == [("lo", True)]
        assert runs.remove_dead("netns", lambda run, things: pytest.fail("it lives")) == []
    assert not (interfaces.NAMESPACES / name).exists()
    assert list(runs.state_folder().iterdir()) == []


@root
def test_a_namespace_alone_goes_with_what_runs_in_it() -> None:
    with pytest.raises(KeyboardInterrupt), netns.alone() as place:
        left = subprocess.Popen([*place.words, "sh", "-c", "echo there; exec sleep 600"], stdout=subprocess.PIPE)
        assert left.stdout is not None
        left.stdout.readline()  # before, it may not have entered the namespace
        raise KeyboardInterrupt
    assert left.wait(60) == -signal.SIGKILL
    left.stdout.close()
    assert not (interfaces.NAMESPACES / place.name).exists()
