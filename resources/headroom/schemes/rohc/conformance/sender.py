# SPDX-License-Identifier: Apache-2.0
"""Writes the link packets that a decompressor gets when it is tested alone, each of the type that a case names.

No compressor is involved: the caller chooses the next packet type, even if no compressor would send it.
The formats are those of RFC 3095, 5.7, 5.11 and 5.12, RFC 3843, RFC 4019 and RFC 5795, 5.4; flows with one IP header.
"""

from dataclasses import dataclass, field

from headroom.core.errors import UsageError
from headroom.schemes.rohc.conformance.flow import PROTOCOLS, Flow, swapped
from headroom.schemes.rohc.judge.framework import crc, sdvl
from headroom.schemes.rohc.judge.v1 import headers
from headroom.schemes.rohc.judge.v1.context import MODE_VALUES as NAMED_MODES
from headroom.schemes.rohc.judge.v1.profiles import PROFILES

PROFILE_OF = {"rtp": 0x0001, "udp": 0x0002, "esp": 0x0003, "ip": 0x0004, "rtplite": 0x0007, "udplite": 0x0008}
_BEHIND_IP = {"rtp": 20, "udp": 8, "esp": 8, "ip": 0, "rtplite": 20, "udplite": 8}  # octets of header
UNCOMPRESSED = 0x0000
TYPE_0_AND_1 = ("UO-0", "UO-1", "UO-1-ID", "UO-1-TS")
TYPE_2 = ("UOR-2", "UOR-2-ID", "UOR-2-TS")
R_MODE = ("R-0", "R-0-CRC", "R-1", "R-1-ID", "R-1-TS")
MODE_VALUES = {**NAMED_MODES, "0": 0}  # 0: reserved, or a declined transition (RFC 3843, 3.4)
KINDS = ("IR", "IR-DYN", "Normal", *TYPE_0_AND_1, *TYPE_2, *R_MODE)


