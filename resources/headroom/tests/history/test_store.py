# SPDX-License-Identifier: Apache-2.0
"""The history on disk: whole nights, broken and foreign files, other schemas, two writers, a full disk, and a process
that is killed anywhere."""

from __future__ import annotations

import json
import math
import os
import resource
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.history import store
from headroom.history.rows import COLUMNS
from headroom.history.series import Point
from headroom.history.store import COMPACTED, History
from headroom.tests.history.support import HOSTILE, KEY, night, point

SIGKILLED = -signal.SIGKILL


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def history(tmp_path: Path, warnings: list[str]) -> History:
    return History(tmp_path / "history", warnings.append)


def values(history: History) -> list[float]:
    """The values of the one series of a history."""
    (only,) = history.series().values()
    return only.values.tolist()


def in_child(act: Callable[[], object], kilobytes: int | None = None) -> int:
    """Exit status of a process of its own that acts, negative for a signal; with the largest size of a file."""
    child = os.fork()
    if child == 0:
        status = 70
        try:
            if kilobytes is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes << 10, kilobytes << 10))
            act()
            status = 0
        except EnvironmentLacks:
            status = 3
        except UsageError:
            status = 2
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


# ---- nights


def test_what_was_written_is_read_back(history: History, warnings: list[str]) -> None:
    conditions = {"kernel": "6.1"}
    history.add([point(0, 100.5, reason="a reason", digests={"compressor": "ab"}, conditions=conditions)])
    history.add([point(1, None, trials=())])
    (only,) = history.series("rack").values()
    assert only.key == KEY
    assert only.nights == [night(0), night(1)]
    assert only.values[0] == 100.5
    assert only.values[1] != only.values[1], "NaN"
    assert list(only.trials[0]) == [101.0, 100.0]
    assert only.library(0) == {"compressor": "ab"}
    assert only.reasons[0] == "a reason"
    assert history.nights() == [night(0), night(1)]
    assert history.series("another") == {}
    assert not warnings


def test_an_empty_history_has_nothing(history: History) -> None:
    assert history.series() == {}
    assert history.nights() == []
    assert history.log("events") == []
    assert history.compact(night(99)) == []
    assert history.migrate() == []


def test_a_night_is_never_written_twice(history: History) -> None:
    path = history.add([point(0)])
    before = path.read_bytes()
    with pytest.raises(UsageError, match="already"):
        history.add([point(0, 1.0)])
    assert path.read_bytes() == before
    assert sorted(one.name for one in path.parent.iterdir()) == [path.name], "no temporary file is left"


def test_a_night_of_a_compacted_month_is_never_written_twice(history: History) -> None:
    history.add([point(0)])
    history.compact(night(60))
    with pytest.raises(UsageError, match="already"):
        history.add([point(0, 1.0)])
    assert values(history) == [100.0]


def test_a_clock_that_went_back_adds_an_older_night(history: History) -> None:
    for index in (5, 3, 4):
        history.add([point(index, float(index))])
    assert values(history) == [3.0, 4.0, 5.0]
    history.compact(night(60))
    history.add([point(1, 1.0)])
    assert values(history) == [1.0, 3.0, 4.0, 5.0]
    history.compact(night(60))
    assert values(history) == [1.0, 3.0, 4.0, 5.0]
    assert [one.compacted for one in history.files()] == [True]


@pytest.mark.parametrize("machine", ["", "..", "../elsewhere", "a/b", "a b", "rack\n", "."])
def test_a_machine_that_cannot_be_a_folder_is_refused(history: History, tmp_path: Path, machine: str) -> None:
    with pytest.raises(UsageError, match="machine"):
        history.add([point(0, key=replace(KEY, machine=machine))])
    assert not list(tmp_path.rglob("*.parquet"))


def test_hostile_names_survive(history: History, warnings: list[str]) -> None:
    keys = [replace(KEY, test=text, metric=text, load=text) for text in HOSTILE]
    history.add([point(0, key=key, reason=key.test, commit=key.test, unit=key.test[:9]) for key in keys])
    found = history.series()
    assert set(found) == set(keys)
    assert {one.reasons[0] for one in found.values()} == set(HOSTILE)
    assert not warnings


