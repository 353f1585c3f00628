# SPDX-License-Identifier: Apache-2.0
"""Values as people read them, in the terminal and in the report."""

from collections.abc import Sequence
from typing import Any


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
    return str(value)


def percent(share: float | None, digits: int = 0) -> str | None:
    """A share, 0..1, in per cent: `12 %`; None where there is none."""
    return None if share is None else f"{share:.{digits}%}".replace("%", " %")


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters, cut between two words; an ellipsis shows that there is more."""
    if len(text) <= most:
        return text
    return f"{text[: most - 2].rpartition(' ')[0] or text[: most - 2]} …"


def number(value: float) -> str:
    """A number with three or four digits that count."""
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


def some(values: Sequence[object], most: int = 8) -> str:
    """The first few of a list, for a sentence."""
    shown = ", ".join(str(value) for value in values[:most]) or "nothing"
    return shown + (f" and {len(values) - most} more" if len(values) > most else "")
