# SPDX-License-Identifier: Apache-2.0
"""The judge of RFC 1144 before its own examples, and before compressors that break one rule each."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from headroom.core import requirements, tshark
from headroom.core.captures.dissection import LinkPacket
from headroom.core.paths import ROOT
from headroom.core.scheme_kit.line import Arrival, Sent
from headroom.schemes.vj import tshark_reading
from headroom.schemes.vj.dissector import WRONG_CHECKSUM, VjReader
from headroom.schemes.vj.judge import header as headers
from headroom.schemes.vj.judge import packet
from headroom.schemes.vj.judge.compressor import CompressorJudge, not_compressible
from headroom.schemes.vj.judge.decompressor import Decompressor
from headroom.schemes.vj.judge.header import Header
from headroom.schemes.vj.judge.packet import COMPRESSED, IP, UNCOMPRESSED
from headroom.schemes.vj.keywords.conformance import VjKeywords
from headroom.schemes.vj.line import LINE, VECTORS

FIRST = Header(
    tos=0,
    total_length=41,
    identification=1,
    fragment=0x4000,
    ttl=64,
    protocol=6,
    ip_checksum=0,
    addresses=bytes([192, 0, 2, 1, 198, 51, 100, 1]),
    ip_options=b"",
    source_port=1025,
    destination_port=23,
    sequence=1000,
    acknowledgement=5000,
    reserved=0,
    flags=headers.ACK,
    window=4096,
    tcp_checksum=0xBEEF,
    urgent=0,
    tcp_options=b"",
)


def octets(header: Header, data: bytes = b"a") -> bytes:
    return replace(header, total_length=header.length + len(data)).with_ip_checksum().octets() + data


def uncompressed(source: bytes, slot: int = 0) -> bytes:
    return source[:9] + bytes([slot]) + source[10:]


SECOND = replace(FIRST, sequence=1001, identification=2, tcp_checksum=0x1234)


@pytest.mark.parametrize("name", sorted(VECTORS.by_name))
def test_vectors_come_out_as_they_say(name: str) -> None:
    vector = VECTORS.by_name[name]
    judge = Decompressor(vector.channel["max_slot_id"] + 1)
    for number, arrival in enumerate(vector.arrivals):
        outcome = judge.receive(arrival.type, arrival.octets)
        assert outcome.free == arrival.free, number
        assert (outcome.restored, outcome.other) == (arrival.restored, arrival.other), number
        assert vector.requirement in requirements.load()


def test_the_numbers_of_the_specification() -> None:
    for text, value in (("0f", 15), ("ff", 255), ("00fffe", 65534), ("000000", 0)):
        found = packet.read(bytes.fromhex("081234" + text))
        assert found.changes["S"].value == value
        assert found.length == 3 + len(text) // 2


@pytest.mark.parametrize("text", ["", "80", "0f12", "4f", "4400123400ff", "01 1234"])
def test_what_is_no_compressed_header_is_refused(text: str) -> None:
    with pytest.raises(packet.NotVj, match=r"3\.2\.2"):
        packet.read(bytes.fromhex(text))


def test_the_highest_bit_of_a_mask_is_ignored() -> None:
    """B.1: "the most significant bit of the first byte of the compressed header is ignored"."""
    assert packet.read(bytes.fromhex("8f123462")) == packet.read(bytes.fromhex("0f123462"))


def findings(*sent: tuple[bytes, int, bytes], slots: int = 16, compress: bool = True) -> list[str]:
    judge = CompressorJudge(slots, compress)
    return [one.requirement for source, kind, link in sent for one in judge.sent(source, kind, link)]


BEGIN = (octets(FIRST), UNCOMPRESSED, uncompressed(octets(FIRST)))
GOOD = (octets(SECOND, b"b"), COMPRESSED, bytes.fromhex("0f123462"))


def test_a_compressor_that_keeps_the_rules() -> None:
    assert findings(BEGIN, GOOD) == []


@pytest.mark.parametrize(
    ("sent", "requirement"),
    [
        ((BEGIN, (octets(SECOND, b"b"), COMPRESSED, bytes.fromhex("081234 01 62"))), "RFC1144-3.2.3-10"),
        ((BEGIN, (octets(SECOND, b"b"), COMPRESSED, bytes.fromhex("4f00123462"))), "RFC1144-3.2.3-17"),
        ((BEGIN, (octets(SECOND, b"b"), COMPRESSED, bytes.fromhex("2f12340162"))), "RFC1144-3.2.3-11"),
        ((BEGIN, (octets(SECOND, b"b"), COMPRESSED, bytes.fromhex("0f123562"))), "RFC1144-3.2.2-6"),
        ((BEGIN, (octets(SECOND, b"b"), COMPRESSED, bytes.fromhex("1f123462"))), "RFC1144-3.2.2-6"),
        ((BEGIN, (octets(SECOND, b"b"), COMPRESSED, bytes.fromhex("2f12340262"))), "RFC1144-3.2.2-6"),
        ((BEGIN, (octets(SECOND, b"b"), COMPRESSED, bytes.fromhex("0812340262"))), "RFC1144-3.2.2-6"),
        ((BEGIN, (octets(SECOND, b"b"), COMPRESSED, bytes.fromhex("09123400000162"))), "RFC1144-3.2.2-6"),
        ((BEGIN, (octets(SECOND, b"b"), COMPRESSED, bytes.fromhex("0b123462"))), "RFC1144-3.2.2-4"),
        ((BEGIN, (octets(SECOND, b"b"), COMPRESSED, bytes.fromhex("0f123463"))), "RFC1144-3.2.3-16"),
        ((BEGIN, (octets(SECOND, b"b"), COMPRESSED, bytes.fromhex("4f10123462"))), "RFC1144-5.1-1"),
        ((BEGIN, (octets(SECOND, b"b"), UNCOMPRESSED, uncompressed(octets(SECOND, b"b")))), "RFC1144-3.2.3-8"),
        ((BEGIN, (octets(SECOND, b"b"), IP, octets(SECOND, b"b"))), "RFC1144-3.2.3-6"),
        ((BEGIN, (octets(replace(SECOND, ttl=63), b"b"), COMPRESSED, bytes.fromhex("0f123462"))), "RFC1144-3.2.3-4"),
        (((octets(FIRST), UNCOMPRESSED, uncompressed(octets(FIRST), 16)),), "RFC1144-5.1-1"),
        (((octets(FIRST), UNCOMPRESSED, uncompressed(octets(FIRST)) + b"x"),), "RFC1144-3.2.3-3"),
        (((octets(FIRST), 0x1234, octets(FIRST)),), "RFC1332-4-1"),
        ((GOOD,), "RFC1144-3.2.3-7"),
        (((octets(replace(FIRST, flags=headers.SYN)), UNCOMPRESSED, octets(FIRST)),), "RFC1144-3.2.3-15"),
        (((octets(replace(FIRST, fragment=0x2000)), UNCOMPRESSED, octets(FIRST)),), "RFC1144-3.2.3-14"),
        (((octets(replace(FIRST, protocol=17)), UNCOMPRESSED, octets(FIRST)),), "RFC1144-3.2.3-13"),
        (((octets(replace(FIRST, flags=headers.FIN | headers.ACK)), IP, octets(FIRST)),), "RFC1144-3.2.3-2"),
    ],
)
def test_a_compressor_that_breaks_a_rule(sent: tuple[tuple[bytes, int, bytes], ...], requirement: str) -> None:
    assert requirement in findings(*sent)


def test_comp_slot_id_of_zero() -> None:
    assert findings(BEGIN, GOOD, compress=False) == ["RFC1332-4.1-2"]
    explicit = (octets(SECOND, b"b"), COMPRESSED, bytes.fromhex("4f00123462"))
    assert findings(BEGIN, explicit, compress=False) == []


def test_a_slot_used_lately_is_not_reclaimed() -> None:
    def begin(port: int, slot: int) -> tuple[bytes, int, bytes]:
        source = octets(replace(FIRST, source_port=port))
        return source, UNCOMPRESSED, uncompressed(source, slot)

    assert findings(begin(1, 0), begin(2, 1), begin(3, 0), slots=2) == []
    assert findings(begin(1, 0), begin(2, 1), begin(3, 1), slots=2) == ["RFC1144-3.2.3-9"]
    assert findings(begin(1, 0), begin(2, 0), slots=2) == ["RFC1144-3.2.3-9"]


def test_what_nothing_changed_in_is_not_compressed() -> None:
    again = replace(FIRST, identification=2)
    assert "RFC1144-3.2.3-5" in findings(BEGIN, (octets(again), COMPRESSED, bytes.fromhex("00beef61")))


def test_a_connection_that_moves_to_another_slot() -> None:
    """No sentence keeps a compressor from it: the packet seeds the decompressor anew."""
    second = octets(SECOND, b"b")
    assert findings(BEGIN, (second, UNCOMPRESSED, uncompressed(second, 1))) == []


def damaged(source: bytes) -> bytes:
    """With another checksum of the IP header."""
    return source[:10] + bytes([source[10] ^ 1]) + source[11:]


@pytest.mark.parametrize("second", [damaged(octets(SECOND, b"b")), octets(SECOND, b"b") + b"\0\0"])
def test_packets_that_the_specification_says_nothing_of_may_go_in_any_way(second: bytes) -> None:
    """A wrong checksum of the IP header, and octets behind the total length."""
    ways = [
        (second, IP, second),
        (second, UNCOMPRESSED, uncompressed(second)),
        (second, COMPRESSED, bytes.fromhex("0f123462") + second[len(octets(SECOND, b"b")) :]),
        (second, COMPRESSED, bytes.fromhex("0f123462")),
    ]
    for way in ways:
        assert set(findings(BEGIN, way)) <= {"RFC1144-3.2.3-8"}
    assert findings((octets(FIRST)[:30], IP, octets(FIRST)[:30])) == []


def test_with_one_slot_compression_may_be_off() -> None:
    """Note 35."""
    assert findings((octets(FIRST), IP, octets(FIRST)), slots=1) == []
    assert findings((octets(FIRST), IP, octets(FIRST)), slots=2) == ["RFC1144-3.2.3-6"]


def test_flags_that_are_not_compared_may_be_lost_or_sent() -> None:
    """3.2.3 names the fields that remain to be compared; ECE and CWR, of a later RFC, are none of them."""
    second = octets(replace(SECOND, flags=headers.ACK | 0x40), b"b")
    judge = CompressorJudge()
    judge.sent(*BEGIN)
    assert judge.sent(second, COMPRESSED, bytes.fromhex("0f123462")) == []
    assert judge.unnoticed == 1
    assert findings(BEGIN, (second, UNCOMPRESSED, uncompressed(second))) == []


def test_special_masks_behind_urgent_data() -> None:
    """The procedure of 3.2.3 sends them; a compressor that knows what 3.2.4 makes of them does not."""
    urgent = octets(replace(SECOND, flags=headers.ACK | headers.URG, urgent=5), b"b")
    third = octets(replace(SECOND, sequence=1002, identification=3, urgent=5), b"c")
    begin = (BEGIN, (urgent, COMPRESSED, bytes.fromhex("0912340501") + b"b"))
    assert findings(*begin, (third, COMPRESSED, bytes.fromhex("0f123463"))) == []
    assert findings(*begin, (third, COMPRESSED, bytes.fromhex("0812340163"))) == []


def test_each_finding_has_a_requirement_that_is_no_may() -> None:
    text = (ROOT / "resources/headroom/schemes/vj/judge/compressor.py").read_text()
    named = set(re.findall(r"RFC\d+-[\d.]+-\d+", text))
    assert len(named) > 15
    assert {requirements.level_of(name) for name in named} == {"must", "should"}


def test_a_decompressor_may_do_as_the_specification_leaves_it() -> None:
    arrival = Arrival(COMPRESSED, b"", b"a", other=b"b")
    assert [bool(arrival.difference(output)) for output in (b"a", b"b", b"c", None)] == [False, False, True, True]
    assert Arrival(COMPRESSED, b"", None).difference(b"a")
    assert not any(Arrival(COMPRESSED, b"", None, free=True).difference(output) for output in (b"a", None))


def test_what_is_not_said_leaves_what_follows_open() -> None:
    judge = Decompressor()
    judge.receive(*BEGIN[1:])
    assert judge.receive(UNCOMPRESSED, damaged(uncompressed(octets(FIRST), 1))).free
    assert judge.receive(COMPRESSED, bytes.fromhex("0f123462")).free
    assert judge.receive(COMPRESSED, bytes.fromhex("4f00123462")).restored == octets(SECOND, b"b")
    assert judge.receive(COMPRESSED, bytes.fromhex("4f07123462")).free


def test_packets_that_are_not_to_be_compressed() -> None:
    assert not_compressible(octets(FIRST)[:30]) is None
    assert not_compressible(octets(FIRST)) is None
    assert not_compressible(b"\x60\0\0\0\0\x08\x11\x40" + bytes(40)) is not None


def test_tcp_checksum() -> None:
    segment = octets(replace(FIRST, tcp_checksum=0))
    pseudo = segment[12:20] + bytes([0, 6]) + (len(segment) - 20).to_bytes(2)
    words = pseudo + segment[20:] + b"\0"
    total = sum(int.from_bytes(words[at : at + 2]) for at in range(0, len(words), 2))
    total = (total & 0xFFFF) + (total >> 16)
    right = octets(replace(FIRST, tcp_checksum=~total & 0xFFFF))
    assert headers.has_right_tcp_checksum(right)
    assert not headers.has_right_tcp_checksum(right[:-1] + b"b")
    assert not headers.has_right_tcp_checksum(b"")


def test_losses_and_damage_are_the_same_each_time() -> None:
    sent = [Sent(*BEGIN), *(Sent(*GOOD) for _ in range(200))]
    arrivals = LINE.across(sent, {}, lost=0.1, damaged=0.1, seed=3)
    assert arrivals == LINE.across(sent, {}, lost=0.1, damaged=0.1, seed=3)
    reports = [one for one in arrivals if not one.octets]
    assert 5 < len(reports) < 40
    assert 160 < len(arrivals) < 200
    assert all(one.restored is None for one in reports)


@pytest.mark.parametrize(("change", "compared"), [("05", True), ("c8", False), ("000100", True)])
def test_changes_that_tshark_takes_for_signed_are_not_compared(change: str, compared: bool) -> None:
    """200, in one octet, reads like 65,480 there."""
    if not tshark.is_available():
        pytest.skip("tshark is not installed")
    window = bytes.fromhex("02beef" + change) + b"a"
    first = octets(FIRST)
    packets = [LinkPacket(uncompressed(first), 0, UNCOMPRESSED), LinkPacket(window, 1, COMPRESSED)]
    reading = tshark_reading.read(packets)[1]
    assert reading.title == "COMPRESSED_TCP"
    ours = tshark_reading.values_of(packet.read(window))
    assert ("window change" in reading.values) == compared
    assert all(ours[name] == value for name, value in reading.values.items() if name in ours)


@pytest.mark.parametrize("kind", [IP, UNCOMPRESSED])
def test_a_wrong_tcp_checksum_is_noted_of_any_packet(kind: int) -> None:
    whole = octets(FIRST)
    damaged = whole[:-1] + bytes([whole[-1] ^ 1])
    ours = VjReader().read(LinkPacket(damaged if kind == IP else uncompressed(damaged), 0, kind))
    assert ours.restored == damaged and ours.notes == [WRONG_CHECKSUM[kind]]


def test_tshark_does_not_read_a_link_without_packets_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    link = SimpleNamespace(sent=(), refused=(b"a", b"b"), done=SimpleNamespace(sent=2))
    monkeypatch.setattr(VjKeywords, "_compressed", lambda *_: (None, None, link))
    with pytest.raises(AssertionError, match="None of 2 packets is on the link"):
        VjKeywords().read_alike("tcp-bulk-data")
