# SPDX-License-Identifier: Apache-2.0
"""The cells of a matrix: who, with whom, in which profile, mode and CID type, with which traffic, over which link.

A row has everything but traffic and link in common; it is one case of the suite, and its cells run together.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from headroom.core import implementations
from headroom.core.paths import DEFAULT_BUILD
from headroom.schemes.rohc.interop import links, traffic
from headroom.schemes.rohc.interop.traffic import Traffic

MODES = ("U", "O", "R")
MODE_NAMES = {"U": "U-Mode", "O": "O-Mode", "R": "R-Mode"}
CIDS = {"small": 15, "large": 16383}  # highest CID, RFC 5795, 5.1.2


@dataclass(frozen=True)
class Row:
    """One compressor with one decompressor, in one profile, mode and CID type."""

    compressor: str
    decompressor: str
    profile: str
    mode: str
    cids: str

    @property
    def title(self) -> str:
        """What a row is about besides who is in it, such as `RTP, U-Mode, Small CIDs`."""
        profile = traffic.PROFILE_NAMES.get(self.profile, self.profile)
        return f"{profile}, {MODE_NAMES[self.mode]}, {self.cids.capitalize()} CIDs"

    def channel(self) -> dict[str, Any]:
        """The configuration of both sides. Uncompressed (RFC 3095, 5.10) is on where both have it: what fits no other
        profile goes that way."""
        found = [self.profile]
        if self.profile != traffic.UNCOMPRESSED and all(
            traffic.UNCOMPRESSED in declared(name).get("profiles", ()) for name in (self.compressor, self.decompressor)
        ):
            found.insert(0, traffic.UNCOMPRESSED)
        return {"mode": self.mode, "cids": self.cids, "max_cid": CIDS[self.cids], "profiles": found}


@dataclass(frozen=True)
class Cell:
    """A row with its traffic and link condition. `recording` names that of a capture-file implementation."""

    row: Row
    traffic: Traffic
    link: str
    seed: int = 1
    build: str = DEFAULT_BUILD
    recording: str = ""

    def words(self) -> dict[str, str]:
        """The cell as the contract of `interop --json` has it, without what came of it."""
        row = self.row
        return {
            "compressor": row.compressor,
            "decompressor": row.decompressor,
            "profile": row.profile,
            "mode": row.mode,
            "cids": row.cids,
            "traffic": self.recording or self.traffic.name,
            "link": self.link,
        }

    def command(self) -> str:
        """What repeats this cell alone, to be typed in the repository's root."""
        carried = self.recording or self.traffic.source
        return command(self.row, Choice((carried,), (self.link,), self.seed, self.build))


@dataclass(frozen=True)
class Choice:
    """What a matrix is made of; an empty list of traffic or links stands for all."""

    traffic: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    seed: int = 1
    build: str = DEFAULT_BUILD


def command(row: Row, choice: Choice) -> str:
    """What repeats a row, or a part of it, to be typed in the repository's root."""
    chosen = {
        "compressors": row.compressor,
        "decompressors": row.decompressor,
        "profiles": row.profile,
        "modes": row.mode,
        "cids": row.cids,
        "traffic": ",".join(choice.traffic),
        "links": ",".join(choice.links),
        "build": choice.build if choice.build != DEFAULT_BUILD else "",
    }
    options = [word for name, value in chosen.items() if value for word in (f"--{name}", value)]
    return shlex.join(["./headroom", "interop", *options, "--seed", str(choice.seed)])


def declared(name: str) -> dict[str, Any]:
    """What an implementation declares of the scheme rohc; nothing when it does not declare it."""
    return next((entry for entry in implementations.find(name).capabilities if entry["scheme"] == "rohc"), {})


def untrue(row: Row, build: str = DEFAULT_BUILD) -> str:
    """What a side declares for a row though its adapter says otherwise, as a sentence; "" when that is so of none."""
    asked: dict[str, Any] = {"profiles": [row.profile], "modes": [row.mode], "cids": [row.cids]}
    return implementations.untrue(
        implementations.find(row.compressor), "compressor", build, **asked
    ) or implementations.untrue(implementations.find(row.decompressor), "decompressor", build, **asked)


