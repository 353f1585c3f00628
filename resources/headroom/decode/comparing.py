# SPDX-License-Identifier: Apache-2.0
"""Whether our reading of an IP packet and tshark's agree. Of link packets, the schemes' dissectors say it."""

from headroom.core.captures.dissection import Ours, Reading, ReadingComparison
from headroom.decode.tshark_reading import IP_FIELDS

# Lists of values that tshark has, too, in whatever it dissects as IP.
_LISTS = {name for name, several in IP_FIELDS.values() if several}


def compare_ip(ours: Ours, theirs: Reading) -> ReadingComparison:
    """Every value that both have. tshark may read on where ours ends, never the other way round."""
    found = ReadingComparison()
    if ours.error or theirs.error:
        found.silent = theirs.error or "our reader refuses what is in it"
        return found
    for name, value in ours.values.items():
        other = theirs.values.get(name)
        if isinstance(value, list):
            theirs_first = other[: len(value)] if isinstance(other, list) else []
            if theirs_first or name in _LISTS:
                found.hold(name, value, theirs_first)
        elif other is not None:
            found.hold(name, value, other)
    if not found.agreed and not found.differences:
        found.silent = "tshark says nothing of it"
    return found
