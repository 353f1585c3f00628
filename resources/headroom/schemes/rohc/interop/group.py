# SPDX-License-Identifier: Apache-2.0
"""The cells of a row, several at once: one engine a core."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from headroom.core import engine
from headroom.core.results.record import Verdict, worst
from headroom.schemes.rohc.interop import cell as one_cell
from headroom.schemes.rohc.interop import recordings
from headroom.schemes.rohc.interop.cell import ArtefactStore
from headroom.schemes.rohc.interop.matrix import Cell, Choice, Row, cells, not_declared, unsupported, untrue


def workers() -> int:
    """Engines at once: the cores that this process may use."""
    return max(1, len(os.sched_getaffinity(0)))


def run(
    row: Row, choice: Choice, workshop: ArtefactStore, each: Callable[[dict[str, Any]], None] | None = None
) -> list:
    """Results of all cells of a row, in the order of the matrix. `each` hears of each as it is done."""
    if reason := not_declared(row, choice.build):
        return unsupported(row, choice, reason)
    wanted = cells(row, choice)
    if reason := untrue(row, choice.build):
        said = {"reason": reason, "signature": "implementation.yaml says more than describe"}
        return [one_cell.blank(cell) | said for cell in wanted]
    with ThreadPoolExecutor(workers(), thread_name_prefix="cell") as pool:
        try:
            futures = [pool.submit(_run, cell, workshop) for cell in wanted]
            results = []
            for future in futures:
                results.append(future.result())
                if each:
                    each(results[-1])
            return results
        except BaseException:  # Ctrl-C too: what has not begun is not begun
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _run(cell: Cell, workshop: ArtefactStore) -> dict[str, Any]:
    try:
        return one_cell.run(cell, workshop)
    except engine.EngineFailure as failure:
        if failure.kind == "output":
            raise
        return one_cell.blank(cell) | {
            "reason": recordings.misfit(cell, failure) or str(failure),
            "signature": f"harness · {failure.kind}",
        }


def verdict(results: list[dict[str, Any]]) -> tuple[Verdict, str]:
    """The verdict on a row, and its reason: of its cells the worst."""
    found = worst([result["verdict"] for result in results])
    bad = [result for result in results if result["verdict"] == found]
    if found == "pass" or not bad:
        return found, "" if bad else "There is no traffic for it."
    first = bad[0]
    more = f" ({len(bad)} of {len(results)} cells)" if len(bad) > 1 and found != "unsupported" else ""
    where = f"{first['traffic']}, {first['link']}: " if found != "unsupported" else ""
    return found, f"{where}{first['reason']}{more}"
