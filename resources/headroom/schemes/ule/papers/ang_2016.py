# SPDX-License-Identifier: Apache-2.0
"""The places of the paper of Ang, Sarwar and Wan (2016), and how each is measured."""

from __future__ import annotations

from collections.abc import Callable

from headroom.core.papers.measured import PaperMeasurement
from headroom.core.papers.paper import Paper
from headroom.core.run.run import Run
from headroom.keywords.paper import note_tested
from headroom.schemes.ule.papers import ang_2016_nodes as nodes
from headroom.schemes.ule.papers import ang_2016_payloads as payloads
from headroom.schemes.ule.papers import ang_2016_streams as streams

METHODS: dict[tuple[str, ...], Callable[[Paper, Run], PaperMeasurement]] = {
    (nodes.PLACE,): nodes.through_nodes,
    ("Table 1",): streams.generator,
    ("Figure 4", "Figure 5", "Figure 6"): payloads.header_lengths,
    ("Section 5.2", "Figure 7"): payloads.packing,
    ("Figure 8", "Figure 9"): streams.round_trips,
    ("Figure 10",): payloads.padding,
    ("Figure 11", "Figure 12", "Figure 13", "Figure 14", "Figure 15"): payloads.gains,
    ("Figure 16", "Figure 17", "Table 2"): streams.streams,
    ("Table 3",): streams.inter_arrival,
    ("Figure 18", "Figure 19", "Figure 20"): streams.patterns,
    ("Figure 21",): streams.cost,
    ("Section 6",): streams.beyond,
}


def measure(paper: Paper, places: tuple[str, ...], run: Run) -> PaperMeasurement:
    """Measures some places of the paper, of which some go together."""
    if places not in METHODS:
        known = "; ".join(" and ".join(key) for key in METHODS)
        raise ValueError(f"{' and '.join(places)} cannot be measured; known: {known}")
    measured = METHODS[places](paper, note_tested(run))
    order = list(paper.items)
    measured.items.sort(key=lambda item: order.index(item.id))
    return measured
