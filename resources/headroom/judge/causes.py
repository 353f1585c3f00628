# SPDX-License-Identifier: Apache-2.0
"""Causes: defects that were seen in several cases and cells, grouped by their common part.

Findings against one requirement are one cause, whatever packets, profiles and modes they were seen in. A failure
without a finding is grouped by its sentence without numbers, a crash by its place. Each failed check of the ABI is a
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
WEIGHT = {"error": 0, "fail": 0, "non-strict": 1}  # of the verdicts that have causes; others have none
# The beginning of a sentence that differs from case to case: the number of findings, the step, the packet.
BEFORE = re.compile(r"^(?:\d+ findings?, the first: |Step \d+ \([^)]*\): |(?:link |TS )?(?:packet|message) \d+: )+")
# The case of such a sentence is about the requirement that the vectors break.
VECTORS = re.compile(r"^\d+ of \d+ vectors: ")
# A promise of the ABI may be broken in any call. For a dying adapter the place tells more than its input does.
PROMISE = re.compile(r"^(?:the adapter's \w+ broke a promise: |The \w+ broke a promise of the ABI in \w+[^:]*: )")
DIED = re.compile(r"died from (SIG\w+).*? It died in (\S+, at offset 0x[0-9a-f]+)")
KILLED = re.compile(r"^(it was killed by SIG\w+|it did not come back)")  # one cause, whatever the check called
REQUIREMENT = re.compile(rf"\s*\(({requirements.ID})\)")


@dataclass(frozen=True)
class Sighting:
    """A sighting of a cause in a case or a cell of the matrix. `example` maps each kind of evidence to the file or
    command that shows it.
    """

    where: str
    verdict: Verdict
    sentence: str
    repeat: str
    debug: str = ""
    files: dict[str, str] = field(default_factory=dict)  # paths relative to the run, by kind
    packets: int | None = None  # of a minimised example
    part: str = ""  # the part of the judgement; a case may run in several


@dataclass
class Cause:
    """A defect. `requirement` is the broken sentence of the specification. Without a finding that names one, it is the
    requirement that most of the cases name; "" if there is none.
    """

    verdict: Verdict
    sentence: str
    requirement: str = ""
    key: tuple[bool, str] = (True, "")  # the common part of all its sightings
    seen: list[Sighting] = field(default_factory=list)
    about: Counter[str] = field(default_factory=Counter)  # requirements of the cases in which the cause was seen

    @property
    def identity(self) -> str:
        """The cause's key as text."""
        broken, what = self.key
        return f"{'broken' if broken else 'missed'}: {what}"

    @property
    def example(self) -> Sighting:
        """The sighting that shows the cause best: one with the fewest packets, or one that has files, or the first."""
        small = [sighting for sighting in self.seen if sighting.packets is not None]
        with_files = next((sighting for sighting in self.seen if sighting.files), self.seen[0])
        return min(small, key=lambda sighting: sighting.packets or 0, default=with_files)

    @property
    def level(self) -> str:
        """must, should or may, from the requirement; "" if there is none."""
        requirement = requirements.load().get(self.requirement)
        return requirement.level if requirement else ""

    @property
    def citation(self) -> str:
        """The specification's own words and their place; for a drawing or a table, our paraphrase. "" if no requirement
        is known.
        """
        requirement = requirements.load().get(self.requirement)
        if requirement is None:
            return ""
        return (
            f"{requirement.source}: {requirement.text}"
            if not requirement.quote or "|" in requirement.quote
            else requirement.citation
        )


class _ResultText(NamedTuple):
    """The parts of a result's sentences: a sentence without the details of the case, the requirement that a finding
    names, and the requirements of the case.
    """

    sentence: str
    broken: str = ""
    about: tuple[str, ...] = ()


