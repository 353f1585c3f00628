# SPDX-License-Identifier: Apache-2.0
"""The flow pairs that a core carries: bisection on its load, and on missed ticks, with repeated trials.

The Effnet paper (2007) reads the flow pairs at 30 % and 50 % off a curve of load over flows; here the search measures
around the crossing. Every raw trial is kept. A machine that is not quiet is measured more often, and the result notes
it.
"""

import itertools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Trial:
    """A measurement of a load.

    `load` is the busy share of the core (mean over the cores), 0..1; `disturbed` is the disturbance, "" if there was
    none.
    """

    flow_pairs: int
    load: float
    ticks_missed: int
    disturbed: str = ""
    detail: Any = None


Measure = Callable[[int], Trial]


@dataclass(frozen=True)
class Rules:
    """The parameters of a search."""

    trials: int = 3  # trials at each number of flow pairs
    extra: int = 3  # most further trials if the first ones disagree or were disturbed
    resolution: float = 0.02  # the bracket's upper end is at most this much above its lower end
    spread: float = (
        0.10  # spread of the loads of one point, as a share of their median, above which it is measured again
    )
    steps: int = 14  # most points of one search
    first: int = 500  # flow pairs to begin with
    most: int = 2_000_000  # never more flow pairs per core
    seconds: float = 24.0  # seconds for one target: then the search ends with its result so far, and a note
    slack: float = 0.01  # the most by which a load may fall from one point to the next and still count as monotone


@dataclass
class Point:
    """All trials at one number of flow pairs."""

    flow_pairs: int
    trials: list[Trial] = field(default_factory=list)

    @property
    def counted(self) -> list[Trial]:
        """The trials that decide: the undisturbed ones, or all if there are none."""
        return [trial for trial in self.trials if not trial.disturbed] or self.trials

    @property
    def load(self) -> float:
        return median(trial.load for trial in self.counted)

    @property
    def has_missed_ticks(self) -> bool:
        """True if ticks are missed here, in at least half of the trials, so that a single hiccup does not decide.

        Disturbed trials that missed a tick count only if there are no others; disturbed trials without a missed tick
        count.
        """
        counted = [trial for trial in self.trials if not trial.disturbed or trial.ticks_missed == 0] or self.trials
        missed = sum(1 for trial in counted if trial.ticks_missed > 0)
        return 2 * missed >= len(counted)

    def spread(self) -> float:
        """The distance between the highest and lowest load, as a share of the median."""
        loads = [trial.load for trial in self.counted]
        return (max(loads) - min(loads)) / self.load if self.load > 0 else 0.0


@dataclass
class Capacity:
    """The result of a search. `target_load` is None for the search for no missed tick.

    `flow_pairs` is None if there is no result; `reason` tells why. `per_trial` holds one value per round of trials; the
    reported value is their median.
    """

    target_load: float | None
    flow_pairs: float | None
    per_trial: list[float] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    reason: str = ""
    busy: bool = False  # no result because other work used the machine
    out_of_time: bool = False  # no result because the search had to end
    beyond: bool = False  # no result because the most flow pairs are too few: a limit of the load
    rough: bool = False  # time ran out before the search was as narrow as its rules ask


