# SPDX-License-Identifier: Apache-2.0
"""Rows of the interop matrix: one compressor by the rules of 7.1, one decompressor by those of 7.2."""

from headroom.core.contract import CellTitles
from headroom.schemes.taroc.line import LINE

FEW = 4  # as many connections as the smallest TCP_SPACE has CIDs
MANY = 20  # of which most packets find no context of their own there
PACKETS = 600
TRAFFIC = {
    "tcp-bulk-data": FEW,
    "tcp-acknowledgements": FEW,
    "tcp-interactive": FEW,
    "tcp-options": FEW,
    "tcp-timestamps": FEW,
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
        passed="The compressor follows the rules of the draft, and the decompressor treats each packet that arrives as "
        "the judge does, also after losses.",
        what="each compressor with each decompressor: CIDs, traffic and link conditions",
    )
)
