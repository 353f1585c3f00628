# SPDX-License-Identifier: Apache-2.0
"""The turns of a soak: next comes the stage that has had the least of its share, and in it the part that has
had least.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

from headroom.core import implementations
from headroom.core.machine import build, environment
from headroom.core.version import with_commit
from headroom.selftest import fuzz_targets
from headroom.selftest.soak import page
from headroom.selftest.soak.fuzzing import Fuzzing
from headroom.selftest.soak.kills import Kills
from headroom.selftest.soak.links import Links
from headroom.selftest.soak.tally import Tally, read, soak_folder

Say = Callable[[str], None]
LONGEST_TURN_S = 120.0
TURNS = 4  # turns of each part, at least, if there is time


class Stage(Protocol):
    """A kind of test: it gets the `share` of the time, 0..1; `parts` are the names of its parts, which take turns."""

    @property
    def name(self) -> str: ...

    @property
    def share(self) -> float: ...

    def parts(self) -> Sequence[str]: ...

    def run(self, part: str, seconds: float, tally: Tally) -> None:
        """Works on a part for about so many seconds, and counts in the tally."""


CALLS = "_calls"  # the end of the names of targets that call the ABI


def stages(say: Say) -> list[Stage]:
    """All stages. Builds the fuzz targets and the engine. Raises EnvironmentLacks if they cannot be built."""
    build.ensure(targets=implementations.ninja_targets(warn=say), say=say)
    targets = fuzz_targets.built(say)
    calls = [target for target in targets if target.name.endswith(CALLS)]
    others = [target for target in targets if target not in calls]
    return [Fuzzing("fuzz", 0.3, others), Fuzzing("calls", 0.3, calls, ("-entropic=0",)), Links(0.2), Kills(0.2)]


def begun(hours: float, is_resumed: bool) -> Tally:
    """The tally of a soak of so many hours: a new one, or that of the last soak. Raises UsageError if that is
    missing.
    """
    if is_resumed:
        return replace(read(soak_folder()), hours=hours)
    now = datetime.now(UTC)
    cpu = environment.read().cpu_model or ""
    return Tally(soak_folder(), int(now.timestamp()), hours, f"{now:%Y-%m-%d %H:%M} UTC", with_commit(), cpu)


def run(tally: Tally, stages: Sequence[Stage], say: Say) -> None:
    """Runs turns until the soak has had its hours; the page and the counts are written after each."""
    hours = tally.hours
    parts = {stage.name: list(stage.parts()) for stage in stages}
    stages = [stage for stage in stages if parts[stage.name]]
    while (left := 3600 * hours - tally.seconds) > 0:
        stage = min(stages, key=lambda entry: sum(tally.spent[entry.name].values()) / entry.share)
        mine = parts[stage.name]
        part = min(mine, key=lambda entry: tally.spent[stage.name][entry])
        turn = 3600 * hours * stage.share / sum(stage.share for stage in stages) / len(mine) / TURNS
        began = time.monotonic()
        try:
            stage.run(part, min(left, LONGEST_TURN_S, max(1.0, turn)), tally)
        finally:  # also of a turn that Ctrl-C ended
            tally.turns += 1
            tally.spent[stage.name][part] += time.monotonic() - began
            tally.keep()
            page.write(tally)
        say(f"{tally.seconds / 3600:.2f} of {hours:g} h: {stage.name}, {part}: {_line(tally)}")


def _line(tally: Tally) -> str:
    total = tally.totals()
    return (
        f"{total.executions:,} executions, {total.damaged:,} damaged headers, {total.kills:,} kills; "
        f"{total.crashes} crashes, {total.lost} records lost, {len(tally.findings)} findings in all"
    )
