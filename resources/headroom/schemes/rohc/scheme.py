# SPDX-License-Identifier: Apache-2.0
"""Robust Header Compression as a scheme."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headroom.core.metrics import Metric, declared
from headroom.core.scheme import Scheme


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
    compresses="header",
    metrics=_metrics,
    papers=_papers,
)
