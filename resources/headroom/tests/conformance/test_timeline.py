# SPDX-License-Identifier: Apache-2.0
"""A decompressor alone, step by step: what it is sent, and what is wrong with what it delivers and answers."""

from __future__ import annotations

from typing import Any

import pytest

from headroom.core.errors import UsageError
from headroom.schemes.rohc.conformance import timeline
from headroom.schemes.rohc.conformance.feedback import Written
from headroom.schemes.rohc.conformance.timeline import Timeline, judge_answers
from headroom.schemes.rohc.judge import CrcMismatch, Decompressor, Parameters
from headroom.schemes.rohc.judge.v1 import feedback as formats
from headroom.tests.conformance.support import document, record


def said(words: str, cid: int = 0, sn: int = 1000) -> str:
    return Written.of(words).element(cid, sn, Parameters()).hex()


def played(story: Timeline, answers: dict[int, list[str]] | None = None, **verdicts: str) -> timeline.TimelineOutcome:
    """Judges a decompressor that does all that is expected, but for packets such as `p3="mismatched"`."""
    records = []
    for n, link in enumerate(story.links):
        right = "withheld" if story.expected[n] is None else "identical"
        one = record(n, bytes.fromhex(link["hex"]), verdicts.get(f"p{n}", right))
        one["feedback"] = (answers or {}).get(n, [])
        records.append(one)
    return story.judge(document(records))


def story(*steps: tuple[Any, ...], flow: str = "rtp-ipv4", **channel: Any) -> Timeline:
    found = Timeline(flow, channel)
    for step in steps:
        found.receive(*step)
    return found


# ---- what is sent


def test_steps_become_packets() -> None:
    made = story((2, "IR"), (1, "lost"), (1, "UO-0"), (1, "damaged UO-0", "withheld"))
    assert [packet["time_ns"] for packet in made.links] == [0, 20_000_000, 60_000_000, 80_000_000]
    assert [one.sn for one in made.sent] == [1000, 1001, 1003, 1004]
    assert [one is None for one in made.expected] == [False, False, False, True]
    assert [(step.first, step.count) for step in made.steps] == [(0, 2), (2, 0), (2, 1), (3, 1)]
    judge = Decompressor()
    outcomes = [judge.decompress(bytes.fromhex(packet["hex"])) for packet in made.links]
    assert [one.packet.kind for one in outcomes[:3] if one.packet] == ["IR", "IR", "UO-0"]
    assert isinstance(outcomes[3].error, CrcMismatch)
    for outcome, expected in zip(outcomes[:3], made.expected, strict=False):
        assert outcome.delivered is not None
        assert expected is not None
        assert outcome.delivered.hex() == expected["hex"]


def test_words_of_a_step() -> None:
    made = story((1, "IR without dynamic chain", "withheld"), (1, "IR with mode U for CID 3"), (1, "UO-0 for CID 3"))
    assert [packet["hex"][:2] for packet in made.links] == ["fc", "e3", "e3"]
    assert made.steps[1].cid == 3
    assert made.senders[3].flow.ports == (20_006, 30_006)


def test_poisoned_packets_are_valid_ones_of_another_sn() -> None:
    """A residual error that no CRC can notice; afterwards the flow goes on as if nothing had been."""
    made = story((1, "IR"), (1, "poisoned UO-0", "anything"), (1, "UO-0"))
    assert [one.sn for one in made.sent] == [1000, 1006, 1002]
    judge = Decompressor()
    judge.decompress(bytes.fromhex(made.links[0]["hex"]))
    outcome = judge.decompress(bytes.fromhex(made.links[1]["hex"]))
    assert outcome.delivered is not None
    assert outcome.delivered[30:32] == (1006).to_bytes(2, "big")
    assert made.expected[1] is None
    assert made.expected[2] is not None
    # As if the packet had been lost: sequence number, timestamp and IP-ID go on where they were.
    assert made.expected[2]["hex"] == story((1, "IR"), (1, "lost"), (1, "UO-0")).expected[1]["hex"]


def test_garbled_packets_would_lead_a_context_astray() -> None:
    """Of another SN and with a wrong CRC: who updates the context with it cannot read the next packet."""
    made = story((1, "IR"), (1, "garbled UO-0", "withheld"), (1, "UO-0"))
    assert [one.sn for one in made.sent] == [1000, 1006, 1002]
    judge = Decompressor()
    judge.decompress(bytes.fromhex(made.links[0]["hex"]))
    careless = Decompressor()
    careless.channel.contexts = dict(judge.channel.contexts)
    assert isinstance(judge.decompress(bytes.fromhex(made.links[1]["hex"])).error, CrcMismatch)
    assert made.expected[2] is not None
    assert judge.decompress(bytes.fromhex(made.links[2]["hex"])).delivered == bytes.fromhex(made.expected[2]["hex"])
    context = careless.channel.contexts[0].copy()
    context.sn, context.ts = 1006, context.ts + 6 * context.ts_stride
    careless.channel.contexts = {0: context}
    assert careless.decompress(bytes.fromhex(made.links[2]["hex"])).delivered is None


