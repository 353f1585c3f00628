# SPDX-License-Identifier: Apache-2.0
"""Slow drift of the code: tonight's build against the pinned one, which the same session measures every night.

A drift of 0.1 % a night is not a step: the baseline follows it, and so does the last good build. The ratio of tonight's
build to the pinned one cancels changes of the machine, and shows the sum of all steps. Decisions explain a part of it:
a change that is accepted, alerted or ignored counts by the ratios of the nights before and after it. A decision about
drift, and a step due to the code's place in memory, begin a new reference.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from headroom.history.alerts import Alert, ChangedSeries
from headroom.history.assessment import Flag
from headroom.history.confirmation import PINNED
from headroom.history.detection import LEAST_AFTER_CHANGE, LEAST_SPREAD, Baseline, Change
from headroom.history.events import Event
from headroom.history.series import Series, SeriesKey

DRIFT_LIMIT = 0.02
LEVEL_NIGHTS = 3  # nights whose median is a level
# Conditions that affect one of two builds more than the other; others affect both alike and cancel.
REFERENCE_CONDITIONS = frozenset({"pinned", "cpu", "compiler", "flags", "profile", "case", "unit", "better"})

Ratios = NDArray[np.float64]


@dataclass(frozen=True)
class CodeDrift:
    """A ratio to the pinned build beyond the part that decisions explain. `expected` is the explained ratio, and `step`
    the share by which tonight's build is off it. `since` is the night of the reference, and `commit` its commit.
    `expected_count` is the expected ratio of the instructions of the same stage.
    """

    series: Series
    since: datetime
    commit: str
    expected: float
    step: float
    pinned_value: float
    expected_count: float = 1.0

    @property
    def flag(self) -> Flag:
        usual = Baseline(self.pinned_value * self.expected, LEAST_SPREAD, 0)
        change = Change("candidate", self.step, DRIFT_LIMIT, usual)
        return Flag(self.series, change, self.series.nights[-1])


def pinned_key(key: SeriesKey) -> SeriesKey:
    return replace(key, compressor=PINNED, decompressor=PINNED)


class DriftBook:
    """The drift of each sentinel's series of a machine, from its rows and the decisions about it."""

    def __init__(self, series: Iterable[Series], alerts: Iterable[Alert], events: Sequence[Event]) -> None:
        self.series = {entry.key: entry for entry in series}
        self.by_identity = {entry.key.id: entry for entry in self.series.values()}
        self.places = [event for event in events if event.kind == "layout"]
        decided = [(alert, changed) for alert in alerts if alert.confirmed for changed in alert.series]
        steps = [pair for pair in decided if pair[0].drift_since is None and self._has_step(*pair)]
        drifts = [pair for pair in decided if pair[0].drift_since is not None]
        self.standing = steps + [pair for pair in drifts if pair[0].state in ("open", "accepted")]
        self.standing += [pair for pair in drifts if pair[0].state == "ignored" and not self._has_been_back(*pair)]

    def drifts(self, night: datetime) -> list[CodeDrift]:
        """The series that have drifted as of a night: that night and the median of the last three are beyond 2 %."""
        drift_by_key = {key: drift for key in self.series if (drift := self._of(self.series[key], night))}
        beyond = [code_drift for code_drift in drift_by_key.values() if abs(code_drift.step) > DRIFT_LIMIT]
        return [replace(code_drift, expected_count=_expected_count(code_drift, drift_by_key)) for code_drift in beyond]

    def _of(self, series: Series, night: datetime) -> CodeDrift | None:
        """The drift of a series as of a night, however small; None without a reference."""
        if series.kind != "sentinel" or not series.nights or series.nights[-1] != night:
            return None
        reference = self._off(series, self.standing)
        if reference is None:
            return None
        row, expected, off = reference
        last = _known(off)[-LEVEL_NIGHTS:]
        if not math.isfinite(off[-1]) or len(last) < LEVEL_NIGHTS:
            return None
        tonight, middle = float(off[-1]), float(np.median(last))
        step = min(tonight, middle, key=abs) if tonight * middle > 0 else 0.0
        pinned = self.series[pinned_key(series.key)]
        commit = "" if series.changed[row] else series.commits[row]
        return CodeDrift(series, series.nights[row], commit, expected, step, float(pinned.values[-1]))

    # ---- validity of decisions

    def is_back(self, alert: Alert) -> bool:
        """True if, three nights in a row, each series of an alert about drift was at the value expected without the
        drift.
        """
        return bool(alert.series) and all(self._is_back(alert, changed) for changed in alert.series)

    def _is_back(self, alert: Alert, changed: ChangedSeries) -> bool:
        last = self._off_since(alert, changed)[-LEVEL_NIGHTS:]
        return len(last) == LEVEL_NIGHTS and bool(np.all(np.abs(last) <= near(changed)))

    def _has_been_back(self, alert: Alert, changed: ChangedSeries) -> bool:
        return bool(np.any(np.abs(self._off_since(alert, changed)) <= near(changed)))

    def _has_step(self, alert: Alert, changed: ChangedSeries) -> bool:
        """True if the step of an alert is in the series: it is open or accepted, or ignored and was not back since."""
        if alert.state == "ignored":
            series = self.by_identity.get(changed.id)
            return series is not None and not rows_back(alert, changed, series)
        return alert.state in ("open", "accepted")

    def _off_since(self, alert: Alert, changed: ChangedSeries) -> Ratios:
        """The shares by which a series was off the values that other alerts explain, in the nights after an alert. If
        the drift went on, the reference of a later alert does not count.
        """
        series = self.by_identity.get(changed.id)
        others = [
            (other, each)
            for other, each in self.standing
            if other.id != alert.id and (other.drift_since is None or other.night < alert.night)
        ]
        reference = self._off(series, others) if series is not None else None
        if series is None or reference is None:
            return np.array([])
        return _known(reference[2][[night > alert.night for night in series.nights]])

    # ---- ratios

    def _off(self, series: Series, standing: Iterable[tuple[Alert, ChangedSeries]]) -> tuple[int, float, Ratios] | None:
        """The row of a series' reference, the ratio expected of its last night, and the share by which each night was
        off its expected ratio (NaN before the reference). None if there is no reference.
        """
        pinned = self.series.get(pinned_key(series.key))
        start = _first_row(series, pinned) if pinned is not None else None
        if pinned is None or start is None:
            return None
        ratios = _ratios(series, pinned)
        own = [(alert, changed) for alert, changed in standing if changed.id == series.key.id]
        references = [alert.night for alert, _ in own if alert.drift_since is not None]
        references += [place.night for place in self.places if place.is_about(series)]
        row = max([start, *_rows_of(series, references)])
        reference = _median(ratios[row : row + LEVEL_NIGHTS])
        if row == start:
            reference = _first_reference(series, pinned, ratios, start)
        if not reference > 0:
            return None
        decided = _rows_of(series, (changed.first_night for alert, changed in own if alert.drift_since is None))
        changes = sorted({row_changed for row_changed in decided if row_changed > row})
        begins, ends = [row, *changes], [*changes, len(series)]
        off = np.full(len(series), math.nan)
        expected = reference
        for number, (begin, end) in enumerate(zip(begins, ends, strict=True)):
            if number:
                before = _median(_known(ratios[begins[number - 1] : begin])[-LEVEL_NIGHTS:])
                after = _median(_known(ratios[begin:end])[:LEVEL_NIGHTS])
                expected *= after / before if before > 0 and after > 0 else 1.0
            off[begin:end] = ratios[begin:end] / expected - 1
        return row, expected, off


