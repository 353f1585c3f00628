# SPDX-License-Identifier: Apache-2.0
"""A paper's figures as data (reports/papers/*.yaml), and the verdict on ours beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headroom.errors import UsageError
from headroom.paths import PAPERS
from headroom.results.record import Item, Kind, Verdict
from headroom.yamlfile import check, read


@dataclass(frozen=True)
class Figure:
    """One figure of a paper. `within` says how close ours must come, `bound` what the paper says in words."""

    id: str
    where: str
    quantity: str
    unit: str
    paper: float | None
    kind: Kind
    within: dict[str, float] = field(default_factory=dict)
    bound: dict[str, float] = field(default_factory=dict)
    better: str = ""
    note: str = ""


@dataclass(frozen=True)
class Paper:
    """A publication with its figures in the order of the file."""

    key: str
    title: str
    publisher: str
    year: int
    suite: str
    items: dict[str, Figure]
    methods: dict[str, str]
    notes: tuple[str, ...] = ()

    def of(self, where: str) -> list[Figure]:
        return [figure for figure in self.items.values() if figure.where == where]


def names(folder: Path = PAPERS) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.yaml"))


def find(key: str, folder: Path = PAPERS) -> Paper:
    if key not in names(folder):
        raise UsageError(f"There is no paper '{key}'. Known: {', '.join(names(folder))}.")
    return load(key, folder)


def load(key: str, folder: Path = PAPERS) -> Paper:
    """Reads a paper. Raises UsageError with file and line when the YAML is not valid."""
    document = check(read(folder / f"{key}.yaml"), "paper")
    data = document.data
    items: dict[str, Figure] = {}
    for number, place in enumerate(data["places"]):
        for index, entry in enumerate(place["items"]):
            if entry["id"] in items:
                pointer = ("places", number, "items", index, "id")
                raise UsageError(document.complaint(pointer, f"'{entry['id']}' stands twice"))
            items[entry["id"]] = Figure(where=place["where"], **entry)
    return Paper(
        key=data["key"],
        title=data["title"],
        publisher=data["publisher"],
        year=data["year"],
        suite=data["suite"],
        items=items,
        methods={place["where"]: place.get("method", "") for place in data["places"]},
        notes=tuple(data.get("notes", ())),
    )


def beside(
    figure: Figure,
    measured: float | None,
    spread: float | None = None,
    runs: int | None = None,
    note: str = "",
    missing: Verdict = "unsupported",
) -> Item:
    """Ours beside the paper's. `missing` is the verdict when there is no measured value; `note` then says why."""
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
        note="; ".join(filter(None, (figure.note, remark, note))),
    )


def judge(figure: Figure, measured: float, spread: float | None, runs: int | None) -> tuple[Verdict, str]:
    """Verdict and remark.

    What must match and does not is a failure; a shape that is missed is non-strict; context is never judged.
    """
    if figure.kind == "context":
        return "pass", ""
    missed: Verdict = "fail" if figure.kind == "must-match" else "non-strict"
    if figure.bound:
        low, high = figure.bound.get("at_least", -math.inf), figure.bound.get("at_most", math.inf)
        return ("pass", "") if low <= measured <= high else (missed, f"expected {_words(figure.bound)}")
    if figure.paper is None:
        return "pass", ""
    away = measured - figure.paper
    limit, words = _limit(figure, spread, runs)
    if abs(away) <= limit:
        return "pass", ""
    if figure.better and (away > 0) == (figure.better == "higher"):
        return "pass", f"better than the paper by more than {words}"
    return missed, f"further than {words} from the paper"


def _limit(figure: Figure, spread: float | None, runs: int | None) -> tuple[float, str]:
    """Distance at which ours still agrees, in the figure's unit, and its words.

    Exact means: but for the rounding of floats.
    """
    assert figure.paper is not None
    if "distance" in figure.within:
        return figure.within["distance"] + 1e-9, f"{figure.within['distance']:g} {figure.unit}"
    if "share" in figure.within:
        return figure.within["share"] * abs(figure.paper), f"{figure.within['share']:.0%}".replace("%", " %")
    if "deviations" in figure.within:
        # The paper's value is one run, ours the mean of `runs`: the distance of the two spreads by both.
        count = figure.within["deviations"]
        return count * (spread or 0.0) * math.sqrt(1 + 1 / max(runs or 1, 1)), f"{count:g} standard deviations of a run"
    return 1e-9 * max(1.0, abs(figure.paper)), "nothing (it must be exact)"


def _words(bound: dict[str, Any]) -> str:
    return " and ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in bound.items())
