# SPDX-License-Identifier: Apache-2.0
"""What a night shows: changes of series of every kind, nights of the machine, what is back, changed verdicts."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from headroom.history.alerts import Alert
from headroom.history.assessment import candidates_by_weekday, failing_cases, is_restored, judge, machine_moved
from headroom.history.events import Event
from headroom.history.series import Series
from headroom.tests.history.support import KEY, grouped, night, point, series


def noisy(count: int, level: float = 100.0, seed: int = 1) -> list[float | None]:
    return [float(value) for value in level * (1 + np.random.default_rng(seed).normal(0, 0.002, count))]


def verdicts(*texts: str) -> Series:
    rows = [point(i, None, kind="verdict", text=text, reason="why").as_row() for i, text in enumerate(texts)]
    (only,) = grouped(rows).values()
    return only


@pytest.mark.parametrize(
    "values",
    [
        [100.0],
        [100.0, 200.0],
        [None] * 40,
        [math.nan] * 40,
        [0.0] * 40,
        [-5.0] * 40,
        [100.0] * 40,
        [*noisy(39), None],
        [100.0] * 9 + [200.0],
    ],
)
def test_nothing_is_found_where_nothing_is(values: list[float | None]) -> None:
    assert judge(series(values), [], night(len(values) - 1)).flag is None


@pytest.mark.parametrize("sign", [1, -1])
def test_a_step_is_flagged_with_its_direction(sign: int) -> None:
    judged = judge(series([*noisy(30), 100.0 * (1 + 0.05 * sign)]), [], night(30))
    assert judged.flag is not None
    assert judged.flag.first_night == night(30)
    assert judged.flag.is_worse is (sign > 0)
    assert judged.flag.change.step == pytest.approx(0.05 * sign, abs=0.004)


@pytest.mark.parametrize(("level", "new"), [(0.0, 1.0), (-100.0, -110.0)])
def test_zero_and_negative_values_step_too(level: float, new: float) -> None:
    judged = judge(series([level] * 20 + [new]), [], night(20))
    assert judged.flag is not None
    assert math.isfinite(judged.flag.changed_series(None, "").step), "JSON has no infinity"


def test_a_metric_without_a_better_direction_is_never_worse() -> None:
    judged = judge(series([*noisy(30), 110.0], better=None), [], night(30))
    assert judged.flag is not None
    assert judged.flag.is_worse is None


def test_a_fence_begins_three_nights_before() -> None:
    judged = judge(series([*noisy(30), 105.0, 105.1, 104.9]), [], night(32))
    assert judged.flag is not None
    assert (judged.flag.change.kind, judged.flag.first_night) == ("fence", night(30))


def test_a_fence_begins_before_a_night_that_is_excluded() -> None:
    moved = [Event(night(31), "rack", "machine", "moved")]
    judged = judge(series([*noisy(30), 105.0, 300.0, 105.1, 104.9]), moved, night(33))
    assert judged.flag is not None
    assert judged.flag.first_night == night(30)


def test_a_night_without_a_row_shows_nothing() -> None:
    assert judge(series([*noisy(30), 110.0]), [], night(31)).flag is None


def test_another_unit_begins_an_epoch_without_an_alert() -> None:
    rows = [point(index, 100.0).as_row() for index in range(20)]
    rows += [point(index, 0.1, unit="us").as_row() for index in range(20, 23)]
    (only,) = grouped(rows).values()
    judged = judge(only, [], night(22))
    assert (judged.epoch.start, judged.flag, judged.baseline) == (20, None, None)


def test_another_processor_begins_an_epoch_without_an_alert() -> None:
    rows = [point(i, 100.0 if i < 20 else 60.0, conditions={"cpu_model": str(i < 20)}).as_row() for i in range(30)]
    (only,) = grouped(rows).values()
    judged = judge(only, [], night(29))
    assert (judged.epoch.start, judged.flag) == (20, None)
    assert judged.baseline is not None
    assert judged.baseline.median == 60.0


def _pinned(count: int, last: float) -> list[Series]:
    keys = [replace(KEY, compressor="pinned", metric=f"{number}_ns") for number in range(count)]
    return [series([*noisy(30, seed=number), last], key, kind="control") for number, key in enumerate(keys)]


@pytest.mark.parametrize(("last", "word"), [(105.0, "slower by 5."), (95.0, "faster by ")])
def test_the_pinned_build_shows_that_the_machine_moved(last: float, word: str) -> None:
    sentence = machine_moved(judge(one, [], night(30)) for one in _pinned(3, last))
    assert word in sentence
    assert "3 of 3 series" in sentence


def test_one_pinned_series_alone_shows_nothing() -> None:
    assert machine_moved(judge(one, [], night(30)) for one in _pinned(1, 105.0)) == ""
    assert machine_moved(judge(one, [], night(30)) for one in _pinned(3, 100.0)) == ""
    assert machine_moved([]) == ""


@pytest.mark.parametrize(
    ("after", "is_back"),
    [
        ([100.0] * 3, True),
        ([100.0] * 2, False),
        ([105.0] * 3, False),
        ([100.0, 100.0, 105.0], False),
        ([None, 100.0, 100.0, None, 100.0], True),
        ([None] * 3, False),
    ],
)
def test_an_alert_is_fixed_by_three_nights_at_the_old_level(after: list[float | None], is_back: bool) -> None:
    judged = judge(series([*noisy(30), 105.0]), [], night(30))
    assert judged.flag is not None
    alert = Alert("x", night(30), "rack", "regression", True, "", "", (judged.flag.changed_series(None, ""),))
    found = series([*noisy(30), 105.0, *after])
    assert is_restored(alert, {KEY.id: found}, []) is is_back
    assert not is_restored(alert, {}, [])
    assert not is_restored(replace(alert, series=()), {KEY.id: found}, [])


@pytest.mark.parametrize(
    ("texts", "failing", "other"),
    [
        (("pass", "fail"), 1, 0),
        (("pass", "error"), 1, 0),
        (("pass", "", "fail"), 1, 0),
        (("fail", "error"), 0, 1),
        (("fail", "pass"), 0, 1),
        (("pass", "pass"), 0, 0),
        (("", "fail"), 0, 0),
        (("pass", ""), 0, 0),
        (("fail",), 0, 0),
    ],
)
def test_failing_cases(texts: tuple[str, ...], failing: int, other: int) -> None:
    found = failing_cases([verdicts(*texts)], night(len(texts) - 1), {})
    assert tuple(map(len, found)) == (failing, other)
    assert failing_cases([verdicts(*texts)], night(99), {}) == ([], [])


@pytest.mark.parametrize(
    ("alerted", "failing"),
    [
        ({}, 1),
        ({KEY.test: night(1)}, 1),
        ({KEY.test: night(2)}, 0),
        ({KEY.test: night(3)}, 0),
        ({"other": night(3)}, 1),
    ],
)
def test_a_failing_case_is_found_until_an_alert_names_it(alerted: dict[str, datetime], failing: int) -> None:
    """Its night may have ended before that was written."""
    found, _ = failing_cases([verdicts("fail", "pass", "fail", "fail")], night(3), alerted)
    assert len(found) == failing


def test_a_case_that_is_new_fails_newly() -> None:
    known = verdicts("pass", "pass")
    rows = [point(1, None, replace(KEY, test="s/new"), kind="verdict", text="fail").as_row()]
    (new,) = grouped(rows).values()
    assert [str(one) for one in failing_cases([known, new], night(1), {})[0]] == ["s/new: new → fail"]
    assert failing_cases([new], night(1), {})[0] == [], "in the first night that has cases, none is new"


def test_a_changed_verdict_is_a_sentence() -> None:
    (only,) = failing_cases([verdicts("pass", "fail")], night(1), {})[0]
    assert str(only) == f"{KEY.test}: pass → fail (why)"


def test_an_epoch_after_the_alert_fixes_nothing() -> None:
    judged = judge(series([*noisy(30), 105.0]), [], night(30))
    assert judged.flag is not None
    alert = Alert("x", night(30), "rack", "regression", True, "", "", (judged.flag.changed_series(None, ""),))
    found = series([*noisy(30), 105.0, 100.0, 100.0, 100.0])
    kernel = Event(night(31), "rack", "user", "a faster kernel")
    assert is_restored(alert, {KEY.id: found}, []) and not is_restored(alert, {KEY.id: found}, [kernel])


def test_nights_like_the_baseline_are_usual() -> None:
    values = noisy(30)
    judged = judge(series([*values, 103.0, None, 105.0]), [], night(32))
    assert judged.flag is not None
    assert judged.flag.usual == tuple(sorted(judged.flag.usual, reverse=True))
    assert set(judged.flag.usual) <= set(range(30)) and len(judged.flag.usual) > 20


def test_candidates_are_counted_by_weekday() -> None:
    weekend = judge(series([98.0 if night(index).weekday() >= 5 else 100.0 for index in range(42)]), [], night(41))
    assert candidates_by_weekday([weekend], 28) == {day: (4 * (day >= 5), 4) for day in range(7)}
    young = judge(series([100.0] * 8), [], night(7))
    control = replace(weekend, series=replace(weekend.series, kind="control"))
    assert candidates_by_weekday([young, control], 28) == {}
