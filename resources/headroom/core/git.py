# SPDX-License-Identifier: Apache-2.0
"""git, called so that nothing of the user's leads it elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from headroom.core.errors import EnvironmentLacks


def git(folder: Path, *words: str, timeout_s: float | None = None) -> subprocess.CompletedProcess[str]:
    """Runs a git command in a repository. Raises EnvironmentLacks where git is not installed, or takes longer than
    `timeout_s`; a status other than 0 is the caller's to judge."""
    if shutil.which("git") is None:
        raise EnvironmentLacks("git is not installed (apt-get install git).")
    # A hook of the user's, or a git command above this one, must not lead elsewhere.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # Nor is an index refreshed in passing: that of a copied worktree is the original's.
    command = ["git", "-C", str(folder), "--no-optional-locks", "-c", "core.hooksPath=/dev/null", *words]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, errors="surrogateescape", env=environment, timeout=timeout_s
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentLacks(f"`git {words[0]}` took more than {timeout_s:g} s in {folder}.") from error
