# SPDX-License-Identifier: Apache-2.0
"""SigComp messages on the wire: RFC 3320, 4.2.2 (record marking), 7 (figure 3), 9.4.9 (figures 12 and 13); RFC 4077, 3
(NACK)."""

from dataclasses import dataclass, field

from headroom.schemes.sigcomp.judge.reasons import DecompressionFailure, Reason

PREFIX = 0xF8  # the five leading bits
T_BIT = 4
NACK_DESTINATION = 128  # destination 1 without bytecode: RFC 4077, 3.1
NACK_FIXED = 24  # octets of reason, opcode, address and SHA-1
MARK = 0xFF


def is_sigcomp(octets: bytes) -> bool:
    """The five leading bits are ones, which no UTF-8 text begins with (RFC 3320, 4.1)."""
    return bool(octets) and octets[0] & PREFIX == PREFIX


@dataclass(frozen=True)
class Header:
    """A message taken apart. Either `partial` names a state or `code` is the bytecode for address `destination`."""

    returned_feedback: bytes  # the whole item (figure 4), empty without T-bit
    partial: bytes
    code: bytes
    destination: int
    length: int  # octets in front of `rest`: what 8.6 counts as the header
    rest: bytes

    @property
    def is_nack(self) -> bool:
        return not self.partial and not self.code and self.destination == NACK_DESTINATION


def read_header(message: bytes) -> Header:
    """Takes a message apart (figure 3). Raises DecompressionFailure if it ends early or names a reserved address."""
    at, feedback = 1, b""
    if message[0] & T_BIT:
        feedback = feedback_item(message[at:])
        at += len(feedback)
    if kind := message[0] & 3:
        length = 3 * (kind + 1)
        partial = message[at : at + length]
        if len(partial) < length:
            raise DecompressionFailure(Reason.MESSAGE_TOO_SHORT)
        return Header(feedback, partial, b"", 0, at + length, message[at + length :])
    if len(message) < at + 2:
        raise DecompressionFailure(Reason.MESSAGE_TOO_SHORT)
    fields = int.from_bytes(message[at : at + 2], "big")
    code_length, place = fields >> 4, fields & 15
    if place == 0:
        raise DecompressionFailure(Reason.INVALID_CODE_LOCATION)
    at += 2
    if len(message) < at + code_length:
        raise DecompressionFailure(Reason.MESSAGE_TOO_SHORT)
    code = message[at : at + code_length]
    return Header(feedback, b"", code, 64 * (place + 1), at + code_length, message[at + code_length :])


def feedback_item(octets: bytes) -> bytes:
    """The feedback item in front (figure 4): one octet below 128, or that many octets after the first."""
    if not octets:
        raise DecompressionFailure(Reason.MESSAGE_TOO_SHORT)
    length = 1 if octets[0] < 128 else 1 + (octets[0] & 127)
    if len(octets) < length:
        raise DecompressionFailure(Reason.MESSAGE_TOO_SHORT)
    return octets[:length]


def upload(code: bytes, rest: bytes = b"", destination: int = 128, feedback: bytes = b"") -> bytes:
    """A message that brings its bytecode. REQUIRES: at most 4095 octets of it; a destination of figure 3."""
    place = destination // 64 - 1
    fields = (len(code) << 4 | place).to_bytes(2, "big")
    return bytes([PREFIX | (T_BIT if feedback else 0)]) + feedback + fields + code + rest


