# SPDX-License-Identifier: Apache-2.0
"""The cells of a row, several at once: one engine a core."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from headroom.core.matrix import ArtefactStore, Cell, Result, workers


def run_all(cells: Sequence[Cell], store: ArtefactStore, run: Callable[[Cell, ArtefactStore], Result]) -> list[Result]:
    """Results of the cells of a row, in their order. `run` gives that of one cell; what it raises ends the row."""
    with ThreadPoolExecutor(workers(), thread_name_prefix="cell") as pool:
        try:
            futures = [pool.submit(run, cell, store) for cell in cells]
            return [future.result() for future in futures]
        except BaseException:  # Ctrl-C too: what has not begun is not begun
            pool.shutdown(wait=True, cancel_futures=True)
            raise
