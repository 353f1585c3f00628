# SPDX-License-Identifier: Apache-2.0
"""Extensions of compressed headers: RFC 3095, 5.7.5 (RTP) and 5.11.4 (UDP, ESP, IP)."""

from dataclasses import dataclass

from headroom.schemes.rohc.judge.framework import sdvl
from headroom.schemes.rohc.judge.framework.bits import NO_BITS, Bits, Reader
from headroom.schemes.rohc.judge.framework.errors import MalformedPacket
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.v1 import extension_headers
from headroom.schemes.rohc.judge.v1.context import Context, Ip
from headroom.schemes.rohc.judge.v1.extension_headers import HeaderChanges
from headroom.schemes.rohc.judge.v1.lists import CSRCS, CompressedList, read_list


@dataclass(slots=True)
class IpChanges:
    """Fields of one IP header in extension 3. None: not sent."""

    df: int
    nbo: int
    rnd: int
    tos: int | None = None
    ttl: int | None = None
    protocol: int | None = None
    headers: HeaderChanges | None = None

    def apply(self, ip: Ip) -> None:
        if self.tos is not None:
            ip.tos = self.tos
        if self.ttl is not None:
            ip.ttl = self.ttl
        if self.protocol is not None:
            ip.protocol = self.protocol
        if ip.version == 4:
            ip.df, ip.nbo, ip.rnd = self.df, self.nbo, self.rnd
        if self.headers is not None:
            ip.headers = extension_headers.changed(ip.headers, self.headers)


@dataclass(slots=True)
class RtpChanges:
    """RTP header flags and fields of extension 3. None: not sent."""

    mode: int
    marker: int
    extension: int
    padding: int = 0  # RFC 4815, 6.4: zero if R-PT = 0
    payload_type: int | None = None
    csrcs: CompressedList | None = None
    ts_stride: int | None = None
    time_stride: int | None = None


@dataclass(slots=True)
class Extension:
    """Fields of an extension. `plus_t` and `minus_t` are the fields +T and -T of extensions 0 to 2."""

    number: int
    sn: Bits = NO_BITS
    plus_t: Bits = NO_BITS
    minus_t: Bits = NO_BITS
    ts: Bits = NO_BITS
    tsc: int = 1
    ip_id: Bits = NO_BITS
    outer_ip_id: Bits = NO_BITS
    inner: IpChanges | None = None
    outer: IpChanges | None = None
    rtp: RtpChanges | None = None
    mode: int | None = None


def flags_of_rnd(reader: Reader, context: Context, x: int, at: int) -> list[int]:
    """RND of each IP header, outermost first, as an extension 3 at octet `at` would leave it (RFC 3095, 5.7; RFC 4815,
    8.3).

    The format of a base header depends on these flags, so they are looked at before it is read.
    """
    rnd = [ip.rnd for ip in context.in_base_header]
    octets = reader.octets
    if not x or at >= len(octets) or octets[at] >> 6 != 3:
        return rnd
    flags = octets[at]
    if context.profile.rtp:
        has_inner = flags >> 1 & 1
        has_outer = has_inner and at + 1 < len(octets) and octets[at + 1] & 1
    else:
        has_inner, has_outer = flags >> 1 & 1, flags & 1
    at += 1
    if has_inner and at < len(octets):
        rnd[-1] = octets[at] >> 1 & 1
        at += 1
    if has_outer and at < len(octets) and len(rnd) == 2:
        rnd[0] = octets[at] >> 1 & 1
    return rnd


def read(reader: Reader, context: Context, t: int | None, remarks: list[Remark]) -> Extension:
    """`t` is the T bit of the base header, None where it has none."""
    number = reader.peek(name="extension") >> 6
    if number == 3:
        return _read_3_rtp(reader, context, remarks) if context.profile.rtp else _read_3(reader, context, remarks)
    return _read_short_rtp(reader, number, t) if context.profile.rtp else _read_short(reader, number)


def _read_short_rtp(reader: Reader, number: int, t: int | None) -> Extension:
    plus, minus = ("IP-ID", "TS") if t == 0 else ("TS", "TS" if t is None else "IP-ID")
    _, sn, high = reader.split((f"extension {number}", 2), ("SN", 3), (plus, 3))
    extension = Extension(number, Bits(sn, 3), Bits(high, 3))
    if number == 2:
        extension.plus_t = extension.plus_t.then(Bits(reader.octet(plus), 8))
    if number:
        extension.minus_t = Bits(reader.octet(minus), 8)
    return extension


def _read_short(reader: Reader, number: int) -> Extension:
    name = "IP-ID2" if number == 2 else "IP-ID"
    _, sn, high = reader.split((f"extension {number}", 2), ("SN", 3), (name, 3))
    extension = Extension(number, Bits(sn, 3))
    if number == 2:
        extension.outer_ip_id = Bits(high, 3).then(Bits(reader.octet("IP-ID2"), 8))
        extension.ip_id = Bits(reader.octet("IP-ID"), 8)
    else:
        extension.ip_id = Bits(high, 3)
        if number == 1:
            extension.ip_id = extension.ip_id.then(Bits(reader.octet("IP-ID"), 8))
    return extension


