# SPDX-License-Identifier: Apache-2.0
"""Many mutants: builds the reference with them, runs the conformance suites on each, and collects the outcomes."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Self

from headroom.core.errors import EXIT_FAILED, HeadroomError
from headroom.core.machine import build
from headroom.core.mutation.catalogue import Mutant
from headroom.core.mutation.hunt import CaseResult, Outcome, Task
from headroom.core.paths import DEFAULT_BUILD, ROOT

PRESET = "mutants"
LIBRARY = "lib/reference.so"
PATIENCE_S = 1800.0  # seconds for all conformance cases on one mutant or double
UNCHANGED = "unchanged-reference"  # the reference of the mutants' build without any mutant

Verdict = Literal["caught", "survived", "error"]
Say = Callable[[str], None]
Hunt = Callable[[Task], Outcome]


@dataclass(frozen=True)
class Row:
    """A mutant and its outcome.

    `error`: there is no result, because the suites could not run, or because the detecting case also fails the
    unchanged reference.
    """

    mutant: Mutant
    verdict: Verdict
    by: CaseResult | None
    cases: int
    seconds: float
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        by = self.by
        return {
            "name": self.mutant.name,
            "side": self.mutant.side,
            "section": self.mutant.section,
            "breaks": self.mutant.breaks,
            "verdict": self.verdict,
            "case": by.case if by else None,
            "case_verdict": by.verdict if by else None,
            "requirements": by.requirements if by else [],
            "finding": by.reason if by else None,
            "cases_run": self.cases,
            "seconds": round(self.seconds, 1),
            "reason": self.reason,
        }


def run(mutants: Sequence[Mutant], say: Say, jobs: int | None = None) -> list[Row]:
    """Builds the mutants, and hunts all of them, `jobs` at a time (by default as many as there are CPUs). Rows come in
    the given order.

    Raises EnvironmentLacks if the build fails.
    """
    build.ensure(DEFAULT_BUILD, say=say)
    library = build.ensure(PRESET, [LIBRARY], say=say) / LIBRARY
    with tempfile.TemporaryDirectory(prefix="headroom-mutants-") as folder, Processes() as processes:
        jobs = jobs or os.cpu_count() or 1
        return campaign(mutants, str(library), folder, processes.hunt, say, jobs, processes.stop)


def campaign(
    mutants: Sequence[Mutant],
    library: str,
    folder: str,
    hunt: Hunt,
    say: Say,
    jobs: int,
    stop: Callable[[], None] = lambda: None,
) -> list[Row]:
    """Hunts all mutants with a library that is already built. `hunt` may raise HeadroomError; `stop` ends the running
    hunts after Ctrl-C, which only this process receives.
    """

    def one(mutant: Mutant) -> Row:
        began = time.monotonic()
        suites = list(mutant.suites)
        task = Task(mutant.name, mutant.name, mutant.side, library, DEFAULT_BUILD, folder, suites, scheme=mutant.scheme)
        try:
            outcome = hunt(task)
        except HeadroomError as error:
            row = Row(mutant, "error", None, 0, time.monotonic() - began, str(error))
        else:
            row = _row(mutant, outcome)
        say(_line(row))
        return row

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        try:
            rows = list(pool.map(one, mutants))
        except BaseException:
            stop()
            raise
    return _compare_with_unchanged(rows, library, folder, hunt)


def _row(mutant: Mutant, outcome: Outcome) -> Row:
    if outcome.caught is not None:
        return Row(mutant, "caught", outcome.caught, outcome.cases, outcome.seconds)
    if outcome.errors:
        first = outcome.errors[0]
        reason = f"{len(outcome.errors)} cases were errors, the first {first.case}: {first.reason}"
        return Row(mutant, "error", None, outcome.cases, outcome.seconds, reason)
    reason = f"none of {outcome.cases} cases detects it"
    return Row(mutant, "survived", None, outcome.cases, outcome.seconds, reason)


def _compare_with_unchanged(rows: list[Row], library: str, folder: str, hunt: Hunt) -> list[Row]:
    """Discards detections by cases that also fail the unchanged reference."""
    cases = sorted({row.by.case for row in rows if row.by})
    if not cases:
        return rows
    try:
        outcome = hunt(Task(UNCHANGED, "", "both", library, DEFAULT_BUILD, folder, cases=cases))
        passed, reason = set(outcome.passed), "the case does not pass without the mutant either"
    except HeadroomError as error:
        passed, reason = set(), f"the reference without a mutant could not run: {error}"
    return [
        row
        if row.by is None or row.by.case in passed
        else Row(row.mutant, "error", row.by, row.cases, row.seconds, reason)
        for row in rows
    ]


def _line(row: Row) -> str:
    by = f" by {row.by.case}" if row.by else f": {row.reason}"
    return f"{row.verdict if row.verdict != 'survived' else 'SURVIVED'}  {row.mutant.name}{by} ({row.seconds:.0f} s)"


def document(rows: Sequence[Row]) -> dict[str, Any]:
    """The JSON document of a campaign: every mutant, and the number of mutants with each verdict."""
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in ("caught", "survived", "error")}
    return {"mutants": [row.as_json() for row in rows], "verdicts": counts, "passed": counts["caught"] == len(rows)}


class Processes:
    """Hunts in processes of their own, which end with this process, and all at once after Ctrl-C."""

    def __init__(self) -> None:
        self.running: set[subprocess.Popen[str]] = set()
        self.over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self.over = True
        for process in list(self.running):
            _end(process)

    def hunt(self, task: Task) -> Outcome:
        if self.over:
            raise HeadroomError("It was interrupted.")
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "headroom.core.mutation.hunt"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT / "resources")},
            start_new_session=True,
        )
        self.running.add(process)
        try:
            out, complaint = process.communicate(json.dumps(asdict(task)), timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise HeadroomError(f"The suites were still busy after {PATIENCE_S:g} s.") from None
        finally:
            _end(process)
            self.running.discard(process)
        return outcome_of(process.returncode, out, complaint)


def outcome_of(code: int, out: str, complaint: str) -> Outcome:
    """The outcome that a hunt printed. Raises HeadroomError if there is none."""
    try:
        document = json.loads(out.strip().splitlines()[-1])
        if code == 0:
            caught = CaseResult(**document["caught"]) if document["caught"] else None
            lists = {name: [CaseResult(**case) for case in document[name]] for name in ("found", "errors")}
            return Outcome(**{**document, "caught": caught, **lists})
        sentence = str(document["error"])
    except (ValueError, KeyError, TypeError, IndexError):
        last = (complaint.strip().splitlines() or ["it gave no reason"])[-1]
        sentence = f"The hunt ended with exit status {code}: {last[:300]}"
    raise HeadroomError(sentence)


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def keep(rows: Sequence[Row], path: Path) -> None:
    """Writes `document` as a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document(rows), indent=1) + "\n", encoding="utf-8")


def exit_code(rows: Sequence[Row]) -> int:
    return 0 if rows and all(row.verdict == "caught" for row in rows) else EXIT_FAILED
