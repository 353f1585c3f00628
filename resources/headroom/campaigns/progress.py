# SPDX-License-Identifier: Apache-2.0
"""A campaign's folder: the result of each cell. Whole cells are never measured again.

out/campaigns/<name>/
  campaign.yaml             a copy of the file, for --resume
  campaign.json             the commit that is measured, and the head of the chain
  chain.jsonl               the digests of all cell.json, each of which has the head of its run
  campaign.html             the page
  cells/<cell>/cell.json    state, reason, times, and for a whole cell its verdict and its run
  cells/<cell>/<run>/       the run's folder as the worker had it
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from headroom.campaigns import archive, versions
from headroom.campaigns.campaign import Campaign, Cell, campaigns_folder
from headroom.campaigns.identity import SHOWN, Identity
from headroom.campaigns.task import BUSY, LOST, UNUSABLE, WHOLE
from headroom.core import locks
from headroom.core.errors import HeadroomError, UsageError, disk_error
from headroom.core.paths import document_of, shown
from headroom.core.results import chain, store
from headroom.core.results.record import VERDICTS, count_verdicts, worst

FILE, STATE, PAGE = "campaign.yaml", "campaign.json", "campaign.html"
STATES = (WHOLE, BUSY, UNUSABLE, LOST)
STATUSES = (*VERDICTS, BUSY, UNUSABLE, LOST)  # the statuses of a cell that users read


@dataclass(frozen=True)
class Result:
    """The result of a cell. A whole cell has the verdict of its worst case, and the name of its run."""

    state: str
    reason: str = ""
    verdict: str = ""
    run: str = ""
    words: tuple[str, ...] = ()
    began: str = ""
    ended: str = ""
    verdicts: Mapping[str, int] | None = None
    deaths: int = 0  # deaths of workers, before the one that sent the result
    head: str = ""  # head of the chain of its run's records

    @property
    def status(self) -> str:
        return self.verdict if self.state == WHOLE else self.state


# Errors of the disk itself while an archive is unpacked; any other error is the archive's fault.
OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.EACCES)


class ResultRefused(HeadroomError):
    """Raised if a worker's reply does not belong to the cell. The message is the end of a sentence."""


def cell_folder(campaign: Campaign, cell: Cell) -> Path:
    return campaign.folder / "cells" / cell.id


def read(campaign: Campaign, cell: Cell, warn: Callable[[str], None] = lambda sentence: None) -> Result | None:
    """The kept result of a cell; None if there is none or, with a warning, if it or its run is damaged."""
    folder = cell_folder(campaign, cell)
    path = folder / "cell.json"
    try:
        result = _from_json(document_of(path))
        is_known = result.state in STATES and (result.state != WHOLE or store.is_name(result.run))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError):
        is_known = False
    if not is_known:
        warn(f"{shown(path)} is damaged; the next campaign measures its cell again.")
        return None
    if result.state == WHOLE and not _is_there(folder / result.run, result):
        warn(f"{shown(folder / result.run)} is incomplete; the next campaign measures its cell again.")
        return None
    return result


def _from_json(document: dict[str, Any]) -> Result:
    """The result in a cell.json. Raises KeyError, TypeError and ValueError if it is damaged."""
    result = Result(**{**document, "words": tuple(document["words"])})
    texts = (result.state, result.reason, result.verdict, result.run, result.began, result.ended, result.head)
    if not all(isinstance(text, str) for text in (*texts, *result.words)):
        raise TypeError
    if result.verdict not in ("", *VERDICTS) or (result.state == WHOLE and not result.verdict):
        raise ValueError
    counts = result.verdicts
    if not isinstance(result.deaths, int) or not (counts is None or isinstance(counts, dict)):
        raise TypeError
    return result


def _is_there(run: Path, result: Result) -> bool:
    """True if a kept run has its run.json, and as many records as when it arrived."""
    try:
        plan = document_of(run / "run.json")
        verdicts = dict(result.verdicts) if result.verdicts is not None else None
        return isinstance(plan, dict) and verdicts in (None, count_verdicts(store.read_all(run)))
    except (OSError, ValueError, TypeError):
        return False


def results(campaign: Campaign, warn: Callable[[str], None] = lambda sentence: None) -> dict[Cell, Result]:
    """The kept results. Warns of damaged ones."""
    pairs = ((cell, read(campaign, cell, warn)) for cell in campaign.cells())
    return {cell: result for cell, result in pairs if result is not None}


def write(campaign: Campaign, cell: Cell, result: Result) -> Result:
    document = json.dumps(asdict(result), indent=1).encode() + b"\n"
    try:
        store.write_chained(campaign.folder, f"cells/{cell.id}/cell.json", document)
    except OSError as error:
        raise disk_error(error, f"writing the result of {cell.id}") from error
    return result


