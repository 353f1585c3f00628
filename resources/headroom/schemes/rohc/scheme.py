# SPDX-License-Identifier: Apache-2.0
"""Robust Header Compression as a scheme."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headroom.core.metrics import Metric, declared
from headroom.core.scheme import Interop, Scheme
from headroom.schemes.rohc.interop.axes import AXES, LINKS


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


SCHEME = Scheme(
    name="rohc",
    title="ROHC",
    roles=("compressor", "decompressor"),
    described=("profiles", "modes", "cids", "max_cid", "max_channels", "feedback"),
    axes=AXES,
    links=LINKS,
    interop=_interop,
    compresses="header",
    metrics=_metrics,
    papers=_papers,
)
