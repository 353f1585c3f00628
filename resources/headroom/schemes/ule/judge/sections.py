# SPDX-License-Identifier: Apache-2.0
"""Sections in TS packets (ISO/IEC 13818-1, 2.4.4), and the datagrams of MPE in them (ETSI EN 301 192, 7.1).

A PID carries either sections or ULE, which has no sections; the first octets of the PID show which of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from headroom.schemes.ule.judge.receiver import (
    CONTINUITY_ERROR,
    CRC_ERROR,
    DUPLICATE,
    LENGTH_ERROR,
    POINTER_ERROR,
    REASSEMBLY_ERROR,
    Unit,
    crc,
)

DATAGRAM = 0x3E  # table_id: DSM-CC sections with private data, which MPE is
STUFFING = 0xFF  # after the last section of a TS packet
TABLES = {0x00: "PAT", 0x01: "CAT", 0x02: "PMT", 0x03: "TSDT", 0x40: "NIT", 0x41: "NIT", 0x42: "SDT", 0x46: "SDT"}
TABLES |= {0x4A: "BAT", 0x4B: "INT", 0x4C: "UNT", 0x70: "TDT", 0x71: "RST", 0x72: "ST", 0x73: "TOT", 0x78: "MPE-FEC"}
TABLES |= {0x7E: "DIT", 0x7F: "SIT"} | dict.fromkeys(range(0x4E, 0x70), "EIT")  # EN 300 468, table 2
PREFIX, HEADER = 3, 12  # octets: to section_length, of a datagram_section
SHORTEST, LONGEST = 12, 4096  # octets of a section with a CRC
DISCARDED = f"a {DUPLICATE}, which is discarded"
SNAP = b"\xaa\xaa\x03"
BRIDGED = b"\x00\x80\xc2"  # OUI of bridged frames, after SNAP (RFC 2684, 5.2)
WITH_FCS, WITHOUT_FCS = 0x0001, 0x0007
FRAME = 0x6558
FCS = 4  # octets
SNDUS, SECTIONS, PES = "SNDUs", "sections", "PES"  # what a PID may carry


def may_begin_section(begun: bytes) -> bool:
    """True if the octets in front of a unit may be those of a section with a CRC (ISO/IEC 13818-1, 2.4.4.11). An SNDU
    may begin alike: the CRC decides."""
    if len(begun) < PREFIX or begun[0] in (STUFFING, DATAGRAM) or begun[1] & 0xB0 != 0xB0:
        return False
    return SHORTEST <= section_octets(begun) <= LONGEST


def section_octets(octets: bytes) -> int:
    """Octets of the section in front, as it says itself. REQUIRES: its prefix."""
    return PREFIX + (int.from_bytes(octets[1:3]) & 0x0FFF)


def carried(payload: bytes) -> str | None:
    """SNDUS, SECTIONS or PES, by the payload of a TS packet with PUSI; None if it is too short to tell, or may begin
    a section whose end is not there."""
    if payload[:3] == b"\x00\x00\x01":  # as an SNDU it would have the Length 1
        return PES
    begun = payload[1 + payload[0] :] if payload else b""
    if len(begun) < 2:
        return None
    # 0x3e and the bits behind it, taken for an SNDU, are a Length of 15,920 and more; then the octets of a
    # datagram_section that are reserved have to be there, too.
    if begun[0] == DATAGRAM and begun[1] & 0x30 == 0x30:
        return SECTIONS if len(begun) < 6 or begun[5] & 0xC0 == 0xC0 else SNDUS
    if len(begun) >= PREFIX and begun[1] & 0xB0 == 0xB0:
        section = begun[: section_octets(begun)]
        if len(section) == section_octets(begun) and crc(section) == 0:
            return SECTIONS
        if len(section) < section_octets(begun) and may_begin_section(begun):
            return None
    return SNDUS


@dataclass
class SectionStream:
    """The sections of one PID. `notes` are sentences on what came since they were last taken away, `checked` counts
    sections whose CRC was right."""

    notes: list[str] = field(default_factory=list)
    checked: int = 0
    _counter: int | None = None
    _current: bytes = b""
    _parts: dict[bytes, list[bytes]] = field(default_factory=dict)  # of datagrams in several sections, by MAC address

    def take(self, counter: int, starts: bool, payload: bytes) -> list[Unit]:
        """Datagrams of the sections that end in a TS packet."""
        before, self._counter = self._counter, counter
        if counter == before:
            self.notes.append(DISCARDED)
            return []
        if before is not None and counter != (before + 1) % 16:
            self.notes.append(CONTINUITY_ERROR)
            self._current = b""
        return [unit for section in self._sections(starts, payload) for unit in self._datagram(section)]

    @property
    def is_unfinished(self) -> bool:
        """True if a section has begun and is not whole."""
        return bool(self._current)

    def _sections(self, starts: bool, payload: bytes) -> Iterator[bytes]:
        rest = payload
        if starts:
            pointer, rest = payload[0], payload[1:]
            if pointer >= len(rest):
                self.notes.append(POINTER_ERROR)
                self._current = b""
                return
            if self._current:
                yield from self._whole(rest[:pointer])
            if self._current:
                self.notes.append(REASSEMBLY_ERROR)
            self._current, rest = b"", rest[pointer:]
            while rest and rest[0] != STUFFING:
                self._current = b""
                octets = section_octets(rest) if len(rest) >= PREFIX else LONGEST
                yield from self._whole(rest[:octets])
                rest = rest[octets:]
        elif self._current:
            yield from self._whole(rest)

    def _whole(self, octets: bytes) -> Iterator[bytes]:
        """Goes on with the current section, or begins it; the section where it is whole."""
        self._current += octets
        if len(self._current) < PREFIX or len(self._current) < (length := section_octets(self._current)):
            return
        section, self._current = self._current[:length], b""
        yield section

    def _datagram(self, section: bytes) -> Iterator[Unit]:
        table, has_crc = section[0], bool(section[1] & 0x80)
        name = "MPE" if table == DATAGRAM else TABLES.get(table, "no MPE")
        title = f"section of table 0x{table:02x} ({name}), {len(section)} octets"
        if has_crc and crc(section) != 0:
            self.notes.append(f"{title}: {CRC_ERROR}")
            return
        self.checked += has_crc
        if table != DATAGRAM:
            self.notes.append(title)
            return
        if len(section) < HEADER + 4:
            self.notes.append(f"{title}: {LENGTH_ERROR}")
            return
        mac = bytes([*section[8:12][::-1], section[4], section[3]])
        pieces = [title, f"MAC {mac.hex(':')}", *(["LLC/SNAP"] if section[5] & 2 else [])]
        self.notes.append(", ".join([*pieces, "CRC right" if has_crc else "a checksum instead of a CRC"]))
        if section[5] & 0x3C:
            self.notes.append("scrambled: it is not read")
            return
        number, last, content = section[6], section[7], section[HEADER:-4]
        parts = self._parts.setdefault(mac, [])
        if number != len(parts):
            parts.clear()
        if number != len(parts):
            self.notes.append(f"part {number} of a datagram whose beginning is missing")
            return
        parts.append(content)
        if number < last:
            self.notes.append(f"part {number} of 0 to {last} of a datagram")
            return
        whole = b"".join(parts)
        parts.clear()
        yield from self._unit(whole, bool(section[5] & 2))

    def _unit(self, content: bytes, has_snap: bool) -> Iterator[Unit]:
        if not has_snap:
            version = content[0] >> 4 if content else 0
            if version in (4, 6):
                yield Unit(0x0800 if version == 4 else 0x86DD, content[: _ip_octets(content)])
            else:
                self.notes.append("no IP datagram in it")
            return
        oui, type_, pdu = content[3:6], int.from_bytes(content[6:8]), content[8:]
        if content[:3] != SNAP or not pdu:
            self.notes.append("no SNAP header after LLC")
        elif oui == BRIDGED and type_ in (WITH_FCS, WITHOUT_FCS):
            yield Unit(FRAME, pdu[:-FCS] if type_ == WITH_FCS else pdu)
        else:
            yield Unit(type_, pdu[: _ip_octets(pdu)] if type_ in (0x0800, 0x86DD) else pdu)


def _ip_octets(datagram: bytes) -> int:
    """Octets of an IP datagram, after which stuffing may follow."""
    if datagram[0] >> 4 == 4:
        return int.from_bytes(datagram[2:4]) or len(datagram)
    return 40 + int.from_bytes(datagram[4:6]) or len(datagram)
