# SPDX-License-Identifier: Apache-2.0
"""`./headroom judge`: all checks of one implementation, and one page with the results."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headroom.core import console
from headroom.core.errors import EXIT_ENVIRONMENT, EXIT_INTERRUPTED, UsageError, disk_error
from headroom.core.options import seed_of
from headroom.core.paths import DEFAULT_BUILD, shown

if TYPE_CHECKING:
    from headroom.core.results.record import Record
    from headroom.judge.judgement import Judgement
    from headroom.judge.summary import Summary

Records = list[dict[str, Any]]

EPILOG = console.examples(
    "./headroom judge ../my-adapter",
    "./headroom judge build/libtheirs.so --scheme SCHEME  # a bare library, by its own description",
    "./headroom judge ../my-adapter --only conformance --json",
    "./headroom judge --resume last",
)
HANG, MOST_HUNG_S = "was still busy after", 100.0
PATIENCE_S = 30.0  # the longest job of conformance takes well under a second
TOO_MANY_HANGS = f"It hung for more than {MOST_HUNG_S:.0f} s in total, so the remaining cases were skipped."
LINE_EVERY_S = 15.0  # seconds between two lines of progress in a log


def add_to(app: typer.Typer) -> None:
    app.command(
        "judge",
        help="Judge one implementation: the promises of the ABI, conformance and hostile input in each role that it "
        "declares, the interop matrix with the other implementations, and its cost beside null and the reference. "
        "Ends with one page, judge.html: the defects, grouped by cause, each with the sentence of the specification "
        "and the command that repeats it.",
        epilog=EPILOG,
    )(judge_command)


def judge_command(
    adapter: Annotated[
        str,
        typer.Argument(
            help="A folder with an implementation.yaml (an adapter, recordings, a container), a shared library, or the "
            "name of an implementation."
        ),
    ] = "",
    scheme: Annotated[str, typer.Option(help="The scheme to judge; all that it declares when left out.")] = "",
    only: Annotated[
        str, typer.Option(help="Parts to run: abi, conformance, matrix, cost, wire; separated by commas.")
    ] = "",
    whole_matrix: Annotated[
        bool, typer.Option("--whole-matrix", help="Run every link condition of the matrix, not only the usual few.")
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Run fewer trials, for a first look.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of all random numbers.")] = 1,
    build: Annotated[str, typer.Option(help="Build of the engine to use.")] = DEFAULT_BUILD,
    resume: Annotated[
        str | None, typer.Option(help="Continue an interrupted judgement: its run's name, or 'last'.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON at the end.")] = False,
) -> None:
    from headroom.core.machine import build as builds
    from headroom.judge import judgement
    from headroom.judge.parts import Extent

    if resume is not None:
        if adapter or scheme or only:
            raise UsageError("--resume continues a judgement with its own options: leave all other options out.")
        judged = judgement.recall(resume)
    else:
        if not adapter:
            raise UsageError(
                "Name an implementation: a folder with an implementation.yaml, a shared library, or a name."
            )
        builds.require(build)
        _build_what_is_needed(build)
        extent = Extent(whole_matrix, quick, seed_of(seed), build)
        judged = judgement.begin(adapter, scheme, extent, judgement.kinds(only))
    raise typer.Exit(_execute(judged, resume is not None, json))


def _build_what_is_needed(build: str) -> None:
    from headroom.cli.run import build_what_is_needed
    from headroom.core.settings import Settings

    build_what_is_needed(replace(Settings(), build=build))


def _execute(judged: Judgement, resumed: bool, json: bool) -> int:
    from headroom.core import engine
    from headroom.core.results import junit, store
    from headroom.core.run import session
    from headroom.judge import page
    from headroom.judge.parts import CONFORMANCE
    from headroom.report import render

    folder = judged.folder
    with_plan = [(part, part.plan) for part in judged.parts if part.plan]
    console.say(
        f"judging {judged.found.name}: {len(with_plan)} part{'s' * (len(with_plan) != 1)} (results in {shown(folder)})"
    )
    interrupted = False
    for number, (part, plan) in enumerate(with_plan, 1):
        if part.name in judged.ended:
            continue
        most_s = PATIENCE_S if part.kind == CONFORMANCE else math.inf
        title = f"[{number}/{len(with_plan)}] {part.title}"
        with PartProgress(title) as progress, engine.patience(most_s):
            outcome = session.run_robot(
                plan,
                progress.start,
                progress.end,
                progress.expect,
                progress.leave_out,
                resume=resumed,
                is_enough=progress.is_enough,
            )
        if outcome.interrupted:
            interrupted = True
            break
        judged.end(part, TOO_MANY_HANGS if outcome.stopped else "")
    if not interrupted:
        interrupted = not _minimise(judged)
    records = store.read_all(folder, console.warn)
    if not records:
        console.say("No part of the judgement ran.")
        return EXIT_INTERRUPTED if interrupted else EXIT_ENVIRONMENT
    try:
        junit.write(records, folder)
    except OSError as error:
        raise disk_error(error, "writing junit.xml") from error
    render.write(records, folder / "report.html", folder)
    summary = page.summary_of(judged, records)
    written = page.write(summary, folder)
    if json:
        console.print_json({**summary.as_json(), "page": str(written)})
    else:
        _print(summary, written)
    if interrupted:
        console.say(f"Interrupted; `./headroom judge --resume {folder.name}` runs the rest.")
        return EXIT_INTERRUPTED
    return summary.exit_status


def _minimise(judged: Judgement) -> bool:
    """Looks for the fewest packets that show each cause. Returns False after Ctrl-C."""
    from headroom.judge import minimal

    try:
        minimal.minimise_all(judged, console.say)
    except KeyboardInterrupt:
        return False
    return True


def _print(summary: Summary, page: Path) -> None:
    """Prints the closing tables of a judgement."""
    from headroom.core.results.record import VERDICTS
    from headroom.core.text import shortened

    columns: list[str | tuple[str, str]] = ["part", *((word, "right") for word in VERDICTS)]
    rows = [(row.title, *(row.counts.get(word) or "" for word in VERDICTS)) for row in summary.asked]
    console.print_table(summary.title, columns, rows)
    for row in summary.asked:
        if row.note:
            print(f"{row.title}: {row.note}")
    if summary.causes:
        console.print_table(
            "Defects, by cause",
            ["", "verdict", "what", "broken", ("seen", "right"), "one of them"],
            [
                (
                    number,
                    console.verdict_text(cause.verdict),
                    shortened(cause.sentence, 200),
                    cause.requirement,
                    len(cause.seen),
                    cause.example.where,
                )
                for number, cause in enumerate(summary.causes[:MOST_CAUSES], 1)
            ],
        )
        if len(summary.causes) > MOST_CAUSES:
            print(f"{len(summary.causes) - MOST_CAUSES} more causes are on the page.")
    print(summary.sentence)
    print(shown(page))


MOST_CAUSES = 20  # in the terminal


class PartProgress(console.Progress):
    """Progress of a part: in a log a line now and then, and a line for each case that failed."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.title = title
        self.wrong = 0
        self.hung_s = 0.0
        self.said = time.monotonic()
        console.say(title)

    def end(self, record: Record) -> None:
        bad = record.verdict in ("fail", "error")
        self.wrong += bad
        self.hung_s += record.duration_s if record.verdict == "error" and HANG in record.reason else 0.0
        if self.live or bad:
            super().end(record)
            return
        self.done += 1
        self.say_now_and_then()

    def is_enough(self) -> bool:
        """True if hangs have taken so much time that the remaining cases would hang, too."""
        return self.hung_s > MOST_HUNG_S

    def leave_out(self, what: str) -> None:
        super().leave_out(what)
        self.left_out = 0  # a log shows few of its cases
        self.say_now_and_then()

    def say_now_and_then(self) -> None:
        if self.live or time.monotonic() - self.said < LINE_EVERY_S:
            return
        self.said = time.monotonic()
        console.say(f"      {self.done} of {self.total} cases, {self.wrong} failed")
