# SPDX-License-Identifier: Apache-2.0
"""Rows of the interop matrix: whether two implementations can run one, and with which traffic."""

from collections.abc import Sequence
from typing import Any

from headroom.core import implementations
from headroom.core.contract import CLEAN
from headroom.core.matrix import Cell, Row
from headroom.schemes.rohc.interop import traffic
from headroom.schemes.rohc.interop.axes import CIDS, FEEDBACK_LOSS, LINKS
from headroom.schemes.rohc.interop.traffic import Traffic


def channel(row: Row) -> dict[str, Any]:
    """The configuration of both sides. Uncompressed (RFC 3095, 5.10) is on where both have it: what fits no other
    profile goes that way."""
    results = [row["profile"]]
    if row["profile"] != traffic.UNCOMPRESSED and all(
        traffic.UNCOMPRESSED in row.declared(name).get("profiles", ()) for name, _, _ in row.sides
    ):
        results.insert(0, traffic.UNCOMPRESSED)
    return {"mode": row["mode"], "cids": row["cids"], "max_cid": CIDS[row["cids"]], "profiles": results}


def channel_of(cell: Cell) -> dict[str, Any]:
    """The configuration of both sides of a cell. PROFILES is a set (RFC 5795, 5.1.2), and that of a recording has more
    profiles than the one it is about: those that it says, or else all that its decompressor declares."""
    agreed, recording = channel(cell.row), recording_of(cell)
    if recording is None:
        return agreed
    own, declared = recording.config.get("profiles"), cell.row.declared(cell.row.decompressor).get("profiles", ())
    preferred = [cell.row["profile"], *(own or cell.row.declared(cell.row.compressor).get("profiles", ()))]
    result: dict[int, str] = {}  # by the octet of IR packets, which two profiles of a channel never share
    for profile in (*preferred, *(() if own else sorted(declared))):
        if profile in declared:
            result.setdefault(int(profile, 16) & 0xFF, profile)
    return agreed | recording.config | {"profiles": sorted(result.values())}


def needed(row: Row) -> dict[str, Any]:
    """The capabilities that the axes of a row name."""
    return {"profiles": [row["profile"]], "modes": [row["mode"]], "cids": [row["cids"]]}


def untrue(row: Row) -> str:
    """Returns a sentence if a side declares something for a row that its adapter denies; "" otherwise."""
    for name, role, _ in row.sides:
        implementation = implementations.find(name)
        if reason := implementations.untrue(implementation, role, row.scheme, row.build, **needed(row)):
            return reason
    return ""


def unsupported(row: Row) -> str:
    """The reason why the two implementations cannot run a row, as a sentence; "" if both declare all that the row needs
    and can be used on this machine."""
    needs = needed(row)
    if row["mode"] != "U":
        needs["feedback"] = ["own"]
    needs["max_cid"] = CIDS[row["cids"]]
    for name, role, _ in row.sides:
        implementation, limits = implementations.find(name), dict(needs)
        if implementation.recordings:  # what is on file is on file: there is no channel to be set up
            del limits["max_cid"]
            limits.pop("feedback", None)
        elif is_copying(row, name):
            limits.pop("feedback", None)
        if reason := implementation.lacks(role, row.scheme.name, **limits) or implementation.unusable(row.build):
            return f"{reason}."
    formats = {name: row.declared(name).get("wire", row.scheme.name) for name, _, _ in row.sides}
    if len(set(formats.values())) > 1:
        pairs = " and ".join(f"{name} {wire}" for name, wire in formats.items())
        return f"They declare different formats on the link: {pairs}."
    recorded = [implementation for name, _, _ in row.sides if (implementation := implementations.find(name)).recordings]
    if recorded and not recordings_of(row):
        return f"{recorded[0].name} is known by its capture files alone, and has none for this."
    return ""


def unsupported_traffic(cell: Cell) -> str:
    """The reason why the two sides cannot carry the traffic of a cell, as a sentence; "" if they can."""
    row, feature = cell.row, carried(cell).feature
    compressor, decompressor = (implementations.find(name) for name, _, _ in row.sides)
    if not feature or compressor.lacks("compressor", row.scheme.name, features=[feature]) or decompressor.recordings:
        return ""
    reason = decompressor.lacks("decompressor", row.scheme.name, features=[feature])
    return f"{reason}, which {compressor.name} uses for this traffic." if reason else ""


def is_copying(row: Row, name: str) -> bool:
    """True if an implementation copies packets instead of compressing them: a control, which needs no feedback in any
    mode."""
    return bool(row.declared(name).get("wire") == "copy")


def carried(cell: Cell) -> Traffic:
    assert isinstance(cell.traffic, Traffic)
    return cell.traffic


def recordings_of(row: Row) -> list[implementations.Recording]:
    """Recordings that can speak for a row.

    With capture files as compressor, what they have of it on the link goes to every decompressor. As decompressor they
    speak of that compressor alone whose packets they were given.
    """
    compressor, decompressor = (implementations.find(name) for name, _, _ in row.sides)
    holder = decompressor if decompressor.recordings else compressor
    stems = (implementations.SOURCE, implementations.RESTORED if holder is decompressor else row.scheme.name)
    return [
        recording
        for recording in holder.recordings
        if recording.scheme == row.scheme.name
        and recording.axes == row.axes
        and recording.compressor == compressor.name
        and all(recording.file(stem) for stem in stems)
    ]


def recording_of(cell: Cell) -> implementations.Recording | None:
    """The recording that a cell carries; None if it carries none."""
    recordings = recordings_of(cell.row) if carried(cell).is_recording else []
    return next((recording for recording in recordings if recording.name == cell.traffic.name), None)


def traffic_of(row: Row) -> Sequence[Traffic]:
    """The traffic of the cells of a row: recordings if a side consists of recordings, otherwise traffic profiles and
    captures.

    The output of a recording exists only for the link over which it was recorded.
    """
    judged = implementations.find(row.decompressor).recordings
    recorded = recordings_of(row) if judged or implementations.find(row.compressor).recordings else []
    if not recorded:
        return traffic.of(row["profile"], row.traffic)
    links = (CLEAN,) if judged else tuple(condition.name for condition in LINKS if FEEDBACK_LOSS not in condition.words)
    return [
        Traffic(recording.name, 1, 0, is_recording=True, links=links)
        for recording in recorded
        if not row.traffic or recording.name in row.traffic
    ]
