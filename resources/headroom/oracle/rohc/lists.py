# SPDX-License-Identifier: Apache-2.0
"""Compressed lists: RFC 3095, 5.8 and 5.8.6; RFC 4815, 5. CSRC lists of every encoding type, and the empty list for
extension headers, whose items are refused as a feature that is not there yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from headroom.oracle.rohc.bits import Reader
from headroom.oracle.rohc.errors import MalformedPacket, NoContext, Unsupported
from headroom.oracle.rohc.findings import Remark, must

CSRC_OCTETS = 4
MAX_CSRCS = 15  # CC has 4 bits: RFC 3550, 5.1
NO_LISTS: Mapping[int, tuple[bytes, ...]] = {}


class CsrcList(NamedTuple):
    """The list's items in order, the (index, item) pairs that it brought for the translation table, and identifiers."""

    items: list[bytes]
    pairs: dict[int, bytes]
    gen_id: int | None
    encoding: int = 0
    ref_id: int | None = None


class XI(NamedTuple):
    """One XI item: whether the item itself is sent, and its index."""

    present: int
    index: int


def read_csrcs(
    reader: Reader,
    table: dict[int, bytes],
    all_present: bool,
    remarks: list[Remark],
    references: Mapping[int, tuple[bytes, ...]] = NO_LISTS,
) -> CsrcList:
    """A compressed CSRC list. `all_present`: the generic one of a dynamic chain, where every item is sent (5.7.7.6).

    `references` are the lists that ref_id may mean: by gen_id in U/O-mode, by 8 bits of the SN in R-mode (5.8.6.2).
    """
    encoding = reader.peek(name="CSRC list") >> 6
    if not encoding:
        ps, count, gen_id = _read_type_0(reader, "CSRC list")
        return CsrcList(*_items(reader, _xi_list(reader, ps, count, [], remarks), table, all_present), gen_id)
    if all_present:
        raise MalformedPacket(
            "RFC3095-5.7.7.6-1", f"The CSRC list of a dynamic chain has encoding type {encoding}; it is always 0."
        )
    if encoding == 2:
        return _read_type_2(reader, references, remarks)
    return _read_type_1_or_3(reader, encoding, table, references, remarks)


def _read_type_1_or_3(
    reader: Reader,
    encoding: int,
    table: dict[int, bytes],
    references: Mapping[int, tuple[bytes, ...]],
    remarks: list[Remark],
) -> CsrcList:
    """Insertion only (5.8.6.2), or removal and then insertion (5.8.6.4)."""
    _, gp, ps, x1, i1 = reader.split(("CSRC list ET", 2), ("GP", 1), ("PS", 1), ("XI 1 X", 1), ("XI 1 Index", 3))
    gen_id = reader.octet("gen_id") if gp else None
    ref_id, reference = _reference(reader, references)
    if encoding == 3:
        reference = _removed(reference, _mask(reader, "removal bit mask"))
    mask = _mask(reader, "insertion bit mask")
    count = sum(mask)
    if ps and (x1 or i1):
        remarks.append(must("RFC3095-5.8.6.2-2", "PS is 1, but the field of XI 1 is not zero."))
    first = [] if ps else [XI(x1, i1)][:count]
    indexes = _xi_list(reader, ps, count, first, remarks)
    added, pairs = _items(reader, indexes, table, False)
    return CsrcList(_within(_inserted(reference, mask, added)), pairs, gen_id, encoding, ref_id)


def _read_type_2(reader: Reader, references: Mapping[int, tuple[bytes, ...]], remarks: list[Remark]) -> CsrcList:
    """Removal only (5.8.6.3)."""
    _, gp, reserved, count = reader.split(("CSRC list ET", 2), ("GP", 1), ("res", 1), ("Count", 4))
    gen_id = reader.octet("gen_id") if gp else None
    ref_id, reference = _reference(reader, references)
    if reserved:
        remarks.append(must("RFC3095-5.8.6.3-1", "The reserved bit of a list of encoding type 2 is 1."))
    if count != len(reference):
        raise MalformedPacket(
            "RFC3095-5.8.6.3-1", f"Count is {count}, but the reference list has {len(reference)} items."
        )
    return CsrcList(_removed(reference, _mask(reader, "removal bit mask")), {}, gen_id, 2, ref_id)


def _reference(reader: Reader, references: Mapping[int, tuple[bytes, ...]]) -> tuple[int, list[bytes]]:
    """ref_id and the list that it means, which is not empty: RFC 3095, 5.8.2.1 g; RFC 4815, 5.7."""
    ref_id = reader.octet("ref_id")
    if ref_id not in references:
        raise NoContext("RFC3095-5.8.2.1-4", f"The list refers to ref_id {ref_id}, but no such list is known.")
    if not references[ref_id]:
        raise MalformedPacket("RFC4815-5.7-1", f"The list refers to ref_id {ref_id}, which is an empty list.")
    return ref_id, list(references[ref_id])


