# SPDX-License-Identifier: Apache-2.0
"""The chain of a history: nights and entries of logs that are changed, removed or added are named."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from headroom.cli.app import _add_commands, app
from headroom.core.results import chain
from headroom.history.store import COMPACTED, History
from headroom.tests.history.support import night, path_of, point, three_nights
from headroom.tests.test_chain import killed_at

EVENTS = [{"kind": "note", "number": number} for number in range(4)]


def problems(folder: Path) -> list[tuple[str, str]]:
    return [(Path(one.file).name, one.what) for one in chain.verify(folder, chain.HISTORY).problems]


def verified(folder: Path, *words: str) -> tuple[int, dict[str, Any]]:
    if not app.registered_commands:
        _add_commands()
    found = CliRunner().invoke(app, ["verify", str(folder), *words, "--json"], catch_exceptions=False)
    return found.exit_code, json.loads(found.stdout)


def test_what_a_history_does_itself_is_no_change(tmp_path: Path) -> None:
    history = three_nights(tmp_path)
    history.append("events", EVENTS)
    assert problems(tmp_path) == []
    history.compact(night(31))
    history.add([point(31)])
    assert problems(tmp_path) == [] and len(chain.verify(tmp_path, chain.HISTORY).files) == 2
    assert history.forget("rack", night(1))
    assert problems(tmp_path) == []
    assert verified(tmp_path)[0] == 0


def test_nights_that_are_changed_removed_or_added_are_named(tmp_path: Path) -> None:
    history = three_nights(tmp_path)
    changed, removed, whole = (path_of(history, f"2026090{day}T020000Z") for day in (1, 2, 3))
    table = pq.read_table(changed, partitioning=None)
    pq.write_table(table.set_column(table.schema.get_field_index("unit"), "unit", pa.array(["s", "s"])), changed)
    removed.unlink()
    whole.with_name("20260909T020000Z.parquet").write_bytes(whole.read_bytes())
    expected = [(changed.name, "changed"), (removed.name, "missing"), ("20260909T020000Z.parquet", "added")]
    assert problems(tmp_path) == expected
    status, document = verified(tmp_path)
    assert (status, document["kind"]) == (1, "history")
    assert [Path(one["file"]).name for one in document["problems"][:3]] == [name for name, _ in expected]


@pytest.mark.parametrize("log", ["events", "alerts"])
@pytest.mark.parametrize("how", ["last entry", "all", "a pipe"])
def test_a_head_that_was_published_shows_that_entries_of_a_log_were_removed(tmp_path: Path, log: str, how: str) -> None:
    history = three_nights(tmp_path)
    history.append(log, EVENTS)
    head = verified(tmp_path)[1]["head"]
    assert verified(tmp_path, "--head", head)[0] == 0
    path = tmp_path / f"{log}.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.unlink()
    if how == "a pipe":
        os.mkfifo(path)
    if how == "last entry":
        path.write_text("".join(lines[:-1]))
    status, document = verified(tmp_path, "--head", head)
    assert status == 1 and document["head"] != head
    assert any("The head is" in problem["sentence"] for problem in document["problems"])


@pytest.mark.long
def test_a_writer_that_is_killed_at_any_instant_leaves_a_valid_chain(tmp_path: Path) -> None:
    def work(folder: Path) -> None:
        history = three_nights(folder)
        history.compact(night(31))
        history.forget("rack", night(1))

    step = 0
    while killed_at(step, partial(work, folder := tmp_path / str(step))):
        if folder.is_dir():
            assert problems(folder) == [] or not (folder / chain.FILE).exists(), step
            with History(folder).lock():
                History(folder).add([point(40)])
            assert problems(folder) == [], step
        step += 1
    assert step > 30


def test_a_history_without_a_chain_begins_one_with_its_nights(tmp_path: Path) -> None:
    history = three_nights(tmp_path)
    (tmp_path / chain.FILE).unlink()
    assert verified(tmp_path)[0] == 1
    with history.lock():
        history.add([point(40)])
    assert problems(tmp_path) == [] and len(chain.verify(tmp_path, chain.HISTORY).files) == 4


@pytest.mark.parametrize("how", ["changed", "removed", "added", "without a digest"])
def test_an_entry_of_a_log_that_is_not_as_it_was_written_is_named(
    history: History, warnings: list[str], how: str
) -> None:
    history.append("events", EVENTS[:2])
    history.append("events", EVENTS[2:])
    assert history.log("events") == EVENTS and not warnings
    path = history.folder / "events.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    if how == "changed":
        lines[1] = lines[1].replace(b'"number": 1', b'"number": 7')
    elif how == "removed":
        del lines[1]
    else:
        entry = json.loads(lines[1])
        if how == "without a digest":
            del entry["before"]
        lines.insert(1, json.dumps(entry | {"number": 9}).encode() + b"\n")
    path.write_bytes(b"".join(lines))
    history.log("events")
    line = 3 if how in ("changed", "added") else 2
    assert any(f"events.jsonl, line {line}, does not have the digest of the line before it" in one for one in warnings)


def test_entries_of_earlier_versions_have_no_digest(history: History, warnings: list[str]) -> None:
    history.folder.mkdir()
    (history.folder / "events.jsonl").write_text('{"number": 0}\n{"number": 1}\n')
    history.append("events", EVENTS[:1])
    assert len(history.log("events")) == 3 and not warnings


def test_a_broken_page_is_named_by_rows_and_column(tmp_path: Path, warnings: list[str]) -> None:
    history = three_nights(tmp_path)
    path = path_of(history)
    column = pq.read_metadata(path).row_group(0).column(2)
    octets = bytearray(path.read_bytes())
    octets[column.data_page_offset + column.total_compressed_size // 2] ^= 1
    path.write_bytes(octets)
    History(tmp_path, warnings.append).files()
    name = pq.read_schema(path).names[2]
    assert any(f"(rows 1 to 2, column '{name}')" in one for one in warnings), warnings
    assert COMPACTED not in warnings[0]
