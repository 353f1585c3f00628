# SPDX-License-Identifier: Apache-2.0
"""Original packets of one flow, made one by one, so that a case can say at which packet which field changes.

>>> flow = Flow.of("rtp-ipv4")
>>> before = flow.packet()
>>> flow.change("ttl to 61 and marker")
>>> after = flow.packet()

Traffic profiles are for whole streams; a flow is for the one packet that a case is about.
"""

from __future__ import annotations

import random
import re
import struct
from dataclasses import dataclass, field, replace
from typing import Any

from headroom.core.errors import UsageError
from headroom.schemes.rohc.conformance import tcp_segment
from headroom.schemes.rohc.conformance.extensions import Extensions
from headroom.schemes.rohc.conformance.tcp_segment import Segment
from headroom.schemes.rohc.judge.v1 import headers

INTERVAL_NS = 20_000_000
PROTOCOLS = {  # RFC 3692, 2.1: 253 is for experiments
    "rtp": headers.UDP,
    "udp": headers.UDP,
    "ip": 253,
    "esp": headers.ESP,
    "tcp": tcp_segment.TCP,
    "udplite": headers.UDP_LITE,
    "rtplite": headers.UDP_LITE,
}
IP_OF = {4: headers.IPV4, 6: headers.IPV6}
IP_ID_BEHAVIOURS = ("sequential", "swapped", "random", "constant")
SPOILT = (
    "wrong-ip-checksum",
    "wrong-ip-length",
    "more-fragments",
    "fragment-offset",
    "reserved-flag",
    "wrong-udp-length",
    "ihl-four",
)
OCTET, WORD, LONG = 0xFF, 0xFFFF, 0xFFFFFFFF


@dataclass
class IpFields:
    """Fields of one IP header that may change. `behaviour` is that of the identification."""

    version: int
    tos: int = 0
    ttl: int = 64
    df: int = 1
    identification: int = 0x1A2B
    behaviour: str = "sequential"
    flow_label: int = 0
    addresses: bytes = b""
    extensions: Extensions = field(default_factory=Extensions)

    def copy(self) -> IpFields:
        return replace(self, extensions=replace(self.extensions))


