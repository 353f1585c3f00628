# SPDX-License-Identifier: Apache-2.0
"""ROHC that users bring: what tshark cannot read of it, profiles that are not read here, SID, sizes of CIDs, and lines
with two directions."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.core import tshark
from headroom.core.captures import direction
from headroom.core.captures.dissection import LinkPacket, Reading, ReadingComparison
from headroom.decode import run
from headroom.decode.run import DecodedPacket, DecodeOptions
from headroom.schemes.rohc.conformance.tcp_sender import TcpFlow, TcpSender
from headroom.schemes.rohc.decode.comparing import RohcReading
from headroom.schemes.rohc.decode.dissector import RohcDissector
from headroom.schemes.rohc.decode.reading import ChannelHints, RohcReader
from headroom.schemes.rohc.decode.tshark_reading import row_reading
from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.tcp.feedback import ACK as TCP_ACK
from headroom.schemes.rohc.judge.tcp.feedback import NACK, Feedback, write_feedback
from headroom.tests.decode.support import (
    ACK,
    IR,
    LARGE_IR,
    LARGE_UO_0,
    UO_0,
    ethernet,
    ipv4,
    pcap,
    udp,
)

with_tshark = pytest.mark.skipif(not tshark.is_available(), reason="tshark is not installed")

OUTER = "40 04 c0000201 c6336402"  # static IPv4: version 4, protocol 4 (IPv4), addresses
INNER = "40 {} cb007101 cb007102"
OUTER_DYNAMIC, INNER_DYNAMIC = "00 40 0001 a0 00", "00 40 0002 a0 00"  # TOS, TTL, IP-ID, DF and NBO, no list
RTP_DYNAMIC = "900003e800027150 00 05 80a0"  # RX, PT 0, SN 1000, TS 160080, no CSRC list; mode U, TSS; TS_STRIDE 160


def header(text: str, crc_at: int = 2, payload: bytes = b"abcd") -> bytes:
    """A packet with its CRC-8 (RFC 3095, 5.9.1) at an octet that `text` has as 00, and a payload."""
    octets = bytes.fromhex(text)
    return octets[:crc_at] + bytes([crc.crc8(octets)]) + octets[crc_at + 1 :] + payload


# Two IPv4 headers (RFC 3095, 5.7.7.4) in profile 0x0004 (RFC 3843) and 0x0001; an IR-DYN packet of the latter.
IP_IN_IP = header(f"fd 04 00 {OUTER} {INNER.format('01')} {OUTER_DYNAMIC} {INNER_DYNAMIC} 0007")
RTP_IN_IP = header(
    f"fd 01 00 {OUTER} {INNER.format('11')} 138c138e 11223344 {OUTER_DYNAMIC} {INNER_DYNAMIC} 0000 {RTP_DYNAMIC}"
)
IR_DYN_IN_IP = header(f"f8 01 00 {OUTER_DYNAMIC} {INNER_DYNAMIC} 0000 {RTP_DYNAMIC}")
UNCOMPRESSED = b"\xfc\x00" + bytes([crc.crc8(b"\xfc\x00")])  # its CRC covers what stands before it (5.10.1)
UNCOMPRESSED_IR = UNCOMPRESSED + ipv4(bytes(8), protocol=1)
FEEDBACK_1 = bytes.fromhex("f100")  # FEEDBACK-1 of CID 0, as profile 0x0000 has it (RFC 5795, 5.4.5)


def decoded(
    path: Path, *frames: bytes, ask: bool = False, link_type: int = 1, **words: object
) -> tuple[list[DecodedPacket], list[str]]:
    """The packets of a capture, and the remarks on it."""
    capture = run.read(DecodeOptions(pcap(path / "x.pcap", link_type, *frames), words, tshark=ask))
    assert capture.faults == []
    return list(capture.decoded()), capture.remarks


def rohc(*packets: bytes, source: int = 10) -> list[bytes]:
    return [ethernet(0x22F1, packet, source=source) for packet in packets]


def readings(*packets: bytes, hints: ChannelHints | None = None) -> list[RohcReading]:
    reader = RohcReader(hints or ChannelHints(), False)
    return [reader.read(LinkPacket(packet)) for packet in packets]


def compared(other: Reading, *packets: bytes) -> ReadingComparison:
    """Returns what becomes of tshark's reading of the last packet of a channel."""
    reader = RohcReader(ChannelHints(), False)
    for packet in packets[:-1]:
        reader.compare(reader.read(LinkPacket(packet)), None)
    return reader.compare(reader.read(LinkPacket(packets[-1])), other)


