# SPDX-License-Identifier: Apache-2.0
"""`./headroom reproduce PAPER`: measures a publication's figures and compares them table by table."""

from pathlib import Path
from typing import Annotated, Any

import typer

from headroom.cli.options import of_settings, with_options
from headroom.cli.run import execute
from headroom.cli.run_options import RunOptions
from headroom.core import console
from headroom.core.options import DRY_RUN, JSON, RESUME
from headroom.core.results.agreement import agreement, verdict_of

MOST_SHOWN = 200  # most figures of a run that are printed one by one; a thesis with its appendices has thousands
MOST_WRONG = 20  # most failed figures that are printed if there are more figures than that
# Figures of a place by verdict. Measured figures without a verdict are context, or have nothing to agree with.
COUNTED = ("pass", "non-strict", "fail", "error", "unsupported", "measured")

HELP = {
    "compressor": "Implementation that compresses.",
    "decompressor": "Implementation that decompresses.",
    "cpus": "CPU configurations; the paper's when left out.",
    "build": "Build to measure.",
    "builds": "Builds to compare: names, or 'all'; those that exist when left out.",
    "quick": "Run fewer trials and seeds, for a first look.",
    "seed": "Seed of all random numbers.",
}

EPILOG = console.examples(
    "./headroom reproduce effnet-2007",
    "./headroom reproduce effnet-2007 --builds all",
    "./headroom reproduce maenpaa-2005",
    "./headroom reproduce effnet-2007 --json | jq '.items[] | select(.kind == \"must-match\" and .paper)'",
)


def add_to(app: typer.Typer) -> None:
    app.command(
        "reproduce",
        help="Reproduce a paper: measure its figures here and compare them table by table.",
        epilog=EPILOG,
    )(with_options(reproduce_command, [*of_settings(HELP), RESUME, JSON, DRY_RUN]))


def reproduce_command(
    explicit: dict[str, Any], paper: Annotated[str, typer.Argument(help="Key of a paper (see list papers).")]
) -> None:
    from headroom.core.papers.measured import how
    from headroom.core.papers.paper import find

    document_found = find(paper)
    how(document_found.key)
    options = RunOptions([document_found.suite], paper=True, **explicit)

    def document(folder: Path, records: list[dict[str, Any]]) -> dict[str, Any]:
        report = folder / "report.html"
        items = [public(item) for record in records for item in record["items"]]
        json = options.get("json")
        if not json:
            print_items(document_found.key, [item for record in records for item in record["items"]])
        from headroom.core.results.record import count_verdicts

        return {
            "paper": document_found.key,
            "report": str(report) if report.exists() else None,
            "items": items,
            **({} if json else {"verdicts": count_verdicts(records)}),
        }

    raise typer.Exit(execute(options, document))


FIELDS = ("where", "quantity", "unit", "paper", "measured", "ratio", "kind", "verdict")


def public(item: dict[str, Any]) -> dict[str, Any]:
    """An item as --json has it. `paper` is printed in the paper, `model` is calculated, `bound` is our own; each may be
    null.
    """
    return {name: item[name] for name in FIELDS} | {"model": item.get("model"), "bound": item.get("expected") or None}


def print_items(key: str, items: list[dict[str, Any]]) -> None:
    """Prints a line for each place of the paper, and then all figures; for a paper with very many figures, only those
    that do not agree.
    """
    places: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        places.setdefault(item["where"], []).append(item)
    numbers: list[str | tuple[str, str]] = [(title, "right") for title in ("figures", *COUNTED)]
    rows = [(where, len(here), *(_counts(here).get(title) for title in COUNTED)) for where, here in places.items()]
    console.print_table(f"{key}: figures by place", ["place", *numbers], rows)
    _print_agreement(key, items)
    if len(items) <= MOST_SHOWN:
        for where, here in places.items():
            _print_figures(f"{key}: {where}", here)
        return
    wrong = [item for item in items if item["verdict"] in ("fail", "error")]
    if wrong:
        title = f"{key}: figures that fail"
        if len(wrong) > MOST_WRONG:
            title += f", the first {MOST_WRONG} of {len(wrong)}"
        names = ("where", "quantity", "unit", "paper", "model", "measured")
        columns: list[str | tuple[str, str]] = ["place", *names[1:3], *((name, "right") for name in names[3:])]
        console.print_table(title, columns, [[item.get(name) for name in names] for item in wrong[:MOST_WRONG]])
    console.say("All figures, with their remarks, are in the report.")


def _counts(items: list[dict[str, Any]]) -> dict[str, int]:
    """The number of figures under each title of COUNTED, without zeros."""
    counts: dict[str, int] = {}
    for item in items:
        title = verdict_of(item) or "measured"
        counts[title] = counts.get(title, 0) + 1
    return counts


def _print_agreement(key: str, items: list[dict[str, Any]]) -> None:
    """Prints how many figures agree with the paper, and apart from these, with our own models and bounds."""
    numbers: list[str | tuple[str, str]] = [(title, "right") for title in ("figures", *COUNTED[:-1])]
    rows = [
        (about, kind, counts.total(), *(counts[title] or None for title in COUNTED[:-1]))
        for (about, kind), counts in agreement(items).items()
    ]
    console.print_table(f"{key}: figures by what they are compared with", ["compared with", "kind", *numbers], rows)


def _print_figures(title: str, items: list[dict[str, Any]]) -> None:
    numbers = [(name, "right") for name in ("paper", "model", "bound", "measured", "±", "ratio")]
    columns: list[str | tuple[str, str]] = ["quantity", "unit", *numbers, "kind", "verdict", "note"]
    rows = [
        (
            item["quantity"],
            item["unit"],
            item["paper"],
            item.get("model"),
            item.get("expected"),
            item["measured"],
            item.get("spread"),
            item["ratio"],
            item["kind"],
            console.verdict_text(verdict_of(item) or "–"),
            item.get("note", ""),
        )
        for item in items
    ]
    console.print_table(title, columns, rows)
