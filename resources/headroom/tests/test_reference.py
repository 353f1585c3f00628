# SPDX-License-Identifier: Apache-2.0
"""Jobs and results of the engine are as their schemas say, and the schemas print as a reference.

`conftest.py` checks those of every other test that runs the engine.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headroom.bench import load
from headroom.core import engine, profiles, reference, replay, yamlfile
from headroom.core.errors import UsageError
from headroom.core.machine.build import engine_program
from headroom.core.paths import ROOT, build_folder
from headroom.schemes.sigcomp import call_load, messages
from headroom.schemes.sigcomp.sip import sequences
from headroom.tests.runs import calls_of, conversation_of, load_of, replay_of

ENGINE = ROOT / "resources" / "engine"
COMMANDS = sorted(name.removeprefix("job-") for name in reference.places() if name.startswith("job-"))
EXAMPLES = re.findall(r"^```json (\S+)\n(.*?)^```", (ENGINE / "README.md").read_text(), re.MULTILINE | re.DOTALL)


def properties(found: Any, place: str = "") -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every property of a schema: its place, its name, its own schema."""
    if isinstance(found, dict):
        for key, part in found.items():
            yield from properties(part, f"{place}/{key}")
            if key == "properties":
                yield from ((f"{place}/{name}", name, inner) for name, inner in part.items())
    elif isinstance(found, list):
        for number, part in enumerate(found):
            yield from properties(part, f"{place}/{number}")


@pytest.mark.parametrize("name", reference.places())
def test_each_document_prints(name: str) -> None:
    text = reference.text(name)
    stem, pointer = reference.place(name)
    top: Any = yamlfile.schema(stem)
    for key in pointer.split("/")[1:]:
        top = top[key]
    assert all(re.search(rf"^ *{re.escape(key)}\*?: ", text, re.MULTILINE) for key in top.get("properties", ()))
    assert max(map(len, text.splitlines()[1:])) <= 110


def test_a_section_of_the_same_name_is_named_once() -> None:
    text = reference.text("rohc/adapter")
    assert "\n  create: The configuration, a JSON object.\n" in text
    assert "\n  status: The status of each packet.\n" in text


def test_an_unknown_document_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no reference of 'nothing'.*job-replay"):
        reference.text("nothing")


@pytest.mark.parametrize("command", [*COMMANDS, reference.COMMON])
def test_each_property_of_jobs_and_results_is_described(command: str) -> None:
    for place, _, found in properties(yamlfile.schema(f"jobs/{command}")):
        assert "description" in found or "$ref" in found, place


@pytest.mark.parametrize("command", COMMANDS)
def test_the_engine_reads_each_key_of_a_job_and_writes_each_of_a_result(command: str) -> None:
    known = "".join(path.read_text() for path in ENGINE.rglob("*.cc") if "tests" not in path.parts)
    document = yamlfile.schema(f"jobs/{command}")
    names = {name for _, name, _ in properties(document)} - NOT_THE_ENGINES
    assert [name for name in sorted(names) if f'"{name}"' not in known] == []


# Of the adapter's tools, and the names of stages, which are in a loop.
NOT_THE_ENGINES = {"tool", "code", "start", "limit", "request"} | set(load.STAGES)


@pytest.mark.parametrize(("name", "text"), EXAMPLES)
def test_the_examples_of_the_readme_are_valid(name: str, text: str) -> None:
    assert reference.violations(name, json.loads(text)) == []


def test_the_readme_has_examples() -> None:
    assert {name for name, _ in EXAMPLES} >= {"job-replay"}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        (("seed",), -1),
        (("sed",), 1),
        (("link", "forward", "loss"), 2),
        (("source", "flows"), 0),
        (("records",), "some"),
    ],
)
def test_what_the_engine_refuses_is_not_valid(real_build: str, pointer: tuple[str, ...], value: Any) -> None:
    job = replay.job(replay_of(source="voip-amr-nb-ipv6", packets=10, forward={"loss": 0.1}))
    assert reference.violations("job-replay", job) == []
    part = job
    for key in pointer[:-1]:
        part = part[key]
    part[pointer[-1]] = value
    assert len(reference.violations("job-replay", job)) == 1
    with pytest.raises(engine.EngineFailure) as caught:
        engine.run("replay", job, build=real_build)
    assert caught.value.kind == "job"


def require_valid(command: str, variant: str, job: dict[str, Any], build: str) -> None:
    assert reference.violations(f"job-{variant}", job) == []
    assert reference.violations(f"result-{variant}", engine.run(command, job, build=build)) == []


