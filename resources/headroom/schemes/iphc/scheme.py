# SPDX-License-Identifier: Apache-2.0
"""IP header compression (RFC 2507), over PPP (RFC 3544), as a scheme."""

from headroom.core.contract import Framing, RequirementWords, Scheme
from headroom.core.options import Option, number
from headroom.core.scheme_kit.parts import Parts
from headroom.schemes.iphc.axes import AXES, LINKS

PARTS = Parts("headroom.schemes.iphc")
SCHEME = Scheme(
    name="iphc",
    title="IPHC",
    roles=("compressor", "decompressor"),
    described=("tcp_space", "non_tcp_space", "max_header", "max_channels", "feedback"),
    axes=AXES,
    links=LINKS,
    interop=PARTS.part("interop", "INTEROP"),
    subject="header compression",
    replay_options=(
        Option("tcp_space", 15, number("tcp-space", 3, 255, "", int), "the largest CID of TCP.", int),
        Option(
            "non_tcp_space",
            15,
            number("non-tcp-space", 3, 65535, "", int),
            "the largest other CID.",
            int,
        ),
    ),
    replay=PARTS.part("replay_arguments", "WORDS"),
    workload=PARTS.part("workload", "WORKLOAD"),
    sentinels=PARTS.part("workload", "SENTINELS"),
    damaged_links=PARTS.part("damaged_links", "damaged"),
    metrics=PARTS.metrics(),
    suites="conformance/iphc",
    # Regular IP packets have 0x0021 and 0x0057: they change no context, and are read as what they are.
    framing=Framing(ppp_protocols={0x0061: "", 0x0063: "", 0x0065: "", 0x2063: "", 0x2065: ""}, typed=True),
    dissector=PARTS.made("dissector", "IphcDissector"),
    requirement_words=RequirementWords(
        features=("non-tcp", "no-delta", "twice", "header-requests", "packet-numbers"),
        not_yet={
            "stored-packets": "packets that are kept until a full header of their generation comes",
            "old-contexts": "contexts that are kept after a full header that changes them",
        },
    ),
)
