# SPDX-License-Identifier: Apache-2.0
"""Wrong bits in compressed headers of RFC 1144, which has no CRC: which of them TCP's checksum shows."""

from __future__ import annotations

from dataclasses import replace

from headroom.core.damaged_links import flipped
from headroom.schemes.vj.judge import header as headers
from headroom.schemes.vj.judge.decompressor import Decompressor
from headroom.schemes.vj.judge.header import Header, has_right_tcp_checksum
from headroom.schemes.vj.judge.packet import BITS, COMPRESSED, UNCOMPRESSED
from headroom.tests.vj.test_judge import FIRST, octets, uncompressed

DATA = b"data"


def checked(header: Header) -> bytes:
    """The packet with the right TCP checksum."""
    packet = octets(replace(header, tcp_checksum=0), DATA)
    pseudo = packet[12:20] + bytes([0, 6]) + (len(packet) - 20).to_bytes(2) + packet[20:]
    total = sum(int.from_bytes(pseudo[at : at + 2]) for at in range(0, len(pseudo), 2))
    return octets(replace(header, tcp_checksum=~(total + (total >> 16)) & 0xFFFF), DATA)


def compressed(header: Header, acknowledgement: int, sequence: int, step: int) -> bytes:
    mask = BITS["C"] | BITS["A"] | BITS["S"] | BITS["I"]
    sum_ = headers.read(checked(header)).tcp_checksum.to_bytes(2)  # type: ignore[union-attr]
    return bytes([mask, 0]) + sum_ + bytes([acknowledgement, sequence, step]) + DATA


def later(header: Header, acknowledgement: int, sequence: int, step: int) -> Header:
    return replace(
        header,
        acknowledgement=header.acknowledgement + acknowledgement,
        sequence=header.sequence + sequence,
        identification=header.identification + step,
    )


SECOND = later(FIRST, 16, 40, 5)
THIRD = later(SECOND, 64, 40, 5)
HEADER = 7  # octets of the compressed headers here


def begun() -> Decompressor:
    judge = Decompressor()
    judge.receive(UNCOMPRESSED, uncompressed(checked(FIRST)))
    return judge


def test_of_single_bits_only_those_of_the_packet_id_go_unnoticed() -> None:
    link, unnoticed = compressed(SECOND, 16, 40, 5), []
    assert begun().receive(COMPRESSED, link).restored == checked(SECOND)
    for bit in range(8 * HEADER):
        restored = begun().receive(COMPRESSED, flipped(link, [bit])).restored
        if restored is not None and restored != checked(SECOND) and has_right_tcp_checksum(restored):
            unnoticed.append(bit)
            found = headers.read(restored)
            assert found is not None and found.identification != SECOND.identification
            assert replace(found, identification=SECOND.identification).octets()[20:] == checked(SECOND)[20:40]
    assert unnoticed == list(range(8 * HEADER - 8, 8 * HEADER)), "the octet of I, which TCP's checksum does not cover"


def test_later_damage_cancels_earlier_damage_in_the_sum() -> None:
    judge = begun()
    one = judge.receive(COMPRESSED, flipped(compressed(SECOND, 16, 40, 5), [4 * 8 + 4])).restored  # 8 more: A
    assert one is not None and not has_right_tcp_checksum(one)
    other = judge.receive(COMPRESSED, flipped(compressed(THIRD, 64, 40, 5), [5 * 8 + 4])).restored  # 8 fewer: S
    assert other is not None and other != checked(THIRD)
    assert has_right_tcp_checksum(other), "both are wrong by 8, in opposite directions"


def test_swapped_words_have_the_same_sum() -> None:
    """A sum does not know the order of what is added: 16-bit words that change places go unnoticed."""
    packet = checked(FIRST)
    swapped = packet[:24] + packet[26:28] + packet[24:26] + packet[28:]
    assert swapped != packet and has_right_tcp_checksum(swapped)
