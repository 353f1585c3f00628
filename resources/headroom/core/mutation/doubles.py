# SPDX-License-Identifier: Apache-2.0
"""Doubles: the reference as another correct implementation, which the conformance suites must not fail.

Each `may` and each `should` of a requirement file is a freedom. doubles.yaml of a scheme in implementations/reference
names the doubles that use them, and the reason why no double uses the others. A case that fails a double is a defect of
the suites.
"""

import difflib
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from headroom.core import requirements
from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError
from headroom.core.machine import build
from headroom.core.mutation import campaign
from headroom.core.mutation.hunt import Outcome, Task
from headroom.core.paths import DEFAULT_BUILD, IMPLEMENTATIONS, build_folder, shown
from headroom.core.requirements import Requirement
from headroom.core.run.selection import has_suites
from headroom.core.scheme_registry import all_schemes
from headroom.core.yamlfile import Document, check, read

FOLDER, FILE = IMPLEMENTATIONS / "reference", "doubles.yaml"
LIBRARY, ORDINARY = "lib/doubles/reference.so", "lib/reference.so"
OF_LIBRARY = ("habits", "proxy")  # options that only the doubles' library knows


@dataclass(frozen=True)
class Double:
    """A double. `freedoms` are ids of requirements; `suites` are paths below suites/."""

    name: str
    scheme: str
    side: str
    uses: str
    freedoms: tuple[str, ...]
    suites: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    capabilities: Mapping[str, Any] = field(default_factory=dict)

    @property
    def can_be_non_strict(self) -> bool:
        """True if the double leaves out a SHOULD: a case about that SHOULD gets the verdict "non-strict"."""
        known = requirements.load()
        return any(known[name].level == "should" for name in self.freedoms)

    def library(self, build_name: str) -> Path:
        own = any(name in self.options for name in OF_LIBRARY)
        return build_folder(build_name) / (LIBRARY if own else ORDINARY)


@dataclass(frozen=True)
class Catalogue:
    """All doubles by name. `reasons` holds, by requirement, the reason why no double uses a freedom."""

    doubles: Mapping[str, Double]
    reasons: Mapping[str, str]

    def find(self, name: str) -> Double:
        """The double of a name. Raises UsageError if there is none."""
        if name not in self.doubles:
            close = difflib.get_close_matches(name, self.doubles, 3)
            hint = f"Close to it: {', '.join(close)}." if close else "See ./headroom test --doubles --dry-run."
            raise UsageError(f"There is no double '{name}'. {hint}")
        return self.doubles[name]

    def users(self, requirement: str) -> list[str]:
        """The names of the doubles that use a freedom."""
        return [double.name for double in self.doubles.values() if requirement in double.freedoms]


def freedoms(scheme: str = "") -> list[Requirement]:
    """The requirements that leave an implementation of a scheme, or of any scheme, free."""
    return [
        requirement
        for requirement in requirements.load().values()
        if requirement.level in ("may", "should")
        and requirement.side not in requirements.SURROUNDINGS
        and not requirement.not_yet
        and scheme in ("", requirement.scheme)
    ]


@cache
def load(folder: Path = FOLDER) -> Catalogue:
    """The doubles of all schemes. Raises UsageError with file and line if a file is not valid, names a requirement that
    is not a freedom, or gives a reason for a freedom that a double uses.
    """
    doubles: dict[str, Double] = {}
    reasons: dict[str, str] = {}
    for scheme in all_schemes().values():
        path = folder / scheme.name / FILE
        if not path.is_file():
            continue
        document = check(read(path), "doubles")
        for index, entry in enumerate(document.data["doubles"]):
            where = ("doubles", index)
            name = entry["name"]
            if name in doubles:
                raise UsageError(document.complaint((*where, "name"), f"{name} stands here twice."))
            _check_freedoms(document, (*where, "freedoms"), entry.get("freedoms", ()))
            suites = tuple(suite if "/" in suite else f"{scheme.suites}/{suite}" for suite in entry["suites"])
            for place, suite in enumerate(suites):
                if not has_suites(suite):
                    raise UsageError(document.complaint((*where, "suites", place), f"there is no suite {suite}."))
            doubles[name] = Double(
                name,
                scheme.name,
                entry["side"],
                entry["uses"],
                tuple(entry.get("freedoms", ())),
                suites,
                entry.get("options", {}),
                entry.get("capabilities", {}),
            )
        for index, entry in enumerate(document.data.get("without", ())):
            where = ("without", index, "freedoms")
            _check_freedoms(document, where, entry["freedoms"])
            reasons |= dict.fromkeys(entry["freedoms"], entry["reason"])
    return Catalogue(doubles, reasons)


