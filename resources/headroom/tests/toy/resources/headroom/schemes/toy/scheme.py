# SPDX-License-Identifier: Apache-2.0
"""Sessions of packets as a scheme."""

from __future__ import annotations

from headroom.core.contract import CLEAN, Axis, Framing, LinkCondition, RequirementWords, Scheme, Value
from headroom.core.options import Option, number
from headroom.core.scheme_kit.parts import Parts, channel_arguments

PARTS = Parts("headroom.schemes.toy")
SCHEME = Scheme(
    name="toy",
    title="Toy",
    roles=("compressor", "decompressor"),
    described=("sessions", "max_channels"),
    axes=(Axis("sessions", "session_counts", "Sessions", "number of sessions", (Value("16"), Value("2"))),),
    links=(
        LinkCondition(CLEAN, harmless=True),
        LinkCondition("lossy", "one packet in ten is lost", words={"lost": 0.1}, share=0.0),
    ),
    interop=PARTS.part("interop", "INTEROP"),
    subject="packet compression",
    replay_options=(Option("sessions", 16, number("sessions", 1, 64, "sessions", int), "Sessions.", int),),
    replay=channel_arguments("Toy", sessions=int),
    workload=PARTS.part("workload", "WORKLOAD"),
    sentinels=PARTS.part("workload", "SENTINELS"),
    suites="conformance/toy",
    framing=Framing(ether_types={0x88B5: ""}),
    requirement_words=RequirementWords(
        applies={"types": ("OPEN", "MORE")}, not_yet={"farewell": "how a session is closed"}
    ),
)
