# SPDX-License-Identifier: Apache-2.0
"""A page per command: the text of its --help, with a heading per option for the search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headroom.site.markdown import block, code, escape, listed, paragraphs
from headroom.site.pages import Nav, Page, Site

if TYPE_CHECKING:
    from typer.core import TyperGroup

PROGRAM = "./headroom"


def page_of(path: tuple[str, ...]) -> str:
    return f"commands/{'/'.join(path)}.md" if path else "commands/index.md"


def add(site: Site, command: TyperGroup) -> Nav:
    """Adds the page of the program and those of all commands. Returns their navigation."""
    return _add(site, command, ())


def _add(site: Site, command: Any, path: tuple[str, ...]) -> Nav:
    page = site.page(page_of(path), " ".join([PROGRAM, *path]) if path else "Commands", boost=6)
    page.nav_title = path[-1] if path else ""
    context = command.context_class(command, info_name=" ".join([PROGRAM, *path]))
    page.add(block(command.get_usage(context).removeprefix("Usage: "), "sh"), paragraphs(plain(command.help or "")))
    inner = {name: subcommand for name, subcommand in getattr(command, "commands", {}).items() if not subcommand.hidden}
    if inner:
        page.heading("Commands", anchor="commands")
        page.add(listed(_line(page, path, name, subcommand) for name, subcommand in inner.items()))
    _add_parameters(page, command, context)
    if command.epilog:
        head, *lines = plain(command.epilog).split("\n\n")
        page.heading(head.rstrip(":"), anchor="examples")
        page.add(block("\n".join(lines), "sh"))
    below: Nav = [page.path]
    for name, subcommand in inner.items():
        deeper = _add(site, subcommand, (*path, name))
        below += deeper if len(deeper) == 1 else [(" ".join([*path, name]), deeper)]
    return below


def _line(page: Page, path: tuple[str, ...], name: str, command: Any) -> str:
    first = plain(command.help or "").partition(". ")[0].rstrip(".")
    return f"{page.link(page_of((*path, name)), code(name))}: {escape(first)}."


def _add_parameters(page: Page, command: Any, context: Any) -> None:
    records: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.params:
        if (record := parameter.get_help_record(context)) and not getattr(parameter, "hidden", False):
            kind = "Arguments" if parameter.param_type_name == "argument" else "Options"
            name, text = record
            # Suffixes of the help, such as [default: 1], are not markup of the terminal.
            facts = text.removeprefix(parameter.help or "")
            records.setdefault(kind, []).append((name, plain(parameter.help or "") + facts))
    for kind, parameters in records.items():
        page.heading(kind, anchor=kind.lower())
        for name, text in parameters:
            page.heading(name, 3)
            page.add(escape(text))


def plain(text: str) -> str:
    """A help text without the markup of the terminal."""
    from rich.markup import render

    return render(text).plain
