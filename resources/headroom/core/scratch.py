# SPDX-License-Identifier: Apache-2.0
"""Temporary folders in which adapters may write: whatever they leave there is removed."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headroom.core.errors import disk_error


@contextmanager
def folder(prefix: str) -> Iterator[Path]:
    """A new folder, removed afterwards with all that is in it. REQUIRES: no process writes there any more by then.
    Raises EnvironmentLacks where none can be made."""
    try:
        made = Path(tempfile.mkdtemp(prefix=prefix))
    except OSError as error:
        raise disk_error(error, "making a temporary folder") from error
    try:
        yield made
    finally:
        remove(made)


def remove(path: Path) -> None:
    """Removes a file, or a folder, if there is one. The functions of Python's library end in errors where folders lie
    too deep in each other, or cannot be searched."""
    if path.is_symlink():  # chmod would follow it
        path.unlink()
        return
    subprocess.run(["chmod", "-R", "u+rwX", "--", path], stderr=subprocess.DEVNULL, check=False)
    subprocess.run(["rm", "-rf", "--", path], stderr=subprocess.DEVNULL, check=False)
