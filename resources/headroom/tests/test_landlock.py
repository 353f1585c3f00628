# SPDX-License-Identifier: Apache-2.0
"""Landlock as the sandbox: what may be read, and what may be made in the folders of outputs."""

import os
from pathlib import Path

import pytest

from headroom.core import excess, landlock, sandbox
from headroom.core.sandbox import Walls

pytestmark = pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")


def test_files_alone_can_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The harness writes evidence into the folders of outputs, and would follow a link."""
    monkeypatch.setattr(sandbox, "lacking", lambda ports=False: "it is not there")
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.touch()

    def status_of(command: str) -> int:
        walls = Walls(writes=(str(inside),))
        return excess.hear(["/bin/sh", "-c", f"cd {inside} && {command}"], walls, 20)[0]

    for make in (f"ln -s {outside} link", f"ln {outside} hard", "mkdir folder", "mkfifo pipe"):
        assert status_of(make) != 0, make
    assert status_of("echo x > .part && mv .part file && rm file && echo x > file") == 0
    assert [path.name for path in inside.iterdir()] == ["file"]


@pytest.mark.skipif(os.geteuid() != 0, reason="the secrets are root's")
def test_secrets_of_root_cannot_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """They lie among files that every program reads."""
    monkeypatch.setattr(sandbox, "lacking", lambda ports=False: "it is not there")
    (tmp_path / "private").mkdir()
    files = {name: tmp_path / name for name in ("passwd", "shadow", "private/key")}
    for path in files.values():
        path.touch()
    monkeypatch.setattr(sandbox, "SECRETS_OF_ROOT", (str(files["shadow"]), str(tmp_path / "private")))
    read = {name: excess.hear(["cat", str(path)], Walls(), 20)[0] == 0 for name, path in files.items()}
    assert read == {"passwd": True, "shadow": False, "private/key": False}
