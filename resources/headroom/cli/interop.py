# SPDX-License-Identifier: Apache-2.0
"""`./headroom interop`: runs every compressor with every decompressor, and writes a page with the matrix."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headroom.core import console
from headroom.core.errors import UsageError
from headroom.core.options import flag
from headroom.core.paths import DEFAULT_BUILD, shown

if TYPE_CHECKING:
    from headroom.core.contract import Scheme
    from headroom.core.implementations import Implementation
    from headroom.core.run.session import Plan
    from headroom.core.settings import Settings
    from headroom.report.matrix_data import Group

Selection = dict[str, tuple[str, ...]]  # by option

EPILOG = console.examples(
    "./headroom interop",
    "./headroom interop --implementations reference,mine --axis mode=O",
    "./headroom interop --compressors mine --decompressors reference --profiles rtp --links clean,ber-1e-3",
    "./headroom interop --traffic call.pcap,voip-mixed --axis profile=rtp --axis cids=small",
    "./headroom interop --mechanisms dynamic,shared --transports udp",
    "./headroom interop --ip-versions ipv4 --traffic both-ways,end-marker",
    "./headroom interop --json | jq '.cells[] | select(.verdict == \"fail\")'",
)


def add_to(app: typer.Typer) -> None:
    from headroom.core.scheme_registry import in_matrix

    axes = "; ".join(
        f"{scheme.title}: {', '.join(axis.option for axis in scheme.axes)}" for scheme in in_matrix().values()
    )
    interop_command.__signature__ = _signature()  # type: ignore[attr-defined]
    app.command(
        "interop",
        help="Try every compressor with every decompressor, with every value of the axes of their scheme, several "
        f"kinds of traffic and several conditions of the link. {axes}. Without arguments, all implementations "
        "take part (see list implementations). The matrix page is interop.html, beside the report.",
        epilog=EPILOG,
    )(interop_command)


def _signature() -> inspect.Signature:
    """The command's parameters: the fixed ones, and an option for each axis of each scheme in the matrix."""
    from headroom.core.scheme_registry import axis_options

    named = inspect.signature(interop_command, eval_str=True)
    fixed = [parameter for parameter in named.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
    by_axis = []
    for option, schemes in axis_options().items():
        values = [name for scheme in schemes for axis in scheme.axes if axis.option == option for name in axis.names]
        text = f"{' and '.join(scheme.title for scheme in schemes)}: {', '.join(dict.fromkeys(values))}."
        annotation = Annotated[str | None, typer.Option(help=text)]
        by_axis.append(inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation))
    return named.replace(parameters=[*fixed, *by_axis])


def interop_command(
    context: typer.Context,
    names: Annotated[
        str | None, typer.Option("--implementations", help="Implementations for both sides; all when left out.")
    ] = None,
    scheme: Annotated[
        str | None, typer.Option(help="Schemes; when left out, those that the other options belong to, or all.")
    ] = None,
    compressors: Annotated[
        str | None,
        typer.Option(help="Implementations on the first side: that compress, that call, or that are near the user."),
    ] = None,
    decompressors: Annotated[
        str | None,
        typer.Option(
            help="Implementations on the second side: that decompress, that are called, or that are near the network."
        ),
    ] = None,
    axis: Annotated[
        list[str] | None, typer.Option(help="Values of an axis, such as mode=O,R; all when left out. Repeatable.")
    ] = None,
    traffic: Annotated[str | None, typer.Option(help="Traffic of the matrix, or capture files.")] = None,
    links: Annotated[str | None, typer.Option(help="Link conditions: clean,loss-1 …; all when left out.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of all random numbers.")] = 1,
    build: Annotated[str, typer.Option(help="Build to use.")] = DEFAULT_BUILD,
    resume: Annotated[str | None, typer.Option(help="Continue an interrupted run: its name, or 'last'.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print every cell as JSON at the end.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the cells that would run; run nothing.")] = False,
    **by_axis: str | None,
) -> None:
    from headroom.core.results import store
    from headroom.core.run import session

    if resume is not None:
        _refuse_beside_resume(context)
        plan = session.recall(store.find_run(resume))
        if not plan.matrix:
            raise UsageError(
                f"The run {plan.folder.name} was not started by `interop`; continue it with `./headroom run --resume`."
            )
    else:
        everywhere = _names("implementations", names)
        selection = {
            "compressors": _names("compressors", compressors) or everywhere,
            "decompressors": _names("decompressors", decompressors) or everywhere,
            "traffic": _names("traffic", traffic),
            "links": _names("links", links),
            **{option: _names(option, text) for option, text in by_axis.items()},
        }
        schemes = _names("scheme", scheme)
        plan = plan_of(_with_axes(selection, axis or [], schemes), schemes, seed, build)
    if dry_run:
        _dry_run(plan, json)
        return
    raise typer.Exit(execute(plan, resume is not None, json))


