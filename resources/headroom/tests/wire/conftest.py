# SPDX-License-Identifier: Apache-2.0
"""What tests of the wire need: a build whose engine stands in for a node, and a place where their runs are noted."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from headroom.core.errors import EnvironmentLacks
from headroom.testbed import netns, runs

# Where every session of tests finds what a killed one has left.
STATES = Path("/run/headroom-tests")


@pytest.fixture(scope="session", autouse=True)
def leftovers() -> None:
    """Removes the namespaces of tests that were killed."""
    if not netns.lacks() and STATES.is_dir():
        remove_left(STATES)


def remove_left(states: Path) -> None:
    """Removes what dead processes have left, of all that is noted in the folders of a folder."""
    for folder in states.iterdir():
        with pytest.MonkeyPatch.context() as patch, contextlib.suppress(OSError, ValueError, EnvironmentLacks):
            patch.setattr(runs, "state_folder", lambda folder=folder: folder)
            netns.remove_dead()
            owner, _, started = folder.name.partition(".")[0].partition("-")
            if str(runs.start_time(int(owner))) != started:
                folder.rmdir()  # not where anything is left in it


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Runs of a test are noted in a folder of its own: nobody else's are looked at. It is there when the next session
    begins, should this one be killed."""
    folder = tmp_path / "state"
    if not netns.lacks():
        me = os.getpid()
        folder = STATES / f"{me}-{runs.start_time(me)}.{secrets.token_hex(3)}"
        STATES.mkdir(exist_ok=True)
    monkeypatch.setattr(runs, "state_folder", lambda: folder)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def node_build(tmp_path: Path) -> str:
    """A build whose engine is `fake_node.py`, as the path that `build` options take."""
    program = tmp_path / "build" / "bin" / "headroom-engine"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).with_name("fake_node.py")} "$@"\n')
    program.chmod(0o755)
    return str(tmp_path / "build")