def _expected_count(code_drift: CodeDrift, drifts: Mapping[SeriesKey, CodeDrift]) -> float:
    """The expected ratio of the instructions of the stage whose time drifted."""
    metric = code_drift.series.key.metric
    counted = replace(code_drift.series.key, metric=metric.removesuffix("_ns") + "_instructions")
    return drifts[counted].expected if metric.endswith("_ns") and counted in drifts else 1.0


def near(changed: ChangedSeries) -> float:
    """The share by which a series may differ from a value of an alert and still be at it: half of the step."""
    return max(abs(changed.step) / 2, LEAST_SPREAD)


def rows_back(alert: Alert, changed: ChangedSeries, series: Series) -> list[int]:
    """The rows of the nights after an alert in which the series was back at the baseline that the alert names."""
    if not changed.baseline:
        return []
    is_there = np.abs(series.values / changed.baseline - 1) <= near(changed)
    return [row for row in np.flatnonzero(is_there).tolist() if series.nights[row] > alert.night]


def _ratios(series: Series, pinned: Series) -> Ratios:
    """The ratio to the pinned build in each night of a series; NaN if either has no value."""
    values = dict(zip(pinned.nights, pinned.values.tolist(), strict=True))
    other = np.array([values.get(night, math.nan) for night in series.nights])
    return np.divide(series.values, other, out=np.full(len(series), math.nan), where=other > 0)


def _first_row(series: Series, pinned: Series) -> int | None:
    """The row of a series from which on its ratios to the pinned build are comparable."""
    start = 0
    for index, changes in pinned.condition_changes():
        if any(change.partition(":")[0] in REFERENCE_CONDITIONS for change in changes):
            start = index
    rows = _rows_of(series, [pinned.nights[start]] if len(pinned) else [])
    return rows[0] if rows else None


def _first_reference(series: Series, pinned: Series, ratios: Ratios, start: int) -> float:
    """The ratio to the pinned build in the first nights; 1 if tonight's build was the pinned one then."""
    then = pinned.index(series.nights[start])
    if then is not None and series.library(start).get("adapter") == pinned.library(then).get("adapter"):
        return 1.0
    first = _known(ratios[start:])[:LEAST_AFTER_CHANGE]
    return _median(first) if len(first) == LEAST_AFTER_CHANGE else math.nan


def _rows_of(series: Series, nights: Iterable[datetime]) -> list[int]:
    """The first row of a series that is not before each night; none for a night in the future."""
    rows = (sum(other < night for other in series.nights) for night in nights)
    return [row for row in rows if row < len(series)]


def _known(ratios: Ratios) -> Ratios:
    return ratios[np.isfinite(ratios)]


def _median(ratios: Ratios) -> float:
    known = _known(ratios)
    return float(np.median(known)) if len(known) else math.nan
