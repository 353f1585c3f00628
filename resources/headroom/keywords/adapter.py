# SPDX-License-Identifier: Apache-2.0
"""Keywords about adapters themselves: the promises of the ABI, and what implementation.yaml declares."""

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core import adapter_check, capabilities, implementations, metrics
from headroom.core.results import collector
from headroom.core.text import some
from headroom.keywords.base import current_run, library


@library
class AdapterKeywords:
    """Keywords about one adapter: `implementations/abi/headroom.h` lists its promises."""

    @keyword("Adapter Should Keep The Promises Of The ABI")
    def keeps_promises(self, implementation: str) -> None:
        """Runs every check of `headroom-engine check`, each in a process of its own.

        A check for which the implementation declares a deviation (requirement: ABI-<check>) must fail as long as the
        declaration exists.
        """
        build = current_run().build
        known = implementations.find(implementation)
        if reason := known.missing():
            raise SkipExecution(f"{reason}.")
        _note(known, build)
        result = adapter_check.promises(known, build)
        current = collector.current()
        for verdict in ("pass", "fail", "unsupported"):
            count = sum(check["verdict"] == verdict for check in result.checks)
            current.metric(metrics.CHECKS(verdict=verdict), count)
        current.findings += [*result.findings, *result.declared]
        if result.findings:
            raise AssertionError(some([finding.sentence for finding in result.findings]))
        if result.declared:
            sentences = [finding.sentence for finding in result.declared]
            raise SkipExecution(f"Declared deviation of {known.name}: {some(sentences)}")

    @keyword("Declaration Should Be What The Adapter Says")
    def declaration_matches(self, implementation: str) -> None:
        """Compares the capabilities of implementation.yaml with the adapter's own description."""
        build = current_run().build
        known = implementations.find(implementation)
        _note(known, build)
        different = adapter_check.differences(known, implementations.describe(known, build))
        if different:
            raise AssertionError(some(different))


def _note(implementation: implementations.Implementation, build: str) -> None:
    current = collector.current()
    current.parameters |= {"kind": "adapter", "implementation": implementation.name}
    current.compressor = current.decompressor = capabilities.identity(implementation, build)
