# SPDX-License-Identifier: Apache-2.0
"""Metrics of VJ replays, besides those of every replay (`core.replay_metrics`)."""

from headroom.core.metrics import Family, Metric

ON_THE_LINK = Family(
    "on_the_link_{type}",
    "packets",
    None,
    "Packets that the compressor sent as {type}.",
    {
        "type": {
            "ip": ("ip", "TYPE_IP"),
            "uncompressed": ("uncompressed_tcp", "UNCOMPRESSED_TCP"),
            "compressed": ("compressed_tcp", "COMPRESSED_TCP"),
        }
    },
)
UNNOTICED = Metric(
    "unnoticed_flags",
    "packets",
    None,
    "Compressed packets whose reserved bits, ECE or CWR differ from the packet before: RFC 1144 does not compare them.",
)
