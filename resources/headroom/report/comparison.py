# SPDX-License-Identifier: Apache-2.0
"""Comparison of two runs: differences that make them incomparable, verdicts that changed, and metrics that moved by
more than the spread of their trials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from headroom.core.errors import HeadroomError
from headroom.core.results import chain
from headroom.core.results.record import VERDICTS, identity_of
from headroom.core.text import some
from headroom.report import products, slowdown
from headroom.report.data import MetricIdentity, Records, metrics_by_identity
from headroom.report.page import VERDICT_WEIGHT

Record = dict[str, Any]
MISSING = "missing"  # stands for a verdict if the run has no such case
# The least change for the worse of a metric that makes b worse, if the trials of both runs do not overlap.
LEAST_CHANGE = 0.1
LEAST_FACTOR = 2.0  # the factor that makes b worse if there are too few trials
MACHINE = ("floor_", "harness_")  # beginnings of the names of metrics about machine and harness
SETTINGS_OF_PRODUCTS = tuple(f"setting {role}" for role in products.ROLES)
OF_PRODUCTS = tuple(f"{role}, " for role in products.ROLES)  # beginnings of facts about the implementations under test


@dataclass(frozen=True)
class Difference:
    """A fact that differs between two runs; `a` and `b` are its values as text."""

    what: str
    a: str
    b: str

    @property
    def is_of_products(self) -> bool:
        """True if the implementations under test differ, which may be the purpose of the comparison."""
        return self.what.startswith(OF_PRODUCTS) or self.what in SETTINGS_OF_PRODUCTS


@dataclass(frozen=True)
class VerdictChange:
    """A case whose verdict changed, or that only one run has."""

    test: str
    a: str
    b: str
    reason: str  # reason of b, or else of a
    # Passed in a; b lacks it although both selected the same, or its implementations no longer support it.
    lost: bool = False

    @property
    def is_worse(self) -> bool:
        """True if the verdict is worse in b, or the case is lost. Other cases that b lacks or does not support are no
        worse. Cases that a could not run are worse only if they fail in b.
        """
        if self.lost:
            return True
        if MISSING in (self.a, self.b) or self.b == "unsupported":
            return False
        if self.a == "unsupported":
            return self.b in ("fail", "error")
        return VERDICT_WEIGHT[self.b] < VERDICT_WEIGHT[self.a]


@dataclass(frozen=True)
class MetricChange:
    """A metric of a case in both runs. `low` and `high` are the least and the greatest trial."""

    test: str
    name: str
    unit: str
    core: int | None
    better: str | None
    a: float
    b: float
    range_a: tuple[float, float] | None  # None if a run has fewer than two trials
    range_b: tuple[float, float] | None

    @property
    def ratio(self) -> float | None:
        """b over a; None if a is 0."""
        return self.b / self.a if self.a else None

    @property
    def outside(self) -> bool | None:
        """True if no trial of one run lies within the range of the other's; None if there are too few trials."""
        if self.range_a is None or self.range_b is None:
            return None
        return self.range_a[1] < self.range_b[0] or self.range_b[1] < self.range_a[0]

    @property
    def spread(self) -> float | None:
        """Half of the wider of both ranges, as a share of its value."""
        spreads = [
            (ends[1] - ends[0]) / 2 / abs(value)
            for ends, value in ((self.range_a, self.a), (self.range_b, self.b))
            if ends is not None and value
        ]
        return max(spreads, default=None)

    @property
    def change(self) -> Literal["better", "worse", "other", "same"]:
        if self.a == self.b:
            return "same"
        if self.better not in ("higher", "lower"):
            return "other"
        return "better" if (self.b > self.a) == (self.better == "higher") else "worse"

    @property
    def factor(self) -> float:
        """The factor by which b is worse: 1.5 for half as long again, and for two thirds of the throughput; 1 if it is
        not worse; infinite if one value is 0.
        """
        if self.change != "worse":
            return 1.0
        better, worse = sorted((abs(self.a), abs(self.b)))
        return worse / better if better and self.a * self.b > 0 else math.inf

    def is_significant(self, least: float) -> bool:
        """True if b is worse by at least the share `least` and no trial of one run lies within the range of the
        other's. With too few trials, LEAST_FACTOR decides. Metrics of the machine never are.
        """
        if self.name.startswith(MACHINE) or self.outside is False:
            return False
        return self.factor >= (max(LEAST_FACTOR, 1 + least) if self.outside is None else 1 + least)

    def as_json(self) -> dict[str, Any]:
        return {
            "test": self.test,
            "metric": self.name,
            **{name: getattr(self, name) for name in ("unit", "core", "better", "a", "b", "range_a", "range_b")},
            **{name: getattr(self, name) for name in ("ratio", "spread", "outside", "change")},
        }