def _check_freedoms(document: Document, where: tuple[str | int, ...], names: Sequence[str]) -> None:
    known = requirements.load()
    for place, name in enumerate(names):
        if known.get_known(name, shown(document.path)).level not in ("may", "should"):
            raise UsageError(document.complaint((*where, place), f"{name} is a must: it leaves nothing open."))


def ask(double: Double, hunt: Callable[[Task], Outcome], build_name: str, every_suite: bool = False) -> Outcome:
    """Runs all cases of a double's suites on it, or every suite of its scheme.

    Raises EnvironmentLacks if its library is not built, HeadroomError if the suites cannot be run.
    """
    library = double.library(build_name)
    if not library.is_file():
        raise EnvironmentLacks(f"The doubles are not built (target adapter_reference_doubles of {build_name}).")
    options = dict(double.options)
    if "proxy" in options:
        options["proxy"] = {"scheme": double.scheme, **options["proxy"]}
    with tempfile.TemporaryDirectory(prefix="headroom-double-") as folder:
        return hunt(
            Task(
                double.name,
                "",
                double.side,
                str(library),
                build_name,
                folder,
                suites=[] if every_suite else list(double.suites),
                options=options,
                capabilities=dict(double.capabilities),
                scheme=double.scheme,
                to_the_end=True,
            )
        )


def wrongly_judged(double: Double, outcome: Outcome) -> list[str]:
    """The wrongly judged cases of a double, as sentences: cases that fail or end in an error, and, if the double leaves
    out no SHOULD, cases with the verdict "non-strict" (a missed SHOULD).
    """
    return [
        f"{error.case} is {error.verdict} ({error.reason})"
        for error in (*outcome.found, *outcome.errors)
        if error.verdict != "non-strict" or not double.can_be_non_strict
    ]


@dataclass(frozen=True)
class Row:
    """The outcome of a double: how many cases ran and passed, and the sentences of `wrongly_judged`."""

    double: Double
    cases: int
    passed: int
    wrong: Sequence[str]

    def as_json(self) -> dict[str, Any]:
        double = self.double
        return {
            "name": double.name,
            "scheme": double.scheme,
            "side": double.side,
            "uses": double.uses,
            "freedoms": list(double.freedoms),
            "cases": self.cases,
            "passed": self.passed,
            "wrong": list(self.wrong),
        }


def ask_all(chosen: Sequence[Double], say: Callable[[str], None]) -> list[Row]:
    """Builds the doubles, and runs every case of their schemes on them, as many at a time as there are CPUs. If the
    suites cannot be run on a double, its row has the reason. Raises EnvironmentLacks if the build fails.
    """
    build.ensure(DEFAULT_BUILD, ["bin/headroom-engine", LIBRARY, ORDINARY], say=say)

    def row(double: Double) -> Row:
        try:
            outcome = ask(double, processes.hunt, DEFAULT_BUILD, every_suite=True)
            outcome_row = Row(double, outcome.cases, len(outcome.passed), wrongly_judged(double, outcome))
        except HeadroomError as error:
            outcome_row = Row(double, 0, 0, [str(error)])
        say(
            f"{double.name}: {outcome_row.passed} of {outcome_row.cases} cases pass, {len(outcome_row.wrong)} judge "
            "it wrongly"
        )
        return outcome_row

    with campaign.Processes() as processes, ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        try:
            return list(pool.map(row, chosen))
        except BaseException:
            processes.stop()
            raise
