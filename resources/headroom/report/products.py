# SPDX-License-Identifier: Apache-2.0
"""The products that records are about, as people read them: name, version and digest of each implementation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

ROLES = ("compressor", "decompressor")
DIGITS = 12  # of a digest in a sentence


def described(side: dict[str, Any]) -> str:
    """One implementation of a record: `codec 2.1 (SHA-256 1f2e3d4c5b6a)`."""
    name = f"{side['name']} {side['version']}" if side.get("version") else f"{side['name']} of unknown version"
    digest = side.get("sha256")
    text = (
        f"{name} (SHA-256 {digest[:DIGITS]})" if digest else f"{name} (no digest: {side.get('reason') or 'not known'})"
    )
    opens = side.get("opens")
    if not opens:
        return text
    library = (opens.get("path") or "?").rpartition("/")[2]
    return f"{text} with {library} (SHA-256 {(opens.get('sha256') or 'not known')[:DIGITS]})"


def products(records: Iterable[dict[str, Any]], role: str) -> list[str]:
    """Those of one role, each once, in the order of the records."""
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
    """The implementations of two runs, role by role. Roles that both runs fill alike are one."""
    runs = [list(records) for records in (a, b)]
    found = [Pair(role, *("; ".join(products(records, role)) or "none" for records in runs)) for role in ROLES]
    if found[0].a == found[1].a and found[0].b == found[1].b:
        return [Pair("both sides", found[0].a, found[0].b)]
    return found