def test_pauses_messages_and_changes() -> None:
    made = story((1, "IR"))
    made.pause(2.5)
    made.tell({"mode": "U"})
    made.change("ttl to 9")
    made.receive(1, "IR-DYN")
    assert made.links[1]["time_ns"] == 20_000_000 + 2_500_000_000
    assert made.control == [{"before": 1, "side": "decompressor", "message": {"mode": "U"}}]
    assert made.expected[1] is not None
    assert made.expected[1]["hex"][16:18] == "09"


def test_job() -> None:
    made = story((1, "IR"), (1, "damaged UO-0", "withheld"), cids="small")
    job = made.job({"library": "x.so"})
    assert job["decompressor"] == {"library": "x.so"}
    assert "compressor" not in job
    assert len(job["source"]["packets"]) == len(job["expected"]["packets"]) == 2
    assert job["expected"]["packets"][1] is None
    assert job["records"] == "all"


def test_large_cids() -> None:
    made = story((1, "IR for CID 300"), cids="large", max_cid=1000)
    assert made.links[0]["hex"].startswith("fd812c")


@pytest.mark.parametrize(
    ("what", "outcome"),
    [("UO-0 damaged", "delivered"), ("UO-0", "received"), ("IR with mode X", "delivered"), ("UO-9", "delivered")],
)
def test_what_is_no_step_is_refused(what: str, outcome: str) -> None:
    with pytest.raises(UsageError, match=r"is no (step|packet type)"):
        story((1, what, outcome))


# ---- what comes out


@pytest.mark.parametrize(
    ("outcome", "verdict", "sentence"),
    [
        ("delivered", "identical", ""),
        ("delivered", "not_delivered", "packet 1 of 2 is not delivered (ERR_CRC)"),
        ("delivered", "mismatched", "packet 1 of 2 comes out with other octets (OK)"),
        ("withheld", "withheld", ""),
        ("withheld", "unexpected", "packet 1 of 2 is delivered, but nothing may come out (OK)"),
        ("delivered or withheld", "identical", ""),
        ("delivered or withheld", "not_delivered", ""),
        ("delivered or withheld", "mismatched", "packet 1 of 2 comes out with other octets (OK)"),
        ("anything", "unexpected", ""),
        ("anything", "withheld", ""),
        ("anything", "not_run", "packet 1 of 2 not_run (ERR_CRC)"),
    ],
)
def test_outcomes(outcome: str, verdict: str, sentence: str) -> None:
    found = played(story((1, "IR"), (2, "UO-0", outcome)), p1=verdict)
    assert found.complaints == ([f"step 2 (2 x UO-0): {sentence}"] if sentence else [])


def test_every_step_is_judged() -> None:
    made = story((1, "IR"), (2, "UO-0"), (1, "damaged UO-0", "withheld"), (2, "UO-0"))
    assert played(made).complaints == []
    assert played(made, p2="not_delivered", p3="unexpected", p5="mismatched").complaints == [
        "step 2 (2 x UO-0): packet 2 of 2 is not delivered (ERR_CRC)",
        "step 3 (1 x damaged UO-0): packet 1 of 1 is delivered, but nothing may come out (OK)",
        "step 4 (2 x UO-0): packet 2 of 2 comes out with other octets (OK)",
    ]


# ---- what is answered


def answers(*packets: str) -> list[list[formats.Feedback]]:
    """Feedback by packet, such as `ACK(O) with CRC/NACK(O)`."""
    found = []
    for packet in packets:
        words = [one for one in packet.split("/") if one]
        found.append([formats.parse(bytes.fromhex(said(one))[1:], False) for one in words])
    return found


