# SPDX-License-Identifier: Apache-2.0
"""A compressor alone: what is given to it and when, and what is wrong with the packet types it answers with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from headroom.core.capabilities import Inconclusive, Misbehaviour
from headroom.core.errors import UsageError
from headroom.core.replay import ReplayConfig
from headroom.schemes.rohc.conformance import conversation
from headroom.schemes.rohc.conformance.conversation import Conversation, judge_kinds
from headroom.schemes.rohc.conformance.observation import Observation
from headroom.tests.conformance.support import observed, sent, stream
from headroom.tests.runs import replay_of


def kinds_of(words: str) -> list[Any]:
    """Packets such as `IR/O UO-0 -`: type and mode parameter; `-` is none on the link, `Normal` is of profile 0."""
    modes = {"": None, "U": 1, "O": 2}
    found = []
    for index, word in enumerate(words.split()):
        kind, _, mode = word.partition("/")
        kind = "" if kind == "-" else kind
        profile = 0x0000 if kind == "Normal" else 0x0001
        found.append(SimpleNamespace(index=index + 7, kind=kind, mode=modes[mode], profile=profile))
    return found


@pytest.mark.parametrize(
    ("expected", "right", "wrong", "sentence"),
    [
        ("type 0", "UO-0 UO-0 Normal", "UO-0 UO-1 UO-0", "packet 9 is UO-1; only type 0 is expected"),
        ("type 0", "UO-0", "UO-0 -", "packet 9 is not on the link; only type 0 is expected"),
        ("type 0", "UO-0", "UO-0 refused", "packet 9 is refused; only type 0 is expected"),
        ("type 1", "UO-1 UO-1-ID UO-1-TS", "UO-1-TS UOR-2", "packet 9 is UOR-2; only type 1 is expected"),
        ("update", "IR IR-DYN UOR-2 UOR-2-ID UOR-2-TS", "UO-0", "packet 8 is UO-0; only update is expected"),
        ("IR, IR-DYN", "IR IR-DYN", "UOR-2-ID", "packet 8 is UOR-2-ID; only IR, IR-DYN is expected"),
        ("nothing", "- -", "- IR", "packet 9 is IR; only nothing is expected"),
        ("no IR", "UO-0 IR-DYN", "UO-0 IR", "packet 9 is IR; no IR is expected"),
        ("some IR-DYN", "UO-0 IR-DYN", "UO-0 IR UO-0", "there is no IR-DYN; what comes: UO-0, IR"),
        ("first update", "IR UO-0", "UO-0 IR", "the first packet is UO-0; update is expected"),
        ("first IR", "IR UO-0", "- IR", "the first packet is not on the link; IR is expected"),
        ("at the end type 0", "IR UO-0", "UO-0 UOR-2", "the last packet is UOR-2; type 0 is expected"),
        ("at the end type 0", "UO-0 UO-0 IR", "UO-0 IR IR IR IR IR", "the last packet is IR; type 0 is expected"),
        ("at the end type 0", "IR UO-0", "UO-0 -", "the last packet is not on the link; type 0 is expected"),
        ("mode O", "IR/O UO-0 UOR-2-ID/O", "IR/O UO-0 UOR-2-ID/U", "packet 10 (UOR-2-ID) does not say mode O"),
        ("mode O", "UO-0 UO-0", "IR/U", "packet 8 (IR) does not say mode O"),
        ("some mode U", "IR/O UOR-2/U", "IR/O UO-0", "no packet says mode U"),
        ("some mode U", "IR/U", "UO-0", "no packet says mode U"),
        ("no mode U", "IR/O UO-0", "IR/O UOR-2/U", "packet 9 (UOR-2) says mode U"),
        ("no profile 0x0001", "Normal -", "Normal UO-0", "packet 9 (UO-0) is of profile 0x0001"),
        ("CO", "seq_1 rnd_8 co_common", "seq_1 IR-DYN", "packet 9 is IR-DYN; only CO is expected"),
        ("first CRC-7", "seq_8 seq_1", "seq_1 seq_8", "the first packet is seq_1; CRC-7 is expected"),
        ("no IR-CR; perhaps nothing", "IR - rnd_8", "IR IR-CR", "packet 9 is IR-CR; no IR-CR is expected"),
        ("profile 0x0000", "Normal Normal", "Normal IR", "packet 9 (IR) is not of profile 0x0000"),
        ("profile 0x0000", "Normal", "Normal -", "packet 9 is not on the link; profile 0x0000 is expected"),
    ],
)
def test_expectations(expected: str, right: str, wrong: str, sentence: str) -> None:
    assert judge_kinds(expected, kinds_of(right)) == []
    assert judge_kinds(expected, kinds_of(wrong)) == [sentence]


def test_small_packets_are_not_demanded_of_one_that_never_sends_them() -> None:
    packets = kinds_of("IR UOR-2 UOR-2")
    for expected in ("at the end type 0, type 1", "some UO-0", "type 1"):
        assert judge_kinds(expected, packets, do_types_tell=False) == [] != judge_kinds(expected, packets)
    assert judge_kinds("no type 0; first UOR-2", packets, do_types_tell=False) == judge_kinds("first UOR-2", packets)


def test_any_is_always_right() -> None:
    assert judge_kinds("any", kinds_of("- refused IR")) == []


def test_several_expectations() -> None:
    packets = kinds_of("UO-0 UO-1")
    assert judge_kinds("first type 0; at the end type 1; no IR", packets) == []
    assert len(judge_kinds("first IR; at the end type 0", packets)) == 2


@pytest.mark.parametrize(
    "expected", ["UO-9", "some", "type 3", "mode X", "no packets", "", "IR; ", "first mode O", "some profile 0x0001"]
)
def test_what_says_nothing_is_refused(expected: str) -> None:
    with pytest.raises(UsageError):
        judge_kinds(expected, kinds_of("IR UO-0"))


def test_an_expectation_of_no_packets_is_refused() -> None:
    with pytest.raises(UsageError, match="no packet"):
        judge_kinds("first IR", [])


# ---- what is sent and given, and when


class Link:
    """In place of `observe`: keeps what was asked for and answers with observations in turn."""

    def __init__(self, *answers: Observation) -> None:
        self.answers = list(answers)
        self.asked: list[ReplayConfig] = []

    def __call__(self, wanted: ReplayConfig, window: int, confidence: int) -> Observation:
        self.asked.append(wanted)
        return self.answers.pop(0)


def test_flows_take_turns() -> None:
    story = Conversation("udp-ipv4", flows=3)
    story.send(2)
    assert len(story.packets) == 6
    assert [packet["time_ns"] for packet in story.packets] == [0, 0, 0, 20_000_000, 20_000_000, 20_000_000]
    ports = [packet["hex"][40:44] for packet in story.packets]
    assert ports == ["4e20", "4e22", "4e24"] * 2


def test_feedback_carries_the_sn_of_the_packet_before(monkeypatch: pytest.MonkeyPatch) -> None:
    link = Link(stream("rtp-ipv4", ["IR"] * 5))
    monkeypatch.setattr(conversation, "observe", link)
    story = Conversation("rtp-ipv4", {"mode": "O"})
    story.send(3)
    story.give("ACK(O)")
    story.give("NACK(O)", about=0)
    story.send(2)
    story.run(replay_of(channel={"max_cid": 3}))
    (asked,) = link.asked
    assert asked.decompressor is None
    assert asked.channel == {"max_cid": 3, "mode": "O"}
    # SN 1000, 1001 and 1002 = 0x3ea have been sent; packet 0 had 1000 = 0x3e8.
    assert asked.control == [
        {"before": 3, "side": "compressor", "feedback": "f223ea", "channel": 0},
        {"before": 3, "side": "compressor", "feedback": "f263e8", "channel": 0},
    ]


def test_feedback_of_one_flow_among_several(monkeypatch: pytest.MonkeyPatch) -> None:
    link = Link(two_flows(0, 1))
    monkeypatch.setattr(conversation, "observe", link)
    story = Conversation("rtp-ipv4", flows=2)
    story.send(2)
    story.give("ACK(O)", flow=1)
    story.give("ACK(O)", flow=1, about=0)
    story.send(1)
    story.run(replay_of())
    # Flow 1 begins with SN 1077 = 0x435; CID 1 in front.
    assert [step["feedback"] for step in link.asked[0].control] == ["f3e12436", "f3e12435"]


def two_flows(*cids: int) -> Observation:
    """Three IR packets of each of two flows, whose contexts have these CIDs."""
    each = [sent("rtp-ipv4", ["IR"] * 3, cid=cid) for cid in cids]
    return observed([one[0][n] for n in range(3) for one in each], [one[1][n] for n in range(3) for one in each])


def test_feedback_names_the_cid_that_the_compressor_has_given_the_flow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compressor gives CIDs as it likes (RFC 3095, 5.1.2): what a flow has is read off the link."""
    link = Link(*[two_flows(9, 0)] * 3)
    monkeypatch.setattr(conversation, "observe", link)
    story = Conversation("rtp-ipv4", flows=2)
    story.send(2)
    story.give("ACK(O)")
    story.give("NACK(O)", flow=1)
    story.give("STATIC-NACK(O)", flow="unused", in_vain=True)
    story.send(1)
    story.run(replay_of())
    assert [step["feedback"][:4] for step in link.asked[1].control] == ["f3e9", "f264", "f3e1"]
    assert link.asked[1].control[:2] == link.asked[2].control  # and without what is given in vain