def _read_3_rtp(reader: Reader, context: Context, remarks: list[Remark]) -> Extension:
    _, s, r_ts, tsc, i, ip, rtp = reader.split(
        ("extension 3", 2), ("S", 1), ("R-TS", 1), ("Tsc", 1), ("I", 1), ("ip", 1), ("rtp", 1)
    )
    extension = Extension(3, tsc=tsc)
    inner = _ip_flags(reader, "", "ip2") if ip else None
    ip2 = inner[-1] if inner else 0
    outer = _outer_flags(reader, context) if ip2 else None
    if s:
        extension.sn = Bits(reader.octet("SN"), 8)
    if r_ts:
        extension.ts = sdvl.read(reader, "TS")
    _IpFields(reader, context, remarks).read(extension, inner, outer, i)
    if rtp:
        extension.rtp = _read_rtp(reader, context, extension, remarks)
        extension.mode = extension.rtp.mode
    return extension


def _read_3(reader: Reader, context: Context, remarks: list[Remark]) -> Extension:
    _, s, mode, i, ip, ip2 = reader.split(("extension 3", 2), ("S", 1), ("Mode", 2), ("I", 1), ("ip", 1), ("ip2", 1))
    extension = Extension(3, mode=mode)
    if not mode and not context.profile.cancels_modes:
        remarks.append(Remark("RFC3095-5.7.5-6", "Extension 3 carries mode 0, which is reserved."))
    inner = _ip_flags(reader, "", "reserved") if ip else None
    if inner and inner[-1]:
        remarks.append(Remark("RFC3095-5.11.4-2", "The reserved bit among the inner IP header flags is 1."))
    outer = _outer_flags(reader, context) if ip2 else None
    if s:
        extension.sn = Bits(reader.octet("SN"), 8)
    _IpFields(reader, context, remarks).read(extension, inner, outer, i)
    return extension


def _ip_flags(reader: Reader, suffix: str, last: str) -> list[int]:
    """TOS, TTL, DF, PR, IPX, NBO, RND and a last flag: ip2, I2 or reserved."""
    names = [f"{name}{suffix}" for name in ("TOS", "TTL", "DF", "PR", "IPX", "NBO", "RND")]
    return reader.split(*[(name, 1) for name in names], (last, 1))


def _outer_flags(reader: Reader, context: Context) -> list[int]:
    if len(context.in_base_header) < 2:
        raise MalformedPacket(
            "RFC3095-5.7.5-4", "Extension 3 speaks of an outer IP header, but the context has only one."
        )
    flags = _ip_flags(reader, "2", "I2")
    if flags[-1] and context.in_base_header[1].version == 6:
        raise MalformedPacket("RFC3095-5.7.5-5", "Extension 3 sets I2, but the inner IP header is IPv6.")
    return flags


@dataclass(slots=True)
class _IpFields:
    """The inner and outer IP header fields of extension 3."""

    reader: Reader
    context: Context
    remarks: list[Remark]

    def read(self, extension: Extension, inner: list[int] | None, outer: list[int] | None, i: int) -> None:
        if inner:
            extension.inner = self._one(inner, self.context.in_base_header[-1], "")
        if i:
            extension.ip_id = Bits(self.reader.number("IP-ID", 2), 16)
        if outer:
            extension.outer = self._one(outer, self.context.ips[0], " (outer)")
            if outer[-1]:
                extension.outer_ip_id = Bits(self.reader.number("IP-ID (outer)", 2), 16)

    def _one(self, flags: list[int], ip: Ip, suffix: str) -> IpChanges:
        tos, ttl, df, pr, ipx, nbo, rnd, _ = flags
        changes = IpChanges(df, nbo, rnd)
        if tos:
            changes.tos = self.reader.octet(f"Type of Service/Traffic Class{suffix}")
        if ttl:
            changes.ttl = self.reader.octet(f"Time to Live/Hop Limit{suffix}")
        if pr:
            changes.protocol = self.reader.octet(f"Protocol/Next Header{suffix}")
        if ipx:
            changes.headers = extension_headers.read_changes(self.reader, ip.headers, self.context.mode, self.remarks)
        return changes


def _read_rtp(reader: Reader, context: Context, extension: Extension, remarks: list[Remark]) -> RtpChanges:
    mode, r_pt, marker, r_x, csrc, tss, tis = reader.split(
        ("Mode", 2), ("R-PT", 1), ("M", 1), ("R-X", 1), ("CSRC", 1), ("TSS", 1), ("TIS", 1)
    )
    changes = RtpChanges(mode, marker, r_x)
    if not mode and not context.profile.cancels_modes:
        remarks.append(Remark("RFC3095-5.7.5-6", "The RTP flags of extension 3 carry mode 0, which is reserved."))
    if r_pt:
        changes.padding, changes.payload_type = reader.split(("R-P", 1), ("RTP PT", 7))
    if csrc:
        changes.csrcs = read_list(reader, CSRCS, context.csrcs, context.csrcs.references(context.mode), remarks)
    if tss:
        changes.ts_stride = sdvl.read(reader, "TS_STRIDE").value
        if extension.tsc:
            remarks.append(
                Remark(
                    "RFC4815-4.6-1",
                    "Extension 3 carries TS_STRIDE together with a scaled TS: the stride has no effect.",
                )
            )
    if tis:
        changes.time_stride = sdvl.read(reader, "TIME_STRIDE").value
    return changes