# ---- where tshark stops


@with_tshark
def test_tshark_stops_behind_the_first_ip_header(tmp_path: Path) -> None:
    packets, _ = decoded(tmp_path, *rohc(IP_IN_IP, RTP_IN_IP, IR_DYN_IN_IP), ask=True)
    assert [one.ours.error for one in packets if one.ours] == ["", "", ""]
    assert [one.compared.differences for one in packets] == [[], [], []]
    assert {"type", "CID", "profile", "CRC"} <= set(packets[0].compared.agreed) & set(packets[1].compared.agreed)
    assert packets[2].compared.silent.startswith("tshark knows of one IP header")


def test_what_tshark_makes_of_the_wrong_octets_is_no_difference() -> None:
    front = {"CID": 0, "profile": 1, "CRC": IR_DYN_IN_IP[2]}
    assert compared(Reading("IR-DYN", front | {"SN": 8192, "TS": 1, "PT": 116}), RTP_IN_IP, IR_DYN_IN_IP).silent
    ir = Reading("IR", {"CID": 0, "profile": 1, "CRC": RTP_IN_IP[2], "source port": 1, "IPv4 source": ["192.0.2.1"]})
    assert compared(ir, RTP_IN_IP).agreed == ["type", "CID", "profile", "CRC", "IPv4 source"]
    ir.values["IPv4 source"] = ["192.0.2.9"]
    assert [one.name for one in compared(ir, RTP_IN_IP).differences] == ["IPv4 source"]


@pytest.mark.parametrize("note", ["not dissected yet", "profile not supported", "profile-specific part not dissected"])
def test_nothing_behind_the_place_where_tshark_stops_is_compared(note: str) -> None:
    other = Reading("IR", {"CID": 0, "profile": 1, "CRC": IR[2], "SN": 7, "TS": 7, "SSRC": 7}, notes=[note])
    assert compared(other, IR).agreed == ["type", "CID", "profile", "CRC"]
    assert not compared(other, IR).differences
    other.notes = []
    assert len(compared(other, IR).differences) == 3


@with_tshark
def test_an_uncompressed_ir_behind_feedback(tmp_path: Path) -> None:
    cut = UNCOMPRESSED + bytes.fromhex("4500 0400") + bytes(20)
    packets, _ = decoded(tmp_path, *rohc(UNCOMPRESSED_IR, FEEDBACK_1 + UNCOMPRESSED_IR, cut), ask=True)
    assert [one.compared.verdict for one in packets[:2]] == ["agree", "agree"]
    assert {"type", "CID", "profile", "CRC"} <= set(packets[1].compared.agreed)
    assert not packets[2].compared.differences


def test_the_type_of_an_ir_packet_is_not_what_it_carries() -> None:
    for info in ("Echo (ping) request", "UO-0"):
        assert row_reading({"rohc.ir_packet": ["0xfc"], "_ws.col.Info": [info], "rohc.profile": ["0"]}).title == "IR"
    assert row_reading({"rohc.ir_dyn_packet": ["0xf8"], "_ws.col.Info": [""]}).title == "IR-DYN"


# ---- profiles that are not read here


