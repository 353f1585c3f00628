# SPDX-License-Identifier: Apache-2.0
"""The places of the Effnet paper (2007), and how each is measured."""

from __future__ import annotations

from collections.abc import Callable

from headroom.bench import load
from headroom.bench.papers.measured import PaperMeasurement
from headroom.bench.papers.paper import Paper
from headroom.core.settings import Settings
from headroom.keywords.load import configuration, wanted_for
from headroom.keywords.paper import note_tested
from headroom.schemes.rohc.papers import effnet_2007, effnet_2007_load

# The paper's scenario is one call on one link; its load is measured on large numbers of flows.
LOAD_PROFILE = effnet_2007.CALL


def measure(found: Paper, places: tuple[str, ...], asked: Settings) -> PaperMeasurement:
    """Measures some places of the paper, of which some go together."""
    methods: dict[tuple[str, ...], Callable[[], PaperMeasurement]] = {
        ("Table 1",): lambda: effnet_2007.table_1(found, note_tested(asked)),
        ("Table 2",): lambda: effnet_2007.table_2(found, note_tested(asked), runs=8 if asked.quick else 40),
        ("Figure 3",): lambda: effnet_2007.figure_3(found),
        ("Figure 4",): lambda: effnet_2007.figure_4(found, note_tested(asked)),
        ("Figures 5 and 6",): lambda: effnet_2007_load.figures_5_and_6(found, asked, _load(asked)),
        ("Figure 7", "Table 4"): lambda: effnet_2007_load.figure_7_and_table_4(found, asked, _load(asked)),
    }
    if places not in methods:
        raise ValueError(
            f"{' and '.join(places)} cannot be measured; known: {', '.join(' and '.join(key) for key in methods)}"
        )
    return methods[places]()


def _load(asked: Settings) -> load.LoadConfig:
    note_tested(asked)
    return wanted_for(asked, LOAD_PROFILE, configuration("1c").cpus)
