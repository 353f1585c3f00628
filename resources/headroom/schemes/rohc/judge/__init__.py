# SPDX-License-Identifier: Apache-2.0
"""The independent judge of ROHC: a strict parser of link packets, a decompressor and a checker of streams, made from
the RFCs alone.

>>> from headroom.schemes.rohc.judge import Decompressor, Parameters, check_stream
"""

from headroom.core.finding import Finding
from headroom.schemes.rohc.judge.framework.errors import (
    CrcMismatch,
    MalformedPacket,
    NoContext,
    RohcError,
    Unsupported,
    WrongState,
)
from headroom.schemes.rohc.judge.framework.parameters import Parameters
from headroom.schemes.rohc.judge.v1.checker import Checker, FeedbackEvent, check_feedback, check_stream
from headroom.schemes.rohc.judge.v1.context import Channel
from headroom.schemes.rohc.judge.v1.decompressor import Decompressor, Outcome
from headroom.schemes.rohc.judge.v1.packet import Packet, parse_packet

__all__ = [
    "Channel",
    "Checker",
    "CrcMismatch",
    "Decompressor",
    "FeedbackEvent",
    "Finding",
    "MalformedPacket",
    "NoContext",
    "Outcome",
    "Packet",
    "Parameters",
    "RohcError",
    "Unsupported",
    "WrongState",
    "check_feedback",
    "check_stream",
    "parse_packet",
]
