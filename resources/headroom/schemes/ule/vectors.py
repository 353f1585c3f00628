# SPDX-License-Identifier: Apache-2.0
"""TS packets written by hand from RFC 4326 and RFC 5163, and the required output of a receiver: resources/vectors/ule.

Some of them are also the required output of an encapsulator for their PDUs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from headroom.core.paths import VECTORS
from headroom.core.vectors import Entry, documents, entries
from headroom.schemes.ule import builder

FOLDER = VECTORS / "ule"
FIRST_PID = 0x100
OWN = "02:00:00:00:00:01"
WHOLE_FRAME = 0x6558
IP_TYPES = {"ipv4": (0x0800, 0), "ipv6": (0x86DD, 0)}
_SLICE = re.compile(r"([A-Z])(?:\[(\d*):(\d*)\])?")


@dataclass(frozen=True)
class Arrival:
    """A TS packet on a channel."""

    octets: bytes
    channel: int = 0


@dataclass(frozen=True)
class Expected:
    """A unit that must come out, or may. `types` are those that it may have, none where any will do."""

    octets: bytes
    must: bool = True
    types: tuple[int, ...] = ()


@dataclass(frozen=True)
class Vector:
    """`shows` is the sentence that it rests on, of a `requirement` on receivers. `events` are the error counters that
    are not 0 after it, `free` those that the RFC leaves open. By the requirement `silent` no error may be counted.

    `extensions` are headers that a receiver has to know. `encapsulated`: an encapsulator with this `channel` makes
    these TS packets of `pdus`, all given at once.
    """

    name: str
    shows: str
    requirement: str
    channel: Mapping[str, Any]
    npa: str
    arrivals: tuple[Arrival, ...]
    out: tuple[Expected, ...]
    pdus: tuple[bytes, ...] = ()
    events: Mapping[str, int] = field(default_factory=dict)
    free: frozenset[str] = frozenset()
    silent: str = ""
    encapsulated: bool = False
    extensions: tuple[str, ...] = ()


@cache
def load() -> dict[str, Vector]:
    """All vectors by name. Raises UsageError with file and line where a file is not valid."""
    result = entries(documents(FOLDER, "schemes/ule/vectors"), "vectors")
    return {name: _Reader(entry).vector() for name, entry in result.items()}


class _Reader:
    """Makes octets of one entry."""

    def __init__(self, entry: Entry) -> None:
        self.error, self.entry = entry.error, entry.data
        self.pdus = {name: self._pdu(name, given) for name, given in self.entry.get("pdus", {}).items()}
        self.sndus = {name: self._sndu(name, given) for name, given in self.entry.get("sndus", {}).items()}
        self.counters: dict[int, int] = {}

    def vector(self) -> Vector:
        entry = self.entry
        arrivals = tuple(self._arrival(number, step) for number, step in enumerate(entry["ts"]))
        out = tuple(self._expected(number, item) for number, item in enumerate(entry.get("out", ())))
        return Vector(
            entry["name"],
            entry["shows"],
            entry["requirement"],
            entry.get("channel", {}),
            entry.get("npa", OWN),
            arrivals,
            out,
            tuple(self.pdus.values()),
            entry.get("events", {}),
            frozenset(entry.get("free", ())),
            entry.get("silent", ""),
            entry.get("encapsulated", False),
            tuple(entry.get("extensions", ())),
        )

    def _pdu(self, name: str, given: dict[str, Any]) -> bytes:
        mark = ord(name)
        where = {"to": given["to"]} if "to" in given else {}
        if "ipv4" in given:
            return builder.ipv4(given["ipv4"], mark, **where)
        if "ipv6" in given:
            return builder.ipv6(given["ipv6"], mark, **where)
        if "octets" in given:
            return builder.filler(given["octets"], mark)
        return bytes.fromhex(given["hex"])

    def _sndu(self, name: str, given: dict[str, Any]) -> bytes:
        content = self._joined(self.pdus, given["content"], "sndus", name, "content")
        octets = builder.sndu(
            int(given["type"], 16),
            content,
            bytes.fromhex(given["npa"].replace(":", "")) if "npa" in given else None,
            d_bit=given.get("d_bit"),
            length=given.get("length"),
            trailer=bytes.fromhex(given["crc"]) if given.get("crc", "wrong") != "wrong" else None,
        )
        return octets[:-1] + bytes([octets[-1] ^ 1]) if given.get("crc") == "wrong" else octets

    def _arrival(self, number: int, step: dict[str, Any]) -> Arrival:
        channel = step.get("channel", 0)
        if "hex" in step:
            return Arrival(bytes.fromhex(step["hex"]), channel)
        pid = step.get("pid", self.entry.get("channel", {}).get("first_pid", FIRST_PID) + channel)
        counter = step.get("counter", (self.counters.get(pid, -1) + 1) % 16)
        self.counters[pid] = counter
        try:
            octets = builder.ts_packet(
                self._joined(self.sndus, step.get("payload", ()), "ts", number, "payload"),
                counter,
                pid=pid,
                pointer=step.get("pointer"),
                starts=step.get("pusi"),
                error=step.get("error", False),
                scrambling=step.get("scrambling", 0),
                control=step.get("control", 1),
                fill=bytes.fromhex(step.get("fill", "ff")),
            )
        except ValueError as error:
            raise self.error("ts", number, sentence=str(error)) from error
        return Arrival(octets, channel)

    def _expected(self, number: int, given: Any) -> Expected:
        may = given.get("may") if isinstance(given, dict) else None
        unit = given if may is None else may
        return Expected(self._joined(self.pdus, unit, "out", number), may is None, self._types(unit))

    def _types(self, unit: Any) -> tuple[int, ...]:
        """The types of a unit: a frame is one of several parts, an IP packet has a version and may have the default."""
        if not isinstance(unit, str):
            return (WHOLE_FRAME,)
        given = self.entry.get("pdus", {}).get(unit, {})
        if "type" in given:
            named = int(given["type"], 16)
            return next((types for types in IP_TYPES.values() if types[0] == named), (named,))
        return next((types for key, types in IP_TYPES.items() if key in given), ())

    def _joined(self, named: Mapping[str, bytes], given: Any, *where: str | int) -> bytes:
        """Octets of names, slices of names and hexadecimal octets, one after another."""
        octets = b""
        for item in [given] if isinstance(given, str) else given:
            match = _SLICE.fullmatch(item)
            if not match:
                octets += bytes.fromhex(item)
            elif match[1] not in named:
                raise self.error(*where, sentence=f"there is no {match[1]}; known: {', '.join(named) or 'none'}.")
            else:
                begin, end = (int(text) if text else None for text in match.group(2, 3))
                octets += named[match[1]][begin:end]
        return octets
