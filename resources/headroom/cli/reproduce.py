# SPDX-License-Identifier: Apache-2.0
"""`./headroom reproduce PAPER`: a publication's figures measured again, table by table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from headroom.cli import console, resuming
from headroom.cli.run import Asked, execute
from headroom.paths import DEFAULT_BUILD

MOST_SHOWN = 40  # figures of a place; a table of the paper's appendix has hundreds

EPILOG = console.examples(
    "./headroom reproduce effnet-2007",
    "./headroom reproduce effnet-2007 --builds all",
    "./headroom reproduce maenpaa-2005",
    "./headroom reproduce effnet-2007 --json | jq '.items[] | select(.verdict != \"pass\")'",
)


def add_to(app: typer.Typer) -> None:
    app.command(
        "reproduce",
        help="Measure a paper's figures again and put them beside the paper's, table by table.",
        epilog=EPILOG,
    )(reproduce_command)


def reproduce_command(
    context: typer.Context,
    paper: Annotated[str, typer.Argument(help="Key of a paper (see list papers).")],
    compressor: Annotated[str, typer.Option(help="Implementation that compresses.")] = "reference",
    decompressor: Annotated[str, typer.Option(help="Implementation that decompresses.")] = "reference",
    cpus: Annotated[str, typer.Option(help="CPU configurations; the paper's when left out.")] = "",
    build: Annotated[str, typer.Option(help="Build to measure.")] = DEFAULT_BUILD,
    builds: Annotated[str, typer.Option(help="Builds to compare: names, or 'all'; those present when left out.")] = "",
    seed: Annotated[int, typer.Option(help="The only source of randomness.")] = 1,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer trials and seeds: a first look.")] = False,
    resume: Annotated[
        str | None, typer.Option(help="Go on with a run that was cut short: its name, or 'last'.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON at the end.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would run; run nothing.")] = False,
) -> None:
    from headroom.papers.paper import find

    found = find(paper)
    asked = Asked([found.suite], compressor, decompressor, cpus, "", build, builds, seed, quick)

    def document(folder: Path, records: list[dict[str, Any]]) -> dict[str, Any]:
        report = folder / "report.html"
        items = [public(item) for record in records for item in record["items"]]
        if not json:
            print_items(found.key, [item for record in records for item in record["items"]])
        from headroom.results.record import count_verdicts

        return {
            "paper": found.key,
            "report": str(report) if report.exists() else None,
            "items": items,
            **({} if json else {"verdicts": count_verdicts(records)}),
        }

    raise typer.Exit(execute(asked, resume, json, dry_run, document, resuming.said(context)))


FIELDS = ("where", "quantity", "unit", "paper", "measured", "ratio", "kind", "verdict")


def public(item: dict[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in FIELDS}


def print_items(key: str, items: list[dict[str, Any]]) -> None:
    """One table for each place of the paper; of a place with very many figures only those that are not a pass."""
    places: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        places.setdefault(item["where"], []).append(item)
    numbers = [(title, "right") for title in ("paper", "measured", "±", "ratio")]
    columns: list[str | tuple[str, str]] = ["quantity", "unit", *numbers, "kind", "verdict", "note"]
    for where, everything in places.items():
        rows, title = everything, f"{key}: {where}"
        if len(everything) > MOST_SHOWN:
            told = [item["verdict"] for item in everything]
            rows = [item for item in everything if item["verdict"] in ("fail", "non-strict", "error")]
            counts = ", ".join(f"{told.count(verdict)} {verdict}" for verdict in dict.fromkeys(told))
            title += f" ({len(told)} figures: {counts}; all of them are in the report)"
        console.print_table(
            title,
            columns,
            [
                (
                    item["quantity"],
                    item["unit"],
                    item["paper"],
                    item["measured"],
                    item.get("spread"),
                    item["ratio"],
                    item["kind"],
                    console.verdict_text(item["verdict"]),
                    item.get("note", ""),
                )
                for item in rows
            ],
        )
