# SPDX-License-Identifier: Apache-2.0
"""A compressor beside 7.1: each packet, and what it became.

The windows of a compressor do not show on the link. But W is at least K * 2 * ssthresh, and ssthresh at least 2 * MSS
(6.2, 6.3): the packets of the last `FEWEST_SEGMENTS` segments are in the window in any case, and each of them must do
for a reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from headroom.core.finding import Finding
from headroom.schemes.taroc.judge import packet, segment
from headroom.schemes.taroc.judge.decompressor import Context, Reference, apply, is_older
from headroom.schemes.taroc.judge.packet import COMPRESSED, TYPE_NAMES, UNCOMPRESSED, Compressed, NotTaroc
from headroom.schemes.taroc.judge.segment import ACK, FIN, PSH, RST, SYN, URG, Segment

FEWEST_SEGMENTS, SHORTEST_SEGMENT = 4, 512  # a compressor that takes MSS for less takes a window that is too small
FIRST_PERIODS = (1, 2)  # of F_PERIOD: 1 * MSS and 2 * MSS are less than any W

Remark = tuple[str, str]  # a requirement and a sentence


@dataclass
class Flow:
    """The context of a CID. `newest` is the reference of a decompressor that has had all packets, `window` holds those
    that it may have; `compressed` counts the packets since the last uncompressed one, `full` those."""

    context: Context
    newest: Reference
    window: list[Reference]
    oldest: Reference
    largest: int = SHORTEST_SEGMENT
    compressed: int = 0
    full: int = 1
    full_sequences: set[int] = field(default_factory=set)

    def add(self, tcp_segment: Segment) -> None:
        reference = Reference.of(tcp_segment)
        self.largest = max(self.largest, len(tcp_segment.data))
        if not is_older(reference, self.newest, bool(tcp_segment.data)):
            self.newest = reference
        if is_older(reference, self.oldest, bool(tcp_segment.data)):
            self.oldest = reference
        span = FEWEST_SEGMENTS * self.largest
        self.window = [before for before in self.window if _is_near(before, self.newest, span)] + [reference]


def _is_near(before: Reference, newest: Reference, span: int) -> bool:
    def behind(a: int, b: int) -> int:
        return (b - a) & 0xFFFFFFFF

    sequence, acknowledgement = before.sequence, before.acknowledgement
    return behind(sequence, newest.sequence) <= span and behind(acknowledgement, newest.acknowledgement) <= span


@dataclass
class CompressorJudge:
    """Follows one channel. `space` is TCP_SPACE."""

    space: int = 15
    flows: dict[int, Flow] = field(default_factory=dict)
    count: int = 0

    def sent(self, source: bytes, type_: int, link: bytes) -> list[Finding]:
        """The findings about the link packet of a packet."""
        number, self.count = self.count, self.count + 1
        return [Finding(sentence, broken, number) for broken, sentence in self._judge(source, type_, link)]

    def _judge(self, source: bytes, type_: int, link: bytes) -> Iterator[Remark]:
        tcp_segment = segment.read(source)
        if type_ not in TYPE_NAMES:
            yield "TAROC-7.1-1", f"its type is 0x{type_:04x}, which is none of the draft's"
        elif type_ not in (UNCOMPRESSED, COMPRESSED):
            if link != source:
                yield "TAROC-7.1-1", "a TYPE_IP packet is not what it was"
        elif tcp_segment is None or tcp_segment.flags & (SYN | FIN | RST | ACK) != ACK:
            yield "TAROC-7.1-1", f"it goes as {TYPE_NAMES[type_]}, though it is not compressible"
        elif type_ == UNCOMPRESSED:
            yield from self._uncompressed(tcp_segment, source, link)
        else:
            yield from self._compressed(tcp_segment, link)

    def _uncompressed(self, tcp_segment: Segment, source: bytes, link: bytes) -> Iterator[Remark]:
        at = 2 if tcp_segment.is_ipv4 else 4
        if link[:at] + link[at + 2 :] != source[:at] + source[at + 2 :]:
            yield "TAROC-7.3.1-1", "an UNCOMPRESSED_TCP packet differs from the packet beyond its length field"
            return
        cid = link[at + 1]
        if cid > self.space:
            yield "TAROC-7.3.1-1", f"the CID {cid} is beyond TCP_SPACE, {self.space}"
            return
        context, reference = Context(tcp_segment, segment.layout_of(tcp_segment.options)), Reference.of(tcp_segment)
        flow = self.flows.get(cid)
        if flow is None or flow.context.segment.connection != tcp_segment.connection:
            flow = self.flows[cid] = Flow(context, reference, [], reference)
        else:
            if reason := self._needless(flow, tcp_segment, context):
                yield "TAROC-7.1.1-3", f"it goes as UNCOMPRESSED_TCP right after another, and {reason}"
            if any(is_older(reference, before, bool(tcp_segment.data)) for before in flow.window):
                flow.window = []  # it may have fallen behind the window, which is cleared then
            flow.context, flow.newest, flow.compressed, flow.full = context, reference, 0, flow.full + 1
        flow.add(tcp_segment)
        if tcp_segment.data:
            flow.full_sequences.add(tcp_segment.sequence)

    def _needless(self, flow: Flow, tcp_segment: Segment, context: Context) -> str:
        """Returns the reason for which a packet need not have gone as UNCOMPRESSED_TCP; "" if it may have had to."""
        before = flow.context
        if flow.compressed or context.layout is None or before.layout is None:
            return ""
        changed = tcp_segment.unchanging() != before.segment.unchanging() or tcp_segment.urgent != before.segment.urgent
        if changed or not context.layout.can_follow(before.layout) or context.layout.sack:
            return ""
        again = tcp_segment.data and tcp_segment.sequence in flow.full_sequences
        now, last = Reference.of(tcp_segment), flow.newest
        steps = (now.sequence - last.sequence) & 0xFFFFFFFF, (now.acknowledgement - last.acknowledgement) & 0xFFFFFFFF
        small = max(steps) < 1 << 14 and (now.identification - last.identification) & 0xFFFF < 1 << 10
        return "its few changes could be encoded" if small and not again else ""

    def _compressed(self, tcp_segment: Segment, link: bytes) -> Iterator[Remark]:
        try:
            header = packet.read(link)
        except NotTaroc as error:
            yield "TAROC-7.3.2-1", str(error)
            return
        flow = self.flows.get(header.cid)
        if flow is None or flow.context.segment.connection != tcp_segment.connection:
            yield "TAROC-4.1-1", f"it goes as COMPRESSED_TCP, though CID {header.cid} has no context of its connection"
            return
        if not header.padded_with_zeros:
            yield "TAROC-7.3.2.1-3", "the padding of WASI is not zero"
        yield from self._state(flow, tcp_segment)
        yield from self._meaning(flow, tcp_segment, header, link[header.length :])
        flow.compressed += 1
        flow.add(tcp_segment)

    def _state(self, flow: Flow, tcp_segment: Segment) -> Iterator[Remark]:
        """Findings on packets that had to be uncompressed."""
        if flow.full <= len(FIRST_PERIODS):
            if flow.compressed >= FIRST_PERIODS[flow.full - 1]:
                sentence = f"{flow.compressed} compressed packets stand in front of it, after full header {flow.full}"
                yield "TAROC-7.1.1-1", f"it is compressed, though {sentence} of slow start"
            elif tcp_segment.data and tcp_segment.sequence in flow.full_sequences:
                yield "TAROC-7.1.1-2", "it is compressed, and is the retransmission of an UNCOMPRESSED_TCP packet"
        if is_older(Reference.of(tcp_segment), flow.oldest, bool(tcp_segment.data)):
            yield "TAROC-7.1.2-1", "it is compressed, and is older than all packets before"

    def _meaning(self, flow: Flow, tcp_segment: Segment, header: Compressed, rest: bytes) -> Iterator[Remark]:
        """Compares the packet with what a decompressor makes of the header, for each reference that it may have."""
        before = flow.context.segment
        if header.checksum != tcp_segment.checksum:
            yield "TAROC-7.3.2-1", f"the TCP checksum is 0x{header.checksum:04x}, not 0x{tcp_segment.checksum:04x}"
        changed = [name for name, was in before.unchanging().items() if tcp_segment.unchanging()[name] != was]
        if changed:
            yield "TAROC-7.3.2-1", f"it is compressed, though {changed[0]} differs from the context"
            return
        for reference in (flow.newest, *flow.window):
            try:
                result = apply(header, rest, flow.context, reference)
            except NotTaroc as error:
                yield "TAROC-7.3.2.2-1", str(error)
                return
            if remark := _difference(tcp_segment, result):
                where = "" if reference == flow.newest else ", where the reference is an earlier packet of the window"
                yield remark[0] if not where else "TAROC-5-2", f"{remark[1]} comes out wrong{where}"
                return


def _difference(entry: Segment, result: Segment) -> Remark | None:
    """The first field that is not as it was, and the requirement that it breaks."""
    layouts = segment.layout_of(entry.options), segment.layout_of(result.options)
    stamps, sack = ([layout and getattr(layout, name) for layout in layouts] for name in ("timestamps", "sack"))
    for requirement, name, a, b in (
        ("TAROC-A-1", "the sequence number", entry.sequence, result.sequence),
        ("TAROC-A-1", "the acknowledgement number", entry.acknowledgement, result.acknowledgement),
        ("TAROC-A-1", "the window", entry.window, result.window),
        ("TAROC-A-1", "the packet ID", entry.identification, result.identification),
        ("TAROC-7.3.2-1", "PUSH or URG", entry.flags & (PSH | URG), result.flags & (PSH | URG)),
        ("TAROC-7.3.2-1", "the urgent pointer", entry.urgent, result.urgent),
        ("TAROC-7.3.2-1", "the Reserved field or ECN", (entry.reserved, entry.ecn), (result.reserved, result.ecn)),
        ("TAROC-7.3.2.2-1", "a time stamp", *stamps),
        ("TAROC-7.3.2.2-3", "the SACK option", *sack),
        ("TAROC-7.3.2.2-2", "an option", entry.options, result.options),
        ("TAROC-7.3.2-1", "the data", entry.data, result.data),
    ):
        if a != b:
            return requirement, name
    return None
