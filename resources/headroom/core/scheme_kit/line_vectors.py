# SPDX-License-Identifier: Apache-2.0
"""Link packets written by hand, and the output that they require of the decompressor of a line:
resources/vectors/<scheme>.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from headroom.core.paths import VECTORS
from headroom.core.scheme_kit.line import Arrival, Line
from headroom.core.vectors import documents, entries


@dataclass(frozen=True)
class Vector:
    """A vector. `shows` is the sentence of the `requirement` that it rests on. Each arrival has its required output,
    None for nothing.
    """

    name: str
    requirement: str
    shows: str
    channel: Mapping[str, Any]
    arrivals: tuple[Arrival, ...]


@dataclass(frozen=True)
class LineVectors:
    """The vectors of a line's scheme. `types` maps the words of its files to types of link packets."""

    line: Line
    types: Mapping[str, int]

    @property
    def folder(self) -> Path:
        return VECTORS / self.line.scheme

    @cached_property
    def by_name(self) -> dict[str, Vector]:
        """All vectors by name. Raises UsageError with file and line if a file is not valid."""
        vectors = entries(documents(self.folder, f"schemes/{self.line.scheme}/vectors"), "vectors")
        return {name: self._vector(entry.data) for name, entry in vectors.items()}

    def _vector(self, entry: dict[str, Any]) -> Vector:
        arrivals = tuple(
            Arrival(
                self.types[step["type"]],
                bytes.fromhex(step.get("link", "")),
                bytes.fromhex(step["out"]) if "out" in step else None,
                time_ns=number * 1_000_000,
                other=bytes.fromhex(step["or"]) if "or" in step else None,
                free=step.get("free", False),
            )
            for number, step in enumerate(entry["steps"])
        )
        channel = {name: entry.get(name, value) for name, value in self.line.defaults.items()}
        return Vector(entry["name"], entry["requirement"], entry["shows"], channel, arrivals)
