# SPDX-License-Identifier: Apache-2.0
"""The catalogue of defects for the reference: mutants.yaml of each scheme in implementations/reference."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from headroom.core.errors import UsageError
from headroom.core.implementations import Role
from headroom.core.paths import IMPLEMENTATIONS
from headroom.core.run.selection import has_suites
from headroom.core.scheme_registry import all_schemes
from headroom.core.yamlfile import Document, check, read

FOLDER, FILE = IMPLEMENTATIONS / "reference", "mutants.yaml"


@dataclass(frozen=True)
class Mutant:
    """A defect. `suites` are those that run first, as paths below suites/."""

    name: str
    scheme: str
    side: Role
    section: str
    breaks: str
    suites: tuple[str, ...]
    quick: bool = False


def load(folder: Path = FOLDER) -> list[Mutant]:
    """All mutants, in the order of their schemes and files. Raises UsageError with file and line if one is not
    valid.
    """
    mutants: dict[str, Mutant] = {}
    for scheme in all_schemes().values():
        path = folder / scheme.name / FILE
        document = check(read(path), "mutants") if path.is_file() else Document(path, {"mutants": []})
        for index, entry in enumerate(document.data["mutants"]):
            name = entry["name"]
            if name in mutants:
                raise UsageError(document.complaint(("mutants", index, "name"), f"{name} stands here twice."))
            suites = tuple(suite if "/" in suite else f"{scheme.suites}/{suite}" for suite in entry["suites"])
            for place, suite in enumerate(suites):
                if not has_suites(suite):
                    where = ("mutants", index, "suites", place)
                    raise UsageError(document.complaint(where, f"there is no suite {suite}."))
            side, quick = entry["side"], entry.get("quick", False)
            mutants[name] = Mutant(name, scheme.name, side, entry["section"], entry["breaks"], suites, quick)
    return list(mutants.values())


def choose(names: Sequence[str], known: Sequence[Mutant]) -> list[Mutant]:
    """The mutants of some names, all if none is named. Raises UsageError for an unknown name."""
    by_name = {mutant.name: mutant for mutant in known}
    for name in names:
        if name not in by_name:
            close = difflib.get_close_matches(name, by_name, 3)
            hint = f"Close to it: {', '.join(close)}." if close else "See ./headroom test --mutants --dry-run."
            raise UsageError(f"There is no mutant '{name}'. {hint}")
    return [by_name[name] for name in dict.fromkeys(names)] if names else list(known)
