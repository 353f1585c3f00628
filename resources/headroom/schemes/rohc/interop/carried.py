# SPDX-License-Identifier: Apache-2.0
"""Checks that a cell tests what its name says: its profile carried packets, and its link had an effect."""

from pathlib import Path

from headroom.core.matrix import Cell
from headroom.core.replay import Replay
from headroom.schemes.rohc.interop import matrix, recordings
from headroom.schemes.rohc.interop.axes import PROFILE, UNCOMPRESSED

FEW = 0.1  # of the packets; below that, a pass says so


def unasked(cell: Cell, result: Replay, link: Path) -> str:
    """Returns a sentence if no packet of a passed cell used the cell's profile, so that the cell does not test it; ""
    otherwise.

    `link` is the capture of the link. A judge reads it; what it cannot read is what the sides report.
    """
    if not _can_be_carried_otherwise(cell) or _is_asked(cell, result, link):
        return ""
    number = cell.row["profile"]
    profile = f"{number} ({PROFILE.title_of(number)})"
    if matrix.carried(cell).is_capture:
        return f"No packet of this capture fits {profile}: none was sent by it, so it was not tested."
    return f"The compressor sent no packet of {cell.traffic.name} by {profile}, so that it was not tested."


def remarks(cell: Cell, result: Replay) -> str:
    """Remarks that qualify a pass; "" for most cells."""
    sentences = []
    if _can_be_carried_otherwise(cell):
        count = _count(cell, result)
        if count is not None and 0 < count < FEW * result.sent:
            sentences.append(f"Only {count} of {result.sent} packets went by {cell.row['profile']}.")
    if "ber" in cell.condition.words and not result.direction()["link"].get("bits_flipped"):
        sentences.append("No bit was hit: the link did nothing to the packets.")
    return " ".join(sentences)


def _is_asked(cell: Cell, result: Replay, link: Path) -> bool:
    """True if a packet went by the profile of a cell, or if that is not known."""
    found = recordings.has_packet_by(cell, link)
    return _count(cell, result) != 0 if found is None else found


def _count(cell: Cell, result: Replay) -> int | None:
    """As the sides say themselves, the compressor first; None if neither says it of each packet."""
    for side in ("compressor", "decompressor"):
        counted: dict[str, int] = result.direction().get(side, {}).get("profiles") or {}
        if counted:
            return int(counted.get(cell.row["profile"], 0))
    return None


def _can_be_carried_otherwise(cell: Cell) -> bool:
    return cell.row["profile"] != UNCOMPRESSED and not matrix.is_copying(cell.row, cell.row.compressor)
