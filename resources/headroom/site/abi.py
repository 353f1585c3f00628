# SPDX-License-Identifier: Apache-2.0
"""A page per header of the adapter ABI: the contract at its head as text, then its declarations part by part."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

from headroom.core.paths import IMPLEMENTATIONS, shown
from headroom.site.markdown import block, code, listed, prose
from headroom.site.pages import Nav, Page, Site

FOLDER = IMPLEMENTATIONS / "abi"
LANGUAGES = {".h": "c", ".c": "c", ".cc": "cpp", ".py": "python", ".yaml": "yaml", ".json": "json"}
_HEAD = re.compile(r"\A/\*(.*?)\*/\n", re.DOTALL)
_PART = re.compile(r"^(?=/\* -{4} )", re.MULTILINE)
_PART_TITLE = re.compile(r"/\* -{4} (.+?)\s*(?:-*\s*\*/)?\n")


def page_of(path: str) -> str:
    """The page of a header, by its path in the project."""
    return f"abi/{Path(path).stem}.md"


def add(site: Site, folder: Path = FOLDER) -> Nav:
    """Adds the pages of headers. Returns their navigation, headroom.h first."""
    headers = sorted(folder.glob("*.h"))
    for path in headers:
        page = site.page(page_of(path.name), path.name, boost=2)
        text = path.read_text(encoding="utf-8")
        head = _HEAD.match(text)
        if head:
            page.add(f"The file is {code(shown(path))}.", *_contract(page, head[1]))
        _add_declarations(page, text[head.end() :] if head else text)
    return [page_of(path.name) for path in headers]


def _contract(page: Page, comment: str) -> list[str]:
    """The comment at the head of a header in Markdown: paragraphs, lists, and a heading above each list."""
    text = dedent("\n".join(re.sub(r"^ \* ?", "", line) for line in comment.splitlines()))
    parts: list[str] = []
    for part in re.split(r"\n\s*\n", text.strip()):
        if "SPDX-License-Identifier" in part:
            continue
        opening, *items = re.split(r"^ *- ", part, flags=re.MULTILINE)
        if items and opening.strip():
            parts.append(f"**{prose(opening)}**")
        elif opening.strip():
            parts.append(prose(opening))
        parts += [listed(prose(item) for item in items)] if items else []
    return parts


def _add_declarations(page: Page, text: str) -> None:
    for number, part in enumerate(_PART.split(text)):
        title = _PART_TITLE.match(part)
        page.heading(title[1] if title else "Declarations" if number else "Beginning of the file")
        page.add(block(part.strip("\n"), "c"))
