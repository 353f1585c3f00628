# SPDX-License-Identifier: Apache-2.0
"""Testbed files: refused with their line, planned command by command, and done by an `ssh` that stays here."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
from functools import partial
from pathlib import Path

import pytest

from headroom.core.engine_result import EngineFailure
from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.paths import ROOT
from headroom.testbed import remote, testbed
from headroom.testbed.topology import Allotment, with_libraries
from headroom.tests.wire.test_processes import gone

EXAMPLE = ROOT / "resources" / "testbeds" / "example.yaml"


def written(tmp_path: Path, old: str = "", new: str = "") -> Path:
    """The example with one change."""
    text = EXAMPLE.read_text()
    assert text.count(old) >= 1
    path = tmp_path / "mine.yaml"
    path.write_text(text.replace(old, new, 1))
    return path


def test_the_example_is_valid() -> None:
    bed = testbed.load(EXAMPLE)
    assert bed.shape == "full"
    assert bed.host_of("link").address == "192.0.2.17"
    assert bed.cards(bed.hosts["traffic"]) == ["0000:17:00.0", "0000:17:00.1"]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("host: node-b,", "host: node-c,", "/roles/decompressor/host: there is no host 'node-c'; there are traffic"),
        (
            "host: node-b,",
            "host: node-a,",
            "decompressor/ports/plain: the card 0000:65:00.0 of node-a is that of the c",
        ),
        (
            'b: "0000:03:00.1"',
            'b: "0000:03:00.0"',
            "/ports/b: the card 0000:03:00.0 of impairment is that of the link already",
        ),
        ('"0000:03:00.1"', '"03:00.1"', "/roles/link/ports/b: '03:00.1' does not match"),
        ("cores: [2]}", "cores: [2, 2]}", "/roles/link/cores: [2, 2] has non-unique elements"),
        ("cores: [2, 3]}", "cores: [2, 3, 4]}", "/roles/decompressor/cores: 2 cores, but the compressor has 3"),
        ("driver: vfio-pci", "driver: e1000", "'e1000' is not one of"),
        ("hugepages: {count: 2048}", "hugepages: {size_kb: 2048}", "'count' is a required property"),
        ("user: root", "user: root; reboot", "'root; reboot' does not match"),
        ("address: node-a", "address: -oProxyCommand=x", "does not match"),
        ("headroom: /opt/headroom", "headroom: /opt/$(reboot)", "does not match"),
        ("address: 192.0.2.17", 'address: "192.0.2.17\\n"', "'192.0.2.17\\n' does not match"),
        (
            "address: node-b.example.net",
            "address: node-a.example.net",
            "/hosts/node-b: the address node-a.example.net is that of node-a already",
        ),
        ("  link: {host", "  lnk: {host", "'lnk' is not known here; 'link' is meant?"),
        ("name: rack-1", "nam: rack-1", "'nam' is not known here; 'name' is meant?"),
        ("plain: ", "plane: ", "'plain' is a required property"),
        (
            '"0": "0000:17:00.0"',
            '"0": 0000:17:00.0',
            'ports/0: this is read as the number 1020, and text is needed: put it in quotes, such as "0000:17:00.0"',
        ),
        ('"0": "0000:17:00.0"', '"0": ', '/ports/0: nothing stands here; text is needed, such as "0000:17:00.0"'),
        ('"0": "0000:17:00.0"', '"0": eth0', "/ports/0: 'eth0' does not match; it has to look like 0000:17:00.0"),
        ("generator: {host", "generator:  # {host", "/roles/generator: nothing stands here; a mapping, such as `name:"),
        (
            "cores: [2, 3, 4]",
            "cores: 2",
            "/roles/generator/cores: '2' stands here, where a list, such as `[one, two]`,",
        ),
        (
            "ports: {plain: ",
            "ports: [x], p: {plain: ",
            "/compressor/ports: a list stands here, where a mapping, such as",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=re.escape(sentence)) as caught:
        testbed.load(written(tmp_path, old, new))
    line = int(re.match(r".*mine\.yaml:(\d+): ", str(caught.value))[1])  # type: ignore[index]
    assert 1 <= line <= len(EXAMPLE.read_text().splitlines())


def test_the_line_is_that_of_the_mistake(tmp_path: Path) -> None:
    path = written(tmp_path, 'b: "0000:03:00.1"', 'b: "03:00.1"')
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if '"03:00.1"' in text)
    with pytest.raises(UsageError, match=rf"mine\.yaml:{line}: "):
        testbed.load(path)


def test_every_command_is_planned_with_its_host_and_undone_in_the_opposite_order() -> None:
    lines = testbed.commands(testbed.load(EXAMPLE), "gcc-O2")
    assert all("flock" in line for line in lines[:4]), "one for each host"
    assert lines[4] == "ssh root@traffic.example.net: test -x /opt/headroom/build/gcc-O2/bin/headroom-engine-wire"
    assert all(re.match(r"ssh \S+@\S+: \S", line) for line in lines)
    pool = "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages"
    assert f"ssh bench@node-a.example.net: echo 4 | sudo -n tee {pool} > /dev/null" in lines
    for command in ("generate", "link", "node"):
        started = [line for line in lines if f"headroom-engine {command} --job -" in line]
        assert len(started) == (2 if command == "node" else 1)
    bound = [line.split()[-1].rstrip("'") for line in lines if "--bind=vfio-pci" in line]
    back = [re.search(r"--unbind (\S+);", line)[1] for line in lines if "--unbind" in line]  # type: ignore[index]
    assert len(bound) == 8
    assert back == bound[::-1]


def test_with_trex_the_generator_is_trex_and_its_settings_are_shown() -> None:
    lines = testbed.commands(testbed.load(EXAMPLE), generator="trex")
    here = "ssh root@traffic.example.net: "
    assert not [line for line in lines if "headroom-engine generate" in line]
    assert not [line for line in lines if "headroom-generator.pid" in line]
    written = next(line for line in lines if "trex.yaml" in line)
    section = json.loads(written.partition("'")[2].rpartition("'")[0])[0]
    assert section["interfaces"] == ["0000:17:00.0", "0000:17:00.1"]
    assert section["platform"]["dual_if"] == [{"socket": 0, "threads": [4]}]
    assert (section["platform"]["master_thread_id"], section["platform"]["latency_thread_id"]) == (2, 3)
    assert section["port_info"][0]["dest_mac"] == section["port_info"][1]["src_mac"] != ""
    server = next(line for line in lines if "_t-rex-64" in line)
    assert server.startswith(f"{here}cd $TREX_ROOT && ip netns exec hr-<run>-gen ./_t-rex-64 -i ")
    assert "--software" not in server, "cards have drivers of their own"
    assert written.rpartition("> ")[2] in server
    made, gone = (lines.index(f"{here}ip netns {what}") for what in (
        "add hr-<run>-gen && ip -n hr-<run>-gen link set lo up", "del hr-<run>-gen",
    ))  # fmt: skip
    assert made < lines.index(written) < lines.index(server) < gone


def test_what_belongs_to_root_is_done_as_root() -> None:
    lines = [line for line in testbed.commands(testbed.load(EXAMPLE)) if remote.FOLDER in line and "bench@" in line]
    assert len(lines) == 2 * (2 * 2 + 2), "each card there and back, each node started and stopped"
    assert all(re.match(r"ssh bench@\S+: sudo -n sh -c '", line) for line in lines)


@pytest.fixture
def rack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All hosts are this machine: an `ssh` that runs its line here, and stand-ins for what would change the machine."""
    programs = tmp_path / "programs"
    programs.mkdir()
    log = tmp_path / "log"
    scripts = {
        "ssh": 'while [ "$1" = -o ]; do shift 2; done; shift; exec sh -c "$*"',
        "modprobe": f'echo "modprobe $*" >> {log}',
        "dpdk-devbind.py": f'echo "bind $*" >> {log}; [ ! -e {tmp_path}/no-$2 ]',
        "sudo": '[ "$1" = -n ] || exit 9; shift; exec "$@"',
    }
    for name, script in scripts.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    headroom = tmp_path / "headroom"
    engine = headroom / "build" / "gcc-O2" / "bin" / "headroom-engine"
    engine.parent.mkdir(parents=True)
    engine.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).with_name("fake_node.py")} "$@"\n')
    engine.chmod(0o755)
    shutil.copy(engine, engine.with_name("headroom-engine-wire"))
    (headroom / "docker").symlink_to(ROOT / "docker")
    for pci in ("0000:17:00.0", "0000:17:00.1", "0000:65:00.0", "0000:65:00.1", "0000:03:00.0", "0000:03:00.1"):
        card = tmp_path / "pci" / pci
        card.mkdir(parents=True)
        if pci != "0000:03:00.1":
            (card / "driver").symlink_to("/somewhere/drivers/ice")
    for size in ("2048", "1048576"):
        (tmp_path / "pages" / f"hugepages-{size}kB").mkdir(parents=True)
    monkeypatch.setattr(testbed, "SYSFS", str(tmp_path / "pci"))
    monkeypatch.setattr(testbed, "HUGEPAGES", str(tmp_path / "pages"))
    monkeypatch.setattr(remote, "FOLDER", str(tmp_path / "run"))  # not there yet, as after a boot
    path = tmp_path / "rack.yaml"
    path.write_text(EXAMPLE.read_text().replace("/opt/headroom", str(headroom)))
    return path


