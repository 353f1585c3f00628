# SPDX-License-Identifier: Apache-2.0
"""`./headroom interop`: every compressor with every decompressor, and a page that shows who interworks with whom."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headroom.cli import console
from headroom.cli.interop_calls import ROHC, SIGCOMP, SUITES
from headroom.core.errors import EXIT_INTERRUPTED, UsageError
from headroom.core.paths import DEFAULT_BUILD, shown

if TYPE_CHECKING:
    from headroom.core.run.session import Plan
    from headroom.core.settings import Settings

EPILOG = console.examples(
    "./headroom interop",
    "./headroom interop --implementations reference,mine --modes O",
    "./headroom interop --compressors mine --decompressors reference --profiles rtp --links clean,ber-1e-3",
    "./headroom interop --traffic call.pcap,voip-mixed --profiles rtp",
    "./headroom interop --scheme sigcomp --mechanisms dynamic,shared --transports udp",
    "./headroom interop --json | jq '.cells[] | select(.verdict == \"fail\")'",
)


def add_to(app: typer.Typer) -> None:
    app.command(
        "interop",
        help="Try every compressor with every decompressor. ROHC: in each profile, mode and CID type, with several "
        "kinds of traffic over clean, lossy, damaging and reordering links. SigComp: every SIP sequence between caller "
        "and called party, with each mechanism, over UDP and TCP. Without arguments: every implementation there is "
        "(see list implementations). The page of it is interop.html beside the report.",
        epilog=EPILOG,
    )(interop_command)


def interop_command(
    context: typer.Context,
    names: Annotated[
        str | None, typer.Option("--implementations", help="Implementations for both sides; all when left out.")
    ] = None,
    scheme: Annotated[
        str | None, typer.Option(help="rohc, sigcomp; when left out, what the other options are about, or both.")
    ] = None,
    compressors: Annotated[str | None, typer.Option(help="Those that compress, or call.")] = None,
    decompressors: Annotated[str | None, typer.Option(help="Those that decompress, or are called.")] = None,
    profiles: Annotated[
        str | None, typer.Option(help="ROHC profiles, such as 0x0001 or rtp; all when left out.")
    ] = None,
    modes: Annotated[str | None, typer.Option(help="U, O, R.")] = None,
    cids: Annotated[str | None, typer.Option(help="small, large.")] = None,
    mechanisms: Annotated[
        str | None, typer.Option(help="SigComp mechanisms, such as dynamic,shared; default: what each does untold.")
    ] = None,
    transports: Annotated[str | None, typer.Option(help="Of SigComp: udp, tcp.")] = None,
    traffic: Annotated[
        str | None, typer.Option(help="Traffic profiles of the matrix, captures of your own; SIP sequences.")
    ] = None,
    links: Annotated[
        str | None, typer.Option(help="Link conditions: clean,loss-1 …; of SigComp loss,reorder …; all when left out.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The only source of randomness.")] = 1,
    build: Annotated[str, typer.Option(help="Build to use.")] = DEFAULT_BUILD,
    resume: Annotated[
        str | None, typer.Option(help="Go on with a run that was cut short: its name, or 'last'.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print every cell as JSON at the end.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say which cells there would be; run nothing.")] = False,
) -> None:
    from headroom.core.results import store
    from headroom.core.run import session

    lists = {
        "implementations": names,
        "compressors": compressors,
        "decompressors": decompressors,
        "profiles": profiles,
        "modes": modes,
        "cids": cids,
        "mechanisms": mechanisms,
        "transports": transports,
        "traffic": traffic,
        "links": links,
    }
    if resume is not None:
        _refuse_beside_resume(context)
        plan = session.recall(store.find_run(resume))
        if not plan.matrix:
            raise UsageError(
                f"The run {plan.folder.name} is none of `interop`; `./headroom run --resume` goes on with it."
            )
    else:
        words = {name: _names(name, text) for name, text in lists.items()}
        everywhere = words.pop("implementations")
        words["compressors"] = words["compressors"] or everywhere
        words["decompressors"] = words["decompressors"] or everywhere
        plan = plan_of_all(words, _names("scheme", scheme), seed, build)
    if dry_run:
        _dry_run(plan, json)
        return
    raise typer.Exit(execute(plan, resume is not None, json))


WITH_RESUME = ("resume", "json", "dry_run")


def _refuse_beside_resume(context: typer.Context) -> None:
    """A run that goes on has its matrix already. Raises UsageError when a part of one is asked for."""
    for parameter in context.command.params:
        given = context.get_parameter_source(str(parameter.name))
        if given is not None and given.name == "COMMANDLINE" and parameter.name not in WITH_RESUME:
            raise UsageError(
                f"--resume goes on with the matrix of a run as it was asked for; {parameter.opts[0]} cannot change it. "
                "Leave it out, or begin a new run without --resume."
            )


def _names(option: str, text: str | None) -> tuple[str, ...]:
    """The names of a list. Raises UsageError when the option is there and names nothing: that would mean all."""
    from headroom.core.options import split_names

    found = split_names(text or "")
    if text is not None and not found:
        raise UsageError(f"--{option} names nothing. Leave the option out for all of them.")
    return found


def plan_of_all(
    words: dict[str, tuple[str, ...]], asked: tuple[str, ...] = (), seed: int = 1, build: str = DEFAULT_BUILD
) -> Plan:
    """A plan without a folder yet, of one scheme or more. Raises as `plan_of` does."""
    from headroom.cli import interop_calls
    from headroom.core.run.session import Plan

    schemes = interop_calls.schemes_of(words, asked)
    if ROHC in schemes:
        plan = plan_of(interop_calls.part(words, ROHC), seed, build)
    else:
        plan = Plan(_settings(seed, build), [])
    if SIGCOMP in schemes:
        plan.suites.append(SUITES[SIGCOMP])
        plan.matrix |= interop_calls.calls_of(interop_calls.part(words, SIGCOMP), build)
    return plan


def plan_of(words: dict[str, tuple[str, ...]], seed: int = 1, build: str = DEFAULT_BUILD) -> Plan:
    """A plan without a folder yet.

    Raises UsageError when a name is unknown, EnvironmentLacks when an implementation asked for by name lacks its
    library here. One that is not asked for by name is then a row of unsupported cells.
    """
    from headroom.core import implementations
    from headroom.core.run.session import Plan
    from headroom.schemes.rohc.interop import links, matrix, traffic

    everybody = matrix.candidates(console.warn_once)
    for name in dict.fromkeys((*words["compressors"], *words["decompressors"])):
        implementations.require_usable(name, build)
        if not matrix.declared(name):
            raise UsageError(f"{name} does not declare ROHC. Those that do: {', '.join(everybody)}.")
    settings = _settings(seed, build)
    known_by_name = dict.fromkeys((*everybody, *words["compressors"], *words["decompressors"]))
    recorded = {name: [one.name for one in implementations.find(name).recordings] for name in known_by_name}
    recordings = {one for names in recorded.values() for one in names}
    traffic.check(words["traffic"], recordings)
    _recordings_are_asked_for(words, recorded)
    for name, mine in ((name, implementations.find(name)) for name in known_by_name):
        for sentence in filter(None, (one.lacks(mine.name) for one in mine.recordings)):
            if name in words["compressors"] or name in words["decompressors"]:
                raise UsageError(sentence)
            console.warn(sentence)
    for name in words["links"]:
        links.find(name)
    chosen = {
        "compressors": words["compressors"] or everybody,
        "decompressors": words["decompressors"] or everybody,
        "profiles": [profile_of(name) for name in words["profiles"]] or traffic.PROFILES,
        "modes": [_one_of(name.upper(), matrix.MODES, "mode") for name in words["modes"]] or matrix.MODES,
        "cids": [_one_of(name.lower(), tuple(matrix.CIDS), "CID type") for name in words["cids"]] or matrix.CIDS,
        "traffic": [str(Path(name).resolve()) if Path(name).is_file() else name for name in words["traffic"]],
        "recordings": [name for name in words["traffic"] if name in recordings],
        "links": words["links"],
    }
    return Plan(settings, [SUITES[ROHC]], matrix={name: list(dict.fromkeys(found)) for name, found in chosen.items()})


def _settings(seed: int, build: str) -> Settings:
    """What the rows have in common. Raises UsageError when there is no such build."""
    from headroom.core.machine import build as builds
    from headroom.core.options import seed_of
    from headroom.core.settings import Settings

    if build not in builds.presets() and not builds.engine_program(build).is_file():
        raise UsageError(
            f"There is no build '{build}'. Presets: {', '.join(builds.presets())}; or the path of a build folder."
        )
    return Settings(build=build, seed=seed_of(seed))


def _recordings_are_asked_for(words: dict[str, tuple[str, ...]], recorded: dict[str, list[str]]) -> None:
    """Raises UsageError when --traffic leaves out all that somebody named, who is known by recordings, can be asked."""
    for name in dict.fromkeys((*words["compressors"], *words["decompressors"])):
        mine = recorded[name]
        if words["traffic"] and mine and not set(mine) & set(words["traffic"]):
            raise UsageError(
                f"{name} is known by recordings, which are traffic of their own: {', '.join(mine)}. "
                f"Add them to --traffic ({','.join((*words['traffic'], *mine))}), or leave --traffic out."
            )


def profile_of(name: str) -> str:
    """A ROHC profile by number, 0x0001, or by name, rtp. Raises UsageError on any other."""
    from headroom.schemes.rohc.interop import traffic

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

    from headroom.cli.run import build_what_is_needed
    from headroom.core.results import store
    from headroom.core.run import session
    from headroom.report import render
    from headroom.report.interop_section import PAGE

    build_what_is_needed(plan.settings)
    if not resumed:
        plan.settings = replace(plan.settings, folder=session.new_folder())
        session.keep(plan)
    console.say(f"run {plan.folder.name}: {' '.join(plan.suites)} (results in {shown(plan.folder)})")
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
    if outcome.nothing_asked:
        console.say(console.NOTHING_ASKED)
    return EXIT_INTERRUPTED if outcome.interrupted else outcome.exit_status


def document(page: Path, records: list[dict[str, Any]]) -> dict[str, Any]:
    """What `interop --json` prints: see "CLI" in the design. Files of cells are relative to the report's folder."""
    cells = [cell for record in records for cell in record.get("cells", ())]
    return {"report": str(page) if page.exists() else None, "cells": cells}


