# SPDX-License-Identifier: Apache-2.0
"""What a decompressor delivers besides the first output of each link packet."""

from collections.abc import Sequence
from typing import Any


def too_many(document: dict[str, Any], originals: Sequence[bytes | None], channel: int = 0) -> str:
    """Says that more comes out on a channel than may; "" if all may. `originals` are what has to come out of its link
    packets in order, None where nothing has to.

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
