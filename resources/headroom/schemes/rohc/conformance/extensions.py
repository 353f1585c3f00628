# SPDX-License-Identifier: Apache-2.0
"""Extension headers of a flow's packets, each a letter: RFC 2460, 4; RFC 4302, 2; RFC 2784; RFC 2890; RFC 2004, 3.1.

| letter | header |
|---|---|
| h, H | hop-by-hop options, with one or another content |
| r | a routing header of one address, no segments left |
| d, D, 0 to 9 | destination options, each with another content |
| a | AH, whose data is another in each packet |
| m | minimal encapsulation with the original source address |
| g, G | GRE with checksum, key and sequence number, or with nothing; the last one, and an IP header after it |
| x, b | GRE with a bit of Reserved0, or with the Protocol Type of bridged Ethernet: no list may have it |
"""

import random
import string
import struct
from dataclasses import dataclass

from headroom.core.errors import UsageError
from headroom.schemes.rohc.judge.v1.extension_headers import (
    AH,
    DESTINATION,
    ETHER_TYPES,
    GRE,
    HOP_BY_HOP,
    MINIMAL,
    ROUTING,
    C,
    K,
    S,
)

TYPES = {
    "h": HOP_BY_HOP,
    "H": HOP_BY_HOP,
    "r": ROUTING,
    "d": DESTINATION,
    "D": DESTINATION,
    "a": AH,
    "m": MINIMAL,
    "g": GRE,
    "G": GRE,
    **dict.fromkeys(string.digits, DESTINATION),
    "x": GRE,
    "b": GRE,
}
# After Next Header: a length in units of eight octets and what is there to fill it.
_WITH_LENGTH = {
    "h": bytes.fromhex("00 05 02 00 00 01 00"),  # router alert
    "H": bytes.fromhex("00 05 02 00 01 01 00"),
    "r": bytes.fromhex("02 00 00 00000000 20010db8000000000000000000000001"),
    "d": bytes.fromhex("00 01 04 00 00 00 00"),  # PadN
    "D": bytes.fromhex("01 01 0c 00 00 00 00 00 00 00 00 00 00 00 00"),
    **{digit: bytes.fromhex(f"00 1e 04 00 00 00 0{digit}") for digit in string.digits},  # RFC 4727, 4: for experiments
}
SPI, KEY, ICV_OCTETS = 0xA0A00001, 0x6E6E0001, 12
_ADDRESSES = bytes.fromhex("c6336401 cb007101")  # of minimal encapsulation: original destination and source
_SEQUENCE = (1 << 32) - 1
_RESERVED0, _BRIDGED = 0x0008, 0x6558


@dataclass
class Extensions:
    """The extension headers of one IP header, and the sequence numbers of the next packet."""

    letters: str = ""
    ah_sequence: int = 0x1000
    gre_sequence: int = 0x2000

    def advance(self) -> None:
        self.ah_sequence = (self.ah_sequence + 1) & _SEQUENCE
        self.gre_sequence = (self.gre_sequence + 1) & _SEQUENCE

    def change(self, name: str, how: str, text: str) -> bool:
        """`extensions to hda`, `extensions to none`, `ah-sequence by 100`, `gre-sequence to 7`; False for others."""
        if name == "extensions" and how == "to":
            letters = "" if text == "none" else text
            if set(letters) - set(TYPES):
                raise UsageError(f"'{text}' names no extension headers; the letters are {', '.join(TYPES)}, or none.")
            self.letters = letters
            return True
        if name not in ("ah-sequence", "gre-sequence"):
            return False
        attribute = name.replace("-", "_")
        now = getattr(self, attribute) if how == "by" else 0
        setattr(self, attribute, (now + int(text, 0)) & _SEQUENCE)
        return True

    def build(self, following: int, source: random.Random) -> tuple[bytes, int]:
        """The headers in front of protocol `following`, and the type of the first one."""
        octets = b""
        for letter in reversed(self.letters):
            octets = self._one(letter, following, source) + octets
            following = TYPES[letter]
        return octets, following

    def _one(self, letter: str, following: int, source: random.Random) -> bytes:
        if letter in _WITH_LENGTH:
            return bytes([following]) + _WITH_LENGTH[letter]
        if letter == "a":  # the length counts words of four octets, without two
            words = (12 + ICV_OCTETS) // 4 - 2
            return struct.pack("!BBHII", following, words, 0, SPI, self.ah_sequence) + source.randbytes(ICV_OCTETS)
        if letter == "m":
            return _minimal(following)
        if following not in ETHER_TYPES:
            raise UsageError(
                f"'{letter}', GRE, comes last, in front of an IP header; here protocol {following} follows."
            )
        if letter in "Gxb":
            return struct.pack(
                "!HH", _RESERVED0 * (letter == "x"), _BRIDGED if letter == "b" else ETHER_TYPES[following]
            )
        flags = (C | K | S) << 8
        checksum = source.randrange(1 << 16)
        return struct.pack("!HHHHII", flags, ETHER_TYPES[following], checksum, 0, KEY, self.gre_sequence)


def _minimal(following: int) -> bytes:
    fixed = struct.pack("!BB", following, 0x80)
    total = sum(struct.unpack("!5H", fixed + _ADDRESSES))
    total = (total & 0xFFFF) + (total >> 16)
    total = (total & 0xFFFF) + (total >> 16)
    return fixed + struct.pack("!H", total ^ 0xFFFF) + _ADDRESSES
