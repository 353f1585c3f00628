# SPDX-License-Identifier: Apache-2.0
"""The judge's endpoints for both sides of a conversation, with the messages that their senders announce as state."""

from collections.abc import Iterable, Sequence

from headroom.schemes.sigcomp.judge.endpoint import Endpoint, Offer, Outcome
from headroom.schemes.sigcomp.judge.states import LOCAL_PRIORITY, Creation, Item

MOST_UNKNOWN = 32  # announced identifiers that every address is tried for, which takes up to some seconds each


class Pair:
    """Two endpoints with the same offer, and with `compartments` compartments each, numbered from 0."""

    def __init__(self, offer: Offer, compartments: int = 1) -> None:
        self.sides = {True: Endpoint(offer), False: Endpoint(offer)}  # by who receives: the caller or the called
        for side in self.sides.values():
            for number in range(1, compartments):
                side.states.open(number, offer.state_memory_size)
        self.addresses = [0]  # of items that are messages
        self.unknown: set[bytes] = set()  # announced, and no item at any address

    def hears(self, octets: bytes, message: bytes | None, from_caller: bool, compartment: int = 0) -> Outcome:
        """Decompresses one SigComp message at its receiver. `message` is the expected output, None if it is unknown."""
        outcome = self.sides[not from_caller].decompress(octets, compartment)
        if has_come_out(outcome, outcome.output if message is None else message):
            self._share(outcome, outcome.output, self.sides[from_caller], compartment)
        return outcome

    def _share(self, outcome: Outcome, message: bytes, sender: Endpoint, compartment: int) -> None:
        """Shared compression (RFC 3321, 5.2): keeps a message as an item of state of its sender, if it announces such
        an item.

        The announcement is the beginning of the item's identifier, which depends on the item's address; the address is
        found by trying all. Nothing on the link shows that a sender gives up such an item, so it stays here.
        """
        announced = outcome.run.parameters.announced if outcome.run.parameters else ()
        known = sender.states.items()
        strange = [octets for octets in announced if not any(identifier.startswith(octets) for identifier in known)]
        # Whatever else was announced, and however often, an item at a known address is found.
        if item := _found(message, strange, self.addresses):
            sender.states.apply(compartment, [Creation(item, LOCAL_PRIORITY)], None, b"", None)
            return
        strange = [octets for octets in strange if octets not in self.unknown]
        if not strange or len(self.unknown) >= MOST_UNKNOWN:
            return
        if item := _found(message, strange, range(1 << 16)):
            self.addresses.append(item.address)
            sender.states.apply(compartment, [Creation(item, LOCAL_PRIORITY)], None, b"", None)
            return
        self.unknown |= set(strange)


def _found(message: bytes, announced: Sequence[bytes], addresses: Iterable[int]) -> Item | None:
    """The item of state that is a message at one of these addresses and that is announced."""
    items = (Item(message, address) for address in addresses if announced)
    return next((item for item in items if any(map(item.identifier.startswith, announced))), None)


def has_come_out(outcome: Outcome, message: bytes) -> bool:
    """True if a SigComp message was decompressed to the right message."""
    return outcome.kind == "compressed" and outcome.output == message


def summary(outcome: Outcome) -> str:
    """The outcome of a message, in a word."""
    return outcome.kind if outcome.kind != "failed" else outcome.reason.name
