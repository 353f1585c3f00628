# SPDX-License-Identifier: Apache-2.0
"""Static and dynamic chains of IR and IR-DYN packets: RFC 3095, 5.7.7.3-5.7.7.7, 5.11.1; RFC 3843, 3.1, 3.3, 3.5; RFC
4019, 5.2."""

from dataclasses import dataclass, field

from headroom.schemes.rohc.judge.framework import sdvl
from headroom.schemes.rohc.judge.framework.bits import Reader
from headroom.schemes.rohc.judge.framework.errors import MalformedPacket
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.v1 import extension_headers
from headroom.schemes.rohc.judge.v1.context import Context, Ip
from headroom.schemes.rohc.judge.v1.headers import IP_VERSION_OF, PROTOCOL_OF
from headroom.schemes.rohc.judge.v1.lists import CSRCS, CompressedList, read_chain_list
from headroom.schemes.rohc.judge.v1.profiles import Profile

# Which requirement a chain breaks that does not end with the profile's last header (RFC 3095, 5.7.7.2; RFC 3843, 3.1).
CHAIN_END = {
    0x0001: "RFC3095-5.7.7.2-1",
    0x0002: "RFC3095-5.7.7.2-2",
    0x0003: "RFC3095-5.7.7.2-3",
    0x0004: "RFC3843-3.1-1",
    0x0007: "RFC4019-5.2.1-1",
    0x0008: "RFC4019-5.2.1-1",
}
_SID = 0x10  # among the IPv4 flags


@dataclass(slots=True)
class StaticChain:
    ips: list[Ip] = field(default_factory=list)
    ports: bytes = b""
    ssrc: bytes = b""
    spi: bytes = b""


@dataclass(slots=True)
class IpDynamic:
    """Dynamic part of an IP header. For IPv6 only `tos` (traffic class) and `ttl` (hop limit) mean anything."""

    tos: int
    ttl: int
    headers: CompressedList
    identification: int = 0
    df: int = 0
    rnd: int = 0
    nbo: int = 1
    sid: int = 0

    def apply(self, ip: Ip) -> None:
        ip.tos, ip.ttl = self.tos, self.ttl
        if ip.version == 4:
            ip.identification, ip.df = self.identification, self.df
            ip.rnd, ip.nbo, ip.sid = self.rnd, self.nbo, self.sid
        ip.headers = extension_headers.entered(ip.headers, self.headers)


@dataclass(slots=True)
class RtpDynamic:
    """Dynamic part of the RTP header. `mode`, `ts_stride` and `time_stride` are None when they are not sent."""

    padding: int
    payload_type: int
    marker: int
    sn: int
    ts: int
    csrcs: CompressedList
    extension: int = 0
    mode: int | None = None
    ts_stride: int | None = None
    time_stride: int | None = None


@dataclass(slots=True)
class DynamicChain:
    ips: list[IpDynamic] = field(default_factory=list)
    udp_checksum: int = 0
    coverage: int = 0
    rtp: RtpDynamic | None = None
    sn: int = 0


def read_static(reader: Reader, profile: Profile, remarks: list[Remark]) -> StaticChain:
    chain = StaticChain()
    expected = None
    while True:
        ip = _static_ip(reader, profile, remarks)
        if expected is not None and ip.version != expected:
            # Each part says its version itself, so that the packet can be restored as it was all the same.
            remarks.append(
                Remark(
                    "RFC3095-5.7.7-3", f"The static chain announces IPv{expected}, but an IPv{ip.version} part follows."
                )
            )
        chain.ips.append(ip)
        expected = None if ip.ends_chain else IP_VERSION_OF.get(ip.protocol)
        if expected is None:
            break
    transport = profile.transport
    if transport and chain.ips[-1].protocol != PROTOCOL_OF[transport]:
        raise MalformedPacket(
            CHAIN_END[profile.number],
            f"The static chain of profile {profile} leads to protocol {chain.ips[-1].protocol}, not to {transport} "
            f"({PROTOCOL_OF[transport]}).",
        )
    if transport == "ESP":
        chain.spi = reader.take("SPI", 4)
    elif transport:
        chain.ports = reader.take("source port", 2) + reader.take("destination port", 2)
    if "RTP" in profile.after_ip:
        chain.ssrc = reader.take("SSRC", 4)
    return chain


def _static_ip(reader: Reader, profile: Profile, remarks: list[Remark]) -> Ip:
    version = reader.peek(name="IP version") >> 4
    # RFC 3843, 3.1: the most significant bit of the version ends the chain of the IP profile.
    ends = profile.constant_ip_id and not profile.after_ip and version in (0xC, 0xE)
    if ends:
        version &= 0x7
    if version == 4:
        _, zero = reader.split(("Version", 4), ("zero", 4))
        if zero:
            remarks.append(Remark("RFC3095-5.7.7.4-1", f"The four bits behind the IPv4 version are {zero}, not zero."))
        protocol = reader.octet("Protocol")
        return Ip(
            4, protocol, reader.take("source address", 4) + reader.take("destination address", 4), ends_chain=ends
        )
    if version == 6:
        _, high = reader.split(("Version", 4), ("Flow Label (msb)", 4))
        low = reader.number("Flow Label (lsb)", 2)
        next_header = reader.octet("Next Header")
        addresses = reader.take("source address", 16) + reader.take("destination address", 16)
        return Ip(6, next_header, addresses, flow_label=high << 16 | low, ends_chain=ends)
    raise MalformedPacket("RFC3095-5.7.7.1-1", f"The static chain holds an IP version of {version}; there are 4 and 6.")


