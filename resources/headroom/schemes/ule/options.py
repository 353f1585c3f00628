# SPDX-License-Identifier: Apache-2.0
"""Options of `./headroom replay` that are about ULE."""

from headroom.core.options import Option, number

LARGEST_PDU = 2000  # octets that a receiver is given room for, unless a replay says otherwise
# As many as can be configured: 16 bits. GSE carries PDUs of 65,527 octets, after an address.
MOST_ROOM = 65_535

REPLAY = (
    Option(
        "largest_pdu",
        LARGEST_PDU,
        number("largest-pdu", 1, MOST_ROOM, "octets", int),
        "the largest PDU, octets.",
        int,
    ),
)
