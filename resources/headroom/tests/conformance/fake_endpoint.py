# SPDX-License-Identifier: Apache-2.0
"""A SigComp endpoint of a few lines, right or with a defect, for the stories that have to notice it.

It compresses nothing: its bytecode puts out what follows, is kept by the peer as state, and is referred to once the
peer has returned the feedback item of a message that brought it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from headroom.schemes.sigcomp.conformance.endpoint_cases import MessageOutcome, as_seen
from headroom.schemes.sigcomp.conformance.endpoint_session import Act, ActOutcome
from headroom.schemes.sigcomp.judge import message as wire
from headroom.schemes.sigcomp.judge.assembling import assemble
from headroom.schemes.sigcomp.judge.endpoint import Endpoint, Offer
from headroom.schemes.sigcomp.judge.reasons import Reason
from headroom.schemes.sigcomp.judge.states import Item

_CODE = """
LOAD (100, 0x0400)
INPUT-BYTES (1, 101, more)
:more
INPUT-BYTES (1, 1000, done)
OUTPUT (1000, 1)
JUMP (more)
:done
END-MESSAGE (100, {told}, {length}, 128, 128, 6, 0)
:returned
hex ({returned})
"""
_ZEROS = """
COMPARE ($10, 0, others, zeros, others)
:others
DECOMPRESSION-FAILURE
:zeros
"""
MOST = 60_000  # octets of a message


@dataclass
class _Sending:
    """What is known of one compartment's peer."""

    number: int = 0
    brought: set[int] = field(default_factory=set)  # feedback items of messages with bytecode
    arrived: bool = False
    room: int = 2 * MOST  # octets of a SigComp message, as a NACK has told


class Fake:
    """One endpoint; `defect` is what is wrong with it."""

    def __init__(self, offer: Offer, defect: str, compartments: int) -> None:
        self.offer, self.defect = offer, defect
        self.endpoint = Endpoint(offer)
        for number in range(1, compartments):
            self.endpoint.states.open(number, offer.state_memory_size)
        self.sending = {number: _Sending() for number in range(compartments)}
        self.sent: dict[bytes, int] = {}
        self.records = wire.Records()
        returned = bytes([self._parameters(), 2, 0]) if offer != Offer() and defect != "tells-nothing" else b""
        source = (_ZEROS + _CODE if defect == "rests-on-zeros" else _CODE).replace(
            "{told}", "returned" if returned else "0"
        )
        length = len(assemble(source.format(length=0, returned=returned.hex())))
        self.code = assemble(source.format(length=length, returned=returned.hex()))
        self.item = Item(self.code, 128, 128)

    def _parameters(self) -> int:
        cycles = {16: 0, 32: 1, 64: 2, 128: 3}[self.offer.cycles_per_bit]
        memory = self.offer.decompression_memory_size.bit_length() - 11
        state = self.offer.state_memory_size.bit_length() - 11
        return cycles << 6 | (memory + (self.defect == "tells-more")) << 3 | state

    def do(self, act: Act) -> ActOutcome:
        if act.what != "compress":
            return self._decompress(act)
        if self.defect != "splits":
            return self._compress(act)
        half = len(act.octets) // 2
        parts = [self._compress(replace(act, octets=part)) for part in (act.octets[:half], act.octets[half:])]
        return ActOutcome(b"".join(part.octets or b"" for part in parts))

    def _compress(self, act: Act) -> ActOutcome:
        if len(act.octets) > MOST and self.defect != "never-refuses":
            return ActOutcome()
        compartment = act.compartment or 0
        sending = self.sending[compartment]
        sending.number = (sending.number + 1) % 128
        text = act.octets[1:] if self.defect == "corrupts" else act.octets
        data = bytes([sending.number]) + text
        feedback = self.endpoint.states.compartments[compartment].to_return
        if self.defect == "returns-nothing":
            feedback = b""
        elif self.defect == "returns-another" and feedback:
            feedback = feedback[:-1] + bytes([feedback[-1] ^ 1])
        elif self.defect == "returns-once":
            self.endpoint.states.compartments[compartment].to_return = b""
        if sending.arrived:
            octets = wire.access(self.item.identifier[:6], data, feedback)
        else:
            octets = wire.upload(self.code, data, 128, feedback)
            sending.brought.add(sending.number)
            sending.arrived = self.defect == "counts-on-arrival"
        if len(octets) > sending.room:
            return ActOutcome()
        self.sent[hashlib.sha1(octets).digest()] = compartment
        return ActOutcome(wire.mark(octets) if self.offer.stream and self.defect != "marks-nothing" else octets)

    def _decompress(self, act: Act) -> ActOutcome:
        if not self.offer.stream:
            return ActOutcome(seen=(self._message(act.octets, act.compartment),))
        return ActOutcome(seen=tuple(self._message(one, act.compartment) for one in self.records.feed(act.octets)))

    def _message(self, octets: bytes, compartment: int | None) -> MessageOutcome:
        outcome = self.endpoint.decompress(octets, compartment)
        if outcome.nack is not None and self.defect != "deaf":
            named = self.sent.get(outcome.nack.sha1)
            if self.defect == "takes-any-nack":
                for sending in self.sending.values():
                    sending.arrived = False
            elif named is not None:
                self.sending[named].arrived = False
                if outcome.nack.reason == Reason.BYTECODES_TOO_LARGE and self.defect != "takes-no-size":
                    self.sending[named].room = int.from_bytes(outcome.nack.details, "big") // 2
        if outcome.header is not None and compartment is not None:
            sending = self.sending[compartment]
            item = outcome.header.returned_feedback
            if self.defect == "heeds-reserved-bits" and b"\xfc" in octets:
                self.endpoint.states.compartments[compartment].to_return = b""
            sending.arrived = sending.arrived or (len(item) == 1 and item[0] in sending.brought)
            if self.defect != "counts-on-memory":
                sending.arrived &= self.endpoint.states.compartments[compartment].parameters.state_memory_size != 0
        return as_seen(outcome, octets, self.offer.version)


def play(offer: Offer | None = None, defect: str = "", compartments: int = 1):
    """What a session plays with: each time an endpoint that begins anew."""

    def played(acts: Sequence[Act]) -> list[ActOutcome]:
        fake = Fake(offer or Offer(), defect, compartments)
        return [fake.do(act) for act in acts]

    return played
