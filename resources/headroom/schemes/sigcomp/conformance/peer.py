# SPDX-License-Identifier: Apache-2.0
"""The peer of a SigComp endpoint under test: the judge that is made from the RFCs, which also answers.

The far end decompresses the endpoint's messages with nothing but its own offer and state. Its own messages are as plain
as SigComp allows: bytecode that outputs the rest of the message. It returns requested feedback (RFC 3320, 5), and so
acknowledges the messages that have arrived.
"""

from dataclasses import dataclass, field

from headroom.schemes.sigcomp.judge import message as wire
from headroom.schemes.sigcomp.judge.assembling import assemble
from headroom.schemes.sigcomp.judge.endpoint import Endpoint, Offer, Outcome
from headroom.schemes.sigcomp.judge.reasons import Reason
from headroom.schemes.sigcomp.judge.states import ITEM_COST, LOCAL_PRIORITY, Creation, Item

_CODE = """
:more
INPUT-BYTES (1, 1000, done)
OUTPUT (1000, 1)
JUMP (more)
:done
END-MESSAGE ({request}, {answer}, 0, 0, 0, 0, 0)
:requested
hex ({requested})
:returned
hex ({returned})
"""


@dataclass
class FarEnd:
    """The peer of the endpoint under test. `offer` is its offer to the endpoint; `heard` has the outcome of each
    message so far, in order. `reserved` are the Useful Values of a later version, at addresses 10 to 31 (RFC 3320,
    7.2).
    """

    offer: Offer = field(default_factory=Offer)
    heard: list[Outcome] = field(default_factory=list)
    reserved: bytes = Endpoint.reserved

    def __post_init__(self) -> None:
        self.forgets()
        self.announced: list[bytes] = []

    def hears(self, octets: bytes) -> Outcome:
        """Decompresses a message and carries out its requests."""
        before = {item.identifier for item, _ in self.endpoint.states.compartments[0].kept}
        outcome = self.endpoint.decompress(octets)
        self.heard.append(outcome)
        kept = self.endpoint.states.compartments[0].kept
        self.announced += [item.identifier for item, _ in kept if item.identifier not in before]
        return outcome

    def says(self, text: bytes, requested: bytes = b"", returned: bytes = b"", feedback: bytes | None = None) -> bytes:
        """A message with this text. `requested`: octets at requested_feedback_location, none where empty; `returned`:
        at returned_parameters_location. `feedback`: the returned feedback item, the item requested last where
        None."""
        code = _CODE.format(
            request="requested" if requested else 0,
            answer="returned" if returned else 0,
            requested=requested.hex(),
            returned=returned.hex(),
        )
        return wire.upload(assemble(code), text, feedback=self.to_return if feedback is None else feedback)

    @property
    def to_return(self) -> bytes:
        """The feedback item that was requested last."""
        return self.endpoint.states.compartments[0].to_return

    def keeps(self, text: bytes) -> bytes:
        """Keeps a message of the far end as state, so that the endpoint can compress against it (RFC 3321, 5.2).
        Returns the state's identifier. REQUIRES: there is room for it without removing state of the endpoint.
        """
        compartment = self.endpoint.states.compartments[0]
        assert compartment.used + len(text) + ITEM_COST <= compartment.size
        item = Item(text)
        self.endpoint.states.apply(0, [Creation(item, LOCAL_PRIORITY)], None, b"", None)
        return item.identifier

    def has_referred_to(self, identifier: bytes) -> bool:
        """True if the endpoint has referred to an item of state."""
        return identifier in self.endpoint.states.found

    def forgets(self) -> None:
        """Begins anew without any state, as after a failure."""
        self.endpoint = Endpoint(self.offer)
        self.endpoint.reserved = self.reserved

    def shrinks(self, offer: Offer) -> None:
        """Offers less from now on, and removes state for which there is no room any more (RFC 4896, 10.2)."""
        self.offer = self.endpoint.offer = offer
        compartment = self.endpoint.states.compartments[0]
        compartment.state_memory_size = offer.state_memory_size
        while compartment.used > offer.state_memory_size:
            compartment.kept.remove(min(compartment.kept, key=lambda entry: entry[1]))

    def refuses(self, octets: bytes, outcome: Outcome) -> bytes:
        """The NACK for a message that could not be decompressed."""
        return self.endpoint.nack_for(octets, outcome)


def fault_of(outcome: Outcome, message: bytes, octets: bytes) -> str:
    """Returns a sentence if a SigComp message does not decompress to `message`, which it was compressed from; "" if it
    does."""
    if outcome.kind == "compressed" and outcome.output == message:
        return ""
    if outcome.kind == "compressed":
        at = next((n for n, (a, b) in enumerate(zip(outcome.output, message, strict=False)) if a != b), -1)
        where = f"from octet {at}" if at >= 0 else "in length"
        return f"{len(message)} octets came out as {len(outcome.output)} others, different {where}"
    if outcome.kind == "failed":
        why = f"{Reason(outcome.reason).name} at {outcome.pc} after {outcome.cycles} cycles"
        return f"{len(message)} octets, compressed to {len(octets)}, cannot be decompressed: {why}"
    return f"{len(message)} octets were compressed to what is {outcome.kind}"
