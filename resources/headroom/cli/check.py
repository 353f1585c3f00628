# SPDX-License-Identifier: Apache-2.0
"""`./headroom check`: checks that an adapter keeps the promises of the ABI."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from headroom.core.console import examples, print_json, say
from headroom.core.paths import DEFAULT_BUILD

EPILOG = examples("./headroom check mine", "./headroom check /path/to/mine", "./headroom check mine --build sanitized")


def add_to(app: typer.Typer) -> None:
    app.command("check", help="Check that an adapter keeps the promises of headroom.h.", epilog=EPILOG)(check_command)


def check_command(
    implementation: Annotated[str, typer.Argument(help="An implementation, or the path of its folder.")],
    build: Annotated[str, typer.Option(help="Build of the engine. A sanitized engine needs a sanitized adapter.")] = (
        DEFAULT_BUILD
    ),
    json: Annotated[bool, typer.Option("--json", help="Print every check as JSON.")] = False,
) -> None:
    from headroom.core import adapter_check, implementations, requirements
    from headroom.core.machine import build as builds

    known = implementations.find(implementation)
    targets = ["bin/headroom-engine", *([known.library.removeprefix("{build}/")] if known.is_ours() else [])]
    builds.ensure(build, targets, say=say)
    known = implementations.require_adapter(implementation, build)
    result = adapter_check.examine(known, build)
    if json:
        print_json(
            {
                "implementation": known.name,
                "build": build,
                "verdict": "fail" if result.findings else "pass",
                "findings": [check.sentence for check in result.findings],
                "declared": [check.sentence for check in result.declared],
                "checks": result.checks,
            }
        )
    else:
        counts = Counter(check["verdict"] for check in result.checks)
        left_out = ", ".join(
            dict.fromkeys(check["name"] for check in result.checks if check["verdict"] == "unsupported")
        )
        print(f"{known.name}: {counts['pass']} checks passed, {counts['fail']} failed.")
        for checks, finding in adapter_check.by_cause(result.findings):
            print(f"  {checks}: {finding.sentence.partition(': ')[2]}")
            if finding.requirement:
                print(f"    {requirements.load()[finding.requirement].citation}")
        for finding in result.declared:
            print(f"  Declared: {finding.sentence}")
        if left_out:
            print(f"  Not for this adapter: {left_out}. --json has the reasons.")
    if result.findings:
        raise typer.Exit(1)
