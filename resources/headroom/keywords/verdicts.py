# SPDX-License-Identifier: Apache-2.0
"""Turns findings into verdicts, for the keywords of conformance and robustness.

A broken MUST is a failure, and a missed SHOULD has the verdict "non-strict"; a finding against a MAY is only recorded.
A finding that a declared deviation of the implementation covers counts only in the cases of that requirement, where the
declaration is checked.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from robot.api import SkipExecution

from headroom.core import capabilities, engine
from headroom.core.finding import Finding
from headroom.core.implementations import Implementation, Role
from headroom.core.results import collector
from headroom.core.run.run import Run
from headroom.keywords.base import current_run, requirements_of_case
from headroom.testbed import images

MOST_FINDINGS = 20  # most findings in a record; all are counted


def note(role: Role, implementation: Implementation, build: str) -> None:
    """Records the implementation in a role."""
    setattr(collector.current(), role, images.identity(implementation, current_run().topology, build))


def note_sides(run: Run) -> None:
    """Records both implementations of a run."""
    for role, implementation in run.sides:
        note(role, implementation, run.build)


def leave_to_the_other_side(run: Run, roles: Collection[Role]) -> None:
    """Skips a case that does not exercise the implementation under test; the listener leaves it out."""
    subject = run.settings.subject
    if subject and subject not in roles:
        raise SkipExecution(f"This case does not exercise the {subject}, which this run is about.")


def that_count(findings: Sequence[Finding], role: Role) -> list[Finding]:
    """The findings without those that declared deviations cover, unless the running case is about these."""
    implementation = getattr(current_run(), role)
    aside = capabilities.declared_deviations(implementation, role) - requirements_of_case()
    return [finding for finding in findings if finding.requirement not in aside]


def conclude(findings: Sequence[Finding], role: Role) -> None:
    """Turns findings on one side into a verdict."""
    findings = that_count(findings, role)
    current = collector.current()
    current.findings += findings[:MOST_FINDINGS]
    if musts := [finding for finding in findings if finding.severity == "must"]:
        must_not_be(f"{count(musts)}, the first: {musts[0]}")
    if shoulds := [finding for finding in findings if finding.severity == "should"]:
        current.judge("non-strict", f"{count(shoulds)}, the first: {shoulds[0]}")


def expect(met: bool, otherwise: str, requirement: str, role: Role) -> None:
    """Judges an expectation that rests on one requirement, whose level decides the verdict. A missed MUST ends the
    case; after a missed SHOULD the case goes on, because it may hold MUSTs.
    """
    if not met:
        conclude([Finding(otherwise, requirement)], role)


def must_not_be(sentence: str) -> NoReturn:
    """Fails the case for a broken MUST, even in a case that is about a SHOULD."""
    collector.current().judge("fail", sentence)
    raise AssertionError(sentence)


# The beginnings of the engine's sentences. An adapter's own words come later, and may be the same.
REFUSALS = re.compile(r"the adapter's \w+ refuses the control message |endpoint \w+ does not open compartment \d+: ")


@contextmanager
def refusals_are_unsupported() -> Iterator[None]:
    """Turns an adapter's refusals into unsupported cases: `control` is optional in the ABI, and `open` may refuse a
    compartment. A refused configuration, which says what the adapter likes, has another place in the job.
    """
    try:
        yield
    except engine.EngineFailure as failure:
        is_step = failure.kind == "refused" and failure.where and not failure.where.endswith("/config")
        if is_step and REFUSALS.match(failure.message):
            raise SkipExecution(str(failure)) from failure
        raise


def count(findings: Sequence[Finding]) -> str:
    return "1 finding" if len(findings) == 1 else f"{len(findings)} findings"
