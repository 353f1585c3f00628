# SPDX-License-Identifier: Apache-2.0
"""A page per implementation: its description and declarations, how to obtain it, and its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from headroom.core import implementations, requirements
from headroom.core.errors import HeadroomError
from headroom.core.implementations import Deviation, Implementation
from headroom.core.paths import IMPLEMENTATIONS
from headroom.core.scheme_registry import all_schemes
from headroom.report import matrix_data
from headroom.site.markdown import block, code, escape, external, listed, paragraphs, prose, table, verdict
from headroom.site.pages import Nav, Page, Site
from headroom.site.results import Source, counts
from headroom.site.suites import page_of as suite_page

SHOWN = ("pass", "unsupported")  # verdicts that are counted and not listed case by case


def page_of(name: str) -> str:
    return f"implementations/{name}{'_' if name == 'index' else ''}.md"  # no name has a low line


def add(site: Site, sources: Sequence[Source], root: Path = IMPLEMENTATIONS) -> Nav:
    """Adds the pages of implementations. Returns their navigation."""
    index = site.page("implementations/index.md", "Implementations")
    index.add(
        "Implementations that can be judged here without further work. Yours joins by a folder, a container or "
        "capture files."
    )
    rows, paths = [], []
    for name in implementations.names(root):
        try:
            implementation = implementations.find(name, root)
            data = implementations.read_declarations(implementation.folder).data
        except HeadroomError as error:
            rows.append([code(name), "", "", escape(f"not valid: {error}")])
            continue
        paths.append(page_of(name))
        _add_page(site, implementation, data, sources)
        schemes = dict.fromkeys(_title(entry["scheme"]) for entry in data["capabilities"])
        about = prose(data.get("description", ""))
        rows.append([index.link(page_of(name), code(name)), escape(data["vendor"]), escape(", ".join(schemes)), about])
    index.add(table(["name", "vendor", "schemes", "about"], rows))
    return [index.path, *paths]


def _title(scheme: str) -> str:
    return all_schemes()[scheme].title if scheme in all_schemes() else scheme


def _add_page(site: Site, implementation: Implementation, data: Mapping[str, Any], sources: Sequence[Source]) -> None:
    name = implementation.name
    page = site.page(page_of(name), name, boost=2)
    page.add(paragraphs(data.get("description", "")))
    facts = [f"Vendor: {escape(data['vendor'])}", f"Licence: {escape(data['licence'])}"]
    facts += [f"Home page: {external(data['homepage'])}"] if "homepage" in data else []
    page.add(listed(facts))
    page.heading("How to obtain it")
    page.add(paragraphs(data["obtain"]))
    if needed := data.get("adapter", {}).get("requires"):
        page.add(table(["the adapter opens", "value"], _rows({**needed, "symbols": len(needed.get("symbols", ()))})))
    page.add(block(_try(name, data), "sh"))
    page.heading("Declarations")
    for entry in data["capabilities"]:
        page.heading(_title(entry["scheme"]), 3)
        page.add(table(["key", "value"], _rows({key: value for key, value in entry.items() if key != "scheme"})))
    _add_deviations(page, implementation.deviations)
    page.heading("Results")
    parts = [part for source in sources for part in _results(site, page, name, source)]
    page.add(*(parts or ["None of the outcomes on this site is about it."]))


def _try(name: str, data: Mapping[str, Any]) -> str:
    sides = {"compressor": "--compressor", "decompressor": "--decompressor"}
    roles = {role for entry in data["capabilities"] for role in entry["roles"]}
    options = [option for role, option in sides.items() if role in roles] or ["--compressor"]
    return f"./headroom run conformance {' '.join(f'{option} {name}' for option in options)}"


def _rows(entry: Mapping[str, Any]) -> list[list[str]]:
    return [[escape(key), _value(value)] for key, value in entry.items()]


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_value(element) for element in value) or "none"
    if isinstance(value, dict):
        return "; ".join(f"{escape(key)}: {_value(inner)}" for key, inner in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return code(value)


def _add_deviations(page: Page, deviations: Sequence[Deviation]) -> None:
    page.heading("Declared deviations")
    if not deviations:
        page.add("None are declared.")
        return
    page.add("A deviation is a known defect. Its cases must fail until the declaration is removed.")
    rows = []
    for deviation in deviations:
        roles = "any" if deviation.roles == implementations.ROLES else ", ".join(deviation.roles)
        rows.append([_subject(page, deviation), escape(roles), paragraphs(deviation.reason)])
    page.add(table(["of what", "as", "reason"], rows))


def _subject(page: Page, deviation: Deviation) -> str:
    known = requirements.load()
    named = dict.fromkeys([*([deviation.requirement] if deviation.requirement else []), *deviation.breaks])
    parts = [page.link(f"requirements/{name}.md", escape(name)) if name in known else escape(name) for name in named]
    parts += [code(text) for text in (*deviation.cases, *deviation.fields)]
    parts += [f"{escape(axis)} {escape(', '.join(values))}" for axis, values in deviation.cells.items()]
    return ", ".join(parts)


def _results(site: Site, page: Page, name: str, source: Source) -> list[str]:
    """Its outcomes in one source: a line per suite, and each case that neither passed nor is unsupported."""
    mine = source.of(name)
    if not mine:
        return []
    suites: dict[str, list[str]] = {}
    for case in mine:
        suites.setdefault(_suite_of(case, site), []).append(case)
    rows = []
    for suite, cases in sorted(suites.items()):
        path = suite_page(suite)
        shown = page.link(path, code(suite)) if path in site.pages else code(suite)
        rows.append([shown, escape(counts(mine[case] for case in cases))])
    title = source.title.capitalize()
    parts = [f"**{escape(title)}**: {escape(counts(mine.values()))}.{_report(site, page, source)}"]
    parts.append(table(["suite", "cases"], rows))
    wrong = [
        f"{verdict(outcome.verdict)} {escape(case)}: {escape(outcome.reason)}"
        for case, outcome in sorted(mine.items())
        if outcome.verdict not in SHOWN
    ]
    return [*parts, listed(wrong), _pairs(name, source)]


def _suite_of(case: str, site: Site) -> str:
    """The suite of a case. The suite's name may hold slashes."""
    parts = case.split("/")
    names = ("/".join(parts[:length]) for length in range(len(parts) - 1, 0, -1))
    return next((name for name in names if suite_page(name) in site.pages), case.rpartition("/")[0])


def _report(site: Site, page: Page, source: Source) -> str:
    if source.run is None or f"runs/{source.run.name}/report.html" not in site.files:
        return ""
    return f" {page.link(f'runs/{source.run.name}/report.html', 'The report of the run')}"


def _pairs(name: str, source: Source) -> str:
    """Its cells of the interop matrix, by compressor and decompressor."""
    cells = [cell for record in source.records for cell in record.get("cells", ())]
    rows = [
        [
            escape(f"{compressor} → {decompressor}"),
            escape(", ".join(f"{n:,} {word}" for word, n in counts.items() if n)),
        ]
        for (compressor, decompressor), counts in matrix_data.pairs(cells).items()
        if name in (compressor, decompressor)
    ]
    return table(["pair", "cells"], rows) if rows else ""
