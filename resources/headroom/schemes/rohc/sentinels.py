# SPDX-License-Identifier: Apache-2.0
"""The fixed work by which nights watch what ROHC costs: RTP of calls, each mode that differs in cost."""

from typing import Any

from headroom.bench.load_sentinel import sentinel
from headroom.core.replay_metrics import HEADER
from headroom.core.sentinels import Sentinel

FLOW_PAIRS = 2000
PAYLOAD = 31  # octets of an AMR-NB 12.2 frame with its RTP payload header
MAX_CID = 16383


def _calls(name: str, profile: str, mode: str, **channel: Any) -> Sentinel:
    needs = {"modes": [mode], "cids": ["large"], "max_cid": MAX_CID}
    config = {"cids": "large", "max_cid": MAX_CID, "mode": mode, **channel}
    return sentinel(name, "rohc", profile, FLOW_PAIRS, config, HEADER(figure="mean"), PAYLOAD, needs)


def sentinels() -> tuple[Sentinel, ...]:
    return (
        _calls("Calls Over IPv6", "voip-amr-nb-ipv6", "U", feedback=False),
        _calls("Calls Over IPv4", "voip-amr-nb-ipv4", "U", feedback=False),
        _calls("Calls With Feedback", "voip-amr-nb-ipv6", "O"),
    )
