# SPDX-License-Identifier: Apache-2.0
"""The SIP sequences as maenpaa-2005 counted them: the printed ones, changed by traffic-profiles/sip/as_counted.yaml.

That file has the rule, and the figures that confirm it.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from headroom.core.errors import UsageError
from headroom.core.paths import shown
from headroom.core.text import nth
from headroom.core.yamlfile import check, read
from headroom.schemes.sigcomp.sip import sequences
from headroom.schemes.sigcomp.sip.sequences import FOLDER, Message

RULES = FOLDER / "as_counted.yaml"


@dataclass(frozen=True)
class CountedMessage:
    """A message as it was measured. `length`: its octets in the tables, None if they have none."""

    message: Message
    length: int | None


def names() -> list[str]:
    """The sequences of which there is a counted edition."""
    return list(_rules(RULES))


def load(name: str) -> tuple[Message, ...]:
    """The messages of a sequence as they were counted. Raises UsageError for a name that is not in `names()`."""
    return tuple(message.message for message in load_with_lengths(name))


@lru_cache
def load_with_lengths(name: str) -> tuple[CountedMessage, ...]:
    """Likewise, with the lengths that the tables give."""
    rules = _rules(RULES)
    if name not in rules:
        raise UsageError(
            f"No rule says how the messages of {name} were counted; there are rules for {', '.join(rules)}."
        )
    printed = sequences.load(sequences.path_of(name))
    changes = rules[name]["messages"]
    if len(printed) != len(changes):
        raise UsageError(f"{shown(RULES)}: {name} has {len(changes)} messages, and {len(printed)} are printed.")
    return tuple(_counted(name, rules, message, number) for number, message in enumerate(printed))


@cache
def _rules(path: Path) -> dict[str, Any]:
    return check(read(path), "sip-counted").data["sequences"]


def _counted(name: str, rules: dict[str, Any], message: Message, number: int) -> CountedMessage:
    change = rules[name]["messages"][number]
    length = change.get("length")
    if other := change.get("instead"):
        taken = load_with_lengths(other["sequence"])[other["message"] - 1].message
        return CountedMessage(Message(message.from_caller, message.name, taken.octets), length)
    if change.get("as_text"):
        text = b"".join(message.octets.split(b"\r\n"))
        return CountedMessage(Message(message.from_caller, message.name, text), length)
    try:
        octets = _changed(message.octets, change, rules[name]["call_id"])
    except ValueError as error:
        raise UsageError(f"{shown(RULES)}: {name}, {nth('message', number)}, {message.name}: {error}.") from error
    missing = change.get("cut", rules[name]["cut"])
    return CountedMessage(Message(message.from_caller, message.name, octets[: len(octets) - missing]), length)


def _changed(octets: bytes, change: dict[str, Any], call_id: str) -> bytes:
    """The message with its header fields changed. Raises ValueError if one of them is missing."""
    head, _, body = octets.decode().partition("\r\n\r\n")
    lines = head.split("\r\n")
    for field in change.get("without", ()):
        del lines[_place(lines, field)]
    if add := change.get("add"):
        lines.insert(_place(lines, add["behind"]) + 1, add["line"])
    lines[_place(lines, "Call-ID")] += call_id
    if "content_length" in change:
        at = _place(lines, "Content-Length")
        lines[at] = re.sub(r"\d+$", str(change["content_length"]), lines[at])
    return "\r\n".join([*lines, "", body]).encode()


def _place(lines: list[str], field: str) -> int:
    """Index of a header field's line (RFC 3261, 7.3.1: names are case-insensitive)."""
    for index, line in enumerate(lines):
        if line.lower().startswith(f"{field.lower()}:"):
            return index
    raise ValueError(f"there is no {field}")
