# SPDX-License-Identifier: Apache-2.0
"""`./headroom compare RUN RUN`: two runs side by side, of one machine or of two."""

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
MOST_SHOWN = 30  # lines of a table in the terminal


def add_to(app: typer.Typer) -> None:
    app.command(
        "compare",
        help="Put two runs side by side: what makes them incomparable, verdicts that changed, metrics that moved by "
        "more than their trials spread.\n\n"
        "Exit status 1 if the second is worse, and the last lines say in what: a verdict is worse; a case that passed "
        "is missing though both runs were asked for the same, or has become unsupported by the same implementations; "
        "a metric is worse by --worse-by, and no trial of one run lies within the range of the other's; or, with fewer "
        "than two trials in a run, it is worse by a factor of two. Metrics of the machine and the harness (floor_…, "
        "harness_…) never count. Exit status 0 else, whatever makes the runs incomparable: on two machines, or where "
        "a machine has other work to do, raise --worse-by or give --verdicts-only.\n\n"
        "--slower-than judges each metric by an interval (99 % confidence) of its change, from the trials of both runs "
        "or, with one trial in each, from all cases that have the metric. Worse: the whole interval is beyond the "
        "limit, or single trials are worse by a factor of two in every case. Cannot tell: the interval covers the "
        "limit; this is said, and changes no exit status.",
        epilog=EPILOG,
    )(compare_command)


def compare_command(
    a: Annotated[str, typer.Argument(help="Name or folder of a run, CAMPAIGN/CELL, or 'last'.")],
    b: Annotated[str, typer.Argument(help="Another one.")],
    html: Annotated[Path | None, typer.Option("--html", help="Also write the comparison to this HTML file.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON: all metrics, not only those that moved.")] = False,
    worse_by: Annotated[
        float | None,
        typer.Option(
            "--worse-by",
            min=0,
            help=f"Least change for the worse, in percent, that makes status 1; {100 * LEAST_CHANGE:g} when left out.",
        ),
    ] = None,
    slower_than: Annotated[
        str | None,
        typer.Option(
            "--slower-than",
            help="Instead: exit with 1 when a metric is worse by more than this, such as 5%, beyond its uncertainty.",
        ),
    ] = None,
    verdicts_only: Annotated[
        bool, typer.Option("--verdicts-only", help="Metrics do not change the exit status.")
    ] = False,
) -> None:
    from headroom.core.results import store
    from headroom.report import comparison, comparison_page

    limit = percent_of(slower_than) if slower_than is not None else None
    if limit is not None and (verdicts_only or worse_by is not None):
        raise UsageError("--slower-than judges metrics in its own way: leave out --worse-by and --verdicts-only.")
    html = output_file(html) if html else None
    folders = [store.find_run(name) for name in (a, b)]
    if folders[0] == folders[1]:
        raise UsageError(f"Both are the run {folders[0].name}: name two.")
    records = [store.read_all(folder, console.warn) for folder in folders]
    for folder, found in zip(folders, records, strict=True):
        if not found:
            raise UsageError(f"The run {folder.name} holds no result yet.")
    least = None if verdicts_only else LEAST_CHANGE if worse_by is None else worse_by / 100
    alone = [_readable(folder, found, least, limit) for folder, found in zip(folders, records, strict=True)]
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
    if compared.worse:
        raise typer.Exit(EXIT_FAILED)


def _readable(folder: Path, records: Records, least: float | None, limit: float | None) -> Records:
    """The records of a run that can be compared, with themselves as with others; a warning names the rest."""
    from headroom.report import comparison, unreadable

    def with_themselves(few: Records) -> object:
        return comparison.compare(folder, folder, few, few, least, limit).as_json()

    return unreadable.readable(with_themselves, records, "The comparison")


def _print(compared: Comparison) -> None:
    print(f"a: {compared.a}  b: {compared.b}  cases in both: {compared.common}")
    for pair in compared.products:
        print(f"{pair.role}: {pair.a} in both runs" if pair.is_same else f"{pair.role}: a: {pair.a}  b: {pair.b}")
    _print_differences("What makes them incomparable", [one for one in compared.differences if not one.is_of_products])
    told = (*(f"{role}, {what}" for role in ROLES for what in ("version", "SHA-256", "its library")),)
    own = [one for one in compared.differences if one.is_of_products and one.what not in told]
    _print_differences("Of the implementations", own)
    changed = [one for one in compared.verdicts if not {"missing"} & {one.a, one.b}]
    if changed:
        rows = [
            (console.verdict_text(one.a), console.verdict_text(one.b), one.test, shortened(one.reason, 160))
            for one in changed[:MOST_SHOWN]
        ]
        console.print_table("Verdicts that changed", ["a", "b", "case", "reason"], rows)
        _more(len(changed), "verdicts")
    moved, undecided = compared.outside(), compared.undecided()
    if compared.slower_than is None:
        _print_metrics("Metrics that moved by more than their trials spread", moved)
        _print_metrics("Metrics that differ, with too few trials to tell whether they moved", undecided)
    within = sum(one.outside is False for one in compared.metrics)
    only = [sum(getattr(one, side) == "missing" for one in compared.verdicts) for side in ("b", "a")]
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
    """The share that a percentage is: `5%` or `5`. Raises UsageError."""
    try:
        found = float(text.strip().removesuffix("%"))
    except ValueError:
        found = math.nan
    if not 0 <= found <= 10_000:
        raise UsageError(f"'{text}' is no percentage; write 5%.")
    return found / 100


