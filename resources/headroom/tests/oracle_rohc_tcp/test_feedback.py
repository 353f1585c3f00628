# SPDX-License-Identifier: Apache-2.0
"""Feedback of profile 0x0006: what is read and written, what is discarded, and by which requirement it is wrong."""

from __future__ import annotations

import pytest

from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.framework.errors import RohcError
from headroom.schemes.rohc.judge.tcp.feedback import (
    ACK,
    CONTEXT_MEMORY,
    MSN,
    MSN_NOT_VALID,
    NACK,
    REJECT,
    STATIC_NACK,
    Feedback,
    read_feedback,
    remarks,
    write_feedback,
)

FEEDBACK: list[tuple[Feedback, str]] = [
    (Feedback(ACK, 0xF5, 8), "f5"),
    (Feedback(ACK, 0x1F5, 14), "01f5 CRC"),
    (Feedback(NACK, 0x1F5, 14, cid=3), "e3 41f5 CRC"),
    (Feedback(STATIC_NACK, 0xFFFE, 16, options=frozenset({MSN})), "bfff CRC 4180"),
    (Feedback(STATIC_NACK, 0, 14, options=frozenset({REJECT, MSN_NOT_VALID})), "8000 CRC 20 30"),
    (Feedback(NACK, 1, 14, options=frozenset({CONTEXT_MEMORY})), "4001 CRC 90"),
]


def with_crc(text: str) -> bytes:
    if "CRC" not in text:
        return bytes.fromhex(text)
    before, after = map(bytes.fromhex, text.split("CRC"))
    return before + bytes([crc.crc8(before + b"\0" + after)]) + after


@pytest.mark.parametrize(("feedback", "text"), FEEDBACK)
def test_feedback(feedback: Feedback, text: str) -> None:
    assert write_feedback(feedback) == with_crc(text)
    assert read_feedback(with_crc(text)) == feedback
    assert not remarks(with_crc(text))


def test_feedback_for_a_large_cid() -> None:
    feedback = Feedback(NACK, 5, 14, cid=300)
    assert write_feedback(feedback, large_cids=True)[:4].hex() == "812c4005"
    assert read_feedback(write_feedback(feedback, large_cids=True), large_cids=True) == feedback


def test_unknown_options_are_skipped() -> None:
    assert read_feedback(with_crc("01f5 CRC f2aabb 90")).options == {CONTEXT_MEMORY}


@pytest.mark.parametrize(
    ("data", "receiver", "sender"),
    [
        ("01f5 CRC 20 20", "8.3.2.1-4", "8.3.2.1-3"),
        ("01f5 CRC 30 30", "8.3.2.2-4", "8.3.2.2-3"),
        ("01f5 CRC 4140 4140", "8.3.2.3-3", "8.3.2.3-2"),
        ("01f5 CRC 90 d0 90", "8.3.2.4-3", "8.3.2.4-2"),
        ("01f5 CRC 4140 30", "8.3.2.2-4", "8.3.2.2-3"),  # an MSN and none
        ("01f5 CRC 42aabb", "8.3.2-1", "8.3.2-1"),  # an MSN option of two octets
        ("01f5 CRC 45", "8.3.2-1", "8.3.2-1"),  # more than there is
        ("c1f5 CRC", "8.3.1-4", "8.3.1-4"),
        ("01f5 00", "8.3.1-8", "8.3.1-5"),
        ("e3 01f5 df", "8.3.1-8", "8.3.1-5"),  # the CRC without the CID
        ("01f5", "8.3.1-3", "8.3.1-3"),
        ("", "6.1.1-3", "6.1.1-3"),
    ],
)
def test_wrong_feedback(data: str, receiver: str, sender: str) -> None:
    octets = with_crc(data)
    with pytest.raises(RohcError) as error:
        read_feedback(octets)
    assert error.value.requirement == f"RFC6846-{receiver}"
    assert [one.requirement for one in remarks(octets)] == [f"RFC6846-{sender}"]


def test_a_decompressor_is_told_all_that_is_wrong() -> None:
    assert len(remarks(bytes.fromhex("01f5 00 2020 3030"))) == 3


def test_feedback_without_its_large_cid() -> None:
    assert remarks(b"\xff\x01\xf5", large_cids=True)


@pytest.mark.parametrize(
    ("feedback", "about", "other"),
    [
        (Feedback(ACK, 0xF5, 8), 0x7F5, 0x7F4),
        (Feedback(ACK, 0x1F5, 14), 0x41F5, 0x21F5),
        (Feedback(ACK, 0x81F5, 16), 0x81F5, 0x41F5),
    ],
)
def test_bits_of_an_msn(feedback: Feedback, about: int, other: int) -> None:
    assert feedback.is_about(about)
    assert not feedback.is_about(other)


def test_damaged_feedback_is_discarded() -> None:
    data = write_feedback(Feedback(NACK, 5, 16, options=frozenset({MSN})))
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 0x80 >> bit % 8
        with pytest.raises(RohcError):
            read_feedback(bytes(damaged))
