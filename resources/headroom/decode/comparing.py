# SPDX-License-Identifier: Apache-2.0
"""Whether our reading of an IP packet and tshark's agree. Of link packets, the schemes' dissectors say it."""

from collections.abc import Mapping

from headroom.core.captures.dissection import Difference, Ours, Reading, ReadingComparison, Value
from headroom.decode.tshark_reading import IP_FIELDS

# Lists of values that tshark has, too, in whatever it dissects as IP.
_LISTS = {name for name, several in IP_FIELDS.values() if several}


def compare_ip(ours: Ours, theirs: Reading) -> ReadingComparison:
    """Every value that both have. tshark may read on where ours ends, and less only behind the place of a known limit,
    where it decides nothing."""
    if ours.error or theirs.error:
        return ReadingComparison(silent=theirs.error or "our reader refuses what is in it")
    found = _compare(ours.values, theirs.values)
    limit = ours.tshark_limit
    if limit and (found.differences if limit.stops else found.differences or _has_more(theirs, ours)):
        in_front = _compare(limit.values, theirs.values)
        if not in_front.differences and (not limit.stops or all(map(_is_less, found.differences))):
            return ReadingComparison(silent=limit.reason)
        found = found if limit.stops else in_front
    if "malformed" in theirs.notes and found.differences and all(map(_is_less, found.differences)):
        return ReadingComparison(silent="tshark takes it for malformed, and reads less of it")
    if not found.agreed and not found.differences:
        found.silent = "tshark says nothing of it"
    return found


def _compare(ours: Mapping[str, Value], theirs: Mapping[str, Value]) -> ReadingComparison:
    found = ReadingComparison()
    for name, value in ours.items():
        other = theirs.get(name)
        if isinstance(value, list):
            theirs_first = other[: len(value)] if isinstance(other, list) else []
            if theirs_first or name in _LISTS:
                found.hold(name, value, theirs_first)
        elif other is not None:
            found.hold(name, value, other)
    return found


def _has_more(theirs: Reading, ours: Ours) -> bool:
    """True if tshark has read addresses, ports or IP-IDs that our reading has not."""
    return any(theirs.values[name] != ours.values.get(name) for name in _LISTS & set(theirs.values))


def _is_less(one: Difference) -> bool:
    """True if tshark has the first ones of our values, and no other."""
    ours, theirs = one.ours, one.theirs
    return isinstance(ours, list) and isinstance(theirs, list) and theirs == ours[: len(theirs)]
