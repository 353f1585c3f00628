# SPDX-License-Identifier: Apache-2.0
"""`./headroom test`: everything that proves the project, each runner's own totals in the last lines."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from headroom.cli.console import examples, print_json, say

EPILOG = examples(
    "./headroom test",
    "./headroom test --fast  # no sanitized build",
    "./headroom test --fuzz  # 60 s for each fuzz target",
    "./headroom test --only pytest",
)


def add_to(app: typer.Typer) -> None:
    app.command(
        "test",
        help="Everything that proves the project: style, unit tests (also sanitized), pytest, Robot suites.",
        epilog=EPILOG,
    )(test_command)


def test_command(
    fast: Annotated[bool, typer.Option("--fast", help="Leave out the sanitized build.")] = False,
    fuzz: Annotated[bool, typer.Option("--fuzz", help="Also build every fuzz target and run it for a while.")] = False,
    fuzz_seconds: Annotated[int, typer.Option(help="Seconds for each fuzz target.", min=1)] = 60,
    only: Annotated[list[str] | None, typer.Option("--only", help="Only these stages (repeatable).")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON at the end.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say which stages would run.")] = False,
) -> None:
    from headroom import proving

    stages = proving.stages(fast=fast, fuzz=fuzz, fuzz_seconds=fuzz_seconds, only=only or [])
    if dry_run:
        for stage in stages:
            print(f"{stage.name}: {stage.about}")
        return
    results = []
    began = time.monotonic()
    for index, stage in enumerate(stages, 1):
        say(f"[{index}/{len(stages)}] {stage.name}: {stage.about}")
        result = proving.run(stage)
        results.append(result)
        say(f"        {'passed' if result.passed else 'FAILED'} in {result.seconds:.0f} s")
        if not result.passed:
            say("\n".join(f"        {line}" for line in result.last_lines))
            say(f"        the whole log: {_shown(result.log)}")
    seconds = time.monotonic() - began
    failed = [result for result in results if not result.passed]
    summary = [
        f"{result.stage:<18} {'passed' if result.passed else 'FAILED'}  {total}"
        for result in results
        for total in result.totals or [""]
    ]
    summary.append(
        f"{len(results) - len(failed)} of {len(results)} stages passed in {seconds:.0f} s"
        + (f"; failed: {', '.join(result.stage for result in failed)}" if failed else "")
    )
    for line in summary:
        say(line) if json else print(line)
    if json:
        print_json(
            {
                "stages": [
                    {
                        "name": r.stage,
                        "passed": r.passed,
                        "seconds": round(r.seconds, 1),
                        "totals": r.totals,
                        "log": str(r.log),
                    }
                    for r in results
                ],
                "passed": not failed,
            }
        )
    raise typer.Exit(1 if failed else 0)


def _shown(path: Path) -> str:
    from headroom.paths import shown

    return shown(path)
