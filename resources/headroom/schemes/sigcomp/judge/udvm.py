# SPDX-License-Identifier: Apache-2.0
"""The Universal Decompressor Virtual Machine: RFC 3320, 8 and 9, with what RFC 4896 made clear of them."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from headroom.schemes.sigcomp.judge.message import Parameters, RequestedFeedback, read_parameters, read_requested
from headroom.schemes.sigcomp.judge.operands import MASK, Operands, word
from headroom.schemes.sigcomp.judge.reasons import DecompressionFailure, Reason
from headroom.schemes.sigcomp.judge.states import LOCAL_PRIORITY, LONGEST, SHORTEST, Creation, Free, Item, States

MOST_OUTPUT = 65536  # octets: 9.4.8
MOST_REQUESTS = 4  # of each kind: 9.4.6, 9.4.7
COPY_LEFT, COPY_RIGHT, BIT_ORDER, STACK = 64, 66, 68, 70  # figure 7

NAMES = [
    "DECOMPRESSION-FAILURE", "AND", "OR", "NOT", "LSHIFT", "RSHIFT", "ADD", "SUBTRACT", "MULTIPLY", "DIVIDE",
    "REMAINDER", "SORT-ASCENDING", "SORT-DESCENDING", "SHA-1", "LOAD", "MULTILOAD", "PUSH", "POP", "COPY",
    "COPY-LITERAL", "COPY-OFFSET", "MEMSET", "JUMP", "COMPARE", "CALL", "RETURN", "SWITCH", "CRC",
    "INPUT-BYTES", "INPUT-BITS", "INPUT-HUFFMAN", "STATE-ACCESS", "STATE-CREATE", "STATE-FREE", "OUTPUT",
    "END-MESSAGE",
]  # fmt: skip


@dataclass
class Run:
    """The outcome of one message in the UDVM. `output` is None if no OUTPUT instruction was executed (9.4.8). `beyond`:
    cycles of the instruction that had too few cycles left."""

    output: bytes | None = None
    cycles: int = 0
    beyond: int = 0
    requests: list[Creation | Free] = field(default_factory=list)
    requested: RequestedFeedback | None = None
    parameters: Parameters | None = None


class Udvm:
    """One message. `memory` is filled with code and Useful Values; `available` are the cycles at the beginning."""

    def __init__(self, memory: bytearray, data: bytes, cycles_per_bit: int, available: int, states: States) -> None:
        self.memory, self.data, self.states = memory, data, states
        self.cycles_per_bit, self.available = cycles_per_bit, available
        self.bit, self.p = 0, 0  # bits of the input that are gone; the P-bit as it was last
        self.pc, self.next = 0, 0
        self.run_ = Run()
        self.places: list[tuple[str, int, int, tuple[int, int, int, int]]] = []
        self.out = bytearray()
        self.o = Operands(self.memory, 0)

    def run(self, start: int) -> Run:
        """Until END-MESSAGE. Raises DecompressionFailure, whose `opcode` and `pc` say where."""
        self.next = start
        opcode = 0
        try:
            while True:
                self.pc = self.next
                opcode = 0
                if self.pc >= len(self.memory):
                    raise DecompressionFailure(Reason.SEGFAULT)
                opcode = self.memory[self.pc]
                if opcode >= len(NAMES):
                    raise DecompressionFailure(Reason.INVALID_OPCODE)
                self.o = Operands(self.memory, self.pc)
                self.next = -1
                getattr(self, "_" + NAMES[opcode].lower().replace("-", "_"))()
                if NAMES[opcode] == "END-MESSAGE":
                    return self.run_
                if self.next < 0:
                    self.next = self.o.at  # may be the memory's end, which is then the next instruction's matter
                elif self.next >= len(self.memory):
                    raise DecompressionFailure(Reason.SEGFAULT)
        except DecompressionFailure as error:
            raise DecompressionFailure(error.reason, error.details, opcode, self.pc & MASK) from error

    # ------------------------------------------------------------ cycles and memory

    def pay(self, cycles: int) -> None:
        if self.run_.cycles + cycles > self.available:
            self.run_.beyond = cycles
            raise DecompressionFailure(Reason.CYCLES_EXHAUSTED, bytes([self.cycles_per_bit & 0xFF]))
        self.run_.cycles += cycles

    def word(self, at: int) -> int:
        return word(self.memory, at & MASK)

    def store(self, at: int, value: int) -> None:
        self.word(at)  # has to be there
        self.memory[at & MASK], self.memory[(at + 1) & MASK] = value >> 8 & 0xFF, value & 0xFF

    def octet(self, at: int) -> int:
        if at >= len(self.memory):
            raise DecompressionFailure(Reason.SEGFAULT)
        return self.memory[at]

    def bounds(self) -> tuple[int, int]:
        """byte_copy_left and _right as they are when an instruction begins (8.4)."""
        return self.word(COPY_LEFT), self.word(COPY_RIGHT)

    @staticmethod
    def after(at: int, bounds: tuple[int, int]) -> int:
        at = (at + 1) & MASK
        return bounds[0] if at == bounds[1] else at

    @staticmethod
    def before(at: int, steps: int, bounds: tuple[int, int]) -> int:
        """The address so many steps before: "if the memory address specified in byte_copy_left is reached, the next
        memory address is taken to be (byte_copy_right - 1) modulo 2^16" (9.2.6). Any number of them costs one cycle."""
        left, right = bounds
        to_left = (at - left) & MASK
        if steps <= to_left:
            return (at - steps) & MASK
        around = ((right - 1 - left) & MASK) + 1
        return (right - 1 - (steps - to_left - 1) % around) & MASK

    def gather(self, at: int, length: int, bounds: tuple[int, int]) -> bytes:
        out = bytearray()
        for _ in range(length):
            out.append(self.octet(at))
            at = self.after(at, bounds)
        return bytes(out)

    def scatter(self, at: int, octets: bytes, bounds: tuple[int, int]) -> int:
        for octet in octets:
            self.octet(at)
            self.memory[at] = octet
            at = self.after(at, bounds)
        return at

    def copy(self, source: int, length: int, at: int, bounds: tuple[int, int]) -> int:
        """Octet by octet: later ones may be copies of earlier ones."""
        for _ in range(length):
            value = self.octet(source)
            self.octet(at)
            self.memory[at] = value
            source, at = self.after(source, bounds), self.after(at, bounds)
        return at

    # ------------------------------------------------------------ 9.1 mathematics

    def _decompression_failure(self) -> None:
        self.pay(1)
        raise DecompressionFailure(Reason.USER_REQUESTED)

    def _alter(self, result: Callable[[int, int], int]) -> None:
        at = self.o.reference()
        first = self.word(at)
        second = self.o.multitype()
        self.pay(1)
        self.store(at, result(first, second))

    def _and(self) -> None:
        self._alter(lambda m, n: m & n)

    def _or(self) -> None:
        self._alter(lambda m, n: m | n)

    def _not(self) -> None:
        at = self.o.reference()
        value = self.word(at)
        self.pay(1)
        self.store(at, ~value)

    def _lshift(self) -> None:
        self._alter(lambda m, n: m << n if n < 16 else 0)

    def _rshift(self) -> None:
        self._alter(lambda m, n: m >> n if n < 16 else 0)

    def _add(self) -> None:
        self._alter(lambda m, n: m + n)

    def _subtract(self) -> None:
        self._alter(lambda m, n: m - n)

    def _multiply(self) -> None:
        self._alter(lambda m, n: m * n)

    def _divide(self) -> None:
        self._alter(lambda m, n: m // self._divisor(n))

    def _remainder(self) -> None:
        self._alter(lambda m, n: m % self._divisor(n))

    @staticmethod
    def _divisor(n: int) -> int:
        if n == 0:
            raise DecompressionFailure(Reason.DIV_BY_ZERO)
        return n

    def _sort(self, descending: bool) -> None:
        start, n, k = (self.o.multitype() for _ in range(3))
        self.pay(1 + k * ((k - 1).bit_length() + n) if k else 1)
        if start + 2 * n * k > len(self.memory):
            raise DecompressionFailure(Reason.SEGFAULT)
        if n == 0 or k == 0:
            return
        lists = [[self.word(start + 2 * (i * k + j)) for j in range(k)] for i in range(n)]
        order = sorted(range(k), key=lambda j: -lists[0][j] if descending else lists[0][j])
        for i, words in enumerate(lists):
            for j, taken in enumerate(order):
                self.store(start + 2 * (i * k + j), words[taken])

    def _sort_ascending(self) -> None:
        self._sort(descending=False)

    def _sort_descending(self) -> None:
        self._sort(descending=True)

    def _sha_1(self) -> None:
        position, length, destination = (self.o.multitype() for _ in range(3))
        bounds = self.bounds()
        self.pay(1 + length)
        self.scatter(destination, hashlib.sha1(self.gather(position, length, bounds)).digest(), bounds)

    # ------------------------------------------------------------ 9.2 memory management

    def _load(self) -> None:
        address, value = self.o.multitype(), self.o.multitype()
        self.pay(1)
        self.store(address, value)

    def _multiload(self) -> None:
        address, n = self.o.multitype(), self.o.literal()
        self.pay(1 + n)
        first = self.o.at
        for _ in range(n):
            self.o.encoded_multitype()  # RFC 4896, 3.2: what they refer to is read only as the words are written
        written = range(address, address + 2 * n)
        if n and ({at & MASK for at in written} & set(range(self.pc, self.o.at))):
            raise DecompressionFailure(Reason.MULTILOAD_OVERWRITTEN)
        self.o.at = first
        for i in range(n):  # an operand may be a word that was loaded a moment before
            self.store(address + 2 * i, self.o.multitype())

    def push(self, value: int) -> None:
        location = self.word(STACK)
        fill = self.word(location)
        self.store(location + 2 * fill + 2, value)
        self.store(location, fill + 1)

    def pop(self) -> int:
        location = self.word(STACK)
        fill = self.word(location)
        if fill == 0:
            raise DecompressionFailure(Reason.STACK_UNDERFLOW)
        self.store(location, fill - 1)
        return self.word(location + 2 * fill)

    def _push(self) -> None:
        value = self.o.multitype()
        self.pay(1)
        self.push(value)

    def _pop(self) -> None:
        address = self.o.multitype()
        self.pay(1)
        self.store(address, self.pop())

    def _copy(self) -> None:
        position, length, destination = (self.o.multitype() for _ in range(3))
        self.pay(1 + length)
        self.copy(position, length, destination, self.bounds())

    def _copy_to(self, offset: bool) -> None:
        position, length = self.o.multitype(), self.o.multitype()
        at = self.o.reference()
        destination, bounds = self.word(at), self.bounds()
        self.pay(1 + length)
        if offset:
            position = self.before(destination, position, bounds)
        end = self.copy(position, length, destination, bounds)
        if length:
            self.store(at, end)

    def _copy_literal(self) -> None:
        self._copy_to(offset=False)

    def _copy_offset(self) -> None:
        self._copy_to(offset=True)

    def _memset(self) -> None:
        address, length, start, offset = (self.o.multitype() for _ in range(4))
        self.pay(1 + length)
        self.scatter(address, bytes((start + i * offset) & 0xFF for i in range(length)), self.bounds())

    # ------------------------------------------------------------ 9.3 program flow

    def _jump(self) -> None:
        address = self.o.address()
        self.pay(1)
        self.next = address

    def _compare(self) -> None:
        number, other = self.o.multitype(), self.o.multitype()
        less, equal, greater = (self.o.address() for _ in range(3))
        self.pay(1)
        self.next = less if number < other else equal if number == other else greater

    def _call(self) -> None:
        address = self.o.address()
        self.pay(1)
        self.push(self.o.at & MASK)
        self.next = address

    def _return(self) -> None:
        self.pay(1)
        self.next = self.pop()

    def _switch(self) -> None:
        n, j = self.o.literal(), self.o.multitype()
        self.pay(1 + n)
        addresses = [self.o.address() for _ in range(n)]
        if j >= n:
            raise DecompressionFailure(Reason.SWITCH_VALUE_TOO_HIGH)
        self.next = addresses[j]

    def _crc(self) -> None:
        value, position, length = (self.o.multitype() for _ in range(3))
        address = self.o.address()
        self.pay(1 + length)
        register = 0xFFFF  # RFC 1662, C.2; RFC 4465, 2.9 shows that the register is not complemented
        for octet in self.gather(position, length, self.bounds()):
            register ^= octet
            for _ in range(8):
                register = register >> 1 ^ (0x8408 if register & 1 else 0)
        if register != value:
            self.next = address

    # ------------------------------------------------------------ 9.4 I/O

    def bits_left(self) -> int:
        return 8 * len(self.data) - self.bit

    def discard(self) -> None:
        self.bit = -(-self.bit // 8) * 8

    def take_bits(self, count: int, lsb_first: bool) -> int:
        """Bits in the order that the P-bit says; the first of them is the most significant unless `lsb_first`."""
        bits = []
        for at in range(self.bit, self.bit + count):
            inside = at % 8
            bits.append(self.data[at // 8] >> (inside if self.p else 7 - inside) & 1)
        self.bit += count
        if lsb_first:
            bits.reverse()
        value = 0
        for bit in bits:
            value = value << 1 | bit
        return value

    def bit_order(self) -> int:
        order = self.word(BIT_ORDER)
        if order > 7:
            raise DecompressionFailure(Reason.BAD_INPUT_BITORDER)
        return order

    def turn(self, p: int) -> None:
        """The rest of an octet goes when the P-bit has changed: 8.2."""
        if p != self.p:
            self.discard()
        self.p = p

    def _input_bytes(self) -> None:
        length, destination, address = self.o.multitype(), self.o.multitype(), self.o.address()
        self.pay(1 + length)
        self.discard()
        if 8 * length > self.bits_left():
            self.next = address
            return
        first = self.bit // 8
        self.scatter(destination, self.data[first : first + length], self.bounds())
        self.bit += 8 * length
        self.available += 8 * length * self.cycles_per_bit

    def _input_bits(self) -> None:
        length, destination, address = self.o.multitype(), self.o.multitype(), self.o.address()
        self.pay(1)
        order = self.bit_order()
        if length > 16:
            raise DecompressionFailure(Reason.TOO_MANY_BITS_REQUESTED)
        self.turn(order & 1)
        if length > self.bits_left():
            self.next = address
            return
        self.store(destination, self.take_bits(length, bool(order & 4)))
        self.available += length * self.cycles_per_bit

    def _input_huffman(self) -> None:
        destination, address, n = self.o.multitype(), self.o.address(), self.o.literal()
        self.pay(1 + n)
        if n == 0:
            return
        order = self.bit_order()
        self.turn(order & 1)
        sets = [tuple(self.o.multitype() for _ in range(4)) for _ in range(n)]
        if sum(bits for bits, *_ in sets) > 16:
            raise DecompressionFailure(Reason.TOO_MANY_BITS_REQUESTED)
        code = taken = 0
        for bits, lower, upper, uncompressed in sets:
            if bits > self.bits_left():
                self.next = address
                return
            code = code << bits | self.take_bits(bits, bool(order & 2))
            taken += bits
            if lower <= code <= upper:
                self.store(destination, code + uncompressed - lower)
                self.available += taken * self.cycles_per_bit
                return
        raise DecompressionFailure(Reason.HUFFMAN_NO_MATCH)

    def identifier_at(self, at: int, length: int) -> bytes:
        if not SHORTEST <= length <= LONGEST:
            raise DecompressionFailure(Reason.INVALID_STATE_ID_LENGTH)
        return self.gather(at, length, self.bounds())

    def _state_access(self) -> None:
        at, size, begin, length, address, instruction = (self.o.multitype() for _ in range(6))
        if length == 0 and begin != 0:
            raise DecompressionFailure(Reason.INVALID_STATE_PROBE)
        partial = self.identifier_at(at, size)
        item = self.states.find(partial)
        length = length or len(item.value)
        self.pay(1 + length)
        if begin + length > len(item.value):
            raise DecompressionFailure(Reason.STATE_TOO_SHORT, partial)
        self.scatter(address or item.address, item.value[begin : begin + length], self.bounds())
        if target := instruction or item.instruction:
            self.next = target

    def request_creation(self, length: int, address: int, instruction: int, minimum: int, priority: int) -> None:
        if not SHORTEST <= minimum <= LONGEST:
            raise DecompressionFailure(Reason.INVALID_STATE_ID_LENGTH)
        if priority == LOCAL_PRIORITY:
            raise DecompressionFailure(Reason.INVALID_STATE_PRIORITY)
        self.place("create", address, length, (address, instruction, minimum, priority))

    def place(self, kind: str, at: int, length: int, more: tuple[int, int, int, int] = (0, 0, 0, 0)) -> None:
        if sum(known[0] == kind for known in self.places) == MOST_REQUESTS:
            raise DecompressionFailure(Reason.TOO_MANY_STATE_REQUESTS)
        self.places.append((kind, at, length, more))

    def _state_create(self) -> None:
        operands = [self.o.multitype() for _ in range(5)]
        self.pay(1 + operands[0])
        self.request_creation(*operands)

    def _state_free(self) -> None:
        at, length = self.o.multitype(), self.o.multitype()
        self.pay(1)
        if not SHORTEST <= length <= LONGEST:
            raise DecompressionFailure(Reason.INVALID_STATE_ID_LENGTH)
        self.place("free", at, length)

    def _output(self) -> None:
        start, length = self.o.multitype(), self.o.multitype()
        self.pay(1 + length)
        if len(self.out) + length > MOST_OUTPUT:
            raise DecompressionFailure(Reason.OUTPUT_OVERFLOW)
        self.out += self.gather(start, length, self.bounds())
        self.run_.output = bytes(self.out)

    def _end_message(self) -> None:
        requested, returned, length, address, instruction, minimum, priority = (self.o.multitype() for _ in range(7))
        self.pay(1 + length)
        if SHORTEST <= minimum <= LONGEST and priority != LOCAL_PRIORITY:
            self.request_creation(length, address, instruction, minimum, priority)
        bounds = self.bounds()
        for kind, at, size, (where, first, least, rank) in self.places:  # RFC 4896, 4.1: as the octets are now
            octets = self.gather(at, size, bounds)
            entry = Creation(Item(octets, where, first, least), rank) if kind == "create" else Free(octets)
            self.run_.requests.append(entry)
        if requested:
            self.run_.requested = read_requested(bytes(self.memory[requested:]))
        if returned:
            self.run_.parameters = read_parameters(bytes(self.memory[returned:]))
