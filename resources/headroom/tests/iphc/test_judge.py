# SPDX-License-Identifier: Apache-2.0
"""The judge of RFC 2507 before packets written by hand, and before compressors that break one rule each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from headroom.schemes.iphc.judge import chain as chains
from headroom.schemes.iphc.judge import link
from headroom.schemes.iphc.judge.chain import Chain, checksum
from headroom.schemes.iphc.judge.compressor import CompressorJudge
from headroom.schemes.iphc.judge.decompressor import Decompressor, Parameters

SECOND = 1_000_000_000


def ipv4(carried: bytes, protocol: int = 6, identification: int = 1, tos: int = 0, ttl: int = 64) -> bytes:
    start = bytes([0x45, tos]) + (20 + len(carried)).to_bytes(2) + identification.to_bytes(2) + b"\x40\0"
    header = start + bytes([ttl, protocol]) + b"\0\0" + bytes([192, 0, 2, 1, 198, 51, 100, 1])
    return header[:10] + checksum(header).to_bytes(2) + header[12:] + carried


def ipv6(carried: bytes, protocol: int = 6) -> bytes:
    start = b"\x60\0\0\0" + len(carried).to_bytes(2) + bytes([protocol, 64])
    return start + bytes(15) + b"\1" + bytes(15) + b"\2" + carried


def tcp(sequence: int, data: bytes = b"data", acknowledgement: int = 5, flags: int = 0x10, window: int = 9) -> bytes:
    """A segment with the checksum for the addresses of `ipv4`."""
    start = b"\x04\x01\0\x17" + sequence.to_bytes(4) + acknowledgement.to_bytes(4) + bytes([0x50, flags])
    segment = start + window.to_bytes(2) + bytes(4) + data
    pseudo = bytes([192, 0, 2, 1, 198, 51, 100, 1, 0, 6]) + len(segment).to_bytes(2)
    return segment[:16] + checksum(pseudo + segment).to_bytes(2) + segment[18:]


def udp(data: bytes = b"dd", check: int = 0xABCD) -> bytes:
    return b"\x13\x88\x13\x89" + (8 + len(data)).to_bytes(2) + check.to_bytes(2) + data


def full(packet: bytes, first: bytes = b"\0\0", second: bytes = b"", at: int = 2, then: int = 24) -> bytes:
    """A full header with these octets in its length fields."""
    packet = packet[:at] + first + packet[at + 2 :]
    return packet[:then] + second + packet[then + len(second) :]


FIRST, NEXT = ipv4(tcp(1000)), ipv4(tcp(1004), identification=2)


def compressed(packet: bytes, flags: int, rest: bytes = b"", data: int = 4) -> bytes:
    return bytes([0, flags]) + packet[36:38] + rest + packet[len(packet) - data :]


def classes(packet: bytes) -> str:
    return " ".join(
        f"{one.name}:{one.cls[0]}" for part in chains.read(packet).parts for one in part.fields if one.cls != "NOCHANGE"
    )


def test_the_classes_of_section_7() -> None:
    assert classes(ipv4(udp(), 17)) == "Total Length:I Identification:R Header Checksum:I Length:I Checksum:R"
    assert classes(ipv4(udp(check=0), 17)) == "Total Length:I Identification:R Header Checksum:I Length:I"
    assert [one.kind for one in chains.read(ipv6(FIRST, 4)).parts] == ["IPv6", "IPv4", "TCP"]
    assert chains.read(FIRST).parts[0].of_class("DELTA").keys() == {"TOS bits 6 and 7", "Identification"}
    option = bytes([17, 0, 0x1E, 2, 7, 7, 1, 0])
    assert classes(ipv6(option + udp(), 60)) == "Payload Length:I data at 2:R Length:I Checksum:R"
    assert classes(ipv6(bytes([17, 0, 0, 1, 0, 0, 0, 9]) + udp(), 44)).count(":R") == 4
    assert not chains.read(b"\x44" + FIRST[1:]).parts


@pytest.mark.parametrize("at", [3, 10, 8])
def test_what_cannot_be_inferred(at: int) -> None:
    packet = bytearray(FIRST)
    packet[at] ^= 1
    assert chains.read(FIRST).is_sound(FIRST) and not chains.read(bytes(packet)).is_sound(bytes(packet))


def test_link_packets_by_hand() -> None:
    judge = Decompressor()
    assert judge.receive(link.TCP, compressed(NEXT, 0x0F)).restored is None
    assert judge.receive(link.FULL, full(FIRST)).restored == FIRST
    outcome = judge.receive(link.TCP, compressed(NEXT, 0x0F))
    assert (outcome.restored, outcome.free) == (NEXT, False)
    third = ipv4(tcp(1008, acknowledgement=305, flags=0x18), identification=1, tos=1)
    changes = bytes([0x01, 0, 0x01, 0x2C, 4, 0, 0xFF, 0xFF])
    assert judge.receive(link.TCP, compressed(third, 0xBC, changes)).restored == third
    fourth = ipv4(tcp(1012, acknowledgement=305), identification=2)
    assert judge.receive(link.TCP, compressed(fourth, 0x0F)).restored == fourth, "the R-octet updates nothing"
    fifth = ipv4(tcp(7, b"", 8, 0x02), identification=0x8000)
    assert judge.receive(link.NODELTA, b"\0\x80\0" + fifth[24:]).restored == fifth


def test_behind_a_loss_it_depends_on_the_decompressor() -> None:
    judge = Decompressor()
    judge.receive(link.FULL, full(FIRST))
    third = ipv4(tcp(1008), identification=3)
    assert judge.receive(link.TCP, compressed(third, 0x0F)).free
    assert judge.receive(link.FULL, full(third)).restored == third
    fourth = ipv4(tcp(1012), identification=4)
    assert not judge.receive(link.TCP, compressed(fourth, 0x0F)).free


def test_non_tcp_headers_by_hand() -> None:
    judge = Decompressor(Parameters(non_tcp_space=0x102))
    packet = ipv4(udp(), 17)
    rest = packet[4:6] + b"\xab\xcddd"
    assert judge.receive(link.FULL, full(packet, b"\x07\x02", b"\0\0")).restored == packet
    assert judge.receive(link.NON_TCP, b"\x02\x07" + rest).restored == packet
    assert judge.receive(link.NON_TCP, b"\x02\x08" + rest).restored is None
    assert judge.receive(link.NON_TCP, b"\x00\x87\x02" + rest).restored == packet
    assert judge.receive(link.FULL, full(packet, b"\x87\x00", b"\x01\x02")).cid == 0x102
    assert judge.receive(link.FULL, full(ipv4(b"icmp", 1), b"\x87\x00")).restored is None


def remarks(*packets: tuple[bytes, int, bytes] | tuple[bytes, int, bytes, int]) -> set[str]:
    judge = CompressorJudge()
    return {broken for one in packets for broken, _ in judge.remarks(*one)}


BEGUN = (FIRST, link.FULL, full(FIRST))


def test_a_compressor_without_fault() -> None:
    assert remarks(BEGUN, (NEXT, link.TCP, compressed(NEXT, 0x0F)), (NEXT, link.FULL, full(NEXT))) == set()


ECN = ipv4(tcp(1004), identification=2, tos=1)
AGAIN = ipv4(tcp(1000), identification=2)


@pytest.mark.parametrize(
    ("broken", "source", "type_", "octets"),
    [
        ("RFC3544-4-1", NEXT, 0x002D, NEXT),
        ("RFC2507-3.1-3", NEXT, link.IPV4, FIRST),
        ("RFC2507-5.3.1-1", NEXT, link.FULL, full(NEXT, b"\1\0")),
        ("RFC2507-9-1", NEXT, link.TCP, b"\1" + compressed(NEXT, 0x0F)[1:]),
        ("RFC2507-7-1", NEXT, link.TCP, compressed(NEXT, 0x0B)),
        ("RFC2507-6-2", NEXT, link.TCP, compressed(NEXT, 0x08, b"\4")),
        ("RFC2507-6-2", NEXT, link.TCP, compressed(NEXT, 0x2F, b"\1")),
        ("RFC2507-6-7", NEXT, link.TCP, compressed(NEXT, 0x8F, b"\0")),
        ("RFC2507-7-1", ECN, link.TCP, compressed(ECN, 0x0F)),
        ("RFC2507-6-6", NEXT, link.TCP, compressed(NEXT, 0x4F)),
        ("RFC2507-7.12.1-2", NEXT, link.TCP, compressed(NEXT, 0x0A, b"\0\0\0\4")),
        ("RFC2507-7.12.1-2", NEXT, link.TCP, compressed(NEXT, 0x08, b"\0\0\4")),
        ("RFC2507-3.2-1", AGAIN, link.TCP, compressed(AGAIN, 0x00)),
        ("RFC2507-3.1-2", AGAIN, link.NODELTA, b"\0" + AGAIN[4:6] + AGAIN[24:]),
        ("RFC2507-7-3", ipv4(tcp(1004), identification=2, ttl=9), link.TCP, compressed(NEXT, 0x0F)),
        ("RFC2507-7.1-2", NEXT + b"p", link.FULL, full(NEXT + b"p")),
    ],
)
def test_each_rule_for_tcp(broken: str, source: bytes, type_: int, octets: bytes) -> None:
    assert broken in remarks(BEGUN, (source, type_, octets))


def test_a_request_is_answered() -> None:
    judge = CompressorJudge()
    assert not [*judge.remarks(*BEGUN)]
    judge.request(b"\0")
    found = judge.remarks(NEXT, link.TCP, compressed(NEXT, 0x0F))
    assert [broken for broken, _ in found] == ["RFC2507-10.2-5"]


def datagrams(forms: str, change: Callable[[int], int] = lambda number: 64, step: int = SECOND) -> set[str]:
    """Remarks on datagrams that are sent as `forms` says: full headers as their generation in hexadecimal, compressed
    ones as `-`; the time to live is that of `change`."""
    sent, generation = [(FIRST, link.IPV4, FIRST, 0)], 0
    for number, form in enumerate(forms):
        packet, time = ipv4(udp(), 17, ttl=change(number)), 3 * SECOND + number * step
        if form == "-":
            octets = bytes([0, generation]) + packet[4:6] + packet[26:]
            sent.append((packet, link.NON_TCP, octets, time))
        else:
            generation = int(form, 16)
            sent.append((packet, link.FULL, full(packet, bytes([generation, 0]), b"\0\0"), time))
    return remarks(*sent)


def test_each_rule_for_generations() -> None:
    assert datagrams("0-0--0----0") == set()
    assert datagrams("0-0---") == {"RFC2507-3.3.1-1"}
    assert datagrams("0-0--0---", step=2 * SECOND) == {"RFC2507-3.3.2-2"}
    assert datagrams("0-1") == {"RFC2507-3.3-2"}
    assert datagrams("0-1-", lambda number: 64 + number // 2) == set()
    assert datagrams("0-2-", lambda number: 64 + number // 2) == {"RFC2507-8-2"}
    assert datagrams("0-0-", lambda number: 64 + number // 2) == {"RFC2507-8-2", "RFC2507-3.3-3"}
    packet = ipv4(udp(), 17)
    first = (packet, link.FULL, full(packet, b"\0\0", b"\0\0"), 0)
    assert remarks(first) == {"RFC2507-3.3-5"}


def test_a_chain_is_copied() -> None:
    chain: Chain = chains.read(FIRST)
    copy = chain.copy()
    copy.parts[0]["Time to Live"] = 9
    assert chain.octets() == FIRST[:40] != copy.octets()
