# SPDX-License-Identifier: Apache-2.0
"""A paper's figures as data (reports/papers/*.yaml), and the verdict on our figures."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from headroom.core.errors import UsageError
from headroom.core.paths import PAPERS
from headroom.core.results.record import Item, Kind, Verdict
from headroom.core.yamlfile import Document, Pointer, check, read

NO_CELL = "-"  # in a table: the paper has no cell there


@dataclass(frozen=True)
class Figure:
    """A figure of a paper.

    `paper` is the printed number, None if there is none. `model` is a number that follows by calculation, from an
    equation or from other numbers of the paper; it is compared if the paper prints none. `within` is the allowed
    distance of our figure from either. `bound` is our own; `says` quotes the paper's words behind it.
    """

    id: str
    where: str
    quantity: str
    unit: str
    paper: float | None
    kind: Kind
    within: dict[str, float] = field(default_factory=dict)
    bound: dict[str, float] = field(default_factory=dict)
    better: str = ""
    if_better: Verdict = "pass"
    contradicted: str = ""  # the place where the paper contradicts this figure; then nothing can match both
    unexplained: str = ""  # a known difference of unknown cause; a missed figure has the verdict "non-strict"
    model: float | None = None
    says: str = ""
    note: str = ""

    @property
    def target(self) -> float | None:
        """The number that ours is compared with."""
        return self.paper if self.paper is not None else self.model


@dataclass(frozen=True)
class Table:
    """A table of a paper: its columns in words, and for each row its name and the figures' ids ("" for no cell)."""

    id: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Paper:
    """A publication with its figures in the order of the file, and then of the files in the folder of its name."""

    key: str
    title: str
    publisher: str
    year: int
    suite: str
    items: dict[str, Figure]
    methods: dict[str, str]
    notes: tuple[str, ...] = ()
    titles: dict[str, str] = field(default_factory=dict)  # by place
    configurations: dict[str, dict[str, Any]] = field(default_factory=dict)  # by place, if the file names any
    tables: dict[str, tuple[Table, ...]] = field(default_factory=dict)  # by place

    def of(self, where: str) -> list[Figure]:
        return [figure for figure in self.items.values() if figure.where == where]

    def places(self, names: Iterable[str]) -> tuple[str, ...]:
        """The places (tables, figures and sections) with some names. A name that is not a place stands for all places
        that begin with it, such as `Appendix H`.

        Raises UsageError for a name that stands for none.
        """
        result: list[str] = []
        for name in names:
            meant = (
                [name] if name in self.methods else [method for method in self.methods if method.startswith(f"{name} ")]
            )
            if not meant:
                raise UsageError(
                    f"No table, figure or section '{name}' of the paper {self.key} can be reproduced. There are: "
                    f"{', '.join(self.methods)}."
                )
            result += meant
        return tuple(result)


def names(folder: Path = PAPERS) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.yaml"))


def find(key: str, folder: Path = PAPERS) -> Paper:
    if key not in names(folder):
        raise UsageError(f"There is no paper '{key}'. Known: {', '.join(names(folder))}.")
    return load(key, folder)


@lru_cache(maxsize=8)
def load(key: str, folder: Path = PAPERS) -> Paper:
    """Reads a paper. Raises UsageError with file and line if the YAML is not valid."""
    document = check(read(folder / f"{key}.yaml"), "paper")
    parts = [document, *(check(read(path), "paper") for path in sorted((folder / key).glob("*.yaml")))]
    data = document.data
    items: dict[str, Figure] = {}
    tables: dict[str, tuple[Table, ...]] = {}
    places: list[dict[str, Any]] = []
    for part in parts:
        if part is not document and part.data.get("part_of") != key:
            raise UsageError(part.complaint(("part_of",), f"it lies in the folder of the paper {key}"))
        for number, place in enumerate(part.data["places"]):
            if any(place["where"] == other["where"] for other in places):
                raise UsageError(part.complaint(("places", number, "where"), f"'{place['where']}' stands twice"))
            places.append(place)
            for pointer, figure in _figures(part, number, place, data.get("columns", {})):
                if figure.id in items:
                    raise UsageError(part.complaint(pointer, f"'{figure.id}' stands twice"))
                items[figure.id] = figure
            tables[place["where"]] = tuple(_table(table, data["columns"]) for table in place.get("tables", ()))
    return Paper(
        key=data["key"],
        title=data["title"],
        publisher=data["publisher"],
        year=data["year"],
        suite=data["suite"],
        items=items,
        methods={place["where"]: place.get("method", "") for place in places},
        notes=tuple(data.get("notes", ())),
        titles={place["where"]: place["title"] for place in places},
        configurations={place["where"]: place["configuration"] for place in places if "configuration" in place},
        tables=tables,
    )


