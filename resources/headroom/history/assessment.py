# SPDX-License-Identifier: Apache-2.0
"""What a night shows, from the history alone: which series changed, which are back, which drift, whether the machine
moved. What is done about it is decided in `headroom.nightly.judgement`."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from headroom.history import detection
from headroom.history.alerts import Alert, ChangedCase, ChangedSeries
from headroom.history.confirmation import COPY, PINNED
from headroom.history.detection import Baseline, Change
from headroom.history.events import Epoch, Event, epoch
from headroom.history.series import Series

TIMES = "ns"
FAILING, PASSING = ("fail", "error"), ("pass", "non-strict")  # verdicts
LEAST_MOVED = 2  # series of the pinned build
MOVED_SHARE = 1 / 3


@dataclass(frozen=True)
class Flag:
    """A series whose last nights changed, and the night from which on they differ. `before` is the value of the night
    before the last one, of those that may be compared; NaN where there is none. `usual` are the rows of its epoch that
    are like its baseline, of nights before the first one, the newest first."""

    series: Series
    change: Change
    first_night: datetime
    before: float = np.nan
    usual: tuple[int, ...] = ()

    @property
    def value(self) -> float:
        return float(self.series.values[-1])

    @property
    def is_worse(self) -> bool | None:
        """None where neither direction is better."""
        if self.series.better is None:
            return None
        return (self.change.step > 0) == (self.series.better == "lower")

    def changed_series(self, ratio: float | None, evidence: str) -> ChangedSeries:
        return ChangedSeries(
            id=self.series.key.id,
            label=str(self.series.key),
            test=self.series.key.test,
            metric=self.series.key.metric,
            unit=self.series.unit,
            baseline=self.change.baseline.median,
            value=self.value,
            step=self.change.step if np.isfinite(self.change.step) else np.sign(self.change.step) * 1e9,
            first_night=self.first_night,
            ratio=ratio,
            evidence=evidence,
        )


@dataclass(frozen=True)
class Judged:
    """A series with its current epoch and what the last nights show."""

    series: Series
    epoch: Epoch
    changes: tuple[Change, ...]
    baseline: Baseline | None
    drift: float | None

    @property
    def flag(self) -> Flag | None:
        """The change that counts: a fence before a candidate, for it is older."""
        change = next((one for one in self.changes if one.kind == "fence"), None) or next(iter(self.changes), None)
        if change is None:
            return None
        back = detection.FENCE_NIGHTS if change.kind == "fence" else 1
        values = values_of(self.series, self.epoch)
        known = np.flatnonzero(np.isfinite(values))
        before = float(values[known[-2]]) if len(known) > 1 else np.nan
        median = change.baseline.median
        near = change.limit / 2 * (abs(median) or 1.0)
        usual = (self.epoch.start + int(row) for row in known[-back - 1 :: -1] if abs(values[row] - median) <= near)
        first = self.series.nights[self.epoch.start + int(known[-back])]
        return Flag(self.series, change, first, before, tuple(usual))


def values_of(series: Series, of: Epoch) -> NDArray[np.float64]:
    """The values of an epoch, NaN for excluded nights."""
    found = series.values.copy()
    found[list(of.excluded)] = np.nan
    return found[of.start :]


def judge(series: Series, events: Sequence[Event], night: datetime) -> Judged:
    """Judges a series as of a night. One that has no value of that night shows no change."""
    current = epoch(series, events)
    found = values_of(series, current)
    is_there = bool(series.nights) and series.nights[-1] == night
    changes = detection.judge(found, current.after_change) if is_there else []
    return Judged(
        series=series,
        epoch=current,
        changes=tuple(changes),
        baseline=detection.baseline(found[:-1], current.after_change),
        drift=detection.drift(found),
    )


def has_baseline(series: Series, events: Sequence[Event]) -> bool:
    """Whether the next night of a series has a baseline to be compared with."""
    current = epoch(series, events)
    return detection.baseline(values_of(series, current), current.after_change) is not None


def is_pinned(series: Series) -> bool:
    return series.kind == "control" and series.key.compressor == PINNED


def deviations_of(series: Iterable[Series], night: datetime) -> list[float]:
    """By how much two measurements of one build differed in a night, of each time that was measured twice, as a
    share."""
    times = {one.key: one for one in series if one.unit == TIMES and one.nights and one.nights[-1] == night}
    found = []
    for key, one in times.items():
        copy = times.get(replace(key, compressor=COPY, decompressor=COPY))
        if one.kind == "sentinel" and copy is not None and one.values[-1] > 0 and np.isfinite(copy.values[-1]):
            found.append(abs(float(copy.values[-1] / one.values[-1]) - 1))
    return found


def candidates_by_weekday(judged: Iterable[Judged], nights: int) -> dict[int, tuple[int, int]]:
    """How many of the last nights of sentinels' series were candidates, and how many were judged, by weekday (Monday is
    0): a machine with a weekly pattern makes many, of which nothing comes."""
    found: dict[int, tuple[int, int]] = {}
    for one in judged:
        if one.series.kind != "sentinel":
            continue
        values, first = values_of(one.series, one.epoch), one.epoch.start
        known = np.flatnonzero(np.isfinite(values))
        for row, is_candidate in zip(*detection.candidates(values[known], one.epoch.after_change, nights), strict=True):
            weekday = one.series.nights[first + int(known[row])].weekday()
            count, of = found.get(weekday, (0, 0))
            found[weekday] = (count + bool(is_candidate), of + 1)
    return found


def machine_moved(judged: Iterable[Judged]) -> str:
    """Why this is a night of the machine and not of the code: the pinned build, which never changes, takes another
    time. A sentence; "" where it does not."""
    pinned = [one for one in judged if is_pinned(one.series) and one.series.unit == TIMES and one.baseline]
    moved = [one.flag for one in pinned if one.flag]
    for sign, word in ((1, "slower"), (-1, "faster")):
        found = [flag.change.step for flag in moved if np.sign(flag.change.step) == sign]
        if len(found) >= max(LEAST_MOVED, MOVED_SHARE * len(pinned)):
            middle = abs(float(np.median(found)))
            return (
                f"The pinned build, which never changes, is {word} by {middle:.1%} in {len(found)} of {len(pinned)} "
                "series: the machine changed, not the code."
            ).replace("%", " %")
    return ""


def restored(alert: Alert, series: Mapping[str, Series], events: Sequence[Event]) -> bool:
    """True if all series of an alert about a step have been back at their old baseline for three nights, in an epoch
    that began before the alert: where a new kernel made everything faster, nothing is back."""
    if not alert.series or alert.drift_since is not None:
        return False
    for one in alert.series:
        found = series.get(one.id)
        if found is None:
            return False
        current = epoch(found, events)
        if found.nights[current.start] > one.first_night:
            return False
        values = values_of(found, current)
        last = values[np.isfinite(values)][-detection.FENCE_NIGHTS :]
        after = [night for night in found.nights if night > alert.night]
        if len(last) < detection.FENCE_NIGHTS or len(after) < detection.FENCE_NIGHTS or not one.baseline:
            return False
        if np.any(np.abs(last / one.baseline - 1) > max(abs(one.step) / 2, detection.LEAST_SPREAD)):
            return False
    return True


def failing_cases(
    series: Iterable[Series], night: datetime, alerted: Mapping[str, datetime]
) -> tuple[list[ChangedCase], list[ChangedCase]]:
    """Cases that fail, did not before, and are in no alert since; and other changes of verdict, of this night alone.

    `alerted` has the night of the last alert of each case. So a case whose night ended before its alert was written is
    found the next night. A case that nights before this one did not have fails newly, too.
    """
    verdicts = [one for one in series if one.kind == "verdict" and len(one)]
    first = min((one.nights[0] for one in verdicts), default=night)
    failing, other = [], []
    for one in verdicts:
        if one.nights[-1] != night or not one.texts[-1]:
            continue
        known = [(text, when) for text, when in zip(one.texts, one.nights, strict=True) if text]
        after, reason = one.texts[-1], one.reasons[-1]
        run = list(itertools.takewhile(lambda pair: pair[0] in FAILING, reversed(known)))
        if run:
            before = known[-len(run) - 1][0] if len(known) > len(run) else "new" if one.nights[0] > first else ""
            since, last_alert = run[-1][1], alerted.get(one.key.test)
            if before and (last_alert is None or last_alert < since):
                failing.append(ChangedCase(one.key.test, before, after, reason))
                continue
        if len(known) > 1 and known[-2][0] != after:
            other.append(ChangedCase(one.key.test, known[-2][0], after, reason))
    return failing, other
