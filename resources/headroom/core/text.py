# SPDX-License-Identifier: Apache-2.0
"""Values as text, for the terminal and the report."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

# Controls of a terminal (C0 without tab and line feed, DEL, C1), controls of direction and of lines, the byte order
# mark, halves of surrogate pairs, and noncharacters (Unicode 15, 23.7): all that XML 1.0 cannot hold is among them.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(plane | last) for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF))
    + "]"
)
MOST_TEXT = 100_000  # most characters of a text from outside; far more than anybody reads


def spelled_out(text: str) -> str:
    r"""A text of any length with its unprintable characters spelled out, such as `\x1b`."""
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text.replace("\r\n", "\n"))


def printable(text: str) -> str:
    """A text from outside, safe for a terminal, a chart, a page, XML or Markdown, whose own markup is another matter:
    control characters are spelled out, and only the beginning of a very long text is kept.
    """
    more = len(text) - MOST_TEXT
    return spelled_out(text) if more <= 0 else f"{spelled_out(text[:MOST_TEXT])} … ({more:,} more characters)"


def printable_json(text: str) -> str:
    """A JSON document with unprintable characters as JSON's own escapes, so that its content stays the same."""
    return _UNPRINTABLE.sub(lambda match: json.dumps(match[0])[1:-1], text)


def in_template(value: Any) -> Any:
    """A value for a template: a text becomes printable, markup of our own stays."""
    return value if hasattr(value, "__html__") else printable(str(value))


def shown(value: Any) -> str:
    """A value as tables show it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, int):
        return f"{value:,}"
    return printable(str(value))


def natural(text: str) -> list[tuple[int, int | str]]:
    """A key that sorts 5.10 after 5.9."""
    return [(0, int(part)) if part.isdigit() else (1, part) for part in re.split(r"(\d+)", text) if part]


def percent(share: float | None, digits: int = 0) -> str | None:
    """A share, 0..1, in per cent: `12 %`; None for None."""
    return None if share is None else f"{share:.{digits}%}".replace("%", " %")


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters, cut between two words; an ellipsis marks the cut."""
    if len(text) <= most:
        return text
    return f"{text[: most - 2].rpartition(' ')[0] or text[: most - 2]} …"


def number(value: float) -> str:
    """A number with three or four significant digits."""
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 100:
        return f"{value:.0f}"
    if size >= 10:
        return f"{value:.1f}"
    if size >= 1 or value == 0:
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return f"{value:.3g}"


def nth(what: str, index: int) -> str:
    """The number of an element in sentences: "packet 31" has the index 30. Sentences count from 1, as tools that read
    captures do; indices, and the fields of documents that hold them, count from 0.
    """
    return f"{what} {index + 1}"


def nths(indices: Iterable[int]) -> list[int]:
    """The numbers of several elements, for a list in a sentence: from 1, as `nth` counts."""
    return [index + 1 for index in indices]


def some(values: Sequence[object], most: int = 8) -> str:
    """The first few of a list, for a sentence."""
    shown = ", ".join(str(value) for value in values[:most]) or "nothing"
    return shown + (f" and {len(values) - most} more" if len(values) > most else "")
