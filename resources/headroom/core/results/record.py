# SPDX-License-Identifier: Apache-2.0
"""The result record: one per test, valid against resources/schemas/result.schema.json."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from headroom.core.finding import Finding
from headroom.core.metrics import Metric

SCHEMA_VERSION = 1

Verdict = Literal["pass", "non-strict", "fail", "unsupported", "error"]
VERDICTS: tuple[Verdict, ...] = ("pass", "non-strict", "fail", "unsupported", "error")
Kind = Literal["must-match", "shape", "context"]


@dataclass
class Measurement:
    """The value of a metric. `trials` holds every raw value; a missing value has a reason."""

    metric: Metric
    value: float | None
    trials: list[float | None] = field(default_factory=list)
    reason: str = ""
    core: int | None = None

    @property
    def name(self) -> str:
        return self.metric.name

    def as_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "name": self.metric.name,
            "value": self.value,
            "unit": self.metric.unit,
            "better": self.metric.better,
            "core": self.core,
            "trials": self.trials,
        }
        if self.value is None or not math.isfinite(self.value):
            return document | {"value": None, "reason": self.reason or "it could not be computed"}
        return document | _without_empty({"reason": self.reason}, "reason")


@dataclass
class Histogram:
    """`buckets` holds [upper bound, count] of each bucket that holds something, ascending."""

    name: str
    unit: str
    buckets: list[list[float]]
    core: int | None = None


@dataclass
class CoreLoad:
    """The busy share of one core, 0..1, as one source counts it: proc_stat, thread_cpu, tick or busy_share of a
    role.
    """

    core: int
    source: str
    busy: float | None
    reason: str = ""


@dataclass
class Series:
    """Points of a chart in a report; each point is an object that holds at least the keys `x` and `y`."""

    name: str
    x: str
    y: str
    x_unit: str
    y_unit: str
    points: list[dict[str, Any]]
    label: str = ""


@dataclass
class Item:
    """A figure of a paper beside ours.

    `paper` is the number that the paper prints, None if it prints none. `verdict` is None for context, and if there is
    nothing to agree with.
    """

    where: str
    quantity: str
    unit: str
    paper: float | None
    measured: float | None
    kind: Kind
    verdict: Verdict | None
    id: str = ""
    spread: float | None = None
    runs: int | None = None
    # The number that follows by calculation, from an equation or from other numbers of the paper.
    model: float | None = None
    expected: str = ""  # our bound on `measured`: "at least 100"
    says: str = ""  # the paper's words behind the bound
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return self.measured / self.paper if self.measured is not None and self.paper else None


@dataclass
class Artefact:
    """A file that belongs to a result; `path` is relative to the run's folder."""

    path: str
    kind: str
    octets: int
    sha256: str


@dataclass
class Test:
    """A test: `id` is the path of the suite below suites/ and the name of the case."""

    id: str
    name: str
    suite: str
    documentation: str = ""
    tags: list[str] = field(default_factory=list)

    __test__ = False  # tells pytest that this is not a test class

    @property
    def requirements(self) -> list[str]:
        return [tag.partition(":")[2] for tag in self.tags if tag.startswith("req:")]

    @property
    def level(self) -> str | None:
        levels = {tag.partition(":")[2] for tag in self.tags if tag.startswith("level:")}
        return next((level for level in ("must", "should", "may") if level in levels), None)


@dataclass(kw_only=True)
class Evidence:
    """Evidence that keywords collect, and that the record of a test keeps."""

    compressor: dict[str, Any] | None = None
    decompressor: dict[str, Any] | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    metrics: list[Measurement] = field(default_factory=list)
    histograms: list[Histogram] = field(default_factory=list)
    core_load: list[CoreLoad] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    cells: list[dict[str, Any]] = field(default_factory=list)  # cells of a row of the interop matrix


@dataclass(kw_only=True)
class Record(Evidence):
    """The record of a result."""

    run: str
    test: Test
    part: str = ""  # part of a judgement: a test may have a record in several parts
    verdict: Verdict = "error"
    reason: str = ""
    started: str = ""
    duration_s: float = 0.0
    harness: dict[str, Any] = field(default_factory=dict)
    # Generator and topology of the measured traffic: see `in_process`.
    traffic: dict[str, Any] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)  # see `headroom.core.machine.pressure`
    quick: bool = False  # fewer trials and seeds: a first look, not a measurement
    seed: int = 0
    command: str = ""
    environment: dict[str, Any] = field(default_factory=dict)
    artefacts: list[Artefact] = field(default_factory=list)
    link_sha256: str = ""  # digest of the octets on all links; see `engine.take_link_digest`
    debug: str = ""  # the command that repeats the last job of a failed test in a debugger

    def as_json(self) -> dict[str, Any]:
        """The record as its JSON object. Numbers that JSON cannot hold (NaN, infinities) become null with a reason."""
        document = {"schema": SCHEMA_VERSION, **asdict(self)}
        document["test"] |= {"requirements": self.test.requirements, "level": self.test.level}
        document["metrics"] = [measurement.as_json() for measurement in self.metrics]
        document["core_load"] = [_without_empty(asdict(load), "reason") for load in self.core_load]
        document["series"] = [_without_empty(asdict(series), "label") for series in self.series]
        document["items"] = [_item(item) for item in self.items]
        for name in ("part", "cells", "traffic", "machine", "link_sha256", "debug"):
            if not document[name]:
                del document[name]
        return finite(document)


def in_process(version: str) -> dict[str, Any]:
    """The traffic of a test that needs no network: made in the engine's memory."""
    return {"generator": {"name": "memory", "version": version}, "topology": {"name": "process"}}


def _item(item: Item) -> dict[str, Any]:
    return _without_empty(
        asdict(item) | {"ratio": item.ratio}, "id", "spread", "runs", "model", "expected", "says", "note"
    )


def _without_empty(document: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in names or value not in ("", None)}


def finite(value: Any) -> Any:
    """The value with null for each number that JSON cannot hold."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value


def identity_of(record: dict[str, Any]) -> str:
    """The identity of a record in its run: that of its test, with the part of the judgement in front."""
    identity = str(record["test"]["id"])
    return f"{record['part']}/{identity}" if record.get("part") else identity


def worst(verdicts: list[Verdict]) -> Verdict:
    """The verdict of a whole: error before fail before non-strict before pass; else unsupported."""
    for verdict in ("error", "fail", "non-strict", "pass"):
        if verdict in verdicts:
            return verdict  # type: ignore[return-value]
    return "unsupported"


def count_verdicts(records: Iterable[dict[str, Any]]) -> dict[str, int]:
    """The number of records with each verdict; all five verdicts are named."""
    counts = dict.fromkeys(VERDICTS, 0)
    for record in records:
        counts[record["verdict"]] += 1
    return dict(counts)
