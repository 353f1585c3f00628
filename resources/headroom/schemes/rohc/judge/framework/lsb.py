# SPDX-License-Identifier: Apache-2.0
"""LSB encoding and its interpretation intervals: RFC 3095, 4.5.1; RFC 4997, 4.11.5.

The interval for k bits is [v_ref - p, v_ref + 2^k - 1 - p]. It may straddle the wrap-around of the field. Which p a
field has is its profile's.
"""

from headroom.schemes.rohc.judge.framework.bits import Bits


def change(reference: int, bits: Bits, p: int) -> int:
    """Distance from the reference to the value that `bits` mean: a number in [-p, 2^k - 1 - p].

    The caller adds it to the reference and reduces the sum to the field's range: that the interval straddles the
    wrap-around needs no case of its own as long as k is at most the field's width.
    """
    return ((bits.value - reference + p) & (1 << bits.width) - 1) - p


def decode(reference: int, bits: Bits, p: int, modulus: int) -> int:
    """The one value in the interpretation interval with these least significant bits, modulo the range of the field."""
    return (reference + change(reference, bits, p)) % modulus


def can_decode(reference: int, value: int, width: int, p: int, modulus: int) -> bool:
    """True if `width` bits of `value` suffice for a decompressor with this reference."""
    return decode(reference, Bits(value & (1 << width) - 1, width), p, modulus) == value % modulus
