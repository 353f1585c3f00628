# SPDX-License-Identifier: Apache-2.0
"""The fixed work by which nights watch what ROHC costs: RTP of calls, each mode that differs in cost."""

from headroom.bench.load_sentinel import sentinel
from headroom.core.replay_metrics import HEADER
from headroom.core.sentinels import Sentinel

FLOW_PAIRS = 2000
PAYLOAD = 31  # octets of an AMR-NB 12.2 frame with its RTP payload header
LARGE = {"cids": "large", "max_cid": 16383}
UNIDIRECTIONAL = {**LARGE, "mode": "U", "feedback": False}


def sentinels() -> tuple[Sentinel, ...]:
    header = HEADER(figure="mean")
    ipv6 = "voip-amr-nb-ipv6"
    return (
        sentinel("Calls Over IPv6", "rohc", ipv6, FLOW_PAIRS, UNIDIRECTIONAL, header, PAYLOAD),
        sentinel("Calls Over IPv4", "rohc", "voip-amr-nb-ipv4", FLOW_PAIRS, UNIDIRECTIONAL, header, PAYLOAD),
        sentinel("Calls With Feedback", "rohc", ipv6, FLOW_PAIRS, {**LARGE, "mode": "O"}, header, PAYLOAD),
    )
