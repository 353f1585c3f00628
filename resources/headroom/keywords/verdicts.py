# SPDX-License-Identifier: Apache-2.0
"""From findings to verdicts, for the keywords of conformance and robustness.

A broken MUST is a failure and a missed SHOULD non-strict; a finding against a MAY is recorded and no more. A finding
against a requirement from which the implementation declares to deviate counts in the cases of that requirement alone,
where the declaration is checked.
"""

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

MOST_FINDINGS = 20  # kept in a record; all are counted


def note(role: Role, found: Implementation, build: str) -> None:
    """The implementations under test, for the record."""
    setattr(collector.current(), role, images.identity(found, current_run().topology, build))


def note_sides(run: Run) -> None:
    """Both implementations of a run, for the record."""
    for role, found in run.sides:
        note(role, found, run.build)


def leave_to_the_other_side(run: Run, roles: Collection[Role]) -> None:
    """Ends a case that asks only the side that the run is not about; the listener leaves it out."""
    subject = run.settings.subject
    if subject and subject not in roles:
        raise SkipExecution(f"It does not ask the {subject}, which this run is about.")


def that_count(findings: Sequence[Finding], role: Role) -> list[Finding]:
    """Without those from which the implementation declares to deviate, unless the running case is about just them."""
    found = getattr(current_run(), role)
    aside = capabilities.declared_deviations(found, role) - requirements_of_case()
    return [one for one in findings if one.requirement not in aside]


def conclude(findings: Sequence[Finding], role: Role) -> None:
    """Findings on one side as a verdict."""
    findings = that_count(findings, role)
    current = collector.current()
    current.findings += findings[:MOST_FINDINGS]
    if musts := [one for one in findings if one.severity == "must"]:
        must_not_be(f"{count(musts)}, the first: {musts[0]}")
    if shoulds := [one for one in findings if one.severity == "should"]:
        current.judge("non-strict", f"{count(shoulds)}, the first: {shoulds[0]}")


def expect(met: bool, otherwise: str, requirement: str, role: Role) -> None:
    """Judges an expectation that rests on one requirement, whose level is that of the verdict. A MUST that is not met
    ends the case; after a SHOULD the case goes on, for it may hold MUSTs."""
    if not met:
        conclude([Finding(otherwise, requirement)], role)


def must_not_be(sentence: str) -> NoReturn:
    """A MUST is broken: a failure also in a case that is about a SHOULD."""
    collector.current().judge("fail", sentence)
    raise AssertionError(sentence)


REFUSALS = ("refuses the control message", "does not open compartment")


@contextmanager
def refusals_are_unsupported() -> Iterator[None]:
    """What an adapter refuses is something that it does not do: `control` is optional in the ABI, and `open` may refuse
    a compartment."""
    try:
        yield
    except engine.EngineFailure as failure:
        if failure.kind == "refused" and any(words in str(failure) for words in REFUSALS):
            raise SkipExecution(str(failure)) from failure
        raise


def count(findings: Sequence[Finding]) -> str:
    return "1 finding" if len(findings) == 1 else f"{len(findings)} findings"
