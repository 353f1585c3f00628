# SPDX-License-Identifier: Apache-2.0
"""Judges what a compressor put on the link, given the original packets: `check_stream`.

The judge restores every packet with its own decompressor and applies the rules of `rules_values` and `rules_stream`. It
tells what it cannot judge (a feature that it does not decode) apart from what is wrong.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from headroom.core.finding import Finding
from headroom.schemes.rohc.judge.framework import cid as cids
from headroom.schemes.rohc.judge.framework import framing, profiles
from headroom.schemes.rohc.judge.framework.errors import RohcError, Unsupported
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.framework.parameters import Parameters
from headroom.schemes.rohc.judge.tcp import checker as tcp
from headroom.schemes.rohc.judge.tcp import feedback as tcp_feedback
from headroom.schemes.rohc.judge.tcp.chains import Context as TcpContext
from headroom.schemes.rohc.judge.v1 import feedback as feedback_formats
from headroom.schemes.rohc.judge.v1 import rules_stream, rules_updates, rules_values
from headroom.schemes.rohc.judge.v1.context import Context
from headroom.schemes.rohc.judge.v1.decompressor import Decompressor, Outcome
from headroom.schemes.rohc.judge.v1.packet import Packet
from headroom.schemes.rohc.judge.v1.profiles import PROFILES, UNCOMPRESSED
from headroom.schemes.rohc.judge.v1.rules_stream import Flow
from headroom.schemes.rohc.judge.v1.rules_values import Window


class FeedbackEvent(NamedTuple):
    """Feedback data (CID and feedback, without type and size octets) that reached the compressor."""

    before: int  # index of the first link packet sent after it
    data: bytes


class NotJudged(NamedTuple):
    """A packet that uses a feature which this judge does not decode yet."""

    packet_index: int
    feature: str
    sentence: str


class Checker:
    """Takes the packets of one channel in the order of the link. The result is in `findings`, `not_judged` and `kinds`.

    `window` is how many of the last packets may be the reference for W-LSB encoded fields: 1 asks only that each packet
    follows from the one before. `confidence` is how many packets the compressor sends to establish a flag.
    `refresh_limit` is the largest number of packets between IR packets in U-mode; None leaves that open.
    """

    def __init__(
        self,
        parameters: Parameters | None = None,
        *,
        window: int = 1,
        confidence: int = 1,
        refresh_limit: int | None = None,
    ) -> None:
        self.decompressor = Decompressor(parameters)
        self.window = max(window, 1)
        self.confidence = confidence
        self.refresh_limit = refresh_limit
        self.findings: list[Finding] = []
        self.not_judged: list[NotJudged] = []
        self.kinds: Counter[str] = Counter()
        self.restored = 0
        self._flows: dict[int, Flow] = {}
        self._tcp = tcp.Checker(self.decompressor.channel.parameters.large_cids, min(self.window, confidence))
        self._windows: dict[int, Window] = {}
        self._presumed = rules_updates.PresumedContexts()
        self._index = -1
        self._arrival_ns: int | None = None
        self._clock_ms = 0  # resolution of the decompressor's last CLOCK option; 0: none so far

    def take_feedback(self, data: bytes) -> None:
        """Feedback data that reaches the compressor before its next packet."""
        if (
            cids.of_feedback(data, self.decompressor.channel.parameters.large_cids)
            in self.decompressor.channel.tcp_contexts
        ):
            self._take_tcp_feedback(data)
            return
        try:
            feedback = feedback_formats.parse(data, self.decompressor.channel.parameters.large_cids)
        except RohcError:
            return  # What cannot be parsed binds the compressor to nothing.
        self._clock_ms = rules_stream.clock_ms(feedback) or self._clock_ms
        rules_stream.take_feedback(self._flows.setdefault(feedback.cid, Flow()), feedback)

    def take(
        self, link: bytes, source: bytes | None, arrival_ns: int | None = None, *, goes_on: bool = False
    ) -> Outcome:
        """The next packet of the link and its original; None if it has none (feedback alone, IR without payload).
        `goes_on` is True if other link packets of this original follow, so that it need not come out of this one."""
        self._index += 1
        self._arrival_ns = self._by_clock(arrival_ns)
        unfinished = len(self.decompressor.channel.segments)
        tcp_before = dict(self.decompressor.channel.tcp_contexts)
        outcome = self.decompressor.decompress(link, self._arrival_ns)
        if goes_on and outcome.error is None and outcome.delivered is None:
            source = None
        if unfinished and not outcome.is_segment:
            self._add(rules_stream.interrupted(unfinished))
        for data in outcome.feedback:
            self._check_piggybacked(data)
        packet = outcome.packet
        self.kinds[packet.kind if packet is not None else "refused"] += 1
        if isinstance(outcome.error, Unsupported):
            self.not_judged.append(NotJudged(self._index, outcome.error.feature, outcome.error.sentence))
            return outcome
        if packet is None:
            assert outcome.error is not None
            if source is not None and outcome.error.cid in tcp_before:
                self._add(tcp.not_restored(link, source, tcp_before, self._tcp.large_cids))
            else:
                remark = rules_stream.refused(outcome.error)
                remark = remark if remark.requirement != outcome.error.requirement else tcp.refused(outcome.error)
                self._add(self._other_format(link, source, outcome.error.cid) or [remark])
            return outcome
        if packet.kind in (framing.FEEDBACK, framing.SEGMENT):
            if outcome.error is not None:
                self._add([rules_stream.refused(outcome.error)])
            return outcome
        if packet.tcp is not None:
            self._check_tcp(packet, outcome.delivered, source, tcp_before)
            return outcome
        self._tcp.forget(packet.cid)
        self._add(packet.remarks)
        self._check_restored(outcome, source)
        if outcome.error is None:
            self._check_rules(outcome, source)
        return outcome

    def _check_tcp(
        self, packet: Packet, delivered: bytes | None, source: bytes | None, before: dict[int, TcpContext]
    ) -> None:
        assert packet.tcp is not None
        self._flows.pop(packet.cid, None)
        self._windows.pop(packet.cid, None)
        if source is None:
            self._add([Remark("RFC5795-5.2.1-2", f"The {packet.kind} packet delivers a packet that was never there.")])
        elif delivered != source:
            self._add(tcp.not_restored(packet.octets, source, before, self._tcp.large_cids))
        else:
            self.restored += 1
            self._add(self._tcp.take(packet.octets, packet.tcp, source, before.get(packet.cid)))

    def _take_tcp_feedback(self, data: bytes) -> None:
        try:
            self._tcp.take_feedback(tcp_feedback.read_feedback(data, self._tcp.large_cids))
        except RohcError:
            return  # "MUST discard": what cannot be parsed binds the compressor to nothing.

    def finish(self) -> None:
        """Nothing more will come: a unit of segments that is still open will never be whole."""
        unfinished = len(self.decompressor.channel.segments)
        if unfinished:
            self._add(rules_stream.interrupted(unfinished))

    def _by_clock(self, arrival_ns: int | None) -> int | None:
        """Rounds an arrival time down to the resolution of the decompressor's clock, sent in CLOCK: RFC 3095, 4.5.4."""
        if arrival_ns is None or not self._clock_ms:
            return arrival_ns
        return arrival_ns - arrival_ns % (self._clock_ms * 1_000_000)

    def _other_format(self, link: bytes, source: bytes | None, cid: int | None) -> list[Remark]:
        """A format that the RND flags forbid, if that is what is wrong with the packet."""
        channel = self.decompressor.channel
        before = channel.contexts.get(cid) if cid is not None else None
        if source is None or before is None:
            return []
        return list(rules_values.other_format(link, source, channel.parameters, before))

    def _check_restored(self, outcome: Outcome, source: bytes | None) -> None:
        packet = outcome.packet
        assert packet is not None
        presumed = self._presumed.take(outcome, source)
        if outcome.error is None and outcome.delivered == source:
            self.restored += source is not None
            return
        if source is None:
            self._add([Remark("RFC5795-5.2.1-2", f"The {packet.kind} packet delivers a packet that was never there.")])
            return
        remarks = list(rules_stream.profile_fits(packet, source))
        if outcome.before is not None and packet.header is not None:
            remarks += rules_values.other_format(
                packet.octets, source, self.decompressor.channel.parameters, outcome.before
            )
        remarks = remarks or presumed or list(rules_values.not_restored(packet, source, outcome.before))
        remarks += rules_updates.whole_lists(packet, source, outcome.after)
        remarks += rules_stream.empty_payload(packet, source)
        if not remarks and outcome.error is not None:
            remarks = [rules_stream.refused(outcome.error)]
        if not remarks:
            remarks = [_something_differs(packet.kind, source, outcome.delivered)]
        self._add(remarks)
        if outcome.before is not None:
            self._follow(packet, source, outcome.before)

    def _follow(self, packet: Packet, source: bytes, before: Context) -> None:
        """Goes on from a packet that was not restored as its compressor does."""
        believed = rules_values.follow(packet, source, before)
        if believed is not None:
            self.decompressor.channel.contexts[packet.cid] = believed
        sn = believed.sn if believed is not None else rules_values.sn_of(packet, before)
        if sn is not None:
            self._flows.setdefault(packet.cid, Flow()).last_sn = sn

    def _check_rules(self, outcome: Outcome, source: bytes | None) -> None:
        packet, before, after = outcome.packet, outcome.before, outcome.after
        assert packet is not None and after is not None
        flow = self._flows.setdefault(packet.cid, Flow())
        remarks: list[Remark] = []
        remarks += rules_stream.answers(packet, flow)
        remarks += rules_stream.new_context(packet, before, after, flow)
        remarks += rules_stream.mode_bits(packet, flow)
        remarks += rules_stream.transition(packet, flow)
        remarks += rules_stream.generations(packet, flow)
        remarks += rules_stream.time_stride(packet, bool(self._clock_ms))
        remarks += rules_stream.rnd_transition(packet, flow, self.confidence)
        remarks += rules_stream.wrapped_timestamp(packet, before, after)
        if source is not None:
            sn = self._sn(packet, before, after)
            remarks += rules_stream.generated_sn(packet, before, after, source, flow, sn)
            flow.last_sn = sn
        if packet.profile is UNCOMPRESSED and packet.kind == "IR" and self._has_other_uncompressed(packet.cid):
            remarks.append(Remark("RFC5795-5.4-1", "Profile 0x0000 is associated with more than one CID."))
        self._check_window(outcome, remarks)
        if source is not None and before is not None and before.mode == "R":
            remarks += flow.secure.remarks(packet, source, self.decompressor.channel.parameters, self._arrival_ns)
        rules_stream.observe(packet, before, after, flow)
        if self.refresh_limit is not None:
            remarks += rules_stream.refreshes(packet, flow, self.refresh_limit)
        self._add(remarks)

    def _check_window(self, outcome: Outcome, remarks: list[Remark]) -> None:
        packet, before, after = outcome.packet, outcome.before, outcome.after
        assert packet is not None and after is not None
        if self.window == 1 or (before is not None and before.mode == "R"):
            return  # R-mode has secure references instead
        window = self._windows.setdefault(packet.cid, Window(self.window))
        if packet.header is None:
            if packet.kind == "IR" or before is None or before.profile is not after.profile:
                window.clear()  # A decompressor that lost these packets has no context.
        elif before is not None:
            now = rules_values.reconstruct(packet.header, packet.payload, before, self._arrival_ns).now
            remarks += window.remarks(packet.header, before, now, self.confidence)
        window.add(after)

    def _sn(self, packet: Packet, before: Context | None, after: Context) -> int:
        """The sequence number of a packet; one without CRC leaves that of the context as it is."""
        if packet.header is None or packet.header.has_crc or before is None:
            return after.sn
        return rules_values.reconstruct(packet.header, packet.payload, before, self._arrival_ns).now.sn

    def _has_other_uncompressed(self, cid: int) -> bool:
        contexts = self.decompressor.channel.contexts
        return any(number != cid and context.profile is UNCOMPRESSED for number, context in contexts.items())

    def _check_piggybacked(self, data: bytes) -> None:
        """Feedback among forward packets: it is for a compressor of which nothing is known here but its CIDs' size."""
        try:
            feedback = feedback_formats.parse(data, self.decompressor.channel.parameters.feedback_cids_are_large)
        except RohcError as error:
            self._add([Remark(error.requirement, error.sentence)])
            return
        self._add(feedback_formats.remarks(feedback, None))

    def _add(self, remarks: Iterable[Remark]) -> None:
        self.findings += [Finding(remark.sentence, remark.requirement, self._index) for remark in remarks]


