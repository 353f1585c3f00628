# SPDX-License-Identifier: Apache-2.0
"""A receiver beside the judge's, which gets the same TS packets.

After an error the RFC lets a receiver discard the rest of a TS packet or read it on, so that one may deliver less than
the judge. After a wrong CRC it SHOULD discard the rest, and it SHOULD check the transport error indicator; one that
does not delivers more. All that comes out is what a judge that misses these delivers, in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headroom.core.implementations import Implementation
from headroom.core.text import nth, some
from headroom.schemes.ule import events, line
from headroom.schemes.ule.judge.receiver import Receiver, Unit
from headroom.schemes.ule.line import Received
from headroom.schemes.ule.vectors import FIRST_PID, OWN, Arrival


@dataclass(frozen=True)
class Comparison:
    """The units of the judge and of the receiver. `wrong` is a sentence about the first unit that no judge delivers, or
    not in this place, "" if there is no such unit. `missing` counts units that only the judge delivers, `more` units
    that only the receiver delivers. `counters` are sentences on error counters that differ.
    """

    judged: tuple[bytes, ...]
    units: tuple[bytes, ...]
    events: Mapping[str, int]
    wrong: str
    missing: int
    more: int
    counters: tuple[str, ...]

    @property
    def milder(self) -> str:
        """A sentence about missed SHOULDs; "" if there are none."""
        if self.more:
            return f"{self.more} units come out that should be discarded, after a wrong CRC or a transport error"
        if self.missing:
            return f"{self.missing} of {len(self.judged)} units that the judge delivers do not come out"
        return some(self.counters, 3) if self.counters else ""


def compare(
    implementation: Implementation, arrivals: Sequence[Arrival], channel: Mapping[str, Any], build: str
) -> Comparison:
    """Gives both receivers the same packets. Raises Misbehaviour if the adapter breaks a promise of the ABI."""
    first = channel.get("first_pid", FIRST_PID)
    judges = [_judge(channel, *missed) for missed in ((False, True), (True, True), (False, False), (True, False))]
    judged, *possible = (
        [unit for arrival in arrivals if _is_of(arrival, first) for unit in each.take(arrival.octets)]
        for each in judges
    )
    judge = judges[0]
    expected = [unit.octets for unit in judged]
    received = line.receive(implementation, arrivals, channel, build)
    wrong = min((_strange(received, units) for units in (judged, *possible)), key=bool)
    return Comparison(
        tuple(expected),
        received.units,
        judge.events,
        wrong,
        (Counter(expected) - Counter(received.units)).total(),
        (Counter(received.units) - Counter(expected)).total(),
        tuple(events.differences(judge.events, received.statistics)),
    )


def _strange(received: Received, possible: Sequence[Unit]) -> str:
    """The first unit that is not among those that are possible, in their order, as a sentence; "" if all are."""
    rest = iter(possible)
    for number, (octets, type_) in enumerate(zip(received.units, received.types, strict=True)):
        if not any(unit.octets == octets and type_ in (unit.type, *_default(unit)) for unit in rest):
            what = f"of {len(octets)} octets and the type 0x{type_:04X}"
            return f"{nth('unit', number)}, {what}, is none that the judge delivers, or not in this place"
    return ""


def _default(unit: Unit) -> tuple[int, ...]:
    """IP packets show their type by themselves, and may have the default type, too."""
    return (0,) if unit.type in (0x0800, 0x86DD) else ()


def _judge(channel: Mapping[str, Any], reads_on: bool, checks_errors: bool) -> Receiver:
    first = channel.get("first_pid", FIRST_PID)
    pids = frozenset(range(first, first + channel.get("channels", 1)))
    npa = bytes.fromhex(OWN.replace(":", ""))
    return Receiver(
        npa, bridged=bool(channel.get("bridged")), pids=pids, reads_on=reads_on, checks_errors=checks_errors
    )


def _is_of(arrival: Arrival, first: int) -> bool:
    """True if a TS packet has the PID of the channel on which it arrives. Octets that are no TS packet belong to any
    channel."""
    octets = arrival.octets
    if len(octets) != 188 or octets[0] != 0x47:
        return True
    return int.from_bytes(octets[1:3]) & 0x1FFF == first + arrival.channel
