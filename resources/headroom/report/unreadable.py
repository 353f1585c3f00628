# SPDX-License-Identifier: Apache-2.0
"""Detection of records that are valid but cannot be read: other tools may write anything into parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headroom.core.console import warn
from headroom.core.errors import HeadroomError, UsageError
from headroom.core.results.store import name_of
from headroom.core.text import some

Items = list[Any]  # records, or objects made of records
Make = Callable[[Items], object]


def unreadable(make: Make, items: Items) -> Items:
    """The items that `make` fails on; none if it fails only on all together."""
    try:
        make(items)
    except Exception:
        if len(items) == 1:
            return items
        half = len(items) // 2
        return [*unreadable(make, items[:half]), *unreadable(make, items[half:])]
    return []


def without(items: Items, wrong: Items) -> Items:
    """The items that are not in `wrong`, by identity."""
    return [item for item in items if not any(item is other for other in wrong)]


def readable(make: Make, items: Items, what: str, name: Callable[[Any], str] = name_of) -> Items:
    """The items that `make` can read; a warning names the others. Raises UsageError if nothing is left."""
    try:
        make(items)
    except HeadroomError:
        raise
    except Exception as error:
        wrong, reason = unreadable(make, items), f"{type(error).__name__}: {error}"
        warn(f"{what} cannot read ({reason}), and leaves out: {some([name(item) for item in wrong or items])}.")
        left = without(items, wrong) if wrong else []
        if not left:
            raise UsageError(f"{what} can read none of the {len(items)} records ({reason}).") from error
        return readable(make, left, what, name)
    return items
