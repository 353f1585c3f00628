# SPDX-License-Identifier: Apache-2.0
"""Archives of runs: what was packed comes out, and what is hostile does not."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from headroom.campaigns import archive
from headroom.campaigns.archive import ArchiveRefused

Files = dict[str, tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "20260102-030405-abcd"
    (folder / "results").mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    (folder / "results" / "one.json").write_bytes(b"\0" * 5000)
    return folder


def tar(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as made:
        for member, content in members:
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def file(
    name: str, content: bytes = b"x", kind: bytes = tarfile.REGTYPE, link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    return member, content if kind == tarfile.REGTYPE else b""


def listed(*members: tuple[tarfile.TarInfo, bytes]) -> Files:
    return {one.name: (len(content), hashlib.sha256(content).hexdigest()) for one, content in members}


def unpack(octets: bytes, files: Files, target: Path) -> Path:
    return archive.unpack(octets, hashlib.sha256(octets).hexdigest(), files, target)


def test_what_was_packed_comes_out(run: Path, tmp_path: Path) -> None:
    packed = archive.pack(run)
    found = archive.unpack(packed.octets, packed.sha256, packed.files, tmp_path / "target")
    assert found == tmp_path / "target" / run.name
    there = {path.relative_to(run): path.read_bytes() for path in run.rglob("*") if path.is_file()}
    assert {path.relative_to(found): path.read_bytes() for path in found.rglob("*") if path.is_file()} == there
    assert archive.pack(run) == packed, "the same folder makes the same octets"


def test_a_link_in_a_run_is_not_packed(run: Path) -> None:
    (run / "link").symlink_to("/etc/hostname")
    with pytest.raises(ArchiveRefused, match=r"link is not a regular file"):
        archive.pack(run)


def test_a_fifo_in_a_run_is_not_read(run: Path) -> None:
    os.mkfifo(run / "fifo")
    with pytest.raises(ArchiveRefused, match="fifo is not a regular file"):
        archive.pack(run)


HOSTILE: dict[str, Callable[[], tuple[tarfile.TarInfo, bytes]]] = {
    "above": lambda: file("run/../../escaped"),
    "absolute": lambda: file("/tmp/escaped"),
    "outside a folder": lambda: file("escaped"),
    "a link": lambda: file("run/link", kind=tarfile.SYMTYPE, link="/etc/passwd"),
    "a hard link": lambda: file("run/link", kind=tarfile.LNKTYPE, link="run/a"),
    "a device": lambda: file("run/null", kind=tarfile.CHRTYPE),
    "a fifo": lambda: file("run/fifo", kind=tarfile.FIFOTYPE),
    "a folder": lambda: file("run/results", kind=tarfile.DIRTYPE),
    "backslashes": lambda: file("run/..\\escaped"),
    "a control character": lambda: file("run/a\nb"),
    "a doubled slash": lambda: file("run//b"),
    "a part that is too long": lambda: file(f"run/{'a' * 300}"),
    "too deep": lambda: file("run/" + "a/" * 50 + "b"),
    "not on the list": lambda: file("run/unlisted"),
    "twice": lambda: file("run/a"),
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("is_listed", [True, False])
def test_hostile_members_are_refused_before_anything_is_written(tmp_path: Path, kind: str, is_listed: bool) -> None:
    first, member = file("run/a"), HOSTILE[kind]()
    files = listed(first, member) if is_listed else listed(first)
    if kind == "not on the list":
        files = listed(first)
    with pytest.raises(ArchiveRefused):
        unpack(tar(first, member), files, tmp_path / "target")
    assert list(tmp_path.rglob("*")) == []
    assert not Path("/tmp/escaped").exists()


def test_a_wrong_digest_is_refused(run: Path, tmp_path: Path) -> None:
    packed = archive.pack(run)
    with pytest.raises(ArchiveRefused, match="its digest"):
        archive.unpack(packed.octets, "0" * 64, packed.files, tmp_path / "target")
    wrong = {name: (size, "0" * 64) for name, (size, _) in packed.files.items()}
    with pytest.raises(ArchiveRefused, match="the digest of"):
        archive.unpack(packed.octets, packed.sha256, wrong, tmp_path / "target")
    assert not (tmp_path / "target").exists()


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    first, second = file("run/a"), file("run/b")
    with pytest.raises(ArchiveRefused, match=r"run/b is missing"):
        unpack(tar(first), listed(first, second), tmp_path / "target")


def test_two_folders_are_refused(tmp_path: Path) -> None:
    first, second = file("run/a"), file("other/b")
    with pytest.raises(ArchiveRefused, match="more than one folder"):
        unpack(tar(first, second), listed(first, second), tmp_path / "target")


def test_a_few_octets_that_hold_very_many_are_refused(tmp_path: Path) -> None:
    bomb = gzip.compress(file("run/a")[0].tobuf() + b"\0" * (64 << 20))
    with pytest.raises(ArchiveRefused, match=r"larger than its list says|is not that of the list|cannot be read"):
        unpack(bomb, listed(file("run/a")), tmp_path / "target")
    header = tarfile.TarInfo("run/a")
    header.size = 1 << 40
    with pytest.raises(ArchiveRefused, match="is not that of the list"):
        unpack(gzip.compress(header.tobuf()), listed(file("run/a")), tmp_path / "target")
    with pytest.raises(ArchiveRefused, match="larger than"):
        unpack(b"", {"run/a": (1 << 40, "")}, tmp_path / "target")


WRONG = [b"", b"no archive", gzip.compress(b"no tar" * 200), tar(file("run/a"))[:60]]


@pytest.mark.parametrize("octets", WRONG, ids=("empty", "text", "compressed text", "cut off"))
def test_what_is_no_archive_is_refused(tmp_path: Path, octets: bytes) -> None:
    with pytest.raises(ArchiveRefused):
        unpack(octets, listed(file("run/a")), tmp_path / "target")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("files", [None, {}, [], {"run/a": 3}, {"run/a": ("x", "y")}, {"run/a": (-1, "")}])
def test_lists_that_are_none_are_refused(tmp_path: Path, files: object) -> None:
    octets = tar(file("run/a"))
    with pytest.raises(ArchiveRefused):
        archive.unpack(octets, hashlib.sha256(octets).hexdigest(), files, tmp_path / "target")
