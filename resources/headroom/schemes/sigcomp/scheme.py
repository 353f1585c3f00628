# SPDX-License-Identifier: Apache-2.0
"""Signalling compression as a scheme."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headroom.core.metrics import Metric, declared
from headroom.core.scheme import Interop, Scheme
from headroom.schemes.sigcomp.interop.axes import AXES, LINKS


def _interop() -> Interop:
    from headroom.schemes.sigcomp.interop.matrix import INTEROP

    return INTEROP


def _metrics() -> tuple[Metric, ...]:
    from headroom.schemes.sigcomp import metrics

    return declared(vars(metrics))


def _report_sections() -> tuple[Callable[..., Any], ...]:
    from headroom.schemes.sigcomp.report import calls_on_the_wire, calls_section, hostile_section

    return calls_section.calls, hostile_section.hostile, calls_on_the_wire.calls


def _papers() -> Mapping[str, Any]:
    from headroom.bench.papers.measured import MeasuredPaper
    from headroom.schemes.sigcomp.papers import maenpaa_2005_figures, maenpaa_2005_places

    return {"maenpaa-2005": MeasuredPaper(maenpaa_2005_places.measure, maenpaa_2005_figures.figures)}


SCHEME = Scheme(
    name="sigcomp",
    title="SigComp",
    roles=("endpoint",),
    axes=AXES,
    links=LINKS,
    interop=_interop,
    compresses="signalling",
    metrics=_metrics,
    report_sections=_report_sections,
    papers=_papers,
)
