# SPDX-License-Identifier: Apache-2.0
"""`./headroom site`: the documentation as HTML pages that need no server and no network."""

from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from headroom.core.console import examples, print_json, say, warn

EPILOG = examples(
    "./headroom site",
    "./headroom site --run last --run 20261120-160522-3f9a",
    "./headroom site --out /var/www/headroom --json",
)
OUT = "site"  # folder below out/


def add_to(app: typer.Typer) -> None:
    app.command(
        "site",
        help="Make the documentation site: guides, commands, suites, and a page for each requirement, implementation "
        "and paper with its outcomes. Its pages open from the folder; the search works there, too.",
        epilog=EPILOG,
    )(site_command)


def site_command(
    context: typer.Context,
    out: Annotated[
        Path | None,
        typer.Option("--out", help=("Folder of the site; out/site when left out. An existing site is replaced.")),
    ] = None,
    runs: Annotated[
        list[str] | None,
        typer.Option("--run", help="Show the outcomes of this run, too: its name or folder, or 'last'. Repeatable."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the site's path and its pages as JSON.")] = False,
) -> None:
    from headroom.core.paths import out_folder
    from headroom.core.results import store
    from headroom.site import build, results

    target = (out or out_folder() / OUT).resolve()
    build.check_target(target)
    folders = dict.fromkeys(store.find_run(run) for run in runs or ())
    sources = [
        results.golden_source(),
        *(results.run_source(folder, store.read_all(folder, warn)) for folder in folders),
    ]
    command = context.find_root().command
    assert isinstance(command, TyperGroup)
    site = build.compose(command, sources)
    if not json:
        say(f"Converting {len(site.pages):,} pages to HTML; this takes about half a minute")
    build.build(site, target, results.footer(sources))
    if json:
        print_json(
            {"site": str(target / "index.html"), "pages": len(site.pages), "runs": [str(folder) for folder in folders]}
        )
    else:
        print(target / "index.html")
