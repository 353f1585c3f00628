# SPDX-License-Identifier: Apache-2.0
"""tshark's reading of a link, beside the reading of a scheme's judge."""

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
    """tshark's readings of the packets of one line, as frames of a link type; `reading` makes a reading of the fields
    of a packet. Raises EnvironmentLacks without tshark, HeadroomError if it fails.
    """
    sent = [
        (packet_read.time_ns or 0, octets, len(octets))
        for packet_read, octets in zip(packets, map(frame, packets), strict=True)
    ]
    rows = tshark.rows_of(sent, link_type, fields, options)
    return [reading(row) for row in rows] if rows is not None else [Reading(error="unclear") for _ in packets]


@dataclass
class LinkReading:
    """The comparison of tshark's and the judge's readings: packets and fields compared, packets for which tshark's
    reading decides nothing, and the differences as sentences.
    """

    packets: int = 0
    fields: int = 0
    skipped: int = 0
    differences: list[str] = field(default_factory=list)


def compare(channel: LinkChannel, packets: Sequence[LinkPacket]) -> LinkReading:
    """Compares both readings of the packets of a channel, if tshark reads a header. Raises as `read` does."""
    reader, result = channel.reader(), LinkReading()
    for number, (packet, theirs) in enumerate(zip(packets, channel.tshark(packets), strict=True)):
        ours = reader.read(packet)
        compared = reader.compare(ours, theirs)
        if ours.error:
            result.differences.append(f"{nth('packet', number)}: the judge refuses it: {ours.error}")
        elif not theirs.title or compared.verdict == "silent":
            result.skipped += 1
        else:
            result.packets += 1
            result.fields += len(compared.agreed) + len(compared.differences)
            result.differences += [
                f"{nth('packet', number)} ({ours.title}): {difference.name} is {difference.ours}, and "
                f"{difference.theirs} as tshark reads it"
                for difference in compared.differences
            ]
    return result
