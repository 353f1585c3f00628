# SPDX-License-Identifier: Apache-2.0
"""Transport streams in captures: the judge's reading of TS packets and of the SNDUs, or sections of MPE, that end in
them, and tshark's reading of the TS packets' headers. tshark does not know ULE.

A capture has TS packets as packets of a link type of their own, or several in a datagram of UDP.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from headroom.core import tshark
from headroom.core.captures import rtp_headers
from headroom.core.captures.dissection import (
    Flow,
    LinkChannel,
    LinkDissector,
    LinkPacket,
    LinkReader,
    Ours,
    PayloadDissector,
    PayloadReader,
    PayloadReading,
    PlainChannel,
    Reading,
    ReadingComparison,
    Row,
    Value,
)
from headroom.core.scheme_kit import second_reading
from headroom.core.text import nth
from headroom.schemes.ule import BBFRAMES, gse_captures
from headroom.schemes.ule.gse_captures import packets_of
from headroom.schemes.ule.judge import bbframes
from headroom.schemes.ule.judge.receiver import DUPLICATE, SYNC, TS_HEADER, TS_OCTETS, Receiver, Unit
from headroom.schemes.ule.judge.sections import (
    DISCARDED,
    PES,
    SECTIONS,
    SNDUS,
    SectionStream,
    carried,
    may_begin_section,
)

LINK_TYPE = 243  # LINKTYPE_MPEG_2_TS
NULL_PID = 0x1FFF
MOST_STREAMS = 1000  # flows of datagrams; one more replaces the first
LAST_TABLE_PID = 15  # below are those of tables (ISO/IEC 13818-1, 2.4.3.3)
DVB_PIDS = range(0x10, 0x20)  # reserved: EN 300 468, table 1
NO_TABLES = (0x15, 0x1C, 0x1D)  # of them: network synchronisation, inband signalling, measurement

FIELDS = {  # field of tshark -> name of a value, and whether there are several
    "mp2t.pid": ("PID", True),
    "mp2t.pusi": ("PUSI", True),
    "mp2t.cc": ("CC", True),
    "mp2t.tei": ("TEI", True),
    "mp2t.tsc": ("scrambling", True),
    "mp2t.afc": ("AFC", True),
}
EXTENSIONS = {0: "Test SNDU", 1: "bridged frame", 2: "TS-Concat", 3: "PDU-Concat"}
TIME_STAMP = 0x0301
OPTIONAL = {0x00: "Padding", 0x01: "TimeStamp"}  # RFC 4326, 5.3; RFC 5163, 3.3


def header_values(packet: bytes) -> dict[str, Value]:
    """The header of a TS packet: ISO/IEC 13818-1, 2.4.3.2. REQUIRES: 188 octets."""
    return {
        "PID": int.from_bytes(packet[1:3]) & 0x1FFF,
        "PUSI": packet[1] >> 6 & 1,
        "CC": packet[3] & 15,
        "TEI": packet[1] >> 7,
        "scrambling": packet[3] >> 6,
        "AFC": packet[3] >> 4 & 3,
    }


def clock_of(stamp: bytes) -> str:
    """A TimeStamp, in microseconds of Universal Time (RFC 5163, 3.3), as minutes and seconds."""
    seconds, microseconds = divmod(int.from_bytes(stamp), 1_000_000)
    return f"{seconds // 60}:{seconds % 60:02d}.{microseconds:06d}"


def sndu_title(sndu: bytes) -> tuple[str, list[str]]:
    """An SNDU in words, and its extension headers (RFC 4326, 4 and 5). REQUIRES: its CRC is right."""
    absent = sndu[0] >> 7
    at = 4 if absent else 10
    parts = [f"D={absent}", f"Length {int.from_bytes(sndu[:2]) & 0x7FFF}"]
    if not absent:
        parts.append(f"NPA {sndu[4:10].hex(':')}")
    chain = []
    type_ = int.from_bytes(sndu[2:4])
    while 0x100 <= type_ < 0x600 and at + 2 * (type_ >> 8) <= len(sndu) - 4:
        octets = 2 * (type_ >> 8)
        name = OPTIONAL.get(type_ & 0xFF, f"optional header 0x{type_ & 0xFF:02x}")
        body = sndu[at : at + octets - 2]
        stamp = f", {clock_of(body)} past the hour (UT)" if type_ == TIME_STAMP else ""
        chain.append(f"{name} of {octets} octets, {body.hex() or 'empty'}{stamp}")
        type_ = int.from_bytes(sndu[at + octets - 2 : at + octets])
        at += octets
    parts.append(EXTENSIONS.get(type_, f"Type 0x{type_:04x}"))
    return ", ".join(parts), chain


@dataclass
class TsReading:
    """The content of one TS packet: the values of its header, SNDUs and events as sentences, and the units passed
    on."""

    values: dict[str, Value] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    error: str = ""


@dataclass
class _Try:
    """A PID read as sections beside SNDUs. `held` are sentences on its SNDUs that count if it has no sections."""

    stream: SectionStream = field(default_factory=SectionStream)
    held: list[str] = field(default_factory=list)


class TsReader(Receiver):
    """The judge for one stream. It reads TS packets in their order and notes what it does with each."""

    def __init__(self, pids: frozenset[int] | None) -> None:
        super().__init__(npa=None, pids=pids)
        self._notes: list[str] = []
        self._kinds: dict[int, str] = {}  # what each PID carries
        self._sections: dict[int, SectionStream] = {}
        self._tries: dict[int, _Try] = {}  # of PIDs that may turn out to carry sections
        self._sndus_read = 0  # with the right CRC
        self._confirmed: set[int] = set()  # PIDs of such SNDUs

    def read(self, packet: bytes) -> TsReading:
        reading = TsReading()
        if len(packet) != TS_OCTETS or packet[0] != SYNC:
            begins = f"begins with 0x{packet[0]:02x} instead of 0x47" if packet else "is empty"
            reading.error = f"no TS packet: it {begins if len(packet) == TS_OCTETS else f'has {len(packet)} octets'}"
            return reading
        reading.values = header_values(packet)
        if reading.values["PID"] == NULL_PID:
            return reading
        control = packet[3] >> 4 & 3
        begin = TS_HEADER + (1 + packet[TS_HEADER] if control & 2 else 0)
        if control & 2:
            reading.values["adaptation field"] = packet[TS_HEADER]
        self._notes = reading.notes
        pid = int.from_bytes(packet[1:3]) & 0x1FFF
        if not self._is_read(pid):
            return reading
        if (kind := self._kind(pid, packet, begin, control)) == PES:
            reading.notes += ["a PES packet begins: video, audio or data, and no SNDUs"] if packet[1] & 0x40 else []
        elif kind == SECTIONS:
            if control & 1 and begin < TS_OCTETS and not packet[1] & 0x80 and not packet[3] & 0xC0:
                stream = self._sections.setdefault(pid, SectionStream())
                reading.units = stream.take(packet[3] & 15, bool(packet[1] & 0x40), packet[begin:])
                reading.notes, stream.notes = stream.notes, []
        else:
            has_payload = control & 1 and begin < TS_OCTETS
            if packet[1] & 0x40 and has_payload:
                reading.values["Payload Pointer"] = packet[begin]
            before = self._sndus_read
            reading.units = self.take(packet)
            if self._sndus_read > before:
                self._kinds[pid] = SNDUS
                self._confirmed.add(pid)
                reading.notes[:0] = self._tries.pop(pid, _Try()).held
            elif pid not in self._confirmed and has_payload and not packet[1] & 0x80 and not packet[3] & 0xC0:
                self._try_section(pid, packet, packet[begin:], reading)
        return reading

    def _try_section(self, pid: int, packet: bytes, payload: bytes, reading: TsReading) -> None:
        """Reads a payload as sections, too, where nothing with the right CRC has come on its PID. Until the section
        that may have begun is whole, what it means as SNDUs is held back."""
        starts = bool(packet[1] & 0x40)
        trial = self._tries.get(pid)
        if trial is None:
            if not starts or not may_begin_section(payload[1 + payload[0] :]):
                return
            trial = self._tries[pid] = _Try()
        units = trial.stream.take(packet[3] & 15, starts, payload)
        if trial.stream.notes == [DISCARDED]:
            trial.stream.notes = []
        elif trial.stream.checked:
            self._kinds[pid], self._sections[pid] = SECTIONS, trial.stream
            del self._tries[pid]
            reading.values.pop("Payload Pointer", None)
            reading.units, reading.notes = units, trial.stream.notes
            trial.stream.notes = []
        elif trial.stream.notes or not trial.stream.is_unfinished:
            del self._tries[pid]
            reading.notes[:0] = trial.held
            if starts and trial.stream.is_unfinished and may_begin_section(payload[1 + payload[0] :]):
                self._tries[pid] = _Try()
                self._tries[pid].stream.take(packet[3] & 15, starts, payload)
        else:
            trial.held += reading.notes
            reading.notes = []

    def _is_read(self, pid: int) -> bool:
        if self.pids is not None:
            return pid > LAST_TABLE_PID and pid in self.pids
        return pid > LAST_TABLE_PID and pid not in NO_TABLES

    def _kind(self, pid: int, packet: bytes, begin: int, control: int) -> str:
        """Returns what a PID carries: by its number, or by the first packet in which something begins."""
        if pid in DVB_PIDS and self.pids is None:
            return SECTIONS
        begins = packet[1] & 0x40 and control & 1 and begin < TS_OCTETS
        if pid not in self._kinds and begins and (kind := carried(packet[begin:])):
            self._kinds[pid] = kind
        return self._kinds.get(pid, SNDUS)

    def _note(self, event: str) -> None:
        super()._note(event)
        self._notes.append(DISCARDED if event == DUPLICATE else event)

    def _units(self, sndu: bytes) -> Iterator[Unit]:
        title, chain = sndu_title(sndu)
        self._sndus_read += 1
        self._notes.append(f"SNDU: {title}, CRC right")
        self._notes += chain
        yield from super()._units(sndu)


def title_of(values: Mapping[str, Value]) -> str:
    return "null packet" if values.get("PID") == NULL_PID else "TS packet"


class UleDissector(LinkDissector, PayloadDissector):
    """TS packets, alone or in datagrams; and BBFRAMEs."""

    hexadecimal: ClassVar = {"PID": 4, "MATYPE-1": 2, "MATYPE-2": 2}
    fields = tuple(FIELDS)
    by_content = True

    def hints(self, fields: Mapping[str, Any]) -> frozenset[int] | None:
        return None if fields.get("pid") is None else frozenset({fields["pid"]})

    def channel(self, form: str, packets: Iterable[bytes], hints: frozenset[int] | None) -> LinkChannel:
        if form == BBFRAMES:
            return PlainChannel(gse_captures.BbframeReader, gse_captures.read_by_tshark)
        return PlainChannel(lambda: UleReader(hints), _read_by_tshark)

    def recognise(self, octets: bytes) -> tuple[str, bytes] | None:
        frame = bbframes.frame_in(octets)
        return (BBFRAMES, frame) if frame is not None else None

    def reader(self) -> PayloadReader:
        return DatagramReader()

    def complete(self, row: Row, reading: Reading) -> None:
        tshark.take(row, FIELDS, reading.values)


def _read_by_tshark(packets: Sequence[LinkPacket]) -> list[Reading]:
    single = {name: (value, False) for name, (value, _) in FIELDS.items()}

    def reading(row: Row) -> Reading:
        reading = Reading("MPEG TS")
        tshark.take(row, single, reading.values)
        return reading

    return second_reading.read(packets, LINK_TYPE, tuple(FIELDS), reading)


class UleReader(LinkReader):
    """Reads the TS packets of a stream in their order. Which of its PIDs carry SNDUs is not in a capture: all but those
    of tables, sections, PES and null packets, unless `pids` names them."""

    def __init__(self, pids: frozenset[int] | None) -> None:
        self.pids = pids
        self.judge = TsReader(pids)

    def read(self, link: LinkPacket) -> Ours:
        if link.octets and 0 < link.missing == TS_OCTETS - len(link.octets) and link.octets[0] == SYNC:
            self.judge = TsReader(self.pids)  # what follows is none of the sender's gaps
            values = header_values(link.octets) if len(link.octets) >= TS_HEADER else {}
            return Ours(title_of(values) if values else "", values)
        reading = self.judge.read(link.octets)
        ours = Ours(title_of(reading.values) if reading.values else "", reading.values, reading.error, reading.notes)
        packets, notes = packets_of(reading.units)
        ours.notes += notes
        if packets:
            ours.restored, *ours.also_restored = packets
        return ours

    def compare(self, ours: Ours, theirs: Reading | None) -> ReadingComparison:
        if theirs is None or ours.error:
            return ReadingComparison(silent=ours.error and "the judge refuses it")
        compared = super().compare(ours, theirs)
        if not compared.agreed and not compared.differences:
            compared.silent = "tshark says nothing of it"
        return compared


class DatagramReader(PayloadReader):
    """Reads datagrams of whole TS packets, after a header of RTP (RFC 2250, 2) or not; each flow is a transport
    stream."""

    def __init__(self) -> None:
        self.streams: dict[Flow, TsReader] = {}

    def read(self, flow: Flow, payload: bytes, missing: int = 0) -> PayloadReading | None:
        header = 0 if payload[:1] == bytes([SYNC]) else rtp_headers.octets_of(payload)
        content = (
            payload[header:] if missing else payload[header : len(payload) - rtp_headers.padding_of(payload, header)]
        )
        octets = len(content) + missing
        if len(content) < TS_OCTETS or octets % TS_OCTETS or any(octet != SYNC for octet in content[::TS_OCTETS]):
            return None
        while flow not in self.streams and len(self.streams) >= MOST_STREAMS:
            del self.streams[next(iter(self.streams))]
        stream = self.streams.setdefault(flow, TsReader(None))
        captured = range(0, len(content) - TS_OCTETS + 1, TS_OCTETS)
        packets = [stream.read(content[at : at + TS_OCTETS]) for at in captured]
        if missing:
            del self.streams[flow]  # what follows is none of the sender's gaps
        names = [name for name, _ in FIELDS.values()]
        where = "RTP in UDP" if header else "UDP"
        reading = PayloadReading(
            f"{octets // TS_OCTETS} TS packet{'s' if octets > TS_OCTETS else ''} in {where}",
            {name: [reading.values[name] for reading in packets] for name in names},
        )
        if header:
            reading.values |= rtp_headers.values_of(payload)
        for number, ts_reading in enumerate(packets):
            restored, notes = packets_of(ts_reading.units)
            reading.restored += restored
            reading.notes += [f"{nth('TS packet', number)}: {note}" for note in (*ts_reading.notes, *notes)]
        return reading
