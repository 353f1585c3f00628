# SPDX-License-Identifier: Apache-2.0
"""The judge of RFC 2507 before packets written by hand, and before compressors that break one rule each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from headroom.core.scheme_kit.line import Arrival, Sent
from headroom.schemes.iphc import context_state, numbers
from headroom.schemes.iphc.judge import chain as chains
from headroom.schemes.iphc.judge import link
from headroom.schemes.iphc.judge.chain import Chain, checksum
from headroom.schemes.iphc.judge.compressor import CompressorJudge
from headroom.schemes.iphc.judge.decompressor import Decompressor, Parameters
from headroom.schemes.iphc.line import VECTORS, parameters
from headroom.schemes.iphc.odd_packets import packets

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
        ("", NEXT, link.TCP, compressed(NEXT, 0x08, b"\4")),  # what RFC 1144 recommends
        ("", NEXT, link.TCP, compressed(NEXT, 0x2F, b"\1")),
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
    assert datagrams("0-0---") == {"RFC2507-3.3.1-1"}
    assert datagrams("0-0--0---", step=2 * SECOND) == {"RFC2507-3.3.2-2"}
    assert datagrams("0-1") == {"RFC2507-3.3-2"}
    assert datagrams("0-1-", lambda number: 64 + number // 2) == set()
    assert datagrams("0-2-", lambda number: 64 + number // 2) == {""}, "3.3.3 has one more, which is no rule"
    assert datagrams("0-0--0--0") == {""}, "a full header may come sooner"
    assert datagrams("0-0--0----0") == set()
    assert datagrams("0-0-", lambda number: 64 + number // 2) == {"RFC2507-8-2", "RFC2507-3.3-3"}
    packet = ipv4(udp(), 17)
    first = (packet, link.FULL, full(packet, b"\0\0", b"\0\0"), 0)
    assert remarks(first) == {"RFC2507-3.3-5"}


def test_a_new_stream_of_a_cid_has_the_next_generation() -> None:
    other = ipv4(b"\x13\x89" + udp()[2:], 17)
    one = ipv4(udp(), 17)
    sent = [(FIRST, link.IPV4, FIRST, 0), (one, link.FULL, full(one, b"\5\0", b"\0\0"), 4 * SECOND)]
    assert remarks(*sent, (other, link.FULL, full(other, b"\6\0", b"\0\0"), 5 * SECOND)) == set()
    assert remarks(*sent, (other, link.FULL, full(other, b"\7\0", b"\0\0"), 5 * SECOND)) == {"RFC2507-8-2"}


def test_acknowledgements_that_repeat_are_no_retransmissions() -> None:
    first, again = ipv4(tcp(1000, b"")), ipv4(tcp(1000, b""), identification=2)
    assert remarks((first, link.FULL, full(first)), (again, link.TCP, compressed(again, 0, data=0))) == set()


def numbered(number: int, packet: bytes) -> bytes:
    link_packet = compressed(packet, 0x0F)
    return link_packet[:4] + number.to_bytes(2) + link_packet[4:]


def test_packet_sequence_numbers() -> None:
    third = ipv4(tcp(1008), identification=3)

    def remarks_on(first: int, *numbers: int) -> list[str]:
        judge = CompressorJudge(Parameters(reordering=True))
        sent = [(FIRST, link.FULL, full(FIRST, bytes([first, 0])))]
        sent += [(one, link.TCP, numbered(number, one)) for number, one in zip(numbers, (NEXT, third), strict=False)]
        return [broken for one in sent for broken, _ in judge.remarks(*one)]

    assert remarks_on(1, 2, 3) == remarks_on(255, 256, 257) == remarks_on(254, 65535, 1) == remarks_on(255, 1, 2) == []
    assert remarks_on(1, 3) == remarks_on(1, 2, 4) == ["RFC2507-11.2-2"]
    assert remarks_on(255, 0) == ["RFC2507-11.2-3"]
    judge = Decompressor(Parameters(reordering=True))
    judge.receive(link.FULL, full(FIRST, b"\1\0"))
    assert judge.receive(link.TCP, numbered(2, NEXT)).restored == NEXT
    assert judge.receive(link.TCP, numbered(9, third)).free


def test_numbers_beyond_what_the_judge_reads() -> None:
    def broken_by(*found: int) -> list[str]:
        sent = [Sent(NEXT, link.TCP, numbered(number, NEXT)) for number in found]
        return [one.requirement for one in numbers.judge(sent)]

    assert broken_by(65534, 65535, 1, 2) == []
    assert broken_by(65535, 0) == ["RFC2507-11.2-3"]
    assert broken_by(7, 9) == ["RFC2507-11.2-2"]
    assert [one.requirement for one in numbers.judge([Sent(NEXT, link.TCP, b"\0\x0f")])] == ["RFC2507-6-1"]


def test_spaces_without_contexts() -> None:
    judge = CompressorJudge(Parameters(compress="non-tcp"))
    assert [broken for broken, _ in judge.remarks(*BEGUN)] == ["RFC3544-2.4-1"]


def test_header_requests_of_a_decompressor() -> None:
    def broken_by(*packets: bytes) -> list[str]:
        """By the packets of the way back behind two headers of CID 2, of which nothing comes out."""
        arrivals = [Arrival(link.TCP, b"\2\x0f", None)] * 2
        return [one.requirement for one in context_state.judge(arrivals, [packets[:1], packets[1:]])]

    right = context_state.packet([2])
    assert right == b"\3\1\2" and broken_by(right) == broken_by() == []
    assert broken_by(b"\3\2\2") == broken_by(b"\4\1\2") == broken_by(b"\3\0") == ["RFC2507-10.2-4"]
    assert broken_by(context_state.packet([3])) == ["RFC2507-10.2-1"]
    assert broken_by(right, right) == ["RFC2507-10.2-2"]


def test_odd_packets_are_what_they_are_for() -> None:
    sound = [chains.read(octets).is_sound(octets) for octets in map(bytes.fromhex, (one["hex"] for one in packets()))]
    assert len(sound) == 36 * 12 and sound.count(False) == 6 * 12


@pytest.mark.parametrize("name", VECTORS.by_name)
def test_the_judge_does_as_the_vectors_have_it(name: str) -> None:
    vector = VECTORS.by_name[name]
    judge = Decompressor(parameters(vector.channel))
    for arrival in vector.arrivals:
        outcome = judge.receive(arrival.type, arrival.octets)
        assert outcome.free or arrival.free or outcome.restored == arrival.restored, outcome.reason


def test_a_chain_is_copied() -> None:
    chain: Chain = chains.read(FIRST)
    copy = chain.copy()
    copy.parts[0]["Time to Live"] = 9
    assert chain.octets() == FIRST[:40] != copy.octets()
