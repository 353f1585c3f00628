# SPDX-License-Identifier: Apache-2.0
"""Metrics of TAROC replays, besides those of every replay (`core.replay_metrics`)."""

from headroom.core.metrics import Family

ON_THE_LINK = Family(
    "on_the_link_{type}",
    "packets",
    None,
    "Packets that the compressor sent as {type}.",
    {"type": {"uncompressed": ("full_header", "UNCOMPRESSED_TCP"), "compressed": ("w_lsb", "COMPRESSED_TCP")}},
)
