# SPDX-License-Identifier: Apache-2.0
"""Feedback of profile 0x0006, written for a compressor: RFC 6846, 8.3; RFC 5795, 5.2.4.1.

Suites describe it in words: `ACK`, `NACK with MSN-NOT-VALID`, `STATIC-NACK with MSN and wrong CRC`, `FEEDBACK-1`. Each
FEEDBACK-2 has a CRC, which is right unless the words say otherwise. Options come in the order of the words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from headroom.core.errors import UsageError
from headroom.schemes.rohc.conformance import feedback
from headroom.schemes.rohc.judge import Parameters
from headroom.schemes.rohc.judge.framework import crc

ACKTYPES = ("ACK", "NACK", "STATIC-NACK")
MSN_OPTION = 4
OPTIONS = {  # words of a description: type and data
    "REJECT": (2, b""),
    "MSN-NOT-VALID": (3, b""),
    "CONTEXT_MEMORY": (9, b""),
    "unknown option": (12, b"\x20\x30\x90"),  # a compressor that reads on in its data finds options that it knows
    "empty unknown option": (13, b""),
}
TRUNCATED = bytes([14 << 4 | 3, 0x11])  # announces three octets
OTHERS = ("MSN", "truncated option", "MSN of no packet", "wrong CRC", "CRC without CID", "Size octet")
FAR = 0x1800  # a packet as far behind, of 14 bits of MSN, has not been sent


@dataclass(frozen=True)
class Written:
    """Feedback as a suite describes it. `kind` is one of `ACKTYPES` or FEEDBACK-1."""

    kind: str
    options: tuple[str, ...] = ()

    @staticmethod
    def of(text: str) -> Written:
        """`NACK with REJECT and MSN`. Raises UsageError on anything else."""
        match = re.fullmatch(rf"(FEEDBACK-1)|({'|'.join(ACKTYPES)})(?: with (.+))?", text.strip())
        if not match:
            raise UsageError(f"'{text}' is no feedback of profile 0x0006; say ACK, NACK with MSN, FEEDBACK-1 …")
        if match[1]:
            return Written(match[1])
        options = tuple(filter(None, re.split(r"\s+and\s+|,\s*", match[3] or "")))
        for option in options:
            if option not in OPTIONS and option not in OTHERS:
                raise UsageError(f"'{option}' is no option; there are {', '.join((*OPTIONS, *OTHERS))}.")
        return Written(match[2], options)

    def element(self, cid: int, msn: int, parameters: Parameters) -> bytes:
        """The feedback element for a CID about the packet with this MSN."""
        prefix = feedback.cid_octets(cid, parameters)
        if self.kind == "FEEDBACK-1":
            return feedback.element(prefix + bytes([msn & 0xFF]))
        if "MSN of no packet" in self.options:
            msn = (msn + FAR) & 0xFFFF
        number = (msn >> 2 if "MSN" in self.options else msn) & 0x3FFF
        head = bytes([ACKTYPES.index(self.kind) << 6 | number >> 8, number & 0xFF])
        options = b"".join(self._option(option, msn) for option in self.options)
        covered = head + b"\0" + options
        value = crc.crc8(covered if "CRC without CID" in self.options else prefix + covered)
        if "wrong CRC" in self.options or ("CRC without CID" in self.options and not prefix):
            value ^= 0x5A
        return feedback.element(prefix + head + bytes([value]) + options, "Size octet" in self.options)

    @staticmethod
    def _option(name: str, msn: int) -> bytes:
        if name == "MSN":  # the two bits below those of the base, and six that are reserved
            return bytes([MSN_OPTION << 4 | 1, (msn & 3) << 6])
        if name == "truncated option":
            return TRUNCATED
        if name not in OPTIONS:
            return b""
        kind, data = OPTIONS[name]
        return bytes([kind << 4 | len(data)]) + data
