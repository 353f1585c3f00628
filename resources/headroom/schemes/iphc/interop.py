# SPDX-License-Identifier: Apache-2.0
"""Rows of the interop matrix: one compressor by the rules of RFC 2507, 3 and 7, one decompressor by those of 6 and
9."""

from headroom.core.contract import CellTitles
from headroom.schemes.iphc.line import LINE

FEW = 4  # as many streams as the smallest spaces have CIDs
MANY = 20  # of which most packets find no context of their own there
PACKETS = 600
# Datagrams come so seldom that 30 of a stream last longer than MIN_WRAP, before which none is compressed (3.3).
TRAFFIC = {
    "tcp-bulk-data": FEW,
    "tcp-acknowledgements": FEW,
    "tcp-interactive": FEW,
    "tcp-options": FEW,
    "tcp-timestamps": FEW,
    "tcp-retransmissions": FEW,
    "tcp-urgent-and-window": FEW,
    "tcp-connections": MANY,
    "tcp-ipv6": FEW,
    "tcp-in-a-tunnel": FEW,
    "udp-dns-like-ipv4": MANY,
    "udp-readings": FEW,
    "udp-readings-in-a-tunnel": FEW,
}
CELLS = LINE.cells(TRAFFIC, PACKETS)
INTEROP = CELLS.interop(
    CellTitles(
        sender="Compressor",
        traffic="Traffic",
        size="header_bytes",
        size_title="octets of header per packet",
        size_format=".2f",
        evidence="the judge's findings",
        passed="The compressor follows the rules of RFC 2507, and the decompressor treats each packet that arrives as "
        "the judge does, also after losses.",
        what="each compressor with each decompressor: spaces of CIDs, traffic and link conditions",
    )
)
