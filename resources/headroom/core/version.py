# SPDX-License-Identifier: Apache-2.0
"""The version of the product. Its number stands only in `headroom/__init__.py`; a release is the tag `v` with the
number.
"""

from headroom import __version__
from headroom.core.errors import EnvironmentLacks
from headroom.core.git import git
from headroom.core.paths import ROOT

STAMP = ROOT / "commit"  # set in an image of the harness, which has no repository: 40 digits, and .changed


def with_commit() -> str:
    """The version, with `+` and the commit if it is not exactly a release and git knows it, as the launcher
    prints it.
    """
    stamp = stamped()
    commit = stamp[:8] + stamp[40:] if stamp else _described().rpartition("-g")[2]
    if commit.startswith(f"v{__version__}"):
        commit = commit.removeprefix(f"v{__version__}").removeprefix(".")
    return f"{__version__}+{commit}" if commit else __version__


def stamped() -> str:
    """The commit that an image was made from; "" elsewhere."""
    return STAMP.read_text(encoding="utf-8").strip() if STAMP.is_file() else ""


def _described() -> str:
    if not (ROOT / ".git").exists():
        return ""  # a repository above this folder is a different one
    arguments = ("--tags", "--always", "--abbrev=8", "--match", f"v{__version__}", "--dirty=.changed")
    try:
        reply = git(ROOT, "describe", *arguments, timeout_s=20)
    except (OSError, EnvironmentLacks):
        return ""
    return reply.stdout.strip() if reply.returncode == 0 else ""
