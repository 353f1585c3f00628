# SPDX-License-Identifier: Apache-2.0
"""`./headroom ownership`: servers, device cost and years of electricity for rates that an operator needs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headroom.core.console import examples, print_json, print_table, say
from headroom.schemes.gtpu import ownership

EPILOG = examples(
    "./headroom ownership",
    "./headroom ownership mine.yaml",
    "./headroom ownership --json | jq '.costs[] | {server, servers, total}'",
)


def add_to(app: typer.Typer) -> None:
    app.command(
        "ownership",
        help="Calculate the cost of ownership of user planes: servers for a rate, device cost and years of "
        "electricity. Numbers that are assumed are marked.",
        epilog=EPILOG,
    )(ownership_command)


def ownership_command(
    file: Annotated[
        Path | None,
        typer.Argument(help="Servers, electricity and needs (YAML); those of the paper zte-2020 when left out."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    result = ownership.load(file or ownership.PAPER_SERVERS)
    costs = ownership.costs(result)
    if json:
        print_json(
            {
                "title": result.title,
                "currency": result.currency,
                "years": result.years,
                "costs": [_public(cost) for cost in costs],
                "assumed": result.assumptions(),
            }
        )
        return
    money = [f"devices, {result.currency}", f"electricity, {result.currency}", f"total, {result.currency}"]
    print_table(
        result.title,
        [("need, Gbit/s", "right"), "server", ("servers", "right"), *((text, "right") for text in money), "racks"],
        [
            (
                f"{cost.need_gbit_s:g}",
                cost.server.name,
                cost.servers,
                *(f"{amount:,.0f}{_mark(result, cost)}" for amount in (cost.devices, cost.electricity, cost.total)),
                "" if cost.racks is None else cost.racks,
            )
            for cost in costs
        ],
    )
    if assumed := result.assumptions():
        say("* Some numbers are assumed:")
        for sentence in assumed:
            say(f"  {sentence}")


def _mark(result: ownership.Ownership, cost: ownership.Cost) -> str:
    """A star where an amount rests on an assumption."""
    server = cost.server
    numbers = (result.price_per_kwh, result.facility_overhead, server.price, server.power_w, server.gbit_s)
    return " *" if any(number.assumed for number in numbers) else ""


def _public(cost: ownership.Cost) -> dict[str, object]:
    return {**asdict(cost), "server": cost.server.name, "total": cost.total}
