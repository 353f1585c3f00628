# SPDX-License-Identifier: Apache-2.0
"""A compressor alone, given packets and feedback in turn: which packet types it answers with.

Feedback is described in words (`feedback.Written`; of TCP flows `tcp_feedback.Written`) or given as octets. Its
sequence number is that of the last packet on the link before it, or of the packet that it names. What is given in vain
must leave no trace: the link then has the same octets as without it, for an adapter's output depends on its input
alone.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from headroom.core.capabilities import Inconclusive, Misbehaviour
from headroom.core.errors import UsageError
from headroom.core.replay import ReplayConfig
from headroom.core.text import nth
from headroom.schemes.rohc.conformance import stream, tcp_feedback
from headroom.schemes.rohc.conformance.feedback import Written
from headroom.schemes.rohc.conformance.flow import INTERVAL_NS, Flow
from headroom.schemes.rohc.conformance.observation import TYPE_0, UPDATES, Observation, ObservedPacket, observe
from headroom.schemes.rohc.judge import Parameters
from headroom.schemes.rohc.judge.tcp import packets as tcp
from headroom.schemes.rohc.judge.v1.context import MODE_VALUES

TYPE_1 = ("UO-1", "UO-1-ID", "UO-1-TS", "R-1", "R-1-ID", "R-1-TS")
TYPE_0_AND_1 = (*TYPE_0, *TYPE_1)
UNCHANGED, SETTLED = 200, 100  # packets of a flow that does not change; of these, the last ones
BY_CHOICE = (
    "The types of its packets do not show its states: for a flow that does not change it sends larger packets than "
    "necessary, and only SHOULDs ask for small ones (RFC 3095, 4.3.1 and 5.3.1.2)."
)
REFRESHES = ("IR", "IR-DYN")
REFRESHED = 5  # the last packets of a step, among which a refresh may be
TCP_INITIAL = ("IR", "IR-DYN", "IR-CR")
AS_BEFORE = "as before "
UNLESS_ALONE = " unless without feedback"
PERHAPS_NOTHING = "perhaps nothing"


@dataclass
class SentPackets:
    """`count` packets of every flow; `expected` describes the expected packet types of a flow."""

    first: int  # number of the first packet of the source
    count: int
    expected: str
    flow: int = 0


UNUSED = "unused"  # in the place of a flow: feedback for a CID that no flow has


@dataclass
class GivenFeedback:
    """Feedback before packet `before` about packet `about` of the source (negative: none), for the context of a flow or
    for a CID that no flow has."""

    before: int
    text: str
    flow: int | str
    about: int
    in_vain: bool = False


@dataclass(frozen=True)
class FeedbackTarget:
    """The packet that feedback names: its CID and sequence number."""

    cid: int
    sn: int


@dataclass
class Conversation:
    """`channel` is the compressor's configuration; flow n is the n-th of `Flow.of`, whichever CID it gets. `confidence`
    is the judge's: by how many packets at least a change is told."""

    flow: str
    channel: dict[str, Any] = field(default_factory=dict)
    flows: int = 1
    confidence: int = 1
    interval_ns: int = INTERVAL_NS
    packets: list[dict[str, Any]] = field(default_factory=list)
    sent: list[SentPackets] = field(default_factory=list)
    given: list[GivenFeedback] = field(default_factory=list)
    signals: list[dict[str, Any]] = field(default_factory=list)
    now_ns: int = 0
    _flows: list[Flow] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._flows = [Flow.of(self.flow, number) for number in range(self.flows)]

    def send(self, count: int, expected: str = "any", change: str = "", flow: int = 0) -> None:
        """The next `count` packets of each flow. `change` changes flow number `flow` before. `expected` as in
        `judge_kinds` is about its packets; `as before update` demands it if earlier steps with these words had it, and
        `no IR unless without feedback` if the same packets without any feedback have it."""
        self.sent.append(SentPackets(len(self.packets), count, expected, flow))
        if change:
            self._flows[flow].change(change)
        for _ in range(count):
            for entry in self._flows:
                self.packets.append({"time_ns": self.now_ns, "channel": 0, "hex": entry.packet().hex()})
            self.now_ns += self.interval_ns

    def pause(self, seconds: float) -> None:
        """Lets time pass in which nothing is sent."""
        self.now_ns += round(seconds * 1e9)

    def give(self, text: str, flow: int | str = 0, about: int | None = None, in_vain: bool = False) -> None:
        """Feedback before the next packet: in words, or octets as `raw f25abc`, which name the CID themselves.

        `about` is a packet of the flow, counted from 0; None: the last one before it. With the flow `UNUSED`, the
        feedback is for a CID that no packet of the story has, with the sequence number of a packet of flow 0.
        """
        if not text.startswith("raw "):
            self._written(text)
        of = 0 if flow == UNUSED else int(flow)
        last = len(self.packets) - self.flows + of
        self.given.append(
            GivenFeedback(len(self.packets), text, flow, last if about is None else about * self.flows + of, in_vain)
        )

    def _written(self, text: str) -> Written | tcp_feedback.Written:
        """Feedback by the format of the profile that the flow is for. Raises UsageError."""
        return tcp_feedback.Written.of(text) if self.flow.startswith("tcp") else Written.of(text)

    def signal(self, message: dict[str, Any]) -> None:
        self.signals.append({"before": len(self.packets), "side": "compressor", "message": message})

    @property
    def parameters(self) -> Parameters:
        return Parameters.of(self.channel)

    def run(self, config: ReplayConfig) -> tuple[Observation, Observation | None]:
        """Plays the conversation with a fresh compressor. If some feedback was to be ignored, the second observation is
        without it; if a step compares with a conversation without feedback, the second observation is that one.
        """
        config = replace(config, decompressor=None, channel={**config.channel, **self.channel}, source=self.packets)
        names = [self._guess(given) for given in self.given]
        for _ in range(len(names) + 1):
            everything = self._observe(config, self._control(names))
            read = [self._read(given, everything, name) for given, name in zip(self.given, names, strict=True)]
            if read == names:
                break
            # What comes before the first wrong name is as it will be, so that each turn puts one right at least.
            names = read
        else:
            raise Misbehaviour("The same packets and feedback, given twice, result in different octets on the link.")
        if any(given.in_vain for given in self.given):
            return everything, self._observe(config, self._control(names, in_vain=False))
        if any(sent.expected.endswith(UNLESS_ALONE) for sent in self.sent):
            return everything, self._observe(config, self.signals)
        return everything, None

    def _observe(self, config: ReplayConfig, control: list[dict[str, Any]]) -> Observation:
        return observe(replace(config, control=control), self.confidence, self.confidence)

    def _guess(self, given: GivenFeedback) -> FeedbackTarget:
        """Predicts the CID and the sequence number that feedback names, before any packet is sent."""
        sn = 0
        if self.flow.startswith("rtp") and given.about >= 0:
            sn = int.from_bytes(_rtp_sn(bytes.fromhex(self.packets[given.about]["hex"]), self._flows[0]), "big")
        return FeedbackTarget(self.flows if given.flow == UNUSED else int(given.flow), sn)

    def _read(self, given: GivenFeedback, seen: Observation, name: FeedbackTarget) -> FeedbackTarget:
        """Reads the CID and the sequence number that feedback names from the link, because the compressor chooses CIDs
        and, in profiles other than RTP, sequence numbers. Keeps the predicted values if the judge cannot read the
        packet."""
        if given.text.startswith("raw "):
            return name
        packet = seen.packets[given.about] if given.about >= 0 else None
        value = packet.sn if packet is not None else None
        sn = value if value is not None and not self.flow.startswith("rtp") else name.sn
        if given.flow == UNUSED:
            return FeedbackTarget(self._unused(seen), sn)
        return FeedbackTarget(name.cid if packet is None or packet.cid is None else packet.cid, sn)

    def _unused(self, seen: Observation) -> int:
        """The lowest CID that no packet uses."""
        used = {packet.cid for packet in seen.packets}
        value = next((cid for cid in range(self.parameters.max_cid + 1) if cid not in used), None)
        if value is None:
            raise Inconclusive("Every CID of the channel is in use, but the case needs a free one.")
        return value

    def _control(self, names: Sequence[FeedbackTarget], in_vain: bool = True) -> list[dict[str, Any]]:
        """Signals and feedback in order; without feedback that is to be ignored, if `in_vain` is False."""
        control = list(self.signals)
        for given, name in zip(self.given, names, strict=True):
            if in_vain or not given.in_vain:
                octets = self._octets(given, name)
                control.append({"before": given.before, "side": "compressor", "feedback": octets.hex(), "channel": 0})
        return sorted(control, key=lambda step: step["before"])

    def _octets(self, given: GivenFeedback, name: FeedbackTarget) -> bytes:
        if given.text.startswith("raw "):
            return bytes.fromhex(given.text.removeprefix("raw "))
        return self._written(given.text).element(name.cid, name.sn, self.parameters)

    def judge(self, seen: Observation, without: Observation | None, do_types_tell: bool = True) -> list[str]:
        """Judges the types of packets, and looks for effects of feedback that the compressor had to ignore. Returns one
        sentence for each fault. Unless `do_types_tell`, packets of types 0 and 1 are not required: see
        `prefers_larger`."""
        complaints = []
        for number, sent in enumerate(self.sent, 1):
            mine = self._packets_of(sent, seen)
            missing = [] if "nothing" in sent.expected else stream.not_sent(mine)[:1]
            results = missing or self._judge_step(number, seen, without, do_types_tell)
            complaints += [f"step {number} ({sent.count} packets): {text}" for text in results]
        if without is not None and any(given.in_vain for given in self.given):
            first = min(given.before for given in self.given if given.in_vain)
            for a, b in zip(seen.packets[first:], without.packets[first:], strict=True):
                if a.link != b.link:
                    which = nth("packet", a.index)
                    complaints.append(f"feedback that was to be ignored changes {which}: {a.kind} instead of {b.kind}")
                    break
        return complaints

    def _packets_of(self, sent: SentPackets, seen: Observation) -> list[ObservedPacket]:
        return [seen.packets[n * self.flows + sent.flow + sent.first] for n in range(sent.count)]

    def _judge_step(
        self, number: int, seen: Observation, without: Observation | None, do_types_tell: bool
    ) -> list[str]:
        """Returns one sentence for each fault in the types of a step. `as before …` requires types only if the
        compressor has sent them in every earlier step with this expectation, because it is free to send others."""
        sent = self.sent[number - 1]
        expected, packets = sent.expected, self._packets_of(sent, seen)
        if expected.endswith(UNLESS_ALONE):
            kinds = expected.removesuffix(UNLESS_ALONE)
            alone = without is not None and judge_kinds(kinds, self._packets_of(sent, without))
            return [] if alone else judge_kinds(kinds, packets, do_types_tell)
        if not expected.startswith(AS_BEFORE):
            return judge_kinds(expected, packets, do_types_tell)
        kinds = expected.removeprefix(AS_BEFORE)
        earlier = [packets for packets in self.sent[: number - 1] if packets.expected == expected]
        asked = earlier and not any(judge_kinds(kinds, self._packets_of(packets, seen)) for packets in earlier)
        return [f"{kind}, as it came before" for kind in judge_kinds(kinds, packets)] if asked else []


