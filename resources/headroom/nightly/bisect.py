# SPDX-License-Identifier: Apache-2.0
"""Bisection: which commit an alert is due to.

The harness is today's at every step; only the adapter is built of each commit. `git bisect` chooses the commits, and
skips those that do not build. At each step old end, new end and the commit are measured in turns, so that what the
machine does meanwhile is in all three. Both ends are confirmed first, and parent and culprit against each other last:
where that does not show the change, nothing is attributed.
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
LEAST_SHARE = 0.5  # of the step between both ends that culprit and parent have to differ by
MOST_STEPS = 40
INSTRUCTIONS = "_instructions"  # how metrics of instructions end
SKIPPED = "only 'skip'ped commits left"  # what git says then, before it lists them
Say = Callable[[str], None]


@dataclass(frozen=True)
class Range:
    """Commits instead of the alert's; "" for those."""

    old: str = ""
    new: str = ""


@dataclass
class Bisection:
    """What a bisection found. `culprit` is "" where nothing can be attributed; `steps` are the commits tried, each with
    what was found."""

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
    """A measure that tells commits apart. `compare` gives a number for each of some adapters, by name; two differ where
    their ratio does by `least`."""

    what: str
    compare: Callable[[Mapping[str, Path]], dict[str, float]]
    least: float


def task_of(alert: Alert, measurer: Measurer, trials: int) -> Task:
    """Instructions where they show the change, for they do not depend on what else the machine does; else the largest
    change of time; a case where it is one of verdicts. Raises UsageError where nothing of it can be measured here."""
    if alert.direction == "verdict" and alert.cases:
        return _by_case(measurer, alert.cases[0].test)
    tests = {test: name for name, test, _ in measurer.sentinels()}
    known = [one for one in alert.series if one.test in tests]
    if not known:
        raise UsageError(
            f"The alert {alert.id} has no series that can be measured here, so there is nothing to bisect."
        )
    best: ChangedSeries = max(known, key=lambda one: (one.metric.endswith(INSTRUCTIONS), abs(one.step)))
    return _by_metric(measurer, tests[best.test], best.metric, trials)


def _by_metric(measurer: Measurer, sentinel: str, metric: str, trials: int) -> Task:
    counted = metric.endswith(INSTRUCTIONS)

    def compare(adapters: Mapping[str, Path]) -> dict[str, float]:
        arms = {name: ArmFile(path) for name, path in adapters.items()}
        found = measurer.measure(sentinel, arms, 1 if counted else trials, count=counted)
        values = {name: best(trials_of(found[name], metric)) for name in arms}
        if missing := [name for name, value in values.items() if math.isnan(value)]:
            raise ArmFailed(missing[0], f"{metric} of {sentinel} cannot be measured here")
        return values

    return Task(f"{metric} of {sentinel}", compare, LEAST_INSTRUCTIONS if counted else LEAST_CHANGE)


def _by_case(measurer: Measurer, test: str) -> Task:
    """A case counts 2 where it fails, and 1 where it does not."""

    def compare(adapters: Mapping[str, Path]) -> dict[str, float]:
        verdicts = {name: measurer.verdict(test, path) for name, path in adapters.items()}
        return {name: 2.0 if verdict in FAILING else 1.0 for name, verdict in verdicts.items()}

    return Task(f"the verdict of {test}", compare, 1.0)


