# SPDX-License-Identifier: Apache-2.0
"""`./headroom run`: the main job, or any suites; a table in the terminal and one HTML report at the end."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headroom.cli import dry_run as planned
from headroom.cli import resuming
from headroom.core import console
from headroom.core.errors import EXIT_INTERRUPTED, EnvironmentLacks, UsageError
from headroom.core.paths import DEFAULT_BUILD, shown
from headroom.core.text import shortened

if TYPE_CHECKING:  # the real imports wait until they are needed
    from headroom.core.run.session import Plan
    from headroom.core.settings import Settings

Document = Callable[[Path, list[dict[str, Any]]], dict[str, Any]]

EPILOG = console.examples(
    "./headroom run",
    "./headroom run performance/voip_flow_pairs --cpus 1c,2c-l3",
    "./headroom run conformance --compressor reference --decompressor null",
    "./headroom run RFC3095-5.3.1",
    "./headroom run performance/sip_calls --calls 5000 --holding 60  # a P-CSCF under calls of a minute",
    "./headroom run performance --topology netns  # over namespaces and veth pairs of this machine (root)",
    "./headroom run performance --topology resources/testbeds/example.yaml --dry-run  # every command, with its host",
    "./headroom run --resume 20261120-160522-3f9a",
)

# What `./headroom run` does without arguments, in this order: the paper's scaling reuses what the performance suite
# measured.
MAIN_JOB = ("conformance", "performance", "papers/effnet_2007")


def add_to(app: typer.Typer) -> None:
    app.command(
        "run",
        help=(
            "Run suites. Without arguments: conformance of the reference, VoIP flow pairs on "
            "this machine's cores, and the Effnet paper's tables."
        ),
        epilog=EPILOG,
    )(run_command)


def run_command(
    context: typer.Context,
    suites: Annotated[
        list[str] | None, typer.Argument(help="Suites (see list suites) or requirements such as RFC3095-5.3.1.")
    ] = None,
    compressor: Annotated[
        str,
        typer.Option(
            help="Implementation that compresses. Named without --decompressor, only what asks it counts.",
            show_default="reference",
        ),
    ] = "",
    decompressor: Annotated[
        str, typer.Option(help="Implementation that decompresses; likewise.", show_default="reference")
    ] = "",
    cpus: Annotated[
        str, typer.Option(help="CPU configurations, such as 1c,2c-l3 (see list cpus); all usual ones when left out.")
    ] = "",
    profile: Annotated[str, typer.Option(help="Traffic profile of the performance suites (see list profiles).")] = "",
    build: Annotated[
        str, typer.Option(help="Build to measure: a CMake preset, or the path of a build folder.")
    ] = DEFAULT_BUILD,
    builds: Annotated[
        str,
        typer.Option(
            help="Builds to compare (the paper's Figures 5 and 6): names, or 'all'; those present when left out."
        ),
    ] = "",
    topology: Annotated[
        str,
        typer.Option(
            help="Where it runs: process (no network), netns (namespaces of this machine), compose (containers), or "
            "the path of a testbed file."
        ),
    ] = "process",
    generator: Annotated[
        str, typer.Option(help="Who sends where there are interfaces: memory (the engine) or trex ($TREX_ROOT).")
    ] = "memory",
    calls: Annotated[
        int | None,
        typer.Option(help="Calls in progress at a P-CSCF (performance/sip_calls); those of its rows when left out."),
    ] = None,
    holding: Annotated[
        float | None, typer.Option(help="How long such a call is held, in seconds (180 for voice, 300 for video).")
    ] = None,
    answer: Annotated[float | None, typer.Option(help="How long until it is answered, in seconds (5).")] = None,
    seed: Annotated[int, typer.Option(help="The only source of randomness.")] = 1,
    case: Annotated[
        list[str] | None, typer.Option("--case", help="Only cases of this name (wildcards allowed; repeatable).")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Only cases with this tag (repeatable).")] = None,
    exclude: Annotated[list[str] | None, typer.Option("--exclude", help="No cases with this tag (repeatable).")] = None,
    resume: Annotated[
        str | None, typer.Option(help="Go on with a run that was cut short: its name, or 'last'.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer trials and seeds: a first look, not a measurement.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON at the end.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything and say what would run; run nothing.")
    ] = False,
) -> None:
    asked = RunOptions(
        suites or [],
        compressor,
        decompressor,
        cpus,
        profile,
        build,
        builds,
        seed,
        quick,
        tag or [],
        exclude or [],
        case or [],
        generator,
        topology,
        calls,
        holding,
        answer,
    )
    raise typer.Exit(execute(asked, resume, json, dry_run, run_document, resuming.said(context)))


@dataclass
class RunOptions:
    """The words of the command line."""

    suites: list[str]
    compressor: str = ""  # reference where it is not named
    decompressor: str = ""
    cpus: str = ""
    profile: str = ""
    build: str = DEFAULT_BUILD
    builds: str = ""
    seed: int = 1
    quick: bool = False
    tags: list[str] | None = None
    excluded: list[str] | None = None
    cases: list[str] | None = None
    generator: str = "memory"
    topology: str = "process"
    calls: int | None = None  # as the suites say, and likewise the two below
    holding: float | None = None
    answer: float | None = None

    def subject(self) -> str:
        """The side that is named alone: the run is about it. "" where both are, or neither is."""
        if bool(self.compressor) == bool(self.decompressor):
            return ""
        return "compressor" if self.compressor else "decompressor"


def plan_of(asked: RunOptions) -> Plan:
    """A plan without a folder yet. Raises UsageError when a name is unknown."""
    from headroom.core.machine import build
    from headroom.core.run.selection import has_suites, requirement_tags, suite_files, uses_interfaces
    from headroom.core.run.session import Plan
    from headroom.core.settings import DEFAULT_PROFILE, OF_CALLS, Settings, of_calls, seed_of, split_names

    settings = Settings(
        compressor=asked.compressor or Settings.compressor,
        decompressor=asked.decompressor or Settings.decompressor,
        profile=asked.profile or DEFAULT_PROFILE,
        cpus=split_names(asked.cpus),
        build=asked.build,
        builds=build.MEASURED if asked.builds == "all" else split_names(asked.builds),
        seed=seed_of(asked.seed),
        quick=asked.quick,
        generator=asked.generator,
        topology=asked.topology,
        subject=asked.subject(),
        **{name: of_calls(name, getattr(asked, name)) for name in OF_CALLS},
    )
    check_here(settings)
    suites, tags = requirement_tags(asked.suites)
    if not suites:
        suites = ["conformance"] if tags else [name for name in MAIN_JOB if has_suites(name)]
    files = suite_files(suites)
    if asked.topology != "process" and not uses_interfaces(files):
        raise UsageError(
            f"Nothing of {', '.join(suites)} goes over interfaces, and so --topology {asked.topology} would change "
            "nothing: leave it out, or name a suite of performance."
        )
    plan = Plan(settings, suites, [*tags, *(asked.tags or [])], asked.excluded or [], asked.cases or [])
    if said := next((name for name in OF_CALLS if getattr(settings, name) is not None), None):
        require_calls(plan, said)
    return plan


def require_calls(plan: Plan, said: str) -> None:
    """Raises UsageError where an option of calls was `said` and no case heeds it."""
    from headroom.core.run.selection import serves_calls
    from headroom.core.run.session import chosen_of

    found = chosen_of(plan)
    if not found or serves_calls(found):
        return  # that there are none is said later
    few = len(found) <= MOST_NAMED
    those = ", ".join(f"'{case.name}'" for case in found) if few else ", ".join(plan.suites)
    raise UsageError(
        f"Nothing of {those} has calls through a P-CSCF whose number and length can be said, and so --{said} would "
        "change nothing: leave it out, or name performance/sip_calls or a row of it that has such calls."
    )


MOST_NAMED = 3  # cases in a sentence


def check_here(settings: Settings) -> None:
    """Raises UsageError where a name is unknown, EnvironmentLacks where this machine cannot do what settings ask for:
    before a run, and before one goes on, for the machine may have changed meanwhile."""
    from headroom.core import profiles
    from headroom.core.machine import build, topology
    from headroom.testbed import choice, images

    choice.check(settings.topology, settings.generator)
    for name in dict.fromkeys((settings.compressor, settings.decompressor)):
        images.require(name, settings.topology, settings.build)
    profiles.load(settings.profile)
    wanted = topology.resolve(settings.cpus, topology.configurations(topology.read()))
    if wanted and not any(one.available for one in wanted):
        reasons = "; ".join(f"{one.name}: {one.reason}" for one in wanted)
        raise EnvironmentLacks(f"This machine has none of these CPU configurations ({reasons}). See list cpus.")
    for name in (settings.build, *settings.builds):
        if name not in build.presets() and not build.engine_program(name).is_file():
            raise UsageError(
                f"There is no build '{name}'. Presets: {', '.join(build.presets())}; or the path of a build folder."
            )


def execute(
    asked: RunOptions,
    resume: str | None,
    json: bool,
    dry_run: bool,
    document_of: Document,
    said: Collection[str] = (),
) -> int:
    """Runs what was asked for and ends with `document_of(folder, records)` as JSON, or with tables.

    `said` are the parameters that stand on the command line. Returns the exit status.
    """
    from dataclasses import replace

    from headroom.core.results import store
    from headroom.core.run import session

    if resume:
        plan = session.recall(store.find_run(resume))
        resuming.refuse_contradictions(asked, said, plan)
        check_here(plan.settings)
    else:
        plan = plan_of(asked)
    if dry_run:
        return planned.show(plan, json)
    build_what_is_needed(plan.settings)
    if not resume:
        plan.settings = replace(plan.settings, folder=session.new_folder())
        session.keep(plan)
    console.say(f"run {plan.folder.name}: {', '.join(plan.suites)} (results in {shown(plan.folder)})")
    with console.Progress() as progress:
        outcome = session.run_robot(
            plan,
            on_start=progress.start,
            on_end=progress.end,
            on_total=progress.expect,
            on_left_out=progress.leave_out,
            resume=bool(resume),
        )
    records = store.read_all(plan.folder, console.warn)
    report = plan.folder / "report.html"
    if records:
        from headroom.report import render

        render.write(records, report, plan.folder)
    if outcome.interrupted:
        console.say(
            f"Interrupted. {outcome.cases} results are kept; `./headroom run --resume "
            f"{plan.folder.name}` does the rest."
        )
    if outcome.left_out:
        console.say(_left_out(plan.settings, outcome.left_out))
    if outcome.cases == 0 and outcome.left_out and not outcome.interrupted:
        shutil.rmtree(plan.folder, ignore_errors=True)
        raise UsageError(planned.NOBODY_ASKED)
    if outcome.cases == 0 and not outcome.interrupted:
        shutil.rmtree(plan.folder, ignore_errors=True)
        raise UsageError(planned.NO_CASE)
    document = document_of(plan.folder, records)
    if json:
        console.print_json(document)
    else:
        print_tables(document, records, report)
    if outcome.interrupted:
        return EXIT_INTERRUPTED
    if outcome.nothing_asked:
        console.say(console.NOTHING_ASKED)
    return outcome.exit_status


def _left_out(settings: Settings, count: int) -> str:
    """What became of the cases that do not ask the side that the run is about."""
    name = getattr(settings, settings.subject)
    cases = "1 case does not ask" if count == 1 else f"{count} cases do not ask"
    return f"The run is about {name} as {settings.subject}: {cases} it, so they are left out."


def build_what_is_needed(settings: Settings) -> None:
    """Builds the engine and our adapters for the builds asked for by name; speaks only when there is work."""
    from headroom.core import implementations
    from headroom.core.machine import build

    targets = implementations.ninja_targets(warn=console.warn_once)
    for name in dict.fromkeys((settings.build, *settings.builds)):
        build.ensure(name, targets, say=console.say)
    if settings.topology == "compose":
        from headroom.testbed import images

        images.build_ours(console.say)


def run_document(folder: Path, records: list[dict[str, Any]]) -> dict[str, Any]:
    """What `run --json` prints: see "CLI" in the design."""
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
    """The tables that a run ends with: capacity per CPU configuration, what did not pass, verdicts, the report."""
    from headroom.report.data import absent_configurations, capacity_rows, not_passed

    rows = capacity_rows(records)
    if rows:
        columns: list[str | tuple[str, str]] = ["CPUs", *((title, "right") for title in CAPACITY_COLUMNS)]
        console.print_table("Bidirectional VoIP flow pairs (all cores together)", columns, rows)
        print("Codec only: without the harness, at 50 % load where that was measured. × null: operation over a copy's.")
    if absent := absent_configurations(records):
        print(f"Not measured: {'; '.join(absent)}.")
    if bad := not_passed(records):
        console.print_table(
            "What did not pass",
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
