# SPDX-License-Identifier: Apache-2.0
"""Rows of the interop matrix: one compressor by the rules of RFC 2507, 3 and 7, one decompressor by those of 6 and
9."""

from headroom.core.contract import CellTitles
from headroom.schemes.iphc.line import LINE

# Datagrams come so seldom that 30 of a stream last longer than MIN_WRAP, before which none is compressed (3.3).
TRAFFIC = (
    "tcp-bulk-data",
    "tcp-acknowledgements",
    "tcp-interactive",
    "tcp-options",
    "tcp-timestamps",
    "tcp-retransmissions",
    "tcp-urgent-and-window",
    "tcp-connections",
    "tcp-ipv6",
    "tcp-in-a-tunnel",
    "udp-dns-like-ipv4",
    "udp-readings",
    "udp-readings-in-a-tunnel",
)
CELLS = LINE.cells(TRAFFIC, crowded=("tcp-connections", "udp-dns-like-ipv4"))
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
