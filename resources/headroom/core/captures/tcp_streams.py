# SPDX-License-Identifier: Apache-2.0
"""Puts the segments of TCP connections in order (RFC 9293, 3.4), as far as a capture has them."""

from dataclasses import dataclass, field
from typing import NamedTuple

from headroom.core.captures.dissection import Flow, Segment

HEADER = 20  # octets, without options
FIN, SYN, RST = 1, 2, 4
MOST_FLOWS = 500  # most streams; one more replaces the one that has been silent for longest
# Most octets of a flow behind a gap; with more, the missing octets are given up.
MOST_HELD, MOST_SEGMENTS = 1 << 16, 256
_MODULUS = 1 << 32


class Piece(NamedTuple):
    """The next octets of a stream. `begins` if they are its first ones; `lost` counts the octets that are missing in
    front of them.
    """

    octets: bytes
    begins: bool = False
    lost: int = 0


def segment_of(octets: bytes, missing: int = 0) -> Segment | None:
    """The segment with its TCP header in front; None if the header is not whole."""
    if len(octets) < HEADER:
        return None
    header = 4 * (octets[12] >> 4)
    if not HEADER <= header <= len(octets):
        return None
    return Segment(int.from_bytes(octets[4:8], "big"), octets[13], octets[header:], missing)


@dataclass
class _Stream:
    expected: int  # the next sequence number
    begins: bool = False
    lost: int = 0  # octets lost in front of it
    held: dict[int, Segment] = field(default_factory=dict)  # segments behind a gap

    def distance(self, sequence: int) -> int:
        """The distance of a sequence number from the next one; below 0 if it lies before it."""
        return (sequence - self.expected + _MODULUS // 2) % _MODULUS - _MODULUS // 2


@dataclass
class Streams:
    """The streams of a capture, one for each direction of a connection."""

    flows: dict[Flow, _Stream] = field(default_factory=dict)

    def take(self, flow: Flow, segment: Segment) -> list[Piece]:
        """The octets that follow in order after this segment."""
        stream = self.flows.pop(flow, None)
        if segment.flags & SYN:
            stream = _Stream((segment.sequence + 1) % _MODULUS, begins=True)
            segment = segment._replace(sequence=stream.expected)
        elif segment.flags & RST:
            return []
        elif stream is None:
            stream = _Stream(segment.sequence)
        self.flows[flow] = stream
        while len(self.flows) > MOST_FLOWS:
            del self.flows[next(iter(self.flows))]
        if not segment.octets and not segment.missing:
            return []
        known = stream.held.get(segment.sequence)
        if known is None or len(known.octets) < len(segment.octets):
            stream.held[segment.sequence] = segment
        pieces = _in_order(stream)
        while (
            len(stream.held) > MOST_SEGMENTS or sum(len(waiting.octets) for waiting in stream.held.values()) > MOST_HELD
        ):
            gap = min(map(stream.distance, stream.held))
            stream.expected = (stream.expected + gap) % _MODULUS
            stream.lost += gap
            pieces += _in_order(stream)
        return pieces


def _in_order(stream: _Stream) -> list[Piece]:
    """Removes and returns the segments that are no longer behind a gap."""
    pieces = []
    while ready := [sequence for sequence in stream.held if stream.distance(sequence) <= 0]:
        segment = stream.held.pop(min(ready, key=stream.distance))
        fresh = segment.octets[-stream.distance(segment.sequence) :]
        end = stream.distance(segment.sequence) + len(segment.octets) + segment.missing
        if fresh:
            pieces.append(Piece(fresh, stream.begins, stream.lost))
            stream.begins, stream.lost = False, 0
        if end > 0:
            stream.expected = (stream.expected + end) % _MODULUS
            stream.lost += min(end, segment.missing)
    return pieces
