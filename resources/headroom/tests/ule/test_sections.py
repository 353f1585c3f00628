# SPDX-License-Identifier: Apache-2.0
"""The content of a PID, by its first octets: SNDUs, sections of MPE (EN 301 192, 7.1) or other tables, PES packets."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from headroom.decode import run
from headroom.decode.run import DecodeOptions
from headroom.schemes.ule import builder
from headroom.schemes.ule.dissector import LINK_TYPE
from headroom.schemes.ule.judge.receiver import crc
from headroom.tests.decode.support import ethernet, ipv4, pcap, udp

MAC = bytes([2, 0, 0, 0, 0, 9])
DATAGRAM = ipv4(udp(b"x" * 300, 1000, 2000))
SNAP_IPV4 = b"\xaa\xaa\x03\x00\x00\x00\x08\x00"
SNAP_BRIDGED = b"\xaa\xaa\x03\x00\x80\xc2\x00\x07"


def section(table: int, content: bytes) -> bytes:
    head = struct.pack("!BH", table, 0xB000 | len(content) + 4)
    return head + content + crc(head + content).to_bytes(4)


def mpe(content: bytes, snap: bool = False, mac: bytes = MAC, number: int = 0, last: int = 0, flags: int = 0) -> bytes:
    head = bytes([mac[5], mac[4], 0xC1 | (2 if snap else 0) | flags, number, last, mac[3], mac[2], mac[1], mac[0]])
    return section(0x3E, head + content)


def ts(*units: bytes, pid: int = 0x123) -> list[bytes]:
    """TS packets with units one behind the other: pointer_field, stuffing at the end."""
    packets: list[bytes] = []
    octets, starts, at = b"".join(units), [], 0
    for unit in units:
        starts.append(at)
        at += len(unit)
    at = 0
    while at < len(octets):
        begins = next((one - at for one in starts if at <= one < at + 183), None)
        payload = octets[at : at + (184 if begins is None else 183)]
        at += len(payload)
        head = bytes([0x47, (0x40 if begins is not None else 0) | pid >> 8, pid & 0xFF, 0x10 | len(packets) % 16])
        packet = head + (b"" if begins is None else bytes([begins])) + payload
        packets.append(packet + b"\xff" * (188 - len(packet)))
    return packets


def decoded(tmp_path: Path, packets: list[bytes]) -> tuple[list[bytes], list[str]]:
    """Packets restored, and all notes."""
    capture = run.read(DecodeOptions(pcap(tmp_path / "x.pcap", LINK_TYPE, *packets), tshark=False))
    restored: list[bytes] = []
    notes: list[str] = []
    for one in capture.decoded():
        assert one.ours is not None
        restored += [one.ours.restored, *one.ours.also_restored] if one.ours.restored else []
        notes += [*one.ours.notes, *([one.ours.error] if one.ours.error else [])]
    return restored, notes


@pytest.mark.parametrize(
    "units",
    [
        (mpe(DATAGRAM),),
        (mpe(DATAGRAM), mpe(DATAGRAM), mpe(DATAGRAM)),
        (mpe(DATAGRAM + bytes(7)),),  # stuffing
        (mpe(SNAP_IPV4 + DATAGRAM, snap=True),),
        (mpe(SNAP_BRIDGED + ethernet(0x0800, DATAGRAM), snap=True),),
        (mpe(DATAGRAM[:100], last=1), mpe(DATAGRAM[100:], number=1, last=1)),
        (mpe(DATAGRAM, mac=bytes(6)),),
    ],
)
def test_datagrams_of_mpe_are_restored(tmp_path: Path, units: tuple[bytes, ...]) -> None:
    restored, notes = decoded(tmp_path, ts(*units))
    assert restored and set(restored) == {DATAGRAM}
    sections = [note for note in notes if "table 0x3e (MPE)" in note]
    assert len(sections) == len(units) and all("CRC right" in note for note in sections)


def test_what_is_wrong_with_a_section_is_said(tmp_path: Path) -> None:
    damaged = mpe(DATAGRAM)[:-1] + b"?"
    for units, sentence in (
        ((damaged,), "CRC error"),
        ((mpe(DATAGRAM, flags=0x10),), "scrambled"),
        ((mpe(DATAGRAM, number=1, last=1),), "beginning is missing"),
        ((mpe(b"\x00no IP"),), "no IP datagram"),
        ((mpe(b"\x00" * 9, snap=True),), "no SNAP header"),
    ):
        restored, notes = decoded(tmp_path, ts(*units))
        assert restored == [] and sentence in " ".join(notes)
    lost = ts(mpe(DATAGRAM), mpe(DATAGRAM), mpe(DATAGRAM))
    del lost[1]
    restored, notes = decoded(tmp_path, lost)
    assert restored == [DATAGRAM] and "continuity counter error" in notes


def test_other_tables_and_pes_are_named(tmp_path: Path) -> None:
    restored, notes = decoded(tmp_path, ts(section(0x02, bytes(13))))
    assert (restored, notes) == ([], ["section of table 0x02 (PMT), 20 octets"])
    pes = bytes.fromhex("47412310000001e0") + bytes(180)
    restored, notes = decoded(tmp_path, [pes])
    assert restored == [] and notes[0].startswith("a PES packet begins")


def test_sndus_are_none_of_them(tmp_path: Path) -> None:
    """An SNDU of 690 octets has the Length that a PMT begins with, and one of 15,930 that of MPE."""
    for octets, address in ((690, MAC), (15_930, None), (15_930, MAC)):
        packet = ipv4(udp(bytes(octets - 60), 1, 2))
        sndu = builder.sndu(0x0800, packet, npa=address)
        restored, notes = decoded(tmp_path, ts(sndu))
        assert restored == [packet], notes


def test_no_octet_breaks_it(tmp_path: Path) -> None:
    whole = ts(mpe(SNAP_IPV4 + DATAGRAM, snap=True), mpe(DATAGRAM))
    packets = []
    for at in range(0, 8 * 188, 3):
        octets = bytearray(whole[0])
        octets[at // 8] ^= 1 << at % 8
        packets += [bytes(octets), *whole[1:]]
    decoded(tmp_path, packets)


def long_section(table: int, octets: int, last: int = 0) -> bytes:
    """A section with a version and numbers (ISO/IEC 13818-1, 2.4.4.11) and that many octets in all."""
    content = bytes.fromhex("0001 c1 00") + bytes([last]) + bytes(range(256)) * 16
    return section(table, content[: octets - 7])


@pytest.mark.parametrize(
    ("pid", "table", "octets", "name"),
    [
        (0x12, 0x4E, 700, "EIT"),
        (0x12, 0x50, 4096, "EIT"),
        (0x123, 0x4E, 700, "EIT"),
        (0x30, 0x02, 400, "PMT"),
        (0x30, 0x00, 400, "PAT"),  # as an SNDU, it would end in the first TS packet
        (0x123, 0x78, 1000, "MPE-FEC"),
    ],
)
@pytest.mark.parametrize("count", [1, 4])
def test_sections_longer_than_a_ts_packet(
    tmp_path: Path, pid: int, table: int, octets: int, name: str, count: int
) -> None:
    whole = ts(*[long_section(table, octets)] * count, pid=pid)
    restored, notes = decoded(tmp_path, [whole[0], *whole])  # the first one twice
    titles = [f"section of table 0x{table:02x} ({name}), {octets} octets"] * count
    assert (restored, notes) == ([], ["a duplicate, which is discarded", *titles])


def test_long_sections_beside_mpe(tmp_path: Path) -> None:
    tables, datagrams = ts(*[long_section(0x4E, 700)] * 4, pid=0x12), ts(*[mpe(DATAGRAM)] * 4, pid=0x100)
    mixed = [one for pair in zip(tables, datagrams, strict=False) for one in pair] + tables[len(datagrams) :]
    restored, notes = decoded(tmp_path, mixed)
    assert restored == [DATAGRAM] * 4
    assert sum("(EIT)" in note for note in notes) == 4 and not any("error" in note for note in notes)


def test_long_sections_behind_a_damaged_one(tmp_path: Path) -> None:
    """A fault of the first one is noted; the next one with the right CRC tells the content."""
    damaged = bytearray(long_section(0x02, 400))
    damaged[300] ^= 1
    restored, notes = decoded(tmp_path, ts(bytes(damaged), *[long_section(0x02, 400)] * 3, pid=0x30))
    assert restored == []
    assert notes[-2:] == ["section of table 0x02 (PMT), 400 octets"] * 2
    assert any("error" in note for note in notes[:-2])


def test_pids_reserved_for_tables_have_no_sndus(tmp_path: Path) -> None:
    """EN 300 468, table 1. 0x15 has what is no section (network synchronisation)."""
    clock = bytes.fromhex("70 7005 e012 345678")
    assert decoded(tmp_path, ts(clock, pid=0x14)) == ([], ["section of table 0x70 (TDT), 8 octets"])
    assert decoded(tmp_path, ts(clock, pid=0x15)) == ([], [])
    sndu = builder.sndu(0x0800, DATAGRAM)
    path = pcap(tmp_path / "x.pcap", LINK_TYPE, *ts(sndu, pid=0x14))
    named = run.read(DecodeOptions(path, {"pid": 0x14}, tshark=False))
    assert [one.ours.restored for one in named.decoded() if one.ours][-1] == DATAGRAM


def test_sndus_that_begin_as_long_sections_do(tmp_path: Path) -> None:
    """Lengths with the bits of a section, and addresses or a TOS with those behind them."""
    for length, address in ((690, bytes.fromhex("aac000010203")), (176, bytes.fromhex("aac000010203")), (690, None)):
        octets = length - 4 - (6 if address else 0)
        packet = ipv4(udp(bytes(octets - 28), 1, 2))
        if address is None:
            packet = packet[:1] + b"\xc0" + packet[2:]  # TOS
        sndu = builder.sndu(0x0800, packet, npa=address)
        damaged = sndu[:-1] + bytes([sndu[-1] ^ 1])
        restored, notes = decoded(tmp_path, ts(sndu, sndu, sndu))
        assert restored == [packet] * 3, notes
        restored, notes = decoded(tmp_path, ts(damaged, sndu, sndu))
        assert restored[-1] == packet and "CRC error" in notes
