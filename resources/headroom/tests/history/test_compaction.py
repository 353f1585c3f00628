# SPDX-License-Identifier: Apache-2.0
"""Months put into one file each, what is removed, and processes that are killed meanwhile."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headroom.history import store
from headroom.history.store import COMPACTED, History
from headroom.tests.history.support import KEY, in_child, night, path_of, point, three_nights, values

pytestmark = pytest.mark.slow

SIGKILLED = -signal.SIGKILL


def test_compaction_keeps_every_row(tmp_path: Path) -> None:
    history = three_nights(tmp_path)
    history.add([point(31, 31.0)])
    before = history.table().sort_by([("metric", "ascending"), ("night", "ascending")])
    assert len(history.compact(night(31))) == 1
    after = history.table().sort_by([("metric", "ascending"), ("night", "ascending")])
    assert after.equals(before)
    assert sorted(one.path.name for one in history.files()) == ["20261002T020000Z.parquet", COMPACTED]
    assert history.compact(night(31)) == []


def _meanwhile(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, act: Callable[[], object]) -> None:
    """Another process acts before the first call of a function."""
    real, left = getattr(owner, name), [act]

    def call(*arguments: object, **named: object) -> object:
        if left:
            left.pop()()
        return real(*arguments, **named)

    monkeypatch.setattr(owner, name, call)


@pytest.mark.parametrize(
    ("owner", "name"), [(store, "_query"), (History, "_validated"), (History, "_compacted_nights"), (os, "stat")]
)
def test_a_reader_sees_every_row_while_a_month_is_compacted(
    tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch, owner: object, name: str
) -> None:
    other = three_nights(tmp_path)
    if name == "_compacted_nights":
        other.compact(night(31))
        other.add([point(3, 3.0), point(3, None, replace(KEY, metric="other"))])
    before = other.table().num_rows
    reader = History(tmp_path, warnings.append)
    _meanwhile(monkeypatch, owner, name, lambda: in_child(lambda: other.compact(night(31))))
    assert reader.table().num_rows == before
    assert warnings == []


def test_a_reader_of_a_folder_in_which_files_always_change_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = three_nights(tmp_path)
    real = store._query
    added = iter(range(3, 31))

    def query(*arguments: object) -> object:
        history.add([point(next(added))])
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "_query", query)
    assert history.table().num_rows >= 6


def test_verifying_reads_what_a_compaction_has_made_meanwhile(
    tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = three_nights(tmp_path)
    reader = History(tmp_path, warnings.append)
    read: list[str] = []
    real = History._read

    def reading(self: History, path: Path, *more: object) -> object:
        if self is reader and not read:
            in_child(lambda: other.compact(night(31)))
        if self is reader:
            read.append(path.name)
        return real(self, path, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(History, "_read", reading)
    reader.verify()
    assert read[-1] == COMPACTED
    assert warnings == []


# ---- what is removed


@pytest.mark.parametrize("compacted", [False, True])
def test_a_night_is_forgotten(tmp_path: Path, warnings: list[str], compacted: bool) -> None:
    history = History(tmp_path, warnings.append)
    for index in range(3):
        history.add([point(index, float(index)), point(index, 1.0, replace(KEY, machine="lab"))][:1])
    history.add([point(1, 7.0, replace(KEY, machine="lab"))])
    if compacted:
        history.compact(night(60))
    assert history.forget("rack", night(1))
    assert history.nights("rack") == [night(0), night(2)]
    assert history.nights("lab") == [night(1)]
    assert not history.forget("rack", night(1))
    assert history.forget("rack", night(0)) and history.forget("rack", night(2))
    assert history.nights("rack") == []
    assert warnings == []
    history.add([point(1, 9.0)])
    assert history.nights("rack") == [night(1)], "it may be measured again"


def test_what_killed_writers_left_is_swept(tmp_path: Path) -> None:
    history = three_nights(tmp_path)
    digest = tmp_path / "binaries" / "rack" / ("a" * 64)
    (digest / "bin").mkdir(parents=True)
    left = [
        path_of(history).parent / ".abcdefgh.part",
        digest / ".abcdefgh.part",
        digest / "bin" / ".abcdefgh.part",
        digest.parent / ".abcdefgh.part",
        tmp_path / ".abcdefgh.part",
        digest / ".copy-abcdefgh" / "adapter.so",
        digest.parent / ".layouts-abcdefgh" / "new" / "adapter.so",
    ]
    for path in (*left, digest / "adapter.so"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
    history.sweep()
    assert [path for path in left if path.exists()] == []
    assert not (digest / ".copy-abcdefgh").exists() and not (digest.parent / ".layouts-abcdefgh").exists()
    assert (digest / "adapter.so").exists()
    assert history.table().num_rows == 6


def test_a_month_with_what_is_no_number_is_compacted(tmp_path: Path) -> None:
    history = three_nights(tmp_path)
    history.add([point(3, trials=(math.nan, 1.0))])
    assert len(history.compact(night(31))) == 1
    assert [one.path.name for one in history.files()] == [COMPACTED]


def test_a_foreign_file_beside_a_compacted_month_stays(tmp_path: Path, warnings: list[str]) -> None:
    three_nights(tmp_path).compact(night(31))
    history = History(tmp_path, warnings.append)
    month = path_of(history).parent
    pq.write_table(pa.table({"a": [1]}), month / "other.parquet")
    os.mkfifo(month / "pipe.parquet")
    assert history.compact(night(31)) == []
    assert sorted(one.name for one in month.iterdir()) == [COMPACTED, "other.parquet", "pipe.parquet"]
    assert len(warnings) == 2


def test_a_month_that_goes_on_is_not_compacted(tmp_path: Path) -> None:
    assert three_nights(tmp_path).compact(night(5)) == []


def _killed_at(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """The process dies before the call of a number of those that change a file."""
    left = [count]

    def wrapped(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return real(*arguments, **named)

        return call

    for name in ("replace", "unlink", "link", "fsync", "chmod", "open"):
        monkeypatch.setattr(os, name, wrapped(getattr(os, name)))


def test_compaction_may_be_killed_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before each call that changes a file: every night is there once, and the next compaction ends the work."""
    killed = 0
    for step in range(60):
        history = three_nights(tmp_path / str(step))
        before = {key: one.values.tolist() for key, one in history.series().items()}

        def compact(history: History = history, step: int = step) -> None:
            with pytest.MonkeyPatch.context() as patched:
                _killed_at(patched, step)
                history.compact(night(60))

        status = in_child(compact)
        assert status in (0, SIGKILLED)
        table = history.table(columns=["metric", "night"]).to_pylist()
        assert len(table) == 6, f"killed at step {step}"
        assert len({(row["metric"], row["night"]) for row in table}) == 6
        history.compact(night(60))
        assert [path.name for path in (tmp_path / str(step)).rglob("*.parquet") if path.name[0] != "."] == [COMPACTED]
        after = {key: one.values.tolist() for key, one in history.series().items()}
        assert str(after) == str(before)
        if status == 0:
            break
        killed += 1
    else:
        pytest.fail("the compaction never ends")
    assert killed >= 6


def test_a_night_may_be_killed_anywhere(tmp_path: Path) -> None:
    killed = 0
    for step in range(40):
        history = History(tmp_path / str(step))
        history.add([point(0)])

        def add(history: History = history, step: int = step) -> None:
            with pytest.MonkeyPatch.context() as patched:
                _killed_at(patched, step)
                history.add([point(1)])

        status = in_child(add)
        assert values(history) in ([100.0], [100.0, 100.0])
        if status == 0:
            break
        killed += 1
        if len(values(history)) == 1:
            history.add([point(1)])
    else:
        pytest.fail("the night never ends")
    assert killed >= 4
