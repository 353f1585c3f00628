# SPDX-License-Identifier: Apache-2.0
"""Metrics of IPHC replays, besides those of every replay (`core.replay_metrics`)."""

from headroom.core.metrics import Family, Metric

ON_THE_LINK = Family(
    "on_the_link_{type}",
    "packets",
    None,
    "Packets that the compressor sent as {type}.",
    {
        "type": {
            "full": ("rfc2507_full_header", "FULL_HEADER"),
            "tcp": ("rfc2507_tcp", "COMPRESSED_TCP"),
            "no_delta": ("rfc2507_tcp_nodelta", "COMPRESSED_TCP_NODELTA"),
            "non_tcp": ("rfc2507_non_tcp", "COMPRESSED_NON_TCP"),
        }
    },
)
REQUESTS = Metric("context_state_packets", "packets", None, "CONTEXT_STATE packets of the decompressor.")
