# SPDX-License-Identifier: Apache-2.0
"""Campaigns over versions of a product: each cell loads the library that it is called after, and the page names it."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from headroom.campaigns import campaign as campaigns
from headroom.campaigns import identity, page, progress, version_sections, versions
from headroom.campaigns.campaign import Campaign, Cell
from headroom.campaigns.measured import CampaignData
from headroom.campaigns.progress import Result
from headroom.core import implementations, metrics
from headroom.core.errors import UsageError
from headroom.core.paths import sha256_of
from headroom.core.results.record import Measurement
from headroom.report import render
from headroom.tests import sample
from headroom.tests.campaigns.test_client import accepted, reply_of
from headroom.tests.campaigns.test_page import section, tables, texts

pytestmark = pytest.mark.slow

FILE = """
name: versions
implementations:
  v1: {one}
  v2: {{library: {two}, like: {one}}}
configurations:
  first: {{suites: [smoke/first_load], options: {{quick: true{options}}}}}
quiet: {{busy: 1, steal: 1}}
timeouts: {{quiet_s: 0, cell_s: 60}}
"""


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """A folder of a product, and a library of its next version: nothing of it can be loaded."""
    folder = tmp_path / "1.0" / "codec"
    folder.mkdir(parents=True)
    (folder / "implementation.yaml").write_text(
        "{name: codec, vendor: V, version: '1.0', licence: L, obtain: Ask., "
        "adapter: {library: codec.so, config: {options: {fast: true}}}, "
        "capabilities: [{scheme: rohc, roles: [compressor, decompressor], profiles: ['0x0001'], modes: [U], "
        "cids: [small], max_cid: 15}]}"
    )
    (folder / "codec.so").write_bytes(b"\x7fELF one")
    (tmp_path / "libcodec.so.2").write_bytes(b"\x7fELF two")
    return {"one": folder, "two": tmp_path / "libcodec.so.2"}


def load(folder: Path, places: dict[str, Path], options: str = "", change: tuple[str, str] = ("", "")) -> Campaign:
    path = folder / "campaign.yaml"
    path.write_text(FILE.format(**places, options=options).replace(*change), encoding="utf-8")
    return campaigns.load(path)


def cell_of(one: Campaign, implementation: str) -> int:
    """The number of the first cell of a version."""
    return next(number for number, cell in enumerate(one.cells()) if cell.implementation == implementation)


def test_each_version_has_cells_of_its_own(out: Path, tmp_path: Path, places: dict[str, Path]) -> None:
    one = load(tmp_path, places)
    assert sorted(cell.id for cell in one.cells()) == ["local.v1.gcc-O2.first.1", "local.v2.gcc-O2.first.1"]
    words = {cell.implementation: one.words(cell) for cell in one.cells()}
    sides = [word for side in ("--compressor", "--decompressor") for word in (side, str(places["one"]))]
    assert words["v1"] == ["run", "smoke/first_load", "--quick", *sides, "--build", "gcc-O2", "--seed", "1", "--json"]
    assert words["v2"][4].endswith("campaigns/versions/implementations/v2/codec")
    (configuration,) = load(tmp_path, places, ", decompressor: reference").configurations.values()
    assert configuration.sides == ("compressor",), "a peer that the configuration names stays"


@pytest.mark.parametrize(
    ("options", "change", "sentence"),
    [
        (", compressor: 'null', decompressor: 'null'", ("", ""), "leave one out"),
        ("", ("libcodec.so.2", "libcodec.so.3"), "implementations/v2: there is no library"),
        ("", ("libcodec.so.2", "1.0/codec/implementation.yaml"), "is not a shared library"),
        ("", ("v1: ", "v1: /nowhere"), "implementations/v1: There is no implementation"),
        ("", ("v1:", "v.1:"), "does not match"),
        ("", ("quiet:", "machines: [epyc]\nquiet:"), "other machines need a folder"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_the_first_cell(
    out: Path, tmp_path: Path, places: dict[str, Path], options: str, change: tuple[str, str], sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        load(tmp_path, places, options, change)


def test_a_library_alone_gets_the_declarations_of_the_one_it_is_like(
    out: Path, tmp_path: Path, places: dict[str, Path]
) -> None:
    one = load(tmp_path, places)
    versions.make(one.implementations.values())
    made = implementations.find(one.implementations["v2"].word)
    assert made.library_path() == places["two"]
    assert (made.name, made.version, made.config) == ("codec", "", {"options": {"fast": True}})
    assert made.declared("rohc")["max_cid"] == 15


def test_the_reference_lends_its_declarations_too(out: Path, tmp_path: Path, places: dict[str, Path]) -> None:
    one = load(tmp_path, {"one": Path("reference"), "two": places["two"]})
    versions.make(one.implementations.values())
    made = implementations.find(one.implementations["v2"].word)
    assert made.capabilities == implementations.find("reference").capabilities


def test_a_cell_that_loaded_another_library_is_unusable(out: Path, tmp_path: Path, places: dict[str, Path]) -> None:
    one = load(tmp_path, places)
    versions.make(one.implementations.values())
    for name in ("v1", "v2"):
        number = cell_of(one, name)
        assert accepted(one, reply_of(one, number=number), number).status == "pass", name
    number = cell_of(one, "v2")
    result = accepted(one, reply_of(one, f"loads={places['one'] / 'codec.so'}", number=number), number)
    assert result.status == "unusable"
    digests = {name: found.digest[:12] for name, found in one.implementations.items()}
    assert f"it loaded a library with SHA-256 {digests['v1']}, but v2 is {digests['v2']}" in result.reason


def test_records_that_name_no_library_are_not_of_a_version(out: Path, tmp_path: Path, places: dict[str, Path]) -> None:
    version = load(tmp_path, places).implementations["v1"]
    other = sample.record("s/1").as_json()  # of the reference
    assert "no record says that the library of v1" in versions.contradiction(version, ("compressor",), [other])
    mine = {**sample.SIDE, "name": "codec", "sha256": version.digest}
    assert versions.contradiction(version, ("compressor",), [other, other | {"compressor": mine}]) == ""


def test_a_library_that_changed_needs_another_name(out: Path, tmp_path: Path, places: dict[str, Path]) -> None:
    one = load(tmp_path, places)
    with progress.begin(one, b"", identity.here()):
        number = cell_of(one, "v1")
        accepted(one, reply_of(one, number=number), number)
    state = json.loads((one.folder / "campaign.json").read_text())
    assert state["implementations"] == {name: found.digest for name, found in one.implementations.items()}
    (places["one"] / "codec.so").write_bytes(b"\x7fELF one, built again")
    with (
        pytest.raises(UsageError, match="The library of v1 has changed since"),
        progress.begin(load(tmp_path, places), b"", identity.here()),
    ):
        pass


# ---- the page


@pytest.fixture
def data(out: Path, tmp_path: Path, places: dict[str, Path]) -> CampaignData:
    """Made up: v2 is slower by a fifth, and as large. Nothing here was measured."""
    one = load(tmp_path, places, change=("quiet:", "repeats: 3\nquiet:"))
    found = CampaignData(one, {})
    for cell in one.cells():
        found.results[cell] = Result("whole", "", "pass", f"run-{cell.id}", began="2026-01-02T03:04:05")
        found.records[cell] = [record_of(one, cell)]
    return found


def record_of(one: Campaign, cell: Cell) -> dict[str, Any]:
    version = one.implementations[cell.implementation]
    time = (100.0 if cell.implementation == "v1" else 120.0) * (1 + cell.repeat / 1000)
    count = 2000.0 if cell.implementation == "v1" else 2200.0
    values = [
        (metrics.INSTRUCTIONS(stage="compress"), count),
        (metrics.NS_PER_OPERATION, time),
        (metrics.MEMORY_PER_FLOW, 400.0 + cell.repeat),
        (metrics.FLOOR_NS, time),
    ]
    record = sample.record(
        "performance/x/One", metrics=[Measurement(metric, value, [value]) for metric, value in values]
    )
    side = {"name": "codec", "version": "1.0", "build": None, "sha256": version.digest}
    record.compressor = record.decompressor = side
    return record.as_json()


def test_the_page_names_each_version_and_its_digest(data: CampaignData) -> None:
    made = page.page(data)
    matrix = texts(tables(section(made.sections, "summary"))["t-matrix"])
    assert matrix == [["first", "v1", "gcc-O2", "3 pass"], ["first", "v2", "gcc-O2", "3 pass"]]
    libraries = texts(tables(section(made.sections, "implementations"))["t-libraries"])
    digests = {name: one.digest[:16] for name, one in data.campaign.implementations.items()}
    assert [row[:4] + row[5:] for row in libraries] == [
        [name, "codec", "1.0", digests[name], "3"] for name in ("v1", "v2")
    ]
    assert made.warnings == []
    html = render.html_of(made)
    assert digests["v2"] in html and "libcodec.so.2" in html


def test_versions_stand_side_by_side(data: CampaignData) -> None:
    found = tables(section(version_sections.sections(data), "versions"))
    counted, moved = texts(found["t-versions-moved"])
    assert counted[1:6] == ["compress_instructions", "instructions", "2,000", "v2", "2,200"]
    assert counted[6:] == ["+10.0 % (+9.5 to +10.5 %)", "worse"], "a count repeats"
    assert [*moved[:6], moved[-1]] == ["performance/x/One", "ns_per_operation", "ns", "100", "v2", "120", "worse"]
    assert moved[6].startswith("+20.0 % (+19.")
    (rest,) = texts(found["t-versions-rest"])
    assert (rest[1], rest[-1]) == ("memory_per_flow", "alike"), "and nothing of the harness"


def test_one_library_under_two_names_is_told(data: CampaignData) -> None:
    same = copy.deepcopy(data)
    digest = data.campaign.implementations["v1"].digest
    for records in same.records.values():
        for record in records:
            record["compressor"]["sha256"] = record["decompressor"]["sha256"] = digest
    (sentence,) = version_sections.warnings(same)
    assert sentence == f"v1 and v2 are the same library (SHA-256 {digest[:12]}): their figures differ by chance."


def test_builds_that_measured_one_library_are_told() -> None:
    from headroom.tests.campaigns.helpers import campaign

    one = campaign(builds=("gcc-O2", "clang-O2"))
    found = CampaignData(one, {}, {cell: [sample.record("s/1").as_json()] for cell in one.cells()})
    (sentence,) = version_sections.warnings(found)
    assert sentence.startswith("reference is the same library (SHA-256 abababababab) in the builds clang-O2, gcc-O2")
    assert version_sections.warnings(CampaignData(campaign(), {}, dict([next(iter(found.records.items()))]))) == []


def test_the_digest_is_that_of_the_file(out: Path, tmp_path: Path, places: dict[str, Path]) -> None:
    found = load(tmp_path, places).implementations
    assert {one.digest for one in found.values()} == {
        sha256_of(places["one"] / "codec.so"),
        sha256_of(places["two"]),
    }
