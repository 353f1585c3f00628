# SPDX-License-Identifier: Apache-2.0
"""Reading captures of any origin: both formats, both byte orders, comments; and files that are damaged or lie."""

from __future__ import annotations

import os
import resource
import struct
import threading
from pathlib import Path

import pytest

from headroom.core.captures import framing, reading, writing
from headroom.core.captures.reading import BrokenCapture
from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.tests.decode.support import block, enhanced, ethernet, interface, ipv4, option, pcap, section, udp


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("magic", [0xA1B2C3D4, 0xA1B23C4D])
def test_pcap_in_both_byte_orders(tmp_path: Path, order: str, magic: int) -> None:
    path = pcap(tmp_path / "x.pcap", 1, b"one", b"three", order=order, magic=magic, cut=4)
    first, second = reading.read(path)
    assert (first.number, first.octets, first.time_ns, first.is_cut) == (1, b"one", 0, False)
    assert (second.number, second.octets, second.time_ns, second.length) == (2, b"three", 1_000_000_000, 9)
    assert second.is_cut
    assert first.interface.link_type == 1


def test_fractions_of_a_second(tmp_path: Path) -> None:
    for magic, factor in ((0xA1B2C3D4, 1000), (0xA1B23C4D, 1)):
        head = struct.pack("<IHHiIII", magic, 2, 4, 0, 0, 65535, 1)
        path = tmp_path / "x.pcap"
        path.write_bytes(head + struct.pack("<IIII", 2, 345, 1, 1) + b"a")
        assert next(reading.read(path)).time_ns == 2_000_000_000 + 345 * factor


@pytest.mark.parametrize("order", "<>")
def test_pcapng_with_names_comments_and_resolutions(tmp_path: Path, order: str) -> None:
    path = tmp_path / "x.pcapng"
    path.write_bytes(
        section(order)
        + interface(1, option(2, b"forward", order), option(9, b"\x09", order), order=order)
        + interface(9, option(9, b"\x8a", order), order=order)  # 2^-10 s
        + block(0x0BAD, b"skip", order)
        + enhanced(b"abc", option(1, b"lost: loss\x1b[2J", order), ticks=5, order=order)
        + enhanced(b"defgh", place=1, ticks=1024, order=order)
        + block(3, struct.pack(f"{order}I", 2) + b"hi\0\0", order)  # a simple packet
    )
    first, second, third = reading.read(path)
    assert (first.interface.name, first.time_ns) == ("forward", 5)
    assert first.comments == ("lost: loss [2J",), "what would move a cursor is taken away"
    assert (second.interface.number, second.interface.link_type, second.time_ns) == (1, 9, 1_000_000_000)
    assert (third.octets, third.interface.number) == (b"hi", 0)


def test_a_second_section_has_interfaces_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "x.pcapng"
    whole = section() + interface(1) + enhanced(b"abc")
    path.write_bytes(whole + section(">") + interface(101, order=">") + enhanced(b"de", order=">"))
    first, second = reading.read(path)
    assert (first.interface.link_type, second.interface.link_type) == (1, 101)
    assert second.interface.number == 1, "another interface, not the same one again"


HEAD = section() + interface(1) + enhanced(b"abc")


@pytest.mark.parametrize(
    ("tail", "sentence"),
    [
        (b"\6\0", "it ends in the middle of a block's type"),
        (enhanced(b"abcd")[:-3], "it ends in the middle of the rest of a block"),
        (struct.pack("<II", 6, 1 << 30), "claims 1073741824 octets"),
        (struct.pack("<II", 6, 8), "claims 8 octets"),
        (struct.pack("<II", 6, 33) + b"\0" * 25, "claims 33 octets"),
        (enhanced(b"abcd")[:-4] + b"\0\0\0\0", "has two different lengths"),
        (enhanced(b"abcd", place=7), "names interface 7, which has not been described"),
        (block(6, struct.pack("<IIIII", 0, 0, 0, 99, 99)), "claims 99 octets, but its block has fewer"),
        (block(6, b"\0" * 4), "is too short"),
        (block(1, b"\0" * 4), "is too short"),
        (enhanced(b"abcd", b"\1\0\xff\xff"), "claims 65535 octets, but fewer are left"),
        (block(0x0A0D0D0A, b"\0" * 16), "has an unknown byte order, 00000000"),
        (interface(1, option(9, b"\x7f")), "a time resolution of"),
    ],
)
def test_a_fault_keeps_what_was_before_it(tmp_path: Path, tail: bytes, sentence: str) -> None:
    path = tmp_path / "x.pcapng"
    path.write_bytes(HEAD + tail)
    found = []
    with pytest.raises(BrokenCapture, match=sentence):
        for one in reading.read(path):
            found.append(one.octets)
    assert found == [b"abc"]


