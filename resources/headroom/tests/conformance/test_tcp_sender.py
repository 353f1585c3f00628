# SPDX-License-Identifier: Apache-2.0
"""Packets of ROHC-TCP written by hand, before the judge, and stories of decompressors made of them."""

from __future__ import annotations

from typing import Any

import pytest

from headroom.core import implementations, replay
from headroom.core.capabilities import NotDeclared
from headroom.core.errors import UsageError
from headroom.core.paths import IMPLEMENTATIONS
from headroom.core.replay import Replay
from headroom.schemes.rohc.conformance import capabilities, timeline, vectors
from headroom.schemes.rohc.conformance.losses import literal
from headroom.schemes.rohc.conformance.numbers import MasterSequenceNumbers, SentPacket
from headroom.schemes.rohc.conformance.observation import observe
from headroom.schemes.rohc.conformance.tcp_sender import UNKNOWN_INDEX, Base, TcpFlow, TcpSender
from headroom.schemes.rohc.conformance.timeline import Timeline
from headroom.schemes.rohc.judge import Decompressor, Parameters
from headroom.schemes.rohc.judge.tcp.feedback import (
    ACK,
    MSN_NOT_VALID,
    NACK,
    STATIC_NACK,
    Feedback,
    write_feedback,
)
from headroom.tests.conformance.support import document, record
from headroom.tests.runs import replay_of

PROFILES = frozenset({0, 6})


def pair(version: int = 4, cid: int = 0, large: bool = False) -> tuple[TcpSender, Decompressor]:
    judge = Decompressor(Parameters(large_cids=large, max_cid=16383 if large else 15, profiles=PROFILES))
    return TcpSender(TcpFlow.of(f"tcp-ipv{version}", cid), cid, large), judge


@pytest.mark.parametrize(("cid", "large"), [(0, False), (7, False), (7, True), (16383, True)])
@pytest.mark.parametrize("version", [4, 6])
def test_each_type_is_what_the_judge_reads(version: int, cid: int, large: bool) -> None:
    sender, judge = pair(version, cid, large)
    compressed = ("seq_1", "seq_5", "seq_8") if version == 4 else ("rnd_1", "rnd_5")
    for kind in ("IR", "IR-DYN", *compressed, "co_common", *compressed):
        link, original = sender.packet(kind)
        outcome = judge.decompress(link)
        assert outcome.packet is not None and outcome.delivered == original
        assert (outcome.packet.kind, outcome.packet.cid) == (kind, cid)
        assert outcome.packet.tcp is not None and outcome.packet.tcp.context.control["msn"] == sender.last_sn


@pytest.mark.parametrize("kind", ["IR", "IR-DYN", "seq_1", "seq_8", "co_common"])
def test_a_damaged_packet_comes_again(kind: str) -> None:
    sender, judge = pair()
    judge.decompress(sender.packet("IR")[0])
    damaged, _ = sender.packet(kind, wrong_crc=True)
    first = sender.last_sn
    error = judge.decompress(damaged).error
    assert error is not None and "CRC" in str(error)
    link, original = sender.packet(kind)
    assert judge.decompress(link).delivered == original
    assert sender.last_sn == first


def test_an_ir_cr_packet_of_another_context() -> None:
    base, judge = pair()
    judge.decompress(base.packet("IR")[0])
    replica = TcpSender(TcpFlow.of("tcp-ipv4", 1), 1)
    for wrong in (True, False):
        link, original = replica.packet("IR-CR", Base(0, base.context), wrong)
        outcome = judge.decompress(link)
        assert replica.validated
        assert (outcome.delivered == original) is not wrong
        assert not wrong or (outcome.error is not None and outcome.error.requirement == "RFC4164-3.4.2-1")
    link, original = replica.packet("seq_1")
    assert judge.decompress(link).delivered == original


def test_an_ir_cr_packet_of_no_context() -> None:
    sender, judge = pair()
    error = judge.decompress(sender.packet("IR-CR", Base(5, None))[0]).error
    assert error is not None and error.requirement == "RFC4164-3.4.1-2"


