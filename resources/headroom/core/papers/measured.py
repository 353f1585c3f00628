# SPDX-License-Identifier: Apache-2.0
"""How papers are measured, by the schemes that they are about, and what the measuring of a place returns."""

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
    """One place of a paper: figures beside ours, what to draw, and what kept us from measuring."""

    items: list[Item] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    tables: dict[str, tuple[Table, ...]] = field(default_factory=dict)  # by place: with columns that the paper's lack


@dataclass(frozen=True)
class MeasuredPaper:
    """A paper that a scheme measures: `measure` some of its places, and the charts by place, from the series in
    records."""

    measure: Callable[[Paper, tuple[str, ...], Run], PaperMeasurement]
    figures: Callable[[list[dict[str, Any]]], dict[str, list[dict[str, Any]]]]


def all_papers() -> dict[str, MeasuredPaper]:
    """Every paper that a scheme measures, by key."""
    return {key: found for scheme in all_schemes().values() for key, found in scheme.papers().items()}


def how(key: str) -> MeasuredPaper:
    """How a paper is measured. Raises UsageError when no scheme measures it."""
    if key not in all_papers():
        raise UsageError(f"No scheme measures the paper '{key}'. Measured: {', '.join(sorted(all_papers()))}.")
    return all_papers()[key]
