# SPDX-License-Identifier: Apache-2.0
"""The papers that schemes reproduce, and the result of measuring a place of a paper."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from headroom.core.errors import UsageError
from headroom.core.papers.paper import Paper, Table
from headroom.core.results.record import Item, Series
from headroom.core.run.run import Run
from headroom.core.scheme_registry import all_schemes


@dataclass
class PaperMeasurement:
    """A place of a paper: figures beside ours, charts, and the reason if it could not be measured."""

    items: list[Item] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    tables: dict[str, tuple[Table, ...]] = field(default_factory=dict)  # by place: with columns that the paper lacks


@dataclass(frozen=True)
class MeasuredPaper:
    """A paper that a scheme reproduces: `measure` measures some of its places; `charts` draws places from the series in
    records.
    """

    measure: Callable[[Paper, tuple[str, ...], Run], PaperMeasurement]
    figures: Callable[[list[dict[str, Any]]], dict[str, list[dict[str, Any]]]]


def all_papers() -> dict[str, MeasuredPaper]:
    """Every paper that a scheme reproduces, by key."""
    return {key: measured for scheme in all_schemes().values() for key, measured in scheme.papers().items()}


def how(key: str) -> MeasuredPaper:
    """The scheme's part for a paper. Raises UsageError if no scheme reproduces it."""
    if key not in all_papers():
        raise UsageError(f"No scheme measures the paper '{key}'. Measured: {', '.join(sorted(all_papers()))}.")
    return all_papers()[key]
