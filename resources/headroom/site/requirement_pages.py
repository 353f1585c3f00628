# SPDX-License-Identifier: Apache-2.0
"""A page per requirement and per document: the sentence, what it binds, the cases that test it, and the implementations
that pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from headroom.core import implementations, requirements
from headroom.core.mutation import doubles
from headroom.core.requirements import Document, Requirement
from headroom.core.scheme_registry import all_schemes
from headroom.site.implementation_pages import page_of as page_of_implementation
from headroom.site.markdown import block, code, escape, external, listed, prose, table, verdict
from headroom.site.pages import Nav, Page, Site
from headroom.site.results import Source, about, counts, worst_of
from headroom.site.suites import Case, Suite, outcome_lines

SIDES = {"either": "both sides"}


def page_of(requirement: str) -> str:
    return f"requirements/{requirement}.md"


def cases_by_requirement(suites: Sequence[Suite]) -> dict[str, list[Case]]:
    cases: dict[str, list[Case]] = {}
    for suite in suites:
        for case in suite.cases:
            for name in dict.fromkeys(case.requirements):
                cases.setdefault(name, []).append(case)
    return cases


def add(site: Site, suites: Sequence[Suite], sources: Sequence[Source]) -> Nav:
    """Adds the pages of documents and requirements. Returns the navigation, which has only the documents."""
    asked = cases_by_requirement(suites)
    by_document: dict[str, list[Requirement]] = {}
    for requirement in requirements.load().values():
        by_document.setdefault(requirement.document.key, []).append(requirement)
    index = site.page("requirements/index.md", "Requirements by document")
    index.add(
        "The requirements of specifications, sentence by sentence. The page of a requirement without cases gives the "
        "reason.",
        block("./headroom run RFC3095-5.3.1          # every case of a section", "sh"),
    )
    rows = []
    for mine in by_document.values():
        document = mine[0].document
        path = page_of(document.key)
        with_cases = sum(requirement.id in asked for requirement in mine)
        name = index.link(path, escape(document.name))
        rows.append([name, escape(document.full_title), f"{len(mine):,}", f"{with_cases:,}"])
        _add_document(site, document, mine, asked, sources)
        for before, requirement, after in zip([None, *mine], mine, [*mine[1:], None], strict=False):
            _Writer(site, requirement, asked.get(requirement.id, []), sources).add(before, after)
    index.add(table(["document", "title", "requirements", "tested by cases"], rows))
    return [index.path, *(page_of(key) for key in by_document)]


def _add_document(
    site: Site, document: Document, mine: list[Requirement], asked: Mapping[str, list[Case]], sources: Sequence[Source]
) -> None:
    page = site.page(page_of(document.key), document.name, boost=2)
    sources = about(sources, (case.id for requirement in mine for case in asked.get(requirement.id, ())))
    page.add(
        f"{escape(document.full_title)}: {external(document.url)}",
        f"{len(mine):,} requirements, {sum(entry.id in asked for entry in mine):,} of them tested by cases.",
        block(f"./headroom run {document.key}", "sh"),
    )
    sections: dict[str, list[Requirement]] = {}
    for requirement in mine:
        sections.setdefault(requirement.section, []).append(requirement)
    heads = ["requirement", "level", "binds", "requirement", "cases", *(escape(source.title) for source in sources)]
    for section, inside in sections.items():
        page.heading(f"Section {section}", anchor=f"section-{section}")
        page.add(table(heads, [_row(page, entry, asked.get(entry.id, []), sources) for entry in inside]))


def _row(page: Page, requirement: Requirement, cases: list[Case], sources: Sequence[Source]) -> list[str]:
    name = page.link(page_of(requirement.id), f'<span class="id">{escape(requirement.id)}</span>')
    came = []
    for source in sources:
        outcomes = [source.outcomes[case.id] for case in cases if case.id in source.outcomes]
        came.append(verdict(worst_of(outcomes)) if outcomes else "")
    return [
        name,
        escape(requirement.level),
        escape(SIDES.get(requirement.side, requirement.side)),
        prose(requirement.text),
        f"{len(cases)}",
        *came,
    ]


class _Writer:
    """Writes the page of one requirement."""

    def __init__(self, site: Site, requirement: Requirement, cases: list[Case], sources: Sequence[Source]) -> None:
        self.requirement, self.cases, self.sources = requirement, cases, sources
        self.page = site.page(page_of(requirement.id), requirement.id, hide=("navigation", "toc"), boost=1.5)

    def add(self, before: Requirement | None, after: Requirement | None) -> None:
        requirement, page = self.requirement, self.page
        page.add(self._trail(before, after), f"**{prose(requirement.text)}**")
        if requirement.quote:
            page.add(
                f"> {escape(requirement.quote)}",
                f"— {escape(requirement.document.name)}, {escape(requirement.quote_section)}",
            )
        else:
            page.add(f"{escape(requirement.citation)}.")
        page.add(table(["level", "binds", "scheme", "applies to", "feature"], [self._facts()]))
        self._add_cases()
        self._add_freedom()
        self._add_deviations()

    def _trail(self, before: Requirement | None, after: Requirement | None) -> str:
        document = self.requirement.document
        parts = [
            self.page.link("requirements/index.md", "Requirements"),
            self.page.link(page_of(document.key), escape(document.name)),
            self.page.link(
                page_of(document.key),
                f"section {escape(self.requirement.section)}",
                f"section-{self.requirement.section}",
            ),
        ]
        others = [
            self.page.link(page_of(other.id), f"{word} {escape(other.id)}")
            for word, other in (("previous:", before), ("next:", after))
            if other
        ]
        return f'{" › ".join(parts)}<span class="others">{" · ".join(others)}</span>\n{{ data-search-exclude }}'

    def _facts(self) -> list[str]:
        requirement = self.requirement
        scheme = all_schemes().get(requirement.scheme)
        uses = [f"{escape(name)}: {escape(', '.join(sorted(values)))}" for name, values in requirement.applies.items()]
        level = f"{escape(requirement.level)}{' (in prose, no keyword)' if requirement.in_prose else ''}"
        side = escape(SIDES.get(requirement.side, requirement.side))
        return [
            level,
            side,
            escape(scheme.title if scheme else requirement.scheme),
            "; ".join(uses) or "all",
            self._feature(),
        ]

    def _feature(self) -> str:
        return escape(self.requirement.feature) if self.requirement.feature else "needs none"

    def _add_cases(self) -> None:
        page = self.page
        page.heading("Cases that test it", searched=False)
        if not self.cases:
            page.add(prose(self.requirement.why_untested) or "No case tests it.")
            return
        page.add(block(f"./headroom run {self.requirement.id}", "sh"))
        for source in self.sources:
            outcomes = [source.outcomes[case.id] for case in self.cases if case.id in source.outcomes]
            tested = dict.fromkeys(name for case in self.cases for name in source.implementations.get(case.id, ()))
            if outcomes:
                who = ", ".join(tested) or "no named implementation"
                word = verdict(worst_of(outcomes))
                page.add(f"{word} {escape(who)}, {escape(source.title)}: {escape(counts(outcomes))}.")
        lines = []
        for case in self.cases:
            came = " ".join(line for source in self.sources for line in outcome_lines(source, case.id))
            lines.append(f"{page.link(case.page, escape(case.id), case.anchor)} {came}")
        page.add(listed(lines))

    def _add_freedom(self) -> None:
        """Adds what the requirement leaves open, if it is not a must."""
        if self.requirement.level == "must":
            return
        catalogue = doubles.load()
        users = [catalogue.doubles[name] for name in catalogue.users(self.requirement.id)]
        reason = catalogue.reasons.get(self.requirement.id, "")
        if not users and not reason:
            return
        self.page.heading("Freedom")
        if users:
            self.page.add("Doubles are correct implementations that use a freedom; no case may fail them:")
            self.page.add(listed(f"{code(user.name)}: {prose(user.uses)}" for user in users))
        else:
            self.page.add(f"No double uses this freedom. {prose(reason)}")

    def _add_deviations(self) -> None:
        lines = [
            f"{self.page.link(page_of_implementation(known.name), escape(known.name))}: {prose(deviation.reason)}"
            for known in implementations.all_valid()
            for deviation in known.deviations
            if self.requirement.id == deviation.requirement or self.requirement.id in deviation.breaks
        ]
        if lines:
            self.page.heading("Declared deviations")
            self.page.add(listed(lines))
