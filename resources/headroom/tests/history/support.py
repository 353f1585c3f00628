# SPDX-License-Identifier: Apache-2.0
"""Points, series and rows as tests of the history need them."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.history.rows import COLUMNS, group
from headroom.history.series import Point, Series, SeriesKey
from headroom.history.store import History

FIRST = datetime(2026, 9, 1, 2, 0, tzinfo=UTC)
KEY = SeriesKey("rack", "performance/sentinels/Calls", "compress_ns", "reference", "reference", "calls", "1c")
HOSTILE = (
    "<script>alert(1)</script>",
    "quote \" backslash \\ apostrophe '",
    "line\nbreak\r\nand\ttab",
    "NUL \0 and bell \a",
    "separators \u2028 \u2029 \x85 \x0b \x1c",
    "emoji 🚀, right to left \u202e, combining e\u0301",
    "</title></svg><img src=x onerror=alert(1)>",
    "{{ 7*7 }} {% raw %} ${HOME} $(id) `id`; rm -rf /",
    "a" * 5000,
)


def night(index: int) -> datetime:
    return FIRST + timedelta(days=index)


def point(index: int, value: float | None = 100.0, key: SeriesKey = KEY, **more: Any) -> Point:
    return replace(Point(night(index), key, value, "ns", "lower", (101.0, 100.0), commit="c0ffee0"), **more)


def grouped(rows: Iterable[dict[str, Any]]) -> dict[SeriesKey, Series]:
    """The series of rows as `Point.as_row` makes them."""
    return group(pa.Table.from_pylist(list(rows), schema=COLUMNS))


def series(values: Sequence[float | None], key: SeriesKey = KEY, **more: Any) -> Series:
    """A series of one value a night."""
    rows = [point(index, value, key, **more).as_row() for index, value in enumerate(values)]
    return grouped(rows)[key]


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


def three_nights(folder: Path) -> History:
    history = History(folder)
    for index in range(3):
        history.add([point(index, float(index)), point(index, None, replace(KEY, metric="other"))])
    return history


def path_of(history: History, name: str = "20260902T020000Z", schema: int = 1, machine: str = "rack") -> Path:
    path = history.folder / f"schema={schema}" / f"machine={machine}" / "month=2026-09" / f"{name}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
