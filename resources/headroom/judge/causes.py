# SPDX-License-Identifier: Apache-2.0
"""Causes: what went wrong in many cases and cells, grouped by what is the same in all of them.

Findings against one requirement are one cause, whatever packets, profiles and modes they were seen in; what no finding
explains is grouped by its sentence without its numbers, a crash by its place. Each check of the ABI that fails is a
sighting of its own. A cause is as bad as the worst of its cases.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from headroom.core import adapter_check, requirements
from headroom.core.results.record import Verdict, worst
from headroom.core.scheme_kit.signature import plain
from headroom.report import matrix_data
from headroom.report.data import Records

ADVICE = " See `./headroom check`."
CAPTURE, JOB = "capture: ", "job"  # kinds of a case's artefacts
WEIGHT = {"error": 0, "fail": 0, "non-strict": 1}  # of verdicts; others are no causes
# What stands in front of a sentence and differs from case to case: how many findings, which step, which packet.
BEFORE = re.compile(r"^(?:\d+ findings?, the first: |Step \d+ \([^)]*\): |(?:link |TS )?(?:packet|message) \d+: )+")
VECTORS = re.compile(r"^\d+ of \d+ vectors: ")  # their case is about what they break
# A promise of the ABI may be broken in any call; where an adapter dies says more than what it was given.
PROMISE = re.compile(r"^(?:the adapter's \w+ broke a promise: |The \w+ broke a promise of the ABI in \w+[^:]*: )")
DIED = re.compile(r"died from (SIG\w+).* It died in (\S+, at offset 0x[0-9a-f]+)")
KILLED = re.compile(r"^(it was killed by SIG\w+|it did not come back)")  # in a check, whatever was tried
REQUIREMENT = re.compile(rf"\s*\(({requirements.ID})\)")


@dataclass(frozen=True)
class Sighting:
    """Where a cause was seen: a case, or a cell of the matrix. `example` has the files and commands that show it, by
    what they are."""

    where: str
    verdict: Verdict
    sentence: str
    repeat: str
    debug: str = ""
    files: dict[str, str] = field(default_factory=dict)  # paths relative to the run, by what they are
    packets: int | None = None  # of a minimised example
    part: str = ""  # of the judgement, for a case may be asked in several


@dataclass
class Cause:
    """One thing that is wrong. `requirement` is the sentence of the specification that is broken; where no finding
    names one, the one that most of its cases are about; "" where there is none."""

    verdict: Verdict
    sentence: str
    requirement: str = ""
    key: tuple[bool, str] = (True, "")  # what is the same in all that was seen
    seen: list[Sighting] = field(default_factory=list)
    about: Counter[str] = field(default_factory=Counter)  # requirements of the cases in which it was seen

    @property
    def identity(self) -> str:
        """The cause's key as text."""
        broken, what = self.key
        return f"{'broken' if broken else 'missed'}: {what}"

    @property
    def example(self) -> Sighting:
        """The sighting that shows it best: one of fewest packets, else one that has files, else the first."""
        small = [one for one in self.seen if one.packets is not None]
        with_files = next((one for one in self.seen if one.files), self.seen[0])
        return min(small, key=lambda one: one.packets or 0, default=with_files)

    @property
    def level(self) -> str:
        """must, should or may: of the requirement; "" where there is none."""
        found = requirements.load().get(self.requirement)
        return found.level if found else ""

    @property
    def citation(self) -> str:
        """The specification's own words and where they stand; of a drawing or a table, what it says. "" where no
        requirement is known."""
        found = requirements.load().get(self.requirement)
        if found is None:
            return ""
        return f"{found.source}: {found.text}" if not found.quote or "|" in found.quote else found.citation


class _Told(NamedTuple):
    """The words of a result: a sentence without what differs from case to case, the requirement that a finding names,
    and those that the case is about."""

    sentence: str
    broken: str = ""
    about: tuple[str, ...] = ()


