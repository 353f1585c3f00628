# SPDX-License-Identifier: Apache-2.0
"""What is known of cases before any of them runs: whether they ask the side that a run is about, and what an
implementation does not declare.

A rehearsal lets Robot begin every case for real, with an engine that runs nothing. Whatever a keyword decides before
it needs an engine, it decides as it will in the run; nothing of that is written down a second time here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from robot.api import SuiteVisitor
from robot.api.interfaces import ListenerV3

from headroom.core import engine
from headroom.core.errors import EnvironmentLacks
from headroom.core.paths import ROOT
from headroom.core.results import collector
from headroom.core.results.listener import asks_the_subject, test_id
from headroom.core.run.selection import suite_files
from headroom.core.run.session import Plan
from headroom.core.settings import Settings

INTERRUPTED = 253  # Robot Framework's return code after Ctrl-C


@dataclass
class Foreseen:
    """Cases by their identities: those that do not ask the side that a run is about, and why others are unsupported.
    Of all others, nothing is known."""

    left_out: list[str] = field(default_factory=list)
    unsupported: dict[str, str] = field(default_factory=dict)


def rehearse(plan: Plan, cases: Collection[str]) -> Foreseen:
    """What is known of some cases of a plan. They must be such as leave everything that they do to the engine: what
    makes namespaces or containers would make them.

    What an adapter says of itself is remembered as unknown, so that this is for a process that runs nothing
    afterwards. Raises EnvironmentLacks when the suites cannot be read.
    """
    import robot

    foreseen = Foreseen()
    if not cases:
        return foreseen
    with engine.rehearsal() as begun:
        code = robot.run(
            *suite_files(plan.suites),
            output=None,
            log=None,
            report=None,
            console="none",
            stdout=_Silence(),
            stderr=_Silence(),
            variable=plan.settings.robot_variables(),
            listener=[_Listener(plan.settings, begun, foreseen)],
            prerunmodifier=[_Only(cases)],
            pythonpath=[str(ROOT / "resources")],
            runemptysuite=True,
        )
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    if code >= 252:
        raise EnvironmentLacks(
            "Robot Framework cannot read the suites: `./headroom test --only robot-dryrun` says why."
        )
    return foreseen


class _Listener(ListenerV3):
    """Notes how far each case came: `begun` are the engine's commands that it asked for."""

    ROBOT_LISTENER_API_VERSION = 3

    def __init__(self, settings: Settings, begun: list[str], foreseen: Foreseen) -> None:
        self.settings, self.begun, self.foreseen = settings, begun, foreseen

    def start_test(self, data: Any, result: Any) -> None:
        collector.begin()
        self.begun.clear()

    def end_test(self, data: Any, result: Any) -> None:
        identity = test_id(data.source, data.name)
        if not asks_the_subject(identity, collector.current(), self.settings):
            self.foreseen.left_out.append(identity)
        elif result.status == "SKIP" and all(command == engine.DESCRIBE for command in self.begun):
            self.foreseen.unsupported[identity] = result.message


class _Only(SuiteVisitor):
    """A pre-run modifier of Robot: leaves some cases, by their identities."""

    def __init__(self, cases: Collection[str]) -> None:
        self.cases = frozenset(cases)

    def start_suite(self, suite: Any) -> None:
        suite.tests = [test for test in suite.tests if test_id(test.source, test.name) in self.cases]

    def end_suite(self, suite: Any) -> None:
        suite.suites = [child for child in suite.suites if child.has_tests]


class _Silence:
    """A stream for what Robot would print."""

    def write(self, text: str) -> None:
        pass

    def flush(self) -> None:
        pass
