# SPDX-License-Identifier: Apache-2.0
"""What is known of cases before any of them runs: whether they ask the side that a run is about, and what an
implementation does not declare.

A rehearsal lets Robot begin every case for real, with an engine that runs nothing. Whatever a keyword decides before
it needs an engine, it decides as it will in the run; nothing of that is written down a second time here.
"""

import io
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from robot.api.interfaces import ListenerV3

from headroom.core import engine
from headroom.core.errors import EnvironmentLacks
from headroom.core.paths import ROOT
from headroom.core.results import collector
from headroom.core.results.listener import exercises_the_subject, test_id
from headroom.core.run.selection import only, suite_files
from headroom.core.run.session import INTERRUPTED, ROBOT_FAILED, Plan
from headroom.core.settings import Settings


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
            stdout=io.StringIO(),
            stderr=io.StringIO(),
            variable=plan.settings.robot_variables(),
            listener=[_Listener(plan.settings, begun, foreseen)],
            prerunmodifier=[only(frozenset(cases))],
            pythonpath=[str(ROOT / "resources")],
            runemptysuite=True,
        )
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    if code >= ROBOT_FAILED:
        raise EnvironmentLacks(
            "Robot Framework cannot read the suites: `./headroom test --only robot-dryrun` says why."
        )
    return foreseen


class _Listener(ListenerV3):
    """Notes how far each case came: `begun` are the engine's commands that it began."""

    ROBOT_LISTENER_API_VERSION = 3

    def __init__(self, settings: Settings, begun: list[str], foreseen: Foreseen) -> None:
        self.settings, self.begun, self.foreseen = settings, begun, foreseen

    def start_test(self, data: Any, result: Any) -> None:
        collector.begin()
        self.begun.clear()

    def end_test(self, data: Any, result: Any) -> None:
        identity = test_id(data.source, data.name)
        if not exercises_the_subject(identity, collector.current(), self.settings):
            self.foreseen.left_out.append(identity)
        elif result.status == "SKIP" and all(command == engine.DESCRIBE for command in self.begun):
            self.foreseen.unsupported[identity] = result.message
