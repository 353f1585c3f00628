# SPDX-License-Identifier: Apache-2.0
"""Operands of UDVM instructions: RFC 3320, 8.5 (figures 8 to 10)."""

from __future__ import annotations

from headroom.oracle.sigcomp.reasons import DecompressionFailure, Reason

MASK = 0xFFFF


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

    def _word(self, at: int) -> int:
        if at + 2 > len(self.memory):
            raise DecompressionFailure(Reason.SEGFAULT)
        return int.from_bytes(self.memory[at : at + 2], "big")

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
        first = self._octets(1)
        if first < 0x40:
            return first
        if first < 0x80:
            return self._word(2 * (first & 0x3F))
        if first in (0x86, 0x87):
            return 1 << ((first & 1) + 6)
        if 0x88 <= first <= 0x8F:
            return 1 << ((first & 7) + 8)
        if first >= 0xE0:
            return (first & 0x1F) + 65504
        if 0x90 <= first <= 0x9F:
            return ((first & 0x0F) << 8 | self._octets(1)) + 61440
        if 0xA0 <= first <= 0xBF:
            return (first & 0x1F) << 8 | self._octets(1)
        if 0xC0 <= first <= 0xDF:
            return self._word((first & 0x1F) << 8 | self._octets(1))
        if first == 0x80:
            return self._octets(2)
        if first == 0x81:
            return self._word(self._octets(2))
        raise DecompressionFailure(Reason.INVALID_OPERAND)

    def address(self) -> int:
        """@: relative to the instruction, modulo 2^16 (8.5)."""
        return (self.pc + self.multitype()) & MASK
