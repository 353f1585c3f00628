# SPDX-License-Identifier: Apache-2.0
"""A capture decoded packet by packet: what our judges say, what tshark says, and what is made of the two."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from headroom.core import tshark
from headroom.core.captures import reading
from headroom.core.captures.dissection import LinkPacket, Reading, ReadingComparison
from headroom.decode import ip_dissector, run, text
from headroom.decode.comparing import compare_ip
from headroom.decode.run import DecodeOptions
from headroom.decode.tshark_reading import ip_row
from headroom.schemes.rohc.decode import tshark_reading
from headroom.schemes.rohc.decode.reading import ChannelHints, RohcReader, evidence_of
from headroom.schemes.rohc.judge.framework import crc
from headroom.tests.command_line import call
from headroom.tests.decode.support import (
    ACK,
    IR,
    LARGE_IR,
    LARGE_UO_0,
    RESTORED,
    SEGMENTS,
    UO_0,
    decoded,
    enhanced,
    ethernet,
    g_pdu,
    interface,
    ipv4,
    ipv6,
    option,
    pcap,
    rtp,
    section,
    udp,
    with_tshark,
)


def rohc(*packets: bytes) -> list[bytes]:
    return [ethernet(0x22F1, packet) for packet in packets]


# ---- our side


def test_what_the_judge_says_of_rohc(tmp_path: Path) -> None:
    first, second = decoded(pcap(tmp_path / "x.pcap", 1, *rohc(IR, UO_0)))
    assert first.ours is not None and second.ours is not None and second.restored is not None
    assert first.ours.title == "IR"
    expected = {"CID": 0, "profile": 1, "CRC": 0x3F, "SN": 1000, "TS": 160080, "PT": 0, "SSRC": 0x11223344}
    assert expected.items() <= first.ours.values.items()
    assert first.ours.values["IPv4 source"] == ["192.0.2.1"]
    assert (second.ours.title, second.ours.header_octets) == ("UO-0", 1)
    assert second.ours.values == {"CID": 0, "profile": 1, "SN bits": 9, "CRC": 4}
    assert second.ours.restored == RESTORED
    assert second.restored.values["SN"] == 1001
    assert second.restored.values["TS"] == 160240
    assert second.compared.silent == "tshark did not run"


def test_feedback_in_front_and_alone(tmp_path: Path) -> None:
    _, one, alone = decoded(pcap(tmp_path / "x.pcap", 1, *rohc(IR, ACK + UO_0, ACK)))
    element = {"type": "FEEDBACK-2", "CID": 0, "SN": 5, "acknowledgement": "ACK", "mode": "O", "options": []}
    assert one.ours is not None and alone.ours is not None
    assert (one.ours.title, one.ours.values["feedback"], one.ours.restored) == ("UO-0", [element], RESTORED)
    assert (alone.ours.title, alone.ours.values) == ("feedback", {"feedback": [element]})
    assert "FEEDBACK-2 ACK (O) CID 0 SN 5" in text.ours_text(alone)


def test_what_the_judge_refuses(tmp_path: Path) -> None:
    wrong = bytes([UO_0[0] ^ 1]) + UO_0[1:]
    lost, bad, empty = decoded(pcap(tmp_path / "x.pcap", 1, *rohc(UO_0, bytes([IR[0], 1, 0]) + IR[3:], b"")))
    for one, sentence in (
        (lost, "No IR packet has"),
        (bad, "carries the wrong CRC 0x00"),
        (empty, "The packet is empty"),
    ):
        assert one.ours is not None
        assert sentence in one.ours.error
        assert one.ours.restored is None
        assert "refuses" in one.compared.silent
    _, damaged = decoded(pcap(tmp_path / "y.pcap", 1, *rohc(IR, wrong)))
    assert damaged.ours is not None and "CRC-3" in damaged.ours.error


def test_segments_are_put_together(tmp_path: Path) -> None:
    packets = decoded(pcap(tmp_path / "x.pcap", 1, *rohc(*SEGMENTS, UO_0)))
    whole = decoded(pcap(tmp_path / "y.pcap", 1, *rohc(IR)))[0].ours
    restored = [one.ours.restored for one in packets if one.ours is not None]
    assert whole is not None
    assert restored == [None, None, whole.restored, RESTORED]
    assert [one.compared.silent for one in packets[:3]] == ["tshark does not put segments together"] * 3


def test_size_of_cids_is_found_out(tmp_path: Path) -> None:
    assert evidence_of([IR, UO_0], ChannelHints()).headers < 0
    capture = run.read(DecodeOptions(pcap(tmp_path / "x.pcap", 1, *rohc(LARGE_IR, LARGE_UO_0)), tshark=False))
    assert [one.ours.values["CID"] for one in capture.decoded() if one.ours] == [100, 100]
    assert capture.remarks[0].startswith("Read with large CIDs, which made more sense")
    asked = decoded(capture.options.path, words={"cid": "small"})
    assert all(one.ours is not None and one.ours.error for one in asked)


def test_channels_have_contexts_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "x.pcapng"
    frames = [ethernet(0x22F1, IR, 100), ethernet(0x22F1, UO_0, 101), ethernet(0x22F1, UO_0, 100)]
    frames.append(ethernet(0x22F1, UO_0, 100, source=11))
    path.write_bytes(section() + interface(1, option(2, b"forward")) + b"".join(map(enhanced, frames)))
    packets = decoded(path)
    assert [one.channel for one in packets] == [
        "forward VLAN 100 02:00:00:00:00:0a",
        "forward VLAN 101",
        "forward VLAN 100 02:00:00:00:00:0a",
        "forward VLAN 100 02:00:00:00:00:0b",
    ]
    assert [one.ours is not None and one.ours.restored is not None for one in packets] == [True, False, True, False]


def test_ppp_says_the_size_of_its_cids(tmp_path: Path) -> None:
    frames = [b"\xff\x03\x00\x03" + IR, b"\xff\x03\x00\x05" + LARGE_IR, b"\x00\x03" + UO_0]
    small, other, again = decoded(pcap(tmp_path / "x.pcap", 9, *frames))
    assert small.ours is not None and other.ours is not None and again.ours is not None
    assert other.ours.values["CID"] == 100
    assert again.ours.restored == RESTORED


def test_what_the_link_did_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "x.pcapng"
    path.write_bytes(section() + interface(1) + enhanced(rohc(IR)[0], option(1, b"lost: loss")))
    [one] = decoded(path)
    assert one.captured.comments == ("lost: loss",)
    assert text.document(one)["comments"] == ["lost: loss"]


# ---- tshark's side


ROW: dict[str, list[str]] = {}


def test_a_row_of_a_header() -> None:
    row = ROW | {"_ws.col.Info": ["UO-1-TS (sn=5)"], "rohc.small_cid": ["3"], "rohc.comp.sn": ["5"]}
    found = tshark_reading.row_reading(row | {"rohc.crc": ["0x07"], "rohc.tp": ["12"]})
    assert (found.title, found.values) == ("UO-1-TS", {"CID": 3, "CRC": 7, "SN bits": 5, "TS bits": 12})
    assert tshark_reading.row_reading(ROW) == Reading()
    assert tshark_reading.row_reading(ROW | {"_ws.malformed": ["1"]}).notes == ["malformed"]


def test_a_row_of_feedback() -> None:
    row = ROW | {"rohc.feedback": ["0x1e"], "rohc.small_cid": ["0"], "rohc.acktype": ["1"], "rohc.mode": ["3"]}
    found = tshark_reading.row_reading(row | {"rohc.sn": ["0x0102"], "rohc.opt.sn_add_bits": ["0x03"]})
    element = {"CID": 0, "type": "FEEDBACK-2", "acknowledgement": "NACK", "mode": "R", "SN": 0x010203}
    assert found.values == {"feedback": [element]}


def test_a_row_of_ip_with_nonsense_in_it() -> None:
    found = ip_row({"ip.src": ["192.0.2.1", "10.0.0.1"], "gtp.teid": ["0x00000001"], "rtp.seq": ["?"]})
    assert found.values == {"IPv4 source": ["192.0.2.1", "10.0.0.1"], "TEID": 1}


def test_packets_are_put_before_tshark_in_pieces() -> None:
    assert tshark_reading.pieces_of(UO_0, False) == [tshark_reading.Piece(UO_0, 0)]
    assert [one.octets for one in tshark_reading.pieces_of(ACK + b"\xf1\x07" + UO_0, False)] == [ACK, b"\xf1\x07", UO_0]
    assert [one.octets for one in tshark_reading.pieces_of(ACK, False)] == [ACK]
    assert [(one.octets, one.cid) for one in tshark_reading.pieces_of(b"\xe3" + UO_0, False)] == [(b"\xe3" + UO_0, 3)]
    for broken in (b"", b"\xf2\x20", b"\xf0\xff", ACK + b"\xe3", b"\xe0\xe0"):
        assert b"".join(one.octets for one in tshark_reading.pieces_of(broken, False)) == broken


# ---- both


def compared(other: Reading, *packets: bytes) -> ReadingComparison:
    """What becomes of tshark's reading of the last packet of a channel."""
    reader = RohcReader(ChannelHints(), False)
    for packet in packets[:-1]:
        reader.compare(reader.read(LinkPacket(packet)), None)
    return reader.compare(reader.read(LinkPacket(packets[-1])), other)


