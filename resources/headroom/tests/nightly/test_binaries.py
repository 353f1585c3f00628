# SPDX-License-Identifier: Apache-2.0
"""Which builds are kept, and how long."""

from pathlib import Path

import pytest

from headroom.core.errors import EnvironmentLacks
from headroom.nightly import binaries
from headroom.nightly.binaries import Binary, BinaryStore


def keep(store: BinaryStore, folder: Path, number: int, **more: object) -> Binary:
    path = folder / "adapter.so"
    path.write_text(f"build {number}", encoding="utf-8")
    settings = {"commit": f"c{number}", "changed": False, "compiler": "GNU 12"}
    return store.keep(path, **{**settings, "night": f"202601{number:02}T000000Z", **more})


def test_what_is_kept_is_found_by_digest_and_commit(tmp_path: Path) -> None:
    store = BinaryStore(tmp_path / "store")
    kept = keep(store, tmp_path, 1)
    assert store.find(kept.digest) == kept
    assert store.of_commit("c1", "GNU 12") == kept
    assert store.of_commit("c1", "GNU 13") is None
    assert kept.path.read_text(encoding="utf-8") == "build 1"


def test_commits_with_the_same_build_are_all_known(tmp_path: Path) -> None:
    store = BinaryStore(tmp_path / "store")
    for number, commit in enumerate(("c1", "c2", "c1"), 1):
        kept = keep(store, tmp_path, 7, commit=commit, night=f"2026010{number}T000000Z")
    assert (kept.commits, kept.commit) == (("c2", "c1"), "c1")
    kept = keep(store, tmp_path, 7, commit="c0", night="")  # a step of a bisection, which is no night
    assert (kept.commit, kept.last_used) == ("c1", "20260103T000000Z")
    assert all(store.of_commit(one, "GNU 12") == kept for one in ("c0", "c1", "c2"))


def test_a_changed_tree_with_the_octets_of_a_commit_is_that_commit(tmp_path: Path) -> None:
    store = BinaryStore(tmp_path / "store")
    keep(store, tmp_path, 7, commit="c1")
    kept = keep(store, tmp_path, 7, commit="c2", changed=True)
    assert not kept.changed and kept.commits == ("c1", "c2")


def test_a_changed_tree_is_no_build_of_a_commit(tmp_path: Path) -> None:
    store = BinaryStore(tmp_path / "store")
    keep(store, tmp_path, 1, changed=True)
    assert store.of_commit("c1", "GNU 12") is None


def test_a_broken_copy_is_not_there(tmp_path: Path) -> None:
    store = BinaryStore(tmp_path / "store")
    kept = keep(store, tmp_path, 1)
    kept.path.write_text("something else", encoding="utf-8")
    assert store.find(kept.digest) is None
    (kept.path.parent / "about.json").write_text("{", encoding="utf-8")
    assert store.find(kept.digest) is None


def test_marks_and_fourteen_nights_stay(tmp_path: Path) -> None:
    store = BinaryStore(tmp_path / "store")
    kept = [keep(store, tmp_path, number) for number in range(1, 21)]
    store.mark("pinned", kept[0])
    store.mark("last-good", kept[1])
    engine = tmp_path / "engine"
    engine.write_text("engine", encoding="utf-8")
    used, unused = store.keep_engine(engine), None
    engine.write_text("older engine", encoding="utf-8")
    unused = store.keep_engine(engine)
    gone = store.prune({used.name})
    assert set(gone) == {one.digest for one in kept[2:6]} | {unused.name}
    assert store.marked("pinned") == kept[0]
    assert store.engine(used.name) == used and store.engine(unused.name) is None


def test_marks_that_are_no_marks_are_none(tmp_path: Path) -> None:
    store = BinaryStore(tmp_path / "store")
    keep(store, tmp_path, 1)
    for text in ("[]", "{", '{"pinned": "../../etc"}'):
        (store.folder / "marks.json").write_text(text, encoding="utf-8")
        assert store.marked("pinned") is None


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, octets: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(binaries, "write_atomically", full)
    with pytest.raises(EnvironmentLacks, match="disk is full"):
        keep(BinaryStore(tmp_path / "store"), tmp_path, 1)
