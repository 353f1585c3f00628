# SPDX-License-Identifier: Apache-2.0
"""`./headroom interop`: every compressor with every decompressor, and a page that shows who interworks with whom."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headroom.cli import console
from headroom.errors import UsageError
from headroom.paths import DEFAULT_BUILD, shown

if TYPE_CHECKING:
    from headroom.running.session import Plan

SUITE = "interop/rohc"
EPILOG = console.examples(
    "./headroom interop",
    "./headroom interop --implementations reference,mine --modes O",
    "./headroom interop --compressors mine --decompressors reference --profiles rtp --links clean,ber-1e-3",
    "./headroom interop --traffic call.pcap,voip-mixed --profiles rtp",
    "./headroom interop --json | jq '.cells[] | select(.verdict == \"fail\")'",
)


def add_to(app: typer.Typer) -> None:
    app.command(
        "interop",
        help="Try every compressor with every decompressor, in each profile, mode and CID type, with several kinds of "
        "traffic over clean, lossy, damaging and reordering links. Without arguments: every ROHC implementation there "
        "is (see list implementations). The page of it is interop.html beside the report.",
        epilog=EPILOG,
    )(interop_command)


def interop_command(
    names: Annotated[
        str, typer.Option("--implementations", help="Implementations for both sides; all when left out.")
    ] = "",
    compressors: Annotated[str, typer.Option(help="Those that compress.")] = "",
    decompressors: Annotated[str, typer.Option(help="Those that decompress.")] = "",
    profiles: Annotated[str, typer.Option(help="ROHC profiles, such as 0x0001 or rtp; all when left out.")] = "",
    modes: Annotated[str, typer.Option(help="U, O, R.")] = "",
    cids: Annotated[str, typer.Option(help="small, large.")] = "",
    traffic: Annotated[str, typer.Option(help="Traffic profiles of the matrix, and captures of your own.")] = "",
    links: Annotated[str, typer.Option(help="Link conditions, such as clean,loss-1; all when left out.")] = "",
    seed: Annotated[int, typer.Option(help="The only source of randomness.")] = 1,
    build: Annotated[str, typer.Option(help="Build to use.")] = DEFAULT_BUILD,
    resume: Annotated[
        str | None, typer.Option(help="Go on with a run that was cut short: its name, or 'last'.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print every cell as JSON at the end.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say which cells there would be; run nothing.")] = False,
) -> None:
    from headroom.results import store
    from headroom.running import session
    from headroom.settings import split_names

    if resume:
        plan = session.recall(store.find_run(None if resume == "last" else resume))
        if not plan.matrix:
            raise UsageError(
                f"The run {plan.folder.name} is none of `interop`; `./headroom run --resume` goes on with it."
            )
    else:
        words = {
            "compressors": split_names(compressors or names),
            "decompressors": split_names(decompressors or names),
            "profiles": split_names(profiles),
            "modes": split_names(modes),
            "cids": split_names(cids),
            "traffic": split_names(traffic),
            "links": split_names(links),
        }
        plan = plan_of(words, seed, build)
    if dry_run:
        _dry_run(plan, json)
        return
    raise typer.Exit(execute(plan, bool(resume), json))


def plan_of(words: dict[str, tuple[str, ...]], seed: int = 1, build: str = DEFAULT_BUILD) -> Plan:
    """A plan without a folder yet.

    Raises UsageError when a name is unknown, EnvironmentLacks when an implementation asked for by name lacks its
    library here. One that is not asked for by name is then a row of unsupported cells.
    """
    from headroom import implementations
    from headroom.interop import links, matrix, traffic
    from headroom.machine import build as builds
    from headroom.running.session import Plan
    from headroom.settings import Settings, seed_of

    everybody = matrix.candidates()
    for name in dict.fromkeys((*words["compressors"], *words["decompressors"])):
        implementations.require_usable(name)
        if not matrix.declared(name):
            raise UsageError(f"{name} does not declare ROHC. Those that do: {', '.join(everybody)}.")
    if build not in builds.presets() and not builds.engine_program(build).is_file():
        raise UsageError(
            f"There is no build '{build}'. Presets: {', '.join(builds.presets())}; or the path of a build folder."
        )
    recorded = {one.name for name in everybody for one in implementations.find(name).recordings}
    traffic.check(tuple(name for name in words["traffic"] if name not in recorded))
    for name in words["links"]:
        links.find(name)
    chosen = {
        "compressors": words["compressors"] or everybody,
        "decompressors": words["decompressors"] or everybody,
        "profiles": [profile_of(name) for name in words["profiles"]] or traffic.PROFILES,
        "modes": [_one_of(name.upper(), matrix.MODES, "mode") for name in words["modes"]] or matrix.MODES,
        "cids": [_one_of(name.lower(), tuple(matrix.CIDS), "CID type") for name in words["cids"]] or matrix.CIDS,
        "traffic": [str(Path(name).resolve()) if Path(name).is_file() else name for name in words["traffic"]],
        "links": words["links"],
    }
    settings = Settings(build=build, seed=seed_of(seed))
    return Plan(settings, [SUITE], matrix={name: list(dict.fromkeys(found)) for name, found in chosen.items()})


def profile_of(name: str) -> str:
    """A ROHC profile by number, 0x0001, or by name, rtp. Raises UsageError on any other."""
    from headroom.interop import traffic

    if name.lower() in traffic.PROFILES:
        return name.lower()
    by_name = {_plain(title): number for number, title in traffic.PROFILE_NAMES.items()}
    if _plain(name) in by_name:
        return by_name[_plain(name)]
    known = ", ".join(f"{number} ({title})" for number, title in traffic.PROFILE_NAMES.items())
    raise UsageError(f"There is no ROHC profile '{name}' in the matrix. Known: {known}.")


def _plain(title: str) -> str:
    return "".join(letter for letter in title.lower() if letter.isalnum())


def _one_of(word: str, known: tuple[str, ...], what: str) -> str:
    if word not in known:
        raise UsageError(f"There is no {what} '{word}'. Known: {', '.join(known)}.")
    return word


def execute(plan: Plan, resumed: bool, json: bool) -> int:
    """Runs the matrix and ends with tables or JSON. Returns the exit status."""
    from dataclasses import replace

    from headroom.cli.app import INTERRUPTED
    from headroom.cli.run import build_what_is_needed
    from headroom.report import render
    from headroom.report.interop_section import PAGE
    from headroom.results import store
    from headroom.running import session

    build_what_is_needed(plan.settings)
    if not resumed:
        plan.settings = replace(plan.settings, folder=session.new_folder())
        session.keep(plan)
    console.say(f"run {plan.folder.name}: {SUITE} (results in {shown(plan.folder)})")
    with console.Progress() as progress:
        outcome = session.run_robot(
            plan, on_start=progress.start, on_end=progress.end, on_total=progress.expect, resume=resumed
        )
    records = store.read_all(plan.folder, console.warn)
    page = plan.folder / PAGE
    if records:
        render.write(records, plan.folder / "report.html", plan.folder)
    if outcome.interrupted:
        console.say(
            f"Interrupted. {outcome.cases} rows are kept; "
            f"`./headroom interop --resume {plan.folder.name}` does the rest."
        )
    if json:
        console.print_json(document(page, records))
    else:
        print_tables(page, records)
    return INTERRUPTED if outcome.interrupted else 0 if outcome.passed else 1


def document(page: Path, records: list[dict[str, Any]]) -> dict[str, Any]:
    """What `interop --json` prints: see "CLI" in the design. Files of cells are relative to the report's folder."""
    cells = [cell for record in records for cell in record.get("cells", ())]
    return {"report": str(page) if page.exists() else None, "cells": cells}


