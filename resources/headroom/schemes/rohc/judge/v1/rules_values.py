# SPDX-License-Identifier: Apache-2.0
"""Rules on values: a compressed header means the original header to a decompressor that has received the last ones."""

import struct
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from headroom.schemes.rohc.judge.framework import crc, lsb
from headroom.schemes.rohc.judge.framework.bits import NO_BITS, Bits
from headroom.schemes.rohc.judge.framework.errors import RohcError
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.framework.parameters import Parameters
from headroom.schemes.rohc.judge.v1 import extension_headers, headers
from headroom.schemes.rohc.judge.v1.base_header import CompressedHeader
from headroom.schemes.rohc.judge.v1.context import Channel, Context
from headroom.schemes.rohc.judge.v1.decompressor import (
    Attempt,
    ip_id,
    keep_coverage,
    reconstruct,
    restore,
    timestamp,
    transport_length,
)
from headroom.schemes.rohc.judge.v1.extension_headers import Shape
from headroom.schemes.rohc.judge.v1.headers import Kind
from headroom.schemes.rohc.judge.v1.packet import Packet, parse_packet

# Which rule is broken when a field of the restored header differs from the original.
_RULE = {
    "SN": "RFC3095-4.5.1-1",
    "timestamp": "RFC3095-4.5.3-1",
    "identification": "RFC3095-4.5.5-1",
    "UDP checksum": "RFC3095-5.7-7",
    "UDP-Lite checksum": "RFC4019-5.1-1",
    "checksum coverage": "RFC4019-5.4-1",
    "marker": "RFC3095-5.7-5",
    "static": "RFC3095-4.2-1",
    "sequence": "RFC4815-5.8-1",
    "extension header": "RFC3095-5.8.4-1",
    "list": "RFC3095-5.8.2.1-10",
    "other": "RFC3095-5.3.1.1.3-1",
}


class Difference(NamedTuple):
    """A header field that is not restored: its name, which rule it is under, and both values."""

    field: str
    rule: str
    original: int
    restored: int


def differences(original: bytes, restored: bytes, kinds: Sequence[Kind]) -> list[Difference]:
    """Header fields in which two packets with such headers differ, but for lengths and IPv4 checksums."""
    result: list[Difference] = []
    at = 0

    def compare(name: str, rule: str, layout: str, offset: int, mask: int = -1) -> None:
        try:
            (a,), (b,) = (struct.unpack_from(layout, packet, at + offset) for packet in (original, restored))
        except struct.error:
            return
        if (a ^ b) & mask:
            result.append(Difference(name, rule, a & mask, b & mask))

    ip_headers = sum(kind in (4, 6) for kind in kinds)
    n = 0
    for kind in kinds:
        n += kind in (4, 6)
        which = f" of IP header {n}" if ip_headers > 1 else ""
        if isinstance(kind, Shape):
            result += _extension_header(kind, original[at : at + kind.octets], restored[at : at + kind.octets], which)
            at += kind.octets
        elif kind == 4:
            compare(f"TOS{which}", "other", "!B", 1)
            compare(f"identification{which}", "identification", "!H", 4)
            compare(f"DF{which}", "other", "!H", 6, 0x4000)
            compare(f"TTL{which}", "other", "!B", 8)
            compare(f"protocol{which}", "static", "!B", 9)
            for offset, name in ((12, "source address"), (16, "destination address")):
                compare(f"{name}{which}", "static", "!I", offset)
            at += 20
        elif kind == 6:
            compare(f"traffic class{which}", "other", "!I", 0, 0x0FF00000)
            compare(f"flow label{which}", "static", "!I", 0, 0xFFFFF)
            compare(f"next header{which}", "static", "!B", 6)
            compare(f"hop limit{which}", "other", "!B", 7)
            for offset in range(8, 40, 8):
                compare(f"address{which}", "static", "!Q", offset)
            at += 40
        elif kind == "UDP":
            compare("ports", "static", "!I", 0)
            compare("UDP checksum", "UDP checksum", "!H", 6)
            at += 8
        elif kind == "UDP-Lite":
            compare("ports", "static", "!I", 0)
            compare("checksum coverage", "checksum coverage", "!H", 4)
            compare("UDP-Lite checksum", "UDP-Lite checksum", "!H", 6)
            at += 8
        elif kind == "ESP":
            compare("SPI", "static", "!I", 0)
            compare("SN", "SN", "!I", 4)
            at += 8
        else:
            compare("RTP P, X and CC", "other", "!B", 0)
            compare("marker", "marker", "!B", 1, 0x80)
            compare("payload type", "other", "!B", 1, 0x7F)
            compare("SN", "SN", "!H", 2)
            compare("timestamp", "timestamp", "!I", 4)
            compare("SSRC", "static", "!I", 8)
            at += 12
    return result


