# SPDX-License-Identifier: Apache-2.0
"""Robust Header Compression as a scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headroom.core.contract import DecodeOption, Framing, Interop, Scheme
from headroom.core.metrics import Metric, declared
from headroom.schemes.rohc.interop.axes import AXES, LINKS
from headroom.schemes.rohc.options import REPLAY

if TYPE_CHECKING:
    from headroom.core.captures.dissection import LinkDissector
    from headroom.core.replay_options import ReplayWords
    from headroom.core.sentinels import Sentinel
    from headroom.core.workload import Workload


def _replay() -> ReplayWords:
    from headroom.schemes.rohc.replay_arguments import WORDS

    return WORDS


def _interop() -> Interop:
    from headroom.schemes.rohc.interop.matrix import INTEROP

    return INTEROP


def _metrics() -> tuple[Metric, ...]:
    from headroom.schemes.rohc import metrics

    return declared(vars(metrics))


def _papers() -> Mapping[str, Any]:
    from headroom.bench.papers.measured import MeasuredPaper
    from headroom.schemes.rohc.papers import effnet_2007_figures, effnet_2007_places

    return {"effnet-2007": MeasuredPaper(effnet_2007_places.measure, effnet_2007_figures.figures)}


def _dissector() -> LinkDissector:
    from headroom.schemes.rohc.decode.dissector import RohcDissector

    return RohcDissector()


def _workload() -> Workload:
    from headroom.schemes.rohc.workload import WORKLOAD

    return WORKLOAD


def _sentinels() -> Sequence[Sentinel]:
    from headroom.schemes.rohc.sentinels import sentinels

    return sentinels()


SCHEME = Scheme(
    name="rohc",
    title="ROHC",
    roles=("compressor", "decompressor"),
    listed=("profiles",),
    described=("profiles", "modes", "cids", "max_cid", "max_channels", "feedback"),
    axes=AXES,
    links=LINKS,
    interop=_interop,
    compresses="header",
    replay_options=REPLAY,
    replay=_replay,
    workload=_workload,
    sentinels=_sentinels,
    metrics=_metrics,
    papers=_papers,
    suites="conformance/rohc",
    framing=Framing(
        ether_types={0x22F1: ""},
        ppp_protocols={0x0003: "small CIDs", 0x0005: "large CIDs"},  # RFC 3241, 4
        link_types={147: "user 0"},
    ),
    dissector=_dissector,
    benchmarks=(
        ("rohc_bench", "--benchmark_min_time=0.01"),
        ("rohc_pool_bench", "--flows", "100", "--rounds", "2", "LIB/null.so", "LIB/reference.so"),
    ),
    decode_options=(
        DecodeOption("profiles", "ROHC profiles of the channel, such as 0x0001,0x0002; all when left out."),
        DecodeOption("cid", "small or large; when left out, what the frames say or what makes more sense."),
        DecodeOption("max_cid", "MAX_CID of the channel.", 0, 16383),
    ),
)
