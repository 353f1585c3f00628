# SPDX-License-Identifier: Apache-2.0
"""The evidence that keywords collect, and that the listener reads when the test ends.

Keywords work the same without a listener (plain `robot`): their evidence is then only logged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headroom.core.errors import HeadroomError
from headroom.core.metrics import Metric
from headroom.core.results.record import Evidence, Measurement, Verdict


@dataclass(kw_only=True)
class Collected(Evidence):
    """The evidence that a test has collected so far."""

    files: list[tuple[Path, str]] = field(default_factory=list)
    traffic: dict[str, Any] | None = None  # None: made in memory, see `record.in_process`
    verdict: Verdict | None = None  # set if Robot's pass, fail and skip do not suffice
    reason: str = ""
    crashed: bool = False  # the process that hosts adapters ended
    needs_processors: bool = False  # load by other processes may be the reason for a missing result
    exhausted: HeadroomError | None = None  # the error, if the harness itself ran out of, say, descriptors
    command: str = ""  # the command that repeats the test, if it is not `./headroom run`

    def metric(
        self,
        metric: Metric,
        value: float | None,
        trials: Sequence[float | None] = (),
        *,
        reason: str = "",
        core: int | None = None,
    ) -> None:
        """Records the value of a metric, with all its raw trials; if the value is missing, the reason."""
        self.metrics.append(Measurement(metric, value, list(trials), reason, core))

    def judge(self, verdict: Verdict, reason: str) -> None:
        """Records a verdict that Robot cannot express. A worse verdict stays: nothing is ever made milder."""
        order = ("non-strict", "fail", "error")
        if self.verdict in order and (verdict not in order or order.index(verdict) < order.index(self.verdict)):
            return
        self.verdict, self.reason = verdict, reason


_current = Collected()


def current() -> Collected:
    """The evidence of the running test."""
    return _current


def begin() -> Collected:
    """Starts afresh, for the next test."""
    global _current
    _current = Collected()
    return _current
