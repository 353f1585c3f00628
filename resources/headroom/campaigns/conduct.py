# SPDX-License-Identifier: Apache-2.0
"""Conducts a campaign: hands cells to workers, keeps each result the moment it arrives, and says what was lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headroom.campaigns import cluster, identity, progress
from headroom.campaigns.campaign import LOCAL, Campaign, Cell
from headroom.campaigns.identity import Identity
from headroom.campaigns.progress import Result
from headroom.campaigns.task import LOST, WHOLE, request_of, run_cell
from headroom.core.errors import EnvironmentLacks, UsageError

if TYPE_CHECKING:
    from distributed import Client, Future

LOOK_S = 1.0  # between looks at who has come
OnEnd = Callable[[Cell, Result], None]


@dataclass
class Outcome:
    """How a campaign ended: what has become of each cell, and whether Ctrl-C ended it."""

    results: dict[Cell, Result] = field(default_factory=dict)
    interrupted: bool = False


def conduct(
    campaign: Campaign,
    text: bytes,
    scheduler: str | None = None,
    keys: Path | None = None,
    on_end: OnEnd = lambda cell, result: None,
    program: Sequence[str] | None = None,
) -> Outcome:
    """Measures the cells of a campaign that are not whole yet. `text` is its file, kept for --resume; `program` is as
    for `run_cell`.

    Raises UsageError and EnvironmentLacks before anything is measured; later EnvironmentLacks, where the scheduler
    goes.
    """
    require_machines(campaign, scheduler)
    mine = identity.here()
    with progress.begin(campaign, text, mine) as found:
        outcome = Outcome(dict(found))
        left = [cell for cell in campaign.cells() if cell not in found or found[cell].state != WHOLE]
        if not left:
            return outcome
        with cluster.connected(scheduler, keys, campaign.timeouts) as client:
            _require_workers(client, campaign, {cell.machine for cell in left}, {cell.machine for cell in found}, mine)
            futures = _submit(client, campaign, left, mine, program)
            try:
                _collect(client, campaign, futures, mine, outcome, on_end)
            except KeyboardInterrupt:
                outcome.interrupted = True
                client.cancel(list(futures), force=True)
    return outcome


def require_machines(campaign: Campaign, scheduler: str | None) -> None:
    """Raises UsageError where a campaign without a scheduler names other machines than this one."""
    others = [name for name in campaign.machines if name != LOCAL]
    if scheduler is None and others:
        raise UsageError(
            f"The campaign {campaign.name} is about {', '.join(others)}, and without a scheduler there is only the "
            f"machine {LOCAL}: name one with --scheduler (see ./headroom campaign scheduler --help)."
        )


def _require_workers(client: Client, campaign: Campaign, needed: set[str], before: set[str], mine: Identity) -> None:
    """Waits until every machine has a worker. Raises UsageError where one has none that took no part before either, or
    one that runs something else."""
    until = time.monotonic() + campaign.timeouts.join_s
    while missing := needed - (there := _workers(client)).keys():
        if time.monotonic() >= until:
            break
        time.sleep(LOOK_S)
    if unknown := sorted(missing - before):
        raise UsageError(
            f"No worker has the name {', '.join(unknown)}; there are: {', '.join(sorted(there)) or 'none'}. Say "
            "`./headroom campaign worker ADDRESS --machine NAME` on the machine, or correct the name in the campaign."
        )
    addresses = [address for name, address in there.items() if name in needed]
    replies = client.run(identity.here, workers=addresses, on_error="return") if addresses else {}
    for name, address in there.items():
        other = replies.get(address)
        if other is not None and (what := _differs(mine, other)):
            raise UsageError(f"The worker of {name} has {what}: check the same out there, and start it again.")


def _differs(mine: Identity, other: Any) -> str:
    if isinstance(other, Identity):
        return mine.differs(other)
    return f"another version of this program, or none ({str(other)[:200]})"


def _workers(client: Client) -> dict[str, str]:
    """Address of each machine's worker."""
    found = client.scheduler_info(n_workers=-1)["workers"]
    return {
        name: address
        for address, worker in found.items()
        for resource in worker["resources"]
        for prefix, name in [resource.split("-", 1)]
        if prefix == "machine"
    }


def _submit(
    client: Client, campaign: Campaign, cells: Sequence[Cell], mine: Identity, program: Sequence[str] | None
) -> dict[Future, Cell]:
    return {
        client.submit(
            run_cell,
            request_of(campaign, cell, mine),
            program,
            key=f"{campaign.name}:{cell.id}:{time.time_ns()}",
            resources={cluster.resource_of(cell.machine): 1},
            priority=-number,
            pure=False,
        ): cell
        for number, cell in enumerate(cells)
    }


def _collect(
    client: Client,
    campaign: Campaign,
    futures: Mapping[Future, Cell],
    mine: Identity,
    outcome: Outcome,
    on_end: OnEnd,
) -> None:
    """Keeps each result at once: until then it is in its worker's memory alone."""
    from distributed import as_completed

    for future in as_completed(list(futures)):
        cell = futures[future]
        result = _result(client, campaign, cell, future, mine)
        outcome.results[cell] = result
        future.release()
        on_end(cell, result)


def _result(client: Client, campaign: Campaign, cell: Cell, future: Future, mine: Identity) -> Result:
    from distributed.client import FutureCancelledError
    from distributed.scheduler import KilledWorker, NoValidWorkerError, NoWorkerError

    try:
        reply = future.result()
    except (FutureCancelledError, OSError) as error:
        raise EnvironmentLacks(
            f"The scheduler went. What has arrived is kept; `./headroom campaign --resume {campaign.name}` goes on "
            "once there is a scheduler again."
        ) from error
    except (NoValidWorkerError, NoWorkerError):
        seconds = campaign.timeouts.lost_s
        reason = f"The machine {cell.machine} had no worker for {seconds:g} s."
        return progress.write(campaign, cell, Result(LOST, reason, words=tuple(campaign.words(cell))))
    except KilledWorker:
        reason = f"The worker of {cell.machine} died {cluster.ALLOWED_FAILURES + 1} times while it measured this."
        return progress.write(campaign, cell, Result(LOST, reason, words=tuple(campaign.words(cell))))
    except Exception as error:
        reason = f"Its task failed: {type(error).__name__}: {error}"[:2000]
        return progress.write(campaign, cell, Result("error", reason, words=tuple(campaign.words(cell))))
    return progress.accept(campaign, cell, reply, mine)
