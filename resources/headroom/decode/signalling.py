# SPDX-License-Identifier: Apache-2.0
"""SigComp in UDP, as the judge made from the RFCs decompresses it: message by message, with the state of those before.

A capture tells neither what the endpoints offer nor which messages they accept. So each has as much as RFC 3320, 3.3.1
lets it offer, which is what tshark takes, too, and everything between two addresses is of one compartment.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from headroom.decode.reading import Ours
from headroom.schemes.sigcomp.judge.endpoint import Offer, Outcome
from headroom.schemes.sigcomp.judge.message import Nack, is_sigcomp
from headroom.schemes.sigcomp.judge.pair import Pair
from headroom.schemes.sigcomp.judge.reasons import Reason

PORT = 5060  # of SIP over UDP (RFC 3261, 18.2.1), which shares it with SigComp (RFC 5049, 5)
OFFER = Offer(131072, 131072, 128, 2, ("sip-sdp", "presence"))
MOST_PAIRS = 1000  # of addresses; each has the states of its messages
MOST_CYCLES = 10_000_000  # UDVM cycles of messages that fail, in all: what never ends takes seconds each
LONGEST_LINE = 60  # characters of a message's first line that are shown

Names = tuple[bytes, bytes]  # addresses: source, destination


class Signalling:
    """The conversations of a capture."""

    def __init__(self) -> None:
        self._pairs: dict[Names, Pair] = {}
        self._cycles = 0  # of messages that have failed

    def read(self, names: Names, ports: tuple[int, int], payload: bytes, ours: Ours) -> str:
        """What a UDP payload is, for the title; "" where it is no SigComp. The rest goes into `ours`."""
        if PORT not in ports or not is_sigcomp(payload):
            return ""
        if self._cycles > MOST_CYCLES:
            ours.notes.append(f"not decompressed: messages that failed have taken {self._cycles} UDVM cycles")
            return "SigComp"
        first = min(names)
        if (first, max(names)) not in self._pairs:
            if len(self._pairs) == MOST_PAIRS:
                ours.notes.append(f"SigComp of more than {MOST_PAIRS} pairs of addresses is not decompressed")
                return "SigComp"
            self._pairs[first, max(names)] = Pair(OFFER)
        outcome = self._pairs[first, max(names)].hears(payload, None, names[0] == first)
        self._cycles += outcome.cycles if outcome.kind == "failed" else 0
        return _told(outcome, ours)


def _told(outcome: Outcome, ours: Ours) -> str:
    match outcome.kind:
        case "failed":
            ours.error = f"decompression failure: {outcome.reason.name}"
            return "SigComp"
        case "nack":
            return f"SigComp NACK ({_reason(outcome.nack)})"
        case "ignored":
            return "SigComp NACK that is cut short"
    ours.values |= values(outcome.output, outcome.cycles)
    return "SigComp" if outcome.kind == "sigcomp" else "SigComp without output"


def _reason(found: Nack | None) -> str:
    """What a NACK says; others than those of RFC 4077, 3.2 by their number."""
    number = found.reason if found else 0
    return Reason(number).name if number in Reason.__members__.values() else f"reason {number}"


def values(message: bytes, cycles: int) -> Mapping[str, int | str]:
    """What is said of a decompressed message, by the names of `reading`: enough to tell whether two are the same."""
    line = message.split(b"\r\n", 1)[0].decode("ascii", "replace")[:LONGEST_LINE]
    text = "".join(one if one.isprintable() else "." for one in line)
    digest = hashlib.sha1(message).hexdigest()[:8]
    return {"decompressed": f"{text} ({len(message)} octets, SHA-1 {digest}…)", "UDVM cycles": cycles}
