# SPDX-License-Identifier: Apache-2.0
"""Golden outcomes of all cases of the suites: verdict, number of cells with each verdict, and link octets.

A refactoring must change none of them. The outcomes of a run are compared with resources/golden, which has a file for
each folder or suite, such as smoke/judges.tsv. A line has four fields: the verdict of a case, the number of its cells
with each verdict, such as `fail:1,pass:7`, the first digits of its `link_sha256`, and its identity. A case without
cells or link octets has `-` in their place.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headroom.core.errors import UsageError

DIGITS = 16  # digits of a digest; enough to tell a few thousand apart
NONE = "-"
UNSUPPORTED = "unsupported"  # not compared: this verdict depends on the machine


@dataclass(frozen=True)
class Outcome:
    """The outcome of a case."""

    verdict: str
    cells: str = NONE
    octets: str = NONE


def of_record(record: Mapping[str, Any]) -> Outcome:
    cells = Counter(cell["verdict"] for cell in record.get("cells", ()))
    return Outcome(
        record["verdict"],
        ",".join(f"{verdict}:{count}" for verdict, count in sorted(cells.items())) or NONE,
        record.get("link_sha256", "")[:DIGITS] or NONE,
    )


def of_records(records: Iterable[Mapping[str, Any]]) -> dict[str, Outcome]:
    return {record["test"]["id"]: of_record(record) for record in records}


def read(folder: Path) -> dict[str, Outcome]:
    """Outcomes by case. Raises UsageError with the line that cannot be read."""
    outcomes = {}
    for path in sorted(folder.rglob("*.tsv")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("#"):
                continue
            parts = line.split("\t")
            if len(parts) != 4:
                raise UsageError(f"{path}:{number}: verdict, cells, octets and case are expected, separated by tabs.")
            outcomes[parts[3]] = Outcome(*parts[:3])
    return outcomes


def write(folder: Path, outcomes: Mapping[str, Outcome]) -> None:
    """Writes outcomes to a folder, and removes all earlier outcomes from it."""
    for path in folder.rglob("*.tsv"):
        path.unlink()
    for name, cases in itertools.groupby(sorted(outcomes), lambda case: "/".join(case.split("/")[:2])):
        lines = ["# verdict\tcells\tlink octets\tcase"]
        lines += [
            "\t".join((outcome.verdict, outcome.cells, outcome.octets, case))
            for case in cases
            for outcome in (outcomes[case],)
        ]
        path = folder / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def differences(golden: Mapping[str, Outcome], outcomes: Mapping[str, Outcome]) -> list[str]:
    """A sentence for each case that changed, is missing, or is new."""
    sentences = [f"{case}: it did not run." for case in golden if case not in outcomes]
    sentences += [f"{case}: it is new." for case in outcomes if case not in golden]
    for case in sorted(set(golden) & set(outcomes)):
        before, now = golden[case], outcomes[case]
        if UNSUPPORTED in (before.verdict, now.verdict):
            continue
        for what in ("verdict", "cells", "octets"):
            if getattr(before, what) != getattr(now, what):
                sentences.append(f"{case}: {what} {getattr(now, what)}, was {getattr(before, what)}.")
    return sentences
