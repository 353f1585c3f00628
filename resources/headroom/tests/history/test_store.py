# SPDX-License-Identifier: Apache-2.0
"""The history on disk: whole nights, broken and foreign files, other schemas, two writers, a full disk, and a process
that is killed anywhere."""

from __future__ import annotations

import fcntl
import json
import math
import os
import signal
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headroom.core.errors import UsageError
from headroom.history import store
from headroom.history.rows import COLUMNS
from headroom.history.series import Point
from headroom.history.store import COMPACTED, History
from headroom.tests.history.support import HOSTILE, KEY, in_child, night, path_of, point, three_nights, values

SIGKILLED = -signal.SIGKILL


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


def _table(index: int = 1, **more: object) -> pa.Table:
    return pa.Table.from_pylist([{**point(index).as_row(), **more}], schema=COLUMNS)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1PAR1", b"no Parquet at all" * 100, b"PAR1" + b"\xff" * 500])
def test_a_broken_file_is_left_out(history: History, warnings: list[str], content: bytes) -> None:
    history.add([point(0)])
    path_of(history).write_bytes(content)
    assert values(history) == [100.0]
    assert len(warnings) == 1
    assert "20260902T020000Z.parquet is left out" in warnings[0]


def test_a_truncated_file_is_left_out(history: History, warnings: list[str]) -> None:
    history.add([point(0)])
    whole = history.add([point(1)]).read_bytes()
    for size in range(0, len(whole), 97):
        warnings.clear()
        path_of(history).write_bytes(whole[:size])
        assert values(History(history.folder, warnings.append)) == [100.0]
        assert len(warnings) == 1


@pytest.mark.long
def test_a_file_whose_pages_are_broken_never_fails_the_others(history: History) -> None:
    """Wherever an octet is wrong, the other night is read, and what is read of this one is a night or nothing."""
    history.add([point(0)])
    whole = history.add([point(1, trials=tuple(map(float, range(300))))]).read_bytes()
    for place in range(4, len(whole), 23):
        path_of(history).write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        assert night(0) in {one for found in history.series().values() for one in found.nights}


def test_foreign_files_are_left_out(history: History, warnings: list[str]) -> None:
    history.add([point(0)])
    month = path_of(history).parent
    pq.write_table(pa.table({"night": ["x"]}), path_of(history))
    pq.write_table(_table(2), path_of(history, "20260904T020000Z"))
    pq.write_table(_table(1), path_of(history, machine="lab"))
    pq.write_table(_table(4, kind="riddle"), path_of(history, "20260905T020000Z"))
    pq.write_table(_table(5, night=None), path_of(history, "20260906T020000Z"))
    pq.write_table(_table(6).set_column(12, "value", pa.array(["text"])), path_of(history, "20260907T020000Z"))
    (month.parent / "month=soon").mkdir()
    pq.write_table(_table(7), month.parent / "month=soon" / "20260908T020000Z.parquet")
    (month / "20260909T020000Z.parquet").mkdir()
    assert values(history) == [100.0]
    said = "\n".join(warnings)
    for words in ("no column", "another night", "another machine", "unknown kind", "without a night", "'value'"):
        assert words in said
    assert "its path is not that of a night" in said
    assert "20260909T020000Z.parquet" in said
    assert len(warnings) == 8


def test_a_night_beyond_the_calendar_is_left_out(history: History, warnings: list[str]) -> None:
    history.add([point(0)])
    far = pa.array([2**62], pa.timestamp("us", tz="UTC"))
    place = COLUMNS.get_field_index("night")
    pq.write_table(_table(1).set_column(place, COLUMNS.field("night"), far), path_of(history))
    assert values(history) == [100.0]
    assert len(warnings) == 1


def test_a_symbolic_link_to_nowhere_is_left_out(history: History, warnings: list[str]) -> None:
    history.add([point(0)])
    path_of(history).symlink_to("nowhere")
    assert values(history) == [100.0]
    assert len(warnings) == 1


def test_a_pipe_is_left_out_unread(history: History, warnings: list[str]) -> None:
    history.add([point(0)])
    os.mkfifo(path_of(history))
    assert values(history) == [100.0]
    assert len(warnings) == 1 and "not a regular file" in warnings[0]


def test_a_warning_is_told_once(history: History, warnings: list[str]) -> None:
    history.add([point(0)])
    path_of(history).write_bytes(b"no night")
    for _ in range(3):
        history.files()
    assert len(warnings) == 1


def test_verifying_a_sound_history_warns_of_nothing(tmp_path: Path, warnings: list[str]) -> None:
    three_nights(tmp_path)
    History(tmp_path, warnings.append).verify()
    assert warnings == []


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([point(1), point(1)], "1 rows twice"),
        ([point(1, trials=(1.0, math.nan))], "not finite numbers"),
        ([point(1, trials=(math.inf,))], "not finite numbers"),
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
    assert len(warnings) == 1 and f"{name} that are not JSON objects" in warnings[0]


def test_a_log_that_is_a_pipe_is_left_out(history: History, warnings: list[str]) -> None:
    history.folder.mkdir(exist_ok=True)
    os.mkfifo(history.folder / "events.jsonl")
    assert history.log("events") == []
    assert len(warnings) == 1 and "not a regular file" in warnings[0]


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
    three_nights(tmp_path)
    history = History(tmp_path, warnings.append)
    history.add([point(3, trials=tuple(math.sin(one) for one in range(500)))])
    damaged = path_of(history, "20260904T020000Z")
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
    month = path_of(history, "month")
    _damaged(month)
    before = month.read_bytes()
    history.add([point(1)])
    assert history.nights() == [night(1)]
    assert history.compact(night(31)) == []
    assert len(warnings) == 1 and "month.parquet" in warnings[0]
    assert month.read_bytes() == before and path_of(history, "20260902T020000Z").is_file()


# ---- schemas


def test_a_newer_schema_is_read_as_far_as_it_is_known(history: History, warnings: list[str]) -> None:
    history.add([point(0)])
    newer = _table(1).append_column("energy", pa.array([1.5]))
    pq.write_table(newer.select(list(reversed(newer.column_names))), path_of(history, schema=2))
    pq.write_table(_table(2).drop_columns(["value"]), path_of(history, "20260903T020000Z", schema=3))
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
    old = path_of(history, schema=0)
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
    pq.write_table(pa.concat_tables([_old(1), _old(2)]), path_of(history, Path(COMPACTED).stem, schema=0))
    history.migrate()
    assert values(history) == [100.0, 7.0, 250.0]


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
    assert json.loads((history.folder / "events.jsonl").read_bytes().splitlines()[-1])["d"] == 4


def test_a_reader_waits_for_a_line_that_is_being_written(
    history: History, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer holds the lock of the log with half of a line in it, and ends the line once a reader waits."""
    history.folder.mkdir()
    path = history.folder / "events.jsonl"
    path.write_text('{"a": 1}\n')
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with path.open("ab", buffering=0) as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                file.write(b'{"b": ')
                os.write(ready[1], b"x")
                os.read(go[0], 1)
                file.write(b"2}\n")
        finally:
            os._exit(0)
    os.close(ready[1])  # so that a child that has failed ends the wait
    assert os.read(ready[0], 1) == b"x"
    real = fcntl.flock

    def flock(descriptor: int, operation: int) -> None:
        os.write(go[1], b"x")
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    found = history.log("events")
    os.write(go[1], b"x")
    os.waitpid(child, 0)
    assert found == [{"a": 1}, {"b": 2}]
    assert warnings == []
