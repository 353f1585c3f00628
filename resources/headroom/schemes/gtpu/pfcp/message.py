# SPDX-License-Identifier: Apache-2.0
"""PFCP messages as octets and back: TS 29.244, 7.2.2 (header) and 8.1.1 (information elements).

request = Message(MessageType.HEARTBEAT_REQUEST, sequence=1, elements=(elements.recovery_time_stamp(3_900_000_000),))
answer = read(octets)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from headroom.schemes.gtpu.pfcp.tables import GROUPED, Ie, MessageType, name_of

VERSION = 1
SEID_PRESENT, PRIORITY, FOLLOW_ON = 0x01, 0x02, 0x04  # of the first octet: 7.2.2.1
VENDOR = 0x8000  # types from here on have an enterprise ID: 8.1.1
DEEPEST = 8  # groups within groups; 29.244 has four
LONGEST_NUMBER = 8  # octets: a volume, a SEID


class PfcpError(Exception):
    """Octets that are no PFCP message. `section` is of TS 29.244."""

    def __init__(self, section: str, sentence: str) -> None:
        super().__init__(f"{sentence} (TS 29.244, {section})")


@dataclass(frozen=True)
class Element:
    """An information element: its value, or the elements of a group. `length` replaces the right one."""

    type: int
    value: bytes = b""
    members: tuple[Element, ...] = ()
    length: int | None = None

    @property
    def name(self) -> str:
        return name_of(self.type, Ie, "element")

    def number(self) -> int:
        """The value as a number. Raises PfcpError if no number is so long."""
        if len(self.value) > LONGEST_NUMBER:
            raise PfcpError("8.2", f"The {self.name} has {len(self.value)} octets, too many for a number.")
        return int.from_bytes(self.value, "big")

    def octets(self) -> bytes:
        inner = self.value + b"".join(element.octets() for element in self.members)
        size = len(inner) if self.length is None else self.length
        return self.type.to_bytes(2, "big") + size.to_bytes(2, "big") + inner

    def all(self, kind: int) -> list[Element]:
        """The members of a type."""
        return [element for element in self.members if element.type == kind]

    def find(self, kind: int) -> Element | None:
        """The first member of a type."""
        return next(iter(self.all(kind)), None)


@dataclass(frozen=True)
class Message:
    """A message. `seid` is None if the header has none. `flags`, `length` and `version` replace the right ones."""

    type: int
    sequence: int = 0
    elements: tuple[Element, ...] = ()
    seid: int | None = None
    version: int = VERSION
    flags: int | None = None
    length: int | None = None
    spare: int = 0
    remarks: tuple[str, ...] = field(default=(), compare=False)

    @property
    def name(self) -> str:
        return name_of(self.type, MessageType, "message")

    def octets(self) -> bytes:
        flags = (SEID_PRESENT if self.seid is not None else 0) if self.flags is None else self.flags
        seid = b"" if self.seid is None else self.seid.to_bytes(8, "big")
        behind = seid + self.sequence.to_bytes(3, "big") + bytes([self.spare])
        behind += b"".join(element.octets() for element in self.elements)
        size = len(behind) if self.length is None else self.length
        return bytes([self.version << 5 | flags, self.type]) + size.to_bytes(2, "big") + behind

    def all(self, kind: int) -> list[Element]:
        """The elements of a type, groups not entered."""
        return [element for element in self.elements if element.type == kind]

    def find(self, kind: int) -> Element | None:
        return next(iter(self.all(kind)), None)

    def value(self, kind: int) -> int | None:
        """The value of the first element of a type as a number; None if there is none. Raises PfcpError."""
        element = self.find(kind)
        return None if element is None else element.number()

    def walk(self) -> Iterator[Element]:
        """All elements, those in groups included."""
        yield from walk(self.elements)


def walk(elements: Iterable[Element]) -> Iterator[Element]:
    for element in elements:
        yield element
        yield from walk(element.members)


def read(octets: bytes) -> Message:
    """Reads a message. Raises PfcpError with the first thing that cannot be."""
    if len(octets) < 8:
        raise PfcpError("7.2.2", f"The header has 8 octets at least, but {len(octets)} are there.")
    flags, version = octets[0] & 0x1F, octets[0] >> 5
    if version != VERSION:
        raise PfcpError("7.2.2", f"The version is {version}; PFCP's is 1.")
    end = 4 + int.from_bytes(octets[2:4], "big")
    if end > len(octets):
        raise PfcpError("7.2.2.3", f"The Length is {end - 4}, but {len(octets) - 4} octets follow.")
    at = 16 if flags & SEID_PRESENT else 8
    if end < at:
        raise PfcpError("7.2.2.3", f"The Length is {end - 4}; the header alone has {at - 4}.")
    remarks = []
    if end < len(octets) and not flags & FOLLOW_ON:
        remarks.append(f"{len(octets) - end} octets follow the message's end (TS 29.244, 7.2.2.3).")
    if flags & 0x18:
        remarks.append("A spare bit of the first octet is 1 (TS 29.244, 7.2.2).")
    seid = int.from_bytes(octets[4:12], "big") if flags & SEID_PRESENT else None
    sequence = int.from_bytes(octets[at - 4 : at - 1], "big")
    elements = tuple(read_elements(octets[at:end]))
    return Message(octets[1], sequence, elements, seid, flags=flags, spare=octets[at - 1], remarks=tuple(remarks))


def read_elements(octets: bytes, depth: int = 0) -> list[Element]:
    """Reads elements in a row. Raises PfcpError."""
    elements, at = [], 0
    while at < len(octets):
        if len(octets) - at < 4:
            raise PfcpError("8.1.1", f"{len(octets) - at} octets are left, too few for an element.")
        kind, size = int.from_bytes(octets[at : at + 2], "big"), int.from_bytes(octets[at + 2 : at + 4], "big")
        value = octets[at + 4 : at + 4 + size]
        if len(value) < size:
            name = name_of(kind, Ie, "element")
            raise PfcpError("8.1.1", f"The {name} claims {size} octets, but {len(value)} are left.")
        if kind in GROUPED and depth < DEEPEST:
            elements.append(Element(kind, members=tuple(read_elements(value, depth + 1))))
        else:
            elements.append(Element(kind, value))
        at += 4 + size
    return elements


def group(kind: int, members: Sequence[Element | None]) -> Element:
    """A grouped element of what is not None."""
    return Element(kind, members=tuple(element for element in members if element is not None))
