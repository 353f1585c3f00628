# SPDX-License-Identifier: Apache-2.0
"""Compressed lists, whatever their items are: RFC 3095, 5.8.1 to 5.8.3 and 5.8.6; RFC 4815, 5.

The two kinds are CSRC lists (`CSRCS`) and extension header lists (`extension_headers.HEADERS`). What a context knows of
one list is a `ListState`; what a packet says of it is a `CompressedList`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from headroom.schemes.rohc.judge.framework.bits import Reader
from headroom.schemes.rohc.judge.framework.errors import MalformedPacket, NoContext
from headroom.schemes.rohc.judge.framework.findings import Remark

CSRC_OCTETS = 4


class Entry(NamedTuple):
    """One element of a list: the index by which the translation table has it, and the item."""

    index: int
    item: bytes


Entries = tuple[Entry, ...]


@dataclass(frozen=True)
class ListKind:
    """`read_item` takes a reader, the item's name and the encoding type; `most` is how many items a list can have."""

    what: str
    item: str
    most: int
    chain_rule: str  # requirement that a dynamic chain has all items in full
    read_item: Callable[[Reader, str, int], bytes]


CSRCS = ListKind(
    "CSRC list",
    "CSRC",
    15,  # CC has 4 bits: RFC 3550, 5.1
    "RFC3095-5.7.7.6-1",
    lambda reader, name, encoding: reader.take(name, CSRC_OCTETS),
)


class CompressedList(NamedTuple):
    """The list as it is with the packet, the (index, item) pairs that it brought, and identifiers."""

    entries: Entries
    pairs: Mapping[int, bytes]
    gen_id: int | None
    encoding: int = 0
    ref_id: int | None = None

    @property
    def items(self) -> list[bytes]:
        return [entry.item for entry in self.entries]


@dataclass(frozen=True, slots=True)
class ListState:
    """The state of one list in a context.

    `sequences` has the sequence numbers of AH and GRE by index, for the packet with the context's SN, also of headers
    that the current list lacks (RFC 3095, 5.8.4.2 and 5.8.4.4).
    """

    entries: Entries = ()
    table: Mapping[int, bytes] = field(default_factory=dict)  # RFC 3095, 5.8.1
    # Lists that may be referred to, oldest first: by gen_id in U/O-mode, by 8 bits of the SN in R-mode (5.8.2.1).
    generations: Mapping[int, Entries] = field(default_factory=dict)
    by_sn: Mapping[int, Entries] = field(default_factory=dict)
    sequences: Mapping[int, int] = field(default_factory=dict)

    @property
    def items(self) -> list[bytes]:
        return [entry.item for entry in self.entries]

    def references(self, mode: str) -> Mapping[int, Entries]:
        """The lists that ref_id may mean in a mode."""
        return self.by_sn if mode == "R" else self.generations

    def updated(self, compressed: CompressedList) -> ListState:
        """The list of a packet, and the table with what it brought. Which lists may be referred to stays."""
        return replace(self, entries=compressed.entries, table={**self.table, **compressed.pairs})

    def remembering(self, compressed: CompressedList, sn: int) -> ListState:
        """The state with a packet's list added to the reference lists: RFC 3095, 5.8.2.1 f and g."""
        generations = self.generations
        if compressed.gen_id is not None:
            generations = _remember(generations, compressed.gen_id, compressed)
        return replace(self, generations=generations, by_sn=_remember(self.by_sn, sn & 0xFF, compressed))

    def settled(self, compressed: CompressedList | None, before: ListState, mode: str, sn: int) -> ListState:
        """Once the CRC of a compressed header has agreed: without gen_id, the list of U- and O-mode was that of its
        packet (RFC 3095, 5.8.2.1 d)."""
        if compressed is None:
            return self
        if compressed.gen_id is None and mode != "R":
            return replace(self, entries=before.entries)
        return self.remembering(compressed, sn)


