# SPDX-License-Identifier: Apache-2.0
"""Rows of the interop matrix: one compressor by the rules of 7.1, one decompressor by those of 7.2."""

from headroom.core.contract import CellTitles
from headroom.schemes.taroc.line import LINE

TRAFFIC = (
    "tcp-bulk-data",
    "tcp-acknowledgements",
    "tcp-interactive",
    "tcp-options",
    "tcp-timestamps",
    "tcp-retransmissions",
    "tcp-urgent-and-window",
    "tcp-connections",
)
CELLS = LINE.cells(TRAFFIC, crowded=("tcp-connections",))
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
