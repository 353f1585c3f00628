# SPDX-License-Identifier: Apache-2.0
"""tshark's reading of the packets of a capture, one run for each channel.

tshark has one table of contexts for all channels of a file, so each is put before it in a file of its own; and ROHC in
the form in which tshark reads it: small CIDs behind Ethernet type 0x22F1, large CIDs as PDCP of LTE in UDP (the framing
that its dissector pdcp-lte documents), for it takes all CIDs on Ethernet for small ones and reads none on PPP. IP goes
as it was captured.
"""

from __future__ import annotations

import re
import struct
import tempfile
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from headroom.core import tshark
from headroom.core.captures import framing, writing
from headroom.core.captures.reading import CapturedPacket
from headroom.decode import signalling
from headroom.decode.reading import Reading, Value
from headroom.schemes.rohc.judge import RohcError, cid
from headroom.schemes.rohc.judge import framing as rohc_framing
from headroom.schemes.rohc.judge.bits import Reader
from headroom.schemes.sigcomp.judge import tshark as sigcomp

BASE_S, PER_PACKET_S = 300.0, 0.005  # patience: on a machine that is drowned, starting takes a minute
AMONG = "\x1e"  # between the occurrences of a field

_ETHERNET = b"\x02\0\0\0\0\x0b\x02\0\0\0\0\x0a" + framing.TYPE_ROHC.to_bytes(2, "big")
# "pdcp-lte", no PDCP header, user plane, ROHC; 12 bits of sequence number; IP version; CIDs are there, large ones;
# U-mode; RND and UDP checksum off; profile 1 (what IR packets establish goes before these); the payload.
_PDCP = b"pdcp-lte" + bytes([1, 2, 1, 0x02, 12, 0x06, 0, 4, 0x07, 1, 0x08, 1, 0x09, 1, 0x0A, 0, 0x0B, 0, 0x0C, 0, 1, 1])

ROHC_FIELDS = (
    "_ws.col.Info",
    "rohc.feedback",
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
    "_ws.malformed",
)
IP_FIELDS = {  # field of tshark -> name of a value, and whether there are several
    "ip.src": ("IPv4 source", True),
    "ip.dst": ("IPv4 destination", True),
    "ip.id": ("IP-ID", True),
    "ipv6.src": ("IPv6 source", True),
    "ipv6.dst": ("IPv6 destination", True),
    "udp.srcport": ("UDP source port", True),
    "udp.dstport": ("UDP destination port", True),
    "tcp.srcport": ("TCP source port", True),
    "tcp.dstport": ("TCP destination port", True),
    "esp.spi": ("SPI", False),
    "esp.sequence": ("SN", False),
    "rtp.seq": ("SN", False),
    "rtp.timestamp": ("TS", False),
    "rtp.ssrc": ("SSRC", False),
    "rtp.marker": ("M", False),
    "rtp.p_type": ("PT", False),
    "gtp.message": ("message", False),
    "gtp.length": ("GTP-U length", False),
    "gtp.teid": ("TEID", False),
    "gtp.seq_number": ("sequence", False),
    "gtp.npdu_number": ("N-PDU", False),
    "gtp.ext_hdr.next": ("extension headers", True),
    "gtp.ext_hdr.pdu_ses_con.pdu_type": ("PDU type", False),
    "gtp.ext_hdr.pdu_ses_con.qos_flow_id": ("QFI", False),
    "gtp.ext_hdr.pdu_ses_cont.rqi": ("RQI", False),
    "gtp.ext_hdr.pdu_ses_cont.ppi": ("PPI", False),
}
TYPES = re.compile(
    r"\b(IR-DYN|IR|UO-0|UO-1-ID|UO-1-TS|UO-1|UOR-2-ID|UOR-2-TS|UOR-2|R-0-CRC|R-0|R-1-ID|R-1-TS|R-1|Normal)\b"
)
ACKTYPES = ("ACK", "NACK", "STATIC-NACK")
MODES = {1: "U", 2: "O", 3: "R"}

Sent = Sequence[tuple[int, bytes, int]]  # time, octets, length on the wire


