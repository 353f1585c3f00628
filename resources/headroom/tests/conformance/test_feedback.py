# SPDX-License-Identifier: Apache-2.0
"""Feedback elements: written octet by octet, taken apart, and read with what is wrong with them."""

from __future__ import annotations

import pytest

from headroom.core.errors import UsageError
from headroom.schemes.rohc.conformance import feedback
from headroom.schemes.rohc.conformance.feedback import Written, element, has_sn, read, split, text_of
from headroom.schemes.rohc.judge import Parameters
from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.v1 import feedback as formats
from headroom.tests.oracle_rohc.support import all_feedback

SMALL = Parameters()
LARGE = Parameters(large_cids=True, max_cid=16383)


def written(words: str, cid: int = 0, sn: int = 0x3E8, parameters: Parameters = SMALL) -> str:
    return Written.of(words).element(cid, sn, parameters).hex()


# RFC 3095, 5.7.6.1: Acktype in 2 bits (ACK 0, NACK 1, STATIC-NACK 2), Mode in 2 (U 1, O 2, R 3), SN in 12.
@pytest.mark.parametrize(
    ("words", "octets"),
    [
        ("ACK(U)", "f2 13e8"),
        ("ACK(O)", "f2 23e8"),
        ("ACK(R)", "f2 33e8"),
        ("NACK(O)", "f2 63e8"),
        ("STATIC-NACK(O)", "f2 a3e8"),
        ("FEEDBACK-1", "f1 e8"),
        ("FEEDBACK-1 of 0", "f1 00"),
        ("ACK(O) with Size octet", "f002 23e8"),
        ("ACK(O) with REJECT", "f3 23e8 20"),
        ("ACK(O) with SN-NOT-VALID", "f3 23e8 30"),
        ("ACK(O) with CLOCK of 0", "f4 23e8 5100"),
        ("ACK(U) with CLOCK and JITTER, LOSS", "f008 13e8 510a 6103 7107"),
        ("NACK(O) with CONTEXT_MEMORY", "f3 63e8 90"),
        ("ACK(O) with unknown option", "f6 23e8 c3112233"),
        ("ACK(O) with empty unknown option", "f3 23e8 d0"),
        ("ACK(O) with SN option", "f4 2003 41e8"),  # 0x003e8 in 20 bits: 12 and 8
    ],
)
def test_octets(words: str, octets: str) -> None:
    assert written(words) == octets.replace(" ", "")


def test_octets_of_the_rfc() -> None:
    """The examples of RFC 3095, 5.7.6.11: ACK(R) for SN 17 of CID 8, and FEEDBACK-1."""
    assert written("ACK(R)", 8, 17) == "f3e83011" == all_feedback()["example-feedback-2-small"].element.hex()
    assert written("FEEDBACK-1", 8, 17, LARGE) == "f20811" == all_feedback()["example-feedback-1-large"].element.hex()


def test_crc_covers_the_data_with_the_field_zero() -> None:
    """RFC 3095, 5.7.6.3: everything from the CID on, and neither the type octet nor the Size octet."""
    data = bytes.fromhex("e323e81100")
    assert written("ACK(O) with CRC", 3) == "f5" + data[:-1].hex() + f"{crc.crc8(data):02x}"


def test_wrong_crcs_are_wrong() -> None:
    right, wrong = (bytes.fromhex(written(f"ACK(O) with {which}")) for which in ("CRC", "wrong CRC"))
    assert right[:-1] == wrong[:-1]
    assert right[-1] != wrong[-1]
    two, last, first = (bytes.fromhex(written(f"ACK(O) with {which}"))
                        for which in ("two CRCs", "unequal CRCs", "wrong CRC before the right one"))  # fmt: skip
    assert [formats.parse(split(one)[0], False).is_protected for one in (two, last, first)] == [True, False, False]
    assert first[-1] == two[-1] != last[-1], "which of the two is wrong"


@pytest.mark.parametrize(
    ("cid", "parameters", "prefix"),
    [(0, SMALL, ""), (1, SMALL, "e1"), (15, SMALL, "ef"), (0, LARGE, "00"), (127, LARGE, "7f"), (128, LARGE, "8080")],
)
def test_cids(cid: int, parameters: Parameters, prefix: str) -> None:
    assert written("ACK(O)", cid, 0, parameters)[2:] == prefix + "2000"


@pytest.mark.parametrize("words", ["ack(O)", "ACK", "ACK(X)", "ACK(O) with CRC and", "ACK(O) with SPEED", "", "NAK(O)"])
def test_what_is_no_feedback_is_refused(words: str) -> None:
    if words.endswith("and"):
        with pytest.raises(UsageError):
            Written.of(words)
        return
    with pytest.raises(UsageError, match=r"is no (feedback|option)"):
        Written.of(words)


