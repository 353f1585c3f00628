# SPDX-License-Identifier: Apache-2.0
"""SigComp in captures, as the judge made from the RFCs decompresses it and as tshark does: message by message, with the
state of those before.

A capture tells neither what the endpoints offer nor which messages they accept. So each has as much as RFC 3320, 3.3.1
lets it offer, which is what tshark takes, too, and everything between two addresses is of one compartment.
"""

import hashlib
from dataclasses import dataclass, field

from headroom.core.captures.dissection import (
    Flow,
    PayloadDissector,
    PayloadReader,
    PayloadReading,
    Reading,
    Row,
    Segment,
    Value,
)
from headroom.core.captures.tcp_streams import MOST_FLOWS, SYN, Piece, Streams
from headroom.core.tshark import numbers
from headroom.schemes.sigcomp.judge import tshark
from headroom.schemes.sigcomp.judge.endpoint import Offer, Outcome
from headroom.schemes.sigcomp.judge.message import Nack, Records, is_sigcomp
from headroom.schemes.sigcomp.judge.pair import Pair
from headroom.schemes.sigcomp.judge.reasons import Reason

OFFER = Offer(131072, 131072, 128, 2, ("sip-sdp", "presence"))
MOST_PAIRS = 1000  # of addresses; each has the states of its messages
MOST_CYCLES = 10_000_000  # UDVM cycles of messages that fail, in all: what never ends takes seconds each
LONGEST = 1 << 17  # octets of a message on the wire; a UDVM has no room for more
DELIMITER = b"\xff\xff"
_BROKEN = "a code that is reserved in the stream: nothing after it is read (RFC 3320, 4.2.2)"
LONGEST_LINE = 60  # characters of a message's first line that are shown


class SigcompDissector(PayloadDissector):
    """SigComp over UDP and TCP."""

    fields = (tshark.MESSAGE, tshark.CYCLES)
    options = (*tshark.PREFERENCES, "-o", "tcp.reassemble_out_of_order:TRUE")

    def reader(self) -> PayloadReader:
        return Conversations()

    def complete(self, row: Row, reading: Reading) -> None:
        if cycles := numbers(row.get(tshark.CYCLES, [])):
            texts = row.get(tshark.MESSAGE, [])
            reading.values |= values(tshark.octets_of(texts[0] if texts else ""), cycles[0])
        elif "SIGCOMP" in reading.title:
            reading.notes.append("not decompressed")


@dataclass
class _Stream:
    """A direction of a TCP connection. `is_sigcomp` None: nothing tells yet. `is_lost`: octets are missing, so that the
    next message begins behind the next delimiter."""

    records: Records = field(default_factory=Records)
    is_sigcomp: bool | None = None
    is_lost: bool = False
    held: bytes = b""  # the last octet, where half a delimiter may be


class Conversations(PayloadReader):
    """The conversations of a capture."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[bytes, bytes], Pair] = {}
        self._cycles = 0  # of messages that have failed
        self._segments = Streams()
        self._streams: dict[Flow, _Stream] = {}

    def read(self, flow: Flow, payload: bytes, missing: int = 0) -> PayloadReading | None:
        if not is_sigcomp(payload):
            return None
        if missing:
            return PayloadReading("SigComp in UDP", notes=["not decompressed: it was not captured whole"])
        return self._message(flow, payload, "UDP")

    def read_segment(self, flow: Flow, segment: Segment) -> list[PayloadReading] | None:
        """Messages stand between delimiters in the stream (RFC 3320, 4.2.2)."""
        if segment.flags & SYN:
            self._streams.pop(flow, None)
        readings: list[PayloadReading] = []
        notes: list[str] = []
        for piece in self._segments.take(flow, segment):
            while flow not in self._streams and len(self._streams) >= MOST_FLOWS:
                del self._streams[next(iter(self._streams))]
            stream = self._streams.setdefault(flow, _Stream(is_lost=not piece.begins and not is_sigcomp(piece.octets)))
            if piece.lost and stream.is_sigcomp:
                notes.append(f"{piece.lost} octets of the stream are missing: it is read from the next delimiter on")
            readings += self._pieces(flow, stream, piece)
        stream = self._streams.get(flow, _Stream())
        if not stream.is_sigcomp:
            return None
        notes += [_BROKEN] if stream.records.broken else []
        begun = len(stream.records.message)
        if segment.octets and begun and not stream.records.broken:
            notes.append(f"{begun} octets of a SigComp message that is not whole")
        if not readings:
            return [PayloadReading("SigComp in TCP", notes=notes)] if segment.octets else []
        readings[-1].notes += notes
        return readings

    def _pieces(self, flow: Flow, stream: _Stream, piece: Piece) -> list[PayloadReading]:
        octets = piece.octets
        if piece.lost:
            stream.is_lost, stream.records = True, Records()
        if stream.is_lost:
            _, delimiter, octets = (stream.held + octets).partition(DELIMITER)
            stream.held = b"" if delimiter else piece.octets[-1:]
            stream.is_lost = not delimiter
        if stream.is_sigcomp is None and octets.lstrip(b"\xff") and not stream.is_lost:
            stream.is_sigcomp = is_sigcomp(octets)
        if not stream.is_sigcomp or stream.is_lost:
            return []
        messages = stream.records.feed(octets)
        if len(stream.records.message) > LONGEST:
            stream.records.message.clear()
            stream.records.broken = True
        return [self._message(flow, message, "TCP") for message in messages]

    def _message(self, flow: Flow, message: bytes, where: str) -> PayloadReading:
        title = f"SigComp in {where}"
        if self._cycles > MOST_CYCLES:
            sentence = f"not decompressed: messages that failed have taken {self._cycles} UDVM cycles"
            return PayloadReading(title, notes=[sentence])
        first, second = sorted(flow[:2])
        if (first, second) not in self._pairs:
            if len(self._pairs) == MOST_PAIRS:
                sentence = f"SigComp of more than {MOST_PAIRS} pairs of addresses is not decompressed"
                return PayloadReading(title, notes=[sentence])
            self._pairs[first, second] = Pair(OFFER)
        outcome = self._pairs[first, second].hears(message, None, flow[0] == first)
        self._cycles += outcome.cycles if outcome.kind == "failed" else 0
        return _reading(outcome, where)


def _reading(outcome: Outcome, where: str) -> PayloadReading:
    match outcome.kind:
        case "failed":
            return PayloadReading(f"SigComp in {where}", error=f"decompression failure: {outcome.reason.name}")
        case "nack":
            return PayloadReading(f"SigComp NACK ({_reason(outcome.nack)}) in {where}")
        case "ignored":
            return PayloadReading(f"SigComp NACK that is cut short in {where}")
    title = "SigComp" if outcome.kind == "compressed" else "SigComp without output"
    return PayloadReading(f"{title} in {where}", values(outcome.output, outcome.cycles))


def _reason(nack: Nack | None) -> str:
    """The reason in a NACK by its name; reasons that RFC 4077, 3.2 does not have by their number."""
    number = nack.reason if nack else 0
    return Reason(number).name if number in Reason.__members__.values() else f"reason {number}"


def values(message: bytes, cycles: int) -> dict[str, Value]:
    """The values of a decompressed message: enough to tell whether two are the same."""
    line = message.split(b"\r\n", 1)[0].decode("ascii", "replace")[:LONGEST_LINE]
    text = "".join(text if text.isprintable() else "." for text in line)
    digest = hashlib.sha1(message).hexdigest()[:8]
    return {"decompressed": f"{text} ({len(message)} octets, SHA-1 {digest}…)", "UDVM cycles": cycles}
