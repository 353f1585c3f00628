# SPDX-License-Identifier: Apache-2.0
"""The judge of the TAROC draft before its own examples, and before compressors that break one rule each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headroom.core import requirements
from headroom.schemes.taroc.judge import packet, segment
from headroom.schemes.taroc.judge.compressor import CompressorJudge
from headroom.schemes.taroc.judge.decompressor import Decompressor
from headroom.schemes.taroc.judge.packet import COMPRESSED, IP, UNCOMPRESSED, Lsb
from headroom.schemes.taroc.judge.segment import ACK, NOP, PSH, SYN, Segment
from headroom.schemes.taroc.line import VECTORS

IPV4 = bytes.fromhex("450000000001400040060000c0000201c6336401")
FIRST = Segment(
    ip=IPV4,
    ports=bytes.fromhex("04010017"),
    sequence=1000,
    acknowledgement=5000,
    reserved=0,
    flags=ACK,
    window=4096,
    checksum=0,
    urgent=0,
    options=b"",
    data=b"a" * 10,
)
Sent = tuple[bytes, int, bytes]


def sound(one: Segment) -> Segment:
    """The same with the right TCP checksum (RFC 793, 3.1)."""
    tcp = replace(one, checksum=0).octets()[20:]
    pseudo = one.ip[12:20] + bytes([0, segment.TCP]) + len(tcp).to_bytes(2)
    return replace(one, checksum=0xFFFF - segment.ones_sum(pseudo + tcp))


def changed(identification: int = 1, **fields: object) -> Segment:
    return sound(replace(FIRST, **fields).with_ip(0, identification))  # type: ignore[arg-type]


def full(one: Segment, cid: int = 0) -> Sent:
    octets = one.octets()
    return octets, UNCOMPRESSED, octets[:2] + bytes([0, cid]) + octets[4:]


def compressed(one: Segment, rest: str, flags: int = 0x28, cid: int = 0, data: bytes | None = None) -> Sent:
    """A packet with this flag octet, and with bits or, behind "=", hexadecimal octets behind the checksum."""
    if rest.startswith("="):
        fields = bytes.fromhex(rest[1:])
    else:
        bits = rest.replace(" ", "")
        bits += "0" * (-len(bits) % 8)
        fields = int(bits, 2).to_bytes(len(bits) // 8) if bits else b""
    header = bytes([cid, flags]) + one.checksum.to_bytes(2) + fields
    return one.octets(), COMPRESSED, header + (one.data if data is None else data)


def findings(*sent: Sent, space: int = 15) -> list[str]:
    judge = CompressorJudge(space)
    return [one.requirement for packets in sent for one in judge.sent(*packets)]


BEGIN = full(sound(FIRST))
SECOND = changed(2, sequence=1010)
BITS = "00 01111110010 010"  # 1010 in 11 bits, 2 in 3
GOOD = compressed(SECOND, BITS)
THIRD = changed(3, sequence=1020)
FOURTH = changed(4, sequence=1030)


@pytest.mark.parametrize("name", sorted(VECTORS.by_name))
def test_vectors_come_out_as_they_say(name: str) -> None:
    vector = VECTORS.by_name[name]
    judge = Decompressor(vector.channel["tcp_space"])
    for number, arrival in enumerate(vector.arrivals):
        outcome = judge.receive(arrival.type, arrival.octets)
        assert not outcome.free, number
        assert outcome.restored == arrival.restored, number
    assert vector.requirement in requirements.load()


def test_the_examples_of_the_draft() -> None:
    assert Lsb(0b01111, 5).closest(291, 32) == 303
    assert Lsb(0b1100, 4).closest(279, 32) == Lsb(0b1100, 4).closest(283, 32) == 284
    assert Lsb(0b00010, 5).closest(279, 32) == Lsb(0b00010, 5).closest(283, 32) == 290
    assert Lsb(0b0110, 4).closest(279, 32) == Lsb(0b0110, 4).closest(283, 32) == 278


def test_numbers_wrap() -> None:
    assert Lsb(5, 4).closest(0xFFFFFFFE, 32) == 5
    assert Lsb(14, 4).closest(1, 16) == 0xFFFE


def test_a_compressor_that_keeps_the_rules() -> None:
    third = full(THIRD)
    assert findings(BEGIN, GOOD, third, compressed(FOURTH, "00 10000000110 100")) == []


def test_any_packet_may_go_as_it_is() -> None:
    assert findings((SECOND.octets(), IP, SECOND.octets())) == []


@pytest.mark.parametrize(
    ("sent", "requirement"),
    [
        ((BEGIN, compressed(SECOND, "00 01111110011 010")), "TAROC-A-1"),
        ((BEGIN, compressed(SECOND, "00 01111110010 011")), "TAROC-A-1"),
        ((BEGIN, compressed(SECOND, "00 01111110010", 0x08)), "TAROC-A-1"),
        ((BEGIN, compressed(SECOND, BITS, 0x38)), "TAROC-7.3.2-1"),
        ((BEGIN, compressed(changed(2, sequence=1010, flags=ACK | PSH), BITS)), "TAROC-7.3.2-1"),
        ((BEGIN, compressed(replace(SECOND, checksum=7), BITS, 0x28)[:2] + (GOOD[2],)), "TAROC-7.3.2-1"),
        ((BEGIN, compressed(SECOND, BITS, data=b"b" * 10)), "TAROC-7.3.2-1"),
        ((BEGIN, compressed(SECOND, "=", 0x28, data=b"")), "TAROC-7.3.2-1"),
        ((BEGIN, compressed(sound(FIRST), "00 001 001", 0x20)), "TAROC-7.3.2.1-3"),
        ((BEGIN, compressed(SECOND, BITS, cid=1)), "TAROC-4.1-1"),
        ((GOOD,), "TAROC-4.1-1"),
        ((BEGIN, GOOD, compressed(THIRD, "00 01111111100 011")), "TAROC-7.1.1-1"),
        ((BEGIN, compressed(sound(FIRST), "", 0x00)), "TAROC-7.1.1-2"),
        ((BEGIN, compressed(changed(sequence=900), "00 01110000100", 0x08)), "TAROC-7.1.2-1"),
        ((BEGIN, full(SECOND)), "TAROC-7.1.1-3"),
        ((full(sound(FIRST), 16),), "TAROC-7.3.1-1"),
        (((*BEGIN[:2], BEGIN[2] + b"x"),), "TAROC-7.3.1-1"),
        ((full(changed(flags=SYN)),), "TAROC-7.1-1"),
        (((FIRST.octets(), 0x1234, FIRST.octets()),), "TAROC-7.1-1"),
        (((FIRST.octets(), IP, SECOND.octets()),), "TAROC-7.1-1"),
    ],
)
def test_each_rule_that_is_broken_is_found(sent: tuple[Sent, ...], requirement: str) -> None:
    assert requirement in findings(*sent)
    assert requirement in requirements.load()


def test_a_field_that_cannot_change_is_compared() -> None:
    ip = IPV4[:8] + bytes([63]) + IPV4[9:]
    assert findings(BEGIN, compressed(sound(replace(FIRST, ip=ip)), "", 0x00))[-1] == "TAROC-7.3.2-1"


def test_each_packet_of_the_window_must_do_for_a_reference() -> None:
    """1023 octets behind the last packet 11 bits suffice, and behind the one before they do not."""
    second, third = changed(2, sequence=2023), full(changed(3, sequence=2023))
    narrow = compressed(changed(4, sequence=3046), "00 01111100110 100")
    wide = compressed(changed(4, sequence=3046), "01 000101111100110 0000100")
    steps = BEGIN, compressed(second, "00 11111100111 010"), third
    assert findings(*steps, narrow) == ["TAROC-5-2"]
    assert findings(*steps, wide) == []


def test_options_of_the_context() -> None:
    stamps = bytes([NOP, NOP, 8, 10]) + bytes(8)
    begin = full(changed(options=stamps))
    later = changed(options=stamps[:7] + b"\7" + stamps[8:])
    assert findings(begin, compressed(later, "=080007", 0x40)) == ["TAROC-7.1.1-2"]  # and nothing but that
    assert "TAROC-7.3.2.2-1" in findings(begin, compressed(later, "=080008", 0x40))
    assert "TAROC-7.3.2.2-1" in findings(BEGIN, compressed(later, "=080007", 0x40))


def test_layouts() -> None:
    stamps, block = bytes([NOP, NOP, 8, 10]) + bytes(range(8)), bytes([NOP, NOP, 5, 10]) + bytes(8)
    for options in (b"", stamps, stamps + block, block + stamps, bytes([0, 7, 7, 7])):
        layout = segment.layout_of(options)
        assert layout is not None and layout.filled(layout.timestamps, layout.others, layout.sack) == options
    for options in (bytes([8, 0]), bytes([8, 10, 1]), bytes([3]), stamps + stamps, block + block, bytes([5, 2])):
        assert segment.layout_of(options) is None
    context, other = segment.layout_of(stamps), segment.layout_of(block + stamps)
    assert context and other and not other.can_follow(context) and context.can_follow(other)


def test_what_the_draft_does_not_say_is_free() -> None:
    one = bytearray(BEGIN[2])
    one[-1] ^= 1
    judge = Decompressor()
    assert judge.receive(UNCOMPRESSED, bytes(one)).free, "a TCP checksum that is wrong"
    assert judge.receive(COMPRESSED, GOOD[2]).free
    assert judge.receive(UNCOMPRESSED, BEGIN[2]).restored == BEGIN[0]
    assert judge.receive(COMPRESSED, GOOD[2]).restored == GOOD[0]


@pytest.mark.parametrize("octets", ["", "00", "0028", "00280102", "0028010222", "00400102", "004001020800"])
def test_what_ends_too_early_is_no_header(octets: str) -> None:
    with pytest.raises(packet.NotTaroc, match=r"7\.3\.2"):
        packet.read(bytes.fromhex(octets))