@dataclass
class Flow:
    """`layers` is one of `PROTOCOLS`; `ips` are the IP headers, outermost first. Every field may be set directly.

    `coverage` is that of UDP-Lite; None: the length of the packet.
    """

    layers: str
    ips: list[IpFields]
    number: int = 0  # tells flows apart: addresses, ports, SSRC, where counters start
    ports: tuple[int, int] = (0, 0)
    checksum: bool = False
    coverage: int | None = None
    spi: int = 0
    ssrc: int = 0
    sn: int = 0
    ts: int = 0
    step: int = 160  # of the timestamp, each packet
    payload_type: int = 96
    marker: bool = False  # of the next packet only
    csrcs: str = ""  # one hexadecimal digit for each contributing source
    padding: int = 0
    extension: bool = False
    payload: int = 20  # octets
    segment: Segment = field(default_factory=Segment)
    spoilt: str = ""  # one of SPOILT or that of a segment, in the innermost headers of the next packet only
    random: random.Random = field(default_factory=random.Random, repr=False)

    @staticmethod
    def of(name: str, number: int = 0) -> Flow:
        """A flow by name: rtp, udp, ip, esp, tcp, udplite or rtplite, and its IP headers, innermost first: rtp-ipv4,
        udp-ipv6, rtp-ipv4-in-ipv6."""
        match = re.fullmatch(rf"({'|'.join(PROTOCOLS)})-ipv([46])((?:-in-ipv[46])*)", name)
        if not match:
            raise UsageError(f"'{name}' is no flow; flows are called rtp-ipv4, udp-ipv6, ip-ipv4-in-ipv6 and so on.")
        versions = [int(v) for v in re.findall(r"ipv([46])", name)][::-1]
        ips = [
            IpFields(version, addresses=_addresses(version, depth, number)) for depth, version in enumerate(versions)
        ]
        for depth, ip in enumerate(ips):
            ip.identification = (0x1A2B + 0x1357 * number + 0x0C00 * depth) & WORD
        flow = Flow(match[1], ips, number, random=random.Random(f"{name}/{number}"))
        flow.ports = (20_000 + 2 * number, 30_000 + 2 * number)
        flow.ssrc = 0x5EED0000 + number
        flow.spi = 0xE5B00000 + number
        flow.sn = (1000 + 77 * number) & WORD
        flow.ts = 160_000 + 12_800 * number
        flow.segment.seq = (flow.segment.seq + 0x01000000 * number) & LONG
        flow.checksum = versions[-1] == 6  # RFC 2460, 8.1: over IPv6 there is always one
        return flow

    @property
    def has_rtp(self) -> bool:
        return self.layers in ("rtp", "rtplite")

    @property
    def has_lite(self) -> bool:
        return self.layers in ("udplite", "rtplite")

    @property
    def sn_mask(self) -> int:
        """The mask of the field that serves as SN: 32 bits for ESP (RFC 3095, 5.12), else 16."""
        return LONG if self.layers == "esp" else WORD

    @property
    def inner(self) -> IpFields:
        return self.ips[-1]

    def copy(self) -> Flow:
        """A flow that goes on as this one does."""
        twin = Flow(**{name: getattr(self, name) for name in self.__dataclass_fields__ if name != "random"})
        twin.ips = [ip.copy() for ip in self.ips]
        twin.segment = replace(self.segment)
        twin.random = random.Random()
        twin.random.setstate(self.random.getstate())
        return twin

    def packet(self) -> bytes:
        """The next packet. Afterwards the counters are those of the packet after it."""
        octets = self._build()
        if self.spoilt in SPOILT:
            outer = sum(20 if ip.version == 4 else 40 for ip in self.ips[:-1])
            octets = octets[:outer] + _spoil(octets[outer:], self.spoilt, self.inner.version)
        self.advance()
        return octets

    def advance(self) -> None:
        """Goes on by one packet without making it."""
        self.marker, self.spoilt = False, ""
        self.sn = (self.sn + 1) & self.sn_mask
        self.ts = (self.ts + self.step) & LONG
        self.segment.advance(self.payload)
        for ip in self.ips:
            ip.identification = next_identification(ip, self.random)
            ip.extensions.advance()

    def _build(self) -> bytes:
        body = self._rtp() if self.has_rtp else b""
        body += self._payload()
        if self.layers == "esp":
            body = struct.pack("!II", self.spi, self.sn) + body
        elif self.layers == "tcp":
            body = self._tcp(body)
        elif self.has_lite:
            body = self._lite(body)
        elif self.layers != "ip":
            body = self._udp(body)
        following = PROTOCOLS[self.layers]
        for ip in reversed(self.ips):
            extensions, following = ip.extensions.build(following, self.random)
            body = extensions + body
            body = _ip_header(ip, len(body), following) + body
            following = IP_OF[ip.version]
        return body

    def _rtp(self) -> bytes:
        flags = 0x80 | (0x20 if self.padding else 0) | (0x10 if self.extension else 0) | len(self.csrcs)
        csrcs = b"".join((0xC5C00000 + int(digit, 16)).to_bytes(4, "big") for digit in self.csrcs)
        return headers.rtp(
            flags, int(self.marker) << 7 | self.payload_type, self.sn, self.ts, self.ssrc.to_bytes(4, "big"), csrcs
        )

    def _payload(self) -> bytes:
        octets = self.random.randbytes(self.payload)
        if self.layers in ("udp", "udplite") and octets:
            octets = b"\0" + octets[1:]  # not version 2, so that no compressor takes it for RTP
        if self.has_rtp and self.extension:  # RFC 3550, 5.3.1: one word of extension
            octets = bytes.fromhex("bede000110550000") + octets
        if self.has_rtp and self.padding:  # RFC 3550, 5.1: the last octet counts them
            octets += bytes(self.padding - 1) + bytes([self.padding])
        return octets

    def _udp(self, body: bytes) -> bytes:
        length = 8 + len(body)
        ports = struct.pack("!HH", *self.ports)
        checksum = _udp_checksum(self.inner, ports, body) if self.checksum else 0
        return headers.udp(ports, length, checksum) + body

    def _tcp(self, body: bytes) -> bytes:
        octets = self.segment.build(self.ports, self.spoilt) + body
        pseudo = self.inner.addresses + struct.pack("!IHH", len(octets), 0, tcp_segment.TCP)
        return octets[:16] + _internet_checksum(pseudo + octets).to_bytes(2, "big") + octets[18:]

    def _lite(self, body: bytes) -> bytes:
        """RFC 3828, 3.1: the checksum covers a pseudo-header and as many octets as the coverage says; 0 means all."""
        length = 8 + len(body)
        coverage = length if self.coverage is None else self.coverage
        header = struct.pack("!HHHH", *self.ports, coverage, 0)
        pseudo = self.inner.addresses + struct.pack("!IHH", length, 0, headers.UDP_LITE)
        checksum = _internet_checksum(pseudo + (header + body)[: coverage or length]) or WORD
        return header[:6] + checksum.to_bytes(2, "big") + body

    # ---- changes

    def change(self, text: str) -> None:
        """Fields that are another from the next packet on: `ttl to 61`, `ts by 1600 and marker`, `ip-id to random`.

        Raises UsageError on a field that does not exist.
        """
        for word in re.split(r"\s+and\s+|,\s*", text.strip()):
            match = re.fullmatch(r"([a-z-]+)(?: (to|by) ([\w+]+))?", word)
            if not match or not self._apply(*match.groups()):
                raise UsageError(
                    f"'{word}' is no change of a flow; say `ttl to 61`, `ip-id by 100`, `ip-id to random`, `marker` …"
                )

    def _apply(self, name: str, how: str | None, text: str | None) -> bool:
        outer = name.startswith("outer-")
        ip = self.ips[0] if outer else self.inner
        name = name.removeprefix("outer-")
        if how is None or text is None:
            return self._once(name)
        if name == "ip-id":
            return _change_identification(ip, how, text)
        if ip.extensions.change(name, how, text):
            return True
        if self.layers == "tcp" and self.segment.change(name, how, text):
            return True
        if name == "layers" and how == "to" and text in PROTOCOLS:
            self.layers = text
            return True
        if name == "checksum" and text in ("on", "off"):
            self.checksum = text == "on"
            return True
        if name == "csrcs" and how == "to" and re.fullmatch(r"none|[0-9a-f]{1,15}", text):
            self.csrcs = "" if text == "none" else text
            return True
        if name == "coverage" and text == "full":
            self.coverage = None
            return True
        value = int(text, 0)
        if name == "port" and how == "to":
            self.ports = (value, self.ports[1])
            return True
        if how == "by":
            if name not in ("sn", "ts"):
                return False
            mask = self.sn_mask if name == "sn" else LONG
            setattr(self, name, (getattr(self, name) + value) & mask)
            return True
        target: dict[str, tuple[Any, str]] = {
            **{key: (ip, key) for key in ("tos", "ttl", "df")},
            "flow-label": (ip, "flow_label"),
            "pt": (self, "payload_type"),
            "x": (self, "extension"),
            **{key: (self, key) for key in ("step", "padding", "payload", "ssrc", "sn", "ts", "coverage")},
        }
        if name not in target:
            return False
        where, attribute = target[name]
        setattr(where, attribute, bool(value) if attribute == "extension" else value)
        return True

    def _once(self, name: str) -> bool:
        """Applies a change that affects only the next packet. Returns False if `name` is no such change."""
        if name == "marker":
            self.marker = True
        elif name in SPOILT or (self.layers == "tcp" and name in tcp_segment.SPOILT):
            self.spoilt = name
        else:
            return False
        return True


