# SPDX-License-Identifier: Apache-2.0
"""Reading a link packet field by field, so that every bit has a name and can be shown."""

from __future__ import annotations

from typing import NamedTuple

from headroom.schemes.rohc.judge.framework.errors import MalformedPacket
from headroom.schemes.rohc.judge.framework.fields import Field

TRUNCATED = "RFC5795-5.2.3-4"


class Bits(NamedTuple):
    """`width` bits of a compressed value, gathered from one or several fields (RFC 3095, 4.5.7)."""

    value: int = 0
    width: int = 0

    def then(self, less_significant: Bits) -> Bits:
        """Both, the second one less significant (RFC 3095, 4.5.7)."""
        if not less_significant.width:
            return self
        width = less_significant.width
        return Bits(self.value << width | less_significant.value, self.width + width)


NO_BITS = Bits()


class Reader:
    """A cursor over the octets of one link packet. Every read names its field; running out of octets is an error."""

    __slots__ = ("fields", "octets", "position")

    def __init__(self, octets: bytes, position: int = 0, fields: list[Field] | None = None) -> None:
        self.octets = octets
        self.position = position
        self.fields = [] if fields is None else fields

    def truncated(self, name: str, width: int) -> MalformedPacket:
        return MalformedPacket(
            TRUNCATED,
            f"The packet ends after {len(self.octets)} octets, but its {name} needs {width} from octet "
            f"{self.position} on.",
        )

    def peek(self, ahead: int = 0, name: str = "next octet") -> int:
        """An octet that is not consumed."""
        try:
            return self.octets[self.position + ahead]
        except IndexError:
            raise self.truncated(name, ahead + 1) from None

    def octet(self, name: str) -> int:
        position = self.position
        try:
            value = self.octets[position]
        except IndexError:
            raise self.truncated(name, 1) from None
        self.position = position + 1
        self.fields.append(Field(name, position * 8, 8, value))
        return value

    def split(self, *layout: tuple[str, int]) -> list[int]:
        """Reads an octet of several fields; returns their values in order. `layout` is (name, bits), 8 bits in all."""
        position = self.position
        try:
            octet = self.octets[position]
        except IndexError:
            raise self.truncated(layout[0][0], 1) from None
        self.position = position + 1
        bit = position * 8
        left = 8
        values = []
        for name, width in layout:
            left -= width
            value = octet >> left & (1 << width) - 1
            self.fields.append(Field(name, bit, width, value))
            values.append(value)
            bit += width
        return values

    def take(self, name: str, count: int) -> bytes:
        position = self.position
        octets = self.octets[position : position + count]
        if len(octets) < count:
            raise self.truncated(name, count)
        self.position = position + count
        if count:
            self.fields.append(Field(name, position * 8, count * 8, int.from_bytes(octets, "big")))
        return octets

    def number(self, name: str, count: int) -> int:
        """An unsigned number of `count` octets in network byte order."""
        return int.from_bytes(self.take(name, count), "big")

    def rest(self, name: str) -> bytes:
        return self.take(name, len(self.octets) - self.position)