def prefix(context: Context, profile: Profile) -> StaticChain | None:
    """The part of a context's static chain that a profile covers (RFC 3095, 5.11.1 and 5.12.1); None if it is too
    short, or leads to another header."""
    ips, transport = context.ips, profile.transport
    if not ips or (transport and ips[-1].protocol != PROTOCOL_OF[transport]):
        return None
    if ("RTP" in profile.after_ip and not context.ssrc) or (transport and not (context.ports or context.spi)):
        return None
    return StaticChain(ips, context.ports, context.ssrc, context.spi)


def read_dynamic(reader: Reader, profile: Profile, static: StaticChain, remarks: list[Remark]) -> DynamicChain:
    chain = DynamicChain([read_dynamic_ip(reader, profile, ip.version, remarks) for ip in static.ips])
    if profile.coverage:
        chain.coverage = reader.number("Checksum Coverage", 2)
    if profile.transport == "ESP":
        chain.sn = reader.number("Sequence Number", 4)  # RFC 3095, 5.12.1: it is the SN, and no other is added
    elif profile.transport:
        chain.udp_checksum = reader.number("Checksum", 2)
    if "RTP" in profile.after_ip:
        chain.rtp = _dynamic_rtp(reader, profile, remarks)
        chain.sn = chain.rtp.sn
    elif profile.generated_sn:
        chain.sn = reader.number("SN", 2)
    return chain


def read_dynamic_ip(reader: Reader, profile: Profile, version: int, remarks: list[Remark]) -> IpDynamic:
    if version == 6:
        tos, ttl = reader.octet("Traffic Class"), reader.octet("Hop Limit")
        return IpDynamic(tos, ttl, read_chain_list(reader, extension_headers.HEADERS, remarks))
    tos, ttl = reader.octet("Type of Service"), reader.octet("Time to Live")
    identification = reader.number("Identification", 2)
    sid = 0
    if profile.constant_ip_id or reader.peek(name="IPv4 flags") & _SID:
        df, rnd, nbo, sid, zero = reader.split(("DF", 1), ("RND", 1), ("NBO", 1), ("SID", 1), ("zero", 4))
    else:
        df, rnd, nbo, zero = reader.split(("DF", 1), ("RND", 1), ("NBO", 1), ("zero", 5))
    if sid and not profile.constant_ip_id:
        # Compressors in the field mean by it what RFC 3843 does, so that their packets can be restored.
        remarks.append(
            Remark(
                "RFC3095-5.7.7.4-1",
                f"SID (RFC 3843, 3.3) is set, which profile {profile} does not have: the bit is not zero. It is read "
                "as a constant IP-ID.",
            )
        )
    if zero:
        remarks.append(Remark("RFC3095-5.7.7.4-1", f"The last bits of the IPv4 flags are {zero}, not zero."))
    headers = read_chain_list(reader, extension_headers.HEADERS, remarks)
    return IpDynamic(tos, ttl, headers, identification, df, rnd, nbo, sid)


def _dynamic_rtp(reader: Reader, profile: Profile, remarks: list[Remark]) -> RtpDynamic:
    version, padding, rx, first_cc = reader.split(("V", 2), ("P", 1), ("RX", 1), ("CC", 4))
    if version != 2:
        raise MalformedPacket("RFC3095-5.7.7.6-1", f"The RTP dynamic part has version {version}; it is always 2.")
    marker, payload_type = reader.split(("M", 1), ("PT", 7))
    sn = reader.number("RTP Sequence Number", 2)
    ts = reader.number("RTP Timestamp", 4)
    csrcs = read_chain_list(reader, CSRCS, remarks)
    if first_cc != len(csrcs.entries):
        remarks.append(
            Remark(
                "RFC4815-5.2-1",
                f"The first CC field is {first_cc}, that of the CSRC list {len(csrcs.entries)}.",
            )
        )
    part = RtpDynamic(padding, payload_type, marker, sn, ts, csrcs)
    if rx:
        reserved, part.extension, mode, tis, tss = reader.split(
            ("Reserved", 3), ("X", 1), ("Mode", 2), ("TIS", 1), ("TSS", 1)
        )
        part.mode = mode
        if reserved:
            remarks.append(
                Remark("RFC3095-5.7.7.6-2", f"The reserved bits of the RTP dynamic part are {reserved}, not zero.")
            )
        if not mode and not profile.cancels_modes:
            remarks.append(Remark("RFC3095-5.7.5-6", "The RTP dynamic part carries mode 0, which is reserved."))
        if tss:
            part.ts_stride = sdvl.read(reader, "TS_STRIDE").value
        if tis:
            part.time_stride = sdvl.read(reader, "TIME_STRIDE").value
    return part
