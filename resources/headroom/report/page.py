# SPDX-License-Identifier: Apache-2.0
"""The building blocks of a report page, as the template takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from headroom.core.contract import ReportSection
from headroom.core.text import shown


@dataclass(frozen=True)
class Link:
    """A link to another place of the page, whose identity is `to`."""

    text: str
    to: str


@dataclass
class Cell:
    """A cell of a table. `sort` is the key for sorting by the column, if that is not the text."""

    text: str
    sort: float | str | None = None
    verdict: str = ""
    code: bool = False
    details: Sequence[str | Link] = ()  # lines that fold out below the text
    anchor: str = ""  # identity of this place, as a target of links
    href: str = ""  # address of a file beside the page


@dataclass
class Column:
    title: str
    number: bool = False
    long: bool = False  # on a phone, the value gets a line of its own
    tight: bool = False  # never broken into two lines
    optional: bool = False  # left out if all its cells are empty


@dataclass
class Row:
    cells: list[Cell]
    verdict: str = ""


@dataclass
class Table:
    id: str
    columns: list[Column]
    rows: list[Row]
    caption: str = ""


@dataclass
class Part:
    """A piece of a section. `kind` is figure, table, heading, text, link (to `id`), facts, code or folded."""

    kind: str
    content: Any
    id: str = ""
    title: str = ""  # title under which the part is folded away
    style: str = ""
    filter: list[str] = field(default_factory=list)


@dataclass
class Card:
    title: str
    figure: str
    of: str


@dataclass
class Section:
    id: str
    title: str
    short: str
    intro: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)

    def go_on(self, other: Section) -> None:
        """Appends another section of the same identity; sentences that both have appear once."""
        self.intro += [line for line in other.intro if line not in self.intro]
        self.notes += [line for line in other.notes if line not in self.notes]
        self.cards += other.cards
        self.parts += other.parts

    def add(self, kind: str, content: Any, **more: Any) -> None:
        self.parts.append(Part(kind, content, **more))


@dataclass
class Page:
    title: str
    subtitle: str
    warnings: list[str]  # warnings, which stand before anything else
    verdicts: dict[str, int]
    sections: Sequence[ReportSection]
    footer: str


def cell(value: Any) -> Cell:
    """A cell made of a plain value. Numbers sort by size, missing values last."""
    if isinstance(value, Cell):
        return value
    if value is None:
        return Cell("–", "")
    if isinstance(value, bool):
        return Cell(shown(value))
    if isinstance(value, int | float):
        return Cell(shown(value), value)
    return Cell(str(value))


VERDICT_WEIGHT = {"error": 0, "fail": 1, "non-strict": 2, "unsupported": 3, "pass": 4}


def verdict_cell(verdict: str, text: str = "") -> Cell:
    """A cell for a verdict, which sorts the worst first."""
    return Cell(text or verdict, VERDICT_WEIGHT.get(verdict, 9), verdict)


def table(identity: str, columns: Sequence[Column], rows: Sequence[Sequence[Any]], caption: str = "") -> Table:
    """A table made of plain values. Filters use the verdict of a row's first verdict cell."""
    lines = [[cell(value) for value in row] for row in rows]
    columns_shown = [
        i for i, column in enumerate(columns) if not column.optional or any(_has_text(line[i]) for line in lines)
    ]
    built = [Row([line[i] for i in columns_shown], next((c.verdict for c in line if c.verdict), "")) for line in lines]
    return Table(identity, [columns[i] for i in columns_shown], built, caption)


def _has_text(cell: Cell) -> bool:
    return cell.text not in ("", "–") or bool(cell.details)
