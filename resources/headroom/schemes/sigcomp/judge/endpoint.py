# SPDX-License-Identifier: Apache-2.0
"""A SigComp endpoint's decompressing side: RFC 3320, 4.2, 4.3 and 7; RFC 4077 for NACKs."""

import hashlib
from dataclasses import dataclass, field

from headroom.schemes.sigcomp.judge import states as state_items
from headroom.schemes.sigcomp.judge.message import Header, Nack, is_sigcomp, nack, read_header, read_nack
from headroom.schemes.sigcomp.judge.reasons import DecompressionFailure, Reason
from headroom.schemes.sigcomp.judge.states import States
from headroom.schemes.sigcomp.judge.udvm import Run, Udvm

MOST_MEMORY = 65536  # octets: 7


@dataclass(frozen=True)
class Offer:
    """The parameters that an endpoint offers (3.3.1); the defaults are SIP's minima (RFC 5049, 4)."""

    decompression_memory_size: int = 8192
    state_memory_size: int = 2048
    cycles_per_bit: int = 16
    version: int = 2
    dictionaries: tuple[str, ...] = ("sip-sdp",)
    stream: bool = False


@dataclass
class Outcome:
    """The outcome of a message. `kind`: compressed (decompressed with output), silent (without), plain, nack, ignored,
    failed. `reason`, `opcode`, `pc` and `details` are those of a failure."""

    kind: str
    output: bytes = b""
    cycles: int = 0
    reason: Reason = Reason.NONE
    opcode: int = 0
    pc: int = 0
    details: bytes = b""
    nack: Nack | None = None
    header: Header | None = None
    run: Run = field(default_factory=Run)


class Endpoint:
    """An endpoint whose compartment 0 is open; `states.open` opens further compartments. `machine` is the class that
    runs its messages; `reserved` are the octets at addresses 10 to 31 (7.2).
    """

    machine: type[Udvm] = Udvm
    reserved: bytes = bytes(22)

    def __init__(self, offer: Offer | None = None) -> None:
        self.offer = offer or Offer()
        self.states = States(tuple(state_items.dictionary(name) for name in self.offer.dictionaries))
        self.states.open(0, self.offer.state_memory_size)

    def decompress(self, message: bytes, compartment: int | None = 0) -> Outcome:
        """Decompresses one message, and carries out its requests to the state handler unless `compartment` is None."""
        if not is_sigcomp(message):
            return Outcome("plain", message)
        outcome = Outcome("failed")
        try:
            outcome.header = header = read_header(message)
            if self.offer.version >= 2 and header.is_nack:
                result = read_nack(header)
                return Outcome("nack" if result else "ignored", nack=result, header=header)
            if len(message) > self.offer.decompression_memory_size:
                raise DecompressionFailure(Reason.BYTECODES_TOO_LARGE, self._memory())
            self._run(header, len(message), outcome)
        except DecompressionFailure as error:
            outcome.reason, outcome.details = error.reason, error.details
            outcome.opcode, outcome.pc = error.opcode, error.pc
            return outcome
        outcome.kind = "silent" if outcome.run.output is None else "compressed"
        outcome.output = outcome.run.output or b""
        if compartment is not None:
            self.accept(outcome, compartment)
        return outcome

    def accept(self, outcome: Outcome, compartment: int) -> None:
        """The application names the compartment of a message that was decompressed (4.3)."""
        run, header = outcome.run, outcome.header
        returned = header.returned_feedback if header else b""
        self.states.apply(compartment, run.requests, run.requested, returned, run.parameters)

    def nack_for(self, message: bytes, outcome: Outcome) -> bytes:
        """The NACK that answers a failure (RFC 4077, 3.1)."""
        digest = hashlib.sha1(message).digest()
        return nack(outcome.reason, digest, outcome.opcode, outcome.pc, outcome.details)

    def _memory(self) -> bytes:
        """The details of a NACK with BYTECODES_TOO_LARGE (RFC 4077, 3.2); two octets hold no more than 65535."""
        return min(self.offer.decompression_memory_size, 0xFFFF).to_bytes(2, "big")

    def _run(self, header: Header, length: int, outcome: Outcome) -> None:
        offer = self.offer
        size = offer.decompression_memory_size // 2 if offer.stream else offer.decompression_memory_size - length
        memory = bytearray(min(size, MOST_MEMORY))
        if header.partial:
            item = self.states.find(header.partial)
            start, at, value = item.instruction, item.address, item.value
            if at + len(value) > len(memory):
                raise DecompressionFailure(Reason.SEGFAULT)
        else:
            start = at = header.destination
            value = header.code
            if at + len(value) > len(memory):
                raise DecompressionFailure(Reason.BYTECODES_TOO_LARGE, self._memory())
        memory[at : at + len(value)] = value
        useful = (len(memory) & 0xFFFF, offer.cycles_per_bit, offer.version, len(header.partial))
        words = [*useful, len(value) if header.partial else 0]
        values = b"".join(word.to_bytes(2, "big") for word in words) + self.reserved  # figure 5
        memory[: min(32, len(memory))] = values[: len(memory)]
        cycles = (1000 + 8 * header.length) * offer.cycles_per_bit
        machine = self.machine(memory, header.rest, offer.cycles_per_bit, cycles, self.states)
        outcome.run = machine.run_
        try:
            machine.run(start)
        finally:
            outcome.cycles = machine.run_.cycles