def test_agreement_and_difference() -> None:
    same = Reading("UO-0", {"CID": 0, "SN bits": 9, "CRC": 4})
    assert compared(same, IR, UO_0).verdict == "agree"
    other = compared(Reading("UO-1", {"CID": 0, "SN bits": 8, "CRC": 4}), IR, UO_0)
    assert [(one.name, one.ours, one.theirs) for one in other.differences] == [
        ("type", "UO-0", "UO-1"),
        ("SN bits", 9, 8),
    ]
    assert text.verdict_text(other) == "differ: type UO-0, tshark UO-1; SN bits 9, tshark 8"
    assert compared(Reading("UO-0", {}, notes=["malformed"]), IR, UO_0).silent == "tshark takes it for malformed"
    assert compared(Reading(), IR, UO_0).silent == "tshark says nothing of it"


def test_where_tshark_cannot_be_right_no_difference_is_claimed() -> None:
    assert "no state" in compared(Reading("UO-0"), UO_0).silent
    # Behind an IR packet without RX, what tshark says of types 0 and 1 is chance. What agrees all the same counts.
    ir = silent_about_mode()
    assert "has not seen the mode" in compared(Reading("R-0", {"SN bits": 9}), ir, UO_0).silent
    assert compared(Reading("UO-0", {"SN bits": 9}), ir, UO_0).verdict == "agree"
    assert compared(Reading("UO-0", {"SN bits": 8}), ir, UO_0).verdict == "differ"


