# SPDX-License-Identifier: Apache-2.0
"""The measurement of IPHC: streams with a CID each, over as many links as they need."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from headroom.bench.replay_sentinel import sentinel
from headroom.core.workload import Channel, Workload

SPACE = 15  # RFC 2507, 14: the default of TCP_SPACE and NON_TCP_SPACE
MOST_CIDS = 256
SPACES = ("tcp_space", "non_tcp_space")


def load(flow_pairs: int) -> Channel:
    """Links of 16 CIDs, as many as give each stream one."""
    spaces = dict.fromkeys(SPACES, SPACE)
    config = {**spaces, "channels": ceil(flow_pairs / (SPACE + 1))}
    return Channel("iphc", "", config, {**spaces, "max_channels": config["channels"]}, spaces)


def most_flow_pairs(declared: Sequence[Mapping[str, Any]]) -> int | None:
    """Returns the streams that have a CID each on as many links as both sides declare; None if none says."""
    links = [int(side["max_channels"]) for side in declared if "max_channels" in side]
    return (SPACE + 1) * min(links) if links else None


def channel(words: str, flows: int, declared: Sequence[Mapping[str, Any]]) -> Channel:
    """A link with a CID for each flow, up to 256. `words` is not used."""
    config = {}
    for name in SPACES:
        most = min([MOST_CIDS, *(int(side.get(name, MOST_CIDS - 1)) + 1 for side in declared)])
        config[name] = max(min(flows, most), 4) - 1
    environment = {f"HEADROOM_{name.upper()}": str(value) for name, value in config.items()}
    return Channel("iphc", "", config, {}, config, environment=environment)


WORKLOAD = Workload(
    "A flow pair is a TCP connection or a stream of datagrams: a packet of each direction in every tick.",
    load,
    channel,
    most_flow_pairs,
)
# The fixed work by which nights watch what IPHC costs.
SENTINELS = (
    sentinel("Bulk Data Over TCP With IPHC", "iphc", "tcp-bulk-data", SPACE + 1, dict.fromkeys(SPACES, SPACE)),
)
