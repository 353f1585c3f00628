# SPDX-License-Identifier: Apache-2.0
"""The registry of schemes: finds schemes by their folders, and by words of the interop matrix.

Each package below `headroom.schemes` has a module `scheme` with the object `SCHEME` (`core.contract.Scheme`). No module
outside a scheme's own package names it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from headroom.core.contract import Scheme
from headroom.core.errors import UsageError

if TYPE_CHECKING:
    from headroom.core.workload import Workload

FOLDER = Path(__file__).resolve().parents[1] / "schemes"


@cache
def all_schemes() -> dict[str, Scheme]:
    """Every scheme by name, in the order of their names."""
    names = sorted(entry.name for entry in pkgutil.iter_modules([str(FOLDER)]) if entry.ispkg)
    schemes = (importlib.import_module(f"headroom.schemes.{name}.scheme").SCHEME for name in names)
    return {scheme.name: scheme for scheme in schemes}


def find(name: str) -> Scheme:
    """The scheme of a name. Raises UsageError if there is none."""
    if name not in all_schemes():
        raise UsageError(f"There is no scheme '{name}'. Known: {', '.join(all_schemes())}.")
    return all_schemes()[name]


def workload_of(name: str) -> Workload:
    """The workload of a scheme, by its name. Raises UsageError if there is no such scheme, or it has no workload."""
    scheme = find(name)
    if scheme.workload is None:
        known = ", ".join(scheme.name for scheme in all_schemes().values() if scheme.workload)
        raise UsageError(f"{scheme.title} has no workload of flow pairs. Known: {known}.")
    return scheme.workload()


# ---- the interop matrix: its schemes, and the schemes of words


@cache
def in_matrix() -> dict[str, Scheme]:
    """The schemes of the matrix, by name."""
    return {name: scheme for name, scheme in all_schemes().items() if scheme.axes and scheme.interop}


def axis_options() -> dict[str, list[Scheme]]:
    """The options that choose values of axes, each with the schemes that have it."""
    by_option: dict[str, list[Scheme]] = {}
    for scheme in in_matrix().values():
        for axis in scheme.axes:
            by_option.setdefault(axis.option, []).append(scheme)
    return by_option


def owners(option: str, word: str) -> list[Scheme]:
    """The schemes for which a word after an option names something. Traffic with an unknown name belongs to the schemes
    that carry captures and recordings.
    """
    if option == "links":
        return [scheme for scheme in in_matrix().values() if word in [link.name for link in scheme.links]]
    if option == "traffic":
        schemes = [scheme for scheme in in_matrix().values() if word in scheme.cells().traffic_names()]
        return schemes or [scheme for scheme in in_matrix().values() if scheme.cells().captures]
    return axis_options().get(option, [])


def named(words: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The schemes that some words, by option, can only belong to, each with the first word that proves it."""
    schemes: dict[str, str] = {}
    for option in (*axis_options(), "traffic", "links"):
        chosen = words.get(option, ())
        for word in chosen if option in ("traffic", "links") else [option][: len(chosen)]:
            mine = owners(option, word)
            if len(mine) == 1:
                schemes.setdefault(mine[0].name, word)
    return schemes


def of_axes(names: Collection[str], suite: str = "") -> Scheme:
    """The scheme of a suite's row with these axes. If schemes share axes, the suite has the scheme's name. Raises
    UsageError if there is no scheme, or more than one.
    """
    having = [scheme for scheme in in_matrix().values() if set(names) <= {axis.name for axis in scheme.axes}]
    candidates = [candidate for candidate in having if candidate.name == suite] or having
    if len(candidates) == 1 and names:
        return candidates[0]
    known = "; ".join(
        f"{scheme.name} {', '.join(axis.name for axis in scheme.axes)}" for scheme in in_matrix().values()
    )
    raise UsageError(f"No scheme, or more than one, has the axes {', '.join(names) or '(none)'}. Known: {known}.")