def silent_about_mode() -> bytes:
    """The IR packet without the octets that say mode and stride: RX is 0, and the CRC-8 another one."""
    header = IR[:38].replace(b"\x90\x00\x03\xe8", b"\x80\x00\x03\xe8")
    return header[:2] + bytes([crc.crc8(header[:2] + b"\0" + header[3:])]) + header[3:] + IR[-4:]


def test_tshark_may_read_on_but_not_less() -> None:
    ours = ip_dissector.read(ipv4(udp(b"abc", 53, 53)))
    values = {"IPv4 source": ["10.0.0.1", "1.2.3.4"], "IPv4 destination": ["10.0.0.2"], "IP-ID": [7]}
    ports = {"UDP source port": [53], "UDP destination port": [53]}
    assert compare_ip(ours, Reading("DNS", values | ports)).verdict == "agree"
    assert [one.name for one in compare_ip(ours, Reading("IP", values)).differences] == [
        "UDP source port",
        "UDP destination port",
    ]


OFFLOADED = [
    ipv6(bytes(12) + b"\x50" + bytes(3000), 6, length=0),
    ipv6(udp(b"x" * 3000), length=0),
    ipv6(bytes([17, 0]) + bytes(6) + udp(b"x"), 44, length=0),
    ipv6(ipv6(udp(b"x")), 41, length=0),
    ipv6(ipv4(udp(b"x")), 4, length=0),
    ipv4(udp(g_pdu(ipv6(udp(b"x" * 3000), length=0)))),
    ipv6(ipv6(udp(b"x"), length=0), 41, length=0),
]


