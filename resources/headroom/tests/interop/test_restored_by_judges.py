# SPDX-License-Identifier: Apache-2.0
"""A cell passes only if a judge restores what is on its link."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.core.paths import build_folder
from headroom.schemes.rohc.interop import restored_by_judges
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
