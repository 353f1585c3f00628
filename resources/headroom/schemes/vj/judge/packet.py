# SPDX-License-Identifier: Apache-2.0
"""Link packets: types (RFC 1332, 3.2), and the compressed header of RFC 1144, 3.2.2, figure 5."""

from __future__ import annotations

from dataclasses import dataclass, field

IP, COMPRESSED, UNCOMPRESSED = 0x0021, 0x002D, 0x002F
TYPE_NAMES = {IP: "TYPE_IP", COMPRESSED: "COMPRESSED_TCP", UNCOMPRESSED: "UNCOMPRESSED_TCP"}

# The bits of the change mask. "The most significant bit of the first byte of the compressed header is ignored" (B.1).
BITS = {"C": 0x40, "I": 0x20, "P": 0x10, "S": 0x08, "A": 0x04, "W": 0x02, "U": 0x01}
ECHOED = frozenset("SWU")  # "S W U (used for case 1)"
UNIDIRECTIONAL = frozenset("SAWU")  # "and S A W U (used for case 2)"


class NotVj(Exception):
    """Raised if octets are no packet of their PPP type. The text is a sentence with the section of RFC 1144."""


@dataclass(frozen=True)
class Change:
    """One field of the compressed header: its value, 0 .. 65535, and the octets that it takes."""

    value: int
    octets: int


@dataclass(frozen=True)
class CompressedHeader:
    """`bits` are the letters of the mask; `changes` the fields that follow, by letter, in their order."""

    bits: frozenset[str]
    connection: int | None
    checksum: int
    changes: dict[str, Change] = field(default_factory=dict)
    length: int = 0

    @property
    def special(self) -> frozenset[str] | None:
        """The special case that the mask stands for, if any."""
        sawu = self.bits & UNIDIRECTIONAL
        return sawu if sawu in (ECHOED, UNIDIRECTIONAL) else None

    @property
    def mask(self) -> str:
        """The mask as people write it: `CSA`; `-` where no bit is set."""
        return "".join(letter for letter in BITS if letter in self.bits) or "-"


def read(octets: bytes) -> CompressedHeader:
    """The header at the front of a COMPRESSED_TCP packet. Raises NotVj."""
    rest = _Octets(octets)
    mask = rest.take(1, "the change mask")[0]
    bits = frozenset(letter for letter, bit in BITS.items() if mask & bit)
    connection = rest.take(1, "the connection number")[0] if "C" in bits else None
    checksum = int.from_bytes(rest.take(2, "the TCP checksum"))
    special = bits & UNIDIRECTIONAL in (ECHOED, UNIDIRECTIONAL)
    present = [letter for letter in "UWAS" if letter in bits and not special] + [
        letter for letter in "I" if "I" in bits
    ]
    changes = {letter: _change(rest, letter) for letter in present}
    return CompressedHeader(bits, connection, checksum, changes, rest.at)


def _change(rest: _Octets, letter: str) -> Change:
    """A change. "One through 255 is represented in one byte … a byte of zero signals an extension": the value follows,
    most significant octet first."""
    first = rest.take(1, f"the change of {letter}")[0]
    if first:
        return Change(first, 1)
    return Change(int.from_bytes(rest.take(2, f"the change of {letter}")), 3)


class _Octets:
    def __init__(self, octets: bytes) -> None:
        self.octets, self.at = octets, 0

    def take(self, count: int, what: str) -> bytes:
        octets = self.octets[self.at : self.at + count]
        if len(octets) < count:
            raise NotVj(f"the packet ends before {what} does (3.2.2)")
        self.at += count
        return octets
