# SPDX-License-Identifier: Apache-2.0
"""Calls between two SigComp endpoints: what is right over which link, and whose fault it is."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from headroom.core.capabilities import Inconclusive
from headroom.core.implementations import find
from headroom.schemes.sigcomp.interop import call as talk
from headroom.schemes.sigcomp.interop.axes import LINKS
from headroom.schemes.sigcomp.interop.call import Call, Exchange
from headroom.schemes.sigcomp.sip import sequences
from headroom.tests.interop import support

ROW = Exchange("alice", "bob")
MESSAGES = sequences.load(sequences.path_of("basic-voice-call"))


@pytest.fixture(autouse=True)
def alice_and_bob(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are implementations without declared limits."""
    undeclared = SimpleNamespace(declared=lambda scheme: {})
    monkeypatch.setattr(talk, "find", lambda name: undeclared if name in ("alice", "bob") else find(name))


LATE = {"message": 9, "from": "b", "verdict": "identical", "link": {"fate": "delivered", "held": True}}


def call(*records: dict[str, Any]) -> Call:
    """Messages of which the first goes from A to B unless it says otherwise, behind one that came out each way."""
    came = [{"message": 9, "from": "a", "verdict": "identical"}, {"message": 9, "from": "b", "verdict": "identical"}]
    whole = [*came, *({"message": 0, "from": "a"} | one for one in records)]
    return Call("basic-voice-call", (*MESSAGES, *MESSAGES), {"records": whole})


def missing(reason: str) -> dict[str, Any]:
    return {"verdict": "not_delivered", "arrivals": [{"status": "ERR_DECOMPRESSION", "reason_name": reason}]}


def lost(message: int = 0, side: str = "a") -> dict[str, Any]:
    return {"message": message, "from": side, "verdict": "lost_on_link", "link": {"fate": "loss"}}


def test_what_comes_out_and_what_the_link_loses_is_right() -> None:
    row = replace(ROW, link="loss")
    assert talk.shortcomings(row, [call({"verdict": "identical"}, lost(1))]) == []
    for link in ("clean", "loss"):  # over a stream, of which nothing is lost, and where the link says that it was not
        found = talk.shortcomings(replace(ROW, link=link, transport="tcp"), [call(lost(1) | {"link": {}}, lost(2))])
        assert len(found) == 1 and "message 2 (100 Trying) from alice to bob is lost on link" in found[0]


def test_a_link_that_does_no_harm_shows_nothing() -> None:
    for link in ("loss", "reorder"):
        with pytest.raises(Inconclusive, match="choose another seed"):
            talk.shortcomings(replace(ROW, link=link), [call({"verdict": "identical"})])
    assert talk.shortcomings(replace(ROW, link="reorder"), [call(LATE)]) == []


@pytest.mark.parametrize("link", [one.name for one in LINKS])
def test_nothing_excuses_a_message_that_comes_out_different(link: str) -> None:
    different = {"verdict": "mismatched", "from": "b", "message": 1}
    found = talk.shortcomings(replace(ROW, link=link), [call(lost(1, "b"), different)])
    assert len(found) == 1
    assert found[0].startswith("basic-voice-call, message 2 (100 Trying) from bob to alice is mismatched")


def test_state_that_was_on_its_way_is_an_excuse() -> None:
    row = replace(ROW, link="loss")
    assert talk.shortcomings(row, [call(lost(), missing("STATE_NOT_FOUND"))]) == []
    assert talk.shortcomings(row, [call(LATE | {"from": "a"}, missing("STATE_NOT_FOUND"))]) == []
    for before in (lost(side="b"), LATE):  # the other side's messages bring it none
        assert talk.shortcomings(row, [call(before, missing("STATE_NOT_FOUND"))])
    assert talk.shortcomings(row, [call(missing("STATE_NOT_FOUND"), lost())])
    for other in (missing("SEGFAULT"), {"verdict": "not_delivered"}, {"verdict": "not_compressed"}):
        assert talk.shortcomings(row, [call(lost(), other)])