def next_identification(ip: IpFields, source: random.Random) -> int:
    """The identification of the packet that follows."""
    now = ip.identification
    if ip.behaviour == "random":
        return source.randrange(1 << 16)
    if ip.behaviour == "constant":
        return now
    if ip.behaviour == "swapped":
        return swapped((swapped(now) + 1) & WORD)
    return (now + 1) & WORD


def swapped(value: int) -> int:
    """Both octets of a 16-bit number in the other order (RFC 3095, 4.5.5)."""
    return value >> 8 | (value & OCTET) << 8


def _change_identification(ip: IpFields, how: str, text: str) -> bool:
    if how == "to" and text in IP_ID_BEHAVIOURS:
        ip.behaviour = text
    elif how == "to":
        ip.identification = int(text, 0) & WORD
    else:
        ip.identification = (ip.identification + int(text, 0)) & WORD
    return True


def _spoil(octets: bytes, how: str, version: int) -> bytes:
    """A packet with something that no profile but Uncompressed can carry (RFC 3095, 5.7.7.4 and 5.7.7.5)."""
    changed = bytearray(octets)
    header = 20 if version == 4 else 40
    if how == "wrong-udp-length":
        changed[header + 5] ^= 0x01
    elif how == "wrong-ip-length":
        changed[3 if version == 4 else 5] ^= 0x01
    elif version != 4:
        raise UsageError(f"'{how}' is for IPv4.")
    elif how == "wrong-ip-checksum":
        changed[10] ^= 0x40
    elif how == "ihl-four":
        changed[0] = 0x44
    else:
        changed[6] |= {"more-fragments": 0x20, "reserved-flag": 0x80, "fragment-offset": 0x01}[how]
    if version == 4 and how != "wrong-ip-checksum":
        changed[10:12] = b"\0\0"
        total = sum(struct.unpack("!10H", changed[:20]))
        while total >> 16:
            total = (total & WORD) + (total >> 16)
        changed[10:12] = (total ^ WORD).to_bytes(2, "big")
    return bytes(changed)


def _addresses(version: int, depth: int, number: int) -> bytes:
    if version == 4:
        return bytes([10, depth, number >> 8 & OCTET, number & OCTET, 172, 16 + depth, 0, 1])
    prefix = bytes.fromhex("20010db8") + bytes([0, depth]) + number.to_bytes(2, "big")
    return prefix + bytes(7) + b"\x01" + prefix + bytes(7) + b"\x02"


def _ip_header(ip: IpFields, length: int, following: int) -> bytes:
    if ip.version == 4:
        return headers.ipv4(ip.tos, 20 + length, ip.identification, ip.df, ip.ttl, following, ip.addresses)
    return headers.ipv6(ip.tos, ip.flow_label, length, following, ip.ttl, ip.addresses)


def _udp_checksum(ip: IpFields, ports: bytes, body: bytes) -> int:
    """RFC 768, and RFC 2460, 8.1: over the pseudo-header, header and data; 0xffff for a sum of zero."""
    length = 8 + len(body)
    data = ip.addresses + struct.pack("!IHH", length, 0, headers.UDP) + ports + struct.pack("!HH", length, 0) + body
    return _internet_checksum(data) or WORD


def _internet_checksum(data: bytes) -> int:
    """RFC 1071."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & WORD) + (total >> 16)
    return total ^ WORD
