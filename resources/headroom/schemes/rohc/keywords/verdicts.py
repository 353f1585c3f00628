# SPDX-License-Identifier: Apache-2.0
"""From findings to verdicts, for the keywords of conformance and robustness.

A MUST that is broken is a failure, a SHOULD non-strict. A finding against a requirement from which the implementation
declares to deviate counts in the cases of that requirement alone, where the declaration is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from robot.api import SkipExecution

from headroom.core import engine, replay, replay_options, settings
from headroom.core.implementations import Role
from headroom.core.results import collector
from headroom.core.results.record import Finding
from headroom.keywords.base import requirements_of_case
from headroom.schemes.rohc.conformance import capabilities, evidence
from headroom.schemes.rohc.conformance.observation import JUDGE, Observation
from headroom.schemes.rohc.judge.findings import Remark
from headroom.schemes.rohc.keywords.replay import artefact_folder, keep_evidence

MOST_FINDINGS = 20  # kept in a record; all are counted


def note(role: Role, name: str, build: str) -> None:
    """Who was asked, for the record."""
    setattr(collector.current(), role, capabilities.identity(name, build))


def leave_to_the_other_side(roles: set[Role]) -> None:
    """Ends a case that asks only the side that the run is not about; the listener leaves it out."""
    subject = settings.from_robot().subject
    if subject and subject not in roles:
        raise SkipExecution(f"It does not ask the {subject}, which this run is about.")


def note_replay(seen: Observation) -> None:
    """What was sent and what came of it, for the record. Figures are the judge's where the judge has them."""
    current = collector.current()
    wanted, done = seen.done.wanted, seen.done
    current.parameters |= {
        "kind": "replay",
        "source": wanted.source if isinstance(wanted.source, str) else f"{len(wanted.source)} literal packets",
        "channel": wanted.channel,
        "link": {key: value for key, value in wanted.forward.items() if key != "drop"},
        "feedback": replay.feedback_path(wanted),
        "flows": wanted.flows,
    }
    current.metric("packets", done.sent, "packets")
    if wanted.decompressor:
        for name, better in (("identical", "higher"), ("mismatched", "lower"), ("not_delivered", "lower")):
            current.metric(name, done.count(name), "packets", better)  # type: ignore[arg-type]
    if wanted.compressor:
        lengths = [length for one in seen.packets if (length := one.header_octets) is not None]
        if lengths:
            current.metric("header_mean", sum(lengths) / len(lengths), "octets", "lower")
            current.metric("header_min", min(lengths), "octets", "lower")
            current.metric("header_max", max(lengths), "octets", "lower")
        current.metric("judged", len(seen.packets) - len(seen.not_judged), "packets", "higher")
        current.metric("restored_by_judge", seen.restored, "packets", "higher")


def conclude(seen: Observation) -> None:
    """The judge's findings on a compressor as a verdict.

    Skips the case when the judge could read nothing at all because of features that the compressor declares. One that
    it does not declare excuses nothing.
    """
    findings = _that_count(seen.findings, "compressor")
    current = collector.current()
    current.findings += findings[:MOST_FINDINGS]
    musts = [one for one in findings if one.severity == "must"]
    if findings:
        _keep(seen, (musts or findings)[0])
    if musts:
        _must_not_be(f"{_count(musts)}, the first: {_sentence(musts[0])}")
    if seen.undeclared:
        keep_evidence(seen.done)
        _must_not_be(
            f"{len(seen.undeclared)} packets cannot be what they seem: {replay_options.some(seen.undeclared, 1)}; if "
            "they are, implementation.yaml has to say so."
        )
    if findings:
        current.judge("non-strict", f"{_count(findings)}, the first: {_sentence(findings[0])}")
    if seen.packets and len(seen.not_judged) == len(seen.packets):
        raise SkipExecution(f"The judge cannot read such packets: {replay_options.some(seen.not_judged, 1)}.")


def conclude_remarks(remarks: Sequence[Remark], role: Role) -> None:
    """Remarks on feedback as a verdict."""
    findings = [Finding(one.sentence, one.requirement, None, JUDGE, one.severity) for one in remarks]
    findings = _that_count(findings, role)
    current = collector.current()
    current.findings += findings[:MOST_FINDINGS]
    musts = [one for one in findings if one.severity == "must"]
    if musts:
        _must_not_be(f"{_count(musts)}, the first: {musts[0].sentence} ({musts[0].requirement})")
    if findings:
        current.judge(
            "non-strict", f"{_count(findings)}, the first: {findings[0].sentence} ({findings[0].requirement})"
        )


def _must_not_be(sentence: str) -> NoReturn:
    """A MUST is broken: a failure also in a case that is about a SHOULD."""
    collector.current().judge("fail", sentence)
    raise AssertionError(sentence)


def expect(met: bool, otherwise: str, seen: Observation, of: int | None = None) -> None:
    """Raises AssertionError with a sentence, and keeps what was on the link; `of` is the packet in question."""
    if met:
        return
    if of is not None:
        _keep(seen, Finding(otherwise, packet=of))
    else:
        keep_evidence(seen.done)
    raise AssertionError(f"{otherwise[:1].upper()}{otherwise[1:]}.")


def keep_text(name: str, text: str, kind: str) -> None:
    """A file that belongs to the result, where a run keeps any."""
    folder = artefact_folder()
    if folder is not None:
        path = folder / name
        path.write_text(text + "\n", encoding="utf-8")
        collector.current().files.append((path, kind))


@contextmanager
def refusals_are_unsupported() -> Iterator[None]:
    """A control message that an adapter refuses is something that it does not do: `control` is optional in the ABI."""
    try:
        yield
    except engine.EngineFailure as failure:
        if failure.kind == "refused" and "refuses the control message" in str(failure):
            raise SkipExecution(str(failure)) from failure
        raise


def _that_count(findings: Sequence[Finding], role: Role) -> list[Finding]:
    """Without those from which the implementation declares to deviate, unless the running case is about just them."""
    asked = settings.from_robot()
    declared = capabilities.declared_deviations(asked.compressor if role == "compressor" else asked.decompressor, role)
    aside = declared - requirements_of_case()
    return [one for one in findings if one.requirement not in aside]


def _keep(seen: Observation, finding: Finding) -> None:
    keep_evidence(seen.done)
    keep_text("judge.txt", evidence.of_finding(seen, finding), "both decodes of the packet in question")


def _count(findings: Sequence[Finding]) -> str:
    return "1 finding" if len(findings) == 1 else f"{len(findings)} findings"


def _sentence(found: Finding) -> str:
    requirement = f" ({found.requirement})" if found.requirement else ""
    return f"packet {found.packet}: {found.sentence}{requirement}"
