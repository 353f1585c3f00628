# SPDX-License-Identifier: Apache-2.0
"""The page's sections about implementations: the library that each cell loaded, and their figures side by side."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from headroom.campaigns.campaign import Cell
from headroom.campaigns.measured import CampaignData
from headroom.core.metric_registry import all_metrics
from headroom.core.metrics import Metric
from headroom.report import page as blocks
from headroom.report import products
from headroom.report.data import metrics_by_identity
from headroom.report.page import Column, Section, table
from headroom.report.products import ROLES, described
from headroom.report.slowdown import Interval, counted, estimate, figure_of, middle

MOST_OPEN = 40  # rows that stand open
ALIKE = 0.05  # an interval around 0 that ends within this share shows that there is no large change


def sections(data: CampaignData) -> list[Section]:
    """The sections: the libraries that were loaded and, if the campaign names several implementations, their
    figures.
    """
    result = [_libraries(data)]
    if len(data.campaign.implementations) > 1 and (rows := _rows(data)):
        result.append(_side_by_side(data, rows))
    return [section for section in result if section is not None]


# ---- libraries


def loaded(data: CampaignData, cell: Cell) -> list[dict[str, Any]]:
    """The implementations that the records of a cell name, in the roles of the campaign's implementations."""
    sides = data.campaign.configurations[cell.configuration].sides if cell.implementation else ROLES
    by_text = {
        described(record_of_cell[role]): record_of_cell[role]
        for record_of_cell in data.records.get(cell, ())
        for role in sides
        if record_of_cell[role]
    }
    version = data.campaign.implementations.get(cell.implementation)
    mine = [
        record_of_cell
        for record_of_cell in by_text.values()
        if version is None or version.digest in ("", record_of_cell["sha256"])
    ]
    return mine or list(by_text.values())


def warnings(data: CampaignData) -> list[str]:
    """Sentences about implementations or builds that look different but loaded one and the same library."""
    by_version: dict[str, set[str]] = {}
    by_build: dict[tuple[str, str], set[str]] = {}
    builds: dict[str, set[str]] = {}
    for cell in data.records:
        for implementation in loaded(data, cell):
            if implementation["sha256"]:
                by_version.setdefault(implementation["sha256"], set()).add(cell.implementation)
                by_build.setdefault((implementation["name"], implementation["sha256"]), set()).add(cell.build)
                builds.setdefault(implementation["name"], set()).add(cell.build)
    sentences = [
        f"{' and '.join(sorted(names))} are the same library (SHA-256 {digest[:12]}): their figures differ by chance."
        for digest, names in by_version.items()
        if len(names) > 1
    ]
    return sentences + [
        f"{name} is the same library (SHA-256 {digest[:12]}) in the builds {', '.join(sorted(of))}: only the harness "
        "differs. Use `implementations` to compare versions of it."
        for (name, digest), of in by_build.items()
        if len(of) > 1 and of == builds[name]
    ]


def _libraries(data: CampaignData) -> Section | None:
    counts: Counter[tuple[str, ...]] = Counter()
    for cell in data.records:
        for implementation in loaded(data, cell):
            libraries = products.libraries(implementation)
            more = "".join(f", with {name} {(digest or '–')[:16]}" for name, digest in libraries)
            digest = f"{(implementation['sha256'] or implementation.get('reason') or '–')[:16]}{more}"
            counts[cell.implementation, implementation["name"], implementation["version"] or "–", digest] += 1
    if not counts:
        return None
    versions = data.campaign.implementations
    rows = [
        [name or None, product, number, blocks.Cell(digest, code=True), versions[name].place if name else None, count]
        for (name, product, number, digest), count in sorted(counts.items())
    ]
    section = Section("implementations", "Implementations", "Implementations")
    section.intro = [
        ("Name, version and digest come from the records of the cells: they are those of the library that ran.")
    ]
    columns = [
        *(Column("In this campaign", tight=True, optional=True), Column("Implementation"), Column("Version")),
        *(Column("SHA-256 begins"), Column("Path", long=True, optional=True), Column("Cells", number=True)),
    ]
    section.add("table", table("t-libraries", columns, rows))
    return section


