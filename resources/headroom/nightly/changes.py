# SPDX-License-Identifier: Apache-2.0
"""From flagged series and an interleaved measurement to changes.

- Equal binaries cannot differ: what the history flags is then the machine's, and no alert.
- A change that the interleaved measurement confirms is an alert.
- A change of time alone, with equal instructions, may be the place of the code in memory, which any other change
  moves. Both builds are then linked in other orders: a change that goes is no alert, and its series begin a new
  baseline. Where a build cannot be linked again, the change has to be there on a second night.
- A fence that no old binary could confirm is an unconfirmed alert, which never decides an exit status; a candidate
  has to become a fence first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from headroom.core.sentinels import Trials, best
from headroom.history.alerts import ChangedSeries, Direction
from headroom.history.assessment import TIMES, Flag, Judged
from headroom.history.code_drift import DRIFT_LIMIT, CodeDrift
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
from headroom.nightly.binaries import Binary

LEAST_SESSIONS = 3  # of which a typical deviation is known
YOUNG_LIMIT = 0.02  # of a series without a baseline: what old and new have to differ by to be looked at again
# Trials by test and digest of the old build, then by arm and metric.
Sessions = Mapping[tuple[str, str], Mapping[str, Trials]]
# Likewise, once for each layout in which both builds were linked again; one of them has a copy of the new one, too.
Layouts = Mapping[tuple[str, str], Sequence[Mapping[str, Trials]]]


@dataclass(frozen=True)
class Question:
    """A flagged series, and the build that it is compared with; None where there is none. `drift`: it is the pinned
    build, and both differ by more than decisions explain."""

    flag: Flag
    old: Binary | None = None
    drift: CodeDrift | None = None

    @property
    def digest(self) -> str:
        return self.old.digest if self.old else ""

    @property
    def session(self) -> tuple[str, str]:
        return (self.flag.series.key.test, self.digest)


@dataclass(frozen=True)
class TimeOnly:
    """A confirmed change of a time whose instructions are equal. `ratio` is new over old, and `deviation` by how much
    two measurements of one build differ."""

    question: Question
    ratio: float
    deviation: float
    evidence: str


@dataclass(frozen=True)
class Decided:
    """A change that becomes part of an alert."""

    question: Question
    confirmed: bool
    changed: ChangedSeries


@dataclass
class Decisions:
    """What becomes of flags: changes; those of `time_only`, which `settle` makes changes, ones of the `layout`, or
    `pending` ones, which have to be there again the next night; `undecided` ones, of which tonight cannot tell;
    `unconfirmed` counts what time did not show; `notes` are sentences."""

    changes: list[Decided] = field(default_factory=list)
    time_only: list[TimeOnly] = field(default_factory=list)
    layout: list[Flag] = field(default_factory=list)
    undecided: list[Flag] = field(default_factory=list)
    pending: list[Flag] = field(default_factory=list)
    unconfirmed: int = 0
    notes: list[str] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        self.notes.append(_percent(sentence))

    def change(self, question: Question, confirmed: bool, ratio: float | None, evidence: str) -> None:
        ratio = ratio if ratio is not None and math.isfinite(ratio) else None
        changed = question.flag.changed_series(ratio, _percent(evidence))
        self.changes.append(Decided(question, confirmed, changed))

    def by_direction(self) -> dict[tuple[Direction, bool, bool], list[Decided]]:
        """The changes by direction, whether they are confirmed, and whether they are drift. A series whose step of
        tonight is confirmed has told its drift with it."""
        told = {one.changed.id for one in self.changes if one.confirmed and not one.question.drift}
        found: dict[tuple[Direction, bool, bool], list[Decided]] = {}
        for one in self.changes:
            drift = one.question.drift is not None
            if drift and one.changed.id in told:
                continue
            worse = one.question.flag.is_worse
            direction: Direction = "change" if worse is None else "regression" if worse else "improvement"
            found.setdefault((direction, one.confirmed, drift), []).append(one)
        return found


def decide(questions: Sequence[Question], new: str, sessions: Sessions, deviation: float = 0.0) -> Decisions:
    """Decides on flagged series. `new` is the digest of tonight's build; `sessions` are the interleaved measurements
    that there were; `deviation` is that of two measurements of one build in all of the night."""
    done = Decisions()
    paired = {id(one): _session(one, sessions) for one in questions}
    deviations = _typical_deviations(questions, paired, deviation)
    equal = [one for one in questions if one.digest == new]
    if equal:
        done.note(
            f"{len(equal)} series differ from their baseline though the build is the same, octet by octet: the "
            "machine's doing, no alert."
        )
    for one in questions:
        if one.digest == new:
            continue
        session = paired[id(one)]
        typical = deviations[one.flag.series.unit]
        if one.drift is not None:
            _drifted(one, one.drift, session, typical, done)
        elif session is None:
            _without_session(one, done)
        else:
            least = LEAST_CHANGE if one.flag.series.unit == TIMES else LEAST_INSTRUCTIONS
            _with_session(one, session, confirm(session, one.flag.change.step, typical, least), done)
    return done


def _typical_deviations(
    questions: Sequence[Question], paired: Mapping[int, Session | None], deviation: float
) -> dict[str, float]:
    """The deviation that equal builds show tonight, by unit: times vary, counts do not. Of few series it may be small
    by luck; then that of all of the night counts, too."""
    found: dict[str, float] = {}
    for unit in {one.flag.series.unit for one in questions}:
        own = [session for one in questions if one.flag.series.unit == unit and (session := paired[id(one)])]
        found[unit] = session_deviation(own)
        if unit == TIMES and len(own) < LEAST_SESSIONS:
            found[unit] = max(found[unit], deviation)
    return found


def _session(question: Question, sessions: Sessions) -> Session | None:
    found = sessions.get(question.session, {})
    if not all(arm in found for arm in (OLD, NEW, COPY)):
        return None
    name = question.flag.series.key.metric
    old, new, copy = (tuple(trials_of(found[arm], name)) for arm in (OLD, NEW, COPY))
    if not (old and new and copy):
        return None
    counts = _instructions(found, name)
    if drift := question.drift:  # what is explained is taken out of tonight's build
        new, copy = (tuple(trial / drift.expected for trial in trials) for trials in (new, copy))
        counts = (counts[0], counts[1] / drift.expected_count) if counts else None
    return Session(old, new, copy, counts)


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


def _drifted(question: Question, drift: CodeDrift, session: Session | None, typical: float, done: Decisions) -> None:
    """Decides on a series that drifted from the pinned build. What is not confirmed tonight is asked again."""
    label = f"{question.flag.series.key}: drift since {drift.since:%Y-%m-%d} of {drift.step:+.1%}"
    if session is None:
        done.note(f"{label} against the pinned build, and both were not compared again.")
        return
    found = confirm(session, drift.step, typical, DRIFT_LIMIT, DRIFT_LIMIT)
    if found.decision != "confirmed":
        done.note(f"{label} against the pinned build, but {found.ratio - 1:+.1%} in turns: {found.decision}.")
        return
    what = "instructions" if found.by == "instructions" else "in turns"
    explained = f"; decisions explain {drift.expected - 1:+.2%}" if abs(drift.expected - 1) >= LEAST_SPREAD else ""
    evidence = (
        f"drift since {drift.since:%Y-%m-%d}: {found.ratio - 1:+.2%} {what} with the pinned build (limit "
        f"{found.limit:.2%}; two measurements of one build differ by {found.aa_deviation:.2%}){explained}"
    )
    if _is_time_only(session):
        done.time_only.append(TimeOnly(question, found.ratio, found.aa_deviation, evidence))
    else:
        done.change(question, True, found.ratio, evidence)


def _without_session(question: Question, done: Decisions) -> None:
    flag, label = question.flag, str(question.flag.series.key)
    if flag.change.kind == "fence":
        why = "the builds were not compared" if question.old else "no build to compare with"
        done.change(question, False, None, f"three nights; {why}")
    elif question.old:
        done.undecided.append(flag)
        done.note(f"{label}: {flag.change.step:+.1%} against its baseline, and the builds were not compared.")
    else:
        done.pending.append(flag)
        done.note(f"{label}: {flag.change.step:+.1%} against its baseline, and there is no build to compare with.")


def _with_session(question: Question, session: Session, found: Confirmation, done: Decisions) -> None:
    flag, label = question.flag, str(question.flag.series.key)
    done.unconfirmed += flag.series.unit == TIMES and (found.decision != "confirmed" or found.by != "time")
    if found.decision == "cannot tell":
        done.undecided.append(flag)
        done.note(f"{label}: two measurements of one build differ by {found.aa_deviation:.1%} tonight: cannot tell.")
        return
    if found.decision == "not confirmed":
        done.note(
            f"{label}: {flag.change.step:+.1%} against its baseline, but {found.ratio - 1:+.1%} against the old "
            "build in turns: not confirmed."
        )
        return
    if found.by == "instructions":
        evidence = (
            f"{found.ratio - 1:+.2%} instructions against the old build (limit {found.limit:.1%}); time alone does not "
            f"show it tonight, for two measurements of one build differ by {found.aa_deviation:.2%}"
        )
    else:
        evidence = (
            f"{found.ratio - 1:+.2%} in turns with the old build (limit {found.limit:.2%}; two measurements of one "
            f"build differ by {found.aa_deviation:.2%})"
        )
    if _is_time_only(session):
        done.time_only.append(TimeOnly(question, found.ratio, found.aa_deviation, evidence))
    else:
        done.change(question, True, session.ratio, evidence)


def settle(done: Decisions, layouts: Layouts) -> None:
    """Settles the changes of time alone, by what the builds do in other layouts, or by a second night."""
    for one in done.time_only:
        flag, label = one.question.flag, str(one.question.flag.series.key)
        ratios = _layout_ratios(one, layouts)
        linked = f"{median(ratios) - 1:+.2%} where both are linked in {len(ratios)} other orders" if ratios else ""
        kind = _layout_decision(one, ratios, _layout_deviation(one, layouts)) if ratios else None
        if kind == "code":
            done.change(one.question, True, one.ratio, f"{one.evidence}; {linked}")
        elif kind == "place":
            done.layout.append(flag)
            done.note(f"{label}: {one.ratio - 1:+.1%} with equal instructions, but {linked}: the place of the code.")
        elif one.question.drift or _is_second_night(flag):
            done.change(one.question, True, one.ratio, "; ".join(filter(None, (one.evidence, linked))))
        else:
            done.pending.append(flag)
            done.note(
                f"{label}: {one.ratio - 1:+.1%}, with equal instructions{f', and {linked}' if linked else ''}: perhaps "
                "the place of the code. It is an alert if the next night shows it again."
            )


def _layout_ratios(one: TimeOnly, layouts: Layouts) -> list[float]:
    """New over old in each other layout."""
    name = one.question.flag.series.key.metric
    expected = one.question.drift.expected if one.question.drift else 1.0
    ratios = [
        ratio_of_best(trials_of(found[NEW], name), trials_of(found[OLD], name)) / expected
        for found in layouts.get(one.question.session, ())
    ]
    return [ratio for ratio in ratios if math.isfinite(ratio)]


def _layout_deviation(one: TimeOnly, layouts: Layouts) -> float:
    """By how much two measurements of one build in one layout differ, or differed before."""
    name = one.question.flag.series.key.metric
    copies = [found for found in layouts.get(one.question.session, ()) if COPY in found]
    ratios = [ratio_of_best(trials_of(found[COPY], name), trials_of(found[NEW], name)) for found in copies]
    return max([one.deviation, *(abs(ratio - 1) for ratio in ratios if math.isfinite(ratio))])


def _layout_decision(one: TimeOnly, ratios: Sequence[float], deviation: float) -> str:
    """`code` where a change has at least half of its size in the middle layout, and no layout contradicts it; `place`
    where it has less than half, beyond doubt; `` where neither is certain. `deviation` is that of two measurements of
    one build."""
    sign = math.copysign(1, one.ratio - 1)
    steps = [sign * (ratio - 1) for ratio in ratios]
    middle, half = median(steps), sign * (one.ratio - 1) / 2
    if middle >= max(LEAST_CHANGE, half) and min(steps) > -2 * deviation:
        return "code"
    return "place" if middle + deviation < half else ""


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


def session_flags(
    judged: Sequence[Judged],
    trials: Mapping[str, Mapping[str, Trials]],
    sentinels: Sequence[tuple[str, str, str]],
    limit: float,
    is_asked: Callable[[Judged], bool],
) -> list[Flag]:
    """Series whose old and new build differ by `limit` or more in tonight's own session, of those that `is_asked`
    names: those without a baseline, or all where the user named the old build."""
    tests = {test: trials.get(name, {}) for name, test, _ in sentinels}
    flags = []
    for one in judged:
        found = tests.get(one.series.key.test, {})
        if not all(arm in found for arm in (OLD, NEW)) or not is_asked(one):
            continue
        old, new = (trials_of(found[arm], one.series.key.metric) for arm in (OLD, NEW))
        step = ratio_of_best(new, old) - 1
        if math.isfinite(step) and abs(step) >= limit:
            change = Change("candidate", step, limit, Baseline(best(old), LEAST_SPREAD, 0))
            before = float(one.series.values[-2]) if len(one.series) - 1 > one.epoch.start else math.nan
            flags.append(Flag(one.series, change, one.series.nights[-1], before))
    return flags


def _percent(text: str) -> str:
    return text.replace("%", " %")
