# SPDX-License-Identifier: Apache-2.0
"""Rows of the interop matrix: one compressor by the rules of RFC 1144, 3.2.3, one decompressor by those of 3.2.4."""

from headroom.core.contract import CellTitles
from headroom.schemes.vj.line import LINE

TRAFFIC = (
    "tcp-bulk-data",
    "tcp-acknowledgements",
    "tcp-interactive",
    "tcp-options",
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
        passed="The compressor follows the rules of RFC 1144, and the decompressor treats each packet that arrives as "
        "the judge does, also after losses and damaged frames.",
        what="each compressor with each decompressor: slots, slot identifiers, traffic and link conditions",
    )
)