@dataclass
class Sender:
    """One context of a channel. `mode` is what mode parameters say until a packet has another one."""

    flow: Flow
    cid: int = 0
    large_cids: bool = False
    uncompressed: bool = False
    mode: str = "U"
    last_sn: int = field(default=0, init=False)  # of the last packet made
    cfp: bool = field(default=False, init=False)  # RFC 4019, 5.2.2: as the last IR or IR-DYN packet set it

    @property
    def profile(self) -> int:
        return UNCOMPRESSED if self.uncompressed else PROFILE_OF[self.flow.layers]

    def skip(self) -> None:
        """The next packet of the flow is lost before it gets here."""
        self.flow.packet()

    def packet(
        self, kind: str, mode: str | None = None, dynamic: bool = True, wrong_crc: bool = False
    ) -> tuple[bytes, bytes]:
        """The flow's next packet on the link as a packet of `kind`, and as it was.

        `mode`: with a mode parameter (types 2, IR and IR-DYN). `dynamic`: whether IR has its dynamic chain.
        `wrong_crc`: with a CRC that neither this header nor one that a repair may guess has.
        """
        if kind not in KINDS:
            raise UsageError(f"'{kind}' is no packet type to send; there are {', '.join(KINDS)}.")
        now = self.flow.copy()
        original = self.flow.packet()
        self.last_sn = now.sn
        if kind == "Normal" or self.uncompressed:
            return self._uncompressed(kind, original, wrong_crc), original
        end = self._header_length()
        if kind in ("IR", "IR-DYN"):
            link = self._initialisation(kind, now, original, mode, dynamic, wrong_crc)
        else:
            link = self._compressed(kind, now, original[:end], mode, wrong_crc)
        return link + original[end:], original

    def _header_length(self) -> int:
        ip = 20 if self.flow.inner.version == 4 else 40
        return ip + _BEHIND_IP[self.flow.layers]

    # ---- initialisation: RFC 3095, 5.7.7; RFC 3843, 3.5

    def _initialisation(
        self, kind: str, now: Flow, original: bytes, mode: str | None, dynamic: bool, wrong_crc: bool
    ) -> bytes:
        first = 0xF8 if kind == "IR-DYN" else 0xFD if dynamic else 0xFC
        start = self._with_cid(bytes([first]), b"") + bytes([self.profile])
        chain = self._static_chain(now) if kind == "IR" else b""
        if dynamic or kind == "IR-DYN":
            chain += self._dynamic_chain(now, original, mode or self.mode)
        value = crc.crc8(start + b"\0" + chain) ^ (0x55 if wrong_crc else 0)
        return start + bytes([value]) + chain

    def _static_chain(self, now: Flow) -> bytes:
        following = PROTOCOLS[now.layers]
        ip = now.inner
        if ip.version == 4:
            chain = bytes([0x40, following]) + ip.addresses
        else:
            chain = (6 << 20 | ip.flow_label).to_bytes(3, "big") + bytes([following]) + ip.addresses
        if now.layers == "esp":
            chain += now.spi.to_bytes(4, "big")
        elif now.layers != "ip":
            chain += b"".join(port.to_bytes(2, "big") for port in now.ports)
        if now.has_rtp:
            chain += now.ssrc.to_bytes(4, "big")
        return chain

    def _dynamic_chain(self, now: Flow, original: bytes, mode: str) -> bytes:
        ip = now.inner
        if ip.version == 4:
            random, constant = ip.behaviour == "random", ip.behaviour == "constant"
            constant &= now.layers == "ip" or now.has_lite  # RFC 3843, 3.3; RFC 4019, 5.8
            flags = ip.df << 7 | random << 6 | (ip.behaviour != "swapped") << 5 | constant << 4
            chain = bytes([ip.tos, ip.ttl]) + ip.identification.to_bytes(2, "big") + bytes([flags, 0])
        else:
            chain = bytes([ip.tos, ip.ttl, 0])
        if now.layers == "esp":
            return chain + now.sn.to_bytes(4, "big")  # RFC 3095, 5.12.1
        if now.has_lite:
            at = self._header_length() - _BEHIND_IP[now.layers]
            self.cfp = int.from_bytes(original[at + 4 : at + 6], "big") != len(original) - at
            chain += original[at + 4 : at + 6]
        if now.layers != "ip":
            chain += self._udp_checksum(original)
        if not now.has_rtp:
            return chain + now.sn.to_bytes(2, "big")
        flags = 0x80 | bool(now.padding) << 5 | 0x10  # RX: mode and TS_STRIDE are there
        chain += bytes([flags, now.marker << 7 | now.payload_type])
        chain += now.sn.to_bytes(2, "big") + now.ts.to_bytes(4, "big") + b"\0"
        return chain + bytes([now.extension << 4 | MODE_VALUES[mode] << 2 | 1]) + sdvl.encode(now.step)

    # ---- packet types 0, 1 and 2: RFC 3095, 5.7.1, 5.7.3, 5.7.4, 5.7.5, 5.11.3 and 5.11.4

    def _compressed(self, kind: str, now: Flow, header: bytes, mode: str | None, wrong_crc: bool) -> bytes:
        if kind in R_MODE and kind != "R-0-CRC":
            if wrong_crc:
                raise UsageError(f"A {kind} packet has no CRC that could be wrong.")
            first, rest = self._without_crc(kind, now)
            return self._with_cid(bytes([first]), rest) + self._tail(now, header)
        width = 7 if kind in TYPE_2 or kind == "R-0-CRC" else 3
        check = wrong_crc_of(width, now, header) if wrong_crc else header_crc(width, header, now)
        if kind == "UO-0":
            first, rest = (now.sn & 0xF) << 3 | check, b""
        elif kind == "R-0-CRC":  # 7 bits of SN, of which the last is after the large CID
            first, rest = 0x40 | now.sn >> 1 & 0x3F, bytes([(now.sn & 1) << 7 | check])
        elif kind in TYPE_0_AND_1:
            first, rest = self._type_1(kind, now, check)
        else:
            first, rest = self._type_2(kind, now, check, mode)
        return self._with_cid(bytes([first]), rest) + self._tail(now, header)

    def _without_crc(self, kind: str, now: Flow) -> tuple[int, bytes]:
        """R-0 and R-1: RFC 3095, 5.7.1, 5.7.2 and 5.11.3."""
        self._require(kind)
        if kind == "R-0":
            return now.sn & 0x3F, b""
        if not now.has_rtp:
            return 0x80 | now.sn & 0x3F, bytes([self._offset(now) & 0x7F])
        ts = now.ts // now.step
        second = {"R-1": ts & 0x3F, "R-1-TS": 0x20 | ts & 0x1F, "R-1-ID": self._offset(now) & 0x1F}[kind]
        return 0x80 | now.sn & 0x3F, bytes([now.marker << 7 | second])

    def _type_1(self, kind: str, now: Flow, check: int) -> tuple[int, bytes]:
        self._require(kind)
        if not now.has_rtp:
            return 0x80 | self._offset(now) & 0x3F, bytes([(now.sn & 0x1F) << 3 | check])
        if kind == "UO-1-ID":
            return 0x80 | self._offset(now) & 0x1F, bytes([(now.sn & 0xF) << 3 | check])
        ts = now.ts // now.step
        first = 0xA0 | ts & 0x1F if kind == "UO-1-TS" else 0x80 | ts & 0x3F
        return first, bytes([now.marker << 7 | (now.sn & 0xF) << 3 | check])

    def _type_2(self, kind: str, now: Flow, check: int, mode: str | None) -> tuple[int, bytes]:
        self._require(kind)
        x = mode is not None
        if not now.has_rtp:
            extension = bytes([0xC0 | MODE_VALUES[mode] << 3]) if mode else b""
            return 0xC0 | now.sn & 0x1F, bytes([x << 7 | check]) + extension
        # Extension 3 with nothing but the RTP flags, Tsc = 1.
        extension = bytes([0xC9, MODE_VALUES[mode] << 6 | now.marker << 4 | now.extension << 3]) if mode else b""
        end = bytes([x << 7 | check]) + extension
        low = now.marker << 6 | now.sn & 0x3F
        ts = now.ts // now.step
        if kind == "UOR-2":
            return 0xC0 | ts >> 1 & 0x1F, bytes([(ts & 1) << 7 | low]) + end
        if kind == "UOR-2-TS":
            return 0xC0 | ts & 0x1F, bytes([0x80 | low]) + end
        return 0xC0 | self._offset(now) & 0x1F, bytes([low]) + end

    def _require(self, kind: str) -> None:
        """Raises UsageError if a format does not exist for the flow: formats with a T bit are for RTP over IPv4 with an
        RND of 0, and formats without it, R-0 excepted, are for all other flows (5.7).
        """
        sequential = self.flow.inner.version == 4 and self.flow.inner.behaviour != "random"
        has_t_bit = kind.endswith(("-ID", "-TS"))
        if kind != "R-0" and has_t_bit != (self.flow.has_rtp and sequential):
            raise UsageError(f"{kind} does not exist for {self.flow.layers} over IPv{self.flow.inner.version} here.")

    @staticmethod
    def _offset(now: Flow) -> int:
        """RFC 3095, 4.5.5."""
        ip = now.inner
        value = swapped(ip.identification) if ip.behaviour == "swapped" else ip.identification
        return (value - now.sn) & 0xFFFF

    def _tail(self, now: Flow, header: bytes) -> bytes:
        tail = b""
        if now.inner.version == 4 and now.inner.behaviour == "random":
            tail += now.inner.identification.to_bytes(2, "big")
        if now.has_lite:
            at = self._header_length() - _BEHIND_IP[now.layers]
            return tail + header[at + (4 if self.cfp else 6) : at + 8]
        return tail + (self._udp_checksum(header) if now.layers in ("rtp", "udp") and now.checksum else b"")

    def _udp_checksum(self, original: bytes) -> bytes:
        at = (20 if self.flow.inner.version == 4 else 40) + 6
        return original[at : at + 2]

    # ---- profile 0x0000: RFC 5795, 5.4

    def _uncompressed(self, kind: str, original: bytes, wrong_crc: bool) -> bytes:
        if kind == "IR":
            start = self._with_cid(b"\xfc", b"") + b"\0"
            return start + bytes([crc.crc8(start) ^ (0x55 if wrong_crc else 0)]) + original
        if kind != "Normal":
            raise UsageError(f"{kind} does not exist in profile 0x0000, which has IR and Normal.")
        return self._with_cid(original[:1], original[1:])

    def _with_cid(self, first: bytes, rest: bytes) -> bytes:
        """RFC 5795, 5.2.1.3: an Add-CID octet before the first octet, or a large CID after it."""
        if self.large_cids:
            return first + sdvl.encode(self.cid, 1 if self.cid < 128 else 2) + rest
        return (bytes([0xE0 | self.cid]) if self.cid else b"") + first + rest


