# SPDX-License-Identifier: Apache-2.0
"""A page per paper: the publication, its figures as printed, the command that reproduces them, and our figures from
runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from headroom.core.papers import measured, paper
from headroom.core.papers.paper import Figure, Paper
from headroom.core.paths import PAPERS
from headroom.core.scheme_registry import all_schemes
from headroom.core.text import shown
from headroom.site.markdown import block, code, escape, listed, paragraphs, table, verdict
from headroom.site.pages import Nav, Page, Site
from headroom.site.results import Source
from headroom.site.suites import page_of as suite_page

Ours = Mapping[str, dict[str, Any]]  # items of records, by the figure's id


def page_of(key: str) -> str:
    return f"papers/{key}.md"


def add(site: Site, sources: Sequence[Source], folder: Path = PAPERS) -> Nav:
    """Adds the pages of papers. Returns their navigation."""
    index = site.page("papers/index.md", "Papers")
    index.add("Publications whose figures are reproduced, each figure beside the printed one.")
    schemes = {key: scheme.title for scheme in all_schemes().values() for key in scheme.papers()}
    rows = []
    for known in (paper.load(key, folder) for key in paper.names(folder)):
        _add_page(site, known, sources)
        name = index.link(page_of(known.key), escape(known.title))
        rows.append([name, escape(known.publisher), str(known.year), escape(schemes.get(known.key, ""))])
    index.add(table(["title", "publisher", "year", "scheme"], rows))
    return [index.path, *map(page_of, paper.names(folder))]


def _add_page(site: Site, known: Paper, sources: Sequence[Source]) -> None:
    page = site.page(page_of(known.key), known.title, boost=2)
    page.add(f"{escape(known.publisher)}, {known.year}. The paper's figures here are those that it prints.")
    page.heading("Reproduce it")
    if known.key in measured.all_papers():
        page.add(block(f"./headroom reproduce {known.key}", "sh"))
    if suite_page(known.suite) in site.pages:
        page.add(f"The suite is {page.link(suite_page(known.suite), code(known.suite))}.")
    page.add(listed(map(escape, known.notes)))
    ours = [(source, _items(source)) for source in sources]
    mine = [(source, items) for source, items in ours if items.keys() & known.items.keys()]
    for where in known.methods:
        page.heading(f"{where}: {known.titles[where]}")
        page.add(paragraphs(known.methods[where]))
        _add_figures(page, known, where, mine)


def _items(source: Source) -> Ours:
    return {item["id"]: item for record in source.records for item in record["items"] if item.get("id")}


def _add_figures(page: Page, known: Paper, where: str, ours: Sequence[tuple[Source, Ours]]) -> None:
    """Adds the tables of a place as printed if no run measured them, or else a line per figure with ours."""
    tables = known.tables.get(where, ())
    in_tables = {name for table in tables for _, names in table.rows for name in names if name} if not ours else set()
    if not ours:
        for one in tables:
            rows = [
                [escape(row), *(_printed(known.items[name]) if name else "–" for name in names)]
                for row, names in one.rows
            ]
            page.add(table(["", *map(escape, one.columns)], rows))
    rest = [figure for figure in known.of(where) if figure.id not in in_tables]
    if not rest:
        return
    heads = ["figure", "unit", "paper", *(escape(source.title) for source, _ in ours)]
    rows = []
    for figure in rest:
        measurements = [_measured(items.get(figure.id)) for _, items in ours]
        rows.append([escape(figure.quantity), escape(figure.unit), _printed(figure), *measurements])
    page.add(table(heads, rows))


def _printed(figure: Figure) -> str:
    if figure.paper is not None:
        return escape(shown(figure.paper))
    return f"{escape(shown(figure.model))} (calculated)" if figure.model is not None else "–"


def _measured(item: Mapping[str, Any] | None) -> str:
    if item is None:
        return ""
    word = f" {verdict(item['verdict'])}" if item.get("verdict") else ""
    return escape(shown(item.get("measured"))) + word