@pytest.mark.parametrize("packet", OFFLOADED)
def test_tshark_may_stop_at_a_length_of_0(packet: bytes) -> None:
    ours = ip_dissector.read(packet)
    assert "the IPv6 length is 0 (segmentation offload)" in " ".join(ours.notes)
    assert ours.tshark_limit is not None
    compared = compare_ip(ours, Reading("IPv6", ours.tshark_limit.values))
    assert (compared.verdict, compared.silent) == (
        "silent",
        "tshark reads nothing after an IPv6 header with the length 0",
    )
    assert compare_ip(ours, Reading("UDP", ours.values)).verdict == "agree"
    ports = {"UDP source port": [1], "TCP source port": [1], "UDP destination port": [1]}
    assert compare_ip(ours, Reading("UDP", ours.tshark_limit.values | ports)).verdict == "differ"
    assert compare_ip(ours, Reading("IPv6", {"IPv6 source": ["::1"]})).verdict == "differ"


@with_tshark
def test_tshark_reads_offloaded_packets(tmp_path: Path) -> None:
    frames = [ethernet(0x0800 if one[0] >> 4 == 4 else 0x86DD, one, 9, 3) for one in OFFLOADED]
    packets = decoded(pcap(tmp_path / "x.pcap", 1, *frames), ask=True)
    assert {one.compared.verdict for one in packets} == {"agree"}


@pytest.mark.long
@with_tshark
def test_tshark_is_no_judge_of_frames_that_it_takes_for_something_else(tmp_path: Path) -> None:
    """Ethernet PDU sessions in GTP-U, by the first octet of the frame and its VLAN tags."""
    inner = {0x0800: ipv4(udp(b"query", 40000, 54)), 0x86DD: ipv6(udp(b"query", 40000, 54)), 0x0806: bytes(28)}
    for kind, octets in inner.items():
        for first, vids in (
            (0x02, ()),
            (0x02, (7,)),
            (0x02, (7, 9)),
            (0x48, ()),
            (0x46, (7,)),
            (0x60, ()),
            (0x6C, ()),
            (0x40, ()),
        ):
            frame = bytes([first]) + ethernet(kind, octets, *vids)[1:]
            path = pcap(tmp_path / "x.pcap", 1, ethernet(0x0800, ipv4(udp(g_pdu(frame)))))
            [one] = decoded(path, ask=True)
            assert one.ours is not None and "Ethernet PDU session" in one.ours.notes[0]
            assert one.compared.differences == []
            if first not in (0x02, 0x40):
                assert one.compared.silent == "tshark takes the frame's first octet for the version of an IP packet"
            elif vids and kind != 0x0806:
                assert one.compared.silent == "tshark knows no Ethernet frame with VLAN tags in a T-PDU"
            else:
                assert one.compared.verdict == "agree"


@with_tshark
def test_tshark_does_not_know_the_longest_ipv4_header_in_a_tunnel(tmp_path: Path) -> None:
    longest = ipv4(bytes(40) + udp(b"query", 40000, 54))
    path = pcap(tmp_path / "x.pcap", 1, ethernet(0x0800, ipv4(udp(g_pdu(b"\x4f" + longest[1:])))))
    [one] = decoded(path, ask=True)
    assert one.ours is not None and one.ours.title == "GTP-U G-PDU in IPv4: UDP in IPv4"
    assert one.compared.silent == "tshark knows no IPv4 packet by the first octet 0x4f in a T-PDU"


def test_values_in_front_of_a_frame_that_tshark_misreads_are_compared() -> None:
    frame = bytes([0x48]) + ethernet(0x0800, ipv4(udp(b"query", 40000, 54), source="c0000201"))[1:]
    ours = ip_dissector.read(ipv4(udp(g_pdu(frame))))
    theirs = {"IPv4 source": ["10.0.0.1", "8.0.69.0"], "IPv4 destination": ["10.0.0.2", "0.1.2.3"], "IP-ID": [7, 9]}
    theirs |= {"UDP source port": [2152], "UDP destination port": [2152]}
    assert compare_ip(ours, Reading("GTP", theirs | {"TEID": 0x01020304})).verdict == "silent"
    assert [one.name for one in compare_ip(ours, Reading("GTP", theirs | {"TEID": 5})).differences] == ["TEID"]
    assert compare_ip(ours, Reading("GTP", theirs | {"IPv4 source": ["1.2.3.4", "8.0.69.0"]})).verdict == "differ"


