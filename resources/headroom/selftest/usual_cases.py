# SPDX-License-Identifier: Apache-2.0
"""The cases of the suites that `./headroom test` runs without --all: no doubles and no wrong outputs, which prove the
suites right and take minutes, and each third row of an interop matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from robot.api import SuiteVisitor, TestSuite

from headroom.core.results.listener import test_id
from headroom.core.run.selection import cases, suite_files

OF_SUITES = {"doubles", "wrong-outputs"}  # tags of the cases that run suites
INTEROP = "interop/"  # how the identities of its cases begin
ROWS_PER_RUN = 3  # one row of so many runs


class UsualCases(SuiteVisitor):
    """Keeps only the usual cases of a suite (an option of Robot Framework: --prerunmodifier)."""

    def start_suite(self, suite: TestSuite) -> None:
        suite.tests = [
            test
            for number, test in enumerate(suite.tests)
            if _is_usual(test_id(test.source, test.name), number, map(str, test.tags))
        ]

    def end_suite(self, suite: TestSuite) -> None:
        if suite.parent is None:
            suite.remove_empty_suites()


def usual_cases(suites: Iterable[str]) -> set[str]:
    """The identities of the usual cases of some suites."""
    numbers: Counter[str] = Counter()
    usual = set()
    for case in cases(suite_files(suites)):
        if _is_usual(case.id, numbers[case.suite], case.tags):
            usual.add(case.id)
        numbers[case.suite] += 1
    return usual


def _is_usual(identity: str, number: int, tags: Iterable[str]) -> bool:
    """True if a case is usual; `number` is its place in its suite, from 0."""
    return OF_SUITES.isdisjoint(tags) and (not identity.startswith(INTEROP) or number % ROWS_PER_RUN == 0)
