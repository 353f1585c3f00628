# SPDX-License-Identifier: Apache-2.0
"""Series of rows: values of any kind, hostile names, what begins an epoch."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from headroom.history.series import SeriesKey, changed_conditions, night_name, night_of
from headroom.tests.history.support import HOSTILE, KEY, grouped, night, point, series


def test_rows_in_any_order_make_a_series_by_night() -> None:
    rows = [point(index, float(index)).as_row() for index in (2, 0, 1)]
    (only,) = grouped(rows).values()
    assert only.values.tolist() == [0.0, 1.0, 2.0]
    assert only.nights == [night(0), night(1), night(2)]
    assert only.index(night(1)) == 1
    assert only.index(night(9)) is None


def test_the_later_row_of_a_night_counts() -> None:
    (only,) = grouped([point(0, 1.0).as_row(), point(0, 2.0).as_row()]).values()
    assert only.values.tolist() == [2.0]


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf])
def test_a_value_that_is_no_number_is_none(value: float | None) -> None:
    row = point(0, value).as_row()
    assert row["value"] is None
    (only,) = grouped([row]).values()
    assert np.isnan(only.values[0])


@pytest.mark.parametrize("value", [0.0, -1.5, 1e308, 5e-324])
def test_any_number_is_a_value(value: float) -> None:
    assert series([value]).values.tolist() == [value]


def test_rows_of_another_hand_have_nulls() -> None:
    row = {**point(0).as_row(), "unit": None, "text": None, "reason": None, "commit": None, "digests": None}
    row |= {"conditions": None, "trials": None, "compressor": None, "better": None}
    (only,) = grouped([row]).values()
    assert (only.unit, only.reasons, only.commits, only.key.compressor) == ("", [""], [""], "")
    assert list(only.trials[0]) == []
    assert only.library(0) == {}


@pytest.mark.parametrize("text", ["no JSON", "[1]", "3", '"text"', "null", "{"])
def test_conditions_and_digests_may_be_anything(text: str) -> None:
    rows = [{**point(index).as_row(), "conditions": text, "digests": text} for index in range(2)]
    (only,) = grouped(rows).values()
    assert list(only.condition_changes()) == []
    assert only.library(0) == {}


def test_another_unit_or_direction_is_a_change_of_conditions() -> None:
    rows = [point(0).as_row(), point(1, unit="us").as_row(), point(2, unit="us", better=None).as_row()]
    (only,) = grouped(rows).values()
    assert list(only.condition_changes()) == [(1, ["unit: ns → us"]), (2, ["better: lower → None"])]


def test_another_processor_is_a_change_of_conditions() -> None:
    rows = [point(index, conditions={"cpu_model": model}).as_row() for index, model in enumerate("AAB")]
    (only,) = grouped(rows).values()
    assert list(only.condition_changes()) == [(2, ["cpu_model: A → B"])]


def test_digests_are_shortened() -> None:
    changed = changed_conditions({"harness": "a" * 64, "left": "1"}, {"harness": "b" * 64, "new": "2"})
    assert changed == [f"harness: {'a' * 12} → {'b' * 12}", "left: 1 → not known", "new: not known → 2"]


def test_identities_tell_series_apart() -> None:
    keys = {replace(KEY, **{name: text}) for name in ("test", "metric", "load") for text in HOSTILE}
    keys |= {SeriesKey("a", "b", "c"), SeriesKey("ab", "", "c"), SeriesKey("a", "b c", "")}
    assert len({key.id for key in keys}) == len(keys)
    assert all(len(key.id) == 12 and int(key.id, 16) >= 0 for key in keys)
    assert KEY.id == replace(KEY).id


def test_a_series_is_named_by_what_it_has() -> None:
    assert str(KEY) == "performance/sentinels/Calls: compress_ns (reference, calls, 1c)"


def test_nights_have_names() -> None:
    assert night_name(night(0)) == "20260901T020000Z"
    assert night_of("20260901T020000Z") == night(0)


@pytest.mark.parametrize(
    "name", ["", "20260901", "2026-09-01T02:00:00Z", "20261301T020000Z", "20260901T020000Z\n", "x"]
)
def test_other_names_are_no_nights(name: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        night_of(name)


def test_a_row_is_json_where_it_has_to_be() -> None:
    row = point(0, digests={"b": "2", "a": "1"}).as_row()
    assert json.loads(row["digests"]) == {"a": "1", "b": "2"}


@pytest.mark.parametrize("digests", ["", "{", "[]", "7", "[" * 100_000], ids=range(5))
def test_digests_that_are_no_object_name_no_library(digests: str) -> None:
    entry = series([1.0])
    entry.digests[0] = digests
    assert entry.library(0) == {}
