# SPDX-License-Identifier: Apache-2.0
"""The last night of each machine as text for Prometheus: for the textfile collector of node_exporter.

The text is OpenMetrics 1.0 and, because it has only gauges, also the older text format 0.0.4, which the collector
reads. Samples have no time stamps, because the collector refuses them; the time of the night is a gauge of its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from headroom.core.errors import disk_error
from headroom.core.paths import shown
from headroom.core.results.store import write_atomically
from headroom.history.assessment import Judged
from headroom.history.store import History
from headroom.nightly.chart import band_limit, trials_of
from headroom.nightly.snapshot import Snapshot, take

Labels = Mapping[str, str]
# Control characters and invalid Unicode, which may not stand in a label.
_UNPRINTABLE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")


@dataclass
class Gauge:
    """A gauge with its samples. `help` has no quotation mark, which the two formats escape differently."""

    name: str
    help: str
    samples: list[tuple[Labels, float]] = field(default_factory=list)

    def add(self, labels: Labels, value: float | None) -> None:
        if value is not None and math.isfinite(value):
            self.samples.append((labels, value))

    def lines(self) -> Iterator[str]:
        if not self.samples:
            return
        yield f"# HELP {self.name} {self.help}"
        yield f"# TYPE {self.name} gauge"
        for labels, value in self.samples:
            inside = ",".join(f'{name}="{escaped(text)}"' for name, text in labels.items())
            yield f"{self.name}{{{inside}}} {value!r}"


def write(history: History, path: Path) -> None:
    """Writes the gauges of a history. Raises EnvironmentLacks if they cannot be written."""
    try:
        write_atomically(path, text(take(history)).encode())
    except OSError as error:
        raise disk_error(error, f"writing {shown(path)}", resumable=False) from error


def text(snapshot: Snapshot) -> str:
    """The gauges of the last night of each machine."""
    gauges = [*_nights(snapshot), *_series(snapshot), *_verdicts(snapshot), *_alerts(snapshot)]
    return "".join(f"{line}\n" for gauge in gauges for line in gauge.lines()) + "# EOF\n"


def escaped(label: str) -> str:
    """A label's value for quotation marks. Unprintable characters become U+FFFD."""
    harmless = _UNPRINTABLE.sub("\ufffd", label)
    return harmless.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _nights(snapshot: Snapshot) -> Iterator[Gauge]:
    time = Gauge("headroom_night_time_seconds", "Start of the last night, in seconds since 1970.")
    failed = Gauge("headroom_night_skipped", "Nights since the last measured one that were not measured.")
    for machine in snapshot.nights:
        time.add({"machine": machine}, snapshot.last(machine).timestamp())
        failed.add({"machine": machine}, float(len(snapshot.unmeasured(machine))))
    yield from (time, failed)


def _labels(judged: Judged) -> Labels:
    """The labels that tell series apart, and explain them. Empty labels are left out, as in Prometheus."""
    key = judged.series.key
    known = {**vars(key), "unit": judged.series.unit, "kind": judged.series.kind, "better": judged.series.better or ""}
    return {"series": key.id, **{name: value for name, value in known.items() if value}}


def _series(snapshot: Snapshot) -> Iterator[Gauge]:
    value = Gauge("headroom_series_value", "Value of a series in the last night, in the unit that the label names.")
    measured = Gauge("headroom_series_measured", "1 if the last night has a value of the series, 0 if not.")
    baseline = Gauge("headroom_series_baseline", "Median of the nights that a series is compared with.")
    limit = Gauge("headroom_series_limit_ratio", "Share of the baseline beyond which a night is a change.")
    trials = Gauge("headroom_series_trials", "Trials of the series in the last night.")
    for judged in snapshot.judged:
        if not snapshot.is_of_last_night(judged.series):
            continue
        labels = _labels(judged)
        value.add(labels, float(judged.series.values[-1]))
        measured.add(labels, float(snapshot.has_value(judged.series)))
        trials.add(labels, float(len(trials_of(judged.series, -1))))
        if judged.baseline is not None:
            baseline.add(labels, judged.baseline.median)
            limit.add(labels, band_limit(judged.baseline))
    yield from (value, measured, baseline, limit, trials)


def _verdicts(snapshot: Snapshot) -> Iterator[Gauge]:
    cases = Gauge("headroom_cases", "Conformance cases of the last night by verdict.")
    counts: dict[tuple[str, str], int] = {}
    for case in snapshot.cases:
        if snapshot.is_of_last_night(case) and case.texts[-1]:
            key = (case.key.machine, case.texts[-1])
            counts[key] = counts.get(key, 0) + 1
    for (machine, verdict), count in sorted(counts.items()):
        cases.add({"machine": machine, "verdict": verdict}, float(count))
    yield cases


def _alerts(snapshot: Snapshot) -> Iterator[Gauge]:
    opened = Gauge("headroom_alerts_open", "Open alerts.")
    counts: dict[tuple[str, str, str], int] = {}
    for machine in snapshot.nights:
        for direction in ("regression", "improvement", "change", "verdict"):
            counts |= {(machine, direction, confirmed): 0 for confirmed in ("true", "false")}
    for alert in snapshot.book.open:
        key = (alert.machine, alert.direction, "true" if alert.confirmed else "false")
        counts[key] = counts.get(key, 0) + 1
    for (machine, direction, confirmed), count in sorted(counts.items()):
        opened.add({"machine": machine, "direction": direction, "confirmed": confirmed}, float(count))
    right, closed = snapshot.book.precision
    of_closed = Gauge("headroom_alerts_closed", "Closed confirmed alerts, by whether they were right.")
    of_closed.add({"right": "true"}, float(right))
    of_closed.add({"right": "false"}, float(closed - right))
    yield from (opened, of_closed)
