# SPDX-License-Identifier: Apache-2.0
"""The confirmation of a change: trials of the old and the new binary, interleaved in one session, decide.

A copy of the new binary is measured as a third, so that the session's own noise is known: the A/A deviation. The best
trials are compared (`headroom.core.sentinels.best`), for other work on the machine only ever makes one longer.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from headroom.core.sentinels import best

# The arms of a session: tonight's build, the one before it, a copy of tonight's, one that never changes, and `null`.
NEW, OLD, COPY, PINNED, NULL = "new", "old", "copy", "pinned", "null"

Decision = Literal["confirmed", "not confirmed", "cannot tell"]

LEAST_CHANGE = 0.01
AA_DEVIATIONS = 3.0
MOST_LIMIT = 0.02  # above it, the machine is too noisy tonight
LEAST_INSTRUCTIONS = 0.005  # more than three times the 0.14 % by which counts of the same binary differ


@dataclass(frozen=True)
class Session:
    """The trials of one series in one session: of the old binary, the new one, and a copy of the new one.
    `instructions` are those of the old and the new one, where they were counted."""

    old: tuple[float, ...]
    new: tuple[float, ...]
    copy: tuple[float, ...]
    instructions: tuple[float, float] | None = None

    @property
    def ratio(self) -> float:
        """New over old, of the best trials. NaN where one has no trial, or the old ones are not positive."""
        return ratio_of_best(self.new, self.old)

    @property
    def aa_deviation(self) -> float:
        """By how much two measurements of the same binary differ, as a share."""
        return abs(ratio_of_best(self.copy, self.new) - 1)


@dataclass(frozen=True)
class Confirmation:
    """What a session decides of one series. `ratio` is new over old; `limit` is what |ratio - 1| has to reach."""

    decision: Decision
    ratio: float
    limit: float
    aa_deviation: float
    by: Literal["time", "instructions"] = "time"


def ratio_of_best(one: Sequence[float], other: Sequence[float]) -> float:
    """The best trials of `one` over those of `other`; NaN where there are none."""
    a, b = best(one), best(other)
    return a / b if b > 0 else math.nan


def session_deviation(sessions: Collection[Session]) -> float:
    """The typical A/A deviation of some series of a session: what is normal between equal binaries tonight. One series
    alone may agree by luck."""
    found = [one.aa_deviation for one in sessions if math.isfinite(one.aa_deviation)]
    return 1.4826 * median(found) if found else math.inf


def confirm(
    session: Session, step: float, typical_deviation: float, least_change: float = LEAST_CHANGE
) -> Confirmation:
    """Decides whether a change by `step` (its sign counts) is one of the binary. `typical_deviation` is that of the
    flagged series of the session: `session_deviation`; `least_change` is less for what varies less than time."""
    deviation = max(session.aa_deviation, typical_deviation)
    limit = max(least_change, AA_DEVIATIONS * deviation)
    ratio = session.ratio
    if limit > MOST_LIMIT or not math.isfinite(ratio) or not math.isfinite(limit):
        return _by_instructions(session, step, limit, deviation)
    same_side = (ratio > 1) == (step > 0)
    decision: Decision = "confirmed" if abs(ratio - 1) >= limit and same_side else "not confirmed"
    return Confirmation(decision, ratio, limit, deviation)


def _by_instructions(session: Session, step: float, limit: float, deviation: float) -> Confirmation:
    if session.instructions is None or session.instructions[0] <= 0:
        return Confirmation("cannot tell", session.ratio, limit, deviation)
    old, new = session.instructions
    ratio = new / old
    if abs(ratio - 1) >= LEAST_INSTRUCTIONS and (ratio > 1) == (step > 0):
        return Confirmation("confirmed", ratio, LEAST_INSTRUCTIONS, deviation, "instructions")
    # The same number of instructions may still take longer, so that this is no acquittal.
    return Confirmation("cannot tell", ratio, LEAST_INSTRUCTIONS, deviation, "instructions")
