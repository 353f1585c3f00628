# SPDX-License-Identifier: Apache-2.0
"""A small chart of one series as SVG text: a value a night with the range of its trials, the baseline of its current
epoch, the beginnings of epochs, and alerts with their commits.

Hundreds stand on one page, so a chart is a handful of paths. The text of a night's point is data for the page's script.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from headroom.core.text import number, percent
from headroom.history.alerts import Alert
from headroom.history.assessment import Judged
from headroom.history.detection import CANDIDATE_LIMIT, CANDIDATE_SPREADS, Baseline
from headroom.history.events import EPOCH_KINDS, Event
from headroom.history.series import Series

MOST_NIGHTS = 120  # nights that are drawn; older ones stay in the history
WIDTH, HEIGHT = 320, 132
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 20, 18  # margins beside the plot, for labels
GAP = 1.6  # multiple of the usual distance between two nights: a longer one is a gap


@dataclass(frozen=True)
class Axis:
    """The nights of a machine that are drawn, and their places: shared by all its charts."""

    nights: tuple[datetime, ...]

    @cached_property
    def places(self) -> list[float]:
        if len(self.nights) < 2:
            return [(LEFT + WIDTH - RIGHT) / 2] * len(self.nights)
        first, last = self.nights[0], self.nights[-1]
        length = (last - first).total_seconds()
        room = WIDTH - RIGHT - LEFT
        return [round(LEFT + room * (night - first).total_seconds() / length, 1) for night in self.nights]

    @cached_property
    def longest_step(self) -> float:
        """The longest distance between two nights without a gap."""
        return GAP * float(np.median(np.diff(self.places))) if len(self.nights) > 1 else math.inf


@dataclass(frozen=True)
class Mark:
    """A line across the chart: an epoch that begins, or an alert. `text` stands at its top."""

    index: int  # place on the axis
    sentence: str
    text: str = ""
    kind: str = "epoch"


@dataclass(frozen=True)
class Chart:
    """`svg` is safe to put into a page. `data` describes the points: for each its night, its value, the least and the
    largest trial, and its commit, as numbers in the page's lists of nights and commits; and notes by night.
    """

    svg: str
    data: dict[str, Any]


@dataclass(frozen=True)
class _Scale:
    low: float
    high: float

    def y(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP), 1)


def axis_of(nights: Sequence[datetime]) -> Axis:
    return Axis(tuple(nights[-MOST_NIGHTS:]))


def band_limit(baseline: Baseline) -> float:
    """The change that makes a night a candidate, on either side, as a share of the baseline."""
    return max(CANDIDATE_LIMIT, CANDIDATE_SPREADS * baseline.spread)


def draw(
    judged: Judged,
    axis: Axis,
    alerts: Sequence[Alert],
    events: Sequence[Event],
    title: str,
    commits: dict[str, int],
) -> Chart:
    """Draws a series with its alerts. `commits` numbers those of the page; new ones are added."""
    series = judged.series
    where = {night: index for index, night in enumerate(axis.nights)}
    rows = [(where[night], row) for row, night in enumerate(series.nights) if night in where]
    marks = [*_epochs(series, events, where), *_alert_marks(series, alerts, where)]
    scale = _scale(judged, [row for _, row in rows])
    excluded = judged.epoch.excluded
    parts = [
        _band(judged, scale, axis, where),
        _path("r", _ranges(series, rows, scale, axis)),
        *(_mark(mark, axis) for mark in marks),
        _path("l", _line(series, rows, scale, axis)),
        _path("d", _dots(series, [row for row in rows if row[1] not in excluded], scale, axis)),
        *_hollow(series, [row for row in rows if row[1] in excluded], scale, axis),
        _labels(scale, axis),
    ]
    svg = (
        f'<svg class="small-chart" viewBox="0 0 {WIDTH} {HEIGHT}" tabindex="0" role="img" '
        f'aria-label="{escape(title, quote=True)}">{"".join(parts)}</svg>'
    )
    return Chart(svg, _data(series, rows, marks, excluded, commits))


def _scale(judged: Judged, rows: Sequence[int]) -> _Scale:
    """The scale from the least to the largest value and baseline; trials count from the least to the median."""
    values = [float(judged.series.values[row]) for row in rows]
    values += [float(np.median(row_trials)) for row in rows if (row_trials := trials_of(judged.series, row))]
    if judged.baseline is not None:
        limit = band_limit(judged.baseline) * abs(judged.baseline.median)
        values += [judged.baseline.median - limit, judged.baseline.median + limit]
    known = [value for value in values if math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = (high - low) * 0.06 or abs(low) * 0.01 or 1.0
    low, high = low - room, high + room
    return _Scale(low, high) if math.isfinite(high - low) and high > low else _Scale(0.0, 1.0)


def trials_of(series: Series, row: int) -> list[float]:
    return [float(trial) for trial in series.trials[row] if trial is not None and math.isfinite(trial)]


def _path(style: str, commands: str) -> str:
    return f'<path class="{style}" d="{commands}"/>' if commands else ""


def _band(judged: Judged, scale: _Scale, axis: Axis, where: dict[datetime, int]) -> str:
    """The comparable nights, from the baseline's lower limit to its upper limit, and its median."""
    if judged.baseline is None:
        return ""
    start = next((where[night] for night in judged.series.nights[judged.epoch.start :] if night in where), None)
    if start is None:
        return ""
    left, right = axis.places[start], WIDTH - RIGHT
    median = judged.baseline.median
    limit = band_limit(judged.baseline) * abs(median)
    top, bottom, middle = scale.y(median + limit), scale.y(median - limit), scale.y(median)
    return (
        f'<rect class="b" x="{left}" y="{top}" width="{right - left:.1f}" height="{max(bottom - top, 1):.1f}"/>'
        f'<path class="m" d="M{left} {middle}H{right}"/>'
    )


