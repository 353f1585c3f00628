# SPDX-License-Identifier: Apache-2.0
"""tshark's reading of IP packets, as they were captured."""

from collections.abc import Sequence

from headroom.core import tshark
from headroom.core.captures.dissection import Reading, Row
from headroom.core.captures.reading import CapturedPacket
from headroom.decode import dissectors

PROTOCOL = "_ws.col.Protocol"
IP_FIELDS = {  # field of tshark -> name of a value, and whether there are several
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
# Of IPv4, tshark takes the length 0 for that of segmentation offload by itself.
OPTIONS = (
    *("-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE", "-o", "ipv6.tso_support:TRUE"),
    *("--enable-heuristic", "rtp_udp"),
)
UNKNOWN = "tshark's output is ambiguous"


def read_ip(packets: Sequence[CapturedPacket], rtp_ports: Sequence[int] = ()) -> list[Reading]:
    """Frames of one link type with IP packets in them, as tshark reads them.

    Raises EnvironmentLacks without tshark, HeadroomError when it fails.
    """
    options, fields = [*OPTIONS], [PROTOCOL, *IP_FIELDS, tshark.MALFORMED]
    for port in rtp_ports:
        options += ["-d", f"udp.port=={port},rtp"]
    for one in dissectors.payloads().values():
        options += one.options
        fields += one.fields
    sent = [(one.time_ns, one.octets, one.length) for one in packets]
    rows = tshark.rows_of(sent, packets[0].interface.link_type, fields, options)
    return [Reading(error=UNKNOWN) for _ in packets] if rows is None else [ip_row(row) for row in rows]


def ip_row(row: Row) -> Reading:
    """tshark's fields of a packet that is not compressed."""
    reading = Reading(title=" ".join(row.get(PROTOCOL, [])))
    tshark.take(row, IP_FIELDS, reading.values)
    for one in dissectors.payloads().values():
        one.complete(row, reading)
    if row.get(tshark.MALFORMED):
        reading.notes.append("malformed")
    return reading