WITH_RESUME = ("resume", "json", "dry_run")


def _refuse_beside_resume(context: typer.Context) -> None:
    """Raises UsageError if an option selects a part of the matrix beside --resume, which has its matrix already."""
    for parameter in context.command.params:
        given = context.get_parameter_source(str(parameter.name))
        if given is not None and given.name == "COMMANDLINE" and parameter.name not in WITH_RESUME:
            raise UsageError(
                f"--resume continues with the matrix of the interrupted run; {parameter.opts[0]} cannot change it. "
                "Leave it out, or begin a new run without --resume."
            )


def _names(option: str, text: str | None) -> tuple[str, ...]:
    """The names of a list. Raises UsageError if the option is present but names nothing, which would otherwise mean
    all.
    """
    from headroom.core.options import split_names

    names = split_names(text or "")
    if text is not None and not names:
        raise UsageError(f"{flag(option)} is empty. Leave the option out to select all.")
    return names


def _with_axes(selection: Selection, given: list[str], schemes: tuple[str, ...] = ()) -> Selection:
    """The selection with the values of --axis added, for the named schemes, or for all. An axis that several schemes
    share is set for each of them. Raises UsageError if an axis is unknown or set twice.
    """
    from headroom.core.scheme_registry import in_matrix

    result = dict(selection)
    known: dict[str, dict[str, None]] = {}  # the options of each axis, in order
    for scheme in [scheme for scheme in in_matrix().values() if scheme.name in schemes] or in_matrix().values():
        for axis in scheme.axes:
            known.setdefault(axis.name, {})[axis.option] = None
    for text in given:
        name, _, values = text.partition("=")
        if name not in known:
            raise UsageError(f"There is no axis '{name}' in --axis {text}. Known: {', '.join(known)}.")
        for option in known[name]:
            if result.get(option):
                raise UsageError(f"The axis {name} is set twice, the second time by --axis {text}; set it once.")
            result[option] = _names(f"axis {name}=", values)
    return result


def plan_of(selection: Selection, schemes: tuple[str, ...] = (), seed: int = 1, build: str = DEFAULT_BUILD) -> Plan:
    """A plan without a folder yet, of one scheme or more.

    Raises UsageError if a name is unknown, EnvironmentLacks if a named implementation lacks its library here. An
    implementation that is not named and lacks its library becomes a row of unsupported cells.
    """
    from headroom.core.run.session import Plan

    matrix = {
        scheme.name: lists_of(scheme, part(selection, scheme), build) for scheme in schemes_of(selection, schemes)
    }
    return Plan(_settings(seed, build), [f"interop/{name}" for name in matrix], matrix=matrix)


def schemes_of(selection: Selection, schemes: tuple[str, ...] = ()) -> list[Scheme]:
    """The schemes of a matrix: the named ones, or those that its other options belong to, or those that all named
    implementations declare. Raises UsageError if there are none.
    """
    from headroom.core import implementations
    from headroom.core.scheme_registry import axis_options, in_matrix, named, owners

    known = in_matrix()
    if wrong := [name for name in schemes if name not in known]:
        raise UsageError(f"There is no scheme '{wrong[0]}' in the matrix. Known: {', '.join(known)}.")
    for name in selection["links"]:
        if not owners("links", name):
            every = dict.fromkeys(link.name for scheme in known.values() for link in scheme.links)
            raise UsageError(f"There is no link condition '{name}'. Known: {', '.join(every)}.")
    if not schemes:
        sides = (*selection["compressors"], *selection["decompressors"])
        by_all = [
            name for name, scheme in known.items() if all(implementations.find(side).declared(name) for side in sides)
        ]
        schemes = tuple(named(selection)) or tuple(by_all)
        if not schemes:
            raise UsageError(
                f"There is no scheme of the matrix that {' and '.join(dict.fromkeys(sides))} "
                f"declare{'s' if len({*sides}) == 1 else ''}. The matrix has "
                f"{', '.join(scheme.title for scheme in known.values())}; ./headroom list implementations shows what "
                "each implementation declares."
            )
    selected = [scheme for name, scheme in known.items() if name in schemes]
    for scheme in selected:
        for option in ("traffic", "links"):
            if selection[option] and not part(selection, scheme)[option]:
                names = [link.name for link in scheme.links] if option == "links" else scheme.cells().traffic_names()
                raise UsageError(
                    f"{flag(option)} has no value that belongs to {scheme.title}. Known: {', '.join(names)}."
                )
    for option, having in axis_options().items():
        if selection.get(option) and not set(schemes) & {scheme.name for scheme in having}:
            raise UsageError(f"{flag(option)} does not belong to {' or '.join(scheme.title for scheme in selected)}.")
    return selected


