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
ORDER = {"error": 0, "fail": 1, "non-strict": 2, "unsupported": 3, "pass": 4}


def cells(records: Iterable[dict[str, Any]]) -> list[Cell]:
    """All cells of some records, in order, each with its scheme, and implementations by name rather than by path.
    Raises UsageError where another version made one."""
    found = [(record, cell) for record in records for cell in record.get("cells", ())]
    names = implementations.short_names(
        {cell[side]: (record.get(side) or {}).get("name") or cell[side] for record, cell in found for side in SIDES}
    )
    return [
        {**cell, **{side: names[cell[side]] for side in SIDES}, "scheme": matrix.scheme_of_result(cell).name}
        for _, cell in found
    ]


def by_scheme(found: Iterable[Cell]) -> list[tuple[Scheme, list[Cell]]]:
    """Cells by scheme, in the order of their names."""
    result: dict[str, list[Cell]] = {}
    for cell in found:
        result.setdefault(cell["scheme"], []).append(cell)
    return [(find(name), result[name]) for name in sorted(result)]


def pairs(found: list[Cell]) -> dict[tuple[str, str], dict[str, int]]:
    """Cells by verdict for each compressor and decompressor."""
    result: dict[tuple[str, str], dict[str, int]] = {}
    for cell in found:
        counts = result.setdefault((cell["compressor"], cell["decompressor"]), dict.fromkeys(VERDICTS, 0))
        counts[cell["verdict"]] += 1
    return result


@dataclass
class Group:
    """Cells in which the same went wrong."""

    scheme: Scheme
    signature: str
    verdict: str  # the worst
    cells: list[Cell] = field(default_factory=list)

    def words(self, name: str) -> list[str]:
        return list(dict.fromkeys(str(cell[name]) for cell in self.cells))

    @property
    def pairs(self) -> list[str]:
        return list(dict.fromkeys(f"{cell['compressor']} → {cell['decompressor']}" for cell in self.cells))

    @property
    def example(self) -> Cell:
        """The cell with the fewest packets that show it; else the first."""
        small = [cell for cell in self.cells if cell.get("minimised")]
        return min(small, key=lambda cell: cell["minimised"]["packets"], default=self.cells[0])


def groups(found: list[Cell]) -> list[Group]:
    """Failures by scheme and signature; the worst and most frequent first."""
    result: dict[tuple[str, str], Group] = {}
    for cell in found:
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
    """One compressor with one decompressor: its lines, and what is unsupported."""

    compressor: str
    decompressor: str
    counts: dict[str, int]
    lines: list[Line] = field(default_factory=list)
    undeclared: dict[str, int] = field(default_factory=dict)  # cells by reason

    @property
    def verdict(self) -> str:
        """The worst of those that are supported."""
        return worst([word for word, count in self.counts.items() if count])  # type: ignore[misc]


def by_pair(scheme: Scheme, found: list[Cell]) -> list[Pair]:
    """The cells of a scheme, pair by pair. Lines of which every cell is unsupported for the same reason become one
    sentence."""
    result = []
    for (compressor, decompressor), counts in pairs(found).items():
        pair = Pair(compressor, decompressor, counts)
        lines: dict[tuple[str, ...], Line] = {}
        for cell in found:
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
    """The link conditions of lines that are shown, in the order of the matrix."""
    found = {link for pair in shown for line in pair.lines for link in line.by_link}
    known = [one.name for one in scheme.links]
    return [*(name for name in known if name in found), *sorted(found - {*known})]
