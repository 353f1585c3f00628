# SPDX-License-Identifier: Apache-2.0
"""GTP-U as a scheme."""

from headroom.core.contract import Framing, Scheme, TrexStreams
from headroom.core.scheme_kit.parts import Parts

PARTS = Parts("headroom.schemes.gtpu")
SCHEME = Scheme(
    name="gtpu",
    title="GTP-U",
    roles=("encapsulator", "decapsulator"),
    framing=Framing(udp_ports=(2152,)),
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
