# SPDX-License-Identifier: Apache-2.0
"""Which builds are kept, and how long."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from headroom.core.errors import EnvironmentLacks
from headroom.core.paths import sha256_of
from headroom.nightly import binaries
from headroom.nightly.binaries import Binary, BinaryStore
from headroom.nightly.measurer import copied


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


@pytest.mark.parametrize("content", ["", "[]", "7", "[" * 100_000], ids=range(4))
def test_damaged_documents_name_no_binary(tmp_path: Path, content: str) -> None:
    store = BinaryStore(tmp_path / "store")
    kept = keep(store, tmp_path, 1)
    (kept.path.parent / binaries.ABOUT).write_text(content, encoding="utf-8")
    (store.folder / "marks.json").write_text(content, encoding="utf-8")
    assert store.find(kept.digest) is None and store.marked("pinned") is None


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


def link(library: Path, code: str, *words: str) -> None:
    library.parent.mkdir(parents=True, exist_ok=True)
    compiler = [
        "gcc",
        "-shared",
        "-fPIC",
        "-x",
        "c",
        "-",
        "-x",
        "none",
        "-o",
        str(library),
        *words,
        f"-Wl,-soname,{library.name}",
    ]
    subprocess.run(compiler, input=code.encode(), check=True)


@pytest.fixture
def delivered(tmp_path: Path) -> Path:
    """An adapter with its codec in a library in a folder beside it."""
    adapter = tmp_path / "delivered" / "vendor.so"
    codec = adapter.parent / "deps" / "libcodec.so"
    link(codec, "int codec(void) { return 42; }")
    link(adapter, "int codec(void); int answer(void) { return codec(); }", str(codec), "-Wl,-rpath,$ORIGIN/deps")
    return adapter


def answer(adapter: Path) -> str:
    """What an adapter answers in a process of its own, which has loaded nothing before."""
    words = [sys.executable, "-c", "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).answer())", str(adapter)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def test_the_libraries_beside_an_adapter_are_kept_with_it(tmp_path: Path, delivered: Path) -> None:
    store = BinaryStore(tmp_path / "store")
    old = store.keep(delivered, "", False, "GNU 12", "20260101T000000Z")
    assert (old.beside, store.find(old.digest)) == (("deps/libcodec.so",), old)
    link(delivered.parent / "deps" / "libcodec.so", "int codec(void) { return 43; }")
    new = store.keep(delivered, "", False, "GNU 12", "20260102T000000Z")
    assert new.digest != old.digest, "the adapter is the same, and its codec is not"
    with copied(new.path) as copy:
        assert [answer(one) for one in (old.path, new.path, copy)] == ["42", "43", "43"]
    (old.path.parent / "deps" / "libcodec.so").unlink()
    assert store.find(old.digest) is None


def test_a_device_is_no_library(tmp_path: Path) -> None:
    store = BinaryStore(tmp_path / "store")
    kept = keep(store, tmp_path, 1)
    about = kept.path.parent / "about.json"
    about.write_text(json.dumps({**json.loads(about.read_text()), "beside": ["/dev/zero"]}), encoding="utf-8")
    assert store.find(kept.digest) is None


def test_an_adapter_that_is_a_link_has_what_lies_beside_the_link(tmp_path: Path, delivered: Path) -> None:
    linked = tmp_path / "linked" / "vendor.so"
    (linked.parent / "deps").mkdir(parents=True)
    linked.symlink_to(delivered)
    link(linked.parent / "deps" / "libcodec.so", "int codec(void) { return 44; }")
    kept = BinaryStore(tmp_path / "store").keep(linked, "", False, "GNU 12", "20260101T000000Z")
    assert answer(linked) == answer(kept.path) == "44"


def test_an_adapter_whose_libraries_lie_elsewhere_is_one_file(tmp_path: Path, delivered: Path) -> None:
    away = tmp_path / "elsewhere" / "vendor.so"
    codec = delivered.parent / "deps" / "libcodec.so"
    link(away, "int codec(void); int answer(void) { return codec(); }", str(codec), f"-Wl,-rpath,{codec.parent}")
    kept = BinaryStore(tmp_path / "store").keep(away, "", False, "GNU 12", "20260101T000000Z")
    assert (kept.beside, kept.digest) == ((), sha256_of(away))
    assert answer(kept.path) == "42"


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, octets: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(binaries, "write_atomically", full)
    with pytest.raises(EnvironmentLacks, match="disk is full"):
        keep(BinaryStore(tmp_path / "store"), tmp_path, 1)
