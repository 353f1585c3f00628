# SPDX-License-Identifier: Apache-2.0
"""Signalling compression as a scheme."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from headroom.core.contract import Framing, MakeSection, RequirementWords, Scheme
from headroom.core.scheme_kit.parts import Parts
from headroom.schemes.sigcomp.interop.axes import AXES, LINKS
from headroom.schemes.sigcomp.options import OPTIONS

if TYPE_CHECKING:
    import typer

    from headroom.core.implementations import Implementation
    from headroom.core.papers.measured import MeasuredPaper


def _report_sections() -> tuple[MakeSection, ...]:
    from headroom.schemes.sigcomp.report import calls_on_the_wire, calls_section, hostile_section

    return calls_section.calls, hostile_section.hostile, calls_on_the_wire.calls


def _papers() -> Mapping[str, MeasuredPaper]:
    from headroom.core.papers.measured import MeasuredPaper
    from headroom.schemes.sigcomp.papers import maenpaa_2005_figures, maenpaa_2005_places

    return {"maenpaa-2005": MeasuredPaper(maenpaa_2005_places.measure, maenpaa_2005_figures.figures)}


def _commands(app: typer.Typer) -> None:
    from headroom.schemes.sigcomp.cli import talk, udvm

    talk.add_to(app)
    udvm.add_to(app)


def _node_job(implementation: Implementation, build: str, side: str) -> dict[str, object]:
    from headroom.schemes.sigcomp import endpoints

    return endpoints.node_job(implementation, build, side)


PARTS = Parts("headroom.schemes.sigcomp")
SCHEME = Scheme(
    name="sigcomp",
    title="SigComp",
    roles=("endpoint",),
    described=(
        *("transports", "version", "dictionaries", "tools", "max_compartments"),
        *("max_decompression_memory_size", "max_state_memory_size", "max_cycles_per_bit"),
    ),
    listed=("transports",),
    axes=AXES,
    links=LINKS,
    interop=PARTS.part("interop.matrix", "INTEROP"),
    subject="signalling compression",
    options=OPTIONS,
    sentinels=PARTS.made("sentinels", "sentinels"),
    metrics=PARTS.metrics(),
    report_sections=_report_sections,
    papers=_papers,
    suites="conformance/sigcomp",
    framing=Framing(
        udp_ports=(5060,), tcp_ports=(5060,)
    ),  # that of SIP (RFC 3261, 18.2.1), which SigComp shares (RFC 5049, 5)
    dissector=PARTS.made("dissector", "SigcompDissector"),
    commands=_commands,
    node_job=_node_job,
    benchmarks=(("sigcomp_bench", "--benchmark_min_time=0.01"),),
    requirement_words=RequirementWords(features=("feedback", "announcements", "nack", "presence")),
)
