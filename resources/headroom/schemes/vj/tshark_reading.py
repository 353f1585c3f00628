# SPDX-License-Identifier: Apache-2.0
"""VJ as tshark reads it: change masks, connection numbers, checksums and changes.

In captures of PPP with the direction (DLT 204), without which tshark keeps no state. It computes the changes of the
special masks wrongly after an UNCOMPRESSED_TCP packet, and takes the urgent pointer for two octets, whose encoding is
that of all changes (3.2.4: "decoded and stuffed into the TCP Urgent Pointer"): what stands after it is not compared.
It takes a change in one octet for a signed one, so that 200 reads like 65,480: such values are not compared either.
"""

from __future__ import annotations

from collections.abc import Sequence

from headroom.core import tshark
from headroom.core.captures import framing
from headroom.core.captures.dissection import LinkPacket, Reading, Row, Value
from headroom.core.scheme_kit import second_reading
from headroom.schemes.vj.judge.packet import BITS, CompressedHeader

# The field of each change. tshark has it signed where it may go back.
CHANGES = {
    "W": ("window change", "vjc.delta_window"),
    "A": ("acknowledgement change", "vjc.delta_ack"),
    "S": ("sequence change", "vjc.delta_seq"),
    "I": ("IP-ID change", "vjc.delta_ipid"),
}
FIELDS = ("vjc.change_mask", "vjc.connection_number", "vjc.checksum", *(field for _, field in CHANGES.values()))


def values_of(header: CompressedHeader) -> dict[str, Value]:
    """The values of a compressed header, by the names that both readings have."""
    values: dict[str, Value] = {"change mask": header.mask, "TCP checksum": header.checksum}
    return values | {
        name: header.changes[letter].value for letter, (name, _) in CHANGES.items() if letter in header.changes
    }


def read(packets: Sequence[LinkPacket]) -> list[Reading]:
    """The packets of one line as tshark reads them."""
    return second_reading.read(packets, framing.PPP_DIRECTION, FIELDS, _reading, second_reading.ppp_frame)


def _reading(row: Row) -> Reading:
    result = {name: tshark.numbers(row.get(name, [])) for name in FIELDS}
    reading = Reading()
    if connection := result["vjc.connection_number"]:
        reading.values["connection"] = connection[0]
    if not result["vjc.change_mask"] or not result["vjc.checksum"]:  # cut short
        return reading
    mask = result["vjc.change_mask"][0]
    letters = [letter for letter, bit in BITS.items() if mask & bit]
    reading.title = "COMPRESSED_TCP"
    reading.values |= {"change mask": "".join(letters) or "-", "TCP checksum": result["vjc.checksum"][0]}
    for letter, (name, field) in CHANGES.items():
        if letter not in letters or "U" in letters or not result[field]:
            continue
        if (value := result[field][0] & 0xFFFF) < 0xFF80:
            reading.values[name] = value
    return reading