def topology(path: Path) -> testbed.Testbed:
    return testbed.Testbed("full", Allotment({}), bed=testbed.load(path))


def test_a_run_prepares_starts_asks_stops_and_undoes(rack: Path) -> None:
    log = rack.parent / "log"
    with topology(rack) as made:
        assert made.seats["compressor"].ports["plain"].as_job() == {"pci": "0000:65:00.0"}
        assert made.seats["compressor"].cores == (2, 3)
        assert made.describe()["name"] == "rack-1"
        prepared = log.read_text().splitlines()
        assert prepared.count("bind --bind=vfio-pci 0000:17:00.0") == 1
        library = f"{ROOT}/build/gcc-O2/lib/reference.so"
        node = made.start("compressor", "node", {"compressor": {"library": library}})
        link = made.start("link", "link", {})
        made.crew.wait_until_ready()
        assert node.statistics()["statistics"] is True
        for side in ("decompressor", "endpoint"):
            moved = with_libraries(
                {side: {"library": library}}, partial(testbed.on_host, made.bed.host_of("compressor"))
            )
            assert moved[side]["library"] == f"{rack.parent}/headroom/build/gcc-O2/lib/reference.so"
        document = made.crew.stop(node)
        assert document["command"] == "node"
        assert document["job"]["compressor"]["library"] == f"{rack.parent}/headroom/build/gcc-O2/lib/reference.so"
        pid = link.statistics()["pid"]
    assert gone([pid])
    undone = log.read_text().splitlines()[len(prepared) :]
    assert undone[-2:] == ["bind --bind=ice 0000:17:00.1", "bind --bind=ice 0000:17:00.0"]
    assert "bind --unbind 0000:03:00.1" in undone, "it had no driver before"
    assert len(undone) == 8
    assert not list((rack.parent / "run").iterdir()), "no socket, number or driver"


