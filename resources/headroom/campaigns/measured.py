# SPDX-License-Identifier: Apache-2.0
"""The figures of a campaign: the records of its whole cells, by machine, build and configuration."""

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
    """A figure of all repeats of a cell: its median, and the least and the greatest value."""

    of: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.of)

    @property
    def text(self) -> str:
        """The median, followed by the spread of the repeats as a share of it."""
        low, high, middle = min(self.of), max(self.of), self.median
        if len(self.of) < 2 or not middle or low == high:
            return shown(middle)
        return f"{shown(middle)} ±{(high - low) / 2 / abs(middle):.1%}".replace("%", " %")


def values(given: Iterable[float | None]) -> Values | None:
    """The values of a figure; None if there are none at all."""
    there = tuple(value for value in given if value is not None)
    return Values(there) if there else None


@dataclass
class CampaignData:
    """The results of the cells of a campaign, and the records of whole cells."""

    campaign: Campaign
    results: dict[Cell, Result]
    records: dict[Cell, Records] = field(default_factory=dict)
    head: str = ""  # head of the campaign's chain
    changed: list[str] = field(default_factory=list)  # sentences about records that were changed

    def machine(self, name: str) -> dict[str, Any] | None:
        """The environment of a machine, from its first record; None if it has none."""
        environments = (records[0]["environment"] for cell, records in self.records.items() if cell.machine == name)
        return next(environments, None)

    def all_records(self) -> Records:
        return [record for records in self.records.values() for record in records]

    def clock_mhz(self, cell: Cell) -> float | None:
        """The clock that the kernel showed when a cell was measured."""
        clocks = [record["environment"].get("clock_mhz") for record in self.records[cell]]
        return next((clock for clock in clocks if clock), None)


def read(campaign: Campaign, warn: Callable[[str], None] = lambda sentence: None) -> CampaignData:
    """Reads the results and records of a campaign from the disk."""
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
    """The cells that differ in their repeat alone: the source of a figure."""

    machine: str
    build: str
    configuration: str
    implementation: str = ""

    @classmethod
    def of(cls, cell: Cell) -> CellGroup:
        return cls(cell.machine, cell.build, cell.configuration, cell.implementation)


def columns(cells: Iterable[Cell]) -> dict[CellGroup, str]:
    """The columns of some cells with their titles: the machine, and further properties that tell them apart."""
    groups = sorted({CellGroup.of(cell) for cell in cells})
    builds, configurations = {group.build for group in groups}, {group.configuration for group in groups}
    return {
        group: " ".join(
            [
                group.machine,
                *([group.implementation] if group.implementation else []),
                *([group.build] if len(builds) > 1 else []),
                *([group.configuration] if len(configurations) > 1 else []),
            ]
        )
        for group in groups
    }


@dataclass(frozen=True)
class Series:
    """A measurement that machines are compared in: a row of the tables."""

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


Key = tuple[Series, float | None]  # a series and the target load


@dataclass
class Capacities:
    """Capacities by series, target load and machine; one for each repeat."""

    by_key: dict[Key, dict[str, list[tuple[Cell, Capacity]]]]

    def values(self, key: Key, machine: str, of: Callable[[Cell, Capacity], float | None]) -> Values | None:
        return values(of(cell, capacity) for cell, capacity in self.by_key.get(key, {}).get(machine, ()))

    def series(self) -> list[Series]:
        return list(dict.fromkeys(series for series, _ in self.by_key))

    def main_key(self, series: Series) -> Key:
        """The key at 50 % load, or else the first: its costs stand for the series."""
        keys = [key for key in self.by_key if key[0] == series]
        return next((key for key in keys if key[1] == 0.5), keys[0])


def all_capacities(data: CampaignData) -> Capacities:
    """Capacities with a figure. The order of the rows does not depend on the order of the cells."""
    by_key: dict[Key, dict[str, list[tuple[Cell, Capacity]]]] = {}
    names = {implementation.word: name for name, implementation in data.campaign.implementations.items()}
    for cell in sorted(data.records):
        for capacity in capacities(data.records[cell]):
            if capacity.flow_pairs is None:
                continue
            sides = [names.get(side, side) for side in (capacity.compressor, capacity.decompressor)]
            which = (cell.configuration, capacity.build, capacity.scheme)
            series = Series(*which, sides[0], sides[1], capacity.profile, capacity.cpus)
            by_key.setdefault((series, capacity.target_load), {}).setdefault(cell.machine, []).append((cell, capacity))
    return Capacities(by_key)


def names(series: Sequence[Series]) -> dict[Series, str]:
    """A name for each series: its CPU configuration, and further properties that tell it from the others."""
    parts: tuple[Callable[[Series], str], ...] = (
        lambda entry: entry.configuration,
        lambda entry: title_of_scheme(entry.scheme),
        lambda entry: entry.pair,
        lambda entry: entry.profile,
        lambda entry: entry.build,
    )
    varying = [part for part in parts if len({part(entry) for entry in series}) > 1]
    return {entry: ", ".join([entry.cpus, *(part(entry) for part in varying)]) for entry in series}
