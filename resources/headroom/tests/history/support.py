# SPDX-License-Identifier: Apache-2.0
"""Points, series and rows as tests of the history need them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from headroom.history.rows import COLUMNS, group
from headroom.history.series import Point, Series, SeriesKey

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
