# SPDX-License-Identifier: Apache-2.0
"""A receiver beside the judge's, which gets the same TS packets.

After an error the RFC lets a receiver discard the rest of a TS packet or read it on, so that one may deliver less than
the judge; what it does deliver is what the judge delivers, in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headroom.core.implementations import Implementation
from headroom.core.text import some
from headroom.schemes.ule import events, line
from headroom.schemes.ule.judge.receiver import Receiver
from headroom.schemes.ule.vectors import FIRST_PID, OWN, Arrival


@dataclass(frozen=True)
class Comparison:
    """Units of the judge and of the receiver. `wrong` is a sentence about the first unit that the judge does not
    deliver, or not there, "" where there is none; `missing` counts those that the judge alone delivers; `counters` are
    sentences on what is counted otherwise."""

    judged: tuple[bytes, ...]
    units: tuple[bytes, ...]
    events: Mapping[str, int]
    wrong: str
    missing: int
    counters: tuple[str, ...]

    @property
    def milder(self) -> str:
        """A sentence about missed SHOULDs; "" where there are none."""
        if self.missing:
            return f"{self.missing} of {len(self.judged)} units that the judge delivers do not come out"
        return some(self.counters, 3) if self.counters else ""


def compare(found: Implementation, arrivals: Sequence[Arrival], channel: Mapping[str, Any], build: str) -> Comparison:
    """Gives both the same. Raises Misbehaviour where the adapter breaks a promise of the ABI."""
    first, count = channel.get("first_pid", FIRST_PID), channel.get("channels", 1)
    judge = Receiver(
        bytes.fromhex(OWN.replace(":", "")), bool(channel.get("bridged")), frozenset(range(first, first + count))
    )
    expected = []
    for one in arrivals:
        if judge.pids is not None and not _is_of(one, first):
            continue  # a receiver's channel takes its own PID alone
        expected += [unit.octets for unit in judge.take(one.octets)]
    received = line.receive(found, arrivals, channel, build)
    rest = iter(expected)
    wrong = ""
    for number, unit in enumerate(received.units):
        if not any(one == unit for one in rest):
            wrong = f"unit {number}, of {len(unit)} octets, is none that the judge delivers, or not in this place"
            break
    return Comparison(
        tuple(expected),
        received.units,
        judge.events,
        wrong,
        len(expected) - len(received.units) if not wrong else 0,
        tuple(events.differences(judge.events, received.statistics)),
    )


def _is_of(arrival: Arrival, first: int) -> bool:
    """Whether a TS packet has the PID of the channel that it arrives on; what is no TS packet is of any."""
    octets = arrival.octets
    if len(octets) != 188 or octets[0] != 0x47:
        return True
    return int.from_bytes(octets[1:3]) & 0x1FFF == first + arrival.channel