@with_tshark
def test_tshark_reads_the_same(tmp_path: Path) -> None:
    frames = [*rohc(IR, ACK + UO_0, ACK), ethernet(0x0806, b"who is it?")]
    frames += [ethernet(0x0800, ipv4(udp(g_pdu(ipv4(udp(rtp(number), 5004, 5006))))), 5) for number in (1, 2)]
    packets = decoded(pcap(tmp_path / "x.pcap", 1, *frames), ask=True)
    assert [one.compared.verdict for one in packets] == ["agree", "agree", "agree", "silent", "agree", "agree"]
    assert {"type", "CID", "SN", "CRC", "TS", "SSRC"} <= set(packets[0].compared.agreed)
    assert {"type", "CID", "SN bits", "CRC", "feedback 1 SN"} <= set(packets[1].compared.agreed)
    assert {"TEID", "QFI", "IPv4 source", "UDP source port", "PDU type"} <= set(packets[4].compared.agreed)
    assert packets[3].compared.silent == "content of an unknown kind"


@with_tshark
def test_tshark_reads_large_cids_and_ppp(tmp_path: Path) -> None:
    frames = [b"\xff\x03\x00\x05" + LARGE_IR, b"\xff\x03\x00\x05" + LARGE_UO_0, b"\xff\x03\x00\x03" + IR]
    packets = decoded(pcap(tmp_path / "x.pcap", 9, *frames), ask=True)
    assert [one.compared.verdict for one in packets] == ["agree"] * 3
    assert all({"type", "CID", "CRC"} <= set(one.compared.agreed) for one in packets)


def fake_tshark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = tmp_path / "bin" / "tshark"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ("echo 'it broke' >&2; exit 2", "tshark failed at the channel: tshark could not read channel.pcap: it broke"),
        ("printf 'one line\\n'", ""),
    ],
)
def test_a_tshark_that_fails_takes_nothing_from_the_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, fault: str
) -> None:
    path = pcap(tmp_path / "x.pcap", 1, *rohc(IR, UO_0))
    fake_tshark(tmp_path, monkeypatch, script)
    capture = run.read(DecodeOptions(path))
    assert [one.compared.verdict for one in capture.decoded()] == ["silent", "silent"]
    assert capture.faults == ([fault] if fault else [])


def test_without_tshark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = pcap(tmp_path / "x.pcap", 1, *rohc(IR))
    monkeypatch.setenv("PATH", str(tmp_path))
    capture = run.read(DecodeOptions(path))
    assert [one.ours.title for one in capture.decoded() if one.ours] == ["IR"]
    assert "tshark is not installed" in capture.remarks[0]


# ---- limits


def test_a_damaged_file_is_decoded_as_far_as_it_goes(tmp_path: Path) -> None:
    path = pcap(tmp_path / "x.pcap", 1, *rohc(IR, UO_0))
    path.write_bytes(path.read_bytes()[:-1])
    capture = run.read(DecodeOptions(path, tshark=False))
    assert len(list(capture.decoded())) == 1
    assert "ends in the middle of a packet" in capture.faults[0]
    assert "The 1 packets before that are decoded." in capture.faults[0]


def test_no_damaged_octet_breaks_it(tmp_path: Path) -> None:
    frames = [*rohc(IR, ACK + UO_0), ethernet(0x0800, ipv4(udp(g_pdu(ipv4(udp(rtp(1), 5004, 5006))))))]
    whole = pcap(tmp_path / "x.pcap", 1, *frames).read_bytes()
    path = tmp_path / "y.pcap"
    for at in range(24, len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xA5]) + whole[at + 1 :])
        for one in run.read(DecodeOptions(path, tshark=False)).decoded():
            assert text.document(one) and text.ours_text(one) and text.in_full(one)


