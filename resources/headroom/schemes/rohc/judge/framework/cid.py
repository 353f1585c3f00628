# SPDX-License-Identifier: Apache-2.0
"""Context identifiers on the link: RFC 3095, 5.1.3 and 5.2; RFC 5795, 5.2.1.3."""

from headroom.schemes.rohc.judge.framework import sdvl
from headroom.schemes.rohc.judge.framework.bits import Reader
from headroom.schemes.rohc.judge.framework.errors import MalformedPacket, RohcError

PADDING = 0xE0
MAX_SMALL_CID = 15
MAX_LARGE_CID = (1 << 14) - 1


def is_add_cid(octet: int) -> bool:
    """1110nnnn with a CID from 1 to 15; 11100000 is padding (RFC 5795, 5.2.1.1)."""
    return octet & 0xF0 == 0xE0 and octet != PADDING


def read_add_cid(reader: Reader) -> int:
    return reader.split(("Add-CID", 4), ("CID", 4))[1]


def read_large_cid(reader: Reader) -> int:
    """RFC 3095, 5.2.6, step 8: one or two octets; anything longer discards the packet."""
    first = reader.peek(name="large CID")
    if sdvl.length(first) > 2:
        raise MalformedPacket(
            "RFC3095-5.2.6-3",
            f"The large CID begins with 0x{first:02x}: it would have {sdvl.length(first)} octets, but two are the "
            "limit.",
        )
    return sdvl.read(reader, "large CID").value


def of_feedback(data: bytes, large_cids: bool) -> int | None:
    """The CID of feedback data, before it is known of which family its context is; None where there is none."""
    try:
        if large_cids:
            return read_large_cid(Reader(data))
        return read_add_cid(Reader(data)) if len(data) > 1 and is_add_cid(data[0]) else 0
    except RohcError:
        return None
