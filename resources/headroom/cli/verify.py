# SPDX-License-Identifier: Apache-2.0
"""`./headroom verify`: checks that the records of a run, a campaign or a history are unchanged."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from headroom.core import console
from headroom.core.errors import EXIT_FAILED
from headroom.core.paths import document_of
from headroom.core.results import chain
from headroom.core.text import some

EPILOG = console.examples(
    "./headroom verify  # the newest run",
    "./headroom verify 20261120-160522-3f9a --head 5d0f8a…  # with the head that its report had when it was published",
    "./headroom verify two-processors  # a campaign, with the run of each cell",
    "./headroom verify history  # nights, logs and kept runs of ./headroom nightly",
    "./headroom verify last --json | jq '.problems[].file'",
)


def add_to(app: typer.Typer) -> None:
    app.command(
        "verify",
        help="Verify that records are unchanged: compare those of a run, a campaign or a history, and the artefacts "
        "that they name, with the digests in their chain, and name each that was changed, removed or added. "
        "Files in artefacts/ that no record names are only listed; raw trials and Robot's own output are not "
        "verified. "
        "Anyone who can change a record can also make a new chain: only a head that you keep elsewhere "
        "(--head) shows that.\n\nExit status: 0 all are unchanged, 1 something is changed or there is no "
        "chain, 2 wrong usage.",
        epilog=EPILOG,
    )(verify_command)


@dataclass
class _Result:
    """The findings of `verify` in a folder and its subfolders."""

    kind: str
    folder: Path
    records: int = 0
    artefacts: int = 0
    head: str = ""
    problems: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, verification: chain.Verification) -> None:
        self.problems += [{"folder": str(verification.folder), **asdict(problem)} for problem in verification.problems]
        self.notes += [f"{verification.folder.name}: {note}" for note in verification.notes]

    def add_sentence(self, file: str, sentence: str) -> None:
        self.problems.append({"folder": str(self.folder), "file": file, "what": "changed", "sentence": sentence})


def verify_command(
    run: Annotated[
        str | None,
        typer.Argument(
            help="Name or folder of a run, CAMPAIGN/CELL, a campaign, or a history; the newest run when it is 'last' "
            "or left out."
        ),
    ] = None,
    head: Annotated[
        str | None, typer.Option("--head", help="The head as it was published: a different head is a problem.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print every problem and the head as JSON.")] = False,
) -> None:
    result = _verified(run)
    if head is not None and (not head or result.head != head.strip().lower()):
        result.add_sentence(chain.FILE, f"The head is {result.head or 'not there'}, not {head}.")
    if json:
        console.print_json({**asdict(result), "folder": str(result.folder), "well": not result.problems})
    else:
        _print(result)
    if result.problems:
        raise typer.Exit(EXIT_FAILED)


def _verified(name: str | None) -> _Result:
    """The result for a name. Raises UsageError if nothing has that name."""
    from headroom.campaigns import progress
    from headroom.campaigns.campaign import campaigns_folder
    from headroom.core.results import store
    from headroom.history.store import default_folder

    if name and name != store.LAST:
        for folder in (campaigns_folder() / name, Path(name)):
            if (folder / progress.FILE).is_file():
                return _campaign(folder.resolve())
        for folder in (default_folder(), Path(name)):
            if folder.name == Path(name).name and any(folder.glob("schema=*")):
                return _history(folder.resolve())
    result = _Result(chain.RUN.name, store.find_run(name))
    result.head = _run(result, result.folder)
    return result


def _run(result: _Result, folder: Path) -> str:
    """Adds a run, its records and their artefacts to a result. Returns the head of its chain."""
    from headroom.core.results import store

    verification = chain.verify(folder, chain.RUN)
    if verification.lines is None and not verification.problems:
        verification.add(
            chain.FILE, "missing", "does not exist: the run has no chain, so its records cannot be verified."
        )
    records = store.read_all(folder)
    if unnamed := chain.unnamed_artefacts(folder, records):
        verification.notes.append(f"not verified, because no record names them: {some(unnamed, 3)}.")
    for record in records:
        chain.verify_artefacts(verification, record)
        result.artefacts += len(record["artefacts"])
    result.records += len(verification.files)
    result.add(verification)
    return verification.head


def _campaign(folder: Path) -> _Result:
    """The result of a campaign: its cells, and the run of each, whose head stands in its cell.json."""
    verification = chain.verify(folder, chain.CAMPAIGN)
    if verification.lines is None and not verification.problems:
        verification.add(chain.FILE, "missing", "does not exist: the campaign has no chain.")
    result = _Result(chain.CAMPAIGN.name, folder, head=verification.head)
    result.add(verification)
    for path in sorted(folder.glob(chain.CAMPAIGN.pattern)):
        try:
            cell = document_of(path)
            run, head = str(cell["run"]), str(cell.get(chain.HEAD, ""))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            result.add_sentence(path.relative_to(folder).as_posix(), f"{path} cannot be read ({error}).")
            continue
        if run and _run(result, path.parent / Path(run).name) != head:
            file = (path.parent / run / chain.FILE).relative_to(folder).as_posix()
            result.add_sentence(file, f"The chain of {path.parent / run} has changed since its cell ended.")
    return result


def _history(folder: Path) -> _Result:
    """The result of a history: its nights and logs, and the runs that it keeps."""
    from headroom.history.store import LOGS, History

    verification = chain.verify(folder, chain.HISTORY)
    if verification.lines is None:
        verification.add(chain.FILE, "missing", "does not exist: the history has no chain.")
    result = _Result(chain.HISTORY.name, folder, len(verification.files))
    result.add(verification)
    known = History(folder, lambda sentence: result.add_sentence("", sentence))
    result.head = known.head()
    known.verify()
    for log in LOGS:
        known.log(log.removesuffix(".jsonl"))
    for run in sorted(path.parent for path in folder.glob("runs/*/*/run.json")):
        _run(result, run)
    return result


def _print(result: _Result) -> None:
    for problem in result.problems:
        print(problem["sentence"])
    for note in result.notes:
        print(note)
    counts = ((result.records, "record"), (result.artefacts, "artefact"))
    what = f"{result.folder.name}: " + ", ".join(f"{count:,} {word}{'s' * (count != 1)}" for count, word in counts)
    if result.head:
        what += f", head {result.head}"
    if not result.problems:
        print(f"{what}. All are unchanged.")
        return
    named = (problem["file"].replace("\n", r"\n") for problem in result.problems if problem["file"])
    files = list(dict.fromkeys(named))
    print(f"{what}. Changed: {some(files) if files else 'see above'}.")
