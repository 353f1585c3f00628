# SPDX-License-Identifier: Apache-2.0
"""Where keywords leave what they measured, and the listener finds it when the test ends.

Keywords work the same without a listener (plain `robot`): what they leave is then only logged.
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
    """The evidence that one test has collected so far."""

    files: list[tuple[Path, str]] = field(default_factory=list)
    traffic: dict[str, Any] | None = None  # None: made in memory, see `record.in_process`
    verdict: Verdict | None = None  # set where Robot's pass, fail and skip do not say enough
    reason: str = ""
    crashed: bool = False  # the process that hosts adapters ended
    needs_processors: bool = False  # that others had the processors may be why there is no result
    exhausted: HeadroomError | None = None  # what the harness itself ran out of, such as descriptors
    command: str = ""  # what repeats the test, where that is not `./headroom run`

    def metric(
        self,
        metric: Metric,
        value: float | None,
        trials: Sequence[float | None] = (),
        *,
        reason: str = "",
        core: int | None = None,
    ) -> None:
        """Leaves the value of a metric, with all its raw trials; where it is missing, the reason."""
        self.metrics.append(Measurement(metric, value, list(trials), reason, core))

    def judge(self, verdict: Verdict, reason: str) -> None:
        """Notes a verdict that Robot cannot express. A worse one stays: nothing is ever made milder."""
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
