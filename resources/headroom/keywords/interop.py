# SPDX-License-Identifier: Apache-2.0
"""Keywords about a pair of implementations: one compresses, the other decompresses."""

from collections.abc import Sequence
from typing import Any

from robot.api import SkipExecution
from robot.api.deco import keyword
from robot.libraries.BuiltIn import BuiltIn

from headroom.core import capabilities, deviations, implementations, matrix, metrics, scheme_registry
from headroom.core.matrix import ArtefactStore, Result, Row
from headroom.core.options import split_names
from headroom.core.results import collector
from headroom.core.results.record import VERDICTS
from headroom.keywords.base import current_run, library, requirements_of_case, suite_of_case


@library
class InteropKeywords:
    """Runs rows of the interop matrix. The scheme judges the cells."""

    def __init__(self) -> None:
        self.store: ArtefactStore | None = None

    @keyword("Cells Should Interwork")
    def interwork(
        self,
        *,
        compressor: str | None = None,
        decompressor: str | None = None,
        traffic: str = "",
        links: str = "",
        **axes: str,
    ) -> None:
        """Runs every kind of traffic over every link condition, with one value of each axis: `profile=0x0001 mode=O`.
        The scheme is the one that has these axes; if several have them, it is the one that the suite is named after.

        Over a harmless link, every packet comes out as it went in. Over any other link, a packet comes out unchanged or
        not at all, except for errors that the scheme's checksums are bound to miss; and most of the packets that arrive
        must come out.
        """
        run, of = current_run(), scheme_registry.of_axes(axes, suite_of_case())
        row = Row(
            of,
            compressor or run.settings.compressor,
            decompressor or run.settings.decompressor,
            matrix.row_axes(of, axes),
            split_names(traffic),
            split_names(links),
            run.seed,
            run.build,
        )
        for name in row.links:
            of.link(name)
        if self.store is None or self.store.folder != run.folder:
            self.store = ArtefactStore(run.folder)
        _note(row)
        results = matrix.run(row, self.store)
        # For a case that runs by itself, the listener does the same.
        excused = _settled(row, results) if compressor else ""
        _keep(results, self.store)
        _conclude(results, excused)


def _settled(row: Row, results: Sequence[Result]) -> str:
    """Applies a deviation that is declared for a whole row. Returns the reason why the row is unsupported; "" if it is
    not.
    """
    case = str(BuiltIn().get_variable_value("${TEST NAME}")).rpartition(": ")[2]
    declared = deviations.of_row(row, f"interop/{row.scheme.name}/{case}", requirements_of_case())
    return deviations.settle_row(results, row, declared) if declared else ""


def _conclude(results: Sequence[Result], excused: str) -> None:
    verdict, reason = matrix.verdict(results)
    if verdict == "unsupported" or (verdict == "pass" and excused):
        raise SkipExecution(excused or reason)
    if verdict in ("error", "non-strict"):
        collector.current().judge(verdict, reason)
    if verdict in ("error", "fail"):
        raise AssertionError(reason)


def _note(row: Row) -> None:
    current = collector.current()
    current.parameters |= {
        "kind": "interop",
        "scheme": row.scheme.name,
        "compressor": row.compressor,
        "decompressor": row.decompressor,
        **row.axes,
        "build": row.build,
    }
    for name, role, _ in row.sides:
        setattr(current, role, _identity(name, row.build))
    current.command = row.command()


def _identity(name: str, build: str) -> dict[str, Any]:
    """Name, version, build and digest; a reason if it takes no part in the matrix as an adapter."""
    implementation = implementations.find(name)
    by_captures = implementation.recordings and not implementation.library
    if not by_captures and (
        reason := implementation.unusable(build) or ("" if implementation.library else "a program, not an adapter")
    ):
        return {
            "name": name,
            "version": implementation.version or None,
            "build": None,
            "sha256": None,
            "reason": reason,
        }
    return capabilities.identity(implementation, build)


def _keep(results: list[Result], store: ArtefactStore) -> None:
    """Keeps cells, their files and their figures for the record."""
    current = collector.current()
    current.cells = [{**result} for result in results]
    for result in results:
        files = [("capture", result.get("capture")), ("evidence", result.get("evidence"))]
        small = result.get("minimised", {})
        files += [(f"minimised {name}", str(small.get(name, ""))) for name in ("capture", "job", "evidence")]
        current.files += [
            (store.folder / path, kind) for kind, path in files if path and (store.folder / path).is_file()
        ]
    current.files = list(dict.fromkeys(current.files))
    for verdict in VERDICTS:
        current.metric(metrics.CELLS(verdict=verdict), sum(result["verdict"] == verdict for result in results))
