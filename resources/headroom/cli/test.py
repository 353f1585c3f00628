# SPDX-License-Identifier: Apache-2.0
"""`./headroom test`: runs the project's own tests; the last lines show each runner's totals."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headroom.core.console import examples, print_json, say
from headroom.core.errors import UsageError

if TYPE_CHECKING:
    from headroom.selftest.stages import Result, Stage

EPILOG = examples(
    "./headroom test",
    "./headroom test --fast  # while developing: two and a half minutes on two cores if the build is up to date",
    "./headroom test --all  # what continuous integration runs",
    "./headroom test --fuzz  # 60 s for each fuzz target",
    "./headroom test --only pytest",
    "./headroom test --mutants  # do the conformance suites find every defect put into the reference on purpose?",
    "./headroom test --mutants --mutant ts-stride-not-sent",
    "./headroom test --doubles  # does a conformance suite fail what a specification leaves open?",
    "./headroom test --soak 2  # two hours of fuzzing, damaged links and kills; --resume goes on after Ctrl-C",
)


Fast = Annotated[
    bool,
    typer.Option(
        "--fast",
        help="Run only what is quick, for use after each change: style, most C++ and Python unit tests, a dry run of "
        "every suite, and the suites of smoke.",
    ),
]
Everything = Annotated[
    bool,
    typer.Option(
        "--all",
        help="Also run the long Python tests, all rows of the interop matrices, C++ unit tests under sanitizers, the "
        "suites against doubles and some deliberate defects of the reference, benchmarks, and Docker Compose.",
    ),
]
UpdateGolden = Annotated[
    bool,
    typer.Option(
        "--update-golden",
        help=(
            "Replace the golden outcomes by those of the stage robot: later runs compare verdicts and link octets "
            "with them."
        ),
    ),
]

Mutants = Annotated[
    bool,
    typer.Option(
        "--mutants",
        help="Instead of the stages: put each defect of implementations/reference/*/mutants.yaml into the "
        "reference, and run the conformance suites to find it.",
    ),
]
MutantNames = Annotated[
    list[str] | None, typer.Option("--mutant", help=("With --mutants: run only this mutant (repeatable)."))
]
Doubles = Annotated[
    bool,
    typer.Option(
        "--doubles",
        help="Instead of the stages: run every conformance case on each double of "
        "implementations/reference/*/doubles.yaml, which is correct and uses what a specification leaves open.",
    ),
]
Soak = Annotated[
    float | None,
    typer.Option(
        "--soak",
        metavar="HOURS",
        help="Instead of the stages: for this many hours, in turns, run all fuzz targets, calls of the ABI, links with "
        "bit errors, and commands that are killed; write a page with the counts. A fraction such as 0.1 is allowed.",
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="With --soak: continue the last soak until it has run for that many hours.")
]
DoubleNames = Annotated[
    list[str] | None, typer.Option("--double", help=("With --doubles: run only this double (repeatable)."))
]


def add_to(app: typer.Typer) -> None:
    app.command(
        "test",
        help="Run the project's own tests: style, C++ unit tests, pytest, Robot suites; sanitized and more with --all.",
        epilog=EPILOG,
    )(test_command)


def test_command(
    fast: Fast = False,
    everything: Everything = False,
    fuzz: Annotated[bool, typer.Option("--fuzz", help="Also build every fuzz target and run it for a while.")] = False,
    fuzz_seconds: Annotated[int, typer.Option(help="Seconds for each fuzz target.", min=1)] = 60,
    only: Annotated[list[str] | None, typer.Option("--only", help="Run only these stages (repeatable).")] = None,
    mutants: Mutants = False,
    mutant: MutantNames = None,
    doubles: Doubles = False,
    double: DoubleNames = None,
    soak: Soak = None,
    resume: Resume = False,
    update_golden: UpdateGolden = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON at the end.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the stages that would run.")] = False,
) -> None:
    from headroom.selftest import stages as runner

    if resume and soak is None:
        raise UsageError("--resume continues a soak: give --soak HOURS, too.")
    instead = {"--mutants": (mutants, mutant or []), "--doubles": (doubles, double or [])}
    instead["--soak"] = (soak is not None, [])
    if option := _instead_of_stages(instead):
        if fast or everything or fuzz or only:
            raise UsageError(f"{option} runs instead of the stages: leave out --fast, --all, --fuzz and --only.")
        if soak is not None:
            raise typer.Exit(soak_command(soak, resume, json, dry_run))
        command = mutants_command if option == "--mutants" else doubles_command
        raise typer.Exit(command(instead[option][1], json, dry_run))
    if fast and everything:
        raise UsageError("--fast and --all do not go together.")
    if update_golden and (fast or not (everything or only)):
        raise UsageError("--update-golden keeps the outcomes of all suites: say --all or --only robot with it.")
    stages = runner.stages(fast, everything, fuzz, fuzz_seconds, only or [])
    if dry_run:
        for stage in stages:
            print(f"{stage.name}: {stage.about}")
        return
    began = time.monotonic()
    results = _run(stages)
    if update_golden:
        say(f"{runner.update_golden()} cases are on file in {_shown(runner.GOLDEN)}")
    passed = all(result.passed for result in results)
    for line in _summary(results, time.monotonic() - began):
        say(line) if json else print(line)
    if json:
        print_json({"stages": [result.as_json() for result in results], "passed": passed})
    raise typer.Exit(0 if passed else 1)


def _summary(results: list[Result], seconds: float) -> Iterator[str]:
    """The totals of each stage, what failed in it, and a line about all."""
    for result in results:
        outcome = "passed" if result.passed else "FAILED"
        yield from (f"{result.stage:<18} {outcome}  {total}" for total in result.totals or [""])
        yield from (f"{'':<18} {fault}" for fault in result.faults)
    failed = [result.stage for result in results if not result.passed]
    count = f"{len(results) - len(failed)} of {len(results)} stages passed in {seconds:.0f} s"
    yield count + (f"; failed: {', '.join(failed)}" if failed else "")


def _instead_of_stages(given: dict[str, tuple[bool, list[str]]]) -> str:
    """The option that replaces the stages, or "". `given` maps each such option to whether it is given and the names
    that belong to it. Raises UsageError if options exclude each other.
    """
    for option, (is_there, names) in given.items():
        if names and not is_there:
            raise UsageError(f"{option.removesuffix('s')} needs {option}; give both.")
    chosen = [option for option, (is_there, _) in given.items() if is_there]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} exclude each other.")
    return chosen[0] if chosen else ""


def _run(stages: list[Stage]) -> list[Result]:
    """Runs stages in turn. Builds that no stage waits for run meanwhile."""
    from headroom.selftest import stages as runner

    results = []
    with runner.BackgroundBuilds(stages) as builds:
        for index, stage in enumerate(stages, 1):
            say(f"[{index}/{len(stages)}] {stage.name}: {stage.about}")
            result = runner.run(stage)
            results.append(result)
            say(f"        {'passed' if result.passed else 'FAILED'} in {result.seconds:.0f} s")
            if not result.passed:
                say("\n".join(f"        {line}" for line in result.last_lines))
                say(f"        the whole log: {_shown(result.log)}")
            if stage.name == "ctest":
                builds.start()
    return results


def mutants_command(names: list[str], json: bool, dry_run: bool) -> int:
    """Runs the conformance suites on the named mutants, or on all. Returns the exit status."""
    from headroom.core.console import print_table
    from headroom.core.mutation import campaign, catalogue
    from headroom.core.paths import out_folder

    chosen = catalogue.choose(names, catalogue.load())
    if dry_run:
        for mutant in chosen:
            print(f"{mutant.name}: {mutant.breaks} ({mutant.side}; {mutant.section})")
        return 0
    rows = campaign.run(chosen, say)
    path = out_folder() / "test" / "mutants.json"
    campaign.keep(rows, path)
    print_table(
        "Mutants: do the conformance suites find each defect?",
        ["mutant", "side", "breaks", "verdict", "found by", "requirements of that case"],
        [
            (
                row.mutant.name,
                row.mutant.side,
                row.mutant.section,
                row.verdict if row.verdict != "survived" else "SURVIVED",
                row.by.case if row.by and row.verdict == "caught" else row.reason,
                ", ".join(row.by.requirements[:3]) + (" …" if len(row.by.requirements) > 3 else "") if row.by else "",
            )
            for row in rows
        ],
        to_stderr=json,
    )
    document = campaign.document(rows)
    summary = ", ".join(f"{count} {verdict}" for verdict, count in document["verdicts"].items())
    (say if json else print)(f"{len(rows)} mutants: {summary}; details in {_shown(path)}")
    if json:
        print_json(document)
    return campaign.exit_code(rows)


def _shown(path: Path) -> str:
    from headroom.core.paths import shown

    return shown(path)


def doubles_command(names: list[str], json: bool, dry_run: bool) -> int:
    """Runs the conformance suites on the named doubles, or on all. Returns the exit status."""
    from headroom.core.console import print_table
    from headroom.core.mutation import doubles

    known = doubles.load()
    chosen = [known.find(name) for name in names] or list(known.doubles.values())
    if dry_run:
        for double in chosen:
            print(f"{double.name}: {double.uses} ({double.side} of {double.scheme})")
        return 0
    rows = doubles.ask_all(chosen, say)
    print_table(
        "Doubles: does a suite fail what a specification leaves open?",
        ["double", "side", "cases", "passed", "wrongly judged", "the first"],
        [
            (row.double.name, row.double.side, row.cases, row.passed, len(row.wrong), row.wrong[0] if row.wrong else "")
            for row in rows
        ],
    )
    if json:
        print_json({"doubles": [row.as_json() for row in rows], "passed": not any(row.wrong for row in rows)})
    return 1 if any(row.wrong for row in rows) else 0


def soak_command(hours: float, is_resumed: bool, json: bool, dry_run: bool) -> int:
    """Runs a soak of so many hours. Returns the exit status."""
    from headroom.selftest.soak import page, schedule, tally

    if not hours > 0:
        raise UsageError(f"A soak of {hours:g} hours tests nothing; name the hours, such as 2 or 0.1.")
    if dry_run:
        for stage, text in page.ABOUT.items():
            print(f"{stage}: {text}")
        return 0
    with tally.alone(tally.soak_folder()):
        counts = schedule.begun(hours, is_resumed)
        try:
            schedule.run(counts, schedule.stages(say), say)
        except KeyboardInterrupt:
            again = f"`./headroom test --soak {hours:g} --resume` runs the rest."
            say(f"Interrupted after {counts.seconds / 3600:.2f} h; {again}")
            raise
    for row in counts.rows:
        if row.wrong > row.allowed:
            excess = f"{row.wrong:,} wrong deliveries, where chance explains {row.allowed:,} ({row.theory})"
            say(f"{row.stage}, {row.name}: {excess}.")
    for finding in counts.findings:
        say(
            f"{finding.stage}, {finding.part}: {finding.sentence}"
            + (f" Again: {finding.command}" if finding.command else "")
        )
    if json:
        print_json(counts.as_json())
    else:
        print(_shown(counts.folder / page.PAGE))
    return counts.exit_status