def read_rohc(packets: Sequence[tuple[int, bytes]], large: bool) -> list[Reading]:
    """The ROHC packets of one channel (time in ns, octets), as tshark reads them.

    Raises EnvironmentLacks without tshark, HeadroomError when it fails.
    """
    options = ["-E", "occurrence=a", "-E", f"aggregator={AMONG}"]
    if large:
        options += ["--enable-heuristic", "pdcp_lte_udp", "-o", "pdcp-lte.dissect_rohc:TRUE"]
        options += ["-o", "pdcp-lte.layer_to_show:Traffic Info"]
    pieces = [pieces_of(octets, large) for _, octets in packets]
    places = [(number, place) for number, found in enumerate(pieces) for place in range(len(found))]
    if large:
        # Its context is that of the last IR packet, whatever the CID: so each context's packets stand together.
        places.sort(key=lambda at: pieces[at[0]][at[1]].cid)
    wrap = _in_pdcp if large else _in_ethernet
    sent = []
    for number, place in places:
        octets = wrap(pieces[number][place].octets)
        sent.append((packets[number][0], octets, len(octets)))
    link_type = framing.RAW if large else framing.ETHERNET
    rows = dict(zip(places, _run(sent, link_type, ROHC_FIELDS, options, rohc_row), strict=True))
    return [_together([rows[number, place] for place in range(len(found))]) for number, found in enumerate(pieces)]


class Piece(NamedTuple):
    """A feedback element or what stands behind them. Feedback goes behind all contexts."""

    octets: bytes
    cid: int = cid.MAX_LARGE_CID + 1


