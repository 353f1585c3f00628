# SPDX-License-Identifier: Apache-2.0
"""Captures that are damaged or lie behind good headers: decoding ends, with findings, and takes bounded memory."""

from __future__ import annotations

import errno
import mmap
import os
import random
import resource
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from headroom.core.captures import engine_pcapng, formats
from headroom.core.errors import UsageError, disk_error
from headroom.decode import run, text
from headroom.decode.run import DecodeOptions
from headroom.tests.decode.support import ACK, IR, UO_0, ethernet, g_pdu, ipv4, ipv6, pcap, udp, with_tshark
from headroom.tests.decode.test_fragments import ipv4_fragments, ipv6_fragments
from headroom.tests.decode.test_radio_links import lte, nr
from headroom.tests.decode.test_serial_lines import cslip, framed, session
from headroom.tests.decode.test_streams import BEGIN, STREAM, cut
from headroom.tests.ule.test_bbframes import FRAMES
from headroom.tests.ule.test_ts_files import PACKETS, rtp

ROHC = (IR, UO_0, ACK + UO_0)
KINDS: dict[str, tuple[int, list[bytes]]] = {
    "PDCP behind tags": (1, [frame for one in ROHC for frame in (lte(b"\x80\x05" + one), nr(b"\x80\x05" + one))]),
    "PDCP alone": (150, [b"\x80\0\x05" + one for one in ROHC]),
    "PDCP in tunnels": (101, [ipv4(udp(g_pdu(b"\x80\0\x05" + one))) for one in ROHC]),
    "SLIP": (8, [b"\xc0" + framed(one) for one in cslip()[0]]),
    "SLIP without frames": (8, cslip()[0]),
    "BSD's SLIP": (8, [b"\x01\x80" + bytes(14) + ipv4(udp(b"x"))] * 3),
    "PPPoE": (1, [session(0x0003, one) for one in ROHC] + [session(0x002F, cslip()[1][0]), session(0x0061, IR)]),
    "fragments": (101, [*ipv4_fragments(udp(g_pdu(ipv4(udp(bytes(600)))))), *ipv6_fragments(options=True)]),
    "BBFRAMEs": (151, FRAMES),
    "BBFRAMEs in datagrams": (101, [ipv4(udp(b"\xb8\0\0\0" + one)) for one in FRAMES]),
    "RTP": (101, [ipv4(udp(rtp(n, b"".join(PACKETS[n : n + 3]), 1, b"abcd"), 5004, 5004)) for n in range(0, 12, 3)]),
    "SigComp over TCP": (101, [BEGIN, *cut(STREAM, 10, 60, 100)]),
}
FORMATS = formats.chosen("150=pdcp-nr:18,151=bbframe")


def shortened(octets: bytes) -> bytes:
    return octets[: random.randrange(len(octets) + 1)]


def with_other_octets(octets: bytes) -> bytes:
    """The first octets are those of good headers, and the rest is random."""
    kept = random.randrange(len(octets) + 1)
    return octets[:kept] + random.randbytes(random.randrange(len(octets) - kept + 20))


def with_flipped_bits(octets: bytes) -> bytes:
    changed = bytearray(octets)
    for _ in range(random.randrange(1, 6)):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


@pytest.mark.parametrize("damage", [shortened, with_other_octets, with_flipped_bits])
@pytest.mark.parametrize("kind", KINDS)
def test_decoding_ends(tmp_path: Path, kind: str, damage: Callable[[bytes], bytes]) -> None:
    random.seed(kind)
    link_type, frames = KINDS[kind]
    for number in range(12):
        sent = [frame if random.random() < 0.3 else damage(frame) for frame in frames * 4]
        path = pcap(tmp_path / f"{number}.pcap", link_type, *sent, cut=random.choice([0, 0, 40]))
        capture = run.read(DecodeOptions(path, tshark=False, formats=FORMATS, in_tunnels=formats.find("pdcp-nr:18")))
        found = list(capture.decoded())
        assert len(found) == len(sent) or link_type == 8
        for one in found:
            assert text.ours_text(one)
            text.document(one)
            text.in_full(one)


@pytest.mark.parametrize("what", ["pipe", "device"])
def test_a_file_without_an_end_is_refused(tmp_path: Path, what: str) -> None:
    path = tmp_path / "x.pcap"
    os.mkfifo(path) if what == "pipe" else path.symlink_to("/dev/zero")
    with pytest.raises(UsageError, match=r"x.pcap is not a regular file, .* by /dev/stdin"):
        run.read(DecodeOptions(path, tshark=False))


def test_a_capture_by_standard_input_is_read(tmp_path: Path) -> None:
    octets = pcap(tmp_path / "x.pcap", 101, ipv4(udp(b"x"))).read_bytes()
    command = [sys.executable, "-P", "-m", "headroom", "decode", "/dev/stdin", "--no-tshark"]
    done = subprocess.run(command, input=octets, capture_output=True)
    assert (done.returncode, b"1 packets: " in done.stderr) == (0, True)


def test_an_output_that_cannot_be_mapped_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "link.pcapng"
    path.write_bytes(b"octets")

    def refuse(*_: object, **more: object) -> None:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    monkeypatch.setattr(mmap, "mmap", refuse)
    with pytest.raises(OSError, match="its 6 octets do not fit into memory") as raised:
        list(engine_pcapng.read(path))
    assert str(path) in str(disk_error(raised.value, "a file operation"))


def test_a_record_of_many_packets_takes_bounded_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MOST_PACKETS", 2000)
    path = tmp_path / "x.pcap"
    octets = b"\xc0\x45" * (4 << 20) + b"\xc0"
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 24, 8)
    path.write_bytes(head + struct.pack("<IIII", 0, 0, len(octets), len(octets)) + octets)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    capture = run.read(DecodeOptions(path, tshark=False))
    assert len(list(capture.decoded())) == 2000
    assert "continues after packet 2000" in capture.faults[0]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10, "KiB"


@with_tshark
def test_less_is_no_difference_where_tshark_sees_a_malformed_packet(tmp_path: Path) -> None:
    # Destination options (RFC 8200, 4.6) with an option that is longer than they are, in front of UDP.
    packet = ipv6(bytes.fromhex("1100080001024304") + udp(b"x", 1000, 2000), 60)
    (one,) = run.read(DecodeOptions(pcap(tmp_path / "x.pcap", 101, packet))).decoded()
    assert one.ours is not None and one.ours.values["UDP source port"] == [1000]
    assert one.compared.silent == "tshark takes it for malformed, and reads less of it"


def test_frames_that_grow_in_tunnels_end(tmp_path: Path) -> None:
    packet = ipv4(udp(b"x"))
    for _ in range(20):
        packet = ipv4(udp(g_pdu(packet)))
    path = pcap(
        tmp_path / "x.pcap", 1, ethernet(0x0800, packet), *[ethernet(0x0800, one) for one in ipv4_fragments(packet)]
    )
    assert len(list(run.read(DecodeOptions(path, tshark=False)).decoded())) == 1 + len(ipv4_fragments(packet))
