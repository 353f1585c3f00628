# SPDX-License-Identifier: Apache-2.0
"""The confirmation of a change: interleaved trials of the old and the new binary in one session decide.

A copy of the new binary is measured as a third, to know the session's own noise: the A/A deviation. The best trials are
compared (`headroom.core.sentinels.best`), because other work on the machine only ever makes a trial longer.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from headroom.core.sentinels import best
from headroom.history.detection import GAUSSIAN_MAD

# The arms of a session: tonight's build, the one before it, a copy of tonight's, one that never changes, and `null`.
NEW, OLD, COPY, PINNED, NULL = "new", "old", "copy", "pinned", "null"

Decision = Literal["confirmed", "not confirmed", "cannot tell"]

LEAST_CHANGE = 0.01
AA_DEVIATIONS = 3.0
MOST_LIMIT = 0.02  # above it, the machine is too noisy tonight to acquit a build by time
LEAST_INSTRUCTIONS = 0.005  # more than three times the 0.14 % by which counts of the same binary differ


@dataclass(frozen=True)
class Session:
    """The trials of one series in one session: of the old binary, the new one, and a copy of the new one.
    `instructions` are those of the old and the new one, if they were counted.
    """

    old: tuple[float, ...]
    new: tuple[float, ...]
    copy: tuple[float, ...]
    instructions: tuple[float, float] | None = None

    @property
    def ratio(self) -> float:
        """New over old, of the best trials. NaN if either has no trial, or the old ones are not positive."""
        return ratio_of_best(self.new, self.old)

    @property
    def aa_deviation(self) -> float:
        """The difference between two measurements of the same binary, as a share."""
        return abs(ratio_of_best(self.copy, self.new) - 1)


@dataclass(frozen=True)
class Confirmation:
    """The decision of a session about one series. `ratio` is new over old; `limit` is the least |ratio - 1| that
    confirms a change.
    """

    decision: Decision
    ratio: float
    limit: float
    aa_deviation: float
    by: Literal["time", "instructions"] = "time"


def ratio_of_best(mine: Sequence[float], other: Sequence[float]) -> float:
    """The best trials of the first over those of the second; NaN if there are none."""
    a, b = best(mine), best(other)
    return a / b if b > 0 else math.nan


def least_step(deviations: Collection[float]) -> float:
    """The least step of time that a session can confirm, from the differences between its equal builds. NaN for
    none.
    """
    known = [deviation for deviation in deviations if math.isfinite(deviation)]
    return max(LEAST_CHANGE, AA_DEVIATIONS * GAUSSIAN_MAD * median(known)) if known else math.nan


def session_deviation(sessions: Collection[Session]) -> float:
    """The typical A/A deviation of some series of a session: the normal difference between equal binaries tonight. A
    single series may agree by luck.
    """
    deviations_known = [session.aa_deviation for session in sessions if math.isfinite(session.aa_deviation)]
    return GAUSSIAN_MAD * median(deviations_known) if deviations_known else math.inf


def confirm(
    session: Session,
    step: float,
    typical_deviation: float,
    least_change: float = LEAST_CHANGE,
    least_instructions: float = LEAST_INSTRUCTIONS,
) -> Confirmation:
    """Decides if a change by `step` (its sign counts) is one of the binary. `typical_deviation` is that of the
    session's series: `session_deviation`; `least_change` is smaller for metrics that vary less than time. If time does
    not confirm a step, a count of instructions may, unless time goes the other way.
    """
    deviation = max(session.aa_deviation, typical_deviation)
    limit = max(least_change, AA_DEVIATIONS * deviation)
    ratio = session.ratio
    is_known = math.isfinite(ratio) and math.isfinite(limit)
    same_side = (ratio > 1) == (step > 0)
    if is_known and abs(ratio - 1) >= limit and same_side:
        return Confirmation("confirmed", ratio, limit, deviation)
    counted = _count_ratio(session)
    shows = abs(counted - 1) >= least_instructions and (counted > 1) == (step > 0)
    too_noisy = not is_known or limit > MOST_LIMIT
    if shows and (too_noisy or same_side):
        return Confirmation("confirmed", counted, least_instructions, deviation, "instructions")
    if too_noisy:
        # The same number of instructions may still take longer, so an equal count does not acquit a build.
        if math.isfinite(counted):
            return Confirmation("cannot tell", counted, least_instructions, deviation, "instructions")
        return Confirmation("cannot tell", ratio, limit, deviation)
    return Confirmation("not confirmed", ratio, limit, deviation)


def _count_ratio(session: Session) -> float:
    """Instructions of the new binary over those of the old one. NaN if they are not counted."""
    if session.instructions is None or session.instructions[0] <= 0:
        return math.nan
    old, new = session.instructions
    return new / old
