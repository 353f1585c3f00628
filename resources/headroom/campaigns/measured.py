# SPDX-License-Identifier: Apache-2.0
"""The figures of a campaign: the records of its whole cells, put side by side by machine, build and configuration."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from headroom.campaigns import progress
from headroom.campaigns.campaign import Campaign, Cell
from headroom.campaigns.progress import Result
from headroom.campaigns.task import WHOLE
from headroom.core.results import chain, store
from headroom.core.text import shown
from headroom.report.data import Capacity, Records, capacities, title_of_scheme


@dataclass(frozen=True)
class Values:
    """One figure of all repeats of a cell: their median, and the least and the greatest."""

    of: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.of)

    @property
    def text(self) -> str:
        """The median, and behind it how far the repeats spread, as a share of it."""
        low, high, middle = min(self.of), max(self.of), self.median
        if len(self.of) < 2 or not middle or low == high:
            return shown(middle)
        return f"{shown(middle)} ±{(high - low) / 2 / abs(middle):.1%}".replace("%", " %")


def values(found: Iterable[float | None]) -> Values | None:
    """None where there is no value at all."""
    there = tuple(one for one in found if one is not None)
    return Values(there) if there else None


@dataclass
class CampaignData:
    """The results of the cells of a campaign, and the records of whole cells."""

    campaign: Campaign
    results: dict[Cell, Result]
    records: dict[Cell, Records] = field(default_factory=dict)
    head: str = ""  # of the campaign's chain
    changed: list[str] = field(default_factory=list)  # sentences about records that are not as they were written

    def machine(self, name: str) -> dict[str, Any] | None:
        """The environment of a machine, as its first record has it; None where nothing came from it."""
        found = (records[0]["environment"] for cell, records in self.records.items() if cell.machine == name)
        return next(found, None)

    def all_records(self) -> Records:
        return [record for records in self.records.values() for record in records]

    def clock_mhz(self, cell: Cell) -> float | None:
        """The clock that the kernel showed when a cell was measured."""
        found = [record["environment"].get("clock_mhz") for record in self.records[cell]]
        return next((clock for clock in found if clock), None)


def read(campaign: Campaign, warn: Callable[[str], None] = lambda sentence: None) -> CampaignData:
    """What a campaign has on the disk."""
    data = CampaignData(campaign, progress.results(campaign, warn))
    chained = chain.verify(campaign.folder, chain.CAMPAIGN)
    data.head, data.changed = chained.head, chained.sentences()
    for sentence in data.changed:
        warn(sentence)
    for cell, result in data.results.items():
        if result.state == WHOLE:
            run = progress.cell_folder(campaign, cell) / result.run
            if records := store.read_all(run, warn):
                data.records[cell] = records
            data.changed += chain.verify(run, chain.RUN).sentences()
    return data


@dataclass(frozen=True, order=True)
class CellGroup:
    """The cells that differ in their repeat alone: where a figure comes from."""

    machine: str
    build: str
    configuration: str
    implementation: str = ""

    @classmethod
    def of(cls, cell: Cell) -> CellGroup:
        return cls(cell.machine, cell.build, cell.configuration, cell.implementation)


def columns(cells: Iterable[Cell]) -> dict[CellGroup, str]:
    """The columns of some cells with their titles: the machine, and what else tells them apart."""
    found = sorted({CellGroup.of(cell) for cell in cells})
    builds, configurations = {one.build for one in found}, {one.configuration for one in found}
    return {
        one: " ".join(
            [
                one.machine,
                *([one.implementation] if one.implementation else []),
                *([one.build] if len(builds) > 1 else []),
                *([one.configuration] if len(configurations) > 1 else []),
            ]
        )
        for one in found
    }


@dataclass(frozen=True)
class Series:
    """What is measured on every machine: the rows of tables."""

    configuration: str
    build: str
    scheme: str
    compressor: str
    decompressor: str
    profile: str
    cpus: str

    @property
    def pair(self) -> str:
        return f"{self.compressor} → {self.decompressor}"


Key = tuple[Series, float | None]  # with the target load


@dataclass
class Capacities:
    """Capacities by what was measured, target load and machine; one for each repeat."""

    by_key: dict[Key, dict[str, list[tuple[Cell, Capacity]]]]

    def values(self, key: Key, machine: str, of: Callable[[Cell, Capacity], float | None]) -> Values | None:
        return values(of(cell, capacity) for cell, capacity in self.by_key.get(key, {}).get(machine, ()))

    def series(self) -> list[Series]:
        return list(dict.fromkeys(series for series, _ in self.by_key))

    def main_key(self, series: Series) -> Key:
        """That at 50 % load, else the first there is: the one whose costs stand for the series."""
        keys = [key for key in self.by_key if key[0] == series]
        return next((key for key in keys if key[1] == 0.5), keys[0])


def all_capacities(data: CampaignData) -> Capacities:
    """Capacities with a figure, rows in one order whatever that of the cells was."""
    found: dict[Key, dict[str, list[tuple[Cell, Capacity]]]] = {}
    names = {one.word: name for name, one in data.campaign.implementations.items()}
    for cell in sorted(data.records):
        for one in capacities(data.records[cell]):
            if one.flow_pairs is None:
                continue
            sides = [names.get(side, side) for side in (one.compressor, one.decompressor)]
            which = (cell.configuration, one.build, one.scheme)
            series = Series(*which, sides[0], sides[1], one.profile, one.cpus)
            found.setdefault((series, one.target_load), {}).setdefault(cell.machine, []).append((cell, one))
    return Capacities(found)


def names(series: Sequence[Series]) -> dict[Series, str]:
    """A name for each: its CPU configuration, and what else tells it from the others."""
    parts: tuple[Callable[[Series], str], ...] = (
        lambda one: one.configuration,
        lambda one: title_of_scheme(one.scheme),
        lambda one: one.pair,
        lambda one: one.profile,
        lambda one: one.build,
    )
    varying = [part for part in parts if len({part(one) for one in series}) > 1]
    return {one: ", ".join([one.cpus, *(part(one) for part in varying)]) for one in series}
