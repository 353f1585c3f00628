# SPDX-License-Identifier: Apache-2.0
"""GTP-U as a scheme."""

from headroom.core.contract import Framing, RequirementWords, Scheme, TrexStreams
from headroom.core.scheme_kit.parts import Parts

PARTS = Parts("headroom.schemes.gtpu")
SCHEME = Scheme(
    name="gtpu",
    title="GTP-U",
    roles=("user-plane",),
    described=("n4", "max_sessions", "max_workers", "features"),
    listed=("n4", "features"),
    suites="conformance/gtpu",
    more_suites=("conformance/pfcp",),
    requirement_words=RequirementWords(
        features=(
            *("ipv6-transport", "ipv6-users", "buffering", "duplication", "fragments", "usage-reports"),
            *("error-indication-reports", "n9", "predefined-rules", "ftup"),
        )
    ),
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
