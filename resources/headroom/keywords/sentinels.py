# SPDX-License-Identifier: Apache-2.0
"""Keywords that measure fixed work."""

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core import implementations, instructions, metrics, sentinels
from headroom.core.engine import EngineFailure
from headroom.core.implementations import Implementation
from headroom.core.results import collector
from headroom.core.workload import COPY
from headroom.history.confirmation import ratio_of_best
from headroom.keywords import verdicts
from headroom.keywords.base import current_run, library
from headroom.keywords.load import configuration

TRIALS, QUICK_TRIALS = 10, 3


@library
class SentinelKeywords:
    """Measures the cost of fixed work."""

    @keyword("Fixed Work Should Be Measured")
    def fixed_work_should_be_measured(self, name: str) -> None:
        """Measures the fixed work of a sentinel of a scheme, whose name is NAME. Packets must come out as they went in;
        the cost is measured and not judged.
        """
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
        result = sentinels.measure(sentinel, arms, trials, run.build, core, run.seed, count=True)
        deviations = []
        for metric, values in result["subject"].items():
            current.metric(metric, sentinels.best(values, metric.better), values)
            if metric.unit == "ns":
                deviations.append(abs(ratio_of_best(result["copy"][metric], values) - 1))
        if reason := instructions.lacking():
            for metric in metrics.INSTRUCTIONS.members():
                current.metric(metric, None, reason=reason)
        if deviations:
            current.metric(metrics.AA_DEVIATION, max(deviations), deviations)

    @keyword("Fixed Work Should Be Measured Beside Others")
    def fixed_work_should_be_measured_beside_others(self, name: str) -> None:
        """Measures the fixed work of a sentinel of a scheme, whose name is NAME, in turns with the implementation, with
        `null` and with the reference. If the implementation has only one role, the reference has the other.
        """
        run = current_run()
        sentinel = sentinels.find(name)
        reference, null = implementations.find(REFERENCE), implementations.null()
        subject = _with_other_roles(run.compressor, sentinel.scheme, reference)
        current = collector.current()
        current.parameters |= {"kind": "beside", "work": sentinel.name, "profile": sentinel.profile, "cpus": "1c"}
        if reason := sentinel.lacks(subject):
            raise SkipExecution(f"{reason}.")
        verdicts.note_sides(run)
        core = configuration("1c").cpus[0]
        trials = QUICK_TRIALS if run.quick else TRIALS
        arms = {SUBJECT: subject} | _beside(sentinel, sentinels.Arm(null, null), sentinels.Arm(reference, reference))
        try:
            result = sentinels.measure(sentinel, arms, trials, run.build, core, run.seed, count=False)
        except sentinels.ArmFailed as failed:
            if failed.arm == SUBJECT and _is_refusal(failed.__cause__):
                raise SkipExecution(
                    f"This work may need more than {run.compressor.name} declares: {failed}"
                ) from failed
            raise
        for metric, values in result[SUBJECT].items():
            current.metric(metric, sentinels.best(values, metric.better), values)
        current.parameters["beside"] = {
            other: {metric.name: sentinels.best(values, metric.better) for metric, values in measured.items()}
            for other, measured in result.items()
            if other != SUBJECT
        }


SUBJECT, REFERENCE = "subject", "reference"
COPIED = ("load", "replay")  # work that a copying adapter can do, whatever the scheme


def _is_refusal(error: BaseException | None) -> bool:
    """True if an adapter refuses the configuration of some work: the work may need more than the adapter declares."""
    return isinstance(error, EngineFailure) and error.kind == "refused" and error.where.endswith("config")


def _with_other_roles(implementation: Implementation, scheme: str, other: Implementation) -> sentinels.Arm:
    """An implementation in the roles that it declares for a scheme, and another one in the remaining roles."""
    roles = implementation.declared(scheme).get("roles", ())
    if not {"compressor", "decompressor"} & set(roles):  # the product is a whole by itself, such as an endpoint
        return sentinels.Arm(implementation, implementation)
    first, second = (implementation if role in roles else other for role in ("compressor", "decompressor"))
    return sentinels.Arm(first, second)


def _beside(sentinel: sentinels.Sentinel, *arms: sentinels.Arm) -> dict[str, sentinels.Arm]:
    """The arms that can do some work, by the names of their implementations, including an adapter that copies."""
    return {
        arm.compressor.name: arm
        for arm in arms
        if not sentinel.lacks(arm) or (sentinel.command in COPIED and arm.compressor.declared(COPY))
    }
