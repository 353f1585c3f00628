# SPDX-License-Identifier: Apache-2.0
"""Derives changes from flagged series and an interleaved measurement.

- Equal binaries cannot differ: a flag of the history is then due to the machine, and no alert.
- A change that the interleaved measurement confirms is an alert.
- A change of time alone, with equal instructions, may be due to the place of the code in memory, which any other change
  moves. Both builds are then linked in other orders: a change that disappears is no alert, and its series begin a new
  baseline. If a build cannot be linked again, the change has to be there on a second night.
- A fence that no old binary could confirm is an unconfirmed alert, which never decides an exit status; a candidate has
  to become a fence first.
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

LEAST_SESSIONS = 3  # sessions that show a typical deviation; with fewer, that of the whole night counts, too
YOUNG_LIMIT = 0.02  # for a series without a baseline: the difference between old and new that flags it
# Trials by test and digest of the old build, then by arm and metric.
Sessions = Mapping[tuple[str, str], Mapping[str, Trials]]
# Trials by test and digest of the old build, once for each layout in which both builds were linked again; one layout
# has a copy of the new build, too.
Layouts = Mapping[tuple[str, str], Sequence[Mapping[str, Trials]]]


@dataclass(frozen=True)
class Question:
    """A flagged series, and the build that it is compared with; None if there is none. `drift`: it is the pinned build,
    and both differ by more than decisions explain.
    """

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
    """A confirmed change of a time whose instructions are equal. `ratio` is new over old, and `deviation` the
    difference between two measurements of one build.
    """

    question: Question
    ratio: float
    deviation: float
    evidence: str


@dataclass(frozen=True)
class AlertChange:
    """A change that becomes part of an alert."""

    question: Question
    confirmed: bool
    changed: ChangedSeries


@dataclass
class Decisions:
    """The decisions about flags. `changes` are confirmed or unconfirmed; `settle` moves those of `time_only` to
    changes, to `layout`, or to `pending`, which have to be there again the next night; `undecided` ones remain open
    tonight; `unconfirmed` counts flags that time did not show; `notes` are sentences.
    """

    changes: list[AlertChange] = field(default_factory=list)
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
        self.changes.append(AlertChange(question, confirmed, changed))

    def by_direction(self) -> dict[tuple[Direction, bool, bool], list[AlertChange]]:
        """The changes by direction, by confirmation, and by whether they are drift. A confirmed step of tonight covers
        the drift of its series.
        """
        steps = {change.changed.id for change in self.changes if change.confirmed and not change.question.drift}
        result: dict[tuple[Direction, bool, bool], list[AlertChange]] = {}
        for change in self.changes:
            drift = change.question.drift is not None
            if drift and change.changed.id in steps:
                continue
            worse = change.question.flag.is_worse
            direction: Direction = "change" if worse is None else "regression" if worse else "improvement"
            result.setdefault((direction, change.confirmed, drift), []).append(change)
        return result


def decide(questions: Sequence[Question], new: str, sessions: Sessions, deviation: float = 0.0) -> Decisions:
    """Decides about flagged series. `new` is the digest of tonight's build; `sessions` are the interleaved
    measurements; `deviation` is that of two measurements of one build in the whole night.
    """
    decisions = Decisions()
    paired = {id(question): _session(question, sessions) for question in questions}
    deviations = _typical_deviations(questions, paired, deviation)
    equal = [question for question in questions if question.digest == new]
    if equal:
        decisions.note(
            f"{len(equal)} series differ from their baseline though the build is the same, octet by octet: the "
            "machine changed, so this is no alert."
        )
    for question in questions:
        if question.digest == new:
            continue
        session = paired[id(question)]
        typical = deviations[question.flag.series.unit]
        if question.drift is not None:
            _drifted(question, question.drift, session, typical, decisions)
        elif session is None:
            _without_session(question, decisions)
        else:
            least = LEAST_CHANGE if question.flag.series.unit == TIMES else LEAST_INSTRUCTIONS
            _with_session(question, session, confirm(session, question.flag.change.step, typical, least), decisions)
    return decisions


def _typical_deviations(
    questions: Sequence[Question], paired: Mapping[int, Session | None], deviation: float
) -> dict[str, float]:
    """The deviation that equal builds show tonight, by unit: times vary, counts do not. For few series it may be small
    by luck; then the deviation of the whole night counts, too.
    """
    deviations: dict[str, float] = {}
    for unit in {question.flag.series.unit for question in questions}:
        own = [
            session for question in questions if question.flag.series.unit == unit and (session := paired[id(question)])
        ]
        deviations[unit] = session_deviation(own)
        if unit == TIMES and len(own) < LEAST_SESSIONS:
            deviations[unit] = max(deviations[unit], deviation)
    return deviations


def _session(question: Question, sessions: Sessions) -> Session | None:
    trials_by_arm = sessions.get(question.session, {})
    if not all(arm in trials_by_arm for arm in (OLD, NEW, COPY)):
        return None
    name = question.flag.series.key.metric
    old, new, copy = (tuple(trials_of(trials_by_arm[arm], name)) for arm in (OLD, NEW, COPY))
    if not (old and new and copy):
        return None
    counts = _instructions(trials_by_arm, name)
    if drift := question.drift:  # tonight's build without the part that decisions explain
        new, copy = (tuple(trial / drift.expected for trial in trials) for trials in (new, copy))
        counts = (counts[0], counts[1] / drift.expected_count) if counts else None
    return Session(old, new, copy, counts)


def trials_of(trials: Trials, name: str) -> list[float]:
    """The trials of a metric by its name; [] if there are none."""
    return next((values for metric, values in trials.items() if metric.name == name), [])


def _instructions(trials_by_arm: Mapping[str, Trials], name: str) -> tuple[float, float] | None:
    """The instructions, old and new, of the stage whose time a metric is; None if they are not counted."""
    if not name.endswith("_ns"):
        return None
    stage = name.removesuffix("_ns") + "_instructions"
    old, new = (trials_of(trials_by_arm[arm], stage) for arm in (OLD, NEW))
    return (best(old), best(new)) if old and new else None


def _drifted(
    question: Question, drift: CodeDrift, session: Session | None, typical: float, decisions: Decisions
) -> None:
    """Decides about a series that drifted from the pinned build. A drift that is not confirmed tonight is measured
    again.
    """
    label = f"{question.flag.series.key}: drift since {drift.since:%Y-%m-%d} of {drift.step:+.1%}"
    if session is None:
        decisions.note(f"{label} against the pinned build, but the builds were not compared again.")
        return
    confirmation = confirm(session, drift.step, typical, DRIFT_LIMIT, DRIFT_LIMIT)
    if confirmation.decision != "confirmed":
        decisions.note(
            f"{label} against the pinned build, but {confirmation.ratio - 1:+.1%} in turns: {confirmation.decision}."
        )
        return
    what = "instructions" if confirmation.by == "instructions" else "in turns"
    explained = f"; decisions explain {drift.expected - 1:+.2%}" if abs(drift.expected - 1) >= LEAST_SPREAD else ""
    evidence = (
        f"drift since {drift.since:%Y-%m-%d}: {confirmation.ratio - 1:+.2%} {what} with the pinned build (limit "
        f"{confirmation.limit:.2%}; two measurements of one build differ by {confirmation.aa_deviation:.2%}){explained}"
    )
    if _is_time_only(session):
        decisions.time_only.append(TimeOnly(question, confirmation.ratio, confirmation.aa_deviation, evidence))
    else:
        decisions.change(question, True, confirmation.ratio, evidence)


def _without_session(question: Question, decisions: Decisions) -> None:
    flag, label = question.flag, str(question.flag.series.key)
    if flag.change.kind == "fence":
        why = "the builds were not compared" if question.old else "no build to compare with"
        decisions.change(question, False, None, f"three nights; {why}")
    elif question.old:
        decisions.undecided.append(flag)
        decisions.note(f"{label}: {flag.change.step:+.1%} against its baseline, and the builds were not compared.")
    else:
        decisions.pending.append(flag)
        decisions.note(f"{label}: {flag.change.step:+.1%} against its baseline, and there is no build to compare with.")


def _with_session(question: Question, session: Session, confirmation: Confirmation, decisions: Decisions) -> None:
    flag, label = question.flag, str(question.flag.series.key)
    decisions.unconfirmed += flag.series.unit == TIMES and (
        confirmation.decision != "confirmed" or confirmation.by != "time"
    )
    if confirmation.decision == "cannot tell":
        decisions.undecided.append(flag)
        decisions.note(
            f"{label}: two measurements of one build differ by {confirmation.aa_deviation:.1%} tonight: undecided."
        )
        return
    if confirmation.decision == "not confirmed":
        decisions.note(
            f"{label}: {flag.change.step:+.1%} against its baseline, but {confirmation.ratio - 1:+.1%} against the old "
            "build in turns: not confirmed."
        )
        return
    if confirmation.by == "instructions":
        evidence = (
            f"{confirmation.ratio - 1:+.2%} instructions against the old build (limit "
            f"{confirmation.limit:.1%}); time alone does not show it tonight, for two measurements of one build "
            f"differ by {confirmation.aa_deviation:.2%}"
        )
    else:
        evidence = (
            f"{confirmation.ratio - 1:+.2%} in turns with the old build (limit {confirmation.limit:.2%}; two "
            f"measurements of one build differ by {confirmation.aa_deviation:.2%})"
        )
    if _is_time_only(session):
        decisions.time_only.append(TimeOnly(question, confirmation.ratio, confirmation.aa_deviation, evidence))
    else:
        decisions.change(question, True, session.ratio, evidence)


def settle(decisions: Decisions, layouts: Layouts) -> None:
    """Settles the changes of time alone, by measurements in other layouts, or by a second night."""
    for change in decisions.time_only:
        flag, label = change.question.flag, str(change.question.flag.series.key)
        ratios = _layout_ratios(change, layouts)
        linked = f"{median(ratios) - 1:+.2%} where both are linked in {len(ratios)} other orders" if ratios else ""
        kind = _layout_decision(change, ratios, _layout_deviation(change, layouts)) if ratios else None
        if kind == "code":
            decisions.change(change.question, True, change.ratio, f"{change.evidence}; {linked}")
        elif kind == "place":
            decisions.layout.append(flag)
            decisions.note(
                f"{label}: {change.ratio - 1:+.1%} with equal instructions, but {linked}: due to the place of the code."
            )
        elif change.question.drift or _is_second_night(flag):
            decisions.change(change.question, True, change.ratio, "; ".join(filter(None, (change.evidence, linked))))
        else:
            decisions.pending.append(flag)
            decisions.note(
                f"{label}: {change.ratio - 1:+.1%}, with equal "
                f"instructions{f', and {linked}' if linked else ''}: perhaps the place of the code. It is an "
                "alert if the next night shows it again."
            )


def _layout_ratios(change: TimeOnly, layouts: Layouts) -> list[float]:
    """New over old in each other layout."""
    name = change.question.flag.series.key.metric
    expected = change.question.drift.expected if change.question.drift else 1.0
    ratios = [
        ratio_of_best(trials_of(trials_by_arm[NEW], name), trials_of(trials_by_arm[OLD], name)) / expected
        for trials_by_arm in layouts.get(change.question.session, ())
    ]
    return [ratio for ratio in ratios if math.isfinite(ratio)]


def _layout_deviation(change: TimeOnly, layouts: Layouts) -> float:
    """The difference between two measurements of one build in one layout, or the earlier difference if it is larger."""
    name = change.question.flag.series.key.metric
    copies = [trials_by_arm for trials_by_arm in layouts.get(change.question.session, ()) if COPY in trials_by_arm]
    ratios = [
        ratio_of_best(trials_of(trials_by_arm[COPY], name), trials_of(trials_by_arm[NEW], name))
        for trials_by_arm in copies
    ]
    return max([change.deviation, *(abs(ratio - 1) for ratio in ratios if math.isfinite(ratio))])


def _layout_decision(change: TimeOnly, ratios: Sequence[float], deviation: float) -> str:
    """The decision from other layouts: `code` if a change has at least half of its size in the middle layout, and no
    layout contradicts it; `place` if it certainly has less than half; "" if neither is certain. `deviation` is that of
    two measurements of one build.
    """
    sign = math.copysign(1, change.ratio - 1)
    steps = [sign * (ratio - 1) for ratio in ratios]
    middle, half = median(steps), sign * (change.ratio - 1) / 2
    if middle >= max(LEAST_CHANGE, half) and min(steps) > -2 * deviation:
        return "code"
    return "place" if middle + deviation < half else ""


def _is_time_only(session: Session) -> bool:
    """True if the time of a stage changed, and its instructions did not."""
    if session.instructions is None or session.instructions[0] <= 0:
        return False
    old, new = session.instructions
    return abs(new / old - 1) < LEAST_INSTRUCTIONS


def _is_second_night(flag: Flag) -> bool:
    """True if the night before was beyond half of the limit on the same side, too."""
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
    """The series whose old and new build differ by `limit` or more in tonight's own session, of those that `is_asked`
    selects: those without a baseline, or all if the user named the old build.
    """
    tests = {test: trials.get(name, {}) for name, test, _ in sentinels}
    flags = []
    for entry in judged:
        trials_by_arm = tests.get(entry.series.key.test, {})
        if not all(arm in trials_by_arm for arm in (OLD, NEW)) or not is_asked(entry):
            continue
        old, new = (trials_of(trials_by_arm[arm], entry.series.key.metric) for arm in (OLD, NEW))
        step = ratio_of_best(new, old) - 1
        if math.isfinite(step) and abs(step) >= limit:
            change = Change("candidate", step, limit, Baseline(best(old), LEAST_SPREAD, 0))
            before = float(entry.series.values[-2]) if len(entry.series) - 1 > entry.epoch.start else math.nan
            flags.append(Flag(entry.series, change, entry.series.nights[-1], before))
    return flags


def _percent(text: str) -> str:
    return text.replace("%", " %")
