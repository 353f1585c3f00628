# SPDX-License-Identifier: Apache-2.0
"""Vectors of RFC 4326 and RFC 5163 before both judges, which share no code with what is under test."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.core.errors import UsageError
from headroom.schemes.ule import builder, events, line, pdus, vector_findings, vectors
from headroom.schemes.ule.judge import encapsulator
from headroom.schemes.ule.judge import receiver as judge
from headroom.schemes.ule.judge.encapsulator import Pdu
from headroom.schemes.ule.vectors import Expected, Vector


def received(vector: Vector) -> tuple[list[bytes], list[int], dict[str, int]]:
    first = vector.channel.get("first_pid", vectors.FIRST_PID)
    groups = None
    if "groups" in vector.channel:
        groups = frozenset(bytes.fromhex(one.replace(":", "")) for one in vector.channel["groups"])
    receiver = judge.Receiver(
        bytes.fromhex(vector.npa.replace(":", "")),
        bool(vector.channel.get("bridged")),
        frozenset(range(first, first + vector.channel.get("channels", 1))),
        groups=groups,
    )
    units = [unit for arrival in vector.arrivals for unit in receiver.take(arrival.octets)]
    statistics = dict.fromkeys(events.ERRORS, 0)
    for event, count in receiver.events.items():
        if counters := events.OF_THE_JUDGE.get(event):
            statistics[counters[not vector.name.startswith("ts-") and len(counters) > 1]] = count
    return [unit.octets for unit in units], [unit.type for unit in units], statistics


@pytest.mark.parametrize("name", sorted(vectors.load()))
def test_the_judge_receives_each_as_it_says(name: str) -> None:
    vector = vectors.load()[name]
    assert vector_findings.findings_of(vector, *received(vector)) == []


@pytest.mark.parametrize("name", sorted(name for name, one in vectors.load().items() if one.encapsulated))
def test_the_judge_finds_no_fault_with_what_an_encapsulator_is_to_send(name: str) -> None:
    vector = vectors.load()[name]
    setting = line.setting_of({"threshold_us": 0, "address": "present", **vector.channel}, vector.npa)
    found = encapsulator.judge(setting, [Pdu(one) for one in vector.pdus], [(0, one.octets) for one in vector.arrivals])
    assert found.findings == []
    assert found.sndus == len(vector.pdus)


def test_the_crc_of_appendix_b() -> None:
    vector = vectors.load()["appendix-b"]
    made = builder.sndu(0x86DD, vector.pdus[0], npa=bytes([0, 1, 2, 3, 4, 5]))
    assert made[-4:].hex() == "7c171763" and made[:2].hex() == "003f"


def test_other_units_and_counters_are_findings() -> None:
    vector = vectors.load()["gap"]
    (unit,), types, counters = received(vector)
    missing = vector_findings.findings_of(vector, [], [], counters)
    assert [one.severity for one in missing] == ["must"] and "nothing more comes out" in missing[0].sentence
    assert vector_findings.findings_of(vector, [unit, unit], types * 2, counters)[0].severity == "must"
    uncounted = vector_findings.findings_of(vector, [unit], types, counters | {"continuity_errors": 0})
    assert [(one.severity, one.requirement) for one in uncounted] == [("should", "RFC4326-7.3-6")]
    assert [one.severity for one in vector_findings.findings_of(vector, [unit], types, {})] == ["should"]
    vector = vectors.load()["duplicates"]
    loud = vector_findings.findings_of(vector, *received(vector)[:2], {"crc_errors": 1})
    assert [(one.severity, one.requirement) for one in loud] == [("must", "RFC4326-7.3-4")]
    vector = vectors.load()["crc-wrong-drops-the-rest"]
    (unit,), types, _ = received(vector)
    more = vector_findings.findings_of(vector, [vector.pdus[1], unit], types * 2, {"crc_errors": 1})
    assert [(one.severity, one.requirement) for one in more] == [("should", "RFC4326-7.2-5")]
    for wrong in ([], [bytes(60)]):
        (lacking,) = vector_findings.findings_of(vector, wrong, [0x0800] * len(wrong), {"crc_errors": 1})
        assert (lacking.severity, lacking.requirement) == ("must", "RFC4326-7.2-8"), "a sound SNDU is passed on"
    assert vector_findings.findings_of(vector, *received(vector)[:2], {"crc_errors": 1, "sync_errors": 3}) == []


def test_units_that_may_come_out() -> None:
    expected = [Expected(b"a"), Expected(b"b", must=False), Expected(b"c")]
    assert vector_findings.difference(expected, [b"a", b"b", b"c"]) == ""
    assert vector_findings.difference(expected, [b"a", b"c"]) == ""
    assert "unit 3" in vector_findings.difference(expected, [b"a", b"b"])
    assert "unit 1" in vector_findings.difference(expected, [b"b", b"c"])
    assert "1 units come out that must not" in vector_findings.difference(expected, [b"a", b"c", b"b"])


ENTRY = """vectors:
  - name: a
    requirement: RFC4326-7-1
    shows: "7"
    sndus: {A: {type: "0800", content: [%s]}}
    ts: [{pointer: 0, payload: %s}]