def test_what_fails_on_a_host_is_told_and_undone(rack: Path) -> None:
    (rack.parent / "no-0000:03:00.1").touch()
    with pytest.raises(EnvironmentLacks, match=r"^impairment: `.*0000:03:00\.1'` failed with status 1"), topology(rack):
        pytest.fail("it cannot be made")
    bound = [line for line in (rack.parent / "log").read_text().splitlines() if "--bind=ice" in line]
    assert len(bound) == 5


def test_a_host_without_an_engine(rack: Path) -> None:
    (rack.parent / "headroom/build/gcc-O2/bin/headroom-engine-wire").unlink()
    with pytest.raises(EnvironmentLacks, match=r"traffic: `test -x .*headroom-engine-wire` failed"), topology(rack):
        pytest.fail("it cannot be made")


def test_a_death_on_a_host_is_heard_with_its_cause(rack: Path) -> None:
    with topology(rack) as made:
        node = made.start("decompressor", "node", {})
        made.crew.wait_until_ready()
        os.kill(node.statistics()["pid"], signal.SIGKILL)
        with pytest.raises(EngineFailure, match=r"The decompressor .* in node-b\): .*SIGKILL"):
            made.crew.attend(10)


def test_a_connection_that_is_lost(rack: Path) -> None:
    script = rack.parent / "programs" / "ssh"
    script.write_text(
        script.read_text().replace("exec sh -c", 'case "$*" in *"--job -"*) exit 255 ;; esac; exec sh -c')
    )
    with topology(rack) as made:
        made.start("link", "link", {})
        with pytest.raises(EngineFailure, match=r"the connection to impairment \(root@192\.0\.2\.17\) was lost"):
            made.crew.attend(10)


def test_two_runs_do_not_share_a_host(rack: Path) -> None:
    sentence = r"The lock of \S+ \(ssh in \S+\) ended with exit status 1 .*: another run works on this host"
    with topology(rack) as made:
        made.start("link", "link", {})
        made.crew.wait_until_ready()
        bound = (rack.parent / "log").read_text()
        with pytest.raises(EngineFailure, match=sentence), topology(rack):
            pytest.fail("it cannot be made")
        made.crew.check()
        assert (rack.parent / "log").read_text() == bound
    with topology(rack):
        pass


def test_a_shape_that_is_not_cabled(rack: Path) -> None:
    made = testbed.Testbed("loop", Allotment({}), bed=testbed.load(rack))
    with pytest.raises(EnvironmentLacks, match="is cabled as 'full', not as 'loop'"), made:
        pytest.fail("it cannot be made")
