# SPDX-License-Identifier: Apache-2.0
"""tshark's reading of IP packets, as they were captured."""

from collections.abc import Sequence

from headroom.core import tshark
from headroom.core.captures.dissection import Reading, Row
from headroom.core.captures.reading import CapturedPacket
from headroom.decode import dissectors

PROTOCOL = "_ws.col.Protocol"
IP_FIELDS = {  # field of tshark -> name of a value, and True if it is a list
    "ip.src": ("IPv4 source", True),
    "ip.dst": ("IPv4 destination", True),
    "ip.id": ("IP-ID", True),
    "ipv6.src": ("IPv6 source", True),
    "ipv6.dst": ("IPv6 destination", True),
    "udp.srcport": ("UDP source port", True),
    "udp.dstport": ("UDP destination port", True),
    "tcp.srcport": ("TCP source port", True),
    "tcp.dstport": ("TCP destination port", True),
    "esp.spi": ("SPI", False),
    "esp.sequence": ("SN", False),
    "rtp.seq": ("SN", False),
    "rtp.timestamp": ("TS", False),
    "rtp.ssrc": ("SSRC", False),
    "rtp.marker": ("M", False),
    "rtp.p_type": ("PT", False),
}
# For IPv4, tshark itself takes the length 0 for segmentation offload.
OPTIONS = (
    *("-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE", "-o", "ipv6.tso_support:TRUE"),
    *("--enable-heuristic", "rtp_udp"),
)
UNKNOWN = "tshark's output is ambiguous"


def read_ip(packets: Sequence[CapturedPacket], rtp_ports: Sequence[int] = ()) -> list[Reading]:
    """tshark's readings of IP packets in frames of one link type.

    Raises EnvironmentLacks without tshark, HeadroomError if it fails.
    """
    options, fields = [*OPTIONS], [PROTOCOL, *IP_FIELDS, tshark.MALFORMED]
    for port in rtp_ports:
        options += ["-d", f"udp.port=={port},rtp"]
    for payload in dissectors.payloads().values():
        options += payload.options
        fields += payload.fields
    sent = [(packet.time_ns, packet.octets, packet.length) for packet in packets]
    rows = tshark.rows_of(sent, packets[0].interface.link_type, fields, options)
    return [Reading(error=UNKNOWN) for _ in packets] if rows is None else [ip_row(row) for row in rows]


def ip_row(row: Row) -> Reading:
    """The reading of tshark's fields of an uncompressed packet."""
    reading = Reading(title=" ".join(row.get(PROTOCOL, [])))
    tshark.take(row, IP_FIELDS, reading.values)
    for payload in dissectors.payloads().values():
        payload.complete(row, reading)
    if row.get(tshark.MALFORMED):
        reading.notes.append("malformed")
    return reading