"""


@pytest.mark.parametrize(
    ("content", "payload", "sentence"),
    [
        ("P", "A", r"x\.yaml:5: /vectors/0/sndus/A/content: [a-z]+: there is no P; known: none"),
        ('"45"', "B", r"x\.yaml:6: .*there is no B; known: A"),
        ('"45"', f'"{"00" * 184}"', r"x\.yaml:6: .*185 octets do not fit"),
        ('"4"', "A", r"x\.yaml:5: "),
    ],
)
def test_a_wrong_vector_is_refused_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, payload: str, sentence: str
) -> None:
    (tmp_path / "x.yaml").write_text(ENTRY % (content, payload))
    monkeypatch.setattr(vectors, "FOLDER", tmp_path)
    with pytest.raises(UsageError, match=sentence):
        vectors.load.__wrapped__()


def test_pdus_as_suites_name_them() -> None:
    packets = pdus.read(["ipv4 60 to 224.0.0.1 at 7us on 3", "llc 20 of 46"])
    assert packets[0] == {"hex": builder.ipv4(60, 1, "224.0.0.1").hex(), "time_ns": 7000, "channel": 3}
    assert packets[1]["type"] == 0x6558 and len(bytes.fromhex(str(packets[1]["hex"]))) == 14 + 46
    for word in ("ipv5 60", "ipv4", "ipv4 60 to nowhere"):
        with pytest.raises(UsageError, match="is no PDU"):
            pdus.read([word])


def test_a_unit_of_another_type_is_a_finding() -> None:
    vector = vectors.load()["gap"]
    units, types, counters = received(vector)
    assert types == [0x0800]
    assert vector_findings.findings_of(vector, units, [0], counters) == [], "an IP packet may have the default type"
    found = vector_findings.findings_of(vector, units, [0x86DD], counters)
    assert [one.severity for one in found] == ["must"]
    assert "type 0x86DD, not 0x0800" in found[0].sentence
    expected = [Expected(b"a", types=(2,)), Expected(b"b", must=False, types=(3,)), Expected(b"c", types=(4,))]
    assert vector_findings.other_type(expected, [b"a", b"c"], [2, 4]) == ""
    assert "unit 2" in vector_findings.other_type(expected, [b"a", b"c"], [2, 3])
    assert "unit 2" in vector_findings.other_type(expected, [b"a", b"b", b"c"], [2, 2, 4])


def test_every_unit_that_is_no_part_of_another_has_a_type() -> None:
    untyped = {name for name, one in vectors.load().items() if any(not expected.types for expected in one.out)}
    assert untyped == set()
