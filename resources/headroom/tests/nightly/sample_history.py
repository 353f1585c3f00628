# SPDX-License-Identifier: Apache-2.0
"""A history of seventy nights on two machines, drawn from a seed: one of each thing that can happen to a series.

A regression whose alert is open, an improvement that was accepted, a dip that was ignored, another kernel, another
harness with a bridge, nights that were not measured, a night in which the machine moved, a renamed test, and a case
that fails.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from headroom.core import metrics
from headroom.core.metrics import Metric
from headroom.core.sentinels import Sentinel, all_sentinels
from headroom.history.alerts import Alert, ChangedCase, ChangedSeries, closing
from headroom.history.events import Event
from headroom.history.series import Point, SeriesKey, night_name
from headroom.history.store import History

NIGHTS = 70
FIRST = datetime(2026, 9, 1, 2, 0, tzinfo=UTC)
RACK, LAB = "rack-7f3a91", "lab-20c4d8"
TRIALS = 30

IMPROVED, DIPPED, KERNEL, HARNESS, MOVED, RENAMED, REGRESSED, FAILED = 28, 35, 22, 40, 46, 50, 66, 68
ABSENT = {RACK: (12, 13), LAB: (8, 9, 10, 33)}
BUSY = 30  # on the rack: with an event that says why
OLD_NAME = "performance/sentinels/A Name That The Test Had Before"
CRC = "The CRC of the third packet is wrong."
NIGHT_NOISE = 0.002  # from night to night
NOISE = {"ns": 0.0025, "instructions": 0.0001, "octets": 0.0}


@dataclass(frozen=True)
class Work:
    """A series of the sample before any noise: its key without the machine, the metric, its value, its kind."""

    key: SeriesKey
    metric: Metric
    level: float
    kind: str = "sentinel"

    @property
    def is_time(self) -> bool:
        return self.metric.unit == "ns"


def night(index: int) -> datetime:
    return FIRST + timedelta(days=index)


def commit(index: int) -> str:
    """The commit of a night; every third night measures a new one, as does each that has a planted change."""
    steps = sorted({*range(0, NIGHTS, 3), IMPROVED, HARNESS, RENAMED, REGRESSED, FAILED})
    return hashlib.sha1(f"commit {max(one for one in steps if one <= index)}".encode()).hexdigest()


def sentinels() -> list[Sentinel]:
    return list(all_sentinels().values())


def works(copies: int = 1) -> Iterator[Work]:
    """All work of a night. `copies` multiplies it, with a load that tells copies apart."""
    for copy in range(copies):
        load = f"{copy} %" if copy else ""
        for number, one in enumerate(sentinels()):
            key = SeriesKey("", one.test, "", "reference", "reference", one.profile, "1c", load, "gcc-O2", "memory")
            level = 90.0 + 37 * number + 3 * copy
            for step, stage in enumerate(("compress", "decompress")):
                time = metrics.STAGE_NS(stage=stage)
                yield Work(replace(key, metric=time.name), time, level * (1 + step / 4))
                count = metrics.INSTRUCTIONS(stage=stage)
                yield Work(replace(key, metric=count.name), count, round(11 * level * (1 + step / 4)))
            memory = metrics.MEMORY_PER_FLOW
            yield Work(replace(key, metric=memory.name), memory, 640.0 + 64 * number)
            if number < 3:
                yield from _controls(key, level)


def _controls(key: SeriesKey, level: float) -> Iterator[Work]:
    time = metrics.STAGE_NS(stage="compress")
    for control, share in (("null", 0.05), ("pinned", 1.04), ("copy", 1.0)):
        own = replace(key, compressor=control, decompressor=control, metric=time.name)
        yield Work(own, time, level * share, "control")


def _is_of(work: Work, number: int) -> bool:
    return work.key.test == sentinels()[number].test and work.kind == "sentinel"


def _share(work: Work, index: int, machine: str) -> float:
    """What the planted changes make of a value."""
    share = 1.0 if machine == RACK else 1.31
    is_product = work.kind == "sentinel" or work.key.compressor == "copy"
    if work.metric.unit != "octets" and is_product:
        if _is_of(work, 0) and work.key.metric.startswith("compress") and index >= REGRESSED:
            share *= 1.045 if work.is_time else 1.038
        if _is_of(work, 2) and index >= IMPROVED:
            share *= 0.94
        if _is_of(work, 1) and work.is_time and index == DIPPED and machine == RACK:
            share *= 0.958
    if work.is_time and machine == RACK:
        share *= (1.006 if index >= KERNEL else 1) * (1.05 if index == MOVED else 1)
    if work.is_time and index >= HARNESS:
        share *= 0.972
    if _is_of(work, 3) and work.metric.unit == "octets":
        share *= 1 + 0.0006 * index  # drifts
    return share


def points(machine: str, index: int, copies: int = 1, seed: int = 1) -> list[Point]:
    """What a machine measured in one night; [] where it did not."""
    if index in ABSENT[machine] or (machine == RACK and index == BUSY):
        return []
    random = np.random.default_rng([seed, index, machine == RACK])
    conditions = {
        "cpu_model": "AMD EPYC 9354P" if machine == RACK else "Intel Xeon Gold 6338N",
        "kernel": "6.1.0-26-amd64" if machine == RACK and index >= KERNEL else "6.1.0-25-amd64",
        "harness": hashlib.sha256(b"new" if index >= HARNESS else b"old").hexdigest(),
    }
    found = []
    for work in works(copies):
        noise = NOISE.get(work.metric.unit, 0.0)
        of_night = random.normal(1, NIGHT_NOISE if work.is_time else 0)
        level = work.level * _share(work, index, machine) * of_night
        trials = level * (1 + noise * random.gamma(2.0, 1.0, TRIALS if work.is_time else 1))
        unmeasured = machine == LAB and index == NIGHTS - 1 and _is_of(work, 4)
        test = OLD_NAME if _is_of(work, 4) and index < RENAMED else work.key.test
        found.append(
            Point(
                night=night(index),
                key=replace(work.key, machine=machine, test=test),
                value=None if unmeasured else float(trials.min()),
                unit=work.metric.unit,
                better=work.metric.better,
                trials=() if unmeasured else tuple(map(float, trials)),
                kind=work.kind,  # type: ignore[arg-type]
                reason="The engine was killed for lack of memory." if unmeasured else "",
                commit=commit(index),
                conditions=conditions,
            )
        )
    return found + _verdicts(machine, index)


def _verdicts(machine: str, index: int) -> list[Point]:
    found = []
    for scheme in dict.fromkeys(one.scheme for one in sentinels()):
        for number in range(4):
            failing = scheme == sentinels()[0].scheme and number == 1 and index >= FAILED
            verdict = "fail" if failing else "non-strict" if number == 3 and index < IMPROVED else "pass"
            key = SeriesKey(machine, f"conformance/{scheme}/Section {number + 1} Should Hold", "verdict", "reference")
            reason = CRC if failing else ""
            found.append(
                Point(night(index), key, None, kind="verdict", text=verdict, reason=reason, commit=commit(index))
            )
    return found


def _series(machine: str, number: int, stage: str) -> SeriesKey:
    key = next(work.key for work in works() if _is_of(work, number) and work.key.metric == stage)
    return replace(key, machine=machine)


def _changed(key: SeriesKey, before: float, step: float, index: int, ratio: float | None, why: str) -> ChangedSeries:
    unit = "ns" if key.metric.endswith("_ns") else "instructions"
    return ChangedSeries(
        key.id, str(key), key.test, key.metric, unit, before, before * (1 + step), step, night(index), ratio, why
    )


def alerts() -> list[tuple[Alert, str, str]]:
    """Alerts with the action that closes each ("" where it is open) and its reason."""
    level = next(work.level for work in works() if _is_of(work, 0))
    measured = "Interleaved with the old binary, the new one takes 4.4 % longer; equal binaries differ by 0.3 %."
    counted = "Valgrind counts 3.8 % more instructions."
    regression = (
        _changed(_series(RACK, 0, "compress_ns"), level * 0.982, 0.045, REGRESSED, 1.044, measured),
        _changed(_series(RACK, 0, "compress_instructions"), level * 11, 0.038, REGRESSED, 1.038, counted),
    )
    faster = "Interleaved with the old binary, the new one takes 5.9 % less; equal binaries differ by 0.2 %."
    improvement = tuple(
        _changed(_series(RACK, 2, f"{stage}_ns"), 165.1, -0.06, IMPROVED, 0.941, faster)
        for stage in ("compress", "decompress")
    )
    dip = (_changed(_series(RACK, 1, "compress_ns"), 128.2, -0.042, DIPPED, 0.985, "A/A deviation 0.3 %."),)
    case = ChangedCase(f"conformance/{sentinels()[0].scheme}/Section 2 Should Hold", "pass", "fail", CRC)
    noisy = "Equal binaries differ by 1.1 % tonight, which is too much to tell."
    elsewhere = (_changed(_series(LAB, 0, "compress_ns"), level * 1.27, 0.044, REGRESSED, 1.039, noisy),)
    return [
        (_alert(IMPROVED, "improvement", improvement), "accepted", "Fewer copies of the context"),
        (_alert(DIPPED, "improvement", dip), "ignored", "One night alone; the binary was the same"),
        (_alert(REGRESSED, "regression", regression), "", ""),
        (
            replace(
                _alert(REGRESSED, "regression", elsewhere),
                id=f"{night_name(night(REGRESSED))}-regression-2",
                machine=LAB,
                confirmed=False,
            ),
            "",
            "",
        ),
        (replace(_alert(FAILED, "verdict", ()), cases=(case,)), "", ""),
    ]


def _alert(index: int, direction: str, series: tuple[ChangedSeries, ...]) -> Alert:
    return Alert(
        id=f"{night_name(night(index))}-{direction}",
        night=night(index),
        machine=RACK,
        direction=direction,  # type: ignore[arg-type]
        confirmed=True,
        old_commit=commit(index - 1),
        new_commit=commit(index),
        series=series,
    )


def events() -> list[Event]:
    bridge = {_series(RACK, number, "compress_ns").id: 0.972 + number / 1000 for number in range(2)}
    improved = tuple(_series(RACK, 2, f"{stage}_ns").id for stage in ("compress", "decompress"))
    return [
        Event(night(IMPROVED), RACK, "accepted", "Accepted: fewer copies of the context", improved),
        Event(night(BUSY), RACK, "not measured", "Not measured: the load of 3.1 on 2 CPUs never went below 1.0."),
        Event(night(HARNESS), RACK, "conditions", "The engine reads the clock once a burst", (), bridge),
        Event(
            night(MOVED),
            RACK,
            "machine",
            "The pinned build, which never changes, is slower by 5.0 % in 3 of 3 series: the machine changed, not the "
            "code.",
        ),
    ]


def write(folder: Path, copies: int = 1, nights: int = NIGHTS, seed: int = 1) -> History:
    """Writes the history of the first so many nights."""
    history = History(folder)
    for index in range(nights):
        for machine in (RACK, LAB):
            if found := points(machine, index, copies, seed):
                history.add(found)
    history.append("events", [one.as_json() for one in events()])
    for alert, action, reason in alerts():
        history.append("alerts", [alert.opened()])
        if action:
            history.append("alerts", [closing(alert, action, reason, alert.night + timedelta(hours=7))])
    return history
