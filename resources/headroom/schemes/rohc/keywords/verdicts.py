# SPDX-License-Identifier: Apache-2.0
"""Observations of streams, and remarks on feedback, as verdicts."""

from collections.abc import Sequence

from robot.api import SkipExecution

from headroom.core import replay_metrics
from headroom.core.finding import Finding
from headroom.core.implementations import Role
from headroom.core.results import collector
from headroom.core.text import some
from headroom.keywords import verdicts
from headroom.keywords.artefacts import keep_captures, keep_text
from headroom.schemes.rohc.conformance import evidence
from headroom.schemes.rohc.conformance.observation import JUDGE, Observation
from headroom.schemes.rohc.judge.framework.findings import Remark


def note_replay(seen: Observation) -> None:
    """Records the traffic of a replay and its outcome. Figures are the judge's, if the judge has them."""
    current = collector.current()
    config, result = seen.done.config, seen.done
    link = {key: value for key, value in config.forward.items() if key != "drop"}
    current.parameters |= config.described() | {"link": link}
    current.metric(replay_metrics.PACKETS, result.sent)
    if config.decompressor:
        for metric in replay_metrics.OUTCOMES:
            current.metric(metric, result.count(metric.name))
    if config.compressor:
        lengths = [length for packet in seen.packets if (length := packet.header_octets) is not None]
        if lengths:
            current.metric(replay_metrics.HEADER(figure="mean"), sum(lengths) / len(lengths))
            current.metric(replay_metrics.HEADER(figure="min"), min(lengths))
            current.metric(replay_metrics.HEADER(figure="max"), max(lengths))
        current.metric(replay_metrics.JUDGED, len(seen.packets) - len(seen.not_judged))
        current.metric(replay_metrics.RESTORED_BY_JUDGE, seen.restored)


def conclude(seen: Observation) -> None:
    """Turns the judge's findings on a compressor, and then the remarks on a decompressor's feedback, into a verdict.

    Skips the case if the judge could read no packet because of features that the compressor declares. A feature that
    it does not declare excuses nothing.
    """
    findings = verdicts.that_count(seen.findings, "compressor")
    musts = [finding for finding in findings if finding.severity == "must"]
    if findings:
        _keep(seen, (musts or findings)[0])
    if seen.undeclared and not musts:
        collector.current().findings += findings[: verdicts.MOST_FINDINGS]
        keep_captures(seen.done)
        verdicts.must_not_be(
            f"{len(seen.undeclared)} packets cannot be what they seem: {some(seen.undeclared, 1)}; if they are, "
            "implementation.yaml has to say so."
        )
    verdicts.conclude(seen.findings, "compressor")
    if seen.remarks:
        keep_captures(seen.done)
        conclude_remarks(seen.remarks, "decompressor")
    if seen.packets and len(seen.not_judged) == len(seen.packets):
        raise SkipExecution(f"The judge does not support these packets: {some(seen.not_judged, 1)}.")


def conclude_remarks(remarks: Sequence[Remark], role: Role) -> None:
    """Remarks on feedback as a verdict."""
    verdicts.conclude([Finding(remark.sentence, remark.requirement, None, JUDGE) for remark in remarks], role)


def expect(met: bool, otherwise: str, seen: Observation, of: int | None = None, requirement: str = "") -> None:
    """Raises AssertionError with a sentence unless an expectation is met, and keeps captures. `of` is the packet that
    the sentence is about.

    If an expectation on a compressor names a requirement, the verdict has the level of that requirement instead of the
    case's. The case continues after a missed SHOULD.
    """
    if met:
        return
    if of is not None:
        _keep(seen, Finding(otherwise, packet=of))
    else:
        keep_captures(seen.done)
    if requirement:
        verdicts.conclude([Finding(otherwise, requirement, of, "headroom")], "compressor")
        return
    raise AssertionError(f"{otherwise[:1].upper()}{otherwise[1:]}.")


def _keep(seen: Observation, finding: Finding) -> None:
    keep_captures(seen.done)
    keep_text("judge.txt", evidence.of_finding(seen, finding), "both decodes of the packet in question")
