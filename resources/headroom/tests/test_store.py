# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import math
import os
import subprocess
from pathlib import Path

import pytest

from headroom.core import metrics
from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError
from headroom.core.finding import Finding
from headroom.core.results import store
from headroom.core.results.record import CoreLoad, Histogram, Item, Measurement, Record, Series, Test, worst
from headroom.core.yamlfile import violations


def record(name: str = "One", **changes: object) -> Record:
    """A record that uses every part of the schema."""
    full = Record(
        run="r1",
        test=Test(f"smoke/first/{name}", name, "Smoke.First", "About.", ["req:RFC3095-5.3.1-1", "level:must", "smoke"]),
        verdict="pass",
        started="2026-01-02T03:04:05.678+00:00",
        duration_s=1.5,
        compressor={"name": "reference", "version": "1", "build": "gcc-O2", "sha256": "0" * 64},
        decompressor=None,
        harness={"version": "0.1.0", "commit": None, "changed": None, "reason": "no git"},
        seed=3,
        command="./headroom run smoke/first",
        environment={"kernel": "6.1"},
        parameters={"cpus": "1c"},
        metrics=[
            Measurement(metrics.FLOW_PAIRS, 100.0, [99.0, 100.0, 101.0], core=1),
            Measurement(metrics.LOST(), None, reason="the adapter does not say"),
        ],
        histograms=[Histogram("latency", "ns", [[10, 5], [20, 1]], 1)],
        core_load=[CoreLoad(1, "proc_stat", 0.5), CoreLoad(1, "tick", None, "no tick")],
        series=[Series("load", "flow_pairs", "load", "flow pairs", "", [{"x": 1, "y": 0.1}])],
        items=[Item("Table 1", "header", "octets", 1.0, 1.0, "must-match", "pass", spread=0.1, runs=3)],
        findings=[Finding("The CRC is wrong.", "RFC3095-5.9.1-1", 4, "oracle", "must")],
    )
    for key, value in changes.items():
        setattr(full, key, value)
    return full


def test_a_full_record_is_valid() -> None:
    assert violations(record().as_json(), "result") == []


def test_requirements_and_level_come_from_tags() -> None:
    document = record().as_json()["test"]
    assert document["requirements"] == ["RFC3095-5.3.1-1"]
    assert document["level"] == "must"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_lacks(value: float) -> None:
    document = record(metrics=[Measurement(metrics.FLOOR_NS, value, [value, 1.0])]).as_json()
    assert document["metrics"][0]["value"] is None
    assert document["metrics"][0]["trials"] == [None, 1.0]
    assert document["metrics"][0]["reason"]
    assert violations(document, "result") == []
    json.dumps(document, allow_nan=False)


def test_a_missing_value_needs_a_reason() -> None:
    document = record().as_json()
    del document["metrics"][1]["reason"]
    assert any("reason" in sentence for _, sentence in violations(document, "result"))


def test_ratio() -> None:
    assert Item("", "", "", 2.0, 3.0, "shape", "pass").ratio == 1.5
    assert Item("", "", "", None, 3.0, "shape", "pass").ratio is None
    assert Item("", "", "", 2.0, None, "shape", "pass").ratio is None


def test_written_and_read_again(tmp_path: Path) -> None:
    store.write(tmp_path, record("B", started="2026-01-02T03:04:06+00:00"))
    store.write(tmp_path, record("A"))
    names = [document["test"]["name"] for document in store.read_all(tmp_path)]
    assert names == ["A", "B"], "by the time they started"
    assert not list((tmp_path / "results").glob(".*")), "no temporary file is left"


def test_an_integer_that_no_float_holds_is_left_out(tmp_path: Path) -> None:
    path = store.write(tmp_path, record())
    text = path.read_text(encoding="utf-8")
    damaged = json.loads(text)
    damaged["metrics"][0]["trials"] = [10**400, 1, 2]
    path.write_text(json.dumps(damaged), encoding="utf-8")
    warnings: list[str] = []
    assert store.read_all(tmp_path, warnings.append) == []
    assert "it has an impossibly large integer" in warnings[0]


def test_names_that_a_slug_cannot_tell_apart() -> None:
    assert store.file_name("a/b c") != store.file_name("a/b-c")
    assert len(store.file_name("x" * 1000)) < 200


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'"text"', b"\xff\xfe", b'{"schema": 1}', b"[" * 5000, b'{"schema": 99, "test": {}}', b"null"],
)
def test_foreign_files_are_left_out_with_a_warning(tmp_path: Path, content: bytes) -> None:
    store.write(tmp_path, record())
    (tmp_path / "results" / "foreign.json").write_bytes(content)
    warnings: list[str] = []
    assert len(store.read_all(tmp_path, warnings.append)) == 1
    assert ["left out" in one for one in warnings] == [True, False]
    assert all("foreign.json" in one for one in warnings)
    assert "has no line in the chain" in warnings[1]


