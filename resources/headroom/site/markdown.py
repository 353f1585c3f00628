# SPDX-License-Identifier: Apache-2.0
"""Markdown made of any text: HTML and Markdown in the text are shown as they stand."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from headroom.core.results.record import VERDICTS
from headroom.core.text import printable

# Markup anywhere in a line, and at its beginning: lists, headings and rules.
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>&|~#]|^[-+=:!]")
_NUMBER = re.compile(r"^(\d+)\.")
_IN_URLS = "/:?#@!$&'()*+,;=%~"
_CODE = re.compile(r"``(.+?)``|`(.+?)`")


def escape(text: object) -> str:
    """A text in one line, without markup."""
    line = " ".join(printable(str(text)).split())
    return _NUMBER.sub(r"\1&#46;", _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", line))


def code(text: object) -> str:
    return f"<code>{escape(text)}</code>"


def prose(text: object) -> str:
    """A sentence or paragraph whose backquotes mark code."""
    parts = _CODE.split(" ".join(str(text).split()))
    # Each match gives two groups, one of which is None.
    return "".join(escape_edges(part) if index % 3 == 0 else code(part) for index, part in enumerate(parts) if part)


def escape_edges(text: str) -> str:
    """An escaped text that keeps a space at its beginning and end."""
    return f"{' ' * text.startswith(' ')}{escape(text)}{' ' * (text.endswith(' ') and bool(text.strip()))}"


def paragraphs(text: str) -> str:
    """Paragraphs separated by empty lines."""
    return "\n\n".join(prose(part) for part in re.split(r"\n\s*\n", text.strip()))


def block(text: str, language: str = "text") -> str:
    """A block of code. Its fence is longer than any in the text."""
    longest = max((len(fence) for fence in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{printable(text).rstrip()}\n{fence}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table. Its cells are Markdown already."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cell or ' ' for cell in line)} |" for line in lines)


def listed(items: Iterable[str]) -> str:
    """A list of items that are Markdown already."""
    return "\n".join(f"- {item}" for item in items)


def external(url: str, text: str = "") -> str:
    """A link to another site; the plain text if the address is not of the web."""
    if not re.match(r"https?://", url):
        return escape(text or url)
    # Characters that Markdown reads before it sees the tag are encoded, too.
    address = html.escape(quote(url, safe=_IN_URLS))
    return f'<a href="{address}">{escape(text or url)}</a>'


def verdict(name: str) -> str:
    """A verdict as a coloured word."""
    kind = name if name in VERDICTS else "unknown"
    return f'<span class="verdict {kind}">{escape(name)}</span>'


def slug(text: str) -> str:
    """An anchor for a heading."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "section"
