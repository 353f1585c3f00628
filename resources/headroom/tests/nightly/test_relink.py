# SPDX-License-Identifier: Apache-2.0
"""Builds that are linked again in other orders."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from headroom.core.paths import sha256_of
from headroom.nightly import relink
from headroom.nightly.checkout import BuildFailed, Checkout
from headroom.nightly.measurer import ArmFile
from headroom.tests.nightly import planted

LINKING = (
    ": && /usr/bin/g++ -fPIC -O2   -shared  -o lib/reference.so 'a b/adapter.cc.o'  x/libx.a  y/liby.a  "
    "/usr/lib/libcrypto.so && :"
)


def test_inputs_are_turned_and_nothing_is_lost() -> None:
    orders = []
    for layout in relink.LAYOUTS:
        found = relink.relinking(LINKING, Path("/tmp/o/reference.so"), layout)
        assemble, link = map(shlex.split, found.commands)
        assert assemble[:4] == link[:4] == ["/usr/bin/g++", "-fPIC", "-O2", "-shared"]
        assert link[4:7] == ["-o", "/tmp/o/reference.so", "/tmp/o/reference.padding.o"]
        inputs = link[link.index("-Wl,--start-group") + 1 : link.index("-Wl,--end-group")]
        assert sorted(inputs) == ["a b/adapter.cc.o", "x/libx.a", "y/liby.a"]
        assert link[-1] == "/usr/lib/libcrypto.so"
        orders.append((*inputs, found.padding))
    assert len(set(orders)) == len(relink.LAYOUTS)


@pytest.mark.parametrize("linking", ["", ": && :", "cp a b", "g++ -shared -o lib/x.so -lcrypto", "g++ -o"])
def test_what_links_nothing_is_refused(linking: str) -> None:
    with pytest.raises(relink.NotRelinkable):
        relink.relinking(linking, Path("x.so"), 1)


def test_an_adapter_works_in_every_layout(real_build: str, tmp_path: Path) -> None:
    made = planted.repository(tmp_path / "repository")
    made.commit(planted.source(0, "good"), "good")
    measurer = planted.measurer(made, tmp_path)
    kept = measurer.kept(made.commits[0])
    files = measurer.relinked(kept, tmp_path / "layouts")
    plain = kept.path
    assert len({sha256_of(path) for path in (plain, *files)}) == 1 + len(relink.LAYOUTS)
    places = {place_of("copy", path) for path in (plain, *files)}
    assert len(places) == 1 + len(relink.LAYOUTS)
    sentinel = measurer.sentinels()[0][0]
    arms = {str(number): ArmFile(path) for number, path in enumerate(files)}
    assert all(trials for trials in measurer.measure(sentinel, arms, 1, count=False).values())


def place_of(function: str, library: Path) -> str:
    """Where a function stands in a library."""
    lines = subprocess.run(["nm", str(library)], check=True, capture_output=True, text=True).stdout.splitlines()
    return next(line.split()[0] for line in lines if line.split()[-1] == function)


def test_a_commit_that_does_not_build_is_not_relinked(tmp_path: Path) -> None:
    made = planted.repository(tmp_path / "repository")
    made.commit("#error this is broken\n", "broken")
    with pytest.raises(BuildFailed, match="this is broken"):
        Checkout(tmp_path / "checkout", made.root).relinked(
            made.commits[0], "0" * 64, "lib/planted.so", planted.PRESET, tmp_path / "layouts"
        )


def test_a_build_that_is_made_otherwise_now_is_not_relinked(tmp_path: Path) -> None:
    made = planted.repository(tmp_path / "repository")
    made.commit(planted.source(0, "good"), "good")
    with pytest.raises(BuildFailed, match="is not the same when it is built again"):
        Checkout(tmp_path / "checkout", made.root).relinked(
            made.commits[0], "0" * 64, "lib/planted.so", planted.PRESET, tmp_path / "layouts"
        )
