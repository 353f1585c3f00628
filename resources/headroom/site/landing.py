# SPDX-License-Identifier: Apache-2.0
"""The first page, and the tabs, which are the tasks of a user."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from headroom.core import requirements
from headroom.core.paths import ROOT
from headroom.site import command_pages
from headroom.site.markdown import code, escape
from headroom.site.pages import INDEX, Nav, Page, Site
from headroom.site.suites import Suite

START, JUDGE, RUN, READ, REFERENCE, INSIDE = (
    "Start",
    "Judge your adapter",
    "Run suites",
    "Read results",
    "Reference",
    "Inside",
)
ABOUT = {
    START: "What Headroom is, and the two commands to begin with.",
    JUDGE: "One C header, a folder and a YAML file: how an implementation joins, and what is tested.",
    RUN: "What is tested, with which traffic, over which links and on which machines.",
    READ: (
        "Verdicts, requirements, implementations and papers: the meaning of an outcome, and the implementations "
        "that pass."
    ),
    REFERENCE: "Every command with its options, every key of a file, the headers, the glossary.",
    INSIDE: "How the engine, the reference and the judges are made.",
}
COMMANDS = {
    START: ("run", "doctor", "test"),
    JUDGE: ("new-adapter", "judge", "interop", "decode"),
    RUN: ("list", "replay", "reproduce"),
    READ: ("report", "compare", "nightly", "campaign"),
}
# The READMEs of each tab; all others are in the last tab.
GUIDES = {
    START: ("README.md", "CHANGELOG.md"),
    JUDGE: ("implementations/README.md", "docker/README.md"),
    RUN: (
        "suites/README.md",
        "traffic-profiles/README.md",
        "traffic-profiles/sip/README.md",
        "resources/headroom/testbed/README.md",
        "resources/headroom/nightly/README.md",
        "resources/headroom/campaigns/README.md",
    ),
    READ: ("reports/README.md", "resources/requirements/README.md"),
    REFERENCE: ("GLOSSARY.md", "resources/schemas/README.md"),
}
PICTURES = {
    "report": "The report of a run",
    "user-plane": "A user plane under load",
    "nightly": "The nightly regression",
    "campaign": "A campaign over machines",
}


def arrange(site: Site, known: Mapping[str, str], parts: Mapping[str, Nav]) -> None:
    """Fills the tabs: each has its guides, and then its parts of the site."""
    placed = {name for names in GUIDES.values() for name in names}
    for tab in ABOUT:
        names = GUIDES.get(tab, tuple(name for name in known if name not in placed))
        site.tabs[tab] = [known[name] for name in names if name in known]
    site.tabs[START].insert(0, INDEX)
    site.pages[known["README.md"]].nav_title = "The project"
    for title, tab in (
        ("Headers", JUDGE),
        ("Known implementations", JUDGE),
        ("All suites", RUN),
        ("Requirements", READ),
        ("Papers", READ),
        ("Commands", REFERENCE),
        ("Keys", REFERENCE),
    ):
        site.tabs[tab].append((title, parts[title]))


def add(site: Site, suites: Sequence[Suite]) -> None:
    page = site.page(INDEX, "Headroom", hide=("navigation", "toc"), boost=2, nav_title="Overview")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    page.add("# Headroom", _introduction(readme), _numbers(suites))


def add_cards(site: Site) -> None:
    """Adds to the first page a card per tab, and the pictures. REQUIRES: the tabs are filled."""
    page = site.pages[INDEX]
    cards = [_card(site, page, tab, about) for tab, about in ABOUT.items() if len(site.tabs[tab])]
    page.add('<div class="grid cards" markdown>', *cards, "</div>")
    page.heading("Pictures")
    figures = []
    for name, title in PICTURES.items():
        picture = ROOT / "reports" / f"{name}.png"
        if picture.is_file():
            path = f"assets/reports/{name}.png"
            site.files[path] = picture
            figures.append(f'<figure><a href="{path}"><img src="{path}" alt="{title}"></a>')
            figures[-1] += f"<figcaption>{title}</figcaption></figure>"
    page.add(f'<div class="pictures">{"".join(figures)}</div>')


def _introduction(readme: str) -> str:
    """The first paragraph of the project's README, and its first commands."""
    paragraph = readme.split("\n\n")[1]
    commands = re.search(r"^## Start\n\n((?:    .*\n)+)", readme, re.MULTILINE)
    return f"{paragraph}\n{{ .lead }}\n\n{commands[1] if commands else ''}"


def _numbers(suites: Sequence[Suite]) -> str:
    known = requirements.load()
    numbers = {
        "requirements": len(known),
        "specifications": len(known.documents),
        "cases": sum(len(suite.cases) for suite in suites),
        "suites": len(suites),
    }
    return f'<p class="numbers">{"".join(f"<span><b>{n:,}</b> {name}</span>" for name, n in numbers.items())}</p>'


def _card(site: Site, page: Page, tab: str, about: str) -> str:
    first = _first(site.tabs[tab], page)
    there = [name for name in COMMANDS.get(tab, ()) if command_pages.page_of((name,)) in site.pages]
    links = " ".join(page.link(command_pages.page_of((name,)), code(name)) for name in there)
    return f"-   **{page.link(first, escape(tab))}**\n\n    {escape(about)}\n\n    {links}"


def _first(nav: Nav, page: Page) -> str:
    """The first page of a tab, other than the page with the cards."""
    return next(entry if isinstance(entry, str) else entry[1][0] for entry in nav if entry != page.path)