def _extension_header(shape: Shape, original: bytes, restored: bytes, which: str) -> Iterator[Difference]:
    """Yields the difference of an extension header: its sequence numbers if these differ, else all its octets."""
    if original == restored:
        return
    name = f"{extension_headers.NAMES[shape.type]}{which}"
    number = slice(8, 12) if shape.type == extension_headers.AH else slice(shape.octets - 4, shape.octets)
    counts = shape.type == extension_headers.AH or shape.flags & extension_headers.S
    rule = "extension header"
    if counts and original[number] != restored[number]:
        name, rule = f"sequence number of {name}", "sequence"
        original, restored = original[number], restored[number]
    yield Difference(name, rule, int.from_bytes(original, "big"), int.from_bytes(restored, "big"))


def not_restored(packet: Packet, source: bytes, before: Context | None) -> Iterator[Remark]:
    """Yields reasons why a compressed packet was not restored: a wrong CRC, other headers, or other field values."""
    header = packet.header
    if header is None or before is None:
        return
    attempt = _attempt(header, packet, before)
    if attempt is None:
        return
    carried = header.crc.value
    original = _original(source, attempt.now)
    if original is not None and original.core == before.core:
        covered = headers.crc_input(source[: original.end], original.kinds, original.csrc_count)
        right = crc.of_width(header.crc.width, covered)
        if right != carried:
            yield Remark(
                "RFC3095-5.9.2-1",
                f"The {header.kind} packet carries CRC-{header.crc.width} {carried}; the original header gives "
                f"{right}.",
            )
    if original is not None and original.kinds != attempt.now.kinds:
        yield Remark(
            _RULE["list"],
            f"The {header.kind} packet restores the chain {_chain(attempt.now.kinds)}; in the original it is "
            f"{_chain(original.kinds)}.",
        )
        return
    for difference in differences(source, attempt.octets + packet.payload, attempt.now.kinds):
        yield Remark(
            _RULE[difference.rule],
            f"The {header.kind} packet restores {difference.field} as 0x{difference.restored:x}; in the original it is "
            f"0x{difference.original:x}.",
        )


def _original(source: bytes, context: Context) -> headers.Original | None:
    """The headers of an original packet that a context speaks of."""
    return headers.parse(source, context.profile.after_ip, len(context.ips), context.protocols)


def _chain(kinds: Sequence[Kind]) -> str:
    """Headers in words: IPv4, AH (24 octets), UDP."""
    return ", ".join(
        f"{extension_headers.NAMES[kind.type]} ({kind.octets} octets)"
        if isinstance(kind, Shape)
        else f"IPv{kind}"
        if isinstance(kind, int)
        else kind
        for kind in kinds
    )


def other_format(link: bytes, source: bytes, parameters: Parameters, before: Context) -> Iterator[Remark]:
    """Yields a remark if a packet is restored with inverted RND flags: then its format was not allowed (5.7)."""
    if not before.profile.rtp or not any(ip.version == 4 for ip in before.in_base_header):
        return
    believed = before.copy()
    for ip in believed.in_base_header:
        ip.rnd ^= ip.version == 4
    channel = Channel(parameters, {before.cid: believed})
    try:
        packet = parse_packet(link, channel)
        if packet.header is None or restore(packet.header, packet.payload, believed)[1] != source:
            return
    except RohcError:
        return
    if before.has_sequential_ip_id():
        yield Remark(
            "RFC3095-5.7-9", f"{packet.kind} is used, but the context has an IPv4 header whose RND flag is not 1."
        )
    else:
        yield Remark(
            "RFC3095-5.7-10", f"{packet.kind} is used, but the context has no IPv4 header whose RND flag is 0."
        )


def follow(packet: Packet, source: bytes, before: Context) -> Context | None:
    """The context that the compressor believes in after a packet that was not restored: with the original's values.

    Taking it on keeps one wrong packet from making all later ones look wrong. None if the original has other headers.
    """
    original = _original(source, before)
    if packet.header is None or original is None:
        return None
    attempt = _attempt(packet.header, packet, before)
    if attempt is None or original.kinds != attempt.now.kinds:
        return None
    after = before.copy() if packet.kind == "UO-1-ID" else attempt.now
    after.sn, after.ts = attempt.now.sn, attempt.now.ts
    if before.profile.coverage:
        after.coverage = attempt.now.coverage
        keep_coverage(after, packet.header, before, transport_length(attempt.now, packet.payload))
    if before.profile.transport == "ESP":
        (after.sn,) = struct.unpack_from("!I", source, original.udp + 4)
    for ip, header in zip(after.ips, original.ips, strict=True):
        ip.identification, ip.df, ip.tos, ip.ttl = header.identification, header.df, header.tos, header.ttl
        ip.headers = extension_headers.believed(ip.headers, [extension.item for extension in header.extensions])
    if original.rtp >= 0:
        flags, second, after.sn, after.ts = struct.unpack_from("!BBHI", source, original.rtp)
        after.padding, after.extension, after.payload_type = flags >> 5 & 1, flags >> 4 & 1, second & 0x7F
    return after


def sn_of(packet: Packet, before: Context) -> int | None:
    """The sequence number that a compressed packet means, whether or not it is restored."""
    attempt = _attempt(packet.header, packet, before) if packet.header is not None else None
    return attempt.now.sn if attempt is not None else None