def _rtp_sn(original: bytes, flow: Flow) -> bytes:
    at = sum(20 if ip.version == 4 else 40 for ip in flow.ips) + 8 + 2
    return original[at : at + 2]


def prefers_larger(config: ReplayConfig, flow: str, kinds: Collection[str] = TYPE_0_AND_1) -> bool:
    """True if a compressor, given packets of a flow that does not change, settles on types 1 and 2 and sends none of
    `kinds`."""
    source = Conversation(flow)
    source.send(UNCHANGED)
    alone = replace(config, decompressor=None, source=source.packets, control=[], outputs={})
    last = observe(alone, 1, 1).packets[-SETTLED:]
    settled = any(packet.kind in (*TYPE_1, "UOR-2", "UOR-2-ID", "UOR-2-TS") for packet in last)
    return settled and not any(packet.kind in kinds for packet in last)


def judge_kinds(expected: str, packets: Sequence[ObservedPacket], do_types_tell: bool = True) -> list[str]:
    """Compares the packet types of a step with those that the case expects. Returns one sentence for each difference.

    `expected` has parts, joined by semicolons; types in a part are joined by commas.

    - `IR, UO-0`: only these types are allowed. `update` stands for IR, IR-DYN and type 2; `type 0` and `type 1` for all
      packets of that type. In profile 0x0006 `CO` is any format of a compressed header, and `CRC-7` one with a CRC of
      seven bits.
    - `no …`: none of these types; `some …`: at least one packet has one of these types; `first …`: the first packet
      has.
    - `at the end …`: the last packet has one of these types, or the last one before a refresh.
    - `mode O`: every mode parameter says O; `some mode U`: at least one says U; `no mode U`: none says U.
    - `profile 0x0000`: all packets have this profile; `no profile 0x0006`: none has.
    - `any`: every type is allowed; `perhaps nothing`: packets may be missing.
    """
    if not packets:
        raise UsageError(f"'{expected}' names no packet; a step has at least one.")
    sentences = []
    for part in (piece.strip() for piece in expected.split(";")):
        match = re.fullmatch(r"(?:(no|some|first|at the end) )?(?:(mode) ([UOR])|(profile) (0x[0-9a-f]{4})|(.+))", part)
        if part in ("any", PERHAPS_NOTHING):
            continue
        if not match:
            raise UsageError(f"'{part}' says nothing about packets.")
        quantity, is_mode, mode, is_profile, profile, names = match.groups()
        if (is_mode and quantity in ("first", "at the end")) or (is_profile and quantity not in (None, "no")):
            raise UsageError(
                f"'{part}' is no property of packets; write `mode O`, `some mode O`, `no mode O` or `profile …`."
            )
        if is_mode:
            sentences += _modes(quantity, MODE_VALUES[mode], mode, packets)
        elif is_profile:
            sentences += _profile(quantity, int(profile, 16), profile, packets)
        else:
            sentences += _types(quantity, names, packets, do_types_tell)
    return sentences


