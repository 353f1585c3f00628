# SPDX-License-Identifier: Apache-2.0
"""`./headroom nightly`: a regression night, and the handling of its alerts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headroom.core import clock, console
from headroom.core.errors import EXIT_FAILED, EXIT_PASSED, EnvironmentLacks, UsageError
from headroom.core.paths import DEFAULT_BUILD, output_file, shown

if TYPE_CHECKING:
    from headroom.history.alerts import Alert
    from headroom.history.store import History
    from headroom.nightly.night import NightResult

EPILOG = console.examples(
    "./headroom nightly  # from cron or a systemd timer",
    "./headroom nightly --quick --no-cases  # a first look: two minutes once all is built",
    "./headroom nightly --against v1.2  # compare with this commit instead of the last good build",
    "./headroom nightly show",
    "./headroom nightly accept last --reason 'the price of R-mode'",
    "./headroom nightly bisect last",
    "./headroom nightly export --junit nightly.xml --openmetrics headroom.prom --sqlite nightly.db",
)

nightly = typer.Typer(
    help="Measure fixed work and conformance, and say what changed since the last nights.\n\nExit status: 0 nothing "
    "new, 1 a confirmed regression or a newly failing case, 2 wrong usage, 3 not measured, measured in part, "
    "or undecided.",
    epilog=EPILOG,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

HISTORY = typer.Option("--history", help="Folder of the history; out/history when left out.")
JSON = typer.Option("--json", help="Print JSON.")
REASON = typer.Option("--reason", help="The reason, in a sentence.")
HistoryFolder = Annotated[Path | None, HISTORY]
Json = Annotated[bool, JSON]


def add_to(app: typer.Typer) -> None:
    app.add_typer(nightly, name="nightly")


def history_at(folder: Path | None) -> History:
    from headroom.history.store import History, default_folder

    folder = default_folder() if folder is None else folder
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; a history must be a folder.")
    known = History(folder, console.warn)
    if folder.is_dir() and any(folder.iterdir()) and not known.is_begun():
        raise UsageError(f"{folder} holds files that do not belong to a history: name a folder of its own.")
    return known


def existing_history(context: typer.Context, folder: Path | None) -> History:
    """The history that a command reads. The option may stand before the command, too. Raises UsageError if the folder
    does not exist: its name is most probably mistyped.
    """
    named = context.obj if folder is None else folder
    known = history_at(named)
    if named is not None and not known.is_begun():
        raise UsageError(f"There is no history {named}; `./headroom nightly --history {named}` begins one.")
    return known


@nightly.callback()
def night_command(
    context: typer.Context,
    history: HistoryFolder = None,
    against: Annotated[
        str, typer.Option(help="The build to confirm changes against: last-good, or a commit.")
    ] = "last-good",
    budget: Annotated[str, typer.Option(help="Time limit of a night, such as 60m; the rest is not measured.")] = "60m",
    no_ab: Annotated[
        bool, typer.Option("--no-ab", help=("Do not compare the old and the new build in alternating trials."))
    ] = False,
    no_cases: Annotated[bool, typer.Option("--no-cases", help="Leave the conformance cases out.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Run six trials instead of thirty, for a first look.")] = False,
    fail_while_open: Annotated[
        bool,
        typer.Option(
            "--fail-while-open", help=("Exit with 1 as long as a regression is open, not only in its first night.")
        ),
    ] = False,
    wait: Annotated[str, typer.Option(help="How long to wait for a quiet machine, such as 15m.")] = "15m",
    implementation: Annotated[str, typer.Option(help="The implementation to watch.")] = "reference",
    build: Annotated[str, typer.Option(help="Preset by which commits are built.")] = DEFAULT_BUILD,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the steps of the night; do nothing.")] = False,
    json: Json = False,
) -> None:
    if context.invoked_subcommand is not None:
        context.obj = history
        return
    from headroom.nightly import night
    from headroom.nightly.measurer import default_measurer

    known = history_at(history)
    budget_s = seconds_of(budget)
    if budget_s < 1:
        raise UsageError(f"A budget of {budget} leaves no time to measure; write 90s, 60m or 2h.")
    options = night.NightOptions(against, budget_s, not no_ab, quick, not no_cases, fail_while_open=fail_while_open)
    measurer = default_measurer(known.folder, implementation, build, console.say)
    measurer.wait_s = seconds_of(wait)
    if dry_run:
        _dry_run(known, measurer, options, json)
        return
    if against != "last-good":
        measurer.checkout.resolve(against)
    with known.lock():
        result = night.run(known, measurer.store, measurer, options, clock.steady(), console.say)
        written: Path | None = known.folder / "index.html"
        try:
            _publish(known)
        except EnvironmentLacks as error:  # results of the night are reported all the same
            console.warn(str(error))
            written = None
    if json:
        console.print_json({**result.as_json(), "page": str(written) if written else None})
    else:
        _print(result, written)
    raise typer.Exit(result.exit_status)


def seconds_of(text: str) -> float:
    """The seconds of a time such as `90s`, `60m`, `2h` or a number of seconds. Raises UsageError."""
    units = {"s": 1, "m": 60, "h": 3600}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1)
    try:
        seconds = float(number) * unit
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 7 * 86_400:
        raise UsageError(f"'{text}' is not a time; write 90s, 60m or 2h.")
    return seconds


def _dry_run(history: History, measurer: Any, options: Any, json: bool) -> None:
    from headroom.core import implementations
    from headroom.core.sentinels import all_sentinels

    try:
        names = [name for name, _, _ in measurer.sentinels()]
    except EnvironmentLacks:  # nothing is built yet
        implementation = implementations.find(measurer.implementation)
        names = [name for name, sentinel in all_sentinels().items() if implementation.declared(sentinel.scheme)]
    if not names:
        raise UsageError(f"{measurer.implementation} supports no sentinel, so a night would measure nothing.")
    last = measurer.store.marked("last-good")
    document = {
        "machine": measurer.machine,
        "implementation": measurer.implementation,
        "build": measurer.build,
        "sentinels": names,
        "trials": options.trials,
        "against": (last.commit or last.digest[:12] if last else "nothing yet")
        if options.against == "last-good"
        else measurer.checkout.resolve(options.against),
        "nights": len(history.nights(measurer.machine)),
        "history": str(history.folder),
    }
    if json:
        console.print_json(document)
        return
    for key, value in document.items():
        print(f"{key}: {', '.join(value) if isinstance(value, list) else value}")


def _print(result: NightResult, written: Path | None) -> None:
    from headroom.history.confirmation import LEAST_CHANGE
    from headroom.nightly.judgement import least_step_sentence

    for alert in result.opened:
        _print_alert(alert)
    if waiting := [open_alert.id for open_alert in result.still_open if open_alert not in result.opened]:
        print(f"Still open: {', '.join(waiting)}.")
    if not result.opened and result.status == "measured":
        print(f"Nothing new in {result.series} series." if result.series else "No series of fixed work was measured.")
    if result.candidates:
        print(f"{result.candidates} of {result.series} series were off their baseline.")
    if round(result.least_step, 3) > LEAST_CHANGE:
        print(least_step_sentence(result.least_step))
    if result.status == "regression":
        known = [open_alert.id for open_alert in result.still_open if open_alert.confirmed and open_alert.is_worse]
        print(f"Tonight: a confirmed regression is open ({', '.join(known)}); other series are undecided tonight.")
    elif result.status != "measured":
        print(f"Tonight: {result.status}.")
    if written:
        print(shown(written))


def _print_alert(alert: Alert) -> None:
    commits = f", {alert.commits()}" if alert.commits() else ""
    state = alert.state + (f" ({alert.reason})" if alert.reason else "")
    rows = [
        (
            series.label,
            f"{series.baseline:.4g}",
            f"{series.value:.4g}",
            f"{series.step:+.1%}".replace("%", " %"),
            series.evidence,
        )
        for series in alert.series
    ]
    title = f"{alert.id}: {alert.title}{commits}, {state}"
    if rows:
        columns: list[str | tuple[str, str]] = [
            "series",
            ("before", "right"),
            ("now", "right"),
            ("step", "right"),
            "evidence",
        ]
        console.print_table(title, columns, rows)
    else:
        cases = [(series.test, series.before, series.after, series.reason) for series in alert.cases]
        console.print_table(title, ["case", "before", "now", "reason"], cases)


# ---- alerts


@nightly.command("show")
def show_command(
    context: typer.Context,
    alert: Annotated[str | None, typer.Argument(help="An alert; all open ones when left out.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show closed alerts, too.")] = False,
    history: HistoryFolder = None,
    json: Json = False,
) -> None:
    """Show the state of the nights and the alerts."""
    from headroom.nightly import log_entries, page

    known = existing_history(context, history)
    book = log_entries.book(known)
    chosen = [book.find(alert)] if alert else list(book.alerts.values()) if everything else book.open
    if json:
        console.print_json(
            {"alerts": [{**entry.opened(), "state": entry.state, "reason": entry.reason} for entry in chosen]}
        )
        return
    for entry in chosen:
        _print_alert(entry)
    if alert:
        print("\n".join(page.commands(chosen[0], known.folder)[1:]))
    right, closed = book.precision
    nights = known.nights()
    count = f"{len(nights)} night{'s' if len(nights) != 1 else ''}"
    last = f", the last one {nights[-1]:%Y-%m-%d %H:%M} UTC" if nights else ""
    share = f"; {right} of {closed} closed alerts were right" if closed else ""
    print(f"{count}{last}; open alerts: {len(book.open)}{share}.")


@nightly.command("accept")
def accept_command(
    context: typer.Context,
    alert: Annotated[str, typer.Argument(help="An alert, or `last`.")],
    reason: Annotated[str, REASON] = "",
    history: HistoryFolder = None,
) -> None:
    """Accept a change: close the alert, and begin a new baseline or, for drift, a new reference."""
    from headroom.nightly import log_entries

    known = existing_history(context, history)
    entry = log_entries.accept(known, alert, reason, datetime.now(UTC))
    _publish(known)
    what = "reference" if entry.drift_since else "baseline"
    begins = f"; a new {what} begins for {len(entry.series)} series" if entry.series else ""
    print(f"{entry.id} is accepted{begins}.")


@nightly.command("ignore")
def ignore_command(
    context: typer.Context,
    alert: Annotated[str, typer.Argument(help="An alert, or `last`.")],
    reason: Annotated[str, REASON] = "",
    history: HistoryFolder = None,
) -> None:
    """Ignore a false alert: close it, and count it against the precision.

    It stays ignored while its series stay at that level. Once they have been back at the baseline, the same step is a
    new alert.
    """
    from headroom.nightly import log_entries

    known = existing_history(context, history)
    entry = log_entries.ignore(known, alert, reason, datetime.now(UTC))
    _publish(known)
    print(f"{entry.id} is ignored.")


@nightly.command("reopen")
def reopen_command(
    context: typer.Context,
    alert: Annotated[str, typer.Argument(help="A closed alert, or `last`: the one that was closed last.")],
    reason: Annotated[str, REASON] = "",
    history: HistoryFolder = None,
) -> None:
    """Reopen an alert that was closed by mistake, with the baseline that it had."""
    from headroom.nightly import log_entries

    known = existing_history(context, history)
    entry = log_entries.reopen(known, alert, reason, datetime.now(UTC))
    _publish(known)
    print(f"{entry.id} is open again.")


@nightly.command("event")
def event_command(
    context: typer.Context,
    sentence: Annotated[str, typer.Argument(help="The event, such as 'new memory'.")],
    night: Annotated[
        str, typer.Option(help=("First night after the event, such as 20261124T013900Z; now when left out."))
    ] = "",
    machine: Annotated[str, typer.Option(help="The machine; all when left out.")] = "",
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Remove the last event with this sentence.")] = False,
    history: HistoryFolder = None,
) -> None:
    """Record an event on a machine. Nights before it are not compared with nights after it."""
    from headroom.history.events import Event
    from headroom.history.series import night_name, night_of
    from headroom.nightly import log_entries

    known = existing_history(context, history)
    if withdraw:
        if night or machine:
            raise UsageError("--withdraw takes only the sentence: leave --night and --machine out.")
        event = log_entries.withdraw(known, sentence)
        _publish(known)
        print(f"Withdrawn: {event.sentence} ({night_name(event.night)})")
        return
    try:
        when = night_of(night) if night else datetime.now(UTC).replace(microsecond=0)
    except ValueError as error:
        raise UsageError(f"{error}.") from None
    machines = sorted({file.machine for file in known.files()})
    if not sentence.strip():
        raise UsageError("An event needs a sentence, such as 'new memory'.")
    if machine and machine not in machines:
        raise UsageError(f"The history has no machine '{machine}'. Known: {', '.join(machines) or 'none yet'}.")
    if when > datetime.now(UTC) + timedelta(days=1):
        raise UsageError(f"The night {night} is in the future.")
    log_entries.note(known, Event(when, machine, "user", sentence))
    _publish(known)
    print(f"Noted: {sentence}")


@nightly.command("bisect")
def bisect_command(
    context: typer.Context,
    alert: Annotated[str, typer.Argument(help="An alert, or `last`.")] = "last",
    old: Annotated[str, typer.Option(help="A commit that is good, instead of the alert's.")] = "",
    new: Annotated[str, typer.Option(help="A commit that is bad, instead of the alert's.")] = "",
    quick: Annotated[bool, typer.Option("--quick", help="Fewer trials.")] = False,
    wait: Annotated[str, typer.Option(help="How long to wait for a quiet machine, such as 15m.")] = "15m",
    history: HistoryFolder = None,
    json: Json = False,
) -> None:
    """Find the commit that caused an alert."""
    from headroom.core import implementations
    from headroom.core.machine import build as build_module
    from headroom.nightly import bisect, log_entries
    from headroom.nightly.measurer import default_measurer

    known = existing_history(context, history)
    found_alert = log_entries.book(known).find(alert)
    build = found_alert.build or DEFAULT_BUILD
    measurer = default_measurer(known.folder, found_alert.implementation or "reference", build, console.say)
    measurer.wait_s = seconds_of(wait)
    with known.lock():
        build_module.ensure(build, implementations.ninja_targets(), say=console.say)
        if reason := measurer.busy():
            raise EnvironmentLacks(reason)
        result = bisect.run(found_alert, measurer, measurer.checkout, bisect.Range(old, new), quick, console.say)
    if json:
        console.print_json(result.as_json())
    else:
        for sentence in result.sentences:
            print(sentence)
    raise typer.Exit(EXIT_PASSED if result.culprit else EXIT_FAILED)


# ---- the history itself


@nightly.command("compact")
def compact_command(context: typer.Context, history: HistoryFolder = None) -> None:
    """Put the nights of past months into one file each, and migrate files of earlier schemas."""
    known = existing_history(context, history)
    with known.lock():
        known.sweep()
        changes = [*known.migrate(), *known.compact(datetime.now(UTC))]
    print("\n".join(changes) or "There is nothing to compact.")


@nightly.command("forget")
def forget_command(
    context: typer.Context,
    night: Annotated[str, typer.Argument(help="A night, such as 20361124T013900Z.")],
    machine: Annotated[str, typer.Option(help="Its machine, if several have a night of that time.")] = "",
    history: HistoryFolder = None,
) -> None:
    """Remove a night with its alerts and events. A night of a wrong clock would keep all nights before it out."""
    from headroom.history.series import night_of
    from headroom.nightly import forgetting

    known = existing_history(context, history)
    try:
        when = night_of(night)
    except ValueError as error:
        raise UsageError(f"{error}.") from None
    with known.lock():
        gone = forgetting.forget(known, when, machine, datetime.now(UTC))
    _publish(known)
    print(f"The night {night} is forgotten: {', '.join(gone)} removed.")


@nightly.command("check")
def check_command(context: typer.Context, history: HistoryFolder = None, json: Json = False) -> None:
    """Read everything in the history, and list the damage. Exit status 1 if there is any."""
    from headroom.history.store import History
    from headroom.nightly import forgetting, log_entries

    warnings: list[str] = []
    known = History(existing_history(context, history).folder, warnings.append)
    known.verify()
    warnings += forgetting.still_to_come(known, datetime.now(UTC))
    files = known.files()
    document = {
        "files": len(files),
        "rows": sum(file.rows for file in files),
        "nights": len(known.nights()),
        "machines": sorted({file.machine for file in files}),
        "events": len(log_entries.all_events(known)),
        "alerts": len(log_entries.book(known).alerts),
        "warnings": list(dict.fromkeys(warnings)),
    }
    if json:
        console.print_json(document)
    else:
        for key, value in document.items():
            print(f"{key}: {_listed(value) if isinstance(value, list) else value}")
    raise typer.Exit(EXIT_FAILED if warnings else EXIT_PASSED)


def _listed(values: list[str]) -> str:
    """The text of a single value beside its name, or of several values below it."""
    return "\n  ".join(["", *values]) if len(values) > 1 else "".join(values) or "none"


@nightly.command("export")
def export_command(
    context: typer.Context,
    openmetrics: Annotated[
        Path | None, typer.Option(help="Write a file for node_exporter's textfile collector.")
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Write the last night as JUnit XML.")] = None,
    sqlite: Annotated[Path | None, typer.Option(help="Write all nights as a database, for Grafana.")] = None,
    history: HistoryFolder = None,
) -> None:
    """Write the history for other tools."""
    from headroom.nightly import exports

    known = existing_history(context, history)
    options = {"openmetrics": openmetrics, "junit": junit, "sqlite": sqlite}
    chosen = {name: output_file(path) for name, path in options.items() if path is not None}
    if not chosen:
        raise UsageError("Name a file to write: --openmetrics FILE, --junit FILE or --sqlite FILE.")
    if len(set(chosen.values())) < len(chosen):
        raise UsageError("Two of the options name one file; name a file for each.")
    for name, path in chosen.items():
        exports.WRITERS[name](known, path)
        print(shown(path))


def _publish(known: History) -> None:
    from headroom.nightly import page

    with known.page_lock():
        page.write(known, known.folder / "index.html")
