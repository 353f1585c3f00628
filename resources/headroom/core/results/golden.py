# SPDX-License-Identifier: Apache-2.0
"""Golden outcomes of every case of the suites: its verdict, its cells and its link octets.

A change of code that is to change none of them is compared with resources/golden: a file for each folder or suite, such
as smoke/judges.tsv, with one line per case: verdict, cells by verdict (`-` for none), the first digits of
`link_sha256` (`-` for none), the case.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headroom.core.errors import UsageError

DIGITS = 16  # of a digest; enough to tell a few thousand apart
NONE = "-"
UNSUPPORTED = "unsupported"  # depends on what a machine has


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
    found = {}
    for path in sorted(folder.rglob("*.tsv")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("#"):
                continue
            parts = line.split("\t")
            if len(parts) != 4:
                raise UsageError(f"{path}:{number}: verdict, cells, octets and case are expected, separated by tabs.")
            found[parts[3]] = Outcome(*parts[:3])
    return found


def write(folder: Path, outcomes: Mapping[str, Outcome]) -> None:
    """Keeps outcomes, and no others."""
    for path in folder.rglob("*.tsv"):
        path.unlink()
    for name, cases in itertools.groupby(sorted(outcomes), lambda case: "/".join(case.split("/")[:2])):
        lines = ["# verdict\tcells\tlink octets\tcase"]
        lines += ["\t".join((one.verdict, one.cells, one.octets, case)) for case in cases for one in (outcomes[case],)]
        path = folder / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def differences(golden: Mapping[str, Outcome], found: Mapping[str, Outcome]) -> list[str]:
    """One sentence for each case that gave something else, is missing, or is new."""
    sentences = [f"{case}: it did not run." for case in golden if case not in found]
    sentences += [f"{case}: it is new." for case in found if case not in golden]
    for case in sorted(set(golden) & set(found)):
        before, now = golden[case], found[case]
        if UNSUPPORTED in (before.verdict, now.verdict):
            continue
        for what in ("verdict", "cells", "octets"):
            if getattr(before, what) != getattr(now, what):
                sentences.append(f"{case}: {what} {getattr(now, what)}, was {getattr(before, what)}.")
    return sentences
