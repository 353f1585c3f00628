# SPDX-License-Identifier: Apache-2.0
"""The cells of a row, and the figure of all of them."""

from collections.abc import Sequence

from headroom.core import replay_metrics
from headroom.core.contract import CLEAN
from headroom.core.matrix import ArtefactStore, Cell, Result
from headroom.core.results import collector
from headroom.schemes.rohc.interop.cell import RUNNER
from headroom.schemes.rohc.interop.matrix import untrue


def run(cells: Sequence[Cell], store: ArtefactStore) -> list[Result]:
    """Results of the cells of a row, in their order."""
    if reason := untrue(cells[0].row):
        signature = "implementation.yaml says more than describe"
        return [cell.result(reason=reason, signature=signature) for cell in cells]
    results = RUNNER.run(cells, store)
    _measure(results)
    return results


def _measure(results: Sequence[Result]) -> None:
    """The mean header over a clean link, for the record."""
    clean = (one["header_bytes"] for one in results if one["link"] == CLEAN)
    if headers := [header for header in clean if header is not None]:
        collector.current().metric(replay_metrics.HEADER(figure="mean"), sum(headers) / len(headers))