def pieces_of(octets: bytes, large: bool) -> list[Piece]:
    """Each feedback element of a packet, and what is behind them; the packet as it is where there is none.

    tshark loses its place behind feedback in front of a header, and with an IR packet all that rests on it.
    """
    reader = Reader(octets)
    begin, of = len(octets), 0
    try:
        frame = rohc_framing.read(reader, large)
        begin, of = frame.start, frame.cid
    except RohcError:
        begin = max((one.position // 8 for one in reader.fields), default=0)
    starts = [at for one in reader.fields if one.name == "feedback" and (at := one.position // 8) < begin]
    if not starts:
        return [Piece(octets, of)]
    found = [Piece(octets[a:b]) for a, b in pairwise([*starts, begin])]
    return [*found, Piece(octets[begin:], of)] if begin < len(octets) else found


def _together(parts: list[Reading]) -> Reading:
    """The readings of the pieces of one packet as one."""
    last = parts[-1]
    feedback = [one for part in parts for one in _listed(part.values.pop("feedback", []))]
    if feedback:
        last.values["feedback"] = feedback
    last.notes = list(dict.fromkeys(note for part in parts for note in part.notes))
    return last


def _listed(value: Value) -> list[Any]:
    return value if isinstance(value, list) else []


def read_ip(packets: Sequence[CapturedPacket], rtp_ports: Sequence[int] = ()) -> list[Reading]:
    """Frames of one link type with IP packets in them, as tshark reads them. Raises as `read_rohc` does."""
    options = ["-E", "occurrence=a", "-E", f"aggregator={AMONG}", "-o", "ip.defragment:FALSE"]
    options += ["-o", "ipv6.defragment:FALSE", "--enable-heuristic", "rtp_udp"]
    for port in rtp_ports:
        options += ["-d", f"udp.port=={port},rtp"]
    sent = [(one.time_ns, one.octets, one.length) for one in packets]
    fields = ("_ws.col.Protocol", *IP_FIELDS, *sigcomp.FIELDS[:2], "_ws.malformed")
    options += sigcomp.PREFERENCES
    return _run(sent, packets[0].interface.link_type, fields, options, ip_row)


def _in_ethernet(octets: bytes) -> bytes:
    return _ETHERNET + octets


def _in_pdcp(octets: bytes) -> bytes:
    payload = _PDCP + octets
    udp = struct.pack("!HHHH", 9999, 9999, (8 + len(payload)) & 0xFFFF, 0)
    addresses = bytes([192, 0, 2, 1, 192, 0, 2, 2])  # RFC 5737: for documentation
    return struct.pack("!BBHIBBH", 0x45, 0, (28 + len(payload)) & 0xFFFF, 0, 64, 17, 0) + addresses + udp + payload


def _run(
    sent: Sent,
    link_type: int,
    fields: Sequence[str],
    options: Sequence[str],
    row: Callable[[dict[str, list[str]]], Reading],
) -> list[Reading]:
    with tempfile.TemporaryDirectory(prefix="headroom-decode-") as folder:
        path = Path(folder) / "channel.pcap"
        writing.write(path, link_type, sent)
        lines = tshark.lines_of(path, fields, options, BASE_S + PER_PACKET_S * len(sent))
    found = [row(_occurrences(fields, line)) for line in lines]
    # A field with a line break in it would shift all that follow: then nothing is known.
    return found if len(found) == len(sent) else [Reading(error="tshark's output cannot be told apart") for _ in sent]


def _occurrences(fields: Sequence[str], line: str) -> dict[str, list[str]]:
    cells = line.split(tshark.SEPARATOR)
    return {name: cell.split(AMONG) if cell else [] for name, cell in zip(fields, cells, strict=False)}


def _numbers(texts: Sequence[str]) -> list[int]:
    """The numbers among the occurrences of a field: `0x1f`, `17`, `True`."""
    found = []
    for text in texts:
        try:
            found.append({"True": 1, "False": 0}[text] if text in ("True", "False") else int(text, 0))
        except ValueError:
            continue
    return found


def rohc_row(row: dict[str, list[str]]) -> Reading:
    """tshark's fields of one ROHC packet, which has a feedback element or a header."""
    reading = Reading()
    cids = _numbers(row.get("rohc.large_cid") or row.get("rohc.small_cid", []))
    if row.get("rohc.feedback"):
        reading.title = "feedback"
        reading.values["feedback"] = [_feedback(row, cids)]
    elif told := TYPES.search(" ".join(row.get("_ws.col.Info", []))):
        reading.title = told[1]
        _header(row, reading, cids)
    _complaints(row, reading)
    return reading


def _header(row: dict[str, list[str]], reading: Reading, cids: list[int]) -> None:
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


def _one(row: dict[str, list[str]], values: dict[str, Value], names: dict[str, str]) -> None:
    for theirs, ours in names.items():
        if found := _numbers(row.get(theirs, [])):
            values[ours] = found[0]


def _feedback(row: dict[str, list[str]], cids: list[int]) -> dict[str, Value]:
    one: dict[str, Value] = {"CID": cids[0] if cids else 0}
    if acks := _numbers(row.get("rohc.acktype", [])):
        one |= {"type": "FEEDBACK-2", "acknowledgement": _name(ACKTYPES, acks[0])}
        if modes := _numbers(row.get("rohc.mode", [])):
            one["mode"] = MODES.get(modes[0], str(modes[0]))
        if sn := _numbers(row.get("rohc.sn", [])):
            more = b"".join(bytes([bits & 0xFF]) for bits in _numbers(row.get("rohc.opt.sn_add_bits", [])))
            one["SN"] = sn[0] << 8 * len(more) | int.from_bytes(more, "big")
    elif octets := _numbers(row.get("rohc.profile_spec_octet", [])):
        one |= {"type": "FEEDBACK-1", "SN": octets[0]}
    return one


def _name(names: Sequence[str], number: int) -> str:
    return names[number] if number < len(names) else str(number)


def _complaints(row: dict[str, list[str]], reading: Reading) -> None:
    words = {
        "rohc.not_dissected_yet": "not dissected yet",
        "rohc.profile_specific": "profile-specific part not dissected",
        "rohc.profile_not_supported": "profile not supported",
        "rohc.no_configuration_info": "no context",
        "rohc.desegmentation_not_implemented": "segments are not put together",
        "rohc.error_packet": "calls it an error",
        "_ws.malformed": "malformed",
    }
    reading.notes += [sentence for name, sentence in words.items() if row.get(name)]


def ip_row(row: dict[str, list[str]]) -> Reading:
    """tshark's fields of a packet that is not compressed."""
    reading = Reading(title=" ".join(row.get("_ws.col.Protocol", [])))
    for field, (name, several) in IP_FIELDS.items():
        texts = row.get(field, [])
        if not texts:
            continue
        addresses = field.endswith((".src", ".dst"))
        found: list[Value] = list(texts) if addresses else list(_numbers(texts))
        if name == "extension headers":
            # The first octet says which comes first, each header which comes next; 0 ends them.
            found = [f"0x{number:02x}" for number in _numbers(texts) if number]
        if several:
            reading.values[name] = found
        elif found:
            reading.values[name] = found[0]
    if cycles := _numbers(row.get(sigcomp.CYCLES, [])):
        texts = row.get(sigcomp.MESSAGE, [])
        reading.values |= signalling.values(sigcomp.octets_of(texts[0] if texts else ""), cycles[0])
    elif "SIGCOMP" in reading.title:
        reading.notes.append("not decompressed")
    if row.get("_ws.malformed"):
        reading.notes.append("malformed")
    return reading
