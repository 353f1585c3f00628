# SPDX-License-Identifier: Apache-2.0
"""The independent judge of ROHC: a strict parser of link packets, a decompressor and a checker of streams, made from
the RFCs alone.

>>> from headroom.oracle.rohc import Decompressor, Parameters, check_stream
"""

from headroom.oracle.rohc.checker import Checker, FeedbackEvent, check_feedback, check_stream
from headroom.oracle.rohc.context import Channel, Parameters
from headroom.oracle.rohc.decompressor import Decompressor, Outcome
from headroom.oracle.rohc.errors import CrcMismatch, MalformedPacket, NoContext, RohcError, Unsupported, WrongState
from headroom.oracle.rohc.findings import Finding
from headroom.oracle.rohc.packet import Packet, parse_packet

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
