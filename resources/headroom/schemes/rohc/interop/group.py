# SPDX-License-Identifier: Apache-2.0
"""The cells of a row, and the figure of all of them."""

from collections.abc import Sequence

from headroom.core import engine, replay_metrics
from headroom.core.contract import CLEAN
from headroom.core.matrix import ArtefactStore, Cell, Result
from headroom.core.results import collector
from headroom.core.scheme_kit.cells import run_all
from headroom.schemes.rohc.interop import cell as one_cell
from headroom.schemes.rohc.interop import recordings
from headroom.schemes.rohc.interop.matrix import untrue


def run(cells: Sequence[Cell], store: ArtefactStore) -> list[Result]:
    """Results of the cells of a row, in their order."""
    if reason := untrue(cells[0].row):
        signature = "implementation.yaml says more than describe"
        return [cell.result(reason=reason, signature=signature) for cell in cells]
    results = run_all(cells, store, _run)
    _measure(results)
    return results


def _measure(results: Sequence[Result]) -> None:
    """The mean header over a clean link, for the record."""
    clean = (one["header_bytes"] for one in results if one["link"] == CLEAN)
    if headers := [header for header in clean if header is not None]:
        collector.current().metric(replay_metrics.HEADER(figure="mean"), sum(headers) / len(headers))


def _run(cell: Cell, store: ArtefactStore) -> Result:
    try:
        return one_cell.run(cell, store)
    except engine.EngineFailure as failure:
        if failure.kind == "output":
            raise
        reason = recordings.misfit(cell, failure) or str(failure)
        return cell.result(reason=reason, signature=f"harness · {failure.kind}")
