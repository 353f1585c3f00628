# SPDX-License-Identifier: Apache-2.0
"""Commits are checked out without a write to the repository that they are of, nor to that of which it is a copy."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from headroom.core.git import git
from headroom.nightly.checkout import Checkout
from headroom.tests.nightly.planted import PlantedRepository

HISTORY = Path("out") / "history" / "checkout"


@pytest.fixture
def original(tmp_path: Path) -> PlantedRepository:
    """A repository of three commits, which ignores out/."""
    made = PlantedRepository(tmp_path / "original", [])
    made.root.mkdir()
    made.git("init", "--quiet", "--initial-branch", "main")
    (made.root / ".gitignore").write_text("out/\n", encoding="utf-8")
    for number in range(3):
        made.commit(f"text {number}", f"commit {number}")
    return made


def state(folder: Path) -> dict[str, str]:
    """The digests of all files below a folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def checked_out(root: Path, commit: str) -> str:
    """The text of a commit as a checkout of a repository has it."""
    checkout = Checkout(root / HISTORY, root)
    checkout._check_out(checkout.resolve(commit))
    return (root / HISTORY / "adapter.c").read_text(encoding="utf-8")


def test_a_commit_is_checked_out_without_a_write_to_the_repository(original: PlantedRepository) -> None:
    original.git("status")  # refreshes its index
    before = state(original.root / ".git")
    assert checked_out(original.root, original.commits[0]) == "text 0"
    assert state(original.root / ".git") == before
    later = original.commit("later", "a commit that is made later")
    assert checked_out(original.root, later) == "later"
    assert Checkout(original.root / HISTORY, original.root).head() == (later, False)


@pytest.mark.parametrize("how", ["linked worktree", "holds a worktree", "holds a checkout"])
def test_a_copy_writes_nothing_to_the_original(original: PlantedRepository, tmp_path: Path, how: str) -> None:
    root = original.root
    if how == "linked worktree":
        root = tmp_path / "linked"
        original.git("worktree", "add", "--quiet", "--detach", str(root), original.commits[1])
    elif how == "holds a worktree":  # as an earlier version made it
        original.git("worktree", "add", "--quiet", "--detach", str(root / HISTORY), original.commits[1])
    else:
        checked_out(root, original.commits[1])
    copy = Path(shutil.copytree(root, tmp_path / "copy", symlinks=True))
    before = state(tmp_path / "original")
    assert checked_out(copy, original.commits[0]) == "text 0"
    Checkout(copy / HISTORY, copy).head()
    assert state(tmp_path / "original") == before
    if how == "holds a worktree":
        assert git(root / HISTORY, "rev-parse", "HEAD").stdout.strip() == original.commits[1]
        assert checked_out(root, original.commits[2]) == "text 2"


def test_a_worktree_of_an_earlier_version_is_replaced(original: PlantedRepository) -> None:
    original.git("worktree", "add", "--quiet", "--detach", str(original.root / HISTORY), original.commits[1])
    assert checked_out(original.root, original.commits[0]) == "text 0"
    assert original.git("worktree", "list").count("\n") == 0
    assert (original.root / HISTORY / ".git").is_dir()


def test_a_checkout_that_git_left_half_is_made_again(original: PlantedRepository) -> None:
    checked_out(original.root, original.commits[0])
    (original.root / HISTORY / ".git" / "index.lock").touch()
    assert checked_out(original.root, original.commits[1]) == "text 1"


def test_commits_of_a_shallow_clone_are_checked_out(original: PlantedRepository, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    original.git("clone", "--quiet", "--depth", "2", f"file://{original.root}", str(shallow))
    assert checked_out(shallow, original.commits[1]) == "text 1"
    assert len(git(shallow / HISTORY, "rev-list", "HEAD").stdout.split()) == 1
