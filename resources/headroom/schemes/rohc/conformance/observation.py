# SPDX-License-Identifier: Apache-2.0
"""A replay as the ROHC judge reads it: every packet with its original, its octets on the link and their meaning.

An adapter's reports about its packets are not used: type, CID and sequence number are those that the judge reads.
"""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from headroom.core import replay
from headroom.core.capabilities import PATIENCE_S, Inconclusive, Misbehaviour, promise
from headroom.core.captures import engine_pcapng
from headroom.core.finding import Finding
from headroom.core.text import nth
from headroom.schemes.rohc.channel_checkers import JUDGE, ChannelCheckers
from headroom.schemes.rohc.conformance import capabilities, carriers, feedback
from headroom.schemes.rohc.conformance.tcp_answers import TcpAnswers
from headroom.schemes.rohc.judge import Checker, Outcome, Parameters
from headroom.schemes.rohc.judge.framework import cid
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.tcp import checker as tcp
from headroom.schemes.rohc.judge.tcp.chains import Context as TcpContext
from headroom.schemes.rohc.judge.v1.context import Context

TYPE_0 = ("UO-0", "R-0", "R-0-CRC", "Normal")
# What these rules say depends on feedback; where the judge does not see which arrived, they are not applied.
MODE_RULES = (
    "RFC3095-4.4.1-1",
    "RFC3095-5.5.1.1.1-1",
    "RFC3095-5.6.1-5",
    "RFC3095-5.6.2-1",
    "RFC3095-5.6.3-1",
    "RFC3095-5.6.5-2",
    "RFC3843-3.4-7",
    "RFC4815-4.7-1",
    "RFC4019-5.6-3",
    *tcp.OF_FEEDBACK,
)
# What a compressor owes to NACKs.
NACK_RULES = ("RFC3095-5.4.1.1.1-1", "RFC3095-5.4.1.1.1-3", *tcp.ANSWERS.values())
IGNORES_FEEDBACK = "The compressor ignores all feedback: without any it sends the same octets."
# A replay that does no more than to send its source.
ONE_WAY: dict[str, Any] = {
    "reverse": False,
    "decompressor": None,
    "forward": {},
    "backward": {},
    "feedback": {},
    "control": [],
    "records": "none",
}
OVERTAKING = {"delay_ns", "jitter_ns", "reorder", "duplicate"}  # of a link on which not each packet arrives at once
UPDATES = ("IR", "IR-DYN", "UOR-2", "UOR-2-ID", "UOR-2-TS")


@dataclass(slots=True)
class ObservedPacket:
    """One packet of the source. `link` and `outcome` are None if the compressor did not put it on the link.

    Of a packet that went as segments, `link` is the packet that they make up.
    """

    index: int
    time_ns: int
    channel: int
    original: bytes
    link: bytes | None
    outcome: Outcome | None
    record: dict[str, Any]
    segments: tuple[bytes, ...] = ()

    @property
    def has_arrived(self) -> bool:
        """True if the link delivered all parts of the packet, damaged or not."""
        return replay.has_arrived(self.record)

    @property
    def kind(self) -> str:
        """Packet type on the link as the judge reads it; "refused" when it cannot, "" if there is none."""
        if self.outcome is None:
            return ""
        return self.outcome.packet.kind if self.outcome.packet is not None else "refused"

    @property
    def cid(self) -> int | None:
        if self.outcome is None or self.outcome.packet is None:
            return None
        return self.outcome.packet.cid

    @property
    def sn(self) -> int | None:
        """The sequence number of its context after it: MSN in profile 0x0006."""
        if self.outcome is None:
            return None
        if self.outcome.packet is not None and self.outcome.packet.tcp is not None:
            return self.outcome.packet.tcp.context.control["msn"]
        return self.outcome.after.sn if self.outcome.after is not None else None

    @property
    def profile(self) -> int | None:
        """Number of the profile that the packet is compressed with."""
        packet = self.outcome.packet if self.outcome else None
        return packet.profile.number if packet is not None and packet.profile is not None else None

    @property
    def header_octets(self) -> int | None:
        """Octets on the link that stand for the header, CID and CRC included."""
        packet = self.outcome.packet if self.outcome else None
        return packet.header_octets if packet is not None else None

    @property
    def mode(self) -> int | None:
        """Mode parameter that the packet carries; None if it carries none."""
        packet = self.outcome.packet if self.outcome else None
        if packet is None:
            return None
        if packet.dynamic is not None and packet.dynamic.rtp is not None:
            return packet.dynamic.rtp.mode
        extension = packet.header.extension if packet.header is not None else None
        return extension.mode if extension is not None else None

    @property
    def is_restored(self) -> bool:
        """True if the judge's decompressor restores the original."""
        return self.outcome is not None and self.outcome.delivered == self.original

    @property
    def verdict(self) -> str:
        """The packet's outcome by the engine's comparison: identical, mismatched, not_delivered …"""
        return str(self.record.get("verdict"))

    @property
    def feedback(self) -> list[bytes]:
        """Feedback elements that the decompressor sent after it."""
        return [bytes.fromhex(element) for element in self.record.get("feedback", ())]