def _mask(reader: Reader, name: str) -> list[int]:
    """A bit mask of 7 or 15 bits, the first of which is about the first item (5.8.6.2)."""
    if reader.peek(name=name) >> 7:
        _, high = reader.split((f"{name} 15", 1), (name, 7))
        value, width = high << 8 | reader.octet(name), 15
    else:
        value, width = reader.split((f"{name} 7", 1), (name, 7))[1], 7
    return [value >> bit & 1 for bit in reversed(range(width))]


def _removed(reference: list[bytes], mask: list[int]) -> list[bytes]:
    """5.8.3, Removal Only; items beyond the mask stay (RFC 4815, 5.3)."""
    kept = []
    for n, bit in enumerate(mask):
        if n < len(reference):
            kept += [] if bit else [reference[n]]
        elif not bit:
            raise MalformedPacket(
                "RFC3095-5.8.3-3",
                f"Bit {n + 1} of the removal bit mask keeps an item, but the reference list has {len(reference)}.",
            )
    return kept + reference[len(mask) :]


def _inserted(reference: list[bytes], mask: list[int], added: list[bytes]) -> list[bytes]:
    """5.8.3, Insertion Only; items beyond the mask stay (RFC 4815, 5.3)."""
    old, new = iter(reference), iter(added)
    result = []
    for bit in mask:
        item = next(new if bit else old, None)
        result += [] if item is None else [item]
    return result + list(old)


def _within(items: list[bytes]) -> list[bytes]:
    if len(items) > MAX_CSRCS:
        raise MalformedPacket("RFC3095-5.8.6.1-1", f"The list has {len(items)} items; CC counts {MAX_CSRCS} at most.")
    return items


def _xi_list(reader: Reader, ps: int, count: int, indexes: list[XI], remarks: list[Remark]) -> list[XI]:
    """XI items up to `count`, behind those that are already there (5.8.6.1)."""
    indexes = list(indexes)
    if ps:
        for n in range(len(indexes), count):
            indexes.append(XI(*reader.split((f"XI {n + 1} X", 1), (f"XI {n + 1} Index", 7))))
        return indexes
    while len(indexes) + 1 < count:
        n = len(indexes)
        x1, i1, x2, i2 = reader.split(
            (f"XI {n + 1} X", 1), (f"XI {n + 1} Index", 3), (f"XI {n + 2} X", 1), (f"XI {n + 2} Index", 3)
        )
        indexes += [XI(x1, i1), XI(x2, i2)]
    if len(indexes) < count:
        present, index, padding = reader.split((f"XI {count} X", 1), (f"XI {count} Index", 3), ("XI padding", 4))
        indexes.append(XI(present, index))
        if padding:
            remarks.append(
                must("RFC3095-5.8.6.1-2", f"The padding after an odd number of XI items is {padding}, not zero.")
            )
    return indexes


def _items(
    reader: Reader, indexes: list[XI], table: dict[int, bytes], all_present: bool
) -> tuple[list[bytes], dict[int, bytes]]:
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
    return items, pairs


def read_extension_headers(reader: Reader) -> None:
    """The extension header list of an IP header's dynamic part: only the empty one is understood."""
    if reader.peek(name="extension header list") >> 6:
        raise Unsupported(
            "RFC3095-5.8.6.1-1",
            "An IP header has an extension header list of encoding type 1 to 3.",
            "extension-headers",
        )
    _, count, _ = _read_type_0(reader, "extension header list")
    if count:
        raise Unsupported(
            "RFC3095-5.8.6.1-1", f"An IP header has {count} compressed extension headers.", "extension-headers"
        )


def _read_type_0(reader: Reader, what: str) -> tuple[int, int, int | None]:
    """Up to gen_id. Returns PS, the number of XI items and gen_id."""
    _, gp, ps, count = reader.split((f"{what} ET", 2), ("GP", 1), ("PS", 1), ("CC", 4))
    return ps, count, reader.octet("gen_id") if gp else None


def remember(
    lists: Mapping[int, tuple[bytes, ...]], identifier: int, items: list[bytes], ref_id: int | None
) -> dict[int, tuple[bytes, ...]]:
    """The window of reference lists after one more, older ones than the reference dropped (5.8.2.1 g).

    Identifiers come again after 256 lists: then it is the newest one that is meant.
    """
    kept = dict(lists)
    if ref_id is not None and ref_id in kept:
        order = list(kept)
        for old in order[: order.index(ref_id)]:
            del kept[old]
    if identifier in kept and list(kept)[-1] == identifier and kept[identifier] == tuple(items):
        return kept
    kept.pop(identifier, None)
    kept[identifier] = tuple(items)
    return kept