@pytest.mark.parametrize(
    ("packet", "names"),
    [
        (bytes.fromhex("fd0500 01020304"), "0x0005 (LLA, RFC 4362) or 0x0105 (LLA with R-mode, RFC 3408)"),
        (bytes.fromhex("fd4200 01020304"), "0x..42"),
    ],
)
def test_a_profile_that_is_not_implemented_is_no_fault_of_the_sender(packet: bytes, names: str) -> None:
    first, second, *_, mended = readings(packet, b"\x01abc", IR, UO_0)
    assert first.error.startswith(f"The packet is of profile {names}, which is not enabled or not implemented.")
    assert "is unknown since a packet with profile 0x" in second.error
    assert not mended.error
    assert compared(Reading("IR", {"CID": 0}), packet).silent == "our judge does not read the packet"


def test_a_profile_that_the_user_left_out() -> None:
    (found,) = readings(IR, hints=ChannelHints(profiles=frozenset({0, 2})))
    assert "0x0001 (RTP) or 0x0101 (ROHCv2 RTP, RFC 5225), which is not enabled" in found.error


def test_perhaps_rohcv2() -> None:
    """An IR packet of profile 0x0102 has the octet of 0x0002: by its CRC, or its static chain, it is none of it."""
    wrong_crc = IR[:1] + b"\x02" + IR[2:]
    not_innermost = bytes.fromhex("fd 04 00 00 29 c0000201 c6336402") + bytes(60)  # an IPv4 part begins with 0
    for packet, number in ((wrong_crc, "0x0102 (ROHCv2 UDP, RFC 5225)"), (not_innermost, "0x0104 (ROHCv2 IP, RFC 522")):
        first, second, *_, mended = readings(packet, b"\x01abc", IR, UO_0)
        assert first.notes[0].startswith(f"perhaps it is ROHCv2 (profile {number}")
        assert second.notes[0].startswith("the last IR packet for CID 0 was refused: perhaps it is ROHCv2")
        assert not mended.error and not mended.notes
    static_alone = b"\xfc\x01\x55" + IR[3:]  # ROHCv2 has no IR packet without a dynamic chain
    assert not readings(static_alone)[0].notes


# ---- SID outside its profiles


@pytest.mark.parametrize(
    ("flags", "types_0", "ip_ids"),
    [("30", ("0c", "14"), [77, 77, 77]), ("20", ("0b", "17"), [77, 78, 79])],  # NBO, with SID and without
)
def test_a_constant_ip_id_is_named_at_each_packet(flags: str, types_0: tuple[str, ...], ip_ids: list[int]) -> None:
    """UO-0 of SN 1 and 2 behind an IR packet of profile 0x0002 with SN 0 and IP-ID 77."""
    ir = header(f"fd 02 00 4011c0000201c6336402 03e807d0 0040004d{flags}00 0000 0000")
    packets = readings(ir, *(bytes.fromhex(one) + b"data" for one in types_0))
    assert [int.from_bytes(one.restored[4:6], "big") for one in packets if one.restored] == ip_ids
    for one in packets:
        assert not one.error
        assert any("SID (RFC 3843, 3.3)" in note for note in one.notes) == (flags == "30")


# ---- sizes of CIDs


def test_feedback_of_the_other_direction_has_the_large_cids_of_it(tmp_path: Path) -> None:
    forward = rohc(LARGE_IR, LARGE_UO_0)
    clock = bytes.fromhex("f5 64 2005 510a")  # CID 100, ACK, mode O, SN 5, CLOCK 10 ms
    either = bytes.fromhex("f2 6405")  # FEEDBACK-1 of CID 100, or FEEDBACK-2 of CID 0 with small CIDs
    for reverse in (clock, either):
        packets, _ = decoded(tmp_path, forward[0], *rohc(reverse, source=12), forward[1])
        ours = packets[1].ours
        assert ours is not None and ours.notes == []
        assert ours.values["feedback"][0]["CID"] == 100  # type: ignore[index,call-overload]
    alone, remarks = decoded(tmp_path, *rohc(clock))
    assert alone[0].ours is not None and alone[0].ours.values["feedback"][0]["CID"] == 100  # type: ignore[index,call-overload]
    assert remarks[0].startswith("Read with large CIDs, which made more sense")
    small, _ = decoded(tmp_path, *rohc(IR, ACK, UO_0))
    assert small[1].ours is not None and small[1].ours.values["feedback"][0]["SN"] == 5  # type: ignore[index,call-overload]