def test_an_index_without_its_item() -> None:
    sender, judge = pair()
    judge.decompress(sender.packet("IR")[0])
    error = judge.decompress(sender.packet(UNKNOWN_INDEX)[0]).error
    assert error is not None and error.requirement == "RFC6846-6.3.2-4"
    link, original = sender.packet("seq_1")
    assert judge.decompress(link).delivered == original


@pytest.mark.parametrize("what", ["UO-0", "IR-CR", "seq_1 of CID 0", "rnd_1", "poisoned seq_1", "IR with mode U"])
def test_packets_that_there_are_not(what: str) -> None:
    made = story()
    made.receive(1, "IR")
    with pytest.raises(UsageError):
        made.receive(1, what)


def test_changes() -> None:
    flow = TcpFlow.of("tcp-ipv4")
    flow.change("fin")
    flow.change("ttl to 61")
    packet = flow.build(b"")
    assert (packet[8], packet[33]) == (61, 0x11)
    with pytest.raises(UsageError):
        flow.change("marker")


# ---- stories


def story(*steps: tuple[int, str] | tuple[int, str, str] | tuple[int, str, str, str]) -> Timeline:
    made = Timeline("tcp-ipv4", {"profiles": ["0x0000", "0x0006"]})
    for step in steps:
        made.receive(*step)
    return made


def played(made: Timeline, answers: dict[int, Feedback], **verdicts: str) -> timeline.TimelineOutcome:
    records = []
    for n, link in enumerate(made.links):
        right = "withheld" if made.expected[n] is None else "identical"
        one = record(n, bytes.fromhex(link["hex"]), verdicts.get(f"p{n}", right))
        data = write_feedback(answers[n]) if n in answers else b""
        one["feedback"] = [bytes([0xF0 | len(data)]).hex() + data.hex()] if data else []
        records.append(one)
    return made.judge(document(records))


def nack(msn: int) -> Feedback:
    return Feedback(NACK, msn, 14)


DAMAGED = ((1, "IR"), (2, "damaged seq_1", "withheld"), (2, "seq_1", timeline.AFTER_NACK))


@pytest.mark.parametrize("verdict", ["identical", "not_delivered"])
def test_who_assumes_no_damage_may_go_on(verdict: str) -> None:
    assert played(story(*DAMAGED), {}, p3=verdict, p4=verdict).complaints == []


def test_behind_nack_packets_with_a_crc_3_do_not_come_out() -> None:
    held = played(story(*DAMAGED), {2: nack(1000)}, p3="not_delivered", p4="not_delivered")
    assert held.complaints == [] and held.remarks == []
    (complaint,) = played(story(*DAMAGED), {2: nack(1000)}, p3="not_delivered").complaints
    assert complaint == "step 3 (2 x seq_1): packet 2 of 2 is delivered, but nothing may come out (OK)"


def test_behind_static_nack_packets_with_a_crc_7_need_not_come_out() -> None:
    made = story((1, "IR"), (1, "damaged seq_8", "withheld"), (1, "seq_8", timeline.UNLESS_STATIC_NACK))
    assert played(made, {1: nack(1000)}, p2="not_delivered").complaints
    assert not played(made, {1: Feedback(STATIC_NACK, 1000, 14)}, p2="not_delivered").complaints
    without_msn = Feedback(NACK, 0, 14, options=frozenset({MSN_NOT_VALID}))
    assert not played(made, {1: without_msn}, p2="not_delivered").complaints


def test_behind_any_nack_packets_need_not_come_out() -> None:
    made = story((1, "IR"), (1, "damaged seq_8", "withheld"), (1, "seq_1", timeline.UNLESS_NACK))
    assert played(made, {}, p2="not_delivered").complaints
    for acktype in (NACK, STATIC_NACK):
        assert not played(made, {1: Feedback(acktype, 1000, 14)}, p2="not_delivered").complaints


def test_what_comes_out_ends_the_damage() -> None:
    made = story(*DAMAGED[:2], (1, "IR"), (1, "seq_1", timeline.AFTER_NACK))
    assert played(made, {2: nack(1000)}).complaints == []


