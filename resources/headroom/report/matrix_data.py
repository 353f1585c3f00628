# SPDX-License-Identifier: Apache-2.0
"""Data of cells for the interop page and the terminal, from result records."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from headroom.core import implementations, matrix
from headroom.core.contract import Scheme
from headroom.core.results.record import VERDICTS, worst
from headroom.core.scheme_registry import find

Cell = dict[str, Any]
SIDES = ("compressor", "decompressor")
BROKEN = ("error", "fail")
ROWS = "interop/"  # how the identities of rows begin
ORDER = {"error": 0, "fail": 1, "non-strict": 2, "unsupported": 3, "pass": 4}


def cells(records: Iterable[dict[str, Any]]) -> list[Cell]:
    """All cells of some records, in order, each with its scheme, and with implementations by name instead of path.
    Raises UsageError if another version made one of them.
    """
    pairs_of_cells = [(record, cell) for record in records for cell in record.get("cells", ())]
    names = implementations.short_names(
        {
            cell[side]: (record.get(side) or {}).get("name") or cell[side]
            for record, cell in pairs_of_cells
            for side in SIDES
        }
    )
    return [
        {**cell, **{side: names[cell[side]] for side in SIDES}, "scheme": matrix.scheme_of_result(cell).name}
        for _, cell in pairs_of_cells
    ]


def without_cells(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of the matrix that ended before their first cell: they have a verdict of their own, which no cell tells."""
    return [
        record
        for record in records
        if record["verdict"] in BROKEN and not record.get("cells") and record["test"]["id"].startswith(ROWS)
    ]


def by_scheme(cells: Iterable[Cell]) -> list[tuple[Scheme, list[Cell]]]:
    """Cells by scheme, in the order of their names."""
    result: dict[str, list[Cell]] = {}
    for cell in cells:
        result.setdefault(cell["scheme"], []).append(cell)
    return [(find(name), result[name]) for name in sorted(result)]


def pairs(cells: list[Cell]) -> dict[tuple[str, str], dict[str, int]]:
    """Cells by verdict for each compressor and decompressor."""
    result: dict[tuple[str, str], dict[str, int]] = {}
    for cell in cells:
        counts = result.setdefault((cell["compressor"], cell["decompressor"]), dict.fromkeys(VERDICTS, 0))
        counts[cell["verdict"]] += 1
    return result


@dataclass
class Group:
    """Cells that failed in the same way."""

    scheme: Scheme
    signature: str
    verdict: str  # verdict of the worst cell
    cells: list[Cell] = field(default_factory=list)

    def words(self, name: str) -> list[str]:
        return list(dict.fromkeys(str(cell[name]) for cell in self.cells))

    @property
    def pairs(self) -> list[str]:
        return list(dict.fromkeys(f"{cell['compressor']} → {cell['decompressor']}" for cell in self.cells))

    @property
    def example(self) -> Cell:
        """The cell with the fewest packets that show the failure; else the first."""
        small = [cell for cell in self.cells if cell.get("minimised")]
        return min(small, key=lambda cell: cell["minimised"]["packets"], default=self.cells[0])


def groups(cells: list[Cell]) -> list[Group]:
    """Failures by scheme and signature, the worst and most frequent first."""
    result: dict[tuple[str, str], Group] = {}
    for cell in cells:
        if not cell["signature"]:
            continue
        key = (cell["scheme"], cell["signature"])
        group = result.setdefault(key, Group(find(cell["scheme"]), cell["signature"], cell["verdict"]))
        group.cells.append(cell)
        if ORDER[cell["verdict"]] < ORDER[group.verdict]:
            group.verdict = cell["verdict"]
    return sorted(result.values(), key=lambda group: (ORDER[group.verdict], -len(group.cells)))


@dataclass
class Line:
    """A line of a pair's table: one value of each axis and one kind of traffic, over every link."""

    axes: dict[str, str]
    traffic: str
    by_link: dict[str, Cell] = field(default_factory=dict)

    def ns(self, side: str) -> float | None:
        """Median over the cells of the time of a call, ns."""
        times = [(cell["ns_per_packet"] or {}).get(side) for cell in self.by_link.values()]
        known = [time for time in times if time is not None]
        return median(known) if known else None


@dataclass
class Pair:
    """A compressor with a decompressor: its lines, and its unsupported cells."""

    compressor: str
    decompressor: str
    counts: dict[str, int]
    lines: list[Line] = field(default_factory=list)
    undeclared: dict[str, int] = field(default_factory=dict)  # cells by reason

    @property
    def verdict(self) -> str:
        """The worst verdict of the supported cells."""
        return worst([word for word, count in self.counts.items() if count])  # type: ignore[misc]


def by_pair(scheme: Scheme, cells: list[Cell]) -> list[Pair]:
    """The cells of a scheme by pair. Lines with only cells that are unsupported for the same reason become one
    sentence.
    """
    result = []
    for (compressor, decompressor), counts in pairs(cells).items():
        pair = Pair(compressor, decompressor, counts)
        lines: dict[tuple[str, ...], Line] = {}
        for cell in cells:
            if (cell["compressor"], cell["decompressor"]) != (compressor, decompressor):
                continue
            axes = {axis.name: str(cell[axis.name]) for axis in scheme.axes}
            line = lines.setdefault((*axes.values(), cell["traffic"]), Line(axes, cell["traffic"]))
            line.by_link[cell["link"]] = cell
        for line in lines.values():
            reasons = {cell["reason"] for cell in line.by_link.values() if cell["verdict"] == "unsupported"}
            all_of_them = all(cell["verdict"] == "unsupported" for cell in line.by_link.values())
            if all_of_them and len(reasons) == 1 and not any(cell["signature"] for cell in line.by_link.values()):
                reason = reasons.pop()
                pair.undeclared[reason] = pair.undeclared.get(reason, 0) + len(line.by_link)
            else:
                pair.lines.append(line)
        result.append(pair)
    return result


def links(scheme: Scheme, shown: Iterable[Pair]) -> list[str]:
    """The link conditions of the lines that are shown, in the order of the matrix."""
    used = {link for pair in shown for line in pair.lines for link in line.by_link}
    known = [link.name for link in scheme.links]
    return [*(name for name in known if name in used), *sorted(used - {*known})]
