# SPDX-License-Identifier: Apache-2.0
"""Selection of suites and cases for a run: arguments become files, CPU configurations become rows, finished results are
left out.
"""

import copy
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robot.api import SuiteVisitor, TestSuite
from robot.model import TagPatterns
from robot.model.namepatterns import NamePatterns

from headroom.core import requirements
from headroom.core.errors import UsageError
from headroom.core.options import Rows
from headroom.core.paths import ROOT, SUITES, shown
from headroom.core.results.listener import test_id

CPUS = re.compile(r"[1-9]\d*c(-(smt|l3|socket))?")
INTERFACE_KEYWORDS = ROOT / "resources" / "keywords" / "wire.resource"


@dataclass(frozen=True)
class Case:
    """A case as `list suites` shows it."""

    id: str
    suite: str
    name: str
    documentation: str
    tags: tuple[str, ...]
    cpus: str = ""  # the CPU configuration that the row names
    words: tuple[str, ...] = ()  # the keywords that it uses, in small letters


def suite_files(names: Iterable[str], root: Path = SUITES) -> list[Path]:
    """Files and folders of suites:

    `performance`, `performance/voip_flow_pairs`, or a path. Raises UsageError for an unknown name, and for an empty
    one: a variable that is not set would select everything.
    """
    paths = []
    for name in names:
        if not name.strip("/ "):
            raise UsageError(f"'{name}' names no suite; leave it out, or name one, such as conformance.")
        below = name.removeprefix("suites/").removesuffix("/")
        stem = root / below
        for candidate in (stem, stem.with_name(stem.name + ".robot"), Path(name)):
            is_suite = candidate.suffix == ".robot" and candidate.is_file()
            if is_suite or (candidate.is_dir() and next(candidate.rglob("*.robot"), None)):
                paths.append(candidate.resolve())
                break
        else:
            import difflib

            known = suite_names(root)
            begun = [name_below for name_below in known if name_below.startswith(below)]
            close = begun[:9] or difflib.get_close_matches(name, known, 3)
            hint = f"Close to it: {', '.join(close)}." if close else "`./headroom list suites` names them all."
            raise UsageError(f"There is no suite '{name}' below {shown(root)}. {hint}")
    return paths


def has_interface_cases(paths: Iterable[Path]) -> bool:
    """True if any of some suites imports the keywords for interfaces."""
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*.robot"))]
    imports = {file.with_name("imports.resource") for file in files}
    return any(
        INTERFACE_KEYWORDS.name in one.read_text(encoding="utf-8") for one in (*files, *imports) if one.is_file()
    )


def has_rows(given: Iterable[Case], rows: Rows) -> bool:
    """True if any of some cases is a row that uses an option."""
    return any(rows.keyword.lower() in case.words for case in given)


def has_suites(name: str, root: Path = SUITES) -> bool:
    """True if there is a suite of that name, or a folder of that name with a suite in it."""
    return (root / f"{name}.robot").is_file() or any((root / name).rglob("*.robot"))


def suite_names(root: Path = SUITES) -> list[str]:
    """The names of all suites: their paths below suites/ without suffix."""
    return sorted(
        path.relative_to(root).with_suffix("").as_posix()
        for path in root.rglob("*.robot")
        if not path.name.startswith("__init__")
    )


def cases(paths: Iterable[Path]) -> list[Case]:
    """Every case of some suites, read but not run."""
    result: list[Case] = []
    for path in paths:
        pending = [TestSuite.from_file_system(path, included_files=["*.robot"])]
        while pending:
            suite = pending.pop(0)
            pending = [*suite.suites, *pending]
            for test in suite.tests:
                identity = test_id(test.source, test.name)
                result.append(
                    Case(
                        identity,
                        identity.removesuffix(f"/{test.name}"),
                        test.name,
                        str(test.doc or suite.doc),
                        tuple(str(tag) for tag in test.tags),
                        row_of(test),
                        tuple(str(step.name).lower() for step in test.body if getattr(step, "name", None)),
                    )
                )
    return result