def print_tables(page: Path, records: list[dict[str, Any]]) -> None:
    """Who interworks with whom, what went wrong, and where the page is."""
    from headroom.report import matrix_data

    cells = matrix_data.cells(records)
    if cells:
        _print_cells(cells)
    if without := [record for record in records if record["verdict"] == "error" and not record.get("cells")]:
        console.print_table(
            "Rows that ended in an error",
            ["row", "the reason"],
            [(record["test"]["name"], (record["reason"].splitlines() or [""])[0][:200]) for record in without],
        )
    if page.exists():
        print(shown(page))


def _print_cells(cells: list[dict[str, Any]]) -> None:
    from headroom.core.results.record import VERDICTS
    from headroom.report import matrix_data

    rows = [
        (matrix_data.SCHEMES[scheme], f"{compressor} → {decompressor}", *(counts[word] or "" for word in VERDICTS))
        for scheme, mine in matrix_data.by_scheme(cells).items()
        for (compressor, decompressor), counts in matrix_data.pairs(mine).items()
    ]
    console.print_table("Cells by verdict", ["scheme", "pair", *((word, "right") for word in VERDICTS)], rows)
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


def _dry_run(plan: Plan, json: bool) -> None:
    from headroom.cli import interop_calls
    from headroom.schemes.rohc.interop import group, matrix

    asked = plan.matrix
    found: list[dict[str, Any]] = []
    if SUITES[ROHC] in plan.suites:
        choice = matrix.Choice(tuple(asked["traffic"]), tuple(asked["links"]), plan.settings.seed, plan.settings.build)
        rows = matrix.rows(*(asked[name] for name in ("compressors", "decompressors", "profiles", "modes", "cids")))
        for row in rows:
            reason = matrix.not_declared(row, choice.build)
            for cell in matrix.cells(row, choice):
                found.append({**cell.words(), "unsupported": reason})
    if SUITES[SIGCOMP] in plan.suites:
        found += interop_calls.cells(asked, plan.settings.seed, plan.settings.build)
    if json:
        console.print_json({"matrix": asked, "cells": found})
        return
    wanted = [cell for cell in found if not cell["unsupported"]]
    pairs: dict[tuple[str, str, str], int] = {}
    for cell in wanted:
        pair = (cell.get("scheme", ROHC), cell["compressor"], cell["decompressor"])
        pairs[pair] = pairs.get(pair, 0) + 1
    for (scheme, compressor, decompressor), count in pairs.items():
        print(f"{scheme}, {compressor} to {decompressor}: {count} cells")
    console.say(
        f"{len(wanted)} cells would run, {group.workers()} at once; "
        f"{len(found) - len(wanted)} are unsupported as declared."
    )
