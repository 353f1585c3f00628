# SPDX-License-Identifier: Apache-2.0
"""The fixed work by which nights watch what ULE costs: small and large PDUs, packed."""

from headroom.bench.load_sentinel import sentinel
from headroom.core.metrics import LINK_OCTETS
from headroom.core.sentinels import Sentinel

FLOW_PAIRS = 500
CHANNEL = {"packing": "packing", "address": "present", "channels": 1}


def sentinels() -> tuple[Sentinel, ...]:
    return tuple(
        sentinel(f"PDUs Of {octets} Octets", "ule", f"udp-{octets}", FLOW_PAIRS, CHANNEL, LINK_OCTETS)
        for octets in (60, 690)
    )
