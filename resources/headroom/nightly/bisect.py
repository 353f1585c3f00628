# SPDX-License-Identifier: Apache-2.0
"""Bisection: finds the commit that caused an alert.

The harness is today's at every step; only the adapter is built of each commit. `git bisect` chooses the commits, and
skips those that do not build. At each step old end, new end and the commit are measured in turns, so that changes of
the machine affect all three. Both ends are confirmed first, and parent and culprit are compared last: if that does not
show the change, it is attributed to no commit.
"""

from __future__ import annotations

import math
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headroom.core.errors import UsageError
from headroom.core.git import git
from headroom.core.sentinels import ArmFailed, best
from headroom.history.alerts import Alert, ChangedSeries
from headroom.history.assessment import FAILING
from headroom.history.confirmation import LEAST_CHANGE, LEAST_INSTRUCTIONS
from headroom.nightly.changes import trials_of
from headroom.nightly.checkout import BuildFailed, Checkout
from headroom.nightly.measurer import ArmFile, Measurer

TRIALS, QUICK_TRIALS = 20, 6
LEAST_SHARE = 0.5  # the part of the step between both ends by which culprit and parent have to differ
MOST_STEPS = 40
INSTRUCTIONS = "_instructions"  # the ending of metrics of instructions
SKIPPED = "only 'skip'ped commits left"  # git's message then, before it lists them
Say = Callable[[str], None]


@dataclass(frozen=True)
class Range:
    """Commits to use instead of the alert's; "" for the alert's own."""

    old: str = ""
    new: str = ""


@dataclass
class Bisection:
    """The result of a bisection. `culprit` is "" if no commit can be named; `steps` are the commits tried, each with
    its outcome.
    """

    culprit: str = ""
    steps: list[tuple[str, str]] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {
            "culprit": self.culprit or None,
            "steps": [{"commit": commit, "found": found} for commit, found in self.steps],
            "sentences": self.sentences,
        }


@dataclass(frozen=True)
class Task:
    """A measurement that tells commits apart. `compare` gives a number for each of some adapters, by name; two differ
    if their ratio does by `least`.
    """

    what: str
    compare: Callable[[Mapping[str, Path]], dict[str, float]]
    least: float


def task_of(alert: Alert, measurer: Measurer, trials: int) -> Task:
    """The task for an alert: instructions if they show the change, because they do not depend on other work of the
    machine; else the largest change of time; for an alert about verdicts, a case. Raises UsageError if none of these
    can be measured here.
    """
    if alert.direction == "verdict" and alert.cases:
        return _by_case(measurer, alert.cases[0].test)
    tests = {test: name for name, test, _ in measurer.sentinels()}
    known = [series for series in alert.series if series.test in tests]
    if not known:
        raise UsageError(
            f"The alert {alert.id} has no series that can be measured here, so there is nothing to bisect."
        )
    best: ChangedSeries = max(known, key=lambda series: (series.metric.endswith(INSTRUCTIONS), abs(series.step)))
    return _by_metric(measurer, tests[best.test], best.metric, trials)


def _by_metric(measurer: Measurer, sentinel: str, metric: str, trials: int) -> Task:
    counted = metric.endswith(INSTRUCTIONS)

    def compare(adapters: Mapping[str, Path]) -> dict[str, float]:
        arms = {name: ArmFile(path) for name, path in adapters.items()}
        measured = measurer.measure(sentinel, arms, 1 if counted else trials, count=counted)
        values = {name: best(trials_of(measured[name], metric)) for name in arms}
        if missing := [name for name, value in values.items() if math.isnan(value)]:
            raise ArmFailed(missing[0], f"{metric} of {sentinel} cannot be measured here")
        return values

    return Task(f"{metric} of {sentinel}", compare, LEAST_INSTRUCTIONS if counted else LEAST_CHANGE)


def _by_case(measurer: Measurer, test: str) -> Task:
    """A case counts 2 if it fails, and 1 if it does not."""

    def compare(adapters: Mapping[str, Path]) -> dict[str, float]:
        verdicts = {name: measurer.verdict(test, path) for name, path in adapters.items()}
        return {name: 2.0 if verdict in FAILING else 1.0 for name, verdict in verdicts.items()}

    return Task(f"the verdict of {test}", compare, 1.0)


def run(alert: Alert, measurer: Measurer, checkout: Checkout, ends: Range, quick: bool, say: Say) -> Bisection:
    """Bisects. Raises UsageError if the ends are not commits, or in the wrong order; BuildFailed if an end does not
    build.
    """
    ends_given = {"--old": ends.old or alert.old_commit, "--new": ends.new or alert.new_commit}
    if missing := [name for name, commit in ends_given.items() if not commit]:
        raise UsageError(
            f"The alert {alert.id} does not record the commits of both builds that it compares. To bisect it, give "
            f"{' and '.join(missing)}."
        )
    task = task_of(alert, measurer, QUICK_TRIALS if quick else TRIALS)
    old, new = (checkout.resolve(commit) for commit in ends_given.values())
    if not checkout.commits(old, new):
        raise UsageError(
            f"{new[:12]} is not a successor of {old[:12]}: --old is the good commit, and --new a later bad one."
        )
    return _Bisect(task, measurer, checkout, old, new, say).run()


