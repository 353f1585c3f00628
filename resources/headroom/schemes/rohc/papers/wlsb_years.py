# SPDX-License-Identifier: Apache-2.0
"""The W-LSB example of the Effnet paper (2007), Figure 3: the years 1800 to 1899, as decimal digits.

Least significant bits become least significant digits; the rest is RFC 3095, 4.5.1 and 4.5.2: with reference v and
interpretation offset p, k digits suffice for every value of the interval [v - p, v - p + 10^k - 1]. The paper's encoder
establishes a context with "1800", sends one digit for 1801 to 1809, and establishes the next with 1810. So the
reference is the last number that needed more than one digit, and p is 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SentValue:
    """The digits sent for one value; `establishes` is True if they establish a context."""

    value: int
    digits: str
    establishes: bool


def digits_needed(value: int, reference: int, offset: int = 0, base: int = 10) -> int:
    """Fewest digits k with `value` in the interpretation interval of k digits around `reference` (RFC 3095, 4.5.1).

    At least one is sent.
    """
    low = reference - offset
    if value < low:
        raise ValueError(f"{value} lies below the interpretation interval of {reference}, which begins at {low}")
    k = 1
    while value > low + base**k - 1:
        k += 1
    return k


def decode(digits: str, reference: int, offset: int = 0, base: int = 10) -> int:
    """The only value of the interpretation interval that ends in these digits (RFC 3095, 4.5.1)."""
    span = base ** len(digits)
    low = reference - offset
    return low + (int(digits, base) - low) % span


def encode(values: Sequence[int]) -> list[SentValue]:
    """Encodes a series as the paper describes: the first value whole, then the remaining digits."""
    sent: list[SentValue] = []
    reference: int | None = None
    for value in values:
        if reference is None:
            digits = str(value)
        else:
            k = digits_needed(value, reference)
            digits = str(value)[-k:].rjust(k, "0")
        establishes = reference is None or len(digits) > 1
        sent.append(SentValue(value, digits, establishes))
        if establishes:
            reference = value
    return sent


def restore(sent: Sequence[SentValue]) -> list[int]:
    """The values that the decompressor restores from the digits alone."""
    values: list[int] = []
    reference: int | None = None
    for item in sent:
        value = int(item.digits) if reference is None else decode(item.digits, reference)
        values.append(value)
        if reference is None or len(item.digits) > 1:
            reference = value
    return values