@dataclass(frozen=True)
class LoneMetric:
    """A metric of a case in both runs that only one of them measured; the other's value is None."""

    test: str
    name: str
    unit: str
    core: int | None
    a: float | None
    b: float | None

    def as_json(self) -> dict[str, Any]:
        values = dict(vars(self))
        return {"test": values.pop("test"), "metric": values.pop("name"), **values}


@dataclass
class Comparison:
    """The comparison of two runs. `metrics` begins with those outside the spread, the largest change first."""

    a: str
    b: str
    differences: list[Difference] = field(default_factory=list)
    verdicts: list[VerdictChange] = field(default_factory=list)
    metrics: list[MetricChange] = field(default_factory=list)
    lone: list[LoneMetric] = field(default_factory=list)
    common: int = 0  # cases in both
    least: float | None = LEAST_CHANGE  # see MetricChange.is_significant; None: only verdicts make b worse
    products: list[products.Pair] = field(default_factory=list)
    slower_than: float | None = None  # a share; if given, `slowdowns` decide instead of `least`
    slowdowns: list[slowdown.Slowdown] = field(default_factory=list)

    @property
    def is_worse(self) -> bool:
        """True if b is worse than a: in a verdict, in coverage or significantly in a metric."""
        slower = any(slowdown.judgement == "worse" for slowdown in self.slowdowns)
        return any(verdict.is_worse for verdict in self.verdicts) or bool(self.worse_metrics()) or slower

    def worse_metrics(self) -> list[MetricChange]:
        """The metrics that are significantly worse in b, the largest factor first."""
        if self.least is None:
            return []
        worse = [metric for metric in self.metrics if metric.is_significant(self.least)]
        return sorted(worse, key=lambda change: -change.factor)

    def outside(self) -> list[MetricChange]:
        return [metric for metric in self.metrics if metric.outside]

    def undecided(self) -> list[MetricChange]:
        """Metrics that differ, with too few trials to tell whether they moved."""
        return [metric for metric in self.metrics if metric.outside is None and metric.a != metric.b]

    def as_json(self) -> dict[str, Any]:
        worse = {id(metric) for metric in self.worse_metrics()}
        return {
            "a": self.a,
            "b": self.b,
            "common_cases": self.common,
            "worse": self.is_worse,
            "products": [vars(product) for product in self.products],
            "incomparable": [vars(difference) for difference in self.differences if not difference.is_of_products],
            "product_differences": [vars(difference) for difference in self.differences if difference.is_of_products],
            "slower_than": self.slower_than,
            "slowdowns": [slowdown.as_json() for slowdown in self.slowdowns],
            "verdicts": [{**vars(verdict), "worse": verdict.is_worse} for verdict in self.verdicts],
            "metrics": [{**metric.as_json(), "significantly_worse": id(metric) in worse} for metric in self.metrics],
            "in_one_run": [one.as_json() for one in self.lone],
        }


def compare(
    a: Path,
    b: Path,
    records_a: Records,
    records_b: Records,
    least: float | None = LEAST_CHANGE,
    slower_than: float | None = None,
) -> Comparison:
    """Compares two runs by their folders and records. `least` and `slower_than` are those of Comparison."""
    by_a, by_b = ({identity_of(record): record for record in records} for records in (records_a, records_b))
    both = [identity for identity in by_a if identity in by_b]
    comparison = Comparison(
        _name(a),
        _name(b),
        [*differences(records_a, records_b), *_settings(a, b), *_changed_records(a, b)],
        _verdicts(by_a, by_b, _has_same_selection(a, b)),
        common=len(both),
        least=least if slower_than is None else None,
        products=products.pairs((by_a[one] for one in both), (by_b[one] for one in both)),
        slower_than=slower_than,
    )
    comparison.metrics = sorted((metric for case in both for metric in _metrics(by_a[case], by_b[case])), key=_weight)
    comparison.lone = [one for identity in both for one in _lone(by_a[identity], by_b[identity])]
    if slower_than is not None:
        comparison.slowdowns = slowdown.judge(((by_a[one], by_b[one]) for one in both), slower_than)
    return comparison


def _name(folder: Path) -> str:
    """The name of a run; CAMPAIGN/CELL for a run of a campaign."""
    cell = folder.parent
    return f"{cell.parents[1].name}/{cell.name}" if cell.parent.name == "cells" else folder.name