def header_crc(width: int, header: bytes, flow: Flow) -> int:
    """CRC-3 or CRC-7 of an original header (RFC 3095, 5.9.2)."""
    kinds: tuple[int | str, ...] = tuple(ip.version for ip in flow.ips)
    kinds += PROFILES[PROFILE_OF[flow.layers]].after_ip
    return crc.of_width(width, headers.crc_input(header, kinds))


def wrong_crc_of(width: int, now: Flow, header: bytes) -> int:
    """A CRC that the header does not have, nor the ones that a repair takes it for if it can be avoided.

    RFC 3095, 5.3.2.2.4 and 5.3.2.2.5: a decompressor may try an SN that is 2^k further, for the k bits of a packet.
    """
    right = header_crc(width, header, now)
    others = set()
    for steps in (16, -16, 32, 48):
        guess = now.copy()
        for ip in guess.ips:
            if ip.behaviour == "sequential":
                ip.identification = (ip.identification + steps) & 0xFFFF
        guess.sn = (guess.sn + steps) & guess.sn_mask
        guess.ts = (guess.ts + steps * guess.step) & 0xFFFFFFFF
        others.add(header_crc(width, guess.packet()[: len(header)], guess))
    values = [right ^ mask for mask in range(1, 1 << width)]
    return next((value for value in values if value not in others), values[0])
