# SPDX-License-Identifier: Apache-2.0
"""Calls of the command line: in this process, which takes milliseconds, or in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from headroom.cli import app
from headroom.core import console
from headroom.core.paths import ROOT

Result = subprocess.CompletedProcess[str]


def environment(out: Path | None = None) -> dict[str, str]:
    """The environment of a call; `out` is the folder for its runs."""
    more = {"HEADROOM_OUT": str(out)} if out else {}
    return {**os.environ, "PYTHONPATH": str(ROOT / "resources"), "COLUMNS": "200", **more}


def start(*words: str, out: Path | None = None, **more: Any) -> Result:
    """Runs the command in a process of its own, as `./headroom` does. `more` is as for `subprocess.run`."""
    command = [sys.executable, "-P", "-m", "headroom", *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment(out), timeout=300, **more)


def call(*words: str, out: Path | None = None) -> Result:
    """Runs the command in this process. Exit status, stdout and stderr are those of a process of its own.

    Raises what the command does not catch, which a process would print as a traceback.
    """
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        with _restored():
            os.environ.update(environment(out))
            sys.argv = ["headroom", *words]
            sys.stdout, sys.stderr = stdout, stderr
            if app.app.registered_commands:
                app._add_commands = lambda: None  # a second time they would be there twice
            console.warn_once.cache_clear()
            try:
                app.main()
                status = 0
            except SystemExit as end:
                assert end.code is None or isinstance(end.code, int), end.code
                status = end.code or 0
            sys.stdout.flush()
            sys.stderr.flush()
        for stream in (stdout, stderr):
            stream.seek(0)
        return Result(words, status, stdout.read(), stderr.read())


@contextmanager
def _restored() -> Iterator[None]:
    """Restores what a call changes in this process."""
    before = (sys.argv, sys.stdout, sys.stderr, sys.__stderr__, app._add_commands)
    variables, folder = dict(os.environ), os.getcwd()
    try:
        yield
    finally:
        sys.argv, sys.stdout, sys.stderr, sys.__stderr__, app._add_commands = before  # type: ignore[misc]
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(variables)
