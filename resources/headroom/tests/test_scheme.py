# SPDX-License-Identifier: Apache-2.0
"""Schemes are found by their folders."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headroom.core import scheme_registry
from headroom.core.contract import CLEAN
from headroom.core.errors import UsageError
from headroom.core.paths import ROOT


def test_every_folder_is_a_scheme() -> None:
    folders = {path.parent.name for path in (ROOT / "resources/headroom/schemes").glob("*/scheme.py")}
    assert set(scheme_registry.all_schemes()) == folders
    assert "rohc" in folders


def test_an_unknown_scheme_is_refused_with_those_known() -> None:
    with pytest.raises(UsageError, match=r"There is no scheme 'morse'\. Known: .*rohc"):
        scheme_registry.find("morse")


def test_axes_and_links_name_each_other_rightly() -> None:
    for one in scheme_registry.in_matrix().values():
        axes = {axis.name: axis.names for axis in one.axes}
        values = [value for axis in one.axes for value in axis.values]
        for value in (*values, *one.links):
            for name, words in value.only.items():
                assert set(words) <= set(axes[name]), f"{one.name}: {value.name}"
        assert one.links[0].name == CLEAN and one.links[0].harmless


def test_words_name_a_scheme_where_only_one_has_them() -> None:
    assert scheme_registry.named({"modes": ("O",), "links": ("clean",)}) == {"rohc": "modes"}
    assert scheme_registry.named({"traffic": ("push-to-talk",), "links": ("loss-1",)}) == {
        "sigcomp": "push-to-talk",
        "rohc": "loss-1",
    }
    assert scheme_registry.named({"traffic": ("call.pcap",), "links": ("clean",)}) == {"rohc": "call.pcap"}
    assert scheme_registry.named({"modes": (), "links": ("clean",)}) == {}


def test_axes_are_of_one_scheme() -> None:
    assert scheme_registry.of_axes(["transport", "mechanism"]).name == "sigcomp"
    for names in ([], ["mode", "transport"], ["colour"]):
        with pytest.raises(
            UsageError, match=r"No scheme, or more than one, has the axes .* Known: .*rohc profile, mode"
        ):
            scheme_registry.of_axes(names)


def test_an_axis_that_two_schemes_share(monkeypatch: pytest.MonkeyPatch) -> None:
    first = scheme_registry.find("rohc")
    second = replace(first, name="second", axes=(first.axis("mode"), first.axis("cids")))
    monkeypatch.setattr(scheme_registry, "in_matrix", lambda: {"rohc": first, "second": second})
    assert scheme_registry.of_axes(["mode", "cids"], "second") is second
    assert scheme_registry.of_axes(["mode", "cids"], "rohc") is first
    assert scheme_registry.of_axes(["profile", "mode"], "second") is first, "the suite's scheme lacks an axis"
    with pytest.raises(UsageError, match="No scheme, or more than one, has the axes mode, cids"):
        scheme_registry.of_axes(["mode", "cids"], "mine")