def test_calls_of_which_nothing_comes_out_or_nothing_is_compressed_are_none() -> None:
    row = replace(ROW, link="loss")
    lone = Call("basic-voice-call", MESSAGES, {"records": [lost(), lost() | missing("STATE_NOT_FOUND")]})
    lone.document["records"][1]["link"] = {"fate": "delivered"}
    assert talk.shortcomings(row, [lone, lone]) == [], "so much may be chance"
    assert talk.shortcomings(row, [lone] * 3) == ["bob understands none of the 3 messages that the link delivers to it"]
    plain = Call("basic-voice-call", MESSAGES, {"records": [{"from": "b", "verdict": "identical", "plain": True}]})
    assert talk.shortcomings(ROW, [plain]) == ["bob compresses none of its 1 messages"]
    assert talk.shortcomings(ROW, [plain, call()]) == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("drops_everything", "understands none of the"),
        ("misses_state_always", "understands none of the"),
        ("declines_everything", "compresses none of its"),
    ],
)
@pytest.mark.parametrize(
    ("transport", "link"), [("udp", "clean"), ("udp", "loss"), ("udp", "reorder"), ("tcp", "clean")]
)
def test_one_that_only_seems_to_work(
    fault: str, said: str, transport: str, link: str, tmp_path: Any, real_build: str
) -> None:
    """Endpoints that drop, refuse or decline all, alone and as the other side of one that works."""
    broken = support.faulty_endpoint(tmp_path / "broken", real_build, fault)
    right = support.faulty_endpoint(tmp_path / "right", real_build, "none")
    for caller, called in ((broken, broken), (broken, right), (right, broken)):
        row = Exchange(caller, called, transport=transport, link=link, build=real_build)
        found = talk.shortcomings(row, talk.run(row))
        if fault != "declines_everything" or transport == "udp":  # over a stream what is declined is not sent at all
            assert any(said in one and str(tmp_path / "broken") in one for one in found)
    row = Exchange(right, right, transport=transport, link=link, build=real_build)
    assert all("STATE_NOT_FOUND" in one for one in talk.shortcomings(row, talk.run(row)))


def test_messages_of_a_stream_that_come_out_twice(tmp_path: Any, real_build: str) -> None:
    twice = support.faulty_endpoint(tmp_path / "twice", real_build, "gives_each_message_twice")
    right = support.faulty_endpoint(tmp_path / "right", real_build, "none")
    row = Exchange(right, twice, transport="tcp", build=real_build)
    assert any("it comes out more than once" in one for one in talk.shortcomings(row, talk.run(row)))


@pytest.mark.parametrize("transport", ["udp", "tcp"])
@pytest.mark.parametrize(("fault", "why"), [("copies", "plain"), ("none", "[A-Za-z_]+")])
def test_two_that_understand_each_other_in_another_language(
    fault: str, why: str, transport: str, tmp_path: Any, real_build: str
) -> None:
    """They declare SigComp: one copies, the other has a format of its own. Only what is on the link is wrong."""
    vendor = support.faulty_endpoint(tmp_path / "vendor", real_build, fault, "sigcomp")
    row = Exchange(vendor, vendor, transport=transport, build=real_build)
    calls = talk.run(row)
    assert talk.shortcomings(row, calls) == []
    wrong = talk.confirmed(row, calls, [])
    assert len(wrong) == sum(len(one.messages) for one in calls)
    assert re.search(rf"is restored by no judge \((?:{why})", wrong[0])
    own = Exchange(*[support.faulty_endpoint(tmp_path / "own", real_build, fault)] * 2, build=real_build)
    assert talk.confirmed(own, calls, []) == [], "that is what they declare"


@pytest.mark.parametrize("transport", ["udp", "tcp"])
@pytest.mark.parametrize("mechanism", ["dynamic", "shared"])
def test_the_judge_restores_what_the_reference_sends(mechanism: str, transport: str, real_build: str) -> None:
    row = Exchange("reference", "reference", mechanism, transport, build=real_build)
    calls = [one for one in talk.run(row) if one.sequence == "basic-voice-call"]
    assert talk.confirmed(row, calls, []) == []
    sent = [message for _, _, message in talk.on_the_link(row, calls)]
    assert talk.confirmed(row, calls, sent) == [], "tshark's word suffices"
    assert talk.confirmed(row, calls, [None] * len(sent)) == [], "where it errs there is the other judge"


