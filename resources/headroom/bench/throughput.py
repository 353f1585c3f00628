# SPDX-License-Identifier: Apache-2.0
"""Throughput by MLRsearch: the highest rates at which no packet (NDR), or next to none (PDR), is lost.

A trial in which the generator fell behind shows no limit of the nodes. It is repeated, and then the search stays below
that rate; if nothing was lost there, there is no result. Source: RFC 2544, 26.1; draft-ietf-bmwg-mlrsearch, as the
package MLRsearch implements it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from MLRsearch import (
    AbstractMeasurer,
    Config,
    GoalResult,
    MeasurementResult,
    MultipleLossRatioSearch,
    SearchGoal,
)

from headroom.core.errors import HeadroomError
from headroom.testbed.trial import Trial

Measure = Callable[[float, float], Trial]  # packets/s of each direction, seconds

CLEARLY_LOST = 0.1  # share of lost packets beyond which a higher rate adds nothing
STEP = 4.0  # factor between two rates on the way up
NEAR = 1.15  # a rate up to this factor above one that the generator has sent is not worth another trial
ABOVE = 2.0  # factor to a ceiling that was too low: the search continues there
BACK = 0.9  # part of a rate at which the generator fell behind, which is tried next


class NoThroughput(HeadroomError):
    """Raised if the search could not end: an error of the measurement, never a limit.

    `needs_processors`: other work on the processors may be the reason; the record then has the load.
    """

    verdict = "error"
    needs_processors = True


class GeneratorFellBehind(NoThroughput):
    """Raised if the generator does not keep up: trials then say nothing about the nodes, which fail nothing."""

    verdict = "unsupported"


@dataclass(frozen=True)
class Goal:
    """A goal of a search: the highest rate at which at most `loss_ratio` of the packets is lost."""

    name: str
    loss_ratio: float


NDR = Goal("ndr", 0.0)
PDR = Goal("pdr", 0.005)  # the loss ratio that CSIT uses
GOALS = (NDR, PDR)


@dataclass(frozen=True)
class Rules:
    """The parameters of a search. Rates are packets/s of each direction, times seconds."""

    least_pps: float = 2000.0
    most_pps: float = 20e6
    trial_s: float = 1.0
    sum_s: float = 3.0  # seconds of the trials that decide about a rate
    width: float = 0.02  # relative distance between a rate that holds and one that does not
    seconds: float = 300.0
    repeats: int = 2  # repetitions of a trial in which the generator fell behind
    descents: int = 8  # steps below a rate at which it repeatedly fell behind
    unit: str = "packets/s"  # unit of the rate, for sentences


QUICK = Rules(trial_s=0.5, sum_s=0.5, width=0.1, seconds=120.0)


@dataclass(frozen=True)
class Rate:
    """The result for a goal. Without `pps`, `reason` tells why; `at_least_pps` is a rate without a fault so far."""

    goal: Goal
    pps: float | None
    reason: str = ""
    at_least_pps: float | None = None
    error: bool = False  # True if the measurement is the limit, not the nodes


@dataclass(frozen=True)
class Throughput:
    """Rates by goal, and all trials, in order."""

    rates: dict[str, Rate]
    trials: Sequence[Trial]
    ceiling_pps: float  # the search stayed at or below it
    held_by_generator: bool  # the ceiling is the rate at which the generator falls behind


@dataclass
class Search(AbstractMeasurer):
    """A search. `measure(rate_pps, duration_s)` makes a trial; an exception from it ends the search."""

    measure_at: Measure
    rules: Rules = field(default_factory=Rules)
    goals: Sequence[Goal] = GOALS
    trials: list[Trial] = field(default_factory=list, init=False)
    held: bool = field(default=False, init=False)

    def run(self) -> Throughput:
        """Runs the search. Raises NoThroughput if it does not end, GeneratorFellBehind if it cannot even begin."""
        ceiling = self._ceiling()
        for _ in range(self.rules.descents):
            if ceiling <= self.rules.least_pps:
                break
            try:
                throughput = self._search(ceiling)
            except _FellBehind as behind:
                ceiling, self.held = BACK * behind.rate_pps, True
                continue
            if self._is_outgrown(throughput.values(), ceiling):
                ceiling = min(ABOVE * ceiling, self.rules.most_pps)
                continue
            rates = {
                goal.name: self._rate(goal, throughput[_as_goal(goal, self.rules)], ceiling) for goal in self.goals
            }
            return Throughput(rates, self.trials, ceiling, self.held)
        raise GeneratorFellBehind(
            f"The generator falls behind already at {ceiling / BACK:,.0f} {self.rules.unit}: it, or this machine, is "
            "too slow or too busy for a search."
        )

    def _is_outgrown(self, results: Iterable[GoalResult], ceiling: float) -> bool:
        """True if a rate lies above the ceiling, so that only a disturbed trial can have shown a loss there."""
        above = any(
            result.relevant_lower_bound is not None and result.relevant_upper_bound is None for result in results
        )
        return above and not self.held and ceiling < self.rules.most_pps

    # -- the ceiling

    def _ceiling(self) -> float:
        """A rate at which many packets are lost; or the highest that the generator can send, which is then recorded in
        `held`.
        """
        rate, sent_rate = STEP * self.rules.least_pps, 0.0
        for _ in range(4 * self.rules.descents):
            try:
                trial = self._trial(rate, self.rules.trial_s)
            except _FellBehind as behind:
                self.held = True
                if behind.rate_pps <= NEAR * sent_rate:
                    return sent_rate
                if behind.rate_pps <= self.rules.least_pps:
                    break
                rate = self._below(behind, max(sent_rate, self.rules.least_pps))
                continue
            if trial.lost > CLEARLY_LOST * trial.sent:
                self.held = False
                return rate
            if self.held or rate >= self.rules.most_pps:
                return rate
            sent_rate, rate = rate, min(STEP * rate, self.rules.most_pps)
        raise GeneratorFellBehind(
            f"The generator does not even keep up with {self.rules.least_pps:,.0f} {self.rules.unit}: it, or this "
            "machine, is too slow or too busy."
        )

    @staticmethod
    def _below(behind: _FellBehind, least: float) -> float:
        """A rate to try after one at which the generator fell behind: the rate that it sent, or one in the middle."""
        sent = BACK * behind.achieved_pps
        return sent if least < sent < BACK * behind.rate_pps else max(least, math.sqrt(least * behind.rate_pps))

    # -- the search

    def _search(self, ceiling: float) -> dict[SearchGoal, GoalResult]:
        config = Config()
        config.goals = [_as_goal(goal, self.rules) for goal in self.goals]
        config.min_load = min(self.rules.least_pps, ceiling / 2)
        config.max_load = ceiling
        config.search_duration_max = self.rules.seconds
        config.warmup_duration = None
        try:
            return dict(MultipleLossRatioSearch(config).search(self, debug=lambda _: None))
        except RuntimeError as error:
            raise NoThroughput(
                f"No rate was found within {self.rules.seconds:g} s and {len(self.trials)} trials: {error}"
            ) from error

    def measure(self, intended_duration: float, intended_load: float) -> MeasurementResult:
        """Makes a trial, in the interface of MLRsearch."""
        trial = self._trial(intended_load, intended_duration)
        return MeasurementResult(intended_duration, intended_load, offered_count=trial.sent, loss_count=trial.lost)

    def _trial(self, rate_pps: float, duration_s: float) -> Trial:
        for _ in range(1 + self.rules.repeats):
            trial = self.measure_at(rate_pps, duration_s)
            self.trials.append(trial)
            if not (trial.sent or trial.fell_behind):
                raise NoThroughput(f"The generator sent nothing in a trial at {rate_pps:,.0f} {self.rules.unit}.")
            if not trial.fell_behind:
                return trial
        raise _FellBehind(rate_pps, min(direction.achieved_pps for direction in trial.directions))

    def _rate(self, goal: Goal, result: GoalResult, ceiling: float) -> Rate:
        lower, upper = result.relevant_lower_bound, result.relevant_upper_bound
        if lower is None:
            return Rate(goal, None, f"packets are lost already at {self.rules.least_pps:,.0f} {self.rules.unit}")
        if upper is None:
            why = "the generator cannot send more" if self.held else "no higher rate was tried"
            return Rate(goal, None, f"it is above {float(lower):,.0f} {self.rules.unit}, and {why}", float(lower), True)
        return Rate(goal, float(lower))


class _FellBehind(Exception):
    """Raised if the generator repeatedly fell behind at a rate."""

    def __init__(self, rate_pps: float, achieved_pps: float) -> None:
        super().__init__(rate_pps)
        self.rate_pps, self.achieved_pps = rate_pps, achieved_pps


def _as_goal(goal: Goal, rules: Rules) -> SearchGoal:
    return SearchGoal(
        loss_ratio=goal.loss_ratio,
        relative_width=rules.width,
        initial_trial_duration=rules.trial_s / 2 if rules.sum_s > rules.trial_s else rules.trial_s,
        final_trial_duration=rules.trial_s,
        duration_sum=rules.sum_s,
        preceding_targets=2,
        fail_fast=False,
    )


def compact(trial: Trial) -> dict[str, object]:
    """The entry of a result record for a trial: all counts, without histograms and the generator's own messages."""
    directions = {
        name: {key: getattr(direction, key) for key in ("achieved_pps", "sent", "received", "lost", "unexpected")}
        for name, direction in zip(("forward", "reverse"), trial.directions, strict=False)
    }
    return {
        "rate_pps": trial.rate_pps,
        "duration_s": trial.duration_s,
        "fell_behind": trial.fell_behind,
        **directions,
    }