@pytest.mark.parametrize(
    ("expected", "right", "wrong", "sentence"),
    [
        ("none", ("", ""), ("", "ACK(O)"), "it is answered with ACK(O), but no answer is due"),
        ("some NACK(O)", ("", "NACK(O)"), ("ACK(O)", ""), "no NACK(O) comes; what comes: ACK(O)"),
        ("some any", ("ACK(U)",), ("",), "no any comes; what comes: nothing"),
        ("only ACK(O)", ("", "ACK(O)"), ("ACK(O)", "NACK(O)"), "NACK(O) comes, but only ACK(O) may"),
        (
            "only ACK(O) with CRC",
            ("ACK(O) with CRC",),
            ("ACK(O)",),
            "ACK(O) comes, but only ACK(O) with CRC may",
        ),
        (
            "each ACK(U)",
            ("ACK(U)", "NACK(U)/ACK(U) with CRC"),
            ("ACK(U)", "ACK(O)"),
            "packet 2 is not answered with ACK(U); what comes: ACK(U), ACK(O)",
        ),
        (
            "at most 2",
            ("ACK(U)", "ACK(U)"),
            ("ACK(U)/ACK(U)", "ACK(U)"),
            "it is answered 3 times, at most 2 are due",
        ),
    ],
)
def test_answers(expected: str, right: tuple[str, ...], wrong: tuple[str, ...], sentence: str) -> None:
    assert judge_answers(expected, answers(*right)) == []
    assert judge_answers(expected, answers(*wrong)) == [sentence]


@pytest.mark.parametrize(
    ("kind", "feedback", "right"),
    [
        ("IR with mode R", "ACK(R) with CRC", False),  # 12 bits
        ("IR with mode R", "ACK(R) with SN option and CRC", True),
        ("IR-DYN with mode R", "ACK(R) with CRC", False),
        ("UOR-2-ID with mode R", "ACK(R) with CRC", True),
        ("IR with mode O", "ACK(O) with CRC", True),
        ("IR with mode R", "ACK(R) with CRC and SN-NOT-VALID", True),
    ],
)
def test_in_r_mode_answers_have_as_many_bits_of_sn_as_the_packet(kind: str, feedback: str, right: bool) -> None:
    made = story((1, "IR"), (1, kind), mode="R")
    found = {one.requirement for one in played(made, {1: [said(feedback, sn=1001)]}).remarks}
    assert found == (set() if right else {"RFC3095-5.5.2.2-10"})


def test_feedback_1_is_an_ack_of_no_mode() -> None:
    """RFC 3095, 5.7.6.1: it says no mode, and has no room for a CRC."""
    assert judge_answers("only ACK(U)", answers("FEEDBACK-1")) == []
    assert judge_answers("some ACK(O)", answers("FEEDBACK-1")) == []
    assert judge_answers("some ACK(O) with CRC", answers("FEEDBACK-1")) != []
    assert judge_answers("only NACK(U)", answers("FEEDBACK-1")) != []


def test_all_feedback_of_a_mode() -> None:
    assert judge_answers("only any(U) with CRC", answers("ACK(U) with CRC/NACK(U) with CRC")) == []
    assert judge_answers("only any(U) with CRC", answers("ACK(U)")) != []
    assert judge_answers("only any(U) with CRC", answers("ACK(O) with CRC")) != []
    assert judge_answers("only any(U) with CRC", answers("FEEDBACK-1")) != []


def test_several_expectations_of_answers() -> None:
    assert judge_answers("each any; only ACK(U)", answers("ACK(U)", "ACK(U)")) == []
    assert len(judge_answers("some ACK(O); at most 1", answers("ACK(U)", "ACK(U)"))) == 2


def test_a_static_nack_is_no_nack() -> None:
    assert judge_answers("some NACK(O)", answers("STATIC-NACK(O)")) != []
    assert judge_answers("only NACK(O)", answers("STATIC-NACK(O)")) != []


@pytest.mark.parametrize(
    "expected", ["ACK(O)", "", "most 3", "at 3", "some", "only NAKC(O)", "some ACK(O) with REJECT"]
)
def test_what_says_nothing_about_answers_is_refused(expected: str) -> None:
    with pytest.raises(UsageError, match="says nothing about answers"):
        judge_answers(expected, answers("ACK(O)"))


def test_what_was_before_is_a_feedback() -> None:
    with pytest.raises(UsageError, match="says nothing about answers"):
        story((1, "IR", "delivered", "as before ACK"))


def test_answers_of_the_right_step() -> None:
    made = story((1, "IR", "delivered", "some ACK(O)"), (2, "UO-0", "delivered", "none"), mode="O")
    right = {0: [said("ACK(O) with CRC", sn=1000)]}
    assert played(made, right).complaints == []
    assert [len(one) for one in played(made, right).answers] == [1, 0]
    silent = "the decompressor gives no feedback at all; step 1 (1 x IR): no ACK(O) comes; what comes: nothing"
    assert played(made, {}).complaints == [silent]
    late = {2: [said("ACK(O) with CRC", sn=1002)]}
    assert played(made, right | late).complaints == [
        "step 2 (2 x UO-0): it is answered with ACK(O) with CRC, but no answer is due"
    ]


