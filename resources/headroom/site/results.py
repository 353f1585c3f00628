# SPDX-License-Identifier: Apache-2.0
"""Outcomes of cases for the site: the golden ones, and those of runs that the user names."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headroom import __version__
from headroom.core.machine import environment
from headroom.core.paths import ROOT
from headroom.core.results import golden
from headroom.core.results.record import VERDICTS, worst

GOLDEN = ROOT / "resources" / "golden"
REFERENCE = "reference"  # the implementation under test of the golden outcomes


@dataclass(frozen=True)
class Outcome:
    verdict: str
    reason: str = ""


@dataclass
class Source:
    """A source of outcomes. `run` is the folder of a run, or None for the golden outcomes."""

    title: str
    outcomes: Mapping[str, Outcome]  # outcomes by case
    implementations: Mapping[str, tuple[str, ...]]  # implementations under test by case
    records: list[dict[str, Any]] = field(default_factory=list)
    run: Path | None = None

    def of(self, implementation: str) -> dict[str, Outcome]:
        """The outcomes of an implementation by case."""
        return {
            case: outcome for case, outcome in self.outcomes.items() if implementation in self.implementations[case]
        }

    def tested(self, case: str) -> str:
        """The implementations under test in a case, as text."""
        return " and ".join(self.implementations.get(case, ()))


def golden_source(folder: Path = GOLDEN) -> Source:
    """The golden outcomes: those of the reference with itself. Suites about other adapters, such as doubles, have
    outcomes and no implementation.
    """
    outcomes = {case: Outcome(entry.verdict) for case, entry in golden.read(folder).items()}
    about = {case: (REFERENCE,) if case.startswith(("conformance/", "interop/")) else () for case in outcomes}
    return Source("golden outcomes", outcomes, about)


def run_source(folder: Path, records: list[dict[str, Any]]) -> Source:
    """The outcomes of a run."""
    outcomes = {record["test"]["id"]: Outcome(record["verdict"], record["reason"]) for record in records}
    about = {record["test"]["id"]: _under_test(record) for record in records}
    return Source(f"run {folder.name}", outcomes, about, records, folder)


def _under_test(record: Mapping[str, Any]) -> tuple[str, ...]:
    sides = (record.get("compressor"), record.get("decompressor"))
    names = [str(side["name"]) for side in sides if side]
    names += [str(cell[side]) for cell in record.get("cells", ()) for side in ("compressor", "decompressor")]
    return tuple(dict.fromkeys(names))


def counts(outcomes: Iterable[Outcome]) -> str:
    """The number of outcomes of each verdict, as text: "12 pass, 1 fail"."""
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    return ", ".join(f"{verdicts[name]:,} {name}" for name in VERDICTS if verdicts[name])


def about(sources: Iterable[Source], cases: Iterable[str]) -> list[Source]:
    """The sources with an outcome of any of some cases."""
    names = set(cases)
    return [source for source in sources if not names.isdisjoint(source.outcomes)]


def worst_of(outcomes: Iterable[Outcome]) -> str:
    return worst([outcome.verdict for outcome in outcomes])  # type: ignore[misc]


def footer(sources: Iterable[Source]) -> str:
    """The line below each page, as HTML: the version, the commit, and the sources of outcomes."""
    state = environment.commit()
    commit = f", commit {state['commit'][:12]}{' with changes' if state['changed'] else ''}" if state["commit"] else ""
    return html.escape(f"Headroom {__version__}{commit}. Outcomes: {', '.join(source.title for source in sources)}.")
