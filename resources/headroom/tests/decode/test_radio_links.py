# SPDX-License-Identifier: Apache-2.0
"""PDCP of LTE and NR (TS 36.323 and TS 38.323, 6.2), wherever a capture has it, and link types that users define."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.core import tshark
from headroom.core.captures import formats, framing, pdcp
from headroom.core.errors import UsageError
from headroom.decode.run import DecodedPacket
from headroom.tests.command_line import call
from headroom.tests.decode.support import (
    ACK,
    IR,
    LARGE_IR,
    LARGE_UO_0,
    RESTORED,
    UO_0,
    decoded,
    ethernet,
    g_pdu,
    ipv4,
    pcap,
    udp,
    with_tshark,
)

IR_RESTORED = bytes.fromhex("4500002c2000400040112e8ac0000201c6336402138c138e00180000800003e80002715011223344a0b0c000")
TAGGED = ("--enable-heuristic", "pdcp_lte_udp", "--enable-heuristic", "pdcp_nr_udp")


def plain(length: int = 20) -> bytes:
    """An IPv4 packet with the right header checksum."""
    packet = ipv4(udp(bytes(length), 40000, 40001))
    return packet[:10] + framing.ip_headers.checksum(packet[:10] + bytes(2) + packet[12:20]).to_bytes(2) + packet[12:]


def lte(pdu: bytes, bits: int = 12, large: bool = False, plane: int = 2, compressed: int = 1, header: int = 0) -> bytes:
    """A datagram for Wireshark: UE 7, channel 3, uplink. Three octets; tags; tag 1 in front of the PDU."""
    tags = bytes([2, bits, 3, 0, 13, 0, 3, 14, 0, 7, 8, large, 0x0C, 0, 1])
    return ethernet(
        0x0800, ipv4(udp(b"pdcp-lte" + bytes([header, plane, compressed]) + tags + b"\1" + pdu, 4000, 4001))
    )


def nr(pdu: bytes, bits: int = 12, more: bytes = b"\x07", direction: int = 0, plane: int = 2) -> bytes:
    """The same of NR: bearer 3, UE 7; `more` tags: 7 ROHC, 10 large CIDs, 15 MAC-I, 16 SDAP."""
    tags = bytes([plane, 2, bits, 3, direction, 5, 3, 6, 0, 7]) + more
    return ethernet(0x0800, ipv4(udp(b"pdcp-nr" + tags + b"\1" + pdu, 4000, 4001)))


def restored(found: list[DecodedPacket]) -> list[bytes | None]:
    return [one.ours.restored if one.ours else None for one in found]


@pytest.mark.parametrize(
    ("frames", "notes"),
    [
        ([lte(b"\x05" + IR, 7)], ["PDCP of LTE: status report"]),
        ([lte(b"\x85" + IR, 7), lte(b"\x86" + UO_0, 7)], ["PDCP of LTE, SN 5", "PDCP of LTE, SN 6"]),
        ([lte(b"\x8f\xff" + IR), lte(b"\x80\x00" + UO_0)], ["PDCP of LTE, SN 4095", "PDCP of LTE, SN 0"]),
        ([lte(b"\xff\xfe" + IR, 15)], ["PDCP of LTE, SN 32766"]),
        ([lte(b"\x83\xff\xff" + LARGE_IR, 18, True)], ["PDCP of LTE, SN 262143"]),
        ([lte(IR, header=1)], ["PDCP of LTE"]),
        ([nr(b"\x81\x02" + IR), nr(b"\x81\x03" + UO_0)], ["PDCP of NR, SN 258", "PDCP of NR, SN 259"]),
        ([nr(b"\x83\xff\xff\x09" + LARGE_IR + b"mac!", 18, b"\x07\x0a\x0f\x10\x02", 1)], ["PDCP of NR, SN 262143"]),
    ],
)
def test_pdcp_behind_tags(tmp_path: Path, frames: list[bytes], notes: list[str]) -> None:
    found = decoded(pcap(tmp_path / "x.pcap", 1, *frames))
    for one, note in zip(found, notes, strict=True):
        assert one.ours is not None
        assert note in one.ours.notes
        assert not one.ours.error
    if notes != ["PDCP of LTE: status report"]:
        assert restored(found) == [IR_RESTORED, RESTORED][: len(found)]
        assert found[0].channel == ""


@with_tshark
def test_tshark_reads_the_same_pdcp(tmp_path: Path) -> None:
    frames = [
        lte(b"\x80\x05" + IR),
        lte(b"\x80\x06" + UO_0),
        nr(b"\x80\x00\x05" + LARGE_IR, 18, b"\x07\x0a"),
        nr(b"\x80\x00\x06" + LARGE_UO_0, 18, b"\x07\x0a"),
        nr(b"\x80\x07" + plain(), more=b"\x0f"),
    ]
    frames[-1] = nr(b"\x80\x07" + plain() + b"mac!", more=b"\x0f")
    found = decoded(pcap(tmp_path / "x.pcap", 1, *frames), ask=True)
    assert [one.compared.verdict for one in found] == ["agree"] * 5
    sent = [(number, frame, len(frame)) for number, frame in enumerate(frames)]
    rows = tshark.rows_of(sent, 1, ("pdcp-lte.seq-num", "pdcp-nr.seq-num", "pdcp-nr.mac"), TAGGED)
    assert rows is not None
    theirs = [int((row["pdcp-lte.seq-num"] or row["pdcp-nr.seq-num"])[0]) for row in rows]
    assert theirs == [5, 6, 5, 6, 7]
    for one, number in zip(found, theirs, strict=True):
        assert one.ours is not None and f"SN {number}" in one.ours.notes[0]
    assert rows[-1]["pdcp-nr.mac"] == ["0x" + b"mac!".hex()]


def test_bearers_have_contexts_of_their_own(tmp_path: Path) -> None:
    up, down = nr(b"\x80\x05" + IR), nr(b"\x80\x05" + UO_0, direction=1)
    first, second = decoded(pcap(tmp_path / "x.pcap", 1, up, down))
    assert (first.channel, second.channel) == ("UE 7 bearer 3 uplink", "UE 7 bearer 3 downlink")
    assert second.ours is not None and second.ours.error


def test_interspersed_feedback(tmp_path: Path) -> None:
    for frame in (lte(b"\x10" + ACK), nr(b"\x10" + ACK)):
        (one,) = decoded(pcap(tmp_path / "x.pcap", 1, frame))
        assert one.ours is not None and one.ours.is_feedback and one.ours.title == "feedback"


@pytest.mark.parametrize(
    ("frame", "note"),
    [
        (lte(b"\x80\x05" + plain(), compressed=0), "PDCP of LTE, SN 5"),
        (nr(b"\x80\x05" + plain(), more=b""), "PDCP of NR, SN 5"),
        (lte(b"\x05" + b"rrc", 5, plane=1), "PDCP of LTE: signalling"),
        (nr(b"\x00" + bytes(5)), "PDCP of NR: status report"),
        (nr(b"\x50" + bytes(5)), "PDCP of NR: control PDU of type 5"),
        (nr(b""), "PDCP of NR: an empty PDU"),
        (nr(b"\x80\x05"), "PDCP of NR: a data PDU of 2 octets, which is too short"),
        (nr(b"\x80\x05abcd", more=b"\x07\x0f"), "PDCP of NR: a data PDU of 6 octets, which is too short"),
        (nr(b"\x80\x05" + IR, bits=9), "PDCP of NR with sequence numbers of 9 bits, which are not of user data"),
    ],
)
def test_what_else_pdcp_carries(tmp_path: Path, frame: bytes, note: str) -> None:
    (one,) = decoded(pcap(tmp_path / "x.pcap", 1, frame))
    assert one.ours is not None and one.ours.notes[0] == note
    assert one.ours.title == "UDP in IPv4"


@pytest.mark.parametrize(
    "octets", [b"pdcp-lte", b"pdcp-lte\0\2", b"pdcp-nr\2\2", b"pdcp-nr\2\x40\1", b"pdcp-nr\2\2\x0c"]
)
def test_broken_tags_are_plain_udp(tmp_path: Path, octets: bytes) -> None:
    (one,) = decoded(pcap(tmp_path / "x.pcap", 1, ethernet(0x0800, ipv4(udp(octets, 4000, 4001)))))
    assert one.ours is not None and (one.ours.title, one.ours.notes) == ("UDP in IPv4", [])


@pytest.mark.parametrize(
    ("format_", "front"),
    [
        ("rohc", b""),
        ("pdcp-nr", b"\x80\x05"),
        ("pdcp-nr:18", b"\x80\0\x05"),
        ("pdcp-lte:7", b"\x85"),
        ("PDCP-LTE", b"\x80\x05"),
        ("pdcp-nr:18+sdap", b"\x80\0\x05\x09"),
        ("pdcp-nr:+sdap", b"\x80\x05\x09"),
    ],
)
@pytest.mark.parametrize("link_type", [147, 162])
def test_the_user_says_what_a_link_type_is(tmp_path: Path, link_type: int, format_: str, front: bytes) -> None:
    path = pcap(tmp_path / "x.pcap", link_type, front + IR, front + UO_0)
    given = formats.chosen(f"{link_type}={format_}")
    assert restored(decoded(path, formats=given)) == [IR_RESTORED, RESTORED]


def test_uncompressed_packets_in_pdcp_are_known_by_their_checksum(tmp_path: Path) -> None:
    path = pcap(tmp_path / "x.pcap", 150, b"\x80\x05" + plain())
    (one,) = decoded(path, formats=formats.chosen("150=pdcp-nr"))
    assert one.ours is not None and one.ours.title == "UDP in IPv4"
    assert one.frame.octets == plain()


def test_a_mac_i_behind_the_packet(tmp_path: Path) -> None:
    path = pcap(tmp_path / "x.pcap", 150, b"\x80\x05" + IR + b"mac!")
    assert restored(decoded(path, formats=formats.chosen("150=pdcp-nr:12+mac"))) == [IR_RESTORED]


def test_a_user_link_type_of_frames(tmp_path: Path) -> None:
    path = pcap(tmp_path / "x.pcap", 148, ethernet(0x22F1, IR), ethernet(0x22F1, UO_0))
    assert restored(decoded(path, formats=formats.chosen("148=ethernet"))) == [IR_RESTORED, RESTORED]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("147=atm", "no packet format 'atm'. Known: rohc, .*pdcp-lte.*slip"),
        ("147=pdcp-nr:7", "no packet format 'pdcp-nr:7'"),
        ("147=slip:7", "no packet format"),
        ("147=pdcp-lte:12+sdap", "no packet format"),
        ("147", "such as 147=ppp, not '147'"),
        ("x=ppp", "such as 147=ppp, not 'x=ppp'"),
        ("", "takes a number and a packet format"),
    ],
)
def test_a_format_that_there_is_not(text: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        formats.chosen(text)


def test_what_was_assumed_is_said(tmp_path: Path) -> None:
    assumed = call("decode", str(pcap(tmp_path / "a.pcap", 147, IR)), "--no-tshark")
    assert "Link type 147, one of those that users define, was read as ROHC: --link-type 147=FORMAT" in assumed.stderr
    unknown = call("decode", str(pcap(tmp_path / "b.pcap", 152, IR)), "--no-tshark")
    assert "Link type 152, one of those that users define, says nothing of its packets" in unknown.stderr
    said = call("decode", str(tmp_path / "b.pcap"), "--no-tshark", "--link-type", "152=rohc")
    assert "users define" not in said.stderr and "IR," in said.stdout


def test_pdcp_in_tunnels(tmp_path: Path) -> None:
    frames = [ipv4(udp(g_pdu(b"\x80\0\x05" + packet))) for packet in (IR, UO_0)]
    frames += [ipv4(udp(g_pdu(b"\x80\0\x06" + plain()))), ipv4(udp(g_pdu(plain())))]
    path = pcap(tmp_path / "x.pcap", 101, *frames)
    first, second, third, fourth = decoded(path, in_tunnels=formats.find("pdcp-nr:18"))
    assert restored([first, second]) == [IR_RESTORED, RESTORED]
    assert third.ours is not None and (third.ours.title, third.frame.octets) == ("UDP in IPv4", plain())
    assert fourth.ours is not None and fourth.ours.title == "GTP-U G-PDU in IPv4: UDP in IPv4"
    without = decoded(path)
    assert without[0].ours is not None and "an unstructured PDU session" in without[0].ours.notes[-1]


def test_sn_bits_are_those_of_the_specifications() -> None:
    assert pdcp.SN_BITS == {"pdcp-lte": (7, 12, 15, 18), "pdcp-nr": (12, 18)}