def _attempt(header: CompressedHeader, packet: Packet, before: Context) -> Attempt | None:
    try:
        return reconstruct(header, packet.payload, before)
    except RohcError:
        return None


class Window:
    """The last contexts of a compressor, one for each packet sent: candidates for the reference (RFC 3095, 4.5.2)."""

    def __init__(self, width: int) -> None:
        self._candidates: deque[Context] = deque(maxlen=width)

    def add(self, context: Context) -> None:
        self._candidates.append(context)

    def clear(self) -> None:
        self._candidates.clear()

    def remarks(self, header: CompressedHeader, before: Context, now: Context, confidence: int) -> Iterator[Remark]:
        """Fields of a packet that a decompressor misreads which lost the packets since one of the references.

        `before` is the newest reference, `now` has the right values. Only W-LSB encoded fields count, and a timestamp
        without bits as far as `confidence` packets back: whether another value was repeated often enough is not judged.

        How many references a compressor covers follows from how many packets give it confidence, which RFC 3095,
        5.3.1.1.1 leaves open: it "normally" sends several.
        """
        for age, reference in enumerate(reversed(self._candidates), 1):
            if reference is before:
                continue
            for name, rule in _misread(header, reference, before, now):
                if name == "timestamp" and not header.ts.width and age > confidence:
                    continue  # It follows from a pattern, which so many packets were enough to establish.
                yield Remark(
                    "RFC3095-5.3.1.1.1-1",
                    f"With the reference {age} packets back, the {name} of this {header.kind} packet is misread "
                    f"({rule}).",
                )


class SecureReferences:
    """In R-mode: contexts that the decompressor may have, from the last one acknowledged on (RFC 3095, 5.5.1).

    The compressor knows only what was acknowledged, so that each of its packets must be right for every one of them.
    """

    KEPT = 64
    TRIED = 4  # of the oldest and of the newest ones

    def __init__(self) -> None:
        self._candidates: list[Context] = []

    def add(self, context: Context) -> None:
        """The context behind a packet that carries a CRC-7 or CRC-8."""
        self._candidates.append(context)
        if len(self._candidates) > self.KEPT:
            del self._candidates[self.TRIED]  # not the first: that is the acknowledged one

    def clear(self) -> None:
        self._candidates.clear()

    def acknowledge(self, sn: Bits) -> None:
        """Drops the references from before the newest packet with this SN (4.5.2)."""
        mask = (1 << sn.width) - 1
        for n in reversed(range(len(self._candidates))):
            if not (self._candidates[n].sn ^ sn.value) & mask:
                del self._candidates[:n]
                return

    def remarks(
        self, packet: Packet, source: bytes, parameters: Parameters, arrival_ns: int | None = None
    ) -> Iterator[Remark]:
        """A compressed packet as decompressed after a loss of the packets behind one of the references."""
        if packet.header is None:
            return
        link = packet.octets
        count = len(self._candidates)
        for age, reference in enumerate(reversed(self._candidates), 1):
            if self.TRIED < age <= count - self.TRIED:
                continue
            try:
                read = parse_packet(link, Channel(parameters, {packet.cid: reference}))
                if read.header is not None and restore(read.header, read.payload, reference, arrival_ns)[1] == source:
                    continue
                what = "is restored as something else"
            except RohcError as error:
                what = f"is refused: {error.sentence}"
            yield Remark(
                "RFC3095-5.5.1.1.1-1",
                f"Of the updates since the last acknowledged one, the last {age - 1} may be lost: then this "
                f"{packet.kind} packet {what}",
            )
            return


def _misread(header: CompressedHeader, reference: Context, before: Context, now: Context) -> Iterator[tuple[str, str]]:
    change = lsb.change(reference.sn, header.sn, reference.profile.p_sn(header.sn.width))
    sn = (reference.sn + change) % (1 << reference.profile.sn_bits)
    if sn != now.sn:
        yield "SN", f"0x{sn:04x} instead of 0x{now.sn:04x} from {header.sn.width} bits"
        return
    if reference.profile.rtp and reference.ts_stride == before.ts_stride and not before.time_stride:
        ts = timestamp(reference, header, change)
        if ts != now.ts:
            yield "timestamp", f"0x{ts:08x} instead of 0x{now.ts:08x} from {header.ts.width} bits"
    two = now.in_base_header
    sequential = [n for n, ip in enumerate(two) if ip.version == 4 and not ip.rnd]
    for n in sequential:
        old = reference.ips[n]
        if (old.rnd, old.nbo, old.sid) != (two[n].rnd, two[n].nbo, two[n].sid):
            continue  # Whether the flags are known is not for W-LSB to say.
        bits = _ip_id_bits(header, n, sequential[-1], len(two))
        value = ip_id(two[n], old, reference.sn, now.sn, bits)
        if value != two[n].identification:
            yield "IP-ID", f"0x{value:04x} instead of 0x{two[n].identification:04x} from {bits.width} bits"


def _ip_id_bits(header: CompressedHeader, n: int, innermost: int, count: int) -> Bits:
    if count == 2 and n == 0 and header.outer_ip_id.width:
        return header.outer_ip_id
    return header.ip_id if n == innermost else NO_BITS