def access(partial: bytes, rest: bytes = b"", feedback: bytes = b"") -> bytes:
    """A message that begins from a state. REQUIRES: 6, 9 or 12 octets of its identifier."""
    return bytes([PREFIX | (T_BIT if feedback else 0) | (len(partial) // 3 - 1)]) + feedback + partial + rest


# ------------------------------------------------------------ feedback and parameters


@dataclass(frozen=True)
class RequestedFeedback:
    """The data at requested_feedback_location (figure 12): flags, and the item to be returned, empty without Q."""

    s: bool
    i: bool
    item: bytes


def read_requested(octets: bytes) -> RequestedFeedback:
    """Raises DecompressionFailure (SEGFAULT) where the memory ends before the item does."""
    if not octets:
        raise DecompressionFailure(Reason.SEGFAULT)
    try:
        item = feedback_item(octets[1:]) if octets[0] & 4 else b""
    except DecompressionFailure as error:
        raise DecompressionFailure(Reason.SEGFAULT) from error
    return RequestedFeedback(bool(octets[0] & 2), bool(octets[0] & 1), item)


@dataclass(frozen=True)
class Parameters:
    """The returned parameters (figure 13). None if the sender included none; memory sizes in octets."""

    cycles_per_bit: int | None = None
    decompression_memory_size: int | None = None
    state_memory_size: int | None = None
    version: int | None = None
    announced: tuple[bytes, ...] = field(default=())


def read_parameters(octets: bytes) -> Parameters:
    """Reads the data at returned_parameters_location; a length below 6 or above 20 ends the list. Raises
    DecompressionFailure (SEGFAULT) if the memory ends before the list does."""
    if len(octets) < 2:
        raise DecompressionFailure(Reason.SEGFAULT)
    at, announced = 2, []
    while True:
        if at >= len(octets):
            raise DecompressionFailure(Reason.SEGFAULT)
        length = octets[at]
        if not 6 <= length <= 20:
            break
        announced.append(octets[at + 1 : at + 1 + length])
        at += 1 + length
    cycles, memory, state = octets[0] >> 6, octets[0] >> 3 & 7, octets[0] & 7
    if memory == 0:  # reserved: the sender tells no parameters
        return Parameters(version=octets[1] or None, announced=tuple(announced))
    return Parameters(16 << cycles, 1024 << memory, 1024 << state if state else 0, octets[1] or None, tuple(announced))


# ------------------------------------------------------------ NACK


@dataclass(frozen=True)
class Nack:
    """A NACK (RFC 4077, 3.1). `sha1` is the digest of the message that could not be decompressed."""

    reason: int
    opcode: int
    pc: int
    sha1: bytes
    details: bytes


def read_nack(header: Header) -> Nack | None:
    """Reads a NACK; None if it is shorter than its fixed fields. REQUIRES: header.is_nack."""
    rest = header.rest
    if len(rest) < NACK_FIXED:
        return None
    return Nack(rest[0], rest[1], int.from_bytes(rest[2:4], "big"), rest[4:24], rest[24:])


def nack(reason: int, sha1: bytes, opcode: int = 0, pc: int = 0, details: bytes = b"", feedback: bytes = b"") -> bytes:
    """A whole NACK."""
    fixed = bytes([reason, opcode]) + pc.to_bytes(2, "big") + sha1
    return bytes([PREFIX | (T_BIT if feedback else 0)]) + feedback + b"\x00\x01" + fixed + details


# ------------------------------------------------------------ streams


def mark(message: bytes) -> bytes:
    """A message with record marking (4.2.2): FF is quoted by FF n, n octets after it standing for themselves."""
    out, at = bytearray(), 0
    while at < len(message):
        out.append(message[at])
        at += 1
        if out[-1] == MARK:
            ahead = message[at : at + 127]
            quoted = ahead.rfind(MARK) + 1
            out.append(quoted)
            out += ahead[:quoted]
            at += quoted
    return bytes(out) + b"\xff\xff"


class Records:
    """Reads messages from a stream that arrives in pieces of any length. `broken` is True from the first reserved code
    (FF 80 to FF FE) on.
    """

    def __init__(self) -> None:
        self.message, self.quoted, self.marked, self.broken = bytearray(), 0, False, False

    def feed(self, octets: bytes) -> list[bytes]:
        """The messages that end in these octets; empty ones are delimiters without a message (RFC 4896, 7.1)."""
        results: list[bytes] = []
        for octet in octets:
            if self.broken:
                break
            if self.quoted:
                self.message.append(octet)
                self.quoted -= 1
            elif not self.marked:
                if octet == MARK:
                    self.marked = True
                else:
                    self.message.append(octet)
            else:
                self.marked = False
                if octet < 128:
                    self.message.append(MARK)
                    self.quoted = octet
                elif octet == MARK:
                    if self.message:
                        results.append(bytes(self.message))
                    self.message.clear()
                else:
                    self.broken = True
        return results
