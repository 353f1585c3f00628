# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from headroom import implementations, profiles
from headroom.errors import UsageError

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
    assert implementations.find("theirs", root).lacks(**asked) == reason


def test_the_name_is_the_folders(root: Path) -> None:
    (root / "theirs").rename(root / "mine")
    with pytest.raises(
        UsageError, match=r"implementation\.yaml:2: /name: the folder is called 'mine', so must be the name"
    ):
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
    assert theirs.options_for("timer-based", "compressor") == {"clock": 1}
    assert theirs.options_for("timer-based", "decompressor") == {}
    assert theirs.options_for("segmentation", "compressor") == {}