def test_what_is_no_unicode_becomes_a_question_mark(history: History) -> None:
    history.add([point(0, key=replace(KEY, test="\udcff!"))])
    (key,) = history.series()
    assert key.test == "?!"


@pytest.mark.parametrize("name", ["with [brackets]", "nights*", "night?", "it's", "ünï"])
def test_the_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    """And is never taken for a pattern that its neighbours match."""
    for neighbour in ("nights", "nights-of-others", "nightA"):
        History(tmp_path / neighbour).add([point(0, 1.0)])
    history = History(tmp_path / name)
    history.add([point(0)])
    history.add([point(1)])
    assert history.table(columns=["value"])["value"].to_pylist() == [100.0, 100.0]


# ---- files that are not ours


def _path(history: History, name: str = "20260902T020000Z", schema: int = 1, machine: str = "rack") -> Path:
    path = history.folder / f"schema={schema}" / f"machine={machine}" / "month=2026-09" / f"{name}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _table(index: int = 1, **more: object) -> pa.Table:
    return pa.Table.from_pylist([{**point(index).as_row(), **more}], schema=COLUMNS)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1PAR1", b"no Parquet at all" * 100, b"PAR1" + b"\xff" * 500])
def test_a_broken_file_is_left_out(history: History, warnings: list[str], content: bytes) -> None:
    history.add([point(0)])
    _path(history).write_bytes(content)
    assert values(history) == [100.0]
    assert len(warnings) == 1
    assert "20260902T020000Z.parquet is left out" in warnings[0]


def test_a_truncated_file_is_left_out(history: History, warnings: list[str]) -> None:
    history.add([point(0)])
    whole = history.add([point(1)]).read_bytes()
    for size in range(0, len(whole), 97):
        warnings.clear()
        _path(history).write_bytes(whole[:size])
        assert values(History(history.folder, warnings.append)) == [100.0]
        assert len(warnings) == 1


def test_a_file_whose_pages_are_broken_never_fails_the_others(history: History) -> None:
    """Wherever an octet is wrong, the other night is read, and what is read of this one is a night or nothing."""
    history.add([point(0)])
    whole = history.add([point(1, trials=tuple(map(float, range(300))))]).read_bytes()
    for place in range(4, len(whole), 23):
        _path(history).write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        assert night(0) in {one for found in history.series().values() for one in found.nights}


def test_foreign_files_are_left_out(history: History, warnings: list[str]) -> None:
    history.add([point(0)])
    month = _path(history).parent
    pq.write_table(pa.table({"night": ["x"]}), _path(history))
    pq.write_table(_table(2), _path(history, "20260904T020000Z"))
    pq.write_table(_table(1), _path(history, machine="lab"))
    pq.write_table(_table(4, kind="riddle"), _path(history, "20260905T020000Z"))
    pq.write_table(_table(5, night=None), _path(history, "20260906T020000Z"))
    pq.write_table(_table(6).set_column(12, "value", pa.array(["text"])), _path(history, "20260907T020000Z"))
    (month.parent / "month=soon").mkdir()
    pq.write_table(_table(7), month.parent / "month=soon" / "20260908T020000Z.parquet")
    (month / "20260909T020000Z.parquet").mkdir()
    assert values(history) == [100.0]
    said = "\n".join(warnings)
    for words in ("no column", "another night", "another machine", "unknown kind", "without a night", "'value'"):
        assert words in said
    assert "its path is none" in said
    assert "20260909T020000Z.parquet" in said
    assert len(warnings) == 8


def test_a_night_beyond_the_calendar_is_left_out(history: History, warnings: list[str]) -> None:
    history.add([point(0)])
    far = pa.array([2**62], pa.timestamp("us", tz="UTC"))
    place = COLUMNS.get_field_index("night")
    pq.write_table(_table(1).set_column(place, COLUMNS.field("night"), far), _path(history))
    assert values(history) == [100.0]
    assert len(warnings) == 1


def test_a_symbolic_link_to_nowhere_is_left_out(history: History, warnings: list[str]) -> None:
    history.add([point(0)])
    _path(history).symlink_to("nowhere")
    assert values(history) == [100.0]
    assert len(warnings) == 1