@pytest.mark.parametrize(
    ("kind", "feedback", "met"),
    [
        ("some ACK", Feedback(ACK, 0xE8, 8), True),
        ("some ACK with CRC", Feedback(ACK, 0xE8, 8), False),
        ("some ACK with CRC", Feedback(ACK, 1000, 14), True),
        ("only any with CRC", Feedback(ACK, 1000, 14), True),
        ("only any with CRC", Feedback(ACK, 0xE8, 8), False),
        ("some NACK", Feedback(STATIC_NACK, 1000, 14), False),
    ],
)
def test_answers_without_modes(kind: str, feedback: Feedback, met: bool) -> None:
    assert (played(story((1, "IR", "delivered", kind)), {0: feedback}).complaints == []) is met


def test_wrong_feedback_is_told_with_its_requirement() -> None:
    made = story((1, "IR"), (2, "seq_1"))
    (remark,) = played(made, {2: nack(1001)}).remarks
    assert remark.requirement == "RFC6846-8.3.1-1"
    assert played(made, {2: nack(1002)}).remarks == []
    (remark,) = played(made, {2: Feedback(NACK, 1002, 14, cid=3)}).remarks[:1]
    assert remark.requirement == "RFC5795-5.2.4.1-5"


OLD = "f3a00030"  # STATIC-NACK(O) with SN-NOT-VALID, in the form of RFC 3095, 5.7.6.1


def test_for_a_cid_without_context_the_form_is_open() -> None:
    made = story((1, "damaged IR", "withheld", "only STATIC-NACK"), (1, "IR"), (1, "damaged seq_1", "withheld"))
    records = [record(n, bytes.fromhex(link["hex"]), "withheld") for n, link in enumerate(made.links)]
    records[1]["verdict"] = "identical"
    records[0]["feedback"] = [OLD]
    outcome = made.judge(document(records))
    assert (outcome.complaints, outcome.remarks) == ([], [])
    records[0]["feedback"] = ["f2a0f5"]  # with an SN
    assert [one.requirement for one in made.judge(document(records)).remarks] == ["RFC6846-8.3.1-1"]
    records[0]["feedback"], records[2]["feedback"] = [], [OLD]
    assert [one.requirement for one in made.judge(document(records)).remarks] == ["RFC6846-8.3.1-5"]


@pytest.mark.parametrize(("verdict", "met"), [("identical", True), ("not_delivered", False)])
def test_what_does_not_come_out_is_answered(verdict: str, met: bool) -> None:
    made = story((1, "IR"), (1, "IR-CR of CID 0 for CID 1", "delivered or withheld", "some STATIC-NACK if withheld"))
    assert (played(made, {}, p1=verdict).complaints == []) is met


# ---- numbers


def test_before_any_header_was_verified_no_msn_is_right() -> None:
    numbers = MasterSequenceNumbers()
    damaged = SentPacket(0, "seq_1", 1000)
    (remark,) = numbers.remarks(damaged, False, [Feedback(STATIC_NACK, 1000, 14)])
    assert "no header was verified yet" in remark.sentence
    assert not numbers.remarks(damaged, False, [Feedback(STATIC_NACK, 0, 14, options=frozenset({MSN_NOT_VALID}))])


def test_a_right_crc_8_may_be_taken_for_the_validation_of_a_header() -> None:
    numbers = MasterSequenceNumbers()
    numbers.take(SentPacket(1, "IR-CR", 7, validated=True), True)
    failed = SentPacket(1, "IR-CR", 8, validated=True)
    assert not numbers.remarks(failed, False, [Feedback(NACK, 7, 14, 1), Feedback(NACK, 8, 14, 1)])
    assert numbers.remarks(failed, False, [Feedback(NACK, 9, 14, 1)])
    assert numbers.remarks(SentPacket(1, "seq_1", 9), True, [Feedback(ACK, 8, 14, 1)])


# ---- flows and vectors

CHANNEL = {"profiles": ["0x0000", "0x0006"]}


def stream_of(*kinds: str, cid: int = 0) -> tuple[list[bytes], list[bytes]]:
    sender = TcpSender(TcpFlow.of("tcp-ipv4", cid), cid)
    made = [sender.packet(kind) for kind in kinds]
    return [link for link, _ in made], [original for _, original in made]


