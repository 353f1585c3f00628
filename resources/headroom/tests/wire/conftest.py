# SPDX-License-Identifier: Apache-2.0
"""What tests of the wire need: a build whose engine is a stand-in for a node."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


@pytest.fixture
def node_build(tmp_path: Path) -> str:
    """A build whose engine is `fake_node.py`, as the path that `build` options take."""
    program = tmp_path / "build" / "bin" / "headroom-engine"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).with_name("fake_node.py")} "$@"\n')
    program.chmod(0o755)
    return str(tmp_path / "build")
