# SPDX-License-Identifier: Apache-2.0
"""Link packets of profile 0x0006 written by hand, of the type that a case asks for: what `sender` is for the profiles
of RFC 3095. The formats are those of RFC 6846, 8.2, and of RFC 4164, 3.5.

Connections have the same addresses and window, and ports of their own, so that the context of one may be the base of
another's. A packet that is to fail is the flow's next one, which comes again after it: nothing tells of how many there
were, and a compressed header has four bits of the MSN.
"""

from __future__ import annotations

import random
import re
import struct
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from headroom.core.errors import UsageError
from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.framework.profiles import TCP
from headroom.schemes.rohc.judge.tcp import chains, packets
from headroom.schemes.rohc.judge.tcp.chains import Context
from headroom.schemes.rohc.judge.tcp.coding import NoMatch, Values
from headroom.schemes.rohc.judge.tcp.headers import checksum, read_headers

INITIALISING = ("IR", "IR-DYN", "IR-CR")
CRC_3 = tuple(f"{kind}_{n}" for kind in ("seq", "rnd") for n in range(1, 8))
CRC_7 = ("co_common", "seq_8", "rnd_8")
UNKNOWN_INDEX = "co_common-with-unknown-index"  # of an option whose item never came
KINDS = (*INITIALISING, *CRC_3, *CRC_7, UNKNOWN_INDEX)
PAYLOAD = 20
FIN, PSH, ACK = 0x01, 0x08, 0x10
MSS = bytes.fromhex("020405b4")
# An option list of MSS alone, with its item and without it (6.3.3).
MSS_LIST, MSS_INDEX = bytes.fromhex("01a005b4"), bytes.fromhex("0120")
# Presence bits of co_common: sequence number by 16 bits, IP-ID offset by 8, TTL whole, all else as in the context.
_PRESENCE = {
    "seq_indicator": 2,
    "ack_indicator": 0,
    "ack_stride_indicator": 0,
    "window_indicator": 0,
    "ip_id_indicator": 0,
    "urg_ptr_present": 0,
    "dscp_present": 0,
    "ttl_hopl_present": 1,
}
# Presence bits of an IR-CR packet: TTL, source port, window and acknowledgement number whole.
_REPLICATED = {
    "ttl_flag": 1,
    "window_presence": 1,
    "list_present": 0,
    "src_port_presence": 2,
    "dst_port_presence": 0,
    "ack_stride_flag": 0,
    "ack_presence": 1,
    "urp_presence": 0,
}
# Fields of headers that no context keeps, for they are constant or inferred.
_NOT_KEPT = (
    *("version", "hdr_length", "length", "rf", "mf", "frag_offset", "payload_length"),
    *("reserved0", "data_offset"),
)
GUESSES = (16, -16, 32, 48)  # by what an MSN may be off whose four bits are right


@dataclass
class TcpFlow:
    """Segments of one connection. `behaviour` of the IP-ID: sequential over IPv4."""

    version: int
    number: int = 0
    msn: int = 0
    seq: int = 0
    identification: int = 0
    ttl: int = 64
    flags: int = ACK
    options: bytes = b""
    random: random.Random = field(default_factory=random.Random, repr=False)

    @staticmethod
    def of(name: str, number: int = 0) -> TcpFlow:
        match = re.fullmatch(r"tcp-ipv([46])", name)
        if not match:
            raise UsageError(f"'{name}' is no flow of TCP here; there are tcp-ipv4 and tcp-ipv6.")
        start = (1000 + 77 * number) & 0xFFFF
        return TcpFlow(
            int(match[1]), number, start, 0x1000_0000 + (number << 14), start ^ 0x1A2B, random=random.Random(name)
        )

    def build(self, payload: bytes) -> bytes:
        offset = 5 + len(self.options) // 4 << 4
        head = struct.pack(">HHIIBBH", 40_000 + self.number, 80, self.seq, 0x2000_0000, offset, self.flags, 8192)
        segment = head + b"\0\0\0\0" + self.options + payload
        addresses = _ADDRESSES[self.version]
        pseudo = addresses + struct.pack(">IHH", len(segment), 0, 6)
        sum_of = checksum(pseudo + segment + bytes(len(segment) % 2))
        segment = segment[:16] + sum_of.to_bytes(2, "big") + segment[18:]
        if self.version == 6:
            return struct.pack(">IHBB", 6 << 28, len(segment), 6, self.ttl) + addresses + segment
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(segment), self.identification, 0x4000, self.ttl, 6, 0)
        ip += addresses
        return ip[:10] + checksum(ip).to_bytes(2, "big") + ip[12:] + segment

    def advance(self, by: int = 1) -> None:
        self.msn = (self.msn + by) & 0xFFFF
        self.identification = (self.identification + by) & 0xFFFF
        self.seq = (self.seq + by * PAYLOAD) & 0xFFFFFFFF

    def change(self, text: str) -> None:
        """Changes the flow from the next packet on. `text` is a change such as `ttl to 61`, `fin` or `push`."""
        match = re.fullmatch(r"ttl to (\d+)|fin|push", text.strip())
        if not match:
            raise UsageError(f"'{text}' is no change of a flow of TCP; say `ttl to 61`, `fin` or `push`.")
        if match[1]:
            self.ttl = int(match[1])
        else:
            self.flags |= {"fin": FIN, "push": PSH}[text.strip()]


_ADDRESSES = {4: bytes([192, 0, 2, 1, 198, 51, 100, 2]), 6: bytes.fromhex(f"20010db8{1:024x}20010db8{2:024x}")}


