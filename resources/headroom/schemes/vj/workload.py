# SPDX-License-Identifier: Apache-2.0
"""The measurement of VJ: TCP connections in slots, over as many links as they need."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from headroom.bench.replay_sentinel import sentinel
from headroom.core.workload import Channel, Workload
from headroom.schemes.vj.axes import COMPRESSED, EXPLICIT

SLOTS = 16  # of a link: RFC 1144, 5.1, "should provide sixteen slots"
MOST_SLOTS = 256  # RFC 1332, 4.1: Max-Slot-Id is an octet


def load(flow_pairs: int) -> Channel:
    """Links of 16 slots, as many as give each connection one."""
    config = {"max_slot_id": SLOTS - 1, "channels": ceil(flow_pairs / SLOTS)}
    needs = {"max_slot_id": SLOTS - 1, "max_channels": config["channels"]}
    return Channel("vj", "", config, needs, {"max_slot_id": SLOTS - 1})


def most_flow_pairs(declared: Sequence[Mapping[str, Any]]) -> int | None:
    """Returns the connections that have a slot each on as many links as both sides declare; None if none says."""
    links = [int(side["max_channels"]) for side in declared if "max_channels" in side]
    return SLOTS * min(links) if links else None


def channel(text: str, flows: int, declared: Sequence[Mapping[str, Any]]) -> Channel:
    """A link from `compressed` or `explicit` slot identifiers (RFC 1332, 4.1), with a slot for each flow, up to 256."""
    slot_ids = text.strip() or COMPRESSED
    if slot_ids not in (COMPRESSED, EXPLICIT):
        raise ValueError(f"'{text}' says nothing of slot identifiers: they are {COMPRESSED} or {EXPLICIT}")
    most = min([MOST_SLOTS, *(int(side.get("max_slot_id", MOST_SLOTS - 1)) + 1 for side in declared)])
    config = {"max_slot_id": min(max(flows, 1), most) - 1, "slot_ids": slot_ids}
    environment = {"HEADROOM_MAX_SLOT_ID": str(config["max_slot_id"]), "HEADROOM_SLOT_IDS": slot_ids}
    return Channel("vj", slot_ids, config, {"slot_ids": [slot_ids]}, config, environment=environment)


WORKLOAD = Workload(
    "A flow pair is a TCP connection: a segment of each direction in every tick.", load, channel, most_flow_pairs
)
# The fixed work by which nights watch what VJ costs.
SENTINELS = (sentinel("Bulk Data Over TCP", "vj", "tcp-bulk-data", SLOTS, {"max_slot_id": SLOTS - 1}),)
