# SPDX-License-Identifier: Apache-2.0
"""GTP-U as a scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headroom.core.contract import Framing, Scheme, TrexStreams

if TYPE_CHECKING:
    from headroom.core.captures.dissection import PayloadDissector


def _dissector() -> PayloadDissector:
    from headroom.schemes.gtpu.dissector import GtpuDissector

    return GtpuDissector()


SCHEME = Scheme(
    name="gtpu",
    title="GTP-U",
    roles=("encapsulator", "decapsulator"),
    framing=Framing(udp_ports=(2152,)),
    dissector=_dissector,
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
