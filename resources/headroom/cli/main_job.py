# SPDX-License-Identifier: Apache-2.0
"""The main job, which is `./headroom run` without arguments: its suites, their order and its closing sentences.

Within a minute and a half it shows a result of every kind; the rest follows.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from robot.api import SuiteVisitor

from headroom.core.results.listener import test_id
from headroom.core.run.selection import Filter, has_suites, only, suite_names

if TYPE_CHECKING:
    from headroom.core.console import Progress
    from headroom.core.results.record import Record
    from headroom.core.run.session import Plan

# The paper's scaling reuses the measurements of the performance suite.
FIGURES = "performance/voip_flow_pairs"
SUITES = ("smoke", "conformance", FIGURES, "papers/effnet_2007")
THOROUGH = "thorough"  # the tag of cases that take longest and add least: they are left out
JUDGED = "judge"  # suites that belong to a judgement


def suites() -> list[str]:
    """The suites of the main job that exist."""
    return [name for name in SUITES if has_suites(name)]


def order_of(plan: Plan, progress: Progress) -> FirstMinute | None:
    """The order of the cases of a plan, if it is the whole main job; else None."""
    return FirstMinute(progress) if _is_whole(plan) else None


def _is_whole(plan: Plan) -> bool:
    return plan.suites == suites() and not plan.cases and not plan.tags and plan.excluded == [THOROUGH]


def left_to_others(plan: Plan) -> str:
    """Sentences about the cases that the main job leaves out; "" for another plan."""
    if not _is_whole(plan):
        return ""
    rest = [name for name in suite_names() if not name.startswith((*SUITES, JUDGED))]
    by_folder = Counter(name.partition("/")[0] for name in rest)
    others = ", ".join(f"{folder} ({count})" for folder, count in by_folder.items())
    return (
        f"Not part of this run: the other suites of {others}; `./headroom run {' '.join(by_folder)}` runs them. Nor "
        f"are the longest cases of {FIGURES} and papers/effnet_2007; `./headroom run --tag {THOROUGH}` runs those."
    )


class FirstMinute(SuiteVisitor):
    """A pre-run modifier that puts the most telling cases first: smoke, one case of each conformance suite, and one
    capacity. It prints how these ended. No case runs twice, and each keeps its suite.
    """

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.waiting: set[str] = set()
        self.ended: list[Record] = []
        self.rest = 0
        self.began = time.monotonic()

    def visit_suite(self, suite: Any) -> None:
        first = set(_first(suite))
        head = suite.deepcopy()
        head.visit(only(first))
        suite.visit(Filter(lambda test: test_id(test.source, test.name) not in first))
        self.waiting = first
        self.rest = sum(THOROUGH not in test.tags for test in suite.all_tests)  # Robot removes these later
        suite.suites = [*head.suites, *suite.suites]

    def end(self, record: Record) -> None:
        """Counts the result of a case that has ended."""
        self.progress.end(record)
        if self.waiting:
            self.ended.append(record)
        self._need_not_wait_for(record.test.id)

    def leave_out(self, identity: str) -> None:
        """Counts a case that has no result because it does not exercise the subject of the run."""
        self.progress.leave_out(identity)
        self._need_not_wait_for(identity)

    def _need_not_wait_for(self, identity: str) -> None:
        if identity in self.waiting:
            self.waiting.remove(identity)
            if not self.waiting:
                self.progress.say(self._summary())

    def _summary(self) -> str:
        from headroom.report.data import capacities

        verdicts = Counter(record.verdict for record in self.ended)
        summary = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
        suites = {record.test.id.removesuffix(f"/{record.test.name}") for record in self.ended}
        sentences = [f"The first {time.monotonic() - self.began:.0f} s: {summary}, from {len(suites)} suites."]
        for capacity in capacities([record.as_json() for record in self.ended]):
            if capacity.target_load and capacity.record["test"]["id"].startswith(FIGURES):
                sentences.append(
                    f"At {capacity.target_load:.0%} load {capacity.cpus} carries {capacity.shown} flow pairs of "
                    f"{capacity.profile}."
                )
        return " ".join([*sentences, f"{self.rest} cases follow."])


def _first(suite: Any) -> list[str]:
    """The identities of the selected cases that come first."""
    by_suite: dict[str, list[str]] = {}
    for test in suite.all_tests:
        identity = test_id(test.source, test.name)
        by_suite.setdefault(identity.removesuffix(f"/{test.name}"), []).append(identity)
    result: list[str] = []
    for name, identities in by_suite.items():
        if name.startswith("smoke/"):
            result += identities
        elif name.startswith("conformance/"):
            result += identities[:1]
        elif name == FIGURES:
            result += [identity for identity in identities if identity.endswith("50 %")][:1]
    return result
