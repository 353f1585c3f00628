# SPDX-License-Identifier: Apache-2.0
"""Reads ROHC packets with tshark, which runs once for each channel.

tshark keeps one table of contexts for all channels of a file. Each channel is therefore written to a file of its own,
in a framing that tshark reads: Ethernet with type 0x22F1 for small CIDs, PDCP of LTE in UDP for large CIDs (as tshark's
dissector pdcp-lte documents it). On Ethernet tshark takes every CID for a small one, and on PPP it reads no ROHC.
"""

import re
import struct
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from headroom.core import tshark
from headroom.core.captures import framing
from headroom.core.captures.dissection import LinkPacket, Reading, Row, Value
from headroom.core.tshark import numbers
from headroom.decode.tshark_reading import UNKNOWN
from headroom.schemes.rohc.judge import RohcError
from headroom.schemes.rohc.judge.framework import cid
from headroom.schemes.rohc.judge.framework import framing as rohc_framing
from headroom.schemes.rohc.judge.framework.bits import Reader

ETHER_TYPE = 0x22F1
_ETHERNET = b"\x02\0\0\0\0\x0b\x02\0\0\0\0\x0a" + ETHER_TYPE.to_bytes(2, "big")
# "pdcp-lte", no PDCP header, user plane, ROHC; 12 bits of sequence number; IP version; CIDs are there, large ones;
# U-mode; RND and UDP checksum off; profile 1 (what IR packets establish goes before these); the payload.
_PDCP = b"pdcp-lte" + bytes([1, 2, 1, 0x02, 12, 0x06, 0, 4, 0x07, 1, 0x08, 1, 0x09, 1, 0x0A, 0, 0x0B, 0, 0x0C, 0, 1, 1])

FIELDS = (
    "_ws.col.Info",
    "rohc.feedback",
    "rohc.ir_packet",
    "rohc.ir_dyn_packet",
    "rohc.small_cid",
    "rohc.large_cid",
    "rohc.profile",
    "rohc.comp.sn",
    "rohc.rtp.sn",
    "rohc.r_0_crc",
    "rohc.crc",
    "rohc.tp",
    "rohc.rtp.timestamp",
    "rohc.comp_ip_id",
    "rohc.ip-id",
    "rohc.rtp.ssrc",
    "rohc.rtp.pt",
    "rohc.ipv4_src",
    "rohc.ipv4_dst",
    "rohc.ipv6.src",
    "rohc.ipv6.dst",
    "rohc.udp_src_port",
    "rohc.udp_dst_port",
    "rohc.acktype",
    "rohc.mode",
    "rohc.sn",
    "rohc.opt.sn_add_bits",
    "rohc.profile_spec_octet",
    "rohc.not_dissected_yet",
    "rohc.profile_specific",
    "rohc.profile_not_supported",
    "rohc.no_configuration_info",
    "rohc.desegmentation_not_implemented",
    "rohc.error_packet",
    "rohc.ip.version.unknown",
    "_ws.malformed",
)
TYPES = re.compile(
    r"\b(IR-DYN|IR|UO-0|UO-1-ID|UO-1-TS|UO-1|UOR-2-ID|UOR-2-TS|UOR-2|R-0-CRC|R-0|R-1-ID|R-1-TS|R-1|Normal)\b"
)
LARGE_OPTIONS = (
    *("--enable-heuristic", "pdcp_lte_udp"),
    *("-o", "pdcp-lte.dissect_rohc:TRUE"),
    *("-o", "pdcp-lte.layer_to_show:Traffic Info"),
)
ACKTYPES = ("ACK", "NACK", "STATIC-NACK")
MODES = {1: "U", 2: "O", 3: "R"}


def read(packets: Sequence[LinkPacket], large: bool) -> list[Reading]:
    """The ROHC packets of one channel, as tshark reads them.

    Raises EnvironmentLacks without tshark, HeadroomError when it fails.
    """
    options = LARGE_OPTIONS if large else ()
    pieces = [pieces_of(packet.octets, large) for packet in packets]
    places = [(number, place) for number, results in enumerate(pieces) for place in range(len(results))]
    if large:
        # Its context is that of the last IR packet, whatever the CID: so each context's packets stand together.
        places.sort(key=lambda at: pieces[at[0]][at[1]].cid)
    wrap = _in_pdcp if large else _in_ethernet
    sent = []
    for number, place in places:
        octets = wrap(pieces[number][place].octets)
        sent.append((packets[number].time_ns or 0, octets, len(octets)))
    link_type = framing.RAW if large else framing.ETHERNET
    rows = tshark.rows_of(sent, link_type, FIELDS, options)
    if rows is None:
        return [Reading(error=UNKNOWN) for _ in packets]
    read = dict(zip(places, map(row_reading, rows), strict=True))
    return [_together([read[number, place] for place in range(len(results))]) for number, results in enumerate(pieces)]


class Piece(NamedTuple):
    """A feedback element, or the rest of a packet after its feedback elements. Feedback has a CID above all others, so
    that it is sorted after the packets of all contexts.
    """

    octets: bytes
    cid: int = cid.MAX_LARGE_CID + 1


