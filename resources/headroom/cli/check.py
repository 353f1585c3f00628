# SPDX-License-Identifier: Apache-2.0
"""`./headroom check`: whether an adapter keeps the promises of the ABI."""

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
    build: Annotated[str, typer.Option(help="Build of the engine; sanitized goes with a sanitized adapter.")] = (
        DEFAULT_BUILD
    ),
    json: Annotated[bool, typer.Option("--json", help="Print every check as JSON.")] = False,
) -> None:
    from headroom.core import adapter_check, implementations, requirements
    from headroom.core.machine import build as builds

    found = implementations.find(implementation)
    targets = ["bin/headroom-engine", *([found.library.removeprefix("{build}/")] if found.is_ours() else [])]
    builds.ensure(build, targets, say=say)
    found = implementations.require_adapter(implementation, build)
    result = adapter_check.examine(found, build)
    if json:
        print_json(
            {
                "implementation": found.name,
                "build": build,
                "verdict": "fail" if result.findings else "pass",
                "findings": [one.sentence for one in result.findings],
                "declared": [one.sentence for one in result.declared],
                "checks": result.checks,
            }
        )
    else:
        counts = Counter(one["verdict"] for one in result.checks)
        left_out = ", ".join(dict.fromkeys(one["name"] for one in result.checks if one["verdict"] == "unsupported"))
        print(f"{found.name}: {counts['pass']} checks passed, {counts['fail']} failed.")
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
