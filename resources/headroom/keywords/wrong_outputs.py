# SPDX-License-Identifier: Apache-2.0
"""Keywords of the suites of wrong outputs and sudden ends, which run cases on references that are wrong."""

import os
from concurrent.futures import ThreadPoolExecutor

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core.errors import EnvironmentLacks
from headroom.core.mutation import campaign, sudden_ends, wrong_outputs
from headroom.core.mutation.hunt import Outcome
from headroom.core.mutation.wrong_outputs import WrongOutput
from headroom.core.results import collector
from headroom.core.scheme_registry import find
from headroom.core.text import some
from headroom.keywords.artefacts import keep_text
from headroom.keywords.base import current_run, library


@library
class WrongOutputKeywords:
    """Checks that the suites notice wrong outputs, and that an adapter gains nothing if it ends early besides."""

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

    @keyword("No End Should Help")
    def no_end_should_help(self, scheme: str, output: str, change: str, *cases: str) -> None:
        """Runs cases that fail with a change of one kind of outputs of the reference, which also ends the process: at
        each place of an adapter's life in a way that the seed chooses. No case may pass, be unsupported or
        non-strict, or be called a defect of the harness.
        """
        run = current_run()
        identities = [f"conformance/{case}" for case in cases]
        ends = sudden_ends.choose(WrongOutput(scheme, output, change), run.seed)
        try:
            # The processes end first, at Ctrl-C too: the pool waits for its threads.
            with ThreadPoolExecutor(os.cpu_count()) as pool, campaign.Processes() as processes:
                outcomes = list(pool.map(lambda end: sudden_ends.ask(end, identities, processes.hunt, run.build), ends))
        except EnvironmentLacks as reason:
            raise SkipExecution(str(reason)) from reason
        collector.current().parameters |= {"kind": "sudden ends"}
        helped = [f"{outcome.name}: {sentence}" for outcome in outcomes if (sentence := _what_helped(outcome))]
        if helped:
            raise AssertionError(f"{len(helped)} of {len(ends)} ends change what is said: {some(helped, 3)}.")


def _what_helped(outcome: Outcome) -> str:
    """Returns what is too mild in an outcome that has no right to pass; "" if nothing is."""
    if outcome.passed:
        return f"{outcome.passed[0]} passes"
    judged = [*outcome.found, *outcome.errors]
    if len(judged) < outcome.cases or not judged:
        return f"{outcome.cases - len(judged)} of {outcome.cases} cases have no verdict"
    blamed = next((case for case in judged if case.verdict == "non-strict" or "a defect of" in case.reason), None)
    return f"{blamed.case} is {blamed.verdict}: {blamed.reason}" if blamed else ""
