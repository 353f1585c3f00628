# SPDX-License-Identifier: Apache-2.0
"""Trials from TRex's statistics: packets of ports, and latency in microseconds with a histogram."""

import math
from collections.abc import Mapping
from typing import Any

from headroom.testbed.trial import Direction, Latency, has_fallen_behind

FRAME_OCTETS = 14 + 4  # TRex counts Ethernet's header and frame check sequence


def direction_of(
    stats: Mapping[str, Any], sender: int, receiver: int, rate_pps: float, elapsed_s: float, latency_missing: str
) -> Direction:
    """A direction from TRex's statistics. The counters of ports include all packets, also stray ones."""
    sent, received = int(stats["ports"][sender]["opackets"]), int(stats["ports"][receiver]["ipackets"])
    latency = None if latency_missing else latency_of(stats, sender)
    achieved = sent / elapsed_s
    return Direction(
        requested_pps=rate_pps,
        achieved_pps=achieved,
        sent=sent,
        received=received,
        octets_sent=int(stats["ports"][sender]["obytes"]) - sent * FRAME_OCTETS,
        lost=max(0, sent - received),
        unexpected=max(0, received - sent),
        fell_behind=has_fallen_behind(rate_pps, achieved),
        compared=False,
        latency=latency,
        latency_missing=latency_missing or ("" if latency else "no packet that measures latency has arrived"),
    )


def latency_of(stats: Mapping[str, Any], group: int) -> Latency | None:
    """The latency of a packet group from TRex's statistics, which are in microseconds; None if no packet arrived.

    Its `total_max` does not cover the unfinished period, so the maximum is the greatest of all its figures.
    """
    latency = (stats.get("latency") or {}).get(str(group), {}).get("latency")
    histogram = {int(edge): int(count) for edge, count in (latency or {}).get("histogram", {}).items()}
    if not histogram:
        return None
    assert latency is not None
    highest = max((edge for edge, count in histogram.items() if count), default=0)
    return Latency(
        count=sum(histogram.values()),
        average_ns=in_ns(latency.get("average")),
        jitter_ns=in_ns(latency.get("jitter")),
        least_ns=in_ns(latency.get("total_min")),
        most_ns=in_ns(
            max([longest for name in ("total_max", "last_max") if (longest := latency.get(name))] + [highest])
        ),
        buckets=tuple((upper_edge(edge) * 1000.0, count) for edge, count in sorted(histogram.items())),
    )


def in_ns(microseconds: float | None) -> float | None:
    return None if microseconds is None else microseconds * 1000.0


def upper_edge(lower: int) -> int:
    """The upper edge of a bucket. TRex names a bucket by its lower edge: 0, then ten for each power of ten, from 10
    microseconds on.
    """
    return 10 if lower < 10 else lower + 10 ** int(math.log10(lower))