def _weight(change: MetricChange) -> tuple[int, float]:
    kind = {True: 0, None: 1, False: 2}[change.outside]
    distance = (
        abs(math.log(change.ratio)) if change.ratio and change.ratio > 0 else math.inf if change.a != change.b else 0.0
    )
    return kind, -distance


def _verdicts(by_a: dict[str, Record], by_b: dict[str, Record], same_selection: bool) -> list[VerdictChange]:
    """The changes of verdicts, the worst first."""
    changes = []
    for identity in dict.fromkeys([*by_a, *by_b]):
        mine, other = by_a.get(identity), by_b.get(identity)
        before, after = (record["verdict"] if record else MISSING for record in (mine, other))
        if before != after:
            reason = (other or mine or {}).get("reason", "")
            lost = before in ("pass", "non-strict") and (
                (after == MISSING and same_selection) or (after == "unsupported" and _has_same_sides(mine, other))
            )
            changes.append(VerdictChange(identity, before, after, reason, lost))
        if mine and other and not (before != after and changes[-1].is_worse):
            changes += _worse_cells(identity, mine, other, same_selection)
    order = {word: number for number, word in enumerate((*reversed(VERDICTS), MISSING))}
    return sorted(changes, key=lambda mine: (not mine.is_worse, MISSING in (mine.a, mine.b), order[mine.b], mine.test))


def _worse_cells(row: str, mine: Record, other: Record, same_selection: bool) -> list[VerdictChange]:
    """The cells of a row of the matrix that are worse in b: the verdict of the row is that of its worst cell, or of
    those that are supported.
    """
    by_a, by_b = (
        {
            f"{row}, {cell['traffic']}, {cell['link']}": {
                "verdict": cell["verdict"],
                "reason": cell["reason"],
                "compressor": record["compressor"],
                "decompressor": record["decompressor"],
            }
            for cell in record.get("cells", ())
        }
        for record in (mine, other)
    )
    return [change for change in _verdicts(by_a, by_b, same_selection) if change.is_worse]


def _has_same_sides(mine: Record | None, other: Record | None) -> bool:
    """True if both records are about the implementations of the same names."""
    names = [[(side or {}).get("name") for side in (r["compressor"], r["decompressor"])] for r in (mine, other) if r]
    return len(names) == 2 and names[0] == names[1]


def _has_same_selection(a: Path, b: Path) -> bool:
    """True if both runs selected the same cases, by run.json, with implementations of the same names."""
    from headroom.core.run import session

    try:
        plans = [session.recall(folder) for folder in (a, b)]
    except HeadroomError:
        return False
    no_selection = ("seed", "build")
    chosen = [
        vars(plan)
        | {"settings": {k: _named(k, v) for k, v in plan.settings.as_json().items() if k not in no_selection}}
        for plan in plans
    ]
    return chosen[0] == chosen[1]


def _named(setting: str, value: Any) -> Any:
    """The value of a setting; for an implementation its name, wherever its folder is."""
    return Path(value).name if setting in products.ROLES and isinstance(value, str) else value


def _metrics(mine: Record, other: Record) -> Iterable[MetricChange]:
    """The metrics that both records of a case have, in the same unit."""
    theirs = metrics_by_identity(other)
    for identity, metric in metrics_by_identity(mine).items():
        their_metric = theirs.get(identity)
        if their_metric is None or metric["value"] is None or their_metric["value"] is None:
            continue
        yield MetricChange(
            identity_of(mine),
            metric["name"],
            metric["unit"],
            metric["core"],
            metric["better"],
            metric["value"],
            their_metric["value"],
            _range(metric),
            _range(their_metric),
        )


def _lone(mine: Record, other: Record) -> Iterable[LoneMetric]:
    """The metrics of which only one record of a case has a value."""
    values: dict[MetricIdentity, list[float | None]] = {}
    for side, record in enumerate((mine, other)):
        for identity, metric in metrics_by_identity(record).items():
            values.setdefault(identity, [None, None])[side] = metric["value"]
    for (name, unit, core, _), (a, b) in values.items():
        if (a is None) != (b is None):
            yield LoneMetric(identity_of(mine), name, unit, core, a, b)


def _range(metric: dict[str, Any]) -> tuple[float, float] | None:
    there = [trial for trial in metric["trials"] if trial is not None]
    return (min(there), max(there)) if len(there) > 1 else None


Of = Callable[[Record], Any]


def _environment(name: str) -> Of:
    return lambda record: record["environment"].get(name)


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _topology(name: str) -> Of:
    return lambda record: _mapping(record["environment"].get("topology")).get(name)


