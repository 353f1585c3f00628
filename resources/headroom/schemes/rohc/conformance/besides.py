# SPDX-License-Identifier: Apache-2.0
"""Judges the outputs of a decompressor besides the first one of each link packet."""

from collections.abc import Sequence
from typing import Any


def too_many(document: dict[str, Any], originals: Sequence[bytes | None], channel: int = 0) -> str:
    """Returns a sentence if more comes out on a channel than may come out; "" otherwise. `originals` are the packets
    that its link packets gave, or must give, in order; None for a link packet without one.

    A packet that is not delivered at once may come out later (reverse decompression: RFC 3095, 6.1), but none twice.
    """
    further = [
        record["got"]
        for record in document["records"]
        if record.get("inserted") and record["status"] == "OK" and record.get("channel", 0) == channel
    ]
    due = [original.hex() for original in originals if original is not None]
    all_differ = len(set(due)) == len(due)
    if len(further) <= originals.count(None) and not (all_differ and set(due) & set(further)):
        return ""
    return f"besides the first output of each link packet, {len(further)} more come out"