def chosen(
    given: Iterable[Case],
    names: Collection[str] = (),
    tags: Collection[str] = (),
    excluded: Collection[str] = (),
    cpus: Collection[str] = (),
) -> list[Case]:
    """The cases that a run would select: by name (`--case`), by tag and by CPU configuration, as Robot matches the
    patterns.
    """
    named, having, without = NamePatterns(names), TagPatterns(tags), TagPatterns(excluded)
    return [
        case
        for case in given
        if (not names or named.match(case.name))
        and (not tags or having.match(case.tags))
        and not without.match(case.tags)
        and (not cpus or not case.cpus or case.cpus in cpus)
    ]


def why_untested(tags: Collection[str]) -> list[str]:
    """The reasons why no case may name any requirement that some tags select. Empty if a case may name one of them."""
    selecting = TagPatterns([tag for tag in tags if tag.startswith("req:")])
    reasons = [
        requirement.why_untested
        for requirement in requirements.load().values()
        if selecting.match([f"req:{requirement.id}"])
    ]
    return list(dict.fromkeys(reasons)) if all(reasons) else []


class Filter(SuiteVisitor):
    """A pre-run modifier of Robot that leaves only the cases that `keeps` accepts."""

    def __init__(self, keeps: Callable[[Any], bool]) -> None:
        self.keeps = keeps

    def start_suite(self, suite: Any) -> None:
        suite.tests = [test for test in suite.tests if self.keeps(test)]

    def end_suite(self, suite: Any) -> None:
        suite.suites = [child for child in suite.suites if child.has_tests]


def only(cases: Collection[str]) -> Filter:
    """Leaves only the cases of these identities."""
    return Filter(lambda test: test_id(test.source, test.name) in cases)


class Selection(Filter):
    """A pre-run modifier of Robot that leaves the rows of the chosen CPU configurations without the finished ones.

    A row names its CPU configuration as an argument. A configuration without rows of its own (say 8c) gets copies of
    the rows of 1c.
    """

    def __init__(self, cpus: Collection[str] = (), done: Collection[str] = ()) -> None:
        super().__init__(lambda test: test_id(test.source, test.name) not in done)
        self.cpus = tuple(cpus)

    def start_suite(self, suite: Any) -> None:
        if self.cpus:
            self._choose_rows(suite)
        super().start_suite(suite)

    def _choose_rows(self, suite: Any) -> None:
        rows = {test.name: row for test in suite.tests if (row := row_of(test))}
        known = set(rows.values())
        extra = []
        for name in self.cpus:
            if known and name not in known:
                extra += [_copy_row(test, name) for test in suite.tests if rows.get(test.name) == "1c"]
        suite.tests = [test for test in suite.tests if rows.get(test.name, "") in ("", *self.cpus)] + extra


def row_of(test: Any) -> str:
    """The CPU configuration that a row of a table names; "" if the case names none."""
    arguments = [str(argument) for step in test.body for argument in getattr(step, "args", ())]
    return next((argument for argument in arguments if CPUS.fullmatch(argument)), "")


def _copy_row(test: Any, name: str) -> Any:
    clone = copy.deepcopy(test)
    renamed = re.sub(r"^One Core\b", f"{name.removesuffix('c')} Cores", test.name)
    clone.name = renamed if renamed != test.name else f"{test.name} On {name}"
    for step in clone.body:
        step.args = tuple(name if argument == "1c" else argument for argument in step.args)
    return clone


def requirement_tags(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """Splits arguments into suites and tags: `RFC3095-5.3.1` selects every case of that section's requirements, and
    `RFC4077` those of the whole document. Raises UsageError if a word can only be a reference and refers to nothing.
    """
    known = requirements.load()
    suites, tags = [], []
    for word in words:
        if known.is_reference(word) and not has_suites(word):
            known.check_reference(word)
            tags += [f"req:{word}", f"req:{word}-*", f"req:{word}.*"]
        else:
            suites.append(word)
    return suites, tags
