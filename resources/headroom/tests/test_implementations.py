# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from headroom.core import implementations, matrix, profiles, yamlfile
from headroom.core.capabilities import Misbehaviour
from headroom.core.errors import UsageError
from headroom.core.paths import build_folder
from headroom.core.scheme_registry import find
from headroom.schemes.rohc.conformance import capabilities as sides
from headroom.tests.interop import support

YAML = """
name: theirs
vendor: Them
licence: proprietary
obtain: Ask them.
adapter:
  library: lib/theirs.so
  config: {options: {repeats: 3}}
capabilities:
  - {scheme: rohc, roles: [compressor], profiles: ["0x0001"], modes: [U], cids: [small], max_cid: 15}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "implementation.yaml").write_text(YAML)
    return tmp_path


def test_what_is_declared(root: Path) -> None:
    found = implementations.find("theirs", root)
    assert found.library_path() == root / "theirs" / "lib" / "theirs.so"
    assert not found.is_ours()
    assert found.config == {"options": {"repeats": 3}}
    assert implementations.names(root) == ["theirs"]


def test_a_path_that_is_not_utf_8_is_refused(root: Path) -> None:
    """The whole matrix ended with an error of Robot's, which could not write its log."""
    folder = root / "caf\udce9"
    (root / "theirs").rename(folder)
    with pytest.raises(UsageError, match=r"caf\\udce9 is not UTF-8"):
        implementations.find(str(folder))


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"role": "compressor"}, ""),
        ({"role": "compressor", "modes": ["U"], "max_cid": 15, "profiles": ["0x0001"]}, ""),
        ({"role": "decompressor"}, "theirs does not declare to be a decompressor"),
        ({"role": "compressor", "scheme": "sigcomp"}, "theirs does not declare the scheme sigcomp"),
        ({"role": "compressor", "modes": ["O"]}, "theirs does not declare mode O"),
        ({"role": "compressor", "profiles": ["0x0001", "0x0002"]}, "theirs does not declare profile 0x0002"),
        ({"role": "compressor", "max_cid": 16}, "theirs declares max_cid 15; 16 is needed"),
        ({"role": "compressor", "features": ["lists"]}, "theirs does not declare feature lists"),
    ],
)
def test_what_is_not_declared_is_never_asked_for(root: Path, asked: dict, reason: str) -> None:
    assert implementations.find("theirs", root).lacks(**{"scheme": "rohc", **asked}) == reason


def test_the_least_and_the_most_of_what_is_declared(root: Path) -> None:
    capabilities = "\n  - {scheme: sigcomp, roles: [endpoint], version: 2, min_version: 2, dictionaries: [sip-sdp]}\n"
    (root / "theirs" / "implementation.yaml").write_text(YAML.rstrip() + capabilities)
    theirs = implementations.find("theirs", root)
    assert theirs.lacks("endpoint", "sigcomp", version=2, min_version=2) == ""
    assert theirs.lacks("endpoint", "sigcomp", min_version=1) == "theirs declares min_version 2; 1 is needed"
    assert theirs.lacks("endpoint", "sigcomp", min_state_memory_size=0) == "", "what is not limited"
    missing = "theirs does not declare dictionary presence"
    assert theirs.lacks("endpoint", "sigcomp", dictionaries=["presence"]) == missing


def test_folders_of_it_declare_more(root: Path) -> None:
    part = root / "theirs" / "messages" / "declarations.yaml"
    part.parent.mkdir()
    part.write_text("capabilities:\n  - {scheme: sigcomp, roles: [endpoint], version: 1}\n")
    assert implementations.find("theirs", root).declared("sigcomp")["version"] == 1
    assert implementations.find("theirs", root).declared("rohc")["max_cid"] == 15
    part.write_text("capabilities:\n  - scheme: sigcomp\n    roles: [endpoint]\n    version: 9\n")
    with pytest.raises(UsageError, match=r"messages/declarations\.yaml:4: /capabilities/1/version: 9 is"):
        implementations.find("theirs", root)
    for text in ("vendor: [They]\n", "capabilities: {scheme: sigcomp}\n", "[]\n", ""):
        part.write_text(text)
        with pytest.raises(UsageError, match=r"messages/declarations\.yaml:1: .*a mapping of lists is expected"):
            implementations.find("theirs", root)


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        (
            "[{scheme: vj, roles: [compressor]}, {scheme: vj, roles: [decompressor]}]",
            "/capabilities/1/scheme: there are two entries of vj",
        ),
        (
            "[{scheme: ule, roles: [compressor, endpoint]}]",
            r"/capabilities/0/roles: endpoint is no role of ule \(known: compressor, decompressor\)",
        ),
    ],
)
def test_a_scheme_is_declared_once_and_with_its_roles(root: Path, entries: str, sentence: str) -> None:
    (root / "theirs" / "implementation.yaml").write_text(
        f"{YAML[: YAML.index('capabilities:')]}capabilities: {entries}\n"
    )
    with pytest.raises(UsageError, match=rf"implementation\.yaml:\d+: {sentence}"):
        implementations.find("theirs", root)


