# SPDX-License-Identifier: Apache-2.0
"""The runner of cells: runs the cells of a row in their order, several at once.

A scheme tries a cell and returns a `Trial`, from which the runner makes the result: it shows a failure with the fewest
items once for each signature, writes files of evidence, and settles declared deviations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from headroom.core import deviations
from headroom.core.capabilities import Inconclusive, Misbehaviour
from headroom.core.deviations import Declared
from headroom.core.engine import EngineFailure
from headroom.core.errors import HeadroomError
from headroom.core.implementations import Deviation
from headroom.core.matrix import ArtefactStore, Cell, Result, Row, workers
from headroom.core.results import collector
from headroom.core.results.record import Verdict
from headroom.core.scheme_kit import evidence, signature
from headroom.core.scheme_kit.evidence import MinimisedFailure
from headroom.core.scheme_kit.minimise import minimise

NO_ADAPTERS = ("job", "input", "output", "sandbox")  # kinds of failures that are no adapter's
LINK = "link.pcapng"  # the capture of a cell's link, in the cell's folder

Item = TypeVar("Item")


@dataclass(frozen=True)
class Trial:
    """The outcome of a cell. `figures` are more entries of its result.

    `text` gives lines for the file of evidence; without it, the cell has none. `smallest` shows the failure with the
    fewest items; cells of one `key` share it, by default those of one signature. `explained` and `was_met` are those of
    `deviations.settle`.
    """

    verdict: Verdict
    reason: str = ""
    signature: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)
    text: Callable[[], Sequence[str]] | None = None
    smallest: Callable[[], MinimisedFailure | None] | None = None
    key: str = ""
    explained: Callable[[Sequence[Declared]], Sequence[str]] = lambda declared: ()
    was_met: Callable[[Deviation], bool] = lambda one: True


def without_verdict(cell: Cell, failure: HeadroomError) -> Trial:
    """The trial of a cell that gave no verdict. Its signature names the side that failed, if there was only one that
    can have, or else the harness."""
    sign = "harness"
    if isinstance(failure, EngineFailure) and len(failure.sides) == 1 and failure.kind not in NO_ADAPTERS:
        sign = signature.of_failure(failure, failure.sides[0])
    elif isinstance(failure, Misbehaviour) and failure.side:
        sign = f"{failure.side}{signature.SEPARATOR}broken promise"
    return Trial("error", str(failure), sign)


@dataclass(frozen=True)
class Runner:
    """Runs the cells of a scheme.

    `trial` tries the cells of one row with the same value of `together`, by default one cell; `at_once` is the number
    of such groups at the same time. It may raise EngineFailure, Misbehaviour and Inconclusive, which `failed` turns
    into the trial of each of the cells. A failure is minimised anew for each pair of implementations and each value of
    `minimised_for`, by default all axes.
    """

    trial: Callable[[Sequence[Cell], ArtefactStore], Sequence[Trial]]
    together: Callable[[Cell], Hashable] = id
    at_once: Callable[[], int] = workers
    failed: Callable[[Cell, HeadroomError], Trial] = without_verdict
    minimised_for: Callable[[Row], Collection[str]] = lambda row: row.axes.values()

    def run(self, cells: Sequence[Cell], store: ArtefactStore) -> list[Result]:
        """The results of the cells of a row, in their order. Raises any other exception that ends all cells."""
        groups: dict[Hashable, list[Cell]] = {}
        for cell in cells:
            groups.setdefault(self.together(cell), []).append(cell)
        by_number: dict[int, Result] = {}
        with ThreadPoolExecutor(self.at_once(), thread_name_prefix="cell") as pool:
            try:
                futures = [pool.submit(self._run, group, store) for group in groups.values()]
                for group, future in zip(groups.values(), futures, strict=True):
                    by_number |= zip(map(id, group), future.result(), strict=True)
            except BaseException:  # also after Ctrl-C: cells that have not begun do not begin
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        return [by_number[id(cell)] for cell in cells]

    def _run(self, cells: Sequence[Cell], store: ArtefactStore) -> list[Result]:
        try:
            trials = self.trial(cells, store)
        except (EngineFailure, Misbehaviour, Inconclusive) as failure:
            if isinstance(failure, EngineFailure):
                if failure.kind == "output":
                    raise
                collector.current().crashed |= failure.kind == "crash"
            trials = [self.failed(cell, failure) for cell in cells]
        return [self._result(cell, trial, store) for cell, trial in zip(cells, trials, strict=True)]

    def _result(self, cell: Cell, trial: Trial, store: ArtefactStore) -> Result:
        known = {"verdict": trial.verdict, "reason": trial.reason, "signature": trial.signature}
        result = cell.result(**known) | trial.figures
        if trial.text is not None:
            small = None
            if trial.smallest is not None:
                row, failure_key = cell.row, trial.key or trial.signature
                key = (failure_key, row.compressor, row.decompressor, *self.minimised_for(row))
                small = store.once(key, trial.smallest)
            result |= evidence.kept(cell, trial.signature, trial.reason, trial.text(), small, store)
        result |= deviations.settle(cell, result, trial.explained, trial.was_met)
        if (capture := link_of(cell, store)).is_file():
            result["capture"] = store.packed(capture)
        return result


def link_of(cell: Cell, store: ArtefactStore) -> Path:
    """The capture of a cell's link, which its trial writes."""
    return store.folder_of(cell) / LINK


def fewest(items: Sequence[Item], signature_of: Callable[[list[Item]], str], signature: str) -> list[Item] | None:
    """The fewest of some items that fail with a signature; None if not even all of them do. A HeadroomError counts as
    no signature.
    """

    def shows(chosen: list[Item]) -> bool:
        try:
            return signature_of(chosen) == signature
        except HeadroomError:
            return False

    everything = list(items)
    return minimise(everything, shows) if everything and shows(everything) else None
