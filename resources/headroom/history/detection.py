# SPDX-License-Identifier: Apache-2.0
"""Change detection on a series of nightly values: candidates, fences and drift.

Pure functions over numpy arrays: one value a night, oldest first, NaN where a night has none. Limits are relative to
the median of the baseline, so that one rule serves nanoseconds, instructions and octets.

- The **baseline** is the nights since the last accepted change or event, at most 30 of them.
- The **spread** s of a baseline is the largest of three: its scaled median absolute deviation, widened for few nights;
  the scaled median of the steps from night to night, which a slow drift does not widen; and 0.1 %.
- A **candidate** is the last night beyond max(0.8 %, 2.5 s). It has to be confirmed: by an interleaved measurement of
  the old and the new binary, or by a second night.
- A **fence** is the last three nights on one side of the baseline before them: their median beyond max(1 %, 3 s), each
  beyond half of that.
- **Drift** is a Theil-Sen slope that adds up to more than 1 % over 30 nights. It is listed, never an alert.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Kind = Literal["candidate", "fence"]

MOST_NIGHTS = 30  # nights of a baseline
LEAST_NIGHTS = 10  # nights before anything is judged
LEAST_AFTER_CHANGE = 5  # nights after an accepted change or an event before anything is judged
FENCE_NIGHTS = 3

LEAST_SPREAD = 0.001
CANDIDATE_LIMIT, CANDIDATE_SPREADS = 0.008, 2.5
FENCE_LIMIT, FENCE_SPREADS = 0.01, 3.0
DRIFT_LIMIT = 0.01  # change over MOST_NIGHTS, as a share of the usual value

GAUSSIAN_MAD = 1.4826  # standard deviation of a Gaussian over its median absolute deviation
GAUSSIAN_STEP = 0.954  # median absolute difference of two values of a Gaussian over its standard deviation


@dataclass(frozen=True)
class Baseline:
    """The level of a series before the nights that are judged. `spread` is a share of `median`'s magnitude."""

    median: float
    spread: float
    nights: int


@dataclass(frozen=True)
class Change:
    """A change in the last night, or in the last three. `step` is the share of the baseline's median by which they are
    above (or below: negative) it; infinite if that median is 0. `limit` is the threshold that it exceeded.
    """

    kind: Kind
    step: float
    limit: float
    baseline: Baseline


def spread(values: ArrayLike) -> float:
    """The spread of at least two values, as a share of their median's magnitude (of 1 if that is 0)."""
    array = np.asarray(values, dtype=float)
    center = _median(array)
    scale = abs(center) or 1.0
    deviation = GAUSSIAN_MAD * _median(np.abs(array - center)) * (1 + 4 / len(array))
    steps = _median(np.abs(array[1:] - array[:-1])) / GAUSSIAN_STEP
    return max(deviation / scale, steps / scale, LEAST_SPREAD)


def baseline(values: ArrayLike, after_change: bool = False) -> Baseline | None:
    """The baseline of some nights; None if they are too few. `after_change`: they follow an accepted change or an
    event, so five suffice.
    """
    known = _finite(values)[-MOST_NIGHTS:]
    if len(known) < (LEAST_AFTER_CHANGE if after_change else LEAST_NIGHTS):
        return None
    return Baseline(_median(known), spread(known), len(known))


def judge(values: ArrayLike, after_change: bool = False) -> list[Change]:
    """The changes in the last nights of a series: at most one candidate, by the last night alone, and at most one
    fence, by the last three. [] if the last night has no value.
    """
    nights = np.asarray(values, dtype=float)
    if len(nights) == 0 or not np.isfinite(nights[-1]):
        return []
    values_known = _finite(nights)
    return [change for change in (_candidate(values_known, after_change), _fence(values_known, after_change)) if change]


def _candidate(values: NDArray[np.float64], after_change: bool) -> Change | None:
    before = baseline(values[:-1], after_change)
    if before is None:
        return None
    limit = max(CANDIDATE_LIMIT, CANDIDATE_SPREADS * before.spread)
    step = float(_steps(values[-1:], before)[0])
    return Change("candidate", step, limit, before) if abs(step) > limit else None


def candidates(values: NDArray[np.float64], after_change: bool, nights: int) -> tuple[list[int], list[bool]]:
    """Of the last `nights` finite values: the rows that had a baseline, and for each True if it was a candidate
    then.
    """
    least = LEAST_AFTER_CHANGE if after_change else LEAST_NIGHTS
    rows = list(range(max(least, len(values) - nights), len(values)))
    return rows, [_candidate(values[max(0, row - MOST_NIGHTS) : row + 1], after_change) is not None for row in rows]


def _fence(values: NDArray[np.float64], after_change: bool) -> Change | None:
    before = baseline(values[:-FENCE_NIGHTS], after_change)
    if before is None:
        return None
    limit = max(FENCE_LIMIT, FENCE_SPREADS * before.spread)
    steps = _steps(values[-FENCE_NIGHTS:], before)
    middle = _median(steps)
    one_sided = np.all(np.sign(steps) == np.sign(middle)) and np.all(np.abs(steps) > limit / 2)
    return Change("fence", middle, limit, before) if one_sided and abs(middle) > limit else None


def _steps(values: NDArray[np.float64], before: Baseline) -> NDArray[np.float64]:
    difference = values - before.median
    if before.median == 0:
        return np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    return difference / abs(before.median)


def drift(values: ArrayLike) -> float | None:
    """The Theil-Sen slope of the last 30 nights, as a share of their median over 30 nights. None if fewer than 30
    nights have values, or the median is 0.
    """
    known = np.asarray(values, dtype=float)
    nights = np.flatnonzero(np.isfinite(known))[-MOST_NIGHTS:]
    if len(nights) < MOST_NIGHTS:
        return None
    values_known = known[nights]
    center = abs(float(np.median(values_known)))
    first, second = np.triu_indices(len(nights), k=1)
    slope = float(np.median((values_known[second] - values_known[first]) / (nights[second] - nights[first])))
    return slope * MOST_NIGHTS / center if center else None


def is_drift(drift: float | None) -> bool:
    """True if a drift is worth a look: more than 1 % over 30 nights."""
    return drift is not None and abs(drift) > DRIFT_LIMIT


def _median(values: NDArray[np.float64]) -> float:
    """The median of some finite values. numpy's own function takes ten times as long for thirty, and a page has
    thousands.
    """
    ordered = np.sort(values)
    middle = len(ordered) // 2
    return float(ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2)


def _finite(values: ArrayLike | Sequence[float]) -> NDArray[np.float64]:
    known = np.asarray(values, dtype=float)
    return known[np.isfinite(known)]