def print_tables(page: Path, records: list[dict[str, Any]]) -> None:
    """Who interworks with whom, what went wrong, and where the page is."""
    from headroom.report import matrix_data
    from headroom.results.record import VERDICTS

    cells = matrix_data.cells(records)
    rows = [
        (f"{compressor} → {decompressor}", *(counts[word] or "" for word in VERDICTS))
        for (compressor, decompressor), counts in matrix_data.pairs(cells).items()
    ]
    console.print_table("Cells by verdict", ["pair", *((word, "right") for word in VERDICTS)], rows)
    groups = matrix_data.groups(cells)
    if groups:
        console.print_table(
            "What did not pass, by signature",
            ["verdict", "signature", ("cells", "right"), "between", "the first"],
            [
                (
                    console.verdict_text(group.verdict),
                    group.signature,
                    len(group.cells),
                    ", ".join(group.pairs),
                    group.cells[0]["reason"].splitlines()[0][:200],
                )
                for group in groups
            ],
        )
    if page.exists():
        print(shown(page))


def _dry_run(plan: Plan, json: bool) -> None:
    from headroom.interop import group, matrix

    asked = plan.matrix
    choice = matrix.Choice(tuple(asked["traffic"]), tuple(asked["links"]), plan.settings.seed, plan.settings.build)
    rows = matrix.rows(*(asked[name] for name in ("compressors", "decompressors", "profiles", "modes", "cids")))
    found: list[dict[str, Any]] = []
    for row in rows:
        reason = matrix.not_declared(row, choice.build)
        for cell in matrix.cells(row, choice):
            found.append({**cell.words(), "unsupported": reason})
    if json:
        console.print_json({"matrix": asked, "cells": found})
        return
    wanted = [cell for cell in found if not cell["unsupported"]]
    pairs: dict[tuple[str, str], int] = {}
    for cell in wanted:
        pair = (cell["compressor"], cell["decompressor"])
        pairs[pair] = pairs.get(pair, 0) + 1
    for (compressor, decompressor), count in pairs.items():
        print(f"{compressor} to {decompressor}: {count} cells")
    console.say(
        f"{len(wanted)} cells would run, {group.workers()} at once; "
        f"{len(found) - len(wanted)} are unsupported as declared."
    )
