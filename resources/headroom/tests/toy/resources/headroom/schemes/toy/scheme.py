# SPDX-License-Identifier: Apache-2.0
"""Sessions of packets as a scheme."""

from __future__ import annotations

from headroom.core.contract import CLEAN, Axis, Framing, Interop, LinkCondition, Scheme, Value
from headroom.core.options import Option, number
from headroom.core.replay_options import ReplayWords, into, without_feedback
from headroom.core.sentinels import Sentinel
from headroom.core.workload import Workload


def _interop() -> Interop:
    from headroom.schemes.toy.interop import INTEROP

    return INTEROP


def _workload() -> Workload:
    from headroom.schemes.toy.workload import WORKLOAD

    return WORKLOAD


def _replay() -> ReplayWords:
    return ReplayWords({"sessions": into("channel", "sessions", int)}, without_feedback("Toy"), lambda done: [])


def _sentinels() -> tuple[Sentinel, ...]:
    from headroom.schemes.toy.workload import SENTINELS

    return SENTINELS


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
    interop=_interop,
    compresses="packet",
    replay_options=(Option("sessions", 16, number("sessions", 1, 64, "sessions", int), "Sessions.", int),),
    replay=lambda: ReplayWords(
        {"sessions": into("channel", "sessions", int)}, without_feedback("Toy"), lambda done: []
    ),
    workload=_workload,
    sentinels=_sentinels,
    suites="conformance/toy",
    framing=Framing(ether_types={0x88B5: ""}),
)
