# SPDX-License-Identifier: Apache-2.0
"""Framing around a header: padding, feedback elements, CID, segments. RFC 3095, 5.2 and 5.2.6; RFC 5795, 5.2."""

from dataclasses import dataclass, field

from headroom.schemes.rohc.judge.framework import cid, crc
from headroom.schemes.rohc.judge.framework.bits import Reader
from headroom.schemes.rohc.judge.framework.errors import CrcMismatch, MalformedPacket
from headroom.schemes.rohc.judge.framework.fields import Field

FEEDBACK, SEGMENT, IR, IR_DYN, OTHER = "feedback", "segment", "IR", "IR-DYN", "other"


@dataclass(slots=True)
class Frame:
    """Position and CID of the header. The reader stands at the packet type octet, which is not consumed."""

    kind: str
    cid: int = 0
    padding: int = 0
    feedback: list[bytes] = field(default_factory=list)  # feedback data: CID and feedback, without type and size octets
    start: int = 0  # octet at which the header begins, an Add-CID octet included
    add_cid: bool = False
    large_cid: list[Field] = field(default_factory=list)

    def take_large_cid(self, reader: Reader) -> None:
        """Steps over the large CID, which lies behind the first octet of every header (RFC 3095, 5.2)."""
        for part in self.large_cid:
            reader.fields.append(part)
            reader.position += part.width // 8


def read(reader: Reader, large_cids: bool, reconstructed: bool = False) -> Frame:
    """Steps 1 to 8 of RFC 3095, 5.2.6. In a `reconstructed` unit padding, feedback and segments are errors."""
    frame = Frame(FEEDBACK)
    end = len(reader.octets)
    if not end:
        raise MalformedPacket("RFC5795-5.2.1-1", "The packet is empty: it has neither feedback nor a header.")
    while reader.position < end and reader.peek() == cid.PADDING:
        if reconstructed:
            raise MalformedPacket(
                "RFC5795-5.2.5.2-1", "The reconstructed unit begins with padding, which is not allowed there."
            )
        reader.octet("padding")
        frame.padding += 1
    while reader.position < end and reader.peek() & 0xF8 == 0xF0:
        if reconstructed:
            raise MalformedPacket(
                "RFC5795-5.2.5.2-1", "The reconstructed unit holds feedback, which is not allowed there."
            )
        frame.feedback.append(_feedback(reader))
    frame.start = reader.position
    if reader.position == end:
        if not frame.feedback:
            raise MalformedPacket(
                "RFC5795-5.2.1-1", "The packet is nothing but padding: it has neither feedback nor a header."
            )
        return frame
    if cid.is_add_cid(reader.peek()):
        frame.cid = cid.read_add_cid(reader)
        frame.add_cid = True
    _classify(reader, frame, large_cids, reconstructed)
    return frame


def _feedback(reader: Reader) -> bytes:
    """One feedback element (RFC 3095, 5.2.2); its data is what the compressor gets."""
    size = reader.split(("feedback", 5), ("Code", 3))[1]
    if not size:
        size = reader.octet("Size")
    return reader.take("feedback data", size)


def _classify(reader: Reader, frame: Frame, large_cids: bool, reconstructed: bool) -> None:
    first = reader.peek(name="packet type")
    if first & 0xF8 == 0xF0:
        raise MalformedPacket("RFC3095-5.2.6-1", "An Add-CID octet precedes a feedback element.")
    if first & 0xF0 == 0xE0:
        what = "An Add-CID octet" if cid.is_add_cid(first) else "A padding octet"
        before = "another Add-CID octet" if frame.add_cid else "feedback"
        raise MalformedPacket("RFC5795-5.2.1-2", f"{what} follows {before}: there is no such packet type.")
    if first & 0xFE == 0xFE:
        if reconstructed:
            raise MalformedPacket(
                "RFC5795-5.2.5.2-1", "The reconstructed unit is a segment itself, which is not allowed."
            )
        if frame.add_cid:
            raise MalformedPacket("RFC3095-5.2.5.2-5", "An Add-CID octet precedes a segment: segments carry no CID.")
        frame.kind = SEGMENT
        return
    if large_cids:
        if frame.add_cid:
            raise MalformedPacket("RFC3095-5.2.6-4", "An Add-CID octet is in a packet of a channel with large CIDs.")
        behind = Reader(reader.octets, reader.position + 1)
        frame.cid = cid.read_large_cid(behind)
        frame.large_cid = behind.fields
    if first & 0xFE == 0xFC:
        frame.kind = IR
    elif first == 0xF8:
        frame.kind = IR_DYN
    else:
        frame.kind = OTHER


def reconstruct(segments: list[bytes], mrru: int) -> bytes:
    """The ROHC packet from the segments of one unit, its CRC-32 verified (RFC 3095, 5.2.5.2)."""
    unit = b"".join(segments)
    if len(unit) <= 4:
        raise MalformedPacket(
            "RFC5795-5.2.5.2-3", f"The reconstructed unit has {len(unit)} octets, which holds nothing but a CRC."
        )
    if len(unit) > mrru:
        raise MalformedPacket(
            "RFC5795-5.2.5.2-3", f"The reconstructed unit has {len(unit)} octets, but MRRU is {mrru}."
        )
    packet, check = unit[:-4], int.from_bytes(unit[-4:], "little")
    if crc.crc32(packet) != check:
        raise CrcMismatch(
            "RFC5795-5.2.5.2-3",
            f"The reconstructed unit has the wrong CRC-32 0x{check:08x}: its octets give 0x{crc.crc32(packet):08x}.",
        )
    return packet
