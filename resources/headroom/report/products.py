# SPDX-License-Identifier: Apache-2.0
"""The products that records are about, as text: name, version and digest of each implementation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

ROLES = ("compressor", "decompressor")
DIGITS = 12  # digits of a digest in a sentence


def described(side: dict[str, Any]) -> str:
    """An implementation of a record as text: `codec 2.1 (SHA-256 1f2e3d4c5b6a)`."""
    name = f"{side['name']} {side['version']}" if side.get("version") else f"{side['name']} of unknown version"
    digest = side.get("sha256")
    text = (
        f"{name} (SHA-256 {digest[:DIGITS]})" if digest else f"{name} (no digest: {side.get('reason') or 'not known'})"
    )
    more = (f"{name} (SHA-256 {(digest or 'not known')[:DIGITS]})" for name, digest in libraries(side))
    return " with ".join((text, *more))


def libraries(side: dict[str, Any]) -> list[tuple[str, str | None]]:
    """Names and digests of the libraries of others that an implementation of a record brings along or opens."""
    opens = side.get("opens")
    opened = [((opens.get("path") or "?").rpartition("/")[2], opens.get("sha256"))] if opens else []
    return [*opened, *sorted((side.get("beside") or {}).items())]


def products(records: Iterable[dict[str, Any]], role: str) -> list[str]:
    """The products in one role, each once, in the order of the records."""
    return list(dict.fromkeys(described(record[role]) for record in records if record[role]))


@dataclass(frozen=True)
class Pair:
    """The implementations of one role in two runs."""

    role: str
    a: str
    b: str

    @property
    def is_same(self) -> bool:
        return self.a == self.b


def pairs(a: Iterable[dict[str, Any]], b: Iterable[dict[str, Any]]) -> list[Pair]:
    """The implementations of two runs, role by role. Two roles with the same implementations in both runs become one
    row.
    """
    runs = [list(records) for records in (a, b)]
    rows = [Pair(role, *("; ".join(products(records, role)) or "none" for records in runs)) for role in ROLES]
    if rows[0].a == rows[1].a and rows[0].b == rows[1].b:
        return [Pair("both sides", rows[0].a, rows[0].b)]
    return rows