def _remember(lists: Mapping[int, Entries], identifier: int, compressed: CompressedList) -> Mapping[int, Entries]:
    """The window of reference lists after one more, older ones than the reference dropped (5.8.2.1 g).

    Identifiers come again after 256 lists: then it is the newest one that is meant.
    """
    kept = dict(lists)
    if compressed.ref_id is not None and compressed.ref_id in kept:
        order = list(kept)
        for old in order[: order.index(compressed.ref_id)]:
            del kept[old]
    if identifier in kept and list(kept)[-1] == identifier and kept[identifier] == compressed.entries:
        return kept
    kept.pop(identifier, None)
    kept[identifier] = compressed.entries
    return kept


class XI(NamedTuple):
    """One XI item: whether the item itself is sent, and its index."""

    present: int
    index: int


def read_chain_list(reader: Reader, kind: ListKind, remarks: list[Remark]) -> CompressedList:
    """The generic list of a dynamic chain: encoding type 0, and every item is sent (5.7.7.3, 5.7.7.4, 5.7.7.6)."""
    encoding = reader.peek(name=kind.what) >> 6
    if encoding:
        raise MalformedPacket(
            kind.chain_rule, f"The {kind.what} of a dynamic chain has encoding type {encoding}; it is always 0."
        )
    return _ListReader(reader, kind, ListState(), {}, remarks).read_type_0(whole=True)


def read_list(
    reader: Reader, kind: ListKind, state: ListState, references: Mapping[int, Entries], remarks: list[Remark]
) -> CompressedList:
    """A compressed list of extension 3. `references` are the lists that ref_id may mean (`ListState.references`)."""
    encoding = reader.peek(name=kind.what) >> 6
    list_reader = _ListReader(reader, kind, state, references, remarks)
    if not encoding:
        return list_reader.read_type_0()
    return list_reader.read_type_2() if encoding == 2 else list_reader.read_type_1_or_3(encoding)


