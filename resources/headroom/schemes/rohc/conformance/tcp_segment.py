# SPDX-License-Identifier: Apache-2.0
"""The TCP header of a flow's packets, made one by one: RFC 9293, 3.1; RFC 7323; RFC 2018; RFC 3168.

Options are named by words joined by `+`: `mss1460+nop+ws7`, `nop2+ts`, `nop2+sack3`, `nop40`, `none`.

| word | option |
|---|---|
| mss1460 | MSS of 1460 octets |
| ws7 | window scale of 7 |
| ok | SACK permitted |
| ts | time stamps, which go on by one with each packet |
| sack3 | three SACK blocks ahead of the acknowledgement number, the newest first |
| nop2 | two NOPs |
| eol3 | EOL and three octets of padding |
| x10 | an option of ten octets whose kind has no index of its own |
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

from headroom.core.errors import UsageError

TCP = 6
WORD, LONG = 0xFFFF, 0xFFFFFFFF
FIN, SYN, RST, PSH, ACK, URG, ECE, CWR = (1 << bit for bit in range(8))
FLAGS = {"fin": FIN, "syn": SYN, "rst": RST, "psh": PSH, "ack": ACK, "urg": URG, "ece": ECE, "cwr": CWR}
EXPERIMENTAL = 253  # RFC 4727
# What no list of options can have, in the next packet only: kind and length octets behind the header, or another length
# of a header.
IMPOSSIBLE = {
    "option-length-zero": b"\x08\x00\x01\x01",
    "option-length-one": b"\x08\x01\x01\x01",
    "option-beyond": b"\x01\x01\x08\x0a",
}
IMPOSSIBLE_OFFSETS = {"data-offset-four": 4, "data-offset-beyond": 15}
SPOILT = (*IMPOSSIBLE, *IMPOSSIBLE_OFFSETS)


@dataclass
class Segment:
    """The fields of the TCP header that move. The acknowledgement number goes on by `step` with each packet."""

    seq: int = 0x10203040
    ack: int = 0x50607080
    step: int = 0
    flags: int = ACK
    window: int = 0x2000
    urgent: int = 0
    options: str = "none"
    time_stamp: int = 0x00A00000
    echoed: int = 0x00B00000

    def advance(self, payload: int) -> None:
        self.seq = (self.seq + payload) & LONG
        self.ack = (self.ack + self.step) & LONG
        self.time_stamp, self.echoed = (self.time_stamp + 1) & LONG, (self.echoed + 1) & LONG

    def change(self, name: str, how: str, text: str) -> bool:
        """`seq by 512`, `window to 800`, `flags to psh+ack`, `options to nop2+ts`; False for other fields."""
        if name == "flags" and how == "to":
            self.flags = sum(FLAGS[word] for word in text.split("+"))
            return True
        if name == "options" and how == "to":
            self.options = text
            self._options()
            return True
        widths = {"seq": LONG, "ack": LONG, "ack-step": LONG, "window": WORD, "urgent": WORD, "time-stamp": LONG}
        if name not in widths:
            return False
        attribute = {"ack-step": "step", "time-stamp": "time_stamp"}.get(name, name)
        now = getattr(self, attribute) if how == "by" else 0
        setattr(self, attribute, (now + int(text, 0)) & widths[name])
        return True

    def build(self, ports: tuple[int, int], spoilt: str = "") -> bytes:
        """The header with a checksum of zero."""
        options = IMPOSSIBLE.get(spoilt) or self._options()
        offset = IMPOSSIBLE_OFFSETS.get(spoilt, 5 + len(options) // 4)
        flags = offset << 12 | self.flags
        return struct.pack("!HHIIHHHH", *ports, self.seq, self.ack, flags, self.window, 0, self.urgent) + options

    def _options(self) -> bytes:
        """The octets of the options. Raises UsageError if they are none, or no whole words."""
        if self.options == "none":
            return b""
        octets = b""
        for word in self.options.split("+"):
            match = re.fullmatch(r"([a-z]+)(\d*)", word)
            octets += self._option(match[1], int(match[2] or 1)) if match else b""
            if not match:
                raise UsageError(f"'{word}' is no TCP option; say mss1460, nop2, ts, sack3 …")
        if len(octets) % 4 or len(octets) > 40:
            raise UsageError(
                f"The options {self.options} have {len(octets)} octets; a header has whole words, up to 40."
            )
        return octets

    def _option(self, name: str, number: int) -> bytes:
        if name == "mss":
            return struct.pack("!BBH", 2, 4, number)
        if name == "ws":
            return bytes([3, 3, number])
        if name == "ok":
            return bytes([4, 2])
        if name == "ts":
            return struct.pack("!BBII", 8, 10, self.time_stamp, self.echoed)
        if name == "sack":
            edges = [(self.ack + 2000 * n) & LONG for n in range(number, 0, -1)]
            blocks = b"".join(struct.pack("!II", edge, (edge + 1000) & LONG) for edge in edges)
            return bytes([5, 2 + len(blocks)]) + blocks
        if name == "nop":
            return bytes([1]) * number
        if name == "eol":
            return bytes(1 + number)
        if name == "x":
            return bytes([EXPERIMENTAL, number]) + bytes(range(number - 2))
        raise UsageError(f"'{name}' is no TCP option; say mss1460, nop2, ts, sack3 …")
