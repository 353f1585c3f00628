# SPDX-License-Identifier: Apache-2.0
"""Finding TRex, its server's settings, and the life of a server, with a stand-in for TRex."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.paths import ROOT
from headroom.testbed.trex.client import running
from headroom.testbed.trex.installation import Installation, find
from headroom.testbed.trex.server import (
    LATENCY_NOTE,
    Cores,
    Port,
    Server,
    TrexFailure,
    arguments,
    in_namespace,
    is_listening,
    messages,
    prepared,
    settings,
)
from headroom.tests.wire.fake_trex import install
from headroom.tests.wire.namespaces import ip, loop, needs_namespaces

PORTS = (Port("g0"), Port("g1"))


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return find({"TREX_ROOT": str(install(tmp_path / "trex"))})


@pytest.fixture
def place() -> Iterator[list[str]]:
    with loop() as name:
        yield in_namespace(name)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# -- finding it --------------------------------------------------------------------------------------------------------


def test_an_installation_and_its_version(installation: Installation) -> None:
    assert installation.version == "v3.08"
    assert installation.notes == []


def test_a_version_that_nobody_has_tried_is_noted(tmp_path: Path) -> None:
    assert "v3.08" in find({"TREX_ROOT": str(install(tmp_path / "trex", "v3.99"))}).notes[0]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda root: None, "works with version 3"),
        (lambda root: (root / "_t-rex-64").unlink(), "no _t-rex-64"),
        (lambda root: (root / "_t-rex-64").chmod(0o644), "does not run"),
        (lambda root: (root / "_t-rex-64").write_text("#!/bin/sh\necho segfault >&2\n"), "segfault"),
        (lambda root: (root / "external_libs").rmdir(), "no external_libs"),
    ],
)
def test_what_is_no_trex_is_refused_with_the_reason(tmp_path: Path, spoil, words: str) -> None:  # type: ignore[no-untyped-def]
    root = install(tmp_path / "trex", "v2.99")
    spoil(root)
    with pytest.raises(EnvironmentLacks, match=words):
        find({"TREX_ROOT": str(root)})


def test_without_trex_root(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentLacks, match="TREX_ROOT is not set"):
        find({})
    with pytest.raises(EnvironmentLacks, match="there is no _t-rex-64"):
        find({"TREX_ROOT": str(tmp_path)})


# -- settings ----------------------------------------------------------------------------------------------------------


def test_interfaces_get_rings_that_hold_a_burst() -> None:
    section = json.loads(settings([Port("g0", "02::1", "02::2"), Port("g1", "02::2", "02::1")], "here", None))[0]
    assert section["interfaces"][0] == "--vdev=net_af_packet0,iface=g0,blocksz=1048576,framesz=2048,framecnt=8192"
    assert section["interfaces"][1].startswith("--vdev=net_af_packet1,iface=g1,")
    assert section["low_end"] is True
    assert section["prefix"] == "here"
    assert section["port_info"][0] == {"src_mac": "02::1", "dest_mac": "02::2"}


def test_with_cores_of_its_own_one_receives() -> None:
    nics = [Port("0000:03:00.0", "a", "b"), Port("0000:03:00.1", "b", "a")]
    section = json.loads(settings(nics, "p", Cores(0, 1, (2, 3))))[0]
    assert section["interfaces"] == ["0000:03:00.0", "0000:03:00.1"]
    assert "low_end" not in section
    assert section["platform"]["latency_thread_id"] == 1
    assert section["platform"]["dual_if"] == [{"socket": 0, "threads": [2, 3]}]


def test_cards_take_what_is_for_others_and_need_no_software_mode() -> None:
    nics, interfaces = [Port("0000:03:00.0"), Port("0000:03:00.1")], [Port("g0"), Port("g1")]
    assert "--software" in arguments(interfaces, "stl")
    assert "--prom" in arguments(nics, "astf")
    assert {"--software", "--prom"}.isdisjoint(arguments(nics, "stl"))  # there, the client says so
    assert "--astf" in arguments(nics, "astf")


def test_cards_without_addresses_are_given_some() -> None:
    ports = prepared((Port("0000:03:00.0"), Port("0000:03:00.1")), ())
    assert [port.mac for port in ports] == ["02:48:52:00:00:00", "02:48:52:00:00:01"]
    assert [port.peer for port in ports] == ["02:48:52:00:00:01", "02:48:52:00:00:00"]
    assert prepared((Port("0000:03:00.0", "02::1"), Port("0000:03:00.1", "02::2")), ())[0].peer == "02::2"


def test_ports_come_in_pairs_of_one_kind() -> None:
    with pytest.raises(UsageError, match="pairs"):
        settings([Port("g0")], "p", None)
    with pytest.raises(UsageError, match="either"):
        settings([Port("g0"), Port("03:00.0")], "p", None)


# -- a server's life ---------------------------------------------------------------------------------------------------


@needs_namespaces
def test_a_server_runs_in_its_own_folder_and_leaves_nothing(installation: Installation, place: list[str]) -> None:
    with Server(installation, place, PORTS) as server:
        pid = int((installation.folder / "pid").read_text())
        assert alive(pid)
        words = json.loads((installation.folder / "arguments.json").read_text())
        assert words[:2] == ["-i", "--software"]
        section = json.loads((installation.folder / "settings.yaml").read_text())[0]
        assert section["port_info"][0]["dest_mac"] == section["port_info"][1]["src_mac"] == server.ports[1].mac
        assert Path("/var/run/dpdk", server.prefix).exists()
        folder = server.log.parent
        assert LATENCY_NOTE in server.notes
    assert not alive(pid)
    assert not folder.exists()
    assert not Path("/var/run/dpdk", server.prefix).exists()


@needs_namespaces
def test_its_interfaces_speak_no_ipv6(installation: Installation) -> None:
    with loop(ipv6=True) as name:
        show = ["ip", "-n", name, "-6", "addr", "show", "dev", "g0"]
        before = subprocess.run(show, capture_output=True, text=True).stdout
        with Server(installation, in_namespace(name), PORTS):
            assert "inet6" in before
            assert subprocess.run(show, capture_output=True, text=True).stdout == ""


@needs_namespaces
def test_one_server_a_namespace(installation: Installation, place: list[str]) -> None:
    with Server(installation, place, PORTS), pytest.raises(EnvironmentLacks, match="namespace of its own"):
        Server(installation, place, PORTS).start()


@needs_namespaces
def test_two_servers_side_by_side_share_nothing(installation: Installation, place: list[str]) -> None:
    with loop() as other, Server(installation, place, PORTS) as first:
        with Server(installation, in_namespace(other), PORTS) as second:
            assert first.prefix != second.prefix
            assert first.log != second.log
            assert all(Path("/var/run/dpdk", one.prefix).exists() for one in (first, second))
            assert alive(second.pid)
        assert not Path("/var/run/dpdk", second.prefix).exists()
        assert Path("/var/run/dpdk", first.prefix).exists()
        assert alive(first.pid)
        first.look()


@needs_namespaces
def test_its_ports_are_bound_in_its_own_namespace_alone(installation: Installation, place: list[str]) -> None:
    before = is_listening()
    with Server(installation, place, PORTS):
        assert is_listening(place)
        assert is_listening() == before


@needs_namespaces
def test_a_server_that_does_not_start_says_why(installation: Installation, place: list[str]) -> None:
    (installation.folder / "fail").touch()
    with pytest.raises(TrexFailure, match=r"exit status 3.*ERROR no such port"):
        Server(installation, place, PORTS).start()


@needs_namespaces
def test_interfaces_that_cannot_be_used_are_refused(installation: Installation, place: list[str]) -> None:
    with pytest.raises(EnvironmentLacks, match="no interface g7"):
        Server(installation, place, (Port("g0"), Port("g7"))).start()
    ip("-n", place[-1], "link", "set", "g1", "down")
    with pytest.raises(EnvironmentLacks, match=r"g1.*is down"):
        Server(installation, place, PORTS).start()
    ip("-n", place[-1], "link", "set", "g1", "up", "mtu", "9000")
    with pytest.raises(EnvironmentLacks, match="MTU of 9000"):
        Server(installation, place, PORTS).start()


def test_never_outside_of_a_namespace(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(UsageError, match="namespace of its own"):
        Server(installation, (), PORTS).start()


def test_without_root_it_says_so(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(EnvironmentLacks, match="root"):
        Server(installation, ("x",), PORTS).start()


@needs_namespaces
def test_a_crash_is_an_error_and_told_within_a_second(installation: Installation, place: list[str]) -> None:
    with running(place, PORTS, installation=installation) as driven:
        (installation.folder / "die").touch()
        began = time.monotonic()
        with pytest.raises(TrexFailure, match=r"SIGSEGV.*not a limit.*words: the last thing it did$"):
            driven.sleep(30)
        assert time.monotonic() - began < 2


BANNER = """set dpdk queues mode to ONE_QUE
zmq publisher at: tcp://*:4500
port : 0
------------
link         :  link : Link Up - speed 10000 Mbps - full-duplex
promiscuous  : 0
max cores for 2 ports   : 1
RX core uses TX queue number 65535 on all ports
core, c-port, c-queue, s-port, s-queue, lat-queue
------------------------------------------
1        0      0       1       0      0"""
CRASH = """Error: signal 11:

