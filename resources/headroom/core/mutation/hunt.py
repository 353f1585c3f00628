# SPDX-License-Identifier: Apache-2.0
"""The conformance suites looking for one mutant, case by case, until one finds it.

It runs as a process of its own, for Robot Framework keeps much of its state in the process: what to do comes as JSON
on stdin, what came of it goes to stdout.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from robot.api import SuiteVisitor

from headroom.core import implementations
from headroom.core.errors import HeadroomError
from headroom.core.mutation.catalogue import suites_of
from headroom.core.paths import ROOT, SUITES
from headroom.core.results.listener import Listener, test_id
from headroom.core.results.record import Record
from headroom.core.run.selection import suite_files
from headroom.core.settings import Settings

FINDS = ("fail", "non-strict")  # An error or a case that does not apply says nothing about an implementation.


@dataclass
class Task:
    """`side` is that which gets the mutant; `mutant` is empty for the reference as it should be.

    `suites` are asked first, then all others; with `cases`, only these cases, and all of them. `options` join those
    of the configuration, `capabilities` take the place of those that the reference declares.
    """

    name: str
    mutant: str
    side: str
    library: str
    build: str
    folder: str
    suites: list[str] = field(default_factory=list)
    cases: list[str] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    capabilities: dict[str, Any] = field(default_factory=dict)


@dataclass
class CaseResult:
    """One case: its verdict, its requirements, and its reason."""

    case: str
    verdict: str
    requirements: list[str]
    reason: str


@dataclass
class Outcome:
    """What the suites said. `caught` is the first case that finds the mutant, None when none does; `found` are all that
    find fault, of those that were asked."""

    name: str
    caught: CaseResult | None = None
    cases: int = 0
    passed: list[str] = field(default_factory=list)
    errors: list[CaseResult] = field(default_factory=list)
    seconds: float = 0.0
    found: list[CaseResult] = field(default_factory=list)


class Hunter(Listener):
    """Looks at each record instead of writing it, and ends the run at the first one that finds something."""

    def __init__(self, folder: Path, settings: Settings, outcome: Outcome, stop: bool) -> None:
        super().__init__(folder, settings)
        self.outcome = outcome
        self.stop = stop

    def end_test(self, data: Any, result: Any) -> None:
        if self.interrupted:
            return
        record = self.record(data, result)
        self.outcome.cases += 1
        if record.verdict == "pass":
            self.outcome.passed.append(record.test.id)
        elif record.verdict == "error":
            self.outcome.errors.append(_found(record))
        elif record.verdict in FINDS:
            self.outcome.found.append(_found(record))
            self.outcome.caught = self.outcome.found[0]
            self.interrupted = self.stop


# Keywords that a case about one side alone begins with.
OF_DECOMPRESSOR = ("Vectors Should Be Decompressed", "A Decompressor")
OF_COMPRESSOR = ("A Compressor",)
OF_STORIES = (
    "It Sends",
    "It Is Given",
    "It Is Given In Vain",
    "It Is Signalled",
    "No Single Loss Behind The Last Feedback Should Hurt Another Packet",
    "It Receives",
    "Its Flow Changes",
    "It Is Told",
    "So It Should Be",
)


def is_about(test: Any, side: str) -> bool:
    """Whether a case may say anything about a side. One that does nothing but play vectors, or tell stories of the
    other side, does not. An endpoint is both."""
    if side == "endpoint":
        return True
    mine, other = OF_COMPRESSOR, OF_DECOMPRESSOR
    if side == "decompressor":
        mine, other = other, mine
    rows = [str(getattr(row, "name", "")) for row in test.body]
    stories = {name for name in rows if name in (*mine, *other)}
    others = set(rows) - stories - set(OF_STORIES)
    return bool(others or not stories <= set(other))


class AboutOneSide(SuiteVisitor):
    """A pre-run modifier of Robot that leaves out the cases that are about the other side alone."""

    def __init__(self, side: str) -> None:
        self.side = side

    def start_suite(self, suite: Any) -> None:
        suite.tests = [test for test in suite.tests if is_about(test, self.side)]

    def end_suite(self, suite: Any) -> None:
        suite.suites = [child for child in suite.suites if child.has_tests]


class OnlyCases(SuiteVisitor):
    """A pre-run modifier of Robot that leaves the cases of these identities."""

    def __init__(self, cases: Collection[str]) -> None:
        self.cases = frozenset(cases)

    def start_suite(self, suite: Any) -> None:
        suite.tests = [test for test in suite.tests if test_id(test.source, test.name) in self.cases]

    def end_suite(self, suite: Any) -> None:
        suite.suites = [child for child in suite.suites if child.has_tests]


def _found(record: Record) -> CaseResult:
    return CaseResult(record.test.id, record.verdict, record.test.requirements, record.reason.strip())


def write_implementation(task: Task) -> Path:
    """The folder of an implementation that is the reference but for its library, its mutant and what the task names."""
    import yaml

    folder = Path(task.folder) / task.name
    folder.mkdir(parents=True, exist_ok=True)
    path = implementations.IMPLEMENTATIONS / "reference" / "implementation.yaml"
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    adapter = {**document["adapter"], "library": task.library}
    options = {**task.options, **({"mutant": task.mutant} if task.mutant else {})}
    if options:
        config = adapter.get("config", {})
        adapter["config"] = {**config, "options": {**config.get("options", {}), **options}}
    document |= {"name": task.name, "adapter": adapter}
    document["capabilities"][0] |= task.capabilities
    (folder / "implementation.yaml").write_text(json.dumps(document), encoding="utf-8")  # JSON is YAML
    return folder


def suites_in_order(first: Collection[str], side: str = "compressor") -> list[Path]:
    """Files of all conformance suites of a side's scheme, those named in `first` before the others."""
    wanted = suite_files(first)
    folder = SUITES / suites_of(side)
    return [*wanted, *(path for path in sorted(folder.glob("*.robot")) if path not in wanted)]


def hunt(task: Task) -> Outcome:
    """Runs the suites. Raises HeadroomError when they cannot be run at all."""
    import io

    import robot

    began = time.monotonic()
    folder = write_implementation(task)
    settings = Settings(build=task.build, folder=Path(task.folder) / f"{task.name}-run")
    settings.folder.mkdir(parents=True, exist_ok=True)
    sides = {"compressor", "decompressor"} if task.side in ("both", "endpoint") else {task.side}
    settings = Settings(**{**vars(settings), **dict.fromkeys(sides, str(folder))})
    outcome = Outcome(task.name)
    hunter = Hunter(settings.folder, settings, outcome, stop=not task.cases)
    said = io.StringIO()
    files = suite_files(sorted({case.rpartition("/")[0] for case in task.cases})) if task.cases else None
    code = robot.run(
        *(files or suites_in_order(task.suites, task.side)),
        outputdir=str(settings.folder),
        output=None,
        report=None,
        log=None,
        console="none",
        stdout=said,
        stderr=said,
        variable=settings.robot_variables(),
        listener=[hunter],
        prerunmodifier=[OnlyCases(task.cases) if task.cases else AboutOneSide(task.side)],
        pythonpath=[str(ROOT / "resources")],
        loglevel="WARN",
    )
    if code >= 252 and outcome.caught is None:
        raise HeadroomError(f"Robot Framework could not run the suites: {said.getvalue().strip()[-600:]}")
    outcome.seconds = time.monotonic() - began
    return outcome


def main() -> int:
    task = Task(**json.load(sys.stdin))
    try:
        outcome = hunt(task)
    except HeadroomError as error:
        print(json.dumps({"error": str(error)}))
        return 1
    print(json.dumps(asdict(outcome)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
