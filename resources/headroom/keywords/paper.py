# SPDX-License-Identifier: Apache-2.0
"""Keywords that measure a paper's figures again and put them beside the paper's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from robot.api.deco import keyword

from headroom.bench.papers import paper as papers
from headroom.bench.papers.measured import PaperMeasurement
from headroom.core.results import collector
from headroom.core.run.run import Run
from headroom.keywords import verdicts
from headroom.keywords.base import current_run, library
from headroom.keywords.load import configuration, wanted_for
from headroom.schemes.rohc.papers import effnet_2007, effnet_2007_load
from headroom.schemes.sigcomp.papers import maenpaa_2005, maenpaa_2005_load, maenpaa_2005_runs

# The paper's scenario is one call on one link; its load is measured on large numbers of flows.
LOAD_PROFILE = effnet_2007.CALL
MOST_TOLD = 6  # figures that a case's reason names; the record has them all


@library
class PaperKeywords:
    """One keyword for every paper: `Figures Should Be Beside The Paper's    effnet-2007    Table 1`.

    A place that the paper does not have stands for all those that begin with it: `Appendix H`.
    """

    @keyword("Figures Should Be Beside The Paper's")
    def beside_the_papers(self, paper: str, *names: str) -> None:
        found = papers.find(paper)
        places = found.places(names)
        current = collector.current()
        about: dict[str, Any] = {
            "title": found.title,
            "year": found.year,
            "notes": list(found.notes),
            "places": list(found.methods),
            "methods": {place: found.methods.get(place, "") for place in places},
            "titles": {place: found.titles.get(place, "") for place in places},
            "tables": {place: [asdict(table) for table in found.tables.get(place, ())] for place in places},
        }
        current.parameters |= {"kind": "paper", "paper": paper, "about": about}
        measured = measure(found, places, current_run())
        about["tables"] |= {place: [asdict(table) for table in tables] for place, tables in measured.tables.items()}
        current.items += measured.items
        current.series += measured.series
        judge(measured)


def judge(measured: PaperMeasurement) -> None:
    """Fails the case when a figure that must match does not; notes a shape that is missed."""

    def told(verdict: str) -> list[str]:
        found = [
            f"{item.where}, {item.quantity}: paper {item.paper}, measured {item.measured:.4g} {item.unit} ({item.note})"
            if item.measured is not None
            else f"{item.where}, {item.quantity}: {item.note}"
            for item in measured.items
            if item.verdict == verdict
        ]
        more = len(found) - MOST_TOLD
        return [*found[:MOST_TOLD], f"and {more} more"] if more > 0 else found

    if errors := told("error"):
        collector.current().judge("error", "; ".join(errors))
        raise RuntimeError("; ".join(errors))
    if failed := told("fail"):
        raise AssertionError("; ".join(failed))
    if missed := told("non-strict"):
        collector.current().judge("non-strict", "; ".join(missed))
    elif measured.items and all(item.verdict == "unsupported" for item in measured.items):
        collector.current().judge("unsupported", measured.items[0].note)


def measure(found: papers.Paper, places: tuple[str, ...], run: Run) -> PaperMeasurement:
    """Measures some places of a paper."""
    if found.key == "maenpaa-2005":
        return _maenpaa_2005(found, places, _tested(run))
    if found.key != "effnet-2007":
        raise ValueError(f"nothing here measures the paper {found.key} yet")
    methods: dict[tuple[str, ...], Callable[[], PaperMeasurement]] = {
        ("Table 1",): lambda: effnet_2007.table_1(found, _tested(run)),
        ("Table 2",): lambda: effnet_2007.table_2(found, _tested(run), runs=8 if run.quick else 40),
        ("Figure 3",): lambda: effnet_2007.figure_3(found),
        ("Figure 4",): lambda: effnet_2007.figure_4(found, _tested(run)),
        ("Figures 5 and 6",): lambda: effnet_2007_load.figures_5_and_6(found, run, _load(run)),
        ("Figure 7", "Table 4"): lambda: effnet_2007_load.figure_7_and_table_4(found, run, _load(run)),
    }
    if places not in methods:
        raise ValueError(
            f"{' and '.join(places)} cannot be measured; known: {', '.join(' and '.join(key) for key in methods)}"
        )
    return methods[places]()


def _maenpaa_2005(found: papers.Paper, places: tuple[str, ...], run: Run) -> PaperMeasurement:
    result = PaperMeasurement()
    once, load = maenpaa_2005_runs.Runner(run), maenpaa_2005_load.runner(run)
    for place in places:
        if maenpaa_2005_load.is_load(place):
            measured = maenpaa_2005_load.measure(found, place, load)
        else:
            measured = maenpaa_2005.measure(found, place, once)
        result.items += measured.items
        result.series += measured.series
        result.tables |= measured.tables
    return result


def _load(run: Run) -> effnet_2007_load.load.Wanted:
    _tested(run)
    return wanted_for(run, LOAD_PROFILE, configuration("1c").cpus)


def _tested(run: Run) -> Run:
    """Notes who is tested."""
    verdicts.note_sides(run)
    return run
