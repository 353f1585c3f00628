# SPDX-License-Identifier: Apache-2.0
"""Van Jacobson's TCP/IP header compression (RFC 1144), over PPP (RFC 1332), as a scheme."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headroom.core.contract import Framing, Interop, Scheme
from headroom.core.metrics import Metric, declared
from headroom.core.options import Option, number
from headroom.schemes.vj.axes import AXES, LINKS

if TYPE_CHECKING:
    from headroom.core.captures.dissection import LinkDissector
    from headroom.core.replay_options import ReplayWords
    from headroom.core.sentinels import Sentinel
    from headroom.core.workload import Workload


def _replay() -> ReplayWords:
    from headroom.core.replay_options import ReplayWords, into, without_feedback

    arguments = {
        "max_slot_id": into("channel", "max_slot_id", int),
        "slot_ids": into("channel", "slot_ids", str),
    }
    return ReplayWords(arguments, without_feedback(SCHEME.title), lambda done: [])


def _interop() -> Interop:
    from headroom.schemes.vj.interop import INTEROP

    return INTEROP


def _metrics() -> tuple[Metric, ...]:
    from headroom.schemes.vj import metrics

    return declared(vars(metrics))


def _dissector() -> LinkDissector:
    from headroom.schemes.vj.dissector import VjDissector

    return VjDissector()


def _workload() -> Workload:
    from headroom.schemes.vj.workload import WORKLOAD

    return WORKLOAD


def _sentinels() -> Sequence[Sentinel]:
    from headroom.schemes.vj.sentinels import sentinels

    return sentinels()


SCHEME = Scheme(
    name="vj",
    title="VJ",
    roles=("compressor", "decompressor"),
    described=("max_slot_id", "slot_ids", "max_channels"),
    listed=("slot_ids",),
    axes=AXES,
    links=LINKS,
    interop=_interop,
    compresses="header",
    replay_options=(
        Option("max_slot_id", 15, number("max-slot-id", 0, 255, "slots", int), "The largest slot identifier.", int),
    ),
    replay=_replay,
    workload=_workload,
    sentinels=_sentinels,
    metrics=_metrics,
    suites="conformance/vj",
    # IP packets on PPP have 0x0021, which is TYPE_IP, too: they change no state, and are read as what they are.
    framing=Framing(ppp_protocols={0x002D: "", 0x002F: ""}, typed=True),
    dissector=_dissector,
)