def part(selection: Selection, scheme: Scheme) -> Selection:
    """The selection with only the traffic and the links of one scheme."""
    from headroom.core.scheme_registry import owners

    mine = {
        option: tuple(value for value in selection[option] if scheme in owners(option, value))
        for option in ("traffic", "links")
    }
    return {**selection, **mine}


def lists_of(scheme: Scheme, selection: Selection, build: str = DEFAULT_BUILD) -> dict[str, list[str]]:
    """A plan's part for a scheme: implementations, and the values of its cells."""
    from headroom.core import implementations, matrix

    declaring = matrix.candidates(scheme, console.warn_once)
    named = list(dict.fromkeys((*selection["compressors"], *selection["decompressors"])))
    for name in named:
        implementations.require_usable(name, build)
        if not implementations.find(name).declared(scheme.name):
            raise UsageError(f"{name} does not declare {scheme.title}. Those that do: {', '.join(declaring)}.")
    known = {name: implementations.find(name) for name in dict.fromkeys((*declaring, *named))}
    _check_recordings(
        scheme,
        selection,
        {name: implementation for name, implementation in known.items() if implementation.recordings},
        named,
    )
    _check_traffic(scheme, selection["traffic"], list(known.values()))
    chosen = {
        "compressors": selection["compressors"] or declaring,
        "decompressors": selection["decompressors"] or declaring,
        **{axis.option: [axis.find(word) for word in selection.get(axis.option, ())] for axis in scheme.axes},
        "traffic": [str(Path(name).resolve()) if Path(name).is_file() else name for name in selection["traffic"]],
        "links": [scheme.link(name).name for name in selection["links"]],
    }
    return {option: list(dict.fromkeys(values)) for option, values in chosen.items()}


def _check_traffic(scheme: Scheme, traffic: tuple[str, ...], known: list[Implementation]) -> None:
    """Raises UsageError if a name is neither traffic of the matrix, nor a recording of an implementation, nor an
    existing capture file.
    """
    from headroom.core import profiles
    from headroom.core.replay import CAPTURES

    names = {*scheme.cells().traffic_names()}
    recordings = {recording.name for implementation in known for recording in implementation.recordings}
    for name in traffic:
        if name.endswith(CAPTURES):
            if not Path(name).is_file():
                raise UsageError(f"The capture file {name} does not exist.")
        elif name not in names | recordings:
            what = "a traffic profile, but not one of the matrix" if name in profiles.names() else "no traffic"
            raise UsageError(
                f"'{name}' is {what}, and neither a recording nor a capture file ({', '.join(CAPTURES)}). The matrix "
                f"has {', '.join(sorted(names))}."
            )


def _check_recordings(
    scheme: Scheme, selection: Selection, holders: dict[str, Implementation], named: list[str]
) -> None:
    """Raises UsageError if --traffic leaves out all recordings of a named implementation that has no adapter, or if
    such a recording is missing. Warns about missing recordings of other implementations.
    """
    for name, holder in holders.items():
        mine = [recording.name for recording in holder.recordings if recording.scheme == scheme.name]
        if name in named and selection["traffic"] and mine and not set(mine) & set(selection["traffic"]):
            raise UsageError(
                f"{name} takes part with its recordings, but --traffic names none of them: {', '.join(mine)}. Add them "
                f"to --traffic ({','.join((*selection['traffic'], *mine))}), or leave --traffic out."
            )
        for sentence in filter(None, (recording.lacks(holder.name) for recording in holder.recordings)):
            if name in named:
                raise UsageError(sentence)
            console.warn(sentence)


def _settings(seed: int, build: str) -> Settings:
    """The settings that all rows share. Raises UsageError if the build does not exist."""
    from headroom.core.machine import build as builds
    from headroom.core.options import seed_of
    from headroom.core.settings import Settings

    builds.require(build)
    return Settings(build=build, seed=seed_of(seed))


