# SPDX-License-Identifier: Apache-2.0
"""Feedback elements, written for a compressor and read from a decompressor: RFC 3095, 5.2.2 and 5.7.6; RFC 5795,
5.2.4.1.

Suites describe feedback in words: `STATIC-NACK(O) with CRC`, `ACK(U) with CRC and unknown option`, `FEEDBACK-1`,
`FEEDBACK-1 of 0`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from headroom.core.errors import UsageError
from headroom.schemes.rohc.judge import Parameters, RohcError, check_feedback
from headroom.schemes.rohc.judge.framework import cid as cids
from headroom.schemes.rohc.judge.framework import crc, sdvl
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.framework.profiles import TCP
from headroom.schemes.rohc.judge.tcp import feedback as tcp
from headroom.schemes.rohc.judge.v1 import feedback as formats
from headroom.schemes.rohc.judge.v1.context import MODE_VALUES

CRC_OPTION, SN_OPTION = formats.CRC, formats.SN
PLAIN_OPTIONS = {  # words of a description: type and data
    "REJECT": (formats.REJECT, b""),
    "SN-NOT-VALID": (formats.SN_NOT_VALID, b""),
    "CLOCK": (formats.CLOCK, b"\x0a"),
    "CLOCK of 0": (formats.CLOCK, b"\x00"),
    "coarse CLOCK": (formats.CLOCK, b"\xff"),
    "JITTER": (formats.JITTER, b"\x03"),
    "LOSS": (formats.LOSS, b"\x07"),
    "CONTEXT_MEMORY": (formats.CONTEXT_MEMORY, b""),
    "unknown option": (12, b"\x11\x22\x33"),  # who does not skip its data reads a CRC option in it, which is wrong
    "empty unknown option": (13, b""),
}
CRC_OPTIONS = {  # words: how many CRC options, and which of them is wrong
    "CRC": (1, None),
    "wrong CRC": (1, 0),
    "two CRCs": (2, None),
    "unequal CRCs": (2, 1),
    "wrong CRC before the right one": (2, 0),
}
SPECIAL_OPTIONS = (*CRC_OPTIONS, "SN option", "two SN options", "Size octet")


@dataclass(frozen=True)
class Written:
    """Feedback as a suite describes it. `kind` is ACK, NACK, STATIC-NACK or FEEDBACK-1; that of profile 0x0000 is
    `FEEDBACK-1 of 0` (RFC 3095, 5.10.4), others have the low eight bits of the SN (5.7.6.1)."""

    kind: str
    mode: str = "U"
    options: tuple[str, ...] = ()
    zero: bool = False

    @staticmethod
    def of(text: str) -> Written:
        """`ACK(O) with CRC and REJECT`. Raises UsageError on anything else."""
        match = re.fullmatch(r"(ACK|NACK|STATIC-NACK)\(([UOR])\)(?: with (.+))?|(FEEDBACK-1)( of 0)?", text.strip())
        if not match:
            raise UsageError(f"'{text}' is no feedback; say ACK(O) with CRC, STATIC-NACK(O), NACK(U) …, FEEDBACK-1.")
        if match[4]:
            return Written("FEEDBACK-1", zero=match[5] is not None)
        options = tuple(filter(None, re.split(r"\s+and\s+|,\s*", match[3] or "")))
        for option in options:
            if option not in PLAIN_OPTIONS and option not in SPECIAL_OPTIONS:
                raise UsageError(f"'{option}' is no option; there are {', '.join((*PLAIN_OPTIONS, *SPECIAL_OPTIONS))}.")
        return Written(match[1], match[2], options)

    def element(self, cid: int, sn: int, parameters: Parameters) -> bytes:
        """The feedback element for a CID about the packet with this SN."""
        prefix = cid_octets(cid, parameters)
        if self.kind == "FEEDBACK-1":
            return element(prefix + bytes([0 if self.zero else sn & 0xFF]))
        bits = 12 + 8 * (1 if "SN option" in self.options else 2 if "two SN options" in self.options else 0)
        value = sn & (1 << bits) - 1
        high = value >> bits - 12
        first = formats.ACKTYPES.index(self.kind) << 6 | MODE_VALUES[self.mode] << 4 | high >> 8
        data = bytearray(prefix + bytes([first, high & 0xFF]))
        for shift in range(bits - 20, -1, -8):
            data += bytes([SN_OPTION << 4 | 1, value >> shift & 0xFF])
        for option in self.options:
            if option in PLAIN_OPTIONS:
                kind, octets = PLAIN_OPTIONS[option]
                data += bytes([kind << 4 | len(octets)]) + octets
        self._add_crc(data)
        return element(bytes(data), "Size octet" in self.options)

    def _add_crc(self, data: bytearray) -> None:
        """RFC 3095, 5.7.6.3, and RFC 4815, 2.3 and 8.6: over all of it with the CRC fields zero."""
        chosen = next((option for option in self.options if option in CRC_OPTIONS), None)
        if chosen is None:
            return
        count, wrong = CRC_OPTIONS[chosen]
        places = []
        for _ in range(count):
            data += bytes([CRC_OPTION << 4 | 1, 0])
            places.append(len(data) - 1)
        value = crc.crc8(bytes(data))
        for place in places:
            data[place] = value
        if wrong is not None:
            data[places[wrong]] ^= 0x5A


def cid_octets(cid: int, parameters: Parameters) -> bytes:
    if parameters.large_cids:
        return sdvl.encode(cid, 1 if cid < 128 else 2)
    return bytes([0xE0 | cid]) if cid else b""


def element(data: bytes, size_octet: bool = False) -> bytes:
    """RFC 5795, 5.2.4.1: Code 1 to 7 is the size, Code 0 announces a Size octet."""
    if len(data) <= 7 and not size_octet:
        return bytes([0xF0 | len(data)]) + data
    return bytes([0xF0, len(data)]) + data


def split(octets: bytes) -> list[bytes]:
    """Feedback data of one or more whole elements. Raises ValueError with a sentence when they are no elements."""
    results = []
    at = 0
    while at < len(octets):
        if octets[at] & 0xF8 != 0xF0:
            raise ValueError(f"octet {at} of the feedback is 0x{octets[at]:02x}; an element begins with 11110.")
        size = octets[at] & 0x07
        at += 1
        if not size:
            if at == len(octets):
                raise ValueError("the feedback ends where its Size octet should be.")
            size = octets[at]
            at += 1
        data = octets[at : at + size]
        if len(data) < size or not size:
            raise ValueError(f"the feedback announces {size} octets and has {len(data)}.")
        results.append(data)
        at += size
    return results


Feedback = formats.Feedback | tcp.Feedback  # of the family that the profile of the context belongs to


@dataclass
class Reading:
    """Feedback elements of a decompressor, and their faults."""

    read: list[Feedback] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def read(elements: Iterable[bytes], parameters: Parameters, profile: int | None = None) -> Reading:
    """Reads feedback about a context of `profile` (None: of none)."""
    reading = Reading()
    for element in elements:
        try:
            pieces = split(element)
        except ValueError as error:
            reading.remarks.append(
                Remark("RFC5795-5.2.4.1-1", f"The decompressor's {element.hex()} is no feedback: {error}")
            )
            continue
        for data in pieces:
            reading.remarks += check_feedback(data, parameters, profile)
            try:
                parse = tcp.read_feedback if profile == TCP else formats.parse
                reading.read.append(parse(data, parameters.large_cids))
            except RohcError:
                continue  # check_feedback reports it
    return reading


def read_about_tcp(elements: Iterable[bytes], parameters: Parameters, known: Collection[int]) -> Reading:
    """Reads feedback about contexts of profile 0x0006. Of a CID that is not among the `known` ones nothing has come out
    yet: which profile it has, a decompressor need not know, and feedback in the form of RFC 3095 is no less right
    there ("up to the implementation": RFC 5795, 5.2.3)."""
    reading = Reading()
    for element in elements:
        entry = read([element], parameters, TCP)
        if entry.remarks and not any(
            cids.of_feedback(data, parameters.large_cids) in known for data in _pieces(element)
        ):
            other = read([element], parameters)
            entry = entry if other.remarks else other
        reading.read += entry.read
        reading.remarks += entry.remarks
    return reading


def _pieces(element: bytes) -> list[bytes]:
    try:
        return split(element)
    except ValueError:
        return []


def text_of(feedback: Feedback) -> str:
    """The feedback as suites write it: `ACK(O) with CRC`; that of profile 0x0006 knows no modes: `ACK with CRC`."""
    if isinstance(feedback, tcp.Feedback):
        return f"{feedback.acktype} with CRC" if feedback.format == "FEEDBACK-2" else feedback.format
    if feedback.kind == "FEEDBACK-1":
        return "FEEDBACK-1"
    mode = formats.mode_name(feedback) or "?"
    return f"{feedback.acktype}({mode})" + (" with CRC" if feedback.is_protected else "")


def has_sn(feedback: formats.Feedback, sn: int) -> bool:
    """True if the SN bits of the feedback equal the low bits of this sequence number."""
    width = min(feedback.sn.width, 16)
    return feedback.sn.value & (1 << width) - 1 == sn & (1 << width) - 1
