# SPDX-License-Identifier: Apache-2.0
"""The counts of a soak, in out/soak/soak.json: they are written after each turn, so that a soak can continue."""

from __future__ import annotations

import contextlib
import json
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from headroom.core import locks
from headroom.core.chance import poisson_limit
from headroom.core.errors import EXIT_FAILED, EXIT_PASSED, UsageError, disk_error
from headroom.core.paths import document_of, out_folder, shown
from headroom.core.results.store import write_atomically

FILE = "soak.json"
MOST_FINDINGS = 200


def soak_folder() -> Path:
    return out_folder() / "soak"


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keeps other soaks out of a folder, whose counts each would overwrite. Raises UsageError if one works on it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise disk_error(error, f"opening the folder of soaks, {shown(folder)}", resumable=False) from error
    try:
        if not locks.take(descriptor, wait=False):
            raise UsageError(
                f"Another soak works on {shown(folder)}: wait for its end, or set HEADROOM_OUT to another folder."
            )
        yield
    finally:
        os.close(descriptor)


@dataclass(frozen=True)
class Finding:
    """A defect that a part of a stage met: the input, if it is a file, and the command that repeats it."""

    stage: str
    part: str
    sentence: str
    input: str = ""
    command: str = ""


@dataclass
class Row:
    """The counts of one thing under test. `expected` is the mean number of wrong deliveries by the theory, which
    `theory` states.
    """

    stage: str
    name: str
    executions: int = 0
    calls: int = 0  # calls of the ABI
    packets: int = 0
    damaged: int = 0  # packets with a damaged header
    wrong: int = 0  # packets that came out changed
    expected: float = 0.0
    theory: str = ""
    kills: int = 0
    records: int = 0  # records that existed before a kill
    lost: int = 0  # of these, gone, changed or broken
    crashes: int = 0
    corpus: int = 0  # files of the corpus at last
    minimised: int = 0  # when it was minimised

    @property
    def allowed(self) -> int:
        """The wrong deliveries that chance explains."""
        return poisson_limit(self.expected)

    @property
    def is_bad(self) -> bool:
        return self.crashes > 0 or self.lost > 0 or self.wrong > self.allowed


@dataclass
class Tally:
    """A soak of `hours`. `spent` gives the seconds by stage and part."""

    folder: Path
    seed: int = 1
    hours: float = 0.0
    began: str = ""
    harness: str = ""
    cpu: str = ""
    turns: int = 0
    spent: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(float)))
    rows: list[Row] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def row(self, stage: str, name: str) -> Row:
        """The row of a name, made if there is none."""
        row_found = next((row for row in self.rows if (row.stage, row.name) == (stage, name)), None)
        if row_found is None:
            row_found = Row(stage, name)
            self.rows.append(row_found)
        return row_found

    def note(self, finding: Finding) -> None:
        """Keeps a finding, unless one with the same stage, part and sentence is kept, or `MOST_FINDINGS` are."""
        known = {(finding.stage, finding.part, finding.sentence) for finding in self.findings}
        if (finding.stage, finding.part, finding.sentence) not in known and len(known) < MOST_FINDINGS:
            self.findings.append(finding)

    @property
    def seconds(self) -> float:
        return sum(sum(parts.values()) for parts in self.spent.values())

    @property
    def exit_status(self) -> int:
        return EXIT_FAILED if self.findings or any(row.is_bad for row in self.rows) else EXIT_PASSED

    def totals(self) -> Row:
        """The sums of all rows."""
        total = Row("", "all")
        for row in self.rows:
            for name, value in vars(row).items():
                if isinstance(value, int | float):
                    setattr(total, name, getattr(total, name) + value)
        return total

    def as_json(self) -> dict[str, Any]:
        rows = [asdict(row) | {"allowed": row.allowed} for row in self.rows]
        same = {name: value for name, value in vars(self).items() if name not in ("folder", "rows", "findings")}
        return {
            **same,
            "rows": rows,
            "findings": [asdict(finding) for finding in self.findings],
            "passed": self.exit_status == EXIT_PASSED,
        }

    def keep(self) -> None:
        """Writes soak.json, whole or not at all."""
        write_atomically(self.folder / FILE, json.dumps(self.as_json(), indent=1).encode() + b"\n")


def read(folder: Path) -> Tally:
    """The tally of an earlier soak. Raises UsageError if there is none, or it cannot be read."""
    path = folder / FILE
    try:
        document = document_of(path)
        rows = [Row(**{name: value for name, value in row.items() if name != "allowed"}) for row in document["rows"]]
        tally = Tally(
            folder,
            **{name: document[name] for name in ("seed", "hours", "began", "harness", "cpu", "turns")},
            rows=rows,
            findings=[Finding(**finding) for finding in document["findings"]],
        )
        for stage, parts in document["spent"].items():
            tally.spent[stage].update({part: float(seconds) for part, seconds in parts.items()})
    except FileNotFoundError as error:
        raise UsageError(f"There is no soak to continue: {path} is missing. Leave out --resume.") from error
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"{path} cannot be read ({error}). Leave out --resume to begin a new soak.") from error
    return tally
