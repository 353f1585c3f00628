# SPDX-License-Identifier: Apache-2.0
"""BBFRAMEs in captures: the judge's reading of their headers and GSE packets, and tshark's.

No link type has BBFRAMEs: they are in datagrams, in frames of the engine, or of a link type that the user names.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from headroom.core import tshark
from headroom.core.captures import framing
from headroom.core.captures.dissection import LinkPacket, LinkReader, Ours, Reading, ReadingComparison, Row
from headroom.core.scheme_kit import second_reading
from headroom.schemes.ule.judge.bbframes import BbReading, GseReader
from headroom.schemes.ule.judge.receiver import Unit

FIELDS = {  # field of tshark -> name of a value, and whether there are several
    "dvb-s2_bb.matype1": ("MATYPE-1", False),
    "dvb-s2_bb.matype2": ("MATYPE-2", False),
    "dvb-s2_bb.dfl": ("DFL", False),
    "dvb-s2_gse.hdr.start": ("Start", True),
    "dvb-s2_gse.hdr.stop": ("End", True),
    "dvb-s2_gse.hdr.labeltype": ("Label Type", True),
    "dvb-s2_gse.hdr.length": ("GSE Length", True),
}
LISTS = tuple(name for name, several in FIELDS.values() if several)
OPTIONS = (
    *("--enable-heuristic", "dvb_s2_udp", "-o", "dvb-s2_modeadapt.try_all_modeadapt:FALSE"),
    *("-o", "dvb-s2_modeadapt.decode_df:TRUE", "-o", "dvb-s2_modeadapt.full_decode:TRUE"),
)
ETHERNET_FRAME = 0x6558
_MODE_ADAPTATION = bytes.fromhex("b8000000")  # by which tshark knows a BBFRAME in a datagram


class BbframeReader(LinkReader):
    """Reads the BBFRAMEs of a carrier in their order, whatever input stream they are of."""

    def __init__(self) -> None:
        self.judge = GseReader()

    def read(self, link: LinkPacket) -> Ours:
        if link.missing:
            return Ours("BBFRAME")
        reading = self.judge.read(link.octets)
        ours = Ours(_title(reading), error=reading.error, notes=[*map(str, reading.packets), *reading.notes])
        if reading.data_octets or not reading.error:
            ours.values = {"MATYPE-1": reading.matype[0], "MATYPE-2": reading.matype[1], "DFL": 8 * reading.data_octets}
        if reading.packets:
            ours.values["Start"] = [int(packet.start) for packet in reading.packets]
            ours.values["End"] = [int(packet.end) for packet in reading.packets]
            ours.values["Label Type"] = [packet.label_type for packet in reading.packets]
            ours.values["GSE Length"] = [packet.length for packet in reading.packets]
        packets, notes = packets_of(reading.units)
        ours.notes += notes
        if packets:
            ours.restored, *ours.also_restored = packets
        return ours

    def compare(self, ours: Ours, theirs: Reading | None) -> ReadingComparison:
        if theirs is None or ours.error:
            return ReadingComparison(silent=ours.error and "the judge refuses it")
        if theirs.values.get("DFL") is None:
            return ReadingComparison(silent="tshark says nothing of it")
        # Padding has a header, too, as tshark reads it, and it may read on after it.
        count = len(ours.values.get("Start", []))  # type: ignore[arg-type]
        for name in LISTS:
            value = theirs.values.pop(name, None)
            if count and isinstance(value, list):
                theirs.values[name] = value[:count]
        return super().compare(ours, theirs)


def _title(reading: BbReading) -> str:
    return "BBFRAME" if reading.stream is None else f"BBFRAME of input stream {reading.stream}"


def packets_of(units: Sequence[Unit]) -> tuple[list[bytes], list[str]]:
    """The IP packets among units, and notes on the others."""
    packets, notes = [], []
    for unit in units:
        packet = packet_of(unit)
        if packet is None:
            notes.append(f"passed on: type 0x{unit.type:04x}, {len(unit.octets)} octets")
        else:
            packets.append(packet)
    return packets, notes


def packet_of(unit: Unit) -> bytes | None:
    """The IP packet that a unit is, or that is in its frame."""
    octets = unit.octets
    if unit.type == ETHERNET_FRAME:
        frame = framing.unwrap(framing.ETHERNET, octets)
        return frame.octets if frame.kind == framing.IP else None
    return octets if unit.type in (framing.TYPE_IPV4, framing.TYPE_IPV6) else None


def read_by_tshark(packets: Sequence[LinkPacket]) -> list[Reading]:
    """tshark's reading of BBFRAMEs, in datagrams that it knows. Raises as `second_reading.read` does."""

    def reading(row: Row) -> Reading:
        reading = Reading("DVB-S2")
        tshark.take(row, FIELDS, reading.values)
        return reading

    return second_reading.read(packets, framing.RAW, tuple(FIELDS), reading, _in_datagram, OPTIONS)


def _in_datagram(packet: LinkPacket) -> bytes:
    octets = _MODE_ADAPTATION + packet.octets
    addresses = bytes([192, 0, 2, 1, 192, 0, 2, 2])  # RFC 5737: for documentation
    udp = struct.pack("!HHHH", 50_000, 50_000, (8 + len(octets)) & 0xFFFF, 0) + octets
    return struct.pack("!BBHIBBH", 0x45, 0, (20 + len(udp)) & 0xFFFF, 0, 64, 17, 0) + addresses + udp