@dataclass
class Observation:
    """A replay and its judge. `findings` count packets of the source; `not_judged` are sentences; `remarks`
    are about the decompressor's feedback for contexts of profile 0x0006.

    `undeclared` are the sentences of `not_judged` about packets in which the judge sees a feature that the compressor
    does not declare: such a packet should not exist, and is most likely a broken packet of another kind.
    """

    done: replay.Replay
    parameters: Parameters
    packets: list[ObservedPacket] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    not_judged: list[str] = field(default_factory=list)
    undeclared: list[str] = field(default_factory=list)

    @property
    def kinds(self) -> Counter[str]:
        return Counter(seen.kind for seen in self.packets if seen.link is not None)

    @property
    def contexts(self) -> list[Context | TcpContext]:
        """The judge's context after each packet that it could read."""
        outcomes = [outcome for seen in self.packets if (outcome := seen.outcome) is not None]
        of_tcp = [
            entry.packet.tcp.context for entry in outcomes if entry.packet is not None and entry.packet.tcp is not None
        ]
        return [*(entry.after for entry in outcomes if entry.after is not None), *of_tcp]

    @property
    def restored(self) -> int:
        return sum(seen.is_restored for seen in self.packets)

    def flows(self) -> list[list[ObservedPacket]]:
        """The packets of each context, in order. Raises Inconclusive if the judge could read none."""
        contexts: dict[tuple[int, int], list[ObservedPacket]] = {}
        for seen in self.packets:
            if seen.cid is not None:
                contexts.setdefault((seen.channel, seen.cid), []).append(seen)
        if not contexts:
            raise Inconclusive("The judge can read no packet on the link, so the compressor was not tested.")
        return [contexts[key] for key in sorted(contexts)]

    def flow(self) -> list[ObservedPacket]:
        """The packets of a source that is one flow, whatever CID the compressor gives it: those of the context that has
        most. Raises Inconclusive if the judge could read none."""
        return max(self.flows(), key=len)


def observe(
    config: replay.ReplayConfig, window: int = 1, confidence: int = 1, judged: Collection[int] | None = None
) -> Observation:
    """Replays, and judges the link packets of the compressor.

    `window` and `confidence` go to the judge's `Checker`. `judged` are the judged channels, None for all; packets of
    other channels have no outcome. Raises NotDeclared if the packets are for a profile that a side does not declare,
    EngineFailure if the engine gives no result, Misbehaviour if an adapter broke a promise of the ABI.
    """
    replayed, originals = _replay(replace(config, records="all", record_octets=True, timeout_s=PATIENCE_S))
    profiles = config.channel.get("profiles") if config.profiles_named else None
    for implementation in filter(None, (config.compressor, config.decompressor) if config.compressor else ()):
        carriers.require(implementation, profiles, originals)
    promise(replayed.document)
    _nothing_besides(replayed)
    result = Observation(replayed, Parameters.of(config.channel))
    checkers = ChannelCheckers(replayed, judged, window=window, confidence=confidence)
    tcp_answers: dict[int, TcpAnswers] = defaultdict(lambda: TcpAnswers(result.parameters, _is_orderly(config)))
    scripted = _scripted_feedback(config)
    by_itself = is_feedback_prompt(config)
    for record in replayed.records:
        if "packet" not in record or record.get("direction") != "forward":
            continue
        channel, index = record["channel"], record["packet"]
        checkers.take_besides(index)
        for data in scripted.get(index, {}).get(channel, ()):
            checkers.of(channel).take_feedback(data)
        seen = _seen(record, originals[index], checkers.take(record, originals[index], record["time_ns"]))
        result.packets.append(seen)
        if seen.outcome is not None:
            result.remarks += _about_tcp(tcp_answers[channel], seen, checkers.of(channel))
        for element in record.get("feedback", ()) if by_itself else ():
            for data in _elements(element):
                checkers.of(channel).take_feedback(data)
    checkers.take_besides(len(originals))
    result.findings, all_left_out = checkers.finish()
    for packet, left_out in all_left_out:
        result.not_judged.append(f"{nth('packet', packet)}: {left_out.sentence}")
        if config.compressor and not capabilities.is_declared(config.compressor, left_out.feature):
            result.undeclared.append(f"{result.not_judged[-1]} ({left_out.feature} is not declared)")
    if not is_all_feedback_known(config):
        result.findings = [finding for finding in result.findings if finding.requirement not in MODE_RULES]
    symptoms = [finding for finding in result.findings if finding.requirement in (*MODE_RULES, *NACK_RULES)]
    if symptoms and ignores_feedback(config, result.packets):
        cause = replace(symptoms[0], sentence=IGNORES_FEEDBACK)
        result.findings = [cause, *(finding for finding in result.findings if finding not in symptoms)]
    if config.compressor:
        sent = [(seen.original, seen.profile) for seen in result.packets]
        if sentence := carriers.unused(config.compressor, config.channel.get("profiles"), sent):
            result.findings.append(Finding(sentence, "", 0, JUDGE, "must"))
    result.findings.sort(key=lambda finding: finding.packet or 0)
    return result