class Search:
    """Measures points on demand and remembers them, so that several targets share what was measured."""

    def __init__(
        self, measure: Measure, rules: Rules | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.measure = measure
        self.rules = rules or Rules()
        self.points: dict[int, Point] = {}
        self.clock = clock
        self.deadline = math.inf

    def is_late(self) -> bool:
        """True if the time for this target has run out."""
        return self.clock() >= self.deadline

    def add_trial(self, point: Point) -> None:
        """Measures a point once more. It is remembered from its first trial on, which may raise."""
        point.trials.append(self.measure(point.flow_pairs))
        self.points[point.flow_pairs] = point

    def at(self, flow_pairs: int, trials: int | None = None) -> Point:
        """The point at a number of flow pairs, measured often enough."""
        point = self.points.get(flow_pairs, Point(flow_pairs))
        trials_needed = trials or self.rules.trials
        while len(point.trials) < trials_needed and not (point.trials and self.is_late()):
            self.add_trial(point)
        if trials_needed >= self.rules.trials:
            self._settle(point)
        return point

    def misses_at(self, flow_pairs: int) -> Point:
        """The point at a number of flow pairs, measured until the majority of its trials is certain."""
        point = self.points.get(flow_pairs, Point(flow_pairs))
        majority = self.rules.trials // 2 + 1
        while len(point.trials) < self.rules.trials + self.rules.extra:
            if point.trials and self.is_late():
                break
            # A disturbance makes a trial miss ticks, never keep them.
            missed = sum(1 for trial in point.trials if not trial.disturbed and trial.ticks_missed > 0)
            without_misses = sum(1 for trial in point.trials if trial.ticks_missed == 0)
            if max(missed, without_misses) >= majority:
                break
            self.add_trial(point)
        return point

    def _settle(self, point: Point) -> None:
        """Adds trials to a point whose trials disagree or were disturbed."""
        limit = self.rules.trials + self.rules.extra
        while (
            not self.is_late()
            and len(point.trials) < limit
            and (
                sum(1 for trial in point.trials if not trial.disturbed) < self.rules.trials
                or point.spread() > self.rules.spread
            )
        ):
            self.add_trial(point)

    def known(self) -> list[Point]:
        """Points with more than a first, single trial, by flow pairs."""
        enough = min(2, self.rules.trials)
        return sorted((p for p in self.points.values() if len(p.trials) >= enough), key=lambda p: p.flow_pairs)

    def for_load(self, target: float) -> Capacity:
        """Searches for the flow pairs at which the load is `target`, 0..1: bisection, steered by the line between the
        bracket's ends.
        """
        capacity = Capacity(target, None)
        self.deadline = self.clock() + self.rules.seconds
        low, high = self._bracket(lambda point: point.load >= target, self._guess(target), self.at)
        if (high is None or (low is None and high.flow_pairs > 1)) and self.is_late():
            return self._extrapolated(capacity, target)
        if high is None:
            capacity.points = self.known()
            capacity.beyond = True
            capacity.reason = f"even {self.rules.most} flow pairs per core do not load it to {target:.0%}"
            return capacity
        if low is None:
            low = Point(0, [Trial(0, 0.0, 0)] * len(high.trials))
        for _ in range(self.rules.steps):
            if self.is_late() or high.flow_pairs - low.flow_pairs <= max(1, self.rules.resolution * low.flow_pairs):
                break
            middle = self.at(_between(low, high, target))
            if middle.load >= target:
                high = middle
            else:
                low = middle
        for end in (low, high):
            if end.flow_pairs:
                self.at(end.flow_pairs)  # The search for missed ticks may have left an end with fewer trials.
        low, high = self._mend(low, high, target)
        capacity.per_trial = _crossings(low, high, target)
        capacity.flow_pairs = median(capacity.per_trial)
        capacity.points = self.known()
        self._finish(capacity, low, high)
        return capacity

    def _finish(self, capacity: Capacity, low: Point, high: Point) -> None:
        """Adds notes about a search with a result."""
        width = self._width(low, high)
        capacity.notes = self.notes() + width
        capacity.rough = bool(width)

    def without_missed_ticks(self) -> Capacity:
        """Searches for the highest number of flow pairs at which most trials miss no tick: bisection on missed
        ticks.
        """
        capacity = Capacity(None, None)
        self.deadline = self.clock() + self.rules.seconds
        low, high = self._bracket(lambda point: point.has_missed_ticks, self._guess(0.93), self.misses_at)
        if low is None:
            capacity.points = self.known()
            lowest = min(self.points.values(), key=lambda point: point.flow_pairs)
            capacity.busy = all(trial.disturbed for trial in lowest.trials if trial.ticks_missed)
            capacity.out_of_time = self.is_late()
            capacity.reason = (
                f"ticks were missed at every number of flow pairs that could be tried in {self.rules.seconds:g} s"
                if capacity.out_of_time
                else "ticks are missed with any number of flow pairs: this machine does not keep time well enough"
            )
            return capacity
        if high is None:
            capacity.out_of_time = self.is_late()
            capacity.beyond = not capacity.out_of_time
            capacity.reason = (
                f"{self.rules.seconds:g} s were too short to find a number of flow pairs that misses ticks"
                if capacity.out_of_time
                else f"even {self.rules.most} flow pairs per core miss no tick"
            )
            capacity.points = self.known()
            return capacity
        for _ in range(self.rules.steps):
            if self.is_late() or high.flow_pairs - low.flow_pairs <= max(1, self.rules.resolution * low.flow_pairs):
                break
            middle = self.misses_at((low.flow_pairs + high.flow_pairs) // 2)
            if middle.has_missed_ticks:
                high = middle
            else:
                low = middle
        capacity.flow_pairs = low.flow_pairs
        capacity.per_trial = [float(low.flow_pairs)]
        capacity.points = self.known()
        self._finish(capacity, low, high)
        if any(trial.ticks_missed for trial in low.trials):
            count = sum(1 for trial in low.trials if trial.ticks_missed)
            capacity.notes.append(f"at this number {count} of {len(low.trials)} trials missed a tick nevertheless")
        return capacity

    def _extrapolated(self, capacity: Capacity, target: float) -> Capacity:
        """The capacity from the point closest to the target alone, because time ran out before there was a point on
        each side of it.
        """
        nearest = min(self.points.values(), key=lambda point: abs(point.load - target))
        capacity.per_trial = [trial.flow_pairs * target / max(trial.load, 1e-4) for trial in nearest.counted]
        capacity.flow_pairs = median(capacity.per_trial)
        capacity.points = self.known()
        capacity.rough = True
        capacity.notes = [
            *self.notes(),
            f"the search ended after {self.rules.seconds:g} s; extrapolated from a load of {nearest.load:.1%} at "
            f"{nearest.flow_pairs} flow pairs per core",
        ]
        return capacity

    def _guess(self, target: float) -> int:
        """The first number of flow pairs to try: on the line through the two points whose loads are closest to the
        target.
        """
        if not self.points:
            first = self.at(self.rules.first, trials=1)
            while first.load < 0.05 and first.flow_pairs < self.rules.most:
                # Fixed costs of a tick weigh too much here to draw a line.
                first = self.at(self._limited(first.flow_pairs * 8), trials=1)
        near = sorted(self.points.values(), key=lambda point: abs(point.load - target))
        for second in near[1:]:
            rise = (second.load - near[0].load) / (second.flow_pairs - near[0].flow_pairs)
            # Two points that are too close together, or in the wrong order because of noise, give no line.
            if abs(second.load - near[0].load) > 0.02 and rise > 0:
                return self._limited(near[0].flow_pairs + (target - near[0].load) / rise)
        return self._limited(near[0].flow_pairs * target / max(near[0].load, 1e-4))

    def _limited(self, flow_pairs: float) -> int:
        return max(1, min(self.rules.most, round(flow_pairs)))

    def _bracket(
        self, reached: Callable[[Point], bool], guess: int, at: Callable[[int], Point]
    ) -> tuple[Point | None, Point | None]:
        """A point where the condition is not reached and one above it where it is; None for a missing one."""
        high = min((p for p in self.known() if reached(p)), key=lambda p: p.flow_pairs, default=None)
        below = [p for p in self.known() if not reached(p) and (high is None or p.flow_pairs < high.flow_pairs)]
        low = max(below, key=lambda p: p.flow_pairs, default=None)
        if low and high and high.flow_pairs - low.flow_pairs <= max(1, self.rules.resolution * low.flow_pairs):
            return low, high
        # As narrow as the result has to be: a right guess needs no bisection.
        factor = 1.0 + 0.9 * self.rules.resolution
        flow_pairs = self._limited(guess)
        upwards: bool | None = None
        for _ in range(self.rules.steps):
            if (low or high) and self.is_late():
                break
            if low and high and not low.flow_pairs < flow_pairs < high.flow_pairs:
                break
            point = at(flow_pairs)
            if reached(point):
                high = point
            else:
                low = point
            if upwards is None:
                upwards = point is low
            elif upwards != (point is low):
                break  # The step from the last point to this one crossed the condition.
            if (upwards and flow_pairs >= self.rules.most) or (not upwards and flow_pairs <= 1):
                break
            stride = max(1.0, flow_pairs * (factor - 1))
            flow_pairs = self._limited(
                flow_pairs + stride if upwards else flow_pairs - flow_pairs * (1 - 1 / factor) - 0.5
            )
            factor = 1 + 3 * (factor - 1)
        return low, high

    def _mend(self, low: Point, high: Point, target: float) -> tuple[Point, Point]:
        """Measures the bracket's ends again if the load between them falls, because of noise or a machine that
        changed.
        """
        for _ in range(self.rules.extra):
            if self.is_late() or low.flow_pairs == 0 or low.load < target <= high.load:
                break
            for point in (low, high):
                self.add_trial(point)
        return low, high

    def _width(self, low: Point, high: Point) -> list[str]:
        """A note if the search ended before the bracket was as narrow as its rules ask."""
        width = (high.flow_pairs - low.flow_pairs) / max(low.flow_pairs, 1)
        if width <= 1.5 * self.rules.resolution or high.flow_pairs - low.flow_pairs <= 1:
            return []
        where = f"{low.flow_pairs} and {high.flow_pairs} flow pairs per core"
        return [f"the search ended after {self.rules.seconds:g} s between {where}"]

    def notes(self) -> list[str]:
        """Notes about disturbances by the machine."""
        notes = []
        known = self.known()
        falls = [
            (first, second)
            for first, second in itertools.pairwise(known)
            if second.load < first.load - self.rules.slack
        ]
        if falls:
            first, second = falls[0]
            notes.append(
                f"the load does not always grow with the flows (for example {first.load:.1%} at {first.flow_pairs} and "
                f"{second.load:.1%} at {second.flow_pairs} flow pairs per core): the machine is not quiet"
            )
        noisy = [point for point in known if point.spread() > self.rules.spread]
        if noisy:
            worst = max(noisy, key=Point.spread)
            notes.append(
                f"trials of one point differ by up to {worst.spread():.0%} of their median (at "
                f"{worst.flow_pairs} flow pairs per core)"
            )
        disturbed = [trial for point in known for trial in point.trials if trial.disturbed]
        if disturbed:
            total = sum(len(point.trials) for point in known)
            notes.append(f"{len(disturbed)} of {total} trials were disturbed ({disturbed[0].disturbed}) and repeated")
        return notes


def _between(low: Point, high: Point, target: float) -> int:
    """The number at which the line between two points reaches the target, kept off the ends so that the bracket always
    shrinks.
    """
    width = high.flow_pairs - low.flow_pairs
    rise = high.load - low.load
    share = (target - low.load) / rise if rise > 0 else 0.5
    share = min(0.85, max(0.15, share))
    return low.flow_pairs + max(1, min(width - 1, round(share * width)))


def _crossings(low: Point, high: Point, target: float) -> list[float]:
    """The flow pairs at the target for each round of trials, along the line between the two points of that round."""
    result = []
    for first, second in zip(low.counted, high.counted, strict=False):
        rise = second.load - first.load
        share = (target - first.load) / rise if rise > 0 else 0.5
        # A single noisy trial may cross far outside; it counts, but only up to one bracket beyond.
        share = min(2.0, max(-1.0, share))
        result.append(low.flow_pairs + share * (high.flow_pairs - low.flow_pairs))
    return result
