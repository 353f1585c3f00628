# SPDX-License-Identifier: Apache-2.0
"""Link packets that arrive with inverted bits: what came out wrong of each packet type, and what theory allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random


@dataclass
class DamagedType:
    """Packets of one type on a link that inverts bits. `damaged` are those whose header was hit. `wrong` came out other
    than they were, and nothing above showed it; `expected` is the mean number of these by a theory, which `theory`
    states in a sentence."""

    name: str
    theory: str
    packets: int = 0
    damaged: int = 0
    wrong: int = 0
    expected: float = 0.0


def flipped(octets: bytes, bits: Iterable[int]) -> bytes:
    """The octets with some bits inverted; bit 0 is the most significant one of the first octet."""
    changed = bytearray(octets)
    for bit in bits:
        changed[bit >> 3] ^= 0x80 >> (bit & 7)
    return bytes(changed)


def with_one_bit_flipped(octets: bytes, chance: Random) -> bytes:
    """The octets with one bit inverted, wherever it is."""
    return flipped(octets, [chance.randrange(8 * len(octets))]) if octets else octets
