# SPDX-License-Identifier: Apache-2.0
"""The effects of a link on the messages of a conversation, and the failures that these excuse.

The engine reports what its link did to each message, so that no verdict depends on an endpoint's own report. A message
that does not come out is excused

- if the link lost or damaged it;
- if it refers to state that its receiver does not have (STATE_NOT_FOUND), and an earlier message of its sender in its
  compartment, which may have created that state, was lost, damaged or late. Once a NACK about such a failure has
  reached the sender, the sender knows (RFC 4077, 2.3), so that each NACK excuses only one message.

A message that comes out different is never excused. A stream loses nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]  # of a message, as the engine's `messages` gives it

STATE_NOT_FOUND = "STATE_NOT_FOUND"
EXCUSED_TOGETHER = 2


def is_lost(record: Record) -> bool:
    """True if the link did not deliver a message."""
    return record.get("link", {}).get("fate", "delivered") != "delivered"


def is_harmed(record: Record) -> bool:
    """True if the link did anything to a message other than repeat it."""
    link = record.get("link", {})
    return is_lost(record) or bool(link.get("held")) or bool(link.get("flipped"))


def reasons(record: Record) -> list[str]:
    """The reasons of decompression failures, by their names in RFC 4077, 3.2, and that it came out more than once."""
    arrivals = record.get("arrivals", ())
    again = ["it comes out more than once"] if any(entry.get("again") for entry in arrivals) else []
    return sorted({entry["reason_name"] for entry in arrivals if "reason_name" in entry}) + again


def wrong(records: Iterable[Record], back_ns: int | None = 0) -> list[Record]:
    """The messages that were restored wrongly, or not restored without excuse, in the order in which they were sent.

    `back_ns` is the longest time that a NACK is on its way. If it is None, the time is unknown and no NACK uses up an
    excuse.
    """
    results = []
    harm: Counter[tuple[Any, Any]] = Counter()
    answers: list[tuple[tuple[Any, Any], int]] = []
    for record in records:
        if "from" not in record:
            continue  # it was put before a decompressor as it stood
        way = record["from"], record.get("compartment")
        known = sum(pair == way and time_ns <= record.get("time_ns", 0) for pair, time_ns in answers)
        if record.get("verdict") != "identical" and not _is_excused(record, harm[way] > known):
            results.append(record)
        harm[way] += is_harmed(record)
        if back_ns is not None:
            answers += [(way, time_ns + back_ns) for time_ns in _answered(record)]
    return results


def _is_excused(record: Record, may_lack_state: bool) -> bool:
    match record.get("verdict"):
        case "lost_on_link":
            return is_lost(record)
        case "not_delivered":
            damaged = bool(record.get("link", {}).get("flipped"))
            return damaged or (may_lack_state and reasons(record) == [STATE_NOT_FOUND])
    return False


def _answered(record: Record) -> list[int]:
    """The time at which a message failed, if its NACK reached the sender without being held back; as a list of at most
    one."""
    return [
        arrival.get("time_ns", 0)
        for arrival in record.get("arrivals", ())
        if any("arrived" in nack and not nack.get("link", {}).get("held") for nack in arrival.get("nacks", ()))
    ][:1]


def silent(records: Sequence[Record]) -> list[tuple[str, str]]:
    """Finds sides for which the conversation shows no SigComp at all: a side that understands none of the messages
    delivered to it, or that compresses none of its messages. Returns each side with a sentence. A side to which
    only one or two messages are delivered need not understand any: their failures may be excused."""
    result = []
    for side, other in (("a", "b"), ("b", "a")):
        delivered = [record for record in records if record.get("from") == side and not is_lost(record)]
        if len(delivered) > EXCUSED_TOGETHER and not any(entry.get("verdict") == "identical" for entry in delivered):
            result.append((other, f"understands none of the {len(delivered)} messages that the link delivers to it"))
        elif delivered and all(entry.get("plain") for entry in delivered):
            result.append((side, f"compresses none of its {len(delivered)} messages"))
    return result
