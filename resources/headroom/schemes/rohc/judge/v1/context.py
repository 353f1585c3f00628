# SPDX-License-Identifier: Apache-2.0
"""Channel and context: RFC 3095, 5.1; the values of a context that 5.7.5.2 and 5.7.7 list.

A context is never changed in place: a packet makes a copy, and the copy takes its place once the packet's CRC has
agreed ("If the reconstructed header fails the CRC check, these updates MUST be undone", 5.3.2.2.2).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from headroom.schemes.rohc.judge.framework.parameters import Parameters
from headroom.schemes.rohc.judge.tcp.chains import Context as TcpContext
from headroom.schemes.rohc.judge.v1 import extension_headers
from headroom.schemes.rohc.judge.v1.headers import Kind
from headroom.schemes.rohc.judge.v1.lists import ListState
from headroom.schemes.rohc.judge.v1.profiles import Profile

NO_CONTEXT, STATIC_CONTEXT, FULL_CONTEXT = "NC", "SC", "FC"
MODES = {1: "U", 2: "O", 3: "R"}  # RFC 3095, 5.7.5: the value 0 is reserved (RFC 3843, 3.4: a cancelled transition)
MODE_VALUES = {name: value for value, name in MODES.items()}


@dataclass(slots=True)
class Ip:
    """An IP header of the context. `protocol` names the header that follows in the static chain, behind the extension
    headers that `headers` has; `identification` is as in the header."""

    version: int
    protocol: int
    addresses: bytes
    flow_label: int = 0
    tos: int = 0
    ttl: int = 0
    df: int = 0
    identification: int = 0
    rnd: int = 0
    nbo: int = 1
    sid: int = 0
    ends_chain: bool = False  # explicit end of the static chain: RFC 3843, 3.1
    headers: ListState = field(default_factory=ListState)  # replaced, never changed in place

    def copy(self) -> Ip:
        return Ip(
            self.version,
            self.protocol,
            self.addresses,
            self.flow_label,
            self.tos,
            self.ttl,
            self.df,
            self.identification,
            self.rnd,
            self.nbo,
            self.sid,
            self.ends_chain,
            self.headers,
        )

    def has_same_static(self, other: Ip) -> bool:
        """True if both IP headers have the same static part (RFC 3095, 5.7.7.3 and 5.7.7.4)."""
        return (self.version, self.protocol, self.addresses, self.flow_label, self.ends_chain) == (
            other.version,
            other.protocol,
            other.addresses,
            other.flow_label,
            other.ends_chain,
        )


@dataclass(slots=True)
class Context:
    """One context of the decompressor. Initial values are those of RFC 3095, 5.7.5.2."""

    cid: int
    profile: Profile
    mode: str = "U"
    state: str = NO_CONTEXT
    ips: list[Ip] = field(default_factory=list)
    ports: bytes = b""  # source and destination port of UDP or UDP-Lite
    udp_checksum: int = 0  # nonzero: a checksum is sent with each packet
    spi: bytes = b""  # of ESP
    coverage: int = 0  # UDP-Lite Checksum Coverage, CFP and CFI: RFC 4019, 5.1
    cfp: int = 0
    cfi: int = 0
    ssrc: bytes = b""
    sn: int = 0
    padding: int = 0
    extension: int = 0
    payload_type: int = 0
    ts: int = 0
    ts_stride: int = 1
    time_stride: int = 0
    csrcs: ListState = field(default_factory=ListState)  # replaced, never changed in place
    dynamic: bool = False  # whether a dynamic chain has arrived
    arrival_ns: int | None = None  # of the packet that updated it last, where the time is known (4.5.4)

    def copy(self) -> Context:
        return Context(
            self.cid,
            self.profile,
            self.mode,
            self.state,
            [ip.copy() for ip in self.ips],
            self.ports,
            self.udp_checksum,
            self.spi,
            self.coverage,
            self.cfp,
            self.cfi,
            self.ssrc,
            self.sn,
            self.padding,
            self.extension,
            self.payload_type,
            self.ts,
            self.ts_stride,
            self.time_stride,
            self.csrcs,
            self.dynamic,
            self.arrival_ns,
        )

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The compressed headers, outermost first."""
        kinds: list[Kind] = []
        for ip in self.ips:
            kinds += [ip.version, *[extension_headers.shape_of(item) for item in ip.headers.items]]
        return (*kinds, *self.profile.after_ip)

    @property
    def core(self) -> tuple[Kind, ...]:
        """The compressed headers without extension headers, which come and go."""
        return (*[ip.version for ip in self.ips], *self.profile.after_ip)

    @property
    def protocols(self) -> tuple[int, ...]:
        """Protocol number of the header behind each IP header and its extension headers."""
        return tuple(ip.protocol for ip in self.ips)

    @property
    def in_base_header(self) -> list[Ip]:
        """The IP headers that base headers and extensions speak of: the first two (RFC 3843, 3.2)."""
        return self.ips[:2]

    def has_sequential_ip_id(self) -> bool:
        """True if an IPv4 header's RND flag is not 1: decides between UO-1 and UO-1-ID, UOR-2 and UOR-2-ID (5.7)."""
        return any(ip.version == 4 and not ip.rnd for ip in self.in_base_header)


@dataclass
class Channel:
    """A channel as its decompressor sees it: parameters, contexts by CID, and the segments of an unfinished unit.

    A CID has a context of one family at most: `contexts` are those of RFC 3095, `tcp_contexts` those of ROHC-TCP.

    `unreadable` holds, by CID, the feature that this judge lacks to know what the context is now: an IR packet mends
    it.
    """

    parameters: Parameters = field(default_factory=Parameters)
    contexts: dict[int, Context] = field(default_factory=dict)
    segments: list[bytes] = field(default_factory=list)
    unreadable: dict[int, str] = field(default_factory=dict)
    tcp_contexts: dict[int, TcpContext] = field(default_factory=dict)