def _print_differences(title: str, found: Sequence[Difference]) -> None:
    if found:
        rows = [(one.what, shortened(one.a, 120), shortened(one.b, 120)) for one in found]
        console.print_table(title, ["what", "a", "b"], rows)


def _print_slowdowns(compared: Comparison) -> None:
    """The metrics that are worse, or of which the runs cannot tell, and how many are neither."""
    from headroom.report.comparison_page import SLOWDOWN_COLUMNS

    told = [one for one in compared.slowdowns if one.judgement != "not worse"]
    if told:
        rows = [tuple(show(one) for _, show in SLOWDOWN_COLUMNS) for one in told[:MOST_SHOWN]]
        console.print_table(
            f"Worse by more than {_limit(compared)}?",
            [(column.title, "right") if column.number else column.title for column, _ in SLOWDOWN_COLUMNS],
            rows,
        )
        _more(len(told), "metrics")
    counts = Counter(one.judgement for one in compared.slowdowns)
    print(
        f"Worse by more than {_limit(compared)}: {counts['worse']} of {len(compared.slowdowns)} metrics; cannot tell: "
        f"{counts['cannot tell']}; not worse: {counts['not worse']}."
    )
    if any(one.judgement == "cannot tell" and one.trials == (1, 1) for one in compared.slowdowns):
        print("Single trials tell little: run without --quick, or repeat both in a campaign.")
    machine = max((one.allowed for one in compared.slowdowns), default=0.0) - (compared.slower_than or 0.0)
    if machine > 0:
        print(f"The machine itself was slower in b (floor_ns), so {percent(machine, 1)} more is allowed to times.")


def _limit(compared: Comparison) -> str:
    return f"{100 * (compared.slower_than or 0.0):g} %"


def _worse(compared: Comparison) -> list[str]:
    """In what b is worse, one sentence each."""
    from headroom.report.comparison_page import name_of

    found = []
    if verdicts := [one.test for one in compared.verdicts if one.worse and not one.lost]:
        found.append(f"b is worse in {len(verdicts)} verdicts: {_first(verdicts)}.")
    if lost := [f"{one.test} ({one.b})" for one in compared.verdicts if one.lost]:
        found.append(f"b covers less by {len(lost)} cases that passed in a: {_first(lost)}.")
    if metrics := [
        f"{name_of(one)} of {one.test} by a factor of {one.factor:.4g}"
        + (" (by its size: trials are too few for a spread)" if one.outside is None else "")
        for one in compared.worse_metrics()
    ]:
        found.append(f"b is significantly worse in {len(metrics)} metrics: {_first(metrics)}.")
    if slower := [f"{one.name}, {one.where}: {one.figure}" for one in compared.slowdowns if one.judgement == "worse"]:
        found.append(f"b is worse by more than {_limit(compared)} in {len(slower)} metrics: {_first(slower)}.")
    return found


def _first(names: Sequence[str], most: int = 5) -> str:
    return "; ".join(names[:most]) + (f"; {len(names) - most} more" if len(names) > most else "")


def _print_metrics(title: str, found: Sequence[MetricChange]) -> None:
    from headroom.report.comparison_page import name_of

    if not found:
        return
    rows = [
        (
            one.test,
            name_of(one),
            one.a,
            one.b,
            one.unit,
            one.ratio,
            "–" if one.spread is None else f"±{percent(one.spread, 1)}",
            one.change,
        )
        for one in found[:MOST_SHOWN]
    ]
    columns: list[str | tuple[str, str]] = ["case", "metric", ("a", "right"), ("b", "right"), "unit"]
    columns += [("b / a", "right"), ("trials", "right"), "change"]
    console.print_table(title, columns, rows)
    _more(len(found), "metrics")


def _more(count: int, what: str) -> None:
    if count > MOST_SHOWN:
        print(f"{count - MOST_SHOWN} more {what} are in --json and --html.")