@contextmanager
def begin(campaign: Campaign, text: bytes, identity: Identity) -> Iterator[dict[Cell, Result]]:
    """Makes a campaign's folder, or continues with it; gives the results that it holds. `text` is its file.

    Raises UsageError if another process works on it, or if it was begun with another commit or other commands.
    """
    folder = campaign.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise disk_error(error, f"making {shown(folder)}", resumable=False) from error
    try:
        if not locks.take(descriptor, wait=False):
            raise UsageError(f"Another process works on the campaign {campaign.name}: wait for its end.")
        _begin_chain(folder)
        results_kept = results(campaign)
        _require_the_same(campaign, identity, results_kept)
        state = {"schema": 1, "identity": identity.as_json(), "implementations": _digests(campaign)}
        _keep_state(folder, state)
        try:
            versions.make(campaign.implementations.values())
            _written(folder / FILE, text)
            yield results_kept
        finally:
            with contextlib.suppress(HeadroomError):  # a full disk is reported already
                _keep_state(folder, state | {chain.HEAD: chain.head(folder)})
    finally:
        os.close(descriptor)


def _begin_chain(folder: Path) -> None:
    try:
        chain.begin(folder, chain.CAMPAIGN)
    except OSError as error:
        raise disk_error(error, f"writing {shown(folder / chain.FILE)}") from error


def _keep_state(folder: Path, state: dict[str, Any]) -> None:
    _written(folder / STATE, json.dumps(state, indent=1).encode() + b"\n")


def _require_the_same(campaign: Campaign, identity: Identity, results_kept: Mapping[Cell, Result]) -> None:
    whole = {cell: result for cell, result in results_kept.items() if result.state == WHOLE}
    if not whole and not _has_other_whole_cells(campaign):
        return
    try:
        state = document_of(campaign.folder / STATE)
        identity_kept = _begun_with(state)
        libraries = {str(name): str(digest) for name, digest in dict(state.get("implementations", {})).items()}
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(
            f"{shown(campaign.folder / STATE)} cannot be read ({error}): begin a campaign with another name."
        ) from error
    for name, digest in _digests(campaign).items():
        if libraries.get(name, digest) != digest:
            raise UsageError(
                f"The library of {name} has changed since the campaign {campaign.name} began (SHA-256 "
                f"{libraries[name][:SHOWN]}, now {digest[:SHOWN]}): give the new one another name."
            )
    if other := identity.differs(identity_kept):
        raise UsageError(
            f"The campaign {campaign.name} was begun with {other}: restore that state, or give the campaign "
            "another name."
        )
    for cell, result in whole.items():
        if list(result.words) != campaign.words(cell):
            raise UsageError(
                f"The cell {cell.id} was measured by `./headroom {' '.join(result.words)}`, but {FILE} now gives "
                f"`./headroom {' '.join(campaign.words(cell))}`: give the changed configuration another name."
            )


def _digests(campaign: Campaign) -> dict[str, str]:
    return {
        name: implementation.digest
        for name, implementation in campaign.implementations.items()
        if implementation.digest
    }


def _begun_with(document: Any) -> Identity:
    """The identity in a campaign.json. Raises ValueError."""
    return Identity.from_json(document.get("identity") if isinstance(document, dict) else None)


def _has_other_whole_cells(campaign: Campaign) -> bool:
    """True if the folder has whole cells that the file no longer names: they were measured at the same commit."""
    for path in campaign.folder.glob("cells/*/cell.json"):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            if document_of(path).get("state") == WHOLE:
                return True
    return False


def find(name: str) -> Path:
    """The kept file of a campaign by name, or of the newest for `last`. Raises UsageError."""
    known = sorted(campaigns_folder().glob(f"*/{FILE}"), key=lambda path: path.stat().st_mtime)
    if name == store.LAST and known:
        return known[-1]
    for path in known:
        if path.parent.name == name:
            return path
    names = ", ".join(path.parent.name for path in known) or "none yet"
    raise UsageError(f"There is no campaign '{name}' in {shown(campaigns_folder())}. Campaigns: {names}.")


def accept(campaign: Campaign, cell: Cell, reply: Any, identity: Identity, deaths: int = 0) -> Result:
    """Keeps a worker's reply as the result of a cell: *unusable* if the reply does not belong to the cell."""
    arguments = tuple(campaign.words(cell))
    try:
        return write(campaign, cell, replace(_accepted(campaign, cell, reply, identity), deaths=deaths))
    except (ResultRefused, archive.ArchiveRefused) as error:
        reason = f"The archive of its worker is refused: {error}."
    except HeadroomError:
        raise
    except Exception as error:  # a reply may hold anything, but must not end the campaign
        reason = f"The archive of its worker is refused: it cannot be read ({type(error).__name__}: {error})."
    return write(campaign, cell, Result(UNUSABLE, reason[:2000], words=arguments))


