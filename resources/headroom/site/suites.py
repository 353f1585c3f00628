# SPDX-License-Identifier: Apache-2.0
"""A page per suite: its documentation, and its cases with their steps and outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headroom.core import requirements
from headroom.core.paths import SUITES
from headroom.core.results.listener import test_id
from headroom.core.text import natural
from headroom.site.markdown import block, code, escape, listed, paragraphs, table, verdict
from headroom.site.pages import Nav, Page, Site
from headroom.site.results import Source, about, counts

CASES = "Cases"  # the heading above them


@dataclass(frozen=True)
class Case:
    id: str
    name: str
    documentation: str
    tags: tuple[str, ...]
    steps: tuple[str, ...]  # keywords with their arguments
    page: str
    anchor: str

    @property
    def requirements(self) -> list[str]:
        return [tag.removeprefix("req:") for tag in self.tags if tag.startswith("req:")]


@dataclass(frozen=True)
class Suite:
    name: str  # the path below suites/ without suffix
    documentation: str
    cases: tuple[Case, ...]

    @property
    def page(self) -> str:
        return page_of(self.name)


def page_of(suite: str) -> str:
    return f"suites/{suite}.md"


def read(root: Path = SUITES) -> list[Suite]:
    """Every suite with its cases, read but not run."""
    from robot.api import TestSuite

    files = _suites(TestSuite.from_file_system(root, included_files=["*.robot"]))
    return sorted((_suite(one, root) for one in files), key=lambda suite: suite.name)


def _suites(suite: Any) -> Iterator[Any]:
    if suite.tests:
        yield suite
    for child in suite.suites:
        yield from _suites(child)


def _suite(suite: Any, root: Path) -> Suite:
    name = Path(suite.source).relative_to(root).with_suffix("").as_posix()
    page = Page(page_of(name), name)
    page.heading(CASES)
    cases = []
    for test in suite.tests:
        steps = [step for step in test.body if getattr(step, "name", None)]
        cases.append(
            Case(
                test_id(test.source, test.name),
                str(test.name),
                str(test.doc),
                tuple(str(tag) for tag in test.tags),
                tuple("  ".join([str(step.name), *map(str, step.args)]) for step in steps),
                page.path,
                page.heading(str(test.name), 3),
            )
        )
    return Suite(name, str(suite.doc), tuple(cases))


def add(site: Site, suites: Sequence[Suite], sources: Sequence[Source]) -> Nav:
    """Adds the pages of suites. Returns their navigation."""
    index = site.page("suites/index.md", "All suites")
    index.add(
        "A suite is a file below `suites/`. Each line counts the cases of a suite and their outcomes. Golden "
        "outcomes are those of the reference with itself; tests of the project compare with them."
    )
    folders: dict[str, list[Suite]] = {}
    for suite in suites:
        _add_page(site, suite, sources)
        folders.setdefault(suite.name.rpartition("/")[0], []).append(suite)
    for folder, inside in folders.items():
        index.heading(folder)
        shown = about(sources, (case.id for suite in inside for case in suite.cases))
        rows = [_row(index, suite, shown) for suite in inside]
        index.add(table(["suite", "cases", *(escape(source.title) for source in shown), "subject"], rows))
    return [index.path, *((folder, [suite.page for suite in inside]) for folder, inside in folders.items())]


def _row(index: Page, suite: Suite, sources: Sequence[Source]) -> list[str]:
    came = [
        counts(source.outcomes[case.id] for case in suite.cases if case.id in source.outcomes) for source in sources
    ]
    first = suite.documentation.split("\n\n")[0]
    name = index.link(suite.page, f'<span class="id">{escape(suite.name.rpartition("/")[2])}</span>')
    return [name, f"{len(suite.cases):,}", *map(escape, came), paragraphs(first)]


def _add_page(site: Site, suite: Suite, sources: Sequence[Source]) -> None:
    page = site.page(suite.page, suite.name, nav_title=suite.name.rpartition("/")[2])
    page.add(paragraphs(suite.documentation), block(f"./headroom run {suite.name}", "sh"))
    for source in sources:
        if came := counts(source.outcomes[case.id] for case in suite.cases if case.id in source.outcomes):
            page.add(f"{escape(source.title.capitalize())}: {escape(came)}.")
    page.heading(CASES)
    for case in suite.cases:
        page.heading(case.name, 3, case.anchor)
        page.add(paragraphs(case.documentation), block("\n".join(case.steps)) if case.steps else "")
        page.add(listed(_facts(page, case, sources)))


def _facts(page: Page, case: Case, sources: Sequence[Source]) -> list[str]:
    known = requirements.load()
    links = [
        page.link(f"requirements/{name}.md", escape(name)) if name in known else escape(name)
        for name in sorted(case.requirements, key=natural)
    ]
    facts = [f"Requirements: {', '.join(links)}"] if links else []
    others = [tag for tag in case.tags if not tag.startswith("req:")]
    facts += [f"Tags: {', '.join(map(code, others))}"] if others else []
    return facts + [line for source in sources for line in outcome_lines(source, case.id)]


def outcome_lines(source: Source, case: str) -> list[str]:
    """The outcome of a case as a list of one line; an empty list if the source has none."""
    outcome = source.outcomes.get(case)
    if outcome is None:
        return []
    tested = source.tested(case)
    about = f"{tested}, {source.title}" if tested else source.title
    reason = f" {escape(outcome.reason)}" if outcome.reason else ""
    return [f"{verdict(outcome.verdict)} {escape(about)}{':' if reason else ''}{reason}"]
