# SPDX-License-Identifier: Apache-2.0
"""Compressed lists: RFC 3095, 5.8.6. Encoding type 0 for CSRC lists, the empty list for extension headers.

Encoding types 1 to 3 and extension header items are refused as a feature that is not there yet; they have their place
here.
"""

from __future__ import annotations

from typing import NamedTuple

from headroom.oracle.rohc.bits import Reader
from headroom.oracle.rohc.errors import MalformedPacket, Unsupported
from headroom.oracle.rohc.findings import Remark, must

CSRC_OCTETS = 4
_SECTIONS = {1: "5.8.6.2", 2: "5.8.6.3", 3: "5.8.6.4"}


class CsrcList(NamedTuple):
    """The list's items in order, and the (index, item) pairs that it brought for the translation table."""

    items: list[bytes]
    pairs: dict[int, bytes]
    gen_id: int | None


def read_csrcs(reader: Reader, table: dict[int, bytes], all_present: bool, remarks: list[Remark]) -> CsrcList:
    """A generic CSRC list. `all_present`: as in a dynamic chain, where every item is sent (5.7.7.6)."""
    ps, count, gen_id = _read_type_0(reader, "CSRC list")
    indexes: list[tuple[int, int]] = []
    if ps:
        for n in range(count):
            present, index = reader.split((f"XI {n + 1} X", 1), (f"XI {n + 1} Index", 7))
            indexes.append((present, index))
    else:
        for n in range(0, count - 1, 2):
            x1, i1, x2, i2 = reader.split(
                (f"XI {n + 1} X", 1), (f"XI {n + 1} Index", 3), (f"XI {n + 2} X", 1), (f"XI {n + 2} Index", 3)
            )
            indexes += [(x1, i1), (x2, i2)]
        if count % 2:
            present, index, padding = reader.split((f"XI {count} X", 1), (f"XI {count} Index", 3), ("XI padding", 4))
            indexes.append((present, index))
            if padding:
                remarks.append(
                    must("RFC3095-5.8.6.1-2", f"The padding after an odd number of XI items is {padding}, not zero.")
                )
    items = []
    pairs: dict[int, bytes] = {}
    for n, (present, index) in enumerate(indexes, 1):
        if present:
            pairs[index] = reader.take(f"CSRC {n}", CSRC_OCTETS)
            items.append(pairs[index])
        elif all_present:
            raise MalformedPacket(
                "RFC3095-5.7.7.6-1", f"CSRC {n} is not in the list, but a dynamic chain carries all of them."
            )
        elif index in pairs or index in table:
            items.append(pairs.get(index) or table[index])
        else:
            raise MalformedPacket(
                "RFC3095-5.8.1.1-1", f"The list refers to index {index}, for which no item was ever received."
            )
    return CsrcList(items, pairs, gen_id)


def read_extension_headers(reader: Reader) -> None:
    """The extension header list of an IP header's dynamic part: only the empty one is understood."""
    _, count, _ = _read_type_0(reader, "extension header list")
    if count:
        raise Unsupported(
            "RFC3095-5.8.6.1-1", f"An IP header has {count} compressed extension headers.", "extension-headers"
        )


def _read_type_0(reader: Reader, what: str) -> tuple[int, int, int | None]:
    """Up to gen_id. Returns PS, the number of XI items and gen_id."""
    kind = reader.peek(name=what) >> 6
    if kind:
        section = _SECTIONS[kind]
        raise Unsupported(f"RFC3095-{section}-1", f"The {what} has encoding type {kind}.", "list-compression")
    _, gp, ps, count = reader.split((f"{what} ET", 2), ("GP", 1), ("PS", 1), ("CC", 4))
    return ps, count, reader.octet("gen_id") if gp else None
