# SPDX-License-Identifier: Apache-2.0
"""The CRCs of ROHC: RFC 3095, 5.9 and 5.2.5.2, with the algorithm that RFC 4815, 2.1 names (HDLC-like framing).

The register starts with all ones and takes each octet with its least significant bit first. CRC-3, CRC-7 and CRC-8 are
sent as the register stands; the CRC-32 of segments is complemented as in HDLC.
"""


def _table(width: int, exponents: tuple[int, ...]) -> tuple[int, ...]:
    """The lookup table of a CRC, by octet. `exponents` are those of the polynomial below x^width."""
    # With the least significant bit first, the coefficient of x^e sits at bit width-1-e.
    polynomial = sum(1 << (width - 1 - e) for e in exponents)
    table = []
    for octet in range(256):
        register = octet
        for _ in range(8):
            register = register >> 1 ^ (polynomial if register & 1 else 0)
        table.append(register)
    return tuple(table)


_CRC3 = _table(3, (0, 1))  # 1 + x + x^3: RFC 3095, 5.9.2
_CRC7 = _table(7, (0, 1, 2, 3, 6))  # 1 + x + x^2 + x^3 + x^6 + x^7: RFC 3095, 5.9.2
_CRC8 = _table(8, (0, 1, 2))  # 1 + x + x^2 + x^8: RFC 3095, 5.9.1
_CRC32 = _table(32, (0, 1, 2, 4, 5, 7, 8, 10, 11, 12, 16, 22, 23, 26))  # RFC 3095, 5.2.5.2


def crc3(octets: bytes) -> int:
    table = _CRC3
    register = 0x7
    for octet in octets:
        register = table[register ^ octet]
    return register


def crc7(octets: bytes) -> int:
    table = _CRC7
    register = 0x7F
    for octet in octets:
        register = table[register ^ octet]
    return register


def crc8(octets: bytes) -> int:
    table = _CRC8
    register = 0xFF
    for octet in octets:
        register = table[register ^ octet]
    return register


def crc32(octets: bytes) -> int:
    """FCS-32, complemented. On the link its least significant octet comes first (RFC 1662, C.3)."""
    register = 0xFFFFFFFF
    for octet in octets:
        register = register >> 8 ^ _CRC32[(register ^ octet) & 0xFF]
    return register ^ 0xFFFFFFFF


def of_width(width: int, octets: bytes) -> int:
    """CRC-3 or CRC-7 over a header that is already in the order CRC-STATIC, CRC-DYNAMIC."""
    return crc3(octets) if width == 3 else crc7(octets)