@pytest.mark.parametrize(
    ("packet", "cid", "name"),
    [
        ("fd 09 06 82 01020304", 9, "ROHC-TCP"),
        ("fd 00 02 82 40110102", 0, "ROHCv2 UDP"),
        ("fd 02 02 11 40110102", 2, "ROHCv2 UDP"),
        ("fd 04 11 40060102", 0, "ROHCv2 IP"),
    ],
)
def test_profiles_that_are_not_read_say_the_size_of_cids_too(tmp_path: Path, packet: str, cid: int, name: str) -> None:
    words = {"profiles": "0x0000,0x0002,0x0004"}
    packets, _ = decoded(tmp_path, *rohc(*2 * [bytes.fromhex(packet)]), **words)
    for one in packets:
        assert one.ours is not None and name in " ".join([one.ours.error, *one.ours.notes])
        assert one.ours.values["CID"] == cid


# ---- two directions on a line


def test_what_tells_the_directions_of_a_line_apart() -> None:
    dissector = RohcDissector()
    assert dissector.ends(LinkPacket(IR)) == (bytes([192, 0, 2, 1]), bytes([198, 51, 100, 2]))
    assert (
        dissector.ends(LinkPacket(LARGE_IR)) == dissector.ends(LinkPacket(IP_IN_IP)) == dissector.ends(LinkPacket(IR))
    )
    assert dissector.ends(LinkPacket(FEEDBACK_1 + UNCOMPRESSED_IR)) == (bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]))
    group = UNCOMPRESSED + ipv4(udp(b"a"), destination="e0000001")
    for packet in (UO_0, ACK, group, b""):
        assert dissector.ends(LinkPacket(packet)) is None
    reader, peer = RohcReader(ChannelHints(), False), RohcReader(ChannelHints(), False)
    assert reader.read(LinkPacket(IR)).verified is True
    copy = reader.copy()
    assert copy.read(LinkPacket(UO_0)).verified is True
    wrong = bytes([UO_0[0] ^ 1]) + UO_0[1:]
    refused = reader.read(LinkPacket(wrong))
    assert refused.error and not refused.verified
    assert reader.read(LinkPacket(UO_0)).verified is True, "the copy has not moved it"
    assert peer.read(LinkPacket(ACK)).verified is None
    assert peer.is_plausible(reader) and not peer.is_plausible(RohcReader(ChannelHints(), False))


# ROHC with small CIDs on PPP (RFC 3241): protocol 0x0003, all of a UDP flow of profile 0x0002 in each direction.
THERE = ("fd 02 e4 4011c0000201c6336402 03e807d0 0040004d3000 0000 0000", "0c", "14")
BACK = ("4011c6336402c0000201 07d003e8 00400009a000 0000 0050",)


def ppp(*packets: bytes) -> list[bytes]:
    return [b"\x00\x03" + packet for packet in packets]


def test_two_directions_of_a_ppp_line(tmp_path: Path) -> None:
    """Both use CID 0 of their own; no frame says which end sent it (DLT 9)."""
    there = [bytes.fromhex(one) + b"data" for one in THERE]
    back = [header(f"fd 02 00 {BACK[0]}", payload=b"back")]
    back += following(back[0], 3)
    mixed = ppp(there[0], back[0], back[1], there[1], back[2], there[2], back[3])
    packets, remarks = decoded(tmp_path, *mixed, link_type=9)
    restored = [one.ours.restored for one in packets if one.ours]
    assert all(restored) and not any(one.ours.error for one in packets if one.ours)
    sources = [octets[12] for octets in restored if octets]
    assert sources == [192, 198, 198, 192, 198, 192, 198]
    assert any("addresses and checksums" in remark for remark in remarks)


