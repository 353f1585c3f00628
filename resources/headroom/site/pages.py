# SPDX-License-Identifier: Apache-2.0
"""Pages of the site, and their places in its navigation."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from headroom.core.text import printable, shortened
from headroom.site.markdown import escape, slug


@dataclass
class Page:
    """A page. `path` ends in .md; links name other pages by such paths. `hide` names parts of the frame that the page
    goes without. `boost` raises it among the hits of a search; 0 leaves it out of searches.
    """

    path: str
    title: str
    hide: tuple[str, ...] = ()
    boost: float = 1
    nav_title: str = ""  # title in the navigation, if it is another
    parts: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def add(self, *parts: str) -> None:
        """Adds blocks of Markdown."""
        self.parts += [part for part in parts if part]

    def heading(self, title: str, level: int = 2, anchor: str = "", searched: bool = True) -> str:
        """Adds a heading. Returns its anchor, which is unique on the page. If not `searched`, a search leaves out the
        text below it.
        """
        name = wanted = anchor or slug(title)
        number = 2
        while name in self.anchors:
            name, number = f"{wanted}-{number}", number + 1
        self.anchors.add(name)
        self.add(f"{'#' * level} {escape(title)} {{ #{name}{'' if searched else ' data-search-exclude'} }}")
        return name

    def link(self, target: str, text: str, anchor: str = "") -> str:
        """A link to another page of the site. `text` is Markdown already."""
        place = quote(os.path.relpath(target, os.path.dirname(self.path) or "."))
        return f"[{text}]({place}{'#' if anchor else ''}{anchor})"

    def text(self) -> str:
        """The text of the Markdown file for MkDocs."""
        search = {"exclude": True} if not self.boost else {"boost": self.boost}
        head = {"title": title_in_html(self.title), "hide": list(self.hide), "search": search}
        lines = ["---", *(f"{key}: {json.dumps(value)}" for key, value in head.items()), "---", ""]
        title = [] if self.path == INDEX else [f"# {escape(self.title)}"]
        return "\n".join(lines) + "\n\n".join([*title, *self.parts]) + "\n"


INDEX = "index.md"
MOST_OF_A_TITLE = 120
Nav = list[Any]  # paths of pages, and (title, Nav)


@dataclass
class Site:
    """All pages by path, files to copy, and the content of each tab."""

    pages: dict[str, Page] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    tabs: dict[str, Nav] = field(default_factory=dict)

    def page(self, path: str, title: str, **more: Any) -> Page:
        """A new page. REQUIRES: there is none with that path."""
        assert path not in self.pages, path
        self.pages[path] = Page(path, title, **more)
        return self.pages[path]

    def navigation(self) -> list[Any]:
        """The navigation in the form of MkDocs."""
        return [self._entry((title, nav)) for title, nav in self.tabs.items() if nav]

    def _entry(self, entry: Any) -> Any:
        if isinstance(entry, str):
            return {title_in_html(self.pages[entry].nav_title or self.pages[entry].title): entry}
        title, inner = entry
        return {title_in_html(title): [self._entry(one) for one in inner]}

    def write(self, folder: Path) -> None:
        """Writes every page, and links every file, below a folder."""
        for path, page in self.pages.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(page.text(), encoding="utf-8")
        for path, source in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(source)


def title_in_html(title: str) -> str:
    """The title as HTML for the theme. YAML accepts keys of at most 1024 characters."""
    return html.escape(shortened(printable(title), MOST_OF_A_TITLE))
