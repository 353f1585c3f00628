# SPDX-License-Identifier: Apache-2.0
"""LSB encoding and its interpretation intervals: RFC 3095, 4.5.1, with the values of p that 5.7 and 5.11 give.

The interval for k bits is [v_ref - p, v_ref + 2^k - 1 - p]. It may straddle the wrap-around of the field.
"""

from headroom.schemes.rohc.judge.bits import Bits


def p_sn_rtp(width: int) -> int:
    """RFC 3095, 5.7: p = 1 up to 4 bits, 2^(bits-5) - 1 beyond."""
    return 1 if width <= 4 else (1 << width - 5) - 1


def p_sn_generated(width: int) -> int:
    """RFC 3095, 5.11: "The ROHC UDP profile always uses p = -1"."""
    return -1


def p_ip_id(width: int) -> int:
    """RFC 3095, 4.5.5 and 5.7: offsets are encoded with p = 0."""
    return 0


def p_ts(width: int) -> int:
    """RFC 3095, 5.7, and RFC 4815, 4.3: p = 2^(bits-2) - 1 without timer."""
    return (1 << width - 2) - 1 if width >= 2 else 0


def p_ts_timer(width: int) -> int:
    """RFC 3095, 4.5.4, and RFC 4815, 4.3: p = 2^(bits-1) - 1 with timer."""
    return (1 << width - 1) - 1 if width else 0


def change(reference: int, bits: Bits, p: int) -> int:
    """How far the value that `bits` mean lies from its reference: a number in [-p, 2^k - 1 - p].

    The caller adds it to the reference and reduces the sum to the field's range: that the interval straddles the
    wrap-around needs no case of its own as long as k is at most the field's width.
    """
    return ((bits.value - reference + p) & (1 << bits.width) - 1) - p


def decode(reference: int, bits: Bits, p: int, modulus: int) -> int:
    """The one value in the interpretation interval with these least significant bits, modulo the range of the field."""
    return (reference + change(reference, bits, p)) % modulus


def covers(reference: int, value: int, width: int, p: int, modulus: int) -> bool:
    """Whether `width` bits of `value` suffice for a decompressor with this reference."""
    return decode(reference, Bits(value & (1 << width) - 1, width), p, modulus) == value % modulus
