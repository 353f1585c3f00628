# SPDX-License-Identifier: Apache-2.0
"""Outcomes of cases that the site shows: the golden ones, and those of runs that the user names."""

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
REFERENCE = "reference"  # the implementation that the golden outcomes are of


@dataclass(frozen=True)
class Outcome:
    verdict: str
    reason: str = ""


@dataclass
class Source:
    """Where outcomes come from. `run` is the folder of a run; None: the golden outcomes."""

    title: str
    outcomes: Mapping[str, Outcome]  # by case
    implementations: Mapping[str, tuple[str, ...]]  # by case, those under test
    records: list[dict[str, Any]] = field(default_factory=list)
    run: Path | None = None

    def of(self, implementation: str) -> dict[str, Outcome]:
        """The outcomes of an implementation by case."""
        return {case: one for case, one in self.outcomes.items() if implementation in self.implementations[case]}

    def tested(self, case: str) -> str:
        """The implementations under test in a case, for a sentence."""
        return " and ".join(self.implementations.get(case, ()))


def golden_source(folder: Path = GOLDEN) -> Source:
    """The golden outcomes: those of the reference with itself. Suites that are about other adapters, such as doubles,
    have outcomes and no implementation."""
    outcomes = {case: Outcome(one.verdict) for case, one in golden.read(folder).items()}
    about = {case: (REFERENCE,) if case.startswith(("conformance/", "interop/")) else () for case in outcomes}
    return Source("golden outcomes", outcomes, about)


def run_source(folder: Path, records: list[dict[str, Any]]) -> Source:
    """The outcomes of a run."""
    outcomes = {one["test"]["id"]: Outcome(one["verdict"], one["reason"]) for one in records}
    about = {one["test"]["id"]: _under_test(one) for one in records}
    return Source(f"run {folder.name}", outcomes, about, records, folder)


def _under_test(record: Mapping[str, Any]) -> tuple[str, ...]:
    sides = (record.get("compressor"), record.get("decompressor"))
    names = [str(side["name"]) for side in sides if side]
    names += [str(cell[side]) for cell in record.get("cells", ()) for side in ("compressor", "decompressor")]
    return tuple(dict.fromkeys(names))


def counts(outcomes: Iterable[Outcome]) -> str:
    """How many outcomes have each verdict, for a sentence: "12 pass, 1 fail"."""
    found = Counter(one.verdict for one in outcomes)
    return ", ".join(f"{found[name]:,} {name}" for name in VERDICTS if found[name])


def about(sources: Iterable[Source], cases: Iterable[str]) -> list[Source]:
    """The sources that have an outcome of any of some cases."""
    names = set(cases)
    return [one for one in sources if not names.isdisjoint(one.outcomes)]


def worst_of(outcomes: Iterable[Outcome]) -> str:
    return worst([one.verdict for one in outcomes])  # type: ignore[misc]


def footer(sources: Iterable[Source]) -> str:
    """The line below each page, as HTML: the version, the commit, and where outcomes come from."""
    found = environment.commit()
    commit = f", commit {found['commit'][:12]}{' with changes' if found['changed'] else ''}" if found["commit"] else ""
    return html.escape(f"Headroom {__version__}{commit}. Outcomes: {', '.join(one.title for one in sources)}.")
