# SPDX-License-Identifier: Apache-2.0
"""The task of one cell, which a worker carries out: lock, guard, the command of the cell, packing its run's folder.

Client, scheduler and workers import this module, so all must have the same version: see `identity`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from headroom.campaigns import affinity, archive
from headroom.campaigns.campaign import Campaign, Cell, Timeouts
from headroom.campaigns.identity import Identity, here, running
from headroom.core import process_group
from headroom.core.errors import EXIT_ENVIRONMENT, EXIT_FAILED, EXIT_PASSED, EnvironmentLacks, HeadroomError
from headroom.core.machine import guard, measuring
from headroom.core.machine.guard import QuietLimits
from headroom.core.paths import ROOT, out_folder

WHOLE, BUSY, UNUSABLE, LOST = "whole", "busy", "unusable", "lost"  # states of a cell
COMPLETE = (EXIT_PASSED, EXIT_FAILED, EXIT_ENVIRONMENT)  # exit statuses of a command whose run may be whole
POLL_S = 0.2
PREFIX = ".cell-"  # beginning of the name of the folder in which a cell runs
MOST_OUTPUT = 1 << 20  # octets of a command's messages that are read
MOST_DOCUMENT = 64 << 20  # octets of its document


def request_of(campaign: Campaign, cell: Cell, identity: Identity) -> dict[str, Any]:
    """The data that a worker needs for a cell."""
    return {
        "cell": cell.id,
        "machine": cell.machine,
        "words": campaign.words(cell),
        "identity": identity.as_json(),
        "timeouts": vars(campaign.timeouts),
        "quiet": vars(campaign.quiet),
    }


def run_cell(request: Mapping[str, Any], program: Sequence[str] | None = None) -> dict[str, Any]:
    """Carries out the command of a cell; never raises an error that the cell may have caused. `program` stands before
    the command's words; by default `./headroom` of this checkout.

    The reply holds: cell, state (whole, busy, unusable), reason, began and ended (UTC), and for a whole cell exit, run
    (name of the run's folder), verdicts (how many cases ended with each, as the command counted them; None if it did
    not), and archive, sha256 and files, as `archive.unpack` takes them.
    """
    reply: dict[str, Any] = {"cell": request["cell"], "state": UNUSABLE, "reason": ""}
    try:
        timeouts, quiet = Timeouts(**request["timeouts"]), QuietLimits(**request["quiet"])
        for code in (running(), here()):  # the code in the worker's memory, and the code of its commands
            if other := Identity.from_json(request["identity"]).differs(code):
                raise EnvironmentLacks(f"The worker of {request['machine']} has {other}")
        with measuring.measuring(timeouts.lock_s):
            if busy := guard.wait(lambda: guard.look(out_folder(), quiet), most_s=timeouts.quiet_s):
                raise measuring.MachineBusy(busy)
            reply["began"] = _now()
            try:
                reply |= _measured(request, program or (str(ROOT / "headroom"),), timeouts.cell_s)
            finally:
                reply["ended"] = _now()
    except measuring.MachineBusy as error:
        return reply | {"state": BUSY, "reason": str(error)}
    except (HeadroomError, OSError) as error:
        return reply | {"state": UNUSABLE, "reason": str(error)}
    return reply


def _measured(request: Mapping[str, Any], program: Sequence[str], limit_s: float) -> dict[str, Any]:
    place = out_folder()
    place.mkdir(parents=True, exist_ok=True)
    # Folders of a worker that was killed; no other works on this machine, because this one has the lock.
    for left in place.glob(f"{PREFIX}{request['machine']}.*"):
        shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{request['cell']}-", dir=place))
    try:
        status, last_line = _run([*program, *request["words"]], folder, limit_s)
        runs = sorted(path.parent for path in folder.glob("*/run.json"))
        document = _document(folder / "stdout")
        # A run that was cut short, as by a full disk, has records and a status of its own, and prints no document.
        if status not in COMPLETE or len(runs) != 1 or document is None:
            raise HeadroomError(f"its command ended with status {status}: {last_line}")
        packed = archive.pack(runs[0])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {
        "state": WHOLE,
        "exit": status,
        "run": runs[0].name,
        "verdicts": document.get("verdicts"),
        "archive": packed.octets,
        "sha256": packed.sha256,
        "files": packed.files,
    }


def _document(stdout: Path) -> dict[str, Any] | None:
    """The JSON document that a command prints last; None if it ended before that."""
    try:
        with stdout.open("rb") as file:
            document = json.loads(file.read(MOST_DOCUMENT))
    except (OSError, ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _run(command: Sequence[str], folder: Path, limit_s: float) -> tuple[int, str]:
    """The exit status of a command, and the last line of its standard error. Raises HeadroomError if it took too long,
    or if the client cancelled the cell.
    """
    is_cancelled = _cancellation()
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("w+b") as err:
        process = process_group.start(
            [*affinity.command_prefix(), *command],
            {**os.environ, "HEADROOM_OUT": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=ROOT,
        )
        try:
            until = time.monotonic() + limit_s
            while process_group.exit_code(process) is None:
                if time.monotonic() >= until:
                    raise HeadroomError(f"its command took longer than {limit_s:g} s and was ended")
                if is_cancelled():
                    raise HeadroomError("its client cancelled it")
                time.sleep(POLL_S)
            status = process_group.exit_code(process)
        finally:
            process_group.stop(process)
        err.seek(max(0, err.tell() - MOST_OUTPUT))
        lines = err.read().decode(errors="replace").strip().splitlines()
    assert status is not None
    ended = f"it was ended by {signal.Signals(-status).name}" if status < 0 else "it gave no reason"
    return status, lines[-1].removeprefix("headroom: ") if lines else ended


def _cancellation() -> Callable[[], bool]:
    """A function that is true once the client has cancelled the task of this thread; always false outside a worker."""
    try:
        from distributed.worker import get_worker, thread_state

        worker, key = get_worker(), thread_state.key
    except (ImportError, ValueError, AttributeError):
        return lambda: False

    def is_cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state != "executing"

    return is_cancelled


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
