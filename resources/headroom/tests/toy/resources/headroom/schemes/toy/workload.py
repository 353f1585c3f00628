# SPDX-License-Identifier: Apache-2.0
"""How it is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from headroom.bench.load_sentinel import sentinel
from headroom.core.metrics import LINK_OCTETS
from headroom.core.workload import Channel, Workload

SESSIONS = 64


def load(flow_pairs: int) -> Channel:
    config = {"sessions": SESSIONS, "channels": min(64, ceil(flow_pairs / SESSIONS))}
    return Channel("toy", "", config, {}, {"sessions": SESSIONS})


def channel(words: str, flows: int, declared: Sequence[Mapping[str, Any]]) -> Channel:
    if words:
        raise ValueError(f"'{words}' is nothing that a channel could have")
    sessions = min([SESSIONS, *(int(side.get("sessions", SESSIONS)) for side in declared)])
    return Channel("toy", "", {"sessions": sessions}, {}, {"sessions": sessions})


WORKLOAD = Workload("A flow pair is two sessions.", load, channel)
SENTINELS = (sentinel("Toy Sessions", "toy", "udp-60", 100, {"sessions": SESSIONS, "channels": 2}, LINK_OCTETS),)
