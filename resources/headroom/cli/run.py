# SPDX-License-Identifier: Apache-2.0
"""`./headroom run`: the main job, or any suites; a table in the terminal and one HTML report at the end."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headroom.cli import dry_run as planned
from headroom.cli import resuming
from headroom.cli.options import of_settings, with_options
from headroom.cli.run_options import RunOptions
from headroom.core import console
from headroom.core.errors import EXIT_INTERRUPTED, EnvironmentLacks, UsageError, disk_error
from headroom.core.options import DRY_RUN, JSON, RESUME, SELECTION
from headroom.core.paths import shown
from headroom.core.settings import Settings, options
from headroom.core.text import shortened

if TYPE_CHECKING:  # these are imported only when they are needed
    from headroom.core.run.session import Outcome, Plan

Records = list[dict[str, Any]]
Document = Callable[[Path, Records], dict[str, Any]]

EPILOG = console.examples(
    "./headroom run",
    "./headroom run performance/voip_flow_pairs --cpus 1c,2c-l3",
    "./headroom run conformance --compressor reference --decompressor null",
    "./headroom run RFC3095-5.3.1",
    "./headroom run performance/sip_calls --calls 5000 --holding 60  # a P-CSCF with calls of one minute",
    "./headroom run performance --topology netns  # over namespaces and veth pairs of this machine (root)",
    "./headroom run performance --topology resources/testbeds/example.yaml --dry-run  # every command, with its host",
    "./headroom run --resume 20261120-160522-3f9a",
)


def add_to(app: typer.Typer) -> None:
    app.command(
        "run",
        help=(
            "Run suites. Without arguments: conformance of the reference, VoIP flow pairs on "
            "this machine's cores, and the Effnet paper's tables; a little of each first."
        ),
        epilog=EPILOG,
    )(with_options(run_command, [*of_settings(), *SELECTION, RESUME, JSON, DRY_RUN]))


def run_command(
    explicit: dict[str, Any],
    suites: Annotated[
        list[str] | None,
        typer.Argument(help="Suites (see list suites) or requirements (see list documents) such as RFC3095-5.3.1."),
    ] = None,
) -> None:
    raise typer.Exit(execute(RunOptions(suites or [], **explicit), run_document))


def plan_of(options: RunOptions) -> Plan:
    """A plan without a folder yet. Raises UsageError if a name is unknown."""
    from headroom.cli import main_job
    from headroom.core.run.selection import has_interface_cases, requirement_tags, suite_files
    from headroom.core.run.session import Plan

    settings = options.settings()
    check_here(settings)
    suites, tags = requirement_tags(options.suites)
    if not suites:
        suites = ["conformance"] if tags else main_job.suites()
    files = suite_files(suites)
    if settings.topology != "process" and not has_interface_cases(files):
        raise UsageError(
            f"No case of {', '.join(suites)} uses interfaces, so --topology {settings.topology} would change nothing: "
            "leave it out, or name a suite of performance."
        )
    case, tag, exclude = (list(options.values.get(option.name, ())) for option in SELECTION)
    if not (options.suites or case or tag or exclude):
        exclude = [main_job.THOROUGH]
    plan = Plan(settings, suites, [*tags, *tag], exclude, case)
    require_rows(plan)
    return plan


def require_rows(plan: Plan) -> None:
    """Raises UsageError if no case of the plan reads an option that is given."""
    from headroom.core.run.selection import has_rows
    from headroom.core.run.session import chosen_of

    of_rows = [
        option for name, option in options().items() if option.rows and plan.settings.get(name) != option.default
    ]
    cases = chosen_of(plan) if of_rows else []
    for option in of_rows if cases else []:  # an empty selection is reported later
        assert option.rows is not None
        if has_rows(cases, option.rows):
            continue
        few = len(cases) <= MOST_NAMED
        names = ", ".join(f"'{case.name}'" for case in cases) if few else ", ".join(plan.suites)
        raise UsageError(
            f"No case of {names} has {option.rows.have}, so --{option.name} would change nothing: leave it out, or "
            f"name {option.rows.places}."
        )


MOST_NAMED = 3  # most cases that a sentence names


def check_here(settings: Settings) -> None:
    """Raises UsageError if a name is unknown, EnvironmentLacks if this machine cannot do what the settings need. Called
    before a run begins and before it is resumed, because the machine may have changed meanwhile.
    """
    from headroom.core import profiles
    from headroom.core.machine import build, topology
    from headroom.testbed import choice, images

    choice.check(settings.topology, settings.generator)
    for name in dict.fromkeys((settings.compressor, settings.decompressor)):
        images.require(name, settings.topology, settings.build)
    profiles.load(settings.profile)
    configurations = topology.resolve(settings.cpus, topology.configurations(topology.read()))
    if configurations and not any(configuration.is_available for configuration in configurations):
        reasons = "; ".join(f"{configuration.name}: {configuration.reason}" for configuration in configurations)
        raise EnvironmentLacks(
            f"This machine has none of these CPU configurations ({reasons}). `./headroom list cpus` names those it has."
        )
    for name in (settings.build, *settings.builds):
        build.require(name)


def execute(options: RunOptions, document_of: Document) -> int:
    """Runs a plan and prints `document_of(folder, records)` as JSON, or tables. Returns the exit status."""
    from headroom.cli import main_job
    from headroom.core.results import store
    from headroom.core.run import session
    from headroom.judge import judgement

    resume, json = options.get("resume"), bool(options.get("json"))
    if resume:
        folder = store.find_run(resume)
        if judgement.is_one(folder):
            raise UsageError(f"The run {folder.name} is a judgement; continue it with `./headroom judge --resume`.")
        plan = session.recall(folder)
        resuming.refuse_contradictions(options, plan)
        check_here(plan.settings)
    else:
        plan = plan_of(options)
    if options.get("dry_run"):
        return planned.show(plan, json)
    outcome, records = run_plan(plan, bool(resume))
    if outcome.left_out:
        console.say(_left_out(plan.settings, outcome.left_out))
    if outcome.cases == 0 and not outcome.interrupted:
        shutil.rmtree(plan.folder, ignore_errors=True)
        raise UsageError(planned.NONE_EXERCISES if outcome.left_out else planned.no_case(plan))
    document = document_of(plan.folder, records)
    if json:
        console.print_json(document)
    else:
        print_tables(document, records, plan.folder / "report.html")
        if not outcome.interrupted and (rest := main_job.left_to_others(plan)):
            console.say(rest)
    return end(outcome)


def run_plan(plan: Plan, resumed: bool, command: str = "run", unit: str = "results") -> tuple[Outcome, Records]:
    """Builds what a plan needs, runs its cases and writes the report. `command` is the command that resumes it; `unit`
    is the name of its results in sentences.
    """
    from headroom.cli import main_job
    from headroom.core.results import junit, store
    from headroom.core.run import session
    from headroom.report import data, render
    from headroom.report.unreadable import readable

    build_what_is_needed(plan.settings)
    if not resumed:
        plan.settings = replace(plan.settings, folder=session.new_folder())
        session.keep(plan)
    console.say(f"run {plan.folder.name}: {', '.join(plan.suites)} (results in {shown(plan.folder)})")
    with console.Progress() as progress:
        order = main_job.order_of(plan, progress)
        listener = order or progress
        outcome = session.run_robot(
            plan, progress.start, listener.end, progress.expect, listener.leave_out, resume=resumed, order=order
        )
    records = store.read_all(plan.folder, console.warn)
    if records:
        try:
            junit.write(records, plan.folder)
        except OSError as error:
            raise disk_error(error, "writing junit.xml") from error
        render.write(records, plan.folder / "report.html", plan.folder)
        tables = (data.capacities, data.capacity_rows, data.absent_configurations)
        records = readable(lambda few: [table(few) for table in tables], records, "The summary")
    if outcome.interrupted:
        console.say(
            f"Interrupted. {outcome.cases} {unit} are kept; `./headroom {command} --resume {plan.folder.name}` runs "
            "the rest."
        )
    return outcome, records


def end(outcome: Outcome) -> int:
    """The exit status of a run. Prints a sentence if all cases are unsupported."""
    if outcome.interrupted:
        return EXIT_INTERRUPTED
    if outcome.is_all_unsupported:
        console.say(console.ALL_UNSUPPORTED)
    return outcome.exit_status


def _left_out(settings: Settings, count: int) -> str:
    """A sentence about the cases that do not exercise the implementation under test."""
    name = getattr(settings, settings.subject)
    cases = "1 case does not exercise" if count == 1 else f"{count} cases do not exercise"
    return f"The run is about {name} as {settings.subject}: {cases} it, so they are left out."


def build_what_is_needed(settings: Settings) -> None:
    """Builds the engine and our adapters for the named builds; prints a line only if there is something to build."""
    from headroom.core import implementations, sandbox
    from headroom.core.machine import build

    if reason := sandbox.lacking():
        console.warn_once(f"other people's code runs without the whole sandbox: {reason}")
    targets = implementations.ninja_targets(warn=console.warn_once)
    for name in dict.fromkeys((settings.build, *settings.builds)):
        build.ensure(name, targets, say=console.say)
    if settings.topology == "compose":
        from headroom.testbed import images

        images.build_ours(console.say)


def run_document(folder: Path, records: list[dict[str, Any]]) -> dict[str, Any]:
    """The document that `run --json` prints; see "CLI" in the design."""
    from headroom.core.results.record import count_verdicts
    from headroom.report.data import capacities

    report = folder / "report.html"
    return {
        "report": str(report) if report.exists() else None,
        "results": str(folder / "results"),
        "verdicts": count_verdicts(records),
        "capacity": [capacity.as_json() for capacity in capacities(records)],
    }


def print_tables(document: dict[str, Any], records: list[dict[str, Any]], report: Path) -> None:
    """Prints the closing tables of a run: capacity per CPU configuration, cases that did not pass, verdicts, and the
    report's path.
    """
    from headroom.report.data import absent_configurations, capacity_rows, not_passed

    rows = capacity_rows(records)
    if rows:
        columns: list[str | tuple[str, str]] = ["CPUs", *((title, "right") for title in CAPACITY_COLUMNS)]
        console.print_table("Bidirectional flow pairs (all cores together)", columns, rows)
        print(
            "Codec only: without the harness, at 50 % load if measured. × null: time of an operation over the time of "
            "a copy."
        )
    if absent := absent_configurations(records):
        print(f"Not measured: {'; '.join(absent)}.")
    if bad := not_passed(records):
        console.print_table(
            "Cases that did not pass",
            ["verdict", "case", "reason"],
            [
                (
                    console.verdict_text(verdict),
                    cases[0] + (f"\nand {len(cases) - 1} more with the same reason" if len(cases) > 1 else ""),
                    shortened(reason.splitlines()[0], 300),
                )
                for verdict, reason, cases in bad[:MOST_REASONS]
            ],
        )
        if len(bad) > MOST_REASONS:
            print(f"{len(bad) - MOST_REASONS} more reasons are in the report.")
    verdicts = document["verdicts"]
    print("  ".join(f"{name} {count}" for name, count in verdicts.items()))
    if document["report"]:
        print(shown(report))


MOST_REASONS = 20  # in the terminal
CAPACITY_COLUMNS = (
    "30 % load",
    "50 % load",
    "no missed tick",
    "codec only",
    "ns per operation",
    "× null",
    "latency p50 ns",
    "p99",
    "p99.9",
)