@pytest.mark.parametrize("claimed", [1 << 20 | 1, 0xFFFFFFFF])
def test_a_length_on_the_wire_that_cannot_be_is_not_believed(tmp_path: Path, claimed: int) -> None:
    """Octets that were not captured are made up for the judge: they would take 4 GiB."""
    path = pcap(tmp_path / "x.pcap", 1, *rohc(IR))
    octets = path.read_bytes()
    path.write_bytes(octets[:36] + claimed.to_bytes(4, "little") + octets[40:])
    (one,) = run.read(DecodeOptions(path, tshark=False)).decoded()
    assert (one.captured.missing, one.ours and one.ours.title) == (0, "IR")


def test_a_capture_that_goes_on_too_long_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = pcap(tmp_path / "x.pcap", 1, *rohc(IR, UO_0, UO_0))
    monkeypatch.setattr(run, "MOST_PACKETS", 2)
    capture = run.read(DecodeOptions(path, tshark=False))
    assert len(list(capture.decoded())) == 2
    assert "continues after packet 2" in capture.faults[0]


def test_a_frame_that_was_cut_is_no_evidence(tmp_path: Path) -> None:
    path = pcap(tmp_path / "x.pcap", 1, *rohc(IR, UO_0), cut=5)
    assert decoded(path)[1].compared.silent == "only 19 of 24 octets were captured"


CUT = [
    (udp(b"w" * 1200, 40000, 54), "UDP in IPv4"),
    (udp(g_pdu(ipv4(udp(b"w" * 1200, 40000, 54)))), "GTP-U G-PDU in IPv4: UDP in IPv4"),
    (udp(g_pdu(ipv6(udp(b"w" * 1200, 40000, 54)))), "GTP-U G-PDU in IPv4: UDP in IPv6"),
    (udp(g_pdu(ethernet(0x0800, ipv4(udp(b"w" * 1200, 40000, 54)), 7))), "GTP-U G-PDU in IPv4: UDP in IPv4"),
    (udp(g_pdu(b"unstructured" * 30)), "GTP-U G-PDU in IPv4"),
    (
        udp(bytes.fromhex("32 1a 0010 00000000  0001 00 00  10 0a0b0c0d  85 0004 c0000201")),
        "GTP-U Error Indication in IPv4",
    ),
    (udp(b"\xf8\x00" + bytes(500), 5060, 5060), "SigComp in UDP in IPv4"),
    (udp((b"\x47\x1f\xff\x10" + bytes(184)) * 4, 5000, 5000), "4 TS packets in UDP in IPv4"),
]


@pytest.mark.parametrize(("payload", "title"), CUT)
def test_the_sender_is_not_blamed_for_what_was_not_captured(tmp_path: Path, payload: bytes, title: str) -> None:
    """Captures with each number of octets, of a frame with padding behind the packet."""
    whole = ethernet(0x0800, ipv4(payload)) + bytes(6)
    [one] = decoded(pcap(tmp_path / "x.pcap", 1, whole))
    assert one.ours is not None and one.ours.title == title
    error, notes = one.ours.error, set(one.ours.notes)
    for octets in range(14, min(250, len(whole))):
        [one] = decoded(pcap(tmp_path / "x.pcap", 1, whole[:octets], cut=len(whole) - octets))
        cut = f"only {octets} of {len(whole)} octets were captured"
        assert one.compared.silent == cut
        if one.ours is None:
            assert octets < 34 and one.frame.what == "Ethernet with an IP header that is cut short"
            continue
        assert one.ours.error in ("", error)
        assert set(one.ours.notes) - notes <= {cut, "not decompressed: it was not captured whole"}


def test_a_cut_ts_packet_is_no_fault_of_the_sender(tmp_path: Path) -> None:
    packet = b"\x47\x40\x40\x11" + bytes(184)
    path = tmp_path / "x.pcapng"
    frames = [enhanced(packet), enhanced(packet[:96], length=188), enhanced(packet[:3], length=188)]
    path.write_bytes(section() + interface(243) + b"".join(frames))
    _, cut, shorter = (one.ours for one in decoded(path))
    assert cut is not None and (cut.title, cut.error) == ("TS packet", "")
    assert cut.values["PID"] == 0x40 and cut.notes == ["only 96 of 188 octets were captured"]
    assert shorter is not None and (shorter.error, shorter.values) == ("", {})


