# SPDX-License-Identifier: Apache-2.0
"""Calls of other people's: the sequences of traffic-profiles/sip with other identities, so no test rests on one text.

A call has the structure of its sequence: the same messages, header fields and lines in the same order. Other are the
names, hosts, addresses, tags, branches, Call-IDs, keys and session identifiers that identities.yaml lists (in
traffic-profiles/sip), and the numbers of CSeq, RSeq and RAck; within a call they agree. A call depends on its sequence,
the seed, its number and `lengths_vary`, on nothing else.
"""

import random
import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from headroom.core.yamlfile import check, read
from headroom.schemes.sigcomp.sip import sequences
from headroom.schemes.sigcomp.sip.sequences import FOLDER, Message

IDENTITIES = FOLDER / "identities.yaml"
MOST_GROWTH, MOST_SHRINKAGE = 6, 3  # characters by which a name may be longer or shorter than the printed one

_KINDS = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
_COUNTERS = re.compile(r"^(?P<field>CSeq|RSeq|RAck): (?P<numbers>\d+(?: \d+)?)", re.IGNORECASE | re.MULTILINE)
_LENGTH = re.compile(r"^(?P<field>Content-Length: )\d+", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Call:
    """One call: the sequence that it follows, which it is, and its messages."""

    sequence: str
    seed: int
    number: int
    messages: tuple[Message, ...]

    def as_data(self) -> dict[str, Any]:
        """The call as JSON, for programs that send it: messages in order, octets in hexadecimal."""
        messages = [
            {
                "from": "caller" if message.from_caller else "called",
                "name": message.name,
                "octets": message.octets.hex(),
            }
            for message in self.messages
        ]
        return {"sequence": self.sequence, "seed": self.seed, "number": self.number, "messages": messages}


def call(sequence: str, seed: int, number: int = 0, *, lengths_vary: bool = True) -> Call:
    """One call of a sequence. With `lengths_vary` names are longer or shorter than the printed ones, so that messages
    may exceed a datagram; without it every message is as long as the printed one. Raises UsageError for an unknown
    sequence."""
    draw = random.Random(f"{sequence}/{seed}/{number}")
    printed = sequences.load(sequences.path_of(sequence))
    others = _Others(draw, lengths_vary, _shifts(printed, draw))
    return Call(sequence, seed, number, tuple(others.message(message) for message in printed))


def calls(sequence: str, seed: int, *, lengths_vary: bool = True) -> Iterator[Call]:
    """Calls of a sequence without end, one after another."""
    number = 0
    while True:
        yield call(sequence, seed, number, lengths_vary=lengths_vary)
        number += 1


@cache
def _identities(path: Path) -> dict[str, dict[str, Any]]:
    return {entry["text"]: entry for entry in check(read(path), "sip-identities").data["identities"]}


@cache
def _pattern(path: Path) -> re.Pattern[str]:
    """Any identity, the longest first, as a whole word."""
    parts = sorted(_identities(path), key=len, reverse=True)
    return re.compile(r"(?<![A-Za-z0-9])(?:" + "|".join(map(re.escape, parts)) + r")(?![A-Za-z0-9])")


class _Others:
    """The identities of one call: what stands in the place of each printed one."""

    def __init__(self, draw: random.Random, lengths_vary: bool, shifts: dict[str, int]) -> None:
        self.draw, self.lengths_vary, self.shifts = draw, lengths_vary, shifts
        self.known: dict[str, str] = {}

    def message(self, printed: Message) -> Message:
        text = _pattern(IDENTITIES).sub(lambda result: self.instead_of(result[0]), printed.octets.decode())
        head, _, body = text.partition("\r\n\r\n")
        head = _COUNTERS.sub(self._counted_on, head)
        head = _LENGTH.sub(lambda result: f"{result['field']}{len(body.encode())}", head)
        return Message(printed.from_caller, printed.name, f"{head}\r\n\r\n{body}".encode())

    def instead_of(self, text: str) -> str:
        if text not in self.known:
            entry = _identities(IDENTITIES)[text]
            kept = entry.get("keep", 0)
            result = text
            while result == text or result in self.known.values():
                result = text[:kept] + getattr(self, f"_{entry['kind']}")(text[kept:])
            self.known[text] = result
        return self.known[text]

    def _shape(self, text: str) -> str:
        if self.lengths_vary:
            change = self.draw.randint(-min(MOST_SHRINKAGE, len(text) // 2), MOST_GROWTH)
            text = text[:change] if change < 0 else text + text[-1] * change
        return self._drawn(text, {text: kind for kind in _KINDS for text in kind})

    def _hex(self, text: str) -> str:
        kinds = dict.fromkeys("0123456789abcdef", "0123456789abcdef")
        return self._drawn(text, kinds | dict.fromkeys("ABCDEF", "0123456789ABCDEF"))

    def _drawn(self, text: str, kinds: dict[str, str]) -> str:
        """Another character of its kind for each; a number keeps its length, so it does not begin with 0."""
        result = "".join(self.draw.choice(kinds[entry]) if entry in kinds else entry for entry in text)
        return self.draw.choice("123456789") + result[1:] if result.startswith("0") and text[0] != "0" else result

    def _ipv4(self, text: str) -> str:
        if self.lengths_vary:
            return ".".join(str(self.draw.randint(1, 223)) for _ in range(4))
        spans = {1: (1, 9), 2: (10, 99), 3: (100, 223)}
        return ".".join(str(self.draw.randint(*spans[len(part)])) for part in text.split("."))

    def _counted_on(self, match: re.Match[str]) -> str:
        by = [self.shifts["rseq"], self.shifts["cseq"]]  # RAck has both, in this order (RFC 3262, 7.2)
        field = match["field"].lower()
        numbers = [int(number) for number in match["numbers"].split()]
        shifts = by if field == "rack" else [self.shifts[field]]
        return f"{match['field']}: " + " ".join(str(n + more) for n, more in zip(numbers, shifts, strict=True))


def _shifts(printed: Sequence[Message], draw: random.Random) -> dict[str, int]:
    """Random increments of CSeq and RSeq for this call, small enough to keep their numbers of digits."""
    most = {"cseq": 0, "rseq": 0}
    for message in printed:
        for match in _COUNTERS.finditer(message.octets.decode()):
            if (field := match["field"].lower()) in most:
                most[field] = max(most[field], int(match["numbers"]))
    return {field: draw.randint(0, 10 ** len(str(largest)) - 1 - largest) for field, largest in most.items()}