def not_declared(row: Row, build: str = DEFAULT_BUILD) -> str:
    """Why nobody can be asked for a row, as a sentence; "" when both sides declare what it takes and are here."""
    asked: dict[str, Any] = {"profiles": [row.profile], "modes": [row.mode], "cids": [row.cids]}
    if row.mode != "U":
        asked["feedback"] = ["own"]
    asked["max_cid"] = CIDS[row.cids]
    sides = [
        (implementations.find(row.compressor), "compressor"),
        (implementations.find(row.decompressor), "decompressor"),
    ]
    for found, role in sides:
        limits = dict(asked)
        if found.recordings:  # what is on file is on file: there is no channel to be set up
            del limits["max_cid"]
            limits.pop("feedback", None)
        elif copies(row.compressor if role == "compressor" else row.decompressor):
            limits.pop("feedback", None)
        if reason := found.lacks(role, **limits) or found.unusable(build):  # type: ignore[arg-type]
            return f"{reason}."
    formats = {name: declared(name).get("wire", "rohc") for name in (row.compressor, row.decompressor)}
    if len(set(formats.values())) > 1:
        said = " and ".join(f"{name} {wire}" for name, wire in formats.items())
        return f"They declare different formats on the link: {said}."
    recorded = [found for found, _ in sides if found.recordings]
    if recorded and not recordings_of(row):
        return f"{recorded[0].name} is known by its capture files alone, and has none for this."
    return ""


def not_declared_for(cell: Cell) -> str:
    """Why the traffic of a cell is nothing for its two sides, as a sentence; "" when it is."""
    feature = cell.traffic.feature
    compressor, decompressor = (implementations.find(name) for name in (cell.row.compressor, cell.row.decompressor))
    if not feature or compressor.lacks("compressor", features=[feature]) or decompressor.recordings:
        return ""
    reason = decompressor.lacks("decompressor", features=[feature])
    return f"{reason}, which {compressor.name} uses for this traffic." if reason else ""


def copies(name: str) -> bool:
    """Whether it is no compression at all: a control, which needs no feedback in any mode."""
    return declared(name).get("wire") == "copy"


def recordings_of(row: Row) -> list[implementations.Recording]:
    """Recordings that can speak for a row.

    With capture files as compressor, what they have of it on the link goes to every decompressor. As decompressor they
    speak of that compressor alone whose packets they were given.
    """
    compressor, decompressor = implementations.find(row.compressor), implementations.find(row.decompressor)
    holder = decompressor if decompressor.recordings else compressor
    found = []
    for one in holder.recordings:
        if (one.profile, one.mode, one.cids) != (row.profile, row.mode, row.cids) or one.compressor != compressor.name:
            continue
        needed = ["source", "uncompressed"] if holder is decompressor else ["source", "rohc"]
        if all(one.file(stem) for stem in needed):
            found.append(one)
    return found


def cells(row: Row, choice: Choice) -> list[Cell]:
    """The cells of a row, by traffic and then link."""
    conditions = [
        one for one in links.CONDITIONS if row.mode in one.modes and (not choice.links or one.name in choice.links)
    ]
    judged = implementations.find(row.decompressor).recordings
    recorded = recordings_of(row) if judged or implementations.find(row.compressor).recordings else []
    if recorded:
        if judged:  # what came out is on file, and only of the link that was there
            conditions = [one for one in conditions if one.name == "clean"]
        conditions = [one for one in conditions if "feedback_loss" not in one.words]
        return [
            Cell(row, Traffic(str(one.folder), 1, 0), condition.name, choice.seed, choice.build, one.name)
            for one in recorded
            if not choice.traffic or one.name in choice.traffic
            for condition in conditions
        ]
    return [
        Cell(row, carried, condition.name, choice.seed, choice.build)
        for carried in traffic.of(row.profile, choice.traffic)
        for condition in conditions
    ]


def unsupported(row: Row, choice: Choice, reason: str) -> list[dict[str, Any]]:
    """Results of the cells of a row that nobody can be asked for."""
    return [blank(cell) | {"verdict": "unsupported", "reason": reason} for cell in cells(row, choice)]


def blank(cell: Cell) -> dict[str, Any]:
    """The result of a cell before anything is known."""
    return unknown(cell.words(), cell.command())


def unknown(words: dict[str, str], command: str) -> dict[str, Any]:
    """The result of a cell of any scheme before anything is known."""
    return {
        **words,
        "verdict": "error",
        "reason": "",
        "signature": "",
        "header_bytes": None,
        "ns_per_packet": None,
        "packets": None,
        "delivered": None,
        "command": command,
    }


def rows(
    compressors: Iterable[str],
    decompressors: Iterable[str],
    profiles: Iterable[str] = traffic.PROFILES,
    modes: Iterable[str] = MODES,
    cids: Iterable[str] = tuple(CIDS),
) -> list[Row]:
    """Every row, pair by pair."""
    profiles, modes, cids, decompressors = list(profiles), list(modes), list(cids), list(decompressors)
    return [
        Row(compressor, decompressor, profile, mode, kind)
        for compressor in compressors
        for decompressor in decompressors
        for profile in profiles
        for mode in modes
        for kind in cids
    ]


def candidates(warn: implementations.Warn | None = None) -> list[str]:
    """Implementations that declare ROHC, usable here or not; `warn` hears of declarations that are not valid."""
    valid = implementations.all_valid(warn=warn)
    return [one.name for one in valid if any(entry["scheme"] == "rohc" for entry in one.capabilities)]
