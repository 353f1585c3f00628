# SPDX-License-Identifier: Apache-2.0
"""Rows of the history as tables, and series of such tables.

Whole columns are converted at once: a history of a year has half a million rows, and a dictionary for each would take
gigabytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from headroom.history.series import KEY_NAMES, Point, Series, SeriesKey

COLUMNS = pa.schema(
    [
        *(pa.field(name, pa.string()) for name in KEY_NAMES),
        pa.field("night", pa.timestamp("us", tz="UTC")),
        pa.field("value", pa.float64()),
        pa.field("unit", pa.string()),
        pa.field("better", pa.string()),
        pa.field("trials", pa.list_(pa.float64())),
        pa.field("kind", pa.string()),
        pa.field("text", pa.string()),
        pa.field("reason", pa.string()),
        pa.field("commit", pa.string()),
        pa.field("changed", pa.bool_()),
        pa.field("digests", pa.string()),
        pa.field("conditions", pa.string()),
    ]
)


def table_of(points: Iterable[Point]) -> pa.Table:
    """A table with a row for each point."""
    return pa.Table.from_pylist([_encodable(point.as_row()) for point in points], schema=COLUMNS)


def group(table: pa.Table) -> dict[SeriesKey, Series]:
    """The series of a table with `COLUMNS`, whose rows are in any order. If one night has a value twice, the later row
    counts. A change of the unit begins conditions of its own.
    """
    by_key = dict(_series(table.combine_chunks())) if table.num_rows else {}
    return dict(sorted(by_key.items()))


def _series(table: pa.Table) -> Iterator[tuple[SeriesKey, Series]]:
    names = {name: _texts(table, name) for name in KEY_NAMES}
    texts = {name: _texts(table, name) for name in ("text", "reason", "commit")}
    kinds, units, betters = (_texts(table, name, None) for name in ("kind", "unit", "better"))
    digests = _texts(table, "digests", "{}")
    conditions = _conditions(_texts(table, "conditions", "{}"), units, betters)
    nights = table["night"].cast(pa.int64()).to_numpy()
    times = _times(table)
    values = pc.fill_null(table["value"], np.nan).to_numpy()
    changed = pc.fill_null(table["changed"], False).to_numpy(zero_copy_only=False)
    trials, ends = _trials(table)
    for rows in _runs(_codes(names.values()), nights):
        last = rows[-1]
        key = SeriesKey(*(names[name][last] for name in KEY_NAMES))
        yield (
            key,
            Series(
                key=key,
                kind=kinds[last],
                unit=units[last] or "",
                better=betters[last],
                nights=times[rows].tolist(),
                values=values[rows],
                texts=texts["text"][rows].tolist(),
                reasons=texts["reason"][rows].tolist(),
                commits=texts["commit"][rows].tolist(),
                changed=changed[rows].tolist(),
                digests=digests[rows].tolist(),
                conditions=conditions[rows].tolist(),
                trials=[trials[ends[row] : ends[row + 1]] for row in rows],
            ),
        )


def _runs(codes: NDArray[np.int64], nights: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The rows of each series, by night; of several of one night, the last row."""
    order = np.lexsort((nights, codes))  # rows that are equal in both stay in their order
    sorted_codes, sorted_nights = codes[order], nights[order]
    is_last = np.append((np.diff(sorted_codes) != 0) | (np.diff(sorted_nights) != 0), True)
    order, sorted_codes = order[is_last], sorted_codes[is_last]
    yield from np.split(order, np.flatnonzero(np.diff(sorted_codes)) + 1)


def _codes(columns: Iterable[NDArray[np.object_]]) -> NDArray[np.int64]:
    """A number for each row; it is equal for rows that are equal in all columns."""
    codes: NDArray[np.int64] | None = None
    for column in columns:
        numbers: dict[Any, int] = {}
        own = np.fromiter((numbers.setdefault(text, len(numbers)) for text in column), np.int64, len(column))
        # Renumbered after each column, so that the product never exceeds 64 bits.
        codes = own if codes is None else np.unique(codes * len(numbers) + own, return_inverse=True)[1]
    assert codes is not None
    return codes


def _texts(table: pa.Table, name: str, missing: str | None = "") -> NDArray[np.object_]:
    """The texts of a column; `missing` instead of None. Equal texts are one object."""
    encoded = table[name].combine_chunks().dictionary_encode()
    known = np.array([*encoded.dictionary.to_pylist(), missing], dtype=object)
    if missing:
        known[known == ""] = missing
    return cast("NDArray[np.object_]", known[pc.fill_null(encoded.indices, len(known) - 1).to_numpy()])


def _times(table: pa.Table) -> NDArray[np.object_]:
    encoded = table["night"].combine_chunks().dictionary_encode()
    return np.array(encoded.dictionary.to_pylist(), dtype=object)[encoded.indices.to_numpy()]


def _trials(table: pa.Table) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """All trials of a table, one row's after the other's, and the index at which each row's begin; the end of all comes
    last.
    """
    lists = table["trials"].combine_chunks()
    counts = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    flat = pc.list_flatten(lists).to_numpy(zero_copy_only=False).astype(float)
    return flat, np.append(0, np.cumsum(counts))


def _conditions(
    texts: NDArray[np.object_], units: NDArray[np.object_], betters: NDArray[np.object_]
) -> NDArray[np.object_]:
    return np.array([_with_unit(*row) for row in zip(texts, units, betters, strict=True)], dtype=object)


@lru_cache(maxsize=4096)  # most rows of a history share theirs
def _with_unit(conditions: str, unit: str | None, better: str | None) -> str:
    try:
        document = json.loads(conditions)
    except (ValueError, RecursionError):
        document = {}
    known = {name: str(value) for name, value in document.items()} if isinstance(document, dict) else {}
    return json.dumps({**known, "unit": unit or "", "better": str(better)}, sort_keys=True)


def _encodable(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose texts are valid Unicode; other characters become question marks."""
    return {
        name: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for name, value in row.items()
    }
