# SPDX-License-Identifier: Apache-2.0
"""Cases about endpoints: the judge made from the RFCs meets all of them, and each notices an endpoint that lies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headroom.conformance import endpoint_cases
from headroom.conformance.endpoint_cases import Seen, as_seen, faults, judged, lying
from headroom.errors import UsageError

GROUPS = [*sorted(path.stem for path in (endpoint_cases.FOLDER / "cases").glob("*.yaml")), "rfc4465"]
ALL = [(group, name) for group in GROUPS for name in endpoint_cases.names(group)]


def seen_of(group: str, name: str) -> list[Seen]:
    case = endpoint_cases.case(group, name)
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
        faults(case, [Seen("sigcomp", b"x")])[0] == "message 1: INVALID_CODE_LOCATION was expected; it was decompressed"
    )
    wrong = [replace(honest[0], reason=4)]
    assert "message 1: reason is SEGFAULT, it should be INVALID_CODE_LOCATION" in faults(case, wrong)
    assert faults(case, []) == ["there are 1 messages, and something is known of 0"]


def test_unknown_case() -> None:
    with pytest.raises(UsageError, match="message has no case nobody; it has plain-message"):
        endpoint_cases.case("message", "nobody")
