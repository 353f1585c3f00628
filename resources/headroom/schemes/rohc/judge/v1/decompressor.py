# SPDX-License-Identifier: Apache-2.0
"""An independent decompressor, slow and literal: RFC 3095, 5.3.2 without the optional repairs, RFC 3843, RFC 4815.

It judges: a packet is restored or refused with a sentence. It never guesses, repairs or forgets a context, so what it
says of a packet depends on the packets before it and on nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from headroom.schemes.rohc.judge.framework import crc, framing, lsb
from headroom.schemes.rohc.judge.framework.bits import NO_BITS, Bits
from headroom.schemes.rohc.judge.framework.errors import CrcMismatch, MalformedPacket, RohcError, Unsupported
from headroom.schemes.rohc.judge.framework.parameters import Parameters
from headroom.schemes.rohc.judge.tcp.packets import Packet as TcpPacket
from headroom.schemes.rohc.judge.v1 import extension_headers, headers, intervals
from headroom.schemes.rohc.judge.v1.base_header import CompressedHeader
from headroom.schemes.rohc.judge.v1.chains import DynamicChain
from headroom.schemes.rohc.judge.v1.context import FULL_CONTEXT, MODES, STATIC_CONTEXT, Channel, Context, Ip
from headroom.schemes.rohc.judge.v1.packet import Packet, parse_packet
from headroom.schemes.rohc.judge.v1.profiles import UNCOMPRESSED

_TS = 1 << 32
_IP_ID = 1 << 16


@dataclass(slots=True)
class Outcome:
    """Result of one link packet. `before` and `after` are its context of RFC 3095, None where there is none.

    `delivered` is None when nothing is delivered: with `error` the packet was refused, without it there was nothing to
    deliver (feedback alone, an unfinished unit of segments, an IR packet without payload).
    """

    packet: Packet | None = None
    delivered: bytes | None = None
    error: RohcError | None = None
    before: Context | None = None
    after: Context | None = None
    feedback: list[bytes] = field(default_factory=list)  # for the compressor at this end
    is_segment: bool = False  # `packet` is then that of the unit, once it is reconstructed

    @property
    def is_unfinished(self) -> bool:
        """A segment that is not the last one of its unit."""
        return (
            self.is_segment and self.error is None and self.packet is not None and self.packet.kind == framing.SEGMENT
        )


class Decompressor:
    """All contexts of one channel."""

    def __init__(self, parameters: Parameters | None = None) -> None:
        self.channel = Channel(parameters or Parameters())
        self._arrival_ns: int | None = None

    def copy(self) -> "Decompressor":
        """A decompressor that knows as much and goes on by itself: contexts are replaced, never changed."""
        channel = self.channel
        copy = Decompressor(channel.parameters)
        copy.channel = replace(
            channel,
            contexts=dict(channel.contexts),
            tcp_contexts=dict(channel.tcp_contexts),
            segments=list(channel.segments),
            unreadable=dict(channel.unreadable),
        )
        return copy

    def decompress(self, octets: bytes, arrival_ns: int | None = None) -> Outcome:
        """Takes the next packet of the link. `arrival_ns` is when it came: only timer-based timestamps need it."""
        outcome = Outcome()
        self._arrival_ns = arrival_ns
        try:
            outcome.packet = parse_packet(octets, self.channel)
            outcome.feedback = outcome.packet.feedback
            if outcome.packet.kind == framing.SEGMENT:
                self._take_segment(outcome)
            else:
                self.channel.segments.clear()
                self._apply(outcome)
        except RohcError as error:
            outcome.error = error
            outcome.delivered = None
            outcome.feedback = outcome.feedback or error.feedback
            if error.cid is None and outcome.packet is not None and outcome.packet.kind != framing.SEGMENT:
                error.cid = outcome.packet.cid
            if isinstance(error, Unsupported) and error.cid is not None:
                self.channel.unreadable[error.cid] = error.feature
            if outcome.packet is None or outcome.packet.kind != framing.SEGMENT:
                self.channel.segments.clear()
        return outcome

    def _take_segment(self, outcome: Outcome) -> None:
        segment = outcome.packet
        assert segment is not None
        outcome.is_segment = True
        mrru = self.channel.parameters.mrru
        if not mrru:
            raise MalformedPacket("RFC5795-5.1.2-6", "A segment arrived, but MRRU is 0: the channel has no segments.")
        self.channel.segments.append(segment.payload)
        if not segment.final:
            return
        segments, self.channel.segments = self.channel.segments, []
        unit = framing.reconstruct(segments, mrru)
        outcome.packet = parse_packet(unit, self.channel, reconstructed=True)
        outcome.packet.feedback = outcome.feedback
        self._apply(outcome)

    def _apply(self, outcome: Outcome) -> None:
        packet = outcome.packet
        assert packet is not None
        if packet.kind == framing.FEEDBACK:
            return
        if packet.tcp is not None:
            self._take_tcp(packet.tcp, outcome)
            return
        outcome.before = outcome.after = self.channel.contexts.get(packet.cid)
        if packet.kind == "Normal":
            outcome.delivered = packet.payload
            return
        if packet.header is not None:
            assert outcome.before is not None
            context, outcome.delivered = restore(packet.header, packet.payload, outcome.before, self._arrival_ns)
        else:
            context, outcome.delivered = initialise(packet, outcome.before)
            context.arrival_ns = self._arrival_ns
            self.channel.unreadable.pop(packet.cid, None)
            self.channel.tcp_contexts.pop(packet.cid, None)
        outcome.after = self.channel.contexts[packet.cid] = context

    def _take_tcp(self, packet: TcpPacket, outcome: Outcome) -> None:
        """A packet of ROHC-TCP: what comes out has been verified as it was read (RFC 6846, 5.3.1.1)."""
        self.channel.contexts.pop(packet.cid, None)
        self.channel.unreadable.pop(packet.cid, None)
        self.channel.tcp_contexts[packet.cid] = packet.context
        outcome.delivered = packet.delivered


def initialise(packet: Packet, before: Context | None) -> tuple[Context, bytes | None]:
    """The context after an IR or IR-DYN packet, and what it delivers: nothing without a payload (RFC 3095, 5.7.7)."""
    profile = packet.profile
    assert profile is not None
    if profile is UNCOMPRESSED:
        context = before if before is not None and before.profile is profile else Context(packet.cid, profile)
        context = context.copy()
        context.state = FULL_CONTEXT
        return context, packet.payload or None
    if before is None or (before.profile is not profile and packet.kind == framing.IR):
        context = Context(packet.cid, profile)  # RFC 5795, 5.1.1: a new context
    else:
        context = before.copy()
        if before.profile is not profile:
            _change_profile(context, packet)
    if packet.static is not None:
        if len(packet.static.ips) != len(context.ips) or any(
            a.version != b.version for a, b in zip(packet.static.ips, context.ips, strict=True)
        ):
            context.dynamic = False  # What is known of the dynamic part was of other headers.
        context.ips = [_with_static(new, old) for new, old in _pairs(packet.static.ips, context.ips)]
        context.ports, context.ssrc, context.spi = packet.static.ports, packet.static.ssrc, packet.static.spi
    if packet.dynamic is None:
        # RFC 4815, 6.3: only the static part is updated.
        if not context.dynamic or context.state != FULL_CONTEXT:
            context.state = STATIC_CONTEXT
        return context, None
    if context.dynamic:
        half = 1 << profile.sn_bits - 1
        _advance_sequences(context, (packet.dynamic.sn - context.sn + half) % (2 * half) - half)
    marker = _apply_dynamic(context, packet.dynamic)
    if profile.coverage:
        # RFC 4019, 5.2.2: each IR or IR-DYN packet sets both, by what it says of its own packet.
        covered = context.coverage == transport_length(context, packet.payload)
        context.cfp, context.cfi = int(not covered), int(covered)
    context.dynamic = True
    context.state = FULL_CONTEXT
    if not packet.payload:
        return context, None
    return context, _build(context, marker, packet.dynamic.udp_checksum, packet.payload)[0] + packet.payload


def _change_profile(context: Context, packet: Packet) -> None:
    """IR-DYN redefines the profile: the static chain stays as far as that goes, the mode is new (RFC 4815, 7.2.2)."""
    profile = packet.profile
    assert profile is not None
    context.profile = profile
    context.mode = "U"
    if profile.transport is None:
        context.ports = context.spi = b""
    if "RTP" not in profile.after_ip:
        context.ssrc = b""


def _pairs(new: list[Ip], old: list[Ip]) -> list[tuple[Ip, Ip | None]]:
    return [(ip, old[n] if n < len(old) and old[n].version == ip.version else None) for n, ip in enumerate(new)]


def _with_static(new: Ip, old: Ip | None) -> Ip:
    """The static part of `new` with what `old` has as dynamic part."""
    if old is None:
        return new
    ip = old.copy()
    ip.protocol, ip.addresses, ip.flow_label, ip.ends_chain = (
        new.protocol,
        new.addresses,
        new.flow_label,
        new.ends_chain,
    )
    return ip


def _apply_dynamic(context: Context, chain: DynamicChain) -> int:
    """Takes over a dynamic chain; returns the marker, which no context keeps."""
    context.sn = chain.sn
    for part, ip in zip(chain.ips, context.ips, strict=True):
        part.apply(ip)
        ip.headers = ip.headers.remembering(part.headers, context.sn)
    context.udp_checksum, context.coverage = chain.udp_checksum, chain.coverage
    rtp = chain.rtp
    if rtp is None:
        return 0
    context.padding, context.payload_type, context.ts = rtp.padding, rtp.payload_type, rtp.ts
    context.extension = rtp.extension  # RFC 4815, 6.5: zero if RX = 0
    context.csrcs = context.csrcs.updated(rtp.csrcs).remembering(rtp.csrcs, context.sn)
    if rtp.mode is not None:
        context.mode = MODES.get(rtp.mode, context.mode)
    if rtp.ts_stride is not None:
        context.ts_stride = rtp.ts_stride
    if rtp.time_stride is not None:
        context.time_stride = rtp.time_stride
    return rtp.marker


def _advance_sequences(context: Context, change: int) -> None:
    """Sequence numbers of AH and GRE follow the SN (RFC 4815, 5.8)."""
    for ip in context.ips:
        ip.headers = extension_headers.advanced(ip.headers, change)


@dataclass(slots=True)
class Attempt:
    """A header as packet and context make it, before the CRC is looked at. `now` has the values of this packet."""

    now: Context
    octets: bytes
    covered: bytes  # what the CRC covers, in its order


def reconstruct(header: CompressedHeader, payload: bytes, before: Context, arrival_ns: int | None = None) -> Attempt:
    """Step 5.3.2.2.2 of RFC 3095 without the verification."""
    now = before.copy()
    change = lsb.change(before.sn, header.sn, before.profile.p_sn(header.sn.width))
    now.sn = (before.sn + change) % (1 << before.profile.sn_bits)
    _advance_sequences(now, change)
    stride = None
    extension = header.extension
    if extension is not None and extension.number == 3:
        stride = _apply_extension_3(now, extension)
    if before.profile.rtp:
        now.ts = timestamp(before, header, change, arrival_ns)
        if stride is not None and not header.tsc:
            now.ts_stride = stride  # RFC 4815, 4.6: ignored when TS is scaled
    _restore_ip_ids(now, header, before)
    for part, ip in zip(header.additional, now.ips[2:], strict=True):
        part.apply(ip)
    if before.profile.coverage:
        now.coverage = coverage(before, header, transport_length(now, payload))
    return Attempt(now, *_build(now, header.marker, header.udp_checksum, payload, header.as_is))


def transport_length(context: Context, payload: bytes) -> int:
    """Octets of a UDP-Lite packet, from its header on: RFC 4019, 5.1."""
    return 8 + (12 + 4 * len(context.csrcs.entries) if context.profile.rtp else 0) + len(payload)


def coverage(context: Context, header: CompressedHeader, length: int) -> int:
    """The checksum coverage of a packet: sent, inferred from its length, or as in the context (RFC 4019, 5.5)."""
    if header.coverage is not None:
        return header.coverage
    return length if context.cfi else context.coverage


def keep_coverage(after: Context, header: CompressedHeader, before: Context, length: int) -> None:
    """RFC 4019, 5.3.2: CCE(ON) updates CFP, CCE(OFF) CFP, CFI and the coverage; nothing else updates any of them."""
    after.cfp, after.cfi = before.cfp, before.cfi
    sent = after.coverage
    after.coverage = before.coverage
    if header.cce == "ON":
        after.cfp = 1
    elif header.cce == "OFF":
        after.cfp, after.cfi, after.coverage = 0, int(sent == length), sent


def restore(
    header: CompressedHeader, payload: bytes, before: Context, arrival_ns: int | None = None
) -> tuple[Context, bytes]:
    """Decompresses a packet of type 0, 1 or 2, verifies its CRC, and returns the updated context and the packet.

    A packet without CRC updates nothing (RFC 3095, 5.5.1.2, 5.7.1 and 5.7.2).
    """
    attempt = reconstruct(header, payload, before, arrival_ns)
    if not header.has_crc:
        return before, attempt.octets + payload
    width, carried = header.crc.width, header.crc.value
    expected = crc.of_width(width, attempt.covered)
    if expected != carried:
        raise CrcMismatch(
            "RFC3095-5.3.2.2.2-1",
            f"The {header.kind} packet carries CRC-{width} {carried}; the header as decompressed gives {expected}.",
        )
    after = attempt.now if header.kind != "UO-1-ID" else _only_what_uo_1_id_updates(attempt.now, before)
    if before.profile.coverage:
        length = transport_length(attempt.now, payload)
        after.coverage = attempt.now.coverage
        keep_coverage(after, header, before, length)
    if header.kind != "UO-1-ID":
        _settle_lists(after, header, before)
    after.state = FULL_CONTEXT
    after.arrival_ns = arrival_ns
    return after, attempt.octets + payload


def _settle_lists(after: Context, header: CompressedHeader, before: Context) -> None:
    """Decides which lists of the packet stay, and which may be referred to: RFC 3095, 5.8.2.1."""
    for ip, part, old in zip(after.ips[2:], header.additional, before.ips[2:], strict=True):
        ip.headers = ip.headers.settled(part.headers, old.headers, after.mode, after.sn)
    extension = header.extension
    if extension is None:
        return
    for number, changes in ((0, extension.outer), (len(after.in_base_header) - 1, extension.inner)):
        if changes is not None and changes.headers is not None:
            ip, old = after.ips[number], before.ips[number]
            ip.headers = ip.headers.settled(changes.headers.compressed, old.headers, after.mode, after.sn)
    if extension.rtp is not None:
        after.csrcs = after.csrcs.settled(extension.rtp.csrcs, before.csrcs, after.mode, after.sn)


def _apply_extension_3(now: Context, extension) -> int | None:
    """Values that extension 3 gives as they are; returns TS_STRIDE if it is there."""
    if extension.inner is not None:
        extension.inner.apply(now.in_base_header[-1])
    if extension.outer is not None:
        extension.outer.apply(now.ips[0])
    if extension.mode is not None:
        now.mode = MODES.get(extension.mode, now.mode)  # RFC 3843, 3.4: mode 0 leaves the mode as it is
    rtp = extension.rtp
    if rtp is None:
        return None
    now.extension, now.padding = rtp.extension, rtp.padding
    if rtp.payload_type is not None:
        now.payload_type = rtp.payload_type
    if rtp.csrcs is not None:
        now.csrcs = now.csrcs.updated(rtp.csrcs)
    if rtp.time_stride is not None:
        now.time_stride = rtp.time_stride
    return rtp.ts_stride


def timestamp(reference: Context, header: CompressedHeader, sn_change: int, arrival_ns: int | None = None) -> int:
    """The RTP timestamp: RFC 3095, 4.5.3 and 5.7; RFC 4815, 4.1 to 4.6.

    TS_OFFSET is always the reference timestamp modulo TS_STRIDE: so it is right after an unscaled timestamp (RFC 4815,
    4.5) and after a wrap-around.
    """
    bits = header.ts
    stride = reference.ts_stride
    if not bits.width:
        if not header.tsc:
            raise MalformedPacket("RFC4815-4.2-2", "Tsc is 0, but the packet carries no TS bits.")
        return (reference.ts + sn_change * stride) % _TS
    # A TIME_STRIDE of the packet itself is not for its own timestamp (RFC 4815, 8.11).
    elapsed = _elapsed(reference, arrival_ns) if reference.time_stride else 0
    p = intervals.p_ts_timer(bits.width) if reference.time_stride else intervals.p_ts(bits.width)
    if not header.tsc:
        return lsb.decode((reference.ts + elapsed * stride) % _TS, bits, p, _TS)
    if not stride:
        raise MalformedPacket("RFC4815-4.4.1-1", "The packet carries scaled TS bits, but TS_STRIDE is 0.")
    scaled_change = elapsed + lsb.change(reference.ts // stride + elapsed, bits, p)
    return (reference.ts + scaled_change * stride) % _TS


def _elapsed(reference: Context, arrival_ns: int | None) -> int:
    """Time since the reference header in units of TIME_STRIDE, by integer arithmetic: RFC 3095, 4.5.4."""
    if arrival_ns is None or reference.arrival_ns is None:
        raise Unsupported(
            "RFC3095-4.5.4-1",
            "TIME_STRIDE is not zero: TS bits are relative to a clock, and when the packet came is not known.",
            "timer-based",
        )
    return (arrival_ns - reference.arrival_ns) // (reference.time_stride * 1_000_000)


def ip_id(ip: Ip, reference: Ip, reference_sn: int, sn: int, bits: Bits) -> int:
    """The identification of a header with RND = 0: RFC 3095, 4.5.5; RFC 3843, 3.3. NBO of `ip` is this packet's."""
    if ip.sid:
        return reference.identification
    offset = lsb.decode(
        _ordered(reference.identification, ip.nbo) - reference_sn, bits, intervals.p_ip_id(bits.width), _IP_ID
    )
    return _ordered((sn + offset) % _IP_ID, ip.nbo)


