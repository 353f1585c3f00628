# SPDX-License-Identifier: Apache-2.0
"""A cell passes only if a judge restores what is on its link."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.core.paths import build_folder
from headroom.schemes.rohc.interop import restored_by_judges
from headroom.schemes.rohc.judge.framework.errors import Unsupported
from headroom.tests.interop import support
from headroom.tests.interop.support import result_of


@pytest.mark.parametrize("profile", ["0x0000", "0x0001"])
def test_two_sides_that_only_copy_fail(tmp_path: Path, real_build: str, profile: str) -> None:
    library = build_folder(real_build) / "lib" / "null.so"
    how, profiles = f"adapter: {{library: {library}}}", f'"{profile}"'
    copier = support.implementation(tmp_path, "copier", how, profiles=profiles, wire="")
    one = support.cell(copier, copier, real_build, "voip-amr-nb-ipv4", profile=profile, packets=50)
    result = result_of(one, support.store(tmp_path))
    assert (result["verdict"], result["signature"]) == ("fail", restored_by_judges.SIGNATURE)
    assert "neither judge restores it" in result["reason"]


@pytest.mark.parametrize("mode", ["U", "O", "R"])
@pytest.mark.parametrize(("source", "profile"), [("voip-amr-nb-ipv4", "0x0001"), ("udp-dns-like-ipv4", "0x0002")])
def test_the_judge_alone_restores_what_the_reference_sends(
    tmp_path: Path, real_build: str, mode: str, source: str, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restored_by_judges, "_is_restored_by_reference", lambda *_: False)
    one = support.cell("reference", "reference", real_build, source, profile=profile, packets=200, mode=mode)
    assert result_of(one, support.store(tmp_path))["verdict"] == "pass"


@pytest.mark.parametrize(
    ("feature", "is_restored", "wanted", "words"),
    [
        ("null-esp", True, "pass", ""),
        ("timer-based", False, "pass", "The link was not read: no judge here knows timer-based."),
        ("null-esp", False, "unsupported", "It would need null-esp, which reference does not declare."),
    ],
)
def test_a_link_that_nobody_can_read_is_not_said_to_be_right(
    tmp_path: Path,
    real_build: str,
    monkeypatch: pytest.MonkeyPatch,
    feature: str,
    is_restored: bool,
    wanted: str,
    words: str,
) -> None:
    def unknown(*_: object) -> None:
        raise Unsupported("RFC3095-5.8.4.3-2", "A header is of a kind that it does not know.", feature)

    monkeypatch.setattr(restored_by_judges, "_first_unrestored", unknown)
    monkeypatch.setattr(restored_by_judges, "_is_restored_by_reference", lambda *_: is_restored)
    one = support.cell("reference", "reference", real_build, "voip-amr-nb-ipv4", profile="0x0001", packets=20)
    result = result_of(one, support.store(tmp_path))
    assert result["verdict"] == wanted
    assert words in result["reason"]
    assert bool(result["reason"]) == bool(words)
