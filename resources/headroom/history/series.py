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
    """What tells series apart. Each is a text; "" where the test has none."""

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


KEY_NAMES = tuple(one.name for one in fields(SeriesKey))


@dataclass(frozen=True)
class Point:
    """A night's value of a series: one row of the history.

    `value` is None where the night has none, and `reason` says why; `trials` are all raw values. `kind`: sentinels are
    judged, controls show what the machine did, verdicts are of conformance cases (in `text`), context is drawn only.
    `digests` has the SHA-256 of the adapter, its version where that is known, and `quick` of a first look; `conditions`
    is all that has to be equal for two nights to be comparable, by name.
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
    """All nights of one series, oldest first. Arrays have one element a night; `values` is NaN where a night has
    none."""

    key: SeriesKey
    kind: Kind
    unit: str
    better: str | None
    nights: list[datetime]
    values: NDArray[np.float64]
    texts: list[str]
    reasons: list[str]
    commits: list[str]
    changed: list[bool]  # the tree had changes that no commit holds
    digests: list[str]  # JSON, as in the rows
    conditions: list[str]  # likewise
    trials: list[Sequence[float]]
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.nights)

    def index(self, night: datetime) -> int | None:
        """Where a night is in the arrays."""
        return self.nights.index(night) if night in self.nights else None

    def library(self, index: int) -> dict[str, str]:
        """Digests of the libraries of a night, by role; none where the row has no such JSON."""
        try:
            found = json.loads(self.digests[index] or "{}")
        except ValueError:
            return {}
        return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}

    def condition_changes(self) -> Iterator[tuple[int, list[str]]]:
        """Nights from which on the series is not comparable with the nights before: index, and what changed, each as
        `name: before → after`. Where the unit or the better direction changed, too."""
        for index in range(1, len(self)):
            before, after = self.conditions[index - 1], self.conditions[index]
            if before != after:
                yield index, changed_conditions(json.loads(before or "{}"), json.loads(after or "{}"))


def changed_conditions(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """What differs between two sets of conditions, as `name: before → after`; digests are shortened."""
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
        raise ValueError(f"'{name}' is no night such as 20261124T013900Z")
    try:
        return datetime.strptime(name, NIGHT_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        raise ValueError(f"'{name}' is no day and time of the calendar") from None