def run(alert: Alert, measurer: Measurer, checkout: Checkout, ends: Range, quick: bool, say: Say) -> Bisection:
    """Bisects. Raises UsageError where the ends are no commits, or in the wrong order; BuildFailed where an end does
    not build."""
    given = {"--old": ends.old or alert.old_commit, "--new": ends.new or alert.new_commit}
    if missing := [name for name, commit in given.items() if not commit]:
        raise UsageError(
            f"A build of the alert {alert.id} is of no commit, so that there is nothing to bisect; give "
            f"{' and '.join(missing)}."
        )
    task = task_of(alert, measurer, QUICK_TRIALS if quick else TRIALS)
    old, new = (checkout.resolve(commit) for commit in given.values())
    if not checkout.commits(old, new):
        raise UsageError(
            f"{new[:12]} does not follow {old[:12]}: --old is the good commit, and --new a later one that is bad."
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
            return self._end(f"Both ends are alike in {what} ({self.step:+.2%}): the change cannot be shown again.")
        self.say(f"{what}: {self.step:+.2%} from {self.old[:12]} to {self.new[:12]}".replace("%", " %"))
        culprit = self._search()
        if not culprit:
            among = f" It is one of {', '.join(one[:12] for one in self.possible)}." if self.possible else ""
            return self._end(f"Commits that do not build are in the way: no single commit can be named.{among}")
        parent = self.checkout.resolve(f"{culprit}^")
        try:
            pair = self._compare({"parent": parent, "culprit": culprit})
        except BuildFailed as error:
            return self._end(f"{culprit[:12]} cannot be compared with its parent: {error} Not attributable.")
        share = _ratio(pair, "culprit", "parent") - 1
        if math.copysign(1, share) != math.copysign(1, self.step) or abs(share) < LEAST_SHARE * abs(self.step):
            return self._end(
                f"{culprit[:12]} differs from its parent by {share:+.2%} only, of {self.step:+.2%}: not attributable."
            )
        self.result.culprit = culprit
        return self._end(f"{culprit} changes {what} by {share:+.2%}.", f"See `git show {culprit[:12]}`.")

    def _is_change(self, step: float) -> bool:
        return math.isfinite(step) and abs(step) >= self.task.least

    def _search(self) -> str:
        """The first commit that has the change; "" where skipped commits hide it."""
        self.checkout.prepare()  # it is not there where all builds were kept
        self._git("bisect", "reset")
        self._checked("bisect", "start", "--no-checkout", "--first-parent", self.new, self.old)
        try:
            for _ in range(MOST_STEPS):
                commit = self._git("rev-parse", "BISECT_HEAD").stdout.strip()
                done = self._checked("bisect", self._verdict(commit))
                if "is the first bad commit" in done:
                    return done.split(" is the first bad commit")[0].split()[-1]
                if SKIPPED in done:
                    self.possible = re.findall(r"^[0-9a-f]{40}$", done, re.MULTILINE)
                    return ""
            return ""
        finally:
            self._git("bisect", "reset")

    def _verdict(self, commit: str) -> str:
        try:
            found = self._compare({"old": self.old, "here": commit, "new": self.new})
        except (BuildFailed, ArmFailed) as error:
            self.result.steps.append((commit, f"skipped: {error}"))
            self.say(f"{commit[:12]}: skipped, {'it does not build' if isinstance(error, BuildFailed) else error}")
            return "skip"
        share = (_ratio(found, "here", "old") - 1) / self.step
        verdict = "bad" if share > 0.5 else "good"
        self.result.steps.append((commit, f"{verdict}: {share:.0%} of the change"))
        self.say(f"{commit[:12]}: {verdict}, {share:.0%} of the change".replace("%", " %"))
        return verdict

    def _compare(self, commits: Mapping[str, str]) -> dict[str, float]:
        """The task's numbers for several commits. Raises BuildFailed, ArmFailed."""
        return self.task.compare({name: self.measurer.kept(commit).path for name, commit in commits.items()})

    def _end(self, *sentences: str) -> Bisection:
        self.result.sentences += [one.replace("%", " %") for one in sentences]
        return self.result

    def _checked(self, *words: str) -> str:
        done = self._git(*words)
        if done.returncode != 0 and SKIPPED not in done.stdout:
            raise UsageError(f"git {' '.join(words[:2])} failed: {(done.stderr or done.stdout).strip()[:300]}")
        return done.stdout

    def _git(self, *words: str) -> subprocess.CompletedProcess[str]:
        return git(self.checkout.folder, *words)


def _ratio(found: Mapping[str, float], one: str, other: str) -> float:
    return found[one] / found[other] if found[other] > 0 else math.nan
