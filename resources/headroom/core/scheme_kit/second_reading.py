# SPDX-License-Identifier: Apache-2.0
"""The link as tshark reads it, beside the reading of a scheme's judge."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from headroom.core import tshark
from headroom.core.captures.dissection import LinkChannel, LinkPacket, Reading, Row
from headroom.core.text import nth


def ppp_frame(packet: LinkPacket) -> bytes:
    """A link packet on PPP with the direction (DLT 204): sent, address, control and protocol in front of it."""
    return b"\x01\xff\x03" + packet.type.to_bytes(2) + packet.octets


def read(
    packets: Sequence[LinkPacket],
    link_type: int,
    fields: Sequence[str],
    reading: Callable[[Row], Reading],
    frame: Callable[[LinkPacket], bytes] = lambda packet: packet.octets,
    options: Sequence[str] = (),
) -> list[Reading]:
    """tshark's reading of the packets of one line, as frames of a link type: `reading` makes it of the fields of a
    packet. Raises EnvironmentLacks without tshark, HeadroomError when it fails."""
    sent = [(one.time_ns or 0, octets, len(octets)) for one, octets in zip(packets, map(frame, packets), strict=True)]
    rows = tshark.rows_of(sent, link_type, fields, options)
    return [reading(row) for row in rows] if rows is not None else [Reading(error="unclear") for _ in packets]


@dataclass
class LinkReading:
    """How far tshark and the judge read a link alike: packets and fields compared, packets of which tshark's reading
    decides nothing, and the differences as sentences."""

    packets: int = 0
    fields: int = 0
    skipped: int = 0
    differences: list[str] = field(default_factory=list)


def compare(channel: LinkChannel, packets: Sequence[LinkPacket]) -> LinkReading:
    """Both readings of the packets of a channel, where tshark reads a header. Raises as `read` does."""
    reader, found = channel.reader(), LinkReading()
    for number, (packet, theirs) in enumerate(zip(packets, channel.tshark(packets), strict=True)):
        ours = reader.read(packet)
        compared = reader.compare(ours, theirs)
        if ours.error:
            found.differences.append(f"{nth('packet', number)}: the judge refuses it: {ours.error}")
        elif not theirs.title or compared.verdict == "silent":
            found.skipped += 1
        else:
            found.packets += 1
            found.fields += len(compared.agreed) + len(compared.differences)
            found.differences += [
                f"{nth('packet', number)} ({ours.title}): {one.name} is {one.ours}, and {one.theirs} as tshark reads it"
                for one in compared.differences
            ]
    return found
