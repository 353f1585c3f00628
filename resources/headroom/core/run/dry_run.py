# SPDX-License-Identifier: Apache-2.0
"""Facts about cases before any of them runs: if they exercise the subject of the run, and which needs an implementation
does not declare.

A dry run lets Robot begin every case for real, with an engine that runs nothing. Every decision that a keyword takes
before it needs an engine is the same as in the run, so that none is implemented twice.
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
from headroom.core.results.listener import is_about_subject, message_of, test_id
from headroom.core.run.selection import only, suite_files
from headroom.core.run.session import INTERRUPTED, ROBOT_FAILED, Plan
from headroom.core.settings import Settings


@dataclass
class Foreseen:
    """Facts about cases, by their identities. `left_out` are the cases that do not exercise the subject of the run;
    `unsupported` has the reasons why further cases are unsupported. Nothing is known of a case that is in neither.
    """

    left_out: list[str] = field(default_factory=list)
    unsupported: dict[str, str] = field(default_factory=dict)


def foresee(plan: Plan, cases: Collection[str]) -> Foreseen:
    """Finds the facts about some cases of a plan. The cases must leave all work to the engine: keywords that make
    namespaces or containers would make them.

    Caches then hold no description of an adapter, so the process must run nothing afterwards. Raises EnvironmentLacks
    if the suites cannot be read.
    """
    import robot

    foreseen = Foreseen()
    if not cases:
        return foreseen
    with engine.dry_run() as begun:
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
            "Robot Framework cannot read the suites: `./headroom test --only robot-dryrun` prints the reason."
        )
    return foreseen


class _Listener(ListenerV3):
    """Records how far each case came: `begun` are the engine's commands that it began."""

    ROBOT_LISTENER_API_VERSION = 3

    def __init__(self, settings: Settings, begun: list[str], foreseen: Foreseen) -> None:
        self.settings, self.begun, self.foreseen = settings, begun, foreseen

    def start_test(self, data: Any, result: Any) -> None:
        collector.begin()
        self.begun.clear()

    def end_test(self, data: Any, result: Any) -> None:
        identity = test_id(data.source, data.name)
        if not is_about_subject(identity, collector.current(), self.settings):
            self.foreseen.left_out.append(identity)
        elif result.status == "SKIP" and all(command == engine.DESCRIBE for command in self.begun):
            self.foreseen.unsupported[identity] = message_of(result)
