# SPDX-License-Identifier: Apache-2.0
"""The line of TAROC: the judges of the draft, and the vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headroom.core.scheme_kit.line import Arrival, Line
from headroom.core.scheme_kit.line_vectors import LineVectors
from headroom.schemes.taroc.judge.compressor import CompressorJudge
from headroom.schemes.taroc.judge.decompressor import ERROR, Decompressor
from headroom.schemes.taroc.judge.packet import COMPRESSED, IP, IPV6, UNCOMPRESSED


def _requirement(arrival: Arrival) -> str:
    if arrival.type == UNCOMPRESSED:
        return "TAROC-7.2-3"
    if arrival.type == COMPRESSED:
        return "TAROC-7.2-1" if arrival.restored is None else "TAROC-7.2-2"
    return "TAROC-7.1-1"


def _space(channel: Mapping[str, Any]) -> int:
    return int(channel.get("tcp_space", 15))


LINE = Line(
    "taroc",
    {"tcp_space": 15},
    follower=lambda channel: CompressorJudge(_space(channel)),
    receiver=lambda channel: Decompressor(_space(channel)).receive,
    requirement=_requirement,
    error=ERROR,
)
VECTORS = LineVectors(
    LINE, {"ip": IP, "ipv6": IPV6, "compressed": COMPRESSED, "uncompressed": UNCOMPRESSED, "error": ERROR}
)
