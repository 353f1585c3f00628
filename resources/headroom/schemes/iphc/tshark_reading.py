# SPDX-License-Identifier: Apache-2.0
"""IPHC as tshark reads it: CIDs and generations of full and compressed non-TCP headers over IPv4.

Its dissector is that of CRTP (RFC 2508), which shares FULL_HEADER and COMPRESSED_NON_TCP with RFC 2507. It takes each
full header for one of UDP, knows no IPv6, and has nothing for COMPRESSED_TCP; CONTEXT_STATE it reads as RFC 2508 has
it, with other octets after each CID.
"""

from __future__ import annotations

from collections.abc import Sequence

from headroom.core import tshark
from headroom.core.captures import framing
from headroom.core.captures.dissection import LinkPacket, Reading, Row
from headroom.core.scheme_kit import second_reading
from headroom.schemes.iphc.judge import link

FIELDS = ("ppp.protocol", "crtp.cid", "crtp.gen", "crtp.ip-id")


def read(packets: Sequence[LinkPacket]) -> list[Reading]:
    """The packets of one line as tshark reads them."""
    return second_reading.read(packets, framing.PPP_DIRECTION, FIELDS, _reading, second_reading.ppp_frame)


def _reading(row: Row) -> Reading:
    result = {name: tshark.numbers(row.get(name, [])) for name in FIELDS}
    protocol = result["ppp.protocol"][0] if result["ppp.protocol"] else 0
    reading = Reading()
    if protocol in (link.FULL, link.NON_TCP) and result["crtp.cid"] and result["crtp.gen"]:
        reading.title = link.TYPE_NAMES[protocol]
        reading.values |= {"CID": result["crtp.cid"][0], "generation": result["crtp.gen"][0]}
        if result["crtp.ip-id"]:
            reading.values["IP-ID"] = result["crtp.ip-id"][0]
    return reading
