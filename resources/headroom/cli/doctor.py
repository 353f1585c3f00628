# SPDX-License-Identifier: Apache-2.0
"""`./headroom doctor`: what this machine has and lacks, and what each lack costs."""

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
        "doctor", help="Say what this machine has and lacks, what each lack costs, and how to get it.", epilog=EPILOG
    )(doctor_command)


def doctor_command(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    from rich.text import Text

    from headroom.testbed import doctor

    found = doctor.checks()
    if json:
        print_json({"checks": [check.as_json() for check in found]})
        return
    rows = [
        (check.name, Text(check.status, style=STYLES[check.status]), check.value, check.cost, check.remedy)
        for check in found
    ]
    print_table("", ["what", "state", "here", "what it costs", "how to get it"], rows)
