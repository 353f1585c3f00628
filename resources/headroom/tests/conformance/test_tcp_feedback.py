# SPDX-License-Identifier: Apache-2.0
"""Feedback of profile 0x0006 in words: each element against the judge's reading of it."""

from __future__ import annotations

import pytest

from headroom.core.errors import UsageError
from headroom.schemes.rohc.conformance import feedback
from headroom.schemes.rohc.conformance.tcp_feedback import Written
from headroom.schemes.rohc.judge import MalformedPacket, Parameters, RohcError
from headroom.schemes.rohc.judge.framework.errors import CrcMismatch
from headroom.schemes.rohc.judge.tcp import feedback as formats

SMALL, LARGE = Parameters(), Parameters(large_cids=True, max_cid=300)
MSN = 0xC355  # 50005


def read(words: str, cid: int = 0, parameters: Parameters = SMALL) -> formats.Feedback:
    (data,) = feedback.split(Written.of(words).element(cid, MSN, parameters))
    return formats.read_feedback(data, parameters.large_cids)


@pytest.mark.parametrize(
    ("words", "acktype", "width", "options"),
    [
        ("FEEDBACK-1", "ACK", 8, []),
        ("ACK", "ACK", 14, []),
        ("NACK", "NACK", 14, []),
        ("STATIC-NACK with Size octet", "STATIC-NACK", 14, []),
        ("NACK with MSN", "NACK", 16, [formats.MSN]),
        ("NACK with MSN-NOT-VALID", "STATIC-NACK", 14, [formats.MSN_NOT_VALID]),
        ("ACK with REJECT and MSN", "ACK", 16, [formats.REJECT, formats.MSN]),
        ("NACK with unknown option and CONTEXT_MEMORY", "NACK", 14, [formats.CONTEXT_MEMORY]),
        ("NACK with empty unknown option, REJECT", "NACK", 14, [formats.REJECT]),
    ],
)
@pytest.mark.parametrize(("cid", "parameters"), [(0, SMALL), (3, SMALL), (5, LARGE), (200, LARGE)])
def test_feedback_is_read_as_it_is_meant(
    words: str, acktype: str, width: int, options: list[int], cid: int, parameters: Parameters
) -> None:
    found = read(words, cid, parameters)
    assert (found.acktype, found.width, found.cid, sorted(found.options)) == (acktype, width, cid, sorted(options))
    assert found.msn == MSN & (1 << width) - 1


def test_an_msn_of_no_packet_is_far_from_that_of_the_packet() -> None:
    far = read("NACK with MSN of no packet").msn
    assert min((far - MSN) % (1 << 14), (MSN - far) % (1 << 14)) > 1000


@pytest.mark.parametrize("words", ["ACK with wrong CRC", "ACK with CRC without CID", "NACK with MSN and wrong CRC"])
@pytest.mark.parametrize("cid", [0, 3])
def test_wrong_crcs(words: str, cid: int) -> None:
    with pytest.raises(CrcMismatch):
        read(words, cid)


@pytest.mark.parametrize(
    "words",
    [
        "NACK with REJECT and REJECT",
        "NACK with MSN and MSN",
        "NACK with MSN and MSN-NOT-VALID",
        "NACK with truncated option",
    ],
)
def test_what_is_to_be_discarded(words: str) -> None:
    with pytest.raises(MalformedPacket):
        read(words)


def test_the_data_of_the_unknown_option_are_options_to_a_compressor_that_reads_on_in_them() -> None:
    kind, data = 12, bytes.fromhex("203090")
    assert [one >> 4 for one in data] == [formats.REJECT, formats.MSN_NOT_VALID, formats.CONTEXT_MEMORY]
    assert Written.of("ACK with unknown option").element(0, MSN, SMALL).endswith(bytes([kind << 4 | 3]) + data)


@pytest.mark.parametrize("words", ["ACK(O)", "FEEDBACK-1 with MSN", "NACK with SN", "", "Acktype 3"])
def test_other_words_are_refused(words: str) -> None:
    with pytest.raises(UsageError):
        Written.of(words)


def test_the_wrong_ones_are_wrong_for_one_reason() -> None:
    """With the right CRC each of them is read: `wrong CRC` alone is what makes the difference."""
    assert isinstance(read("STATIC-NACK with REJECT"), formats.Feedback)
    with pytest.raises(RohcError):
        read("STATIC-NACK with REJECT and wrong CRC")
