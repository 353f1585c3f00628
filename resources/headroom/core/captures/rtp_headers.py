# SPDX-License-Identifier: Apache-2.0
"""The header of RTP (RFC 3550, 5.1) in captured datagrams."""

from headroom.core.captures.dissection import Value

FIXED = 12  # octets
_PADDING, _EXTENSION, _CSRC_COUNT = 0x20, 0x10, 0x0F


def octets_of(datagram: bytes) -> int:
    """The octets of the header with contributing sources and extension; 0 if it is not RTP of version 2."""
    if len(datagram) < FIXED or datagram[0] >> 6 != 2:
        return 0
    octets = FIXED + 4 * (datagram[0] & _CSRC_COUNT)
    if datagram[0] & _EXTENSION:
        octets += 4 + 4 * int.from_bytes(datagram[octets + 2 : octets + 4], "big")
    return octets if octets <= len(datagram) else 0


def padding_of(datagram: bytes, header: int) -> int:
    """The octets of padding at the end of a packet with a header of so many octets: the last octet counts them."""
    is_padded = header and datagram[0] & _PADDING and len(datagram) > header
    return min(datagram[-1], len(datagram) - header) if is_padded else 0


def values_of(datagram: bytes) -> dict[str, Value]:
    """The values of a header. REQUIRES: `octets_of` is not 0."""
    return {
        "SN": int.from_bytes(datagram[2:4], "big"),
        "TS": int.from_bytes(datagram[4:8], "big"),
        "SSRC": int.from_bytes(datagram[8:12], "big"),
        "M": datagram[1] >> 7,
        "PT": datagram[1] & 0x7F,
    }
