# SPDX-License-Identifier: Apache-2.0
"""Declared deviations in cells: what implementation.yaml says beforehand, and whether it is still so."""

from __future__ import annotations

from typing import Any

from headroom import implementations
from headroom.implementations import Deviation
from headroom.interop.links import Condition
from headroom.interop.matrix import Cell


def matching(cell: Cell) -> list[tuple[str, Deviation]]:
    """Deviations that either side declares for a cell, with the name of who does."""
    row = cell.row
    words = cell.words()
    found = []
    for name, role, peer in (
        (row.compressor, "compressor", row.decompressor),
        (row.decompressor, "decompressor", row.compressor),
    ):
        values = {
            "peers": implementations.find(peer).name,
            "profiles": row.profile,
            "modes": row.mode,
            "cids": row.cids,
            "traffic": words["traffic"],
            "links": cell.link,
        }
        for one in implementations.find(name).deviations:
            if one.cells and role in one.roles and all(values[key] in chosen for key, chosen in one.cells.items()):
                found.append((name, one))
    return found


def declared(cell: Cell, result: dict[str, Any]) -> dict[str, Any]:
    """What a declaration makes of a cell that did not pass: unsupported, with both reasons. A crash stays a crash."""
    if result["verdict"] not in ("fail", "non-strict"):
        return {}
    for name, one in matching(cell):
        reason = f"Declared deviation of {name}: {one.reason.strip()} Here: {result['reason']}"
        return {"verdict": "unsupported", "reason": reason}
    return {}


def passed(cell: Cell, condition: Condition) -> dict[str, Any]:
    """What a declaration makes of a cell that passed: a failure, for it is no longer true.

    Over a link that loses packets by chance the deviation may just not have been met, which proves nothing.
    """
    if not condition.harmless:
        return {}
    for name, one in matching(cell):
        reason = f"{name} declares to deviate here ({one.reason.strip()}), but the cell passes: take it away."
        return {"verdict": "fail", "reason": reason, "signature": "a declared deviation is no more"}
    return {}