@pytest.mark.parametrize("name", implementations.OURS)
def test_nobody_else_takes_the_name_of_our_own(root: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = root / "theirs" / "implementation.yaml"
    path.write_text(path.read_text().replace("name: theirs", f"name: '{name}'", 1))
    with pytest.raises(UsageError, match=f":2: /name: '{name}' is Headroom's own"):
        implementations.load(root / "theirs")
    monkeypatch.setenv("HEADROOM_OUT", str(root))
    assert implementations.load(root / "theirs").name == name, "a campaign's copy"


def test_the_name_is_the_folders_where_it_is_found_by_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "theirs").rename(root / "mine")
    assert implementations.load(root / "mine").name == "theirs"
    monkeypatch.setenv("HEADROOM_IMPLEMENTATIONS_PATH", str(root))
    with pytest.raises(
        UsageError, match=r"implementation\.yaml:2: /name: the folder is called 'mine', so the name must be the same"
    ):
        implementations._load.cache_clear()
        implementations.find("mine", root)


def test_unknown_names_say_what_is_known(root: Path) -> None:
    with pytest.raises(UsageError, match=r"no implementation 'other'.*Known: theirs"):
        implementations.find("other", root)


def test_without_an_adapter(root: Path) -> None:
    path = root / "theirs" / "implementation.yaml"
    path.write_text(
        YAML.replace(
            "adapter:\n  library: lib/theirs.so\n  config: {options: {repeats: 3}}",
            'captures: [{folder: links, profile: "0x0001", mode: U, cids: small}]',
        )
    )
    with pytest.raises(UsageError, match="has no adapter"):
        implementations.find("theirs", root).library_path()


def test_captures_beside_an_adapter_are_refused(root: Path) -> None:
    """They took its place in the matrix, whose record named the adapter that had not run."""
    path = root / "theirs" / "implementation.yaml"
    path.write_text(f'{YAML}captures: [{{folder: links, profile: "0x0001", mode: U, cids: small}}]\n')
    with pytest.raises(UsageError, match="this one has an adapter: name one only"):
        implementations.find("theirs", root)


def test_those_of_the_repository() -> None:
    assert {"null", "reference"} <= set(implementations.names())
    targets = implementations.ninja_targets()
    assert targets[0] == "bin/headroom-engine"
    assert {"lib/null.so", "lib/reference.so"} <= set(targets)


def test_who_was_tested(real_build: str) -> None:
    found = implementations.identity(implementations.find("null"), real_build)
    assert found["name"] == "null"
    assert found["version"]
    assert len(found["sha256"]) == 64


def test_an_adapter_that_does_not_load_has_a_reason(root: Path, real_build: str) -> None:
    found = implementations.identity(implementations.find("theirs", root), real_build)
    assert found["sha256"] is None
    assert "theirs.so" in found["reason"]


def test_a_declared_version_and_the_digest_of_the_file_are_in_records(root: Path, real_build: str) -> None:
    path, library = root / "theirs" / "implementation.yaml", root / "theirs" / "lib" / "theirs.so"
    path.write_text(YAML.replace("vendor:", "version: 2.4-rc1\nvendor:", 1))
    library.parent.mkdir()
    shutil.copy(build_folder(real_build) / "lib" / "null.so", library)
    digest = hashlib.sha256(library.read_bytes()).hexdigest()
    found = implementations.identity(implementations.find("theirs", root), real_build)
    assert (found["version"], found["sha256"]) == ("2.4-rc1", digest)
    assert found["build"] != real_build, "the harness's preset says nothing of a library from elsewhere"
    library.write_text("no library")
    assert "theirs.so is not an ELF file, not a shared library" in implementations.find("theirs", root).unusable()
    broken = implementations.identity(implementations.find("theirs", root), real_build)
    assert broken["version"] == "2.4-rc1" and broken["reason"]
    assert not yamlfile.violations(found, yamlfile.schema("result")["$defs"]["implementation"])