def _ordered(identification: int, nbo: int) -> int:
    return identification if nbo else identification >> 8 | (identification & 0xFF) << 8


def _restore_ip_ids(now: Context, header: CompressedHeader, before: Context) -> None:
    two = now.in_base_header
    sequential = [n for n, ip in enumerate(two) if ip.version == 4 and not ip.rnd]
    for n, ip in enumerate(two):
        if ip.version != 4:
            continue
        is_outer = len(two) == 2 and n == 0
        if ip.rnd:
            value = header.random_ip_ids[0 if is_outer else 1]
            assert value is not None
            ip.identification = value
            continue
        bits = header.ip_id if n == sequential[-1] else NO_BITS
        if is_outer and header.outer_ip_id.width:
            bits = header.outer_ip_id
        ip.identification = ip_id(ip, before.ips[n], before.sn, now.sn, bits)


def _only_what_uo_1_id_updates(now: Context, before: Context) -> Context:
    """RFC 4815, 6.2: SN, TS, IP-ID, sequence numbers of extension headers, and the translation tables of lists."""
    after = before.copy()
    after.sn, after.ts = now.sn, now.ts
    after.csrcs = replace(after.csrcs, table=now.csrcs.table)
    for mine, theirs in zip(after.ips, now.ips, strict=True):
        mine.identification = theirs.identification
        mine.headers = replace(mine.headers, table=theirs.headers.table, sequences=theirs.headers.sequences)
    return after


