# SPDX-License-Identifier: Apache-2.0
"""Transport streams where captures have them beside the link type 243: files of TS packets, RTP (RFC 2250, 2), UDP."""

from __future__ import annotations

import os
import random
import struct
from pathlib import Path

import pytest

from headroom.core.captures import ts_file
from headroom.core.errors import UsageError
from headroom.decode import run
from headroom.decode.run import Capture, DecodedPacket, DecodeOptions
from headroom.tests.decode.support import ipv4, pcap, udp, with_tshark
from headroom.tests.ule.test_sections import DATAGRAM, mpe, ts

pytestmark = pytest.mark.slow

PACKETS = ts(*[mpe(DATAGRAM)] * 6)


def decoded(path: Path, ask: bool = False) -> tuple[Capture, list[DecodedPacket]]:
    capture = run.read(DecodeOptions(path, tshark=ask))
    return capture, list(capture.decoded())


def restored(found: list[DecodedPacket]) -> list[bytes]:
    ours = [one.ours for one in found if one.ours is not None]
    return [octets for one in ours if one.restored for octets in (one.restored, *one.also_restored)]


@with_tshark
@pytest.mark.parametrize("octets", [188, 192, 204])
@pytest.mark.parametrize("skipped", [0, 1, 100])
def test_files_of_ts_packets(tmp_path: Path, octets: int, skipped: int) -> None:
    front = [b"", *((27_000 * number).to_bytes(4) for number in range(len(PACKETS)))]
    whole = [(front[number] if octets == 192 else b"") + one for number, one in enumerate(PACKETS, 1)]
    path = tmp_path / "x.ts"
    path.write_bytes(b"\xa5" * skipped + b"".join(one + bytes(octets - len(one)) for one in whole))
    capture, found = decoded(path, ask=True)
    assert capture.remarks == [f"A file of TS packets of {octets} octets each."]
    assert restored(found) == [DATAGRAM] * 6
    assert {one.compared.verdict for one in found} == {"agree"}
    assert found[-1].since_ns == (1_000_000 * (len(PACKETS) - 1) if octets == 192 else 0)


def test_what_is_between_packets_is_said(tmp_path: Path) -> None:
    path = tmp_path / "x.ts"
    path.write_bytes(b"".join(PACKETS[:4]) + b"junk" + b"".join(PACKETS[4:]) + PACKETS[0][:50])
    _, found = decoded(path)
    assert restored(found) == [DATAGRAM] * 6
    errors = [one.ours.error for one in found if one.ours and one.ours.error]
    assert errors == ["no TS packet: it has 4 octets", "no TS packet: it has 50 octets"]


def test_a_single_packet_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "x.ts"
    path.write_bytes(PACKETS[0])
    assert len(decoded(path)[1]) == 1


def test_other_files_are_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert ts_file.layout(tmp_path / "pipe") is None, "it is read once only"
    path = pcap(tmp_path / "x.pcap", 243, *PACKETS)
    assert ts_file.layout(path) is None, "a capture of TS packets has them at equal distances, too"
    path = tmp_path / "y"
    path.write_bytes(b"GET / HTTP/1.1\r\n\r\n" + bytes(1000))
    with pytest.raises(UsageError, match="neither a pcap nor a pcapng file"):
        decoded(path)


def test_no_octets_break_it(tmp_path: Path) -> None:
    random.seed(1)
    path = tmp_path / "x.ts"
    for _ in range(60):
        octets = bytearray(b"".join(PACKETS)[: random.randrange(300, 4000)])
        for _ in range(random.randrange(30)):
            octets[random.randrange(189, len(octets))] = random.randrange(256)
        at = random.randrange(189, len(octets))
        del octets[at : at + 3]
        path.write_bytes(octets)
        assert sum(len(one.captured.octets) for one in decoded(path)[1]) == len(octets)


def rtp(number: int, content: bytes, csrcs: int = 0, extension: bytes = b"", padding: int = 0, kind: int = 33) -> bytes:
    flags = 0x80 | csrcs | (0x10 if extension else 0) | (0x20 if padding else 0)
    more = struct.pack("!HH", 1, len(extension) // 4) + extension if extension else b""
    end = bytes(padding - 1) + bytes([padding]) if padding else b""
    return struct.pack("!BBHII", flags, kind, number, 9000 * number, 0x1234) + bytes(4 * csrcs) + more + content + end


@with_tshark
@pytest.mark.parametrize("more", [{}, {"csrcs": 2}, {"extension": b"abcdefgh"}, {"padding": 8}, {"kind": 96}])
@pytest.mark.parametrize("port", [5004, 5005])
def test_ts_packets_in_rtp(tmp_path: Path, port: int, more: dict) -> None:
    parts = [b"".join(PACKETS[at : at + 3]) for at in range(0, len(PACKETS), 3)]
    frames = [ipv4(udp(rtp(number, part, **more), port, port)) for number, part in enumerate(parts)]
    _, found = decoded(pcap(tmp_path / "x.pcap", 101, *frames), ask=True)
    assert found[0].ours is not None and found[0].ours.title == "3 TS packets in RTP in UDP in IPv4"
    assert found[1].ours is not None and found[1].ours.values["SN"] == 1
    assert restored(found) == [DATAGRAM] * 6
    assert {one.compared.verdict for one in found} == {"agree"}


def test_packets_out_of_datagrams_are_read(tmp_path: Path) -> None:
    frames = [ipv4(udp(b"".join(PACKETS), 1234, 1234))]
    _, (one,) = decoded(pcap(tmp_path / "x.pcap", 101, *frames))
    assert restored([one]) == [DATAGRAM] * 6
    assert one.restored is not None and one.restored.title == "UDP in IPv4"
    assert len(one.also_restored) == 5
