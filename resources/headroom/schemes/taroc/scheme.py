# SPDX-License-Identifier: Apache-2.0
"""TCP-aware robust header compression, by the TAROC draft, as a scheme."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from headroom.core.contract import Scheme
from headroom.core.options import Option, number
from headroom.core.scheme_kit.parts import Parts, channel_arguments
from headroom.schemes.taroc.axes import AXES, LINKS

if TYPE_CHECKING:
    from headroom.core.papers.measured import MeasuredPaper


def _papers() -> Mapping[str, MeasuredPaper]:
    from headroom.core.papers.measured import MeasuredPaper
    from headroom.schemes.taroc.papers import taroc_2000, taroc_2000_figures

    return {"taroc-2000": MeasuredPaper(taroc_2000.measure, taroc_2000_figures.figures)}


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
    replay_options=(Option("tcp_space", 15, number("tcp-space", 3, 255, "", int), "the largest CID of TCP.", int),),
    replay=channel_arguments("TAROC", tcp_space=int),
    workload=PARTS.part("workload", "WORKLOAD"),
    sentinels=PARTS.part("workload", "SENTINELS"),
    damaged_links=PARTS.part("damaged_links", "damaged"),
    metrics=PARTS.metrics(),
    papers=_papers,
    compares=("iphc", "rohc", "vj"),
    suites="conformance/taroc",
)
