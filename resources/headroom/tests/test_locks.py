# SPDX-License-Identifier: Apache-2.0
"""Locks on files: who waits, and what a file system without locks gives."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path
from typing import Any

import pytest

from headroom.core import locks


def test_a_lock_keeps_others_away_until_it_is_closed(tmp_path: Path) -> None:
    first, second = (os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY) for _ in range(2))
    assert locks.take(first)
    assert not locks.take(second, wait=False)
    assert not locks.take(second, shared=True, wait=False)
    os.close(first)
    assert locks.take(second, wait=False)
    os.close(second)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_gives_one_warning(
    number: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def flock(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)
    monkeypatch.setattr(locks, "_warned", False)
    descriptor = os.open(tmp_path, os.O_RDONLY)
    assert locks.take(descriptor)
    assert locks.take(descriptor, wait=False)
    os.close(descriptor)
    assert capfd.readouterr().err.count("has no locks") == 1


def test_other_errors_are_raised() -> None:
    with pytest.raises(OSError, match="Bad file descriptor"):
        locks.take(10**6)