def test_replays(real_build: str, tmp_path: Path) -> None:
    impaired = {"loss": 0.05, "ber": 1e-4, "reorder": {"probability": 0.1}, "duplicate": 0.1, "rate_bps": 1_000_000}
    asked = replay_of(
        source="voip-amr-nb-ipv6",
        flows=2,
        packets=200,
        channel={"mode": "O"},
        forward=impaired | {"flip": [{"packet": 3, "bit": 7}], "insert": [{"before": 2, "hex": "ff"}]},
        feedback={"path": "own", "loss": 0.1},
        reverse=True,
        outputs={"link": tmp_path / "link.pcapng"},
        records="all",
        timing=True,
        build=real_build,
    )
    require_valid("replay", "replay", replay.job(asked), real_build)
    literal = [{"hex": "c021010a", "time_ns": 5, "header_length": 4}]
    alone = replay_of(decompressor=None, source=literal, packets=None, build=real_build)
    require_valid("replay", "replay", replay.job(alone), real_build)


def test_conversations(real_build: str, tmp_path: Path) -> None:
    steps = messages.conversation(sequences.load(sequences.path_of("3gpp-video-call")))
    asked = conversation_of(steps, a_to_b={"loss": 0.2, "duplicate": 0.2}, capture=tmp_path / "link.pcapng", repeats=1)
    require_valid("messages", "messages", {**messages.job(asked), "trials": True, "costs": True}, real_build)


def test_loads(real_build: str) -> None:
    job = load.job(load_of(profile="voip-amr-nb-ipv6", ticks=2, warmup_ticks=1, build=real_build), 10, None)
    require_valid("load", "load", job, real_build)
    calls = calls_of(
        simultaneous=10, duration_s=20, comparison=call_load.Comparison(load=0.5, trials=1, calls=20), build=real_build
    )
    require_valid("load", "load-calls", call_load.job(calls), real_build)
    with call_load.precomputed(calls, timeout_s=120) as recorded:
        require_valid("load", "load-calls", recorded, real_build)


def test_adapters(real_build: str) -> None:
    null = {"library": str(build_folder(real_build) / "lib" / "null.so")}
    reference_ = {"library": str(build_folder(real_build) / "lib" / "reference.so")}
    require_valid("describe", "describe", null, real_build)
    require_valid("check", "check", {**null, "timeout_s": 20}, real_build)
    request = {"scheme": "sigcomp", "tool": "assemble", "source": "at (128)\nEND-MESSAGE (0, 0, 0, 0, 0, 0, 0)"}
    require_valid("udvm", "udvm", {**reference_, "request": request}, real_build)


PORTS = [{"vdev": "net_null0"}, {"vdev": "net_null1"}]
WIRE = {"eal": {"huge": "never", "memory_mb": 256}, "duration_s": 0.2, "idle": "sleep"}
NULL_PORTS = {
    "link": {"a": PORTS[0], "b": PORTS[1], "forward": {"loss": 0.5}},
    "generate": {"ports": PORTS, "rate_pps": 100, "flows": 2, "drain_s": 0.1},
    "call": {"ports": PORTS, "calls_per_s": 20, "drain_s": 0.1, "messages": [{"from": "caller", "hex": "494e"}]},
    "node": {"plain": PORTS[0], "link": PORTS[1], "workers": [0], "distribution": "rx-cores", "rx_cores": [0]},
}


@pytest.mark.parametrize("command", NULL_PORTS)
def test_commands_on_the_wire(real_build: str, command: str) -> None:
    program = engine_program(real_build)
    if not program.with_name("headroom-engine-wire").is_file():
        pytest.skip("this build has no network ports")
    job: dict[str, Any] = {**WIRE, **NULL_PORTS[command]}
    if command == "generate":
        job["profile"] = profiles.load("voip-amr-nb-ipv6")
    if command == "node":
        library = str(build_folder(real_build) / "lib" / "null.so")
        job |= {side: {"library": library, "config": {"scheme": "rohc"}} for side in ("compressor", "decompressor")}
    assert reference.violations(f"job-{command}", job) == []
    ended = subprocess.run(
        [program, command, "--job", "-"], input=json.dumps(job).encode(), capture_output=True, timeout=60, check=False
    )
    assert reference.violations(f"result-{command}", json.loads(ended.stdout)) == []


DOCUMENTS = sorted(
    path for path in ROOT.rglob("*.md") if not {"build", "out"} & {*path.parts} and ".venv" not in str(path)
)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_document_refers_to_exists(path: Path) -> None:
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if not link.startswith("http")]
    assert [link for link in links if not (path.parent / link).exists()] == []
    names = re.findall(r"headroom reference ([a-z][a-z/-]+)", text)
    assert [name for name in names if name not in reference.places()] == []
