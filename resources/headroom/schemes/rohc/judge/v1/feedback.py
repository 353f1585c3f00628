# SPDX-License-Identifier: Apache-2.0
"""Feedback: RFC 3095, 5.2.2 and 5.7.6; RFC 3843, 3.7; RFC 5795, 5.2.4.1.

`parse` reads feedback data as the compressor gets it: CID information and FEEDBACK-1 or FEEDBACK-2.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from headroom.schemes.rohc.judge.framework import cid as cids
from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.framework.bits import NO_BITS, Bits, Reader
from headroom.schemes.rohc.judge.framework.errors import MalformedPacket
from headroom.schemes.rohc.judge.framework.fields import Field
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.v1.context import MODES
from headroom.schemes.rohc.judge.v1.profiles import UNCOMPRESSED, Profile

ACKTYPES = ("ACK", "NACK", "STATIC-NACK")
CRC, REJECT, SN_NOT_VALID, SN, CLOCK, JITTER, LOSS, CONTEXT_MEMORY = 1, 2, 3, 4, 5, 6, 7, 9
OPTIONS = {  # name and length in octets: RFC 3095, 5.7.6.3 to 5.7.6.9; RFC 3843, 3.7
    CRC: ("CRC", 1),
    REJECT: ("REJECT", 0),
    SN_NOT_VALID: ("SN-NOT-VALID", 0),
    SN: ("SN", 1),
    CLOCK: ("CLOCK", 1),
    JITTER: ("JITTER", 1),
    LOSS: ("LOSS", 1),
    CONTEXT_MEMORY: ("CONTEXT_MEMORY", 0),
}


class Option(NamedTuple):
    type: int
    data: bytes
    position: int  # octet of the option's first octet, within the feedback data

    @property
    def name(self) -> str:
        return OPTIONS[self.type][0] if self.type in OPTIONS else f"option {self.type}"


@dataclass(slots=True)
class Feedback:
    """One feedback. `mode` is None in FEEDBACK-1; `sn` gathers the SN field and all SN options (RFC 4815, 8.5)."""

    data: bytes
    cid: int
    kind: str = "FEEDBACK-1"
    acktype: str = "ACK"
    mode: int | None = None
    sn: Bits = NO_BITS
    options: list[Option] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)

    def has_option(self, option: int) -> bool:
        return any(entry.type == option for entry in self.options)

    @property
    def sn_is_valid(self) -> bool:
        return not self.has_option(SN_NOT_VALID)

    def expected_crc(self) -> int:
        """The CRC over the feedback data with the CRC fields of all CRC options zero (RFC 3095, 5.7.6.3)."""
        octets = bytearray(self.data)
        for option in self.options:
            if option.type == CRC:
                octets[option.position + 1] = 0
        return crc.crc8(bytes(octets))

    @property
    def is_protected(self) -> bool:
        """True if there is a CRC option and every one is right: then the compressor may follow a change of mode."""
        carried = {option.data[0] for option in self.options if option.type == CRC}
        return carried == {self.expected_crc()}


def parse(data: bytes, large_cids: bool) -> Feedback:
    """Reads feedback data as RFC 3095, 5.2.2 does. `large_cids` is that of the receiving compressor's channel."""
    reader = Reader(data)
    feedback = Feedback(data, _read_cid(reader, large_cids), fields=reader.fields)
    left = len(data) - reader.position
    if left == 1:
        feedback.sn = Bits(reader.octet("SN"), 8)
        return feedback
    acktype, mode, high = reader.split(("Acktype", 2), ("Mode", 2), ("SN", 4))
    if acktype == 3:
        raise MalformedPacket("RFC5795-5.2.4.1-3", "The Acktype of a FEEDBACK-2 is 3, which is reserved.")
    feedback.kind = "FEEDBACK-2"
    feedback.acktype = ACKTYPES[acktype]
    feedback.mode = mode
    feedback.sn = Bits(high, 4).then(Bits(reader.octet("SN"), 8))
    while reader.position < len(data):
        _read_option(reader, feedback)
    return feedback


def _read_cid(reader: Reader, large_cids: bool) -> int:
    size = len(reader.octets)
    if large_cids:
        number = cids.read_large_cid(reader)
    elif size > 1 and reader.peek() >> 6 == 3:
        if not cids.is_add_cid(reader.peek()):
            raise MalformedPacket(
                "RFC3095-5.2.2-2",
                f"Feedback starts with 0x{reader.peek():02x}: 11 announces an Add-CID octet for 1 to 15.",
            )
        number = cids.read_add_cid(reader)
    else:
        number = 0
    if reader.position == size:
        raise MalformedPacket(
            "RFC5795-5.2.4.1-4",
            "The feedback data ends before the feedback: FEEDBACK-1 has one octet, FEEDBACK-2 two or more.",
        )
    return number


def _read_option(reader: Reader, feedback: Feedback) -> None:
    position = reader.position
    kind, length = reader.split(("Opt Type", 4), ("Opt Len", 4))
    known = OPTIONS.get(kind)
    name = known[0] if known else f"option {kind}"
    option = Option(kind, reader.take(name, length), position)
    if known and length != known[1]:
        raise MalformedPacket("RFC3095-5.7.6.2-1", f"The {name} option has length {length}; it is {known[1]}.")
    feedback.options.append(option)
    if kind == SN:
        feedback.sn = feedback.sn.then(Bits(option.data[0], 8))


def remarks(feedback: Feedback, profile: Profile | None) -> list[Remark]:
    """Rules that a decompressor broke with this feedback. `profile` is that of the context, None if it has none yet."""
    result: list[Remark] = []
    if profile is UNCOMPRESSED:
        if feedback.kind != "FEEDBACK-1" or feedback.sn.value:
            result.append(
                Remark(
                    "RFC5795-5.4.5-1",
                    f"Profile 0x0000 was answered with {feedback.kind}; only FEEDBACK-1 with the octet 0 exists.",
                )
            )
        return result
    if feedback.kind == "FEEDBACK-1":
        return result
    if feedback.mode == 0:
        result.append(Remark("RFC3095-5.7.6.1-4", "FEEDBACK-2 carries mode 0, which is reserved."))
    carried = [option.data[0] for option in feedback.options if option.type == CRC]
    expected = feedback.expected_crc() if carried else None
    if len(set(carried)) > 1:
        result.append(Remark("RFC4815-8.6-1", "The CRC options of one feedback packet differ."))
    elif carried and carried[0] != expected:
        result.append(
            Remark("RFC4815-2.3-1", f"The CRC option carries 0x{carried[0]:02x}; the feedback gives 0x{expected:02x}.")
        )
    if not carried:
        if feedback.has_option(REJECT):
            result.append(Remark("RFC3095-5.7.6.4-1", "REJECT comes without a CRC option."))
        for option, requirement in (
            (CLOCK, "RFC3095-5.7.6.7-1"),
            (JITTER, "RFC3095-5.7.6.8-1"),
            (LOSS, "RFC3095-5.7.6.9-3"),
        ):
            if feedback.has_option(option):
                result.append(Remark(requirement, f"{OPTIONS[option][0]} comes without a CRC option."))
    if profile is not None and not profile.rtp and (feedback.has_option(CLOCK) or feedback.has_option(JITTER)):
        result.append(
            Remark("RFC3095-5.11.6-1", f"Profile {profile} was answered with CLOCK or JITTER, which it does not use.")
        )
    return result


def mode_name(feedback: Feedback) -> str | None:
    """U, O or R; None in FEEDBACK-1 and for the reserved value."""
    return MODES.get(feedback.mode) if feedback.mode is not None else None
