# SPDX-License-Identifier: Apache-2.0
"""Forgetting a night: a wrong clock can stamp a night with a future time, which keeps all nights before that time out.

Everything with its stamp is removed: rows, events, alerts, runs, and the mark of its binaries.
"""

from __future__ import annotations

import shutil
from datetime import datetime

from headroom.core.errors import UsageError
from headroom.history import alerts, events
from headroom.history.series import night_name
from headroom.history.store import History
from headroom.nightly import suite_runs
from headroom.nightly.binaries import BinaryStore
from headroom.nightly.log_entries import book


def forget(history: History, night: datetime, machine: str, now: datetime) -> list[str]:
    """Removes a night of a machine; "" stands for the only machine that has a night of that time. With the last
    machine, events of all machines are removed, too. Returns the removed things, in words. REQUIRES: the history's lock
    is held. Raises UsageError if there is no such night, or several machines have one.
    """
    name = night_name(night)
    known = _machines(history, night)
    machines = sorted(known - {""})
    if machine and machine not in machines:
        raise UsageError(f"The history has no night {name} of {machine}. {_nights_known(history, machine)}")
    if not known:
        raise UsageError(f"The history has no night {name}. {_nights_known(history)}")
    if not machine and len(machines) > 1:
        raise UsageError(
            f"The history has the night {name} of several machines. Choose one with --machine: {', '.join(machines)}."
        )
    chosen = machine or next(iter(machines), "")
    of_it = {chosen, ""} if len(machines) < 2 else {chosen}
    gone = []
    with history.log_lock():  # rows last: if this is interrupted, they still name the night
        own = [
            event for event in events.parse(history.log("events")) if event.night == night and event.machine in of_it
        ]
        history.append("events", [event.withdrawn() for event in own])
        opened = [alert for alert in book(history).alerts.values() if alert.night == night and alert.machine == chosen]
        history.append("alerts", [alerts.forgetting(event, now) for event in opened])
        gone += [f"{len(entries)} {what}" for entries, what in ((own, "events"), (opened, "alerts")) if entries]
    if not chosen:
        return gone
    for suite in (suite_runs.CONFORMANCE, suite_runs.SEARCHES):
        shutil.rmtree(suite_runs.folder_of(history.folder / suite_runs.RUNS, suite, name), ignore_errors=True)
    BinaryStore(history.folder / "binaries" / chosen).forget(name)
    return ["its rows", *gone] if history.forget(chosen, night) else gone


def _machines(history: History, night: datetime) -> set[str]:
    """The machines with rows, events or alerts of a night; "" stands for an event of all machines."""
    table = history.table(columns=["machine", "night"])
    rows = zip(table["machine"].to_pylist(), table["night"].to_pylist(), strict=True)
    measured = {machine for machine, other in set(rows) if other == night}
    noted = {event.machine for event in events.parse(history.log("events")) if event.night == night}
    alerted = {alert.machine for alert in book(history).alerts.values() if alert.night == night}
    return measured | noted | alerted


def _nights_known(history: History, machine: str | None = None) -> str:
    last = history.nights(machine)[-3:]
    return f"The last ones are {', '.join(map(night_name, last))}." if last else "It has none."


def still_to_come(history: History, now: datetime) -> list[str]:
    """A sentence for each future time of nights, events or alerts in the history."""
    stamps = dict.fromkeys(history.nights(), "a night")
    for event in events.parse(history.log("events")):
        stamps.setdefault(event.night, "an event")
    for alert in book(history).alerts.values():
        stamps.setdefault(alert.night, "an alert")
    return [
        f"There is {what} of {night_name(stamp)}, which is in the future: `./headroom nightly forget "
        f"{night_name(stamp)}` removes it."
        for stamp, what in sorted(stamps.items())
        if stamp > now
    ]