def _build(
    context: Context, marker: int, udp_checksum: int, payload: bytes, as_is: Sequence[dict[int, bytes]] = ()
) -> tuple[bytes, bytes]:
    """The uncompressed header, lengths and IPv4 checksums inferred, and the octets that its CRC covers.

    `as_is` has what the packet carries for the extension headers of each IP header, by position in its list.
    """
    behind = _behind_ip(context, marker, udp_checksum, len(payload))
    parts = [behind]
    length = len(payload) + len(behind)
    for n in reversed(range(len(context.ips))):
        ip = context.ips[n]
        items = extension_headers.present(ip.headers, as_is[n] if n < len(as_is) else {})
        extensions = b"".join(extension_headers.restore(items, ip.protocol))
        protocol = items[0][0] if items else ip.protocol
        length += len(extensions)
        if ip.version == 4:
            length += 20
            _check_length("IPv4", length)
            ip_header = headers.ipv4(ip.tos, length, ip.identification, ip.df, ip.ttl, protocol, ip.addresses)
        else:
            _check_length("IPv6", length)
            ip_header = headers.ipv6(ip.tos, ip.flow_label, length, protocol, ip.ttl, ip.addresses)
            length += 40
        parts += [extensions, ip_header]
    octets = b"".join(reversed(parts))
    return octets, headers.crc_input(octets, context.kinds, len(context.csrcs.entries))


def _behind_ip(context: Context, marker: int, udp_checksum: int, payload: int) -> bytes:
    """The headers behind the IP headers, in front of so many octets of payload."""
    profile = context.profile
    rtp = b""
    if profile.rtp:
        csrcs = context.csrcs.items
        flags = 0x80 | context.padding << 5 | context.extension << 4 | len(csrcs)
        second = marker << 7 | context.payload_type
        rtp = headers.rtp(flags, second, context.sn, context.ts, context.ssrc, b"".join(csrcs))
    if profile.transport is None:
        return b""
    if profile.transport == "ESP":
        return context.spi + context.sn.to_bytes(4, "big")
    length = 8 + len(rtp) + payload
    _check_length(profile.transport, length)
    return headers.udp(context.ports, context.coverage if profile.coverage else length, udp_checksum) + rtp


def _check_length(what: str, length: int) -> None:
    if length > 0xFFFF:
        raise MalformedPacket(
            "RFC5795-5.2.3-4", f"The {what} length would be {length}: the packet is too long to be one."
        )