def pieces_of(octets: bytes, large: bool) -> list[Piece]:
    """Each feedback element of a packet, and the rest of the packet after them; the whole packet if it has no feedback.

    tshark does not read a header correctly if feedback stands before it; if that is an IR packet, it cannot read the
    packets of the context either.
    """
    reader = Reader(octets)
    begin, of = len(octets), 0
    try:
        frame = rohc_framing.read(reader, large)
        begin, of = frame.start, frame.cid
    except RohcError:
        begin = max((field.position // 8 for field in reader.fields), default=0)
    starts = [at for field in reader.fields if field.name == "feedback" and (at := field.position // 8) < begin]
    if not starts:
        return [Piece(octets, of)]
    pieces = [Piece(octets[a:b]) for a, b in pairwise([*starts, begin])]
    return [*pieces, Piece(octets[begin:], of)] if begin < len(octets) else pieces


def _together(parts: list[Reading]) -> Reading:
    """The readings of the pieces of one packet as one."""
    last = parts[-1]
    feedback = [
        {} if "malformed" in part.notes else entry
        for part in parts
        for entry in _listed(part.values.pop("feedback", []))
    ]
    if feedback:
        last.values["feedback"] = feedback
    # What tshark lacks for feedback says nothing of the header after it.
    notes = [f"feedback: {note}" for part in parts[:-1] for note in part.notes]
    last.notes = list(dict.fromkeys([*notes, *last.notes]))
    return last


def _listed(value: Value) -> list[Any]:
    return value if isinstance(value, list) else []


def _in_ethernet(octets: bytes) -> bytes:
    return _ETHERNET + octets


def _in_pdcp(octets: bytes) -> bytes:
    payload = _PDCP + octets
    udp = struct.pack("!HHHH", 9999, 9999, (8 + len(payload)) & 0xFFFF, 0)
    addresses = bytes([192, 0, 2, 1, 192, 0, 2, 2])  # RFC 5737: for documentation
    return struct.pack("!BBHIBBH", 0x45, 0, (28 + len(payload)) & 0xFFFF, 0, 64, 17, 0) + addresses + udp + payload


def row_reading(row: Row) -> Reading:
    """tshark's fields of one ROHC packet, which has a feedback element or a header."""
    reading = Reading()
    cids = numbers(row.get("rohc.large_cid") or row.get("rohc.small_cid", []))
    if row.get("rohc.feedback"):
        reading.title = "feedback"
        reading.values["feedback"] = [_feedback(row, cids)]
    elif title := _type(row):
        reading.title = title
        _header(row, reading, cids)
    _complaints(row, reading)
    return reading


def _type(row: Row) -> str:
    """The packet type; "" where tshark says none. In Info stands what an Uncompressed IR packet carries instead."""
    if row.get("rohc.ir_packet") or row.get("rohc.ir_dyn_packet"):
        return "IR" if row.get("rohc.ir_packet") else "IR-DYN"
    match = TYPES.search(" ".join(row.get("_ws.col.Info", [])))
    return match[1] if match else ""


def _header(row: Row, reading: Reading, cids: list[int]) -> None:
    values = reading.values
    values["CID"] = cids[0] if cids else 0
    _one(row, values, {"rohc.crc": "CRC"})
    _one(row, values, {"rohc.r_0_crc": "CRC"})
    if reading.title in ("IR", "IR-DYN"):
        _one(row, values, {"rohc.profile": "profile", "rohc.rtp.sn": "SN", "rohc.rtp.timestamp": "TS"})
        _one(row, values, {"rohc.rtp.ssrc": "SSRC", "rohc.rtp.pt": "PT"})
        _one(row, values, {"rohc.udp_src_port": "source port", "rohc.udp_dst_port": "destination port"})
        for version, source, destination in (
            (4, "rohc.ipv4_src", "rohc.ipv4_dst"),
            (6, "rohc.ipv6.src", "rohc.ipv6.dst"),
        ):
            if row.get(source):
                values[f"IPv{version} source"] = list(row[source])
                values[f"IPv{version} destination"] = list(row.get(destination, []))
        return
    _one(row, values, {"rohc.comp.sn": "SN bits", "rohc.tp": "TS bits", "rohc.comp_ip_id": "IP-ID bits"})
    _one(row, values, {"rohc.ip-id": "IP-ID"})


def _one(row: Row, values: dict[str, Value], names: dict[str, str]) -> None:
    for theirs, ours in names.items():
        if results := numbers(row.get(theirs, [])):
            values[ours] = results[0]


def _feedback(row: Row, cids: list[int]) -> dict[str, Value]:
    entry: dict[str, Value] = {"CID": cids[0] if cids else 0}
    if acks := numbers(row.get("rohc.acktype", [])):
        entry |= {"type": "FEEDBACK-2", "acknowledgement": _name(ACKTYPES, acks[0])}
        if modes := numbers(row.get("rohc.mode", [])):
            entry["mode"] = MODES.get(modes[0], str(modes[0]))
        if sn := numbers(row.get("rohc.sn", [])):
            more = b"".join(bytes([bits & 0xFF]) for bits in numbers(row.get("rohc.opt.sn_add_bits", [])))
            entry["SN"] = sn[0] << 8 * len(more) | int.from_bytes(more, "big")
    elif octets := numbers(row.get("rohc.profile_spec_octet", [])):
        entry |= {"type": "FEEDBACK-1", "SN": octets[0]}
    return entry


def _name(names: Sequence[str], number: int) -> str:
    return names[number] if number < len(names) else str(number)


def _complaints(row: Row, reading: Reading) -> None:
    fields = {
        "rohc.not_dissected_yet": "not dissected yet",
        "rohc.profile_specific": "profile-specific part not dissected",
        "rohc.profile_not_supported": "profile not supported",
        "rohc.no_configuration_info": "no context",
        "rohc.desegmentation_not_implemented": "segments are not put together",
        "rohc.error_packet": "calls it an error",
        "rohc.ip.version.unknown": "unknown IP version",
        "_ws.malformed": "malformed",
    }
    reading.notes += [sentence for name, sentence in fields.items() if row.get(name)]
