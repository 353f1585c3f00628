# SPDX-License-Identifier: Apache-2.0
"""Keywords that measure a paper's figures again and put them beside the paper's."""

from dataclasses import asdict
from typing import Any

from robot.api.deco import keyword

from headroom.core.papers import paper as papers
from headroom.core.papers.measured import PaperMeasurement, how
from headroom.core.results import collector
from headroom.core.results.record import Item
from headroom.core.run.run import Run
from headroom.keywords import verdicts
from headroom.keywords.base import current_run, library

MOST_NAMED = 6  # figures that a case's reason names; the record has them all


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
        measured = how(found.key).measure(found, places, current_run())
        about["tables"] |= {place: [asdict(table) for table in tables] for place, tables in measured.tables.items()}
        current.items += measured.items
        current.series += measured.series
        judge(measured)


def _expected(item: Item) -> str:
    """Returns what a figure is compared with: the paper's number, the model's, or our bound."""
    if item.paper is not None:
        return f"paper {item.paper}"
    return f"model {item.model}" if item.model is not None and not item.expected else f"expected {item.expected}"


def judge(measured: PaperMeasurement) -> None:
    """Fails the case when a figure that must match does not; notes a shape that is missed."""

    def items_with(verdict: str) -> list[str]:
        found = [
            f"{item.where}, {item.quantity}: {_expected(item)}, measured {item.measured:.4g} {item.unit} ({item.note})"
            if item.measured is not None
            else f"{item.where}, {item.quantity}: {item.note}"
            for item in measured.items
            if item.verdict == verdict
        ]
        more = len(found) - MOST_NAMED
        return [*found[:MOST_NAMED], f"and {more} more"] if more > 0 else found

    if errors := items_with("error"):
        collector.current().judge("error", "; ".join(errors))
        raise RuntimeError("; ".join(errors))
    if failed := items_with("fail"):
        raise AssertionError("; ".join(failed))
    if missed := items_with("non-strict"):
        collector.current().judge("non-strict", "; ".join(missed))
    elif measured.items and all(item.verdict == "unsupported" for item in measured.items):
        collector.current().judge("unsupported", measured.items[0].note)


def note_tested(run: Run) -> Run:
    """Notes who is tested, which not every place of a paper is about."""
    verdicts.note_sides(run)
    return run
