# SPDX-License-Identifier: Apache-2.0
"""Adapters of any commit, built in a repository of their own that borrows the user's objects; the user's tree and
repository are never written to.

A linked worktree would keep its HEAD and index in the `.git` of the repository that made it, which for a copy of a
checkout is the original's. All commits are built at the same path, so that equal sources make equal binaries, by the
preset that the commit has. A build by an earlier compiler, or for a checkout elsewhere, is made again.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from headroom.core import process_group
from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError
from headroom.core.git import git
from headroom.core.paths import ROOT, sha256_of, shown
from headroom.nightly import relink

COMPILER = "headroom-compiler.txt"  # a file in a build's folder
ALTERNATES = "objects/info/alternates"  # a file in a .git, gitrepository-layout(5)
Say = Callable[[str], None]


class BuildFailed(HeadroomError):
    """Raised if a commit does not build."""

    exit_code = 3


class Checkout:
    """Commits of the repository at `root`, checked out in `folder`."""

    def __init__(self, folder: Path, root: Path = ROOT, say: Say = lambda sentence: None) -> None:
        self.folder = folder
        self.root = root
        self.say = say

    def resolve(self, name: str) -> str:
        """The commit of a name. Raises UsageError if there is none, as in a shallow clone."""
        process = self._git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        if process.returncode == 0:
            return process.stdout.strip()
        if self._git("rev-parse", "--git-dir").returncode != 0:
            raise EnvironmentLacks(f"{self.root} is not a git repository, so there is no commit '{name}'.")
        shallow = self._git("rev-parse", "--is-shallow-repository").stdout.strip() == "true"
        hint = " This clone is shallow: `git fetch --unshallow` fetches the rest." if shallow else ""
        raise UsageError(f"There is no commit '{name}' in this repository.{hint}")

    def head(self) -> tuple[str, bool]:
        """The commit of the user's tree, and True if it has uncommitted changes. Raises EnvironmentLacks outside a
        repository.
        """
        head = self._git("rev-parse", "HEAD")
        if head.returncode != 0:
            raise EnvironmentLacks(f"{self.root} is not a git repository, so no commit can be built.")
        return head.stdout.strip(), bool(self._git("status", "--porcelain").stdout.strip())

    def commits(self, old: str, new: str) -> list[str]:
        """The commits after `old` up to `new`, oldest first."""
        process = self._git("rev-list", "--reverse", "--first-parent", f"{old}..{new}")
        return process.stdout.split() if process.returncode == 0 else []

    def build(self, commit: str, target: str, preset: str) -> Path:
        """Builds one file (a ninja target) of a commit, and returns it. Raises BuildFailed."""
        self._check_out(commit)
        folder = self.folder / "build" / preset
        log = self.folder.parent / f"{self.folder.name}-build.log"
        short = commit[:12]
        self.say(f"building {target} of {short} ({preset})")
        with log.open("w", encoding="utf-8") as out:
            if (folder / "CMakeCache.txt").is_file() and not self._is_ours(folder):
                shutil.rmtree(folder, ignore_errors=True)
            self._step(["cmake", "--preset", preset], out, f"configuring {short}", log)  # its flags may have changed
            (folder / COMPILER).write_text(self._compiler(folder), encoding="utf-8")
            self._step(["ninja", "-C", str(folder), target], out, f"building {short}", log)
        built = folder / target
        if not built.is_file():
            raise BuildFailed(f"The commit {short} has no {target}.")
        return built

    def _is_ours(self, folder: Path) -> bool:
        """True if a build was made here, and by the present compiler."""
        try:
            home = _cached(folder, "CMAKE_HOME_DIRECTORY")
            return Path(home) == self.folder and (folder / COMPILER).read_text("utf-8") == self._compiler(folder)
        except OSError:
            return False

    def _compiler(self, folder: Path) -> str:
        """The first line of the version that the compiler of a build prints."""
        program = _cached(folder, "CMAKE_CXX_COMPILER") or _cached(folder, "CMAKE_C_COMPILER")
        try:
            process = subprocess.run(
                [program, "--version"], capture_output=True, text=True, errors="replace", timeout=60
            )
        except (OSError, subprocess.SubprocessError):
            return ""
        return (process.stdout.splitlines() or [""])[0]

    def relinked(self, commit: str, digest: str, target: str, preset: str, to: Path) -> list[Path]:
        """Builds a file of a commit in other layouts (`headroom.nightly.relink`), each below `to`. Raises BuildFailed,
        also if it cannot be linked in another order, or no longer has that SHA-256.
        """
        built = self.build(commit, target, preset)
        if sha256_of(built) != digest:
            raise BuildFailed(f"{target} of {commit[:12]} is not the same when it is built again.")
        folder = self.folder / "build" / preset
        listing = subprocess.run(
            ["ninja", "-C", str(folder), "-t", "commands", "-s", target], capture_output=True, text=True
        )
        files = []
        for layout in relink.LAYOUTS:
            output = to / f"layout-{layout}" / built.name
            output.parent.mkdir(parents=True, exist_ok=True)
            try:
                linking = listing.stdout.splitlines()[-1] if listing.stdout.strip() else ""
                other = relink.relinking(linking, output.resolve(), layout)
            except relink.NotRelinkable as error:
                raise BuildFailed(f"{target} of {commit[:12]} cannot be linked in another order: {error}.") from None
            output.with_suffix(".padding.s").write_text(other.padding, encoding="ascii")
            log = output.with_suffix(".log")
            with log.open("w", encoding="utf-8") as out:
                for command in other.commands:
                    self._step(["sh", "-c", command], out, f"relinking {commit[:12]}", log, folder)
            files.append(output)
        return files

    def prepare(self) -> None:
        """Makes the folder a Git repository that borrows the objects of the checkout at `root`, unless it is one."""
        objects, shallow = self._path_in_git("objects"), self._path_in_git("shallow")
        own = self.folder / ".git"
        if not _is_borrowing(own, objects):
            self._remove()
            kind = self._git("rev-parse", "--show-object-format").stdout.strip() or "sha1"
            process = git(self.root, "init", "--quiet", "--template=", f"--object-format={kind}", str(self.folder))
            if process.returncode != 0:
                raise BuildFailed(f"No repository can be made in {shown(self.folder)}: {_last_line(process)}")
            (own / "objects" / "info").mkdir(parents=True, exist_ok=True)
            (own / ALTERNATES).write_text(f"{objects}\n", encoding="utf-8", errors="surrogateescape")
        if shallow.is_file():
            shutil.copyfile(shallow, own / "shallow")
        else:
            (own / "shallow").unlink(missing_ok=True)

    def _path_in_git(self, name: str) -> Path:
        """A path in the repository of the root, which worktrees share."""
        return (self.root / self._git("rev-parse", "--git-path", name).stdout.rstrip("\n")).resolve()

    def _remove(self) -> None:
        """Removes the folder. If it is a worktree of an earlier version, also removes its entry in the repository."""
        if self._is_worktree_of_root():
            self._git("worktree", "remove", "--force", str(self.folder))
        shutil.rmtree(self.folder, ignore_errors=True)

    def _is_worktree_of_root(self) -> bool:
        """True if the folder is a worktree of the root's repository. A copy of a worktree is not one: its `.git` leads
        to the original's.
        """
        try:
            entry = Path((self.folder / ".git").read_text(encoding="utf-8").removeprefix("gitdir:").strip())
            back = Path((entry / "gitdir").read_text(encoding="utf-8").strip())
        except (OSError, ValueError):
            return False
        return back == self.folder / ".git" and entry.parent.resolve() == self._path_in_git("worktrees")

    def _check_out(self, commit: str) -> None:
        for _ in range(2):
            self.prepare()
            process = git(self.folder, "checkout", "--quiet", "--force", "--detach", commit)
            if process.returncode == 0:
                git(self.folder, "clean", "-fdq", "-e", "build")
                return
            self._remove()  # files of a killed git may be in the way
        raise BuildFailed(f"The commit {commit[:12]} cannot be checked out: {_last_line(process)}")

    def _step(self, command: list[str], out: object, doing: str, log: Path, at: Path | None = None) -> None:
        for program in command[:1]:
            if shutil.which(program) is None:
                raise EnvironmentLacks(f"A commit cannot be built without {program}, which is not installed.")
        process = process_group.start(command, cwd=at or self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        try:
            code = process.wait()
        finally:
            process_group.stop(process)
        if code != 0:
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            wrong = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")
            raise BuildFailed(f"{doing[0].upper()}{doing[1:]} failed ({shown(log)}): {wrong.strip()[:300]}")

    def _git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return git(self.root, *arguments)


def _is_borrowing(own: Path, objects: Path) -> bool:
    """True if `own`, a `.git`, is a folder and neither a link nor a file, and Git also looks for its objects in the
    folder `objects`.
    """
    try:
        borrowed = (own / ALTERNATES).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return False
    return own.is_dir() and not own.is_symlink() and borrowed == f"{objects}\n"


def _last_line(process: subprocess.CompletedProcess[str]) -> str:
    return (process.stderr.strip().splitlines() or ["git said nothing"])[-1]


def _cached(folder: Path, name: str) -> str:
    """A value of a build's CMakeCache.txt; "" if it has none. Raises OSError."""
    text = (folder / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    return next((line.partition("=")[2] for line in text.splitlines() if line.startswith(f"{name}:")), "")
