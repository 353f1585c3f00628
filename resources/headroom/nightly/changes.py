# SPDX-License-Identifier: Apache-2.0
"""From flagged series and an interleaved measurement to alerts.

- Equal binaries cannot differ: what the history flags is then the machine's, and no alert.
- A change that the interleaved measurement confirms is an alert.
- A change of time alone, with equal instructions, may be the place of the code in memory, which any other change
  moves. Both builds are then linked in other orders: a change that goes is no alert, and its series begin a new
  baseline. Where a build cannot be linked again, the change has to be there on a second night.
- A fence that no old binary could confirm is an unconfirmed alert, which never decides an exit status.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from headroom.core.sentinels import Trials, best
from headroom.history.alerts import ChangedSeries, Direction
from headroom.history.assessment import Flag, Judged
from headroom.history.confirmation import (
    COPY,
    LEAST_CHANGE,
    LEAST_INSTRUCTIONS,
    NEW,
    OLD,
    Confirmation,
    Session,
    confirm,
    ratio_of_best,
    session_deviation,
)
from headroom.history.detection import LEAST_SPREAD, Baseline, Change

YOUNG_LIMIT = 0.02  # of a series without a baseline: what old and new have to differ by to be looked at again
# Trials by test and digest of the old build, then by arm and metric.
Sessions = Mapping[tuple[str, str], Mapping[str, Trials]]
# Likewise, once for each layout in which both builds were linked again.
Layouts = Mapping[tuple[str, str], Sequence[Mapping[str, Trials]]]


@dataclass(frozen=True)
class Question:
    """A flagged series, and the digest of the build that it is compared with; "" where there is none."""

    flag: Flag
    old: str = ""

    @property
    def session(self) -> tuple[str, str]:
        return (self.flag.series.key.test, self.old)


@dataclass(frozen=True)
class TimeOnly:
    """A confirmed change of a time whose instructions are equal. `ratio` is new over old."""

    question: Question
    ratio: float
    evidence: str


@dataclass
class Decisions:
    """What becomes of flags: confirmed and unconfirmed changes with their series; those of `time_only`, which `settle`
    makes changes, ones of the `layout`, or `pending` ones, which have to be there again the next night; `undecided`
    ones, of which tonight cannot tell; `notes` are sentences."""

    changes: list[tuple[Flag, bool, ChangedSeries]] = field(default_factory=list)
    time_only: list[TimeOnly] = field(default_factory=list)
    layout: list[Flag] = field(default_factory=list)
    undecided: list[Flag] = field(default_factory=list)
    pending: list[Flag] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def by_direction(self) -> dict[tuple[Direction, bool], list[ChangedSeries]]:
        found: dict[tuple[Direction, bool], list[ChangedSeries]] = {}
        for flag, confirmed, changed in self.changes:
            worse = flag.is_worse
            direction: Direction = "change" if worse is None else "regression" if worse else "improvement"
            found.setdefault((direction, confirmed), []).append(changed)
        return found


def decide(questions: Sequence[Question], new: str, sessions: Sessions) -> Decisions:
    """Decides on flagged series. `new` is the digest of tonight's build; `sessions` are the interleaved measurements
    that there were."""
    done = Decisions()
    paired = {id(one): _session(one, sessions) for one in questions}
    deviations = _typical_deviations(questions, paired)
    equal = [one for one in questions if one.old == new]
    if equal:
        done.notes.append(
            f"{len(equal)} series differ from their baseline though the build is the same, octet by octet: the "
            "machine's doing, no alert."
        )
    for one in questions:
        session = paired[id(one)]
        if one.old == new:
            continue
        if session is not None:
            typical = deviations[one.flag.series.unit]
            _with_session(one, session, confirm(session, one.flag.change.step, typical), done)
        elif one.flag.change.kind == "fence":
            reason = (
                "three nights; the builds were not compared" if one.old else "three nights; no build to compare with"
            )
            done.changes.append((one.flag, False, one.flag.changed_series(None, reason)))
    return done


def _typical_deviations(questions: Sequence[Question], paired: Mapping[int, Session | None]) -> dict[str, float]:
    """The deviation that equal builds show tonight, by unit: times vary, counts do not."""
    units = {one.flag.series.unit for one in questions}
    return {
        unit: session_deviation(
            [found for one in questions if one.flag.series.unit == unit and (found := paired[id(one)])]
        )
        for unit in units
    }


def _session(question: Question, sessions: Sessions) -> Session | None:
    found = sessions.get(question.session, {})
    if not all(arm in found for arm in (OLD, NEW, COPY)):
        return None
    name = question.flag.series.key.metric
    old, new, copy = (tuple(trials_of(found[arm], name)) for arm in (OLD, NEW, COPY))
    return Session(old, new, copy, _instructions(found, name)) if old and new and copy else None


def trials_of(trials: Trials, name: str) -> list[float]:
    """The trials of a metric by its name; [] where there are none."""
    return next((values for metric, values in trials.items() if metric.name == name), [])


def _instructions(found: Mapping[str, Trials], name: str) -> tuple[float, float] | None:
    """Instructions of the stage whose time a metric is, old and new; None where they are not counted."""
    if not name.endswith("_ns"):
        return None
    stage = name.removesuffix("_ns") + "_instructions"
    old, new = (trials_of(found[arm], stage) for arm in (OLD, NEW))
    return (best(old), best(new)) if old and new else None


def _with_session(question: Question, session: Session, found: Confirmation, done: Decisions) -> None:
    flag = question.flag
    label = str(flag.series.key)
    if found.decision == "cannot tell":
        done.undecided.append(flag)
        done.notes.append(
            _percent(f"{label}: two measurements of one build differ by {found.aa_deviation:.1%} tonight: cannot tell.")
        )
        return
    if found.decision == "not confirmed":
        done.notes.append(
            _percent(
                f"{label}: {flag.change.step:+.1%} against its baseline, but {found.ratio - 1:+.1%} against the old "
                "build in turns: not confirmed."
            )
        )
        return
    if found.by == "instructions":
        evidence = (
            f"{found.ratio - 1:+.2%} instructions against the old build (limit {found.limit:.1%}); time is too noisy "
            f"tonight, for two measurements of one build differ by {found.aa_deviation:.2%}"
        )
    else:
        evidence = (
            f"{found.ratio - 1:+.2%} in turns with the old build (limit {found.limit:.2%}; two measurements of one "
            f"build differ by {found.aa_deviation:.2%})"
        )
    if _is_time_only(session):
        done.time_only.append(TimeOnly(question, found.ratio, evidence))
        return
    ratio = session.ratio if math.isfinite(session.ratio) else None
    done.changes.append((flag, True, flag.changed_series(ratio, _percent(evidence))))


def settle(done: Decisions, layouts: Layouts) -> None:
    """Settles the changes of time alone, by what the builds do in other layouts, or by a second night."""
    for one in done.time_only:
        flag, label = one.question.flag, str(one.question.flag.series.key)
        if ratios := _layout_ratios(one, layouts):
            middle = median(ratios)
            linked = f"{middle - 1:+.2%} where both are linked in {len(ratios)} other orders"
            if _holds(one, ratios):
                evidence = f"{one.evidence}; {linked}"
                done.changes.append((flag, True, flag.changed_series(one.ratio, _percent(evidence))))
            else:
                done.layout.append(flag)
                done.notes.append(
                    _percent(
                        f"{label}: {one.ratio - 1:+.1%} with equal instructions, but {linked}: the place of the code."
                    )
                )
        elif _is_second_night(flag):
            done.changes.append((flag, True, flag.changed_series(one.ratio, _percent(one.evidence))))
        else:
            done.pending.append(flag)
            done.notes.append(
                _percent(
                    f"{label}: {one.ratio - 1:+.1%}, with equal instructions: perhaps the place of the code. It is an "
                    "alert if the next night shows it again."
                )
            )


def _layout_ratios(one: TimeOnly, layouts: Layouts) -> list[float]:
    """New over old in each other layout."""
    name = one.question.flag.series.key.metric
    ratios = [
        ratio_of_best(trials_of(found[NEW], name), trials_of(found[OLD], name))
        for found in layouts.get(one.question.session, ())
    ]
    return [ratio for ratio in ratios if math.isfinite(ratio)]


def _holds(one: TimeOnly, ratios: Sequence[float]) -> bool:
    """Whether a change is there in every layout, and in the middle one with at least half of its size."""
    sign = math.copysign(1, one.ratio - 1)
    steps = [sign * (ratio - 1) for ratio in ratios]
    return min(steps) > 0 and median(steps) >= max(LEAST_CHANGE, sign * (one.ratio - 1) / 2)


def _is_time_only(session: Session) -> bool:
    """Whether the time of a stage changed, and its instructions did not."""
    if session.instructions is None or session.instructions[0] <= 0:
        return False
    old, new = session.instructions
    return abs(new / old - 1) < LEAST_INSTRUCTIONS


def _is_second_night(flag: Flag) -> bool:
    """Whether the night before was beyond half of the limit on the same side, too."""
    if flag.change.kind == "fence":
        return True
    usual = flag.change.baseline.median
    if not usual or not math.isfinite(flag.before):
        return False
    step = (flag.before - usual) / abs(usual)
    return math.copysign(1, step) == math.copysign(1, flag.change.step) and abs(step) > flag.change.limit / 2


def young_flags(
    judged: Sequence[Judged],
    trials: Mapping[str, Mapping[str, Trials]],
    sentinels: Sequence[tuple[str, str, str]],
) -> list[Flag]:
    """Series without a baseline whose old and new build differ by 2 % or more in tonight's session."""
    tests = {test: trials.get(name, {}) for name, test, _ in sentinels}
    flags = []
    for one in judged:
        found = tests.get(one.series.key.test, {})
        if one.baseline is not None or not all(arm in found for arm in (OLD, NEW)):
            continue
        old, new = (trials_of(found[arm], one.series.key.metric) for arm in (OLD, NEW))
        step = ratio_of_best(new, old) - 1
        if math.isfinite(step) and abs(step) >= YOUNG_LIMIT:
            change = Change("candidate", step, YOUNG_LIMIT, Baseline(best(old), LEAST_SPREAD, 0))
            flags.append(Flag(one.series, change, one.series.nights[-1]))
    return flags


def _percent(text: str) -> str:
    return text.replace("%", " %")
