# SPDX-License-Identifier: Apache-2.0
"""Forgetting a night: one that a wrong clock stamped with a time to come would keep all nights before that time out.

All that bears its stamp goes: rows, events, alerts, runs, and the mark of its binaries.
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
    """Removes a night of a machine; "" for the only machine that has one of that time. The last machine's takes the
    events of all machines along. Returns what went, in words.
    REQUIRES: the history's lock is held. Raises UsageError where there is no such night, or several machines have
    one."""
    name = night_name(night)
    known = _machines(history, night)
    found = sorted(known - {""})
    if machine and machine not in found:
        raise UsageError(f"The history has no night {name} of {machine}. {_nights_known(history, machine)}")
    if not known:
        raise UsageError(f"The history has no night {name}. {_nights_known(history)}")
    if not machine and len(found) > 1:
        raise UsageError(f"Several machines have a night {name}: say --machine, one of {', '.join(found)}.")
    chosen = machine or next(iter(found), "")
    of_it = {chosen, ""} if len(found) < 2 else {chosen}
    gone = []
    with history.log_lock():  # first: where this is cut short, the rows still name the night
        own = [one for one in events.parse(history.log("events")) if one.night == night and one.machine in of_it]
        history.append("events", [one.withdrawn() for one in own])
        told = [one for one in book(history).alerts.values() if one.night == night and one.machine == chosen]
        history.append("alerts", [alerts.forgetting(one, now) for one in told])
        gone += [f"{len(entries)} {what}" for entries, what in ((own, "events"), (told, "alerts")) if entries]
    if not chosen:
        return gone
    for suite in (suite_runs.CONFORMANCE, suite_runs.SEARCHES):
        shutil.rmtree(suite_runs.folder_of(history.folder / suite_runs.RUNS, suite, name), ignore_errors=True)
    BinaryStore(history.folder / "binaries" / chosen).forget(name)
    return ["its rows", *gone] if history.forget(chosen, night) else gone


def _machines(history: History, night: datetime) -> set[str]:
    """The machines with rows, events or alerts of a night; "" with an event of all machines."""
    table = history.table(columns=["machine", "night"])
    rows = zip(table["machine"].to_pylist(), table["night"].to_pylist(), strict=True)
    measured = {machine for machine, other in set(rows) if other == night}
    noted = {one.machine for one in events.parse(history.log("events")) if one.night == night}
    told = {one.machine for one in book(history).alerts.values() if one.night == night}
    return measured | noted | told


def _nights_known(history: History, machine: str | None = None) -> str:
    last = history.nights(machine)[-3:]
    return f"The last ones are {', '.join(map(night_name, last))}." if last else "It has none."


def still_to_come(history: History, now: datetime) -> list[str]:
    """A sentence for each time to come that the history holds nights, events or alerts of."""
    stamps = dict.fromkeys(history.nights(), "a night")
    for event in events.parse(history.log("events")):
        stamps.setdefault(event.night, "an event")
    for alert in book(history).alerts.values():
        stamps.setdefault(alert.night, "an alert")
    return [
        f"There is {what} of {night_name(stamp)}, which is still to come: `./headroom nightly forget "
        f"{night_name(stamp)}` removes it."
        for stamp, what in sorted(stamps.items())
        if stamp > now
    ]
