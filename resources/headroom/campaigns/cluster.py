# SPDX-License-Identifier: Apache-2.0
"""The processes of a campaign: a scheduler, one worker on each machine, and the client's connection to them.

A client of a scheduler can run programs on its workers. So TLS is required beyond loopback, and there is no dashboard.
Source: Dask distributed, "Security" and "Configuration reference".
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from headroom.campaigns import keys
from headroom.campaigns.campaign import LOCAL, Timeouts
from headroom.campaigns.keys import Keys
from headroom.core.errors import EnvironmentLacks, UsageError

if TYPE_CHECKING:
    from distributed import Client
    from distributed.security import Security

PORT = 8786  # default port of a scheduler
CONNECT_S = 15.0
AGAIN_S = 2.0  # seconds after a scheduler disappeared, until a worker looks for it again
ONLY_LOOPBACK = "127.0.0.1:0"  # address of Dask's web server, which has no pages
PRELOAD = "headroom.campaigns.preload"
ALLOWED_FAILURES = 2  # deaths of a worker that a cell survives
WORKER_TTL_S = 180  # seconds without a sign of a worker, after which it counts as dead

SETTINGS: dict[str, Any] = {
    "distributed.scheduler.allowed-failures": ALLOWED_FAILURES,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.worker-ttl": f"{WORKER_TTL_S}s",
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # The processors are being measured: no profile, no memory manager, and few looks at the system.
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.comm.timeouts.connect": f"{CONNECT_S}s",
    "distributed.comm.timeouts.tcp": f"{WORKER_TTL_S}s",
}


def resource_of(machine: str) -> str:
    """The resource of a machine: its worker has one, and each of its cells takes one."""
    return f"machine-{machine}"


def checked_address(address: str) -> str:
    """A scheduler's address with its port. Raises UsageError if it is malformed, and if it would use a network without
    TLS.
    """
    parts = urlsplit(address)
    try:
        host, port = parts.hostname, parts.port or PORT
    except ValueError as error:
        raise UsageError(f"'{address}' is not an address such as tls://10.0.0.1:{PORT} ({error}).") from error
    if parts.scheme not in ("tls", "tcp") or not host or parts.path not in ("", "/") or parts.query:
        raise UsageError(f"'{address}' is not an address such as tls://10.0.0.1:{PORT}.")
    if parts.scheme == "tcp" and not _is_loopback(host):
        raise UsageError(
            f"{address} uses a network without TLS, but a client of a scheduler can run programs on all its machines: "
            f"use tls://{parts.netloc}, with keys that `./headroom campaign keys DIR` makes."
        )
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def security_of(address: str, folder: Path | None) -> Security | None:
    """The keys for an address. Raises UsageError if the address needs keys and there are none, or the other way
    round.
    """
    if not address.startswith("tls://"):
        if folder is not None:
            raise UsageError(
                f"{address} is not encrypted, so --keys would change nothing: use a tls:// address instead."
            )
        return None
    if folder is None:
        raise UsageError(f"{address} needs keys: name their folder with --keys (see ./headroom campaign keys).")
    return _security(Keys(folder).require())


def _security(keys_found: Keys) -> Security:
    from distributed.security import Security

    authority, certificate, key = map(str, (keys_found.authority, keys_found.certificate, keys_found.key))
    return Security(
        require_encryption=True,
        tls_ca_file=authority,
        **{f"tls_{role}_cert": certificate for role in ("client", "scheduler", "worker")},
        **{f"tls_{role}_key": key for role in ("client", "scheduler", "worker")},
    )


@contextmanager
def settings() -> Iterator[None]:
    """Applies Dask's settings of a campaign, and hides its log messages that a user cannot act on."""
    import dask
    import distributed  # noqa: F401  # which sets the levels of its log when it is first imported

    known = [name for name in logging.root.manager.loggerDict if name.startswith("distributed.")]
    for name in ("distributed", *known):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with dask.config.set(SETTINGS):
        yield


@contextmanager
def connected(scheduler: str | None, folder: Path | None, timeouts: Timeouts) -> Iterator[Client]:
    """A client of a scheduler, or of one worker on this machine if none is named.

    Raises EnvironmentLacks if the scheduler does not answer.
    """
    from distributed import Client

    if folder is not None and scheduler is None:
        raise UsageError("--keys belong to a scheduler: name it with --scheduler.")
    with settings():
        if scheduler is None:
            with _here() as cluster, Client(cluster, timeout=CONNECT_S, security=cluster.security) as client:
                yield _prepared(client, timeouts)
            return
        address = checked_address(scheduler)
        security = security_of(address, folder)
        try:
            client = Client(address, security=security, timeout=CONNECT_S, name="campaign")
        except OSError as error:
            raise _no_answer(address, error) from error
        with client:
            yield _prepared(client, timeouts)


