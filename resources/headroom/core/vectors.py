# SPDX-License-Identifier: Apache-2.0
"""Vectors of every scheme: files of entries with unique names, and packets in a compact notation.

A packet has one part a line: a header, an item of a chain, a group of octets. ` | ` separates the fields of a part, and
a reason may follow a value in parentheses. A line that begins with a space continues the line before.

    IR 0b1111110 | D 1:1 | Profile 8:2 | CRC =ff (CRC-8, this field taken as zero)
    source port 16:5004 | destination port 16:5006

A value is WIDTH:NUMBER in decimal, 0bBITS, or =OCTETS in hexadecimal. The fields of a part fill whole octets.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headroom.core.errors import UsageError
from headroom.core.paths import shown
from headroom.core.yamlfile import MAX_QUOTED, Document, Pointer, check, read

MAX_BITS = 32  # bits of a number; longer fields are octets
FORM = "NAME WIDTH:NUMBER, NAME 0bBITS or NAME =OCTETS, and perhaps (REASON)"
_VALUE_START = re.compile(r"[0-9]+:|0b|=")
_NUMBER = re.compile(r"([0-9]{1,2}):([0-9]{1,10})")
_BITS = re.compile(rf"0b([01]{{1,{MAX_BITS}}})")
_OCTETS = re.compile(r"=((?:[0-9a-f]{2})+)")


@dataclass(frozen=True)
class Field:
    """A field of a packet: its width in bits, its value, and the source of the value."""

    name: str
    bits: int
    value: int
    why: str = ""


@dataclass(frozen=True)
class Entry:
    """An entry of a vector file, such as a vector or a prologue, with its place in the file."""

    name: str
    data: dict[str, Any]
    document: Document
    place: Pointer

    def error(self, *where: str | int, sentence: str) -> UsageError:
        """An error that names the entry, and file and line of the value at `where` in it."""
        return UsageError(self.document.complaint((*self.place, *where), f"{self.name}: {sentence}"))

    def fields(self, parts: str, octets: bytes, *where: str | int) -> tuple[Field, ...]:
        """The fields of the parts at `where`. Raises UsageError unless they make up `octets`."""
        result: list[Field] = []
        begin = 0
        for line, part in _parts(parts):
            try:
                fields = fields_of(part)
                actual_octets = octets_of(fields)
            except ValueError as error:
                raise self.error(*where, line, sentence=str(error)) from error
            there = octets[begin : begin + len(actual_octets)]
            if actual_octets != there:
                at = next(n for n in range(len(actual_octets)) if actual_octets[n : n + 1] != there[n : n + 1])
                actual = f"is {there[at]:02x}" if at < len(there) else "is not there"
                sentence = f"octet {begin + at} of the packet (the first is 0) {actual}, but this part makes it"
                raise self.error(*where, line, sentence=f"{sentence} {actual_octets[at]:02x}; correct one of them.")
            result += fields
            begin += len(actual_octets)
        if begin < len(octets):
            sentence = f"no part makes up the last octets, {_shortened(octets[begin:].hex())}; write their fields."
            raise self.error(*where, sentence=sentence)
        return tuple(result)


def documents(folder: Path, schema: str) -> list[Document]:
    """All vector files of a folder, valid by a schema. Raises UsageError with file and line."""
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise UsageError(f"{shown(folder)} holds no vectors (*.yaml).")
    return [check(read(path), schema) for path in paths]


def entries(files: Iterable[Document], key: str) -> dict[str, Entry]:
    """The entries of the lists `key` by name, in the order of the files. Raises UsageError if a name occurs twice."""
    by_name: dict[str, Entry] = {}
    for document in files:
        for number, data in enumerate(document.data.get(key, ())):
            entry = Entry(data["name"], data, document, (key, number))
            if entry.name in by_name:
                raise entry.error("name", sentence="another entry has this name already; choose a new one.")
            by_name[entry.name] = entry
    return by_name


def select(patterns: Iterable[str], names: Iterable[str], folder: Path) -> list[str]:
    """The names that match patterns such as `crc-*`, without those that match `-name`, in the order of the patterns.

    Raises UsageError for a pattern that matches none.
    """
    known = list(names)
    chosen: dict[str, None] = {}
    for pattern in patterns:
        matching = fnmatch.filter(known, pattern.removeprefix("-"))
        if not matching:
            raise UsageError(f"No vector of {shown(folder)} matches '{pattern.removeprefix('-')}'.")
        for name in matching:
            if pattern.startswith("-"):
                chosen.pop(name, None)
            else:
                chosen[name] = None
    return list(chosen)


def fields_of(part: str) -> list[Field]:
    """The fields of a part. Raises ValueError unless it is in the notation."""
    return [_field(text) for text in part.split(" | ")]


def octets_of(fields: Iterable[Field]) -> bytes:
    """The octets that fields make up. Raises ValueError unless they fill whole octets."""
    result = bytearray()
    value = bits = 0
    for field in fields:
        value, bits = value << field.bits | field.value, bits + field.bits
        if bits % 8 == 0:
            result += value.to_bytes(bits // 8, "big")
            value = bits = 0
    if bits:
        total = 8 * len(result) + bits
        raise ValueError(f"the fields make up {total} bits; a part ends where an octet ends, so join or split parts.")
    return bytes(result)


def _parts(text: str) -> list[tuple[int, str]]:
    """The parts with the numbers of their lines, from 0."""
    numbered: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.removesuffix("\n").split("\n")):
        if numbered and line.startswith(" "):
            numbered[-1][1].append(line.lstrip(" "))
        else:
            numbered.append((number, [line]))
    return [(number, " ".join(lines)) for number, lines in numbered]


def _field(text: str) -> Field:
    tokens = text.split(" ")
    at = next((number for number, word in enumerate(tokens) if _VALUE_START.match(word)), 0)
    name, why = " ".join(tokens[:at]), " ".join(tokens[at + 1 :])
    if not name or "" in tokens or "|" in text or not text.isprintable():
        raise ValueError(f"{_quoted(text)} is no field; write {FORM}, one space apart, with ' | ' between fields.")
    if why and not (len(why) > 2 and why[0] == "(" and why[-1] == ")"):
        raise ValueError(f"{_quoted(why)} after the value of {_shortened(name)} is no (REASON); write {FORM}.")
    bits, value = _value(tokens[at], name)
    return Field(name, bits, value, why[1:-1])


def _value(word: str, name: str) -> tuple[int, int]:
    """The width in bits and the value that a word stands for."""
    if match := _OCTETS.fullmatch(word):
        return 4 * len(match[1]), int(match[1], 16)
    if match := _BITS.fullmatch(word):
        return len(match[1]), int(match[1], 2)
    match = _NUMBER.fullmatch(word)
    if not match or not 1 <= int(match[1]) <= MAX_BITS:
        sentence = f"{_quoted(word)} is no value of {_shortened(name)}; write WIDTH:NUMBER in decimal or 0bBITS, of 1"
        raise ValueError(f"{sentence} to {MAX_BITS} bits, or =OCTETS with two small hexadecimal digits for each octet.")
    bits, value = int(match[1]), int(match[2])
    if value >> bits:
        raise ValueError(f"{_shortened(name)} is {value}, which does not fit into {bits} bits; correct one of them.")
    return bits, value


def _quoted(text: str) -> str:
    return repr(_shortened(text))


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}…"
