# SPDX-License-Identifier: Apache-2.0
"""Rules for a compressor's stream of profile 0x0006, by requirement: RFC 6846, 5.2, 6 and 8.3; RFC 4164, 3."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from headroom.schemes.rohc.judge.framework.errors import CrcMismatch, RohcError
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.tcp.chains import SEQUENTIAL, SWAPPED, Context
from headroom.schemes.rohc.judge.tcp.coding import NoMatch
from headroom.schemes.rohc.judge.tcp.feedback import MSN_NOT_VALID, Feedback
from headroom.schemes.rohc.judge.tcp.headers import Header, Option, build, checksum, read_headers
from headroom.schemes.rohc.judge.tcp.packets import Packet, has_crc_7, read_packet

RESTORABLE = "RFC6846-5.2.1-1"
# How many packets give confidence (5.2.1.1; 6.4.8; RFC 4164, 3.1, 3.2 and 3.3.1) is left open.
CONFIDENT = "RFC6846-5.2.1.1-3"
_INITIALISING = ("IR", "IR-CR")
ANSWERS = {"NACK": "RFC6846-5.2.2.2-1", "STATIC-NACK": "RFC6846-5.2.2.2-3"}
ACKNOWLEDGED_BASE, VALID_BASE = "RFC4164-3.3.3.1-1", "RFC4164-3.3.3.1-2"
REFUSED, REFUSED_BASE, REFUSED_TWICE = "RFC4164-3.3.3.4-1", "RFC4164-3.3.3.4-2", "RFC4164-3.3.3.4-3"
NO_REPAIR = "RFC4164-3.5.2-2"
# What these rules say depends on feedback: it shows what a decompressor has, and so which references are left.
OF_FEEDBACK = (
    *ANSWERS.values(),
    CONFIDENT,
    ACKNOWLEDGED_BASE,
    VALID_BASE,
    REFUSED,
    REFUSED_BASE,
    REFUSED_TWICE,
    NO_REPAIR,
)
_TO_SEND = {"RFC6846-7.2-6": "RFC6846-7.2-5", "RFC4164-3.4.1-2": "RFC4164-3.3.2-1"}
_MSN_BITS, FEEDBACK_1_BITS = 16, 8


@dataclass
class Flow:
    """The memory of one CID. `held` are the contexts that the decompressor may have, the newest last; `kinds`
    what was sent, by MSN, since the context began. The others are of the flow that has the CID."""

    held: deque[Context]
    kinds: dict[int, str] = field(default_factory=dict)
    answer_to: str | None = None  # NACK or STATIC-NACK that the next packet must answer
    began: int = 0  # IR and IR-CR packets
    heard: bool = False  # an acknowledgement of one of its packets
    fit: bool | None = None  # to be a base: acknowledged with a CRC (True), refused since then (False)
    to_renew: int = 0  # IR packets that make a context that was refused fit again
    base: int | None = None  # CID of which the last IR-CR made a copy; None behind an IR packet
    replica_refused: bool = False  # of this context, since it was acknowledged last

    def take_feedback(self, feedback: Feedback) -> None:
        sent = self._sent(feedback)
        if sent is not None:
            self._acknowledge(sent)
            self.heard = True
        answered = any(is_answer(kind, feedback.acktype) for kind in self._since(sent))
        if feedback.acktype in ANSWERS and not answered:
            self.answer_to = feedback.acktype
        if feedback.acktype == "STATIC-NACK":
            if self.fit and not answered:
                self.fit, self.to_renew = False, self.held.maxlen or 1
        elif feedback.width > FEEDBACK_1_BITS and (sent is not None or MSN_NOT_VALID in feedback.options):
            self.fit, self.replica_refused = True, False  # FEEDBACK-2, which has a CRC

    def _sent(self, feedback: Feedback) -> int | None:
        """The MSN of the packet that feedback speaks of: the last one with these bits."""
        if not feedback.has_msn:
            return None
        return next((msn for msn in reversed(self.kinds) if feedback.is_about(msn)), None)

    def _acknowledge(self, msn: int) -> None:
        """A decompressor that has this packet refers to none before it (5.2.2.1; 8.3.1 of NACKs)."""
        if any(context.control["msn"] == msn for context in self.held):
            while self.held[0].control["msn"] != msn:
                self.held.popleft()

    def _since(self, msn: int | None) -> list[str]:
        sent = list(self.kinds)
        return [] if msn is None else [self.kinds[later] for later in sent[sent.index(msn) + 1 :]]

    def is_new(self, packet: Packet) -> bool:
        """True if the packet is of another flow than the last one of the CID."""
        return not self.held or _static(packet.context) != _static(self.held[-1])

    def add(self, packet: Packet) -> None:
        msn = packet.context.control["msn"] or 0
        if packet.kind in _INITIALISING:
            if self.is_new(packet):
                self.began, self.heard, self.fit, self.replica_refused = 0, False, None, False
                self.kinds.clear()
            self.began += 1
            self.to_renew = max(self.to_renew - 1, 0)
            if self.fit is False and not self.to_renew:
                self.fit = True
            self.base = packet.base if packet.kind == "IR-CR" else None
            self.held.clear()  # a decompressor that lost these packets has no context
        self.held.append(packet.context)
        self.kinds.pop(msn, None)
        self.kinds[msn] = packet.kind


def is_answer(kind: str, acktype: str) -> bool:
    """True if a packet of this kind answers the feedback: a NACK is answered by one with a CRC-7, too (5.2.2.2)."""
    return kind in _INITIALISING or (acktype == "NACK" and (kind == "IR-DYN" or has_crc_7(kind)))


def refused(error: RohcError) -> Remark:
    """A packet that the decompressor is to discard, by what the compressor is to send."""
    return Remark(_TO_SEND.get(error.requirement, error.requirement), error.sentence)


def not_restored(link: bytes, source: bytes, contexts: Mapping[int, Context], large_cids: bool) -> list[Remark]:
    """Returns the faults of a packet that was refused, or restored as another one than its original."""
    fault = _fault_of_source(source)
    if fault is not None:
        return [fault]
    try:
        packet = read_packet(link, contexts, large_cids, verify=False)
        if packet.delivered == source:
            read_packet(link, contexts, large_cids)
    except CrcMismatch as error:
        return [Remark(error.requirement, f"{error.sentence} That is the right header.")]
    except RohcError as error:
        return [refused(error)]
    what = differing(packet, source) or "something else"
    return [Remark(RESTORABLE, f"The {packet.kind} packet does not carry its original: {what}.")]


def _fault_of_source(source: bytes) -> Remark | None:
    """Returns the part of an original that this profile cannot carry."""
    try:
        headers, _, _ = read_headers(source)
    except (KeyError, IndexError, NoMatch):
        return Remark("RFC6846-5.1-1", "The original has a header that no chain has, or is cut off.")
    outer = headers[0]
    if outer.method == "ipv4" and checksum(source[:20]):
        return Remark("RFC6846-6.4.1-2", "The IPv4 header checksum of the original is wrong: it cannot be inferred.")
    return None


def is_restorable(source: bytes) -> bool:
    """True if this profile has formats for all of a packet, and the fields that it infers are right."""
    try:
        headers, options, payload = read_headers(source)
        return build(headers, options, len(payload)) + payload == source
    except (KeyError, IndexError, NoMatch, RohcError):
        return False


def differing(packet: Packet, source: bytes) -> str:
    """The fields that come out otherwise than they went in."""
    headers, options, payload = read_headers(source)
    mine, theirs = packet.context.headers, headers
    if [header.method for header in mine] != [header.method for header in theirs]:
        return f"its headers are {_names(theirs)}, those of the context {_names(mine)}"
    differences = [
        f"{name} of {header.method} is {other.values[name]}, and {value} comes out"
        for header, other in zip(mine, theirs, strict=True)
        for name, value in header.values.items()
        if other.values.get(name, value) != value
    ]
    if _seen(packet.context.options) != _seen(options):
        differences.append("TCP options come out otherwise")
    if packet.payload != payload:
        differences.append(f"its payload has {len(payload)} octets, and {len(packet.payload)} come out")
    return "; ".join(differences)


def _names(headers: list[Header]) -> str:
    return ", ".join(header.method for header in headers)


def _seen(options: list[Option]) -> list[dict[str, int | None]]:
    return [{name: value for name, value in option.values.items() if name != "option_static"} for option in options]


def msn_goes_on(packet: Packet, before: Context | None) -> Iterator[Remark]:
    """6.1.1: by one with each packet; another flow in the CID goes on with it."""
    if before is None:
        return
    msn, last = packet.context.control["msn"] or 0, before.control["msn"] or 0
    if msn == (last + 1) % (1 << _MSN_BITS):
        return
    other = packet.kind in _INITIALISING and _static(packet.context) != _static(before)
    requirement = "RFC6846-6.1.1-6" if packet.kind == "IR-CR" else "RFC6846-6.1.1-1"
    requirement = "RFC6846-6.1.1-5" if other and packet.kind == "IR" else requirement
    yield Remark(requirement, f"The MSN of the {packet.kind} packet is {msn}; that of the packet before is {last}.")


def _static(context: Context) -> list[tuple[int | None, ...]]:
    names = ("src_addr", "dst_addr", "src_port", "dst_port")
    return [tuple(header.values.get(name) for name in names) for header in context.headers]


def outer_behaviours(packet: Packet) -> Iterator[Remark]:
    for header in packet.context.headers:
        if header.values.get("ip_id_behavior_outer") in (SEQUENTIAL, SWAPPED):
            yield Remark("RFC6846-6.1.2-3", f"The {packet.kind} packet calls the IP-ID of an outer header sequential.")


def references(link: bytes, packet: Packet, source: bytes, flow: Flow, large_cids: bool) -> Iterator[Remark]:
    """A compressed packet as read by a decompressor that has one of the contexts before the last one."""
    if packet.kind in _INITIALISING:
        return
    for age, reference in enumerate(reversed(flow.held), 1):
        try:
            read = read_packet(link, {packet.cid: reference}, large_cids, verify=False)
            if read.delivered == source:
                continue
            what = differing(read, source)
        except RohcError as error:
            what = error.sentence.rstrip(".")
        yield Remark(CONFIDENT, f"With the reference {age} packets back, the {packet.kind} packet is misread: {what}.")


def unanswered(packet: Packet, flow: Flow) -> Iterator[Remark]:
    """5.2.2.2, and RFC 4164, 3.3.3.4: what the first packet behind a NACK or STATIC-NACK is."""
    asked, flow.answer_to = flow.answer_to, None
    if asked is None:
        return
    behind = f"The packet behind {asked} is {packet.kind}"
    if flow.base is not None and asked == "STATIC-NACK" and not flow.is_new(packet):
        if packet.kind == "IR-CR":
            yield Remark(REFUSED_TWICE, f"{behind} again, and no IR packet.")
        elif packet.kind != "IR":
            yield Remark(REFUSED, f"{behind}, as if the replicated context were there.")
    elif packet.kind == "IR-CR" and not flow.is_new(packet):
        yield Remark(NO_REPAIR, f"{behind}: it is to repair a context.")
    elif not is_answer(packet.kind, asked):
        yield Remark(ANSWERS[asked], f"{behind}.")


def too_soon(packet: Packet, flow: Flow) -> Iterator[Remark]:
    """5.2.1.1, and RFC 4164, 3.3.1: a context is told until it is believed to be there."""
    if packet.kind in _INITIALISING or flow.heard or not flow.began or flow.began >= (flow.held.maxlen or 1):
        return
    kind = "IR-CR" if flow.base is not None else "IR"
    yield Remark(CONFIDENT, f"The {packet.kind} packet comes behind {flow.began} {kind} packet of its flow.")
    flow.began = flow.held.maxlen or 1


def replication(
    link: bytes, packet: Packet, source: bytes, flows: Mapping[int, Flow], large_cids: bool
) -> Iterator[Remark]:
    """RFC 4164, 3.1 to 3.3: which context an IR-CR packet may copy."""
    base_cid = packet.cid if packet.base is None else packet.base
    flow, base = flows[packet.cid], flows.get(base_cid)
    if base is None or (base is flow and not flow.is_new(packet)):
        return  # without a context it was refused; and a copy of itself was judged when it was made
    if base.fit is None:
        yield Remark(
            ACKNOWLEDGED_BASE,
            f"The IR-CR packet copies the context of CID {base_cid}, which no FEEDBACK-2 acknowledges.",
        )
    elif not base.fit:
        yield Remark(VALID_BASE, f"The IR-CR packet copies the context of CID {base_cid} behind a STATIC-NACK for it.")
    if base.replica_refused:
        yield Remark(
            REFUSED_BASE, f"The IR-CR packet copies the context of CID {base_cid} again, a copy of which was refused."
        )
    for age, reference in enumerate(reversed(base.held), 1):
        which = f"With the base context {age} packets back, the IR-CR packet"
        try:
            read = read_packet(link, {base_cid: reference}, large_cids, verify=False)
        except RohcError as error:
            yield Remark(CONFIDENT, f"{which} cannot be read: {error.sentence}")
            continue
        if read.delivered != source:
            yield Remark(CONFIDENT, f"{which} is misread: {differing(read, source)}.")
        elif read.context.control != packet.context.control:
            yield Remark(CONFIDENT, f"{which} makes other control fields: {read.context.control}.")


@dataclass
class Checker:
    """Takes packets of this profile alone, of one channel. `held` is how many of the last packets may be the reference:
    so many the compressor sends until it is confident (5.2.1.1, which leaves the number open)."""

    large_cids: bool
    held: int
    flows: dict[int, Flow] = field(default_factory=dict)

    def take(self, link: bytes, packet: Packet, source: bytes, before: Context | None) -> list[Remark]:
        """A packet that was restored right. `before` is its context until then, if it is one of this profile."""
        flow = self.flows.setdefault(packet.cid, Flow(deque(maxlen=self.held)))
        remarks = [*unanswered(packet, flow), *msn_goes_on(packet, before), *outer_behaviours(packet)]
        remarks += too_soon(packet, flow)
        remarks += references(link, packet, source, flow, self.large_cids)
        if packet.kind == "IR-CR":
            remarks += replication(link, packet, source, self.flows, self.large_cids)
        flow.add(packet)
        return remarks

    def take_feedback(self, feedback: Feedback) -> None:
        flow = self.flows.get(feedback.cid)
        if flow is None:
            return
        was_heard = flow.heard
        flow.take_feedback(feedback)
        if feedback.acktype == "STATIC-NACK" and flow.base in self.flows and not was_heard:
            self.flows[flow.base].replica_refused = True

    def forget(self, cid: int) -> None:
        """The CID has a context of another family now."""
        self.flows.pop(cid, None)
