# SPDX-License-Identifier: Apache-2.0
"""Compressed headers of packet types 0, 1 and 2: RFC 3095, 5.7.1 to 5.7.4 and 5.11.3; RFC 4019, 5.3.

This is the wire format alone. What the bits mean for the header is `decompressor`'s business.
"""

from dataclasses import dataclass, field

from headroom.schemes.rohc.judge.framework.bits import NO_BITS, Bits, Reader
from headroom.schemes.rohc.judge.framework.errors import MalformedPacket
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.framework.framing import Frame
from headroom.schemes.rohc.judge.v1 import extension as extensions
from headroom.schemes.rohc.judge.v1.chains import IpDynamic, read_dynamic_ip
from headroom.schemes.rohc.judge.v1.context import Context, Ip
from headroom.schemes.rohc.judge.v1.extension import Extension
from headroom.schemes.rohc.judge.v1.extension_headers import AH, GRE, awaited


@dataclass(slots=True)
class CompressedHeader:
    """Bits of base header and extension together, most significant first (RFC 3095, 4.5.7).

    `ip_id` belongs to the innermost IPv4 header whose RND flag is not 1, `outer_ip_id` to the outer header.
    `random_ip_ids` are sent as they are: (outer, inner), None where there is none. `as_is` has data of AH and checksums
    of GRE, which are, too: for each IP header of the base header, by position in its list.
    """

    kind: str
    crc: Bits
    sn: Bits
    ts: Bits = NO_BITS
    ip_id: Bits = NO_BITS
    outer_ip_id: Bits = NO_BITS
    marker: int = 0
    extension: Extension | None = None
    random_ip_ids: tuple[int | None, int | None] = (None, None)
    as_is: list[dict[int, bytes]] = field(default_factory=list)
    udp_checksum: int = 0
    additional: list[IpDynamic] = field(default_factory=list)
    cce: str | None = None  # of a CCE packet: "", "ON" or "OFF" (RFC 4019, 5.3.2); None of any other
    coverage: int | None = None  # UDP-Lite Checksum Coverage, where it is sent

    @property
    def ip_headers(self) -> int:
        """Number of IP headers that the base header is about: one or two."""
        return len(self.as_is)

    @property
    def has_crc(self) -> bool:
        """True if the header carries a CRC: only then it updates the context (RFC 3095, 5.5.1.2)."""
        return self.crc.width > 0

    @property
    def tsc(self) -> int:
        """1: TS is scaled, as always without extension 3 (RFC 3095, 5.7.5)."""
        return self.extension.tsc if self.extension else 1


def read(reader: Reader, frame: Frame, context: Context, remarks: list[Remark]) -> CompressedHeader:
    cce = _read_cce(reader, frame) if is_cce(reader.peek(), context) else None
    first = reader.peek()
    two = context.in_base_header
    if len(context.ips) > 2 and not context.profile.any_depth:
        raise MalformedPacket(
            "RFC3095-5.7.5-4",
            f"The context has {len(context.ips)} IP headers; compressed headers of profile {context.profile} know two.",
        )
    rnd = [ip.rnd for ip in two]
    if context.mode == "R" and first & 0xC0 != 0xC0:
        header = _read_r_1(reader, frame, context, remarks) if first & 0x80 else _read_r_0(reader, frame)
        if cce and not header.has_crc:
            raise MalformedPacket("RFC4019-5.3.2-3", f"CCE({cce}) extends a {header.kind} packet.")
    elif not first & 0x80:
        header = _read_uo_0(reader, frame)
    elif not first & 0x40:
        header = _read_type_1(reader, frame, context, remarks)
    elif not first & 0x20:
        header, rnd = _read_type_2(reader, frame, context, remarks)
    else:
        raise MalformedPacket(
            "RFC5795-5.2-1", f"The packet type octet 0x{first:02x} has no meaning in profile {context.profile}."
        )
    header.cce = cce
    _read_tail(reader, header, context, rnd, remarks)
    return header


def is_cce(octet: int, context: Context) -> bool:
    """111110FK, of which FK = 00 is IR-DYN: RFC 4019, 5.3.2."""
    return context.profile.coverage and octet in (0xF9, 0xFA, 0xFB)