@pytest.mark.parametrize(("link", "compartments"), [("loss", 1), ("reorder", 1), ("duplicates", 1), ("clean", 3)])
def test_the_judge_hears_what_arrives(link: str, compartments: int, real_build: str, tmp_path: Any) -> None:
    row = Exchange("reference", "reference", "dynamic", link=link, build=real_build, sequences=("3gpp-video-call",))
    row = replace(row, compartments=compartments)
    calls = talk.run(row)
    assert talk.shortcomings(row, calls) == []
    assert talk.confirmed(row, calls, []) == []
    liar = support.faulty_endpoint(tmp_path / "liar", real_build, "none", "sigcomp")
    row = replace(row, caller=liar, called=liar, mechanism=talk.DEFAULT)
    calls = talk.run(row)
    assert len(talk.confirmed(row, calls, [])) == talk.totals(calls)["identical"] > 0


def test_the_judge_says_whose_fault_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk, "restored_alone", lambda *_: set())
    # RFC 4896, chapter 11: the message as it is behind bytecode that only passes it on.
    plain = bytes.fromhex("f800a11c01860922860116f923") + MESSAGES[0].octets
    sent = missing("SEGFAULT")
    for octets, said in ((plain, "; the judge restores it"), (plain[:-1], "; the judge cannot restore it either")):
        found = talk.shortcomings(ROW, [call(sent | {"compressed": {"octets": octets.hex()}})])
        assert found == [f"basic-voice-call, message 1 (INVITE) from alice to bob is not delivered (SEGFAULT){said}"]


def test_a_receiver_that_restores_it_alone_is_not_at_fault(real_build: str) -> None:
    """Its peer, in the same process, may have damaged it."""
    row = Exchange("reference", "reference", "dynamic", build=real_build, sequences=("basic-voice-call",))
    (played,) = talk.run(row)
    records = played.document["records"]
    restored = {record["message"] for record in records if record["from"] == "a"}
    assert talk.restored_alone(row, played, "b") == restored
    failed = next(record for record in records if record["message"] == max(restored))
    failed |= missing("SEGFAULT")
    (found,) = talk.shortcomings(row, [played])
    assert found.endswith("; the judge restores it, and so does reference in an engine of its own")
    first = next(record for record in records if record["from"] == "a")
    first["compressed"]["octets"] = "f8" + first["compressed"]["octets"][2:8]
    assert first["message"] not in talk.restored_alone(row, played, "b"), (
        "no endpoint restores a message that is cut off"
    )


@pytest.mark.parametrize(
    ("pair", "mechanism", "sentence"),
    [
        (("reference", "example"), "default", "example does not declare the scheme sigcomp"),
        (("reference", "null"), "default", "reference and null do not have the same on the link"),
        (("null", "null"), "dynamic", "Neither null nor null has the mechanism dynamic"),
    ],
)
def test_what_is_not_declared(pair: tuple[str, str], mechanism: str, sentence: str, real_build: str) -> None:
    assert talk.unsupported(Exchange(*pair, mechanism, build=real_build)) == sentence


def test_calls_of_the_reference_with_itself(real_build: str) -> None:
    row = Exchange("reference", "reference", "dynamic", build=real_build)
    calls = talk.run(row)
    assert talk.shortcomings(row, calls) == []
    found = talk.totals(calls)
    assert found["messages"] == found["identical"] == sum(len(one.messages) for one in calls)
    assert found["sent_octets"] < found["plain_octets"] / 2
    on_the_link = talk.on_the_link(row, calls)
    assert len({sender for sender, _, _ in on_the_link}) == 2 * len(calls)
    assert sum(len(octets) for _, octets, _ in on_the_link) == found["sent_octets"]


def test_several_compartments_and_a_capture(real_build: str, tmp_path: Any) -> None:
    row = Exchange("reference", "reference", "stateful-basic", build=real_build, compartments=2)
    calls = talk.run(row, {name: tmp_path / f"{name}.pcapng" for name in sequences.names()})
    assert talk.shortcomings(row, calls) == []
    assert all(len(one.document["records"]) == 2 * len(one.messages) for one in calls)
    assert sorted(path.stem for path in tmp_path.iterdir()) == sequences.names()
