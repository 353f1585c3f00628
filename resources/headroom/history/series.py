# SPDX-License-Identifier: Apache-2.0
"""A series: one metric of one test under one configuration on one machine, with a value a night."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["sentinel", "control", "verdict", "context"]
KINDS: tuple[Kind, ...] = ("sentinel", "control", "verdict", "context")
NIGHT_FORMAT = "%Y%m%dT%H%M%SZ"
_NIGHT = re.compile(r"\d{8}T\d{6}Z")


@dataclass(frozen=True, order=True)
class SeriesKey:
    """The properties that tell series apart. Each is a text; "" if the test has none."""

    machine: str
    test: str
    metric: str
    compressor: str = ""
    decompressor: str = ""
    profile: str = ""
    cpus: str = ""
    load: str = ""
    build: str = ""
    generator: str = ""
    topology: str = ""

    @property
    def id(self) -> str:
        """Twelve hexadecimal digits that tell series apart in alerts, pages and commands."""
        return hashlib.sha256(json.dumps([getattr(self, name) for name in KEY_NAMES]).encode()).hexdigest()[:12]

    def __str__(self) -> str:
        pair = " → ".join(dict.fromkeys(filter(None, (self.compressor, self.decompressor))))
        rest = (pair, self.profile, self.cpus, self.load, self.build)
        return f"{self.test}: {self.metric} ({', '.join(filter(None, rest))})"


KEY_NAMES = tuple(field.name for field in fields(SeriesKey))


@dataclass(frozen=True)
class Point:
    """A night's value of a series: one row of the history.

    `value` is None if the night has none, and `reason` tells why; `trials` are all raw values. `kind`: sentinels are
    judged, controls show changes of the machine, verdicts belong to conformance cases (in `text`), context is only
    drawn. `digests` has the SHA-256 of the adapter and its version if known, and `quick` marks a first look;
    `conditions` holds, by name, everything that must be equal for two nights to be comparable.
    """

    night: datetime
    key: SeriesKey
    value: float | None
    unit: str = ""
    better: str | None = None
    trials: tuple[float, ...] = ()
    kind: Kind = "sentinel"
    text: str = ""
    reason: str = ""
    commit: str = ""
    changed: bool = False
    digests: Mapping[str, str] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)

    def as_row(self) -> dict[str, Any]:
        return {
            **asdict(self.key),
            "night": self.night,
            "value": self.value if self.value is not None and np.isfinite(self.value) else None,
            "unit": self.unit,
            "better": self.better,
            "trials": list(self.trials),
            "kind": self.kind,
            "text": self.text,
            "reason": self.reason,
            "commit": self.commit,
            "changed": self.changed,
            "digests": json.dumps(dict(self.digests), sort_keys=True),
            "conditions": json.dumps(dict(self.conditions), sort_keys=True),
        }


@dataclass
class Series:
    """All nights of one series, oldest first. Arrays have one element a night; `values` is NaN if a night has none."""

    key: SeriesKey
    kind: Kind
    unit: str
    better: str | None
    nights: list[datetime]
    values: NDArray[np.float64]
    texts: list[str]
    reasons: list[str]
    commits: list[str]
    changed: list[bool]  # the tree had uncommitted changes
    digests: list[str]  # JSON, as in the rows
    conditions: list[str]  # JSON
    trials: list[Sequence[float]]
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.nights)

    def index(self, night: datetime) -> int | None:
        """The index of a night in the arrays; None if it has none."""
        return self.nights.index(night) if night in self.nights else None

    def library(self, index: int) -> dict[str, str]:
        """The digests of the libraries of a night, by role; none if the row has no such JSON."""
        try:
            document = json.loads(self.digests[index] or "{}")
        except (ValueError, RecursionError):
            return {}
        return {str(name): str(value) for name, value in document.items()} if isinstance(document, dict) else {}

    def condition_changes(self) -> Iterator[tuple[int, list[str]]]:
        """Nights from which on the series is not comparable with the nights before: index and changes, each as `name:
        before → after`. Changes of the unit or the better direction count, too.
        """
        for index in range(1, len(self)):
            before, after = self.conditions[index - 1], self.conditions[index]
            if before != after:
                yield index, changed_conditions(json.loads(before or "{}"), json.loads(after or "{}"))


def changed_conditions(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The differences between two sets of conditions, as `name: before → after`; digests are shortened."""
    names = [*before, *(name for name in after if name not in before)]
    return [
        f"{name}: {_short(before.get(name))} → {_short(after.get(name))}"
        for name in names
        if before.get(name) != after.get(name)
    ]


def _short(value: str | None) -> str:
    if value is None:
        return "not known"
    return value[:12] if re.fullmatch(r"[0-9a-f]{32,}", value) else value


def night_name(night: datetime) -> str:
    """A night in file names and commands: `20261124T013900Z`."""
    return night.astimezone(UTC).strftime(NIGHT_FORMAT)


def night_of(name: str) -> datetime:
    """The night of such a name. Raises ValueError."""
    if not _NIGHT.fullmatch(name):
        raise ValueError(f"'{name}' is not a night such as 20261124T013900Z")
    try:
        return datetime.strptime(name, NIGHT_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        raise ValueError(f"'{name}' is not a day and time of the calendar") from None
