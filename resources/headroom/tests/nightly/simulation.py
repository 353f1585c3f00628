# SPDX-License-Identifier: Apache-2.0
"""Synthetic nights through the real decisions: how often they alert, how late, and how often wrongly.

    python -m headroom.tests.nightly.simulation [--seeds N] [TABLE …]

prints the tables, each with its seeds and counts; tests run small parts of them. A night measures three sentinels, each
with two times and one count of instructions. An arm's value is level × code × (1 + session noise): the level is the
machine's and common to all arms of a night, the code is that of the adapter, and each arm has noise of its own, as the
best of its trials has.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa

from headroom.core import adapter_files
from headroom.core.sentinels import Trials
from headroom.history.rows import COLUMNS, group, table_of
from headroom.history.series import Point, Series, SeriesKey
from headroom.history.store import History
from headroom.nightly import log_entries
from headroom.nightly.binaries import BinaryStore
from headroom.nightly.measurer import ArmFile
from headroom.nightly.night import NightResult
from headroom.tests.nightly import noise
from headroom.tests.nightly.fake_measurer import COMPRESS, INSTRUCTIONS, TIMES, Clock, FakeMeasurer
from headroom.tests.nightly.nights import Nights, commit

NAMES = ("Calls", "PDUs", "Messages")
TIME_SERIES = len(NAMES) * len(TIMES)
NIGHTS = noise.NIGHTS
LEARNT = 14  # nights at one level before a change
SESSION_NOISE = 0.002
COUNT_NOISE = 0.0003  # by which counts of one binary differ, as a standard deviation

Levels = Callable[[np.random.Generator], noise.Values]


def steady(random: np.random.Generator) -> noise.Values:
    return np.ones(NIGHTS)


class MemoryHistory(History):
    """A history without files: what a simulation asks of it, many times faster."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.last: pa.Table = COLUMNS.empty_table()
        self.known: dict[SeriesKey, Series] = {}
        self.measured: list[datetime] = []
        self.entries: dict[str, list[dict[str, Any]]] = {"events": [], "alerts": []}

    def add(self, points: Sequence[Point]) -> Path:
        self.last = table_of(points)
        self.measured.append(points[0].night)
        for key, one in group(self.last).items():
            self.known[key] = _joined(self.known[key], one) if key in self.known else one
        return self.folder

    def series(self, machine: str | None = None) -> dict[SeriesKey, Series]:
        return dict(self.known)

    def table(self, machine: str | None = None, columns: Sequence[str] = COLUMNS.names) -> pa.Table:
        return self.last.select(list(columns)).slice(0, 0)  # what a night asks of it: other implementations

    def nights(self, machine: str | None = None) -> list[datetime]:
        return list(self.measured)

    def log(self, name: str) -> list[dict[str, Any]]:
        return list(self.entries[name])

    def append(self, name: str, entries: Sequence[dict[str, Any]]) -> None:
        self.entries[name] += entries


def _joined(before: Series, after: Series) -> Series:
    """A series with its next night."""
    lists = ("nights", "texts", "reasons", "commits", "changed", "digests", "conditions", "trials")
    joined = {name: getattr(before, name) + getattr(after, name) for name in lists}
    return replace(before, values=np.append(before.values, after.values), **joined)


@dataclass
class SimulatedMeasurer(FakeMeasurer):
    """Its adapters' text is the factor of time and of instructions, in per cent. `levels` are those of each time by
    night; `session` is the spread of an arm's value in a session."""

    levels: Mapping[tuple[str, str], noise.Values] = field(default_factory=dict)
    session: float = SESSION_NOISE
    counted: bool = True
    number: int = 0  # of the night

    def measure(self, name: str, arms: Mapping[str, ArmFile], trials: int, count: bool) -> dict[str, Trials]:
        found: dict[str, Trials] = {}
        for arm, file in arms.items():
            words = ["10", "10"] if file.is_null else file.path.read_text(encoding="utf-8").split()
            code, instructions = (float(word) / 100 for word in words[:2])
            values: Trials = {}
            for metric, base in TIMES.items():
                level = self.levels[name, metric.name][self.number] if self.levels else 1.0
                own = 1 + self.session * self.random.standard_normal()
                values[metric] = [float(base * level * code * own)]
            if count and self.counted:
                values[INSTRUCTIONS] = [float(500 * instructions * (1 + COUNT_NOISE * self.random.standard_normal()))]
            found[arm] = values
        return found


