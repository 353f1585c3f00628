# SPDX-License-Identifier: Apache-2.0
"""The reasons of decompression failures: the reason codes of RFC 4077, 3.2."""

from enum import IntEnum


class Reason(IntEnum):
    """The values are those on the wire; NONE is our own."""

    NONE = 0
    STATE_NOT_FOUND = 1
    CYCLES_EXHAUSTED = 2
    USER_REQUESTED = 3
    SEGFAULT = 4
    TOO_MANY_STATE_REQUESTS = 5
    INVALID_STATE_ID_LENGTH = 6
    INVALID_STATE_PRIORITY = 7
    OUTPUT_OVERFLOW = 8
    STACK_UNDERFLOW = 9
    BAD_INPUT_BITORDER = 10
    DIV_BY_ZERO = 11
    SWITCH_VALUE_TOO_HIGH = 12
    TOO_MANY_BITS_REQUESTED = 13
    INVALID_OPERAND = 14
    HUFFMAN_NO_MATCH = 15
    MESSAGE_TOO_SHORT = 16
    INVALID_CODE_LOCATION = 17
    BYTECODES_TOO_LARGE = 18
    INVALID_OPCODE = 19
    INVALID_STATE_PROBE = 20
    ID_NOT_UNIQUE = 21
    MULTILOAD_OVERWRITTEN = 22
    STATE_TOO_SHORT = 23
    INTERNAL_ERROR = 24
    FRAMING_ERROR = 25


class DecompressionFailure(Exception):
    """A message that cannot be decompressed. `opcode` and `pc` are 0 if no instruction had begun; `details` are
    those that a NACK carries."""

    def __init__(self, reason: Reason, details: bytes = b"", opcode: int = 0, pc: int = 0) -> None:
        super().__init__(reason.name)
        self.reason, self.details, self.opcode, self.pc = reason, details, opcode, pc
