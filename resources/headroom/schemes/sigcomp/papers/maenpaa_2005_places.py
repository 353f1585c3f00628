# SPDX-License-Identifier: Apache-2.0
"""The places of the thesis of J. Mäenpää (2005), and which module measures each."""

from headroom.core.papers.measured import PaperMeasurement
from headroom.core.papers.paper import Paper
from headroom.core.run.run import Run
from headroom.keywords.paper import note_tested
from headroom.schemes.sigcomp.papers import maenpaa_2005, maenpaa_2005_load, maenpaa_2005_runs


def measure(paper: Paper, places: tuple[str, ...], run: Run) -> PaperMeasurement:
    """Measures some places of the thesis, one after the other."""
    note_tested(run)
    result = PaperMeasurement()
    once, load = maenpaa_2005_runs.Runner(run), maenpaa_2005_load.runner(run)
    for place in places:
        if maenpaa_2005_load.is_load(place):
            measured = maenpaa_2005_load.measure(paper, place, load)
        else:
            measured = maenpaa_2005.measure(paper, place, once)
        result.items += measured.items
        result.series += measured.series
        result.tables |= measured.tables
    return result
