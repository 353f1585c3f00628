# SPDX-License-Identifier: Apache-2.0
"""Keywords that measure fixed work."""

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core import instructions, metrics, sentinels
from headroom.core.results import collector
from headroom.history.confirmation import ratio_of_best
from headroom.keywords import verdicts
from headroom.keywords.base import current_run, library
from headroom.keywords.load import configuration

TRIALS, QUICK_TRIALS = 10, 3


@library
class SentinelKeywords:
    """What fixed work costs."""

    @keyword("Fixed Work Should Be Measured")
    def fixed_work_should_be_measured(self, name: str) -> None:
        """NAME is that of a sentinel of a scheme. Packets must come out as they went in; what it costs is measured and
        not judged."""
        run = current_run()
        sentinel = sentinels.find(name)
        arm = sentinels.Arm(run.compressor, run.decompressor)
        if reason := sentinel.lacks(arm):
            raise SkipExecution(f"{reason}.")
        verdicts.note_sides(run)
        current = collector.current()
        current.parameters |= {"kind": "sentinel", "profile": sentinel.profile, "cpus": "1c"}
        core = configuration("1c").cpus[0]
        trials = QUICK_TRIALS if run.quick else TRIALS
        arms = {"subject": arm, "copy": arm}
        found = sentinels.measure(sentinel, arms, trials, run.build, core, run.seed, count=True)
        deviations = []
        for metric, values in found["subject"].items():
            current.metric(metric, sentinels.best(values, metric.better), values)
            if metric.unit == "ns":
                deviations.append(abs(ratio_of_best(found["copy"][metric], values) - 1))
        if reason := instructions.lacking():
            for metric in metrics.INSTRUCTIONS.members():
                current.metric(metric, None, reason=reason)
        if deviations:
            current.metric(metrics.AA_DEVIATION, max(deviations), deviations)
