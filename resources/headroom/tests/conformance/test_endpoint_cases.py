# SPDX-License-Identifier: Apache-2.0
"""Cases about endpoints: the judge made from the RFCs meets all of them, and each notices an endpoint that lies."""

from __future__ import annotations

from dataclasses import replace

import pytest
from robot import api

from headroom.core import requirements
from headroom.core.errors import UsageError
from headroom.core.paths import SUITES
from headroom.schemes.sigcomp.conformance import endpoint_cases
from headroom.schemes.sigcomp.conformance.endpoint_cases import MessageOutcome, as_seen, faults, judged

GROUPS = [*sorted(path.stem for path in (endpoint_cases.FOLDER / "cases").glob("*.yaml")), "rfc4465"]
ALL = [(group, name) for group in GROUPS for name in endpoint_cases.names(group)]


def lying(seen: MessageOutcome) -> MessageOutcome:
    """The outcome with one wrong octet or number, which a comparison must notice."""
    if seen.kind == "failed":
        return replace(seen, reason=seen.reason % 25 + 1)
    if seen.kind in ("nack", "ignored"):
        return replace(seen, kind="silent")
    if seen.output:
        return replace(seen, output=bytes([seen.output[0] ^ 1]) + seen.output[1:])
    return replace(seen, cycles=seen.cycles + 1)


def seen_of(group: str, name: str, asked: int = 1) -> list[MessageOutcome]:
    case = endpoint_cases.case(group, name, asked)
    version = case.offer.version if case.offer else 2
    return [as_seen(outcome, step.octets, version) for outcome, step in zip(judged(case), case.steps, strict=True)]


def test_there_are_many() -> None:
    assert len(ALL) >= 100
    assert len(endpoint_cases.names("rfc4465")) == 26


@pytest.mark.parametrize(("group", "name"), ALL)
def test_the_judge_meets_them(group: str, name: str) -> None:
    """What a case says and what the judge finds are independent of each other: one is written by hand."""
    case = endpoint_cases.case(group, name)
    assert faults(case, seen_of(group, name), nacks=True) == []


@pytest.mark.parametrize("name", endpoint_cases.names("rfc4465"))
def test_rfc_4465_is_for_any_version(name: str) -> None:
    """Its inputs say which, and what is kept of an endpoint of version 2 is named accordingly."""
    case = endpoint_cases.case("rfc4465", name, 2)
    assert case.offer and case.offer.version == 2
    assert faults(case, seen_of("rfc4465", name, 2)) == []


def test_cycles_count_where_they_are_told() -> None:
    case, honest = endpoint_cases.case("udvm", "load"), seen_of("udvm", "load")
    untold = [replace(one, cycles=0) for one in honest]
    assert faults(case, untold) == ["message 1: cycles is 0, it should be 7"], "once, though case and judge say so"
    assert faults(case, untold, cycles=False) == []
    assert faults(case, [replace(untold[0], output=b"")], cycles=False)


@pytest.mark.parametrize(("group", "name"), ALL)
def test_each_message_can_fail(group: str, name: str) -> None:
    case, honest = endpoint_cases.case(group, name), seen_of(group, name)
    for number, one in enumerate(honest):
        seen = [*honest[:number], lying(one), *honest[number + 1 :]]
        assert faults(case, seen)


def test_nacks_count_where_they_are_asked_for() -> None:
    case, honest = endpoint_cases.case("nack", "cycles"), seen_of("nack", "cycles")
    for wrong in (b"", honest[0].nack[:-1], honest[0].nack + b"\0"):
        assert faults(case, [replace(honest[0], nack=wrong)], nacks=True)[0].startswith("message 1: NACK is ")
        assert faults(case, [replace(honest[0], nack=wrong)]) == []
    unasked = endpoint_cases.case("nack", "what-succeeds-is-not-answered")
    seen = seen_of("nack", unasked.name)
    assert faults(unasked, [replace(seen[0], nack=b"\xf8"), *seen[1:]], nacks=True)


def test_faults_are_sentences() -> None:
    case, honest = endpoint_cases.case("message", "destination-zero"), seen_of("message", "destination-zero")
    assert (
        faults(case, [MessageOutcome("compressed", b"x")])[0]
        == "message 1: INVALID_CODE_LOCATION was expected; it was decompressed"
    )
    wrong = [replace(honest[0], reason=4)]
    assert "message 1: reason is SEGFAULT, it should be INVALID_CODE_LOCATION" in faults(case, wrong)
    assert faults(case, []) == ["there are 1 messages, and something is known of 0"]


def test_unknown_case() -> None:
    with pytest.raises(UsageError, match="message has no case nobody; it has plain-message"):
        endpoint_cases.case("message", "nobody")


def test_streams_of_rfc_4465() -> None:
    found = endpoint_cases.streams("stream-based-transport")
    assert len(found) == 5
    for _, case in found:
        honest = [as_seen(one, step.octets, 1) for one, step in zip(judged(case), case.steps, strict=True)]
        assert faults(case, honest) == []
        assert faults(case, [lying(honest[0]), *honest[1:]])
    with pytest.raises(UsageError, match="no streams in copy"):
        endpoint_cases.streams("copy")


def rows() -> dict[tuple[str, str], set[str]]:
    """(group, case) of every row of the suites, and the requirements of its test case."""
    found: dict[tuple[str, str], set[str]] = {}
    paths = sorted((SUITES / "conformance" / "sigcomp").glob("*.robot"))
    for path in [*paths, SUITES / "robustness" / "hostile_bytecode.robot"]:
        for test in api.TestSuite.from_file_system(path).tests:
            asked = {tag.partition(":")[2] for tag in test.tags if tag.startswith("req:")}
            for row in test.body:
                if row.name in ("Messages Should Be Met", "Messages And NACKs Should Be Met"):
                    found[(str(row.args[0]), str(row.args[1]))] = asked
                elif row.name == "Attack Should Fail Within Bounds":
                    found[("hostile", str(row.args[0]))] = asked
    return found


def test_every_case_has_a_row_that_names_its_requirements() -> None:
    asked, known = rows(), requirements.load()
    for group, name in ALL:
        case = endpoint_cases.case(group, name)
        if case.steps:
            assert (group, name) in asked
        assert set(case.requirements) <= set(known)
        if group != "rfc4465":
            assert asked[(group, name)] == set(case.requirements), f"{group}/{name}"
    assert set(asked) <= set(ALL)
