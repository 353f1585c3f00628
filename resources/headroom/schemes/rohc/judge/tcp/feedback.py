# SPDX-License-Identifier: Apache-2.0
"""Feedback of profile 0x0006, each way: RFC 6846, 8.3.

`read_feedback` is a compressor, which discards what is wrong; `remarks` are about the decompressor that sent it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from headroom.schemes.rohc.judge.framework import cid as cids
from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.framework.bits import Reader
from headroom.schemes.rohc.judge.framework.errors import CrcMismatch, MalformedPacket, RohcError
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.tcp.packets import around

ACK, NACK, STATIC_NACK, RESERVED = 0, 1, 2, 3
ACKTYPES = ("ACK", "NACK", "STATIC-NACK")
REJECT, MSN_NOT_VALID, MSN, CONTEXT_MEMORY = 2, 3, 4, 9
OPTIONS = {REJECT: "REJECT", MSN_NOT_VALID: "MSN-NOT-VALID", MSN: "MSN", CONTEXT_MEMORY: "CONTEXT_MEMORY"}
CRC = "RFC6846-8.3.1-8"
_LENGTHS = {REJECT: 0, MSN_NOT_VALID: 0, MSN: 1, CONTEXT_MEMORY: 0}
# Options that are there twice: who receives that, and who sends it, breaks a requirement.
_TWICE = {
    REJECT: ("RFC6846-8.3.2.1-4", "RFC6846-8.3.2.1-3"),
    MSN_NOT_VALID: ("RFC6846-8.3.2.2-4", "RFC6846-8.3.2.2-3"),
    MSN: ("RFC6846-8.3.2.3-3", "RFC6846-8.3.2.3-2"),
    CONTEXT_MEMORY: ("RFC6846-8.3.2.4-3", "RFC6846-8.3.2.4-2"),
}


class Fault(NamedTuple):
    """A reason to discard feedback: the requirement that says so, and the one that its sender broke."""

    receiver: str
    sender: str
    sentence: str


@dataclass(frozen=True)
class Feedback:
    """`msn` has so many bits as `width` says: 8 in FEEDBACK-1, 14 or, with the MSN option, 16 in FEEDBACK-2."""

    kind: int
    msn: int
    width: int
    cid: int = 0
    options: frozenset[int] = frozenset()

    @property
    def acktype(self) -> str:
        """The meaning of the type: a NACK without a valid MSN is a STATIC-NACK (8.3.2.2)."""
        return ACKTYPES[STATIC_NACK if self.kind == NACK and MSN_NOT_VALID in self.options else self.kind]

    @property
    def format(self) -> str:
        return "FEEDBACK-1" if self.width == 8 else "FEEDBACK-2"

    @property
    def has_msn(self) -> bool:
        return MSN_NOT_VALID not in self.options

    def is_about(self, msn: int) -> bool:
        """True if the bits of its MSN are those of this MSN."""
        return not (self.msn ^ msn) & (1 << self.width) - 1


def read_feedback(data: bytes, large_cids: bool = False) -> Feedback:
    """Feedback data, CID included. Raises a RohcError where the feedback is to be discarded."""
    feedback, faults = _read(data, large_cids)
    for fault in faults:
        raise (CrcMismatch if fault.receiver == CRC else MalformedPacket)(fault.receiver, fault.sentence)
    return feedback


def remarks(data: bytes, large_cids: bool = False) -> list[Remark]:
    """Requirements that a decompressor broke with this feedback data."""
    try:
        return [Remark(fault.sender, fault.sentence) for fault in _read(data, large_cids)[1]]
    except RohcError as error:
        return [Remark(error.requirement, error.sentence)]


def _read(data: bytes, large_cids: bool) -> tuple[Feedback, list[Fault]]:
    """Raises MalformedPacket where nothing can be made of the octets."""
    reader = Reader(data)
    cid = 0
    if large_cids:
        cid = cids.read_large_cid(reader)
    elif len(data) > 1 and cids.is_add_cid(data[0]):
        cid = cids.read_add_cid(reader)
    octets = data[reader.position :]
    if not octets:
        raise MalformedPacket("RFC6846-6.1.1-3", "The feedback ends behind its CID: it has no MSN.")
    if len(octets) == 1:
        return Feedback(ACK, octets[0], 8, cid), []
    if len(octets) == 2:
        raise MalformedPacket("RFC6846-8.3.1-3", "Feedback of 2 octets is neither FEEDBACK-1 nor FEEDBACK-2.")
    if octets[0] >> 6 == RESERVED:
        raise MalformedPacket("RFC6846-8.3.1-4", "The feedback is of the reserved Acktype 3.")
    feedback = Feedback(octets[0] >> 6, (octets[0] & 0x3F) << 8 | octets[1], 14, cid)
    at = reader.position + 2
    right = crc.crc8(data[:at] + b"\0" + data[at + 1 :])
    faults = []
    if right != data[at]:
        sentence = f"The feedback carries the wrong CRC 0x{data[at]:02x}: its octets give 0x{right:02x}."
        faults.append(Fault(CRC, "RFC6846-8.3.1-5", sentence))
    options = list(_options(octets[3:]))
    faults += _faults_of([kind for kind, _ in options])
    for kind, value in options:
        if kind == MSN and feedback.width == 14:
            feedback = replace(feedback, msn=feedback.msn << 2 | value[0] >> 6, width=16)
    return replace(feedback, options=frozenset(kind for kind, _ in options if kind in OPTIONS)), faults


def _options(octets: bytes) -> Iterator[tuple[int, bytes]]:
    while octets:
        kind, size = octets[0] >> 4, octets[0] & 0x0F
        value, octets = octets[1 : 1 + size], octets[1 + size :]
        if len(value) < size:
            raise MalformedPacket("RFC6846-8.3.2-1", f"The option {kind} ends behind the feedback.")
        if size != _LENGTHS.get(kind, size):
            raise MalformedPacket("RFC6846-8.3.2-1", f"The option {kind} has {size} octets.")
        yield kind, value


def _faults_of(kinds: list[int]) -> Iterator[Fault]:
    for kind, (receiver, sender) in _TWICE.items():
        if kinds.count(kind) > 1:
            yield Fault(receiver, sender, f"The feedback has {OPTIONS[kind]} {kinds.count(kind)} times.")
    if {MSN, MSN_NOT_VALID} <= {*kinds}:
        receiver, sender = _TWICE[MSN_NOT_VALID]
        yield Fault(receiver, sender, "The feedback has both an MSN and that it is not valid.")


def write_feedback(feedback: Feedback, large_cids: bool = False) -> bytes:
    """Feedback data, CID included."""
    before, behind = around(feedback.cid, large_cids)
    head = before + behind
    if feedback.width == 8:
        return head + bytes([feedback.msn])
    further = feedback.width - 14
    number = feedback.msn >> further
    options = b"".join(bytes([kind << 4]) for kind in sorted(feedback.options - {MSN}))
    if further:
        options = bytes([MSN << 4 | 1, (feedback.msn & 3) << 6]) + options
    begin = head + bytes([feedback.kind << 6 | number >> 8, number & 0xFF])
    return begin + bytes([crc.crc8(begin + b"\0" + options)]) + options
