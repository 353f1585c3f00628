# SPDX-License-Identifier: Apache-2.0
"""The summary of a judgement, for its page and the terminal. It is read from the records alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from headroom.core.errors import EXIT_ENVIRONMENT, EXIT_FAILED, EXIT_PASSED
from headroom.core.implementations import Implementation
from headroom.core.results.record import count_verdicts
from headroom.core.scheme_registry import find
from headroom.judge import causes
from headroom.judge.causes import Cause
from headroom.judge.judgement import Judgement
from headroom.judge.parts import Part
from headroom.report import matrix_data
from headroom.report.data import Records

BROKEN = ("error", "fail")


@dataclass
class PartResult:
    """A part with its cases by verdict. `note` gives the reason if it did not run, or not wholly."""

    title: str
    kind: str
    counts: dict[str, int]
    seconds: float = 0.0
    note: str = ""

    @property
    def cases(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True)
class SkippedCases:
    """Unsupported cases of one suite, counted by reason."""

    suite: str
    reasons: dict[str, int]

    @property
    def cases(self) -> int:
        return sum(self.reasons.values())


@dataclass(frozen=True)
class Pairs:
    """The matrix of a scheme: counts of cells by verdict for each compressor and decompressor."""

    title: str
    sender: str
    counts: dict[tuple[str, str], dict[str, int]]

    @property
    def compressors(self) -> list[str]:
        return list(dict.fromkeys(first for first, _ in self.counts))

    @property
    def decompressors(self) -> list[str]:
        return list(dict.fromkeys(second for _, second in self.counts))


@dataclass(frozen=True)
class Cost:
    """The cost of one piece of fixed work: ns of each stage by implementation, which is `subject` or another's name."""

    work: str
    ns: dict[str, dict[str, float]]
    reason: str = ""  # the reason if there is no figure

    def ratio(self, stage: str, other: str) -> float | None:
        """The stage's time of the implementation over that of another; None if either is unknown."""
        mine, theirs = self.ns.get("subject", {}).get(stage), self.ns.get(other, {}).get(stage)
        return mine / theirs if mine and theirs else None


@dataclass
class Summary:
    """The content of the page. `identity` is name, version and digest, as in records; `unread` is the number of
    other records in the folder: they cannot be read."""

    judged: Judgement
    identity: dict[str, Any]
    asked: list[PartResult]
    not_asked: list[SkippedCases]
    causes: list[Cause]
    pairs: list[Pairs]
    costs: list[Cost]
    declared: list[tuple[str, str]]
    records: Records = field(repr=False)
    unread: int = 0

    @property
    def found(self) -> Implementation:
        return self.judged.found

    @property
    def title(self) -> str:
        """The product, its version and its schemes."""
        schemes = " and ".join(find(name).title for name in self.judged.schemes)
        version = f" {self.identity['version']}" if self.identity.get("version") else ""
        return f"{self.found.name}{version}: {schemes}"

    @property
    def worst(self) -> str:
        """error, fail, non-strict, unsupported (nothing passed) or pass. An adapter that did not describe itself, and
        then passes the checks of the ABI, is an error: nothing else was asked of it. So is a record that cannot be
        read: it may be worse than those that can.
        """
        words = [word for word in (*BROKEN, "non-strict") if any(row.counts[word] for row in self.asked)]
        if (self.unread or not self.judged.is_described) and not {*BROKEN} & {*words}:
            return "error"
        if words:
            return words[0]
        return "pass" if any(row.counts["pass"] for row in self.asked) else "unsupported"

    @property
    def sentence(self) -> str:
        """The outcome in one sentence."""
        cases = sum(row.cases - row.counts["unsupported"] for row in self.asked)
        wrong = sum(row.counts[word] for row in self.asked for word in BROKEN)
        broken = sum(cause.verdict in BROKEN for cause in self.causes)
        missed = sum(cause.verdict == "non-strict" for cause in self.causes)
        begun = "Of" if self.judged.is_whole else "So far, of"
        if wrong:
            told = f"{begun} {_many(cases, 'case')} {wrong:,} failed, for {_many(broken, 'cause')}"
        elif self.unread:
            return f"Nothing failed in what can be read, but {_many(self.unread, 'record')} cannot."
        elif not self.judged.is_described:
            return "The adapter did not describe itself at first, so that only the checks of the ABI were asked."
        elif self.worst == "unsupported":
            return "Nothing could be asked: it does not declare what the cases take, or this machine lacks it."
        else:
            told = f"{begun} {_many(cases, 'case')} none failed"
        more = f"; {_many(missed, 'recommendation')} (SHOULD) {'was' if missed == 1 else 'were'} not followed"
        return f"{told}{more if missed else ''}."

    @property
    def exit_status(self) -> int:
        if self.worst in BROKEN:
            return EXIT_FAILED
        return EXIT_ENVIRONMENT if self.worst == "unsupported" else EXIT_PASSED

    def as_json(self) -> dict[str, Any]:
        """The document that `judge --json` prints."""
        return {
            "implementation": self.identity,
            "schemes": self.judged.schemes,
            "verdict": self.worst,
            "sentence": self.sentence,
            "whole": self.judged.is_whole,
            "asked": [vars(row) for row in self.asked],
            "not_asked": [vars(entry) for entry in self.not_asked],
            "causes": [
                {
                    "verdict": cause.verdict,
                    "sentence": cause.sentence,
                    "requirement": cause.requirement or None,
                    "citation": cause.citation or None,
                    "seen": [entry.where for entry in cause.seen],
                    "example": vars(cause.example),
                }
                for cause in self.causes
            ],
            "matrix": [
                {"scheme": pairs.title, "compressor": first, "decompressor": second, **counts}
                for pairs in self.pairs
                for (first, second), counts in pairs.counts.items()
            ],
            "cost": [vars(cost) for cost in self.costs],
            "command": self.judged.command,
        }