def test_a_pipe_is_left_out_unread(history: History, warnings: list[str]) -> None:
    history.add([point(0)])
    os.mkfifo(_path(history))
    assert values(history) == [100.0]
    assert len(warnings) == 1 and "no regular file" in warnings[0]


def test_a_warning_is_told_once(history: History, warnings: list[str]) -> None:
    history.add([point(0)])
    _path(history).write_bytes(b"no night")
    for _ in range(3):
        history.files()
    assert len(warnings) == 1


def test_verifying_a_sound_history_warns_of_nothing(tmp_path: Path, warnings: list[str]) -> None:
    _three(tmp_path)
    History(tmp_path, warnings.append).verify()
    assert warnings == []


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([point(1), point(1)], "1 rows twice"),
        ([point(1, trials=(1.0, math.nan))], "no finite numbers"),
        ([point(1, trials=(math.inf,))], "no finite numbers"),
        ([point(1, value=-1.0)], "negative values"),
        ([point(1, trials=(1.0, -0.5))], "negative values"),
    ],
)
def test_rows_that_no_night_writes_are_named(
    history: History, warnings: list[str], rows: list[Point], words: str
) -> None:
    history.add(rows)
    history.verify()
    assert len(warnings) == 1 and words in warnings[0]


@pytest.mark.parametrize("name", ["digests", "conditions"])
def test_digests_and_conditions_that_are_no_objects_are_named(history: History, warnings: list[str], name: str) -> None:
    path = history.add([point(0)])
    table = pq.read_table(path, partitioning=None)
    pq.write_table(table.set_column(table.column_names.index(name), name, pa.array(["[1, 2]"])), path)
    history.verify()
    assert len(warnings) == 1 and f"{name} that are no JSON object" in warnings[0]


def test_a_log_that_is_a_pipe_is_left_out(history: History, warnings: list[str]) -> None:
    history.folder.mkdir(exist_ok=True)
    os.mkfifo(history.folder / "events.jsonl")
    assert history.log("events") == []
    assert len(warnings) == 1 and "no regular file" in warnings[0]


