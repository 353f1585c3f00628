# SPDX-License-Identifier: Apache-2.0
"""The keyword of the suite of freedoms, which runs the conformance suites on doubles of the reference."""

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core.errors import EnvironmentLacks
from headroom.core.mutation import campaign, doubles
from headroom.core.replay_metrics import CASES
from headroom.core.results import collector
from headroom.core.text import some
from headroom.keywords.artefacts import keep_text
from headroom.keywords.base import current_run, library


@library
class FreedomKeywords:
    """Checks that the suites never fail an implementation that uses a freedom of the specification."""

    @keyword("No Case Should Fail")
    def no_case_should_fail(self, name: str) -> None:
        """Runs the cases that a double's entry in doubles.yaml names, or all cases, on the double. At least one case
        must pass, and no case may fail. A case may have the verdict "non-strict" (a missed SHOULD) only if the double
        leaves out a SHOULD.
        """
        run = current_run()
        double = doubles.load().find(name)
        collector.current().parameters |= {
            "kind": "double",
            "double": name,
            "uses": double.uses,
            "freedoms": list(double.freedoms),
        }
        try:
            with campaign.Processes() as processes:
                outcome = doubles.ask(double, processes.hunt, run.build)
        except EnvironmentLacks as reason:
            raise SkipExecution(str(reason)) from reason
        collector.current().metric(CASES, outcome.cases)
        wrong = doubles.wrongly_judged(double, outcome)
        if wrong:
            keep_text("cases.txt", "\n".join(wrong), "cases that fail the double")
            raise AssertionError(f"{len(wrong)} of {outcome.cases} cases: {some(wrong, 3)}")
        if not outcome.passed:
            raise AssertionError(f"None of {outcome.cases} cases passes, so the double is not tested.")
