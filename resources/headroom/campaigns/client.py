# SPDX-License-Identifier: Apache-2.0
"""The client of a campaign: gives cells to workers, keeps each result when it arrives, and marks lost cells."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headroom.campaigns import cluster, identity, progress
from headroom.campaigns.campaign import LOCAL, Campaign, Cell
from headroom.campaigns.identity import Identity
from headroom.campaigns.progress import Result
from headroom.campaigns.task import LOST, UNUSABLE, WHOLE, request_of, run_cell
from headroom.core.errors import EnvironmentLacks, UsageError

if TYPE_CHECKING:
    from distributed import Client, Future

LOOK_S = 1.0  # seconds between looks for new workers
OnEnd = Callable[[Cell, Result], None]


@dataclass
class Outcome:
    """The end of a campaign: the result of each cell, and if Ctrl-C ended it."""

    results: dict[Cell, Result] = field(default_factory=dict)
    interrupted: bool = False


def run_campaign(
    campaign: Campaign,
    text: bytes,
    scheduler: str | None = None,
    keys: Path | None = None,
    on_end: OnEnd = lambda cell, result: None,
    program: Sequence[str] | None = None,
) -> Outcome:
    """Measures the cells of a campaign that are still missing. `text` is its file, kept for --resume; `program` is as
    for `run_cell`.

    Raises UsageError and EnvironmentLacks before anything is measured; later EnvironmentLacks, if the scheduler
    disappears.
    """
    require_machines(campaign, scheduler)
    mine = identity.here()
    with progress.begin(campaign, text, mine) as results:
        outcome = Outcome(dict(results))
        left = [cell for cell in campaign.cells() if cell not in results or results[cell].state != WHOLE]
        if not left:
            return outcome
        with cluster.connected(scheduler, keys, campaign.timeouts) as client:
            try:
                needed, before = ({cell.machine for cell in cells} for cells in (left, results))
                _require_workers(client, campaign, needed, before, mine)
            except OSError as error:
                raise _scheduler_went(campaign) from error
            work = _Work(client, campaign, mine, program, left)
            try:
                work.collect(outcome, on_end)
            except KeyboardInterrupt:
                outcome.interrupted = True
                client.cancel(list(work.futures), force=True)
    return outcome


def require_machines(campaign: Campaign, scheduler: str | None) -> None:
    """Raises UsageError if a campaign without a scheduler names other machines than this one."""
    others = [name for name in campaign.machines if name != LOCAL]
    if scheduler is None and others:
        raise UsageError(
            f"The campaign {campaign.name} needs {', '.join(others)}, but without a scheduler only the machine "
            f"{LOCAL} works: name a scheduler with --scheduler (see ./headroom campaign scheduler --help)."
        )


def _require_workers(client: Client, campaign: Campaign, needed: set[str], before: set[str], mine: Identity) -> None:
    """Waits until every machine has a worker. Raises UsageError if a machine has none and took no part before, or if
    its worker runs other code.
    """
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
    replies = client.run(identity.running, workers=addresses, on_error="return") if addresses else {}
    for name, address in there.items():
        other = replies.get(address)
        if other is not None and (what := _differs(mine, other)):
            raise UsageError(
                f"The worker of {name} has {what}: make that checkout the same as this one, and start it again."
            )


def _differs(mine: Identity, other: Any) -> str:
    if isinstance(other, Identity):
        return mine.differs(other)
    return f"another version of this program, or none ({str(other)[:200]})"


def _workers(client: Client) -> dict[str, str]:
    """The address of each machine's worker."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    return {
        name: address
        for address, worker in workers.items()
        for resource in worker["resources"]
        for prefix, name in [resource.split("-", 1)]
        if prefix == "machine"
    }


class _Work:
    """Gives each machine one cell after the other.

    It does not give all at once: the scheduler counts the death of a worker against every task that waits for it.
    """

    def __init__(
        self,
        client: Client,
        campaign: Campaign,
        identity: Identity,
        program: Sequence[str] | None,
        cells: Sequence[Cell],
    ) -> None:
        self.client, self.campaign, self.identity, self.program = client, campaign, identity, program
        self.left: dict[str, deque[Cell]] = {}
        for cell in cells:
            self.left.setdefault(cell.machine, deque()).append(cell)
        self.futures: dict[Future, Cell] = {}  # futures of cells that were given to workers

    def collect(self, outcome: Outcome, on_end: OnEnd) -> None:
        """Keeps each result at once: until then only its worker's memory has it."""
        from distributed import as_completed

        running = as_completed([self._next(machine) for machine in self.left])
        for future in running:
            cell = self.futures.pop(future)
            results = {cell: self._result(cell, future)}
            future.release()
            if results[cell].reason == self._gone(cell):
                results |= {other: self._lost(other, self._gone(other)) for other in self.left[cell.machine]}
                self.left[cell.machine].clear()
            for ended_cell, result in results.items():
                outcome.results[ended_cell] = result
                on_end(ended_cell, result)
            if self.left[cell.machine]:
                running.add(self._next(cell.machine))

    def _next(self, machine: str) -> Future:
        cell = self.left[machine].popleft()
        future = self.client.submit(
            run_cell,
            request_of(self.campaign, cell, self.identity),
            self.program,
            key=f"{self.campaign.name}:{cell.id}:{time.time_ns()}",
            resources={cluster.resource_of(machine): 1},
            pure=False,
        )
        self.futures[future] = cell
        return future

    def _result(self, cell: Cell, future: Future) -> Result:
        from distributed.client import FutureCancelledError
        from distributed.scheduler import KilledWorker, NoValidWorkerError, NoWorkerError

        try:
            reply = future.result()
            deaths = self.client.run_on_scheduler(_deaths, key=future.key)
        except (FutureCancelledError, OSError) as error:
            raise _scheduler_went(self.campaign) from error
        except (NoValidWorkerError, NoWorkerError):
            return self._lost(cell, self._gone(cell))
        except KilledWorker:
            times = cluster.ALLOWED_FAILURES + 1
            return self._lost(cell, f"The worker of {cell.machine} died {times} times while it measured this.", times)
        except Exception as error:
            reason = f"Its task failed: {type(error).__name__}: {error}"[:2000]
            arguments = tuple(self.campaign.words(cell))
            return progress.write(self.campaign, cell, Result(UNUSABLE, reason, words=arguments))
        return progress.accept(self.campaign, cell, reply, self.identity, deaths)

    def _gone(self, cell: Cell) -> str:
        return f"The machine {cell.machine} had no worker for {self.campaign.timeouts.lost_s:g} s."

    def _lost(self, cell: Cell, reason: str, deaths: int = 0) -> Result:
        arguments = tuple(self.campaign.words(cell))
        return progress.write(self.campaign, cell, Result(LOST, reason, words=arguments, deaths=deaths))


def _scheduler_went(campaign: Campaign) -> EnvironmentLacks:
    return EnvironmentLacks(
        "The scheduler disappeared. The results so far are kept; continue with `./headroom campaign --resume "
        f"{campaign.name}` when a scheduler runs again."
    )


def _deaths(dask_scheduler: Any, key: str) -> int:
    """The number of deaths of a task's workers; runs in the scheduler."""
    task = dask_scheduler.tasks.get(key)
    return task.suspicious if task is not None else 0
