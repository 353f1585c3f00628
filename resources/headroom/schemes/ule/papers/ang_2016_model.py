# SPDX-License-Identifier: Apache-2.0
"""The mathematical model of W.-C. Ang, M.-I. Sarwar and T.-C. Wan (2016): equations 8 to 14.

Lengths are octets, rates bit/s. A TS packet carries 184 octets, of which the Payload Pointer takes one where an SNDU
begins.
"""

from fractions import Fraction

TS_PACKET, TS_PAYLOAD, PAYLOAD_POINTER = 188, 184, 1
ULE = 8  # the base header without an address, and the CRC
ETHERNET = 14
# A datagram_section of Multiprotocol Encapsulation (EN 301 192, 7.1): 12 octets of header with the MAC address, a CRC,
# and LLC/SNAP in front of what is not IPv4. Sections share TS packets as SNDUs do, after a pointer_field.
MPE = 12 + 4 + 8
# A GSE packet of a whole PDU without a label (TS 102 606-1, 4.2): GSE Length and Protocol Type.
GSE = 2 + 2
RTP_INTERVAL_MS = 20


def packing_threshold_ms(rate: int) -> Fraction:
    """Equations 8 to 11: how long the 183 octets last that are padded at most."""
    return Fraction((TS_PAYLOAD - PAYLOAD_POINTER) * 8 * 1000, rate)


def valley(n: int, headers: float) -> float:
    """Equations 12 and 13: the UDP payload at the n-th valley of the saw-tooth, for IP and UDP headers of so many
    octets or, compressed, of so many on average."""
    return TS_PAYLOAD - PAYLOAD_POINTER - ULE - ETHERNET - headers + 1 + TS_PAYLOAD * (n - 1)


def stream_rate(header: float, payload: int, overhead: float = ULE + ETHERNET) -> float:
    """Equation 14: bit/s of an RTP stream below the TS packets. `payload` is what follows the compressed header."""
    return (overhead + header + payload) * (1000 / RTP_INTERVAL_MS) * 8


def streams(rate: int, header: float, payload: int, overhead: float = ULE + ETHERNET) -> float:
    """The equation behind 14: RTP streams that a link carries, where no octet of a TS packet is padded."""
    return rate / stream_rate(header, payload, overhead) * (TS_PAYLOAD - PAYLOAD_POINTER) / TS_PACKET


def mean_header(ir: float, others: float, interval: int, irs: int = 3) -> float:
    """Mean header where so many IRs come back after `interval` other packets."""
    return (irs * ir + interval * others) / (interval + irs)