def _figures(
    document: Document, number: int, place: dict[str, Any], columns: dict[str, Any]
) -> Iterator[tuple[Pointer, Figure]]:
    """The figures of a place, those of its tables first, each with its pointer in the file."""
    for index, table in enumerate(place.get("tables", ())):
        here: Pointer = ("places", number, "tables", index)
        if unknown := set(table.get("unexplained", ())) - {row[0] for row in table["rows"]}:
            sentence = f"there is no row {', '.join(sorted(unknown))}"
            raise UsageError(document.complaint((*here, "unexplained"), sentence))
        for column, name in enumerate(table["columns"]):
            if name not in columns:
                raise UsageError(document.complaint((*here, "columns", column), f"no column '{name}' is explained"))
        for line, row in enumerate(table["rows"]):
            if len(row) != 1 + len(table["columns"]):
                sentence = f"{len(row) - 1} values for {len(table['columns'])} columns"
                raise UsageError(document.complaint((*here, "rows", line), sentence))
            for name, value in zip(table["columns"], row[1:], strict=True):
                if value == NO_CELL:
                    continue
                cell = columns[name]
                quantity = f"{row[0]}: {cell['quantity']}"
                more = {key: cell[key] for key in cell if key != "quantity"}
                more["contradicted"] = table.get("contradicted", "")
                more["unexplained"] = table.get("unexplained", {}).get(row[0], "")
                identity = cell_id(table["id"], row[0], name)
                figure = Figure(id=identity, where=place["where"], quantity=quantity, paper=value, **more)
                yield (*here, "rows", line), figure
    for index, entry in enumerate(place.get("items", ())):
        yield ("places", number, "items", index, "id"), Figure(where=place["where"], **entry)


def _table(table: dict[str, Any], columns: dict[str, Any]) -> Table:
    titles = tuple(f"{columns[name]['quantity']}, {columns[name]['unit']}" for name in table["columns"])
    rows = tuple(
        (
            row[0],
            tuple(
                "" if value == NO_CELL else cell_id(table["id"], row[0], name)
                for name, value in zip(table["columns"], row[1:], strict=True)
            ),
        )
        for row in table["rows"]
    )
    return Table(table["id"], titles, rows)


def cell_id(table: str, row: str, column: str) -> str:
    """The identity of a cell: of table, row and column."""
    return f"{table}.{re.sub(r'[^a-z0-9]+', '-', row.lower()).strip('-')}.{column}"


def beside(
    figure: Figure,
    measured: float | None,
    spread: float | None = None,
    runs: int | None = None,
    note: str = "",
    missing: Verdict | None = "unsupported",
) -> Item:
    """Our figure beside the paper's. `missing` is the verdict if there is no measured value; `note` is then the
    reason.
    """
    verdict, remark = (missing, "") if measured is None else judge(figure, measured, spread, runs)
    return Item(
        where=figure.where,
        quantity=figure.quantity,
        unit=figure.unit,
        paper=figure.paper,
        measured=measured,
        kind=figure.kind,
        verdict=verdict,
        id=figure.id,
        spread=spread,
        runs=runs,
        model=figure.model,
        expected=_words(figure.bound),
        says=figure.says,
        note="; ".join(filter(None, (figure.note, remark, note))),
    )


def judge(figure: Figure, measured: float, spread: float | None, runs: int | None) -> tuple[Verdict | None, str]:
    """Verdict and remark.

    A figure that must match and does not is a failure. Non-strict are a missed shape, a figure that the paper itself
    contradicts, and a difference that is declared as unexplained. A figure that is better than the paper by more than
    the limit is judged by `if_better`. Context has no verdict, nor has a figure without a number or a bound to compare
    with.
    """
    if figure.kind == "context":
        return None, ""
    known = figure.contradicted or figure.unexplained
    missed: Verdict = "fail" if figure.kind == "must-match" and not known else "non-strict"
    if figure.bound:
        low, high = figure.bound.get("at_least", -math.inf), figure.bound.get("at_most", math.inf)
        return ("pass", "") if low <= measured <= high else (missed, f"expected {_words(figure.bound)}")
    if figure.target is None:
        return None, ""
    away = measured - figure.target
    limit, limit_text = _limit(figure, spread, runs)
    if abs(away) <= limit:
        return "pass", ""
    if figure.better and (away > 0) == (figure.better == "higher"):
        return figure.if_better, f"better than {_whose(figure)} by more than {limit_text}"
    otherwise = f", which says otherwise in {figure.contradicted}" if figure.contradicted else ""
    unexplained = f"; {figure.unexplained}" if figure.unexplained else ""
    return missed, f"further than {limit_text} from {_whose(figure)}{otherwise}{unexplained}"


def _whose(figure: Figure) -> str:
    return "the paper" if figure.paper is not None else "the model"


def _limit(figure: Figure, spread: float | None, runs: int | None) -> tuple[float, str]:
    """The distance at which ours still agrees, in the figure's unit, and its words.

    Exact allows only for the rounding of floats.
    """
    assert figure.target is not None
    if "distance" in figure.within:
        return figure.within["distance"] + 1e-9, f"{figure.within['distance']:g} {figure.unit}"
    if "share" in figure.within:
        return figure.within["share"] * abs(figure.target), f"{figure.within['share']:.0%}".replace("%", " %")
    if "deviations" in figure.within:
        # The paper's value is one run, ours the mean of `runs`: the limit combines both spreads.
        count = figure.within["deviations"]
        return count * (spread or 0.0) * math.sqrt(1 + 1 / max(runs or 1, 1)), f"{count:g} standard deviations of a run"
    return 1e-9 * max(1.0, abs(figure.target)), "nothing (it must be exact)"


def _words(bound: dict[str, Any]) -> str:
    return " and ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in bound.items())
