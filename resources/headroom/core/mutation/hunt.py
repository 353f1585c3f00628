# SPDX-License-Identifier: Apache-2.0
"""Runs the conformance suites on one mutant, case by case, until one detects it.

It runs as a process of its own, because Robot Framework keeps much of its state in the process. The task comes as JSON
on stdin, the outcome goes to stdout.
"""

import json
import sys
import time
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from headroom.core import implementations
from headroom.core.errors import HeadroomError
from headroom.core.paths import ROOT, SUITES
from headroom.core.results.listener import Listener
from headroom.core.results.record import Record
from headroom.core.run.selection import Filter, only, suite_files
from headroom.core.scheme_registry import find
from headroom.core.settings import Settings

FINDS = ("fail", "non-strict")  # An error or a case that does not apply says nothing about an implementation.


@dataclass
class Task:
    """The task of a hunt. `side` gets the mutant; `mutant` is empty for the unchanged reference.

    `suites` run first, then the other suites of `scheme`; with `cases`, only these cases, and all of them.
    `to_the_end`: the run does not end with the first detection, and only `suites` run, if there are any. `options` are
    added to those of the configuration, `capabilities` replace those that the reference declares for the scheme.
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
    scheme: str = ""
    to_the_end: bool = False


@dataclass
class CaseResult:
    """A case: its verdict, its requirements, and its reason."""

    case: str
    verdict: str
    requirements: list[str]
    reason: str


@dataclass
class Outcome:
    """The suites' verdicts. `caught` is the first case that detects the mutant, None if there is none; `found` are all
    cases that do, of those that ran.
    """

    name: str
    caught: CaseResult | None = None
    cases: int = 0
    passed: list[str] = field(default_factory=list)
    errors: list[CaseResult] = field(default_factory=list)
    seconds: float = 0.0
    found: list[CaseResult] = field(default_factory=list)


class Hunter(Listener):
    """Examines each record instead of writing it, and ends the run at the first detection."""

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


BOTH_SIDES = ("endpoint", "user-plane")  # roles that are both sides of a run
# First keywords of cases about one side alone.
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
    "It Is Set To",
    "So It Should Be",
)


def is_about(test: Any, side: str) -> bool:
    """True if a case can detect a defect of a side. A case that only plays vectors, or tells stories of the other side,
    cannot. An endpoint and a user plane are both sides.
    """
    if side in BOTH_SIDES:
        return True
    mine, other = OF_COMPRESSOR, OF_DECOMPRESSOR
    if side == "decompressor":
        mine, other = other, mine
    rows = [str(getattr(row, "name", "")) for row in test.body]
    stories = {name for name in rows if name in (*mine, *other)}
    others = set(rows) - stories - set(OF_STORIES)
    return bool(others or not stories <= set(other))


def _found(record: Record) -> CaseResult:
    return CaseResult(record.test.id, record.verdict, record.test.requirements, record.reason.strip())


def write_implementation(task: Task) -> Path:
    """Writes the folder of an implementation: the reference with the task's library, mutant and further settings."""
    folder = Path(task.folder) / task.name
    folder.mkdir(parents=True, exist_ok=True)
    document = implementations.read_declarations(implementations.IMPLEMENTATIONS / "reference").data
    adapter = {**document["adapter"], "library": task.library}
    options = {**task.options, **({"mutant": task.mutant} if task.mutant else {})}
    if options:
        config = adapter.get("config", {})
        adapter["config"] = {**config, "options": {**config.get("options", {}), **options}}
    document |= {"name": task.name, "adapter": adapter}
    for entry in document["capabilities"]:
        entry |= task.capabilities if entry["scheme"] == task.scheme else {}
    (folder / "implementation.yaml").write_text(json.dumps(document), encoding="utf-8")  # JSON is YAML
    return folder


def suites_in_order(first: Collection[str], scheme: str) -> list[Path]:
    """The files of all conformance suites of a scheme, those named in `first` before the others."""
    files = suite_files(first)
    scheme_found = find(scheme)
    folders = [SUITES / name for name in (scheme_found.suites, *scheme_found.more_suites)]
    rest = [path for folder in folders for path in sorted(folder.glob("*.robot"))]
    return [*files, *(path for path in rest if path not in files)]


def hunt(task: Task) -> Outcome:
    """Runs the suites. Raises HeadroomError if they cannot be run at all."""
    import io

    import robot

    began = time.monotonic()
    folder = write_implementation(task)
    settings = Settings(build=task.build, folder=Path(task.folder) / f"{task.name}-run")
    settings.folder.mkdir(parents=True, exist_ok=True)
    sides = {"compressor", "decompressor"} if task.side in ("both", *BOTH_SIDES) else {task.side}
    settings = Settings(**{**vars(settings), **dict.fromkeys(sides, str(folder))})
    outcome = Outcome(task.name)
    hunter = Hunter(settings.folder, settings, outcome, stop=not task.cases and not task.to_the_end)
    printed = io.StringIO()
    files = suite_files(sorted({case.rpartition("/")[0] for case in task.cases})) if task.cases else []
    if task.to_the_end and task.suites:
        files = suite_files(task.suites)
    code = robot.run(
        *(files or suites_in_order(task.suites, task.scheme)),
        outputdir=str(settings.folder),
        output=None,
        report=None,
        log=None,
        console="none",
        stdout=printed,
        stderr=printed,
        variable=settings.robot_variables(),
        listener=[hunter],
        prerunmodifier=[only(task.cases) if task.cases else Filter(lambda test: is_about(test, task.side))],
        pythonpath=[str(ROOT / "resources")],
        loglevel="WARN",
    )
    if code >= 252 and outcome.caught is None:
        raise HeadroomError(f"Robot Framework could not run the suites: {printed.getvalue().strip()[-600:]}")
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
