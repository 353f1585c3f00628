# SPDX-License-Identifier: Apache-2.0
"""What the command line may name to be judged, and what is said of the rest."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from headroom.core import implementations
from headroom.core.errors import UsageError
from headroom.core.run.selection import cases, suite_files
from headroom.judge import parts, subject
from headroom.judge.parts import Extent
from headroom.selftest.usual_cases import OF_SUITES

YAML = """
name: theirs
vendor: Theirs
licence: proprietary
obtain: "Ask them."
{more}
capabilities:
  - {{scheme: rohc, roles: [decompressor], profiles: ["0x0001"], modes: [U], cids: [small]}}
"""
CALL = "captures: [{folder: call, profile: '0x0001', mode: U, cids: small}]"


def folder_of(tmp_path: Path, more: str) -> Path:
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "implementation.yaml").write_text(YAML.format(more=more))
    return folder


def test_a_folder_and_its_declaration_are_the_same(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "adapter: {library: libtheirs.so}")
    assert subject.find(str(folder)) is subject.find(str(folder / "implementation.yaml"))
    assert subject.find(str(folder)).word == str(folder)


@pytest.mark.parametrize(
    ("name", "hint"), [("lib/theirs.so", "theirs.so"), ("a.pcap", "captures"), ("", "new-adapter")]
)
def test_a_folder_without_declaration_is_told_what_to_do(tmp_path: Path, name: str, hint: str) -> None:
    if name:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    with pytest.raises(UsageError, match=hint):
        subject.find(str(tmp_path))


def test_a_bare_library_is_declared_as_it_describes_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_OUT", str(tmp_path / "out"))
    library = tmp_path / "libx.so"
    shutil.copy(implementations.find("reference").library_path(), library)
    found = subject.find(str(library), "rohc")
    assert found.name.startswith("reference-"), "not the name of Headroom's own"
    assert found.library_path() == library
    assert [entry["scheme"] for entry in found.capabilities] == ["rohc"]
    assert found.declared("rohc")["profiles"] == implementations.describe(found)["schemes"][2]["profiles"]
    assert subject.find(str(library), "rohc").folder == found.folder
    with pytest.raises(UsageError, match="does not describe the scheme 'nothing', but"):
        subject.find(str(library), "nothing")


def test_a_library_that_is_none_is_an_error_with_its_name(tmp_path: Path) -> None:
    library = tmp_path / "libx.so"
    library.write_bytes(b"not a library")
    with pytest.raises(Exception, match=r"libx\.so"):
        subject.find(str(library))


def test_implementations_of_a_path_are_known_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path, "adapter: {library: libtheirs.so}")
    monkeypatch.setenv("HEADROOM_IMPLEMENTATIONS_PATH", str(tmp_path))
    assert "theirs" in implementations.names() and subject.find("theirs").folder == folder
    assert subject.find("theirs").word == "theirs"
    monkeypatch.setenv("HEADROOM_IMPLEMENTATIONS_PATH", str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match=r"is not a folder"):
        implementations.names()


# ---- parts


def kinds_of(folder: Path, extent: Extent | None = None) -> dict[str, list[str]]:
    found = subject.find(str(folder))
    made = parts.parts_of(found, parts.schemes_of(found), extent or Extent())
    return {kind: [part.name or part.left_out for part in made if part.kind == kind] for kind in {p.kind for p in made}}


def test_each_declared_role_is_asked_against_the_reference(tmp_path: Path) -> None:
    found = subject.find(str(folder_of(tmp_path, "adapter: {library: libtheirs.so}")))
    made = parts.parts_of(found, parts.schemes_of(found), Extent(seed=7))
    (conformance,) = (part.plan for part in made if part.kind == parts.CONFORMANCE)
    assert conformance is not None
    settings = conformance.settings
    assert (settings.compressor, settings.decompressor, settings.subject) == ("reference", found.word, "decompressor")
    assert settings.seed == 7 and "conformance/rohc" in conformance.suites
    assert "robustness/hostile_packets" in conformance.suites and "robustness/freedoms" not in conformance.suites


def test_suites_that_run_suites_are_not_about_it() -> None:
    """Their cases would be passes of an implementation that they do not run."""
    asked = cases(suite_files(parts.hostile_suites()))
    assert asked and not [case.id for case in asked if OF_SUITES & set(case.tags)]


def test_the_matrix_pairs_it_with_others_alone(tmp_path: Path) -> None:
    found = subject.find(str(folder_of(tmp_path, "adapter: {library: libtheirs.so}")))
    made = parts.parts_of(found, parts.schemes_of(found), Extent())
    choices = [part.plan.matrix["rohc"] for part in made if part.kind == parts.MATRIX and part.plan]
    assert choices and all(found.word in (*one["compressors"], *one["decompressors"]) for one in choices)
    assert all(len(one["compressors"]) == 1 or len(one["decompressors"]) == 1 for one in choices)
    assert {"clean"} < {*choices[0]["links"]}
    whole = parts.parts_of(found, parts.schemes_of(found), Extent(whole_matrix=True))
    (links,) = {tuple(p.plan.matrix["rohc"]["links"]) for p in whole if p.kind == parts.MATRIX and p.plan}
    assert len(links) > len(choices[0]["links"])


def test_recordings_are_asked_in_the_matrix_alone(tmp_path: Path) -> None:
    found = kinds_of(folder_of(tmp_path, CALL))
    assert "captures" not in found and "only the matrix reads them" in found[parts.CONFORMANCE][0]
    assert "rohc-from" in found[parts.MATRIX] and parts.COST not in found


def test_a_container_is_asked_over_interfaces(tmp_path: Path) -> None:
    image = f"container: {{image: theirs, digest: 'sha256:{'ab' * 32}'}}"
    found = subject.find(str(folder_of(tmp_path, image)))
    (wire,) = (part for part in parts.parts_of(found, parts.schemes_of(found), Extent()) if part.kind == parts.WIRE)
    assert wire.plan is not None and wire.plan.settings.topology == "compose"
    assert any(name.startswith("performance/") for name in wire.plan.suites)


def test_a_part_survives_its_file(tmp_path: Path) -> None:
    found = subject.find(str(folder_of(tmp_path, "adapter: {library: libtheirs.so}")))
    for part in parts.parts_of(found, parts.schemes_of(found), Extent()):
        again = parts.from_json(parts.as_json(part), Path())
        assert (again.kind, again.title, again.name, again.left_out) == (
            part.kind,
            part.title,
            part.name,
            part.left_out,
        )
        assert again.plan == part.plan


def test_an_undeclared_scheme_is_refused(tmp_path: Path) -> None:
    found = subject.find(str(folder_of(tmp_path, "adapter: {library: libtheirs.so}")))
    with pytest.raises(UsageError, match="does not declare the scheme 'ule', but rohc"):
        parts.schemes_of(found, "ule")


def test_paths_are_shown_by_their_names_unless_two_have_one() -> None:
    one = {"/a/adapter": "mine", "reference": "reference"}
    assert implementations.short_names(one) == one
    both = {"/v1/mine": "mine", "/v2/mine": "mine", "null": "null"}
    assert implementations.short_names(both) == {word: word for word in both}
