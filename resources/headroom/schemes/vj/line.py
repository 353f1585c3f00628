# SPDX-License-Identifier: Apache-2.0
"""The line of VJ: the judges of RFC 1144, and the vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headroom.core.scheme_kit.line import Arrival, Line
from headroom.core.scheme_kit.line_vectors import LineVectors
from headroom.schemes.vj.axes import COMPRESSED
from headroom.schemes.vj.judge.compressor import CompressorJudge
from headroom.schemes.vj.judge.decompressor import ERROR, Decompressor
from headroom.schemes.vj.judge.packet import COMPRESSED as COMPRESSED_TCP
from headroom.schemes.vj.judge.packet import IP, UNCOMPRESSED

REQUIREMENTS = {IP: "RFC1144-3.2.4-2", UNCOMPRESSED: "RFC1144-3.2.4-3", COMPRESSED_TCP: "RFC1144-3.2.4-5"}


def _requirement(arrival: Arrival) -> str:
    if arrival.type == COMPRESSED_TCP and arrival.restored is None:
        return "RFC1144-3.2.4-4"
    return REQUIREMENTS.get(arrival.type, "RFC1144-3.2.4-1")


def _slots(channel: Mapping[str, Any]) -> int:
    return int(channel.get("max_slot_id", 15)) + 1


LINE = Line(
    "vj",
    {"max_slot_id": 15, "slot_ids": COMPRESSED},
    follower=lambda channel: CompressorJudge(_slots(channel), channel.get("slot_ids", COMPRESSED) == COMPRESSED),
    receiver=lambda channel: Decompressor(_slots(channel)).receive,
    requirement=_requirement,
    error=ERROR,
)
VECTORS = LineVectors(
    LINE, {"ip": IP, "compressed": COMPRESSED_TCP, "uncompressed": UNCOMPRESSED, "error": ERROR, "unknown": 0x4021}
)