def test_a_channel_without_an_unused_cid_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "observe", Link(two_flows(1, 0)))
    story = Conversation("rtp-ipv4", {"max_cid": 1}, flows=2)
    story.send(2)
    story.give("STATIC-NACK(O)", flow="unused", in_vain=True)
    story.send(1)
    with pytest.raises(Inconclusive, match="Every CID of the channel is in use"):
        story.run(replay_of())


def test_a_compressor_that_never_does_the_same_again_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "observe", Link(two_flows(1, 0), two_flows(0, 1)))
    story = Conversation("rtp-ipv4", flows=2)
    story.send(2)
    story.give("ACK(O)")
    story.send(1)
    with pytest.raises(Misbehaviour, match="given twice, result in different octets"):
        story.run(replay_of())


def test_sn_of_udp_is_read_off_the_link(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compressor makes it itself (RFC 3095, 5.11.1), so the story is played to know it."""
    link = Link(*[stream("udp-ipv4", ["IR", "UO-0", "IR"])] * 2)
    monkeypatch.setattr(conversation, "observe", link)
    story = Conversation("udp-ipv4")
    story.send(2)
    story.give("ACK(O)")
    story.send(1)
    story.run(replay_of())
    first, second = link.asked
    assert len(first.source) == len(second.source) == 3
    assert [step["feedback"] for step in second.control] == ["f223e9"]  # the flow's SN is 1001 by then


def test_raw_feedback_goes_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    link = Link(stream("rtp-ipv4", ["IR"]))
    monkeypatch.setattr(conversation, "observe", link)
    story = Conversation("rtp-ipv4")
    story.give("raw f25abc")
    story.signal({"signal": "reinitialize"})
    story.send(1)
    story.run(replay_of())
    assert link.asked[0].control == [
        {"before": 0, "side": "compressor", "message": {"signal": "reinitialize"}},
        {"before": 0, "side": "compressor", "feedback": "f25abc", "channel": 0},
    ]


def test_nonsense_is_refused_when_it_is_given() -> None:
    with pytest.raises(UsageError, match="is no feedback"):
        Conversation("rtp-ipv4").give("ACK")


# ---- what is made of the answer


def told(kinds: list[str], *expectations: tuple[int, str]) -> tuple[Conversation, Observation]:
    story = Conversation("rtp-ipv4")
    for count, expected in expectations:
        story.send(count, expected)
    return story, stream("rtp-ipv4", kinds)


def test_steps_are_judged_one_by_one() -> None:
    story, seen = told(["IR", "IR", "UO-0", "UOR-2-ID"], (2, "IR"), (2, "type 0"))
    assert story.judge(seen, None) == ["step 2 (2 packets): packet 4 is UOR-2-ID; only type 0 is expected"]
    story, seen = told(["IR", "IR", "UO-0", "UO-0"], (2, "IR"), (2, "type 0"))
    assert story.judge(seen, None) == []


def test_a_step_is_about_its_own_flow() -> None:
    story = Conversation("udp-ipv4", flows=2)
    story.send(2, "IR", flow=1)
    links, originals = [], []
    one, other = sent("udp-ipv4", ["IR", "UO-0"]), sent("udp-ipv4", ["IR", "IR"], cid=1)
    for n in range(2):
        links += [one[0][n], other[0][n]]
        originals += [one[1][n], other[1][n]]
    assert story.judge(observed(links, originals), None) == []
    story.sent[0].flow = 0
    assert story.judge(observed(links, originals), None) == [
        "step 1 (2 packets): packet 3 is UO-0; only IR is expected"
    ]


def test_what_is_given_in_vain_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    without = stream("rtp-ipv4", ["IR", "UO-0", "UO-0", "UO-0"])
    for answer, complaints in (
        (stream("rtp-ipv4", ["IR", "UO-0", "UO-0", "UO-0"]), []),
        (
            stream("rtp-ipv4", ["IR", "UO-0", "UO-0", "IR"]),
            ["feedback that was to be ignored changes packet 4: IR instead of UO-0"],
        ),
    ):
        link = Link(answer, without)
        monkeypatch.setattr(conversation, "observe", link)
        story = Conversation("rtp-ipv4")
        story.send(2)
        story.give("raw f1ff")
        story.give("ACK(O) with wrong CRC", in_vain=True)
        story.send(2)
        seen, other = story.run(replay_of())
        heeded = [[step["feedback"] for step in asked.control] for asked in link.asked]
        assert heeded[0][0] == heeded[1][0] == "f1ff"
        assert [len(several) for several in heeded] == [2, 1]
        assert story.judge(seen, other) == complaints


def test_pauses() -> None:
    made = Conversation("rtp-ipv4")
    made.send(2)
    made.pause(0.5)
    made.send(1)
    assert [packet["time_ns"] for packet in made.packets] == [0, 20_000_000, 540_000_000]


def test_what_a_compressor_is_free_to_send_is_demanded_only_as_before() -> None:
    """One that told a change twice must do so again; one that told it once may."""
    twice = ["UO-0", "UOR-2", "UOR-2", "UO-0", "UOR-2", "UO-0"]
    once = ["UO-0", "UOR-2", "UO-0", "UO-0", "UOR-2", "UO-0"]
    for kinds, complaints in ((twice, 1), (once, 0)):
        told = Conversation("udp-ipv4")
        for expected in ("any", "update", "as before update", "any", "update", "as before update"):
            told.send(1, expected)
        assert len(told.judge(stream("udp-ipv4", ["IR", *kinds[1:]]), None)) == complaints


def test_what_comes_without_feedback_is_excused(monkeypatch: pytest.MonkeyPatch) -> None:
    with_it, alone, other = (
        stream("rtp-ipv4", ["IR", "UO-0", *kinds]) for kinds in (["UO-0", "IR"], ["IR", "UO-0"], ["UO-0"] * 2)
    )
    for without, complaints in ((alone, []), (other, ["step 2 (2 packets): packet 4 is IR; no IR is expected"])):
        link = Link(with_it, without)
        monkeypatch.setattr(conversation, "observe", link)
        story = Conversation("rtp-ipv4")
        story.send(2)
        story.give("raw f1ff")
        story.send(2, "no IR unless without feedback")
        seen, second = story.run(replay_of())
        assert [len(asked.control) for asked in link.asked] == [1, 0]
        assert story.judge(seen, second) == complaints