def _something_differs(kind: str, source: bytes, delivered: bytes | None) -> Remark:
    if delivered is None:
        return Remark(
            "RFC3095-5.7.7-1",
            f"The {kind} packet delivers nothing, but it stands for a packet of {len(source)} octets.",
        )
    at = next(
        (n for n, (a, b) in enumerate(zip(source, delivered, strict=False)) if a != b), min(len(source), len(delivered))
    )
    return Remark(
        "RFC3095-4.3.1.1-1",
        f"{kind} restores {len(delivered)} octets, the original has {len(source)}; they differ from octet {at} on.",
    )


def check_stream(
    source_packets: Sequence[bytes],
    link_packets: Sequence[bytes],
    *,
    parameters: Parameters | None = None,
    source_of: Sequence[int | None] | None = None,
    feedback: Iterable[FeedbackEvent] = (),
    window: int = 1,
    confidence: int = 1,
    refresh_limit: int | None = None,
) -> list[Finding]:
    """Returns the findings about a compressor's stream; an empty list if nothing is wrong.

    `source_of` gives for each link packet the index of its original, None where there is none (default: packet n is of
    original n). `feedback` is what reached the compressor, in order. The other arguments are as in `Checker`.
    """
    checker = Checker(parameters, window=window, confidence=confidence, refresh_limit=refresh_limit)
    run(checker, source_packets, link_packets, source_of, feedback)
    return checker.findings


