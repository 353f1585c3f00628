# SPDX-License-Identifier: Apache-2.0
"""What the measuring of a paper's place returns."""

from __future__ import annotations

from dataclasses import dataclass, field

from headroom.bench.papers.paper import Table
from headroom.core.results.record import Item, Series


@dataclass
class PaperMeasurement:
    """One place of a paper: figures beside ours, what to draw, and what kept us from measuring."""

    items: list[Item] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    tables: dict[str, tuple[Table, ...]] = field(default_factory=dict)  # by place: with columns that the paper's lack