# ---- side by side


@dataclass
class Row:
    """A metric of a case on a machine, of each implementation: a value for each repeat or, with one repeat, for each of
    its trials.
    """

    place: tuple[str, ...]
    case: str
    metric: Metric
    core: int | None
    values: dict[str, list[float]] = field(default_factory=dict)

    def change(self, first: str, other: str) -> tuple[float, Interval | None]:
        if self.metric.repeats_within is not None:
            return counted(self.metric, middle(self.values[first]), middle(self.values[other]))
        more = [values for name, values in self.values.items() if name not in (first, other)]
        return estimate(self.values[first], self.values[other], *more)


def _rows(data: CampaignData) -> list[Row]:
    known = all_metrics()
    rows: dict[tuple[Any, ...], Row] = {}
    single = data.campaign.repeats == 1
    for cell in sorted(data.records):
        place = (cell.configuration, cell.machine, cell.build)
        for record in data.records[cell]:
            for identity, measured in metrics_by_identity(record).items():
                metric = known.get(measured["name"])
                if metric is None or metric.better is None or metric.is_of_harness or measured["value"] is None:
                    continue
                key = (place, record["test"]["id"], identity)
                row = rows.setdefault(key, Row(place, record["test"]["id"], metric, measured["core"]))
                trials = [trial for trial in measured["trials"] if trial is not None] if single else []
                row.values.setdefault(cell.implementation, []).extend(trials or [measured["value"]])
    return [row for row in rows.values() if any(any(values) for values in row.values.values())]


def _side_by_side(data: CampaignData, rows: list[Row]) -> Section:
    first, *others = data.campaign.implementations
    section = Section("versions", f"Side by side with {first}", "Side by side")
    repeats = data.campaign.repeats
    of = "trials of one run each" if repeats == 1 else f"{repeats} repeats of each cell"
    section.intro = [
        f"Each figure beside that of {first}, the means of {of}: the change, and its ends with 99 % confidence. "
        "Better and worse mean that the interval is on one side of 0; alike means that it ends within "
        f"{100 * ALIKE:g} %."
    ]
    if repeats == 2:
        section.intro.append("Two repeats show only large changes; five show a change of a few percent.")
    varying = [number for number in range(3) if len({row.place[number] for row in rows}) > 1]
    titles = ("Configuration", "Machine", "Build")
    columns = [*(Column(titles[number]) for number in varying), Column("Case"), Column("Metric", tight=True)]
    columns += [Column("Unit", tight=True), Column(first, number=True, tight=True), Column("Other", tight=True)]
    columns += [Column("Its figure", number=True, tight=True), Column("Change"), Column("Is")]
    by_change: dict[bool, list[list[Any]]] = {True: [], False: []}
    for row in rows:
        place = [*(row.place[number] for number in varying), row.case, _name(row), row.metric.unit]
        for name in others:
            if row.values.get(first) and row.values.get(name):
                change = row.change(first, name)
                word = _word(row.metric, *change)
                figures = [_value(row, first), name, _value(row, name), figure_of(*change), word]
                by_change[word in ("better", "worse")].append([*place, *figures])
    for is_change, title in ((True, "Better or worse"), (False, "Neither, within this uncertainty")):
        if rows_of_kind := by_change[is_change]:
            section.add("heading", title, id=f"versions-{'moved' if is_change else 'rest'}")
            folded = f"{len(rows_of_kind)} figures" if len(rows_of_kind) > MOST_OPEN else ""
            section.add(
                "table", table(f"t-versions-{'moved' if is_change else 'rest'}", columns, rows_of_kind), title=folded
            )
    return section


def _name(row: Row) -> str:
    return row.metric.name if row.core is None else f"{row.metric.name}, CPU {row.core}"


def _value(row: Row, name: str) -> blocks.Cell:
    return blocks.cell(middle(row.values[name]))


def _word(metric: Metric, change: float, interval: Interval | None) -> str:
    if interval is None:
        return "cannot tell"
    low, high = interval
    if low <= 0 <= high:
        return "alike" if max(-low, high) <= ALIKE else "cannot tell"
    return "better" if (low > 0) == (metric.better == "higher") else "worse"
