# SPDX-License-Identifier: Apache-2.0
"""Users' decisions about alerts and events, as entries of a history's logs.

An entry depends on the logs' content, so reading and writing are one step under their lock. Nights write to the same
logs while they run.
"""

from __future__ import annotations

from datetime import datetime

from headroom.core.errors import UsageError
from headroom.history import alerts, events
from headroom.history.alerts import Alert, AlertBook
from headroom.history.events import Event
from headroom.history.store import History

WANTED = "the change is wanted"
# Kinds of events that cannot be withdrawn, each with the reason.
NOT_WITHDRAWN = {
    "accepted": "reopen the alert that was accepted",
    "conditions": "the nights before and after it were measured under different conditions",
    "not measured": "it says how the night ended",
    "in part": "it says how the night ended",
    "cannot tell": "it says how the night ended",
}


def accept(history: History, name: str, reason: str, now: datetime) -> Alert:
    """Closes an alert whose change is wanted; a new baseline begins for its series. Raises UsageError."""
    with history.log_lock():
        alert = book(history).find(name)
        history.append("alerts", [alerts.closing(alert, "accepted", reason or WANTED, now)])
    return alert


def ignore(history: History, name: str, reason: str, now: datetime) -> Alert:
    """Closes a false alarm. Raises UsageError, also without a reason."""
    with history.log_lock():
        alert = book(history).find(name)
        history.append("alerts", [alerts.closing(alert, "ignored", reason, now)])
    return alert


def reopen(history: History, name: str, reason: str, now: datetime) -> Alert:
    """Opens an alert again, with the baseline that it had. `last` is the alert that was closed last. Raises
    UsageError.
    """
    with history.log_lock():
        known = book(history)
        alert = known.last_closed() if name == "last" else known.find(name)
        entry = alerts.reopening(alert, reason, now)
        # Earlier versions logged the baseline, too. It is withdrawn first: if this is interrupted, the alert stays
        # accepted.
        logged = events.parse(history.log("events"))
        history.append("events", [event.withdrawn() for event in logged if event == accepting(alert)])
        history.append("alerts", [entry])
    return alert


def note(history: History, event: Event) -> None:
    """Adds an event."""
    with history.log_lock():
        history.append("events", [event.as_json()])


def withdraw(history: History, sentence: str) -> Event:
    """Withdraws the last event with a sentence. Raises UsageError if there is none, or if it cannot be withdrawn."""
    with history.log_lock():
        known = all_events(history)
        event = next((other for other in reversed(known) if other.sentence == sentence), None)
        if event is None:
            users = "; ".join(other.sentence for other in known if other.kind == "user") or "none"
            raise UsageError(f"There is no event '{sentence}'. Events that users noted: {users}.")
        if hint := NOT_WITHDRAWN.get(event.kind):
            raise UsageError(f"The event '{sentence}' cannot be withdrawn: {hint}.")
        history.append("events", [event.withdrawn()])
    return event


def accepting(alert: Alert) -> Event:
    """The event that begins a new baseline for the series of an accepted alert, with the first night that differed. It
    follows from the entry that accepts the alert, so that neither exists without the other.
    """
    first = min((changed.first_night for changed in alert.series), default=alert.night)
    return Event(
        first, alert.machine, "accepted", f"accepted: {alert.reason}", tuple(changed.id for changed in alert.series)
    )


def book(history: History) -> AlertBook:
    """The alerts of a history."""
    return alerts.parse(history.log("alerts"), history.warn)


def all_events(history: History) -> list[Event]:
    """The events of a history, oldest first: those of the log, and the baselines of accepted alerts. The baseline of a
    drift goes on, because it has followed the drift.
    """
    logged = events.parse(history.log("events"), history.warn)
    known = {(entry.night, entry.machine, entry.series) for entry in logged if entry.kind == "accepted"}
    accepted = [
        alert for alert in book(history).alerts.values() if alert.state == "accepted" and alert.drift_since is None
    ]
    begun = [accepting(entry) for entry in accepted if entry.series]
    new = [entry for entry in begun if (entry.night, entry.machine, entry.series) not in known]
    return sorted([*logged, *new], key=lambda event: event.night)