class _Bisect:
    def __init__(self, task: Task, measurer: Measurer, checkout: Checkout, old: str, new: str, say: Say) -> None:
        self.task, self.measurer, self.checkout = task, measurer, checkout
        self.old, self.new, self.say = old, new, say
        self.result = Bisection()
        self.step = 0.0  # ratio of the ends, less 1
        self.possible: list[str] = []  # the culprit is among them

    def run(self) -> Bisection:
        ends = self._compare({"old": self.old, "new": self.new})
        self.step = _ratio(ends, "new", "old") - 1
        what = self.task.what
        if not self._is_change(self.step):
            return self._end(f"Both ends are alike in {what} ({self.step:+.2%}): the change could not be reproduced.")
        self.say(f"{what}: {self.step:+.2%} from {self.old[:12]} to {self.new[:12]}".replace("%", " %"))
        culprit = self._search()
        if not culprit:
            among = f" It is one of {', '.join(commit[:12] for commit in self.possible)}." if self.possible else ""
            return self._end(f"Commits that do not build hide the culprit: no single commit can be named.{among}")
        parent = self.checkout.resolve(f"{culprit}^")
        try:
            pair = self._compare({"parent": parent, "culprit": culprit})
        except BuildFailed as error:
            return self._end(
                f"{culprit[:12]} cannot be compared with its parent: {error} The change is attributed to no commit."
            )
        share = _ratio(pair, "culprit", "parent") - 1
        if math.copysign(1, share) != math.copysign(1, self.step) or abs(share) < LEAST_SHARE * abs(self.step):
            return self._end(
                f"{culprit[:12]} differs from its parent by only {share:+.2%}, of {self.step:+.2%}: the change is "
                "attributed to no commit."
            )
        self.result.culprit = culprit
        return self._end(f"{culprit} changes {what} by {share:+.2%}.", f"See `git show {culprit[:12]}`.")

    def _is_change(self, step: float) -> bool:
        return math.isfinite(step) and abs(step) >= self.task.least

    def _search(self) -> str:
        """The first commit that has the change; "" if skipped commits hide it."""
        self.checkout.prepare()  # the source is missing if all builds were kept
        self._git("bisect", "reset")
        self._checked("bisect", "start", "--no-checkout", "--first-parent", self.new, self.old)
        try:
            for _ in range(MOST_STEPS):
                commit = self._git("rev-parse", "BISECT_HEAD").stdout.strip()
                process = self._checked("bisect", self._verdict(commit))
                if "is the first bad commit" in process:
                    return process.split(" is the first bad commit")[0].split()[-1]
                if SKIPPED in process:
                    self.possible = re.findall(r"^[0-9a-f]{40}$", process, re.MULTILINE)
                    return ""
            return ""
        finally:
            self._git("bisect", "reset")

    def _verdict(self, commit: str) -> str:
        try:
            numbers = self._compare({"old": self.old, "here": commit, "new": self.new})
        except (BuildFailed, ArmFailed) as error:
            self.result.steps.append((commit, f"skipped: {error}"))
            self.say(f"{commit[:12]}: skipped, {'it does not build' if isinstance(error, BuildFailed) else error}")
            return "skip"
        share = (_ratio(numbers, "here", "old") - 1) / self.step
        verdict = "bad" if share > 0.5 else "good"
        self.result.steps.append((commit, f"{verdict}: {share:.0%} of the change"))
        self.say(f"{commit[:12]}: {verdict}, {share:.0%} of the change".replace("%", " %"))
        return verdict

    def _compare(self, commits: Mapping[str, str]) -> dict[str, float]:
        """The task's numbers for several commits. Raises BuildFailed, ArmFailed."""
        return self.task.compare({name: self.measurer.kept(commit).path for name, commit in commits.items()})

    def _end(self, *sentences: str) -> Bisection:
        self.result.sentences += [sentence.replace("%", " %") for sentence in sentences]
        return self.result

    def _checked(self, *arguments: str) -> str:
        process = self._git(*arguments)
        if process.returncode != 0 and SKIPPED not in process.stdout:
            raise UsageError(
                f"git {' '.join(arguments[:2])} failed: {(process.stderr or process.stdout).strip()[:300]}"
            )
        return process.stdout

    def _git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return git(self.checkout.folder, *arguments)


def _ratio(numbers: Mapping[str, float], mine: str, other: str) -> float:
    return numbers[mine] / numbers[other] if numbers[other] > 0 else math.nan
