# SPDX-License-Identifier: Apache-2.0
"""Compares our reading of an IP packet with tshark's. The schemes' dissectors compare readings of link packets."""

from collections.abc import Mapping

from headroom.core.captures.dissection import Difference, Ours, Reading, ReadingComparison, Value
from headroom.decode.tshark_reading import IP_FIELDS

# Lists of values that tshark also has for any IP packet.
_LISTS = {name for name, several in IP_FIELDS.values() if several}


def compare_ip(ours: Ours, theirs: Reading) -> ReadingComparison:
    """Compares every value that both have. tshark may read on where our reading ends. If it reads less, that counts
    only in front of a known limit of tshark.
    """
    if ours.error or theirs.error:
        return ReadingComparison(silent=theirs.error or "our reader refuses the content")
    comparison = _compare(ours.values, theirs.values)
    limit = ours.tshark_limit
    if limit and (comparison.differences if limit.stops else comparison.differences or _has_more(theirs, ours)):
        in_front = _compare(limit.values, theirs.values)
        if not in_front.differences and (not limit.stops or all(map(_is_less, comparison.differences))):
            return ReadingComparison(silent=limit.reason)
        comparison = comparison if limit.stops else in_front
    if "malformed" in theirs.notes and comparison.differences and all(map(_is_less, comparison.differences)):
        return ReadingComparison(silent="tshark takes it for malformed, and reads less of it")
    if not comparison.agreed and not comparison.differences:
        comparison.silent = "tshark says nothing of it"
    return comparison


def _compare(ours: Mapping[str, Value], theirs: Mapping[str, Value]) -> ReadingComparison:
    comparison = ReadingComparison()
    for name, value in ours.items():
        other = theirs.get(name)
        if isinstance(value, list):
            theirs_first = other[: len(value)] if isinstance(other, list) else []
            if theirs_first or name in _LISTS:
                comparison.hold(name, value, theirs_first)
        elif other is not None:
            comparison.hold(name, value, other)
    return comparison


def _has_more(theirs: Reading, ours: Ours) -> bool:
    """True if tshark has read addresses, ports or IP-IDs that our reading has not."""
    return any(theirs.values[name] != ours.values.get(name) for name in _LISTS & set(theirs.values))


def _is_less(difference: Difference) -> bool:
    """True if tshark has read the first ones of our values, and no others."""
    ours, theirs = difference.ours, difference.theirs
    return isinstance(ours, list) and isinstance(theirs, list) and theirs == ours[: len(theirs)]
