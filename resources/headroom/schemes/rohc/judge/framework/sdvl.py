# SPDX-License-Identifier: Apache-2.0
"""Self-describing variable-length values: RFC 3095, 4.5.6."""

from headroom.schemes.rohc.judge.framework.bits import Bits, Reader

_LENGTHS = ((0x80, 0x00, 1), (0xC0, 0x80, 2), (0xE0, 0xC0, 3), (0xE0, 0xE0, 4))  # mask, first bits, octets


def length(first: int) -> int:
    """Octets of a value whose first octet is `first`."""
    return next(octets for mask, bits, octets in _LENGTHS if first & mask == bits)


def width(octets: int) -> int:
    """Bits that `octets` octets transfer: 7, 14, 21 or 29."""
    return 29 if octets == 4 else 7 * octets


def read(reader: Reader, name: str) -> Bits:
    octets = length(reader.peek(name=name))
    bits = width(octets)
    return Bits(reader.number(name, octets) & (1 << bits) - 1, bits)


def encode(value: int, octets: int | None = None) -> bytes:
    """A value in as few octets as it needs, or in `octets`. Raises ValueError when it does not fit."""
    length = octets or next((n for n in (1, 2, 3, 4) if 0 <= value < 1 << width(n)), 0)
    if not length or not 0 <= value < 1 << width(length):
        raise ValueError(f"{value} does not fit into {octets or 4} octets of RFC 3095, 4.5.6.")
    prefix = (0x00, 0x80, 0xC0, 0xE0)[length - 1]
    return (prefix << 8 * (length - 1) | value).to_bytes(length, "big")
