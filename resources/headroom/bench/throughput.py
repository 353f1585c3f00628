# SPDX-License-Identifier: Apache-2.0
"""Throughput by MLRsearch: the highest rates at which nothing (NDR), or next to nothing (PDR), is lost.

A trial in which the generator fell behind shows no limit of the nodes: it is repeated, then the
search stays below that rate, and where nothing was lost there, there is no rate. Source: RFC 2544, 26.1;
draft-ietf-bmwg-mlrsearch, as the package MLRsearch has it.
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

CLEARLY_LOST = 0.1  # share of the packets beyond which more rate teaches nothing
STEP = 4.0  # between two rates on the way up
NEAR = 1.15  # times a rate that the generator has sent: not worth another trial
ABOVE = 2.0  # times a ceiling that was none: where the search goes on
BACK = 0.9  # of a rate at which the generator fell behind: where it is tried next


class NoThroughput(HeadroomError):
    """The search could not come to an end: an error of the measurement, never a limit that was found.

    `needs_processors`: it may be that others had the processors, of which the record then tells."""

    verdict = "error"
    needs_processors = True


class GeneratorFellBehind(NoThroughput):
    """The generator does not keep up: what trials say is about it, and not about the nodes, which fail nothing."""

    verdict = "unsupported"


@dataclass(frozen=True)
class Goal:
    """A rate to look for: the highest at which at most `loss_ratio` of the packets is lost."""

    name: str
    loss_ratio: float


NDR = Goal("ndr", 0.0)
PDR = Goal("pdr", 0.005)  # the share that CSIT takes
GOALS = (NDR, PDR)


@dataclass(frozen=True)
class Rules:
    """How thoroughly to search. Rates are packets/s of each direction, times seconds."""

    least_pps: float = 2000.0
    most_pps: float = 20e6
    trial_s: float = 1.0
    sum_s: float = 3.0  # of the trials that decide about a rate
    width: float = 0.02  # between a rate that holds and one that does not
    seconds: float = 300.0
    repeats: int = 2  # of a trial in which the generator fell behind
    descents: int = 8  # how often to go below a rate at which it did so again and again
    unit: str = "packets/s"  # of what is sent, for sentences


QUICK = Rules(trial_s=0.5, sum_s=0.5, width=0.1, seconds=120.0)


@dataclass(frozen=True)
class Rate:
    """What was found for a goal. Without `pps`, `reason` says why; `at_least_pps` is where nothing was wrong yet."""

    goal: Goal
    pps: float | None
    reason: str = ""
    at_least_pps: float | None = None
    error: bool = False  # whether it is the measurement that falls short, not the nodes


@dataclass(frozen=True)
class Throughput:
    """Rates by goal, and every trial that was made, in order."""

    rates: dict[str, Rate]
    trials: Sequence[Trial]
    ceiling_pps: float  # the search stayed at or below it
    held_by_generator: bool  # the ceiling is where the generator falls behind


@dataclass
class Search(AbstractMeasurer):
    """One search. `measure(rate_pps, duration_s)` makes a trial; what it raises ends the search."""

    measure_at: Measure
    rules: Rules = field(default_factory=Rules)
    goals: Sequence[Goal] = GOALS
    trials: list[Trial] = field(default_factory=list, init=False)
    held: bool = field(default=False, init=False)

    def run(self) -> Throughput:
        """Raises NoThroughput where the search does not end, GeneratorFellBehind where it cannot even begin."""
        ceiling = self._ceiling()
        for _ in range(self.rules.descents):
            if ceiling <= self.rules.least_pps:
                break
            try:
                found = self._search(ceiling)
            except _Behind as behind:
                ceiling, self.held = BACK * behind.rate_pps, True
                continue
            if self._outgrown(found.values(), ceiling):
                ceiling = min(ABOVE * ceiling, self.rules.most_pps)
                continue
            rates = {goal.name: self._rate(goal, found[_as_goal(goal, self.rules)], ceiling) for goal in self.goals}
            return Throughput(rates, self.trials, ceiling, self.held)
        raise GeneratorFellBehind(
            f"The generator falls behind at {ceiling / BACK:,.0f} {self.rules.unit} already: it, or this machine, is "
            "too slow or too busy for a search."
        )

    def _outgrown(self, found: Iterable[GoalResult], ceiling: float) -> bool:
        """Whether a rate lies above the ceiling, where only a disturbed trial can have lost as much as that."""
        above = any(one.relevant_lower_bound is not None and one.relevant_upper_bound is None for one in found)
        return above and not self.held and ceiling < self.rules.most_pps

    # -- where to begin

    def _ceiling(self) -> float:
        """A rate at which much is lost; or the highest that the generator can send, which is noted in `held`."""
        rate, kept = STEP * self.rules.least_pps, 0.0
        for _ in range(4 * self.rules.descents):
            try:
                trial = self._trial(rate, self.rules.trial_s)
            except _Behind as behind:
                self.held = True
                if behind.rate_pps <= NEAR * kept:
                    return kept
                if behind.rate_pps <= self.rules.least_pps:
                    break
                rate = self._below(behind, max(kept, self.rules.least_pps))
                continue
            if trial.lost > CLEARLY_LOST * trial.sent:
                self.held = False
                return rate
            if self.held or rate >= self.rules.most_pps:
                return rate
            kept, rate = rate, min(STEP * rate, self.rules.most_pps)
        raise GeneratorFellBehind(
            f"The generator does not even keep up with {self.rules.least_pps:,.0f} {self.rules.unit}: it, or this "
            "machine, is too slow or too busy."
        )

    @staticmethod
    def _below(behind: _Behind, least: float) -> float:
        """A rate to try after one at which the generator fell behind: what it has sent, or in the middle."""
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
        """One trial, as MLRsearch asks for it."""
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
        raise _Behind(rate_pps, min(one.achieved_pps for one in trial.directions))

    def _rate(self, goal: Goal, found: GoalResult, ceiling: float) -> Rate:
        lower, upper = found.relevant_lower_bound, found.relevant_upper_bound
        if lower is None:
            return Rate(goal, None, f"packets are lost at {self.rules.least_pps:,.0f} {self.rules.unit} already")
        if upper is None:
            why = "the generator cannot send more" if self.held else "more was not tried"
            return Rate(goal, None, f"it is above {float(lower):,.0f} {self.rules.unit}, and {why}", float(lower), True)
        return Rate(goal, float(lower))


class _Behind(Exception):
    """The generator fell behind, again and again, at a rate."""

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
    """What a result record keeps of a trial: all counts, without histograms and the generator's own words."""
    directions = {
        name: {key: getattr(one, key) for key in ("achieved_pps", "sent", "received", "lost", "unexpected")}
        for name, one in zip(("forward", "reverse"), trial.directions, strict=False)
    }
    return {
        "rate_pps": trial.rate_pps,
        "duration_s": trial.duration_s,
        "fell_behind": trial.fell_behind,
        **directions,
    }
