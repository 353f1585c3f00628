# SPDX-License-Identifier: Apache-2.0
"""Temporary folders in which adapters may write."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from headroom.core import scratch


def _nest(folder: Path, levels: int) -> None:
    """Makes folders in each other, more than a path can name."""
    inner = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=inner)
        outer, inner = inner, os.open("d", os.O_RDONLY | os.O_DIRECTORY, dir_fd=inner)
        os.close(outer)
    os.close(inner)


def test_whatever_is_left_behind_is_removed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("not to be followed")
    with scratch.folder("headroom-test-") as folder:
        _nest(folder, 3 * sys.getrecursionlimit())
        (folder / "closed" / "in it").mkdir(parents=True)
        (folder / "closed").chmod(0)
        (folder / "link").symlink_to(tmp_path)
    assert not folder.exists() and kept.exists() and kept.stat().st_mode & 0o777 == 0o644


def test_a_folder_in_the_place_of_a_file_is_removed(tmp_path: Path) -> None:
    for path in (tmp_path / "cache", tmp_path / "missing"):
        if path.name == "cache":
            (path / "x").mkdir(parents=True)
        scratch.remove(path)
        assert not path.exists()


def test_a_link_is_removed_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").touch(0o400)
    (tmp_path / "cache").symlink_to(tmp_path / "folder")
    scratch.remove(tmp_path / "cache")
    assert not (tmp_path / "cache").is_symlink()
    assert (tmp_path / "folder" / "file").stat().st_mode & 0o777 == 0o400
