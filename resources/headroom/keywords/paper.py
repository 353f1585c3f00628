# SPDX-License-Identifier: Apache-2.0
"""Keywords that reproduce a paper: measure its figures and compare them with the printed ones."""

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

MOST_NAMED = 6  # most figures that a case's reason names; the record has them all


@library
class PaperKeywords:
    """The keyword of every paper: `Figures Should Be Beside The Paper's effnet-2007 Table 1`.

    A place that the paper does not have stands for all places that begin with it: `Appendix H`.
    """

    @keyword("Figures Should Be Beside The Paper's")
    def beside_the_papers(self, paper: str, *names: str) -> None:
        known = papers.find(paper)
        places = known.places(names)
        current = collector.current()
        about: dict[str, Any] = {
            "title": known.title,
            "year": known.year,
            "notes": list(known.notes),
            "places": list(known.methods),
            "methods": {place: known.methods.get(place, "") for place in places},
            "titles": {place: known.titles.get(place, "") for place in places},
            "tables": {place: [asdict(table) for table in known.tables.get(place, ())] for place in places},
        }
        current.parameters |= {"kind": "paper", "paper": paper, "about": about}
        measured = how(known.key).measure(known, places, current_run())
        about["tables"] |= {place: [asdict(table) for table in tables] for place, tables in measured.tables.items()}
        current.items += measured.items
        current.series += measured.series
        judge(measured)


def _expected(item: Item) -> str:
    """The value that a figure is compared with: the paper's number, the model's, or our bound."""
    if item.paper is not None:
        return f"paper {item.paper}"
    return f"model {item.model}" if item.model is not None and not item.expected else f"expected {item.expected}"


def judge(measured: PaperMeasurement) -> None:
    """Fails the case if a figure that must match does not; records a missed shape."""

    def items_with(verdict: str) -> list[str]:
        items = [
            f"{item.where}, {item.quantity}: {_expected(item)}, measured {item.measured:.4g} {item.unit} ({item.note})"
            if item.measured is not None
            else f"{item.where}, {item.quantity}: {item.note}"
            for item in measured.items
            if item.verdict == verdict
        ]
        more = len(items) - MOST_NAMED
        return [*items[:MOST_NAMED], f"and {more} more"] if more > 0 else items

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
    """Records the implementations under test, if the place of the paper is about them."""
    verdicts.note_sides(run)
    return run