def _ranges(series: Series, rows: Sequence[tuple[int, int]], scale: _Scale, axis: Axis) -> str:
    parts = []
    for index, row in rows:
        trials = trials_of(series, row)
        if len(trials) > 1:
            parts.append(f"M{axis.places[index]} {scale.y(min(trials))}V{scale.y(max(trials))}")
    return "".join(parts)


def _line(series: Series, rows: Sequence[tuple[int, int]], scale: _Scale, axis: Axis) -> str:
    """A line through the values. It has a gap at a night without a value, and at one that was not measured."""
    parts, before = [], -math.inf
    for index, row in rows:
        value, x = float(series.values[row]), axis.places[index]
        if math.isfinite(value):
            parts.append(f"{'L' if x - before <= axis.longest_step else 'M'}{x} {scale.y(value)}")
            before = x
        else:
            before = -math.inf
    return "".join(parts)


def _dots(series: Series, rows: Sequence[tuple[int, int]], scale: _Scale, axis: Axis) -> str:
    """Lines without length, whose round ends are the dots."""
    known = [(axis.places[index], float(series.values[row])) for index, row in rows]
    return "".join(f"M{x} {scale.y(value)}h0" for x, value in known if math.isfinite(value))


def _hollow(series: Series, rows: Sequence[tuple[int, int]], scale: _Scale, axis: Axis) -> list[str]:
    known = [(axis.places[index], float(series.values[row])) for index, row in rows]
    return [f'<circle class="x" cx="{x}" cy="{scale.y(value)}" r="3"/>' for x, value in known if math.isfinite(value)]


