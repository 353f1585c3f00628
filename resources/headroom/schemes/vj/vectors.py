# SPDX-License-Identifier: Apache-2.0
"""Link packets written by hand from RFC 1144, and what a decompressor must make of them: resources/vectors/vj."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from headroom.core.paths import VECTORS
from headroom.core.vectors import documents, entries
from headroom.schemes.vj.judge.decompressor import ERROR
from headroom.schemes.vj.judge.packet import COMPRESSED, IP, UNCOMPRESSED
from headroom.schemes.vj.line import Arrival

FOLDER = VECTORS / "vj"
TYPES = {"ip": IP, "compressed": COMPRESSED, "uncompressed": UNCOMPRESSED, "error": ERROR, "unknown": 0x4021}


@dataclass(frozen=True)
class Vector:
    """`shows` is the sentence that it rests on, of a `requirement`. Each arrival has what must come out, None for
    nothing."""

    name: str
    requirement: str
    shows: str
    max_slot_id: int
    arrivals: tuple[Arrival, ...]


@cache
def load() -> dict[str, Vector]:
    """All vectors by name. Raises UsageError with file and line where a file is not valid."""
    found = entries(documents(FOLDER, "schemes/vj/vectors"), "vectors")
    return {name: _vector(entry.data) for name, entry in found.items()}


def _vector(entry: dict[str, Any]) -> Vector:
    arrivals = tuple(
        Arrival(
            TYPES[step["type"]],
            bytes.fromhex(step.get("link", "")),
            bytes.fromhex(step["out"]) if "out" in step else None,
            time_ns=number * 1_000_000,
            other=bytes.fromhex(step["or"]) if "or" in step else None,
            free=step.get("free", False),
        )
        for number, step in enumerate(entry["steps"])
    )
    return Vector(entry["name"], entry["requirement"], entry["shows"], entry.get("max_slot_id", 15), arrivals)