def test_a_part_of_a_write_is_never_read(tmp_path: Path) -> None:
    store.write(tmp_path, record())
    (tmp_path / "results" / ".abc.part").write_bytes(b'{"schema"')
    assert len(store.read_all(tmp_path)) == 1


def test_artefacts_have_a_digest(tmp_path: Path) -> None:
    (tmp_path / "artefacts").mkdir()
    (tmp_path / "artefacts" / "x.pcapng").write_bytes(b"abc")
    found = store.artefact(tmp_path, tmp_path / "artefacts" / "x.pcapng", "link capture")
    assert (found.path, found.octets) == ("artefacts/x.pcapng", 3)
    assert found.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_runs_are_found(out: Path) -> None:
    with pytest.raises(UsageError, match="There is no run in"):
        store.find_run(None)
    with pytest.raises(UsageError, match="There is no run in"):
        store.find_run("last")
    for name in ("20260101-000000-aaaa", "20260102-000000-bbbb"):
        (out / name).mkdir()
        (out / name / "run.json").write_text("{}")
    assert store.find_run(None).name == "20260102-000000-bbbb"
    assert store.find_run("last").name == "20260102-000000-bbbb"
    assert store.find_run("20260101-000000-aaaa").name == "20260101-000000-aaaa"
    with pytest.raises(UsageError, match=r"no run 'x'.*newest first: 20260102-000000-bbbb, 20260101-000000-aaaa"):
        store.find_run("x")


def test_worst_verdict() -> None:
    assert worst(["pass", "non-strict", "fail"]) == "fail"
    assert worst(["pass", "error", "fail"]) == "error"
    assert worst(["unsupported", "pass"]) == "pass"
    assert worst([]) == "unsupported"


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    """A file system of 256 kB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", folder], capture_output=True).returncode != 0:
        pytest.skip("this container may not mount a tmpfs")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_full_disk(small_disk: Path) -> None:
    store.write(small_disk, record("Kept"))
    with pytest.raises(EnvironmentLacks, match="The disk is full: writing the result of 'smoke/first/Large' failed"):
        store.write(small_disk, record("Large", reason="x" * 400_000))
    assert [document["test"]["name"] for document in store.read_all(small_disk)] == ["Kept"]
    assert not list((small_disk / "results").glob(".*")), "the temporary file is gone, so the space is free again"
    store.write(small_disk, record("After"))


def test_a_record_whose_texts_are_no_unicode_is_kept(tmp_path: Path) -> None:
    store.write(tmp_path, record("Odd", reason="half \ud800 of a pair, \x1b[31m"))
    (path,) = (tmp_path / "results").iterdir()
    assert path.read_text(encoding="utf-8").replace("\n", "").isprintable()
    assert [document["reason"] for document in store.read_all(tmp_path)] == ["half \\ud800 of a pair, \x1b[31m"]


def test_a_record_with_two_verdicts_is_none(tmp_path: Path) -> None:
    path = store.write(tmp_path, record())
    text = path.read_text(encoding="utf-8").rstrip()
    path.write_text(f'{text[:-1]}, "verdict": "pass"}}', encoding="utf-8")
    warnings: list[str] = []
    assert store.read_all(tmp_path, warnings.append) == []
    assert "an object has a key twice" in warnings[0]


def test_a_record_with_large_texts_is_not_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An adapter that failed every cell of a row with long last words had the row left out of the run."""
    monkeypatch.setattr(store, "MAX_RECORD", 1 << 20)
    said: list[str] = []
    findings = [Finding("word " * 10_000) for _ in range(99)]
    store.write(tmp_path, record(verdict="error", reason="x" * (2 << 20), findings=findings))
    (read,) = store.read_all(tmp_path, said.append)
    assert (read["verdict"], len(read["findings"]), said) == ("error", 99, [])
    assert read["reason"].startswith("xxx") and read["reason"].endswith(" …")


def test_a_record_that_would_be_left_out_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_RECORD", 1 << 20)
    with pytest.raises(HeadroomError, match=r"The result of 'smoke/first/One' cannot be kept: it has .* octets"):
        store.write(tmp_path, record(findings=[Finding("word") for _ in range(50_000)]))
    assert not list(tmp_path.rglob("*.json"))