def _nothing_besides(replayed: replay.Replay) -> None:
    """Raises Misbehaviour if packets come out that are none of the source's: the judge reads those of the source."""
    config = replayed.config
    if config.compressor is None or config.forward.get("insert"):
        return
    if besides := [record for record in replayed.besides if record.get("status") == "OK"]:
        whose = "compressor sends" if besides[0]["link"] else "decompressor delivers"
        raise Misbehaviour(f"The {whose} more than there is in the source: {len(besides)} packets come out besides.")


def ignores_feedback(config: replay.ReplayConfig, packets: Sequence[ObservedPacket]) -> bool:
    """True if the compressor received feedback but sends the same octets without any."""
    given = [step for step in config.control if step.get("side") == "compressor" and "feedback" in step]
    if config.reverse or not (given or any(packet.record.get("feedback") for packet in packets)):
        return False
    control = [step for step in config.control if step not in given]
    silent = replace(config, feedback={"path": "none"}, control=control, outputs={})
    result = replay.run(replace(silent, records="all", record_octets=True, timeout_s=PATIENCE_S))
    records = [record for record in result.records if "packet" in record and record.get("direction") == "forward"]
    sent = [[part["link"] for part in replay.parts_of(record)] for record in records]
    return sent == [[part["link"] for part in replay.parts_of(packet.record)] for packet in packets]


def _seen(record: dict[str, Any], original: bytes, outcome: Outcome | None) -> ObservedPacket:
    """A packet of the source, with the judge's outcome if it is judged."""
    links = [bytes.fromhex(part["link"]) for part in replay.parts_of(record)]
    seen = ObservedPacket(record["packet"], record["time_ns"], record["channel"], original, None, outcome, record)
    if "segments" in record:
        seen.segments = tuple(links)
        whole = outcome.packet.octets if outcome is not None and outcome.packet is not None else b""
        seen.link = whole or b"".join(links)
    elif links:
        (seen.link,) = links
    return seen


def _replay(config: replay.ReplayConfig) -> tuple[replay.Replay, list[bytes]]:
    """The replay and its original packets; those of a profile are taken from a capture by the engine."""
    if not isinstance(config.source, str):
        return replay.run(config), [bytes.fromhex(packet["hex"]) for packet in config.source]
    with tempfile.TemporaryDirectory(prefix="headroom-observation-") as folder:
        path = Path(folder) / "source.pcapng"
        if not config.reverse:
            result = replay.run(replace(config, outputs={**config.outputs, "source": path}))
        else:  # whose capture would have the packets of both directions
            result = replay.run(config)
            replay.run(replace(config, **ONE_WAY, outputs={"source": path}))
        return result, [packet.octets for packet in engine_pcapng.read(path)] if path.exists() else []


def _scripted_feedback(config: replay.ReplayConfig) -> dict[int, dict[int, list[bytes]]]:
    """Feedback data that the job itself gives the compressor, by packet and channel."""
    result: dict[int, dict[int, list[bytes]]] = {}
    for step in config.control:
        if step.get("side") == "compressor" and "feedback" in step:
            by_channel = result.setdefault(step["before"], {})
            by_channel.setdefault(step.get("channel", 0), []).extend(_elements(step["feedback"]))
    return result


def _elements(text: str) -> list[bytes]:
    try:
        return feedback.split(bytes.fromhex(text))
    except ValueError:
        return []  # What is no feedback binds the compressor to nothing.


def _about_tcp(answers: TcpAnswers, seen: ObservedPacket, checker: Checker) -> list[Remark]:
    """Returns the faults of the feedback after a packet that is for contexts of profile 0x0006."""
    assert seen.outcome is not None
    contexts = checker.decompressor.channel.tcp_contexts
    large = answers.parameters.large_cids
    elements = [
        element
        for element in seen.record.get("feedback", ())
        if any(cid.of_feedback(data, large) in contexts for data in _elements(element))
    ]
    return answers.take(seen.outcome, seen.verdict, elements)


def _is_orderly(config: replay.ReplayConfig) -> bool:
    """True if each packet arrives as it was sent, and is answered before the next one: no CRC covers an MSN."""
    return config.burst == 1 and not config.forward


def is_all_feedback_known(config: replay.ReplayConfig) -> bool:
    """True if the judge knows all feedback that the compressor receives: feedback written in the job, or that of a
    decompressor whose feedback arrives at once."""
    return not config.decompressor or replay.feedback_path(config) == "none" or is_feedback_prompt(config)


def is_feedback_prompt(config: replay.ReplayConfig) -> bool:
    """True if all feedback of the decompressor reaches the compressor before its next packet, so that the judge may
    expect the compressor to obey it."""
    if not config.decompressor or replay.feedback_path(config) != "own" or config.burst > 1:
        return False  # of a burst, all is compressed before anything of it arrives
    return not set(config.feedback) - {"path"} and not set(config.forward) & OVERTAKING
