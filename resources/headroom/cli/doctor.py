# SPDX-License-Identifier: Apache-2.0
"""`./headroom doctor`: shows which parts this machine has and lacks, the cost of each lack, and how to install it."""

from typing import Annotated

import typer

from headroom.core.console import examples, print_json, print_table

EPILOG = examples(
    "./headroom doctor",
    "./headroom doctor --json | jq '.checks[] | select(.status == \"lacking\")'",
)
STYLES = {"good": "green", "lacking": "yellow", "note": "blue"}


def add_to(app: typer.Typer) -> None:
    app.command(
        "doctor",
        help="Check this machine and say what is missing, what that costs, and how to install it.",
        epilog=EPILOG,
    )(doctor_command)


def doctor_command(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    from rich.text import Text

    from headroom.testbed import doctor

    checks = doctor.checks()
    if json:
        print_json({"checks": [check.as_json() for check in checks]})
        return
    rows = [
        (check.name, Text(check.status, style=STYLES[check.status]), check.value, check.cost, check.remedy)
        for check in checks
    ]
    print_table("", ["what", "state", "here", "what it costs", "what to do"], rows)
