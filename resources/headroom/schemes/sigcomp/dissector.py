# SPDX-License-Identifier: Apache-2.0
"""SigComp in captures, as the judge made from the RFCs decompresses it and as tshark does: message by message, with the
state of those before.

A capture tells neither what the endpoints offer nor which messages they accept. So each has as much as RFC 3320, 3.3.1
lets it offer, which is what tshark takes, too, and everything between two addresses is of one compartment.
"""

import hashlib

from headroom.core.captures.dissection import Flow, PayloadDissector, PayloadReader, PayloadReading, Reading, Row, Value
from headroom.core.tshark import numbers
from headroom.schemes.sigcomp.judge import tshark
from headroom.schemes.sigcomp.judge.endpoint import Offer, Outcome
from headroom.schemes.sigcomp.judge.message import Nack, is_sigcomp
from headroom.schemes.sigcomp.judge.pair import Pair
from headroom.schemes.sigcomp.judge.reasons import Reason

OFFER = Offer(131072, 131072, 128, 2, ("sip-sdp", "presence"))
MOST_PAIRS = 1000  # of addresses; each has the states of its messages
MOST_CYCLES = 10_000_000  # UDVM cycles of messages that fail, in all: what never ends takes seconds each
LONGEST_LINE = 60  # characters of a message's first line that are shown


class SigcompDissector(PayloadDissector):
    """SigComp over UDP."""

    fields = (tshark.MESSAGE, tshark.CYCLES)
    options = tshark.PREFERENCES

    def reader(self) -> PayloadReader:
        return Conversations()

    def complete(self, row: Row, reading: Reading) -> None:
        if cycles := numbers(row.get(tshark.CYCLES, [])):
            texts = row.get(tshark.MESSAGE, [])
            reading.values |= values(tshark.octets_of(texts[0] if texts else ""), cycles[0])
        elif "SIGCOMP" in reading.title:
            reading.notes.append("not decompressed")


class Conversations(PayloadReader):
    """The conversations of a capture."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[bytes, bytes], Pair] = {}
        self._cycles = 0  # of messages that have failed

    def read(self, flow: Flow, payload: bytes, missing: int = 0) -> PayloadReading | None:
        if not is_sigcomp(payload):
            return None
        if missing:
            return PayloadReading("SigComp in UDP", notes=["not decompressed: it was not captured whole"])
        if self._cycles > MOST_CYCLES:
            sentence = f"not decompressed: messages that failed have taken {self._cycles} UDVM cycles"
            return PayloadReading("SigComp in UDP", notes=[sentence])
        first, second = sorted(flow[:2])
        if (first, second) not in self._pairs:
            if len(self._pairs) == MOST_PAIRS:
                sentence = f"SigComp of more than {MOST_PAIRS} pairs of addresses is not decompressed"
                return PayloadReading("SigComp in UDP", notes=[sentence])
            self._pairs[first, second] = Pair(OFFER)
        outcome = self._pairs[first, second].hears(payload, None, flow[0] == first)
        self._cycles += outcome.cycles if outcome.kind == "failed" else 0
        return _reading(outcome)


def _reading(outcome: Outcome) -> PayloadReading:
    match outcome.kind:
        case "failed":
            return PayloadReading("SigComp in UDP", error=f"decompression failure: {outcome.reason.name}")
        case "nack":
            return PayloadReading(f"SigComp NACK ({_reason(outcome.nack)}) in UDP")
        case "ignored":
            return PayloadReading("SigComp NACK that is cut short in UDP")
    title = "SigComp in UDP" if outcome.kind == "compressed" else "SigComp without output in UDP"
    return PayloadReading(title, values(outcome.output, outcome.cycles))


def _reason(found: Nack | None) -> str:
    """What a NACK says; others than those of RFC 4077, 3.2 by their number."""
    number = found.reason if found else 0
    return Reason(number).name if number in Reason.__members__.values() else f"reason {number}"


def values(message: bytes, cycles: int) -> dict[str, Value]:
    """The values of a decompressed message: enough to tell whether two are the same."""
    line = message.split(b"\r\n", 1)[0].decode("ascii", "replace")[:LONGEST_LINE]
    text = "".join(one if one.isprintable() else "." for one in line)
    digest = hashlib.sha1(message).hexdigest()[:8]
    return {"decompressed": f"{text} ({len(message)} octets, SHA-1 {digest}…)", "UDVM cycles": cycles}
