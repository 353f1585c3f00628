# SPDX-License-Identifier: Apache-2.0
"""The thesis of J. Mäenpää (2005): what a second judge sees in the messages of a sequence.

Lengths of "compressed" messages in the thesis are without what SigComp puts in front. Where the compressed data begins
only the bytecode knows, so a UDVM of ours that watches runs it: fields in front are read as octets (INPUT-BYTES), codes
are read as bits. The same UDVM counts the octets of state that a message leaves with its receiver, and sees how much
of the dictionary is loaded. It is not the one of the endpoints that are measured (the judge).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from headroom.schemes.sigcomp.judge import pair
from headroom.schemes.sigcomp.judge.udvm import Udvm


class WatchedUdvm(Udvm):
    """Notes the bit at which the compressed data begins, and octets that were loaded from state."""

    seen: MessageStatistics  # of the message that runs

    def _input_huffman(self) -> None:
        self._codes_begin()
        super()._input_huffman()

    def _input_bits(self) -> None:
        self._codes_begin()
        super()._input_bits()

    def _codes_begin(self) -> None:
        if self.seen.compressed is None:
            self.seen.compressed = len(self.data) - (self.bit + 7) // 8

    def _state_access(self) -> None:
        before = self.run_.cycles
        super()._state_access()
        self.seen.loaded.append(self.run_.cycles - before - 1)  # 9.4.5: 1 + the octets


@dataclass
class MessageStatistics:
    """An observed message. Lengths in octets."""

    compressed: int | None = None  # from the first code that is read as bits to the end of the message
    code: int = 0  # bytecode in the message
    loaded: list[int] = field(default_factory=list)  # of items of state, by STATE-ACCESS
    state: int | None = None  # that its receiver keeps once it has it: values alone, as the thesis counts them
    cycles: int = 0
    same: bool = False  # it came out as it went in
    why: str = ""  # it did not


class Pair(pair.Pair):
    """Both endpoints, as the judge has them, watched."""

    def watch(self, octets: bytes, message: bytes, from_caller: bool) -> MessageStatistics:
        """One SigComp message on its way, which is to become `message`."""
        seen = MessageStatistics()
        receiver = self.sides[not from_caller]
        receiver.machine = type("Watching", (WatchedUdvm,), {"seen": seen})
        outcome = self.hears(octets, message, from_caller)
        seen.code = len(outcome.header.code) if outcome.header else 0
        seen.cycles = outcome.cycles
        seen.same = pair.has_come_out(outcome, message)
        if not seen.same:
            seen.why = f"the judge's UDVM makes something else of it ({pair.summary(outcome)})"
            return seen
        seen.state = sum(len(item.value) for item, _ in receiver.states.compartments[0].kept)
        return seen
