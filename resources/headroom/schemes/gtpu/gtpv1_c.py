# SPDX-License-Identifier: Apache-2.0
"""GTPv1-C (TS 29.060), as far as a client needs it to give a GGSN sessions: Create PDP Context.

A session of a GGSN is a PDP context: the GGSN chooses the user's address and its own TEID.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from headroom.schemes.gtpu import packets
from headroom.schemes.gtpu.judge import GtpuError

PORT = 2123
CREATE_REQUEST, CREATE_RESPONSE = 16, 17  # 7.1
ACCEPTED = 128  # 7.7.1: Request accepted
CAUSE, RECOVERY, SELECTION_MODE, TEID_DATA, TEID_CONTROL, NSAPI = 1, 14, 15, 16, 17, 20  # 7.7
END_USER_ADDRESS, ACCESS_POINT_NAME, GSN_ADDRESS, MSISDN, QOS_PROFILE = 128, 131, 133, 134, 135
IMSI = 2
LAST_OF_FIXED_SIZE = 127  # types above it have a length
# Octets of values by type, for those without a length (7.7): of all that stands in a response.
SIZES = {CAUSE: 1, 3: 6, 8: 1, RECOVERY: 1, TEID_DATA: 4, TEID_CONTROL: 4, NSAPI: 1, 127: 4}
IPV4 = bytes([0xF1, 0x21])  # PDP type: organisation IETF, number IPv4 (7.7.27)
BEST_EFFORT = bytes.fromhex("0223421f7396404074f8")  # QoS profile: allocation priority, then TS 24.008, 10.5.6.5
SUBSCRIBED, VERIFIED = "00101", 0xFC  # MCC and MNC of the test network; selection mode: MS or network provided APN


@dataclass(frozen=True)
class Context:
    """A PDP context as the GGSN has accepted it."""

    user: str
    teid: int
    host: str  # of the GGSN, for G-PDUs


def create_request(number: int, sequence: int, own: str, access: str, access_teid: int, apn: str) -> bytes:
    """A Create PDP Context Request (7.3.1) of subscriber `number`. `own` is the address of the client, and `access`
    with `access_teid` where the downlink goes."""
    content = _fixed(IMSI, _bcd(f"{SUBSCRIBED}{number:010d}"))
    content += _fixed(RECOVERY, b"\0") + _fixed(SELECTION_MODE, bytes([VERIFIED]))
    content += _fixed(TEID_DATA, access_teid.to_bytes(4, "big")) + _fixed(TEID_CONTROL, number.to_bytes(4, "big"))
    content += _fixed(NSAPI, bytes([5]))
    content += _long(END_USER_ADDRESS, IPV4) + _long(ACCESS_POINT_NAME, bytes([len(apn)]) + apn.encode())
    content += _long(GSN_ADDRESS, packets.address(own)) + _long(GSN_ADDRESS, packets.address(access))
    content += _long(MSISDN, b"\x91" + _bcd(f"{number:010d}")) + _long(QOS_PROFILE, BEST_EFFORT)
    return packets.gtpu(CREATE_REQUEST, 0, content, sequence=sequence)


def read_create_response(octets: bytes, sequence: int) -> Context | None:
    """The context of a Create PDP Context Response (7.3.2) to the request of that sequence number; None where the
    message is another. Raises GtpuError if the GGSN refuses, or if something is missing."""
    if len(octets) < 12 or octets[1] != CREATE_RESPONSE or int.from_bytes(octets[8:10], "big") != sequence:
        return None
    values = _elements(octets[12:])
    if values.get(CAUSE, [b"\0"])[0][0] != ACCEPTED:
        raise GtpuError("7.7.1", f"the GGSN refuses a PDP context, with the cause {values.get(CAUSE, [b''])[0].hex()}")
    address, teid, hosts = values.get(END_USER_ADDRESS), values.get(TEID_DATA), values.get(GSN_ADDRESS, [])
    if not address or len(address[0]) != 6 or not teid or len(hosts) < 2 or len(hosts[1]) != 4:
        raise GtpuError(
            "7.3.2", "the response has no IPv4 address of the user, no TEID, or no two addresses of the GGSN"
        )
    user, host = ipaddress.IPv4Address(address[0][2:]), ipaddress.IPv4Address(hosts[1])
    return Context(str(user), int.from_bytes(teid[0], "big"), str(host))


def _elements(octets: bytes) -> dict[int, list[bytes]]:
    result: dict[int, list[bytes]] = {}
    at = 0
    while at < len(octets):
        kind = octets[at]
        if kind > LAST_OF_FIXED_SIZE:
            size, begin = int.from_bytes(octets[at + 1 : at + 3], "big"), at + 3
        elif kind in SIZES:
            size, begin = SIZES[kind], at + 1
        else:
            raise GtpuError("7.7", f"the response has an information element {kind} of unknown size")
        if begin + size > len(octets):
            raise GtpuError("7.7", f"the information element {kind} ends beyond the message")
        result.setdefault(kind, []).append(octets[begin : begin + size])
        at = begin + size
    return result


def _fixed(kind: int, value: bytes) -> bytes:
    return bytes([kind]) + value


def _long(kind: int, value: bytes) -> bytes:
    return bytes([kind]) + len(value).to_bytes(2, "big") + value


def _bcd(digits: str) -> bytes:
    """Digits in octets, the first in the low half; 0xF fills the last (TS 29.060, 7.7.2)."""
    padded = digits + "F" * (len(digits) % 2)
    return bytes(int(padded[at + 1] + padded[at], 16) for at in range(0, len(padded), 2))