@pytest.mark.parametrize(
    ("tail", "sentence"),
    [
        (b"\0" * 5, "in the middle of a packet's header"),
        (struct.pack("<IIII", 0, 0, 10, 10) + b"abc", "in the middle of a packet at octet"),
        (struct.pack("<IIII", 0, 0, 0xFFFFFFFF, 10), "claims 4294967295 octets"),
    ],
)
def test_a_damaged_pcap(tmp_path: Path, tail: bytes, sentence: str) -> None:
    path = pcap(tmp_path / "x.pcap", 1, b"one")
    path.write_bytes(path.read_bytes() + tail)
    with pytest.raises(BrokenCapture, match=sentence):
        list(reading.read(path))


@pytest.mark.parametrize(
    ("octets", "sentence"),
    [
        (b"", "it is empty"),
        (b"\x1f\x8b\x08\x00", "is compressed: unpack it first"),
        (b"hello, world", "it begins with 68656c6c"),
        (b"\xd4\xc3", "it begins with d4c3"),
    ],
)
def test_files_that_are_no_captures(tmp_path: Path, octets: bytes, sentence: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(octets)
    with pytest.raises(UsageError, match=sentence):
        list(reading.read(path))


def test_a_capture_may_come_by_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    octets = pcap(tmp_path / "x.pcap", 1, b"one", b"three").read_bytes()
    writer = threading.Thread(target=path.write_bytes, args=(octets,))
    writer.start()
    assert [one.octets for one in reading.read(path)] == [b"one", b"three"]
    writer.join()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.pcap"
    assert writing.write(path, 101, [(7, b"abc", 3), (1_000_000_001, b"d" * 300_000, 300_000)]) == 2
    first, second = reading.read(path)
    assert (first.octets, first.time_ns, first.interface.link_type) == (b"abc", 7, 101)
    assert (len(second.octets), second.length, second.time_ns) == (writing.SNAP_LENGTH, 300_000, 1_000_000_001)


PACKET = ipv4(udp(b"x"))


@pytest.mark.parametrize(
    ("link_type", "octets", "kind", "inside"),
    [
        (1, ethernet(0x22F1, b"rohc"), "rohc", b"rohc"),
        (1, ethernet(0x22F1, b"rohc", 100, 7), "rohc", b"rohc"),
        (1, ethernet(0x0800, PACKET + b"\0" * 17), "ip", PACKET),
        (1, ethernet(0x0806, b"arp"), "other", b"arp"),
        (1, ethernet(0x0800, b"\x45"), "other", b"\x45"),
        (1, ethernet(0x8100, b"\0"), "other", ethernet(0x8100, b"\0")),
        (1, ethernet(0x22F1, b"x", *range(9)), "other", ethernet(0x22F1, b"x", *range(9))),
        (1, b"short", "other", b"short"),
        # RFC 2516, 4: version and type, code, session, length of the PPP frame; behind it, Ethernet's padding
        (1, ethernet(0x8864, b"\x11\0\0\x01\0\x06\x00\x03rohc\0\0"), "rohc", b"rohc"),
        (1, ethernet(0x8864, b"\x11\0\0\x01\0\x05\x00\x2dvj!", 7), "vj", b"vj!"),
        (1, ethernet(0x8864, b"\x12\0\0\x01\0\x06\x00\x03rohc"), "other", b"\x12\0\0\x01\0\x06\x00\x03rohc"),
        (1, ethernet(0x8864, b"\x11\0\0\x01"), "other", b"\x11\0\0\x01"),
        (9, b"\xff\x03\x00\x03rohc", "rohc", b"rohc"),
        (9, b"\x03rohc", "rohc", b"rohc"),  # protocol field compressed
        (50, b"\xff\x03\x05rohc", "rohc", b"rohc"),
        (204, b"\x01\xff\x03\x00\x21" + PACKET, "ip", PACKET),
        (9, b"\xff\x03\xc0\x21lcp", "other", b"lcp"),
        (9, b"\xff\x03", "other", b"\xff\x03"),
        (101, PACKET, "ip", PACKET),
        (0, b"\2\0\0\0" + PACKET, "ip", PACKET),
        (113, bytes(14) + b"\x08\x00" + PACKET, "ip", PACKET),
        (276, b"\x08\x00" + bytes(18) + PACKET, "ip", PACKET),
        (276, b"\x08\x00", "other", b"\x08\x00"),
        (147, b"rohc", "rohc", b"rohc"),
        (999, b"?", "other", b"?"),
    ],
)
def test_what_frames_carry(link_type: int, octets: bytes, kind: str, inside: bytes) -> None:
    frame = framing.unwrap(link_type, octets)
    assert (frame.kind, frame.octets) == (kind, inside)
    assert frame.what


def test_what_a_frame_says_besides() -> None:
    tagged = framing.unwrap(1, ethernet(0x22F1, b"rohc", 100, 7))
    assert (tagged.vlans, tagged.source.hex()) == ((100, 7), "02000000000a")
    assert tagged.form == ""
    session = framing.unwrap(1, ethernet(0x8864, b"\x11\0\0\x01\0\x05\x00\x2dvj!", 7))
    assert (session.vlans, session.source.hex(), session.type) == ((7,), "02000000000a", 0x2D)
    assert not session.duplex, "its ends have addresses"
    assert framing.unwrap(9, b"\x05rohc").form == "large CIDs"
    assert framing.unwrap(9, b"\x00\x03rohc").form == "small CIDs"
    assert framing.unwrap(1, ethernet(0x0800, PACKET + b"\0" * 17)).padding == 17


@pytest.mark.parametrize("link_type", [0, 1, 9, 50, 101, 108, 113, 147, 204, 228, 229, 276])
def test_no_frame_is_too_short_to_be_read(link_type: int) -> None:
    session = ethernet(0x8864, b"\x11\0\0\x01\0\x06\x00\x03rohc")
    for whole in (ethernet(0x22F1, IRISH, 7), session, b"\xff\x03\x00\x21" + PACKET, b"\0" * 40, b"\x60" * 60):
        for length in range(len(whole)):
            assert framing.unwrap(link_type, whole[:length]).kind in ("rohc", "ip", "other")


IRISH = b"\xfd\x01\x3f\x40\x11"


def test_a_capture_that_cannot_be_written_is_named_and_not_left_cut(tmp_path: Path) -> None:
    path = tmp_path / "restored.pcap"
    writing.write(path, framing.RAW, [(0, bytes(40), 40)])
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))  # as a full disk; Python ignores the signal
    try:
        with pytest.raises(EnvironmentLacks, match=rf"^Writing {path} failed: "):
            writing.write(path, framing.RAW, [(0, bytes(1000), 1000)] * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["restored.pcap"]
    with pytest.raises(EnvironmentLacks, match=rf"^Writing {tmp_path}/none/x.pcap failed: No such file"):
        writing.write(tmp_path / "none" / "x.pcap", framing.RAW, [])


def test_a_device_is_written_as_it_is() -> None:
    assert writing.write(Path("/dev/null"), framing.RAW, [(0, bytes(40), 40)]) == 1
    assert Path("/dev/null").is_char_device()