def _harness(name: str) -> Of:
    return lambda record: record["harness"].get(name)


def _side(role: str, name: str) -> Of:
    def of(record: Record) -> Any:
        identity = record[role]
        if not identity:
            return None
        if name == "libraries":
            digest = ", ".join(digest or "not known" for _, digest in products.libraries(identity))
        else:
            digest = identity.get(name)
        return f"{identity['name']}: {digest}" if digest else None

    return of


# Facts that must be equal for two figures to be comparable. Each is compared over all records of a run.
FACTS: tuple[tuple[str, Of], ...] = (
    ("processor", _environment("cpu_model")),
    ("microcode", _environment("microcode")),
    ("cores", _topology("physical_cores")),
    ("SMT", _topology("smt")),
    ("memory, octets", _environment("memory_bytes")),
    ("kernel", _environment("kernel")),
    ("distribution", _environment("distribution")),
    ("virtualisation", _environment("virtualisation")),
    ("governor", _environment("governor")),
    ("boost", _environment("boost")),
    ("mitigations", _environment("mitigations")),
    ("clock source", _environment("clock_source")),
    ("transparent huge pages", _environment("transparent_hugepages")),
    ("huge pages", _environment("hugepages")),
    ("isolated CPUs", _environment("isolated_cpus")),
    ("build", _environment("build")),
    ("compiler", _environment("compiler")),
    ("flags", _environment("flags")),
    ("sandbox", _environment("sandbox")),
    ("commit", _harness("commit")),
    ("uncommitted changes", _harness("changed")),
    ("engine, SHA-256", _harness("engine_sha256")),
    ("profile, SHA-256", _harness("profile_sha256")),
    *(
        (f"{role}, {title}", _side(role, name))
        for role in ("compressor", "decompressor")
        for name, title in (
            ("version", "version"),
            ("build", "build"),
            ("sha256", "SHA-256"),
            ("libraries", "its libraries"),
        )
    ),
    ("generator", lambda record: record.get("traffic", {}).get("generator", {}).get("name")),
    ("topology", lambda record: record.get("traffic", {}).get("topology", {}).get("name")),
    ("seed", lambda record: record["seed"]),
    ("quick", lambda record: record.get("quick", False)),
)
MOST_VALUES = 4  # most values that are shown of a fact that differs within a run


def differences(records_a: Records, records_b: Records) -> list[Difference]:
    """Facts that differ between the cases of both runs. Cases that only one run has do not count."""
    common = {identity_of(record) for record in records_a} & {identity_of(record) for record in records_b}
    mine, other = ([record for record in one if identity_of(record) in common] for one in (records_a, records_b))
    result = []
    for what, of in FACTS:
        before, after = ({_shown(of(record)) for record in records} for records in (mine, other))
        if before != after:
            result.append(Difference(what, _several(before), _several(after)))
    return result


def _recalled(folder: Path) -> tuple[dict[str, Any] | None, str]:
    """The settings in a run's run.json, and its state: whole, broken, missing."""
    from headroom.core.run import session

    try:
        return session.recall(folder).settings.as_json(), "whole"
    except HeadroomError:
        return None, "broken" if (folder / "run.json").exists() else "missing"


def _settings(a: Path, b: Path) -> list[Difference]:
    """Settings of run.json that differ, without those that records name already; or a note that run.json of a run is
    broken or missing.
    """
    known, shown = zip(*map(_recalled, (a, b)), strict=True)
    if None in known:
        return [Difference("run.json", *shown)] if set(shown) != {"missing"} else []
    before, after = known
    in_records = ("build", "seed", "quick", "topology", "generator")
    return [
        Difference(f"setting {name}", _shown(before.get(name)), _shown(after.get(name)))
        for name in before
        if name not in in_records and before.get(name) != after.get(name)
    ]


def _changed_records(a: Path, b: Path) -> list[Difference]:
    """The records of each run that were changed after they were written."""
    found = [chain.verify(folder, chain.RUN).problems for folder in (a, b)]
    # `_settings` names a run.json that cannot be read.
    of_settings = (chain.RUN.document, "unreadable")
    wrong = [[one.file for one in problems if (one.file, one.what) != of_settings] for problems in found]
    shown = [f"changed since they were written: {some(files)}" if files else "as written" for files in wrong]
    return [Difference("records", *shown)] if any(wrong) else []


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "not given"
    return str(value)


def _several(values: set[str]) -> str:
    there = sorted(values)
    more = f" and {len(there) - MOST_VALUES} more" if len(there) > MOST_VALUES else ""
    return "; ".join(there[:MOST_VALUES]) + more