def execute(plan: Plan, resumed: bool, json: bool) -> int:
    """Runs the matrix and ends with tables or JSON. Returns the exit status."""
    from headroom.cli.run import end, run_plan
    from headroom.report import matrix_data
    from headroom.report.interop_section import PAGE
    from headroom.report.unreadable import readable

    outcome, records = run_plan(plan, resumed, "interop", "rows")
    page = plan.folder / PAGE
    if records:
        records = readable(lambda few: pairs_and_groups(matrix_data.cells(few)), records, "The matrix")
    if json:
        console.print_json(document(page, records))
    else:
        print_tables(page, records)
    return end(outcome)


def document(page: Path, records: list[dict[str, Any]]) -> dict[str, Any]:
    """The document that `interop --json` prints; see "CLI" in the design. File paths of cells are relative to the
    report's folder.
    """
    from headroom.report import matrix_data

    cells = [cell for record in records for cell in record.get("cells", ())]
    rows = [
        {"row": record["test"]["name"], "verdict": record["verdict"], "reason": record["reason"]}
        for record in matrix_data.without_cells(records)
    ]
    return {"report": str(page) if page.exists() else None, "cells": cells, "rows_without_cells": rows}


def print_tables(page: Path, records: list[dict[str, Any]]) -> None:
    """Prints the matrix, the failures and the path of the page."""
    from headroom.report import matrix_data

    cells = matrix_data.cells(records)
    if cells:
        _print_cells(cells)
    if without := matrix_data.without_cells(records):
        console.print_table(
            "Rows that ended before their first cell",
            ["row", "the reason"],
            [(record["test"]["name"], (record["reason"].splitlines() or [""])[0][:200]) for record in without],
        )
    if page.exists():
        print(shown(page))


def pairs_and_groups(cells: list[dict[str, Any]]) -> tuple[list[tuple[Any, ...]], list[Group]]:
    """The rows of the table of verdicts by pair, and the groups of cells that did not pass."""
    from headroom.core.results.record import VERDICTS
    from headroom.report import matrix_data

    rows = [
        (scheme.title, f"{compressor} → {decompressor}", *(counts[word] or "" for word in VERDICTS))
        for scheme, mine in matrix_data.by_scheme(cells)
        for (compressor, decompressor), counts in matrix_data.pairs(mine).items()
    ]
    return rows, matrix_data.groups(cells)


def _print_cells(cells: list[dict[str, Any]]) -> None:
    from headroom.core.results.record import VERDICTS

    rows, groups = pairs_and_groups(cells)
    console.print_table("Cells by verdict", ["scheme", "pair", *((word, "right") for word in VERDICTS)], rows)
    if groups:
        console.print_table(
            "Cells that did not pass, by signature",
            ["verdict", "signature", ("cells", "right"), "between", "the first"],
            [
                (
                    console.verdict_text(group.verdict),
                    group.signature,
                    len(group.cells),
                    ", ".join(group.pairs),
                    (group.cells[0]["reason"].splitlines() or [""])[0][:200],
                )
                for group in groups
            ],
        )


def _dry_run(plan: Plan, json: bool) -> None:
    from headroom.core import matrix
    from headroom.core.scheme_registry import find

    settings = plan.settings
    cells: list[dict[str, Any]] = []
    for name, lists in plan.matrix.items():
        common = matrix.RowOptions(
            traffic=tuple(lists["traffic"]), links=tuple(lists["links"]), seed=settings.seed, build=settings.build
        )
        for row in matrix.rows(find(name), lists["compressors"], lists["decompressors"], lists, **common):
            reason = row.scheme.cells().unsupported(row)
            cells += [{**cell.words(), "unsupported": reason} for cell in matrix.cells(row)]
    if json:
        console.print_json({"matrix": plan.matrix, "cells": cells})
        return
    supported = [cell for cell in cells if not cell["unsupported"]]
    pairs: dict[tuple[str, ...], int] = {}
    for cell in supported:
        pair = (cell["scheme"], cell["compressor"], cell["decompressor"])
        pairs[pair] = pairs.get(pair, 0) + 1
    for (name, compressor, decompressor), count in pairs.items():
        print(f"{name}, {compressor} to {decompressor}: {count} cells")
    console.say(
        f"{len(supported)} cells would run, {matrix.workers()} at once; "
        f"{len(cells) - len(supported)} are unsupported as declared."
    )