def _damaged(path: Path) -> None:
    """Turns an octet in the first page of the trials, behind a footer that stays whole."""
    columns = pq.read_metadata(path).row_group(0)
    (trials,) = (
        found
        for number in range(columns.num_columns)
        if (found := columns.column(number)).path_in_schema.startswith("trials")
    )
    octets = bytearray(path.read_bytes())
    octets[(trials.dictionary_page_offset or trials.data_page_offset) + trials.total_compressed_size // 2] ^= 0xFF
    path.write_bytes(octets)


def test_a_night_that_is_damaged_inside_is_left_out_and_stays(tmp_path: Path, warnings: list[str]) -> None:
    _three(tmp_path)
    history = History(tmp_path, warnings.append)
    history.add([point(3, trials=tuple(math.sin(one) for one in range(500)))])
    damaged = _path(history, "20260904T020000Z")
    _damaged(damaged)
    before = damaged.read_bytes()
    assert night(3) not in history.nights()
    assert len(warnings) == 1 and "20260904T020000Z" in warnings[0]
    assert len(history.compact(night(31))) == 1
    assert sorted(one.name for one in damaged.parent.iterdir()) == [damaged.name, "month.parquet"]
    assert damaged.read_bytes() == before


def test_a_month_that_is_damaged_inside_is_never_replaced(tmp_path: Path, warnings: list[str]) -> None:
    history = History(tmp_path, warnings.append)
    history.add([point(0, trials=tuple(math.sin(one) for one in range(500)))])
    history.compact(night(31))
    month = _path(history, "month")
    _damaged(month)
    before = month.read_bytes()
    history.add([point(1)])
    assert history.nights() == [night(1)]
    assert history.compact(night(31)) == []
    assert len(warnings) == 1 and "month.parquet" in warnings[0]
    assert month.read_bytes() == before and _path(history, "20260902T020000Z").is_file()


# ---- schemas


def test_a_newer_schema_is_read_as_far_as_it_is_known(history: History, warnings: list[str]) -> None:
    history.add([point(0)])
    newer = _table(1).append_column("energy", pa.array([1.5]))
    pq.write_table(newer.select(list(reversed(newer.column_names))), _path(history, schema=2))
    pq.write_table(_table(2).drop_columns(["value"]), _path(history, "20260903T020000Z", schema=3))
    assert values(history) == [100.0, 100.0]
    assert len(warnings) == 1
    assert "no column 'value'" in warnings[0]


def _microseconds(table: pa.Table) -> pa.Table:
    """A migration: the schema before had values in microseconds, and no kind."""
    nanoseconds = pa.array([None if one is None else one * 1000 for one in table["us"].to_pylist()], pa.float64())
    return table.drop_columns(["us"]).append_column("value", nanoseconds)


def _old(index: int) -> pa.Table:
    return _table(index).drop_columns(["value"]).append_column("us", pa.array([0.25]))


def test_a_migration_makes_tables_of_today(history: History) -> None:
    migrated = store.migrated(_old(1), 0, {0: _microseconds})
    assert migrated.select(COLUMNS.names).cast(COLUMNS)["value"].to_pylist() == [250.0]
    twice = store.migrated(_old(1), -1, {-1: lambda table: table, 0: _microseconds})
    assert twice["value"].to_pylist() == [250.0]


def test_two_schemas_are_read_together(history: History, warnings: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    history.add([point(0)])
    old = _path(history, schema=0)
    pq.write_table(_old(1), old)
    assert values(history) == [100.0]
    assert "cannot read schema 0" in warnings[0]
    monkeypatch.setattr(store, "MIGRATIONS", {0: _microseconds})
    assert values(history) == [100.0, 250.0]
    assert len(history.migrate()) == 1
    assert not old.exists()
    assert values(history) == [100.0, 250.0]
    assert history.migrate() == []


def test_a_migration_never_overwrites_a_compacted_month(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MIGRATIONS", {0: _microseconds})
    history.add([point(0)])
    history.add([point(1, 7.0)])
    history.compact(night(60))
    pq.write_table(pa.concat_tables([_old(1), _old(2)]), _path(history, Path(COMPACTED).stem, schema=0))
    history.migrate()
    assert values(history) == [100.0, 7.0, 250.0]


# ---- compaction


def _three(folder: Path) -> History:
    history = History(folder)
    for index in range(3):
        history.add([point(index, float(index)), point(index, None, replace(KEY, metric="other"))])
    return history


def test_compaction_keeps_every_row(tmp_path: Path) -> None:
    history = _three(tmp_path)
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
    other = _three(tmp_path)
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
    history = _three(tmp_path)
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
    other = _three(tmp_path)
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
    history = _three(tmp_path)
    digest = tmp_path / "binaries" / "rack" / ("a" * 64)
    (digest / "bin").mkdir(parents=True)
    left = [
        _path(history).parent / ".abcdefgh.part",
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
    history = _three(tmp_path)
    history.add([point(3, trials=(math.nan, 1.0))])
    assert len(history.compact(night(31))) == 1
    assert [one.path.name for one in history.files()] == [COMPACTED]


def test_a_foreign_file_beside_a_compacted_month_stays(tmp_path: Path, warnings: list[str]) -> None:
    _three(tmp_path).compact(night(31))
    history = History(tmp_path, warnings.append)
    month = _path(history).parent
    pq.write_table(pa.table({"a": [1]}), month / "other.parquet")
    os.mkfifo(month / "pipe.parquet")
    assert history.compact(night(31)) == []
    assert sorted(one.name for one in month.iterdir()) == [COMPACTED, "other.parquet", "pipe.parquet"]
    assert len(warnings) == 2


def test_a_month_that_goes_on_is_not_compacted(tmp_path: Path) -> None:
    assert _three(tmp_path).compact(night(5)) == []


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
        history = _three(tmp_path / str(step))
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


# ---- the disk, and others that write


def test_a_full_disk_is_a_sentence_and_leaves_no_night(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.add([point(0)])
    many = [point(1, trials=tuple(float(n * n % 9973) for n in range(4000)))]
    assert in_child(lambda: history.add(many), kilobytes=4) == 3
    assert values(history) == [100.0]
    assert not list(tmp_path.rglob("*.part"))
    history.add(many)
    assert len(values(history)) == 2


def test_a_full_disk_leaves_the_log_readable(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.append("alerts", [{"alert": "first"}])
    status = in_child(lambda: history.append("alerts", [{"alert": "x" * 5000}]), kilobytes=2)
    assert status == 3
    said: list[str] = []
    reader = History(tmp_path, said.append)
    assert reader.log("alerts") == [{"alert": "first"}]
    assert len(said) == 1
    history.append("alerts", [{"alert": "second"}])
    assert reader.log("alerts") == [{"alert": "first"}, {"alert": "second"}]


def test_compaction_on_a_full_disk_removes_nothing(tmp_path: Path) -> None:
    history = History(tmp_path)
    for index in range(3):
        history.add([point(index, trials=tuple(float((n + index) ** 3 % 9973) for n in range(1500)))])
    assert in_child(lambda: history.compact(night(60)), kilobytes=4) == 3
    assert len(values(history)) == 3
    assert len([one for one in history.files() if not one.compacted]) == 3


def test_two_nights_never_work_at_once(history: History) -> None:
    def locked() -> None:
        with History(history.folder).lock():
            pass

    with history.lock():
        assert in_child(locked) == 3
    assert in_child(locked) == 0


def test_of_two_writers_of_one_night_one_is_refused(history: History) -> None:
    """Without the lock, which both ignore here."""
    children = []
    for value in (1.0, 2.0):
        child = os.fork()
        if child == 0:
            status = 70
            try:
                history.add([point(0, value)])
                status = 0
            except UsageError:
                status = 2
            finally:
                os._exit(status)
        children.append(child)
    ends = sorted(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)
    assert ends == [0, 2]
    assert values(history) in ([1.0], [2.0])


def test_entries_of_two_writers_stand_in_whole_lines(history: History) -> None:
    def write(name: str) -> None:
        for number in range(100):
            history.append("events", [{"from": name, "number": number, "text": "x" * 900}])

    children = []
    for name in ("a", "b"):
        child = os.fork()
        if child == 0:
            write(name)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    found = history.log("events")
    assert [one["number"] for one in found if one["from"] == "a"] == list(range(100))
    assert len(found) == 200


# ---- logs


def test_hostile_texts_survive_in_logs(history: History, warnings: list[str]) -> None:
    entries = [{"reason": text} for text in (*HOSTILE, "\udcff no Unicode")]
    history.append("alerts", entries)
    assert history.log("alerts") == entries
    assert not warnings


def test_lines_that_are_none_are_left_out(history: History, warnings: list[str]) -> None:
    history.append("events", [{"a": 1}])
    with (history.folder / "events.jsonl").open("ab") as file:
        file.write(b'\xff\xfe\n[1]\n{"b": \n\n' + b"[" * 100_000 + b"\n" + b'{"c": 3')
    history.append("events", [{"d": 4}])
    assert history.log("events") == [{"a": 1}, {"d": 4}]
    assert len(warnings) == 5
    assert all("is left out" in one for one in warnings)
    assert json.loads((history.folder / "events.jsonl").read_bytes().splitlines()[-1]) == {"d": 4}


def test_a_reader_waits_for_a_line_that_is_being_written(
    history: History, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer holds the lock of the log with half of a line in it, and ends the line once a reader waits."""
    history.append("events", [{"a": 1}])
    path = history.folder / "events.jsonl"
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        with path.open("ab", buffering=0) as file:
            store.fcntl.flock(file, store.fcntl.LOCK_EX)
            file.write(b'{"b": ')
            os.write(ready[1], b"x")
            os.read(go[0], 1)
            file.write(b"2}\n")
        os._exit(0)
    os.read(ready[0], 1)
    real = store.fcntl.flock

    def flock(file: object, operation: int) -> None:
        os.write(go[1], b"x")
        real(file, operation)  # type: ignore[arg-type]

    monkeypatch.setattr(store.fcntl, "flock", flock)
    found = history.log("events")
    os.write(go[1], b"x")
    os.waitpid(child, 0)
    assert found == [{"a": 1}, {"b": 2}]
    assert warnings == []