def test_capture_files_have_a_digest_that_changes_with_them(root: Path) -> None:
    path, folder = root / "theirs" / "implementation.yaml", root / "theirs" / "links"
    captures = 'captures: [{folder: links, profile: "0x0001", mode: U, cids: small}]'
    path.write_text(YAML.replace("adapter:\n  library: lib/theirs.so\n  config: {options: {repeats: 3}}", captures))
    folder.mkdir()
    assert implementations.identity(implementations.find("theirs", root))["sha256"] is None
    (folder / "source.pcap").write_bytes(b"1")
    first = implementations.identity(implementations.find("theirs", root))
    assert (len(first["sha256"]), first["reason"]) == (64, "known by capture files alone")
    (folder / "rohc.pcap").write_bytes(b"2")
    assert implementations.identity(implementations.find("theirs", root))["sha256"] != first["sha256"]


def test_profiles_by_name_and_path(tmp_path: Path) -> None:
    assert "voip-amr-nb-ipv6" in profiles.names()
    assert profiles.load("voip-amr-nb-ipv6")["name"] == "voip-amr-nb-ipv6"
    with pytest.raises(UsageError, match="Close to it: voip-amr-nb-ipv"):
        profiles.load("voip-amr-nb")
    with pytest.raises(UsageError, match=r"There is no traffic profile at .*mine\.yaml"):
        profiles.load(str(tmp_path / "mine.yaml"))


def test_options_turn_a_feature_on(root: Path) -> None:
    path = root / "theirs" / "implementation.yaml"
    more = "features: [timer-based], feature_options: {timer-based: {compressor: {clock: 1}}}}"
    path.write_text(YAML.replace("max_cid: 15}", f"max_cid: 15, {more}"))
    theirs = implementations.find("theirs", root)
    assert theirs.options_for("timer-based", "compressor", "rohc") == {"clock": 1}
    assert theirs.options_for("timer-based", "decompressor", "rohc") == {}
    assert theirs.options_for("segmentation", "compressor", "rohc") == {}


@pytest.mark.parametrize(
    ("deviation", "sentence"),
    [
        ("cells: {traffic: [voip-mxied]}", r":\d+: /deviations/0/cells/traffic/0: there is no traffic 'voip-mxied'"),
        ("cells: {peers: [nobody]}", r":\d+: /deviations/0/cells/peers/0: there is no implementation 'nobody'"),
        ("cells: {links: [foggy]}", r":\d+: /deviations/0/cells/links/0: 'foggy' is not one of"),
        ("cells: {modes: [X]}", r":\d+: /deviations/0/cells/modes/0: 'X' is not one of"),
        ("cells: {colours: [red]}", r":\d+: /deviations/0/cells/colours: 'colours' is not known here \(known: peers"),
        ("cells: {transports: [sctp]}", r":\d+: /deviations/0/cells/transports/0: 'sctp' is not one of"),
        ("cells: {mechanisms: [telepathy]}", r":\d+: /deviations/0/cells/mechanisms/0: 'telepathy' is not one of"),
        (
            "cells: {mechanisms: [dynamic]}",
            r":\d+: /deviations/0/cells: mechanisms is of SigComp, which `capabilities` do not declare",
        ),
        (
            "cells: {links: [loss-1], traffic: [push-to-talk]}",
            r":\d+: /deviations/0/cells: no cell has both push-to-talk \(SigComp\) and loss-1 \(ROHC\); make two",
        ),
        (
            "breaks: [RFC3095-5.7.7-2], cells: {transports: [udp]}",
            r":\d+: /deviations/0/cells: no cell has both transports \(SigComp\) and breaks or fields \(ROHC\)",
        ),
        ("requirement: RFC3095-5.99.1-77", r":\d+: /deviations/0/requirement: there is no requirement 'RFC3095-5.99"),
        (
            "case: conformance/rohc/crc/CRC-9",
            r":\d+: /deviations/0/case: there is no case 'conformance/rohc/crc/CRC-9'",
        ),
        ("case: conformance/rohc/crk/CRC-3", r":\d+: /deviations/0/case: there is no case"),
        ("cases: [conformance/rohc/crc/CRC-3, a/b/c]", r":\d+: /deviations/0/cases/1: there is no case 'a/b/c'"),
    ],
)
def test_a_deviation_that_can_never_be_met_is_refused(root: Path, deviation: str, sentence: str) -> None:
    path = root / "theirs" / "implementation.yaml"
    path.write_text(YAML + f"deviations:\n  - {{reason: It has always been so., {deviation}}}\n")
    with pytest.raises(UsageError, match=r"implementation\.yaml" + sentence):
        implementations.find("theirs", root)


