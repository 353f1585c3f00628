# SPDX-License-Identifier: Apache-2.0
"""The defects that the reference can be given: implementations/reference/mutants.yaml."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from headroom.core.errors import UsageError
from headroom.core.implementations import Role
from headroom.core.paths import IMPLEMENTATIONS
from headroom.core.run.selection import has_suites
from headroom.core.scheme import all_schemes
from headroom.core.yamlfile import check, read

PATH = IMPLEMENTATIONS / "reference" / "mutants.yaml"


@dataclass(frozen=True)
class Mutant:
    """One defect. `suites` are those that are asked first, as paths below suites/."""

    name: str
    side: Role
    section: str
    breaks: str
    suites: tuple[str, ...]
    quick: bool = False


def load(path: Path = PATH) -> list[Mutant]:
    """All mutants in the order of the file. Raises UsageError with file and line when it is not valid."""
    document = check(read(path), "mutants")
    found: dict[str, Mutant] = {}
    for index, entry in enumerate(document.data["mutants"]):
        name = entry["name"]
        if name in found:
            raise UsageError(document.complaint(("mutants", index, "name"), f"{name} stands here twice."))
        folder = suites_of(entry["side"])
        suites = tuple(suite if "/" in suite else f"{folder}/{suite}" for suite in entry["suites"])
        for place, suite in enumerate(suites):
            if not has_suites(suite):
                where = ("mutants", index, "suites", place)
                raise UsageError(document.complaint(where, f"there is no suite {suite}."))
        found[name] = Mutant(name, entry["side"], entry["section"], entry["breaks"], suites, entry.get("quick", False))
    return list(found.values())


def suites_of(side: Role) -> str:
    """The conformance suites of the scheme that has a side, the default one if several have it."""
    having = [scheme for scheme in all_schemes().values() if side in scheme.roles and scheme.suites]
    return max(having, key=lambda scheme: scheme.is_default).suites


def choose(names: Sequence[str], known: Sequence[Mutant]) -> list[Mutant]:
    """Mutants by name, all when none is named. Raises UsageError when there is no such mutant."""
    by_name = {one.name: one for one in known}
    for name in names:
        if name not in by_name:
            close = difflib.get_close_matches(name, by_name, 3)
            hint = f"Close to it: {', '.join(close)}." if close else "implementations/reference/mutants.yaml has them."
            raise UsageError(f"There is no mutant '{name}'. {hint}")
    return [by_name[name] for name in dict.fromkeys(names)] if names else list(known)