*** traceback follows ***

1       0x561b87ea028c /opt/trex/_t-rex-64(+0x32228c) [0x561b87ea028c]
2       0x7fad33aed545 abort + 101

*** addr2line information follows ***

??:0"""


@pytest.mark.parametrize(
    ("printed", "last"),
    [
        (BANNER, "zmq publisher at: tcp://*:4500"),
        (CRASH, "Error: signal 11:"),
        (f"{BANNER}\nERROR : port 0 is busy 5\n 2     1   0", "ERROR : port 0 is busy 5"),
        ("no more memory\n 1 2 3", "no more memory"),
    ],
)
def test_a_table_is_no_message(printed: str, last: str) -> None:
    lines = [line.strip() for line in printed.splitlines() if any(letter.isalnum() for letter in line)]
    assert messages(lines)[-1] == last


def test_rows_alone_say_nothing() -> None:
    assert messages(BANNER.splitlines()[-3:]) == []


@needs_namespaces
def test_who_is_killed_has_no_last_words(installation: Installation, place: list[str]) -> None:
    with Server(installation, place, PORTS) as server:
        os.kill(int((installation.folder / "pid").read_text()), signal.SIGKILL)
        deadline = time.monotonic() + 5
        with pytest.raises(TrexFailure, match=r"SIGKILL.*not a limit\.$"):
            while time.monotonic() < deadline:
                server.look()
                time.sleep(0.02)


@needs_namespaces
def test_a_crash_while_an_answer_is_waited_for(installation: Installation, place: list[str]) -> None:
    with running(place, PORTS, installation=installation) as driven:
        (installation.folder / "hang").touch()
        (installation.folder / "die").touch()
        with pytest.raises(TrexFailure, match="SIGSEGV"):
            driven.sleep(30)


@needs_namespaces
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_outlives_us(tmp_path: Path, installation: Installation, place: list[str], number: int) -> None:
    program = f"""
import sys, time
from headroom.testbed.trex.client import running
from headroom.testbed.trex.installation import find
from headroom.testbed.trex.server import Port
with running({place!r}, [Port("g0"), Port("g1")], installation=find({{"TREX_ROOT": {str(installation.folder)!r}}})):
    print("up", flush=True)
    time.sleep(60)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "resources")}
    ours = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment)
    assert ours.stdout is not None
    assert ours.stdout.readline() == "up\n"
    pid = int((installation.folder / "pid").read_text())
    ours.send_signal(number)
    ours.wait(20)

    def there() -> str:
        return subprocess.run(["ip", "netns", "pids", place[-1]], capture_output=True, text=True).stdout

    deadline = time.monotonic() + 20  # who ends the others ends last
    while (alive(pid) or there()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(pid)
    assert there() == ""
    left = Path("/var/run/dpdk", json.loads((installation.folder / "settings.yaml").read_text())[0]["prefix"])
    folders = list(Path(tempfile.gettempdir()).glob(f"headroom-trex-{ours.pid}-*"))
    assert bool(folders) == left.exists() == (number == signal.SIGKILL)
    with Server(installation, place, PORTS):  # tidies up what nobody could
        assert not left.exists()
        assert not any(folder.exists() for folder in folders)