@contextmanager
def _here() -> Iterator[Any]:
    """A scheduler and a worker on this machine, with keys of their own: without keys, every user of the machine could
    run programs as this one.
    """
    from distributed import LocalCluster

    with tempfile.TemporaryDirectory(prefix="headroom-keys-") as folder:
        new_keys = keys.make(Path(folder) / "keys")
        with LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            protocol="tls://",
            security=_security(new_keys),
            dashboard_address=None,
            worker_dashboard_address=None,
            memory_limit=0,
            name=LOCAL,
            resources={resource_of(LOCAL): 1},
            silence_logs=logging.CRITICAL,
            preload=[PRELOAD],
        ) as cluster:
            yield cluster


def _prepared(client: Client, timeouts: Timeouts) -> Client:
    """Gives the scheduler the time after which the cells of a machine without a worker are lost."""

    def prepare(dask_scheduler: Any) -> None:
        dask_scheduler.no_workers_timeout = timeouts.lost_s

    client.run_on_scheduler(prepare)
    return client


def _no_answer(address: str, error: BaseException) -> EnvironmentLacks:
    causes = " ".join(_causes(error))
    if "certificate" in causes.lower() or "ssl" in causes.lower() or "_CA" in causes:
        return EnvironmentLacks(
            f"The scheduler at {address} has other keys: copy the folder of --keys from the machine that made them."
        )
    return EnvironmentLacks(f"No scheduler answers at {address}: start one (./headroom campaign scheduler).")


def _causes(error: BaseException) -> list[str]:
    """The messages of an error and its causes."""
    messages: list[str] = []
    cause: BaseException | None = error
    while cause is not None:
        messages.append(str(cause))
        cause = cause.__cause__ or cause.__context__
    return messages


def run_scheduler(listen: str, folder: Path | None, say: Callable[[str], None]) -> None:
    """Runs a scheduler until Ctrl-C or SIGTERM. Raises EnvironmentLacks if it cannot listen there."""
    address = checked_address(listen)
    security = security_of(address, folder)
    if security is None:
        say("Without TLS, every user of this machine can run programs as you: see `./headroom campaign keys`.")
    with settings():
        asyncio.run(_scheduler(address, security, say))


async def _scheduler(address: str, security: Security | None, say: Callable[[str], None]) -> None:
    from distributed import Scheduler

    try:
        scheduler = await Scheduler(
            protocol=None,
            host=address,
            security=security,
            dashboard=False,
            dashboard_address=ONLY_LOOPBACK,
        )
    except OSError as error:
        raise EnvironmentLacks(f"No scheduler can listen at {address}: {error.strerror or error}.") from error
    say(f"The scheduler listens at {scheduler.address}; Ctrl-C ends it.")
    async with _until_signal() as stopped:
        await stopped.wait()
    await scheduler.close()


def run_worker(scheduler: str, machine: str, folder: Path | None, say: Callable[[str], None]) -> None:
    """Runs the worker of a machine until Ctrl-C or SIGTERM, also after the end of a scheduler.

    Raises EnvironmentLacks if the first scheduler does not answer, or has a worker of that name.
    """
    address = checked_address(scheduler)
    security = security_of(address, folder)
    with settings():
        asyncio.run(_worker(address, machine, security, say))


async def _worker(address: str, machine: str, security: Security | None, say: Callable[[str], None]) -> None:
    joined, said = False, ""
    async with _until_signal() as stopped:
        while not stopped.is_set():
            try:
                nanny = await _nanny(address, machine, security)
            except EnvironmentLacks as error:
                if not joined:
                    raise
                if said != (said := str(error)):
                    say(said)
            else:
                said = ""
                say(f"The machine {machine} works for {address}; Ctrl-C ends it.")
                joined = True
                ended = asyncio.ensure_future(nanny.finished())
                signalled = asyncio.ensure_future(stopped.wait())
                await asyncio.wait({ended, signalled}, return_when=asyncio.FIRST_COMPLETED)
                await nanny.close(timeout=AGAIN_S)
                for one in (ended, signalled):
                    one.cancel()
                if not stopped.is_set():
                    say(f"The scheduler at {address} disappeared; the machine {machine} waits for it.")
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(stopped.wait(), AGAIN_S)


async def _nanny(address: str, machine: str, security: Security | None) -> Any:
    """A process that keeps the one worker of a machine alive."""
    from distributed import Nanny

    loopback = _is_loopback(urlsplit(address).hostname or "")
    try:
        return await Nanny(
            address,
            nthreads=1,
            name=machine,
            resources={resource_of(machine): 1},
            memory_limit=0,
            security=security,
            host="127.0.0.1" if loopback else None,
            dashboard=False,
            dashboard_address=ONLY_LOOPBACK,
            silence_logs=logging.CRITICAL,
            preload=[PRELOAD],
            death_timeout=3 * CONNECT_S,
        )
    except Exception as error:
        if any("name taken" in cause for cause in _causes(error)):
            raise EnvironmentLacks(
                f"The scheduler at {address} has a worker of the name {machine} already: end that worker, or give "
                "this machine another name."
            ) from error
        raise _no_answer(address, error) from error


class _until_signal:
    """An event that SIGINT and SIGTERM set."""

    async def __aenter__(self) -> asyncio.Event:
        event = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, event.set)
        return event

    async def __aexit__(self, *_: object) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().remove_signal_handler(number)
