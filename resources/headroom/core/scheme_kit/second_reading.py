# SPDX-License-Identifier: Apache-2.0
"""The link as tshark reads it, beside the reading of a scheme's judge."""

from collections.abc import Callable, Sequence

from headroom.core import tshark
from headroom.core.captures.dissection import LinkPacket, LinkReader, Reading, Row


def ppp_frame(packet: LinkPacket) -> bytes:
    """A link packet on PPP with the direction (DLT 204): sent, address, control and protocol in front of it."""
    return b"\x01\xff\x03" + packet.type.to_bytes(2) + packet.octets


def read(
    packets: Sequence[LinkPacket],
    link_type: int,
    fields: Sequence[str],
    reading: Callable[[Row], Reading],
    frame: Callable[[LinkPacket], bytes] = lambda packet: packet.octets,
) -> list[Reading]:
    """tshark's reading of the packets of one line, as frames of a link type: `reading` makes it of the fields of a
    packet. Raises EnvironmentLacks without tshark, HeadroomError when it fails."""
    sent = [(one.time_ns or 0, octets, len(octets)) for one, octets in zip(packets, map(frame, packets), strict=True)]
    rows = tshark.rows_of(sent, link_type, fields, ())
    return [reading(row) for row in rows] if rows is not None else [Reading(error="unclear") for _ in packets]


def compare(reader: LinkReader, packets: Sequence[LinkPacket], theirs: Sequence[Reading]) -> tuple[int, list[str]]:
    """How many values the judge reads like tshark in packets of which tshark reads the header, and the differences as
    sentences."""
    alike, differences = 0, []
    for number, (packet, other) in enumerate(zip(packets, theirs, strict=True)):
        ours = reader.read(packet)
        for name, value in other.values.items() if other.title and not ours.error else ():
            if ours.values.get(name) == value:
                alike += 1
            else:
                differences.append(
                    f"packet {number}: {name} is {ours.values.get(name)}, and {value} as tshark reads it"
                )
    return alike, differences