@dataclass(slots=True)
class _ListReader:
    """State that the formats of 5.8.6 share while one list is read."""

    reader: Reader
    kind: ListKind
    state: ListState
    references: Mapping[int, Entries]
    remarks: list[Remark]

    def read_type_0(self, whole: bool = False) -> CompressedList:
        """The generic scheme (5.8.6.1). `whole`: no item may be missing."""
        _, gp, ps, count = self.reader.split((f"{self.kind.what} ET", 2), ("GP", 1), ("PS", 1), ("CC", 4))
        gen_id = self.reader.octet("gen_id") if gp else None
        indexes = self._xi_list(ps, count, [])
        missing = next((n for n, xi in enumerate(indexes, 1) if not xi.present), None)
        if whole and missing:
            raise MalformedPacket(
                self.kind.chain_rule,
                f"{self.kind.item} {missing} is not in the list, but a dynamic chain carries all of them.",
            )
        return CompressedList(*self._items(indexes, 0), gen_id)

    def read_type_1_or_3(self, encoding: int) -> CompressedList:
        """Insertion only (5.8.6.2), or removal and then insertion (5.8.6.4)."""
        reader = self.reader
        _, gp, ps, x1, i1 = reader.split(
            (f"{self.kind.what} ET", 2), ("GP", 1), ("PS", 1), ("XI 1 X", 1), ("XI 1 Index", 3)
        )
        gen_id = reader.octet("gen_id") if gp else None
        ref_id, reference = self._reference()
        if encoding == 3:
            reference = _removed(reference, _mask(reader, "removal bit mask"))
        mask = _mask(reader, "insertion bit mask")
        count = sum(mask)
        if ps and (x1 or i1):
            self.remarks.append(Remark("RFC3095-5.8.6.2-2", "PS is 1, but the field of XI 1 is not zero."))
        added, pairs = self._items(self._xi_list(ps, count, [] if ps else [XI(x1, i1)][:count]), encoding)
        return CompressedList(self._within(_inserted(reference, mask, added)), pairs, gen_id, encoding, ref_id)

    def read_type_2(self) -> CompressedList:
        """Removal only (5.8.6.3)."""
        _, gp, reserved, count = self.reader.split((f"{self.kind.what} ET", 2), ("GP", 1), ("res", 1), ("Count", 4))
        gen_id = self.reader.octet("gen_id") if gp else None
        ref_id, reference = self._reference()
        if reserved:
            self.remarks.append(Remark("RFC3095-5.8.6.3-1", "The reserved bit of a list of encoding type 2 is 1."))
        if count != len(reference):
            raise MalformedPacket(
                "RFC3095-5.8.6.3-2", f"Count is {count}, but the reference list has {len(reference)} items."
            )
        return CompressedList(_removed(reference, _mask(self.reader, "removal bit mask")), {}, gen_id, 2, ref_id)

    def _reference(self) -> tuple[int, Entries]:
        """ref_id and the list that it means, which is not empty: RFC 3095, 5.8.2.1 g; RFC 4815, 5.7."""
        ref_id = self.reader.octet("ref_id")
        if ref_id not in self.references:
            raise NoContext("RFC3095-5.8.2.1-4", f"The list refers to ref_id {ref_id}, but no such list is known.")
        if not self.references[ref_id]:
            raise MalformedPacket("RFC4815-5.7-1", f"The list refers to ref_id {ref_id}, which is an empty list.")
        return ref_id, self.references[ref_id]

    def _xi_list(self, ps: int, count: int, indexes: list[XI]) -> list[XI]:
        """XI items up to `count`, behind those that are already there (5.8.6.1)."""
        reader = self.reader
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
                self.remarks.append(
                    Remark("RFC3095-5.8.6.1-2", f"The padding after an odd number of XI items is {padding}, not zero.")
                )
        return indexes

    def _items(self, indexes: list[XI], encoding: int) -> tuple[Entries, dict[int, bytes]]:
        entries = []
        pairs: dict[int, bytes] = {}
        for n, (present, index) in enumerate(indexes, 1):
            if present:
                pairs[index] = self.kind.read_item(self.reader, f"{self.kind.item} {n}", encoding)
            elif index not in pairs and index not in self.state.table:
                raise MalformedPacket(
                    "RFC3095-5.8.1.1-1", f"The list refers to index {index}, for which no item was ever received."
                )
            entries.append(Entry(index, pairs[index] if index in pairs else self.state.table[index]))
        return tuple(entries), pairs

    def _within(self, entries: Entries) -> Entries:
        if len(entries) > self.kind.most:
            raise MalformedPacket(
                "RFC3095-5.8.6.1-1", f"The list has {len(entries)} items; CC counts {self.kind.most} at most."
            )
        return entries


def _mask(reader: Reader, name: str) -> list[int]:
    """A bit mask of 7 or 15 bits, the first of which is about the first item (5.8.6.2)."""
    if reader.peek(name=name) >> 7:
        _, high = reader.split((f"{name} 15", 1), (name, 7))
        value, width = high << 8 | reader.octet(name), 15
    else:
        value, width = reader.split((f"{name} 7", 1), (name, 7))[1], 7
    return [value >> bit & 1 for bit in reversed(range(width))]


def _removed(reference: Entries, mask: list[int]) -> Entries:
    """5.8.3, Removal Only; items beyond the mask stay (RFC 4815, 5.3)."""
    kept: list[Entry] = []
    for n, bit in enumerate(mask):
        if n < len(reference):
            kept += [] if bit else [reference[n]]
        elif not bit:
            raise MalformedPacket(
                "RFC3095-5.8.3-3",
                f"Bit {n + 1} of the removal bit mask keeps an item, but the reference list has {len(reference)}.",
            )
    return (*kept, *reference[len(mask) :])


def _inserted(reference: Entries, mask: list[int], added: Entries) -> Entries:
    """5.8.3, Insertion Only; items beyond the mask stay (RFC 4815, 5.3)."""
    old, new = iter(reference), iter(added)
    result: list[Entry] = []
    for bit in mask:
        entry = next(new if bit else old, None)
        result += [] if entry is None else [entry]
    return (*result, *old)
