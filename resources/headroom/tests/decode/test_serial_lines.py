# SPDX-License-Identifier: Apache-2.0
"""SLIP (RFC 1055), with TCP headers compressed (RFC 1144, 3.2.2), as captures of the link type 8 have it; PPPoE."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from headroom.core.captures import formats, serial_line
from headroom.decode import run
from headroom.decode.run import DecodedPacket, DecodeOptions
from headroom.tests.decode.support import IR, RESTORED, UO_0, decoded, ethernet, ipv4, pcap, udp, with_tshark
from headroom.tests.decode.test_directions import UNCOMPRESSED, ends

SLIP = 8
PACKET = ipv4(udp(b"\xc0\xdb\xdc\xdd", 1000, 2000))


def framed(packet: bytes) -> bytes:
    """RFC 1055: ESC in front of what stands for END and ESC; END behind."""
    return packet.replace(b"\xdb", b"\xdb\xdd").replace(b"\xc0", b"\xdb\xdc") + b"\xc0"


def cslip() -> tuple[list[bytes], list[bytes]]:
    """Packets of a TCP connection with the type in the first octet (RFC 1144, 3.2.2), and as they were."""
    host, _ = ends()
    sent = []
    for data in (b"login", b"root\r\n", b"ls\r\n"):
        kind, octets = host.send(data)
        sent.append(bytes([octets[0] | (0x70 if kind == UNCOMPRESSED else 0x80)]) + octets[1:])
    return sent, host.sent


def packets(found: list[DecodedPacket]) -> list[bytes]:
    read = []
    for one in found:
        assert one.ours is not None and not one.ours.error
        read.append(one.ours.restored if one.ours.restored is not None else one.frame.octets)
    return read


@pytest.mark.parametrize("link_type", [SLIP, 149])
@pytest.mark.parametrize("is_framed", [False, True])
def test_packets_one_by_one(tmp_path: Path, is_framed: bool, link_type: int) -> None:
    sent, right = cslip()
    records = [b"\xc0" + framed(one) if is_framed else one for one in (*sent, PACKET)]
    path = pcap(tmp_path / "x.pcap", link_type, *records)
    found = decoded(path, formats=formats.chosen("149=slip"))
    assert packets(found) == [*right, PACKET]
    assert [one.captured.comments for one in found] == [()] * 4


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_octets_of_a_line(tmp_path: Path, size: int) -> None:
    sent, right = cslip()
    octets = b"".join(map(framed, (*sent, PACKET)))
    records = [b"\xc0", *(octets[at : at + size] for at in range(0, len(octets), size))]
    capture = run.read(DecodeOptions(pcap(tmp_path / "x.pcap", SLIP, *records), tshark=False))
    assert packets(list(capture.decoded())) == [*right, PACKET]
    assert [one[0].number for one in capture.packets] == [1, 2, 3, 4]
    assert "SLIP packets are counted, not records: some held none, or several." in capture.remarks


def test_a_packet_may_end_as_a_line_does(tmp_path: Path) -> None:
    bare = [ipv4(udp(bytes([number, 0xC0]))) for number in range(3)]
    assert packets(decoded(pcap(tmp_path / "x.pcap", SLIP, *bare))) == bare
    sent, right = cslip()
    line = [b"".join(map(framed, sent))]
    assert packets(decoded(pcap(tmp_path / "y.pcap", SLIP, *line))) == right


def test_the_header_of_bsd_says_the_direction(tmp_path: Path) -> None:
    sent = b"\x01\x80" + bytes(14) + PACKET
    received = b"\x00\x45" + bytes(14) + PACKET
    first, second = decoded(pcap(tmp_path / "x.pcap", SLIP, sent, received))
    assert packets([first, second]) == [PACKET, PACKET]
    assert (first.frame.direction, second.frame.direction) == ("sent", "received")


def test_an_escape_that_stands_for_nothing_stays() -> None:
    assert serial_line.unescape(b"a\xdb\xdcb\xdb\xddc\xdbd\xdb") == b"a\xc0b\xdbc\xdbd\xdb"


def test_a_line_without_an_end_is_not_kept(tmp_path: Path) -> None:
    deframer = serial_line.Deframer()
    path = pcap(tmp_path / "x.pcap", SLIP, b"\xc0", *[b"\x45" * 60_000] * 5)
    for captured, _ in run.Source(path).packets():
        list(deframer.packets(captured))
    assert all(len(line.begun) <= serial_line.LONGEST for line in deframer.lines.values())


@with_tshark
def test_tshark_reads_the_packets_of_a_line(tmp_path: Path) -> None:
    sent, _ = cslip()
    path = pcap(tmp_path / "x.pcap", SLIP, *map(framed, (*sent, PACKET)))
    assert [one.compared.verdict for one in decoded(path, ask=True)] == ["agree"] * 4


def session(protocol: int, payload: bytes, padding: int = 0) -> bytes:
    """RFC 2516, 4: version and type 1, code 0, session 7, length; the PPP frame; what pads Ethernet."""
    head = struct.pack("!BBHHH", 0x11, 0, 7, 2 + len(payload), protocol)
    return ethernet(0x8864, head + payload + bytes(padding))


@with_tshark
def test_pppoe(tmp_path: Path) -> None:
    host, _ = ends()
    frames = [session(0x0021, PACKET, 6), session(0x0003, IR), session(0x0003, UO_0, 20)]
    frames += [session(*host.send(data)) for data in (b"login", b"root\r\n")]
    found = decoded(pcap(tmp_path / "x.pcap", 1, *frames), ask=True)
    assert packets(found)[0] == PACKET
    assert packets(found)[2:] == [RESTORED, *host.sent]
    assert [one.compared.verdict for one in found] == ["agree"] * 5
