# SPDX-License-Identifier: Apache-2.0
"""GTP-U as a scheme."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from headroom.core.contract import (
    CLEAN,
    Axis,
    Framing,
    LinkCondition,
    MakeSection,
    RequirementWords,
    Scheme,
    TrexStreams,
    Value,
)
from headroom.core.scheme_kit.parts import Parts

if TYPE_CHECKING:
    import typer

    from headroom.core.papers.measured import MeasuredPaper


def _report_sections() -> tuple[MakeSection, ...]:
    from headroom.schemes.gtpu import report_section

    return (report_section.loads,)


def _papers() -> Mapping[str, MeasuredPaper]:
    from headroom.core.papers.measured import MeasuredPaper
    from headroom.schemes.gtpu.papers import zte_2020, zte_2020_figures

    return {"zte-2020": MeasuredPaper(zte_2020.measure, zte_2020_figures.figures)}


def _commands(app: typer.Typer) -> None:
    from headroom.schemes.gtpu.cli import ownership

    ownership.add_to(app)


PARTS = Parts("headroom.schemes.gtpu")
SCHEME = Scheme(
    name="gtpu",
    title="GTP-U",
    subject="user plane",
    roles=("user-plane",),
    described=("n4", "max_sessions", "max_workers", "features"),
    listed=("n4",),
    axes=(
        Axis("ip_version", "ip_versions", "IP version", "IP version", (Value("ipv4", "IPv4"), Value("ipv6", "IPv6"))),
    ),
    links=(LinkCondition(CLEAN, "clean", harmless=True),),
    interop=PARTS.part("interop", "INTEROP"),
    suites="conformance/gtpu",
    more_suites=("conformance/pfcp",),
    metrics=PARTS.metrics(),
    report_sections=_report_sections,
    sentinels=PARTS.made("sentinels", "sentinels"),
    papers=_papers,
    commands=_commands,
    requirement_words=RequirementWords(
        features=(
            *("ipv6-transport", "ipv6-users", "buffering", "duplication", "fragments", "usage-reports"),
            *("error-indication-reports", "n9", "predefined-rules", "ftup"),
        )
    ),
    framing=Framing(udp_ports=(2152, 8805)),
    dissector=PARTS.made("dissector", "GtpuDissector"),
    streams=TrexStreams(
        program="gtpu_imix.py",
        what="users in GTP-U",
        headers=tuple(
            (outer, "udp", "gtpu", inner, transport)
            for outer in ("ipv4", "ipv6")
            for inner in ("ipv4", "ipv6")
            for transport in ("tcp", "udp")
        ),
    ),
)
