# SPDX-License-Identifier: Apache-2.0
"""Link packets that arrive with inverted bits: wrong deliveries by packet type, and the number that theory allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random


@dataclass
class DamagedType:
    """Packets of one type on a link that inverts bits. `damaged` counts those whose header was hit. `wrong` counts
    those that came out changed without any check noticing it; `expected` is their mean by a theory, which `theory`
    states in a sentence.
    """

    name: str
    theory: str
    packets: int = 0
    damaged: int = 0
    wrong: int = 0
    expected: float = 0.0


def flipped(octets: bytes, bits: Iterable[int]) -> bytes:
    """The octets with some bits inverted; bit 0 is the most significant bit of the first octet."""
    changed = bytearray(octets)
    for bit in bits:
        changed[bit >> 3] ^= 0x80 >> (bit & 7)
    return bytes(changed)


def with_one_bit_flipped(octets: bytes, chance: Random) -> bytes:
    """The octets with one bit inverted at random."""
    return flipped(octets, [chance.randrange(8 * len(octets))]) if octets else octets
