# SPDX-License-Identifier: Apache-2.0
"""A scheme: data, and the few functions by which everything that is no scheme uses one.

Each package below `headroom.schemes` has a module `scheme` with the object `SCHEME`. No module outside a scheme's own
package names it: what differs from scheme to scheme is a field of `Scheme`. Functions import what they need when they
are called, so that finding all schemes costs next to nothing.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from headroom.core.errors import UsageError
from headroom.core.metrics import Metric

FOLDER = Path(__file__).resolve().parents[1] / "schemes"


@dataclass(frozen=True)
class Scheme:
    """One scheme. `name` is its word in configurations, declarations and tags; `title` is how sentences call it.

    `roles` are those of an adapter: compressor and decompressor, or endpoint. `compresses` is what it compresses, in a
    word of a title; nothing where it compresses nothing. `metrics` are those that it adds to the registry.
    `report_sections` are functions of records (`report.data.Records`) that make a section of the report each, or None
    where they have nothing to show; they stand in this order. A section with the identity of another goes on with it.
    `papers` are `bench.papers.measured.MeasuredPaper` by key.
    """

    name: str
    title: str
    roles: tuple[str, ...]
    compresses: str = ""
    metrics: Callable[[], Sequence[Metric]] = tuple
    report_sections: Callable[[], Sequence[Callable[..., Any]]] = tuple
    papers: Callable[[], Mapping[str, Any]] = dict


@cache
def all_schemes() -> dict[str, Scheme]:
    """Every scheme by name, in the order of their names."""
    found = sorted(entry.name for entry in pkgutil.iter_modules([str(FOLDER)]) if entry.ispkg)
    schemes = (importlib.import_module(f"headroom.schemes.{name}.scheme").SCHEME for name in found)
    return {scheme.name: scheme for scheme in schemes}


def find(name: str) -> Scheme:
    """A scheme by name. Raises UsageError when there is none."""
    if name not in all_schemes():
        raise UsageError(f"There is no scheme '{name}'. Known: {', '.join(all_schemes())}.")
    return all_schemes()[name]
