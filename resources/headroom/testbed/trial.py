# SPDX-License-Identifier: Apache-2.0
"""The result of a generator's trial: requested, sent and received packets in each direction, and latency."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, runtime_checkable

BEHIND = 0.005  # a sender that misses the requested rate by more than this share has fallen behind, as in `generate`


@dataclass(frozen=True)
class Latency:
    """The nanoseconds from sending to receiving, of `count` packets. `buckets` are (upper edge, packets), in order."""

    count: int
    average_ns: float | None
    jitter_ns: float | None
    least_ns: float | None
    most_ns: float | None
    buckets: tuple[tuple[float, int], ...] = ()

    def percentile(self, share: float) -> float | None:
        """The upper edge of the bucket that holds the percentile of a share (0..1).

        At most the greatest latency, because the last bucket need not be full.
        """
        rank, seen = math.ceil(share * sum(count for _, count in self.buckets)), 0
        for edge, count in self.buckets:
            seen += count
            if count and seen >= rank:
                return edge if self.most_ns is None else min(edge, self.most_ns)
        return None


@dataclass(frozen=True)
class Direction:
    """A direction of a trial. Packets and octets of IP are those of the counted part, without the warm-up.

    `unexpected` are packets that were not sent in this direction, or came twice. `compared` tells if each packet was
    compared with the sent one, octet by octet; otherwise packets were counted.
    """

    requested_pps: float
    achieved_pps: float
    sent: int
    received: int
    octets_sent: int
    lost: int
    unexpected: int
    fell_behind: bool
    compared: bool
    latency: Latency | None = None
    latency_missing: str = ""  # the reason if there is none


@dataclass(frozen=True)
class Trial:
    """A generator's trial: `forward` from port 0 to port 1, `reverse` the other way in a trial of both directions."""

    generator: str
    version: str
    rate_pps: float
    duration_s: float
    forward: Direction
    reverse: Direction | None = None
    notes: tuple[str, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def directions(self) -> tuple[Direction, ...]:
        return (self.forward,) if self.reverse is None else (self.forward, self.reverse)

    @property
    def sent(self) -> int:
        return sum(direction.sent for direction in self.directions)

    @property
    def lost(self) -> int:
        return sum(direction.lost for direction in self.directions)

    @property
    def fell_behind(self) -> bool:
        """True if the generator did not send at the requested rate: the trial then says nothing about the nodes."""
        return any(direction.fell_behind for direction in self.directions)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> Trial:
        """The trial that `as_json` wrote. Raises KeyError, TypeError or ValueError if the document is damaged."""
        forward, reverse = (_direction(document[name]) for name in ("forward", "reverse"))
        if forward is None:
            raise ValueError("a trial has a forward direction")
        notes = tuple(str(note) for note in document["notes"])
        return Trial(**{**document, "forward": forward, "reverse": reverse, "notes": notes})


def _direction(document: Mapping[str, Any] | None) -> Direction | None:
    if document is None:
        return None
    latency = document["latency"]
    if latency is not None:
        buckets = tuple((float(edge), int(count)) for edge, count in latency["buckets"])
        latency = Latency(**{**latency, "buckets": buckets})
    return Direction(**{**document, "latency": latency})


class Generator(Protocol):
    """A generator. `rate_pps` counts the packets a second of each direction."""

    name: str

    def trial(self, rate_pps: float, duration_s: float) -> Trial:
        """Sends at a rate for a time, after a warm-up that does not count. Raises HeadroomError, which is an error and
        not a limit.
        """
        ...


@runtime_checkable
class ComparingGenerator(Protocol):
    """A generator that counts packets, and compares them octet by octet only in `compared`."""

    def compared(self, rate_pps: float, duration_s: float) -> Trial:
        """A trial whose packets are compared where they arrive."""
        ...


def has_fallen_behind(requested_pps: float, achieved_pps: float) -> bool:
    return achieved_pps < (1 - BEHIND) * requested_pps