def run(
    checker: Checker,
    source_packets: Sequence[bytes],
    link_packets: Sequence[bytes],
    source_of: Sequence[int | None] | None = None,
    feedback: Iterable[FeedbackEvent] = (),
) -> None:
    """Feeds a whole stream to a checker."""
    if source_of is None:
        source_of = range(len(link_packets))
    if len(source_of) != len(link_packets):
        raise ValueError(f"{len(link_packets)} link packets need as many entries in source_of, not {len(source_of)}.")
    events = sorted(feedback, key=lambda event: event.before)
    waiting = iter(events)
    event = next(waiting, None)
    for index, link in enumerate(link_packets):
        while event is not None and event.before <= index:
            checker.take_feedback(event.data)
            event = next(waiting, None)
        origin = source_of[index]
        checker.take(link, None if origin is None else source_packets[origin])


def check_feedback(data: bytes, parameters: Parameters, profile_number: int | None = None) -> list[Remark]:
    """Returns remarks on feedback data that a decompressor sent. `profile_number` is that of its context, if any."""
    if profile_number == profiles.TCP:
        return tcp_feedback.remarks(data, parameters.large_cids)
    try:
        feedback = feedback_formats.parse(data, parameters.large_cids)
    except RohcError as error:
        return [Remark(error.requirement, error.sentence)]
    return feedback_formats.remarks(feedback, PROFILES.get(profile_number) if profile_number is not None else None)