def _types(quantity: str | None, names: str, packets: Sequence[ObservedPacket], do_types_tell: bool) -> list[str]:
    kinds: set[str] = set()
    compressed = tcp.COMPRESSED
    tcp_kinds = (*TCP_INITIAL, *compressed)
    for name in (piece.strip() for piece in names.split(",")):
        groups = {"update": UPDATES, "type 0": TYPE_0, "type 1": TYPE_1, "nothing": ("",)}
        groups |= {"CO": compressed, "CRC-7": tuple(filter(tcp.has_crc_7, compressed))}
        known = groups.get(name, (name,))
        if name not in groups and name not in (*UPDATES, *TYPE_0_AND_1, *tcp_kinds):
            every = dict.fromkeys((*groups, *UPDATES, *TYPE_0_AND_1, *tcp_kinds))
            raise UsageError(f"'{name}' is no packet type; there are {', '.join(every)}.")
        kinds |= set(known)
    if not do_types_tell and quantity != "no" and kinds <= {*TYPE_0_AND_1}:
        return []
    inside = [seen for seen in packets if seen.kind in kinds]
    outside = [seen for seen in packets if seen.kind not in kinds]
    what = ", ".join(dict.fromkeys(seen.kind for seen in packets))
    if quantity is None and outside:
        return [
            f"{nth('packet', outside[0].index)} is {outside[0].kind or 'not on the link'}; only {names} is expected"
        ]
    if quantity == "no" and inside:
        return [f"{nth('packet', inside[0].index)} is {inside[0].kind}; no {names} is expected"]
    if quantity == "some" and not inside:
        return [f"there is no {names}; what comes: {what}"]
    if quantity == "first" and packets[0].kind not in kinds:
        return [f"the first packet is {packets[0].kind or 'not on the link'}; {names} is expected"]
    if quantity == "at the end" and not _is_last(packets, kinds):
        return [f"the last packet is {packets[-1].kind or 'not on the link'}; {names} is expected"]
    return []