def causes(records: Records, minimised: Mapping[str, Sighting] | None = None) -> list[Cause]:
    """The causes of all that failed, was an error or missed a SHOULD; the worst and most frequent first. `minimised`
    has the sighting of fewest packets of some, by their identities."""
    found: dict[tuple[bool, str], Cause] = {}
    for told, sighting in [*_of_cases(records), *_of_cells(records)]:
        # A missed SHOULD and a broken MUST are told apart even where no requirement is known.
        key = (WEIGHT[sighting.verdict] == 0, told.broken or _same(told.sentence))
        cause = found.setdefault(key, Cause(sighting.verdict, told.sentence, told.broken, key))
        cause.seen.append(sighting)
        cause.about.update(told.about)
        cause.verdict = worst([cause.verdict, sighting.verdict])
    for cause in found.values():
        cause.requirement = cause.requirement or next((name for name, _ in cause.about.most_common(1)), "")
        if small := (minimised or {}).get(cause.identity):
            others = (one for one in cause.seen if (one.where, one.part) != (small.where, small.part))
            cause.seen = [small, *others]
    return sorted(found.values(), key=lambda one: (WEIGHT[one.verdict], -len(one.seen)))


def _same(sentence: str) -> str:
    """The part that all sentences about one thing share."""
    if died := DIED.search(sentence):
        return f"died from {died[1]} in {died[2]}"
    if killed := KILLED.match(sentence):
        return killed[1]
    return plain(PROMISE.sub("", sentence).removesuffix(ADVICE))


def _of_cases(records: Records) -> Iterator[tuple[_Told, Sighting]]:
    for record in records:
        if record["verdict"] not in WEIGHT or record.get("cells"):
            continue
        files = {one["kind"]: one["path"] for one in record["artefacts"]}
        where, verdict, reason = record["test"]["id"], record["verdict"], record["reason"]
        debug, part = record.get("debug", ""), record.get("part", "")
        for told in (checks := _checks(record)):
            name, _, sentence = told["sentence"].partition(": ")
            one = Sighting(f"{name}, a check of the ABI", verdict, sentence, record["command"], debug, files, part=part)
            yield _Told(sentence, told["requirement"]), one
        if checks:
            continue
        yield _told(record), Sighting(where, verdict, reason, record["command"], debug, files, part=part)


def _checks(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The findings of checks of the ABI, but for those that are declared."""
    found = [one for one in record["findings"] if one["judge"] == adapter_check.JUDGE]
    return [one for one in found if one["severity"] != "note"]


def _told(record: dict[str, Any]) -> _Told:
    known = requirements.load()
    worst = [one for one in record["findings"] if one["severity"] == "must"] or record["findings"]
    for finding in worst:
        if finding["requirement"] in known:
            return _Told(finding["sentence"], finding["requirement"])
    reason = (record["reason"].splitlines() or ["no reason was given"])[0]
    named = REQUIREMENT.search(reason)
    sentence = BEFORE.sub("", reason)
    if named and named[1] in known:
        return _Told(REQUIREMENT.sub("", sentence), named[1])
    # An error, such as a broken promise of the ABI, says nothing of what the case is about.
    about = tuple(one for one in record["test"]["requirements"] if one in known and record["verdict"] != "error")
    return _Told(sentence, about[0] if about and VECTORS.match(sentence) else "", about)


def _of_cells(records: Records) -> Iterator[tuple[_Told, Sighting]]:
    for cell in matrix_data.cells(records):
        if cell["verdict"] not in WEIGHT:
            continue
        named = REQUIREMENT.search(cell["reason"]) or REQUIREMENT.search(f"({cell['signature']})")
        small = cell.get("minimised") or {}
        files = {key: small[key] for key in ("capture", "job", "evidence") if small.get(key)}
        files |= {key: cell[key] for key in ("capture", "evidence") if cell.get(key) and key not in files}
        where = f"{cell['compressor']} → {cell['decompressor']}, {cell['traffic']}, {cell['link']}"
        packets, debug = small.get("packets"), small.get("command", "")
        sighting = Sighting(where, cell["verdict"], cell["reason"], cell["command"], debug, files, packets)
        broken = named[1] if named and named[1] in requirements.load() else ""
        yield _Told(cell["signature"] or BEFORE.sub("", cell["reason"]), broken), sighting
