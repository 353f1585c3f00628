# SPDX-License-Identifier: Apache-2.0
"""The measurement of TAROC: TCP connections with a CID each, over as many links as they need."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from headroom.bench.replay_sentinel import sentinel
from headroom.core.workload import Channel, Workload

SPACE = 15  # RFC 2507, 14: the default of TCP_SPACE
MOST_CIDS = 256


def load(flow_pairs: int) -> Channel:
    """Links of 16 CIDs, as many as give each connection one."""
    config = {"tcp_space": SPACE, "channels": ceil(flow_pairs / (SPACE + 1))}
    needs = {"tcp_space": SPACE, "max_channels": config["channels"]}
    return Channel("taroc", "", config, needs, {"tcp_space": SPACE})


def most_flow_pairs(declared: Sequence[Mapping[str, Any]]) -> int | None:
    """Returns the connections that have a CID each on as many links as both sides declare; None if none says."""
    links = [int(side["max_channels"]) for side in declared if "max_channels" in side]
    return (SPACE + 1) * min(links) if links else None


def channel(words: str, flows: int, declared: Sequence[Mapping[str, Any]]) -> Channel:
    """A link with a CID for each flow, up to 256. `words` is not used."""
    most = min([MOST_CIDS, *(int(side.get("tcp_space", MOST_CIDS - 1)) + 1 for side in declared)])
    config = {"tcp_space": max(min(flows, most), 4) - 1}
    environment = {"HEADROOM_TCP_SPACE": str(config["tcp_space"])}
    return Channel("taroc", "", config, {}, config, environment=environment)


WORKLOAD = Workload(
    "A flow pair is a TCP connection: a segment of each direction in every tick.", load, channel, most_flow_pairs
)
# The fixed work by which nights watch what TAROC costs.
SENTINELS = (sentinel("Bulk Data Over TCP With TAROC", "taroc", "tcp-bulk-data", SPACE + 1, {"tcp_space": SPACE}),)
