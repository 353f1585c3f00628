# SPDX-License-Identifier: Apache-2.0
"""`./headroom report`: makes the HTML report of a run again, or exports its figures."""

from pathlib import Path
from typing import Annotated, Any

import typer

from headroom.core.console import examples, print_json, say, warn
from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError
from headroom.core.paths import output_file
from headroom.core.text import shortened

EPILOG = examples(
    "./headroom report  # the newest run",
    "./headroom report 20261120-160522-3f9a",
    "./headroom report --parquet figures.parquet",
)


def add_to(app: typer.Typer) -> None:
    app.command("report", help="Write the report of a run again, or export its metrics.", epilog=EPILOG)(report_command)


def report_command(
    run: Annotated[
        str | None, typer.Argument(help="Name or folder of a run; the newest when it is 'last' or left out.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write the HTML file.")] = None,
    parquet: Annotated[
        Path | None, typer.Option("--parquet", help="Also write every metric and trial to this Parquet file.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report's path and its counts as JSON.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the files that would be written; write nothing.")
    ] = False,
) -> None:
    from headroom.core.results import store
    from headroom.core.results.record import count_verdicts
    from headroom.report import render

    parquet = output_file(parquet) if parquet else None
    folder = store.find_run(run)
    target = output_file(output) if output else folder / "report.html"
    records = store.read_all(folder, warn)
    if not records:
        raise UsageError(f"The run {folder.name} has no results yet.")
    if dry_run:
        say(f"{len(records)} records of {folder.name} would go into {target}" + (f" and {parquet}" if parquet else ""))
    else:
        render.write(records, target, folder)
        _write_judgement(folder, records)
        if parquet:
            from headroom.core.results import parquet as export

            export.write(records, parquet)
    document = {
        "report": str(target),
        "results": str(folder / "results"),
        "parquet": str(parquet) if parquet else None,
        "verdicts": count_verdicts(records),
    }
    if json:
        print_json(document)
    elif not dry_run:
        print(target)
        if parquet:
            print(parquet)


def _write_judgement(folder: Path, records: list[dict[str, Any]]) -> None:
    """Writes the page of a judgement again. If its files are damaged or the implementation is gone, the report is still
    written and a warning gives the reason.
    """
    from headroom.judge import judgement, page

    if not judgement.is_one(folder):
        return
    try:
        page.write(page.summary_of(judgement.recall(str(folder)), records), folder)
    except EnvironmentLacks:  # a full disk, for instance
        raise
    except Exception as error:
        reason = str(error) if isinstance(error, HeadroomError) else f"{type(error).__name__}: {error}"
        warn(f"{page.PAGE} was not written: {shortened(reason, 300)}")