@contextmanager
def simulated(seed: int, kind: Levels = steady, **more: Any) -> Iterator[Nights]:
    """Nights whose levels are of a kind of noise."""
    random = np.random.default_rng(seed)
    levels = {(name, metric.name): kind(random) for name in NAMES for metric in TIMES}
    with (
        tempfile.TemporaryDirectory(prefix="headroom-simulation-", dir="/dev/shm") as name,
        mock.patch.object(adapter_files, "beside", lambda path: ()),
        mock.patch("os.fsync", lambda descriptor: None),
    ):
        folder = Path(name)
        store = BinaryStore(folder / "binaries")
        measurer = SimulatedMeasurer(folder, store, names=NAMES, seed=seed, levels=levels, **more)
        measurer.verdicts = {}
        yield Nights(MemoryHistory(folder / "history"), store, measurer, Clock())


def night(nights: Nights, factor: float, instructions: float | None = None, **options: Any) -> NightResult:
    """Measures a night with a build of its own, of a code that takes so many per cent."""
    measurer = nights.measurer
    number = len(nights.history.nights())
    assert isinstance(measurer, SimulatedMeasurer)
    measurer.number = number
    commit(nights, f"c{number}", f"{factor!r} {factor if instructions is None else instructions!r} {number}")
    return nights.night(searches=False, cases=False, **options)


# ---- tables


def _share(count: int, total: int) -> str:
    return f"{count} of {total} ({count / total:.1%})"


def ignored(seeds: int) -> Iterator[str]:
    """12 nights at 100, a commit at 105 that is ignored, then nights at 100, then another commit."""
    for back, later in ((20, 104.0), (20, 105.0), (20, 106.0), (3, 104.0), (1, 104.0), (0, 105.0)):
        told = again = 0
        for seed in range(seeds):
            with simulated(seed, noise.gaussian) as nights:
                for _ in range(LEARNT):
                    night(nights, 100.0)
                night(nights, 105.0)
                for one in nights.book.open:
                    log_entries.ignore(nights.history, one.id, "a fan", nights.clock())
                again += any(night(nights, 100.0).exit_status == 1 for _ in range(back))
                told += any(night(nights, later).exit_status == 1 for _ in range(5))
        what = "stays there" if not back else f"{back} nights at 100, then {later:g}"
        yield f"105 ignored, {what}: told in five nights {_share(told, seeds)}; earlier {again}"


def _drift_alert(one: NightResult) -> bool:
    return any("drift" in alert.id and alert.is_worse for alert in one.opened)


def drift(seeds: int) -> Iterator[str]:
    """+0.1 % a night, in time and instructions, in time alone, and none."""
    for words, time_a_night, count_a_night in (
        ("time and instructions", 0.1, 0.1),
        ("time alone", 0.1, 0.0),
        ("+0.05 % a night, both", 0.05, 0.05),
    ):
        first: list[int] = []
        by_drift = alerts = 0
        for seed in range(seeds):
            with simulated(seed, noise.gaussian) as nights:
                found = [
                    night(nights, 100 * (1 + time_a_night / 100 * number), 100 * (1 + count_a_night / 100 * number))
                    for number in range(NIGHTS)
                ]
            told = [number for number, one in enumerate(found, 1) if one.exit_status == 1]
            first += told[:1]
            by_drift += bool(told) and _drift_alert(found[told[0] - 1])
            alerts += sum(len(one.opened) for one in found)
        nights_of = ", ".join(map(str, np.percentile(first, (0, 50, 90, 100)).astype(int))) if first else "–"
        yield (
            f"{words}: alert in {_share(len(first), seeds)}, the first one a drift alert in {by_drift}; night of it "
            f"(min, median, 90 %, max) {nights_of}; {alerts / seeds:.1f} alerts each"
        )