def inner_type(reader: Reader, frame: Frame, context: Context) -> int:
    """The octet with the packet type of RFC 3095, which a CCE packet has behind its own type and large CID."""
    first = reader.peek()
    if not is_cce(first, context):
        return first
    return reader.peek(1 + sum(field.width for field in frame.large_cid) // 8, "inner base header")


def _read_cce(reader: Reader, frame: Frame) -> str:
    """The outer packet type identifier and the CID behind it: what follows is read as a packet without CID."""
    _, f, k = reader.split(("CCE", 6), ("F", 1), ("K", 1))
    frame.take_large_cid(reader)
    frame.large_cid = []
    return {(0, 1): "", (1, 0): "ON", (1, 1): "OFF"}[f, k]


def _read_uo_0(reader: Reader, frame: Frame) -> CompressedHeader:
    _, sn, crc = reader.split(("UO-0", 1), ("SN", 4), ("CRC", 3))
    frame.take_large_cid(reader)
    return CompressedHeader("UO-0", Bits(crc, 3), Bits(sn, 4))


def _read_r_0(reader: Reader, frame: Frame) -> CompressedHeader:
    """R-0 and R-0-CRC, whose SN straddles the CID (RFC 3095, 5.7.1)."""
    _, with_crc, high = reader.split(("R-0", 1), ("R-0-CRC", 1), ("SN", 6))
    frame.take_large_cid(reader)
    if not with_crc:
        return CompressedHeader("R-0", NO_BITS, Bits(high, 6))
    low, crc = reader.split(("SN", 1), ("CRC", 7))
    return CompressedHeader("R-0-CRC", Bits(crc, 7), Bits(high << 1 | low, 7))


def _read_r_1(reader: Reader, frame: Frame, context: Context, remarks: list[Remark]) -> CompressedHeader:
    """R-1 of both kinds, R-1-ID and R-1-TS (RFC 3095, 5.7.2 and 5.11.3)."""
    _, sn = reader.split(("R-1", 2), ("SN", 6))
    frame.take_large_cid(reader)
    header = CompressedHeader("R-1", NO_BITS, Bits(sn, 6))
    t = None
    if not context.profile.rtp:
        x, ip_id = reader.split(("X", 1), ("IP-ID", 7))
        header.ip_id = Bits(ip_id, 7)
    elif not context.has_sequential_ip_id():
        header.marker, x, ts = reader.split(("M", 1), ("X", 1), ("TS", 6))
        header.ts = Bits(ts, 6)
    else:
        t = reader.peek(name="R-1") >> 5 & 1
        header.marker, x, _, value = reader.split(("M", 1), ("X", 1), ("T", 1), ("TS" if t else "IP-ID", 5))
        if t:
            header.kind, header.ts = "R-1-TS", Bits(value, 5)
        else:
            header.kind, header.ip_id = "R-1-ID", Bits(value, 5)
    if x:
        _refuse_new_rnd(header.kind, extensions.flags_of_rnd(reader, context, x, reader.position), context)
        _take_extension(reader, header, context, t, remarks)
        _compare_markers(header)
    return header


def _refuse_new_rnd(kind: str, rnd: list[int], context: Context) -> None:
    if any(ip.version == 4 and ip.rnd != flag for ip, flag in zip(context.in_base_header, rnd, strict=True)):
        raise MalformedPacket(
            "RFC3095-5.7-11",
            f"A {kind} packet changes an RND flag; it must not be used while one is being established.",
        )


def _compare_markers(header: CompressedHeader) -> None:
    rtp = header.extension.rtp if header.extension else None
    if rtp and rtp.marker != header.marker:
        raise MalformedPacket(
            "RFC4815-8.4-2",
            f"M is {header.marker} in the base header and {rtp.marker} in extension 3; both must be the same.",
        )


def _read_type_1(reader: Reader, frame: Frame, context: Context, remarks: list[Remark]) -> CompressedHeader:
    """UO-1 of both kinds, UO-1-ID and UO-1-TS (RFC 3095, 5.7.3 and 5.11.3)."""
    if not context.profile.rtp:
        _, ip_id = reader.split(("UO-1", 2), ("IP-ID", 6))
        frame.take_large_cid(reader)
        sn, crc = reader.split(("SN", 5), ("CRC", 3))
        return CompressedHeader("UO-1", Bits(crc, 3), Bits(sn, 5), ip_id=Bits(ip_id, 6))
    if not context.has_sequential_ip_id():
        _, ts = reader.split(("UO-1", 2), ("TS", 6))
        frame.take_large_cid(reader)
        marker, sn, crc = reader.split(("M", 1), ("SN", 4), ("CRC", 3))
        return CompressedHeader("UO-1", Bits(crc, 3), Bits(sn, 4), ts=Bits(ts, 6), marker=marker)
    t = reader.peek() >> 5 & 1
    if t:
        _, _, ts = reader.split(("UO-1", 2), ("T", 1), ("TS", 5))
        frame.take_large_cid(reader)
        marker, sn, crc = reader.split(("M", 1), ("SN", 4), ("CRC", 3))
        return CompressedHeader("UO-1-TS", Bits(crc, 3), Bits(sn, 4), ts=Bits(ts, 5), marker=marker)
    _, _, ip_id = reader.split(("UO-1", 2), ("T", 1), ("IP-ID", 5))
    frame.take_large_cid(reader)
    x, sn, crc = reader.split(("X", 1), ("SN", 4), ("CRC", 3))
    header = CompressedHeader("UO-1-ID", Bits(crc, 3), Bits(sn, 4), ip_id=Bits(ip_id, 5))
    if x:
        _refuse_new_rnd("UO-1-ID", extensions.flags_of_rnd(reader, context, x, reader.position), context)
        _take_extension(reader, header, context, t=0, remarks=remarks)
        if header.extension and header.extension.rtp:
            header.marker = header.extension.rtp.marker  # UO-1-ID has no M of its own
    return header


def _read_type_2(
    reader: Reader, frame: Frame, context: Context, remarks: list[Remark]
) -> tuple[CompressedHeader, list[int]]:
    """UOR-2 of both kinds, UOR-2-ID and UOR-2-TS (RFC 3095, 5.7.4 and 5.11.3), and RND as it is after the packet."""
    cid_octets = sum(field.width for field in frame.large_cid) // 8
    crc_at = reader.position + cid_octets + (2 if context.profile.rtp else 1)
    if crc_at >= len(reader.octets):
        raise reader.truncated("UOR-2 header", crc_at + 1 - reader.position)
    rnd = extensions.flags_of_rnd(reader, context, reader.octets[crc_at] >> 7, crc_at + 1)
    if not context.profile.rtp:
        _, sn = reader.split(("UOR-2", 3), ("SN", 5))
        frame.take_large_cid(reader)
        x, crc = reader.split(("X", 1), ("CRC", 7))
        header = CompressedHeader("UOR-2", Bits(crc, 7), Bits(sn, 5))
        t = None
    elif any(ip.version == 4 and not flag for ip, flag in zip(context.in_base_header, rnd, strict=True)):
        t = reader.peek(1 + cid_octets) >> 7
        _, value = reader.split(("UOR-2", 3), ("TS" if t else "IP-ID", 5))
        frame.take_large_cid(reader)
        _, marker, sn = reader.split(("T", 1), ("M", 1), ("SN", 6))
        x, crc = reader.split(("X", 1), ("CRC", 7))
        header = CompressedHeader("UOR-2-TS" if t else "UOR-2-ID", Bits(crc, 7), Bits(sn, 6), marker=marker)
        if t:
            header.ts = Bits(value, 5)
        else:
            header.ip_id = Bits(value, 5)
    else:
        t = None
        _, high = reader.split(("UOR-2", 3), ("TS", 5))
        frame.take_large_cid(reader)
        low, marker, sn = reader.split(("TS", 1), ("M", 1), ("SN", 6))
        x, crc = reader.split(("X", 1), ("CRC", 7))
        header = CompressedHeader("UOR-2", Bits(crc, 7), Bits(sn, 6), ts=Bits(high << 1 | low, 6), marker=marker)
    if x:
        _take_extension(reader, header, context, t, remarks)
        _compare_markers(header)
    return header, rnd


def _take_extension(
    reader: Reader, header: CompressedHeader, context: Context, t: int | None, remarks: list[Remark]
) -> None:
    """Reads the extension and appends its bits to those of the base header (RFC 3095, 5.7.5). `t`: T bit, or None."""
    extension = extensions.read(reader, context, t, remarks)
    header.extension = extension
    header.sn = header.sn.then(extension.sn)
    header.ts = header.ts.then(extension.ts)
    header.ip_id = header.ip_id.then(extension.ip_id)
    header.outer_ip_id = extension.outer_ip_id
    if extension.number == 3 or not context.profile.rtp:
        return
    if t is None:  # "When there is no T-bit, +T and -T both mean TS."
        header.ts = header.ts.then(extension.plus_t).then(extension.minus_t)
    elif t:
        header.ts = header.ts.then(extension.plus_t)
        header.ip_id = header.ip_id.then(extension.minus_t)
    else:
        header.ip_id = header.ip_id.then(extension.plus_t)
        header.ts = header.ts.then(extension.minus_t)


def _read_tail(
    reader: Reader, header: CompressedHeader, context: Context, rnd: list[int], remarks: list[Remark]
) -> None:
    """Reads the fields behind base header and extension, which are in the order of the original header (RFC 3095, 5.7;
    RFC 3843, 3.6).
    """
    two = context.in_base_header
    random: list[int | None] = []
    for n, ip in enumerate(two):
        is_outer = len(two) == 2 and n == 0
        sent = ip.version == 4 and rnd[n]
        random.append(reader.number("IP-ID (outer)" if is_outer else "IP-ID", 2) if sent else None)
        header.as_is.append(_read_as_is(reader, header.extension, ip, is_outer))
    header.random_ip_ids = (random[0] if len(two) == 2 else None, random[-1])
    for ip in context.ips[2:]:
        header.additional.append(read_dynamic_ip(reader, context.profile, ip.version, remarks))
    if context.profile.coverage:
        if context.cfp or header.cce is not None:
            header.coverage = reader.number("UDP-Lite Checksum Coverage", 2)
        header.udp_checksum = reader.number("UDP-Lite Checksum", 2)
    elif context.profile.checksum_context and context.udp_checksum:
        header.udp_checksum = reader.number("UDP Checksum", 2)


def _read_as_is(reader: Reader, extension: Extension | None, ip: Ip, is_outer: bool) -> dict[int, bytes]:
    """Data of AH and checksums of GRE of one list, by position: of headers that are not items of the packet itself."""
    changes = extension and (extension.outer if is_outer else extension.inner)
    compressed = changes.headers.compressed if changes and changes.headers else None
    entries = compressed.entries if compressed is not None else ip.headers.entries
    names = {AH: "AH data", GRE: "GRE checksum"}
    return {
        position: reader.take(names[entries[position].item[0]], count)
        for position, count in awaited(entries, compressed)
    }
