# SPDX-License-Identifier: Apache-2.0
"""Link packets: their types, and the COMPRESSED_TCP header of 7.3.2."""

from __future__ import annotations

from dataclasses import dataclass, field

# The draft assigns no numbers; its formats are those of RFC 2507, whose numbers RFC 3544, 2.1, assigns.
IP, IPV6, UNCOMPRESSED, COMPRESSED = 0x0021, 0x0057, 0x0061, 0x0063
TYPE_NAMES = {IP: "TYPE_IP", IPV6: "TYPE_IP", UNCOMPRESSED: "UNCOMPRESSED_TCP", COMPRESSED: "COMPRESSED_TCP"}

FLAGS = {"R": 0x80, "O": 0x40, "I": 0x20, "P": 0x10, "S": 0x08, "A": 0x04, "W": 0x02, "U": 0x01}
# Bits of C_WIN, C_ACK, C_SEQ and C_IP_ID, by PT (7.3.2.1).
WASI = ({"W": 10, "A": 11, "S": 11, "I": 3}, {"W": 14, "A": 15, "S": 15, "I": 7},
        {"W": 16, "A": 19, "S": 19, "I": 11}, {"W": 16, "A": 23, "S": 23, "I": 15})  # fmt: skip
TIMESTAMP_BITS = {0: 15, 1: 22, 2: 29}  # by the ones in front of the first zero; after three there are 4 octets


class NotTaroc(Exception):
    """Octets that cannot be what their type says; the text is a sentence with its section."""


@dataclass(frozen=True)
class Lsb:
    """Least significant bits of a value."""

    value: int
    bits: int

    def closest(self, reference: int, width: int) -> int:
        """ "The one … which is closest to v_ref and whose k LSBs equal the compressed value" (Appendix A)."""
        size = 1 << self.bits
        below = reference - (reference - self.value) % size
        return min((below, below + size), key=lambda entry: abs(entry - reference)) & ((1 << width) - 1)


@dataclass(frozen=True)
class Compressed:
    """A compressed header. `fields` has the LSBs of W, A, S and I, by letter; `value` and `echo` have those of the time
    stamps. `blocks` are the offsets and sizes of SACK blocks. `length` is the number of octets before other TCP
    options.
    """

    cid: int
    flags: frozenset[str]
    checksum: int
    r_octet: int = 0
    urgent: int = 0
    fields: dict[str, Lsb] = field(default_factory=dict)
    padded_with_zeros: bool = True
    value: Lsb | None = None
    echo: Lsb | None = None
    blocks: tuple[tuple[int, int], ...] = ()
    length: int = 0


class _Bits:
    """Reads bits, the most significant first. Raises NotTaroc if there are too few."""

    def __init__(self, octets: bytes) -> None:
        self.octets, self.at = octets, 0

    def take(self, count: int, what: str) -> int:
        if self.at + count > 8 * len(self.octets):
            raise NotTaroc(f"the packet ends before {what} does (7.3.2)")
        whole = int.from_bytes(self.octets)
        value = whole >> (8 * len(self.octets) - self.at - count) & ((1 << count) - 1)
        self.at += count
        return value

    def change(self, what: str) -> int:
        """RFC 1144, 3.2.2: one octet, or zero and two."""
        return self.take(8, what) or self.take(16, what)

    def timestamp(self, what: str) -> Lsb:
        ones = 0
        while self.take(1, what):
            ones += 1
            if ones == 4:
                raise NotTaroc(f"{what} begins with four ones (7.3.2.2)")
        if ones == 3:
            self.take(4, what)
        bits = TIMESTAMP_BITS.get(ones, 32)
        return Lsb(self.take(bits, what), bits)


def read(octets: bytes) -> Compressed:
    """The header at the front of a COMPRESSED_TCP packet, up to the octets of other options. Raises NotTaroc."""
    bits = _Bits(octets[:96])
    cid, flag_octet = bits.take(8, "the CID"), bits.take(8, "the flag octet")
    flags = frozenset(letter for letter, bit in FLAGS.items() if flag_octet & bit)
    checksum = bits.take(16, "the TCP checksum")
    r_octet = bits.take(8, "the R-octet") if "R" in flags else 0
    urgent = bits.change("the urgent pointer") if "U" in flags else 0
    fields, zeros = {}, True
    if present := [letter for letter in "WASI" if letter in flags]:
        lengths = WASI[bits.take(2, "PT")]
        fields = {text: Lsb(bits.take(lengths[text], f"the field of {text}"), lengths[text]) for text in present}
        zeros = bits.take(-bits.at % 8, "padding") == 0
    value = echo = None
    blocks = []
    if "O" in flags:
        bits.take(4, "the options' first octet")
        has_value, has_echo, count = bits.take(1, "V"), bits.take(1, "E"), bits.take(2, "SA")
        value = bits.timestamp("the TS value") if has_value else None
        echo = bits.timestamp("the TS echo reply") if has_echo else None
        blocks = [(bits.change("an offset"), bits.change("a size")) for _ in range(count)]
    return Compressed(cid, flags, checksum, r_octet, urgent, fields, zeros, value, echo, tuple(blocks), bits.at // 8)
