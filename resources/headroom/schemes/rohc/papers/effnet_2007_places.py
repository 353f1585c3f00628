# SPDX-License-Identifier: Apache-2.0
"""The places of the Effnet paper (2007), and how each is measured."""

from collections.abc import Callable

from headroom.bench import load
from headroom.core.papers.measured import PaperMeasurement
from headroom.core.papers.paper import Paper
from headroom.core.run.run import Run
from headroom.keywords.load import config_for, configuration
from headroom.keywords.paper import note_tested
from headroom.schemes.rohc.papers import effnet_2007, effnet_2007_load

# The paper's scenario is one call on one link; its load is measured on large numbers of flows.
LOAD_PROFILE = effnet_2007.CALL


def measure(paper: Paper, places: tuple[str, ...], run: Run) -> PaperMeasurement:
    """Measures some places of the paper, of which some go together."""
    methods: dict[tuple[str, ...], Callable[[], PaperMeasurement]] = {
        ("Table 1",): lambda: effnet_2007.table_1(paper, note_tested(run)),
        ("Table 2",): lambda: effnet_2007.table_2(paper, note_tested(run), runs=8 if run.quick else 40),
        ("Figure 3",): lambda: effnet_2007.figure_3(paper),
        ("Figure 4",): lambda: effnet_2007.figure_4(paper, note_tested(run)),
        ("Figures 5 and 6",): lambda: effnet_2007_load.figures_5_and_6(paper, run, _load(run)),
        ("Figure 7", "Table 4"): lambda: effnet_2007_load.figure_7_and_table_4(paper, run, _load(run)),
    }
    if places not in methods:
        raise ValueError(
            f"{' and '.join(places)} cannot be measured; known: {', '.join(' and '.join(key) for key in methods)}"
        )
    return methods[places]()


def _load(run: Run) -> load.LoadConfig:
    note_tested(run)
    return config_for(run, "rohc", LOAD_PROFILE, configuration("1c").cpus)
