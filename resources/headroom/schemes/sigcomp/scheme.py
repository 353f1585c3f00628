# SPDX-License-Identifier: Apache-2.0
"""Signalling compression as a scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headroom.core.scheme import Framing, Interop, Scheme
from headroom.schemes.sigcomp.interop.axes import AXES, LINKS

if TYPE_CHECKING:
    import typer

    from headroom.core.captures.dissection import PayloadDissector


def _interop() -> Interop:
    from headroom.schemes.sigcomp.interop.matrix import INTEROP

    return INTEROP


def _dissector() -> PayloadDissector:
    from headroom.schemes.sigcomp.dissector import SigcompDissector

    return SigcompDissector()


def _commands(app: typer.Typer) -> None:
    from headroom.schemes.sigcomp.cli import talk, udvm

    talk.add_to(app)
    udvm.add_to(app)


def _node_job(name: str, build: str, side: str) -> dict[str, Any]:
    from headroom.schemes.sigcomp import endpoints

    return endpoints.node_job(name, build, side)


SCHEME = Scheme(
    name="sigcomp",
    title="SigComp",
    roles=("endpoint",),
    axes=AXES,
    links=LINKS,
    interop=_interop,
    suites="conformance/sigcomp",
    framing=Framing(udp_ports=(5060,)),  # that of SIP (RFC 3261, 18.2.1), which SigComp shares (RFC 5049, 5)
    dissector=_dissector,
    commands=_commands,
    node_job=_node_job,
    benchmarks=(("sigcomp_bench", "--benchmark_min_time=0.01"),),
)