def causes(records: Records, minimised: Mapping[str, Sighting] | None = None) -> list[Cause]:
    """The causes of all failures, errors and missed SHOULDs, the worst and most frequent first. `minimised` maps
    identities of causes to the sighting with the fewest packets.
    """
    by_key: dict[tuple[bool, str], Cause] = {}
    for told, sighting in [*_of_cases(records), *_of_cells(records)]:
        # A missed SHOULD and a broken MUST stay apart even if no requirement is known.
        key = (WEIGHT[sighting.verdict] == 0, told.broken or _same(told.sentence))
        cause = by_key.setdefault(key, Cause(sighting.verdict, told.sentence, told.broken, key))
        cause.seen.append(sighting)
        cause.about.update(told.about)
        cause.verdict = worst([cause.verdict, sighting.verdict])
    for cause in by_key.values():
        cause.requirement = cause.requirement or next((name for name, _ in cause.about.most_common(1)), "")
        if small := (minimised or {}).get(cause.identity):
            others = (
                other_sighting
                for other_sighting in cause.seen
                if (other_sighting.where, other_sighting.part) != (small.where, small.part)
            )
            cause.seen = [small, *others]
    return sorted(
        by_key.values(), key=lambda other_sighting: (WEIGHT[other_sighting.verdict], -len(other_sighting.seen))
    )


def _same(sentence: str) -> str:
    """The part that all sentences about one defect share."""
    if died := DIED.search(sentence):
        return f"died from {died[1]} in {died[2]}"
    if killed := KILLED.match(sentence):
        return killed[1]
    return plain(PROMISE.sub("", sentence).removesuffix(ADVICE))


def _of_cases(records: Records) -> Iterator[tuple[_ResultText, Sighting]]:
    for record in records:
        if record["verdict"] not in WEIGHT or record.get("cells"):
            continue
        files = {artefact["kind"]: artefact["path"] for artefact in record["artefacts"]}
        where, verdict, reason = record["test"]["id"], record["verdict"], record["reason"]
        debug, part = record.get("debug", ""), record.get("part", "")
        for told in (checks := _checks(record)):
            name, _, sentence = told["sentence"].partition(": ")
            sighting = Sighting(
                f"{name}, a check of the ABI", verdict, sentence, record["command"], debug, files, part=part
            )
            yield _ResultText(sentence, told["requirement"]), sighting
        if checks:
            continue
        yield _told(record), Sighting(where, verdict, reason, record["command"], debug, files, part=part)


def _checks(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The findings of failed checks of the ABI, without declared deviations."""
    findings = [finding for finding in record["findings"] if finding["judge"] == adapter_check.JUDGE]
    return [entry for entry in findings if entry["severity"] != "note"]


def _told(record: dict[str, Any]) -> _ResultText:
    known = requirements.load()
    worst = [finding for finding in record["findings"] if finding["severity"] == "must"] or record["findings"]
    for finding in worst:
        if finding["requirement"] in known:
            return _ResultText(finding["sentence"], finding["requirement"])
    reason = (record["reason"].splitlines() or ["no reason was given"])[0]
    # The words of an error may be the adapter's.
    named = REQUIREMENT.search(reason) if record["verdict"] != "error" else None
    sentence = BEFORE.sub("", reason)
    if named and named[1] in known:
        return _ResultText(REQUIREMENT.sub("", sentence), named[1])
    # An error, such as a broken promise of the ABI, does not concern the requirements of the case.
    about = tuple(
        requirement
        for requirement in record["test"]["requirements"]
        if requirement in known and record["verdict"] != "error"
    )
    return _ResultText(sentence, about[0] if about and VECTORS.match(sentence) else "", about)


def _of_cells(records: Records) -> Iterator[tuple[_ResultText, Sighting]]:
    for cell in matrix_data.cells(records):
        if cell["verdict"] not in WEIGHT:
            continue
        told = (cell["reason"], f"({cell['signature']})") if cell["verdict"] != "error" else ()
        named = next(filter(None, map(REQUIREMENT.search, told)), None)
        small = cell.get("minimised") or {}
        files = {key: small[key] for key in ("capture", "job", "evidence") if small.get(key)}
        files |= {key: cell[key] for key in ("capture", "evidence") if cell.get(key) and key not in files}
        where = f"{cell['compressor']} → {cell['decompressor']}, {cell['traffic']}, {cell['link']}"
        packets, debug = small.get("packets"), small.get("command", "")
        sighting = Sighting(where, cell["verdict"], cell["reason"], cell["command"], debug, files, packets)
        broken = named[1] if named and named[1] in requirements.load() else ""
        yield _ResultText(cell["signature"] or BEFORE.sub("", cell["reason"]), broken), sighting
