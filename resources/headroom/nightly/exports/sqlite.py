# SPDX-License-Identifier: Apache-2.0
"""The whole history as a SQLite database: for Grafana's SQLite data source, and for queries in SQL.

Times are seconds since 1970 in columns named `time`, as Grafana expects. `annotations` has events, epochs and alerts
with the columns that annotation queries read.
"""

from __future__ import annotations

import contextlib
import math
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from headroom.core.errors import EnvironmentLacks, disk_error
from headroom.core.paths import shown
from headroom.core.results.store import UMASK
from headroom.history.series import KEY_NAMES, Series
from headroom.history.store import History
from headroom.nightly.chart import band_limit, trials_of
from headroom.nightly.snapshot import Snapshot, take

SCHEMA = f"""
CREATE TABLE series (id TEXT PRIMARY KEY, {", ".join(f"{name} TEXT NOT NULL" for name in KEY_NAMES)},
  label TEXT NOT NULL, kind TEXT NOT NULL, unit TEXT NOT NULL, better TEXT, is_current INTEGER NOT NULL, baseline REAL,
  limit_ratio REAL, drift REAL, alerted INTEGER NOT NULL);
CREATE TABLE points (series TEXT NOT NULL REFERENCES series, time INTEGER NOT NULL, value REAL, least REAL,
  largest REAL, trials INTEGER NOT NULL, verdict TEXT, reason TEXT, git_commit TEXT,
  PRIMARY KEY (series, time)) WITHOUT ROWID;
CREATE TABLE alerts (id TEXT PRIMARY KEY, time INTEGER NOT NULL, machine TEXT NOT NULL, direction TEXT NOT NULL,
  confirmed INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT, old_commit TEXT, new_commit TEXT, title TEXT NOT NULL);
CREATE TABLE alert_series (alert TEXT NOT NULL REFERENCES alerts, series TEXT NOT NULL, baseline REAL, value REAL,
  step REAL, ratio REAL, evidence TEXT);
CREATE TABLE annotations (time INTEGER NOT NULL, machine TEXT NOT NULL, series TEXT, title TEXT NOT NULL,
  text TEXT NOT NULL, tags TEXT NOT NULL);
CREATE INDEX annotations_by_time ON annotations (machine, time);
PRAGMA user_version = 1;
"""


def write(history: History, path: Path) -> None:
    """Writes the database beside its place and moves it there whole, so that readers of the old one can go on. Raises
    EnvironmentLacks if it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        os.close(descriptor)
        try:
            with contextlib.closing(sqlite3.connect(temporary)) as connection:
                _fill(connection, take(history))
            os.chmod(temporary, 0o666 & ~UMASK)
            os.replace(temporary, path)
        finally:
            for left in (temporary, f"{temporary}-journal"):
                with contextlib.suppress(OSError):
                    os.unlink(left)
    except sqlite3.OperationalError as error:
        raise EnvironmentLacks(f"Writing {shown(path)} failed: {error}. Free some space and try again.") from error
    except OSError as error:
        raise disk_error(error, f"writing {shown(path)}", resumable=False) from error


def _fill(connection: sqlite3.Connection, snapshot: Snapshot) -> None:
    connection.executescript(SCHEMA)
    with connection:
        _insert(connection, "series", _series(snapshot))
        _insert(connection, "points", _points(snapshot))
        _insert(connection, "alerts", _alerts(snapshot))
        _insert(connection, "alert_series", _alert_series(snapshot))
        _insert(connection, "annotations", _annotations(snapshot))


def _insert(connection: sqlite3.Connection, table: str, rows: Iterator[tuple[Any, ...]]) -> None:
    for row in rows:
        marks = ", ".join("?" * len(row))
        connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", [_plain(value) for value in row])


def _plain(value: Any) -> Any:
    """A value that SQLite accepts: no infinity, no invalid Unicode, and no NUL, which ends a text for many readers."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    return value


def _series(snapshot: Snapshot) -> Iterator[tuple[Any, ...]]:
    alerted = snapshot.book.alerted()
    for entry in snapshot.judged:
        series, known = entry.series, entry.baseline
        limits = (known.median, band_limit(known)) if known is not None else (None, None)
        yield (*_described(series, snapshot), *limits, entry.drift, int(series.key.id in alerted))
    for series in snapshot.cases:
        yield (*_described(series, snapshot), None, None, None, 0)


def _described(series: Series, snapshot: Snapshot) -> tuple[Any, ...]:
    """The columns of a series that do not depend on its baseline. The last one tells if the last night of its machine
    has the series.
    """
    names = [getattr(series.key, name) for name in KEY_NAMES]
    label = " ".join(dict.fromkeys(filter(None, names)))
    is_current = int(snapshot.is_of_last_night(series))
    return (series.key.id, *names, label, series.kind, series.unit, series.better, is_current)


def _points(snapshot: Snapshot) -> Iterator[tuple[Any, ...]]:
    for series in (*(entry.series for entry in snapshot.judged), *snapshot.cases):
        for row, night in enumerate(series.nights):
            trials = trials_of(series, row)
            yield (
                series.key.id,
                int(night.timestamp()),
                float(series.values[row]),
                min(trials, default=None),
                max(trials, default=None),
                len(trials),
                series.texts[row] or None,
                series.reasons[row] or None,
                series.commits[row] or None,
            )


def _alerts(snapshot: Snapshot) -> Iterator[tuple[Any, ...]]:
    for alert in snapshot.book.alerts.values():
        yield (
            alert.id,
            int(alert.night.timestamp()),
            alert.machine,
            alert.direction,
            int(alert.confirmed),
            alert.state,
            alert.reason or None,
            alert.old_commit or None,
            alert.new_commit or None,
            alert.title,
        )


def _alert_series(snapshot: Snapshot) -> Iterator[tuple[Any, ...]]:
    for alert in snapshot.book.alerts.values():
        for changed in alert.series:
            yield (
                alert.id,
                changed.id,
                changed.baseline,
                changed.value,
                changed.step,
                changed.ratio,
                changed.evidence or None,
            )


def _annotations(snapshot: Snapshot) -> Iterator[tuple[Any, ...]]:
    for event in snapshot.events:
        for series in event.series or (None,):
            tags = f"event,{event.kind}"
            yield int(event.night.timestamp()), event.machine, series, event.kind, event.sentence, tags
    for alert in snapshot.book.alerts.values():
        text = f"{alert.commits()} ({alert.state})".strip()
        for series in [entry.id for entry in alert.series] or [None]:
            tags = f"alert,{alert.direction},{alert.state}"
            yield int(alert.night.timestamp()), alert.machine, series, alert.title, text, tags
    for entry in snapshot.judged:
        for row, changes in entry.series.condition_changes():
            night = int(entry.series.nights[row].timestamp())
            yield night, entry.series.key.machine, entry.series.key.id, "epoch", "; ".join(changes), "epoch"
