# SPDX-License-Identifier: Apache-2.0
"""Causes: cases in which the same went wrong are one, and each has the sentence that it breaks and what shows it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from headroom.core.finding import Finding
from headroom.core.results.record import Artefact
from headroom.judge.causes import causes
from headroom.tests.sample import record

BROKEN = "RFC3095-5.7.7-2"
OTHER = "RFC3095-5.4.1.1.1-3"


def failed(name: str, reason: str, verdict: str = "fail", **more: Any) -> dict[str, Any]:
    return record(f"conformance/rohc/modes/{name}", verdict, reason, **more).as_json()  # type: ignore[arg-type]


def test_a_pass_and_what_is_not_asked_have_no_cause() -> None:
    assert causes([failed("A", "", "pass"), failed("B", "It is not declared.", "unsupported")]) == []


def test_findings_against_one_requirement_are_one_cause() -> None:
    first = failed("A", "1 finding, the first", findings=[Finding("Packet 3 is IR.", BROKEN, 2)])
    second = failed("B", "1 finding, the first", findings=[Finding("Packet 70 is IR-DYN.", BROKEN, 69)])
    third = failed("C", "1 finding, the first", findings=[Finding("Feedback is ignored.", OTHER)])
    found = causes([third, first, second])
    assert [(one.requirement, len(one.seen)) for one in found] == [(BROKEN, 2), (OTHER, 1)]
    assert found[0].level == "must" and found[0].citation.startswith("RFC 3095, 5.7.7")


def test_sentences_that_differ_in_numbers_are_one_cause() -> None:
    found = causes(
        [
            failed("A", "Step 3 (40 packets): packet 30 is UO-0; only update is expected."),
            failed("B", "Step 7 (1 packets): packet 73 is UO-0; only update is expected."),
            failed("C", "Step 7 (1 packets): packet 73 is not delivered."),
        ]
    )
    assert [len(one.seen) for one in found] == [2, 1]
    assert found[0].sentence == "packet 30 is UO-0; only update is expected."


def test_a_requirement_in_the_reason_is_the_one_that_is_broken() -> None:
    (found,) = causes([failed("A", f"1 finding, the first: packet 8: It is sent as IR. ({BROKEN})")])
    assert (found.requirement, found.sentence) == (BROKEN, "It is sent as IR.")


def test_the_requirement_of_the_case_is_cited_where_no_finding_names_one() -> None:
    made = failed("A", "It is sent as IR.", tags=[f"req:{BROKEN}", f"req:{OTHER}"])
    other = failed("B", "It is not sent.", tags=[f"req:{BROKEN}"])
    assert [one.requirement for one in causes([made, other])] == [BROKEN, BROKEN]


def test_an_adapter_s_words_name_neither_a_requirement_nor_a_place() -> None:
    (found,) = causes([failed("A", f"An error without the seal of its job: no ({BROKEN})", "error")])
    assert found.requirement == ""
    died = "It died from SIGSEGV. It died in mine.so, at offset 0x10. Its last words: It died in x.so, at offset 0x"
    (found,) = causes([failed("A", f"{died}1", "error"), failed("B", f"{died}2", "error")])
    assert found.key == (True, "died from SIGSEGV in mine.so, at offset 0x10")


def test_an_error_breaks_no_requirement() -> None:
    (found,) = causes([failed("A", "It broke a promise.", "error", tags=[f"req:{BROKEN}"])])
    assert (found.requirement, found.citation) == ("", "")


def test_a_missed_recommendation_is_no_failure() -> None:
    found = causes([failed("A", "It is late by 3.", "non-strict"), failed("B", "It is late by 4.")])
    assert [(one.verdict, len(one.seen)) for one in found] == [("fail", 1), ("non-strict", 1)]


def test_the_example_has_what_repeats_it() -> None:
    bare = failed("A", "It is late by 3.")
    files = [Artefact("artefacts/b/job.json", "job", 9, "ab" * 32)]
    full = failed("B", "It is late by 4.", artefacts=files, debug="gdb --args engine replay --job job.json")
    (found,) = causes([bare, full])
    assert found.example.files == {"job": "artefacts/b/job.json"}
    assert found.example.debug.startswith("gdb") and found.example.repeat.startswith("./headroom run")


def test_each_check_of_the_abi_is_seen_by_itself() -> None:
    def found(sentence: str, severity: str = "must") -> Finding:
        return Finding(sentence, judge="headroom-engine check", severity=severity)

    findings = [
        found("round_trip: it did not come back while packet 60 was compressed."),
        found("outcome: the adapter's decompress broke a promise: it wrote outside the output buffer of 95 octets."),
        found("drain: it did not come back."),
        found("quiet: It prints. Here: it prints 3 octets.", "note"),
    ]
    checks = failed("A", "round_trip: it did not come back …", findings=findings)
    promise = (
        "The decompressor broke a promise of the ABI in decompress, packet 1: it wrote outside the output buffer of "
    )
    case = failed("B", f"{promise}553 octets. See `./headroom check`.", "error")
    hang, outside = causes([checks, case])
    assert [one.where.partition(", ")[0] for one in hang.seen] == ["round_trip", "drain"]
    assert (outside.verdict, len(outside.seen)) == ("error", 2)


def test_a_crash_is_known_by_its_place() -> None:
    said = "The engine died from SIGABRT while it ran mine.so as {}. It died in mine.so, at offset 0x{}. Look there."
    cases = [("compressor", "12b6"), ("compressor and reference.so as decompressor", "12b6"), ("compressor", "99")]
    found = causes([failed(str(i), said.format(*case), "error") for i, case in enumerate(cases)])
    assert [len(one.seen) for one in found] == [2, 1]


@pytest.mark.parametrize("order", [("fail", "error"), ("error", "fail")])
def test_a_cause_is_as_bad_as_its_worst_case(order: tuple[str, str]) -> None:
    (found,) = causes([failed(name, "It is late by 3.", verdict) for name, verdict in zip("AB", order, strict=True)])
    assert found.verdict == "error"


def test_a_case_that_two_roles_are_asked_is_seen_twice() -> None:
    both = [failed("A", "It is late by 3.", part=part) for part in ("one", "two")]
    (found,) = causes(both)
    small = replace(found.seen[0], packets=2)
    (again,) = causes(both, {found.identity: small})
    assert again.example == small and [one.part for one in again.seen] == ["one", "two"]
