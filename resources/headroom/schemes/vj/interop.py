# SPDX-License-Identifier: Apache-2.0
"""Rows of the interop matrix: one compressor by the rules of RFC 1144, 3.2.3, one decompressor by those of 3.2.4."""

from headroom.core.contract import CellTitles
from headroom.schemes.vj.line import LINE

FEW = 4  # as many connections as the smallest table has slots
MANY = 20  # of which most packets find no context of their own there
PACKETS = 600
TRAFFIC = {
    "tcp-bulk-data": FEW,
    "tcp-acknowledgements": FEW,
    "tcp-interactive": FEW,
    "tcp-options": FEW,
    "tcp-retransmissions": FEW,
    "tcp-urgent-and-window": FEW,
    "tcp-connections": MANY,
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
        passed="The compressor follows the rules of RFC 1144, and the decompressor treats each packet that arrives as "
        "the judge does, also after losses and damaged frames.",
        what="each compressor with each decompressor: slots, slot identifiers, traffic and link conditions",
    )
)
