# SPDX-License-Identifier: Apache-2.0
"""The page of a history: the most important things first, then all series as small charts. It is one file and needs no
network.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from headroom.core.errors import disk_error
from headroom.core.paths import shown
from headroom.core.results.store import write_atomically
from headroom.core.text import number
from headroom.history.alerts import Alert, ChangedSeries
from headroom.history.assessment import Judged, candidates_by_weekday, deviations_of
from headroom.history.confirmation import LEAST_CHANGE, least_step
from headroom.history.detection import is_drift
from headroom.history.events import Event
from headroom.history.series import Series, night_name
from headroom.history.store import History
from headroom.nightly import chart, suite_runs
from headroom.nightly.judgement import least_step_sentence
from headroom.nightly.snapshot import Snapshot, VerdictChange, named, show_command, take
from headroom.report import template

NO_VERDICT_YET = "no alert is closed yet"
MOST_VERDICT_CHANGES = 60
MOST_CLOSED = 40
CANDIDATE_NIGHTS = 28
LEAST_PATTERN = 4  # candidates on a weekday, from which on it may be a pattern
WEEKDAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
# The verdict whose colour a direction or state of an alert has.
LOOKS = {
    "regression": "fail",
    "verdict": "fail",
    "change": "non-strict",
    "improvement": "pass",
    "accepted": "pass",
    "fixed": "pass",
    "ignored": "unsupported",
    "superseded": "unsupported",
}


@dataclass(frozen=True)
class SeriesCard:
    """A small chart with its texts. `anchor` is its place on the page; `text` is searched by the filter."""

    anchor: str
    title: str
    subtitle: str
    value: str
    step: str
    look: str
    badge: str
    note: str
    svg: str
    text: str
    changed: bool


@dataclass(frozen=True)
class Group:
    """The charts of one test, of all machines."""

    title: str
    cards: tuple[SeriesCard, ...]

    @property
    def is_changed(self) -> bool:
        return any(card.changed for card in self.cards)


@dataclass(frozen=True)
class ShownAlert:
    alert: Alert
    look: str
    commits: str
    rows: tuple[dict[str, str], ...]
    commands: tuple[str, ...]


@dataclass(frozen=True)
class LastNight:
    """The last night of a machine. `commit` is the measured one, and `is_changed` tells if its tree had uncommitted
    changes; `product` is the implementation with its version and digest. `state` is a status word, `look` its colour,
    `words` explain it.
    """

    machine: str
    night: str
    commit: str
    is_changed: bool
    state: str
    look: str
    measured: str
    words: tuple[str, ...]
    product: str = ""
    is_quick: bool = False


@dataclass
class Content:
    """The data of the template."""

    cards: list[tuple[str, str, str]]
    last_nights: list[LastNight]
    open: list[ShownAlert]
    closed: list[ShownAlert]
    verdict_changes: list[VerdictChange]
    groups: list[Group]
    controls: list[Group]
    events: list[dict[str, Any]]
    drifts: list[dict[str, str]]
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def without_alert(self) -> tuple[str, str]:
        """The text in place of alerts if none is open, with its colour: green only if everything was measured."""
        if not self.last_nights:
            return "unsupported", "nothing was measured yet"
        worst = min(self.last_nights, key=lambda last: ("error", "fail", "non-strict", "pass").index(last.look))
        if worst.look == "pass":
            return "pass", "no open alert"
        return worst.look, f"no open alert, but the last night of {worst.machine}: {worst.state}"


def write(history: History, path: Path) -> None:
    """Writes the page of a history. Raises EnvironmentLacks if it cannot be written."""
    html = render(take(history))
    try:
        # Invalid Unicode in a name becomes a question mark.
        write_atomically(path, html.encode("utf-8", "replace"))
    except OSError as error:
        raise disk_error(error, f"writing the page {shown(path)}", resumable=False) from error


def render(snapshot: Snapshot) -> str:
    """The page as HTML text."""
    shown_content = content(snapshot)
    return template.render(
        "nightly.html.j2",
        css=["report.css", "nightly.css"],
        js="nightly.js",
        own_filters={"commit": lambda text: text[:8], "night": _date},
        page=shown_content,
        snapshot=snapshot,
        looks=LOOKS,
        data=chart.embedded(shown_content.data),
    )


def content(snapshot: Snapshot) -> Content:
    """The content of the page."""
    axes = {machine: chart.axis_of(nights) for machine, nights in snapshot.nights.items()}
    commits: dict[str, int] = {}
    series: dict[str, Any] = {}
    own = snapshot.alerts_by_series()
    cards: dict[str, list[tuple[str, SeriesCard]]] = {"control": [], "": []}
    for judged in snapshot.judged:
        machine, identity = judged.series.key.machine, judged.series.key.id
        card, data = _card(judged, snapshot, axes[machine], own.get(identity, []), commits)
        series[card.anchor] = {**data, "machine": machine}
        cards["control" if judged.series.kind == "control" else ""].append((judged.series.key.test, card))
    labels = {judged.series.key.id: str(judged.series.key) for judged in snapshot.judged}
    alerts = [_shown(alert, snapshot) for alert in reversed(snapshot.book.alerts.values())]
    return Content(
        cards=_cards(snapshot),
        last_nights=[_last_night(machine, snapshot) for machine in snapshot.nights],
        open=sorted((alert for alert in alerts if alert.alert.is_open), key=_weight),
        closed=[alert for alert in alerts if not alert.alert.is_open][:MOST_CLOSED],
        verdict_changes=snapshot.verdict_changes()[:MOST_VERDICT_CHANGES],
        groups=_groups(cards[""]),
        controls=_groups(cards["control"]),
        events=[_event(event, labels) for event in reversed(snapshot.events)],
        drifts=_drifts(snapshot),
        data={
            "nights": {machine: [_date(night) for night in axis.nights] for machine, axis in axes.items()},
            "places": {machine: axis.places for machine, axis in axes.items()},
            "commits": [commit[:8] for commit in commits],
            "series": series,
        },
    )


def _weight(alert: ShownAlert) -> tuple[bool, int]:
    order = ("regression", "verdict", "change", "improvement")
    return not alert.alert.confirmed, order.index(alert.alert.direction)


def _groups(cards: Iterable[tuple[str, SeriesCard]]) -> list[Group]:
    """Charts by test: those with a change first, then by name; tests that are no longer measured come last."""
    by_test: dict[str, list[SeriesCard]] = {}
    for test, card in cards:
        by_test.setdefault(test, []).append(card)
    groups = [
        Group(test, tuple(sorted(members, key=lambda member: (member.title, member.subtitle))))
        for test, members in by_test.items()
    ]

    def order(group: Group) -> tuple[bool, bool, str]:
        return all(card.badge == ENDED for card in group.cards), not group.is_changed, group.title

    return sorted(groups, key=order)


ENDED = "no longer measured"


def _card(
    judged: Judged, snapshot: Snapshot, axis: chart.Axis, alerts: Sequence[Alert], commits: dict[str, int]
) -> tuple[SeriesCard, dict[str, Any]]:
    series, key = judged.series, judged.series.key
    pair = " → ".join(dict.fromkeys(filter(None, (key.compressor, key.decompressor))))
    rest = (pair, key.profile, key.cpus, key.load, key.build, key.generator, key.topology)
    subtitle = ", ".join(filter(None, rest))
    if len(snapshot.nights) > 1:
        subtitle = f"{key.machine}: {subtitle}"
    title = f"{key.test}, {key.metric}, {subtitle}. {chart.summary(judged)}"
    drawn = chart.draw(judged, axis, alerts, snapshot.events, title, commits)
    open_alerts = [alert for alert in alerts if alert.is_open]
    step, look = _step(judged)
    is_judged = series.kind != "context"
    if not snapshot.has_value(series):
        step = ""
    if not snapshot.has_value(series) or not is_judged:
        look = ""
    return (
        SeriesCard(
            anchor=anchor(series),
            title=key.metric,
            subtitle=subtitle,
            value=_value(series, snapshot),
            step=step,
            look=look,
            badge=_badge(series, snapshot, open_alerts),
            note=judged.epoch.reason,
            svg=drawn.svg,
            text=f"{key.test} {key.metric} {key.machine} {subtitle} {key.id}".lower(),
            changed=bool(open_alerts) or (is_judged and judged.flag is not None and snapshot.has_value(series)),
        ),
        drawn.data,
    )


def anchor(series: Series) -> str:
    return f"s-{series.key.id}"


def _value(series: Series, snapshot: Snapshot) -> str:
    if snapshot.has_value(series):
        return f"{number(float(series.values[-1]))} {series.unit}"
    if snapshot.is_of_last_night(series):
        return f"not measured: {series.reasons[-1] or 'no reason was kept'}"
    known = np.flatnonzero(np.isfinite(series.values))
    if not len(known):
        return "never measured"
    last = int(known[-1])
    return f"last measured on {_date(series.nights[last])}: {number(float(series.values[last]))} {series.unit}"


def _badge(series: Series, snapshot: Snapshot, alerts: Sequence[Alert]) -> str:
    if not snapshot.is_of_last_night(series) and series.kind != "context":  # some nights leave out series of context
        return ENDED
    return alerts[-1].direction if alerts else ""


def _step(judged: Judged) -> tuple[str, str]:
    """The difference of the last night from the baseline, and its colour."""
    if judged.baseline is None:
        return "no baseline yet", ""
    median = judged.baseline.median
    if not median:
        return "", ""
    step = (float(judged.series.values[-1]) - median) / abs(median)
    flag = judged.flag
    look = {True: "fail", False: "pass", None: "non-strict"}[flag.is_worse] if flag else ""
    return signed(step), look


def signed(step: float) -> str:
    """A step in per cent, with its sign."""
    if abs(step) >= 1e8:
        return "from 0"
    text = f"{step:+.1%}".replace("%", " %")
    return "0.0 %" if text in ("+0.0 %", "-0.0 %") else text.replace("-", "−")


def _shown(alert: Alert, snapshot: Snapshot) -> ShownAlert:
    return ShownAlert(
        alert=alert,
        look=LOOKS[alert.direction] if alert.confirmed else "non-strict",
        commits=alert.commits(8) or _libraries(alert, snapshot),
        rows=tuple(_row(changed) for changed in alert.series),
        commands=tuple(commands(alert, snapshot.folder)),
    )


def _libraries(alert: Alert, snapshot: Snapshot) -> str:
    """The libraries between which an alert began, by version and digest, if builds have no commit."""
    series = {entry.series.key.id: entry.series for entry in snapshot.judged}
    for changed in alert.series:
        series_of_alert = series.get(changed.id)
        row = series_of_alert.index(changed.first_night) if series_of_alert else None
        if series_of_alert and row:
            return " → ".join(_library(series_of_alert.library(entry)) for entry in (row - 1, row))
    return "builds without a commit"


def _library(of: Mapping[str, str]) -> str:
    """A library of the history as text: `2.1 (SHA-256 1f2e3d4c5b6a)`."""
    digest = f"SHA-256 {of['adapter'][:12]}" if of.get("adapter") else "no digest"
    return f"{of['version']} ({digest})" if of.get("version") else digest


def _row(changed: ChangedSeries) -> dict[str, str]:
    return {
        "anchor": f"s-{changed.id}",
        "label": changed.label,
        "baseline": f"{number(changed.baseline)} {changed.unit}",
        "value": f"{number(changed.value)} {changed.unit}",
        "step": signed(changed.step),
        "ratio": "–" if changed.ratio is None else f"{changed.ratio:.3f}",
        "since": _date(changed.first_night),
        "evidence": changed.evidence,
    }


def commands(alert: Alert, history: Path) -> list[str]:
    """Commands for an alert of a history, as a shell takes them. `git log` only for possible commits."""
    name = named(alert, history)
    result = [show_command(alert, history)]
    of_commits = bool(_COMMIT.fullmatch(alert.old_commit) and _COMMIT.fullmatch(alert.new_commit))
    if alert.is_open:
        result += [f"./headroom nightly bisect {name}"] if of_commits else []
        result += [
            f"./headroom nightly accept {name} --reason '…'",
            f"./headroom nightly ignore {name} --reason '…'",
        ]
    run = suite_runs.folder_of(history.resolve() / suite_runs.RUNS, suite_runs.CONFORMANCE, night_name(alert.night))
    if alert.cases and run.is_dir():
        result.append(f"./headroom report {shlex.quote(str(run))}")
    if of_commits:
        result.append(f"git log {alert.old_commit[:12]}..{alert.new_commit[:12]}")
    return result


def _last_night(machine: str, snapshot: Snapshot) -> LastNight:
    night = snapshot.last(machine)
    series = [entry.series for entry in snapshot.judged if entry.series.key.machine == machine]
    tonight = [entry for entry in series if snapshot.is_of_last_night(entry)]
    measured = sum(snapshot.has_value(entry) for entry in tonight)
    sentences = [event.sentence for event in snapshot.events if event.night == night and event.machine in ("", machine)]
    reasons: dict[str, int] = {}
    for entry in tonight:
        if not snapshot.has_value(entry):
            reason = entry.reasons[-1] or "The reason was not kept."
            reasons[reason] = reasons.get(reason, 0) + 1
    sentences += [f"Not measured, {count} series: {reason}" for reason, count in reasons.items()]
    kinds = {event.kind for event in snapshot.events if event.night == night and event.machine == machine}
    least = least_step(deviations_of(series, night))
    if round(least, 3) > LEAST_CHANGE:
        sentences.append(least_step_sentence(least))
    unsure = [
        entry
        for entry in snapshot.book.open
        if entry.machine == machine and entry.night == night and not entry.confirmed
    ]
    sentences += [f"Undecided yet: {entry.title} ({entry.id})" for entry in unsure]
    skipped = snapshot.unmeasured(machine)
    sentences += [f"{_date(entry.night)}: {entry.sentence}" for entry in skipped]
    if skipped or not measured:
        state, look = "not measured", "error"
    elif kinds & {"machine", "cannot tell", "not measured"} or unsure:
        state, look = "cannot tell", "non-strict"
        if known := [entry.id for entry in snapshot.book.of(machine).open if entry.confirmed and entry.is_worse]:
            state, look = "regression", "fail"
            sentences.insert(
                0, f"A confirmed regression is open ({', '.join(known)}). Other series are undecided tonight."
            )
    elif measured == len(tonight) and "in part" not in kinds:
        state, look = "measured", "pass"
    else:
        state, look = "measured in part", "non-strict"
    built = [entry for entry in tonight if entry.kind == "sentinel"]
    trials = max((len(chart.trials_of(entry, -1)) for entry in built), default=0)
    names = ", ".join(
        dict.fromkeys(f"{entry.key.compressor.rpartition('/')[2]} {_library(entry.library(-1))}" for entry in built)
    )
    return LastNight(
        machine,
        _date(night),
        next((entry.commits[-1] for entry in built if entry.commits[-1]), ""),
        any(entry.changed[-1] for entry in built),
        state,
        look,
        f"{measured} of {len(tonight)} series, {trials} trials",
        tuple(sentences),
        names,
        any(entry.library(-1).get("quick") == "yes" for entry in built),
    )


def _cards(snapshot: Snapshot) -> list[tuple[str, str, str]]:
    """The cards: title, figure, and its explanation."""
    opened = snapshot.book.open
    worse = sum(entry.direction in ("regression", "verdict") for entry in opened)
    right, closed = snapshot.book.precision
    tonight = [entry for entry in snapshot.judged if snapshot.is_of_last_night(entry.series)]
    measured = sum(snapshot.has_value(entry.series) for entry in tonight)
    cases = [case for case in snapshot.cases if snapshot.is_of_last_night(case) and case.texts[-1]]
    failing = sum(case.texts[-1] in ("fail", "error") for case in cases)
    share, pattern = _candidates(snapshot)
    return [
        ("Open alerts", str(len(opened)), f"{worse} for the worse"),
        (
            "Alerts that were right",
            f"{right} of {closed}" if closed else "–",
            "closed ones" if closed else NO_VERDICT_YET,
        ),
        ("Series measured", f"{measured} of {len(tonight)}" if tonight else "–", "in the last night of each machine"),
        ("Candidates", share, pattern),
        (
            "Cases that fail",
            str(failing) if cases else "–",
            f"of {len(cases)} with a verdict" if cases else "none was run",
        ),
    ]


def _candidates(snapshot: Snapshot) -> tuple[str, str]:
    """The share of series-nights that were candidates, and the weekdays with more than twice their part of it."""
    counts = candidates_by_weekday(snapshot.judged, CANDIDATE_NIGHTS)
    count, total = (sum(column) for column in zip(*counts.values(), strict=True)) if counts else (0, 0)
    if not total:
        return "–", "no series has a baseline yet"
    often = [
        day for day, (some, of) in sorted(counts.items()) if some >= LEAST_PATTERN and some / of > 2 * count / total
    ]
    days = " and ".join(WEEKDAYS[day] for day in often)
    pattern = f"; most on {days}: a weekly pattern of the machine" if often else ""
    return f"{count / total:.0%}".replace("%", " %"), f"of series-nights in four weeks{pattern}"


def _event(event: Event, labels: Mapping[str, str]) -> dict[str, Any]:
    about = [labels.get(identity, identity) for identity in event.series]
    return {
        "night": _date(event.night),
        "machine": event.machine or "all",
        "kind": event.kind,
        "sentence": event.sentence,
        "series": about,
        "bridge": [(f"s-{key}", labels.get(key, key), number(ratio)) for key, ratio in sorted(event.bridge.items())],
    }


def _drifts(snapshot: Snapshot) -> list[dict[str, str]]:
    """Series that drift by more than 1 % over 30 nights, the fastest first."""
    drifting = [
        (entry.drift, entry.series)
        for entry in snapshot.judged
        if entry.drift is not None and is_drift(entry.drift) and snapshot.is_of_last_night(entry.series)
    ]
    drifting.sort(key=lambda pair: -abs(pair[0]))
    return [
        {"anchor": anchor(series), "label": str(series.key), "machine": series.key.machine, "drift": signed(drift)}
        for drift, series in drifting
    ]


def _date(night: datetime) -> str:
    return f"{night:%Y-%m-%d %H:%M}"
