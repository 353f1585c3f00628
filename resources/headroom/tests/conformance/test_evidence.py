# SPDX-License-Identifier: Apache-2.0
"""What a failed case leaves behind."""

from __future__ import annotations

from headroom.core.finding import Finding
from headroom.schemes.rohc.conformance import evidence
from headroom.schemes.rohc.conformance.vectors import VectorOutcome
from headroom.tests.conformance.support import observed, record, sent, stream
from headroom.tests.oracle_rohc.support import all_vectors


def test_side_by_side_marks_what_differs() -> None:
    lines = evidence.side_by_side("original", bytes(range(10)), "restored", bytes([0, 1, 99, 3, 4, 5, 6, 7, 8]))
    assert lines == [
        "octet  original                        restored",
        "    0  00  01  02* 03  04  05  06  07  00  01  63* 03  04  05  06  07",
        "    8  08  09*                         08",
    ]


def test_side_by_side_without_the_other() -> None:
    assert evidence.side_by_side("original", b"\x01", "restored", None) == ["original: 01", "restored: nothing"]


def test_a_packet_that_is_restored() -> None:
    seen = stream("rtp-ipv4", ["IR", "UO-0"])
    text = evidence.of_finding(seen, Finding("It is not.", "RFC3095-5.9.2-1", 1))
    assert text.splitlines()[0] == "packet 2: It is not. (RFC3095-5.9.2-1)"
    assert "on the link: 4" in text
    assert "UO-0, CID 0, profile" in text
    assert "CRC" in text
    assert text.splitlines()[-1] == "the decompressor: identical (OK)"
    assert "*" not in text


def test_a_packet_that_the_judge_refuses() -> None:
    links, originals = sent("rtp-ipv4", ["IR", "UO-0"])
    wrong = bytes([links[1][0] ^ 1]) + links[1][1:]
    records = [record(0, links[0]), record(1, wrong, "not_delivered")]
    lines = evidence.of_packet(observed([links[0], wrong], originals, records=records).packets[1])
    assert any(line.startswith("refused: ") and "CRC" in line for line in lines)
    assert "restored by the judge: nothing" in lines
    assert lines[-1] == "the decompressor: not_delivered (ERR_CRC)"


def test_a_packet_that_cannot_be_read() -> None:
    _, originals = sent("rtp-ipv4", ["IR"])
    lines = evidence.of_packet(observed([b"\xfa\x00"], originals).packets[0])
    assert any(line.startswith("refused: ") for line in lines)


def test_a_packet_that_was_not_sent() -> None:
    _, originals = sent("rtp-ipv4", ["IR"])
    assert evidence.of_packet(observed([None], originals).packets[0])[0] == "on the link: nothing"


def test_a_packet_that_is_not_there() -> None:
    text = evidence.of_finding(stream("rtp-ipv4", ["IR"]), Finding("It is wrong.", "RFC3095-5.9.2-1", 7))
    assert text.splitlines()[-1] == "There is no such packet."


def test_a_vector() -> None:
    vector = all_vectors()["rtp-uo-0-wrong-crc"]
    records = [record(0, vector.steps[0].link), record(1, vector.steps[1].link, "unexpected")]
    text = evidence.of_vector(VectorOutcome(vector, ["link packet 2 is delivered, but nothing may come out"], records))
    lines = text.splitlines()
    assert lines[0] == f"rtp-uo-0-wrong-crc: {vector.shows}"
    assert "link packet 2 is delivered, but nothing may come out" in lines
    assert "link packet 2: 4da0b0c001" in lines
    assert "  must be discarded; unexpected (OK)" in lines
    assert any(line.strip().startswith("3 bits  CRC") for line in lines)


def test_a_vector_that_was_not_played() -> None:
    vector = all_vectors()["rtp-uo-0-wrong-crc"]
    assert "not played (nothing)" in evidence.of_vector(VectorOutcome(vector, ["The engine died."]))