def of(judged: Judgement, records: Records) -> Summary:
    """The summary of a judgement's records."""
    return Summary(
        judged=judged,
        identity=_identity(judged, records),
        asked=[_asked(part, judged, records) for part in judged.parts],
        not_asked=_not_asked(records),
        causes=causes.causes(records, judged.minimised),
        pairs=[
            Pairs(scheme.title, scheme.cells().titles.sender, matrix_data.pairs(mine))
            for scheme, mine in matrix_data.by_scheme(matrix_data.cells(records))
        ],
        costs=[_cost(record) for record in records if record["test"]["id"].startswith("judge/cost/")],
        declared=_declared(judged),
        records=records,
        unread=max(0, len(list((judged.folder / "results").glob("*.json"))) - len(records)),
    )


def _asked(part: Part, judged: Judgement, records: Records) -> PartResult:
    mine = [record for record in records if part.plan and record.get("part") == part.name]
    note = part.left_out or judged.stopped.get(part.name) or ("" if mine else _why_empty(part, judged))
    title = part.title
    if len(judged.schemes) == 1:
        title = title.removeprefix(f"{find(judged.schemes[0]).title}: ")
    title = title[0].upper() + title[1:]
    # A row is as bad as its worst cell, so its cells count in its place. A row that ended without cells counts itself.
    cells = matrix_data.cells(mine)
    others = [record for record in mine if not record.get("cells")]
    counts = count_verdicts([*cells, *others])
    return PartResult(title, part.kind, counts, sum(record["duration_s"] for record in mine), note)


def _why_empty(part: Part, judged: Judgement) -> str:
    return "No case tests it." if part.name in judged.ended else "It was not reached."


def _identity(judged: Judgement, records: Records) -> dict[str, Any]:
    """The implementation's identity from the records; its name alone if no record has it."""
    name = judged.found.name
    sides = (record[side] for record in records for side in ("compressor", "decompressor") if record[side])
    return next((side for side in sides if side["name"] == name), {"name": name, "version": None, "sha256": None})


def _not_asked(records: Records) -> list[SkippedCases]:
    by_suite: dict[str, dict[str, int]] = {}
    for record in records:
        if record["verdict"] != "unsupported":
            continue
        suite = record["test"]["id"].removesuffix(f"/{record['test']['name']}")
        reason = (record["reason"].splitlines() or ["no reason given"])[0]
        reasons = by_suite.setdefault(suite, {})
        reasons[reason] = reasons.get(reason, 0) + 1
    return [SkippedCases(suite, reasons) for suite, reasons in sorted(by_suite.items())]


def _cost(record: dict[str, Any]) -> Cost:
    stages = {metric["name"]: metric["value"] for metric in record["metrics"] if metric["value"] is not None}
    beside = record["parameters"].get("beside", {})
    ns = {who: _stages(figures) for who, figures in {"subject": stages, **beside}.items() if figures}
    reason = "" if stages else (record["reason"].splitlines() or ["it was not measured"])[0]
    return Cost(str(record["parameters"].get("work") or record["test"]["name"]), ns, reason)


def _stages(figures: dict[str, float]) -> dict[str, float]:
    return {stage: figures[f"{stage}_ns"] for stage in ("compress", "decompress") if f"{stage}_ns" in figures}


def _declared(judged: Judgement) -> list[tuple[str, str]]:
    """The declarations of the implementation, as pairs of a key and its values."""
    pairs = []
    for name in judged.schemes:
        for key, value in judged.found.declared(name).items():
            if key in ("scheme", "feature_options", "names") or value in ([], None):
                continue
            pairs.append((key.replace("_", " "), _text(value)))
    if deviations := judged.found.deviations:
        pairs.append(("declared deviations", str(len(deviations))))
    return pairs


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
