# SPDX-License-Identifier: Apache-2.0
"""The READMEs as pages. Their links lead to pages of the site; files that they link to become pages, too."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path

from headroom.core.paths import ROOT
from headroom.site.abi import LANGUAGES
from headroom.site.abi import page_of as header_page
from headroom.site.markdown import block, code
from headroom.site.pages import Page, Site

FOLDERS = ("docker", "implementations", "reports", "resources", "suites", "traffic-profiles")
BUILT = {"target", "build", "node_modules"}  # folders with READMEs of other projects
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
_TITLE = re.compile(r"\A# (.+)\n")


def files() -> list[Path]:
    """Every document of the project, relative to its root."""
    documents = [*ROOT.glob("*.md"), *(path for name in FOLDERS for path in (ROOT / name).rglob("README.md"))]
    inside = (path.relative_to(ROOT) for path in documents)
    return sorted(path for path in inside if not BUILT & {*path.parts})


def page_of(path: Path) -> str:
    """The page of a document: guides/<its folder>.md."""
    if path.name != "README.md":
        return f"guides/{path.stem.lower()}.md"
    return f"guides/{path.parent.as_posix() if path.parent.parts else 'project'}.md"


def add(site: Site) -> dict[str, str]:
    """Adds the pages of all documents. Returns them by the document's path."""
    known = {path.as_posix(): page_of(path) for path in files()}
    for name in known:
        add_page(site, name, known)
    return known


def add_page(site: Site, name: str, known: dict[str, str]) -> Page:
    text = (ROOT / name).read_text(encoding="utf-8")
    title_line = _TITLE.match(text)
    page = site.page(known[name], title_line[1] if title_line else name)
    body = text[title_line.end() :] if title_line else text
    page.add(localized(site, page, Path(name).parent, body.strip(), known))
    return page


def localized(site: Site, page: Page, folder: Path, text: str, known: dict[str, str]) -> str:
    """A document's Markdown, with links and pictures adapted to the site. Code stays as it is."""

    def replaced(link: re.Match[str]) -> str:
        picture, label, target, anchor = link.groups()
        if not target or re.match(r"[a-z]+:", target):
            return link[0]
        path = os.path.normpath(folder / target)
        if picture:
            site.files[f"assets/{path}"] = ROOT / path
            return f"!{page.link(f'assets/{path}', label)}"
        place = _place(site, path, known)
        return page.link(place, label, (anchor or "").removeprefix("#")) if place else label

    return "".join(part if is_code else _LINK.sub(replaced, part) for part, is_code in _parts(text))


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Splits a document into pieces, each with True if it is code."""
    fenced = False
    lines = []
    for line in text.splitlines(keepends=True):
        is_fence = line.startswith("```")
        lines.append((line, fenced or is_fence or line.startswith("    ")))
        fenced ^= is_fence
    for is_code, piece in itertools.groupby(lines, lambda line: line[1]):
        yield "".join(line for line, _ in piece), is_code


def _place(site: Site, path: str, known: dict[str, str]) -> str:
    """The page that shows a file or folder of the project; "" if there is none."""
    for name in (path, f"{path}/README.md"):
        if name in known:
            return known[name]
    if (header := header_page(path)) in site.pages:
        return header
    file = ROOT / path
    if not file.is_file():
        return ""
    page = f"source/{path}.md"
    if page not in site.pages:
        shown = site.page(page, file.name, boost=0)
        shown.add(code(path), block(file.read_text(encoding="utf-8"), LANGUAGES.get(file.suffix, "text")))
    return page
