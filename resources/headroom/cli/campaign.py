# SPDX-License-Identifier: Apache-2.0
"""`./headroom campaign FILE`: a matrix of machines, builds and configurations, measured cell by cell; one page."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from headroom.cli.options import with_options
from headroom.core import console
from headroom.core.errors import (
    EXIT_ENVIRONMENT,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_PASSED,
    EnvironmentLacks,
    UsageError,
)
from headroom.core.options import DRY_RUN, JSON, Option
from headroom.core.paths import shown
from headroom.core.results import store
from headroom.core.text import shortened

if TYPE_CHECKING:
    from headroom.campaigns.campaign import Campaign, Cell
    from headroom.campaigns.client import Outcome
    from headroom.campaigns.progress import Result

EPILOG = console.examples(
    "./headroom campaign campaign.yaml --dry-run  # the cells and their commands",
    "./headroom campaign campaign.yaml  # on this machine; a second call continues where it stopped",
    "./headroom campaign keys keys/  # once; copy the folder to each machine",
    "./headroom campaign scheduler --listen tls://10.0.0.1 --keys keys/",
    "./headroom campaign worker tls://10.0.0.1 --keys keys/ --machine epyc  # on each machine",
    "./headroom campaign campaign.yaml --scheduler tls://10.0.0.1 --keys keys/",
    "./headroom reference campaign  # the keys of a campaign's file",
)
SCHEDULER = Option(
    "scheduler", None, str, "Address of a scheduler, such as tls://10.0.0.1. Without it, only this machine works."
)
KEYS = Option("keys", None, Path, "Folder of keys, as `campaign keys` makes it; needed for tls://.", Path)
RESUME = Option("resume", None, str, "Continue a campaign: its name, or 'last'. Its own copy of the file is used.")
RUN = "run"


class FileOrCommand(TyperGroup):
    """`campaign FILE` is short for `campaign run FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = [RUN, *args]
        return super().parse_args(ctx, args)


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(
        cls=FileOrCommand,
        no_args_is_help=True,
        help="Measure a matrix of machines, builds and configurations, and show it as one page. A command is FILE (or "
        "run FILE), or one of those below.",
        epilog=EPILOG,
    )
    options = [SCHEDULER, KEYS, RESUME, JSON, DRY_RUN]
    text = "Measure the cells of a campaign that are still missing. `campaign FILE` does the same."
    group.command(RUN, help=text, epilog=EPILOG)(with_options(run_command, options))
    group.command("page", help="Write the page of a campaign again, without measuring.")(page_command)
    group.command("keys", help="Make keys that client, scheduler and workers share.")(keys_command)
    group.command("scheduler", help="Run a scheduler until Ctrl-C.")(scheduler_command)
    group.command("worker", help="Let this machine work for a scheduler until Ctrl-C.")(worker_command)
    app.add_typer(group, name="campaign")


def run_command(
    explicit: dict[str, Any],
    file: Annotated[Path | None, typer.Argument(help="The campaign's file; none with --resume.")] = None,
) -> None:
    from headroom.campaigns import campaign as campaigns
    from headroom.campaigns import client, page, progress

    if resume := explicit.get("resume"):
        if file is not None:
            raise UsageError(
                "--resume continues with its own copy of the campaign's file: leave out either the file or --resume."
            )
        file = progress.find(resume)
    if file is None:
        raise UsageError("Name a campaign's file, or continue a campaign by --resume.")
    try:
        campaign = campaigns.load(file)
    except UsageError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise UsageError(f"{error} `./headroom reference campaign` explains the keys of such a file.") from error
        raise
    scheduler, keys, json = explicit.get("scheduler"), explicit.get("keys"), bool(explicit.get("json"))
    if explicit.get("dry_run"):
        _show_cells(campaign, json)
        return
    console.say(f"campaign {campaign.name}: {_cells(campaign)} (results in {shown(campaign.folder)})")
    counted = _Counter(campaign)
    try:
        outcome = client.run_campaign(campaign, file.read_bytes(), scheduler, keys, counted.say)
    except EnvironmentLacks:  # results so far are worth a page
        page.write(campaign)
        raise
    target = page.write(campaign, console.warn)
    if json:
        console.print_json(_document(campaign, outcome, target))
    else:
        _print_table(campaign, outcome, target)
    raise typer.Exit(_exit_status(campaign, outcome))


def page_command(
    name: Annotated[str, typer.Argument(help="Name of a campaign, or 'last'.")] = store.LAST,
) -> None:
    from headroom.campaigns import campaign as campaigns
    from headroom.campaigns import page, progress

    campaign = campaigns.load(progress.find(name), to_measure=False)
    target = page.write(campaign, console.warn)
    if target is None:
        raise UsageError(f"The campaign {campaign.name} has no result yet.")
    print(shown(target))


def keys_command(
    folder: Annotated[Path, typer.Argument(help="Folder in which the keys are made.")],
) -> None:
    from headroom.campaigns import keys

    made = keys.make(folder)
    console.say(
        f"Keys are in {made.folder}. Copy the folder to each machine of the campaign, and to no other: the keys let "
        "their owner run programs on all of them."
    )


def scheduler_command(
    listen: Annotated[str, typer.Option("--listen", help="Address to listen on.")] = "tcp://127.0.0.1",
    keys: Annotated[Path | None, typer.Option("--keys", help=KEYS.help)] = None,
) -> None:
    from headroom.campaigns import cluster

    cluster.run_scheduler(listen, keys, console.say)


def worker_command(
    scheduler: Annotated[str, typer.Argument(help="Address of the scheduler.")],
    machine: Annotated[str, typer.Option("--machine", help="Name of this machine in campaigns.")],
    keys: Annotated[Path | None, typer.Option("--keys", help=KEYS.help)] = None,
) -> None:
    from headroom.campaigns import cluster
    from headroom.core.yamlfile import schema, violations

    if violations(machine, schema("campaign")["$defs"]["name"]):
        raise UsageError(f"A machine's name has letters, digits, - and _ alone, 64 at most: not '{machine}'.")
    cluster.run_worker(scheduler, machine, keys, console.say)


class _Counter:
    """Prints how each cell ended, and counts those that have ended."""

    def __init__(self, campaign: Campaign) -> None:
        from headroom.campaigns import progress
        from headroom.campaigns.task import WHOLE

        results = progress.results(campaign).values()
        self.total = len(campaign.cells())
        self.done = sum(result.state == WHOLE for result in results)
        if self.done:
            console.say(f"Whole already: {self.done} of {self.total}.")

    def say(self, cell: Cell, result: Result) -> None:
        self.done += 1
        reason = f"  {shortened(result.reason.splitlines()[0], 160)}" if result.reason else ""
        if result.deaths:
            reason = f"  (again: {result.deaths} of its workers died){reason}"
        width = len(str(self.total))
        console.say(f"[{self.done:{width}}/{self.total}] {result.status:<11} {cell.id}{reason}")


def _cells(campaign: Campaign) -> str:
    count = len(campaign.cells())
    return "1 cell" if count == 1 else f"{count} cells"


def _show_cells(campaign: Campaign, json: bool) -> None:
    cells = [{"id": cell.id, "command": ["./headroom", *campaign.words(cell)]} for cell in campaign.cells()]
    if json:
        console.print_json({"campaign": campaign.name, "cells": cells})
        return
    rows = [(cell["id"], shlex.join(cell["command"])) for cell in cells]
    console.print_table(f"{campaign.name}: {_cells(campaign)}, in this order", ["cell", "command"], rows)


def _document(campaign: Campaign, outcome: Outcome, page: Path | None) -> dict[str, Any]:
    """The document that --json prints."""
    return {
        "campaign": campaign.name,
        "page": str(page) if page else None,
        "cells": [
            {
                **vars(cell),
                "id": cell.id,
                "status": result.status if result else None,
                "reason": result.reason if result else "",
                "run": str(campaign.folder / "cells" / cell.id / result.run) if result and result.run else None,
                "verdicts": result.verdicts if result else None,
            }
            for cell in campaign.cells()
            for result in [outcome.results.get(cell)]
        ],
    }


def _print_table(campaign: Campaign, outcome: Outcome, page: Path | None) -> None:
    from headroom.campaigns.progress import STATUSES

    rows = []
    for machine in campaign.machines:
        statuses = [result.status for cell, result in outcome.results.items() if cell.machine == machine]
        rows.append((machine, *(statuses.count(status) or None for status in STATUSES)))
    columns: list[str | tuple[str, str]] = ["machine", *((status, "right") for status in STATUSES)]
    console.print_table(f"{campaign.name}: cells", columns, rows)
    if outcome.interrupted:
        console.say(f"Interrupted; `./headroom campaign --resume {campaign.name}` measures the rest.")
    if page:
        print(shown(page))


def _exit_status(campaign: Campaign, outcome: Outcome) -> int:
    """The exit status: 1 if a cell failed or is unusable; 3 if machines were busy or lost, or if all cells are
    unsupported.
    """
    from headroom.campaigns.task import BUSY, LOST, UNUSABLE

    if outcome.interrupted:
        return EXIT_INTERRUPTED
    statuses = [result.status for result in outcome.results.values()]
    if any(status in ("fail", "error", UNUSABLE) for status in statuses):
        return EXIT_FAILED
    passed = sum(status in ("pass", "non-strict") for status in statuses)
    left = [status for status in statuses if status in (BUSY, LOST)]
    whole = len(statuses) == len(campaign.cells()) and not left
    return EXIT_PASSED if whole and passed else EXIT_ENVIRONMENT