@pytest.mark.parametrize(
    "deviation",
    [
        "cells: {traffic: [voip-mixed, call.pcap], peers: [reference, theirs], links: [clean], profiles: ['0x0001']}",
        "requirement: RFC3095-5.9.1-1",
        "requirement: ABI-no_allocation",
        "case: conformance/rohc/crc/CRC-3",
        "cases: [conformance/rohc/crc/CRC-3, conformance/rohc/crc/CRC-7]",
    ],
)
def test_a_deviation_that_can_be_met(root: Path, deviation: str) -> None:
    path = root / "theirs" / "implementation.yaml"
    path.write_text(YAML + f"deviations:\n  - reason: It has always been so.\n    {deviation}\n")
    assert len(implementations.find("theirs", root).deviations) == 1


@pytest.mark.parametrize(
    ("cells", "scheme"),
    [
        ("{peers: [reference], links: [clean]}", "which"),
        ("{peers: [reference]}, scheme: sigcomp", "sigcomp"),
        ("{profiles: ['0x0001'], peers: [reference]}", "rohc"),
        ("{traffic: [voip-mixed]}", "rohc"),
        ("{traffic: [push-to-talk]}", "sigcomp"),
        ("{links: [clean, duplicates]}", "sigcomp"),
        ("{transports: [tcp], mechanisms: [default, shared], traffic: [push-to-talk], links: [clean]}", "sigcomp"),
    ],
)
def test_cells_are_of_one_scheme(root: Path, cells: str, scheme: str) -> None:
    path = root / "theirs" / "implementation.yaml"
    both = f"{YAML}  - {{scheme: sigcomp, roles: [endpoint], transports: [udp]}}\n"
    path.write_text(f"{both}deviations:\n  - {{reason: It has always been so., cells: {cells}}}\n")
    if scheme == "which":
        with pytest.raises(
            UsageError, match=r":\d+: /deviations/0/cells: cells of ROHC or of SigComp\? Say it by a word"
        ):
            implementations.find("theirs", root)
    else:
        assert implementations.find("theirs", root).deviations[0].scheme == scheme


def test_what_is_declared_and_not_described_is_an_error_of_the_implementation(tmp_path: Path, real_build: str) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    library = build_folder(real_build) / "lib" / "faulty" / "faulty_none.so"
    (folder / "implementation.yaml").write_text(
        f"{{name: mine, vendor: V, licence: L, obtain: Ask., adapter: {{library: {library}}}, "
        "capabilities: [{scheme: rohc, roles: [compressor, decompressor], profiles: ['0x0000', '0x0008'], "
        "modes: [U, O, R], cids: [small], max_cid: 15}]}"
    )
    sentence = "mine: implementation.yaml says profile 0x0008 and mode R, describe does not."
    mine = implementations.find(str(folder))
    assert implementations.untrue(mine, "compressor", find("rohc"), real_build, profiles=["0x0000"], modes=["U"]) == ""
    assert (
        implementations.untrue(mine, "compressor", find("rohc"), real_build, profiles=["0x0008"], modes=["R"])
        == sentence
    )
    with pytest.raises(Misbehaviour, match=sentence):
        sides.require(mine, "decompressor", {"profiles": ["0x0008"], "mode": "R"}, real_build)
    sentence = "mine: implementation.yaml says profile 0x0008, describe does not."
    row = support.row(str(folder), str(folder), "0x0008", "U", "small", build=real_build)
    results = matrix.run(row, support.store(tmp_path))
    assert {(one["verdict"], one["reason"]) for one in results} == {("error", sentence)}
    assert len({one["signature"] for one in results}) == 1, "said once for all of them"


def test_keys_of_an_unknown_scheme_are_not_to_blame(root: Path) -> None:
    text = YAML[: YAML.index("capabilities:")] + "capabilities: [{scheme: rohcx, roles: [compressor], cids: [small]}]\n"
    (root / "theirs" / "implementation.yaml").write_text(text)
    with pytest.raises(UsageError, match=r"there is no scheme rohcx \(known: .*rohc"):
        implementations.find("theirs", root)


def test_a_variable_of_the_user_is_not_asked_for(root: Path) -> None:
    """Its value would stand in reports, as the file that cannot be opened."""
    adapter = "adapter: {library: x.so, requires: {library: liby.so, variable: CI_TOKEN}}\n"
    text = YAML[: YAML.index("adapter:")] + adapter + YAML[YAML.index("capabilities:") :]
    (root / "theirs" / "implementation.yaml").write_text(text)
    with pytest.raises(UsageError, match="'CI_TOKEN' does not match"):
        implementations.find("theirs", root)