def _accepted(campaign: Campaign, cell: Cell, reply: Any, identity: Identity) -> Result:
    if not isinstance(reply, dict) or reply.get("state") not in (WHOLE, BUSY, UNUSABLE):
        raise ResultRefused("its reply has no state")
    if reply.get("cell") != cell.id:
        raise ResultRefused(f"it belongs to the cell {str(reply.get('cell'))[:100]!r}")
    arguments = tuple(campaign.words(cell))
    began, ended, reason = (str(reply.get(name, ""))[:2000] for name in ("began", "ended", "reason"))
    if reply["state"] != WHOLE:
        return Result(reply["state"], reason, words=arguments, began=began, ended=ended)
    folder = cell_folder(campaign, cell)
    temporary = folder / ".part"
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        run = archive.unpack(reply.get("archive"), reply.get("sha256"), reply.get("files"), temporary)
        records = _checked(campaign, cell, run, identity)
        shutil.rmtree(folder / run.name, ignore_errors=True)
        run.replace(folder / run.name)
    except OSError as error:
        if error.errno in OF_THE_DISK:
            raise disk_error(error, f"unpacking the run of {cell.id}") from error
        raise ResultRefused(f"it cannot be unpacked ({error})") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    counts = count_verdicts(records)
    if isinstance(told := reply.get("verdicts"), dict) and told != counts:
        raise ResultRefused(f"its command counted {_counted(told)}, but its records give {_counted(counts)}")
    verdict = worst([record["verdict"] for record in records])
    reason = (
        next((record["reason"] for record in records if record["verdict"] == verdict), "") if verdict != "pass" else ""
    )
    head = chain.head(folder / run.name)
    return Result(WHOLE, reason[:2000], verdict, run.name, arguments, began, ended, counts, head=head)


def _checked(campaign: Campaign, cell: Cell, run: Path, identity: Identity) -> list[dict[str, Any]]:
    """The records of a returned run. Raises ResultRefused if the run does not belong to the cell."""
    from headroom.core.run import session

    try:
        plan = session.recall(run)
    except UsageError as error:
        raise ResultRefused(f"its run.json is damaged ({error})") from error
    if (plan.settings.build, plan.settings.seed) != (cell.build, campaign.seed):
        raise ResultRefused(
            f"its run.json belongs to another cell: build {plan.settings.build}, seed {plan.settings.seed}"
        )
    _require_configuration(campaign, cell, plan)
    others = [path for path in campaign.folder.glob(f"cells/*/{run.name}") if path.parent.name != cell.id]
    if others:
        raise ResultRefused(f"the cell {others[0].parent.name} has the run {run.name} already")
    wrong: list[str] = []
    records = store.read_all(run, wrong.append)
    if not records or len(records) != sum(1 for _ in (run / "results").glob("*.json")):
        raise ResultRefused(f"its records are not whole: {wrong[0] if wrong else 'it has none'}")
    for record in records:
        if record["run"] != run.name or record["seed"] != campaign.seed:
            raise ResultRefused(f"the record of '{record['test']['id'][:200]}' belongs to another run")
        if record["harness"].get("commit") != identity.commit:
            raise ResultRefused(f"its records are of commit {str(record['harness'].get('commit'))[:SHOWN]}")
    if cell.implementation:
        version = campaign.implementations[cell.implementation]
        if wrong_library := versions.contradiction(version, campaign.sides(cell), records):
            raise ResultRefused(wrong_library)
    if changed := chain.verify(run, chain.RUN).sentences():
        raise ResultRefused(f"its records were changed after the run: {changed[0]}")
    return records


def _counted(verdicts: Mapping[str, Any]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items() if count)[:200] or "none"


def _require_configuration(campaign: Campaign, cell: Cell, plan: Any) -> None:
    """Raises ResultRefused unless a run's plan has the suites and options of the cell's command."""
    expected = campaign.configurations[cell.configuration].expected
    for name in ("suites", "tags", "excluded", "cases"):
        if expected[name] != (actual := getattr(plan, name)):
            raise ResultRefused(f"its run.json belongs to another cell: {name} {', '.join(actual)[:200] or 'none'}")
    for name, value in {**expected["options"], **campaign.sides(cell)}.items():
        actual = plan.settings.get(name)
        if actual != value:
            raise ResultRefused(f"its run.json belongs to another cell: {name} is {str(actual)[:100]}, not {value}")


def _written(path: Path, octets: bytes) -> None:
    try:
        store.write_atomically(path, octets)
    except OSError as error:
        raise disk_error(error, f"writing {shown(path)}") from error
