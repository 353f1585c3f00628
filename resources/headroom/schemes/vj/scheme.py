# SPDX-License-Identifier: Apache-2.0
"""Van Jacobson's TCP/IP header compression (RFC 1144), over PPP (RFC 1332), as a scheme."""

from headroom.core.contract import Framing, Scheme
from headroom.core.options import Option, number
from headroom.core.scheme_kit.parts import Parts, channel_arguments
from headroom.schemes.vj.axes import AXES, LINKS

PARTS = Parts("headroom.schemes.vj")
SCHEME = Scheme(
    name="vj",
    title="VJ",
    roles=("compressor", "decompressor"),
    described=("max_slot_id", "slot_ids", "max_channels"),
    listed=("slot_ids",),
    axes=AXES,
    links=LINKS,
    interop=PARTS.part("interop", "INTEROP"),
    subject="header compression",
    replay_options=(
        Option("max_slot_id", 15, number("max-slot-id", 0, 255, "", int), "the largest slot identifier.", int),
    ),
    replay=channel_arguments("VJ", max_slot_id=int, slot_ids=str),
    workload=PARTS.part("workload", "WORKLOAD"),
    sentinels=PARTS.part("workload", "SENTINELS"),
    damaged_links=PARTS.part("damaged_links", "damaged"),
    metrics=PARTS.metrics(),
    suites="conformance/vj",
    # IP packets on PPP have 0x0021, which is TYPE_IP, too: they change no state, and are read as what they are.
    framing=Framing(ppp_protocols={0x002D: "", 0x002F: ""}, typed=True, others=("SLIP",)),
    dissector=PARTS.made("dissector", "VjDissector"),
)
