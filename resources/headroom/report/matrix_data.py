# SPDX-License-Identifier: Apache-2.0
"""What the interop page and the terminal show of cells, taken out of result records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from headroom.core.results.record import VERDICTS, worst

Cell = dict[str, Any]
SCHEMES = {"rohc": "ROHC", "sigcomp": "SigComp"}
ORDER = {"error": 0, "fail": 1, "non-strict": 2, "unsupported": 3, "pass": 4}


def cells(records: Iterable[dict[str, Any]]) -> list[Cell]:
    """All cells of some records, in order, each with the name of its record's run."""
    return [cell for record in records for cell in record.get("cells", ())]


def by_scheme(found: Iterable[Cell]) -> dict[str, list[Cell]]:
    """Cells by scheme. ROHC's do not name it."""
    result: dict[str, list[Cell]] = {}
    for cell in found:
        result.setdefault(cell.get("scheme", "rohc"), []).append(cell)
    return {scheme: result[scheme] for scheme in SCHEMES if scheme in result}


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
    """What did not pass, by signature; the worst and most frequent first."""
    result: dict[str, Group] = {}
    for cell in found:
        if not cell["signature"]:
            continue
        group = result.setdefault(cell["signature"], Group(cell["signature"], cell["verdict"]))
        group.cells.append(cell)
        if ORDER[cell["verdict"]] < ORDER[group.verdict]:
            group.verdict = cell["verdict"]
    return sorted(result.values(), key=lambda group: (ORDER[group.verdict], -len(group.cells)))


@dataclass
class Line:
    """A line of a pair's table: one profile, mode, CID type and kind of traffic, over every link."""

    profile: str
    mode: str
    cids: str
    traffic: str
    by_link: dict[str, Cell] = field(default_factory=dict)

    @property
    def header(self) -> float | None:
        """Octets of header over the link without harm, else over the first there is."""
        measured = [cell["header_bytes"] for cell in self._clean_first() if cell["header_bytes"] is not None]
        return measured[0] if measured else None

    def ns(self, side: str) -> float | None:
        """Median over the cells of the time of a call, ns."""
        times = [(cell["ns_per_packet"] or {}).get(side) for cell in self.by_link.values()]
        known = [time for time in times if time is not None]
        return median(known) if known else None

    def _clean_first(self) -> list[Cell]:
        return sorted(self.by_link.values(), key=lambda cell: cell["link"] != "clean")


@dataclass
class Pair:
    """One compressor with one decompressor: its lines, and what nobody can be asked for."""

    compressor: str
    decompressor: str
    counts: dict[str, int]
    lines: list[Line] = field(default_factory=list)
    undeclared: dict[str, int] = field(default_factory=dict)  # cells by reason

    @property
    def verdict(self) -> str:
        """Of those that could be asked for the worst."""
        return worst([word for word, count in self.counts.items() if count])  # type: ignore[misc]


def by_pair(found: list[Cell]) -> list[Pair]:
    """The matrix, pair by pair. Lines of which every cell is unsupported for the same reason become one sentence."""
    result = []
    for (compressor, decompressor), counts in pairs(found).items():
        pair = Pair(compressor, decompressor, counts)
        lines: dict[tuple[str, ...], Line] = {}
        for cell in found:
            if (cell["compressor"], cell["decompressor"]) != (compressor, decompressor):
                continue
            key = (cell["profile"], cell["mode"], cell["cids"], cell["traffic"])
            lines.setdefault(key, Line(*key)).by_link[cell["link"]] = cell
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


def links(found: list[Cell]) -> list[str]:
    """Link conditions in the order of the matrix."""
    return list(dict.fromkeys(cell["link"] for cell in sorted(found, key=_place)))


def _place(cell: Cell) -> tuple[int, str]:
    from headroom.schemes.rohc.interop import links
    from headroom.schemes.sigcomp.interop import call_cells

    known = list(call_cells.LINK_NAMES) if cell.get("scheme") == "sigcomp" else links.names()
    return (known.index(cell["link"]) if cell["link"] in known else len(known), cell["link"])
