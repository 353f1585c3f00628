# SPDX-License-Identifier: Apache-2.0
"""Calls of git that neither hooks of the user's nor the environment of another git command redirect."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from headroom.core.errors import EnvironmentLacks


def git(folder: Path, *arguments: str, timeout_s: float | None = None) -> subprocess.CompletedProcess[str]:
    """Runs a git command in a repository. Raises EnvironmentLacks if git is not installed, or takes longer than
    `timeout_s`; the caller judges the exit status.
    """
    if shutil.which("git") is None:
        raise EnvironmentLacks("git is not installed (apt-get install git).")
    # A hook of the user's, or a git command above this one, must not redirect this one.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # The index is not refreshed either: a copied worktree shares the index of its original.
    command = ["git", "-C", str(folder), "--no-optional-locks", "-c", "core.hooksPath=/dev/null", *arguments]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, errors="surrogateescape", env=environment, timeout=timeout_s
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentLacks(f"`git {arguments[0]}` took more than {timeout_s:g} s in {folder}.") from error
