# SPDX-License-Identifier: Apache-2.0
"""Simulations of Appendix B of the TAROC draft (2000): its tables, measured again.

reports/papers/taroc-2000.yaml has the figures and the methods. One set of settings serves every cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Any

from headroom.bench import transfer
from headroom.bench.transfer import Control, TransferConfig, TransferResult
from headroom.core import capabilities
from headroom.core.papers.measured import PaperMeasurement
from headroom.core.papers.paper import Figure, Paper, beside
from headroom.core.results.record import Item, Series
from headroom.core.run.run import Run

MTUS = {
    1e-7: 576,
    3e-7: 576,
    1e-6: 576,
    3e-6: 576,
    1e-5: 296,
    3e-5: 296,
    1e-4: 168,
    3e-4: 96,
    1e-3: 96,
}  # octets, by bit error rate (Appendix B.3)
ORDERED_UP_TO = 3e-4  # bit error rate; above it nearly nothing arrives
WORST = 1e-3
STANDARD_ERROR = 0.01  # at most, up to there
WARM_UP_S = 60  # the first timeout is 6 s, and slow start from it


@dataclass(frozen=True)
class Table:
    """A table of the draft: one link and one sender."""

    rate_bps: int
    control: Control


TABLES = {
    "Appendix B.3.1": Table(384_000, "tahoe"),
    "Appendix B.3.2": Table(114_000, "sack"),
    "Appendix B.3.3": Table(64_000, "reno"),
    "Appendix B.3.4": Table(9_600, "sack"),
}


@dataclass(frozen=True)
class Column:
    """The method of a column: `header`, octets that a compressed header is taken to have (None: what it really has),
    and the `scheme` of the codec (empty: sizes alone pass) with more of its `config`. `compressor` and `decompressor`
    are options of the reference, which other implementations do not know. `standard_error` is the one wanted, a share
    of the throughput: gains of TAROC and IDEAL are compared within 2 points, and sizes alone cost little."""

    header: int | None = None
    scheme: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    compressor: Mapping[str, Any] = field(default_factory=dict)
    decompressor: Mapping[str, Any] = field(default_factory=dict)
    standard_error: float = STANDARD_ERROR

    @property
    def has_noisy_feedback(self) -> bool:
        """True for schemes with feedback, which goes over a link with errors (Appendix B.2)."""
        return self.scheme in ("iphc", "rohc")


WITHOUT_TWICE = {"repair": "verify"}  # "employs RFC2507 on the wireless link, but without TWICE algorithm" (B.2)
COLUMNS = {
    "none": Column(standard_error=0.003),
    "vjhc": Column(4, "vj"),
    "iphc": Column(5, "iphc", decompressor=WITHOUT_TWICE),
    "taroc": Column(7, "taroc", standard_error=0.006),
    "ideal": Column(4, standard_error=0.003),
}
ROHC_TCP = {"profiles": ["0x0000", "0x0006"], "mode": "O"}
# Not in the draft: headers as long as they are, IPHC with TWICE, TAROC that sends the third transmission of a segment
# uncompressed, and ROHC-TCP.
MORE_COLUMNS = {
    "vjhc-real": Column(None, "vj"),
    "iphc-real": Column(None, "iphc", decompressor=WITHOUT_TWICE),
    "iphc-twice": Column(5, "iphc"),
    "taroc-real": Column(None, "taroc"),
    "rohc-tcp-real": Column(None, "rohc", ROHC_TCP),
    "taroc-rescue": Column(7, "taroc", compressor={"rescue": True}),
}

Cell = tuple[float, str]  # bit error rate, column


def _place(figure: Figure) -> tuple[Cell, bool]:
    """Cell of a figure, and whether it is a gain: b-3-1.low.ber-1e-7.gain-vjhc-low is 1e-7, vjhc, True."""
    _, group, row, column = figure.id.split(".")
    column = column.removesuffix(f"-{group}")
    return (float(row.removeprefix("ber-")), column.removeprefix("gain-")), column.startswith("gain-")


def _is_cell(figure: Figure) -> bool:
    return ".ber-" in figure.id


def _reason_against(run: Run, name: str) -> str:
    """Returns the reason for which a column is not measured, "" if it is."""
    if run.quick and name in MORE_COLUMNS:
        return "--quick leaves it out"
    column = (COLUMNS | MORE_COLUMNS)[name]
    if not column.scheme:
        return ""
    reasons = (result.lacks(role, column.scheme) for role, result in run.sides)
    reason = next(filter(None, reasons), "")
    if reason:
        return reason
    for role, implementation in run.sides:
        if (options := {**column.config, **getattr(column, role)}) and implementation.name != "reference":
            return f"{', '.join(options)} is asked of the reference alone"
    return ""


def _standard_error(ber: float, column: Column, quick: bool) -> float:
    """Wanted standard error, a share of the throughput. Where nearly nothing arrives, the draft prints one digit, and
    one rate below gains are compared within 9 points or more."""
    if ber > ORDERED_UP_TO:
        return 0.1 if quick else 0.05
    wanted = column.standard_error if ber < ORDERED_UP_TO else STANDARD_ERROR
    return 3 * wanted if quick else wanted


def _config(run: Run, table: Table, cell: Cell) -> TransferConfig:
    ber, name = cell
    column, codec = (COLUMNS | MORE_COLUMNS)[name], None
    if column.scheme:
        config = {"scheme": column.scheme, **column.config}
        codec = {
            "compressor": capabilities.adapter(run.compressor, run.build, config, dict(column.compressor)),
            "decompressor": capabilities.adapter(run.decompressor, run.build, config, dict(column.decompressor)),
        }
    return TransferConfig(
        control=table.control,
        rate_bps=table.rate_bps,
        mtu=MTUS[ber],
        ber=ber,
        codec=codec,
        reverse_codec=codec,
        compressed_header=column.header,
        feedback_ber=ber if column.has_noisy_feedback else 0.0,
        warm_up_seconds=WARM_UP_S,
        seconds=500 if run.quick else 1_500,
        fewest=3 if run.quick else 4,
        most=400,
        standard_error=_standard_error(ber, column, run.quick),
        seed=run.seed,
    )


@cache
def _measured(run: Run, table: Table, cells: tuple[Cell, ...]) -> dict[Cell, TransferResult]:
    cells = tuple(reversed(cells))  # many bit errors take many batches: long ones first
    return dict(zip(cells, transfer.measure([_config(run, table, cell) for cell in cells], run.build), strict=True))


def gain(results: Mapping[Cell, TransferResult], cell: Cell) -> float | None:
    """Improvement on NONE, %; None where NONE or the cell has no throughput."""
    ber, _ = cell
    if cell not in results or not (none := results[ber, "none"].throughput):
        return None
    return 100 * (results[cell].throughput / none - 1)


def _item(figure: Figure, results: Mapping[Cell, TransferResult], reasons: Mapping[str, str]) -> Item:
    cell, is_gain = _place(figure)
    if cell not in results:
        return beside(figure, None, note=reasons[cell[1]], missing="unsupported" if cell[1] in COLUMNS else None)
    result = results[cell]
    if is_gain:
        return beside(figure, gain(results, cell))
    known = "unknown" if result.standard_error is None else f"{100 * result.standard_error:.1f} %"
    note = f"standard error {known} of {result.batches} batches"
    if cell[1] in MORE_COLUMNS:
        note += f"; {result.header_octets:.1f} octets of header"
    return beside(figure, result.throughput, note=note)


def rows_in_order(figures: Iterable[Figure], results: Mapping[Cell, TransferResult]) -> int:
    """Rows up to ORDERED_UP_TO in which no two schemes stand the other way round than in the draft, by more than two
    standard errors of their difference."""
    printed: dict[Cell, float] = {}
    for figure in figures:
        if _is_cell(figure) and figure.paper is not None:
            cell, is_gain = _place(figure)
            if not is_gain:
                printed[cell] = figure.paper

    def is_reversed(pair: Cell, other: Cell) -> bool:
        worse, better = sorted((pair, other), key=lambda cell: printed[cell])
        errors = (results[cell].throughput * (results[cell].standard_error or 0.0) for cell in (worse, better))
        return results[worse].throughput - results[better].throughput > 2 * math.hypot(*errors)

    rows = [[(ber, name) for name in COLUMNS if (ber, name) in printed] for ber in MTUS if ber <= ORDERED_UP_TO]
    return sum(bool(row) and not any(is_reversed(*pair) for pair in combinations(row, 2)) for row in rows)


def _summary(figure: Figure, figures: list[Figure], results: Mapping[Cell, TransferResult]) -> Item:
    """A figure of a whole table: b-3-1.order, b-3-1.taroc-to-none."""
    name = figure.id.rpartition(".")[2]
    if name == "order":
        return beside(figure, float(rows_in_order(figures, results)))
    scheme, _, _ = name.partition("-")
    none = results[WORST, "none"].throughput
    if not none:
        return beside(figure, None, note="nothing arrived with NONE")
    return beside(figure, results[WORST, scheme].throughput / none)


def _series(key: str, results: Mapping[Cell, TransferResult]) -> list[Series]:
    series = []
    for name in COLUMNS:
        cells = [(ber, name) for ber in MTUS if (ber, name) in results]
        throughput = [{"x": ber, "y": results[ber, name].throughput} for ber, _ in cells]
        gains = [
            {"x": ber, "y": value}
            for ber, _ in cells
            if ber <= ORDERED_UP_TO and (value := gain(results, (ber, name))) is not None
        ]
        for kind, unit, points in (("throughput", "octets/s", throughput), ("gain", "%", gains)):
            if points:
                series.append(Series(f"{kind}_{key}", "bit error rate", kind, "", unit, points, name.upper()))
    return series


def measure_table(where: str, paper: Paper, run: Run) -> PaperMeasurement:
    """Measures the cells of a table that the implementations can, and the columns that the draft lacks."""
    figures = paper.of(where)
    wanted = dict.fromkeys(_place(figure)[0] for figure in figures if _is_cell(figure))
    reasons = {name: reason for name in COLUMNS | MORE_COLUMNS if (reason := _reason_against(run, name))}
    results = _measured(run, TABLES[where], tuple(cell for cell in wanted if cell[1] not in reasons))
    items = [
        _item(figure, results, reasons) if _is_cell(figure) else _summary(figure, figures, results)
        for figure in figures
        if _is_cell(figure) or not reasons.keys() & COLUMNS
    ]
    return PaperMeasurement(items, _series(where.rpartition(".")[2], results))


def measure(paper: Paper, places: tuple[str, ...], run: Run) -> PaperMeasurement:
    """Measures places of the draft."""
    measured = PaperMeasurement()
    for where in places:
        table = measure_table(where, paper, run)
        measured.items += table.items
        measured.series += table.series
    return measured
