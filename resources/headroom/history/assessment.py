# SPDX-License-Identifier: Apache-2.0
"""Assessment of a night from the history alone: series that changed, that are back, that drift, and if the machine
moved. `headroom.nightly.judgement` decides what follows.
"""

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
    """A series whose last nights changed, and the first night that differs. `before` is the value of the comparable
    night before the last one; NaN if there is none. `usual` are the rows of its epoch that are like its baseline, of
    nights before the first one, the newest first.
    """

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
        """True if the change is for the worse; None if neither direction is better."""
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
    """A series with its current epoch and the changes in its last nights."""

    series: Series
    epoch: Epoch
    changes: tuple[Change, ...]
    baseline: Baseline | None
    drift: float | None

    @property
    def flag(self) -> Flag | None:
        """The change that counts: a fence before a candidate, because it is older."""
        change = next((change for change in self.changes if change.kind == "fence"), None) or next(
            iter(self.changes), None
        )
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
    values = series.values.copy()
    values[list(of.excluded)] = np.nan
    return values[of.start :]


def judge(series: Series, events: Sequence[Event], night: datetime) -> Judged:
    """Judges a series as of a night. A series without a value of that night shows no change."""
    current = epoch(series, events)
    values = values_of(series, current)
    is_there = bool(series.nights) and series.nights[-1] == night
    changes = detection.judge(values, current.is_after_change) if is_there else []
    return Judged(
        series=series,
        epoch=current,
        changes=tuple(changes),
        baseline=detection.baseline(values[:-1], current.is_after_change),
        drift=detection.drift(values),
    )


def has_baseline(series: Series, events: Sequence[Event]) -> bool:
    """True if the next night of a series has a baseline to be compared with."""
    current = epoch(series, events)
    return detection.baseline(values_of(series, current), current.is_after_change) is not None


def is_pinned(series: Series) -> bool:
    return series.kind == "control" and series.key.compressor == PINNED


def deviations_of(series: Iterable[Series], night: datetime) -> list[float]:
    """The differences between two measurements of one build in a night, as shares, for each time that was measured
    twice.
    """
    times = {entry.key: entry for entry in series if entry.unit == TIMES and entry.nights and entry.nights[-1] == night}
    deviations = []
    for key, time in times.items():
        copy = times.get(replace(key, compressor=COPY, decompressor=COPY))
        if time.kind == "sentinel" and copy is not None and time.values[-1] > 0 and np.isfinite(copy.values[-1]):
            deviations.append(abs(float(copy.values[-1] / time.values[-1]) - 1))
    return deviations


def candidates_by_weekday(judged: Iterable[Judged], nights: int) -> dict[int, tuple[int, int]]:
    """The number of candidates and of judged nights among the last nights of sentinels' series, by weekday (Monday is
    0): a machine with a weekly pattern makes many candidates that are not confirmed.
    """
    counts: dict[int, tuple[int, int]] = {}
    for entry in judged:
        if entry.series.kind != "sentinel":
            continue
        values, first = values_of(entry.series, entry.epoch), entry.epoch.start
        known = np.flatnonzero(np.isfinite(values))
        for row, is_candidate in zip(
            *detection.candidates(values[known], entry.epoch.is_after_change, nights), strict=True
        ):
            weekday = entry.series.nights[first + int(known[row])].weekday()
            count, of = counts.get(weekday, (0, 0))
            counts[weekday] = (count + bool(is_candidate), of + 1)
    return counts


def machine_moved(judged: Iterable[Judged]) -> str:
    """A sentence if the machine changed and not the code, because the pinned build, which never changes, takes another
    time; "" otherwise.
    """
    pinned = [entry for entry in judged if is_pinned(entry.series) and entry.series.unit == TIMES and entry.baseline]
    moved = [entry.flag for entry in pinned if entry.flag]
    for sign, word in ((1, "slower"), (-1, "faster")):
        steps = [flag.change.step for flag in moved if np.sign(flag.change.step) == sign]
        if len(steps) >= max(LEAST_MOVED, MOVED_SHARE * len(pinned)):
            middle = abs(float(np.median(steps)))
            return (
                f"The pinned build, which never changes, is {word} by {middle:.1%} in {len(steps)} of {len(pinned)} "
                "series: the machine changed, not the code."
            ).replace("%", " %")
    return ""


def is_restored(alert: Alert, series: Mapping[str, Series], events: Sequence[Event]) -> bool:
    """True if all series of an alert about a step have been back at their old baseline for three nights, in an epoch
    that began before the alert: after a new kernel made everything faster, no series is back.
    """
    if not alert.series or alert.drift_since is not None:
        return False
    for changed in alert.series:
        now = series.get(changed.id)
        if now is None:
            return False
        current = epoch(now, events)
        if now.nights[current.start] > changed.first_night:
            return False
        values = values_of(now, current)
        last = values[np.isfinite(values)][-detection.FENCE_NIGHTS :]
        after = [night for night in now.nights if night > alert.night]
        if len(last) < detection.FENCE_NIGHTS or len(after) < detection.FENCE_NIGHTS or not changed.baseline:
            return False
        if np.any(np.abs(last / changed.baseline - 1) > max(abs(changed.step) / 2, detection.LEAST_SPREAD)):
            return False
    return True


def failing_cases(
    series: Iterable[Series], night: datetime, alerted: Mapping[str, datetime]
) -> tuple[list[ChangedCase], list[ChangedCase]]:
    """Cases that fail newly, without an alert since; and other changes of verdict, of this night alone.

    `alerted` has the night of the last alert of each case. So a case whose night ended before its alert was written is
    reported the next night. A case that nights before this one did not have fails newly, too.
    """
    verdicts = [entry for entry in series if entry.kind == "verdict" and len(entry)]
    first = min((verdict.nights[0] for verdict in verdicts), default=night)
    failing, other = [], []
    for verdict in verdicts:
        if verdict.nights[-1] != night or not verdict.texts[-1]:
            continue
        known = [(text, when) for text, when in zip(verdict.texts, verdict.nights, strict=True) if text]
        after, reason = verdict.texts[-1], verdict.reasons[-1]
        run = list(itertools.takewhile(lambda pair: pair[0] in FAILING, reversed(known)))
        if run:
            before = known[-len(run) - 1][0] if len(known) > len(run) else "new" if verdict.nights[0] > first else ""
            since, last_alert = run[-1][1], alerted.get(verdict.key.test)
            if before and (last_alert is None or last_alert < since):
                failing.append(ChangedCase(verdict.key.test, before, after, reason))
                continue
        if len(known) > 1 and known[-2][0] != after:
            other.append(ChangedCase(verdict.key.test, known[-2][0], after, reason))
    return failing, other
