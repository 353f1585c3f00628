# SPDX-License-Identifier: Apache-2.0
"""Robust Header Compression as a scheme."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from headroom.core.contract import DecodeOption, Framing, RequirementWords, Scheme
from headroom.core.scheme_kit.parts import Parts
from headroom.schemes.rohc import NAME
from headroom.schemes.rohc.interop.axes import AXES, LINKS
from headroom.schemes.rohc.options import REPLAY

if TYPE_CHECKING:
    from headroom.core.papers.measured import MeasuredPaper


def _papers() -> Mapping[str, MeasuredPaper]:
    from headroom.core.papers.measured import MeasuredPaper
    from headroom.schemes.rohc.papers import effnet_2007_figures, effnet_2007_places

    return {"effnet-2007": MeasuredPaper(effnet_2007_places.measure, effnet_2007_figures.figures)}


PARTS = Parts("headroom.schemes.rohc")
SCHEME = Scheme(
    name=NAME,
    title="ROHC",
    roles=("compressor", "decompressor"),
    listed=("profiles",),
    described=("profiles", "modes", "cids", "max_cid", "max_channels", "feedback"),
    axes=AXES,
    links=LINKS,
    interop=PARTS.part("interop.cells", "INTEROP"),
    subject="header compression",
    replay_options=REPLAY,
    replay=PARTS.part("replay_arguments", "WORDS"),
    usual=True,
    workload=PARTS.part("workload", "WORKLOAD"),
    sentinels=PARTS.made("sentinels", "sentinels"),
    damaged_links=PARTS.part("damaged_links", "damaged"),
    metrics=PARTS.metrics(),
    papers=_papers,
    suites="conformance/rohc",
    framing=Framing(
        ether_types={0x22F1: ""},
        ppp_protocols={0x0003: "small CIDs", 0x0005: "large CIDs"},  # RFC 3241, 4
        link_types={147: "user 0"},
        formats={NAME: ""},
        pdcp={False: "small CIDs", True: "large CIDs"},
    ),
    dissector=PARTS.made("decode.dissector", "RohcDissector"),
    benchmarks=(
        ("rohc_bench", "--benchmark_min_time=0.01"),
        ("rohc_pool_bench", "--flows", "100", "--rounds", "2", "LIB/null.so", "LIB/reference.so"),
    ),
    decode_options=(
        DecodeOption("profiles", "ROHC profiles of the channel, such as 0x0001,0x0002; all when left out."),
        DecodeOption("cid", "small or large; if left out, as the frames say, or as fits the packets better."),
        DecodeOption("max_cid", "MAX_CID of the channel.", 0, 16383),
    ),
    requirement_words=RequirementWords(
        features=(
            *("r-mode", "list-compression", "extension-headers", "additional-ip-headers", "timer-based"),
            *("esp", "udp-lite", "segmentation", "packet-sizes", "context-replication"),
        ),
        not_yet={
            "negotiation": "how a channel's parameters are negotiated, which is done before an implementation is made",
            "null-esp": "headers after ESP with NULL encryption, which look like encrypted ones",
            "reverse-decompression": "reverse decompression, which is optional",
        },
    ),
)
