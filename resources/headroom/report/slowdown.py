# SPDX-License-Identifier: Apache-2.0
"""`compare --slower-than`: judges which metrics are worse in one of two runs by more than a limit, beyond their
uncertainty.

A metric of a case is judged by its trials. If both runs have a single trial, all cases that have the metric are judged
together, each case of one run beside the same case of the other. If neither decides, the judgement is "cannot tell".
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from headroom.core.metric_registry import all_metrics
from headroom.core.metrics import FLOOR_NS, Metric
from headroom.report.data import metrics_by_identity

Record = dict[str, Any]
Interval = tuple[float, float]
LEAST_FACTOR = 2.0  # the factor between single trials that makes b worse, whatever their spread
# Quantiles of Student's t distribution, 99 % two-sided, for 1 to 10 degrees of freedom, and of the normal one.
T_QUANTILES = (63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.25, 3.169)
Z_QUANTILE = 2.5758
Judgement = Literal["worse", "not worse", "cannot tell"]


@dataclass(frozen=True)
class Slowdown:
    """The change of one metric from run a to run b. `change` is b over a, less 1. `interval` holds its ends with 99 %
    confidence, None if there are too few trials. `allowed` is the change for the worse that is tolerated: the limit
    plus the slowdown of the machine itself.
    """

    metric: Metric
    core: int | None
    cases: tuple[str, ...]
    a: float
    b: float
    trials: tuple[int, int]  # numbers of trials in a and b; of several cases together, the number of cases
    change: float
    interval: Interval | None
    allowed: float
    factor: float = 1.0  # the factor by which b is worse in single trials, at least, over all cases

    @property
    def judgement(self) -> Judgement:
        if self.factor >= LEAST_FACTOR * (1 + self.allowed):
            return "worse"
        if self.interval is None:
            return "cannot tell"
        low, high = self.interval if self.metric.better == "lower" else (-self.interval[1], -self.interval[0])
        return "worse" if low > self.allowed else "not worse" if high <= self.allowed else "cannot tell"

    @property
    def name(self) -> str:
        return self.metric.name if self.core is None else f"{self.metric.name}, CPU {self.core}"

    @property
    def where(self) -> str:
        return self.cases[0] if len(self.cases) == 1 else f"{len(self.cases)} cases together"

    @property
    def basis(self) -> str:
        """The data that the interval is calculated from, in words."""
        if len(self.cases) > 1:
            return f"1 trial of each of {len(self.cases)} cases"
        if self.metric.repeats_within is not None:
            return "a count, which repeats"
        return "1 trial in each run" if self.trials == (1, 1) else f"{self.trials[0]} and {self.trials[1]} trials"

    @property
    def figure(self) -> str:
        """The change with its interval: `+7.1 % (+5.3 to +8.9 %)`."""
        return figure_of(self.change, self.interval)

    def as_json(self) -> dict[str, Any]:
        return {
            "metric": self.metric.name,
            "unit": self.metric.unit,
            "better": self.metric.better,
            "core": self.core,
            "cases": list(self.cases),
            "a": self.a,
            "b": self.b,
            "trials": list(self.trials),
            "change": _finite(self.change),
            "interval": None if self.interval is None else [_finite(end) for end in self.interval],
            "allowed": self.allowed,
            "judgement": self.judgement,
        }


def figure_of(change: float, interval: Interval | None) -> str:
    """A change with the ends of its interval, as text."""
    if interval is None:
        return f"{_signed(change)} % (uncertainty not known)"
    return f"{_signed(change)} % ({_signed(interval[0])} to {_signed(interval[1])} %)"


def judge(pairs: Iterable[tuple[Record, Record]], limit: float) -> list[Slowdown]:
    """Judges each metric that both records of a case have, if the registry knows its direction and it concerns the
    implementations under test. The worst come first. Metrics that are 0 in both are left out.
    """
    slowdowns = [slowdown for a, b in pairs for slowdown in _of_case(a, b, limit)]
    floors = [slowdown for slowdown in slowdowns if slowdown.metric == FLOOR_NS]
    machine = max([0.0, *(slowdown.interval[0] for slowdown in _together(floors) or floors if slowdown.interval)])
    timed = limit + machine * (1 + limit)  # the limit and the machine's slowdown, one after the other
    slowdowns = [
        slowdown if slowdown.metric.repeats_within is not None else replace(slowdown, allowed=timed)
        for slowdown in slowdowns
        if not slowdown.metric.is_of_harness
    ]
    together = _together([slowdown for slowdown in slowdowns if slowdown.interval is None])
    grouped = {(slowdown.name, case) for slowdown in together for case in slowdown.cases}
    judged = [
        slowdown
        for slowdown in slowdowns
        if slowdown.interval is not None or (slowdown.name, slowdown.cases[0]) not in grouped
    ] + together
    order = {"worse": 0, "cannot tell": 1, "not worse": 2}
    return sorted(
        judged, key=lambda slowdown: (order[slowdown.judgement], -abs(slowdown.change), slowdown.name, slowdown.where)
    )


def _of_case(a: Record, b: Record, limit: float) -> Iterable[Slowdown]:
    known, theirs = all_metrics(), metrics_by_identity(b)
    for identity, metric in metrics_by_identity(a).items():
        other, declared = theirs.get(identity), known.get(metric["name"])
        if other is None or declared is None or declared.better is None or declared.unit != metric["unit"]:
            continue
        if metric["value"] is None or other["value"] is None or metric["value"] == other["value"] == 0:
            continue
        trials = [[trial for trial in m["trials"] if trial is not None] or [m["value"]] for m in (metric, other)]
        if declared.repeats_within is not None and a["seed"] == b["seed"]:
            change, interval = counted(declared, metric["value"], other["value"])
        else:
            change, interval = estimate(*trials)
            declared = replace(declared, repeats_within=None)
        counts = (len(trials[0]), len(trials[1]))
        case = (a["test"]["id"],)
        values = (metric["value"], other["value"])
        if declared.repeats_within is None:  # a value may be the best of its trials, but all trials are judged
            values = (middle(trials[0]), middle(trials[1]))
        factor = _factor(declared, *values) if interval is None and counts == (1, 1) else 1.0
        yield Slowdown(declared, metric["core"], case, *values, counts, change, interval, limit, factor)


def counted(metric: Metric, a: float, b: float) -> tuple[float, Interval | None]:
    """The change of a counted figure, which repeats within the share that its metric names."""
    change, within = _ratio(a, b) - 1, metric.repeats_within or 0.0
    return change, (change - within, change + within)


def middle(trials: Sequence[float]) -> float:
    """The geometric mean of trials, which `estimate` compares; the arithmetic mean if a trial is 0."""
    return statistics.geometric_mean(trials) if min(trials) > 0 else statistics.mean(trials)


def _factor(metric: Metric, a: float, b: float) -> float:
    """The factor by which b is worse: 2 for twice the time, and for half of the throughput."""
    better, worse = (a, b) if metric.better == "lower" else (b, a)
    return _ratio(better, worse) if min(a, b) > 0 else 1.0


def estimate(a: Sequence[float], b: Sequence[float], *others: Sequence[float]) -> tuple[float, Interval | None]:
    """The change from trials of one run to those of another, as a share, with its interval. It is Student's interval
    for logarithms of the trials; both runs and `others`, which were measured alike, are taken to have one spread.
    """
    if list(a) == list(b):  # times are never equal to the last digit by chance
        return 0.0, (0.0, 0.0)
    if min(*a, *b) <= 0:
        return _ratio(statistics.mean(a), statistics.mean(b)) - 1, None
    logs = [[math.log(trial) for trial in trials] for trials in (a, b, *others) if min(trials) > 0]
    difference = statistics.mean(logs[1]) - statistics.mean(logs[0])
    freedom = sum(len(log) - 1 for log in logs)
    squares = sum(statistics.variance(log) * (len(log) - 1) for log in logs if len(log) > 1)
    if not squares:  # equal trials may be steps of a search, which hide the spread
        return math.expm1(difference), None
    return _interval(difference, squares / freedom * (1 / len(a) + 1 / len(b)), freedom)


def _interval(difference: float, variance: float, freedom: int) -> tuple[float, Interval]:
    half = t_quantile(freedom) * math.sqrt(variance)
    return math.expm1(difference), (math.expm1(difference - half), math.expm1(min(difference + half, 700.0)))


def t_quantile(freedom: int) -> float:
    """The quantile of Student's t distribution for 99 %, two-sided."""
    if freedom <= len(T_QUANTILES):
        return T_QUANTILES[freedom - 1]
    z = Z_QUANTILE  # Cornish and Fisher's expansion, right to 0.4 % from here on
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def _together(single: Sequence[Slowdown]) -> list[Slowdown]:
    """The judgement of each metric over all its cases, if there are two or more: the mean change, with the spread over
    the cases.
    """
    result = []
    groups: dict[tuple[str, int | None], list[Slowdown]] = {}
    for slowdown in single:
        if slowdown.a > 0 and slowdown.b > 0:
            groups.setdefault((slowdown.metric.name, slowdown.core), []).append(slowdown)
    for group in groups.values():
        if len(group) < 2:
            continue
        logs = [math.log(slowdown.b / slowdown.a) for slowdown in group]
        variance = statistics.variance(logs) / len(logs)
        change, interval = _interval(statistics.mean(logs), variance, len(logs) - 1)
        a, b = (statistics.geometric_mean([getattr(slowdown, side) for slowdown in group]) for side in ("a", "b"))
        cases, count = tuple(slowdown.cases[0] for slowdown in group), len(group)
        least = min(slowdown.factor for slowdown in group)
        more = replace(group[0], cases=cases, a=a, b=b, trials=(count, count), factor=least)
        result.append(replace(more, change=change, interval=interval))
    return result


def _ratio(a: float, b: float) -> float:
    return b / a if a else math.inf


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _signed(share: float) -> str:
    return f"{100 * share:+.1f}" if abs(share) < 100 else f"{100 * share:+.3g}"