def following(ir: bytes, count: int) -> list[bytes]:
    """UO-0 packets with SN 0x51 and so on, each with the one CRC-3 that makes it the next."""
    reader, found = RohcReader(ChannelHints(), False), []
    reader.read(LinkPacket(ir))
    for number in range(1, count + 1):
        tries = [bytes([number << 3 | bits]) + b"back" for bits in range(8)]
        found += [one for one in tries if not reader.copy().read(LinkPacket(one)).error]
        reader.read(LinkPacket(found[-1]))
    return found


def test_octets_that_were_not_captured_count_for_lengths() -> None:
    reader = RohcReader(ChannelHints(), False)
    reader.read(LinkPacket(IR))
    cut = reader.copy().read(LinkPacket(UO_0[:-3], missing=3))
    whole = reader.read(LinkPacket(UO_0))
    assert whole.restored is not None and not cut.error
    assert cut.restored == whole.restored[:-3]


# Behind the IR packet of SN 0 and the UO-0 packets of SN 1 and 2, and behind that of SN 0x50: both have CID 0.
ACK_THERE, ACK_BACK = bytes.fromhex("f2 20 02"), bytes.fromhex("f2 20 50")  # FEEDBACK-2 ACK, mode O, SN
ACK_OF_NEITHER, NACK_WITHOUT_SN = bytes.fromhex("f2 27 00"), bytes.fromhex("f3 60 00 30")  # SN-NOT-VALID


@pytest.mark.parametrize("head", ["0003", "03", "ff030003", "ff0303"])
def test_feedback_alone_on_a_line_without_directions(tmp_path: Path, head: str) -> None:
    """Feedback needs no context (RFC 5795, 5.2.4): it is no error without a direction. Its SN says what it answers."""
    there = [bytes.fromhex(one) + b"data" for one in THERE]
    back = [header(f"fd 02 00 {BACK[0]}", payload=b"back")]
    back += following(back[0], 1)
    mixed = [there[0], ACK_THERE, back[0], ACK_BACK, *there[1:], ACK_THERE, back[1], ACK_OF_NEITHER, NACK_WITHOUT_SN]
    frames = [bytes.fromhex(head) + one for one in mixed]
    packets, remarks = decoded(tmp_path, *frames, link_type=9)
    assert [one.ours.error for one in packets if one.ours] == [""] * len(mixed)
    names = {"there": "from 192.0.2.1", "back": "from 198.51.100.2", "unknown": direction.UNKNOWN}
    ends = ["there", "back", "back", "there", "there", "there", "back", "back", "unknown", "unknown"]
    assert [one.channel for one in packets] == [names[one] for one in ends]
    notes = ["direction is unknown" in " ".join(one.ours.notes) for one in packets if one.ours]
    assert notes == [one == "unknown" for one in ends]
    assert not any("fit neither direction" in remark for remark in remarks)
    assert "Link packets of unknown direction, read apart: 2." in remarks