def _epochs(series: Series, events: Sequence[Event], where: dict[datetime, int]) -> list[Mark]:
    """The beginnings of epochs, one mark a night. A bridge stands beside its epoch."""
    texts: dict[int, list[str]] = {}
    for index, changes in series.condition_changes():
        if series.nights[index] in where:
            texts.setdefault(where[series.nights[index]], []).extend(changes)
    for event in events:
        first = next((night for night in series.nights if night >= event.night), None)
        if first not in where or not event.is_about(series) or event.kind not in (*EPOCH_KINDS, "conditions"):
            continue
        sentences = texts.setdefault(where[first], [])
        sentences.append(event.sentence)
        if (ratio := event.bridge.get(series.key.id)) is not None:
            sentences.append(f"measured in one session, new over old: {number(ratio)}")
    return [Mark(index, "; ".join(filter(None, sentences))) for index, sentences in sorted(texts.items())]


def _alert_marks(series: Series, alerts: Sequence[Alert], where: dict[datetime, int]) -> list[Mark]:
    marks = []
    for alert in alerts:
        for changed in alert.series:
            if changed.id == series.key.id and changed.first_night in where:
                sentence = ", ".join(filter(None, (f"{alert.title} ({alert.state})", alert.commits(8))))
                text = alert.new_commit[:8]
                marks.append(Mark(where[changed.first_night], sentence, text, "open" if alert.is_open else "closed"))
    return marks


def _mark(mark: Mark, axis: Axis) -> str:
    x = axis.places[mark.index]
    line = (
        f'<path class="{mark.kind}" d="M{x} {TOP - 4}V{HEIGHT - BOTTOM}"><title>{escape(mark.sentence)}</title></path>'
    )
    if not mark.text:
        return line
    anchor = "end" if x > WIDTH / 2 else "start"
    return f'{line}<text class="{mark.kind}" x="{x}" y="{TOP - 8}" text-anchor="{anchor}">{escape(mark.text)}</text>'


def _labels(scale: _Scale, axis: Axis) -> str:
    left = LEFT - 6
    texts = [
        (left, scale.y(scale.high) + 8, "end", number(scale.high)),
        (left, scale.y(scale.low), "end", number(scale.low)),
    ]
    if axis.nights:
        texts.append((LEFT, HEIGHT - 4, "start", f"{axis.nights[0]:%d %b}"))
        texts.append((WIDTH - RIGHT, HEIGHT - 4, "end", f"{axis.nights[-1]:%d %b}"))
    lines = f'<path class="a" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>'
    return lines + "".join(
        f'<text x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>' for x, y, anchor, text in texts
    )


def _data(
    series: Series,
    rows: Sequence[tuple[int, int]],
    marks: Sequence[Mark],
    excluded: frozenset[int],
    commits: dict[str, int],
) -> dict[str, Any]:
    points, notes = [], {}
    for index, row in rows:
        trials = trials_of(series, row)
        value = _plain(float(series.values[row]))
        least, largest = (_plain(min(trials)), _plain(max(trials))) if len(trials) > 1 else (None, None)
        commit = commits.setdefault(series.commits[row], len(commits))
        points.append([index, value, least, largest, commit])
        words = [
            mark.sentence if mark.text else f"An epoch begins: {mark.sentence}" for mark in marks if mark.index == index
        ]
        if row in excluded:
            words.append("Left out: the machine moved in this night.")
        if value is None:
            words.append(f"Not measured: {series.reasons[row] or 'no reason was kept.'}")
        if words:
            notes[str(index)] = words
    return {"unit": series.unit, "points": points, "notes": notes}


def _plain(value: float) -> float | None:
    """A value with six significant digits, as many as a page shows."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def embedded(document: Any) -> str:
    """A document as JSON that may stand inside a script element."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def summary(judged: Judged) -> str:
    """A chart as a sentence, for readers who do not see it."""
    series = judged.series
    known = [float(value) for value in series.values if math.isfinite(value)]
    if not known:
        return f"{len(series)} nights without a value"
    sentence = f"{len(known)} nights, from {number(min(known))} to {number(max(known))}, last {number(known[-1])}"
    if judged.baseline is not None:
        sentence += f"; baseline {number(judged.baseline.median)} ± {percent(band_limit(judged.baseline), 1)}"
    return f"{sentence} {series.unit}".strip()
