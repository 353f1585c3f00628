# SPDX-License-Identifier: Apache-2.0
"""The keyword of the suite of wrong outputs, which runs conformance suites on references whose outputs are wrong."""

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core.errors import EnvironmentLacks
from headroom.core.mutation import campaign, wrong_outputs
from headroom.core.mutation.wrong_outputs import WrongOutput
from headroom.core.results import collector
from headroom.core.scheme_registry import find
from headroom.core.text import some
from headroom.keywords.artefacts import keep_text
from headroom.keywords.base import current_run, library


@library
class WrongOutputKeywords:
    """Checks that the suites notice wrong outputs."""

    @keyword("Suites Should Notice")
    def suites_should_notice(self, scheme: str, output: str, change: str, others: int, *suites: str) -> None:
        """Runs the conformance suites of a scheme, or some of them, on the reference with a change of one kind of its
        outputs. At most OTHERS cases may pass: those about other outputs. At least one case must fail.
        """
        run = current_run()
        named = [suite if "/" in suite else f"{find(scheme).suites}/{suite}" for suite in suites]
        try:
            with campaign.Processes() as processes:
                outcome = wrong_outputs.ask(WrongOutput(scheme, output, change), processes.hunt, run.build, named)
        except EnvironmentLacks as reason:
            raise SkipExecution(str(reason)) from reason
        collector.current().parameters |= {"kind": "wrong outputs"}
        keep_text(f"{output}-{change}.txt", "\n".join(outcome.passed), f"cases that pass with {output} {change}")
        if len(outcome.passed) > others or not outcome.found:
            raise AssertionError(
                f"Of {outcome.cases} cases, {len(outcome.found)} fail and {len(outcome.passed)} pass, but at most "
                f"{others} are about other outputs. These pass: {some(outcome.passed, 3)}."
            )