def test_headers_in_front_of_a_cut_are_read(tmp_path: Path) -> None:
    frames = [ethernet(0x0800, ipv4(udp(g_pdu(ipv4(udp(rtp(n) + bytes(900), 5004, 5006)))))) for n in (7, 8)]
    path = tmp_path / "x.pcapng"
    cut = [enhanced(frame[:120], length=len(frame)) for frame in frames]
    path.write_bytes(section() + interface(1) + b"".join(cut))
    for number, one in enumerate(decoded(path), 7):
        assert one.ours is not None and one.ours.title == "GTP-U G-PDU in IPv4: RTP in UDP in IPv4"
        assert one.ours.values["UDP destination port"] == [2152, 5006]
        assert (one.ours.values["SN"], one.ours.values["QFI"], one.ours.values["TEID"]) == (number, 9, 0x01020304)
        assert one.ours.error == ""
        assert one.ours.notes == [f"only 120 of {len(frames[0])} octets were captured"]


def test_wrong_lengths_are_noted_in_cut_packets_too(tmp_path: Path) -> None:
    short = ipv4(udp(b"w" * 900))[:-100]
    wrong = ethernet(0x0800, ipv4(struct.pack("!HHHH", 1, 2, 500, 0) + bytes(900)))
    long = ethernet(0x0800, ipv4(udp(g_pdu(b"w" * 900)[:-100])))
    notes = []
    for frame in (ethernet(0x0800, short), wrong, long):
        [one] = decoded(pcap(tmp_path / "x.pcap", 1, frame[:96], cut=len(frame) - 96))
        assert one.ours is not None
        notes.append(" ".join([one.ours.error, *one.ours.notes]))
    assert "the IPv4 header gives another length" in notes[0]
    assert "the UDP header gives 500 octets, but there are 908" in notes[1]
    assert "The Length is 908, but 808 octets follow" in notes[2]


def test_a_range_rests_on_what_came_before(tmp_path: Path) -> None:
    path = pcap(tmp_path / "x.pcap", 1, *rohc(IR, UO_0, UO_0))
    packets = decoded(path, first=2, last=2)
    assert [one.captured.number for one in packets] == [2]
    assert packets[0].ours is not None and packets[0].ours.restored == RESTORED


# ---- the command


@with_tshark
def test_the_command(tmp_path: Path) -> None:
    path = pcap(tmp_path / "x.pcap", 1, *rohc(IR, ACK + UO_0))
    done = call("decode", str(path), "--restored", str(tmp_path / "out.pcap"))
    assert done.returncode == 0, done.stderr
    assert "2 packets: both agree on 2, differ on 0" in done.stderr
    assert "UO-0" in done.stdout and "agree in" in done.stdout
    assert [one.octets for one in reading.read(tmp_path / "out.pcap")][1] == RESTORED
    full = call("decode", str(path), "--packets", "2", "--fields", "--no-tshark")
    assert "RTP sequence number" in full.stdout and "IR," not in full.stdout
    document = json.loads(call("decode", str(path), "--json").stdout)
    assert document["verdicts"] == {"agree": 2, "differ": 0, "silent": 0}
    assert document["packets"][1]["judge"]["restored"] == RESTORED.hex()
    assert document["packets"][1]["tshark"]["title"] == "UO-0"


def test_a_difference_is_status_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = pcap(tmp_path / "x.pcap", 1, *rohc(IR, UO_0))
    cells = {"_ws.col.Info": "UO-1", "rohc.comp.sn": "9"}
    line = tshark.SEPARATOR.join(cells.get(name, "") for name in tshark_reading.FIELDS)
    fake_tshark(tmp_path, monkeypatch, f"printf '%s\\n' '{line}' '{line}'")
    done = call("decode", str(path), "--only-differing", "--json")
    assert done.returncode == 1
    names = [[one["name"] for one in packet["differences"]] for packet in json.loads(done.stdout)["packets"]]
    assert names == [["type"], ["type"]]


def test_a_damaged_file_is_status_1(tmp_path: Path) -> None:
    path = pcap(tmp_path / "x.pcap", 1, *rohc(IR, UO_0))
    path.write_bytes(path.read_bytes()[:-1])
    done = call("decode", str(path), "--no-tshark")
    assert done.returncode == 1
    assert "is damaged" in done.stderr and "Traceback" not in done.stderr
    assert "IR" in done.stdout
