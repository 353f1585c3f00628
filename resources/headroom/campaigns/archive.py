# SPDX-License-Identifier: Apache-2.0
"""A run's folder as an archive: packed by a worker, checked before and after unpacking, because it may hold anything.

The form is a tar file, compressed by gzip, with one folder of regular files. Source: POSIX.1-2017, pax.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import tarfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from headroom.core.errors import HeadroomError

MOST_OCTETS = 1 << 30  # octets unpacked; the main job's folder has a few tens of millions
MOST_PACKED = 512 << 20
HEADERS = 8192  # octets of the headers and the padding of one file, with a long name: far more than needed
MOST_FILES = 200_000
MOST_DEPTH = 20
MOST_PATH = 1024  # octets of a whole path, which the client's folder makes longer: systems allow 4,096
MOST_NAME = 255  # octets of a part of a path: the limit of file systems
CHUNK = 1 << 20


class ArchiveRefused(HeadroomError):
    """Raised if an archive breaks a rule. The message is the end of a sentence."""


@dataclass(frozen=True)
class Archive:
    """An archive. `files` maps each path, which begins with the folder's name, to its number of octets and their
    SHA-256.
    """

    octets: bytes
    sha256: str
    files: dict[str, tuple[int, str]]


def pack(folder: Path) -> Archive:
    """Packs a run's folder. Raises ArchiveRefused if it holds anything but files and folders, or more than `unpack`
    accepts.
    """
    sizes = [path.lstat().st_size for path in folder.rglob("*") if path.is_file()]
    if sum(sizes) > MOST_OCTETS or len(sizes) > MOST_FILES:
        raise ArchiveRefused(
            f"its run has {sum(sizes):,} octets in {len(sizes):,} files; at most {MOST_OCTETS:,} in {MOST_FILES:,} are "
            "sent"
        )
    files: dict[str, tuple[int, str]] = {}
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=6, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in sorted(folder.rglob("*")):
            if path.is_dir() and not path.is_symlink():
                continue
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            if path.is_symlink() or not path.is_file():
                raise ArchiveRefused(f"{name} is not a regular file")
            octets = path.read_bytes()
            member = tarfile.TarInfo(name)
            member.size = len(octets)
            archive.addfile(member, io.BytesIO(octets))
            files[name] = (len(octets), hashlib.sha256(octets).hexdigest())
    content = packed.getvalue()
    return Archive(content, hashlib.sha256(content).hexdigest(), files)


def unpack(octets: Any, sha256: Any, files: Any, target: Path) -> Path:
    """Unpacks an archive into the new folder `target` and returns the folder within. Raises ArchiveRefused; `target` is
    then removed.
    """
    manifest = _manifest(files)
    if not isinstance(octets, bytes) or len(octets) > MOST_PACKED:
        raise ArchiveRefused(f"it is larger than {MOST_PACKED:,} octets, or not an archive")
    if hashlib.sha256(octets).hexdigest() != sha256:
        raise ArchiveRefused("its digest does not match the one that came with it")
    _check(octets, manifest)
    target.mkdir(parents=True)
    try:
        with _opened(octets, manifest) as archive:
            for member in archive:
                _write(archive, member, target)
        _verify(target, manifest)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    return target / next(iter(manifest)).split("/")[0]


class _Limited:
    """A stream that fails once it has given more octets than the files and their headers need: a few packed octets can
    hold any number of others.
    """

    def __init__(self, octets: bytes, most: int) -> None:
        self.stream = gzip.GzipFile(fileobj=io.BytesIO(octets))
        self.left = most

    def read(self, size: int) -> bytes:
        octets = self.stream.read(min(size, self.left + 1))
        self.left -= len(octets)
        if self.left < 0:
            raise ArchiveRefused("it is larger than its list says")
        return octets


def _opened(octets: bytes, manifest: dict[str, tuple[int, str]]) -> tarfile.TarFile:
    most = sum(size for size, _ in manifest.values()) + HEADERS * (len(manifest) + 8)
    return tarfile.open(fileobj=_Limited(octets, most), mode="r|")  # type: ignore[call-overload, no-any-return]


def _manifest(files: Any) -> dict[str, tuple[int, str]]:
    """The files that a worker names, checked: all paths stay inside one folder."""
    if not isinstance(files, Mapping) or not files:
        raise ArchiveRefused("it names no files")
    if len(files) > MOST_FILES:
        raise ArchiveRefused(f"it names {len(files):,} files; more than {MOST_FILES:,} are surely not meant")
    try:
        manifest = {str(name): (int(size), str(digest)) for name, (size, digest) in files.items()}
    except (TypeError, ValueError, OverflowError) as error:
        raise ArchiveRefused(f"its list of files is damaged ({error})") from error
    folders = {str(parent) for name in manifest for parent in PurePosixPath(name).parents}
    for name in manifest:
        check_name(name)
        if name in folders:
            raise ArchiveRefused(f"{name[:200]!r} is a file and a folder")
    if sum(size for size, _ in manifest.values()) > MOST_OCTETS or min(size for size, _ in manifest.values()) < 0:
        raise ArchiveRefused(f"it is larger than {MOST_OCTETS:,} octets")
    if len({name.split("/")[0] for name in manifest}) != 1:
        raise ArchiveRefused("it holds more than one folder")
    return manifest


def check_name(name: str) -> None:
    """Raises ArchiveRefused unless a path is relative, plain, and below one folder."""
    parts = name.split("/")
    plain = PurePosixPath(name).as_posix() == name and name.isprintable() and "\\" not in name
    if name.startswith("/") or ".." in parts or not plain or len(parts) < 2:
        raise ArchiveRefused(f"{name[:200]!r} is not a path below its folder")
    lengths = [len(part.encode()) for part in parts]
    if len(parts) > MOST_DEPTH or sum(lengths) > MOST_PATH or max(lengths) > MOST_NAME:
        raise ArchiveRefused(f"{name[:200]!r} is longer or deeper than any path of a run")


def _check(octets: bytes, manifest: dict[str, tuple[int, str]]) -> None:
    """Reads the archive once without writing anything, and checks that each member is a regular file of the list, and
    occurs once.
    """
    left = dict(manifest)
    try:
        with _opened(octets, manifest) as archive:
            for member in archive:
                name = member.name
                check_name(name)
                if not member.isreg() or member.issparse():
                    raise ArchiveRefused(f"{name} is not a regular file")
                if name not in left:
                    raise ArchiveRefused(f"{name} {'stands twice in it' if name in manifest else 'is not on its list'}")
                if member.size != left.pop(name)[0]:
                    raise ArchiveRefused(f"the size of {name} is not that of the list")
    except (tarfile.TarError, OSError, EOFError, ValueError, RecursionError, zlib.error) as error:
        raise ArchiveRefused(f"it cannot be read ({error})") from error
    if left:
        raise ArchiveRefused(f"{next(iter(left))} is missing")


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    """Writes a member, whose name has been checked, as a new file."""
    path = target / member.name
    path.parent.mkdir(parents=True, exist_ok=True)
    source = archive.extractfile(member)
    assert source is not None
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    with os.fdopen(descriptor, "wb") as file:
        shutil.copyfileobj(source, file, CHUNK)
        file.flush()
        os.fsync(file.fileno())


def _verify(target: Path, manifest: dict[str, tuple[int, str]]) -> None:
    """Checks that the files on the disk are those of the list."""
    there = {path.relative_to(target).as_posix(): path for path in target.rglob("*") if not path.is_dir()}
    if there.keys() != manifest.keys():
        raise ArchiveRefused("the unpacked files are not those of its list")
    for name, path in there.items():
        octets = path.read_bytes()
        if (len(octets), hashlib.sha256(octets).hexdigest()) != manifest[name]:
            raise ArchiveRefused(f"the digest of {name} is wrong")
