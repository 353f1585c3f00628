# SPDX-License-Identifier: Apache-2.0
"""TCP-aware robust header compression, by the TAROC draft, as a scheme."""

from headroom.core.contract import Scheme
from headroom.core.options import Option, number
from headroom.core.scheme_kit.parts import Parts, channel_arguments
from headroom.schemes.taroc.axes import AXES, LINKS

PARTS = Parts("headroom.schemes.taroc")
# The draft assigns no protocol numbers, and those that are borrowed from RFC 2507 mean that in captures.
SCHEME = Scheme(
    name="taroc",
    title="TAROC",
    roles=("compressor", "decompressor"),
    described=("tcp_space", "max_channels"),
    axes=AXES,
    links=LINKS,
    interop=PARTS.part("interop", "INTEROP"),
    subject="header compression",
    replay_options=(Option("tcp_space", 15, number("tcp-space", 3, 255, "CIDs", int), "The largest CID.", int),),
    replay=channel_arguments("TAROC", tcp_space=int),
    workload=PARTS.part("workload", "WORKLOAD"),
    sentinels=PARTS.part("workload", "SENTINELS"),
    metrics=PARTS.metrics(),
    suites="conformance/taroc",
)