def observed_answers(
    monkeypatch: pytest.MonkeyPatch, answers: dict[int, str], wanted: dict[str, Any], *verdicts: str
) -> list[str]:
    links, originals = stream_of("IR", *["seq_1"] * (len(verdicts) - 1))
    records = [record(n, link, verdict) for n, (link, verdict) in enumerate(zip(links, verdicts, strict=True))]
    for n, element in answers.items():
        records[n]["feedback"] = [element]
    asked = replay_of(source=literal(originals), channel=CHANNEL, **wanted)
    monkeypatch.setattr(replay, "run", lambda now: Replay(now, document(records)))
    return [one.requirement for one in observe(asked).remarks]


def in_element(feedback: Feedback) -> str:
    data = write_feedback(feedback)
    return f"f{len(data)}" + data.hex()


GOOD = ("identical",) * 4


@pytest.mark.parametrize(
    ("answer", "verdicts", "wanted", "broken"),
    [
        (in_element(nack(1003)), GOOD, {}, []),
        (in_element(nack(1002)), GOOD, {}, ["RFC6846-8.3.1-1"]),
        (in_element(nack(1002)), (*GOOD[:3], "not_delivered"), {}, []),
        (in_element(nack(1003)), (*GOOD[:3], "not_delivered"), {}, ["RFC6846-8.3.1-1"]),
        (in_element(nack(7)), (*GOOD[:2], "mismatched", "identical"), {}, []),  # what the decompressor has is not known
        (in_element(nack(7)), GOOD, {"forward": {"ber": 0.001}}, []),
        ("f343eb00", GOOD, {}, ["RFC6846-8.3.1-5"]),
        ("f343eb00", GOOD, {"forward": {"ber": 0.001}}, ["RFC6846-8.3.1-5"]),
        ("f2e3eb", GOOD, {}, []),  # for a CID of another profile, or of none
    ],
)
def test_feedback_in_a_flow(
    monkeypatch: pytest.MonkeyPatch, answer: str, verdicts: tuple[str, ...], wanted: dict[str, Any], broken: list[str]
) -> None:
    assert observed_answers(monkeypatch, {3: answer}, wanted, *verdicts) == broken


def test_feedback_to_vectors() -> None:
    vector = vectors.known()["tcp-ir-dyn"]
    records = [record(n, step.link) for n, step in enumerate(vector.steps)]
    records[0]["feedback"] = [in_element(Feedback(ACK, 500, 14))]
    assert vectors.judge([vector], document(records))[0].wrong == []
    records[0]["feedback"] = [in_element(Feedback(ACK, 499, 14))]
    (wrong,) = vectors.judge([vector], document(records))[0].wrong
    assert wrong.startswith("link packet 1: ACK with CRC carries 14 bits of MSN, 499")


def test_a_refused_packet_whose_crc_8_is_right_leaves_the_msn_open() -> None:
    vector = vectors.known()["tcp-ir-cr-wrong-crc-7"]
    records = [record(n, step.link, "identical" if step.packet else "withheld") for n, step in enumerate(vector.steps)]
    at = next(n for n, step in enumerate(vector.steps) if step.packet is None)
    records[at]["feedback"] = [in_element(Feedback(STATIC_NACK, 1111, 14, cid=1))]
    assert vectors.judge([vector], document(records))[0].wrong == []
    records[at]["feedback"] = ["f5e1845700ff"]
    assert vectors.judge([vector], document(records))[0].wrong


def test_features_of_contexts() -> None:
    links = vectors.known()["tcp-ah"].steps
    judge = Decompressor(vectors.known()["tcp-ah"].parameters)
    outcome = judge.decompress(links[0].link)
    assert outcome.packet is not None and outcome.packet.tcp is not None
    librohc = implementations.load(IMPLEMENTATIONS / "librohc")
    with pytest.raises(NotDeclared, match="extension-headers"):
        capabilities.require_what_is_sent(librohc, [outcome.packet.tcp.context])
    sender, judge = pair()
    outcome = judge.decompress(sender.packet("IR")[0])
    assert outcome.packet is not None and outcome.packet.tcp is not None
    capabilities.require_what_is_sent(librohc, [outcome.packet.tcp.context])
