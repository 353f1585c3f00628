# SPDX-License-Identifier: Apache-2.0
"""The main job, which is `./headroom run` without arguments: its suites, its order and its closing words.

Something true of everything comes within a minute and a half of its start, then the rest.
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

# The paper's scaling reuses what the performance suite measured.
FIGURES = "performance/voip_flow_pairs"
SUITES = ("smoke", "conformance", FIGURES, "papers/effnet_2007")
THOROUGH = "thorough"  # the tag of their cases that take longest and tell least of what is new: they are left out
JUDGED = "judge"  # suites that belong to a judgement


def suites() -> list[str]:
    """The suites of the main job, of those that there are."""
    return [name for name in SUITES if has_suites(name)]


def order_of(plan: Plan, progress: Progress) -> FirstMinute | None:
    """Returns the order of the cases of a plan, where it is the main job and whole; else None."""
    return FirstMinute(progress) if _is_whole(plan) else None


def _is_whole(plan: Plan) -> bool:
    return plan.suites == suites() and not plan.cases and not plan.tags and plan.excluded == [THOROUGH]


def left_to_others(plan: Plan) -> str:
    """Sentences about what the main job leaves out; "" where a plan is another."""
    if not _is_whole(plan):
        return ""
    rest = [name for name in suite_names() if not name.startswith((*SUITES, JUDGED))]
    by_folder = Counter(name.partition("/")[0] for name in rest)
    found = ", ".join(f"{folder} ({count})" for folder, count in by_folder.items())
    return (
        f"Not part of this run: the other suites of {found}; `./headroom run {' '.join(by_folder)}` runs them. Nor are "
        f"the longest cases of {FIGURES} and papers/effnet_2007; `./headroom run --tag {THOROUGH}` runs those."
    )


class FirstMinute(SuiteVisitor):
    """A pre-run modifier: puts first what tells most, which is smoke, one case of each suite of conformance, and one
    capacity, and says how these ended. No case runs twice, and each keeps its suite."""

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
        self.rest = sum(THOROUGH not in test.tags for test in suite.all_tests)  # Robot takes these out later
        suite.suites = [*head.suites, *suite.suites]

    def end(self, record: Record) -> None:
        """A case has ended."""
        self.progress.end(record)
        if self.waiting:
            self.ended.append(record)
        self._need_not_wait_for(record.test.id)

    def leave_out(self, identity: str) -> None:
        """A case has no result: it does not ask the side that the run is about."""
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
        found = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
        suites = {record.test.id.removesuffix(f"/{record.test.name}") for record in self.ended}
        sentences = [f"The first {time.monotonic() - self.began:.0f} s: {found}, from {len(suites)} suites."]
        for capacity in capacities([record.as_json() for record in self.ended]):
            if capacity.target_load and capacity.record["test"]["id"].startswith(FIGURES):
                sentences.append(
                    f"At {capacity.target_load:.0%} load {capacity.cpus} carries {capacity.shown} flow pairs of "
                    f"{capacity.profile}."
                )
        return " ".join([*sentences, f"{self.rest} cases follow."])


def _first(suite: Any) -> list[str]:
    """Identities of the cases that come first, of those that are selected."""
    found: dict[str, list[str]] = {}
    for test in suite.all_tests:
        identity = test_id(test.source, test.name)
        found.setdefault(identity.removesuffix(f"/{test.name}"), []).append(identity)
    result: list[str] = []
    for name, identities in found.items():
        if name.startswith("smoke/"):
            result += identities
        elif name.startswith("conformance/"):
            result += identities[:1]
        elif name == FIGURES:
            result += [one for one in identities if one.endswith("50 %")][:1]
    return result
