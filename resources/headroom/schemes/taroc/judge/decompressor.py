# SPDX-License-Identifier: Apache-2.0
"""The decompressor of 7.2, and the choices that the draft leaves to it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from headroom.schemes.taroc.judge import packet, segment
from headroom.schemes.taroc.judge.packet import COMPRESSED, IP, IPV6, UNCOMPRESSED, Compressed, NotTaroc
from headroom.schemes.taroc.judge.segment import ACK, PSH, URG, Layout, Segment

ERROR = 0xFFFF  # the type of the report of a damaged frame


@dataclass(frozen=True)
class Outcome:
    """The outcome of a link packet. `restored` is None if nothing is passed on, and `reason` then says why. `free`:
    the draft does not say what is."""

    restored: bytes | None
    reason: str = ""
    other: bytes | None = None
    free: bool = False


@dataclass(frozen=True)
class Context:
    """`segment` is the last UNCOMPRESSED_TCP packet, `layout` its options, None if they cannot be taken apart."""

    segment: Segment
    layout: Layout | None


@dataclass(frozen=True)
class Reference:
    """The values of the reference packet: modulo 2^32, packet ID and window modulo 2^16."""

    sequence: int
    acknowledgement: int
    identification: int
    window: int
    stamps: tuple[int, int] | None

    @classmethod
    def of(cls, tcp_segment: Segment) -> Reference:
        layout = segment.layout_of(tcp_segment.options)
        stamps = None if layout is None else layout.timestamps
        return cls(
            tcp_segment.sequence, tcp_segment.acknowledgement, tcp_segment.identification, tcp_segment.window, stamps
        )


def is_older(reference: Reference, other: Reference, data: bool) -> bool:
    """True if a packet, with or without data, was sent before another: by its sequence number, or by its
    acknowledgement number where it has no data."""
    ahead = reference.sequence - other.sequence if data else reference.acknowledgement - other.acknowledgement
    return ahead & 0xFFFFFFFF >= 1 << 31


def apply(header: Compressed, rest: bytes, context: Context, reference: Reference) -> Segment:
    """The packet that a compressed header stands for, in front of `rest`: other options, and the data. Raises NotTaroc
    where there is none."""
    layout = context.layout
    if layout is None:
        raise NotTaroc("the options of the context cannot be taken apart")
    if "I" in header.flags and not context.segment.is_ipv4:
        raise NotTaroc("I is set, and there is no IPv4 header (RFC 2507, 6 a)")

    def closest(letter: str, before: int, width: int) -> int:
        return header.fields[letter].closest(before, width) if letter in header.fields else before

    acknowledgement = closest("A", reference.acknowledgement, 32)
    stamps = reference.stamps
    if header.value or header.echo:
        if layout.timestamps is None or stamps is None:
            raise NotTaroc("V or E is set, and the context has no time stamps (7.3.2.2)")
        value, echo = stamps
        stamps = (
            header.value.closest(value, 32) if header.value else value,
            header.echo.closest(echo, 32) if header.echo else echo,
        )
    others = layout.others
    if "O" in header.flags:
        others, rest = rest[: len(others)], rest[len(others) :]
        if len(others) < len(layout.others):
            raise NotTaroc("the packet ends before other options do (7.3.2.2)")
    lefts = [(acknowledgement + offset) & 0xFFFFFFFF for offset, _ in header.blocks]
    edges = tuple((left, (left + size) & 0xFFFFFFFF) for left, (_, size) in zip(lefts, header.blocks, strict=True))
    options = layout.filled(stamps, others, edges)
    if options is None:
        raise NotTaroc("a TCP header has no room for the options")
    before = context.segment
    reserved, ecn = (header.r_octet >> 2, header.r_octet & 3) if "R" in header.flags else (before.reserved, before.ecn)
    tcp_segment = replace(
        before,
        sequence=closest("S", reference.sequence, 32),
        acknowledgement=acknowledgement,
        reserved=reserved,
        flags=ACK | (PSH if "P" in header.flags else 0) | (URG if "U" in header.flags else 0),
        window=closest("W", reference.window, 16),
        checksum=header.checksum,
        urgent=header.urgent if "U" in header.flags else before.urgent,
        options=options,
        data=rest,
    ).with_ip(ecn, closest("I", reference.identification, 16))
    if len(tcp_segment.ip) * tcp_segment.is_ipv4 + 20 + len(options) + len(rest) > 0xFFFF:
        raise NotTaroc("the packet would be longer than its length field can say")
    return tcp_segment


@dataclass
class Decompressor:
    """The decompressor of one channel. `space` is TCP_SPACE; `known` has the context and the reference of each CID;
    `open` are CIDs for which the draft leaves open what context a decompressor has.
    """

    space: int = 15
    known: dict[int, tuple[Context, Reference]] = field(default_factory=dict)
    open: set[int] = field(default_factory=set)

    def receive(self, type_: int, octets: bytes) -> Outcome:
        """Decompresses a link packet of a type."""
        if type_ in (IP, IPV6):
            return Outcome(octets)
        if type_ == UNCOMPRESSED:
            return self._uncompressed(octets)
        if type_ == COMPRESSED:
            return self._compressed(octets)
        return Outcome(None, "nothing is known of such a type")

    def _uncompressed(self, octets: bytes) -> Outcome:
        tcp_segment = segment.read(octets)
        at = 2 if octets[:1] and octets[0] >> 4 == 4 else 4
        cid = octets[at + 1] if len(octets) > at + 1 else None
        if cid is not None and cid > self.space:
            return Outcome(None, f"the CID {cid} is beyond TCP_SPACE, {self.space}")
        if tcp_segment is None or cid is None:
            return self._leave_open(cid, "there is no TCP packet")
        restored = tcp_segment.octets()
        if tcp_segment.is_ipv4 and restored[10:12] != octets[10:12]:
            return self._leave_open(cid, "the checksum of its IP header is wrong")
        if not tcp_segment.checksum_is_right():
            # 7.2 b) makes it the reference; by 5 only a value "that had passed the TCP checksum successfully" is one.
            return replace(self._leave_open(cid, "its TCP checksum is wrong"), restored=restored)
        self.open.discard(cid)
        self.known[cid] = Context(tcp_segment, segment.layout_of(tcp_segment.options)), Reference.of(tcp_segment)
        return Outcome(restored)

    def _leave_open(self, cid: int | None, reason: str) -> Outcome:
        if cid is not None:
            self.known.pop(cid, None)
            self.open.add(cid)
        return Outcome(None, reason, free=True)

    def _compressed(self, octets: bytes) -> Outcome:
        try:
            header = packet.read(octets)
        except NotTaroc as error:
            return Outcome(None, str(error))
        if header.cid in self.open or (header.cid in self.known and not header.padded_with_zeros):
            return self._leave_open(header.cid, "the draft does not say what is known of its context")
        if header.cid not in self.known:
            return Outcome(None, f"nothing has come of the CID {header.cid}")
        context, reference = self.known[header.cid]
        try:
            tcp_segment = apply(header, octets[header.length :], context, reference)
        except NotTaroc as error:
            return Outcome(None, str(error))
        if not tcp_segment.checksum_is_right():
            return Outcome(None, "its TCP checksum is wrong (7.2)")
        if not is_older(Reference.of(tcp_segment), reference, bool(tcp_segment.data)):
            self.known[header.cid] = context, Reference.of(tcp_segment)
        return Outcome(tcp_segment.octets())
