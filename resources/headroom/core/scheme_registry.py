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
    found = sorted(entry.name for entry in pkgutil.iter_modules([str(FOLDER)]) if entry.ispkg)
    schemes = (importlib.import_module(f"headroom.schemes.{name}.scheme").SCHEME for name in found)
    return {scheme.name: scheme for scheme in schemes}


def find(name: str) -> Scheme:
    """A scheme by name. Raises UsageError when there is none."""
    if name not in all_schemes():
        raise UsageError(f"There is no scheme '{name}'. Known: {', '.join(all_schemes())}.")
    return all_schemes()[name]


def workload_of(name: str) -> Workload:
    """How a scheme is measured, by its name. Raises UsageError when there is none, or it has no workload."""
    scheme = find(name)
    if scheme.workload is None:
        known = ", ".join(one.name for one in all_schemes().values() if one.workload)
        raise UsageError(f"{scheme.title} has no workload of flow pairs. Known: {known}.")
    return scheme.workload()


# ---- the interop matrix: which schemes, and whose a word is


@cache
def in_matrix() -> dict[str, Scheme]:
    """The schemes of the matrix, by name."""
    return {name: one for name, one in all_schemes().items() if one.axes and one.interop}


def axis_options() -> dict[str, list[Scheme]]:
    """The options that choose values of axes, each with the schemes that have it."""
    found: dict[str, list[Scheme]] = {}
    for scheme in in_matrix().values():
        for axis in scheme.axes:
            found.setdefault(axis.option, []).append(scheme)
    return found


def owners(option: str, word: str) -> list[Scheme]:
    """The schemes for which a word after an option names something. Traffic that no scheme knows by its name is of
    those that carry captures and recordings."""
    if option == "links":
        return [one for one in in_matrix().values() if word in [link.name for link in one.links]]
    if option == "traffic":
        found = [one for one in in_matrix().values() if word in one.cells().traffic_names()]
        return found or [one for one in in_matrix().values() if one.cells().captures]
    return axis_options().get(option, [])


def named(words: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The schemes that some words, by option, can only mean, each with the first word that says so."""
    found: dict[str, str] = {}
    for option in (*axis_options(), "traffic", "links"):
        chosen = words.get(option, ())
        for word in chosen if option in ("traffic", "links") else [option][: len(chosen)]:
            mine = owners(option, word)
            if len(mine) == 1:
                found.setdefault(mine[0].name, word)
    return found


def of_axes(names: Collection[str], suite: str = "") -> Scheme:
    """The scheme of a row of a suite that names these axes. Where schemes share axes, the suite has the scheme's name.
    Raises UsageError where there is no scheme, or more than one."""
    having = [one for one in in_matrix().values() if set(names) <= {axis.name for axis in one.axes}]
    found = [one for one in having if one.name == suite] or having
    if len(found) == 1 and names:
        return found[0]
    known = "; ".join(f"{one.name} {', '.join(axis.name for axis in one.axes)}" for one in in_matrix().values())
    raise UsageError(f"No scheme, or more than one, has the axes {', '.join(names) or '(none)'}. Known: {known}.")