class Base(NamedTuple):
    """The base context of an IR-CR packet; None: no packet has made one, and it is for one like this flow's."""

    cid: int
    context: Context | None


@dataclass
class TcpSender:
    """One context of a channel."""

    flow: TcpFlow
    cid: int = 0
    large_cids: bool = False
    last_sn: int = field(default=0, init=False)  # MSN of the last packet made
    validated: bool = field(default=False, init=False)  # the CRC-8 of the last packet made is there and right
    context: Context | None = field(default=None, init=False)  # after the last packet that was right

    profile = TCP

    def skip(self) -> None:
        """The next packet of the flow is lost before it gets here."""
        self.flow.advance()

    def packet(self, kind: str, base: Base | None = None, wrong_crc: bool = False) -> tuple[bytes, bytes]:
        """The flow's next packet on the link as a packet of `kind`, and as it was. `base`: of an IR-CR packet alone.

        `wrong_crc`: with another CRC than it should have; of an IR-CR packet, that over the original header.
        """
        if kind not in KINDS:
            raise UsageError(f"'{kind}' is no packet type to send; there are {', '.join(KINDS)}.")
        if (kind == "IR-CR") != (base is not None):
            raise UsageError("An IR-CR packet, and no other, has a base context: say `IR-CR of CID 0 for CID 1`.")
        payload = self.flow.random.randbytes(PAYLOAD)
        flow = replace(self.flow, options=MSS) if kind == UNKNOWN_INDEX else self.flow
        original = flow.build(payload)
        after = self._context(original)
        self.last_sn, self.validated = flow.msn, kind in INITIALISING
        if kind in INITIALISING:
            link = self._initialising(kind, after, payload, base, wrong_crc)
        else:
            link = self._compressed(kind, after, original[:-PAYLOAD], payload, wrong_crc)
        if not wrong_crc and kind != UNKNOWN_INDEX:
            self.flow.advance()
            self.context = after
        return link, original

    def _context(self, original: bytes) -> Context:
        """The context after a packet."""
        headers, options, payload = read_headers(original)
        for header in headers:
            for name in (*_NOT_KEPT, *(("checksum",) if header.method == "ipv4" else ())):
                header.values.pop(name, None)
        behaviour = chains.SEQUENTIAL if self.flow.version == 4 else chains.RANDOM
        control: Values = {"ack_stride": 0, "ecn_used": 0, "msn": self.flow.msn, "ip_id_behavior_innermost": behaviour}
        after = Context(headers, control, {} if self.context is None else self.context.copy().table)
        after.table.update({option.index: dict(option.values) for option in options})
        after.order = tuple(option.index for option in options)
        chains.settle(after, len(payload))
        return after

    def _initialising(self, kind: str, after: Context, payload: bytes, base: Base | None, wrong_crc: bool) -> bytes:
        if base is not None:
            return self._replicating(after, payload, base, wrong_crc)
        write = packets.write_ir if kind == "IR" else packets.write_ir_dyn
        link = bytearray(write(after, payload, self.cid, self.large_cids))
        if wrong_crc:
            link[self._crc_at()] ^= 0x55
            self.validated = False
        return bytes(link)

    def _replicating(self, after: Context, payload: bytes, base: Base, wrong_crc: bool) -> bytes:
        known, large = base.context or after, self.large_cids
        link = bytearray(
            packets.write_ir_cr(known, after, payload, _REPLICATED, cid=self.cid, base_cid=base.cid, large_cids=large)
        )
        if wrong_crc:
            at = self._crc_at()
            link[at + 1] ^= 0x2A
            link[at] = 0
            link[at] = crc.crc8(bytes(link[: len(link) - len(payload)]))
        return bytes(link)

    def _crc_at(self) -> int:
        before, behind = packets.around(self.cid, self.large_cids)
        return len(before) + len(behind) + 2

    def _compressed(self, kind: str, after: Context, header: bytes, payload: bytes, wrong_crc: bool) -> bytes:
        flags = {}
        if kind == UNKNOWN_INDEX:
            kind, flags = "co_common", {"list_present": 1}
        width = 7 if kind in CRC_7 else 3
        value = _wrong_crc(width, header) if wrong_crc else crc.of_width(width, header)
        if kind == "co_common":
            flags |= _PRESENCE
        before = self.context or after
        try:
            octets = chains.write_compressed(kind, before, after, value, payload, flags)
        except NoMatch as error:
            raise UsageError(f"A {kind} packet cannot carry the next packet of this flow: {error}") from error
        if "list_present" in flags:
            octets = octets.replace(MSS_LIST, MSS_INDEX, 1)
        first, behind = packets.around(self.cid, self.large_cids)
        return first + octets[:1] + behind + octets[1:]


def _wrong_crc(width: int, header: bytes) -> int:
    """A CRC that the header has not, nor one that a repair of the MSN may find right (5.3.1.1), if there is one: with
    the MSN goes the IP-ID."""
    right = crc.of_width(width, header)
    others = {right}
    for by in GUESSES if header[0] == 0x45 else ():
        number = int.from_bytes(header[4:6], "big") + by & 0xFFFF
        ip = header[:4] + number.to_bytes(2, "big") + header[6:10] + b"\0\0" + header[12:20]
        guess = ip[:10] + checksum(ip).to_bytes(2, "big") + ip[12:] + header[20:]
        others.add(crc.of_width(width, guess))
    return next(value for value in range(1 << width) if value not in others)
