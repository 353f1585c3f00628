# SPDX-License-Identifier: Apache-2.0
"""`./headroom reference`: the engine's jobs and results, records and the files that people write, key by key."""

from __future__ import annotations

from typing import Annotated

import typer

from headroom.core.console import examples, print_json, print_table

EPILOG = examples("./headroom reference", "./headroom reference job-replay", "./headroom reference testbed --json")


def add_to(app: typer.Typer) -> None:
    app.command("reference", help="Print the keys of a job, a result, a record or a YAML file.", epilog=EPILOG)(
        reference
    )


def reference(
    name: Annotated[str | None, typer.Argument(help="Name of a document; all names when left out.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the JSON Schema file, or the names as JSON.")] = False,
) -> None:
    from headroom.core import reference as documents
    from headroom.core import yamlfile

    if name is not None:
        if json:
            print_json(yamlfile.schema(documents.place(name)[0]))
        else:
            print(documents.text(name), end="")
        return
    rows = [{"name": document, "about": title} for document, title in documents.titles().items()]
    if json:
        print_json({"reference": rows})
    else:
        print_table("", ["name", "about"], [[row["name"], row["about"]] for row in rows])
