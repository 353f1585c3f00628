# SPDX-License-Identifier: Apache-2.0
"""`./headroom new-adapter`: a folder with an adapter to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headroom.core.console import examples
from headroom.core.scheme_registry import all_schemes

EPILOG = examples(
    "./headroom new-adapter my-codec --scheme SCHEME --language c",
    "./headroom new-adapter my-codec --scheme SCHEME --language rust --folder /path/my-codec",
)


def add_to(app: typer.Typer) -> None:
    app.command(
        "new-adapter",
        help="Write the skeleton of an adapter for your library; it builds and passes check as it is.",
        epilog=EPILOG,
    )(new_adapter_command)


def new_adapter_command(
    name: Annotated[str, typer.Argument(help="Name of the adapter: small letters, digits and hyphens.")],
    scheme: Annotated[str, typer.Option(help=f"One of {', '.join(all_schemes())}.")],
    language: Annotated[str, typer.Option(help="c, cxx (C++) or rust.")],
    folder: Annotated[
        Path | None, typer.Option(help="The folder to write, with the adapter's name; ./NAME when left out.")
    ] = None,
) -> None:
    from headroom.core import new_adapter

    target = (folder or Path(name)).absolute()
    for path in new_adapter.write(name, scheme, language, target):
        print(path)
    print(f"\nIts README.md says how to build and check it: {target / 'README.md'}")
