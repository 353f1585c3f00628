# SPDX-License-Identifier: Apache-2.0
"""`./headroom compare RUN RUN`: compares two runs, of one machine or of two."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headroom.core import console
from headroom.core.errors import EXIT_FAILED, UsageError
from headroom.core.paths import output_file, shown
from headroom.core.text import percent, shortened
from headroom.report.comparison import LEAST_CHANGE
from headroom.report.products import ROLES

if TYPE_CHECKING:
    from headroom.report.comparison import Comparison, Difference, MetricChange
    from headroom.report.data import Records

EPILOG = console.examples(
    "./headroom compare 20261120-160522-3f9a last",
    "./headroom compare last /mnt/other/out/20261120-171003-01cd --html compare.html",
    "./headroom compare two-processors/epyc.gcc-O2.voip.1 two-processors/xeon.gcc-O2.voip.1  # cells of a campaign",
    "./headroom compare 20261120-160522-3f9a last --worse-by 25  # in CI: exit status 1 if anything is worse",
    "./headroom compare versions/local.2-0.gcc-O2.voip.1 versions/local.2-1.gcc-O2.voip.1 --slower-than 5%",
    "./headroom compare 20261120-160522-3f9a last --json | jq '.metrics[] | select(.outside)'",
)
MOST_SHOWN = 30  # most lines of a table in the terminal


def add_to(app: typer.Typer) -> None:
    app.command(
        "compare",
        help="Compare two runs: differences that make them incomparable, verdicts that changed, metrics that moved by "
        "more than the spread of their trials.\n\nExit status 1 if the second run is worse, for one of these reasons, "
        "which the last lines name:\n\n- A verdict is worse.\n\n- A case that passed is missing, though both runs "
        "selected the same cases; or the same implementations no longer support it.\n\n- A metric is worse by "
        "--worse-by, and no trial of one run lies within the range of the other's. With fewer than two trials in a "
        "run, it must be worse by a factor of two. Metrics of the machine and the harness (floor_…, harness_…) never "
        "count.\n\nOtherwise the exit status is 0, also for incomparable runs: on two machines, or on a machine "
        "with other work to do, raise --worse-by or give --verdicts-only.\n\n--slower-than judges each metric "
        "by an interval (99 % confidence) of its change, from the trials of both runs or, with one trial in "
        "each, from all cases that have the metric. Worse: the whole interval is beyond the limit, or single "
        "trials are worse by a factor of two in every case. Cannot tell: the interval covers the limit; this "
        "is printed, and changes no exit status.",
        epilog=EPILOG,
    )(compare_command)


def compare_command(
    a: Annotated[str, typer.Argument(help="Name or folder of a run, CAMPAIGN/CELL, or 'last'.")],
    b: Annotated[str, typer.Argument(help="Another one.")],
    html: Annotated[Path | None, typer.Option("--html", help="Also write the comparison to this HTML file.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print all metrics as JSON, not only those that moved.")] = False,
    worse_by: Annotated[
        float | None,
        typer.Option(
            "--worse-by",
            min=0,
            help=f"Least change for the worse, in percent, for exit status 1; {100 * LEAST_CHANGE:g} when left out.",
        ),
    ] = None,
    slower_than: Annotated[
        str | None,
        typer.Option(
            "--slower-than",
            help="Use another rule: exit with 1 if a metric is worse by more than this, such as 5%.",
        ),
    ] = None,
    verdicts_only: Annotated[bool, typer.Option("--verdicts-only", help="Ignore metrics in the exit status.")] = False,
) -> None:
    from headroom.core.results import store
    from headroom.report import comparison, comparison_page

    limit = percent_of(slower_than) if slower_than is not None else None
    if limit is not None and (verdicts_only or worse_by is not None):
        raise UsageError("--slower-than judges metrics by its own rule: leave out --worse-by and --verdicts-only.")
    html = output_file(html) if html else None
    folders = [store.find_run(name) for name in (a, b)]
    if folders[0] == folders[1]:
        raise UsageError(f"Both arguments name the run {folders[0].name}: name two runs.")
    records = [store.read_all(folder, console.warn) for folder in folders]
    for folder, run_records in zip(folders, records, strict=True):
        if not run_records:
            raise UsageError(f"The run {folder.name} has no results yet.")
    least = None if verdicts_only else LEAST_CHANGE if worse_by is None else worse_by / 100
    alone = [_readable(folder, run_records, least, limit) for folder, run_records in zip(folders, records, strict=True)]
    compared = comparison.compare(*folders, *alone, least, limit)
    if not compared.common:
        raise UsageError(f"The runs {compared.a} and {compared.b} have no case in common.")
    if limit is not None and not compared.slowdowns:
        raise UsageError(
            f"The runs {compared.a} and {compared.b} have no metric in common that --slower-than could judge: compare "
            "runs of suites below performance/."
        )
    if html:
        comparison_page.write(compared, html)
    if json:
        console.print_json(compared.as_json())
    else:
        _print(compared)
        if html:
            print(shown(html))
    if compared.is_worse:
        raise typer.Exit(EXIT_FAILED)


def _readable(folder: Path, records: Records, least: float | None, limit: float | None) -> Records:
    """The records of a run that can be compared with themselves and with others. A warning names the rest."""
    from headroom.report import comparison, unreadable

    def with_themselves(few: Records) -> object:
        return comparison.compare(folder, folder, few, few, least, limit).as_json()

    return unreadable.readable(with_themselves, records, "The comparison")


def _print(compared: Comparison) -> None:
    print(f"a: {compared.a}  b: {compared.b}  cases in both: {compared.common}")
    for pair in compared.products:
        print(f"{pair.role}: {pair.a} in both runs" if pair.is_same else f"{pair.role}: a: {pair.a}  b: {pair.b}")
    _print_differences(
        "Differences that make the runs incomparable",
        [difference for difference in compared.differences if not difference.is_of_products],
    )
    told = (*(f"{role}, {what}" for role in ROLES for what in ("version", "SHA-256", "its libraries")),)
    own = [
        difference for difference in compared.differences if difference.is_of_products and difference.what not in told
    ]
    _print_differences("Differences of the implementations", own)
    changed = [verdict for verdict in compared.verdicts if not {"missing"} & {verdict.a, verdict.b}]
    if changed:
        rows = [
            (
                console.verdict_text(verdict_change.a),
                console.verdict_text(verdict_change.b),
                verdict_change.test,
                shortened(verdict_change.reason, 160),
            )
            for verdict_change in changed[:MOST_SHOWN]
        ]
        console.print_table("Verdicts that changed", ["a", "b", "case", "reason"], rows)
        _more(len(changed), "verdicts")
    moved, undecided = compared.outside(), compared.undecided()
    if compared.slower_than is None:
        _print_metrics("Metrics that moved by more than the spread of their trials", moved)
        _print_metrics("Metrics that differ, with too few trials to tell whether they moved", undecided)
    within = sum(metric.outside is False for metric in compared.metrics)
    only = [sum(getattr(verdict, side) == "missing" for verdict in compared.verdicts) for side in ("b", "a")]
    print(
        f"Verdicts changed: {len(changed)}; metrics moved: {len(moved)}, within the spread of their trials: {within}, "
        f"changed with too few trials to tell: {len(undecided)}, in one run alone: {len(compared.lone)}. "
        f"Cases in a alone: {only[0]}, in b alone: {only[1]}."
    )
    if compared.slower_than is not None:
        _print_slowdowns(compared)
    for sentence in _worse(compared):
        print(sentence)


def percent_of(text: str) -> float:
    """The share that a percentage such as `5%` or `5` stands for. Raises UsageError."""
    try:
        percentage = float(text.strip().removesuffix("%"))
    except ValueError:
        percentage = math.nan
    if not 0 <= percentage <= 10_000:
        raise UsageError(f"'{text}' is not a percentage; write 5%.")
    return percentage / 100


def _print_differences(title: str, differences: Sequence[Difference]) -> None:
    if differences:
        rows = [
            (difference.what, shortened(difference.a, 120), shortened(difference.b, 120)) for difference in differences
        ]
        console.print_table(title, ["what", "a", "b"], rows)


def _print_slowdowns(compared: Comparison) -> None:
    """Prints the metrics that are worse or undecided, and counts of all three outcomes."""
    from headroom.report.comparison_page import SLOWDOWN_COLUMNS

    noteworthy = [slowdown for slowdown in compared.slowdowns if slowdown.judgement != "not worse"]
    if noteworthy:
        rows = [tuple(show(slowdown) for _, show in SLOWDOWN_COLUMNS) for slowdown in noteworthy[:MOST_SHOWN]]
        console.print_table(
            f"Worse by more than {_limit(compared)}?",
            [(column.title, "right") if column.number else column.title for column, _ in SLOWDOWN_COLUMNS],
            rows,
        )
        _more(len(noteworthy), "metrics")
    counts = Counter(slowdown.judgement for slowdown in compared.slowdowns)
    print(
        f"Worse by more than {_limit(compared)}: {counts['worse']} of {len(compared.slowdowns)} metrics; cannot tell: "
        f"{counts['cannot tell']}; not worse: {counts['not worse']}."
    )
    if any(slowdown.judgement == "cannot tell" and slowdown.trials == (1, 1) for slowdown in compared.slowdowns):
        print("Single trials tell little: run without --quick, or repeat both in a campaign.")
    machine = max((slowdown.allowed for slowdown in compared.slowdowns), default=0.0) - (compared.slower_than or 0.0)
    if machine > 0:
        print(f"The machine itself was slower in b (floor_ns), so {percent(machine, 1)} more is allowed to times.")


def _limit(compared: Comparison) -> str:
    return f"{100 * (compared.slower_than or 0.0):g} %"


def _worse(compared: Comparison) -> list[str]:
    """The reasons for which b is worse, one sentence each."""
    from headroom.report.comparison_page import name_of

    reasons = []
    if verdicts := [verdict.test for verdict in compared.verdicts if verdict.is_worse and not verdict.lost]:
        reasons.append(f"b is worse in {_many(verdicts, 'verdict')}: {_first(verdicts)}.")
    if lost := [f"{verdict.test} ({verdict.b})" for verdict in compared.verdicts if verdict.lost]:
        reasons.append(f"b covers less by {_many(lost, 'case')} that passed in a: {_first(lost)}.")
    if metrics := [
        f"{name_of(metric)} of {metric.test} "
        + (f"by a factor of {metric.factor:.4g}" if metric.factor < math.inf else f"from {metric.a:g} to {metric.b:g}")
        + (" (by its size: too few trials for a spread)" if metric.outside is None else "")
        for metric in compared.worse_metrics()
    ]:
        reasons.append(f"b is significantly worse in {_many(metrics, 'metric')}: {_first(metrics)}.")
    if slower := [
        f"{slowdown.name}, {slowdown.where}: {slowdown.figure}"
        for slowdown in compared.slowdowns
        if slowdown.judgement == "worse"
    ]:
        reasons.append(f"b is worse by more than {_limit(compared)} in {_many(slower, 'metric')}: {_first(slower)}.")
    return reasons


def _many(names: Sequence[str], noun: str) -> str:
    return f"{len(names)} {noun}{'s' * (len(names) != 1)}"


def _first(names: Sequence[str], most: int = 5) -> str:
    return "; ".join(names[:most]) + (f"; {len(names) - most} more" if len(names) > most else "")


def _print_metrics(title: str, changes: Sequence[MetricChange]) -> None:
    from headroom.report.comparison_page import name_of

    if not changes:
        return
    rows = [
        (
            change.test,
            name_of(change),
            change.a,
            change.b,
            change.unit,
            change.ratio,
            "–" if change.spread is None else f"±{percent(change.spread, 1)}",
            change.change,
        )
        for change in changes[:MOST_SHOWN]
    ]
    columns: list[str | tuple[str, str]] = ["case", "metric", ("a", "right"), ("b", "right"), "unit"]
    columns += [("b / a", "right"), ("trials", "right"), "change"]
    console.print_table(title, columns, rows)
    _more(len(changes), "metrics")


def _more(count: int, what: str) -> None:
    if count > MOST_SHOWN:
        print(f"{count - MOST_SHOWN} more {what} are in --json and --html.")
