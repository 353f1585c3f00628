# SPDX-License-Identifier: Apache-2.0
"""Operands of UDVM instructions: RFC 3320, 8.5 (figures 8 to 10)."""

from headroom.schemes.sigcomp.judge.reasons import DecompressionFailure, Reason

MASK = 0xFFFF


def word(memory: bytearray, at: int) -> int:
    """The word at an address. In a memory of 65536 octets the last one begins a word that ends in the first: "as
    always, the arithmetic is modulo 2^16" (8.3). Raises DecompressionFailure (SEGFAULT) beyond the memory."""
    second = (at + 1) & MASK
    if max(at, second) >= len(memory):
        raise DecompressionFailure(Reason.SEGFAULT)
    return memory[at] << 8 | memory[second]


class Operands:
    """Reads the operands of the instruction at `pc`, one after another; `at` is the address of the next octet."""

    def __init__(self, memory: bytearray, pc: int) -> None:
        self.memory, self.pc, self.at = memory, pc, pc + 1

    def _octets(self, count: int) -> int:
        octets = self.memory[self.at : self.at + count]
        if len(octets) < count:
            raise DecompressionFailure(Reason.SEGFAULT)
        self.at += count
        return int.from_bytes(octets, "big")

    def literal(self) -> int:
        """#, figure 8."""
        first = self._octets(1)
        if first < 0x80:
            return first
        if first < 0xC0:
            return (first & 0x3F) << 8 | self._octets(1)
        if first == 0xC0:
            return self._octets(2)
        raise DecompressionFailure(Reason.INVALID_OPERAND)

    def reference(self) -> int:
        """$, figure 9: the address of the word that is meant."""
        first = self._octets(1)
        if first < 0x80:
            return 2 * first
        if first < 0xC0:
            return 2 * ((first & 0x3F) << 8 | self._octets(1))
        if first == 0xC0:
            return self._octets(2)
        raise DecompressionFailure(Reason.INVALID_OPERAND)

    def multitype(self) -> int:
        """%, figure 10."""
        value, in_memory = self.encoded_multitype()
        return word(self.memory, value) if in_memory else value

    def encoded_multitype(self) -> tuple[int, bool]:
        """Reads the octets of a % operand without a look at the memory: a value and False, or the address of a value
        and True."""
        first = self._octets(1)
        if first < 0x40:
            return first, False
        if first < 0x80:
            return 2 * (first & 0x3F), True
        if first in (0x86, 0x87):
            return 1 << ((first & 1) + 6), False
        if 0x88 <= first <= 0x8F:
            return 1 << ((first & 7) + 8), False
        if first >= 0xE0:
            return (first & 0x1F) + 65504, False
        if 0x90 <= first <= 0x9F:
            return ((first & 0x0F) << 8 | self._octets(1)) + 61440, False
        if 0xA0 <= first <= 0xBF:
            return (first & 0x1F) << 8 | self._octets(1), False
        if 0xC0 <= first <= 0xDF:
            return (first & 0x1F) << 8 | self._octets(1), True
        if first == 0x80:
            return self._octets(2), False
        if first == 0x81:
            return self._octets(2), True
        raise DecompressionFailure(Reason.INVALID_OPERAND)

    def address(self) -> int:
        """@: relative to the instruction, modulo 2^16 (8.5)."""
        return (self.pc + self.multitype()) & MASK
