# SPDX-License-Identifier: Apache-2.0
"""Topology and generator as a user asks for them: words, settings, records, and what a machine lacks."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.machine import topology as cpus
from headroom.core.paths import ROOT
from headroom.core.results.record import in_process
from headroom.core.settings import Settings
from headroom.core.yamlfile import violations
from headroom.report.traffic_section import traffic
from headroom.testbed import choice, containers, doctor, netns, testbed
from headroom.tests.command_line import start
from headroom.tests.sample import record

pytestmark = pytest.mark.slow

EXAMPLE = "resources/testbeds/example.yaml"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--topology", "nets"], "There is no topology 'nets'; there are process, netns, compose, or the path"),
        (["--topology", "/nowhere/rack.yaml"], "There is no testbed file at /nowhere/rack.yaml"),
        (["--generator", "iperf"], "There is no generator 'iperf'; there are memory and trex"),
        (["--generator", "trex"], "TRex sends over interfaces, and --topology process has none"),
    ],
)
def test_wrong_words_are_status_2(out: Path, words: list[str], sentence: str) -> None:
    done = start("run", "smoke", *words, out=out)
    assert done.returncode == 2
    assert sentence in done.stderr.replace("\n", " ")
    assert not list(out.iterdir())


def test_a_wrong_testbed_names_its_line(out: Path, tmp_path: Path) -> None:
    path = tmp_path / "rack.yaml"
    path.write_text((ROOT / EXAMPLE).read_text().replace("sudo: true", "sudo: maybe", 1))
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if "maybe" in text)
    done = start("run", "smoke", "--topology", str(path), out=out)
    assert done.returncode == 2
    assert f"rack.yaml:{line}: /hosts/node-a/sudo: 'maybe' is not of type 'boolean'" in done.stderr


def test_what_the_machine_lacks_is_status_3(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TREX_ROOT", raising=False)
    monkeypatch.setattr(netns, "lacks", lambda: "")
    monkeypatch.setattr(choice, "dpdk_lacks", lambda: "")
    with pytest.raises(EnvironmentLacks, match=r"TREX_ROOT is not set: it names the folder") as caught:
        choice.check("netns", "trex")
    assert caught.value.exit_code == 3
    monkeypatch.setattr(netns, "lacks", lambda: "Network namespaces need root: run it as root (sudo).")
    with pytest.raises(EnvironmentLacks, match="need root"):
        choice.check("netns", "memory")
    monkeypatch.setattr(
        containers, "look", lambda: containers.DockerInstallation(reason="Docker is not installed", remedy="do it")
    )
    with pytest.raises(EnvironmentLacks, match=r"^Docker is not installed: do it\.$"):
        choice.check("compose", "memory")


def test_trex_is_driven_where_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testbed, "lacks", lambda: "")
    with pytest.raises(EnvironmentLacks, match="call from traffic, and leave its address out"):
        choice.check(str(ROOT / EXAMPLE), "trex")
    monkeypatch.delenv("TREX_ROOT", raising=False)
    path = tmp_path / "rack.yaml"
    path.write_text((ROOT / EXAMPLE).read_text().replace("    address: traffic.example.net\n", ""))
    with pytest.raises(EnvironmentLacks, match="TREX_ROOT is not set"):
        choice.check(str(path), "trex")


@pytest.mark.long
def test_a_dry_run_names_every_command_and_its_host(out: Path) -> None:
    done = start("run", "performance", "--topology", EXAMPLE, "--dry-run", out=out)
    assert done.returncode == 0
    assert "ssh root@traffic.example.net: modprobe vfio-pci" in done.stderr
    listed = done.stdout.splitlines()
    assert "performance/throughput/One Core NDR" in listed and "performance/sip_sequences/Push To Talk" in listed
    assert not [name for name in listed if name.startswith(("performance/voip_flow_pairs", "performance/on_the_link"))]
    assert f"{len(listed)} cases would run over {EXAMPLE}:" in done.stderr
    assert re.search(
        r"\d+ more do not use its interfaces; .*performance/voip_flow_pairs", done.stderr.replace("\n", " ")
    )
    plan = json.loads(start("run", "performance", "--topology", EXAMPLE, "--dry-run", "--json", out=out).stdout)
    assert plan["over_interfaces"] == listed and set(listed) < set(plan["cases"])
    assert plan["settings"]["topology"] == EXAMPLE
    assert any("--bind=vfio-pci 0000:65:00.1" in line for line in plan["commands"])
    assert json.loads(start("run", "smoke", "--dry-run", "--json", out=out).stdout)["commands"] == []


def test_settings_keep_them() -> None:
    asked = Settings(generator="trex", topology="netns")
    assert Settings.from_json(asked.as_json(), Path("x")).topology == "netns"
    assert asked.words()[:4] == ["--topology", "netns", "--generator", "trex"]
    assert {"GENERATOR:trex", "TOPOLOGY:netns"} <= set(asked.robot_variables())
    old = {name: value for name, value in asked.as_json().items() if name not in ("generator", "topology")}
    recalled = Settings.from_json(old, Path("x"))
    assert (recalled.generator, recalled.topology) == ("memory", "process"), "a run of an earlier version goes on"


def test_a_suite_that_needs_interfaces_says_so() -> None:
    with pytest.raises(choice.NotOnThisTopology, match="use --topology netns") as caught:
        choice.require("process", "gcc-O2")
    assert caught.value.verdict == "unsupported"


def test_a_build_without_ports_says_so(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentLacks, match="has no DPDK ports: install libdpdk-dev"):
        choice.require("netns", str(tmp_path / "build"))


def test_an_unknown_shape_or_topology_is_no_surprise() -> None:
    with pytest.raises(UsageError, match="There is no topology 'cloud'"):
        choice.check("cloud", "memory")


def test_a_run_leaves_where_its_traffic_came_from(out: Path, real_build: str) -> None:
    done = start("run", "smoke", "--case", "RTP Over IPv6, U-Mode", "--build", real_build, "--json", out=out)
    assert done.returncode == 0, done.stderr
    found = json.loads(next(Path(json.loads(done.stdout)["results"]).glob("*.json")).read_text())
    assert found["traffic"]["generator"]["name"] == "memory"
    assert found["traffic"]["topology"] == {"name": "process"}
    assert "Source of the traffic" in Path(json.loads(done.stdout)["report"]).read_text()


def test_a_generator_without_a_core_is_told_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    two = cpus.Topology(tuple(cpus.Cpu(n, n, 0, frozenset({n}), frozenset({0, 1})) for n in (0, 1)))
    monkeypatch.setattr(cpus, "read", lambda: two)
    assert choice.crowded("netns", [0]) == ""
    assert "(0, 1), and this machine has no other" in choice.crowded("netns", [0, 1])
    assert choice.crowded("rack.yaml", [0, 1]) == "", "whose file says which cores"


def on_namespaces() -> dict[str, object]:
    topology = {
        "name": "netns",
        "shape": "full",
        "cores": {"generator": [0], "compressor": [1]},
        "idle": {"generator": "sleep", "compressor": "poll"},
        "note": "generator and link share core 0",
    }
    return {
        "generator": {"name": "trex", "version": "v3.08", "notes": ["latency is 0.5 ms too long"]},
        "topology": topology,
    }


def test_the_record_and_the_report_say_where_the_traffic_came_from() -> None:
    told = [record("a/One"), record("a/Two"), record("b/Three", traffic=on_namespaces()), record("b/Four", traffic={})]
    documents = [one.as_json() for one in told]
    assert all(violations(document, "result") == [] for document in documents)
    section = traffic(documents)
    assert section is not None
    table = section.parts[0].content
    texts = [[cell.text for cell in row.cells] for row in table.rows]
    assert texts[0][:3] == ["memory", "0.1.0", "process: in one process, without a network"]
    assert texts[0][-1] == "2"
    assert texts[1] == [
        "trex",
        "v3.08",
        "netns: network namespaces and veth pairs of one machine",
        "generator, compressor, link, decompressor",
        "generator 0; compressor 1",
        "1",
    ]
    assert [note.split(".")[0] for note in section.notes] == [
        "netns: generator and link share core 0",
        "trex: latency is 0",
    ]
    assert traffic([record("a/One", traffic={}).as_json()]) is None, "records of earlier versions do not say"


def test_a_generator_nobody_knows_is_not_kept() -> None:
    document = record("a/One", traffic=in_process("1") | {"generator": {"name": "iperf", "version": "3"}}).as_json()
    assert violations(document, "result")


@pytest.mark.parametrize("what", ["network namespaces", "DPDK", "Docker", "TRex"])
def test_doctor_says_what_a_lack_costs_and_how_to_end_it(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    checks = [doctor.namespaces(), doctor.dpdk(), doctor.docker(), doctor.trex({})]
    check = next(one for one in checks if one.name == what)
    assert check.status == "lacking"
    assert check.value
    assert check.cost
    assert check.remedy


@pytest.mark.skipif(bool(netns.lacks() or choice.dpdk_lacks()), reason="no namespaces or no ports here")
def test_a_topology_that_nothing_would_use_is_status_2(out: Path) -> None:
    done = start("run", "conformance/rohc", "--topology", "netns", "--dry-run", out=out)
    assert done.returncode == 2
    assert "No case of conformance/rohc uses interfaces" in " ".join(done.stderr.split())