def test_sizes() -> None:
    """RFC 5795, 5.2.4.1: Code 1 to 7 is the size; 0 announces a Size octet."""
    assert element(bytes(7)) == b"\xf7" + bytes(7)
    assert element(bytes(8)) == b"\xf0\x08" + bytes(8)
    assert element(bytes(1), size_octet=True) == b"\xf0\x01\x00"


def test_split() -> None:
    assert split(bytes.fromhex("f111f00220f0f3010203")) == [b"\x11", b"\x20\xf0", b"\x01\x02\x03"]
    assert split(b"") == []


@pytest.mark.parametrize(
    ("octets", "sentence"),
    [
        ("4c", "octet 0 of the feedback is 0x4c; an element begins with 11110."),
        ("f1114c", "octet 2 of the feedback is 0x4c"),
        ("f0", "the feedback ends where its Size octet should be."),
        ("f31122", "the feedback announces 3 octets and has 2."),
        ("f000", "the feedback announces 0 octets"),
    ],
)
def test_what_cannot_be_split(octets: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence.replace(".", r"\.")):
        split(bytes.fromhex(octets))


def test_right_feedback_has_no_remarks() -> None:
    elements = [bytes.fromhex(written(words)) for words in ("ACK(O) with CRC", "NACK(O)", "FEEDBACK-1")]
    found = read(elements, SMALL, 0x0001)
    assert found.remarks == []
    assert [text_of(one) for one in found.read] == ["ACK(O) with CRC", "NACK(O)", "FEEDBACK-1"]


@pytest.mark.parametrize(
    ("octets", "profile", "requirement", "sentence"),
    [
        ("f33a", 0x0001, "RFC5795-5.2.4.1-1", "The decompressor's f33a is no feedback: the feedback announces 3"),
        ("f2e3e8", 0x0001, "RFC5795-5.2.4.1-4", ""),  # 11 in front is a CID; one octet would be FEEDBACK-1 of CID 3
        ("f2c3e8", 0x0001, "RFC3095-5.2.2-2", "11 announces an Add-CID"),
        ("f203e8", 0x0001, "RFC3095-5.7.6.1-4", "mode 0, which is reserved"),
        ("f423e81155", 0x0001, "RFC4815-2.3-1", "The CRC option carries 0x55"),
        ("f323e820", 0x0001, "RFC3095-5.7.6.4-1", "REJECT comes without a CRC"),
        ("f3e33000", 0x0001, "", ""),
        ("f223e8", 0x0000, "RFC5795-5.4.5-1", "only FEEDBACK-1 with the octet 0"),
        ("f105", 0x0000, "RFC5795-5.4.5-1", ""),
        ("f100", 0x0000, "", ""),
    ],
)
def test_remarks(octets: str, profile: int, requirement: str, sentence: str) -> None:
    found = read([bytes.fromhex(octets)], SMALL, profile)
    if octets == "f2e3e8":  # e3 names CID 3 and e8 is FEEDBACK-1: right after all
        assert found.remarks == []
        assert (found.read[0].cid, found.read[0].kind) == (3, "FEEDBACK-1")
        return
    assert [one.requirement for one in found.remarks] == ([requirement] if requirement else [])
    if requirement:
        assert sentence in found.remarks[0].sentence


def test_profile_of_the_context_matters() -> None:
    """RFC 3095, 5.11.6: CLOCK and JITTER are not for UDP."""
    clock = bytes.fromhex(written("ACK(O) with CLOCK and CRC"))
    assert read([clock], SMALL, 0x0001).remarks == []
    assert [one.requirement for one in read([clock], SMALL, 0x0002).remarks] == ["RFC3095-5.11.6-1"]


def test_words_and_writing_agree() -> None:
    for words in ("ACK(U)", "NACK(O) with CRC", "STATIC-NACK(R)", "FEEDBACK-1"):
        data = split(bytes.fromhex(written(words)))[0]
        assert text_of(formats.parse(data, False)) == words


def test_wrong_crc_is_no_crc() -> None:
    data = split(bytes.fromhex(written("ACK(O) with wrong CRC")))[0]
    assert text_of(formats.parse(data, False)) == "ACK(O)"


@pytest.mark.parametrize(
    ("words", "sn", "other"),
    [("ACK(O)", 0x13E8, 0x13E9), ("FEEDBACK-1", 0x22E8, 0x22E7), ("ACK(O) with SN option", 0x03E8, 0x13E8)],
)
def test_sn_bits(words: str, sn: int, other: int) -> None:
    one = formats.parse(split(Written.of(words).element(0, sn, SMALL))[0], False)
    assert has_sn(one, sn)
    assert not has_sn(one, other)


def test_options_have_the_lengths_of_the_rfc() -> None:
    for kind, data in feedback.PLAIN_OPTIONS.values():
        if kind in formats.OPTIONS:
            assert len(data) == formats.OPTIONS[kind][1]