def false_alarms(seeds: int) -> Iterator[str]:
    """Nights in which only the machine changes: confirmed alerts, unconfirmed ones and nights that cannot tell."""
    for kind, levels in noise.KINDS.items():
        counts: Counter[str] = Counter()
        for seed in range(seeds):
            with simulated(seed, levels) as nights:
                for _ in range(NIGHTS):
                    one = night(nights, 100.0)
                    counts["cannot tell"] += one.exit_status == 3
                    for alert in one.opened:
                        how = "drift" if "drift" in alert.id else "step"
                        counts[f"{how}{'' if alert.confirmed else ' unconfirmed'}"] += len(alert.series)
        series = seeds * (TIME_SERIES + len(NAMES))
        rates = ", ".join(f"{name} {100 * counts[name] / series:.2f}" for name in ("step", "drift", "step unconfirmed"))
        yield (
            f"{kind}: false series per 100 over {NIGHTS} nights: {rates}; nights that cannot tell "
            f"{_share(counts['cannot tell'], seeds * NIGHTS)}"
        )


def small_steps(seeds: int) -> Iterator[str]:
    """A step of −2 % in time: by which night it is confirmed, by session noise, with and without instructions."""
    for counted, instructions in ((False, 0.0), (True, 0.0), (True, -2.0)):
        for session in (0.002, 0.005, 0.01):
            at: list[int] = []
            said = 0
            for seed in range(seeds):
                with simulated(seed, noise.gaussian, session=session, counted=counted) as nights:
                    for _ in range(LEARNT):
                        night(nights, 100.0)
                    for number in range(1, 21):
                        one = night(nights, 98.0, 100.0 + instructions)
                        said += any("cannot be confirmed" in note for note in one.notes)
                        hits = [alert for alert in one.opened if alert.confirmed and not alert.is_worse]
                        if any(changed.metric == COMPRESS.name for alert in hits for changed in alert.series):
                            at.append(number)
                            break
            words = "no instructions" if not counted else f"instructions {instructions:+g} %"
            within = ", ".join(
                f"{sum(number <= most for number in at) / seeds:.0%} by night {most}" for most in (1, 2, 3, 5, 20)
            )
            yield f"−2 % in time, {words}, session noise {session:.1%}: {within}; nights that say so {said} ({seeds})"


def weekly_candidates(seeds: int) -> Iterator[str]:
    """The share of series-nights that are candidates, by kind of noise."""
    from headroom.history import detection

    for kind, levels in noise.KINDS.items():
        random = np.random.default_rng(17)
        found = judged = 0
        for _ in range(seeds * 10):
            values = levels(random)
            for number in range(detection.LEAST_NIGHTS + 1, NIGHTS + 1):
                judged += 1
                found += any(one.kind == "candidate" for one in detection.judge(values[:number]))
        yield f"{kind}: candidates {_share(found, judged)} of series-nights ({seeds * 10} series)"


TABLES: dict[str, Callable[[int], Iterator[str]]] = {
    "ignored": ignored,
    "drift": drift,
    "false-alarms": false_alarms,
    "small-steps": small_steps,
    "candidates": weekly_candidates,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", choices=[[], *TABLES], help="all when left out")
    parser.add_argument("--seeds", type=int, default=10, help="histories of each row")
    options = parser.parse_args()
    for name in options.tables or TABLES:
        began = time.monotonic()
        print(f"{name}: {TABLES[name].__doc__} Seeds 0 to {options.seeds - 1}.")
        for line in TABLES[name](options.seeds):
            print(f"  {line}", flush=True)
        print(f"  ({time.monotonic() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
