# SPDX-License-Identifier: Apache-2.0
"""The interop matrix as one HTML file beside the report. It needs no network; captures and decodes are linked files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headroom.core.contract import CellTitles, Scheme
from headroom.core.errors import disk_error
from headroom.core.results.record import VERDICTS
from headroom.core.results.store import write_atomically
from headroom.report import matrix_data, template
from headroom.report.data import Records

# A sign for each verdict, beside its word, which can be told apart without colour.
SIGNS = {"pass": "✓", "non-strict": "~", "fail": "✗", "unsupported": "–", "error": "!"}


def write(records: Records, target: Path, run_folder: Path) -> Path:
    """Writes the page of some records. Raises EnvironmentLacks if it cannot be written."""
    try:
        write_atomically(target, render(records, run_folder).encode())
    except OSError as error:
        raise disk_error(
            error, f"writing the matrix {target}", False, f"say ./headroom report {run_folder.name}"
        ) from error
    return target


def render(records: Records, run_folder: Path) -> str:
    """The page as HTML text."""
    cells = matrix_data.cells(records)
    harness = records[-1]["harness"]
    counts = {word: sum(cell["verdict"] == word for cell in cells) for word in VERDICTS}
    parts = [Part.of(scheme, mine) for scheme, mine in matrix_data.by_scheme(cells)]
    return template.render(
        "interop.html.j2",
        css=["report.css", "interop.css"],
        js="interop.js",
        run=run_folder.name,
        cpu=records[-1]["environment"].get("cpu_model") or "unknown processor",
        version=f"Headroom {harness['version']}, commit {(harness['commit'] or 'unknown')[:12]}",
        signs=SIGNS,
        counts={word: count for word, count in counts.items() if count},
        verdicts={word: word for word, count in counts.items() if count},
        parts=parts,
        groups=matrix_data.groups(cells),
        rows=matrix_data.without_cells(records),
        filters=_filters(parts),
        implementations=_implementations(records),
    )


@dataclass(frozen=True)
class Part:
    """The part of the page about one scheme."""

    scheme: Scheme
    titles: CellTitles
    pairs: list[matrix_data.Pair]
    links: dict[str, str]  # titles by name
    timed: bool

    @classmethod
    def of(cls, scheme: Scheme, cells: list[matrix_data.Cell]) -> Part:
        pairs = matrix_data.by_pair(scheme, cells)
        titles = {link.name: link.title for link in scheme.links}
        links = {name: titles.get(name, name) for name in matrix_data.links(scheme, pairs)}
        return cls(scheme, scheme.cells().titles, pairs, links, any(cell["ns_per_packet"] for cell in cells))

    def names(self, side: str) -> list[str]:
        return list(dict.fromkeys(getattr(pair, side) for pair in self.pairs))

    def pair(self, compressor: str, decompressor: str) -> matrix_data.Pair | None:
        return next((p for p in self.pairs if (p.compressor, p.decompressor) == (compressor, decompressor)), None)

    def size(self, cell: matrix_data.Cell) -> str:
        """Octets on the link, as text for a cell; "" if they are not known."""
        octets = cell.get(self.titles.size)
        return "" if octets is None else format(octets, self.titles.size_format)


def _filters(parts: list[Part]) -> list[dict[str, Any]]:
    """The choices of the page's filters: each axis with its values, and the links. A choice that several schemes share
    appears once.
    """
    by_axis: dict[str, dict[str, Any]] = {}
    for part in parts:
        for axis in part.scheme.axes:
            shown = {line.axes[axis.name] for pair in part.pairs for line in pair.lines}
            values = {name: axis.title_of(name) for name in axis.names if name in shown}
            choice = by_axis.setdefault(axis.name, {"name": axis.name, "title": axis.title, "values": {}})
            choice["values"] |= values | {name: name for name in sorted(shown - {*values})}
    links = {name: title for part in parts for name, title in part.links.items()}
    return [
        *(choice_of_axis for choice_of_axis in by_axis.values() if len(choice_of_axis["values"]) > 1),
        {"name": "link", "title": "Link", "values": links},
    ]


def _implementations(records: Records) -> list[dict[str, Any]]:
    implementations: dict[str, dict[str, Any]] = {}
    for record in records:
        for role in ("compressor", "decompressor"):
            if record[role]:
                implementations.setdefault(record[role]["name"], record[role])
    return list(implementations.values())
