# SPDX-License-Identifier: Apache-2.0
"""Coverage of requirements by the suites: tags of cases, compared with resources/requirements."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from headroom.core import requirements
from headroom.core.paths import SUITES
from headroom.core.requirements import Requirement
from headroom.core.run.selection import Case, cases

FOLDERS = ("conformance", "robustness")


@dataclass
class Coverage:
    """The cases that name each requirement, and the errors in their tags."""

    by_requirement: dict[str, list[str]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)  # tags that name no requirement
    wrong_level: list[str] = field(default_factory=list)  # cases whose level is not that of their requirements

    def of(self, level: str) -> tuple[list[Requirement], list[Requirement]]:
        """The requirements of a level that bind our implementations: those with cases, and the others."""
        known = requirements.load()
        applying = [
            requirement
            for requirement in known.values()
            if requirement.level == level
            and requirement.side not in requirements.SURROUNDINGS
            and not requirement.not_yet
        ]
        covered = [requirement for requirement in applying if self.by_requirement.get(requirement.id)]
        return covered, [requirement for requirement in applying if requirement not in covered]


def measure(given: Iterable[Case] | None = None) -> Coverage:
    """Reads the suites of conformance and robustness, or takes the given cases."""
    known = requirements.load()
    coverage = Coverage()
    for case in cases([SUITES / name for name in FOLDERS]) if given is None else given:
        named = [tag.partition(":")[2] for tag in case.tags if tag.startswith("req:")]
        levels = {tag.partition(":")[2] for tag in case.tags if tag.startswith("level:")}
        coverage.unknown += [f"{case.id}: {name}" for name in named if name not in known]
        covered = [known[name] for name in named if name in known]
        for requirement in covered:
            coverage.by_requirement.setdefault(requirement.id, []).append(case.id)
        right = min((requirement.level for requirement in covered), key=requirements.LEVELS.index, default=None)
        if right is not None and levels != {right}:
            coverage.wrong_level.append(
                f"{case.id}: level {', '.join(sorted(levels)) or 'none'}, its requirements say {right}"
            )
    return coverage