def test_a_decompressor_without_any_feedback_is_named() -> None:
    """One complaint with the cause, in the place of one for each step."""
    steps = [(1, "IR", "delivered", "each ACK(O)"), (2, "UO-0"), (2, "IR", "delivered", "some ACK(O)")]
    silent = played(story(*steps, mode="O"), p1="mismatched").complaints
    assert silent == [
        "the decompressor gives no feedback at all; step 1 (1 x IR): packet 1 is not answered with ACK(O); "
        "what comes: nothing",
        "step 2 (2 x UO-0): packet 1 of 2 comes out with other octets (OK)",
    ]
    sparse = played(story(*steps, mode="O"), {3: [said("ACK(O)", sn=1003)]}).complaints
    assert sparse == ["step 1 (1 x IR): packet 1 is not answered with ACK(O); what comes: nothing"]
    assert played(story((1, "IR", "delivered", "none"), mode="U")).complaints == []


def test_optional_answers_that_stop_coming() -> None:
    made = story((1, "IR-DYN", "delivered", "as before ACK(O)"), (1, "IR-DYN", "delivered", "as before ACK(O)"))
    one, other = [said("ACK(O)", sn=1000)], [said("ACK(O)", sn=1001)]
    assert played(made, {}).complaints == []
    assert played(made, {0: one, 1: other}).complaints == []
    assert played(made, {1: other}).complaints == []
    assert played(made, {0: one}).complaints == [
        "step 2 (1 x IR-DYN): no ACK(O) comes any more, though such packets were answered with it before"
    ]


@pytest.mark.parametrize(
    ("feedback", "requirement"),
    [
        (said("ACK(O) with CRC", sn=1001), ""),  # of the packet that caused it
        (said("ACK(O) with CRC", sn=1000), ""),  # of the last one decompressed
        (said("ACK(O) with CRC", sn=999), "RFC3095-5.7.6.1-1"),
        (said("ACK(O) with CRC and SN-NOT-VALID", sn=999), ""),
        (said("ACK(O) with CRC", cid=3, sn=1001), "RFC5795-5.2.4.1-5"),
        (said("ACK(O) with wrong CRC", sn=1001), "RFC4815-2.3-1"),
        (said("NACK(O) with REJECT", sn=1001), "RFC3095-5.7.6.4-1"),
        ("f9", "RFC5795-5.2.4.1-1"),
    ],
)
def test_remarks_on_feedback(feedback: str, requirement: str) -> None:
    found = played(story((1, "IR"), (1, "UO-0")), {1: [feedback]})
    assert [one.requirement for one in found.remarks] == ([requirement] if requirement else [])


@pytest.mark.parametrize(("sn", "right"), [(1000, True), (1002, True), (1001, False)])
def test_the_last_packet_decompressed_is_not_one_that_failed(sn: int, right: bool) -> None:
    """RFC 3095, 5.7.6.1: the SN is that of the packet at hand, or of the last one that was decompressed."""
    made = story((1, "IR"), (2, "damaged UO-0", "withheld"))
    found = played(made, {2: [said("NACK(O) with CRC", sn=sn)]})
    assert [one.requirement for one in found.remarks] == ([] if right else ["RFC3095-5.7.6.1-1"])


def test_a_poisoned_packet_may_have_been_decompressed() -> None:
    made = story((1, "IR"), (1, "poisoned UO-0", "anything"), (1, "UO-0", "delivered or withheld"))
    assert made.sent[1].sn == 1006
    assert played(made, {2: [said("NACK(O) with CRC", sn=1006)]}, p2="not_delivered").remarks == []


def test_feedback_before_anything_was_decompressed() -> None:
    made = story((1, "UO-0", "withheld"))
    assert played(made, {0: [said("STATIC-NACK(O) with CRC", sn=1000)]}).remarks == []
    found = played(made, {0: [said("STATIC-NACK(O) with CRC", sn=7)]})
    assert [one.requirement for one in found.remarks] == ["RFC3095-5.7.6.1-2"]
    assert "no packet was decompressed yet" in found.remarks[0].sentence


def test_feedback_of_profile_0x0000() -> None:
    made = Timeline("udp-ipv4", {}, uncompressed=True)
    made.receive(1, "IR")
    assert played(made, {0: ["f100"]}).remarks == []
    assert [one.requirement for one in played(made, {0: [said("ACK(O)")]}).remarks] == ["RFC5795-5.4.5-1"]