def _is_last(packets: Sequence[ObservedPacket], kinds: Collection[str]) -> bool:
    """True if the last packet is one of `kinds`. A refresh may come in its place: its time is the compressor's choice
    (RFC 3095, 5.3.1.1.1)."""
    last = packets[-1].kind
    return last in kinds or (last in REFRESHES and any(packet.kind in kinds for packet in packets[-REFRESHED:]))


def _profile(quantity: str | None, number: int, name: str, packets: Sequence[ObservedPacket]) -> list[str]:
    if quantity == "no":
        of_it = [seen for seen in packets if seen.kind and seen.profile == number]
        return [f"{nth('packet', of_it[0].index)} ({of_it[0].kind}) is of profile {name}"] if of_it else []
    missing = [seen for seen in packets if not seen.kind]
    other = [seen for seen in packets if seen.kind and seen.profile != number]
    if missing:
        return [f"{nth('packet', missing[0].index)} is not on the link; profile {name} is expected"]
    return [f"{nth('packet', other[0].index)} ({other[0].kind}) is not of profile {name}"] if other else []


def _modes(quantity: str | None, value: int, mode: str, packets: Sequence[ObservedPacket]) -> list[str]:
    carried = [seen for seen in packets if seen.mode is not None]
    other = [seen for seen in carried if seen.mode != value]
    if quantity == "some":
        return [] if len(other) < len(carried) else [f"no packet says mode {mode}"]
    if quantity == "no":
        same = [seen for seen in carried if seen.mode == value]
        return [f"{nth('packet', same[0].index)} ({same[0].kind}) says mode {mode}"] if same else []
    return [f"{nth('packet', other[0].index)} ({other[0].kind}) does not say mode {mode}"] if other else []
