# SPDX-License-Identifier: Apache-2.0
"""Which requirements the suites ask for: tags of cases against resources/requirements."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from headroom.core import requirements
from headroom.core.paths import SUITES
from headroom.core.requirements import Requirement
from headroom.core.run.selection import Case, cases

FOLDERS = ("conformance", "robustness")


@dataclass
class Coverage:
    """The cases that name each requirement, and what is wrong with their tags."""

    by_requirement: dict[str, list[str]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)  # tags that name no requirement
    wrong_level: list[str] = field(default_factory=list)  # cases whose level is not that of their requirements

    def of(self, level: str) -> tuple[list[Requirement], list[Requirement]]:
        """Requirements of a level on an implementation as there are some: those that cases ask for, and the others."""
        known = requirements.load()
        applying = [
            one
            for one in known.values()
            if one.level == level and one.side not in requirements.SURROUNDINGS and not one.not_yet
        ]
        covered = [one for one in applying if self.by_requirement.get(one.id)]
        return covered, [one for one in applying if one not in covered]


def measure(found: Iterable[Case] | None = None) -> Coverage:
    """Reads the suites of conformance and robustness, or takes the cases given."""
    known = requirements.load()
    coverage = Coverage()
    for case in cases([SUITES / name for name in FOLDERS]) if found is None else found:
        named = [tag.partition(":")[2] for tag in case.tags if tag.startswith("req:")]
        levels = {tag.partition(":")[2] for tag in case.tags if tag.startswith("level:")}
        coverage.unknown += [f"{case.id}: {name}" for name in named if name not in known]
        covered = [known[name] for name in named if name in known]
        for one in covered:
            coverage.by_requirement.setdefault(one.id, []).append(case.id)
        right = min((one.level for one in covered), key=requirements.LEVELS.index, default=None)
        if right is not None and levels != {right}:
            coverage.wrong_level.append(
                f"{case.id}: level {', '.join(sorted(levels)) or 'none'}, its requirements say {right}"
            )
    return coverage
