# SPDX-License-Identifier: Apache-2.0
"""A page per document with a schema, with the text that `./headroom reference` prints."""

from __future__ import annotations

from headroom.core import reference
from headroom.site.markdown import block, code, escape, table
from headroom.site.pages import Nav, Site

WIDTH = 84  # most characters of a line beside the navigation


def page_of(name: str) -> str:
    return f"reference/{name}.md"


def add(site: Site) -> Nav:
    """Adds the pages of documents. Returns their navigation."""
    index = site.page("reference/index.md", "Keys of files, jobs and records")
    index.add(
        "Files that people write, the engine's jobs and results, and the records of runs, key by key.",
        block("./headroom reference testbed          # also --json, the JSON Schema", "sh"),
    )
    rows = []
    for name, title in reference.titles().items():
        page = site.page(page_of(name), name)
        text = reference.text(name, WIDTH).partition("\n")[2].strip("\n")
        page.add(escape(title), "A key with `*` is required.", block(text))
        rows.append([index.link(page.path, code(name)), escape(title)])
    index.add(table(["name", "about"], rows))
    return [index.path, *map(page_of, reference.titles())]
