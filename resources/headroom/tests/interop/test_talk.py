# SPDX-License-Identifier: Apache-2.0
"""Calls between two SigComp endpoints: what is right over which link, and whose fault it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from headroom.conformance.sides import NotDeclared
from headroom.errors import UsageError
from headroom.interop import talk
from headroom.interop.talk import Call, Row
from headroom.sip import sequences

ROW = Row("alice", "bob")
MESSAGES = sequences.load(sequences.path_of("basic-voice-call"))


def call(*records: dict[str, Any]) -> Call:
    return Call("basic-voice-call", MESSAGES, {"records": [{"message": 0, "from": "a"} | one for one in records]})


def missing(reason: str) -> Call:
    return call({"verdict": "not_delivered", "arrivals": [{"status": "ERR_DECOMPRESSION", "reason_name": reason}]})


def test_what_comes_out_and_what_is_lost_is_right() -> None:
    assert talk.shortcomings(ROW, [call({"verdict": "identical"}, {"verdict": "lost_on_link", "message": 1})]) == []


@pytest.mark.parametrize("link", talk.LINKS)
def test_nothing_excuses_a_message_that_comes_out_different(link: str) -> None:
    found = talk.shortcomings(replace(ROW, link=link), [call({"verdict": "mismatched", "from": "b", "message": 1})])
    assert len(found) == 1
    assert found[0].startswith("basic-voice-call, message 2 (100 Trying) from bob to alice is mismatched")


def test_state_that_was_on_its_way_is_an_excuse_where_the_link_does_harm() -> None:
    for link, excused in (("clean", False), ("duplicates", False), ("loss", True), ("reorder", True)):
        assert (talk.shortcomings(replace(ROW, link=link), [missing("STATE_NOT_FOUND")]) == []) is excused
        assert talk.shortcomings(replace(ROW, link=link), [missing("SEGFAULT")])
        assert talk.shortcomings(replace(ROW, link=link), [call({"verdict": "not_delivered"})])
        assert talk.shortcomings(replace(ROW, link=link), [call({"verdict": "not_compressed"})])


def test_the_judge_says_whose_fault_it_is() -> None:
    # RFC 4896, chapter 11: the message as it is behind bytecode that only passes it on.
    plain = bytes.fromhex("f800a11c01860922860116f923") + MESSAGES[0].octets
    sent = missing("SEGFAULT").document["records"][0]
    for octets, said in ((plain, "; the judge restores it"), (plain[:-1], "; the judge cannot restore it either")):
        found = talk.shortcomings(ROW, [call(sent | {"compressed": {"octets": octets.hex()}})])
        assert found == [f"basic-voice-call, message 1 (INVITE) from alice to bob is not delivered (SEGFAULT){said}"]


def test_words_that_there_are_not() -> None:
    with pytest.raises(UsageError, match="no link 'fog'"):
        talk.run(replace(ROW, link="fog"))
    with pytest.raises(UsageError, match="over 'sctp'"):
        talk.run(replace(ROW, transport="sctp"))


def test_what_is_not_declared(real_build: str) -> None:
    with pytest.raises(NotDeclared, match="example does not declare the scheme sigcomp"):
        talk.run(Row("reference", "example", build=real_build))
    with pytest.raises(NotDeclared, match="reference and null do not have the same on the link"):
        talk.run(Row("reference", "null", build=real_build))
    with pytest.raises(NotDeclared, match="Neither null nor null has the mechanism dynamic"):
        talk.run(Row("null", "null", "dynamic", build=real_build))


def test_calls_of_the_reference_with_itself(real_build: str) -> None:
    row = Row("reference", "reference", "dynamic", build=real_build)
    calls = talk.run(row)
    assert talk.shortcomings(row, calls) == []
    found = talk.totals(calls)
    assert found["messages"] == found["identical"] == sum(len(one.messages) for one in calls)
    assert found["sent_octets"] < found["plain_octets"] / 2
    on_the_link = talk.on_the_link(calls)
    assert len({sender for sender, _, _ in on_the_link}) == 2 * len(calls)
    assert sum(len(octets) for _, octets, _ in on_the_link) == found["sent_octets"]


def test_several_compartments_and_a_capture(real_build: str, tmp_path: Any) -> None:
    row = Row("reference", "reference", "stateful-basic", link="clean", build=real_build)
    calls = talk.run(row, compartments=2, capture=tmp_path)
    assert talk.shortcomings(row, calls) == []
    assert all(len(one.document["records"]) == 2 * len(one.messages) for one in calls)
    assert sorted(path.stem for path in tmp_path.iterdir()) == sequences.names()