def test_feedback_alone_answers_contexts_by_cid_and_profile(tmp_path: Path) -> None:
    """Only the other direction has CID 3; CID 0 has profile 0x0000 there and 0x0002 here."""
    there = [bytes.fromhex(THERE[0]) + b"data"]
    back = [header(f"fd 02 00 {BACK[0]}", payload=b"back")]
    third = b"\xe3" + header(f"fd 02 00 {BACK[0]}", payload=b"back")
    third = third[:3] + bytes([crc.crc8(third[:3] + b"\0" + third[4:-4])]) + third[4:]
    acks = [bytes.fromhex("f3 e3 20 50"), bytes.fromhex("f3 e3 27 00")]  # the second one with an SN of long ago
    packets, _ = decoded(tmp_path, *ppp(*there, *back, third, *acks), link_type=9)
    assert [one.ours.error for one in packets if one.ours] == [""] * 5
    assert [one.channel for one in packets[3:]] == ["from 192.0.2.1"] * 2
    plain = UNCOMPRESSED + ipv4(bytes(8), protocol=1, source="c6336402", destination="c0000201")
    answers = [bytes.fromhex("f2 27 00"), bytes.fromhex("f1 00")]
    packets, _ = decoded(tmp_path, *ppp(*there, plain, *answers), link_type=9)
    assert [one.ours.error for one in packets if one.ours] == [""] * 4
    assert [one.channel for one in packets[2:]] == ["from 198.51.100.2", direction.UNKNOWN]


# ---- ROHC-TCP


def tcp_packets(*kinds: str) -> list[bytes]:
    sender = TcpSender(TcpFlow.of("tcp-ipv4"))
    return [sender.packet(kind)[0] for kind in kinds]


TCP_NACK = Feedback(NACK, 1002, 14)


def element(one: Feedback) -> bytes:
    data = write_feedback(one)
    return bytes([0xF0 | len(data)]) + data


def test_packets_of_rohc_tcp() -> None:
    found = readings(*tcp_packets("IR", "seq_1", "IR-DYN", "co_common"))
    assert [one.error for one in found] == [""] * 4
    assert [one.title for one in found] == ["IR", "seq_1", "IR-DYN", "co_common"]
    assert [one.values["MSN"] for one in found] == [1000, 1001, 1002, 1003]
    assert {one.values["profile"] for one in found} == {6}
    assert found[0].values["source port"] == 40000 and all(one.verified for one in found)
    assert compared(Reading("Normal", {"CID": 3}), *tcp_packets("IR", "seq_1")).silent.endswith("ROHC-TCP")


def test_feedback_of_rohc_tcp_is_told_by_its_crc() -> None:
    right = element(TCP_NACK)
    (found,) = readings(right)
    told = {"type": "FEEDBACK-2", "CID": 0, "MSN": 1002, "acknowledgement": "NACK", "options": []}
    assert found.values["feedback"] == [told]
    assert RohcDissector().phrases("feedback", found.values["feedback"]) == ["FEEDBACK-2 NACK CID 0 MSN 1002"]
    assert compared(Reading("feedback", {"feedback": [{"SN": 5}]}), right).silent.endswith("feedback of ROHC-TCP")
    (other,) = readings(right[:-1] + bytes([right[-1] ^ 1]))
    assert "MSN" not in str(other.values.get("feedback"))


@pytest.mark.parametrize(
    ("one", "fits"),
    [
        (Feedback(NACK, 1002, 14), 2),
        (Feedback(TCP_ACK, 1002 & 0xFF, 8), 2),
        (Feedback(NACK, 5, 14), 1),
        (Feedback(NACK, 1002, 14, cid=3), 0),
    ],
)
def test_feedback_answers_a_context_of_rohc_tcp(one: Feedback, fits: int) -> None:
    there, back = RohcReader(ChannelHints(), False), RohcReader(ChannelHints(), False)
    for packet in tcp_packets("IR", "seq_1", "seq_1"):
        there.read(LinkPacket(packet))
    back.read(LinkPacket(element(one)))
    assert back.answers(there) == fits
    assert back.is_plausible(there) is (fits > 0)
    assert there.answers(back) == 0


def test_feedback_of_rohc_tcp_answers_no_context_of_another_profile() -> None:
    there, back = RohcReader(ChannelHints(), False), RohcReader(ChannelHints(), False)
    there.read(LinkPacket(IR))
    back.read(LinkPacket(element(TCP_NACK)))
    assert back.answers(there) == 0
